// Defines the booking elements and forwards what happens to them. Everything else is WebAssembly,
// fetched when the first element of its kind is connected.

const ATTRIBUTES = [
  "after-booking", "base-url", "booking-page", "booking-uid", "confirm-disabled",
  "default-phone-country", "dialect", "dry-run", "duration", "event-slug", "event-type-id",
  "heading-level", "hide", "hour-cycle", "lang",
  "lock-time-zone", "mode", "org-id", "page-size", "prevent-redirect", "redirect-origins",
  "redirect-url", "reserve", "seat-uid", "stale-after", "start-date", "step-mode", "team-id",
  "time-zone", "username", "utm", "view", "week-start",
];

// Plain data that attributes cannot hold. Credentials have a property of their own.
const PROPERTIES = ["messages", "metadata", "prefill", "query", "utm", "views"];

// Those that there is a file of. English needs none.
const LANGUAGES = [
  "ar", "de", "es", "fr", "he", "hi", "ja", "nl", "pl", "pt-BR", "tr", "zh-CN",
];
const RIGHT_TO_LEFT = ["ar", "he"];

// How long a view that has all else waits for its sentences: English until they come.
const PATIENCE_MS = 1000;

const artefacts = {};
const files = {};

function languageOf(tag) {
  try {
    const { language, script } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    // Traditional characters are another script: who reads them is not served by ours.
    if (language === "zh" && script !== "Hans") return undefined;
    return ["en", ...LANGUAGES].find((known) => known.split("-")[0] === language);
  } catch {
    return undefined; // No language at all.
  }
}

// Like `closest`, out of shadow roots too.
function nearest(element, selector) {
  for (let near = element; near; near = near.getRootNode().host) {
    const found = near.closest(selector);
    if (found) return found;
  }
}

// What to speak where `element` stands.
function speechOf(element) {
  const asking = nearest(element, "[lang]:not([lang=''])");
  const tag = asking?.getAttribute("lang") ?? navigator.languages.find(languageOf) ?? "";
  const known = languageOf(tag);
  const language = known || "en";
  // A direction that the page gives to words in this language is its own business. Said again inside,
  // because Chromium does not notice that a page turns around; `auto` is for the browser to find out.
  const directed = nearest(element, "[dir]");
  const isDirected = directed && known && (!asking || asking.contains(directed));
  if (isDirected) return { language, tag, direction: directed.dir.replace("auto", ""), isDirected };
  return { language, tag, direction: RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr" };
}

// The sentences of a language, asked for once; `null` if they cannot be had.
function sentences(artefact, language) {
  const names = artefact === "staff" ? [language, `${language}.staff`] : [language];
  const asked = language === "en" ? [{}] : names.map((name) => {
    files[name] ??= fetch(new URL(`lang/${name}.json`, import.meta.url), { credentials: "omit" })
      .then((answer) => answer.ok ? answer.json() : Promise.reject(new Error(`status ${answer.status}`)));
    // A failed download may succeed for the next element.
    files[name].catch(() => delete files[name]);
    return files[name];
  });
  return Promise.all(asked).then(
    (texts) => Object.assign({}, ...texts),
    (error) => {
      console.warn(`booking: no sentences in "${language}", English instead`, error);
      return null;
    },
  );
}

// Without its sentences, a language cannot be spoken.
function spoken(speech, texts) {
  if (texts) return { ...speech, texts };
  return { ...speech, language: "en", direction: speech.isDirected ? speech.direction : "ltr" };
}

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

// Attributes that any element may have.
const FOREIGN = /^(aria-|data-|on|id$|class$|style$|slot$|part$|hidden$|title$|role$|dir$|lang$|tabindex$)/;
const warned = new Set();

// How many letters have to be changed, added or left out to make one word the other.
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const change = row[to - 1] + (one[at - 1] === other[to - 1] ? 0 : 1);
      next[to] = Math.min(change, row[to] + 1, next[to - 1] + 1);
    }
    row = next;
  }
  return row[other.length];
}

// Warns of names in `messages` that are no sentence's: they would be ignored in silence. Names stand
// beside the sentences of a language; for English alone they are fetched where pages are made.
async function checkMessages(artefact, language, messages) {
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const file = language === "en" ? isLocal && "de" : language;
  const names = messages && file && Object.keys((await sentences(artefact, file)) ?? {});
  if (!names?.length) return;
  const check = ([name, text]) => {
    // Sentences by language; forms by number have one for all others.
    if (text && typeof text === "object" && !("other" in text)) return Object.entries(text).forEach(check);
    const known = name.charAt(0).toLowerCase() + name.slice(1);
    if (names.includes(known) || warned.has(name)) return;
    warned.add(name);
    const near = names.reduce((one, other) => distance(other, known) < distance(one, known) ? other : one);
    console.warn(`booking: messages.${name} is unknown, did you mean ${near}?`);
  };
  Object.entries(messages).forEach(check);
}

// Importing this file where there is no document, as on a server, does nothing.
const Base = globalThis.HTMLElement ?? class {};

class BookingElement extends Base {
  static observedAttributes = ATTRIBUTES;
  static version = "0.1.0";
  #root = null;
  #mounted = null;
  #session = null;
  #properties = {};
  #connections = 0;
  #speech = null;
  #observer = null;
  #isDestroyed = false;

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
    if (name === "messages" && this.#mounted) this.#checkMessages();
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
    if (this.#isDestroyed) return;
    this.#checkAttributes();
    this.#observer ??= new MutationObserver(() => this.#speak());
    this.#observer.disconnect();
    for (let root = this.getRootNode(); root; root = root.host?.getRootNode()) {
      this.#observer.observe(root, { attributeFilter: ["lang", "dir"], subtree: true });
    }
    if (!this.#mounted) this.#start(++this.#connections);
    else this.#speak();
  }

  disconnectedCallback() {
    // A move is a disconnect and a connect at once: only those who stay away are ended.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#end();
    });
  }

  attributeChangedCallback(name, _before, value) {
    this.#mounted?.changed(name, value ?? undefined);
  }

  // An attribute that is written a little wrong would be ignored in silence.
  #checkAttributes() {
    for (const name of this.getAttributeNames()) {
      if (ATTRIBUTES.includes(name) || FOREIGN.test(name)) continue;
      const near = [...ATTRIBUTES, "theme"].find((known) => distance(known, name) < 3);
      if (!near || near === name || warned.has(name)) continue;
      warned.add(name);
      console.warn(`<${this.localName}>: ${name} is unknown, did you mean ${near}?`);
    }
  }

  #checkMessages() {
    checkMessages(this.constructor.artefact, speechOf(this).language, this.#properties.messages);
  }

  // Asks for the free times again.
  refresh() {
    this.#mounted?.refresh();
  }

  // Shows a day, written "2027-03-04" or as a Date.
  goTo(day) {
    const text = day instanceof Date ? day.toISOString().slice(0, 10) : String(day);
    return this.#mounted?.go_to(text) ?? false;
  }

  // Chooses a time that is shown, by its start: an ISO 8601 text or a Date.
  selectSlot(start) {
    const text = start instanceof Date ? start.toISOString() : String(start);
    return this.#mounted?.select_slot(text) ?? false;
  }

  // Forgets what was chosen and typed.
  reset() {
    this.#mounted?.reset();
  }

  // Ends the view for good. What is removed from the page ends by itself.
  destroy() {
    this.#isDestroyed = true;
    this.#end();
  }

  #end() {
    this.#connections += 1;
    this.#observer?.disconnect();
    this.#mounted?.unmount();
    this.#mounted?.free();
    this.#mounted = null;
  }

  // Follows the language of the page. Only the newest counts.
  async #speak() {
    if (!this.#mounted) return;
    const speech = speechOf(this);
    const asked = JSON.stringify(speech);
    if (asked === this.#speech) return;
    this.#speech = asked;
    const texts = await sentences(this.constructor.artefact, speech.language);
    if (asked === this.#speech) this.#mounted?.set_speech(spoken(speech, texts));
  }

  async #start(connection) {
    if (!this.#root) {
      this.#root = this.attachShadow({ mode: "open" });
      // The element's own content stays visible until there is something better.
      this.#root.append(document.createElement("slot"));
    }
    try {
      const speech = speechOf(this);
      // On its way together with the WebAssembly.
      const asked = sentences(this.constructor.artefact, speech.language);
      const { mount } = await artefact(this.constructor.artefact);
      const patience = new Promise((done) => setTimeout(done, PATIENCE_MS));
      const texts = await Promise.race([asked, patience]);
      if (connection !== this.#connections || !this.isConnected) return;
      const attributes = {};
      for (const name of ATTRIBUTES) {
        if (this.hasAttribute(name)) attributes[name] = this.getAttribute(name);
      }
      this.#mounted = mount(this, this.#root, {
        attributes,
        properties: this.#properties,
        session: this.#session,
        speech: spoken(speech, texts),
      });
      this.#speech = texts === undefined ? null : JSON.stringify(speech);
      // Late sentences, and a language that changed meanwhile.
      this.#speak();
      this.#checkMessages();
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
