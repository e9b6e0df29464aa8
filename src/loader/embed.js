// Loader: defines the custom elements. Loads the WebAssembly when an element is about to become visible,
// and optional scripts on demand.

import { localeOf } from "./page-locale.js";
import { prefetch } from "./prefetch.js";
import { Skeleton } from "./skeleton.js";

// Filled in by the build: integrity hashes by file, which also determine the file names, and the version.
/** @type {Record<string, string>} */
const FILES = {};
const VERSION = "0.0.0";

const ATTRIBUTES = [
  "after-booking", "base-url", "booking-page", "booking-uid", "button-position", "button-text",
  "confirm-disabled", "default-phone-country", "dialect", "draft", "dry-run", "duration", "event-detail",
  "event-slug", "event-type-id",
  "heading-level", "height", "hide", "history", "hour-cycle", "lang", "load",
  "lock-time-zone", "mode", "org-id", "org-slug", "page-size", "placement", "prevent-redirect", "redirect-origins",
  "redirect-url", "remember", "reserve", "seat-uid", "stale-after", "start-date", "step-mode", "team-id",
  "theme", "time-zone", "username", "utm", "view", "week-start",
];

// Prefixes of boolean attributes.
const FLAG_PREFIXES = /^(confirm|dry|lock|prevent)-/;

// Global attributes and those that frameworks add, which the warnings ignore.
const FOREIGN = /^(_|aria|class|data|dir|export|hidden|hx-|id$|in|is|js|ng-|no|on|part|role|slot|style|tab|title|trans|v-|x-)/;

// Attributes on which slots and month do not depend.
const PRESENTATION = /^(after|button|confirm|default|draft|dry|event-detail|heading|height|hide|load|page|placement|prevent|redirect|remember|reserve|stale|step|theme|utm)/;

// Structured data that attributes cannot hold. Credentials are in `session`.
const PROPERTIES = ["messages", "metadata", "prefill", "query", "utm", "views"];

// Delay before the fallback content replaces the skeleton, and timeout of a start.
const FALLBACK_DELAY_MS = 8000;
const START_TIMEOUT_MS = 30000;

/** @type {Partial<Record<BundleName, Bundle>>} */
const bundles = {};
/** @type {Partial<Record<ScriptName, Promise<any>>>} */
const modules = {};
// Base URL of the files, and a query added after a failure: only a new URL gives a new download and a new
// module instance.
let filesUrl = import.meta.url;
let retryQuery = "";

/** Sets the base URL of the files, for pages whose bundler moves this script away from them.
 * @param {{files: string}} options */
export function configure({ files }) {
  if (globalThis.document) filesUrl = new URL(files, document.baseURI).href;
}

/** Returns the URL of a file. File names contain a hash of the content, so that they can be cached forever.
 * @param {string} name */
function file(name) {
  const hash = FILES[name];
  const path = hash ? name.replace(".", `-${hash.slice(0, 8).replace(/\W/g, "_")}.`) : name;
  return {
    url: new URL(path + retryQuery, filesUrl).href,
    integrity: hash && `sha256-${hash}=`,
  };
}

/** Imports an optional script once.
 * @param {ScriptName} name @returns {Promise<any>} */
const importScript = (name) => modules[name] ??= importChecked(file(`${name}.js`)).catch((error) => {
  delete modules[name];
  throw error;
});

// Returns true on a developer's own machine.
const isLocal = (host = location.hostname) => /^((.+\.)?localhost|127(\.\d+){3}|\[::1])$/.test(host);

// Returns true if the page's policy or the browser forbids WebAssembly, before anything is downloaded.
// WebKit allows compiling under such a policy and blocks only instantiation.
function isBlocked() {
  try {
    return !new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)));
  } catch {
    return true;
  }
}

// The diagnostics are among the files, so that the loader itself says this.
const FILES_HINT = "Copy all files of this version, unchanged, next to the loader, or set their URL with configure({ files }).";

/** Imports a script with an integrity check, which `import()` does not support but `modulepreload` does.
 * Apple's WebKit ignores `integrity` there, so that a second, cached fetch checks it.
 * @param {ReturnType<typeof file>} file @returns {Promise<any>} */
async function importChecked({ url, integrity }) {
  if (integrity) {
    const link = document.createElement("link");
    await new Promise((/** @type {(value?: unknown) => void} */ resolve, reject) => {
      Object.assign(link, {
        rel: "modulepreload", href: url, integrity, onload: resolve, onerror: () => reject(new Error(`${url} cannot be loaded.`)),
      });
      if (link.relList?.supports("modulepreload")) document.head.append(link);
      else resolve();
    }).finally(() => link.remove());
    if (/^A/.test(navigator.vendor)) await fetch(url, { integrity, cache: "force-cache" });
  }
  return import(url);
}

/** Returns the bundle: its script, a promise of the running WebAssembly, and the mounted elements. All
 * elements of the page that need it share one instance.
 * @param {BundleName} name @returns {Bundle} */
function loadBundle(name) {
  if (bundles[name]) return bundles[name];
  const { url, integrity } = file(`${name}_bg.wasm`);
  // Downloads in parallel with the script, unless the page has begun to. Mode and credentials are those of
  // `<link rel="preload">`, which Chromium and Firefox use; WebKit would download the file twice.
  const wasmResponse = globalThis.bookingDownloads?.[url] ?? fetch(url, { integrity });
  delete globalThis.bookingDownloads?.[url];
  wasmResponse.catch(() => {});
  const module = importChecked(file(`${name}.js`));
  /** @type {ElementMap} */
  const elements = new Map();
  const ready = module.then((module) => {
    module.watchTraps(elements, (/** @type {HTMLElement=} */ touched) => onTrap(name, bundle, touched));
    // A page may have replaced `fetch` by one whose responses the browser does not compile.
    return module.default({ module_or_path: wasmResponse }).catch(async (/** @type {unknown} */ error) => {
      const bytes = (await wasmResponse).arrayBuffer();
      return module.default({ module_or_path: await bytes.catch(() => Promise.reject(error)) });
    });
  });
  /** @type {Bundle} */
  const bundle = bundles[name] = { module, elements, ready };
  ready.catch(() => discardBundle(name, bundle));
  return bundle;
}

/** Lets the next element load a new instance.
 * @param {BundleName} name @param {Bundle=} bundle */
function discardBundle(name, bundle) {
  if (bundles[name] !== bundle) return;
  retryQuery = `${retryQuery || "?"}1`;
  delete bundles[name];
}

/** After a trap, a WebAssembly instance cannot be reused: its locks are never released. The element that
 * had input is torn down at once, the others only if they no longer respond.
 * @param {BundleName} name @param {Bundle} bundle @param {HTMLElement=} touched */
function onTrap(name, bundle, touched) {
  discardBundle(name, bundle);
  bundle.elements.forEach((crash, element) => crash(touched && element !== touched && 2));
}

/** For diagnostics.js and hints.js.
 * @type {LoaderTools} */
const TOOLS = { file, importScript, isLocal, localeOf, FOREIGN };

// The page's own links and buttons that open a popup.
const OPENER_SELECTOR = ["username", "team-id", "event-type-id", "booking-uid"]
  .map((name) => `:is(a,area,button,input)[data-booking-${name}]`).join();

/** Delegated, to cover openers that are added later. Clicks with a modifier keep their default action.
 * @param {MouseEvent} event */
function onOpener(event) {
  const opener = /** @type {any[]} */ (event.composedPath()).find((node) => node.matches?.(OPENER_SELECTOR));
  if (!opener || event.defaultPrevented || isBlocked()) return;
  const isPress = event.type === "click";
  if (isPress) {
    if (event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
  }
  importScript("popup").then(
    (popup) => popup[isPress ? "openFor" : "preloadFor"](opener),
    () => isPress && opener.href && location.assign(opener.href),
  );
}

/** Start condition by value of the `load` attribute.
 * @type {Record<string, (start: () => void, element: HTMLElement, signal: AbortSignal) => unknown>} */
const START_TRIGGERS = {
  // A microtask later, so that the page's script can call `configure()` first.
  eager: queueMicrotask,
  idle: /** @type {(start: () => void) => void} */ (globalThis.requestIdleCallback ?? setTimeout),
  // Less than a viewport away.
  visible: (start, element, signal) => queueMicrotask(() => {
    if (signal.aborted) return;
    // The observer fires a frame later, too late for an element that is visible at once.
    if (element.checkVisibility?.() !== false && element.getBoundingClientRect().top < innerHeight) return start();
    const observer = new IntersectionObserver(
      (entries) => /** @type {IntersectionObserverEntry} */ (entries.at(-1)).isIntersecting && start(),
      { rootMargin: "100%" },
    );
    observer.observe(element);
    signal.onabort = () => observer.disconnect();
  }),
  interaction: (start, element, signal) => {
    for (const type of ["pointerenter", "focusin"]) {
      element.addEventListener(type, start, { signal });
    }
  },
  manual: () => {},
};

/** While the page is loading, continues in a task of its own, so that no task is long. Later, in the same frame.
 * @returns {Promise<unknown> | undefined} */
const ownTask = () => document.readyState === "complete" ? undefined : new Promise((resolve) => setTimeout(resolve));

// Server-side rendering: without a DOM, importing this file has no effect.
const Base = /** @type {new () => ElementBase} */ (globalThis.HTMLElement ?? class {});

class BookingElement extends Base {
  static observedAttributes = ATTRIBUTES;
  static version = VERSION;

  /** @type {any} Shadow root; absent until the element is connected. */
  #root;
  /** @type {Bundle | undefined} */
  #bundle;
  /** @type {Mounted | undefined} */
  #mounted;
  /** @type {SessionSettings | null} */
  #session = null;
  /** @type {Record<string, any>} */
  #properties = {};
  // Aborted on teardown.
  #controller = new AbortController();
  /** @type {AbortSignal | undefined} */
  #startedSignal;
  /** @type {[token: unknown] | undefined} */
  #pendingToken;
  /** @type {LocaleTrackerLike | undefined} */
  #localeTracker;
  /** @type {Skeleton | undefined} */
  #skeleton;
  // True if the settings are not those of the requests any more.
  #hasChanged = false;
  /** @type {boolean | undefined} */
  #isDestroyed;

  /** Loads the bundle without rendering.
   * @this {BookingElementClass} */
  static async preload() {
    if (isBlocked()) throw new Error("wasm-blocked");
    await loadBundle(this.bundle).ready;
  }

  /** Runs the diagnostics.
   * @this {BookingElementClass} @param {HTMLElement=} element @returns {Promise<Diagnosis>} */
  static doctor(element) {
    return importScript("diagnostics").then((script) => script.diagnose(this, element, TOOLS), ({ message }) => ({
      ok: false, version: VERSION, findings: [{ code: "files-missing", level: "error", message, fix: FILES_HINT }],
    }));
  }

  doctor() {
    return this.constructor.doctor(this);
  }

  // For elements with a `placement`.
  open() {
    importScript("popup").then(({ open }) => open(this)).catch(console.error);
  }

  close() {
    importScript("popup").then(({ close }) => close(this)).catch(console.error);
  }

  get #isPopup() {
    return this.constructor.bundle === "picker" && ["popup", "floating"].includes(/** @type {string} */ (this.placement));
  }

  // True if the element has children to show instead of the view.
  get #hasFallback() {
    return [.../** @type {NodeListOf<any>} */ (this.childNodes)].some((node) => !node.slot && (node.tagName || node.wholeText?.trim()));
  }

  preload() {
    return this.constructor.preload();
  }

  /** Credentials: never read from attributes, URLs or storage.
   * @returns {SessionSettings | null} */
  get session() {
    return this.#session;
  }

  /** @param {SessionSettings | null | undefined} session */
  set session(session) {
    this.#session = session ?? null;
    this.#pendingToken = undefined;
    this.#discardSlots();
    this.#call("set_session", this.#session);
  }

  /** Replaces the token and resumes a paused session. The session object stays the same, because elements
   * share credentials by its identity.
   * @param {any} token */
  setToken(token) {
    if (!this.#session) this.session = { token };
    else if (this.#mounted) this.#call("set_token", token);
    else this.#pendingToken = [token];
  }

  /** @param {string} name */
  property(name) {
    return this.#properties[name] ?? null;
  }

  /** @param {string} name @param {unknown} value */
  setProperty(name, value) {
    this.#call("set_property", name, this.#properties[name] = value ?? null);
    if (this.#mounted) this.#logHints();
  }

  connectedCallback() {
    // A property set before the element was defined shadows its setter. In pages with old versions of Prototype, `Object.keys`
    // lists inherited names too.
    for (const name of Object.keys(this)) {
      if (name in BookingElement.prototype && this.propertyIsEnumerable(name)) {
        const { [name]: value } = /** @type {any} */ (this);
        delete (/** @type {any} */ (this))[name];
        (/** @type {any} */ (this))[name] = value;
      }
    }
    // Only in the loader's own document, not in one of `DOMParser` or of another window.
    if (this.#isDestroyed || this.ownerDocument !== document) return;
    if (this.#mounted) this.#localeTracker?.observe();
    else this.#prepare();
  }

  // `moveBefore()` keeps the state; only the inherited language can change.
  connectedMoveCallback() {
    if (this.#mounted) this.#localeTracker?.observe();
  }

  // Constructed style sheets are bound to their document, so that the view is rendered again.
  adoptedCallback() {
    this.#teardown();
  }

  disconnectedCallback() {
    // A move in the document disconnects and reconnects at once: it must not end the view.
    queueMicrotask(() => this.isConnected || this.#teardown());
  }

  /** @param {string} name @param {string | null} oldValue @param {string | null} value */
  attributeChangedCallback(name, oldValue, value) {
    if (value !== oldValue && !PRESENTATION.test(name)) this.#discardSlots();
    if (name === "placement" && this.#mounted) this.#prepare();
    else this.#call("changed", name, value ?? undefined);
    if (this.#mounted) this.#logHints();
  }

  // Starts now, regardless of `load`.
  start() {
    return this.#start(this.#controller.signal);
  }

  // Reloads the data.
  refresh() {
    this.#call("refresh");
  }

  /** Takes an ISO date ("2027-03-04") or a Date.
   * @param {any} day @returns {boolean} */
  goTo(day) {
    return this.#call("go_to", day?.toJSON?.()?.slice(0, 10) ?? String(day)) ?? false;
  }

  /** Selects a visible slot by its start, an ISO 8601 string or a Date.
   * @param {any} start @returns {boolean} */
  selectSlot(start) {
    return this.#call("select_slot", start?.toJSON?.() ?? String(start)) ?? false;
  }

  // Clears the selection and the form.
  reset() {
    this.#call("reset");
  }

  // Permanent, in contrast to removal from the page.
  destroy() {
    this.#isDestroyed = true;
    // Fires the blur events while the view can still handle them.
    this.#root?.replaceChildren();
    this.#teardown();
    this.#controller.abort();
  }

  /** Replaces the view by the error panel after a trap; its retry loads a new instance. A view that did not
   * cause the trap is kept if it responds now and once more after 100 ms.
   * @param {AbortSignal} signal @param {number | false=} checksLeft */
  #crash(signal, checksLeft) {
    if (signal.aborted) return;
    if (checksLeft && this.#call("is_responsive")) {
      if (checksLeft > 1) setTimeout(() => this.#crash(signal, 1), 100);
      return;
    }
    this.#teardown();
    this.#dispatchError("crashed");
    this.#showErrorPanel();
  }

  /** @param {keyof Mounted} method @param {unknown[]} values @returns {any} */
  #call(method, ...values) {
    try {
      return /** @type {any} */ (this.#mounted)?.[method](...values);
    } catch (error) {
      // The page's own code did not cause it and gets no exception.
      onTrap(this.constructor.bundle, /** @type {Bundle} */ (this.#bundle), this);
      console.error(error);
    }
  }

  #teardown() {
    this.#controller.abort();
    this.#controller = new AbortController();
    this.#localeTracker?.disconnect();
    const mounted = this.#mounted;
    this.#mounted = undefined;
    this.#bundle?.elements.delete(this);
    // After a trap, cleanup can throw too.
    try {
      mounted?.unmount();
      // Deferred: an event listener may run inside a method of `mounted`, which has to return first.
      queueMicrotask(() => {
        try {
          mounted?.free();
        } catch {}
      });
    } catch {}
  }

  // After a change of settings: slots that were requested before it are not shown, and before the start the month is new.
  #discardSlots() {
    this.#hasChanged = true;
    if (this.#startedSignal === this.#controller.signal) this.#skeleton?.hideSlots();
    else if (this.#skeleton) this.#showPlaceholder(false);
  }

  /** @param {string} code */
  #dispatchError(code) {
    this.dispatchEvent(new CustomEvent("booking-error", { bubbles: true, composed: true, detail: { code } }));
  }

  #showErrorPanel() {
    const { signal } = this.#controller;
    importScript("error-panel").then((script) => {
      if (!signal.aborted) script.showError(this, this.#root, () => this.#prepare("eager"));
    }).catch(console.error);
  }

  // Warns about misspelt attributes and the like, which would otherwise be ignored.
  #logHints() {
    const isUnknown = (/** @type {string} */ name) => !ATTRIBUTES.includes(name) && !FOREIGN.test(name);
    // On a developer's machine everything is checked.
    if (isLocal() || this.#properties.messages || this.#session || this.getAttributeNames().some(isUnknown) || this.#call("has_mistakes")) {
      importScript("hints").then((script) => script.logHints(this, TOOLS, this.#localeTracker)).catch(() => {});
    }
  }

  // Renders the placeholder and waits for the condition of `load`.
  /** @param {string | null} load */
  #prepare(load = this.getAttribute("load")) {
    this.#teardown();
    const { signal } = this.#controller;
    this.#root ??= this.attachShadow({ mode: "open" });
    if (this.#isPopup) load = "eager";
    // Without focusable content, keyboard users could never start it.
    if (load === "interaction" && !this.querySelector("a,button,input,[tabindex]")) load = "visible";
    const waitsForUser = ["interaction", "manual"].includes(/** @type {string} */ (load));
    (START_TRIGGERS[/** @type {string} */ (load)] ?? START_TRIGGERS.visible)(() => this.#start(signal), this, signal);
    // After the requests: rendering it takes longer than everything before.
    queueMicrotask(() => {
      if (!signal.aborted) this.#showPlaceholder(isBlocked() || this.#isPopup || waitsForUser && this.#hasFallback);
    });
  }

  /** Renders the element's own content or the skeleton.
   * @param {boolean} showsContent */
  #showPlaceholder(showsContent) {
    this.#skeleton = undefined;
    if (showsContent) {
      this.#root.adoptedStyleSheets = [];
      this.#root.replaceChildren(document.createElement("slot"));
      return;
    }
    const skeleton = this.#skeleton = new Skeleton(this, this.#root, this.theme, this.constructor.bundle === "picker");
    Promise.resolve(ownTask()).then(() => skeleton.showMonth());
  }

  /** @param {AbortSignal} signal */
  async #start(signal) {
    if (signal.aborted || this.#startedSignal === signal || !this.isConnected) return;
    this.#startedSignal = signal;
    const { bundle: name } = this.constructor;
    /** @type {Bundle | undefined} */
    let bundle;
    /** @type {number[]} */
    let timers = [];
    try {
      if (isBlocked()) throw "wasm-blocked";
      const ended = new Promise((_, reject) => {
        timers = [
          setTimeout(() => this.#hasFallback && !this.#skeleton?.hasSlots && this.#showPlaceholder(true), FALLBACK_DELAY_MS),
          setTimeout(reject, START_TIMEOUT_MS, "load-timeout"),
        ];
        // Disconnects the observer of `START_TRIGGERS.visible`.
        /** @type {any} */ (signal).onabort?.();
        signal.onabort = reject;
      });
      const unlessEnded = (/** @type {any} */ promise) => Promise.race([promise, ended]);
      // A popup needs no WebAssembly until it opens.
      bundle = this.#isPopup ? { module: importScript("popup"), elements: new Map() } : loadBundle(name);
      // After the files: loading the data of `Intl` blocks their requests.
      await unlessEnded(ownTask());
      this.#hasChanged = false;
      const requests = name === "picker" && !this.#isPopup ? prefetch(this, signal) : undefined;
      requests?.firstSlots.then((slots) => {
        if (slots && !signal.aborted && !this.#hasChanged) this.#skeleton?.showSlots(slots);
      }).catch(console.warn);
      const module = await unlessEnded(bundle.module);
      module.trackInput?.(this, this.#root);
      // A failed download is retried on use.
      if (this.#session) importScript("session").catch(() => {});
      // Translations, in parallel with the WebAssembly.
      const localeTracker = this.#localeTracker = new module.LocaleTracker(this, name, localeOf);
      await unlessEnded(bundle.ready);
      // The start of the WebAssembly and the first rendering are tasks of their own.
      await new Promise((resolve) => setTimeout(resolve));
      const locale = await unlessEnded(localeTracker.initial());
      if (!this.isConnected) return;
      this.#bundle = bundle;
      // The form's code, which visitors need next: its download begins before the first rendering, not after it.
      if (this.#skeleton?.hasSlots) module.prefetchChunk?.("form");
      this.#mounted = module.show(this, this.#root, {
        properties: this.#properties,
        session: this.#session,
        importScript,
        locale,
        prefetched: requests?.take,
      }, signal, (/** @type {boolean} */ isReplaced) => {
        const skeleton = this.#skeleton;
        if (isReplaced) this.#skeleton = undefined;
        return skeleton;
      });
      bundle.elements.set(this, (checksLeft) => this.#crash(signal, checksLeft));
      if (this.#pendingToken) this.#call("set_token", ...this.#pendingToken);
      this.#pendingToken = undefined;
      // Late translations and language changes.
      localeTracker.observe((/** @type {ElementLocale} */ locale) => this.#call("set_locale", locale));
      this.#logHints();
    } catch (error) {
      if (signal.aborted) return;
      // The retry uses new URLs. Other elements of the instance may have failed too.
      discardBundle(name, bundle);
      bundle?.elements.forEach((crash) => crash(2));
      console.error(`<${this.localName}> cannot start`, error, isLocal() ? FILES_HINT : "");
      this.#showPlaceholder(true);
      this.#dispatchError(typeof error === "string" ? error : "load-failed");
      if (!this.#hasFallback) this.#showErrorPanel();
    } finally {
      timers.forEach(clearTimeout);
    }
  }
}

/** @param {string} name @param {(this: any) => unknown} get @param {(this: any, value: any) => void} set */
function defineProperty(name, get, set) {
  // A page may have extended `Object.prototype`, from which other descriptors inherit.
  const descriptor = /** @type {any} */ ({ __proto__: null, configurable: true, enumerable: true, get, set });
  Object.defineProperty(BookingElement.prototype, name, descriptor);
}

for (const name of ATTRIBUTES) {
  // Built into HTMLElement.
  if (name === "lang") continue;
  const isFlag = FLAG_PREFIXES.test(name);
  const property = name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  defineProperty(property, function () {
    return isFlag ? this.hasAttribute(name) : this.getAttribute(name);
  }, function (value) {
    if (value === false || value == null) this.removeAttribute(name);
    else this.setAttribute(name, value === true ? "" : value);
  });
}

for (const name of PROPERTIES) {
  defineProperty(name, function () {
    return this.property(name);
  }, function (value) {
    this.setProperty(name, value);
  });
}

if (globalThis.customElements) {
  for (const name of ["booking-picker", "booking-list", "booking-roles"]) {
    const bundle = name === "booking-picker" ? "picker" : "staff";
    const known = /** @type {any} */ (customElements.get(name));
    if (!known) customElements.define(name, class extends BookingElement { static bundle = bundle; });
    else if (!known.bundle) console.warn(`<${name}> is already defined by another script of this page.`);
  }
  // Of another library's element, it would open nothing.
  if (/** @type {any} */ (customElements.get("booking-picker")).bundle) {
    for (const type of ["click", "pointerover", "focusin"]) document.addEventListener(type, /** @type {any} */ (onOpener));
  }
}
