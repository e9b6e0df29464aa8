// Everything about the package that needs Node: bundlers, types, servers. `cargo xtask test` runs this
// in a copy of the folder where the package is installed; what is built is opened in a browser after it.

import { execFile } from "node:child_process";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import assert from "node:assert/strict";
import { build as bundle } from "esbuild";
import { build as bundleWithVite } from "vite";
import webpack from "webpack";

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = here("node_modules/booking-widget/");

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
  async "the package holds what its manifest lists and nothing of the demo"() {
    const { files } = JSON.parse(await readFile(`${installed}package.json`, "utf8"));
    for (const file of files) assert.ok((await stat(installed + file)).isFile(), file);
    const packed = await readdir(installed, { recursive: true });
    assert.deepEqual(packed.filter((name) => /^demo|\.br$|\.gz$|test/.test(name)), []);
    assert.ok(packed.includes("LICENSE-MIT") && packed.includes("LICENSES.txt"));
  },
  async "importing it where there is no document does nothing"() {
    const { configure } = await import("booking-widget");
    assert.equal(typeof configure, "function");
  },
  async "the types fit what pages write"() {
    await run(process.execPath, [here("node_modules/typescript/bin/tsc"), "--project", here("tsconfig.json")]);
  },
  async "esbuild takes it along"() {
    await esbuild("app.js", "esbuild.js", { minify: true });
  },
  async "Vite takes it along"() {
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
  async "webpack takes it along without a warning"() {
    const stats = await promisify(webpack)({
      mode: "production",
      context: here("."),
      entry: here("app.js"),
      output: { path: here("pages"), filename: "webpack.js" },
    });
    assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
  },
  async "React 18 takes it along"() {
    await esbuild("react.js", "react18.js", { alias: OLD });
  },
  async "React 19 takes it along"() {
    await esbuild("react.js", "react19.js");
  },
  async "a browser goes on with what a server has rendered by the guide's recipe"() {
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
  async "servers render the tag with its attributes, and no secret"() {
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

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`test ${name} ... ok`);
  } catch (error) {
    failed += 1;
    console.log(`test ${name} ... FAILED\n${error.stdout ?? ""}${error.stack}`);
  }
}
const passed = Object.keys(checks).length - failed;
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed; 0 ignored`);
process.exit(failed ? 1 : 0);
