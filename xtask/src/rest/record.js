// Stands in place of rest.js in a program that tells which of its functions are called before anything would
// have to wait for the rest.

// Filled in when the files are made: who is told, of how many functions, and where it says of each whether it
// was called.
const RECORDER = "";
const FUNCTIONS = 0;
const PLACE = 0;
// So long a view that waits for a part of its own is looked at: until it has said that it takes long.
const LOOK_MS = 6000;
// So often what is only looked at tells: pages may go without a word.
const TELL_MS = 1000;
const BEFORE_PARTS = [];
let isWhole = false;
let become;
const whole = new Promise((resolve) => become = resolve);
const tellCalled = () => {
  const called = new Uint8Array(wasm.memory.buffer, PLACE, FUNCTIONS).slice();
  // Beacons of a page may be no more than 64 KB together.
  if (!navigator.sendBeacon(RECORDER, called)) fetch(RECORDER, { method: "POST", body: called, mode: "no-cors" });
};
const makeWhole = async () => {
  if (!isWhole) tellCalled();
  isWhole = true;
  become();
};
const beforeParts = () => Promise.race([
  whole, new Promise((resolve) => setTimeout(resolve, LOOK_MS)).then(makeWhole),
]);
const start = async (given) => {
  await __wbg_init(given);
  addEventListener("pagehide", () => isWhole || tellCalled());
  setInterval(() => isWhole || tellCalled(), TELL_MS);
};
