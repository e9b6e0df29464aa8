// Popups: elements in a modal dialog, opened by their own button (`placement="popup"`), by one fixed in a
// corner (`floating`), or by any link or button of the page with `data-booking-…`. Loaded on demand.
//
// `show` returns a handle with the interface of the WebAssembly's `Mounted`. The dialog contains an inline
// element, which is created on first opening and kept, so that form input survives closing.

// Copied from the translation files, so that the button does not have to wait for them.
const MESSAGE_KEYS = ["offersTitle", "close"];
const MESSAGES = {
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

// Attributes that are not passed on to the inner element.
const HOST_ATTRIBUTES = ["placement", "button-text", "button-position", "load", "theme"];

// Parts of the inner element, exported through the outer one for the page's styles.
const PARTS = [
  "alternative", "back", "back-to-offers", "base", "booking-link", "calendar", "calendar-file",
  "calendars", "cancel", "cancel-form", "card", "chip", "confirmation", "copy", "dates", "day",
  "day-title", "description", "dialog", "error", "errors", "field", "form", "hold", "input",
  "label", "meet-now", "month-button", "month-title", "notice", "offer", "offers", "old-time",
  "payment", "reschedule", "retry", "segmented", "select", "skeleton", "slot", "soon", "soonest",
  "submit", "suggestion", "summary", "times", "title", "zone", "zone-bar",
];

// The tokens repeat those of style/tokens.css.
const STYLES = `
  :host {
    --_accent: var(--booking-accent, light-dark(#0b57d0, #a8c7fa));
    --_on-accent: var(--booking-on-accent, light-dark(#ffffff, #08244f));
    --_surface: var(--booking-surface, light-dark(#ffffff, #17191d));
    --_raised: var(--booking-raised, light-dark(#f6f7f9, #1f2227));
    --_text: var(--booking-text, light-dark(#1a1c20, #e9ebee));
    --_muted: var(--booking-muted, light-dark(#5a5f69, #a9aeb8));
    --_line: var(--booking-line, light-dark(#e2e4e9, #32363d));
    --_radius: var(--booking-radius, 0.625em);
    --_radius-card: var(--booking-radius-card, 1em);
    --_font: var(--booking-font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif);
    --_font-size: var(--booking-font-size, 1rem);
    all: initial;
    display: inline-block;
    color-scheme: light dark;
  }
  :host([theme="light"]) { color-scheme: light; }
  :host([theme="dark"]) { color-scheme: dark; }
  :host([theme="inherit"]) { color-scheme: inherit; }
  /* Takes no space in the page's layout. */
  :host(:is([placement="floating"], [data-opened-by])) { display: contents !important; }
  :host([hidden]) { display: none !important; }
  /* Stops inheritance: the page's universal rules apply to the host, but not to this. */
  .placed {
    all: initial;
    display: block;
    color-scheme: inherit;
    visibility: inherit;
    pointer-events: inherit;
    font-family: var(--_font);
    font-size: var(--_font-size);
    line-height: 1.5;
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
    font-weight: 500;
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
    /* Aligned with the text of the widget, which has less space on each side below 22em. */
    padding-inline: clamp(0.75em, (100vw - 22em) * 9, 1.25em) 0.25em;
    border-block-end: 1px solid var(--_line);
    border-start-start-radius: inherit;
    border-start-end-radius: inherit;
    background: var(--_surface);
  }
  .name { margin: 0; padding-block: 0.5em; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; unicode-bidi: plaintext; }
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
  .name:focus { outline: none; }
  /* The window's head shows it. */
  .inner::part(title) {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  /* The dialog already looks like a card. */
  .inner::part(card) {
    border: 0;
    box-shadow: none;
    border-radius: 0 0 var(--_radius-card) var(--_radius-card);
  }
  @media (max-width: 30em) {
    dialog { padding: 0; background: var(--_surface); }
    .window { min-block-size: 100%; border: 0; border-radius: 0; box-shadow: none; }
    .head { padding-block-start: env(safe-area-inset-top, 0px); }
    .inner::part(card) { border-radius: 0; }
  }
  /* Panel beside the floating button. */
  @media (min-width: 48em) and (min-height: 36em) {
    .opener[data-corner] ~ dialog { padding: 0; overflow: visible; }
    .opener[data-corner] ~ dialog::backdrop { background: rgb(0 0 0 / 12%); }
    .opener[data-corner] ~ dialog > .window {
      position: absolute;
      inline-size: 25em;
      max-block-size: min(44em, 100dvh - 6em);
      overflow: auto;
      overscroll-behavior: contain;
    }
    .opener[data-corner^="bottom"] ~ dialog > .window { inset-block-end: 4.75em; }
    .opener[data-corner^="top"] ~ dialog > .window { inset-block-start: 4.75em; }
    .opener[data-corner$="end"] ~ dialog > .window { inset-inline-end: 1em; }
    .opener[data-corner$="start"] ~ dialog > .window { inset-inline-start: 1em; }
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

/** @type {CSSStyleSheet | undefined} */
let styleSheet;

/** @param {string} name @param {Record<string, string>} attributes @returns {HTMLElement} */
function createElement(name, attributes = {}) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function closeIcon() {
  const [svg, path] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", "M5 5l10 10M15 5L5 15");
  svg.append(path);
  return svg;
}

/** The topmost is last.
 * @type {Popup[]} */
const openPopups = [];

// ---- Scroll lock

/** @type {CSSStyleSheet | undefined} */
let scrollLock;
/** URL and scroll position when the first popup opened.
 * @type {[href: string, left: number, top: number]} */
let savedScroll;

function lockScroll() {
  const root = document.documentElement;
  const scrollbarWidth = innerWidth - root.clientWidth;
  // The body's overflow applies to the viewport if the root has none.
  const scroller = getComputedStyle(root).overflowY === "visible" ? "body" : "html";
  // Reserves the width of the scrollbar, to avoid a layout shift.
  const gutter = CSS.supports("scrollbar-gutter: stable") ? "scrollbar-gutter: stable" : `padding-inline-end: ${scrollbarWidth}px`;
  savedScroll = [location.href, scrollX, scrollY];
  scrollLock = new CSSStyleSheet();
  scrollLock.replaceSync(`${scroller} { overflow: hidden !important }
    ${scrollbarWidth > 0 ? `html { ${gutter} !important }` : ""}`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, scrollLock];
}

function unlockScroll() {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== scrollLock);
  const [href, left, top] = savedScroll;
  // After a navigation, the scroll position is the router's.
  if (location.href !== href) return;
  if (scrollX !== left || scrollY !== top) scrollTo({ left, top, behavior: "instant" });
}

// ---- History: the back button closes a popup

// Key in `history.state` for the number of open popups; the page's own keys are kept.
const STATE_KEY = "bookingPopups";

// Timeout of `history.go()`.
const TRAVERSAL_MS = 2000;

/** URL at the last opening.
 * @type {string | undefined} */
let pageUrl;

/** @type {number} */
let traversalTimer = 0;

/** Routers may copy the state to another URL, where it does not apply.
 * @param {any} state @returns {number} */
function popupCount(state) {
  const mark = state?.[STATE_KEY];
  return mark?.address === location.href ? mark.count : 0;
}

// Adds or leaves history entries to match the open popups. Called again when a traversal is complete.
function syncHistory() {
  // Turbo would reload the page on a copy of its state.
  if (traversalTimer || history.state?.turbo) return;
  pageUrl = location.href;
  try {
    for (let count = popupCount(history.state) + 1; count <= openPopups.length; count++) {
      history.pushState({ ...Object(history.state), [STATE_KEY]: { count, address: location.href } }, "");
    }
    const back = openPopups.length - popupCount(history.state);
    if (back < 0) {
      traversalTimer = setTimeout(endTraversal, TRAVERSAL_MS);
      history.go(back);
    }
  } catch {
    // Some pages may not change the history: there, back leaves the page.
  }
  updateListener();
}

function endTraversal() {
  clearTimeout(traversalTimer);
  traversalTimer = 0;
  updateListener();
}

/** Hides popup entries from the page's router, because the page itself has not navigated. If the router's
 * listener runs first, as it may in Chromium, it finds its own keys in the state.
 * @param {PopStateEvent} event */
function onPop(event) {
  const isBack = popupCount(event.state) < openPopups.length;
  if (location.href === pageUrl && (traversalTimer || isBack)) event.stopImmediatePropagation();
  if (traversalTimer) {
    endTraversal();
    syncHistory();
    return;
  }
  while (openPopups.length > popupCount(event.state)) openPopups.at(-1)?.close("back");
}

function updateListener() {
  if (openPopups.length || traversalTimer) addEventListener("popstate", onPop, true);
  else removeEventListener("popstate", onPop, true);
}

/** @param {Element} element @returns {keyof typeof MESSAGES} */
function languageAt(element) {
  let langElement;
  for (let node = element; node && !langElement; node = /** @type {ShadowRoot} */ (node.getRootNode()).host) {
    langElement = node.closest("[lang]:not([lang=''])");
  }
  for (const tag of langElement ? [langElement.getAttribute("lang")] : navigator.languages) {
    try {
      const { language, script } = new Intl.Locale(/** @type {string} */ (tag).replaceAll("_", "-")).maximize();
      const supported = /** @type {(keyof typeof MESSAGES)[]} */ (Object.keys(MESSAGES)).find((name) => name.split("-")[0] === language);
      // The translation is in simplified characters.
      if (supported && (language !== "zh" || script === "Hans")) return supported;
    } catch {
      // Not a language tag.
    }
  }
  return "en";
}

// ---- Popup

/** By host element; `pendingOpens` has the hosts that open once they are mounted.
 * @type {WeakMap<Element, Popup>} */
const popups = new WeakMap();
const pendingOpens = new WeakSet();
/** The page's link or button, by the element that it opens.
 * @type {WeakMap<Element, HTMLElement & {href?: string}>} */
const openers = new WeakMap();

class Popup {
  #host;
  #options;
  #container = createElement("div", { class: "placed" });
  #button = createElement("button", { class: "opener", part: "popup-button", type: "button", "aria-haspopup": "dialog" });
  #dialog = /** @type {HTMLDialogElement} */ (createElement("dialog", { part: "popup" }));
  #window = createElement("div", { class: "window", part: "popup-window" });
  #head = createElement("div", { class: "head" });
  #title = createElement("p", { class: "name", part: "popup-title", tabindex: "-1" });
  #closeButton = createElement("button", { class: "close", part: "popup-close", type: "button" });
  #observer = new MutationObserver(() => this.#updateTexts());
  #titleObserver = new MutationObserver(() => this.#updateTitle());
  // A page may hide the host, by a media query for example: an invisible dialog would keep it inert.
  #sizeObserver = new ResizeObserver(() => this.#closeIfHidden());
  /** @type {any} */
  #inner = null;
  #innerTitle = "";
  /** @type {any} */
  #previousFocus = null;
  /** @type {[token: unknown] | null} */
  #pendingToken = null;
  // True after a booking or a failed start: the next opening creates a new inner element.
  #isFinished = false;

  /** @param {BookingElementLike} host @param {ShadowRoot} root @param {Omit<MountOptions, "attach" | "plain">} options */
  constructor(host, root, options) {
    this.#host = host;
    this.#options = options;
    if (!styleSheet) {
      styleSheet = new CSSStyleSheet();
      styleSheet.replaceSync(STYLES);
    }
    root.adoptedStyleSheets = [styleSheet];
    this.#closeButton.append(closeIcon());
    this.#head.append(this.#title, this.#closeButton);
    this.#window.append(this.#head);
    this.#dialog.append(this.#window);
    if (!openers.has(host)) this.#container.append(this.#button);
    this.#container.append(this.#dialog);
    root.replaceChildren(this.#container);
    this.#observeLanguage();
    this.#updateTexts();

    this.#button.addEventListener("click", () => this.open(this.#button));
    for (const type of ["pointerenter", "focus", "touchstart"]) {
      this.#button.addEventListener(type, () => preload(host), { passive: true, once: true });
    }
    this.#closeButton.addEventListener("click", () => this.close("button"));
    /** @type {EventTarget | null} */
    let pressTarget = null;
    this.#dialog.addEventListener("pointerdown", (event) => pressTarget = event.target);
    this.#dialog.addEventListener("click", (event) => {
      // A text selection that ends on the backdrop is not a click on it.
      if (event.target === this.#dialog && pressTarget === this.#dialog) this.close("backdrop");
    });
    this.#dialog.addEventListener("cancel", (event) => {
      if (event.target !== this.#dialog) return;
      event.preventDefault();
      this.close("escape");
    });
    // Browsers may close a dialog without a cancelable event.
    this.#dialog.addEventListener("close", (event) => {
      if (event.target === this.#dialog && !this.#dialog.open) this.close("escape");
    });
    this.#dialog.addEventListener("booking-created", () => this.#isFinished = true);
    this.#dialog.addEventListener("booking-error", (event) => this.#onError(/** @type {CustomEvent} */ (event).detail.code));
  }

  // Also across shadow roots.
  #observeLanguage() {
    this.#observer.disconnect();
    for (let root = /** @type {any} */ (this.#host.getRootNode()); root; root = root.host?.getRootNode()) {
      this.#observer.observe(root, { attributeFilter: ["lang"], subtree: true });
    }
  }

  // Also updates the corner.
  #updateTexts() {
    const { attributes, properties } = this.#options;
    const language = languageAt(this.#host);
    const translate = (/** @type {string} */ name) => {
      let override;
      try {
        const messages = properties.messages ?? {};
        override = messages[language]?.[name] ?? messages[name];
      } catch {
        // A getter or proxy of the page's that throws.
      }
      return typeof override === "string" ? override : MESSAGES[language][MESSAGE_KEYS.indexOf(name)];
    };
    const opener = openers.get(this.#host);
    const openerLabel = (opener?.getAttribute("aria-label") ?? opener?.textContent ?? "").trim();
    // The text of a link around a whole card is too long for a title.
    const label = openerLabel.length < 60 && openerLabel;
    const title = attributes["button-text"]?.trim() || label || translate("offersTitle");
    this.#button.textContent = title;
    this.#dialog.setAttribute("aria-label", title);
    this.#updateTitle();
    this.#closeButton.setAttribute("aria-label", translate("close"));
    // Not on the dialog: the inner element detects the page's language itself.
    this.#button.lang = this.#head.lang = language;
    if (attributes.placement === "floating") {
      const corner = attributes["button-position"];
      this.#button.dataset.corner = CORNERS.includes(corner) ? corner : CORNERS[0];
    } else {
      delete this.#button.dataset.corner;
    }
  }

  // Shows the inner element's title, which is that of the event type. Steps without one keep it.
  #updateTitle() {
    this.#innerTitle = this.#inner?.shadowRoot?.querySelector('[part~="title"]')?.textContent || this.#innerTitle;
    const title = this.#innerTitle || this.#button.textContent;
    if (this.#title.textContent !== title) this.#title.textContent = title;
  }

  #createInner() {
    const inner = /** @type {any} */ (createElement(this.#host.localName, {
      class: "inner",
      // From the host.
      theme: "inherit",
      load: "eager",
      exportparts: PARTS.join(),
    }));
    const { attributes, properties, session } = this.#options;
    for (const [name, value] of Object.entries(attributes)) {
      if (!HOST_ATTRIBUTES.includes(name)) inner.setAttribute(name, value);
    }
    for (const [name, value] of Object.entries(properties)) inner[name] = value;
    if (session) inner.session = session;
    if (this.#pendingToken) inner.setToken(...this.#pendingToken);
    this.#pendingToken = null;
    // Forwards the page's slotted content.
    for (const name of ["header", "empty", "confirmation"]) {
      if (this.#host.querySelector(`:scope > [slot="${name}"]`)) inner.append(createElement("slot", { name, slot: name }));
    }
    if (this.#host.hasChildNodes()) inner.append(createElement("slot"));
    this.#inner = inner;
    this.#innerTitle = "";
    this.#window.append(inner);
    this.#updateTitle();
    this.#titleObserver.disconnect();
    this.#titleObserver.observe(inner.shadowRoot, { childList: true, subtree: true });
  }

  /** After a failed start, follows the opener's link. Without one, the inner element shows its fallback
   * content or the error.
   * @param {string} code */
  #onError(code) {
    const { href } = openers.get(this.#host) ?? {};
    if (!href || code === "crashed") return;
    this.#isFinished = true;
    this.close("script", true);
    // Replaces the popup's history entry: `history.go()` followed by a navigation would cancel one of them.
    location.replace(href);
  }

  /** @param {HTMLElement=} opener */
  open(opener) {
    if (openPopups.includes(this) || !this.#host.isConnected) return;
    if (this.#isFinished) {
      this.#isFinished = false;
      this.#inner.remove();
      this.#inner = null;
    }
    this.#previousFocus = opener ?? document.activeElement;
    if (!this.#inner) this.#createInner();
    openPopups.push(this);
    if (openPopups.length === 1) lockScroll();
    this.#dialog.showModal();
    if (this.#closeIfHidden()) return;
    this.#sizeObserver.observe(this.#dialog);
    // Instead of the close button, which would be the first.
    this.#title.focus({ preventScroll: true });
    syncHistory();
    const event = new CustomEvent("popup-opened", { bubbles: true, composed: true, detail: {} });
    this.#host.dispatchEvent(event);
  }

  #closeIfHidden() {
    // The dialog is hidden in print too.
    const isHidden = !this.#dialog.getClientRects().length && !matchMedia("print").matches;
    if (isHidden) this.close("script");
    return isHidden;
  }

  /** @param {string} reason @param {boolean=} isLeaving */
  close(reason, isLeaving) {
    const index = openPopups.indexOf(this);
    if (index < 0) return;
    openPopups.splice(index, 1);
    this.#sizeObserver.disconnect();
    // Closing a disconnected dialog would still move the focus.
    if (this.#dialog.isConnected) this.#dialog.close();
    if (!openPopups.length) unlockScroll();
    // Deferred: a router that removes the element may still be changing the history.
    if (!isLeaving) setTimeout(syncHistory);
    // Explicit, because Safari does not focus clicked buttons. If the host was removed, the page may have
    // moved the focus already.
    const canRestoreFocus = this.#host.isConnected || document.activeElement === document.body;
    if (canRestoreFocus && this.#previousFocus?.isConnected) this.#previousFocus.focus({ preventScroll: true });
    this.#previousFocus = null;
    const event = new CustomEvent("popup-closed", { bubbles: true, composed: true, detail: { reason } });
    this.#host.dispatchEvent(event);
  }

  // ---- Called by the loader

  /** @param {string} name @param {string | undefined} value */
  changed(name, value) {
    const { attributes } = this.#options;
    if (value === undefined) delete attributes[name];
    else attributes[name] = value;
    if (HOST_ATTRIBUTES.includes(name)) return this.#updateTexts();
    if (value === undefined) this.#inner?.removeAttribute(name);
    else this.#inner?.setAttribute(name, value);
  }

  /** @param {string} name @param {unknown} value */
  set_property(name, value) {
    this.#options.properties[name] = value;
    if (this.#inner) this.#inner[name] = value;
    if (name === "messages") this.#updateTexts();
  }

  /** @param {SessionSettings | null} session */
  set_session(session) {
    this.#options.session = session;
    this.#pendingToken = null;
    if (this.#inner) this.#inner.session = session;
  }

  /** @param {unknown} token */
  set_token(token) {
    if (this.#inner) this.#inner.setToken(token);
    else this.#pendingToken = [token];
  }

  set_locale() {}

  onMove() {
    this.#observeLanguage();
    this.#updateTexts();
    if (!openPopups.includes(this) || this.#dialog.matches(":modal")) return;
    // Moving a modal dialog takes it out of the top layer.
    this.#dialog.removeAttribute("open");
    this.#dialog.showModal();
  }

  refresh() {
    this.#inner?.refresh();
  }

  /** @param {string} day */
  go_to(day) {
    return this.#inner?.goTo(day) ?? false;
  }

  /** @param {string} start */
  select_slot(start) {
    return this.#inner?.selectSlot(start) ?? false;
  }

  reset() {
    this.#inner?.reset();
  }

  // The inner element has the same.
  has_mistakes() {}

  unmount() {
    this.close("script");
    popups.delete(this.#host);
    this.#observer.disconnect();
    this.#titleObserver.disconnect();
    this.#container.remove();
  }

  free() {}
}

/** Same signature as in traps.js.
 * @param {BookingElementLike & ElementBase} host @param {ShadowRoot} root
 * @param {Omit<MountOptions, "attributes" | "attach" | "plain">} options @returns {Popup} */
export function show(host, root, options) {
  const names = host.constructor.observedAttributes.filter((name) => host.hasAttribute(name));
  const attributes = Object.fromEntries(names.map((name) => [name, host.getAttribute(name) ?? ""]));
  const isFocused = host.matches(":focus-within");
  const popup = new Popup(host, root, { ...options, attributes });
  popups.set(host, popup);
  if (pendingOpens.delete(host)) popup.open(openers.get(host));
  // Keeps the focus of the replaced content.
  else if (isFocused) /** @type {HTMLElement | null} */ (root.querySelector(".opener"))?.focus({ preventScroll: true });
  return popup;
}

/** Same interface as in locale.js; the inner element loads its own translations. */
export class LocaleTracker {
  #host;

  /** @param {HTMLElement} host */
  constructor(host) {
    this.#host = host;
  }

  initial() {}

  observe() {
    popups.get(this.#host)?.onMove();
  }

  disconnect() {}
}

/** Preloads the bundle, unless the user saves data.
 * @param {{preload(): Promise<void>}} element */
function preload(element) {
  if (!navigator.connection?.saveData) element.preload().catch(() => {});
}

/** @param {HTMLElement} host */
export function open(host) {
  const popup = popups.get(host);
  if (popup) popup.open(openers.get(host));
  else pendingOpens.add(host);
}

/** @param {HTMLElement} host */
export function close(host) {
  pendingOpens.delete(host);
  popups.get(host)?.close("script");
}

// ---- The page's links and buttons

/** By opener, reused for the next click.
 * @type {Map<Element, BookingElementLike>} */
const elements = new Map();

const preloaded = new WeakSet();

const pickerClass = () => /** @type {BookingElementClass} */ (/** @type {unknown} */ (customElements.get("booking-picker")));

const PREFIX = "data-booking-";

/** @param {Element} opener @returns {Record<string, string>} */
function attributesOf(opener) {
  // Allowlist: a page may let untrusted authors write `data-` attributes.
  const { observedAttributes: observed } = pickerClass();
  const present = observed.filter((name) => opener.hasAttribute(PREFIX + name));
  const entries = present.map((name) => [name, opener.getAttribute(PREFIX + name)]);
  const lang = opener.closest("[lang]")?.getAttribute("lang");
  return { ...(lang && { lang }), ...Object.fromEntries(entries), placement: "popup" };
}

/** Returns the element of a removed opener with the same attributes: frameworks may recreate the link.
 * @param {Record<string, string>} attributes */
function takeOrphan(attributes) {
  const expected = JSON.stringify(Object.entries(attributes).sort());
  for (const [opener, element] of elements) {
    if (opener.isConnected) continue;
    elements.delete(opener);
    const names = element.getAttributeNames().filter((name) => !name.startsWith("data-"));
    const actual = JSON.stringify(names.map((name) => [name, element.getAttribute(name)]).sort());
    if (element.isConnected && actual === expected) return element;
    element.remove();
  }
}

/** Opens the popup of a clicked link or button. @param {HTMLElement} opener */
export function openFor(opener) {
  const attributes = attributesOf(opener);
  const element = elements.get(opener) ?? takeOrphan(attributes) ?? /** @type {BookingElementLike} */ (createElement("booking-picker", {
    "data-opened-by": "",
    // Keeps it out of Turbo's page cache.
    "data-turbo-temporary": "",
  }));
  for (const name of element.getAttributeNames()) {
    if (!name.startsWith("data-") && !(name in attributes)) element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  elements.set(opener, element);
  openers.set(element, opener);
  if (!element.isConnected) document.body.append(element);
  open(element);
}

/** Preloads the bundle for a hovered or focused link or button. @param {HTMLElement} opener */
export function preloadFor(opener) {
  if (preloaded.has(opener)) return;
  preloaded.add(opener);
  preload(pickerClass());
}
