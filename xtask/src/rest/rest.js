// Becomes part of the script of a program whose first file has what first views call. The rest follows at
// once; guard.js sees to it that nothing of it is called before it is there.

// Filled in when the files are made.
const REST = "";
let isWhole = false;
const makeWhole = () => once(started, REST, async () => {
  await WebAssembly.instantiate(await fetchPart(REST), { ...__wbg_get_imports(), __wasm_split: wasm });
  isWhole = true;
});
// The later parts call all of the program.
const beforeParts = makeWhole;
const start = async (given) => {
  await __wbg_init(given);
  const whole = makeWhole();
  // By another address than the first time: something was called too early.
  if (new URL(import.meta.url).search) await whole;
  else whole.catch(() => {});
};
