// Tests that need Node: the element's scripts, and the package with bundlers, types and servers. `cargo xtask test`
// runs this in a copy of the folder where the package is installed, and opens the built pages in a browser afterwards.

import { execFile } from "node:child_process";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { run as runTests } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import assert from "node:assert/strict";
import { build as bundle } from "esbuild";
import { build as bundleWithVite } from "vite";
import webpack from "webpack";

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = here("node_modules/booking-widget/");
// The repository.
const root = `${process.env.BOOKING_ROOT ?? here("../..")}/`;
const tsc = (project) => run(process.execPath, [here("node_modules/typescript/bin/tsc"), "--project", project]);

// React 18 lies beside 19 under another name.
const OLD = { react: "react18", "react-dom": "react-dom18" };

const esbuild = (entry, into, more = {}) => bundle({
  entryPoints: [here(entry)],
  outfile: here(`pages/${into}`),
  bundle: true,
  format: "esm",
  logLevel: "warning",
  define: { "process.env.NODE_ENV": '"development"' },
  ...more,
});

// React's own part for servers is CommonJS.
const forNode = {
  platform: "node",
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
};

const checks = {
  async "package: has the files of its manifest and none of the demo"() {
    const { files } = JSON.parse(await readFile(`${installed}package.json`, "utf8"));
    for (const file of files) assert.ok((await stat(installed + file)).isFile(), file);
    const packed = await readdir(installed, { recursive: true });
    assert.deepEqual(packed.filter((name) => /^demo|\.br$|\.gz$|test/.test(name)), []);
    assert.ok(packed.includes("LICENSE-MIT") && packed.includes("LICENSES.txt"));
  },
  async "package: import without a document has no effect"() {
    const { configure } = await import("booking-widget");
    assert.equal(typeof configure, "function");
  },
  async "package: types accept the guide's examples"() {
    await tsc(here("tsconfig.json"));
  },
  async "scripts: no type errors"() {
    await tsc(`${root}src/element/scripts`);
  },
  async "package: esbuild bundles it"() {
    await esbuild("app.js", "esbuild.js", { minify: true });
  },
  async "package: Vite bundles it"() {
    await bundleWithVite({
      root: here("."),
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      build: {
        outDir: here("pages"),
        emptyOutDir: false,
        rollupOptions: { input: here("app.js"), output: { entryFileNames: "vite.js" } },
      },
    });
  },
  async "package: webpack bundles it without warnings"() {
    const stats = await promisify(webpack)({
      mode: "production",
      context: here("."),
      entry: here("app.js"),
      output: { path: here("pages"), filename: "webpack.js" },
    });
    assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
  },
  async "package: bundle for React 18"() {
    await esbuild("react.js", "react18.js", { alias: OLD });
  },
  async "package: bundle for React 19"() {
    await esbuild("react.js", "react19.js");
  },
  async "package: page rendered on a server by the guide's recipe is hydrated"() {
    for (const [version, alias] of [[18, OLD], [19, {}]]) {
      const file = `rendered${version}.mjs`;
      await esbuild("rendered.jsx", `../${file}`, { alias, jsx: "automatic", ...forNode });
      const { html } = await import(here(file));
      assert.equal(
        html,
        '<booking-picker username="ada" event-slug="intro-call"><a href="/ada/intro-call">Book a call</a></booking-picker>',
      );
      await writeFile(here(`pages/rendered${version}.html`), html);
      await esbuild("hydrated.jsx", `hydrated${version}.js`, { alias, jsx: "automatic" });
    }
  },
  async "package: server renders the tag with its attributes and no secret"() {
    for (const [version, alias] of [[18, OLD], [19, {}]]) {
      const file = `server${version}.mjs`;
      await esbuild("server.js", `../${file}`, { alias, ...forNode });
      const { html } = await import(here(file));
      assert.equal(
        html,
        '<booking-picker class="ours" event-slug="intro-call" dry-run=""><a href="/book">Book</a></booking-picker>',
      );
    }
  },
};

/** Runs the unit tests of the scripts; each counts as a test. */
async function testScripts() {
  const names = (await readdir(`${root}tests/scripts`)).filter((name) => name.endsWith(".test.mjs"));
  const results = [];
  const tests = runTests({ files: names.map((name) => `${root}tests/scripts/${name}`) });
  tests.on("test:pass", ({ name, nesting }) => nesting || results.push([name]));
  tests.on("test:fail", ({ name, details, nesting }) => nesting || results.push([name, details.error]));
  for await (const _ of tests);
  assert.ok(results.length > names.length, "too few tests");
  return results;
}

const results = [];
for (const [name, check] of Object.entries(checks)) {
  results.push(await check().then(() => [name], (error) => [name, error]));
}
results.push(...await testScripts().catch((error) => [["scripts", error]]));
for (const [name, error] of results) {
  console.log(`test ${name} ... ${error ? `FAILED\n${error.stdout ?? ""}${error.cause?.stack ?? error.stack ?? error}` : "ok"}`);
}
const failed = results.filter(([, error]) => error).length;
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${results.length - failed} passed; ${failed} failed; 0 ignored`);
process.exit(failed ? 1 : 0);
