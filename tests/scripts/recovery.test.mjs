// Tests of the recovery from traps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, load, setGlobals } from "./support.mjs";

const recovery = () => load("recovery.js", ["guard", "guarded"]);
const trap = () => {
  throw new Error("unreachable");
};

test("recovery: trap is attributed to the element that has input", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const listeners = {};
  setGlobals(t, { addEventListener: (type, listener) => listeners[type] = listener });
  const { watchTraps, trackInput, guard } = await recovery();
  const traps = [];
  watchTraps(new Map(), (touched) => traps.push(touched));
  const [first, second] = [new FakeElement("first"), new FakeElement("second")];
  const [firstRoot, secondRoot] = [new EventTarget(), new EventTarget()];
  trackInput(first, firstRoot);
  trackInput(second, secondRoot);
  firstRoot.addEventListener("click", () => {
    assert.throws(guard(trap), /unreachable/);
  });
  firstRoot.dispatchEvent(new Event("click"));
  secondRoot.dispatchEvent(new Event("keydown"));
  assert.throws(guard(trap));
  t.mock.timers.tick(0);
  assert.throws(guard(trap));
  assert.deepEqual(traps, [first, second, undefined]);
});

test("recovery: root is tracked for its first element only", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { trackInput } = await recovery();
  const root = new EventTarget();
  const add = t.mock.method(root, "addEventListener");
  trackInput(new FakeElement("a"), root);
  const count = add.mock.callCount();
  trackInput(new FakeElement("b"), root);
  assert.equal(add.mock.callCount(), count);
});

test("recovery: guard passes arguments and results through", async () => {
  const { guard } = await recovery();
  assert.equal(guard((a, b) => a + b)(1, 2), 3);
});

test("recovery: only exports that the browser calls are guarded", async () => {
  const { guarded } = await recovery();
  const names = ["wasm_bindgen__convert__closures_____invoke__h1", "__wbindgen_destroy_closure", "__wbg_mounted_free"];
  const exports = Object.fromEntries([...names, "mount", "memory", "mounted_reset"].map((name) => [name, () => name]));
  const result = guarded(exports);
  for (const [name, value] of Object.entries(exports)) {
    assert.equal(result[name] === value, !names.includes(name), name);
    assert.equal(result[name](), name);
  }
});

test("recovery: page from the back/forward cache is refreshed", async (t) => {
  const listeners = {};
  setGlobals(t, { addEventListener: (type, listener) => listeners[type] = listener });
  const { watchTraps } = await recovery();
  let refreshes = 0;
  watchTraps(new Map([[{ refresh: () => refreshes += 1 }, () => {}]]), () => {});
  listeners.pageshow({ persisted: false });
  assert.equal(refreshes, 0);
  listeners.pageshow({ persisted: true });
  assert.equal(refreshes, 1);
});

test("recovery: view gets the attributes, and the focus of the replaced content", async (t) => {
  const mounts = [];
  setGlobals(t, { mount: (_element, _root, options) => mounts.push(options) });
  const { show } = await recovery();
  const view = { focus: t.mock.fn() };
  const element = new FakeElement("booking-picker", { "event-slug": "intro" }, { matches: () => true });
  show(element, { firstChild: view }, { session: null });
  assert.deepEqual(mounts, [{ session: null, attributes: { "event-slug": "intro" } }]);
  assert.equal(view.tabIndex, -1);
  assert.equal(view.focus.mock.callCount(), 1);
  element.matches = () => false;
  show(element, { firstChild: view }, {});
  assert.equal(view.focus.mock.callCount(), 1);
});
