// Becomes part of the script of each program: what language an element speaks, and its sentences.

// Those that there is a file of. English needs none.
const LANGUAGES = [
  "ar", "de", "es", "fr", "he", "hi", "ja", "nl", "pl", "pt-BR", "tr", "zh-CN",
];
const RIGHT_TO_LEFT = ["ar", "he"];

// How long a view that has all else waits for its sentences: English until they come.
const PATIENCE_MS = 1000;

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

// What an element speaks, from when its sentences are asked for until it ends.
export class Speech {
  #element;
  #artefact;
  #asked;
  #told;
  #tell;
  #patience;
  #observer = new MutationObserver(() => this.#follow());

  // Asks at once: the sentences come together with the program.
  constructor(element, artefact) {
    this.#element = element;
    this.#artefact = artefact;
    this.#asked = speechOf(element);
    this.sentences(this.#asked.language);
  }

  get language() {
    return this.#asked.language;
  }

  sentences(language) {
    return sentences(this.#artefact, language);
  }

  // What to begin with. Sentences that take long come later.
  async first() {
    const speech = this.#asked;
    const patience = new Promise((done) => this.#patience = setTimeout(done, PATIENCE_MS));
    const texts = await Promise.race([this.sentences(speech.language), patience]);
    if (texts !== undefined) this.#told = JSON.stringify(speech);
    return spoken(speech, texts);
  }

  // Follows the language of the page, wherever the element stands now.
  follow(tell = this.#tell) {
    this.#tell = tell;
    this.#observer.disconnect();
    for (let root = this.#element.getRootNode(); root; root = root.host?.getRootNode()) {
      this.#observer.observe(root, { attributeFilter: ["lang", "dir"], subtree: true });
    }
    return this.#follow();
  }

  end() {
    clearTimeout(this.#patience);
    this.#observer.disconnect();
    this.#tell = null;
  }

  // Only the newest counts.
  async #follow() {
    const speech = speechOf(this.#element);
    const asked = JSON.stringify(speech);
    if (asked === this.#told) return;
    this.#told = asked;
    this.#asked = speech;
    const texts = await this.sentences(speech.language);
    if (asked === this.#told) this.#tell?.(spoken(speech, texts));
  }
}
