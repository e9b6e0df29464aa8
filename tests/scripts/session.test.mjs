// Tests of the sessions and their credentials.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { fakeFetch, json, load, setGlobals, settle } from "./support.mjs";

const SERVICE = "https://api.example";

/** Joins a session. Returns its credentials, the emitted events, and functions for time and requests. */
async function session(t, settings, { baseUrl = SERVICE, respond = () => json({}) } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const warnings = [];
  t.mock.method(console, "warn", (message) => warnings.push(message));
  const document = Object.assign(new EventTarget(), { baseURI: "https://page.example/", hidden: false });
  const window = new EventTarget();
  setGlobals(t, {
    document,
    location: new URL("https://page.example/"),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  });
  const requests = fakeFetch(t, respond);
  const { join } = await load("session.js");
  const events = [];
  const listener = (name, detail) => events.push([name, detail]);
  const credentials = join(settings, baseUrl, "svc", listener);
  const sign = async () => {
    const headers = new Headers();
    const version = await credentials.sign(headers, "GET", "/v2/bookings");
    return { headers: Object.fromEntries(headers), version };
  };
  const wait = async (ms) => {
    await settle();
    t.mock.timers.tick(ms);
    await settle();
  };
  return { credentials, events, warnings, requests, sign, wait, window, join, listener };
}

const reasons = (events) => events.filter(([name]) => name === "auth-required").map(([, { reason }]) => reason);
const tokenThatExpires = (expiresAt) => `head.${btoa(JSON.stringify({ expiresAt })).replace(/=+$/, "")}.signature`;

test("session: request is signed with token, client id and own headers", async (t) => {
  const { sign } = await session(t, { token: "abc", clientId: "web", headers: async () => ({ "X-Team": "7" }) });
  const { headers, version } = await sign();
  assert.deepEqual(headers, { authorization: "Bearer abc", "x-svc-client-id": "web", "x-team": "7" });
  assert.equal(typeof version, "number");
});

test("session: secrets are not readable from the credentials", async (t) => {
  const { credentials, sign } = await session(t, { token: "s3cret-token", refreshToken: "s3cret-refresh", headers: { "X-A": "s3cret-header" } });
  await sign();
  assert.equal(JSON.stringify(credentials), "{}");
  assert.doesNotMatch(inspect(credentials, { depth: 9, showHidden: true }), /s3cret/);
});

test("session: headers that browsers or proxies control are not sent", async (t) => {
  const { sign, warnings } = await session(t, {
    token: "abc", headers: { Cookie: "a", Host: "b", "Sec-Fetch-Mode": "c", "X-Ok": "d", "X-Bad": "e\r\nX-Evil: 1" },
  });
  assert.deepEqual((await sign()).headers, { authorization: "Bearer abc", "x-ok": "d" });
  assert.equal(warnings.length, 1);
});

test("session: more than 32 headers are not sent", async (t) => {
  const { sign } = await session(t, { headers: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`X-${index}`, "1"])) });
  assert.equal(Object.keys((await sign()).headers).length, 32);
});

test("session: no credentials are sent without https", async (t) => {
  const { sign, events, credentials } = await session(t, { token: "abc" }, { baseUrl: "http://api.example" });
  assert.deepEqual((await sign()).headers, {});
  assert.equal(await credentials.renew(1), false);
  assert.deepEqual(events, [["security-warning", { code: "insecure-origin" }]]);
});

test("session: local service needs no https", async (t) => {
  const { sign } = await session(t, { token: "abc" }, { baseUrl: "http://localhost:8080" });
  assert.equal((await sign()).headers.authorization, "Bearer abc");
});

test("session: API key and platform secret in the browser give a warning", async (t) => {
  const { sign, events } = await session(t, { token: "svc_live_1", headers: { "X-Platform-Secret": "x" } });
  await sign();
  await sign();
  assert.deepEqual(events.map(([, { code }]) => code).sort(), ["api-key", "secret-header"]);
});

test("session: concurrent requests share one initial token request", async (t) => {
  const getToken = t.mock.fn(async () => "fresh\n");
  const { sign } = await session(t, { getToken });
  const results = await Promise.all([sign(), sign(), sign()]);
  assert.deepEqual(getToken.mock.calls.map(({ arguments: [request] }) => request), [{ reason: "initial" }]);
  assert.ok(results.every(({ headers }) => headers.authorization === "Bearer fresh"));
});

test("session: token that has expired is renewed before the request", async (t) => {
  let now = 1000;
  t.mock.method(Date, "now", () => now);
  const getToken = t.mock.fn(async () => "second");
  const { sign } = await session(t, { token: tokenThatExpires(2000), getToken });
  assert.match((await sign()).headers.authorization, /^Bearer head\./);
  now = 3000;
  assert.equal((await sign()).headers.authorization, "Bearer second");
  assert.equal(getToken.mock.callCount(), 1);
});

test("session: concurrent rejections of one token renew it once", async (t) => {
  const getToken = t.mock.fn(async () => "second");
  const { sign, credentials, events } = await session(t, { token: "first", getToken });
  const { version } = await sign();
  assert.deepEqual(await Promise.all([credentials.renew(version), credentials.renew(version)]), [true, true]);
  assert.equal(await credentials.renew(version), true, "a late rejection");
  assert.equal(getToken.mock.callCount(), 1);
  assert.equal((await sign()).headers.authorization, "Bearer second");
  assert.deepEqual(events.map(([name]) => name), ["token-refresh-start", "token-refresh-success"]);
});

for (const status of [400, 401, 403, 498]) {
  test(`session: refresh URL with status ${status} ends the session`, async (t) => {
    const { sign, credentials, events, requests } = await session(t, { token: "first", refreshUrl: "/token" }, { respond: () => json({}, status) });
    const { version } = await sign();
    assert.equal(await credentials.renew(version), false);
    assert.equal(requests.length, 1);
    assert.equal((await sign()).version, "expired");
    assert.deepEqual(reasons(events), ["expired"]);
  });
}

test("session: refresh URL of the page gets its cookies and the old token", async (t) => {
  const { sign, credentials, requests } = await session(t, { token: "first", refreshUrl: "/token" }, { respond: () => json({ accessToken: "second" }) });
  const { version } = await sign();
  assert.equal(await credentials.renew(version), true);
  const [{ url, options }] = requests;
  assert.equal(url, "https://page.example/token");
  assert.equal(options.credentials, "same-origin");
  assert.deepEqual(options.headers, { Authorization: "Bearer first" });
});

test("session: insecure refresh URL of another origin is not requested", async (t) => {
  const { sign, credentials, requests, events } = await session(t, { token: "first", refreshUrl: "http://other.example/token" });
  await credentials.renew((await sign()).version);
  assert.equal(requests.length, 0);
  assert.ok(events.some(([, { code }]) => code === "bad-refresh-url"));
});

test("session: failing refresh URL is retried once, then with exponential backoff", async (t) => {
  const { sign, credentials, events, requests, wait } = await session(t, { token: "first", refreshUrl: "/token" }, { respond: () => json({}, 503) });
  const { version } = await sign();
  const renewal = credentials.renew(version);
  await wait(500);
  assert.equal(await renewal, "unavailable");
  assert.equal(requests.length, 2);
  assert.deepEqual(reasons(events), ["unavailable"]);
  for (const [attempt, delayMs] of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000].entries()) {
    const count = 2 + 2 * attempt;
    await wait(delayMs - 1);
    assert.equal(requests.length, count, `${delayMs} ms`);
    await wait(1);
    await wait(500);
    assert.equal(requests.length, count + 2, `${delayMs} ms`);
  }
  assert.deepEqual(reasons(events), ["unavailable"], "reported once");
});

test("session: paused session resumes when the network is back", async (t) => {
  let isDown = true;
  const { sign, credentials, events, wait, window } = await session(t, { token: "first", refreshUrl: "/token" }, {
    respond: () => isDown ? json({}, 503) : json({ accessToken: "second" }),
  });
  const renewal = credentials.renew((await sign()).version);
  await wait(500);
  await renewal;
  isDown = false;
  window.dispatchEvent(new Event("online"));
  await wait(0);
  assert.equal(events.at(-1)[0], "");
  assert.equal((await sign()).headers.authorization, "Bearer second");
});

test("session: token callback that never answers times out", async (t) => {
  const { sign, credentials, events, wait } = await session(t, { token: "first", getToken: () => new Promise(() => {}) });
  const renewal = credentials.renew((await sign()).version);
  await wait(30_000);
  assert.equal(await renewal, "unavailable");
  assert.deepEqual(events.find(([name]) => name === "token-refresh-error")[1], { reason: "timeout" });
});

test("session: error page instead of a token does not sign out", async (t) => {
  const { sign, credentials, events } = await session(t, { token: "first", getToken: async () => "<html>Error</html>" });
  assert.equal(await credentials.renew((await sign()).version), "unavailable");
  assert.deepEqual(reasons(events), ["unavailable"]);
});

test("session: new token of the page ends the pause", async (t) => {
  const { sign, credentials, events } = await session(t, { token: "first", getToken: async () => Promise.reject(new Error()) });
  await credentials.renew((await sign()).version);
  credentials.setToken("second");
  assert.equal((await sign()).headers.authorization, "Bearer second");
  assert.equal(events.at(-1)[0], "");
});

test("session: refresh token is used in a trusted context only", async (t) => {
  const settings = { token: "first", clientId: "web", refreshToken: "re\"fresh" };
  const respond = () => json({ data: { accessToken: "second", refreshToken: "next" } });
  const page = await session(t, settings, { respond });
  await page.credentials.renew((await page.sign()).version);
  assert.equal(page.requests.length, 0);
  assert.ok(page.events.some(([, { code }]) => code === "refresh-token"));
  t.mock.timers.reset();
  t.mock.restoreAll();
  const trusted = await session(t, { ...settings, trustedContext: true }, { respond });
  assert.equal(await trusted.credentials.renew((await trusted.sign()).version), true);
  assert.equal(trusted.requests[0].url, `${SERVICE}/v2/oauth/web/refresh`);
  assert.deepEqual(JSON.parse(trusted.requests[0].options.body), { refreshToken: "re\"fresh" });
});

test("session: elements with the same session share its credentials", async (t) => {
  const settings = { token: "abc" };
  const { credentials, join } = await session(t, settings);
  assert.equal(join(settings, SERVICE, "svc", () => {}), credentials);
  assert.notEqual(join(settings, "https://other.example", "svc", () => {}), credentials);
  assert.notEqual(join({ ...settings }, SERVICE, "svc", () => {}), credentials);
});

test("session: secrets are cleared after the last element has left", async (t) => {
  const settings = { token: "abc" };
  const { credentials, listener, join, sign, wait } = await session(t, settings);
  credentials.leave(listener);
  credentials.join(listener);
  await wait(0);
  assert.equal((await sign()).headers.authorization, "Bearer abc", "a restarted element");
  credentials.leave(listener);
  await wait(0);
  assert.deepEqual(await sign(), { headers: {}, version: "ended" });
  assert.notEqual(join(settings, SERVICE, "svc", () => {}), credentials);
});

test("session: failed headers callback pauses the session only after a rejection", async (t) => {
  const { sign, credentials } = await session(t, { headers: async () => Promise.reject(new Error()) });
  const { headers, version } = await sign();
  assert.deepEqual(headers, {});
  assert.equal(await credentials.renew(version), "unavailable");
});
