// Console warnings about mistakes that would otherwise be ignored, such as misspelt attributes. Loaded on
// a developer's machine and where a mistake is possible.

// Attributes of some elements only; all other attributes work on every element.
const PICKER = [
  "after-booking", "booking-page", "booking-uid", "button-position", "button-text",
  "confirm-disabled", "default-phone-country", "draft", "dry-run", "duration", "event-detail", "event-slug",
  "event-type-id", "height", "hide", "history", "lock-time-zone", "mode", "org-slug", "placement", "prevent-redirect",
  "redirect-origins", "redirect-url", "remember", "reserve", "seat-uid", "start-date", "step-mode",
  "username", "utm", "view", "week-start",
];
/** @type {Record<string, string[]>} */
const ELEMENTS_BY_ATTRIBUTE = {
  ...Object.fromEntries(PICKER.map((name) => [name, ["booking-picker"]])),
  "hour-cycle": ["booking-picker", "booking-list"],
  "org-id": ["booking-list", "booking-roles"],
  "page-size": ["booking-list"],
  "stale-after": ["booking-picker", "booking-list"],
};

/** Accepted words by attribute.
 * @type {Record<string, string[]>} */
const WORDS = {
  "after-booking": ["confirm", "none", "redirect"],
  "button-position": ["bottom-end", "bottom-start", "top-end", "top-start"],
  dialect: ["svc", "cal"],
  draft: ["auto", "off"],
  "event-detail": ["minimal", "full"],
  height: ["auto", "fill"],
  hide: ["summary", "hosts", "description", "zone"],
  history: ["off", "steps"],
  "hour-cycle": ["h12", "h23", "12", "h24", "24"],
  load: ["visible", "eager", "idle", "interaction", "manual"],
  mode: ["manage", "reschedule", "cancel", "book"],
  placement: ["inline", "popup", "floating"],
  remember: ["off", "ask"],
  reserve: ["auto", "off"],
  "step-mode": ["no-confirm", "confirm"],
  theme: ["auto", "light", "dark", "inherit"],
  utm: ["auto", "off"],
  view: ["month", "week", "column"],
  "week-start": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
};

/** Largest number by attribute.
 * @type {Record<string, number>} */
const MOST = {
  duration: 1440, "event-type-id": Infinity, "heading-level": 6, "org-id": Infinity, "page-size": 250,
  "stale-after": 86400, "team-id": Infinity,
};

/** Returns the URL, if it is one with http or https.
 * @param {string} text @param {string} base */
function webUrl(text, base) {
  try {
    const url = new URL(text, base);
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {}
}

/** Returns the origins in a list, as `URL` writes them.
 * @param {string} list */
const originsIn = (list) => list.trim().toLowerCase().split(/\s+/).map((origin) => origin.replace(/\/*$/, ""));

/** @param {() => unknown} read */
function throws(read) {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}

/** Checks by attribute: each returns what is wrong with a value, and what to do about it.
 * @type {Record<string, (value: string, element: CheckedElement, tools: LoaderTools) => string[] | false | undefined>} */
const CHECKS = {
  "base-url": (value) => !/^(https?:\/)?\//i.test(value) && ["is no http or https address", "Write it as https://book.example."],
  "booking-page": (value) => !webUrl(value, location.href) && ["is no http or https address", "Write it as /booking?uid={uid}."],
  "default-phone-country": (value) => (!/^[a-z]{2}$/i.test(value) || throws(() => new Intl.Locale("en", { region: value })))
    && ["is no country", "Write two letters, such as GB."],
  lang: (value, element, { localeOf }) => !/^en\b/i.test(value) && localeOf(element).language === "en"
    && ["has no translation: the texts are in English", "Write a language that the guide lists."],
  "redirect-origins": (value) => originsIn(value).some((origin) => webUrl(origin, "about:blank")?.origin !== origin)
    && ["is not a list of origins", "Write them as https://shop.example, separated by spaces."],
  "redirect-url": (value, element) => {
    const url = webUrl(value, location.href);
    if (!url) return ["is no http or https address", "Write it as https://shop.example/thanks."];
    const service = webUrl(element.session?.baseUrl || element.getAttribute("base-url") || "/", document.baseURI);
    const trusted = [location.origin, service?.origin, ...originsIn(element.getAttribute("redirect-origins") ?? "")];
    return !trusted.includes(url.origin) && ["is not followed", `Add ${url.origin} to redirect-origins.`];
  },
  "start-date": (value) => (!/^\d{4}-\d\d-\d\d$/.test(value) || throws(() => new Date(value).toISOString()) || !new Date(value).toISOString().startsWith(value))
    && ["is no date", "Write it as 2027-03-04."],
  "time-zone": (value) => throws(() => new Intl.DateTimeFormat("en", { timeZone: value }))
    && ["is no time zone", "Write it as Europe/London."],
};

// Boolean attributes are true if present.
const FLAG = /^(confirm|dry|lock|prevent)-/;

/** Returns what is wrong with the value of an attribute, and what to do about it. An empty one counts as absent.
 * @param {string} name @param {string} value @param {CheckedElement} element @param {LoaderTools} tools */
function valueProblem(name, value, element, tools) {
  if (!value) return;
  const words = WORDS[name];
  if (words) {
    const unknown = (name === "hide" ? value.split(/\s+/) : [value]).find((word) => !words.includes(word));
    if (unknown === undefined) return;
    const suggestion = suggest(unknown, words);
    return [`is unknown${suggestion ? `, did you mean ${suggestion}?` : ""}`, `Write one of ${words.join(", ")}.`];
  }
  const most = MOST[name];
  if (most) {
    const isFit = /^\+?\d+$/.test(value) && Number(value) >= 1 && Number(value) <= most;
    return !isFit && ["is no fitting number", `Write a whole number from 1${most < Infinity ? ` to ${most}` : ""}.`];
  }
  if (FLAG.test(name)) return /^(false|off|no|0)$/i.test(value) && ["switches it on", "Leave the attribute out to switch it off."];
  return CHECKS[name]?.(value, element, tools);
}

/** Names that other products use for the same attributes.
 * @type {Record<string, string>} */
const ALIASES = {
  "api-base": "base-url", "api-url": "base-url", "color-scheme": "theme", layout: "view",
  locale: "lang", presentation: "placement", slug: "event-slug", url: "base-url",
};

const SECRET_NAME = /token|secret|password|api-?key|authorization|client-id/;

/** @type {Record<string, string>} */
const SESSION_TYPES = {
  baseUrl: "string", clientId: "string", token: "string", getToken: "function", refreshUrl: "string",
  refreshToken: "string", headers: "object or function", trustedContext: "boolean",
};
/** @type {Record<string, string>} */
const PROPERTY_TYPES = {
  messages: "object", metadata: "object", prefill: "object", utm: "object", query: "string", views: "array",
};

/** Damerau-Levenshtein distance (optimal string alignment).
 * @param {string} a @param {string} b @returns {number} */
function editDistance(a, b) {
  /** @type {number[]} */
  let rowBefore = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(substitution, row[j] + 1, next[j - 1] + 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped && i > 1 && j > 1) next[j] = Math.min(next[j], rowBefore[j - 2] + 1);
    }
    rowBefore = row;
    row = next;
  }
  return row[b.length];
}

/** Returns the most similar of `words`, or undefined if none is close.
 * @param {string} word @param {string[]} words @returns {string | undefined} */
function suggest(word, words) {
  const lowerCase = word.toLowerCase();
  const distanceTo = (/** @type {string} */ candidate) => editDistance(candidate.toLowerCase(), lowerCase);
  const nearest = words.reduce((best, candidate) => distanceTo(candidate) < distanceTo(best) ? candidate : best);
  if (distanceTo(nearest) <= (word.length > 5 ? 2 : 1)) return nearest;
  return lowerCase.length > 3 ? words.find((candidate) => candidate.toLowerCase().startsWith(lowerCase)) : undefined;
}

/** @param {unknown} value */
const typeName = (value) => Array.isArray(value) ? "array" : value === null ? "null" : typeof value;

/** Returns false for values with cycles, and with getters or proxies that throw.
 * @param {unknown} value */
const isReadable = (value) => !throws(() => JSON.stringify(value));

/** @param {string} code @param {Finding["level"]} level @param {string} message @param {string} fix @returns {Finding} */
function finding(code, level, message, fix) {
  return { code, level, message, fix };
}

/** @param {CheckedElement} element @param {LoaderTools} tools @returns {Finding[]} */
function checkAttributes(element, tools) {
  const { FOREIGN } = tools;
  const known = element.constructor.observedAttributes;
  /** @type {Finding[]} */
  const findings = [];
  for (const name of element.getAttributeNames()) {
    if (known.includes(name)) {
      const elements = ELEMENTS_BY_ATTRIBUTE[name];
      const isElsewhere = elements && !elements.includes(element.localName);
      if (isElsewhere) {
        const fix = `Leave it out, or set it on <${elements.join("> or <")}>.`;
        findings.push(finding("attribute-elsewhere", "warning", `${name} has no effect here.`, fix));
      }
      const value = element.getAttribute(name)?.trim() ?? "";
      const [problem, fix] = !isElsewhere && valueProblem(name, value, element, tools) || [];
      if (problem && fix) {
        const code = name === "base-url" ? "base-url-odd" : "value-invalid";
        const message = `${name}="${value}" ${problem}${problem.endsWith("?") ? "" : "."}`;
        findings.push(finding(code, name === "base-url" ? "error" : "warning", message, fix));
      }
      continue;
    }
    if (FOREIGN.test(name)) continue;
    if (SECRET_NAME.test(name)) {
      const fix = "Set the property session by a script instead.";
      findings.push(finding("secret-in-attribute", "error", `${name} is not read by the element, and everyone who opens the page can see it.`, fix));
      continue;
    }
    const suggestion = ALIASES[name] ?? suggest(name, known);
    const isForOthers = suggestion && ELEMENTS_BY_ATTRIBUTE[suggestion] && !ELEMENTS_BY_ATTRIBUTE[suggestion].includes(element.localName);
    if (suggestion && !isForOthers) {
      findings.push(finding("attribute-unknown", "warning", `${name} is unknown, did you mean ${suggestion}?`, `Write ${suggestion}.`));
    } else {
      findings.push(finding("attribute-unknown", "info", `${name} is unknown.`, "Leave it out."));
    }
  }
  return findings;
}

/** Cal.com does not let visitors read an event type by its id.
 * @param {CheckedElement} element @returns {Finding[]} */
function checkEventTypeId(element) {
  const has = (/** @type {string} */ name) => Boolean(element.getAttribute(name)?.trim());
  const isBySlug = has("event-slug") && (has("username") || has("team-id"));
  if (element.getAttribute("dialect") !== "cal" || !has("event-type-id") || isBySlug || element.session) return [];
  return [finding("event-type-by-number", "warning",
    "event-type-id is not enough with dialect=\"cal\": Cal.com does not let visitors read an event type by its id.",
    "Name it by event-slug with username or team-id.")];
}

/** @param {Record<string, unknown>} messages @param {string[]} names known keys @returns {Finding[]} */
function checkMessages(messages, names) {
  /** @type {Finding[]} */
  const findings = [];
  const check = (/** @type {[name: string, text: any]} */ [name, text]) => {
    // Messages grouped by language. Plural forms are objects too, but have the key `other`.
    if (typeName(text) === "object" && !("other" in text)) return Object.entries(text).forEach(check);
    const key = name.charAt(0).toLowerCase() + name.slice(1);
    if (names.includes(key)) return;
    const suggestion = names.reduce((best, candidate) => editDistance(candidate, key) < editDistance(best, key) ? candidate : best);
    findings.push(finding("message-unknown", "warning", `messages.${name} is unknown, did you mean ${suggestion}?`, `Write ${suggestion}.`));
  };
  Object.entries(messages).forEach(check);
  return findings;
}

/** @param {CheckedElement} element @returns {Finding[]} */
function checkProperties(element) {
  /** @type {Finding[]} */
  const findings = [];
  const checkType = (/** @type {string} */ path, /** @type {unknown} */ value, /** @type {string} */ expected) => {
    if (value == null || expected.split(" or ").includes(typeName(value))) return;
    const fix = `Give it as ${/^[ao]/.test(expected) ? "an" : "a"} ${expected}.`;
    findings.push(finding("property-type", "warning", `${path} is of type ${typeName(value)} and is ignored.`, fix));
  };
  for (const [name, expected] of Object.entries(PROPERTY_TYPES)) {
    const value = element[name];
    // `utm` is also an attribute, as a string.
    if (name === "utm" && typeof value === "string") continue;
    if (isReadable(value)) checkType(name, value, expected);
    else {
      findings.push(finding("property-unreadable", "warning", `${name} cannot be read and is ignored.`,
        "Give it as plain data: without cycles, and without getters or proxies that throw."));
    }
  }
  const { session } = element;
  checkType("session", session, "object");
  if (typeName(session) !== "object") return findings;
  for (const name of Object.keys(session)) {
    if (name in SESSION_TYPES) {
      checkType(`session.${name}`, session[name], SESSION_TYPES[name]);
      continue;
    }
    const suggestion = suggest(name, Object.keys(SESSION_TYPES));
    const message = `session.${name} is unknown${suggestion ? `, did you mean ${suggestion}?` : "."}`;
    findings.push(finding("session-unknown", "warning", message, suggestion ? `Write ${suggestion}.` : "Leave it out."));
  }
  return findings;
}

/** @param {CheckedElement} element @returns {Finding[]} */
function checkAncestors(element) {
  const findings = [];
  const outer = element.parentElement?.closest("booking-picker, booking-list, booking-roles");
  if (outer) {
    const name = outer.localName;
    findings.push(finding("element-unclosed", "warning", `The element is inside <${name}>, which replaces its content when it starts.`,
      `Close the other with </${name}>: in HTML, <${name}/> does not.`));
  }
  const control = element.parentElement?.closest("a, button, label, summary");
  if (control) {
    findings.push(finding("element-misplaced", "warning", `The element is inside <${control.localName}>, which is activated by clicks on its content.`,
      "Move it out."));
  }
  return findings;
}

// The narrowest width in which nothing is cut.
const MIN_WIDTH_PX = 288;

/** @param {CheckedElement} element @returns {Finding[]} */
function checkWidth(element) {
  const [box] = element.getClientRects();
  // Other placements open in a dialog.
  if (!box || element.getAttribute("placement")) return [];
  return box.width < MIN_WIDTH_PX ? [finding("narrow", "warning", `The element is ${Math.round(box.width)} px wide.`,
    `Give it, or what surrounds it, a width of ${MIN_WIDTH_PX} px at least.`)] : [];
}

/** Returns all findings. `loadNames` resolves to the known message keys.
 * @param {CheckedElement} element @param {LoaderTools} tools @param {() => Promise<string[]|undefined>} loadNames
 * @returns {Promise<Finding[]>} */
export async function findingsOf(element, tools, loadNames) {
  const { messages } = element;
  const names = isReadable(messages) && typeName(messages) === "object" ? await loadNames() : undefined;
  return [
    ...checkAncestors(element),
    ...checkWidth(element),
    ...checkAttributes(element, tools),
    ...checkEventTypeId(element),
    ...checkProperties(element),
    ...(names?.length ? checkMessages(messages, names) : []),
  ];
}

const warnedMessages = new Set();

/** Logs each finding once per page.
 * @param {CheckedElement} element @param {LoaderTools} tools @param {LocaleTranslations} localeTracker */
export async function logHints(element, tools, localeTracker) {
  // English has no translation file: on a developer's machine, German provides the keys.
  const loadNames = async () => {
    const language = localeTracker.language === "en" ? tools.isLocal() && "de" : localeTracker.language;
    return language ? Object.keys(await localeTracker.translations(language) ?? {}) : undefined;
  };
  for (const { level, message, fix } of await findingsOf(element, tools, loadNames)) {
    if (level === "info" || warnedMessages.has(message)) continue;
    warnedMessages.add(message);
    console.warn(`<${element.localName}>: ${message}${message.endsWith("?") ? "" : ` ${fix}`}`);
  }
}
