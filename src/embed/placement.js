// Elements that stand in a window over the page: behind a button of their own (`placement="popup"`),
// behind one that stays in a corner (`floating`), or behind any link or button of the page that has
// `data-booking-…`. The loader imports this when the first of them is met.
//
// Here `show` gives a handle like that of the WebAssembly. The window holds an element of the same
// kind without a placement, which is made when the window opens first and kept: what was typed is
// there when it opens again.

// Two sentences of the catalogue in all languages: a button does not wait for the rest of them.
const NAMES = ["offersTitle", "close"];
const SENTENCES = {
  en: ["Book a time", "Close"],
  ar: ["احجز موعدًا", "إغلاق"],
  de: ["Termin buchen", "Schließen"],
  es: ["Reservar una hora", "Cerrar"],
  fr: ["Réserver un créneau", "Fermer"],
  he: ["קביעת מועד", "סגירה"],
  hi: ["समय बुक करें", "बंद करें"],
  ja: ["日時を予約", "閉じる"],
  nl: ["Boek een tijd", "Sluiten"],
  pl: ["Zarezerwuj termin", "Zamknij"],
  "pt-BR": ["Agendar um horário", "Fechar"],
  tr: ["Randevu alın", "Kapat"],
  "zh-CN": ["预约时间", "关闭"],
};

const CORNERS = ["bottom-end", "bottom-start", "top-end", "top-start"];

// What the outer element keeps for itself.
const OWN = ["placement", "button-text", "button-position", "load", "theme"];

// Parts of the element in the window, which a page styles as if they were the outer one's.
const PARTS = [
  "alternative", "back", "back-to-offers", "base", "booking-link", "calendar", "calendar-file",
  "calendars", "cancel", "cancel-form", "card", "chip", "confirmation", "day", "day-title",
  "description", "dialog", "error", "errors", "field", "form", "hold", "input", "label", "meet-now",
  "month-button", "month-title", "notice", "offer", "offers", "old-time", "payment", "reschedule",
  "retry", "segmented", "select", "skeleton", "slot", "submit", "summary", "times", "title", "zone",
  "zone-bar",
];

// The first lines are those of the widget's own tokens.
const STYLES = `
  :host {
    --_accent: var(--booking-accent, light-dark(#0b57d0, #a8c7fa));
    --_on-accent: var(--booking-on-accent, light-dark(#ffffff, #08244f));
    --_surface: var(--booking-surface, light-dark(#ffffff, #17191d));
    --_raised: var(--booking-raised, light-dark(#f6f7f9, #1f2227));
    --_text: var(--booking-text, light-dark(#1a1c20, #e9ebee));
    --_muted: var(--booking-muted, light-dark(#5a5f69, #a9aeb8));
    --_line: var(--booking-line, light-dark(#e2e4e9, #32363d));
    --_radius: var(--booking-radius, 0.5em);
    --_radius-card: var(--booking-radius-card, 0.75em);
    --_font: var(--booking-font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif);
    --_font-size: var(--booking-font-size, 16px);
    all: initial;
    display: inline-block;
    color-scheme: light dark;
  }
  :host([theme="light"]) { color-scheme: light; }
  :host([theme="dark"]) { color-scheme: dark; }
  :host([theme="inherit"]) { color-scheme: inherit; }
  /* Takes no room of its own, whatever the page gives to such elements. */
  :host(:is([placement="floating"], [data-opened-by])) { display: contents !important; }
  :host([hidden]) { display: none !important; }
  /* A page's * reaches the element, and what is inherited would come in with it; this it cannot reach. */
  .placed {
    all: initial;
    display: block;
    color-scheme: inherit;
    visibility: inherit;
    pointer-events: inherit;
    font-family: var(--_font);
    font-size: var(--_font-size);
    line-height: 1.45;
    color: var(--_text);
    -webkit-text-size-adjust: 100%;
    -webkit-tap-highlight-color: transparent;
  }
  :host([placement="floating"]) .placed, :host([data-opened-by]) .placed { display: contents; }
  *, ::backdrop { box-sizing: border-box; }
  button { font: inherit; margin: 0; cursor: pointer; }
  :focus-visible { outline: 0.125em solid var(--_accent); outline-offset: 0.125em; }
  .opener {
    min-block-size: 2.75em;
    max-inline-size: 100%;
    padding: 0.375em 1.25em;
    border: 1px solid transparent;
    border-radius: var(--_radius);
    background: var(--_accent);
    color: var(--_on-accent);
    font-weight: 550;
    line-height: 1.3;
    overflow-wrap: anywhere;
    unicode-bidi: plaintext;
  }
  .opener:hover { background: color-mix(in oklab, var(--_accent) 88%, var(--_text)); }
  .opener[data-corner] {
    --_side: max(env(safe-area-inset-left, 0px), env(safe-area-inset-right, 0px));
    position: fixed;
    z-index: 2147483000;
    max-inline-size: calc(100vw - 2em - 2 * var(--_side));
    border-radius: max(var(--_radius), 1.5em);
    box-shadow: 0 0.125em 0.375em rgb(0 0 0 / 20%), 0 0.5em 1.5em rgb(0 0 0 / 20%);
  }
  .opener[data-corner^="bottom"] { inset-block-end: calc(1em + env(safe-area-inset-bottom, 0px)); }
  .opener[data-corner^="top"] { inset-block-start: calc(1em + env(safe-area-inset-top, 0px)); }
  .opener[data-corner$="end"] { inset-inline-end: calc(1em + var(--_side)); }
  .opener[data-corner$="start"] { inset-inline-start: calc(1em + var(--_side)); }
  dialog {
    position: fixed;
    inset: 0;
    inline-size: 100%;
    block-size: 100dvh;
    max-inline-size: none;
    max-block-size: none;
    margin: 0;
    padding-block: clamp(1em, 6dvh, 4em);
    padding-inline: 1.5em;
    border: 0;
    background: none;
    color: inherit;
    overflow: auto;
    overscroll-behavior: contain;
  }
  dialog:focus { outline: none; }
  dialog::backdrop { background: rgb(0 0 0 / 45%); }
  .window {
    max-inline-size: 62em;
    margin-inline: auto;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-card);
    background: var(--_surface);
    box-shadow: 0 1em 3em rgb(0 0 0 / 25%);
  }
  .head {
    position: sticky;
    inset-block-start: 0;
    z-index: 1;
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 1em;
    padding-block: 0.375em;
    padding-inline: 1.25em 0.5em;
    border-block-end: 1px solid var(--_line);
    border-start-start-radius: inherit;
    border-start-end-radius: inherit;
    background: var(--_surface);
  }
  .name { margin: 0; font-weight: 600; overflow-wrap: anywhere; unicode-bidi: plaintext; }
  .close {
    display: grid;
    place-items: center;
    flex: none;
    inline-size: 2.75em;
    block-size: 2.75em;
    padding: 0;
    border: 0;
    border-radius: var(--_radius);
    background: none;
    color: var(--_muted);
  }
  .close:hover { background: var(--_raised); color: var(--_text); }
  svg { inline-size: 1.25em; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; }
  /* The window is the card. */
  .inner::part(card) {
    border: 0;
    border-radius: 0 0 var(--_radius-card) var(--_radius-card);
  }
  /* As far in as the widget's own text. */
  @media (min-width: 51em) {
    .head { padding-inline-start: 1.5em; }
  }
  @media (max-width: 30em) {
    dialog { padding: 0; background: var(--_surface); }
    .window { min-block-size: 100%; border: 0; border-radius: 0; box-shadow: none; }
    .head { padding-block-start: calc(0.375em + env(safe-area-inset-top, 0px)); }
    .inner::part(card) { border-radius: 0; }
  }
  @media (prefers-reduced-motion: no-preference) {
    dialog[open] .window { animation: rise 160ms ease-out; }
    dialog[open]::backdrop { animation: dim 160ms ease-out; }
    @keyframes rise { from { opacity: 0; transform: translateY(0.75em); } }
    @keyframes dim { from { opacity: 0; } }
  }
  @media (forced-colors: active) {
    .close { border: 1px solid; }
  }
  @media print {
    .opener[data-corner], dialog { display: none; }
  }
`;

let sheet = null;

function made(name, attributes = {}) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function cross() {
  const [svg, path] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", "M5 5l10 10M15 5L5 15");
  svg.append(path);
  return svg;
}

// The windows that are open, the topmost last.
const opened = [];

// ---- The page behind a window does not scroll.

let lock = null;
// Where the page was, and how far it was scrolled, when the first window opened.
let place = null;

function holdPage() {
  const root = document.documentElement;
  const gap = innerWidth - root.clientWidth;
  // What scrolls the window: the body's overflow does where the root has none.
  const scroller = getComputedStyle(root).overflowY === "visible" ? "body" : "html";
  // The room of a scrollbar that goes stays empty.
  const gutter = CSS.supports("scrollbar-gutter: stable") ? "scrollbar-gutter: stable" : `padding-inline-end: ${gap}px`;
  place = [location.href, scrollX, scrollY];
  lock = new CSSStyleSheet();
  lock.replaceSync(`${scroller} { overflow: hidden !important }
    ${gap > 0 ? `html { ${gutter} !important }` : ""}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, lock];
}

function releasePage() {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((known) => known !== lock);
  const [href, left, top] = place;
  // What a router shows at another address begins where that router says.
  if (location.href !== href) return;
  if (scrollX !== left || scrollY !== top) scrollTo({ left, top, behavior: "instant" });
}

// ---- The back button closes a window.

// Tells in the state of an entry of the history how many windows were open. The rest of the state is
// the page's own.
const MARK = "bookingPopups";

// How long the browser may take to go back.
const TRAVERSAL_MS = 2000;

// Where the page was when a window was opened last.
let address = null;

let leaving = 0;

// Routers copy states to other addresses: there it means nothing.
function level(state) {
  const mark = state?.[MARK];
  return mark?.address === location.href ? mark.count : 0;
}

// Makes the history tell what is open. Going back takes a while: then what is missing is made up for.
function settle() {
  // Turbo would fetch the page anew when it meets its own state again.
  if (leaving || history.state?.turbo) return;
  address = location.href;
  try {
    for (let count = level(history.state) + 1; count <= opened.length; count++) {
      history.pushState({ ...Object(history.state), [MARK]: { count, address: location.href } }, "");
    }
    const back = opened.length - level(history.state);
    if (back < 0) {
      leaving = setTimeout(arrive, TRAVERSAL_MS);
      history.go(back);
    }
  } catch {
    // Some pages may not touch the history: the back button leaves them, as everywhere else.
  }
  listen();
}

function arrive() {
  clearTimeout(leaving);
  leaving = 0;
  listen();
}

// What only concerns the windows is not for the page's router, because the page has been where it is all
// the time. Where its listener comes first nevertheless, as it may in Chromium, it meets a state of its own.
function onPop(event) {
  const isBack = level(event.state) < opened.length;
  if (location.href === address && (leaving || isBack)) event.stopImmediatePropagation();
  if (leaving) {
    arrive();
    settle();
    return;
  }
  while (opened.length > level(event.state)) opened.at(-1).close("back");
}

function listen() {
  if (opened.length || leaving) addEventListener("popstate", onPop, true);
  else removeEventListener("popstate", onPop, true);
}

// The language of the sentences where `element` stands.
function languageAt(element) {
  let asking;
  for (let near = element; near && !asking; near = near.getRootNode().host) {
    asking = near.closest("[lang]:not([lang=''])");
  }
  for (const tag of asking ? [asking.getAttribute("lang")] : navigator.languages) {
    try {
      const { language, script } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
      const known = Object.keys(SENTENCES).find((name) => name.split("-")[0] === language);
      // Traditional characters are another script.
      if (known && (language !== "zh" || script === "Hans")) return known;
    } catch {
      // No language at all.
    }
  }
  return "en";
}

// ---- One element.

// By element; and those that are to open as soon as they can.
const placed = new WeakMap();
const eager = new WeakSet();
// The page's own links and buttons, by the element that each of them opens.
const openers = new WeakMap();

class Placed {
  #host;
  #given;
  #base = made("div", { class: "placed" });
  #button = made("button", { class: "opener", part: "popup-button", type: "button", "aria-haspopup": "dialog" });
  #dialog = made("dialog", { part: "popup" });
  #window = made("div", { class: "window", part: "popup-window" });
  #head = made("div", { class: "head" });
  #name = made("p", { class: "name", part: "popup-title" });
  #close = made("button", { class: "close", part: "popup-close", type: "button" });
  #observer = new MutationObserver(() => this.#say());
  #inner = null;
  #focused = null;
  #token = null;
  // Whether what the window shows is over: a booking that is made, or a start that failed.
  #isSpent = false;

  constructor(host, root, given) {
    this.#host = host;
    this.#given = given;
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLES);
    }
    root.adoptedStyleSheets = [sheet];
    this.#close.append(cross());
    this.#head.append(this.#name, this.#close);
    this.#window.append(this.#head);
    this.#dialog.append(this.#window);
    if (!openers.has(host)) this.#base.append(this.#button);
    this.#base.append(this.#dialog);
    root.replaceChildren(this.#base);
    this.#watch();
    this.#say();

    this.#button.addEventListener("click", () => this.open(this.#button));
    for (const intent of ["pointerenter", "focus", "touchstart"]) {
      this.#button.addEventListener(intent, () => warm(host), { passive: true, once: true });
    }
    this.#close.addEventListener("click", () => this.close("button"));
    let pressed = null;
    this.#dialog.addEventListener("pointerdown", (event) => pressed = event.target);
    this.#dialog.addEventListener("click", (event) => {
      // Text may be selected from inside to beside it.
      if (event.target === this.#dialog && pressed === this.#dialog) this.close("backdrop");
    });
    this.#dialog.addEventListener("cancel", (event) => {
      if (event.target !== this.#dialog) return;
      event.preventDefault();
      this.close("escape");
    });
    // A browser may insist.
    this.#dialog.addEventListener("close", (event) => {
      if (event.target === this.#dialog && !this.#dialog.open) this.close("escape");
    });
    this.#dialog.addEventListener("booking-created", () => this.#isSpent = true);
    this.#dialog.addEventListener("booking-error", ({ detail }) => this.#fail(detail.code));
  }

  // Follows the language of the page.
  #watch() {
    this.#observer.disconnect();
    for (let root = this.#host.getRootNode(); root; root = root.host?.getRootNode()) {
      this.#observer.observe(root, { attributeFilter: ["lang"], subtree: true });
    }
  }

  // Texts and corner.
  #say() {
    const { attributes, properties } = this.#given;
    const language = languageAt(this.#host);
    const text = (name) => {
      const messages = properties.messages ?? {};
      const own = messages[language]?.[name] ?? messages[name];
      return typeof own === "string" ? own : SENTENCES[language][NAMES.indexOf(name)];
    };
    const opener = openers.get(this.#host);
    const called = (opener?.getAttribute("aria-label") ?? opener?.textContent ?? "").trim();
    // A link around a whole card says too much for a name.
    const own = called.length < 60 && called;
    const name = attributes["button-text"]?.trim() || own || text("offersTitle");
    this.#button.textContent = name;
    this.#name.textContent = name;
    this.#dialog.setAttribute("aria-label", name);
    this.#close.setAttribute("aria-label", text("close"));
    // Of these words only: what the window shows finds out for itself what is spoken on the page.
    this.#button.lang = this.#head.lang = language;
    if (attributes.placement === "floating") {
      const corner = attributes["button-position"];
      this.#button.dataset.corner = CORNERS.includes(corner) ? corner : CORNERS[0];
    } else {
      delete this.#button.dataset.corner;
    }
  }

  #fill() {
    const inner = made(this.#host.localName, {
      class: "inner",
      // Of the window, which follows the outer one.
      theme: "inherit",
      load: "eager",
      exportparts: PARTS.join(),
    });
    const { attributes, properties, session } = this.#given;
    for (const [name, value] of Object.entries(attributes)) {
      if (!OWN.includes(name)) inner.setAttribute(name, value);
    }
    for (const [name, value] of Object.entries(properties)) inner[name] = value;
    if (session) inner.session = session;
    if (this.#token) inner.setToken(...this.#token);
    this.#token = null;
    // What the page has put into the outer one.
    for (const name of ["header", "empty", "confirmation"]) {
      if (this.#host.querySelector(`:scope > [slot="${name}"]`)) inner.append(made("slot", { name, slot: name }));
    }
    if (this.#host.hasChildNodes()) inner.append(made("slot"));
    this.#inner = inner;
    this.#window.append(inner);
  }

  // What cannot start leads where the link leads. Without one, the element inside shows the page's own
  // content, or what has happened.
  #fail(code) {
    const { href } = openers.get(this.#host) ?? {};
    if (!href || code === "crashed") return;
    this.#isSpent = true;
    this.close("script", true);
    // In place of the entry that the window has made, if it has: going back from there and away at once
    // would be one of them only.
    location.replace(href);
  }

  open(opener) {
    if (opened.includes(this) || !this.#host.isConnected) return;
    if (this.#isSpent) {
      this.#isSpent = false;
      this.#inner.remove();
      this.#inner = null;
    }
    this.#focused = opener ?? document.activeElement;
    if (!this.#inner) this.#fill();
    opened.push(this);
    if (opened.length === 1) holdPage();
    this.#dialog.showModal();
    settle();
    const news = new CustomEvent("popup-opened", { bubbles: true, composed: true, detail: {} });
    this.#host.dispatchEvent(news);
  }

  close(reason, isLeaving) {
    const place = opened.indexOf(this);
    if (place < 0) return;
    opened.splice(place, 1);
    // One that was taken away would give the focus back all the same.
    if (this.#dialog.isConnected) this.#dialog.close();
    if (!opened.length) releasePage();
    // A router that takes the element away may not be done with the history.
    if (!isLeaving) setTimeout(settle);
    // Not every browser gives the focus to what is pressed, and so cannot give it back. Whoever has taken the
    // element away may have put it somewhere.
    const isFree = this.#host.isConnected || document.activeElement === document.body;
    if (isFree && this.#focused?.isConnected) this.#focused.focus({ preventScroll: true });
    this.#focused = null;
    const news = new CustomEvent("popup-closed", { bubbles: true, composed: true, detail: { reason } });
    this.#host.dispatchEvent(news);
  }

  // ---- What the loader passes on.

  changed(name, value) {
    const { attributes } = this.#given;
    if (value === undefined) delete attributes[name];
    else attributes[name] = value;
    if (OWN.includes(name)) return this.#say();
    if (value === undefined) this.#inner?.removeAttribute(name);
    else this.#inner?.setAttribute(name, value);
  }

  set_property(name, value) {
    this.#given.properties[name] = value;
    if (this.#inner) this.#inner[name] = value;
    if (name === "messages") this.#say();
  }

  set_session(session) {
    this.#given.session = session;
    this.#token = null;
    if (this.#inner) this.#inner.session = session;
  }

  set_token(token) {
    if (this.#inner) this.#inner.setToken(token);
    else this.#token = [token];
  }

  set_speech() {}

  // The element may stand somewhere else.
  follow() {
    this.#watch();
    this.#say();
    if (!opened.includes(this) || this.#dialog.matches(":modal")) return;
    // A window that is moved lies in the page.
    this.#dialog.removeAttribute("open");
    this.#dialog.showModal();
  }

  refresh() {
    this.#inner?.refresh();
  }

  go_to(day) {
    return this.#inner?.goTo(day) ?? false;
  }

  select_slot(start) {
    return this.#inner?.selectSlot(start) ?? false;
  }

  reset() {
    this.#inner?.reset();
  }

  unmount() {
    this.close("script");
    placed.delete(this.#host);
    this.#observer.disconnect();
    this.#base.remove();
  }

  free() {}
}

// As the script of a program does.
export function show(host, root, given) {
  const known = host.constructor.observedAttributes.filter((name) => host.hasAttribute(name));
  const attributes = Object.fromEntries(known.map((name) => [name, host.getAttribute(name)]));
  const isFocused = host.matches(":focus-within");
  const own = new Placed(host, root, { ...given, attributes });
  placed.set(host, own);
  if (eager.delete(host)) own.open(openers.get(host));
  // That of what stood there until now.
  else if (isFocused) root.querySelector(".opener")?.focus({ preventScroll: true });
  return own;
}

// The element inside has a speech of its own.
export class Speech {
  #host;

  constructor(host) {
    this.#host = host;
  }

  first() {}

  follow() {
    placed.get(this.#host)?.follow();
  }

  end() {}
}

// Fetches what the window will need. Who saves data has said so.
function warm(element) {
  if (!navigator.connection?.saveData) element.preload().catch(() => {});
}

export function open(host) {
  const own = placed.get(host);
  if (own) own.open(openers.get(host));
  else eager.add(host);
}

export function close(host) {
  eager.delete(host);
  placed.get(host)?.close("script");
}

// ---- Links and buttons of the page.

// The elements that they open, which stay for the next time.
const kept = new Map();

// Those that were pointed at.
const pointed = new WeakSet();

const PREFIX = "data-booking-";

function attributesOf(opener) {
  // Only what the element knows: a page may let strangers write `data-` attributes.
  const known = customElements.get("booking-picker").observedAttributes;
  const names = known.filter((name) => opener.hasAttribute(PREFIX + name));
  const attributes = names.map((name) => [name, opener.getAttribute(PREFIX + name)]);
  const lang = opener.closest("[lang]")?.getAttribute("lang");
  return { ...(lang && { lang }), ...Object.fromEntries(attributes), placement: "popup" };
}

// What leads the element of an opener that is gone, as when a framework made it anew.
function inherited(wanted) {
  const asked = JSON.stringify(Object.entries(wanted).sort());
  for (const [opener, element] of kept) {
    if (opener.isConnected) continue;
    kept.delete(opener);
    const own = element.getAttributeNames().filter((name) => !name.startsWith("data-"));
    const offered = JSON.stringify(own.map((name) => [name, element.getAttribute(name)]).sort());
    if (element.isConnected && offered === asked) return element;
    element.remove();
  }
}

// A link or button with `data-booking-…` was pressed.
export function press(opener) {
  const wanted = attributesOf(opener);
  const element = kept.get(opener) ?? inherited(wanted) ?? made("booking-picker", {
    "data-opened-by": "",
    // Not for the pages that Turbo keeps.
    "data-turbo-temporary": "",
  });
  for (const name of element.getAttributeNames()) {
    if (!name.startsWith("data-") && !(name in wanted)) element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  kept.set(opener, element);
  openers.set(element, opener);
  if (!element.isConnected) document.body.append(element);
  open(element);
}

// A link or button with `data-booking-…` is pointed at.
export function intend(opener) {
  if (pointed.has(opener)) return;
  pointed.add(opener);
  warm(customElements.get("booking-picker"));
}
