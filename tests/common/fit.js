// Finds what cannot be read on a page, whatever its width and the size of its text: text and controls that are
// cut off, that reach beyond the window, that lie over each other, or that are broken into single letters.

// How much of a line may lie over another, or beyond what clips it: fonts are higher than their letters.
const LEEWAY = 0.3;

function misfits() {
  const found = new Set();
  const items = [];
  for (const scope of reachable()) collect(scope, [], null, items);
  for (const item of items) {
    const why = cut(item);
    if (why) found.add(`${why}: ${item.name}`);
  }
  items.sort((one, other) => one.box.top - other.box.top);
  items.forEach((item, index) => {
    for (let next = index + 1; next < items.length; next++) {
      const other = items[next];
      if (other.box.top >= item.box.bottom) break;
      if (lieOver(item, other)) found.add(`one over the other: ${item.name} and ${other.name}`);
    }
  });
  return [...found].slice(0, 12);
}

// Lays out what is out of sight, too.
function unfold(node = document) {
  for (const child of kids(node)) {
    if (child.nodeType !== 1) continue;
    if (style(child).contentVisibility === "auto") child.style.contentVisibility = "visible";
    unfold(child);
  }
}

// Every piece of text and every control below `node`, with what clips it and the layer that it is painted in.
function collect(node, clips, layer, items) {
  for (const child of kids(node)) {
    if (child.nodeType === 3 && (node.nodeType !== 1 || seen(node))) addText(child, clips, layer, items);
    if (child.nodeType !== 1 || gone(child)) continue;
    if (["script", "style", "template", "noscript", "title"].includes(child.localName)) continue;
    const { opacity, clipPath, position, overflowX, overflowY } = style(child);
    if (opacity === "0" || clipPath.startsWith("inset(50%")) continue;
    const own = position === "sticky" || position === "fixed" ? child : layer;
    if (["input", "select", "textarea", "svg"].includes(child.localName)) {
      const kind = child.localName === "svg" ? "icon" : "control";
      const box = kind === "icon" ? drawingOf(child) : boxOf(child);
      if (seen(child)) items.push({ kind, of: child, box, clips, layer: own, name: label(child) });
      continue;
    }
    // Cut short on purpose, with dots at the end.
    const isShort = style(child).webkitLineClamp !== "none";
    const isClip = overflowX !== "visible" || overflowY !== "visible";
    collect(child, isClip ? [clipOf(child, overflowX, overflowY, isShort), ...clips] : clips, own, items);
  }
}

function addText(text, clips, layer, items) {
  const words = tidy(text.data);
  if (!words) return;
  const range = document.createRange();
  range.selectNodeContents(text);
  const lines = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
  const name = `${label(text.parentElement ?? text.getRootNode().host)} “${words.slice(0, 40)}”`;
  const isShown = (box) => !clips.some((clip) => clip.isShort && box.bottom > clip.bottom + 2);
  for (const box of lines.filter(isShown)) items.push({ kind: "text", of: text, box, clips, layer, name });
  const longest = Math.max(...words.split(/[\s/]/).map((word) => word.length));
  // Text of both directions has several boxes in a line.
  const count = new Set(lines.map((box) => Math.round(box.top))).size;
  if (count > 2 && longest > 5 && words.length / count < 4) {
    items.push({ kind: "letters", of: text, box: lines[0], clips, layer, name });
  }
}

function boxOf(element) {
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  return { left, top, right, bottom, width, height };
}

// Box of an icon without its padding, which only enlarges what can be pressed. Any turn is by 180 degrees.
function drawingOf(icon) {
  const { left, top, right, bottom } = icon.getBoundingClientRect();
  const padding = parseFloat(style(icon).paddingTop) || 0;
  const [width, height] = [right - left - 2 * padding, bottom - top - 2 * padding];
  return { left: left + padding, top: top + padding, right: right - padding, bottom: bottom - padding, width, height };
}

function clipOf(element, overflowX, overflowY, isShort) {
  const box = element.getBoundingClientRect();
  const left = box.left + element.clientLeft;
  const top = box.top + element.clientTop;
  const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
  return {
    isShort, left, top, right: left + element.clientWidth, bottom: top + element.clientHeight,
    scrollsX: scrolls(overflowX), scrollsY: scrolls(overflowY),
    clipsX: overflowX !== "visible", clipsY: overflowY !== "visible",
  };
}

// Why a thing cannot be seen whole, if so.
function cut({ kind, box, clips }) {
  if (kind === "letters") return "broken into letters";
  if (!box.width || !box.height) return null;
  let { left, right } = box;
  const give = box.height * LEEWAY;
  for (const clip of clips) {
    if (clip.clipsX && clip.scrollsX) {
      // What is scrolled to lies within what scrolls.
      [left, right] = [Math.max(left, clip.left), Math.min(right, clip.right)];
      if (left >= right) return null;
    } else if (clip.clipsX && (left < clip.left - 1 || right > clip.right + 1)) {
      return "cut off at the side";
    }
    if (clip.clipsY && clip.scrollsY) return null;
    if (clip.clipsY && (box.top < clip.top - give || box.bottom > clip.bottom + give)) return "cut off";
  }
  return left < -1 || right > innerWidth + 1 ? "beyond the window" : null;
}

function lieOver(one, other) {
  const kinds = [one.kind, other.kind];
  if (one.of === other.of || one.layer !== other.layer || kinds.includes("letters")) return false;
  if (kinds.every((kind) => kind === "icon")) return false;
  if (isArrowOf(one, other) || isArrowOf(other, one)) return false;
  if (!one.box.width || !other.box.width) return false;
  const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
  const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
  return wide > 2 && high > LEEWAY * Math.min(one.box.height, other.box.height);
}

// An icon in the padding of its field: presses go through it.
function isArrowOf(icon, field) {
  return icon.kind === "icon" && field.kind === "control" && icon.of.parentElement === field.of.parentElement &&
    style(icon.of).pointerEvents === "none";
}

function label(element) {
  if (!element) return "";
  const parent = element.parentElement;
  const kind = (each) => each.localName + (each.getAttribute("class") ?? "").trim().replace(/^(?=.)|\s+/g, ".");
  return parent ? `${kind(parent)} > ${kind(element)}` : kind(element);
}
