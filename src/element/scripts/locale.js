// Locale and translations of an element; part of each bundle's script.

// Languages with translation files. English is built in.
const LANGUAGES = [
  "ar", "de", "es", "fr", "he", "hi", "ja", "nl", "pl", "pt-BR", "tr", "zh-CN",
];
const RIGHT_TO_LEFT = ["ar", "he"];

// The view starts in English if its translations take longer.
const TRANSLATIONS_TIMEOUT_MS = 1000;

/** Requested files, by name.
 * @type {Record<string, Promise<Translations>>} */
const translationFiles = {};

/** Returns the supported language of a BCP 47 tag, if there is one.
 * @param {string} tag @returns {string | undefined} */
function supportedLanguage(tag) {
  try {
    const { language, script } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    // The translation is in simplified characters.
    if (language === "zh" && script !== "Hans") return undefined;
    return ["en", ...LANGUAGES].find((name) => name.split("-")[0] === language);
  } catch {
    return undefined; // Not a language tag.
  }
}

/** Like `closest`, but crosses shadow roots.
 * @param {Element} element @param {string} selector @returns {HTMLElement | undefined} */
function closestAcrossRoots(element, selector) {
  for (let node = element; node; node = /** @type {ShadowRoot} */ (node.getRootNode()).host) {
    const found = node.closest(selector);
    if (found) return /** @type {HTMLElement} */ (found);
  }
}

/** Returns language, tag and text direction for `element`.
 * @param {Element} element @returns {ElementLocale} */
function localeOf(element) {
  const langElement = closestAcrossRoots(element, "[lang]:not([lang=''])");
  const tag = langElement?.getAttribute("lang") ?? navigator.languages.find(supportedLanguage) ?? "";
  const supported = supportedLanguage(tag);
  const language = supported || "en";
  // The page's own `dir` wins. It is repeated inside, because Chromium does not update the shadow root when
  // the page's direction changes; with `auto` the browser decides.
  const dirElement = closestAcrossRoots(element, "[dir]");
  if (dirElement && supported && (!langElement || langElement.contains(dirElement))) {
    return { language, tag, direction: dirElement.dir.replace("auto", ""), isDirected: true };
  }
  return { language, tag, direction: RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr" };
}

/** Loads the translations of a language once; resolves to null on failure.
 * @param {BundleName} bundle @param {string} language @returns {Promise<Translations | null>} */
function loadTranslations(bundle, language) {
  const names = bundle === "staff" ? [language, `${language}.staff`] : [language];
  const requests = language === "en" ? [{}] : names.map((name) => {
    translationFiles[name] ??= fetch(new URL(`lang/${name}.json`, import.meta.url), { credentials: "omit" })
      .then((response) => response.ok ? response.json() : Promise.reject(new Error(`status ${response.status}`)));
    // Lets the next element retry.
    translationFiles[name].catch(() => delete translationFiles[name]);
    return translationFiles[name];
  });
  return Promise.all(requests).then(
    (texts) => Object.assign({}, ...texts),
    (error) => {
      console.warn(`booking: no translations for "${language}", English instead`, error);
      return null;
    },
  );
}

/** Falls back to English without translations.
 * @param {ElementLocale} locale @param {Translations | null | undefined} texts @returns {ElementLocale} */
function withTranslations(locale, texts) {
  if (texts) return { ...locale, texts };
  return { ...locale, language: "en", direction: locale.isDirected ? locale.direction : "ltr" };
}

/** Tracks the locale of an element and loads its translations. */
export class LocaleTracker {
  #element;
  #bundle;
  #locale;
  /** @type {string | undefined} */
  #currentKey;
  /** @type {((locale: ElementLocale) => void) | null} */
  #onChange = null;
  /** @type {number | undefined} */
  #timer;
  #observer = new MutationObserver(() => this.#update());

  /** Starts loading at once, in parallel with the WebAssembly.
   * @param {HTMLElement} element @param {BundleName} bundle */
  constructor(element, bundle) {
    this.#element = element;
    this.#bundle = bundle;
    this.#locale = localeOf(element);
    this.translations(this.#locale.language);
  }

  get language() {
    return this.#locale.language;
  }

  /** @param {string} language */
  translations(language) {
    return loadTranslations(this.#bundle, language);
  }

  /** Resolves to the initial locale; slow translations follow through `onChange`.
   * @returns {Promise<ElementLocale>} */
  async initial() {
    const locale = this.#locale;
    const timeout = new Promise((resolve) => this.#timer = setTimeout(resolve, TRANSLATIONS_TIMEOUT_MS));
    const texts = await Promise.race([this.translations(locale.language), timeout]);
    if (texts !== undefined) this.#currentKey = JSON.stringify(locale);
    return withTranslations(locale, texts);
  }

  /** Observes `lang` and `dir` on all ancestors of the element, also after a move.
   * @param {((locale: ElementLocale) => void) | null} onChange */
  observe(onChange = this.#onChange) {
    this.#onChange = onChange;
    this.#observer.disconnect();
    for (let root = /** @type {any} */ (this.#element.getRootNode()); root; root = root.host?.getRootNode()) {
      this.#observer.observe(root, { attributeFilter: ["lang", "dir"], subtree: true });
    }
    return this.#update();
  }

  disconnect() {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
    this.#onChange = null;
  }

  async #update() {
    const locale = localeOf(this.#element);
    const key = JSON.stringify(locale);
    if (key === this.#currentKey) return;
    this.#currentKey = key;
    this.#locale = locale;
    const texts = await this.translations(locale.language);
    if (key === this.#currentKey) this.#onChange?.(withTranslations(locale, texts));
  }
}
