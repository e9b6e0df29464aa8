// Becomes part of the script of each program, and stands between the browser and the program: a program
// that stops in the middle must not do so unnoticed.

let tell;
// What the program shows.
let shown;
// Whether others have taken its place.
let isOver = false;
// What was touched last, until the browser has dealt with it.
let touched;
const watched = new WeakSet();

// Calls `told` whenever something has gone through the program that it could not catch, with the element
// that was touched. `elements` has those that it shows at any time.
export function attend(elements, told) {
  tell = told;
  shown = elements;
  // A page that comes back as it was has stood still meanwhile.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) elements.forEach((_, element) => element.refresh());
  });
}

// Whether the first file is enough to begin with: other views than that of the times of an event type are
// rare, and wait for the rest.
function isUsual(element) {
  const has = (name) => !!element.getAttribute(name);
  return element.localName !== "booking-picker"
    || !(element.session || has("booking-uid") || has("seat-uid"))
      && (has("event-type-id") || has("event-slug") && (has("username") || has("team-id")));
}

// Does `work` for `element` once all of the program is there, in the order in which it was asked for.
function hold(element, work) {
  makeWhole().catch(makeWhole).then(guard(() => {
    touch(element);
    work();
  }), () => tell?.(element));
}

function touch(element) {
  touched = element;
  setTimeout(() => {
    touched = undefined;
  });
}

// What is done with a view, rather than looked at: all that a program listens to.
const HELD = [
  "blur", "change", "click", "focus", "focusin", "focusout", "input", "keydown", "mousedown", "paste",
  "pointerdown", "pointerenter", "submit",
];

// Notices when `element` is touched. What is done before all of the program is there is done when it is.
export function watch(element, root) {
  if (watched.has(root)) return;
  watched.add(root);
  for (const type of HELD) {
    root.addEventListener(type, (event) => {
      touch(element);
      if (isWhole || !shown.has(element)) return;
      const { target, key } = event;
      event.stopImmediatePropagation();
      // To press, to type and to take the focus goes on by itself.
      if (/click|submit/.test(type) || /^(Arrow|End|Home|Page)/.test(key)) event.preventDefault();
      const again = new event.constructor(type, event);
      hold(element, () => target.dispatchEvent(again));
    }, true);
  }
}

// Nothing may be asked in between.
const PROMPT = ["is_following", "set_token"];

// The handle of a view, for which what a page says waits until all of the program is there.
const patient = (element, mounted) => new Proxy(mounted, {
  get: (_, name) => (...values) => {
    if (isWhole || PROMPT.includes(name)) return mounted[name](...values);
    hold(element, () => mounted.__wbg_ptr && mounted[name](...values));
    // Of what steers it is asked whether that can be a day, or an instant.
    return Date.parse(values[0]) > 0;
  },
});

// Mounts the view of `element`. The focus of what stood there until now, which nobody sees any more, goes
// on in the view: from there it is one key to the first thing in it.
export function show(element, root, given) {
  const attributes = {};
  for (const { name, value } of element.attributes) attributes[name] = value;
  const isFocused = element.matches(":focus-within");
  let mounted = {};
  try {
    mounted = mount(element, root, { ...given, attributes });
  } catch (error) {
    if (isWhole) throw error;
    // Once it is known to be shown.
    queueMicrotask(beginAnew);
  }
  if (isFocused && root.firstChild) {
    root.firstChild.tabIndex = -1;
    root.firstChild.focus({ preventScroll: true });
  }
  return patient(element, mounted);
}

// Something was called that was not there yet. Nobody has done anything with what is shown, so that nothing
// is lost when it begins again, in an instance that waits for everything. Gives what a callback may have to.
function beginAnew() {
  isOver = true;
  const elements = [...shown.keys()];
  elements.forEach((element) => element.adoptedCallback());
  tell();
  for (const element of elements.filter((element) => element.isConnected)) {
    element.connectedCallback();
    // Whatever it waited for has been.
    element.start();
  }
  return [];
}

function guard(work) {
  return (...values) => {
    // Nothing may begin any more where something ended in the middle.
    if (isOver) return [];
    try {
      return work(...values);
    } catch (error) {
      if (!isWhole) return beginAnew();
      tell?.(touched);
      throw error;
    }
  };
}

// What a program exports, with a guard before whatever the browser calls by itself.
const guarded = (exports) => Object.fromEntries(Object.entries(exports).map(
  ([name, value]) => [name, name.startsWith("callback") ? guard(value) : value],
));
