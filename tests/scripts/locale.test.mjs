// Tests of the locale and translations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, fakeFetch, json, load, setGlobals, settle } from "./support.mjs";

const internals = ["supportedLanguage", "localeOf", "loadTranslations", "withTranslations"];

class NoObserver {
  observe() {}
  disconnect() {}
}

test("locale: language tag maps to the supported language", async () => {
  const { supportedLanguage } = await load("locale.js", internals);
  for (const [tag, language] of [
    ["de-AT", "de"], ["en_GB", "en"], ["pt", "pt-BR"], ["pt-PT", "pt-BR"], ["iw", "he"],
    ["zh", "zh-CN"], ["zh-SG", "zh-CN"], ["zh-TW", undefined], ["zh-Hant-HK", undefined],
    ["sv", undefined], ["no tag", undefined], ["", undefined],
  ]) assert.equal(supportedLanguage(tag), language, tag);
});

test("locale: nearest lang wins, then the browser's languages", async (t) => {
  setGlobals(t, { navigator: { languages: ["sv", "fr-CA", "de"] } });
  const { localeOf } = await load("locale.js", internals);
  const page = new FakeElement("html", { lang: "de" });
  assert.deepEqual(localeOf(new FakeElement("p", {}, { parent: page })), { language: "de", tag: "de", direction: "ltr" });
  const own = new FakeElement("p", { lang: "ar-EG" }, { parent: page });
  assert.deepEqual(localeOf(own), { language: "ar", tag: "ar-EG", direction: "rtl" });
  const empty = new FakeElement("p", { lang: "" }, { parent: page });
  assert.equal(localeOf(empty).language, "de");
  assert.deepEqual(localeOf(new FakeElement("p")), { language: "fr", tag: "fr-CA", direction: "ltr" });
});

test("locale: unsupported page language gives English text with the page's tag", async (t) => {
  setGlobals(t, { navigator: { languages: ["de"] } });
  const { localeOf } = await load("locale.js", internals);
  const element = new FakeElement("p", { lang: "sv", dir: "rtl" });
  assert.deepEqual(localeOf(element), { language: "en", tag: "sv", direction: "ltr" });
});

test("locale: lang is found outside the shadow root", async () => {
  const { localeOf } = await load("locale.js", internals);
  const host = new FakeElement("x-page", {}, { parent: new FakeElement("html", { lang: "ja" }) });
  assert.equal(localeOf(new FakeElement("p", {}, { host })).language, "ja");
});

test("locale: dir applies only inside the element that sets the language", async (t) => {
  setGlobals(t, { navigator: { languages: [] } });
  const { localeOf } = await load("locale.js", internals);
  const html = new FakeElement("html", { lang: "he", dir: "rtl" });
  assert.deepEqual(localeOf(html), { language: "he", tag: "he", direction: "rtl", isDirected: true });
  const auto = new FakeElement("p", { dir: "auto" }, { parent: html });
  assert.deepEqual(localeOf(auto), { language: "he", tag: "he", direction: "", isDirected: true });
  const german = new FakeElement("p", { lang: "de" }, { parent: html });
  assert.deepEqual(localeOf(german), { language: "de", tag: "de", direction: "ltr" });
});

test("locale: missing translations fall back to English and keep the page's direction", async () => {
  const { withTranslations } = await load("locale.js", internals);
  const arabic = { language: "ar", tag: "ar", direction: "rtl" };
  assert.deepEqual(withTranslations(arabic, { a: "b" }), { ...arabic, texts: { a: "b" } });
  assert.deepEqual(withTranslations(arabic, null), { language: "en", tag: "ar", direction: "ltr" });
  assert.equal(withTranslations({ ...arabic, isDirected: true }, null).direction, "rtl");
});

test("locale: translation files are requested once per language", async (t) => {
  const requests = fakeFetch(t, ({ url }) => json({ [url.split("/").at(-1)]: 1 }));
  const { loadTranslations } = await load("locale.js", internals);
  const [staff] = await Promise.all([loadTranslations("staff", "de"), loadTranslations("picker", "de")]);
  assert.deepEqual(staff, { "de.json": 1, "de.staff.json": 1 });
  assert.equal(requests.length, 2);
  assert.ok(requests.every(({ options }) => options.credentials === "omit"));
  assert.deepEqual(await loadTranslations("staff", "en"), {});
  assert.equal(requests.length, 2);
});

test("locale: failed translation file is requested again by the next element", async (t) => {
  t.mock.method(console, "warn", () => {});
  const requests = fakeFetch(t, (_, count) => count === 1 ? json({}, 404) : json({ a: 1 }));
  const { loadTranslations } = await load("locale.js", internals);
  assert.equal(await loadTranslations("picker", "fr"), null);
  assert.deepEqual(await loadTranslations("picker", "fr"), { a: 1 });
  assert.equal(requests.length, 2);
});

test("locale: slow translations start in English and follow later", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  setGlobals(t, { MutationObserver: NoObserver });
  let respond;
  fakeFetch(t, () => new Promise((resolve) => respond = resolve));
  const { LocaleTracker } = await load("locale.js");
  const tracker = new LocaleTracker(new FakeElement("p", { lang: "pl" }), "picker");
  const initial = tracker.initial();
  t.mock.timers.tick(1000);
  assert.deepEqual(await initial, { language: "en", tag: "pl", direction: "ltr" });
  const changes = [];
  tracker.observe((locale) => changes.push(locale));
  respond(json({ close: "Zamknij" }));
  await settle();
  await settle();
  assert.deepEqual(changes, [{ language: "pl", tag: "pl", direction: "ltr", texts: { close: "Zamknij" } }]);
});

test("locale: disconnected tracker reports no change", async (t) => {
  setGlobals(t, { MutationObserver: NoObserver });
  fakeFetch(t, () => json({}));
  const { LocaleTracker } = await load("locale.js");
  const element = new FakeElement("p", { lang: "pl" });
  const tracker = new LocaleTracker(element, "picker");
  await tracker.initial();
  const changes = [];
  tracker.observe((locale) => changes.push(locale.language));
  element.attributesByName.lang = "de";
  tracker.observe();
  tracker.disconnect();
  await settle();
  assert.deepEqual(changes, []);
});
