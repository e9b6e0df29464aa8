// Becomes part of the script of a program whose first file has what first views call. The rest follows when
// the view has been painted; guard.js sees to it that nothing of it is called before it is there.

// Filled in when the files are made.
const REST = "";
let isWhole = false;
const makeWhole = () => once(started, REST, async () => {
  await WebAssembly.instantiate(await fetchPart(REST), { ...__wbg_get_imports(), __wasm_split: wasm });
  isWhole = true;
  waiting.forEach((go) => go());
});
// The later parts call all of the program. Who needs it tries again if it was lost.
const waiting = [];
const beforeParts = () => new Promise((resolve) => {
  if (isWhole) return resolve();
  waiting.push(resolve);
  begin();
});
// What was lost may come a little later, with longer and longer pauses.
const persist = (pause) => makeWhole().catch(() => isOver || setTimeout(persist, pause, 2 * pause));
// Views ask for later parts once they have been painted. Those that fail first ask for none.
const QUIET_MS = 3000;
let hasBegun = false;
const begin = () => {
  if (hasBegun || isOver) return;
  hasBegun = true;
  persist(1000);
};
const start = async (given) => {
  await __wbg_init(given);
  // By another address than the first time: something was called too early.
  if (new URL(import.meta.url).search) await makeWhole();
  else setTimeout(begin, QUIET_MS);
};
