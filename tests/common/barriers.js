// Finds what keeps people from reading or using a page: violations of the rules of axe-core, and in both themes text
// and edges of fields that hardly differ from what is around them, and targets that are too small. Uses the
// functions of `find.js`.

const LEAST_TEXT = 4.5;
const LEAST_EDGE = 3;
const LEAST_TARGET = 24;
const LEAST_PRIMARY = 44;

const TARGETS = new Set([
  "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "input",
]);

const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const paints = new Map();

// Red, green, blue (0 to 255) and opacity (0 to 1) of any color of CSS.
function parsed(color) {
  if (!paints.has(color)) {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    paints.set(color, [red, green, blue, alpha / 255]);
  }
  return paints.get(color);
}

const over = ([...top], below, opacity = 1) => {
  const alpha = top[3] * opacity;
  return [0, 1, 2].map((part) => top[part] * alpha + below[part] * (1 - alpha));
};

function luminance(color) {
  const [red, green, blue] = color.map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

// Color that an element is painted on, itself included; null in front of an image.
function ground(element) {
  const layers = [];
  for (let at = element; at; at = parentOf(at)) {
    if (at.nodeType !== 1) continue;
    const { backgroundColor, backgroundImage } = style(at);
    if (backgroundImage !== "none") return null;
    const color = parsed(backgroundColor);
    if (color[3] > 0) layers.push(color);
    if (color[3] === 1) break;
  }
  const page = style(document.documentElement).colorScheme === "dark" ? [18, 18, 18] : [255, 255, 255];
  return layers.reverse().reduce((below, color) => over(color, below), page);
}

function opacityOf(element) {
  return [element, ...ancestors(element)].filter((each) => each.nodeType === 1)
    .reduce((opacity, each) => opacity * Number(style(each).opacity), 1);
}

const isOff = (element) => Boolean(element.closest(":disabled, [aria-disabled=true]"));

// Adds to `found` every element below `node` that is painted.
function painted(node, found = []) {
  for (const child of kids(node)) {
    if (child.nodeType !== 1) continue;
    const { display, visibility, opacity, clipPath } = style(child);
    if (display === "none" || opacity === "0" || clipPath.startsWith("inset(50%")) continue;
    if (visibility === "visible") found.push(child);
    painted(child, found);
  }
  return found;
}

// All barriers of the page as it is.
async function barriers() {
  settle();
  const violations = (await axe.run(document, { resultTypes: ["violations"] })).violations;
  const found = new Set(violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) =>
    `${node.target.flat().join(" ")} ${node.failureSummary}`).join("; ")}`));
  for (const scope of reachable()) {
    for (const element of elements(scope)) note(found, small(element), element);
  }
  const hosts = [...roots()].map((root) => root.host ?? document.documentElement);
  const before = hosts.map((host) => host.style.colorScheme);
  // The transitions of skipped rows neither run nor can be ended.
  const skipped = [...roots()].flatMap((root) => [...root.querySelectorAll("*")])
    .filter((element) => style(element).contentVisibility === "auto");
  for (const element of skipped) element.style.contentVisibility = "visible";
  for (const theme of ["light", "dark"]) {
    hosts.forEach((host) => host.style.colorScheme = theme);
    settle();
    for (const element of reachable().flatMap((scope) => painted(scope))) {
      for (const why of [dim(element), edgeless(element)]) note(found, why && `${theme}: ${why}`, element);
    }
  }
  hosts.forEach((host, index) => host.style.colorScheme = before[index]);
  for (const element of skipped) element.style.contentVisibility = "";
  return [...found].slice(0, 20);
}

const note = (found, why, element) => why && found.add(`${why}: ${call(element)}`);

function roots(all = new Set([document])) {
  for (const root of all) {
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) all.add(element.shadowRoot);
  }
  return all;
}

// Ends transitions, during which colors differ.
function settle() {
  for (const root of roots()) {
    for (const moving of root.getAnimations()) {
      if (Number.isFinite(moving.effect.getComputedTiming().endTime)) moving.finish();
    }
  }
}

const call = (element) =>
  `${element.localName}.${element.className} ${describe(element)}`.replace(/\s+/g, " ").slice(0, 90);

// Text that hardly differs from what is behind it.
function dim(element) {
  const isField = ["input", "select", "textarea"].includes(element.localName);
  const words = isField || [...element.childNodes].some((node) => node.nodeType === 3 && tidy(node.data));
  if (!words || isOff(element)) return null;
  if (isField && ["checkbox", "radio", "color", "range"].includes(element.type)) return null;
  const box = element.getBoundingClientRect();
  if (box.width < 2 || box.height < 2) return null;
  const below = ground(element);
  if (!below) return null;
  const opacity = opacityOf(element);
  const colors = [style(element).color];
  if (isField && element.placeholder) {
    colors.push(element.ownerDocument.defaultView.getComputedStyle(element, "::placeholder").color);
  }
  const least = Math.min(...colors.map((color) => contrast(over(parsed(color), below, opacity), below)));
  return least < LEAST_TEXT ? `text with a contrast of ${least.toFixed(2)}` : null;
}

// A field, or a button without a text, whose edge hardly differs from what is around it. A text says where a button is.
function edgeless(element) {
  const isFramed = element.matches("button, a.button") && !element.textContent.trim() && isBordered(style(element));
  if (!isFramed && !element.matches("input, select, textarea, [role=switch]") || isOff(element)) return null;
  const box = element.getBoundingClientRect();
  if (box.width < 2 || box.height < 2) return null;
  const { appearance } = style(element);
  const isNative = ["checkbox", "radio", "color", "range"].includes(element.type) && appearance !== "none";
  if (isNative) return null;
  // Some fields are drawn by the box around them.
  let best = 0;
  for (let at = element, steps = 0; at?.nodeType === 1 && steps < 3; at = parentOf(at), steps += 1) {
    const outside = parentOf(at) && ground(parentOf(at));
    if (!outside) return null;
    const look = style(at);
    const edges = ["borderTop", "borderBottom", "outline"]
      .filter((edge) => parseFloat(look[`${edge}Width`]) > 0 && look[`${edge}Style`] !== "none")
      .map((edge) => look[`${edge}Color`]);
    // A select without an edge is a word with an arrow.
    if (at === element && at.localName === "select" && !edges.length) return null;
    const shadow = look.boxShadow.match(/^[a-z]+\([^)]*\)/);
    const colors = [...edges, ...(shadow ?? []), look.backgroundColor].map((color) => over(parsed(color), outside));
    // An edge may also differ from what is within.
    const inside = over(parsed(look.backgroundColor), outside);
    best = Math.max(best, ...colors.flatMap((color) => [contrast(color, outside), contrast(color, inside)]));
    if (best >= LEAST_EDGE) return null;
    if (isFramed) break;
  }
  return `an edge with a contrast of ${best.toFixed(2)}`;
}

const isBordered = (look) =>
  ["Top", "Right", "Bottom", "Left"].every((side) => parseFloat(look[`border${side}Width`]) > 0 &&
    parsed(look[`border${side}Color`])[3] > 0);

// A control that is hard to hit. Links within a line of text may be as high as the line. The page's own content is
// not the widget's.
function small(element) {
  if (element.getRootNode() === document) return null;
  if (!TARGETS.has(role(element)) || isOff(element) || element.tabIndex < 0 && role(element) === "gridcell") return null;
  if (element.localName === "option" || element.closest("select") !== null && element.localName !== "select") return null;
  const { display } = style(element);
  const boxes = [element, ...(element.labels ?? [])].map((each) => each.getBoundingClientRect());
  const width = Math.max(...boxes.map((box) => box.width));
  const height = Math.max(...boxes.map((box) => box.height));
  if (width < 2 || height < 2) return null;
  if (display === "inline" && isWithinText(element)) return null;
  const least = element.matches(".button-primary, .time, [type=submit]") ? LEAST_PRIMARY : LEAST_TARGET;
  const size = Math.min(height, least === LEAST_PRIMARY ? Infinity : width);
  if (size >= least - 0.5) return null;
  if (least === LEAST_TARGET && isHitAround(element)) return null;
  return `a target of ${width.toFixed(0)} x ${height.toFixed(0)} px`;
}

const isWithinText = (element) =>
  [...parentOf(element).childNodes].some((node) => node !== element && node.nodeType === 3 && tidy(node.data));

// True if presses 12 px from the center still hit the element, as with a margin that belongs to it.
function isHitAround(element) {
  element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const box = element.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const reach = LEAST_TARGET / 2 - 0.5;
  const isHit = ([right, down]) => {
    const top = topmost(x + right * reach, y + down * reach);
    return top && [element, ...(element.labels ?? [])].some((each) => within(top, each));
  };
  // Where a bar covers the page, there is nothing to press.
  return !isHit([0, 0]) || [[-1, 0], [1, 0], [0, -1], [0, 1]].every(isHit);
}
