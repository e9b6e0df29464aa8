// Tests of the prefetch of the picker.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, fakeFetch, json, load, setGlobals, settle } from "./support.mjs";

const NOW = Date.parse("2027-03-10T12:00:00Z");
const DAY_MS = 86_400_000;
const TYPE = { id: 41, lengthInMinutes: 30 };
const SLOTS = ["2027-03-10T09:00:00.000Z", "2027-03-12T09:00:00.000Z"];

/** Prefetches for an element. The service has one event type with two slots. */
async function prefetched(t, attributes, { type = TYPE, typeStatus, session, status = 200 } = {}) {
  t.mock.timers.enable({ apis: ["Date"], now: NOW });
  setGlobals(t, { document: { baseURI: "https://page.example/book/" } });
  const requests = fakeFetch(t, ({ url }) => url.includes("/slots")
    ? json({ data: { "2027-03-10": [{ start: SLOTS[0] }], "2027-03-12": [SLOTS[1]] } }, status)
    : json({ data: type }, typeStatus));
  const { prefetch } = await load("prefetch.js");
  const element = new FakeElement("booking-picker", attributes, { session });
  const { take, firstSlots } = prefetch(element, new AbortController().signal) ?? {};
  for (let count = 4; count; count--) await settle();
  return { take, requests, firstSlots };
}

const bySlug = { username: "ada", "event-slug": "intro", "time-zone": "Europe/Berlin" };
const typeUrl = "https://page.example/v2/event-types?username=ada&eventSlug=intro";
const slotsUrl = (changes = {}) => `https://page.example/v2/slots?${new URLSearchParams({
  eventTypeId: "41", start: "2027-03-10T00:00:00.000Z", end: "2027-03-31T00:00:00.000Z", timeZone: "Europe/Berlin", ...changes,
})}`;

test("prefetch: event type response is used once, for the same URL, and without waiting once it has arrived", async (t) => {
  const { take, requests } = await prefetched(t, bySlug);
  assert.equal(take("https://page.example/v2/event-types?username=ada&eventSlug=other"), undefined);
  assert.equal(take("https://page.example/v2/event-types/41"), undefined);
  assert.deepEqual(take(typeUrl), { status: 200, date: null, body: { data: TYPE } });
  assert.equal(take(typeUrl), undefined);
  assert.equal(requests[0].url, typeUrl);
});

test("prefetch: pending event type response is awaited", async (t) => {
  setGlobals(t, { document: { baseURI: "https://page.example/book/" } });
  /** @type {(response: unknown) => void} */
  let respond = () => {};
  fakeFetch(t, ({ url }) => url === typeUrl ? new Promise((resolve) => respond = resolve) : json({ data: {} }));
  const { prefetch } = await load("prefetch.js");
  const { take } = prefetch(new FakeElement("booking-picker", bySlug), new AbortController().signal);
  const response = take(typeUrl);
  respond(json({ data: TYPE }));
  assert.deepEqual((await response).body, { data: TYPE });
});

test("prefetch: missing event type is reported, other errors are left to the WebAssembly", async (t) => {
  for (const [typeStatus, expected] of [[404, 404], [429, undefined], [500, undefined]]) {
    t.mock.timers.reset();
    const { take } = await prefetched(t, bySlug, { typeStatus });
    assert.equal(take(typeUrl)?.status, expected);
  }
});

test("prefetch: requests carry no cookies and no referrer", async (t) => {
  const { take, requests } = await prefetched(t, bySlug);
  await take(slotsUrl());
  assert.equal(requests.length, 2);
  for (const { options } of requests) {
    assert.equal(options.credentials, "omit");
    assert.equal(options.referrerPolicy, "no-referrer");
    assert.ok(options.signal instanceof AbortSignal);
    assert.deepEqual(options.headers, { Accept: "application/json" });
  }
});

test("prefetch: slots response is filtered by the requested range", async (t) => {
  const { take } = await prefetched(t, bySlug);
  const response = take(slotsUrl({ start: "2027-03-11T00:00:00.000Z" }));
  assert.deepEqual(response.body, { data: { "2027-03-12": [SLOTS[1]] } });
  assert.equal(take(slotsUrl()), undefined, "a second time");
});

for (const [name, changes] of [
  ["another event type", { eventTypeId: "42" }],
  ["another time zone", { timeZone: "Europe/London" }],
  ["an earlier start", { start: "2027-03-01T00:00:00.000Z" }],
  ["a later end", { end: "2027-06-01T00:00:00.000Z" }],
  ["another duration", { duration: "60" }],
  ["a booking to reschedule", { bookingUidToReschedule: "u" }],
]) {
  test(`prefetch: slots response is not used for ${name}`, async (t) => {
    const { take } = await prefetched(t, bySlug);
    assert.equal(await take(slotsUrl(changes)), undefined);
  });
}

test("prefetch: failed slots response is not used", async (t) => {
  const { take } = await prefetched(t, bySlug, { status: 500 });
  assert.equal(await take(slotsUrl()), undefined);
});

test("prefetch: responses expire after 30 seconds", async (t) => {
  const { take } = await prefetched(t, bySlug);
  t.mock.timers.setTime(NOW + 30_001);
  assert.equal(take(typeUrl), undefined);
});

test("prefetch: nothing is requested where other requests come first", async (t) => {
  for (const [attributes, session] of [
    [bySlug, { token: "x" }],
    [{ ...bySlug, "booking-uid": "u" }],
    [{ ...bySlug, "seat-uid": "s" }],
    [{ username: "ada" }],
    [{ "event-slug": "intro" }],
    [{ "event-type-id": "0" }],
    [{ "event-type-id": "41x" }],
  ]) {
    t.mock.timers.reset();
    const { take, requests } = await prefetched(t, attributes, { session });
    assert.equal(take, undefined);
    assert.equal(requests.length, 0, JSON.stringify(attributes));
  }
});

test("prefetch: slots of the event type's own length are used", async (t) => {
  const { take } = await prefetched(t, bySlug, { type: { ...TYPE, lengthInMinutesOptions: [15, 30] } });
  assert.equal(take(slotsUrl({ duration: "30" })).status, 200);
});

for (const [attributes, key] of [
  [bySlug, { eventTypeSlug: "intro", username: "ada" }],
  [{ ...bySlug, "org-slug": "acme" }, { eventTypeSlug: "intro", username: "ada", organizationSlug: "acme" }],
  [{ "event-type-id": "41", "time-zone": "Europe/Berlin" }, { eventTypeId: "41" }],
  [{ "team-id": "7", "event-slug": "intro", "time-zone": "Europe/Berlin" }, { eventTypeId: "41" }],
]) {
  test(`prefetch: slots request with ${JSON.stringify(attributes)}`, async (t) => {
    const { take, requests } = await prefetched(t, attributes);
    const query = Object.fromEntries(new URL(requests[1].url).searchParams);
    const [start, end] = [-4, 49].map((days) => new Date(NOW + days * DAY_MS).toISOString());
    assert.deepEqual(query, { ...key, start, end, timeZone: "Europe/Berlin" });
    assert.equal(take(slotsUrl()).status, 200);
  });
}

test("prefetch: no slots are requested for a start date, or for an unknown event type of a team", async (t) => {
  for (const [attributes, type] of [
    [{ ...bySlug, "start-date": "2027-05-01" }, TYPE],
    [{ "team-id": "7", "event-slug": "intro" }, []],
  ]) {
    t.mock.timers.reset();
    const { take, requests } = await prefetched(t, attributes, { type });
    assert.equal(await take(slotsUrl()), undefined);
    assert.equal(requests.length, 1);
  }
});

for (const [attributes, url, version] of [
  [{ "event-type-id": "41" }, "https://page.example/v2/event-types/41"],
  [{ "team-id": "7", "event-slug": "intro" }, "https://page.example/v2/teams/7/event-types?eventSlug=intro"],
  [{ ...bySlug, "base-url": "https://api.example/v2/" }, "https://api.example/v2/event-types?username=ada&eventSlug=intro"],
  [{ ...bySlug, "base-url": "api.example" }, typeUrl],
  [{ ...bySlug, dialect: "cal", "event-type-id": "41" }, typeUrl, "2024-06-14"],
  [{ dialect: "cal", "team-id": "7", "event-slug": "intro" }, "https://page.example/v2/teams/7/event-types?eventSlug=intro"],
]) {
  test(`prefetch: first request with ${JSON.stringify(attributes)}`, async (t) => {
    const { requests } = await prefetched(t, attributes);
    assert.equal(requests[0].url, url);
    assert.equal(requests[0].options.headers["cal-api-version"], version);
  });
}

test("prefetch: first slots are those of the response, also after the view has filtered them", async (t) => {
  const { take, firstSlots } = await prefetched(t, bySlug);
  take(slotsUrl({ start: "2027-03-11T00:00:00.000Z" }));
  assert.deepEqual(await firstSlots, {
    eventType: TYPE, timeZone: "Europe/Berlin", days: { "2027-03-10": [{ start: SLOTS[0] }], "2027-03-12": [SLOTS[1]] },
  });
});

test("prefetch: without slots or event type there are no first slots", async (t) => {
  const { firstSlots } = await prefetched(t, bySlug, { status: 500 });
  assert.equal(await firstSlots, undefined);
  for (const typeStatus of [429, 500]) {
    t.mock.timers.reset();
    assert.equal(await (await prefetched(t, bySlug, { typeStatus })).firstSlots, undefined, `${typeStatus}`);
  }
  t.mock.timers.reset();
  const later = await prefetched(t, { ...bySlug, "start-date": "2027-05-01" });
  assert.equal(await later.firstSlots, undefined);
});
