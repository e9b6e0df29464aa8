// Loads the lazy chunks; part of a bundle's script. `wasm` holds the exports of the main module.
// Integrity hashes by file, filled in by the build.
const CHECKS = {};
const fetched = {};
const started = {};
const memoized = (cache, file, create) => cache[file] ??= create().catch((error) => {
  // Lets the next call retry.
  delete fetched[file];
  delete started[file];
  throw error;
});
const fetchPart = (file) => memoized(fetched, file, async () => {
  // After a failed start, the loader adds a query to this script's URL; chunks need it too.
  const { search } = new URL(import.meta.url);
  const response = await fetch(new URL(file + search, import.meta.url), {
    credentials: "omit", ...CHECKS[file] && { integrity: `sha256-${CHECKS[file]}` },
  });
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return response.arrayBuffer();
});
const startPart = (file) => memoized(started, file, async () =>
  WebAssembly.instantiate(await fetchPart(file), { __wasm_split: wasm }));
const load = (files) => (callback, data) => {
  const notify = (isLoaded) => guard(wasm.__indirect_function_table.get(callback))(data, isLoaded);
  files.forEach((file) => fetchPart(file).catch(() => {}));
  Promise.all(files.map(startPart)).then(() => notify(true), (error) => {
    console.warn(error);
    notify(false);
  });
};
