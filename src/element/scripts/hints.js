// Console warnings about mistakes that would otherwise be ignored, such as misspelt attributes. Loaded on
// a developer's machine and where a mistake is possible.

// Attributes of some elements only; all other attributes work on every element.
const PICKER = [
  "after-booking", "booking-page", "booking-uid", "button-position", "button-text",
  "confirm-disabled", "default-phone-country", "draft", "dry-run", "duration", "event-detail", "event-slug",
  "event-type-id", "hide", "history", "lock-time-zone", "mode", "org-slug", "placement", "prevent-redirect",
  "redirect-origins", "redirect-url", "reserve", "seat-uid", "start-date", "step-mode",
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

/** Values of the attributes that only the scripts read, so that the WebAssembly cannot validate them.
 * @type {Record<string, string[]>} */
const ATTRIBUTE_VALUES = {
  "button-position": ["bottom-end", "bottom-start", "top-end", "top-start"],
  load: ["visible", "eager", "idle", "interaction", "manual"],
  placement: ["inline", "popup", "floating"],
  theme: ["auto", "light", "dark", "inherit"],
};

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

/** @param {string} code @param {Finding["level"]} level @param {string} message @param {string} fix @returns {Finding} */
function finding(code, level, message, fix) {
  return { code, level, message, fix };
}

/** @param {CheckedElement} element @param {LoaderTools} tools @returns {Finding[]} */
function checkAttributes(element, { FOREIGN }) {
  const known = element.constructor.observedAttributes;
  /** @type {Finding[]} */
  const findings = [];
  for (const name of element.getAttributeNames()) {
    if (known.includes(name)) {
      const elements = ELEMENTS_BY_ATTRIBUTE[name];
      if (elements && !elements.includes(element.localName)) {
        const fix = `Leave it out, or set it on <${elements.join("> or <")}>.`;
        findings.push(finding("attribute-elsewhere", "warning", `${name} has no effect here.`, fix));
      }
      const value = element.getAttribute(name);
      if (ATTRIBUTE_VALUES[name] && value && !ATTRIBUTE_VALUES[name].includes(value)) {
        const suggestion = suggest(value, ATTRIBUTE_VALUES[name]);
        const message = `${name}="${value}" is unknown${suggestion ? `, did you mean ${suggestion}?` : "."}`;
        findings.push(finding("value-unknown", "warning", message, `Write one of ${ATTRIBUTE_VALUES[name].join(", ")}.`));
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
    if (!(name === "utm" && typeof value === "string")) checkType(name, value, expected);
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
  const names = typeName(messages) === "object" ? await loadNames() : undefined;
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
    // The WebAssembly logs unusable properties itself.
    if (level === "info" || /^(messages|metadata|prefill|utm) is/.test(message) || warnedMessages.has(message)) continue;
    warnedMessages.add(message);
    console.warn(`<${element.localName}>: ${message}${message.endsWith("?") ? "" : ` ${fix}`}`);
  }
}
