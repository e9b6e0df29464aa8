// Loads the lazy chunks; part of a bundle's script. `wasm` holds the exports of the main module.

/** Integrity hashes by file, filled in by the build.
 * @type {Record<string, string>} */
const CHUNK_HASHES = {};
/** Files by chunk, filled in by the build: those that it shares with others first.
 * @type {Record<string, string[]>} */
const CHUNKS = {};
/** @type {Record<string, Promise<any>>} */
const fetchedChunks = {};
/** @type {Record<string, Promise<any>>} */
const startedChunks = {};

/** Returns the promise of `file`, created once; after a failure, the next call retries.
 * @param {Record<string, Promise<any>>} cache @param {string} file @param {() => Promise<any>} create */
const memoized = (cache, file, create) => cache[file] ??= create().catch((error) => {
  delete fetchedChunks[file];
  delete startedChunks[file];
  throw error;
});

/** @param {string} file @returns {Promise<ArrayBuffer>} */
const fetchChunk = (file) => memoized(fetchedChunks, file, async () => {
  // After a failed start, the loader adds a query to this script's URL; chunks need it too.
  const { search } = new URL(import.meta.url);
  const response = await fetch(new URL(file + search, import.meta.url), {
    credentials: "omit", ...CHUNK_HASHES[file] && { integrity: `sha256-${CHUNK_HASHES[file]}=` },
  });
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return response.arrayBuffer();
});

/** @param {string} file */
const startChunk = (file) => memoized(startedChunks, file, async () =>
  WebAssembly.instantiate(await fetchChunk(file), { __wasm_split: wasm }));

/** Fetches a chunk's files before they are needed: then a failure is reported.
 * @param {string} chunk */
export const prefetchChunk = (chunk) => CHUNKS[chunk]?.forEach((file) => fetchChunk(file).catch(() => {}));

/** Returns the import that loads a chunk. `callback` is an index in the table of functions.
 * @param {string[]} files @returns {(callback: number, data: number) => void} */
const load = (files) => (callback, data) => {
  const notify = (/** @type {boolean} */ isLoaded) => guard(wasm.__indirect_function_table.get(callback))(data, isLoaded);
  files.forEach((file) => fetchChunk(file).catch(() => {}));
  Promise.all(files.map(startChunk)).then(() => notify(true), (error) => {
    console.warn(error);
    notify(false);
  });
};
