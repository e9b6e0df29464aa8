// Language of the page around an element; part of the loader.

// Languages with translation files. English is built in.
const LANGUAGES = [
  "ar", "de", "es", "fr", "he", "hi", "ja", "nl", "pl", "pt-BR", "tr", "zh-CN",
];
const RIGHT_TO_LEFT = ["ar", "he"];

/** Returns the parsed language tag, or undefined if it is none.
 * @param {string} tag */
function parseTag(tag) {
  try {
    return new Intl.Locale(tag.replaceAll("_", "-")).maximize();
  } catch {}
}

/** Returns the supported language of a BCP 47 tag, if there is one.
 * @param {string} tag @returns {string | undefined} */
export function supportedLanguage(tag) {
  const { language, script } = parseTag(tag) ?? {};
  // The translation is in simplified characters.
  if (language === "zh" && script !== "Hans") return undefined;
  return ["en", ...LANGUAGES].find((name) => name.split("-")[0] === language);
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
export function localeOf(element) {
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

/** Returns the tag for dates and times beside texts of a locale, as `locale_for` in `crates/wire/src/formats/text_language.rs`.
 * @param {ElementLocale} locale */
export function formatTag({ language, tag }) {
  const visitor = navigator.language;
  const isEnglish = language === "en";
  const isSame = (/** @type {string} */ tag) => supportedLanguage(tag) === language;
  const regionOf = (/** @type {string} */ tag) => /^[^-_]+(?:[-_]\w{3,})*[-_]([a-z]{2})(?![^-_])/i.exec(tag)?.[1];
  const region = isSame(tag) && regionOf(tag) || (isEnglish || isSame(visitor)) && regionOf(visitor) || isEnglish && regionOf(tag);
  return `${region ? `${language.split("-")[0]}-${region}` : language}-u-nu-latn`;
}
