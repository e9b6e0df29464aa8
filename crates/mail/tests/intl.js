// Formats instants as `Intl` does. Reads lines of JSON [locale, zone, hour cycle or null, milliseconds] and writes lines of
// JSON [long day, short day, short weekday, medium date, time, zone name, offset].
"use strict";

const lines = require("node:fs").readFileSync(0, "utf8").trim().split("\n");
for (const line of lines) {
  const [locale, timeZone, hour12, at] = JSON.parse(line);
  const format = (options) => new Intl.DateTimeFormat(locale, { timeZone, calendar: "gregory", ...options });
  const text = (options) => format(options).format(at);
  const zone = (timeZoneName) =>
    format({ timeZoneName }).formatToParts(at).find((part) => part.type === "timeZoneName").value;
  const cycle = hour12 === null ? {} : { hourCycle: "h12" };
  console.log(JSON.stringify([
    text({ weekday: "long", year: "numeric", month: "long", day: "numeric" }),
    text({ weekday: "short", year: "numeric", month: "short", day: "numeric" }),
    text({ weekday: "short" }),
    text({ dateStyle: "medium" }),
    // Two digits as in the widget.
    text(hour12 === false ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { hour: "numeric", minute: "2-digit", ...cycle }),
    zone("longGeneric"),
    zone("shortOffset"),
  ]));
}
