// Defines the booking elements and forwards what happens to them. Everything else is WebAssembly,
// fetched when the first element of its kind is connected.

const ATTRIBUTES = [
  "after-booking", "base-url", "booking-uid", "confirm-disabled", "default-phone-country", "dialect",
  "dry-run", "duration", "event-slug", "event-type-id", "hide", "hour-cycle", "lang",
  "lock-time-zone", "mode", "org-id", "page-size", "prevent-redirect", "redirect-origins",
  "redirect-url", "reserve", "seat-uid", "stale-after", "start-date", "step-mode", "team-id",
  "time-zone", "username", "utm", "view", "week-start",
];

// Plain data that attributes cannot hold. Credentials have a property of their own.
const PROPERTIES = ["messages", "metadata", "prefill", "utm"];

const artefacts = {};

// One instance of each artefact serves all elements of the page.
function artefact(name) {
  artefacts[name] ??= (async () => {
    // Throws where a page's policy or the browser blocks WebAssembly, before anything is downloaded.
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    const module = await import(new URL(`${name}.js`, import.meta.url));
    await module.default({ module_or_path: new URL(`${name}_bg.wasm`, import.meta.url) });
    return module;
  })();
  // A failed download may succeed for the next element.
  artefacts[name].catch(() => delete artefacts[name]);
  return artefacts[name];
}

// Importing this file where there is no document, as on a server, does nothing.
const Base = globalThis.HTMLElement ?? class {};

class BookingElement extends Base {
  static observedAttributes = ATTRIBUTES;
  #root = null;
  #mounted = null;
  #session = null;
  #properties = {};
  #connections = 0;

  // Credentials, as values: never from attributes, addresses or storage.
  get session() {
    return this.#session;
  }

  set session(session) {
    this.#session = session ?? null;
    this.#mounted?.set_session(this.#session);
  }

  property(name) {
    return this.#properties[name] ?? null;
  }

  setProperty(name, value) {
    this.#properties[name] = value ?? null;
    this.#mounted?.set_property(name, this.#properties[name]);
  }

  connectedCallback() {
    // A property set before this class was known hides its setter.
    for (const name of ["session", ...PROPERTIES]) {
      if (Object.hasOwn(this, name)) {
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
    }
    if (!this.#mounted) this.#start(++this.#connections);
  }

  disconnectedCallback() {
    // A move is a disconnect and a connect at once: only those who stay away are ended.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#connections += 1;
      this.#mounted?.unmount();
      this.#mounted?.free();
      this.#mounted = null;
    });
  }

  attributeChangedCallback(name, _before, value) {
    this.#mounted?.changed(name, value ?? undefined);
  }

  async #start(connection) {
    if (!this.#root) {
      this.#root = this.attachShadow({ mode: "open" });
      // The element's own content stays visible until there is something better.
      this.#root.append(document.createElement("slot"));
    }
    try {
      const { mount } = await artefact(this.constructor.artefact);
      if (connection !== this.#connections || !this.isConnected) return;
      const attributes = {};
      for (const name of ATTRIBUTES) {
        if (this.hasAttribute(name)) attributes[name] = this.getAttribute(name);
      }
      this.#mounted = mount(this, this.#root, attributes, this.#properties, this.#session);
    } catch (error) {
      console.error(`<${this.localName}> cannot start`, error);
      // Where it is switched off altogether, even its name is missing.
      const { CompileError } = globalThis.WebAssembly ?? {};
      const blocked = !CompileError || error instanceof CompileError;
      const detail = { code: blocked ? "wasm-blocked" : "load-failed" };
      this.dispatchEvent(new CustomEvent("booking-error", { bubbles: true, composed: true, detail }));
    }
  }
}

for (const name of PROPERTIES) {
  Object.defineProperty(BookingElement.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return this.property(name);
    },
    set(value) {
      this.setProperty(name, value);
    },
  });
}

if (globalThis.customElements) {
  for (const [name, artefact] of [["booking-picker", "picker"], ["booking-list", "staff"], ["booking-roles", "staff"]]) {
    if (!customElements.get(name)) {
      customElements.define(name, class extends BookingElement { static artefact = artefact; });
    }
  }
}
