// Tests of the console warnings.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { FakeElement, load, root, setGlobals } from "./support.mjs";

const embed = await load("embed.js", ["ATTRIBUTES", "FOREIGN"]);
const { localeOf } = await load("page-locale.js");
const tools = { FOREIGN: embed.FOREIGN, isLocal: () => true, localeOf };
const hints = await load("hints.js", ["editDistance", "suggest"]);

/** An element with attributes and properties. */
function element(localName, attributes, properties = {}) {
  class BookingElement extends FakeElement {
    static observedAttributes = embed.ATTRIBUTES;
  }
  return Object.assign(new BookingElement(localName, attributes), properties);
}

const findings = async (element, keys) => (await hints.findingsOf(element, tools, async () => keys))
  .map(({ code, level, message }) => `${level} ${code}: ${message}`);

test("hints: edit distance counts a swap as one", () => {
  for (const [a, b, distance] of [
    ["", "abc", 3], ["abc", "", 3], ["theme", "theme", 0], ["thmee", "theme", 1], ["thme", "theme", 1], ["mode", "node", 1], ["ab", "ba", 1], ["ca", "abc", 3],
  ]) assert.equal(hints.editDistance(a, b), distance, `${a} ${b}`);
});

test("hints: suggestion is a close misspelling or a longer name", () => {
  const names = ["event-slug", "username", "view", "utm"];
  for (const [word, suggestion] of [
    ["event-slg", "event-slug"], ["event_slug", "event-slug"], ["EVENT-SLUG", "event-slug"], ["evnet-slgu", "event-slug"],
    ["veiw", "view"], ["vi", undefined], ["event-slxyz", undefined], ["user", "username"], ["colour", undefined],
  ]) assert.equal(hints.suggest(word, names), suggestion, word);
});

test("hints: usable attributes give no finding", async () => {
  const attributes = { username: "ada", "event-slug": "intro", theme: "dark", class: "a", "data-x": "1", "aria-label": "b", onclick: "c", id: "d" };
  assert.deepEqual(await findings(element("booking-picker", attributes)), []);
});

for (const [localName, attribute, value, finding] of [
  ["booking-picker", "event-slg", "a", "warning attribute-unknown: event-slg is unknown, did you mean event-slug?"],
  ["booking-picker", "locale", "de", "warning attribute-unknown: locale is unknown, did you mean lang?"],
  ["booking-picker", "colour", "a", "info attribute-unknown: colour is unknown."],
  ["booking-list", "event-slg", "a", "info attribute-unknown: event-slg is unknown."],
  ["booking-list", "username", "ada", "warning attribute-elsewhere: username has no effect here."],
  ["booking-roles", "page-size", "5", "warning attribute-elsewhere: page-size has no effect here."],
  ["booking-picker", "theme", "drak", 'warning value-invalid: theme="drak" is unknown, did you mean dark?'],
  ["booking-picker", "load", "x", 'warning value-invalid: load="x" is unknown.'],
  ["booking-picker", "hide", "summary hostss", 'warning value-invalid: hide="summary hostss" is unknown, did you mean hosts?'],
]) {
  test(`hints: <${localName} ${attribute}="${value}"> gives ${finding.split(":")[0]}`, async () => {
    assert.deepEqual(await findings(element(localName, { [attribute]: value })), [finding]);
  });
}

const json = async (path) => JSON.parse(await readFile(`${root}${path}`, "utf8"));
const INVALID = await json("tests/scripts/invalid-attributes.json");

/** Findings on a page of another origin than the service. */
const findingsOnPage = (t, attributes) => {
  const url = "https://shop.example/book/";
  setGlobals(t, { location: new URL(url), document: { baseURI: url }, navigator: { language: "en-GB", languages: ["en-GB"] } });
  return findings(element(attributes["page-size"] || attributes["org-id"] ? "booking-list" : "booking-picker", attributes));
};

for (const { name } of (await json("src/page/elements.json")).attributes) {
  test(`hints: invalid value of ${name} is found`, async (t) => {
    const value = INVALID[name];
    assert.notEqual(value, undefined, "tests/scripts/invalid-attributes.json lacks it; null if every text is valid");
    const found = await findingsOnPage(t, { [name]: value ?? "any text" });
    if (value === null) return assert.deepEqual(found, []);
    assert.equal(found.length, 1, found.join());
    assert.match(found[0], name === "base-url" ? /^error base-url-odd: base-url="/ : RegExp(`^warning value-invalid: ${name}="`));
  });
}

test("hints: valid value gives no finding", async (t) => {
  for (const attributes of [
    { "base-url": "/booking" }, { "base-url": "HTTPS://book.example" }, { "booking-page": "/booking?uid={uid}" }, { "default-phone-country": "gb" },
    { lang: "de" }, { lang: "en-GB" }, { lang: "pt_BR" }, { "dry-run": "" }, { "dry-run": "true" }, { duration: " 30 " }, { theme: "" },
    { "redirect-origins": "https://a.example https://B.example/" }, { "redirect-url": "/thanks" },
    { "redirect-url": "https://a.example/x", "redirect-origins": "https://b.example https://A.example/" },
    { "redirect-url": "https://book.example/x", "base-url": "https://book.example/v2" },
    { "start-date": "2028-02-29" }, { "time-zone": "Asia/Calcutta" }, { "hour-cycle": "24" }, { hide: "zone  summary" }, { "page-size": "250" }, { "event-type-id": "99999999" },
  ]) assert.deepEqual(await findingsOnPage(t, attributes), [], JSON.stringify(attributes));
});

test("hints: redirect to an origin that is not trusted is found", async (t) => {
  const [found] = await findingsOnPage(t, { "redirect-url": "https://a.example/x", "redirect-origins": "https://b.example" });
  assert.equal(found, 'warning value-invalid: redirect-url="https://a.example/x" is not followed.');
});

test("hints: property that cannot be read is found, and nothing throws", async () => {
  const cyclic = {};
  cyclic.self = cyclic;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const getter = Object.defineProperty({}, "name", { enumerable: true, get: () => { throw new Error("no"); } });
  for (const value of [cyclic, proxy, getter, { de: cyclic }]) {
    for (const name of ["messages", "metadata", "prefill", "utm", "query", "views"]) {
      const found = await findings(element("booking-picker", {}, { [name]: value }), ["close"]);
      assert.deepEqual(found, [`warning property-unreadable: ${name} cannot be read and is ignored.`]);
    }
  }
});

test("hints: element that is too narrow is named, unless it opens in a dialog", async () => {
  const wide = (width, attributes = {}) => element("booking-picker", attributes, { getClientRects: () => [{ width }] });
  assert.deepEqual(await findings(wide(0)), ["warning narrow: The element is 0 px wide."]);
  assert.deepEqual(await findings(wide(287.6)), ["warning narrow: The element is 288 px wide."]);
  assert.deepEqual(await findings(wide(288)), []);
  assert.deepEqual(await findings(wide(0, { placement: "popup" })), []);
});

test("hints: secret in an attribute is an error", async () => {
  for (const name of ["token", "api-key", "client-secret", "client-id"]) {
    const [finding] = await hints.findingsOf(element("booking-picker", { [name]: "x" }), tools, async () => []);
    assert.deepEqual([finding.level, finding.code], ["error", "secret-in-attribute"], name);
  }
});

test("hints: unknown and mistyped session keys are found", async () => {
  const session = { tokn: "x", getToken: "x", headers: () => ({}), baseUrl: "https://api.example" };
  assert.deepEqual(await findings(element("booking-list", {}, { session })), [
    "warning session-unknown: session.tokn is unknown, did you mean token?",
    "warning property-type: session.getToken is of type string and is ignored.",
  ]);
});

test("hints: properties of another type are found", async () => {
  const codes = async (properties) => (await findings(element("booking-picker", {}, properties))).map((text) => text.split(": ")[1]);
  assert.deepEqual(await codes({ prefill: [], metadata: "a", utm: "auto", views: [], query: null }), [
    "metadata is of type string and is ignored.", "prefill is of type array and is ignored.",
  ]);
});

test("hints: unknown message key is found, also by language", async () => {
  const messages = { Close: "a", clsoe: "b", de: { Clos: "c" }, seats: { one: "d", other: "e" } };
  assert.deepEqual(await findings(element("booking-picker", {}, { messages }), ["close", "seats"]), [
    "warning message-unknown: messages.clsoe is unknown, did you mean close?",
    "warning message-unknown: messages.Clos is unknown, did you mean close?",
  ]);
});

test("hints: Cal.com needs more than the id of an event type", async () => {
  const codes = async (attributes, session) => (await hints.findingsOf(element("booking-picker", { dialect: "cal", ...attributes }, { session }), tools, async () => []))
    .map(({ code }) => code);
  assert.deepEqual(await codes({ "event-type-id": "4" }), ["event-type-by-number"]);
  assert.deepEqual(await codes({ "event-type-id": "4", username: "ada", "event-slug": "intro" }), []);
  assert.deepEqual(await codes({ "event-type-id": "4" }, {}), []);
});

test("hints: element inside a button or another element is found", async () => {
  const codes = async (localName) => {
    const inner = element("booking-picker", {});
    inner.parentElement = new FakeElement(localName);
    return (await hints.findingsOf(inner, tools, async () => [])).map(({ code }) => code);
  };
  assert.deepEqual(await codes("button"), ["element-misplaced"]);
  assert.deepEqual(await codes("booking-list"), ["element-unclosed"]);
  assert.deepEqual(await codes("main"), []);
});

test("hints: warning is logged once per page, without infos", async (t) => {
  const { logHints } = await load("hints.js");
  const warn = t.mock.method(console, "warn", () => {});
  const tracker = { language: "en", translations: t.mock.fn(async () => ({ close: "" })) };
  const picker = element("booking-picker", { "event-slg": "a", colour: "b" }, { messages: { clos: "x" } });
  await logHints(picker, tools, tracker);
  await logHints(picker, tools, tracker);
  assert.deepEqual(warn.mock.calls.map(({ arguments: [message] }) => message), [
    "<booking-picker>: event-slg is unknown, did you mean event-slug?",
    "<booking-picker>: messages.clos is unknown, did you mean close?",
  ]);
  assert.deepEqual(tracker.translations.mock.calls[0].arguments, ["de"]);
});
