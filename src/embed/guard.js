// Becomes part of the script of each program, and stands between the browser and the program: a program
// that stops in the middle must not do so unnoticed.

let tell;
// What was touched last, until the browser has dealt with it.
let touched;
const watched = new WeakSet();

// Calls `told` whenever something has gone through the program that it could not catch, with the element
// that was touched. `elements` has those that it shows at any time.
export function attend(elements, told) {
  tell = told;
  // A page that comes back as it was has stood still meanwhile.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) elements.forEach((_, element) => element.refresh());
  });
}

// Notices when `element` is touched.
export function watch(element, root) {
  if (watched.has(root)) return;
  watched.add(root);
  for (const type of ["click", "input", "change", "keydown", "focusin", "focusout", "submit"]) {
    root.addEventListener(type, () => {
      touched = element;
      setTimeout(() => {
        touched = undefined;
      });
    }, true);
  }
}

// Mounts the view of `element`. The focus of what stood there until now, which nobody sees any more, goes
// on in the view: from there it is one key to the first thing in it.
export function show(element, root, given) {
  const attributes = {};
  for (const { name, value } of element.attributes) attributes[name] = value;
  const isFocused = element.matches(":focus-within");
  const mounted = mount(element, root, { ...given, attributes });
  if (isFocused) {
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

// What a program exports, with a guard before whatever the browser calls by itself.
const guarded = (exports) => Object.fromEntries(Object.entries(exports).map(
  ([name, value]) => [name, name.startsWith("__wasm_bindgen_func_elem") ? guard(value) : value],
));
