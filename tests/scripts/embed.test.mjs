// Tests of the loader.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, importSource, load, setGlobals, source } from "./support.mjs";

const internals = ["ATTRIBUTES", "PROPERTIES", "FLAG_PREFIXES", "FOREIGN", "BookingElement", "file", "isLocal", "importChecked"];
const embed = await load("embed.js", internals);

test("loader: without a DOM, importing it has no effect", () => {
  assert.equal(embed.configure({ files: "/x/" }), undefined);
});

test("loader: own machine is recognised by its host", () => {
  for (const [host, isLocal] of [
    ["localhost", true], ["app.localhost", true], ["127.0.0.1", true], ["127.1.2.3", true], ["[::1]", true],
    ["localhost.example", false], ["127.0.0.1.example", false], ["10.0.0.1", false], ["mylocalhost", false],
  ]) assert.equal(embed.isLocal(host), isLocal, host);
});

test("loader: file name has the start of its hash, and its integrity", async () => {
  const text = (await source("embed.js")).replace("const FILES = {};", 'const FILES = { "picker.js": "ab+/cdefgh" };');
  const { file, configure } = await importSource(`${text}\nexport { file };\n`);
  assert.equal(new URL(file("picker.js").url).pathname.split("/").at(-1), "picker-ab__cdef.js");
  assert.equal(file("picker.js").integrity, "sha256-ab+/cdefgh=");
  assert.equal(file("hints.js").integrity, undefined);
  assert.equal(configure.length, 1);
});

test("loader: configured base URL is resolved against the page", async (t) => {
  setGlobals(t, { document: { baseURI: "https://page.example/book/" } });
  const { configure, file } = await load("embed.js", ["file"]);
  configure({ files: "../files/" });
  assert.equal(file("hints.js").url, "https://page.example/files/hints.js");
});

test("loader: attribute has a property in camel case that reflects it", () => {
  const { prototype } = embed.BookingElement;
  const camelCase = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  assert.ok(Object.getOwnPropertyDescriptor(prototype, "defaultPhoneCountry"));
  for (const name of embed.ATTRIBUTES.filter((name) => name !== "lang")) {
    assert.ok(Object.getOwnPropertyDescriptor(prototype, camelCase(name))?.set, name);
  }
  for (const name of embed.PROPERTIES) assert.ok(Object.getOwnPropertyDescriptor(prototype, name)?.set, name);
});

test("loader: boolean property sets and removes its attribute", () => {
  const attributes = {};
  const element = Object.create(embed.BookingElement.prototype, {
    getAttribute: { value: (name) => attributes[name] ?? null },
    hasAttribute: { value: (name) => name in attributes },
    setAttribute: { value: (name, value) => attributes[name] = String(value) },
    removeAttribute: { value: (name) => delete attributes[name] },
  });
  element.dryRun = true;
  element.eventSlug = "intro";
  assert.deepEqual(attributes, { "dry-run": "", "event-slug": "intro" });
  assert.equal(element.dryRun, true);
  assert.equal(element.eventSlug, "intro");
  element.dryRun = false;
  element.eventSlug = null;
  assert.deepEqual(attributes, {});
  assert.equal(element.dryRun, false);
  assert.equal(element.eventSlug, null);
});

test("loader: attributes of HTML and of frameworks are ignored by hints", () => {
  for (const name of ["class", "id", "style", "aria-label", "data-x", "_ngcontent-a", "v-cloak", "hx-get", "slot"]) {
    assert.ok(embed.FOREIGN.test(name), name);
  }
  for (const name of embed.ATTRIBUTES) {
    if (/^(dir|in|is|no|on|part|tab|title)/.test(name)) assert.fail(name);
  }
});

/** The skeleton's month for an element with these attributes, inside an element in `lang`, for a visitor's language. */
async function month(t, { lang, attributes = {}, visitor = "en-US", now = "2027-03-10T12:00:00Z" }) {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse(now) });
  setGlobals(t, { navigator: { language: visitor } });
  const { monthTexts } = await load("embed.js", ["monthTexts"]);
  const parent = new FakeElement("div", lang ? { lang } : {});
  const texts = monthTexts(new FakeElement("booking-picker", { "event-slug": "intro", "time-zone": "UTC", ...attributes }, { parent }));
  const [[title], weekdays, days] = texts.map(([, texts]) => texts);
  // Ranges have thin spaces.
  return { title: title.replace(/\u2009/g, " "), weekdays: weekdays.join(" "), days: days.join(" ").trim() };
}

test("skeleton: month is in the page's language, with the week of its region or else of the visitor's", async (t) => {
  for (const [lang, visitor, title, firstDay] of [
    ["en-US", "de-DE", "March 2027", "Sun"],
    ["en", "de-DE", "March 2027", "Mon"],
    ["de", "en-US", "März 2027", "Mo"],
    ["de_AT", "en-US", "März 2027", "Mo"],
    ["ar-EG", "en-US", "مارس 2027", "السبت"],
    ["pt", "en-US", "março de 2027", "dom."],
    // Without translations.
    ["sv", "sv", "March 2027", "Sun"],
    ["zh-Hant", "en-US", "March 2027", "Sun"],
    [undefined, "fr-FR", "mars 2027", "lun."],
  ]) {
    const { title: shown, weekdays } = await month(t, { lang, visitor });
    assert.deepEqual([shown, weekdays.split(" ")[0]], [title, firstDay], lang);
  }
});

test("skeleton: language is also that around the shadow root of a popup", async (t) => {
  setGlobals(t, { navigator: { language: "fr-FR" } });
  const { languageTag } = await load("embed.js", ["languageTag"]);
  const page = new FakeElement("html", { lang: "de" });
  const host = new FakeElement("booking-picker", {}, { parent: page });
  assert.equal(languageTag(new FakeElement("booking-picker", {}, { host })), "de");
  assert.equal(languageTag(new FakeElement("booking-picker")), "fr-FR");
});

test("skeleton: late in the month it begins with the current week", async (t) => {
  for (const [now, title, first] of [
    ["2027-03-17T12:00:00Z", "March 2027", "1"],
    ["2027-03-18T12:00:00Z", "Mar – Apr 2027", "15"],
    ["2027-12-31T23:59:00Z", "Dec 2027 – Jan 2028", "27"],
  ]) {
    const shown = await month(t, { now, attributes: { "week-start": "monday" } });
    assert.deepEqual([shown.title, shown.days.split(" ")[0]], [title, first], now);
  }
});

test("skeleton: today is that of the time zone", async (t) => {
  const now = "2027-02-28T20:00:00Z";
  assert.equal((await month(t, { now })).title, "Feb – Mar 2027");
  assert.equal((await month(t, { now, attributes: { "time-zone": "Asia/Tokyo" } })).title, "March 2027");
});

test("skeleton: month is blank if it is not known before the start", async (t) => {
  for (const attributes of [
    { "start-date": "2027-05-01" }, { "booking-uid": "u" }, { "seat-uid": "s" }, { view: "week" }, { "event-slug": "" }, { "time-zone": "Nowhere" },
  ]) assert.deepEqual(await month(t, { attributes }), { title: "", weekdays: "      ", days: "" });
  assert.deepEqual((await month(t, { lang: "not a tag" })).title, "");
});

test("skeleton: languages are those of the translations", async () => {
  const { TRANSLATED } = await load("embed.js", ["TRANSLATED"]);
  const { LANGUAGES } = await load("locale.js", ["LANGUAGES"]);
  const primary = LANGUAGES.map((/** @type {string} */ name) => name.split("-")[0]);
  assert.equal(TRANSLATED.source, `^(${primary.join("|")})$`);
});
