// Tests of the loader.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
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

test("loader: doctor names the files that were not found, among which is its own script", async () => {
  const files = new URL("missing/", import.meta.url).href;
  const { BookingElement } = await importSource((await source("embed.js")).replace("let filesUrl = import.meta.url;", `let filesUrl = "${files}";`)
    + "\nexport { BookingElement };\n");
  const { ok, version, findings: [finding] } = await BookingElement.doctor();
  assert.deepEqual([ok, version, finding.code, finding.level], [false, "0.0.0", "files-missing", "error"]);
  assert.match(finding.message, /missing\/diagnostics\.js/);
  assert.match(finding.fix, /configure\(\{ files }\)/);
});

/** Defines the elements in a page where others are defined. Returns the registry, the listeners of the page and the warnings. */
async function defined(t, others = {}) {
  const registry = new Map(Object.entries(others));
  const listeners = [];
  setGlobals(t, {
    customElements: { get: (name) => registry.get(name), define: (name, Class) => registry.set(name, Class) },
    document: { addEventListener: (type) => listeners.push(type), baseURI: "https://page.example/" },
  });
  const warn = t.mock.method(console, "warn", () => {});
  await load("embed.js");
  return { registry, listeners, warnings: warn.mock.calls.map(({ arguments: [text] }) => text) };
}

test("loader: links do not open an element that another library has defined", async (t) => {
  const ours = await defined(t);
  assert.deepEqual([ours.listeners.length, ours.warnings.length], [3, 0]);
  // A second loader, and another library.
  const second = await defined(t, Object.fromEntries(ours.registry));
  assert.deepEqual([second.listeners.length, second.warnings.length], [3, 0]);
  const other = await defined(t, { "booking-picker": class {} });
  assert.deepEqual(other.listeners, []);
  assert.deepEqual(other.warnings, ["<booking-picker> is already defined by another script of this page."]);
});

test("loader: page that has extended Object.prototype gets the elements", async (t) => {
  t.after(() => {
    delete Object.prototype.value;
  });
  Object.prototype.value = "theirs";
  const { BookingElement } = await load("embed.js", ["BookingElement"]);
  assert.ok(Object.getOwnPropertyDescriptor(BookingElement.prototype, "eventSlug").set);
});

test("loader: only properties of the element itself are passed to their setters", async (t) => {
  const { BookingElement } = await load("embed.js", ["BookingElement"]);
  // As in Prototype 1.6.
  const keys = Object.keys;
  t.after(() => {
    Object.keys = keys;
  });
  Object.keys = (object) => {
    const names = [];
    for (const name in object) names.push(name);
    return names;
  };
  setGlobals(t, { document: {} });
  const set = [];
  const prototype = Object.create(BookingElement.prototype, { setProperty: { value: (name, value) => set.push([name, value]) } });
  const element = Object.create(prototype, { prefill: { value: { name: "Zoë" }, configurable: true, enumerable: true } });
  // What follows needs an element of the browser.
  assert.throws(() => element.connectedCallback(), /private/);
  assert.deepEqual(set, [["prefill", { name: "Zoë" }]]);
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

test("loader: response that the browser does not compile is passed on as bytes", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "booking-files-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "picker.js"), `export const watchTraps = () => {};
export default async ({ module_or_path }) => {
  const wasm = await module_or_path;
  if (!(wasm instanceof ArrayBuffer)) throw new TypeError("no Response");
  return new Uint8Array(wasm)[0];
};
`);
  const text = (await source("embed.js")).replace("let filesUrl = import.meta.url;", `let filesUrl = "${pathToFileURL(folder)}/";`);
  const start = async (bytes) => {
    setGlobals(t, { fetch: async () => ({ arrayBuffer: bytes }) });
    const { loadBundle } = await importSource(`${text}\nexport { loadBundle };\n`);
    return loadBundle("picker").ready;
  };
  assert.equal(await start(async () => Uint8Array.of(7).buffer), 7);
  // A native response has been read by then: its own error counts.
  await assert.rejects(start(() => Promise.reject(new Error("already read"))), /no Response/);
});
