// Finds things on a page as people and screen readers do: by role and name, through open shadow
// roots, leaving out what is hidden. The names follow the accessible name computation closely
// enough for the widget's own markup.

const NAMED_BY_CONTENT = new Set([
  "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem",
  "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab",
  "tooltip", "treeitem",
]);
const FIELDS = new Set([
  "checkbox", "combobox", "listbox", "radio", "searchbox", "slider", "spinbutton", "switch",
  "textbox", "input",
]);

const tidy = (text) => (text ?? "").replace(/\s+/g, " ").trim();

function kids(node) {
  if (node.shadowRoot) return [...node.shadowRoot.childNodes];
  if (node.localName === "slot") {
    const assigned = node.assignedNodes({ flatten: true });
    if (assigned.length) return assigned;
  }
  if (node.localName === "details" && !node.open) {
    return [...node.childNodes].filter((child) => child.localName === "summary");
  }
  return [...node.childNodes];
}

const style = (element) => element.ownerDocument.defaultView.getComputedStyle(element);
const gone = (element) => style(element).display === "none";
const seen = (element) => style(element).visibility === "visible";
const silent = (element) => element.getAttribute("aria-hidden") === "true" || element.inert;

// Adds to `found` every element below `node` that is there for people, in reading order.
function elements(node, keepSilent = false, found = []) {
  for (const child of kids(node)) {
    if (child.nodeType !== 1 || (!keepSilent && silent(child))) continue;
    const { display, visibility } = style(child);
    if (display === "none") continue;
    if (visibility === "visible") found.push(child);
    elements(child, keepSilent, found);
  }
  return found;
}

const INPUT_ROLES = {
  button: "button", checkbox: "checkbox", email: "textbox", image: "button", number: "spinbutton",
  radio: "radio", range: "slider", reset: "button", search: "searchbox", submit: "button",
  tel: "textbox", text: "textbox", url: "textbox",
};
const TAG_ROLES = {
  article: "article", aside: "complementary", button: "button", details: "group",
  dialog: "dialog", fieldset: "group", h1: "heading", h2: "heading", h3: "heading",
  h4: "heading", h5: "heading", h6: "heading", hr: "separator", img: "img", li: "listitem",
  main: "main", nav: "navigation", ol: "list", optgroup: "group", option: "option",
  output: "status", progress: "progressbar", summary: "button", table: "table", tbody: "rowgroup",
  textarea: "textbox", tfoot: "rowgroup", th: "columnheader", thead: "rowgroup", tr: "row",
  ul: "list",
};

function role(element) {
  const given = tidy(element.getAttribute("role")).split(" ")[0];
  if (given) return given;
  const tag = element.localName;
  if (tag === "a") return element.hasAttribute("href") ? "link" : "generic";
  if (tag === "input") {
    const kind = INPUT_ROLES[element.type] ?? "input";
    return element.hasAttribute("list") && kind === "textbox" ? "combobox" : kind;
  }
  if (tag === "select") return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (tag === "th") return element.scope.startsWith("row") ? "rowheader" : "columnheader";
  if (tag === "td") return element.closest('[role="grid"]') ? "gridcell" : "cell";
  if (tag === "section") return named(element) ? "region" : "generic";
  if (tag === "form") return named(element) ? "form" : "generic";
  return TAG_ROLES[tag] ?? "generic";
}

const named = (element) =>
  element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby");

// The text that an element gives to a name.
function content(node) {
  let text = "";
  for (const child of kids(node)) {
    if (child.nodeType === 3) text += child.data;
    if (child.nodeType !== 1 || gone(child) || silent(child)) continue;
    const own = child.getAttribute("aria-label") ?? (child.localName === "img" ? child.alt : null);
    const inner = own ?? content(child);
    text += style(child).display.startsWith("inline") ? inner : ` ${inner} `;
  }
  return text;
}

function name(element) {
  const by = tidy(element.getAttribute("aria-labelledby"));
  if (by) {
    const root = element.getRootNode();
    const parts = by.split(" ").map((id) => root.getElementById(id)).filter(Boolean);
    const text = tidy(parts.map((part) => part.getAttribute("aria-label") ?? content(part)).join(" "));
    if (text) return text;
  }
  const label = tidy(element.getAttribute("aria-label"));
  if (label) return label;
  if (element.labels?.length) {
    return tidy([...element.labels].map((each) => labelText(each, element)).join(" "));
  }
  const tag = element.localName;
  if (tag === "input" && ["button", "submit", "reset"].includes(element.type)) {
    return tidy(element.value) || element.type;
  }
  if (tag === "img") return tidy(element.alt);
  if (tag === "fieldset" || tag === "table") {
    const caption = element.querySelector(":scope > legend, :scope > caption");
    if (caption) return tidy(content(caption));
  }
  if (NAMED_BY_CONTENT.has(role(element))) {
    const text = tidy(content(element));
    if (text) return text;
  }
  return tidy(element.title || element.placeholder);
}

// A label may enclose its control, whose own text is not part of the name.
function labelText(label, control) {
  if (!label.contains(control)) return content(label);
  const copy = (node) => {
    let text = "";
    for (const child of kids(node)) {
      if (child === control) continue;
      if (child.nodeType === 3) text += child.data;
      if (child.nodeType === 1 && !gone(child) && !silent(child)) text += ` ${copy(child)} `;
    }
    return text;
  };
  return copy(label);
}

function fits(text, wanted) {
  if (!wanted) return true;
  const key = tidy(wanted.text);
  if (wanted.how === "exact") return text === key;
  return wanted.how === "start" ? text.startsWith(key) : text.includes(key);
}

// The text that a person can see, a line for each block. `known` holds the texts of nodes read before.
function visibleText(node, known = new Map()) {
  if (known.has(node)) return known.get(node);
  let text = "";
  for (const child of kids(node)) {
    if (child.nodeType === 3 && (node.nodeType !== 1 || seen(node))) text += child.data;
    if (child.nodeType !== 1 || gone(child)) continue;
    if (["script", "style", "template", "noscript"].includes(child.localName)) continue;
    if (child.localName === "br") text += "\n";
    // Of a select that is closed, people see what is chosen.
    else if (child.localName === "select") {
      text += ` ${[...child.selectedOptions].map((option) => option.text).join(", ")} `;
    }
    else if (style(child).display.startsWith("inline")) text += visibleText(child, known);
    else text += `\n${visibleText(child, known)}\n`;
  }
  known.set(node, text);
  return text;
}
const lines = (text) =>
  text.split("\n").map(tidy).filter(Boolean).join("\n");

// An open modal dialog makes everything around it unreachable.
function reachable() {
  if (!hasModal(document)) return [document];
  const modal = elements(document).filter((element) => element.matches("dialog:modal")).pop();
  return modal ? [modal] : [document];
}

function hasModal(root) {
  if (root.querySelector("dialog:modal")) return true;
  return [...root.querySelectorAll("*")].some((element) => element.shadowRoot && hasModal(element.shadowRoot));
}

function matching(scope, step) {
  if (step.kind === "css") {
    return elements(scope, true).filter((element) => element.matches(step.selector));
  }
  const self = scope.nodeType === 1 && scope.matches("dialog:modal") ? [scope] : [];
  const all = [...self, ...elements(scope)];
  if (step.kind === "field") {
    return all.filter((each) => FIELDS.has(role(each)) && fits(name(each), step.name));
  }
  if (step.kind === "text") {
    const known = new Map();
    const innermost = new Set(all.filter((each) => fits(tidy(visibleText(each, known)), step.name)));
    for (const each of innermost) ancestors(each).forEach((outer) => innermost.delete(outer));
    return [...innermost];
  }
  return all.filter((each) => role(each) === step.role && fits(name(each), step.name));
}

const parentOf = (node) => node.assignedSlot ?? node.parentNode ?? node.host;

function ancestors(node) {
  const found = [];
  for (let at = parentOf(node); at; at = parentOf(at)) found.push(at);
  return found;
}

const within = (node, ancestor) => node === ancestor || ancestors(node).includes(ancestor);

function find(steps) {
  let scopes = reachable();
  for (const step of steps) {
    if (step.kind === "nth") {
      scopes = scopes.slice(step.index, step.index + 1);
    } else {
      scopes = [...new Set(scopes.flatMap((scope) => matching(scope, step)))];
    }
  }
  return scopes;
}

function focused() {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

const describe = (element) =>
  element && element !== document.body ? `${role(element)} "${name(element)}"` : "nothing";

// What is on top at a point, inside whichever shadow roots.
function topmost(x, y) {
  let at = document.elementFromPoint(x, y);
  while (at?.shadowRoot) {
    const inner = at.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === at) break;
    at = inner;
  }
  return at;
}

// Where a person would click to mean `element` (or its label, if the control itself is drawn by
// other means); a text says why they could not.
async function clickable(element) {
  const before = scrollY;
  const place = spot(element);
  if (typeof place === "string") return place;
  // What has just appeared may move once more, as when the focus scrolls. What was scrolled to moves
  // when a list above it is drawn in its real height.
  for (let frames = scrollY === before ? 2 : 5; frames > 0; frames--) {
    await new Promise((done) => requestAnimationFrame(done));
  }
  const later = spot(element);
  return place.x === later.x && place.y === later.y ? place : "it moves";
}

function spot(element) {
  if (!element.isConnected) return "it is gone";
  if (element.matches(":disabled")) return "it is disabled";
  let trouble = "it takes no room";
  for (const target of [element, ...(element.labels ?? [])]) {
    for (const scroll of [false, true]) {
      if (scroll) target.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const box = target.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) break;
      const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
      const top = topmost(x, y);
      if (top && (within(top, target) || within(top, element))) return { x, y };
      trouble = top ? `${describe(top)} covers it` : "it is outside the window";
    }
  }
  return trouble;
}
