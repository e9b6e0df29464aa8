// Tests of the locale and translations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, fakeFetch, json, load, setGlobals, settle } from "./support.mjs";

const { localeOf } = await load("page-locale.js");
const internals = ["loadTranslations", "withTranslations"];

class NoObserver {
  observe() {}
  disconnect() {}
}

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
  const tracker = new LocaleTracker(new FakeElement("p", { lang: "pl" }), "picker", localeOf);
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
  const tracker = new LocaleTracker(element, "picker", localeOf);
  await tracker.initial();
  const changes = [];
  tracker.observe((locale) => changes.push(locale.language));
  element.attributesByName.lang = "de";
  tracker.observe();
  tracker.disconnect();
  await settle();
  assert.deepEqual(changes, []);
});
