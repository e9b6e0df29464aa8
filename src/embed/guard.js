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

// How long what is missing may take, the first time and the second, and when it is asked for once more where
// there is no network.
const REST_MS = 15000;
const AGAIN_MS = 3000;

// What waits until all of the program is there, in the order in which it was asked for: for which element,
// what is done, by which event or call of the page, whether somebody wants something by an event, and how a press
// looks meanwhile.
let held = [];
let isAwaited = false;
let isReleasing = false;
// Fetches a script that not every page needs.
let more;

// Whether what comes now has to wait: behind what waits already, too.
const mustWait = () => !isReleasing && (!isWhole || held.length > 0);

function hold(what) {
  held.push(what);
  if (!isAwaited) occupy(waitForRest());
}

function occupy(waiting) {
  isAwaited = true;
  waiting.finally(() => {
    isAwaited = false;
  });
}

const inTime = () => Promise.race([
  makeWhole(), new Promise((_, reject) => setTimeout(reject, REST_MS, new Error("the rest takes too long"))),
]);
const waitForRest = () => inTime().catch(inTime).then(release, giveUp);

// Does what waits, each for itself: what follows from one is there before the next.
async function release() {
  while (held.length && !isOver) {
    await new Promise((done) => setTimeout(done));
    const { element, work, look } = held[0];
    isReleasing = true;
    look?.cancel();
    try {
      touch(element);
      guard(work)();
    } catch (error) {
      // Whoever has to know was told.
      console.error(error);
    }
    isReleasing = false;
    held.shift();
  }
}

// What was done with these views cannot be: they say so, and offer to try again. Where not even the words come,
// all goes on waiting, and so does in any case what the page has said to other views. A pointer or a focus that
// goes past has done nothing.
async function giveUp(error) {
  console.warn(error);
  const isLost = ({ element, isWanted }) => isWanted && shown.has(element);
  if (held.some(isLost)) {
    const pause = () => new Promise((done) => setTimeout(done, AGAIN_MS));
    const hasWords = await Promise.race([more("trouble").then(() => true, pause), beforeParts()]);
    if (!hasWords) return waitForRest();
  }
  const elements = new Set(held.filter(isLost).map(({ element }) => element));
  held = held.filter(({ element, isWanted }) => isWanted == null && !elements.has(element));
  for (const element of elements) {
    // What follows a press, as its click does, finds only a picture of the view.
    const root = element.shadowRoot;
    const picture = [...root.children].map((each) => Object.assign(each.cloneNode(true), { inert: true }));
    root.replaceChildren(...picture);
    tell(element);
  }
  beforeParts().then(() => isAwaited || occupy(release()));
}

function touch(element) {
  touched = element;
  setTimeout(() => {
    touched = undefined;
  });
}

// What is done with a view, rather than looked at.
const HELD = [
  "blur", "change", "click", "focus", "focusin", "focusout", "input", "keydown", "mousedown", "pointerdown",
  "pointerenter", "submit",
];
// By these somebody wants something: what else is done with a view leads to them, or to nothing.
const WANTED = /^(change|click|input|submit)$/;
// Keys that views answer to. What others do, such as to press or to type, browsers do by themselves.
const KEYS = /^(Arrow|End|Home|Page)/;

// Notices when `element` is touched. What is done before all of the program is there is done when it is.
export function watch(element, root) {
  if (watched.has(root)) return;
  watched.add(root);
  for (const type of HELD) {
    root.addEventListener(type, (event) => {
      touch(element);
      const { target } = event;
      // What the page has put into the view is its own business.
      if (!mustWait() || !shown.has(element) || target.getRootNode() !== root) return;
      event.stopImmediatePropagation();
      const isChord = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
      const isKey = KEYS.test(event.key) && !isChord && !target.matches("input, select, textarea");
      if (type === "click" || type === "submit" || isKey) event.preventDefault();
      const again = new event.constructor(type, event);
      let look;
      if (type === "click") {
        // Who presses again and again is impatient.
        const isBefore = (each) => each.element === element && each.call === type;
        for (const each of held.filter(isBefore)) each.look.cancel();
        held = held.filter((each) => !isBefore(each));
        // Who waits for long sees that the press was noticed.
        look = target.animate({ opacity: 0.5 }, { delay: 150, duration: 150, fill: "forwards" });
      }
      const work = () => shown.has(element) && target.isConnected && target.dispatchEvent(again);
      hold({ element, work, call: type, isWanted: isKey || WANTED.test(type), look });
    }, true);
  }
}

// What is answered before it is done: of what steers, whether that can be a day, or an instant.
const ANSWERS = {
  go_to: (day) => /^\d{4}-\d\d-\d\d$/.test(day),
  select_slot: (start) => /T/.test(start) && !isNaN(Date.parse(start)),
};

// The handle of a view, for which what a page says waits until all of the program is there.
const patient = (element, mounted) => new Proxy(mounted, {
  get: (_, name) => (...values) => {
    // A view ends as soon as it can, whatever waits. It is known here until then: browsers end what nobody knows.
    if (name === "unmount" || name === "free") {
      const end = () => mounted[name]?.(...values);
      if (isWhole) return end();
      beforeParts().then(guard(end)).catch(console.error);
      return;
    }
    // As long as nothing was called too early, it does.
    if (name === "is_following" && !isWhole) return true;
    // Credentials that are late would go with nothing.
    if (!mustWait() || name === "set_token" && !held.length) return mounted[name]?.(...values);
    const work = () => mounted.__wbg_ptr && shown.has(element) && mounted[name](...values);
    hold({ element, work, call: [name, ...values] });
    return ANSWERS[name]?.(values[0]);
  },
});

// Mounts the view of `element`. The focus of what stood there until now, which nobody sees any more, goes
// on in the view: from there it is one key to the first thing in it.
export function show(element, root, given) {
  const attributes = {};
  for (const { name, value } of element.attributes) attributes[name] = value;
  const isFocused = element.matches(":focus-within");
  ({ more } = given);
  let mounted = {};
  try {
    if (isOver) throw new Error("another instance has taken over");
    mounted = mount(element, root, { ...given, attributes });
  } catch (error) {
    if (isWhole && !isOver) throw error;
    // Once it is known to be shown.
    queueMicrotask(beginAnew);
  }
  if (isFocused && root.firstChild) {
    root.firstChild.tabIndex = -1;
    root.firstChild.focus({ preventScroll: true });
  }
  return patient(element, mounted);
}

// Something was called that was not there yet. What is shown begins again, in an instance that waits for
// everything, and is led where the page wanted it. Gives what those callbacks have to that give pairs.
function beginAnew() {
  isOver = true;
  const led = held.filter(({ call }) => call[0] in ANSWERS);
  held = [];
  const elements = [...shown.keys()];
  elements.forEach((element) => element.adoptedCallback());
  tell();
  for (const element of elements.filter((element) => element.isConnected)) {
    element.connectedCallback();
    // Whatever it waited for has been.
    element.start().then(() => {
      for (const { call: [name, value] } of led.filter((each) => each.element === element)) {
        if (name === "go_to") element.goTo(value);
        else element.selectSlot(value);
      }
    });
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

// What a program exports, with a guard before whatever the browser calls by itself: also when nobody has an
// object any more.
const guarded = (exports) => Object.fromEntries(Object.entries(exports).map(
  ([name, value]) => [name, /^(callback|__wbindgen_destroy_closure$|__wbg_.*_free$)/.test(name) ? guard(value) : value],
));
