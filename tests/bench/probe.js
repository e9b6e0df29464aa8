// Records inside the measured page when it shows what: calls of a driver would take the page's time, too.

const seen = {};
let shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });

const long = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) long.push(duration);
}).observe({ type: "longtask", buffered: true });

// Programs do not show their memory to the page.
const memories = [];
for (const name of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const made = await original.apply(WebAssembly, given);
    const { memory } = (made.instance ?? made).exports;
    if (memory) memories.push(memory);
    return made;
  };
}

const frame = () => new Promise((done) => requestAnimationFrame(done));

// When the frame that is being made has been painted.
async function painted() {
  const { port1, port2 } = new MessageChannel();
  await new Promise((done) => {
    port1.onmessage = done;
    port2.postMessage(0);
  });
  return performance.now();
}

// Whether it is where a person sees it and nothing covers it.
function isReachable(element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  if (!width || !height) return false;
  return element.contains(element.getRootNode().elementFromPoint(x + width / 2, y + height / 2));
}

async function found(find, isEnough = isReachable) {
  for (;;) {
    // What is there now is painted in this frame.
    await frame();
    const element = find();
    if (element && isEnough(element)) return element;
  }
}

// Notes when something is shown for the first time.
async function note(name, find, isEnough) {
  const element = await found(find, isEnough);
  seen[name] = await painted();
  return element;
}

// How long it takes from `act` until what it leads to is painted.
async function time(name, act, find, isEnough) {
  const before = performance.now();
  act();
  await found(find, isEnough);
  seen[name] = await painted() - before;
}

const sum = (all) => all.reduce((sum, each) => sum + each, 0);
const told = () => ({
  ...seen,
  fcp: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
  shift,
  longest: Math.max(0, ...long),
  blocking: sum(long.map((duration) => duration - 50)),
  memory: sum(memories.map(({ buffer }) => buffer.byteLength)),
});
