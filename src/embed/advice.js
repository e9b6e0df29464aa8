// Says what is written a little wrong on a page and would be ignored in silence. The loader imports
// this where there is something to look at; visitors of a page that is right never load it.

// What each element has a use for; the rest of the attributes is for all.
const PICKER = [
  "after-booking", "booking-page", "booking-uid", "button-position", "button-text",
  "confirm-disabled", "default-phone-country", "draft", "dry-run", "duration", "event-detail", "event-slug",
  "event-type-id", "hide", "lock-time-zone", "mode", "org-slug", "placement", "prevent-redirect",
  "redirect-origins", "redirect-url", "reserve", "seat-uid", "start-date", "step-mode",
  "username", "utm", "view", "week-start",
];
const LIMITED = {
  ...Object.fromEntries(PICKER.map((name) => [name, ["booking-picker"]])),
  "hour-cycle": ["booking-picker", "booking-list"],
  "org-id": ["booking-list", "booking-roles"],
  "page-size": ["booking-list"],
  "stale-after": ["booking-picker", "booking-list"],
};

// The words of those attributes that the program does not read, and so cannot complain of.
const VALUES = {
  "button-position": ["bottom-end", "bottom-start", "top-end", "top-start"],
  load: ["visible", "eager", "idle", "interaction", "manual"],
  placement: ["inline", "popup", "floating"],
  theme: ["auto", "light", "dark", "inherit"],
};

// What other products call these.
const ELSEWHERE = {
  "api-base": "base-url", "api-url": "base-url", "color-scheme": "theme", layout: "view",
  locale: "lang", presentation: "placement", slug: "event-slug", url: "base-url",
};

const SECRET = /token|secret|password|api-?key|authorization|client-id/;

const SESSION = {
  baseUrl: "string", clientId: "string", token: "string", getToken: "function", refreshUrl: "string",
  refreshToken: "string", headers: "object or function", trustedContext: "boolean",
};
const PROPERTIES = {
  messages: "object", metadata: "object", prefill: "object", utm: "object", query: "string", views: "array",
};

// How many letters have to be changed, added, left out or swapped to make one word the other.
function distance(one, other) {
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const change = row[to - 1] + (one[at - 1] === other[to - 1] ? 0 : 1);
      next[to] = Math.min(change, row[to] + 1, next[to - 1] + 1);
      const isSwapped = one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (isSwapped && at > 1 && to > 1) next[to] = Math.min(next[to], before[to - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[other.length];
}

// The word that was meant, if one is near.
function meant(word, words) {
  const plain = word.toLowerCase();
  const far = (known) => distance(known.toLowerCase(), plain);
  const near = words.reduce((one, other) => far(other) < far(one) ? other : one);
  if (far(near) <= (word.length > 5 ? 2 : 1)) return near;
  return plain.length > 3 ? words.find((known) => known.toLowerCase().startsWith(plain)) : undefined;
}

const kind = (value) => Array.isArray(value) ? "array" : value === null ? "null" : typeof value;

function remark(code, level, message, fix) {
  return { code, level, message, fix };
}

function attributes(element, { FOREIGN }) {
  const known = element.constructor.observedAttributes;
  const found = [];
  for (const name of element.getAttributeNames()) {
    if (known.includes(name)) {
      const only = LIMITED[name];
      if (only && !only.includes(element.localName)) {
        const fix = `Leave it out, or set it on <${only.join("> or <")}>.`;
        found.push(remark("attribute-elsewhere", "warning", `${name} has no effect here.`, fix));
      }
      const value = element.getAttribute(name);
      if (VALUES[name] && value && !VALUES[name].includes(value)) {
        const near = meant(value, VALUES[name]);
        const what = `${name}="${value}" is unknown${near ? `, did you mean ${near}?` : "."}`;
        found.push(remark("value-unknown", "warning", what, `Write one of ${VALUES[name].join(", ")}.`));
      }
      continue;
    }
    if (FOREIGN.test(name)) continue;
    if (SECRET.test(name)) {
      const fix = "Set the property session by a script instead.";
      found.push(remark("secret-in-attribute", "error", `${name} is not read by the element, but by whoever opens the page.`, fix));
      continue;
    }
    const near = ELSEWHERE[name] ?? meant(name, known);
    const isOther = near && LIMITED[near] && !LIMITED[near].includes(element.localName);
    if (near && !isOther) {
      found.push(remark("attribute-unknown", "warning", `${name} is unknown, did you mean ${near}?`, `Write ${near}.`));
    } else {
      found.push(remark("attribute-unknown", "info", `${name} is unknown.`, "Leave it out."));
    }
  }
  return found;
}

// What the service does not tell visitors.
function guarded(element) {
  const has = (name) => Boolean(element.getAttribute(name)?.trim());
  const isNamed = has("event-slug") && (has("username") || has("team-id"));
  if (element.getAttribute("dialect") !== "cal" || !has("event-type-id") || isNamed || element.session) return [];
  return [remark("event-type-by-number", "warning",
    "event-type-id is not enough with dialect=\"cal\": Cal.com tells visitors nothing of an event type by its number.",
    "Name it by event-slug with username or team-id.")];
}

// Names in `messages` that are no sentence's.
function sentences(messages, names) {
  const found = [];
  const check = ([name, text]) => {
    // Sentences by language; forms by number have one for all others.
    if (kind(text) === "object" && !("other" in text)) return Object.entries(text).forEach(check);
    const plain = name.charAt(0).toLowerCase() + name.slice(1);
    if (names.includes(plain)) return;
    const near = names.reduce((one, other) => distance(other, plain) < distance(one, plain) ? other : one);
    found.push(remark("message-unknown", "warning", `messages.${name} is unknown, did you mean ${near}?`, `Write ${near}.`));
  };
  Object.entries(messages).forEach(check);
  return found;
}

function properties(element) {
  const found = [];
  const expect = (path, value, expected) => {
    if (value == null || expected.split(" or ").includes(kind(value))) return;
    const fix = `Give it as ${/^[ao]/.test(expected) ? "an" : "a"} ${expected}.`;
    found.push(remark("property-type", "warning", `${path} is of the type ${kind(value)}, and counts as absent.`, fix));
  };
  for (const [name, expected] of Object.entries(PROPERTIES)) {
    const value = element[name];
    // As an attribute it is one word.
    if (!(name === "utm" && typeof value === "string")) expect(name, value, expected);
  }
  const { session } = element;
  expect("session", session, "object");
  if (kind(session) !== "object") return found;
  for (const name of Object.keys(session)) {
    if (name in SESSION) {
      expect(`session.${name}`, session[name], SESSION[name]);
      continue;
    }
    const near = meant(name, Object.keys(SESSION));
    const what = `session.${name} is unknown${near ? `, did you mean ${near}?` : "."}`;
    found.push(remark("session-unknown", "warning", what, near ? `Write ${near}.` : "Leave it out."));
  }
  return found;
}

function surroundings(element) {
  const found = [];
  const outer = element.parentElement?.closest("booking-picker, booking-list, booking-roles");
  if (outer) {
    const name = outer.localName;
    found.push(remark("element-unclosed", "warning", `It stands inside <${name}>, which shows its own content only as long as it is nothing else.`,
      `Close the other with </${name}>: in HTML, <${name}/> does not.`));
  }
  const pressed = element.parentElement?.closest("a, button, label, summary");
  if (pressed) {
    found.push(remark("element-misplaced", "warning", `It stands inside <${pressed.localName}>, which is pressed along with everything in it.`,
      "Put it elsewhere."));
  }
  return found;
}

// Everything that can be said of `element`. `tools` are the loader's; `names` gives the names of the
// sentences, or nothing.
export async function remarks(element, tools, names) {
  const { messages } = element;
  const all = kind(messages) === "object" ? await names() : undefined;
  return [
    ...surroundings(element),
    ...attributes(element, tools),
    ...guarded(element),
    ...properties(element),
    ...(all?.length ? sentences(messages, all) : []),
  ];
}

const warned = new Set();

// Warns on the console, of each thing once.
export async function advise(element, tools, speech) {
  // Names stand beside the sentences of a language; for English alone they are fetched where pages are
  // made.
  const names = async () => {
    const language = speech.language === "en" ? tools.isLocal() && "de" : speech.language;
    return language ? Object.keys(await speech.sentences(language) ?? {}) : undefined;
  };
  for (const { level, message, fix } of await remarks(element, tools, names)) {
    // The program says itself which of its properties it cannot use.
    if (level === "info" || /^(messages|metadata|prefill|utm) is/.test(message) || warned.has(message)) continue;
    warned.add(message);
    console.warn(`<${element.localName}>: ${message}${message.endsWith("?") ? "" : ` ${fix}`}`);
  }
}
