// Tests of the error panel.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, load, setGlobals } from "./support.mjs";

test("error panel: is in the language of the page or the browser", async (t) => {
  setGlobals(t, { navigator: { language: "pt-BR" } });
  const { languageOf } = await load("error-panel.js", ["languageOf"]);
  assert.equal(languageOf(new FakeElement("p", { lang: "de-AT" })), "de");
  assert.equal(languageOf(new FakeElement("p", { lang: "zh_CN" })), "zh");
  assert.equal(languageOf(new FakeElement("p", { lang: "sv" })), "en");
  assert.equal(languageOf(new FakeElement("p")), "pt");
});

test("error panel: has a message and a retry button", async (t) => {
  setGlobals(t, {
    navigator: { language: "he" },
    CSSStyleSheet: class {
      replaceSync() {}
    },
    document: {
      createElement: (name) => Object.assign(new FakeElement(name), {
        children: [], append(...nodes) { this.children.push(...nodes); }, setAttribute(key, value) { this[key] = value; },
      }),
    },
  });
  const { showError } = await load("error-panel.js");
  let panel;
  const onRetry = t.mock.fn();
  showError(new FakeElement("booking-picker"), { replaceChildren: (node) => panel = node }, onRetry);
  const [message, button] = panel.children;
  assert.equal(panel.role, "alert");
  assert.equal(panel.lang, "he");
  assert.equal(panel.textContent, "");
  assert.ok(message.textContent && button.textContent);
  button.dispatchEvent(new Event("click"));
  assert.equal(onRetry.mock.callCount(), 1);
});
