// Loads the element's scripts under Node, and fakes what they use of a browser. Run the tests with `node --test tests/scripts/`.

import { rmSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
const scripts = join(root, "src/loader");

let count = 0;
const folder = await mkdtemp(join(tmpdir(), "booking-scripts-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Returns the source of a script. */
export const source = (name) => readFile(join(scripts, name), "utf8");

/** Imports a module with the given source: each time a new instance, which shares the scripts that it imports. */
export async function importSource(text) {
  const path = join(folder, `${count += 1}.mjs`);
  await writeFile(path, text.replaceAll(' from "./', ` from "${pathToFileURL(scripts)}/`));
  return import(pathToFileURL(path));
}

/** Imports a new instance of a script. `internals` are names to export in addition. */
export async function load(name, internals = []) {
  return importSource(`${await source(name)}\nexport { ${internals.join()} };\n`);
}

/** Sets globals until the end of the test `t`. */
export function setGlobals(t, globals) {
  for (const [name, value] of Object.entries(globals)) {
    const original = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
    t.after(() => {
      if (original) Object.defineProperty(globalThis, name, original);
      else delete globalThis[name];
    });
  }
}

/** Replaces `fetch`: `respond` returns a response or throws. Returns the recorded requests. */
export function fakeFetch(t, respond) {
  const requests = [];
  setGlobals(t, {
    fetch: async (url, options = {}) => {
      const request = { url: String(url), options };
      requests.push(request);
      const response = await respond(request, requests.length);
      return Object.defineProperty(response, "url", { value: request.url });
    },
  });
  return requests;
}

/** A response with a JSON body. */
export const json = (body, status = 200, headers = {}) => new Response(JSON.stringify(body), { status, headers });

/** Runs pending microtasks and immediates. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** An element with attributes, in a tree by `parent` and `host` (of its shadow root). Selectors: `tag`, `[name]`
 * and `[name]:not([name=''])`, separated by commas. */
export class FakeElement extends EventTarget {
  constructor(localName, attributes = {}, { parent, host, ...properties } = {}) {
    super();
    Object.assign(this, { localName, parentElement: parent ?? null, host, attributesByName: attributes }, properties);
  }

  get dir() {
    return this.attributesByName.dir ?? "";
  }

  set dir(value) {
    this.attributesByName.dir = value;
  }

  getAttribute(name) {
    return this.attributesByName[name] ?? null;
  }

  hasAttribute(name) {
    return name in this.attributesByName;
  }

  /** Not shown. */
  getClientRects() {
    return [];
  }

  getAttributeNames() {
    return Object.keys(this.attributesByName);
  }

  get attributes() {
    return Object.entries(this.attributesByName).map(([name, value]) => ({ name, value }));
  }

  matchesOne(selector) {
    const [, attribute, isNotEmpty] = /^\[(\w+)\](:not.*)?$/.exec(selector) ?? [];
    if (!attribute) return this.localName === selector;
    return this.hasAttribute(attribute) && !(isNotEmpty && this.getAttribute(attribute) === "");
  }

  closest(selectors) {
    const isMatch = selectors.split(",").some((selector) => this.matchesOne(selector.trim()));
    return isMatch ? this : this.parentElement?.closest(selectors) ?? null;
  }

  contains(other) {
    for (let node = other; node; node = node.parentElement) if (node === this) return true;
    return false;
  }

  getRootNode() {
    return this.parentElement?.getRootNode() ?? { host: this.host };
  }
}
