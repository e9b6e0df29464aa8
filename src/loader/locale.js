// Locale and translations of an element; part of each bundle's script.

// The view starts in English if its translations take longer.
const TRANSLATIONS_TIMEOUT_MS = 1000;

/** Requested files, by name.
 * @type {Record<string, Promise<Translations>>} */
const translationFiles = {};

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
  #localeOf;
  #locale;
  /** @type {string | undefined} */
  #currentKey;
  /** @type {((locale: ElementLocale) => void) | null} */
  #onChange = null;
  /** @type {number | undefined} */
  #timer;
  #observer = new MutationObserver(() => this.#update());

  /** Starts loading at once, in parallel with the WebAssembly.
   * @param {HTMLElement} element @param {BundleName} bundle @param {LocaleOf} localeOf */
  constructor(element, bundle, localeOf) {
    this.#element = element;
    this.#bundle = bundle;
    this.#localeOf = localeOf;
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
    const locale = this.#localeOf(this.#element);
    const key = JSON.stringify(locale);
    if (key === this.#currentKey) return;
    this.#currentKey = key;
    this.#locale = locale;
    const texts = await this.translations(locale.language);
    if (key === this.#currentKey) this.#onChange?.(withTranslations(locale, texts));
  }
}
