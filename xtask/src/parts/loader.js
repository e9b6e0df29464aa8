// Becomes part of the script of a program in parts. `wasm` is what the first part exports, once it runs.
// What browsers check each file against. Filled in when the files are made.
const CHECKS = {};
const fetched = {};
const started = {};
const once = (kept, file, make) => kept[file] ??= make().catch((error) => {
  // The next time it may arrive.
  delete fetched[file];
  delete started[file];
  throw error;
});
const fetchPart = (file) => once(fetched, file, async () => {
  // By another address than the first time, if this script is.
  const { search } = new URL(import.meta.url);
  const answer = await fetch(new URL(file + search, import.meta.url), {
    credentials: "omit", ...CHECKS[file] && { integrity: `sha256-${CHECKS[file]}` },
  });
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer.arrayBuffer();
});
const startPart = (file) => once(started, file, async () =>
  WebAssembly.instantiate(await fetchPart(file), { __wasm_split: wasm }));
const load = (files) => (callback, data) => {
  const tell = (arrived) => guard(wasm.__indirect_function_table.get(callback))(data, arrived);
  files.forEach((file) => fetchPart(file).catch(() => {}));
  Promise.all(files.map(startPart)).then(() => tell(true), (error) => {
    console.warn(error);
    tell(false);
  });
};
