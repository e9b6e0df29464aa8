// Tests of the skeleton.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, load, setGlobals } from "./support.mjs";

const { firstMonth } = await load("skeleton.js");

/** The skeleton's month for an element with these attributes, inside an element in `lang`, for a visitor's language. */
async function month(t, { lang, attributes = {}, visitor = "en-US", now = "2027-03-10T12:00:00Z" }) {
  t.mock.timers.reset();
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse(now) });
  setGlobals(t, { navigator: { language: visitor, languages: [visitor] } });
  const parent = new FakeElement("div", lang ? { lang } : {});
  const month = firstMonth(new FakeElement("booking-picker", { "event-slug": "intro", "time-zone": "UTC", ...attributes }, { parent }));
  if (!month) return undefined;
  const [[title], weekdays, days] = month.texts.map(([, texts]) => texts);
  // Ranges have thin spaces.
  return { title: title.replace(/\u2009/g, " "), weekdays: weekdays.join(" "), days: days.join(" ").trim() };
}

test("skeleton: month is in the page's language, with the week of its region or else of the visitor's", async (t) => {
  for (const [lang, visitor, title, firstDay] of [
    ["en-US", "de-DE", "March 2027", "Sun"],
    ["en", "de-DE", "March 2027", "Mon"],
    ["de", "en-US", "März 2027", "Mo"],
    ["de_AT", "en-US", "März 2027", "Mo"],
    ["ar-EG", "en-US", "مارس 2027", "السبت"],
    ["pt", "en-US", "março de 2027", "dom."],
    // Without translations.
    ["sv", "sv", "March 2027", "Sun"],
    ["zh-Hant", "en-US", "March 2027", "Sun"],
    [undefined, "fr-FR", "mars 2027", "lun."],
  ]) {
    const { title: shown, weekdays } = await month(t, { lang, visitor });
    assert.deepEqual([shown, weekdays.split(" ")[0]], [title, firstDay], lang);
  }
});

test("skeleton: late in the month it begins with the current week", async (t) => {
  for (const [now, title, first] of [
    ["2027-03-17T12:00:00Z", "March 2027", "1"],
    ["2027-03-18T12:00:00Z", "Mar – Apr 2027", "15"],
    ["2027-12-31T23:59:00Z", "Dec 2027 – Jan 2028", "27"],
  ]) {
    const shown = await month(t, { now, attributes: { "week-start": "monday" } });
    assert.deepEqual([shown.title, shown.days.split(" ")[0]], [title, first], now);
  }
});

test("skeleton: today is that of the time zone", async (t) => {
  const now = "2027-02-28T20:00:00Z";
  assert.equal((await month(t, { now })).title, "Feb – Mar 2027");
  assert.equal((await month(t, { now, attributes: { "time-zone": "Asia/Tokyo" } })).title, "March 2027");
});

test("skeleton: month is blank if it is not known before the start", async (t) => {
  for (const attributes of [
    { "start-date": "2027-05-01" }, { "booking-uid": "u" }, { "seat-uid": "s" }, { view: "week" }, { "event-slug": "" }, { "time-zone": "Nowhere" },
  ]) assert.equal(await month(t, { attributes }), undefined);
});

test("skeleton: first slots are shown only as the view would show them", async (t) => {
  const { isPlain } = await load("skeleton.js", ["isPlain"]);
  setGlobals(t, { navigator: { language: "en-US", languages: ["en-US"] } });
  const shows = (attributes, eventType, { state = null, now = "2027-03-10T12:00:00Z" } = {}) => {
    t.mock.timers.reset();
    t.mock.timers.enable({ apis: ["Date"], now: Date.parse(now) });
    setGlobals(t, { history: { state } });
    const element = new FakeElement("booking-picker", { "event-slug": "intro", "time-zone": "UTC", ...attributes });
    return isPlain(element, eventType, firstMonth(new FakeElement("booking-picker", { "event-slug": "intro", "time-zone": "UTC" })));
  };
  assert.equal(shows({}, {}), true);
  assert.equal(shows({}, { bookerLayouts: { defaultLayout: "month" }, seats: { disabled: true }, seatsPerTimeSlot: null }), true);
  assert.equal(shows({ view: "month" }, { bookerLayouts: { defaultLayout: "week" } }), true);
  assert.equal(shows({}, { requiresBookerEmailVerification: true }), true);
  assert.equal(shows({}, {}, { state: { turbo: {} } }), true);
  for (const attributes of [{ duration: "60" }, { "lock-time-zone": "" }, { view: "column" }]) assert.equal(shows(attributes, {}), false);
  for (const eventType of [
    { bookerLayouts: { defaultLayout: "week" } }, { lockTimeZoneToggleOnBookingPage: true },
    { bookingRequiresAuthentication: true }, { seats: { seatsPerTimeSlot: 3 } }, { seatsPerTimeSlot: 3 }, { minimumBookingNotice: "x" },
  ]) assert.equal(shows({}, eventType), false, JSON.stringify(eventType));
  assert.equal(shows({}, {}, { state: { bookingSteps: {} } }), false);
  // The first day that can be booked decides on the month and its first week.
  for (const [now, eventType, expected] of [
    ["2027-03-10", { minimumBookingNotice: 1440 }, true],
    // The grid begins with the current week then.
    ["2027-03-10", { minimumBookingNotice: 9 * 1440 }, false],
    ["2027-03-22", { minimumBookingNotice: 2 * 1440 }, true],
    ["2027-03-22", { minimumBookingNotice: 7 * 1440 }, false],
    ["2027-03-10", { minimumBookingNotice: 30 * 1440 }, false],
    ["2027-03-10", { bookingWindow: { type: "range", value: ["2027-03-01", "2027-05-01"] } }, true],
    ["2027-03-10", { bookingWindow: { type: "range", value: ["2027-04-20", "2027-05-01"] } }, false],
    ["2027-03-10", { bookingWindow: [{ type: "range", value: ["2027-04-20", "2027-05-01"], disabled: true }] }, true],
  ]) assert.equal(shows({}, eventType, { now: `${now}T12:00:00Z` }), expected, `${now} ${JSON.stringify(eventType)}`);
});

test("skeleton: slots are on their day in the time zone, whatever the service says", async () => {
  const { startsByDay } = await load("skeleton.js", ["startsByDay"]);
  const at = (text) => Date.parse(`${text}:00Z`);
  const [evening, late, next] = ["2027-03-10T10:00", "2027-03-10T15:30", "2027-03-11T01:00"].map(at);
  // Days of UTC, an unsorted one, a start without an object, and one that cannot be read.
  const sent = {
    "2027-03-10": [{ start: "2027-03-10T15:30:00Z" }, "2027-03-10T10:00:00Z", { start: {} }], "2027-03-11": [{ start: "2027-03-11T01:00:00Z" }], "2027-03-12": [],
  };
  assert.deepEqual(startsByDay(sent, "Asia/Tokyo"), { "2027-03-10": [evening], "2027-03-11": [late, next] });
  assert.deepEqual(startsByDay(sent, "UTC"), { "2027-03-10": [late, evening], "2027-03-11": [next] });
});

test("skeleton: times have the hour cycle of the attribute, or else of the language", async () => {
  const { timeFormat } = await load("skeleton.js", ["timeFormat"]);
  const evening = Date.parse("2027-03-10T19:30:00Z");
  for (const [language, hourCycle, shown] of [
    ["en-US", "", "8:30 PM"], ["en-US", "h23", "20:30"], ["en-US", "h24", "20:30"], ["de", "", "20:30"], ["de", "12", "8:30 PM"], ["de", "am", "20:30"], ["en-US", "23", "8:30 PM"],
  ]) {
    const format = timeFormat(new Intl.Locale(language), "Europe/Berlin", hourCycle);
    assert.equal(format.format(evening).replace("\u202f", " "), shown, `${language} ${hourCycle}`);
  }
});
