// Tests of the popups.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, load, setGlobals } from "./support.mjs";

const popup = await load("popup.js", ["languageAt", "popupCount", "attributesOf", "takeOrphan", "elements", "MESSAGES", "MESSAGE_KEYS", "CORNERS", "HOST_ATTRIBUTES"]);
const embed = await load("embed.js", ["ATTRIBUTES"]);

test("popup: language is the page's, else the browser's, else English", (t) => {
  setGlobals(t, { navigator: { languages: ["sv", "pt-PT"] } });
  for (const [attributes, language] of [
    [{}, "pt-BR"], [{ lang: "de-CH" }, "de"], [{ lang: "zh-Hant" }, "en"], [{ lang: "zh_CN" }, "zh-CN"], [{ lang: "sv" }, "en"], [{ lang: "?" }, "en"],
  ]) assert.equal(popup.languageAt(new FakeElement("booking-picker", attributes)), language, JSON.stringify(attributes));
});

test("popup: language is found outside the shadow root", () => {
  const host = new FakeElement("x-app", { lang: "fr" });
  assert.equal(popup.languageAt(new FakeElement("booking-picker", {}, { host })), "fr");
});

test("popup: history state counts popups of the same URL only", (t) => {
  setGlobals(t, { location: { href: "https://page.example/a" } });
  const state = (address) => ({ router: 1, bookingPopups: { count: 2, address } });
  assert.equal(popup.popupCount(state("https://page.example/a")), 2);
  assert.equal(popup.popupCount(state("https://page.example/b")), 0);
  assert.equal(popup.popupCount({ router: 1 }), 0);
  assert.equal(popup.popupCount(null), 0);
});

test("popup: opener passes on known attributes and its language", (t) => {
  setGlobals(t, { customElements: { get: () => ({ observedAttributes: embed.ATTRIBUTES }) } });
  const opener = new FakeElement("a", {
    href: "/book", "data-booking-username": "ada", "data-booking-event-slug": "intro", "data-booking-placement": "floating",
    "data-booking-onclick": "alert(1)", "data-booking-style": "x",
  }, { parent: new FakeElement("main", { lang: "fr" }) });
  assert.deepEqual(popup.attributesOf(opener), { lang: "fr", username: "ada", "event-slug": "intro", placement: "popup" });
});

test("popup: element of a removed opener is reused for the same attributes", (t) => {
  const { takeOrphan, elements } = popup;
  const attributes = { username: "ada", placement: "popup" };
  const orphan = new FakeElement("booking-picker", { ...attributes, "data-opened-by": "" }, { isConnected: true });
  const other = new FakeElement("booking-picker", { username: "bob" }, { isConnected: true, remove: t.mock.fn() });
  const used = new FakeElement("booking-picker", attributes, { isConnected: true });
  elements.set({ isConnected: true }, used);
  elements.set({ isConnected: false }, other);
  elements.set({ isConnected: false }, orphan);
  assert.equal(takeOrphan(attributes), orphan);
  assert.equal(other.remove.mock.callCount(), 1);
  assert.deepEqual([...elements.values()], [used]);
  assert.equal(takeOrphan(attributes), undefined);
  elements.clear();
});

test("popup: each language has all messages", () => {
  for (const [language, texts] of Object.entries(popup.MESSAGES)) {
    assert.equal(texts.filter(Boolean).length, popup.MESSAGE_KEYS.length, language);
  }
});

test("popup: attributes of the host are attributes of the element", () => {
  for (const name of popup.HOST_ATTRIBUTES) assert.ok(embed.ATTRIBUTES.includes(name), name);
});

test("popup: has the interface of a bundle's script and of a mounted view", async () => {
  const { LocaleTracker, show } = popup;
  assert.equal(typeof show, "function");
  const tracker = new LocaleTracker(new FakeElement("booking-picker"));
  assert.equal(tracker.initial(), undefined);
  tracker.observe();
  tracker.disconnect();
});
