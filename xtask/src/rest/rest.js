// Becomes part of the script of a program whose first file has what first views call. The rest follows when
// the browser is at rest; guard.js sees to it that nothing of it is called before it is there.

// Filled in when the files are made.
const REST = "";
// What the later parts need.
const BEFORE_PARTS = [REST];
let isWhole = false;
const makeWhole = () => once(started, REST, async () => {
  await WebAssembly.instantiate(await fetchPart(REST), { ...__wbg_get_imports(), __wasm_split: wasm });
  isWhole = true;
  waiting.forEach((go) => go());
});
// What was lost may come a little later, with longer and longer pauses, but not too long.
const MOST_MS = 30000;
const persist = (pause) => makeWhole().catch(
  () => isOver || setTimeout(persist, pause, Math.min(2 * pause, MOST_MS)),
);
let hasBegun = false;
const begin = () => {
  if (!hasBegun && !isOver) persist(1000);
  hasBegun = true;
};
// The later parts call all of the program, which comes with them.
const waiting = [];
const beforeParts = () => new Promise((resolve) => {
  begin();
  if (isWhole) resolve();
  else waiting.push(resolve);
});
// When the browser has nothing to do, unless somebody touches a view first.
const atRest = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 300));
const start = async (given) => {
  await __wbg_init(given);
  // By another address than the first time: something was called too early.
  if (new URL(import.meta.url).search) await makeWhole();
  else atRest(begin, { timeout: 3000 });
};
