// Reads the calendar files of a folder with ical.js, with the zones in the files, and compares them with what its
// expected.json says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ICAL from "ical.js";

const folder = process.argv[2];
const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
const problems = [];

function compare(where, found, wanted) {
  const texts = [found, wanted].map((value) => String(JSON.stringify(value)));
  if (texts[0] !== texts[1]) {
    problems.push(`${where}:\n  found  ${texts[0].slice(0, 600)}\n  wanted ${texts[1].slice(0, 600)}`);
  }
}

const read = (name) => new ICAL.Component(ICAL.parse(readFileSync(join(folder, `${name}.ics`), "utf8")));

function address(value) {
  const [scheme, ...rest] = value.split(":");
  compare("scheme", scheme, "mailto");
  return decodeURIComponent(rest.join(":"));
}

/** `2027-03-29T09:00:00+02:00`. */
function iso(time) {
  const minutes = Math.abs(time.utcOffset() / 60);
  const pair = (number) => String(Math.trunc(number)).padStart(2, "0");
  const sign = time.utcOffset() < 0 ? "-" : "+";
  return `${time.toString().replace("Z", "")}${sign}${pair(minutes / 60)}:${pair(minutes % 60)}`;
}

/** Starts of all events of files that take place: those of a series and of changed occurrences, or single ones. */
function starts(events) {
  const [series] = events.filter((event) => !event.hasProperty("recurrence-id"));
  const exceptions = events.filter((event) => event.hasProperty("recurrence-id"));
  if (!series) {
    return exceptions.map((event) => new ICAL.Event(event).startDate);
  }
  const event = new ICAL.Event(series, { exceptions });
  if (!event.isRecurring()) {
    return [event.startDate];
  }
  const found = [];
  const iterator = event.iterator();
  for (let start = iterator.next(); start && found.length < 1_000; start = iterator.next()) {
    const details = event.getOccurrenceDetails(start);
    if (details.item.component.getFirstPropertyValue("status") !== "CANCELLED") {
      found.push(details.startDate);
    }
  }
  return found.sort((a, b) => a.toUnixTime() - b.toUnixTime());
}

function check(name, wanted) {
  const calendar = read(name);
  const events = calendar.getAllSubcomponents("vevent");
  compare(`${name} events`, events.length, 1);
  const [event] = events;
  const value = (key) => event.getFirstPropertyValue(key);
  compare(`${name} UID`, value("uid"), wanted.uid);
  if (wanted.instants) {
    const instants = starts(events).map((start) => start.toJSDate().toISOString());
    compare(`${name} instants`, instants, wanted.instants);
    return;
  }
  compare(`${name} METHOD`, calendar.getFirstPropertyValue("method"), wanted.method);
  compare(`${name} SEQUENCE`, value("sequence"), wanted.sequence);
  compare(`${name} STATUS`, value("status"), wanted.status);
  for (const key of ["summary", "description", "location", "url"]) {
    compare(`${name} ${key}`, value(key) ?? "", wanted[key]);
  }
  const organizer = event.getFirstProperty("organizer");
  const person = (property) => [address(property.getFirstValue()), property.getFirstParameter("cn") ?? ""];
  compare(`${name} ORGANIZER`, person(organizer), wanted.organizer);
  const sentBy = organizer.getFirstParameter("sent-by");
  compare(`${name} SENT-BY`, sentBy ? address(sentBy) : "", wanted.sent_by);
  const attendees = event.getAllProperties("attendee").map((attendee) => [
    ...person(attendee),
    attendee.getFirstParameter("role"),
    attendee.getFirstParameter("partstat"),
    attendee.getFirstParameter("rsvp") === "TRUE",
  ]);
  compare(`${name} ATTENDEE`, attendees, wanted.attendees);
  compare(`${name} RRULE`, event.hasProperty("rrule"), wanted.rule ?? false);
  const original = value("recurrence-id");
  compare(`${name} RECURRENCE-ID`, original ? iso(original) : undefined, wanted.recurrence_id);
  const minutes = (value("dtend").toUnixTime() - value("dtstart").toUnixTime()) / 60;
  compare(`${name} length`, minutes, wanted.minutes);
  compare(`${name} starts`, starts(events).map(iso), wanted.starts);
}

for (const { name, expected: wanted } of expected.files) {
  check(name, wanted);
}
for (const { files, starts: wanted } of expected.calendars) {
  const events = files.flatMap((name) => read(name).getAllSubcomponents("vevent"));
  compare(files.join(), starts(events).map(iso), wanted);
}
console.log(`ical.js: ${expected.files.length} files, ${problems.length} problems`);
if (problems.length > 0) {
  console.error(problems.slice(0, 40).join("\n"));
  process.exit(1);
}
