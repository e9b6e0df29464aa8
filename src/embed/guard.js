// Becomes part of the script of each program, and stands between the browser and the program: a trap must not
// go unnoticed.

let tell;
// What was touched last, until the browser has dealt with it.
let touched;
const watched = new WeakSet();

// Calls `told` after each trap, with the element that was touched. `elements` has those that the program
// shows at any time.
export function attend(elements, told) {
  tell = told;
  // A page that comes back as it was has stood still for a while.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) elements.forEach((_, element) => element.refresh());
  });
}

// What views listen to.
const TOUCHES = [
  "blur", "change", "click", "focus", "focusin", "focusout", "input", "keydown", "mousedown", "pointerdown",
  "pointerenter", "submit",
];

// Notices when `element` is touched: a trap that follows ends this one.
export function watch(element, root) {
  if (watched.has(root)) return;
  watched.add(root);
  const touch = () => {
    touched = element;
    setTimeout(() => {
      touched = undefined;
    });
  };
  for (const type of TOUCHES) root.addEventListener(type, touch, true);
}

// Mounts the view of `element`. The focus of what stood there until now, which nobody sees any more, goes
// on in the view: from there it is one key to the first thing in it.
export function show(element, root, given) {
  const attributes = {};
  for (const { name, value } of element.attributes) attributes[name] = value;
  const isFocused = element.matches(":focus-within");
  const mounted = mount(element, root, { ...given, attributes });
  if (isFocused && root.firstChild) {
    root.firstChild.tabIndex = -1;
    root.firstChild.focus({ preventScroll: true });
  }
  return mounted;
}

function guard(work) {
  return (...values) => {
    try {
      return work(...values);
    } catch (error) {
      tell?.(touched);
      throw error;
    }
  };
}

// What a program exports, with a guard before whatever the browser calls by itself: also when nobody has an
// object any more.
const guarded = (exports) => Object.fromEntries(Object.entries(exports).map(
  ([name, value]) => [name, /^(callback|__wbindgen_destroy_closure$|__wbg_.*_free$)/.test(name) ? guard(value) : value],
));
