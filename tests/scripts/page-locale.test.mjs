// Tests of the locale of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, load, setGlobals } from "./support.mjs";

const { formatTag, localeOf, supportedLanguage } = await load("page-locale.js");

test("page locale: language tag maps to the supported language", async () => {
  for (const [tag, language] of [
    ["de-AT", "de"], ["en_GB", "en"], ["pt", "pt-BR"], ["pt-PT", "pt-BR"], ["iw", "he"],
    ["zh", "zh-CN"], ["zh-SG", "zh-CN"], ["zh-TW", undefined], ["zh-Hant-HK", undefined],
    ["sv", undefined], ["no tag", undefined], ["", undefined],
  ]) assert.equal(supportedLanguage(tag), language, tag);
});

test("page locale: nearest lang wins, then the browser's languages", async (t) => {
  setGlobals(t, { navigator: { languages: ["sv", "fr-CA", "de"] } });
  const page = new FakeElement("html", { lang: "de" });
  assert.deepEqual(localeOf(new FakeElement("p", {}, { parent: page })), { language: "de", tag: "de", direction: "ltr" });
  const own = new FakeElement("p", { lang: "ar-EG" }, { parent: page });
  assert.deepEqual(localeOf(own), { language: "ar", tag: "ar-EG", direction: "rtl" });
  const empty = new FakeElement("p", { lang: "" }, { parent: page });
  assert.equal(localeOf(empty).language, "de");
  assert.deepEqual(localeOf(new FakeElement("p")), { language: "fr", tag: "fr-CA", direction: "ltr" });
});

test("page locale: unsupported page language gives English text with the page's tag", async (t) => {
  setGlobals(t, { navigator: { languages: ["de"] } });
  const element = new FakeElement("p", { lang: "sv", dir: "rtl" });
  assert.deepEqual(localeOf(element), { language: "en", tag: "sv", direction: "ltr" });
});

test("page locale: lang is found outside the shadow root", async () => {
  const host = new FakeElement("x-page", {}, { parent: new FakeElement("html", { lang: "ja" }) });
  assert.equal(localeOf(new FakeElement("p", {}, { host })).language, "ja");
});

test("page locale: dir applies only inside the element that sets the language", async (t) => {
  setGlobals(t, { navigator: { languages: [] } });
  const html = new FakeElement("html", { lang: "he", dir: "rtl" });
  assert.deepEqual(localeOf(html), { language: "he", tag: "he", direction: "rtl", isDirected: true });
  const auto = new FakeElement("p", { dir: "auto" }, { parent: html });
  assert.deepEqual(localeOf(auto), { language: "he", tag: "he", direction: "", isDirected: true });
  const german = new FakeElement("p", { lang: "de" }, { parent: html });
  assert.deepEqual(localeOf(german), { language: "de", tag: "de", direction: "ltr" });
});

// The cases of `locale_for` in crates/wire/src/text_language.rs.
test("page locale: dates have the region of the page, or else of a visitor of that language", (t) => {
  for (const [language, tag, visitor, used] of [
    ["en", "en-GB", "de-DE", "en-GB"],
    ["en", "en_US", "de-DE", "en-US"],
    ["en", "en", "de-DE", "en-DE"],
    ["en", "", "en-IN", "en-IN"],
    ["en", "zh-Hant-TW", "sv", "en-TW"],
    ["en", "sv-FI", "de-CH", "en-CH"],
    ["en", "", "", "en"],
    ["en", "en-u-hc-h23", "en-US", "en-US"],
    ["en", "en-GB-u-ca-buddhist", "en-US", "en-GB"],
    ["de", "de-u-co-phonebk", "de-CH", "de-CH"],
    ["de", "de-AT", "de-CH", "de-AT"],
    ["de", "de", "de-CH", "de-CH"],
    ["de", "de", "en-US", "de"],
    ["pt-BR", "pt", "en-US", "pt-BR"],
    ["pt-BR", "pt-PT", "en-US", "pt-PT"],
    ["zh-CN", "zh-Hans-SG", "en", "zh-SG"],
  ]) {
    setGlobals(t, { navigator: { language: visitor } });
    const locale = new Intl.Locale(formatTag({ language, tag, direction: "ltr" }));
    assert.equal(locale.baseName, used, `${tag} ${visitor}`);
  }
});
