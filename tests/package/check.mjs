// Tests that need Node: the element's scripts, and the package with bundlers, types and servers. `cargo xtask test`
// runs this in a copy of the folder where the package is installed, and opens the built pages in a browser afterwards.

import { execFile } from "node:child_process";
import { cp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { run as runTests } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import assert from "node:assert/strict";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import nodeResolve from "@rollup/plugin-node-resolve";
import { build as bundle } from "esbuild";
import { publint } from "publint";
import { rollup } from "rollup";
import { build as bundleWithVite } from "vite";
import webpack from "webpack";
import oldestWebpack from "webpack575";

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

/** Bundles the page's script with a version of webpack. */
async function bundleWithWebpack(webpack, filename) {
  const stats = await promisify(webpack)({
    mode: "production",
    context: here("."),
    entry: here("app.js"),
    output: { path: here("pages"), filename },
  });
  assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
}

/** Builds the guide's recipe as an app of a version of Next. */
async function buildNext(folder) {
  for (const old of ["app", ".next"]) await rm(here(`${folder}/${old}`), { recursive: true, force: true });
  await cp(here("next"), here(`${folder}/app`), { recursive: true });
  await cp(here("recipe.jsx"), here(`${folder}/app/recipe.jsx`));
  await run(process.execPath, ["node_modules/next/dist/bin/next", "build"], {
    cwd: here(folder),
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
  });
  const html = await readFile(here(`${folder}/.next/server/app/index.html`), "utf8");
  assert.ok(html.includes('<booking-picker username="ada" event-slug="intro-call">'), html);
}

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
    await tsc(`${root}src/loader`);
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
    await bundleWithWebpack(webpack, "webpack.js");
  },
  async "package: webpack 5.75 bundles it without warnings"() {
    await bundleWithWebpack(oldestWebpack, "webpack575.js");
  },
  async "package: Rollup bundles it without warnings"() {
    const onwarn = (warning) => assert.fail(warning.message);
    const bundle = await rollup({ input: here("app.js"), plugins: [nodeResolve()], onwarn });
    await bundle.write({ file: here("pages/rollup.js"), format: "es" });
  },
  async "package: Parcel bundles it"() {
    const options = ["--dist-dir", "pages/parcel", "--no-source-maps", "--no-cache"];
    await run(here("node_modules/.bin/parcel"), ["build", "app.js", ...options], { cwd: here(".") });
  },
  async "package: Next 14 builds the guide's recipe"() {
    await buildNext("next14");
  },
  async "package: Next 15 builds the guide's recipe"() {
    await buildNext("next15");
  },
  async "package: publint finds nothing"() {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    assert.deepEqual(messages, []);
  },
  async "package: types are right for each way of resolving"() {
    const [packed] = (await readdir(here("."))).filter((name) => /^booking-widget-.*\.tgz$/.test(name));
    const content = new Uint8Array(await readFile(here(packed)));
    const { problems } = await checkPackage(createPackageFromTarballData(content));
    // The package has modules only, as its README says.
    const others = problems.filter(({ kind }) => kind !== "CJSResolvesToESM");
    assert.deepEqual(others, []);
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
