// Trap detection, part of each bundle's script: wraps the calls from the browser into the WebAssembly.

/** @type {((touched?: HTMLElement) => void) | undefined} */
let notifyTrap;
/** Element that received the current input event.
 * @type {HTMLElement | undefined} */
let touchedElement;
/** Element whose view is being rendered, in several tasks.
 * @type {HTMLElement | undefined} */
let startingElement;
const watchedRoots = new WeakSet();

/** Calls `onTrap` after each trap with the element that had input. `elements` are all that are mounted.
 * @param {ElementMap} elements @param {(touched?: HTMLElement) => void} onTrap */
export function watchTraps(elements, onTrap) {
  notifyTrap = onTrap;
  // A page restored from the back/forward cache has stale data.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) elements.forEach((_, element) => element.refresh());
  });
}

// Events that the views handle.
const INPUT_EVENTS = [
  "blur", "change", "click", "focus", "focusin", "focusout", "input", "keydown", "mousedown", "pointerdown",
  "pointerenter", "submit",
];

const FIELDS = "input, textarea, select";

// Keys that dialogs, focus traps and shortcuts of the page wait for; released modifiers too, as it has seen them pressed.
const PAGE_KEYS = /^(Escape|Tab|F\d|Shift|Control|Alt|Meta)/;

/** Keeps what is typed in a field of `root` from the page: it would take it for shortcuts, as it sees the element as the
 * target. Combinations with modifiers pass, unless they type a character.
 * @param {KeyboardEvent} event @param {ShadowRoot} root */
function containTyping(event, root) {
  const field = /** @type {Element} */ (event.target);
  const isCombined = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState?.("AltGraph");
  // Fields in slots are the page's own.
  const isTyped = root.contains(field) && field.matches(FIELDS) && !isCombined;
  if (isTyped && (event.isComposing || !PAGE_KEYS.test(event.key))) event.stopPropagation();
}

/** Records input on `element`, so that a trap is attributed to it, and contains typing.
 * @param {HTMLElement} element @param {ShadowRoot} root */
export function trackInput(element, root) {
  if (watchedRoots.has(root)) return;
  watchedRoots.add(root);
  const markTouched = () => {
    touchedElement = element;
    setTimeout(() => {
      touchedElement = undefined;
    });
  };
  for (const type of INPUT_EVENTS) root.addEventListener(type, markTouched, true);
  for (const type of ["keydown", "keypress", "keyup"]) {
    root.addEventListener(type, (event) => containTyping(/** @type {KeyboardEvent} */ (event), root));
  }
}

/** @type {MountOptions["plain"]} */
const plain = (value) => Array.isArray(value) ? Array.from(value, plain)
  : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)])) : value;

/** Mounts the view, which replaces the skeleton once it is rendered. If the replaced content had the focus, it moves to the
 * start of the view.
 * @param {HTMLElement} element @param {ShadowRoot} root @param {Omit<MountOptions, "attributes" | "attach" | "plain">} options
 * @param {AbortSignal} signal @param {(isReplaced: boolean) => SkeletonLike | undefined} skeletonOf its skeleton, which the
 * element forgets if it is replaced
 * @returns {Mounted} */
export function show(element, root, options, signal, skeletonOf) {
  /** @type {Record<string, string>} */
  const attributes = {};
  for (const { name, value } of element.attributes) attributes[name] = value;
  const sheetCount = root.adoptedStyleSheets.length;
  startingElement = element;
  const attach = async (/** @type {HTMLElement} */ view, /** @type {CSSStyleSheet} */ sheet) => {
    startingElement = undefined;
    if (signal.aborted) return;
    await skeletonOf(false)?.released();
    if (signal.aborted) return;
    const handOver = skeletonOf(true)?.handOver(root, signal);
    const isFocused = element.matches(":focus-within");
    // Those of chunks are after those of the placeholder.
    root.adoptedStyleSheets = [sheet, ...root.adoptedStyleSheets.slice(sheetCount)];
    root.replaceChildren(view);
    if (isFocused) {
      view.tabIndex = -1;
      view.focus({ preventScroll: true });
    }
    guard(() => mounted.ready())();
    // Last: the page's listeners may have removed the element.
    await handOver?.();
  };
  const mounted = mount(element, {
    ...options, attributes, plain, attach: (view, sheet) => attach(view, sheet).catch(console.error),
  });
  return mounted;
}

/** Wraps a callback to report its trap.
 * @template {unknown[]} Args @template Result
 * @param {(...args: Args) => Result} callback @returns {(...args: Args) => Result} */
function guard(callback) {
  return (...args) => {
    try {
      return callback(...args);
    } catch (error) {
      // No trap: a listener that the page's wrapper of `addEventListener` could not remove.
      if (/after being dropped/.test(/** @type {any} */ (error)?.message)) return /** @type {any} */ (undefined);
      notifyTrap?.(touchedElement ?? startingElement);
      throw error;
    }
  };
}

/** Wraps the exports that the browser calls: callbacks, and destructors after garbage collection.
 * @param {Record<string, any>} exports */
const guarded = (exports) => Object.fromEntries(Object.entries(exports).map(
  ([name, value]) => [name, /(_closures_+invoke_|^__wbindgen_destroy_closure$|^__wbg_.*_free$)/.test(name) ? guard(value) : value],
));
