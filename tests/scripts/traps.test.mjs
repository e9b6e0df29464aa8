// Tests of trap detection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, load, setGlobals } from "./support.mjs";

const script = () => load("traps.js", ["containTyping", "guard", "guarded"]);
const trap = () => {
  throw new Error("unreachable");
};

test("traps: trap is attributed to the element that has input", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const listeners = {};
  setGlobals(t, { addEventListener: (type, listener) => listeners[type] = listener });
  const { watchTraps, trackInput, guard } = await script();
  const traps = [];
  watchTraps(new Map(), (touched) => traps.push(touched));
  const [first, second] = [new FakeElement("first"), new FakeElement("second")];
  const [firstRoot, secondRoot] = [0, 1].map(() => Object.assign(new EventTarget(), { contains: () => false }));
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

test("traps: key typed in a field does not reach the page", async () => {
  const { containTyping } = await script();
  const field = (isField = true) => ({ matches: () => isField });
  const [own, button, slotted] = [field(), field(false), field()];
  const root = { contains: (node) => node !== slotted };
  const reaches = (event, target = own) => {
    let passes = true;
    containTyping({ target, getModifierState: () => false, stopPropagation: () => passes = false, ...event }, root);
    return passes;
  };
  for (const key of ["s", "/", " ", "?", "F", "é", "Enter", "Backspace", "ArrowLeft", "Home", "Process", "Dead", undefined]) {
    assert.equal(reaches({ key }), false, key);
    assert.equal(reaches({ key }, button), true, `${key} on a button`);
    assert.equal(reaches({ key }, slotted), true, `${key} in the page's own field`);
    for (const modifier of ["ctrlKey", "metaKey", "altKey"]) assert.equal(reaches({ key, [modifier]: true }), true, `${modifier} ${key}`);
  }
  for (const key of ["Escape", "Tab", "F1", "F12", "Shift", "Control", "Alt", "AltGraph", "Meta"]) assert.equal(reaches({ key }), true, key);
  // AltGr on Windows, and the key that ends a composition.
  assert.equal(reaches({ key: "@", ctrlKey: true, altKey: true, getModifierState: () => true }), false);
  assert.equal(reaches({ key: "Escape", isComposing: true }), false);
});

test("traps: all events of a typed key are kept from the page", async () => {
  const { trackInput } = await script();
  const root = Object.assign(new EventTarget(), { contains: () => true, matches: () => true });
  trackInput(new FakeElement("a"), root);
  for (const type of ["keydown", "keypress", "keyup", "input"]) {
    const event = Object.assign(new Event(type, { bubbles: true }), { key: "s" });
    root.dispatchEvent(event);
    assert.equal(event.cancelBubble, type !== "input", type);
  }
});

test("traps: root is tracked for its first element only", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { trackInput } = await script();
  const root = new EventTarget();
  const add = t.mock.method(root, "addEventListener");
  trackInput(new FakeElement("a"), root);
  const count = add.mock.callCount();
  trackInput(new FakeElement("b"), root);
  assert.equal(add.mock.callCount(), count);
});

test("traps: guard passes arguments and results through", async () => {
  const { guard } = await script();
  assert.equal(guard((a, b) => a + b)(1, 2), 3);
});

test("traps: listener that the page could not remove is no trap", async (t) => {
  setGlobals(t, { addEventListener: () => {} });
  const { watchTraps, guard } = await script();
  let traps = 0;
  watchTraps(new Map(), () => traps += 1);
  assert.equal(guard(() => {
    throw new Error("closure invoked recursively or after being dropped");
  })(), undefined);
  assert.equal(traps, 0);
});

test("traps: only exports that the browser calls are guarded", async () => {
  const { guarded } = await script();
  const names = ["wasm_bindgen__convert__closures_____invoke__h1", "__wbindgen_destroy_closure", "__wbg_mounted_free"];
  const exports = Object.fromEntries([...names, "mount", "memory", "mounted_reset"].map((name) => [name, () => name]));
  const result = guarded(exports);
  for (const [name, value] of Object.entries(exports)) {
    assert.equal(result[name] === value, !names.includes(name), name);
    assert.equal(result[name](), name);
  }
});

test("traps: page from the back/forward cache is refreshed", async (t) => {
  const listeners = {};
  setGlobals(t, { addEventListener: (type, listener) => listeners[type] = listener });
  const { watchTraps } = await script();
  let refreshes = 0;
  watchTraps(new Map([[{ refresh: () => refreshes += 1 }, () => {}]]), () => {});
  listeners.pageshow({ persisted: false });
  assert.equal(refreshes, 0);
  listeners.pageshow({ persisted: true });
  assert.equal(refreshes, 1);
});

/** Shows a view in a root with the skeleton's style sheet and that of a chunk. Returns what happened, in order, and a
 * function that attaches the view. */
async function shown(t, { isFocused = false, skeleton = undefined, sheets = ["skeleton"], ready = () => {} }) {
  const events = [];
  const asked = [];
  let options;
  setGlobals(t, {
    mount: (_element, given) => {
      options = given;
      return { ready: () => {
        events.push("ready");
        ready();
      } };
    },
  });
  const { show } = await script();
  const element = new FakeElement("booking-picker", { "event-slug": "intro" }, { matches: () => isFocused });
  const root = { adoptedStyleSheets: sheets, replaceChildren: (view) => events.push(view) };
  const controller = new AbortController();
  show(element, root, { session: null }, controller.signal, (isReplaced) => {
    asked.push(isReplaced);
    return skeleton?.(events);
  });
  root.adoptedStyleSheets.push("chunk");
  const view = { focus: () => events.push("focus") };
  return { events, asked, options, root, view, controller, element, attach: () => options.attach(view, "view") };
}

test("traps: view gets the attributes and replaces the skeleton when it is rendered", async (t) => {
  const { events, options, root, view, attach } = await shown(t, {});
  const { attach: _, plain, ...others } = options;
  assert.equal(typeof plain, "function");
  assert.deepEqual(others, { session: null, attributes: { "event-slug": "intro" } });
  assert.deepEqual(events, []);
  await attach();
  assert.deepEqual(events, [view, "ready"]);
  assert.deepEqual(root.adoptedStyleSheets, ["view", "chunk"]);
  assert.equal(view.tabIndex, undefined);
});

test("traps: value of the page is copied as plain data", async () => {
  const { plain } = await load("traps.js", ["plain"]);
  const proxy = new Proxy({ a: [1, { b: null }] }, {});
  assert.deepEqual(plain({ proxy, get text() { return "x"; }, flag: true, none: undefined }), {
    proxy: { a: [1, { b: null }] }, text: "x", flag: true, none: undefined,
  });
  assert.deepEqual(Object.keys(plain(JSON.parse('{"__proto__":{"x":1}}'))), ["__proto__"]);
  const cyclic = { list: [] };
  cyclic.list.push(cyclic);
  const revoked = Proxy.revocable([], {});
  revoked.revoke();
  for (const value of [cyclic, revoked.proxy, { a: revoked.proxy }, { get a() { throw new Error("no"); } }]) assert.throws(() => plain(value));
});

test("traps: view gets the focus of the replaced content", async (t) => {
  const { events, view, attach } = await shown(t, { isFocused: true });
  await attach();
  assert.deepEqual(events, [view, "focus", "ready"]);
  assert.equal(view.tabIndex, -1);
});

test("traps: view waits for the button held down in the skeleton, and then continues it", async (t) => {
  let release;
  const skeleton = (events) => ({
    released: () => new Promise((resolve) => release = resolve),
    handOver: () => {
      events.push("read");
      return async () => events.push("repeated");
    },
  });
  const { events, view, attach } = await shown(t, { skeleton });
  const attached = attach();
  await null;
  assert.deepEqual(events, []);
  release();
  await attached;
  assert.deepEqual(events, ["read", view, "ready", "repeated"]);
});

test("traps: view of an element that was removed meanwhile is not attached", async (t) => {
  const { events, asked, controller, attach } = await shown(t, {});
  controller.abort();
  await attach();
  assert.deepEqual(events, []);
  // It may be that of the next start.
  assert.deepEqual(asked, []);
});

test("traps: trap when the view is announced is reported", async (t) => {
  const reported = t.mock.method(console, "error", () => {});
  const { attach } = await shown(t, { ready: trap });
  await attach();
  assert.match(reported.mock.calls[0].arguments[0].message, /unreachable/);
});

test("traps: style sheet of a chunk is kept when it came before the view, in place of the element's own content", async (t) => {
  const { root, attach } = await shown(t, { sheets: [] });
  await attach();
  assert.deepEqual(root.adoptedStyleSheets, ["view", "chunk"]);
});

test("traps: trap during the first rendering is attributed to its element", async (t) => {
  const { watchTraps, show, guard } = await script();
  const traps = [];
  let options;
  setGlobals(t, { addEventListener: () => {}, mount: (_element, given) => {
    options = given;
    return { ready: () => {} };
  } });
  watchTraps(new Map(), (touched) => traps.push(touched));
  const element = new FakeElement("booking-picker", {}, { matches: () => false });
  const root = { adoptedStyleSheets: [], replaceChildren: () => {} };
  show(element, root, {}, new AbortController().signal, () => undefined);
  assert.throws(guard(trap));
  await options.attach({}, "view");
  assert.throws(guard(trap));
  assert.deepEqual(traps, [element, undefined]);
});
