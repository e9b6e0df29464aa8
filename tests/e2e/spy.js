// Searches everything that a page's scripts can observe for texts that must not be there (`canary.rs`). Runs before
// everything else on the page.
window.spy = {
  // What must not be seen.
  canaries: [],
  // Where it was seen all the same.
  leaks: [],
  // Which origins were sent it in a header of a request, and in which.
  carried: [],
};
(() => {
  "use strict";
  const { spy } = window;
  const globals = new Set(Object.getOwnPropertyNames(window));
  const decoder = new TextDecoder();

  // All texts in a value, as deep as a listener could reach.
  const words = (value, known = new Set()) => {
    if (value === null || typeof value !== "object") return typeof value === "symbol" ? "" : String(value);
    if (known.has(value) || known.size > 2000 || value instanceof Node || value === window) return "";
    known.add(value);
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return decoder.decode(value);
    if (value instanceof Blob) {
      value.text().then((text) => note("a file", text));
      return value.type;
    }
    const parts = value instanceof Error ? [value.message, value.stack, value.cause] : [];
    if (value instanceof Event) {
      for (const name of ["detail", "message", "data", "reason", "error", "newValue", "state"]) parts.push(value[name]);
    }
    if (typeof value[Symbol.iterator] === "function") parts.push(...value);
    for (const name of Reflect.ownKeys(value)) {
      try {
        parts.push(name, value[name]);
      } catch {
        // What cannot be read tells nothing.
      }
    }
    return parts.map((part) => words(part, known)).join("\n");
  };

  const isSeenIn = (text) => spy.canaries.some((canary) => text.includes(canary));

  const note = (where, ...values) => {
    const text = values.map((value) => words(value)).join("\n");
    if (isSeenIn(text)) spy.leaks.push(`${where}: ${text.slice(0, 500)}`);
  };

  const listenAt = (owner, ...names) => {
    for (const name of names) {
      const real = owner[name];
      owner[name] = function (...values) {
        note(name, ...values);
        // Called bare, it is the window's.
        return Reflect.apply(real, this ?? window, values);
      };
    }
  };
  listenAt(JSON, "stringify");
  listenAt(EventTarget.prototype, "dispatchEvent");
  listenAt(window, "postMessage", "open");
  listenAt(MessagePort.prototype, "postMessage");
  listenAt(BroadcastChannel.prototype, "postMessage");
  listenAt(Worker.prototype, "postMessage");
  listenAt(History.prototype, "pushState", "replaceState");
  listenAt(Storage.prototype, "setItem");
  listenAt(XMLHttpRequest.prototype, "open", "setRequestHeader", "send");
  listenAt(Navigator.prototype, "sendBeacon");
  listenAt(IDBObjectStore.prototype, "put", "add");
  listenAt(IDBFactory.prototype, "open");
  listenAt(URL, "createObjectURL");
  listenAt(Performance.prototype, "mark", "measure");
  listenAt(console, "log", "info", "warn", "error", "debug", "trace", "dir", "table", "group");
  for (const name of ["WebSocket", "EventSource", "Worker", "BroadcastChannel"]) {
    const real = window[name];
    window[name] = class extends real {
      constructor(...values) {
        note(`new ${name}`, ...values);
        super(...values);
      }
    };
  }
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, "cookie");
  Object.defineProperty(Document.prototype, "cookie", {
    ...cookie,
    set(value) {
      note("cookie", value);
      cookie.set.call(this, value);
    },
  });

  // A request may carry it in the value of a header, and nowhere else.
  const { fetch } = window;
  window.fetch = function (input, init) {
    const request = input instanceof Request ? input : undefined;
    const { origin, href } = new URL(request?.url ?? input, document.baseURI);
    note("fetch", href, init?.body, init?.referrer, request?.referrer);
    if (request && !["GET", "HEAD"].includes(request.method)) {
      request.clone().text().then((body) => note("fetch", body));
    }
    for (const [name, value] of new Headers(init?.headers ?? request?.headers)) {
      note("fetch", name);
      if (isSeenIn(value)) spy.carried.push(`${origin} ${name}`);
    }
    return fetch.apply(window, arguments);
  };

  // What is shown for a moment only is shown.
  const observer = new MutationObserver((changes) => {
    for (const { target, attributeName, addedNodes } of changes) {
      if (attributeName) note("an attribute", target.getAttribute(attributeName));
      else note("a text", target.data ?? "");
      for (const node of addedNodes) {
        if (node.localName !== "script") note("a node", node.outerHTML ?? node.data);
      }
    }
  });
  const everything = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, everything);
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    observer.observe(root, everything);
    return root;
  };

  for (const name of ["error", "unhandledrejection", "securitypolicyviolation", "message", "storage", "popstate"]) {
    addEventListener(name, (event) => note(name, event), true);
  }

  // Looks at what there is at this moment; gives all leaks so far.
  spy.look = async () => {
    const walk = (node) => {
      if (node.localName === "script") return;
      for (const { name, value } of node.attributes ?? []) note(`the page: ${name}`, value);
      if (node.nodeType !== 1) note("the page", node.data ?? "");
      // What an element has gained by itself, as a script could list it.
      if (node.nodeType === 1) for (const key of Reflect.ownKeys(node)) note(`the page: ${String(key)}`, node[key]);
      if ("value" in node) note("the page: a field", node.value);
      for (const child of node.childNodes) walk(child);
      if (node.shadowRoot) walk(node.shadowRoot);
    };
    walk(document);
    note("the address", location.href, document.referrer, document.title, window.name);
    note("the history", history.state);
    note("the storage", { ...localStorage }, { ...sessionStorage }, document.cookie);
    note("the timeline", ...performance.getEntries().map((entry) => entry.name));
    for (const name of Object.getOwnPropertyNames(window)) {
      if (!globals.has(name)) note(`window.${name}`, window[name]);
    }
    // Neither kind of store is used at all.
    for (const { name } of await indexedDB.databases?.() ?? []) spy.leaks.push(`a database: ${name}`);
    for (const name of await window.caches?.keys() ?? []) spy.leaks.push(`a cache: ${name}`);
    return spy.leaks;
  };

  // Lets one out wherever this listens; gives where that was heard.
  spy.prove = async () => {
    const [canary] = spy.canaries;
    spy.leaks = [];
    JSON.stringify([{ canary }]);
    document.dispatchEvent(new CustomEvent("proof", { detail: { deep: [canary] } }));
    postMessage({ canary }, "*");
    history.pushState({ canary }, "", "#one");
    history.replaceState(null, "", `#${canary}`);
    localStorage.setItem("proof", canary);
    sessionStorage.proof = canary;
    document.cookie = `proof=${canary}`;
    console.info(new Error(canary));
    window.proof = { canary };
    document.body.title = canary;
    document.body.firstElementChild.append(canary);
    const text = document.body.appendChild(new Text("nothing yet"));
    text.data = canary;
    document.querySelector("booking-picker, booking-list").shadowRoot.append(canary);
    await (await window.fetch(`/embed/demo.css?${canary}`)).text();
    await window.fetch(new Request("/embed/demo.css", { method: "POST", body: `"${canary}"` }));
    const asked = new XMLHttpRequest();
    asked.open("GET", `/embed/demo.css?${canary}`);
    asked.setRequestHeader("x-proof", canary);
    asked.send();
    // An error that nobody caught and a promise that nobody kept, without a word in the console.
    dispatchEvent(new ErrorEvent("error", { message: canary, cancelable: true }));
    await spy.look();
    return [...new Set(spy.leaks.map((leak) => leak.split(": ")[0]))].sort();
  };
})();
