// The scripts that the build appends to a bundle's script (xtask/src/dist/embed.rs) share its scope.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fakeFetch, importSource, load, root, settle, source } from "./support.mjs";

// Stands in for wasm-bindgen's glue.
const GLUE = `
let wasm;
export const callbacks = [];
wasm = guarded({ __indirect_function_table: { get: (index) => callbacks[index] } });
export function mount() {}
export default async function __wbg_init() {}
`;

/** Imports a bundle's script. `internals` are names to export in addition. */
async function bundle(scripts, internals = []) {
  const loader = await readFile(join(root, "xtask/bundler/src/loader.js"), "utf8");
  // Hoisted in the generated script, whose imports of chunks come before the glue.
  const appended = await Promise.all(scripts.map(source));
  return importSource([loader, ...appended, GLUE, `export { ${internals.join()} };`].join("\n"));
}

const picker = (internals) => bundle(["traps.js", "locale.js"], internals);

/** Names that the loader reads from a bundle's script. */
const EXPORTS = ["watchTraps", "trackInput", "show", "LocaleTracker", "prefetchChunk", "default"];

test("bundle: appended scripts do not collide and export what the loader uses", async () => {
  const exports = await picker();
  for (const name of EXPORTS) assert.equal(typeof exports[name], "function", name);
});

test("bundle: popup script has the exports that the loader uses in place of a bundle's", async () => {
  const popup = await load("popup.js");
  for (const name of ["show", "LocaleTracker", "open", "close", "openFor", "preloadFor"]) assert.equal(typeof popup[name], "function", name);
});

test("chunk: files are fetched and started once, in parallel", async (t) => {
  const requests = fakeFetch(t, () => new Response(Uint8Array.of(0)));
  const instantiate = t.mock.method(WebAssembly, "instantiate", async () => ({}));
  const exports = await picker(["load", "fetchChunk"]);
  const results = [];
  exports.callbacks.push((data, isLoaded) => results.push([data, isLoaded]));
  await exports.fetchChunk("after.wasm");
  exports.load(["shared.wasm", "after.wasm"])(0, 7);
  await settle();
  await settle();
  assert.deepEqual(results, [[7, true]]);
  assert.deepEqual(requests.map(({ url }) => url.split("/").at(-1)).sort(), ["after.wasm", "shared.wasm"]);
  assert.equal(instantiate.mock.callCount(), 2);
});

test("chunk: failure is reported, and the next call retries", async (t) => {
  t.mock.method(console, "warn", () => {});
  fakeFetch(t, (_, count) => count === 1 ? new Response("", { status: 503 }) : new Response(Uint8Array.of(0)));
  t.mock.method(WebAssembly, "instantiate", async () => ({}));
  const exports = await picker(["load"]);
  const results = [];
  exports.callbacks.push((_data, isLoaded) => results.push(isLoaded));
  for (let attempt = 0; attempt < 2; attempt++) {
    exports.load(["after.wasm"])(0, 0);
    await settle();
    await settle();
  }
  assert.deepEqual(results, [false, true]);
});
