// Error panel with a retry button. Has its own translations: the language files may be what failed to load.

const TEXTS = {
  en: ["This could not be shown", "Try again"],
  ar: ["تعذّر عرض هذا", "حاول مرة أخرى"],
  de: ["Das konnte nicht angezeigt werden", "Erneut versuchen"],
  es: ["No se ha podido mostrar esto", "Volver a intentarlo"],
  fr: ["Impossible d’afficher ce contenu", "Réessayer"],
  he: ["לא ניתן להציג זאת", "ניסיון נוסף"],
  hi: ["यह दिखाया नहीं जा सका", "फिर कोशिश करें"],
  ja: ["表示できませんでした", "もう一度試す"],
  nl: ["Dit kon niet worden getoond", "Opnieuw proberen"],
  pl: ["Nie udało się tego wyświetlić", "Spróbuj ponownie"],
  pt: ["Não foi possível exibir isto", "Tentar novamente"],
  tr: ["Bu gösterilemedi", "Yeniden dene"],
  zh: ["无法显示此内容", "重试"],
};

// `all:initial` shields the panel from the page's inherited styles.
const PANEL_STYLES = `
:host{all:initial;display:block;color-scheme:light dark}
:host([theme=light]){color-scheme:light}:host([theme=dark]){color-scheme:dark}:host([theme=inherit]){color-scheme:inherit}
:host([hidden]){display:none}
div{all:initial;color-scheme:inherit;visibility:inherit;pointer-events:inherit;
font:var(--booking-font-size,1rem)/1.5 var(--booking-font,system-ui,sans-serif);display:grid;justify-items:center;gap:1em;padding:3em 1.25em;text-align:center;
color:var(--booking-text,light-dark(#1a1c20,#e9ebee));background:var(--booking-surface,light-dark(#fff,#17191d));
border:1px solid var(--booking-line,light-dark(#e2e4e9,#32363d));border-radius:var(--booking-radius-card,.875em)}
p{margin:0;font-weight:600}
button{font:inherit;font-weight:500;line-height:1.3;min-height:2.75em;padding:.25em 1em;cursor:pointer;color:inherit;background:none;
border:1px solid var(--booking-line-strong,light-dark(#858a94,#80858f));border-radius:var(--booking-radius,.5em)}
button:hover{background:var(--booking-raised,light-dark(#f6f7f9,#1f2227))}
button:focus-visible{outline:.125em solid var(--booking-accent,light-dark(#0b57d0,#a8c7fa));outline-offset:.125em}`;

/** Language of the panel: that of the page, else the browser's.
 * @param {Element} element @returns {keyof typeof TEXTS} */
function languageOf(element) {
  const tag = element.closest("[lang]")?.getAttribute("lang") || navigator.language || "en";
  const [language] = tag.toLowerCase().split(/[-_]/);
  return language in TEXTS ? /** @type {keyof typeof TEXTS} */ (language) : "en";
}

/** Renders the error panel into `root`.
 * @param {HTMLElement} element @param {ShadowRoot} root @param {() => void} onRetry */
export function showError(element, root, onRetry) {
  const language = languageOf(element);
  const [message, retryLabel] = TEXTS[language];
  /** @type {<Name extends keyof HTMLElementTagNameMap>(name: Name, text: string) => HTMLElementTagNameMap[Name]} */
  const createElement = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const styleSheet = new CSSStyleSheet();
  styleSheet.replaceSync(PANEL_STYLES);
  root.adoptedStyleSheets = [styleSheet];
  const panel = createElement("div", "");
  panel.lang = language;
  panel.dir = ["ar", "he"].includes(language) ? "rtl" : "ltr";
  panel.part = "notice";
  panel.setAttribute("role", "alert");
  const button = createElement("button", retryLabel);
  button.type = "button";
  button.part = "retry";
  button.addEventListener("click", onRetry);
  panel.append(createElement("p", message), button);
  root.replaceChildren(panel);
}
