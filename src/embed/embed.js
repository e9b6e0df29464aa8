// Defines the booking elements and forwards what happens to them. Everything else comes later: the
// WebAssembly once an element is about to be seen, and scripts that few pages need once they are.

// Both are filled in when the files are made: what they are called and what browsers check them
// against, and the version that they belong to.
const FILES = {};
const VERSION = "0.0.0";

const ATTRIBUTES = [
  "after-booking", "base-url", "booking-page", "booking-uid", "button-position", "button-text",
  "confirm-disabled", "default-phone-country", "dialect", "draft", "dry-run", "duration", "event-detail",
  "event-slug", "event-type-id",
  "heading-level", "hide", "hour-cycle", "lang", "load",
  "lock-time-zone", "mode", "org-id", "org-slug", "page-size", "placement", "prevent-redirect", "redirect-origins",
  "redirect-url", "reserve", "seat-uid", "stale-after", "start-date", "step-mode", "team-id",
  "theme", "time-zone", "username", "utm", "view", "week-start",
];

// How those begin that hold by being there.
const FLAGS = /^(confirm|dry|lock|prevent)-/;

// How attributes begin that any element may have, or that frameworks leave behind.
const FOREIGN = /^(_|aria|class|data|dir|export|hidden|hx-|id$|in|is|js|ng-|no|on|part|role|slot|style|tab|title|trans|v-|x-)/;

// Plain data that attributes cannot hold. Credentials have a property of their own.
const PROPERTIES = ["messages", "metadata", "prefill", "query", "utm", "views"];

// How long a page's own content stays out of sight, and how long all that a start needs may take.
const SLOW_MS = 8000;
const PATIENCE_MS = 30000;

const artefacts = {};
const modules = {};
// Where the files are, and what makes theirs other addresses after a failure: they alone give a new
// download, and a new instance.
let place = import.meta.url;
let attempt = "";

// Where a page serves the files from, if not beside this one: for those whose bundler takes it along.
export function configure({ files }) {
  if (globalThis.document) place = new URL(files, document.baseURI).href;
}

// Names say what is in a file: each is kept for good and is never another.
function file(name) {
  const check = FILES[name];
  const path = check ? name.replace(".", `-${check.slice(0, 8).replace(/\W/g, "_")}.`) : name;
  return {
    url: new URL(path + attempt, place).href,
    integrity: check && `sha256-${check}`,
  };
}

// A script that not every page needs.
const more = (name) => modules[name] ??= importChecked(file(`${name}.js`)).catch((error) => {
  delete modules[name];
  throw error;
});

// Whether a page is seen where it is made.
const isLocal = (host = location.hostname) => /^((.+\.)?localhost|127(\.\d+){3}|\[::1])$/.test(host);

// Whether the page's policy and the browser keep WebAssembly from running. Found out before anything is
// downloaded; WebKit only refuses what is to run.
function isBlocked() {
  try {
    return !new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
  } catch {
    return true;
  }
}

// Imports a script that is what it should be. `import` takes no hash. A script that is preloaded is the
// very one that is imported, but WebKit (of Apple) preloads whatever comes: there, it is looked at again.
async function importChecked({ url, integrity }) {
  if (integrity) {
    const link = document.createElement("link");
    await new Promise((resolve, reject) => {
      Object.assign(link, {
        rel: "modulepreload", href: url, integrity, onload: resolve, onerror: () => reject(new Error(url)),
      });
      if (link.relList?.supports("modulepreload")) document.head.append(link);
      else resolve();
    }).finally(() => link.remove());
    if (/^A/.test(navigator.vendor)) await fetch(url, { integrity, cache: "force-cache" });
  }
  return import(url);
}

// One instance of each artefact serves all elements of the page: its script, its program once that is
// ready, and what it shows.
function artefact(name) {
  if (artefacts[name]) return artefacts[name];
  const { url, integrity } = file(`${name}_bg.wasm`);
  // On its way together with the script.
  const program = fetch(url, { integrity, credentials: "omit" });
  program.catch(() => {});
  const module = importChecked(file(`${name}.js`));
  const elements = new Map();
  const ready = module.then((module) => {
    module.attend(elements, (touched) => onTrap(name, instance, touched));
    return module.default({ module_or_path: program });
  });
  const instance = artefacts[name] = { module, elements, ready };
  ready.catch(() => retire(name, instance));
  return instance;
}

// The next element gets another instance.
function retire(name, instance) {
  if (artefacts[name] !== instance) return;
  attempt = `${attempt || "?"}1`;
  delete artefacts[name];
}

// A program that stops in the middle holds for good what it held. Nothing new begins in that instance,
// what was touched ends, and so does what does not follow any more; what else it shows goes on.
function onTrap(name, instance, touched) {
  retire(name, instance);
  instance.elements.forEach((end, element) => end(touched && element !== touched && 2));
}

// What the scripts that say what is wrong need of this one.
const TOOLS = { file, more, isLocal, FOREIGN };

// Links and buttons of the page that open a window.
const OPENERS = ["username", "team-id", "event-type-id", "booking-uid"]
  .map((name) => `:is(a,area,button,input)[data-booking-${name}]`).join();

// Heard by the whole page, so that those are heard that come late. What is pressed to go elsewhere does.
function onOpener(event) {
  const opener = event.composedPath().find((node) => node.matches?.(OPENERS));
  if (!opener || event.defaultPrevented || isBlocked()) return;
  const isPress = event.type === "click";
  if (isPress) {
    if (event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
  }
  more("placement").then(
    ({ press, intend }) => (isPress ? press : intend)(opener),
    () => isPress && opener.href && location.assign(opener.href),
  );
}

// When an element starts, by its attribute `load`.
const STARTS = {
  // Not before the page's script can say where the files are.
  eager: queueMicrotask,
  idle: globalThis.requestIdleCallback ?? setTimeout,
  // As soon as it is less than a screen away.
  visible: (start, element, signal) => {
    // An observer tells a frame later, and what is seen at once is what is waited for.
    if (element.clientHeight && element.getBoundingClientRect().top < innerHeight) queueMicrotask(start);
    const observer = new IntersectionObserver(
      (seen) => seen.at(-1).isIntersecting && start(),
      { rootMargin: "100%" },
    );
    observer.observe(element);
    signal.onabort = () => observer.disconnect();
  },
  interaction: (start, element, signal) => {
    for (const type of ["pointerenter", "focusin"]) {
      element.addEventListener(type, start, { signal });
    }
  },
  manual: () => {},
};

// What stands there until the view does: boxes where it will have its own, as high as it will be. What a
// page gives to everything may not make them larger.
const SURFACE = "var(--booking-surface,light-dark(#fff,#17191d))";
const SKELETON = `:host{all:initial;display:block;color-scheme:THEME;container-type:inline-size;\
font-size:var(--booking-font-size,16px)!important}\
:host([hidden]){display:none}\
div{display:grid;gap:2em;box-sizing:border-box;height:76em;padding:1.25em;background:${SURFACE};\
border:1px solid #8884;border-radius:var(--booking-radius-card,.75em)}\
i{background:linear-gradient(color-mix(in oklab,var(--booking-accent,light-dark(#0b57d0,#a8c7fa)) 10%,${SURFACE}) 85%,#0000 0) \
0 0/100% 3.25em}\
@container(width>=22em){div{height:66em}}\
@container(width>=36em){div{height:44.5em}}\
@container(width>=54em){div{height:30em;grid-template-columns:15.75em 1fr 12em}}`;

// Importing this file where there is no document, as on a server, does nothing.
const Base = globalThis.HTMLElement ?? class {};

class BookingElement extends Base {
  static observedAttributes = ATTRIBUTES;
  static version = VERSION;

  #root = null;
  #instance = null;
  #mounted = null;
  #session = null;
  #properties = {};
  // Ends with what has begun.
  #connection = new AbortController();
  #started = null;
  #token = null;
  #speech = null;
  #isDestroyed = false;

  // Fetches what elements of this kind need, and shows nothing.
  static async preload() {
    if (isBlocked()) throw new Error("wasm-blocked");
    await artefact(this.artefact).ready;
  }

  // Finds out what keeps the elements from working on this page.
  static doctor(element) {
    return more("doctor").then(({ examine }) => examine(this, element, TOOLS));
  }

  doctor() {
    return this.constructor.doctor(this);
  }

  // Opens and closes the window of an element with a placement.
  open() {
    more("placement").then(({ open }) => open(this)).catch(console.error);
  }

  close() {
    more("placement").then(({ close }) => close(this)).catch(console.error);
  }

  get #isPlaced() {
    return this.constructor.artefact === "picker" && ["popup", "floating"].includes(this.placement);
  }

  // Whether the page has given something to show instead.
  get #isFilled() {
    return [...this.childNodes].some((node) => !node.slot && (node.tagName || node.wholeText?.trim()));
  }

  preload() {
    return this.constructor.preload();
  }

  // Credentials, as values: never from attributes, addresses or storage.
  get session() {
    return this.#session;
  }

  set session(session) {
    this.#session = session ?? null;
    this.#token = null;
    this.#tell("set_session", this.#session);
  }

  // Another token for the same session, which goes on where it had to stop. The session stays the object
  // that it is: by that others share it.
  setToken(token) {
    if (!this.#session) this.session = { token };
    else if (this.#mounted) this.#tell("set_token", token);
    else this.#token = [token];
  }

  property(name) {
    return this.#properties[name] ?? null;
  }

  setProperty(name, value) {
    this.#properties[name] = value ?? null;
    this.#tell("set_property", name, this.#properties[name]);
    if (name === "messages" && this.#mounted) this.#advise();
  }

  connectedCallback() {
    // A property set before this class was known hides its setter.
    for (const name of Object.keys(this)) {
      if (name in BookingElement.prototype) {
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
    }
    // Where there is nothing to be seen, nothing is shown.
    if (this.#isDestroyed || this.ownerDocument !== document) return;
    if (this.#mounted) this.#speech.follow();
    else this.#prepare();
  }

  // A move that the browser knows as one changes nothing but the surroundings.
  connectedMoveCallback() {
    if (this.#mounted) this.#speech.follow();
  }

  // A style sheet belongs to its document: in another one the view is made anew.
  adoptedCallback() {
    this.#end();
  }

  disconnectedCallback() {
    // A move is a disconnect and a connect at once: only those who stay away are ended.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#end();
    });
  }

  attributeChangedCallback(name, _before, value) {
    if (name === "placement" && this.#mounted) this.#prepare();
    else this.#tell("changed", name, value ?? undefined);
  }

  // Starts an element that waits for something else.
  start() {
    return this.#start(this.#connection.signal);
  }

  // Asks for the free times again.
  refresh() {
    this.#tell("refresh");
  }

  // Shows a day, written "2027-03-04" or as a Date.
  goTo(day) {
    const text = day?.toISOString?.().slice(0, 10) ?? String(day);
    return this.#tell("go_to", text) ?? false;
  }

  // Chooses a time that is shown, by its start: an ISO 8601 text or a Date.
  selectSlot(start) {
    const text = start?.toISOString?.() ?? String(start);
    return this.#tell("select_slot", text) ?? false;
  }

  // Forgets what was chosen and typed.
  reset() {
    this.#tell("reset");
  }

  // Ends the view for good. What is removed from the page ends by itself.
  destroy() {
    this.#isDestroyed = true;
    // Loses its focus while it is known.
    this.#root?.replaceChildren();
    this.#end();
    this.#connection.abort();
  }

  // The program has died under this view: says so, and offers to begin anew in another instance. If another
  // view was the cause, this one is asked now and a moment later whether it still follows.
  #crash(signal, questions) {
    if (signal.aborted) return;
    if (questions && this.#tell("is_following")) {
      if (questions > 1) setTimeout(() => this.#crash(signal, 1), 100);
      return;
    }
    this.#end();
    this.#report("crashed");
    this.#apologize();
  }

  #tell(method, ...values) {
    try {
      return this.#mounted?.[method](...values);
    } catch (error) {
      // The page has done nothing wrong.
      onTrap(this.constructor.artefact, this.#instance, this);
      console.error(error);
    }
  }

  #end() {
    this.#connection.abort();
    this.#connection = new AbortController();
    this.#speech?.end();
    const mounted = this.#mounted;
    this.#mounted = null;
    this.#instance?.elements.delete(this);
    // What has trapped may not end in order.
    const quietly = (work) => {
      try {
        work();
      } catch {}
    };
    quietly(() => {
      mounted?.unmount();
      // A listener that ends its element may have been called by a method of it, which has to return first.
      queueMicrotask(() => quietly(() => mounted?.free()));
    });
  }

  #report(code) {
    this.dispatchEvent(new CustomEvent("booking-error", { bubbles: true, composed: true, detail: { code } }));
  }

  // Says in place of the view that it is not there, and offers to try again.
  #apologize() {
    const { signal } = this.#connection;
    more("trouble").then(({ apologize }) => {
      if (!signal.aborted) apologize(this, this.#root, () => this.#prepare("eager"));
    }).catch(console.error);
  }

  // What is written a little wrong would be ignored in silence.
  #advise() {
    const isOdd = (name) => !ATTRIBUTES.includes(name) && !FOREIGN.test(name);
    // Everything is looked at where pages are made.
    if (isLocal() || this.#properties.messages || this.#session || this.getAttributeNames().some(isOdd)) {
      more("advice").then(({ advise }) => advise(this, TOOLS, this.#speech), () => {});
    }
  }

  // Shows that something is coming, and waits for what `load` says.
  #prepare(load = this.getAttribute("load")) {
    this.#end();
    const { signal } = this.#connection;
    this.#root ??= this.attachShadow({ mode: "open" });
    if (this.#isPlaced) load = "eager";
    // Where there is nothing that a keyboard could touch, being seen is enough.
    if (load === "interaction" && !this.querySelector("a,button,input,[tabindex]")) load = "visible";
    const waits = ["interaction", "manual"].includes(load);
    this.#show(isBlocked() || this.#isPlaced || waits && this.#isFilled);
    (STARTS[load] ?? STARTS.visible)(() => this.#start(signal), this, signal);
  }

  // The element's own content, or the boxes of the view that is coming.
  #show(isOwn) {
    const sheet = new CSSStyleSheet();
    const theme = ["light", "dark", "inherit"].find((each) => each === this.theme) ?? "light dark";
    sheet.replaceSync(SKELETON.replace("THEME", theme));
    this.#root.adoptedStyleSheets = isOwn ? [] : [sheet];
    const shown = isOwn ? document.createElement("slot") : document.createElement("div");
    if (!isOwn) {
      shown.part = "skeleton";
      for (let box = 3; box; box--) shown.append(document.createElement("i"));
    }
    this.#root.replaceChildren(shown);
  }

  async #start(signal) {
    if (signal.aborted || this.#started === signal || !this.isConnected) return;
    this.#started = signal;
    const { artefact: name } = this.constructor;
    let instance, slow, late;
    try {
      if (isBlocked()) throw "wasm-blocked";
      const end = new Promise((_, reject) => {
        slow = setTimeout(() => this.#isFilled && this.#show(true), SLOW_MS);
        late = setTimeout(reject, PATIENCE_MS, "load-timeout");
        // Nothing waits for it to be seen any more.
        signal.onabort?.();
        signal.onabort = reject;
      });
      const inTime = (work) => Promise.race([work, end]);
      // A window needs no program until it opens.
      instance = this.#isPlaced ? { module: more("placement"), elements: new Map() } : artefact(name);
      const module = await inTime(instance.module);
      module.watch?.(this, this.#root);
      // What fails is asked for again when it is needed.
      if (this.#session) more("session").catch(() => {});
      // On their way together with the program: sentences, and what the view is going to ask first.
      const speech = this.#speech = new module.Speech(this, name);
      const early = module.askEarly?.(this, signal);
      await inTime(instance.ready);
      const first = await inTime(speech.first());
      if (!this.isConnected) return;
      this.#instance = instance;
      this.#mounted = module.show(this, this.#root, {
        properties: this.#properties,
        session: this.#session,
        more,
        speech: first,
        early,
      });
      instance.elements.set(this, (questions) => this.#crash(signal, questions));
      if (this.#token) this.#tell("set_token", ...this.#token);
      this.#token = null;
      // Late sentences, and a language that changed meanwhile.
      speech.follow((speech) => this.#tell("set_speech", speech));
      this.#advise();
    } catch (error) {
      if (signal.aborted) return;
      // What did not come or did not work is asked for by another address the next time, and may have taken
      // others along.
      retire(name, instance);
      instance?.elements.forEach((end) => end(2));
      console.error(`<${this.localName}> cannot start`, error);
      this.#show(true);
      this.#report(typeof error === "string" ? error : "load-failed");
      if (!this.#isFilled) this.#apologize();
    } finally {
      clearTimeout(slow);
      clearTimeout(late);
    }
  }
}

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

function define(name, get, set) {
  Object.defineProperty(BookingElement.prototype, name, { configurable: true, enumerable: true, get, set });
}

for (const name of ATTRIBUTES) {
  // A property of all elements.
  if (name === "lang") continue;
  const isFlag = FLAGS.test(name);
  define(camel(name), function () {
    return isFlag ? this.hasAttribute(name) : this.getAttribute(name);
  }, function (value) {
    if (value === false || value == null) this.removeAttribute(name);
    else this.setAttribute(name, value === true ? "" : value);
  });
}

for (const name of PROPERTIES) {
  define(name, function () {
    return this.property(name);
  }, function (value) {
    this.setProperty(name, value);
  });
}

if (globalThis.customElements) {
  for (const name of ["booking-picker", "booking-list", "booking-roles"]) {
    const artefact = name === "booking-picker" ? "picker" : "staff";
    if (!customElements.get(name)) {
      customElements.define(name, class extends BookingElement { static artefact = artefact; });
    }
  }
  for (const type of ["click", "pointerover", "focusin"]) document.addEventListener(type, onOpener);
}
