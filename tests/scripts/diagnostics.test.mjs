// Tests of the diagnostics.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, fakeFetch, json, load, setGlobals } from "./support.mjs";

const { ATTRIBUTES } = await load("embed.js", ["ATTRIBUTES"]);
const { localeOf } = await load("page-locale.js");

const SERVICE = "https://api.example";
const FILES = "https://files.example/";

/** Diagnoses an element. `respond` gives the service's responses; the files are served unless it does so. */
async function diagnose(t, attributes, { session, bundle = "picker", respond = () => undefined, scripts = [], hasContent = true, violations = [] } = {}) {
  const document = Object.assign(new EventTarget(), { baseURI: "https://page.example/", scripts });
  setGlobals(t, { document, location: new URL("https://page.example/"), navigator: { onLine: true }, isSecureContext: true });
  const requests = fakeFetch(t, (request) => {
    for (const blockedURI of violations.filter((uri) => request.url.startsWith(uri))) {
      document.dispatchEvent(Object.assign(new Event("securitypolicyviolation"), {
        disposition: "enforce", effectiveDirective: "connect-src", blockedURI,
      }));
      throw new TypeError("blocked");
    }
    const response = respond(request);
    if (response) return response;
    if (request.url.startsWith(FILES)) {
      return new Response("", { headers: { "Content-Type": request.url.endsWith(".wasm") ? "application/wasm" : "text/javascript" } });
    }
    if (!request.url.startsWith(SERVICE)) throw new TypeError("no such server");
    const type = { id: 41 };
    const data = new URL(request.url).pathname === "/v2/event-types" ? [type] : {};
    return json({ status: "success", data }, 200, { Date: new Date().toUTCString() });
  });
  class BookingElement extends FakeElement {
    static bundle = bundle;
    static version = "1.0.0";
    static observedAttributes = ATTRIBUTES;
    isConnected = true;
    getClientRects = () => [{}];
    hasChildNodes = () => hasContent;
    querySelector = () => null;
  }
  const element = new BookingElement(bundle === "picker" ? "booking-picker" : "booking-list", attributes, { session });
  const tools = {
    file: (name) => ({ url: FILES + name, integrity: undefined }),
    importScript: () => load("hints.js"),
    isLocal: () => false,
    localeOf,
    FOREIGN: /^$/,
  };
  const module = await load("diagnostics.js");
  const report = await module.diagnose(BookingElement, element, tools);
  return { ...report, codes: report.findings.map(({ level, code }) => `${level} ${code}`), requests };
}

const usable = { "base-url": SERVICE, username: "ada", "event-slug": "intro" };
const isService = ({ url }) => url.startsWith(SERVICE);

test("diagnostics: working element has no findings", async (t) => {
  const report = await diagnose(t, usable);
  assert.deepEqual(report.codes, []);
  assert.deepEqual([report.ok, report.version], [true, "1.0.0"]);
});

test("diagnostics: requests carry no credentials", async (t) => {
  const { requests } = await diagnose(t, usable, { session: { token: "s3cret", headers: { "X-Key": "s3cret" } } });
  for (const { options } of requests) assert.equal(options.credentials, "omit");
  assert.doesNotMatch(JSON.stringify(requests), /s3cret/);
});

test("diagnostics: findings are sorted by level", async (t) => {
  const { codes, ok } = await diagnose(t, { "base-url": SERVICE }, { hasContent: false });
  assert.deepEqual(codes, ["error nothing-named", "info no-fallback"]);
  assert.equal(ok, false);
});

test("diagnostics: staff element without a session is an error", async (t) => {
  const { codes } = await diagnose(t, { "base-url": SERVICE }, { bundle: "staff" });
  assert.deepEqual(codes, ["error session-missing"]);
});

test("diagnostics: exposed secret is an error, in a trusted context an info", async (t) => {
  const session = { token: "svc_live_1" };
  assert.deepEqual((await diagnose(t, usable, { session })).codes, ["error secret-exposed"]);
  assert.deepEqual((await diagnose(t, usable, { session: { ...session, trustedContext: true } })).codes, ["info secret-exposed"]);
});

for (const [name, attributes, respond, codes] of [
  ["relative base-url without a slash", { ...usable, "base-url": "api.example" }, undefined, ["error base-url-odd"]],
  ["http base-url on an https page", { ...usable, "base-url": "http://api.example" }, undefined, ["error mixed-content"]],
  ["missing file", usable, ({ url }) => url === `${FILES}picker_bg.wasm` ? new Response("", { status: 404 }) : undefined, ["error files-missing"]],
  ["page of HTML in place of a file", usable, ({ url }) => url.startsWith(FILES) ? new Response("", { headers: { "Content-Type": "text/html" } }) : undefined, ["error files-missing"]],
  ["WebAssembly of another type", usable, ({ url }) => url.endsWith(".wasm") ? new Response("", { headers: { "Content-Type": "text/plain" } }) : undefined, ["warning files-type"]],
  ["response that is no service's", usable, (request) => isService(request) ? new Response("<html>") : undefined, ["error base-url-wrong", "info date-hidden"]],
  ["unknown event type", usable, (request) => isService(request) ? json({ status: "success", data: [] }) : undefined, ["error event-type-not-found", "info date-hidden"]],
  ["event type for signed-in callers", usable, (request) => isService(request) ? json({ status: "error" }, 401) : undefined, ["error event-type-guarded", "info date-hidden"]],
  ["unknown operation", usable, (request) => isService(request) ? json({ message: "Cannot GET /v2/event-types" }, 404) : undefined, ["error operation-unknown", "info date-hidden"]],
  ["failing service", usable, (request) => isService(request) ? json({ status: "error" }, 503) : undefined, ["warning service-failing", "info date-hidden"]],
]) {
  test(`diagnostics: ${name} gives ${codes[0].split(" ")[1]}`, async (t) => {
    assert.deepEqual((await diagnose(t, attributes, { respond })).codes, codes);
  });
}

test("diagnostics: unreachable service is told from one blocked by CORS or the page's policy", async (t) => {
  const fail = (isFailing) => (request) => {
    if (isService(request) && isFailing(request.options)) throw new TypeError("failed");
  };
  assert.deepEqual((await diagnose(t, usable, { respond: fail(() => true) })).codes, ["error service-unreachable"]);
  assert.deepEqual((await diagnose(t, usable, { respond: fail(({ mode }) => mode !== "no-cors") })).codes, ["error service-cors"]);
  assert.deepEqual((await diagnose(t, usable, { respond: fail(({ redirect }) => redirect === "error") })).codes, ["error service-redirects"]);
  assert.deepEqual((await diagnose(t, usable, { violations: [SERVICE] })).codes, ["error service-forbidden"]);
  assert.deepEqual((await diagnose(t, usable, { violations: [FILES] })).codes, ["error files-forbidden"]);
});

test("diagnostics: rejected header and method are named", async (t) => {
  const respond = (request) => {
    if (!isService(request)) return;
    const { method = "GET", headers = [] } = request.options;
    if (new Headers(headers).has("X-Team") || method === "PATCH") throw new TypeError("CORS");
  };
  const header = await diagnose(t, usable, { session: { headers: { "X-Team": "7" } }, respond });
  assert.deepEqual(header.codes, ["error header-forbidden"]);
  assert.match(header.findings[0].message, /x-team/);
  const method = await diagnose(t, usable, { respond });
  assert.deepEqual(method.codes, ["error method-forbidden"]);
  assert.match(method.findings[0].message, /PATCH/);
});

test("diagnostics: wrong clock is found", async (t) => {
  const respond = (request) => isService(request) ? json({ status: "success", data: [{}] }, 200, { Date: new Date(Date.now() + 3_600_000).toUTCString() }) : undefined;
  const { codes, findings } = await diagnose(t, usable, { respond });
  assert.deepEqual(codes, ["warning clock-off"]);
  assert.match(findings[0].message, /60 minutes behind/);
});

test("diagnostics: only copies of the loader count as several loaders", async (t) => {
  const urls = ["/embed.js", "/v1/embed-1.0.0.js", "/other/embed.js", "/embedding.js"].map((path) => `https://files.example${path}`);
  const respond = ({ url }) => urls.includes(url) ? new Response(url.includes("other") ? "another product" : '"booking-picker"') : undefined;
  const { codes, findings } = await diagnose(t, usable, { respond, scripts: urls.map((src) => ({ src })) });
  assert.deepEqual(codes, ["warning loader-twice"]);
  assert.ok(findings[0].message.includes(urls[1]) && !findings[0].message.includes(urls[2]));
});

test("diagnostics: findings about usage are included", async (t) => {
  const { codes } = await diagnose(t, { ...usable, theme: "drak" });
  assert.deepEqual(codes, ["warning value-invalid"]);
});

test("diagnostics: duration that the event type does not offer is found", async (t) => {
  const eventType = { id: 41, lengthInMinutes: 30, lengthInMinutesOptions: [30, 60] };
  const respond = (request) => new URL(request.url).pathname === "/v2/event-types"
    ? json({ status: "success", data: [eventType] }, 200, { Date: new Date().toUTCString() }) : undefined;
  assert.deepEqual((await diagnose(t, { ...usable, duration: "60" }, { respond })).codes, []);
  const { codes, findings } = await diagnose(t, { ...usable, duration: "45" }, { respond });
  assert.deepEqual(codes, ["warning duration-not-offered"]);
  assert.match(findings[0].fix, /30, 60/);
});
