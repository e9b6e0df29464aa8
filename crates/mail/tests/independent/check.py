"""Reads the calendar files of a folder with `icalendar` and `recurring-ical-events` and compares them with what its
`expected.json` says. Each file is read twice: with the zones of the IANA database, and with those in the file."""

import datetime
import json
import pathlib
import re
import sys
import urllib.parse
import zoneinfo

import icalendar
import recurring_ical_events

UTC = datetime.timezone.utc
folder = pathlib.Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())
problems = []


def compare(where, found, wanted):
    if found != wanted:
        problems.append(f"{where}:\n  found  {str(found)[:600]}\n  wanted {str(wanted)[:600]}")


def read(name, own_zones):
    """The calendar of a file. With `own_zones`, its zones have names that only the file explains."""
    data = (folder / f"{name}.ics").read_bytes()
    text = data.decode()
    lines = data.split(b"\r\n")
    if lines.pop() != b"" or any(b"\r" in line or b"\n" in line for line in lines):
        problems.append(f"{name}: an odd end of a line")
    for line in lines:
        line.decode()
        if len(line) > 75:
            problems.append(f"{name}: {len(line)} bytes in a line")
    if own_zones:
        # Other names in each file: the library keeps zones by name.
        text = re.sub(r"(TZID[=:])([A-Z])", rf"\1{name}-\2", text)
    calendar = icalendar.Calendar.from_ical(text)
    compare(f"{name} errors", [event.errors for event in calendar.walk() if event.errors], [])
    return calendar


def address(value):
    scheme, rest = str(value).split(":", 1)
    compare("scheme", scheme, "mailto")
    return urllib.parse.unquote(rest)


def person(value, *names):
    return [address(value), str(value.params.get("CN", "")), *(value.params.get(name) for name in names)]


def attendees(event):
    values = event.get("ATTENDEE", [])
    values = values if isinstance(values, list) else [values]
    for value in values:
        compare("CUTYPE", value.params.get("CUTYPE"), "INDIVIDUAL")
    return [[*person(value, "ROLE", "PARTSTAT"), value.params.get("RSVP") == "TRUE"] for value in values]


def starts(calendar):
    """Starts of all events that take place."""
    events = recurring_ical_events.of(calendar).between((2017, 1, 1), (2042, 1, 1))
    events = [event for event in events if event.get("STATUS") != "CANCELLED"]
    return sorted(event["DTSTART"].dt for event in events)


def iso(times):
    return [time.isoformat() for time in times]


def check(name, wanted, own_zones):
    where = f"{name} ({'own zones' if own_zones else 'IANA zones'})"
    calendar = read(name, own_zones)
    events = calendar.walk("VEVENT")
    compare(f"{where} events", len(events), 1)
    event = events[0]
    compare(f"{where} UID", str(event["UID"]), wanted["uid"])
    compare(f"{where} alarms", len(calendar.walk("VALARM")), 0)
    zones = {str(zone["TZID"]) for zone in calendar.walk("VTIMEZONE")}
    used = {time.params["TZID"] for time in times(event) if "TZID" in time.params}
    compare(f"{where} zones", zones, used)
    if "instants" in wanted:
        instants = [time.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z" for time in starts(calendar)]
        compare(f"{where} instants", instants, wanted["instants"])
        return
    compare(f"{where} METHOD", str(calendar["METHOD"]), wanted["method"])
    compare(f"{where} SEQUENCE", int(event["SEQUENCE"]), wanted["sequence"])
    compare(f"{where} STATUS", str(event["STATUS"]), wanted["status"])
    compare(f"{where} DTSTAMP", event["DTSTAMP"].dt.isoformat(), "2027-01-04T09:00:00+00:00")
    for key in ("summary", "description", "location", "url"):
        compare(f"{where} {key}", str(event.get(key, "")), wanted[key])
    organizer = event["ORGANIZER"]
    compare(f"{where} ORGANIZER", person(organizer), wanted["organizer"])
    sent_by = organizer.params.get("SENT-BY")
    compare(f"{where} SENT-BY", address(sent_by) if sent_by else "", wanted["sent_by"])
    compare(f"{where} ATTENDEE", attendees(event), wanted["attendees"])
    compare(f"{where} RRULE", "RRULE" in event, wanted.get("rule", False))
    original = event.get("RECURRENCE-ID")
    compare(f"{where} RECURRENCE-ID", original and original.dt.isoformat(), wanted.get("recurrence_id"))
    start, end = (event[key].dt.astimezone(UTC) for key in ("DTSTART", "DTEND"))
    compare(f"{where} length", end - start, datetime.timedelta(minutes=wanted["minutes"]))
    if wanted["status"] == "CANCELLED":
        compare(f"{where} starts", iso([event["DTSTART"].dt]), wanted["starts"])
    else:
        compare(f"{where} starts", iso(starts(calendar)), wanted["starts"])


def times(event):
    for key in ("DTSTART", "DTEND", "RECURRENCE-ID", "RDATE"):
        values = event.get(key, [])
        yield from values if isinstance(values, list) else [values]


def check_zone(name):
    """Compares the zone in a file with the IANA database, from half a year before the first event until a year after
    the last one."""
    for component in read(name, False).walk("VTIMEZONE"):
        iana = zoneinfo.ZoneInfo(str(component["TZID"]))
        own = read(name, True)
        zone = own.walk("VTIMEZONE")[0].to_tz(lookup_tzid=False)
        found = starts(own) or [event["DTSTART"].dt for event in own.walk("VEVENT")]
        before, after = datetime.timedelta(days=180), datetime.timedelta(days=360)
        time, end = (edge.astimezone(UTC) for edge in (found[0] - before, found[-1] + after))
        time = time.replace(minute=0, second=0, microsecond=0)
        while time < end:
            local = time.astimezone(iana)
            # Libraries read a time that clocks show twice in different ways.
            plain = local.replace(tzinfo=None)
            if local.fold == 0 and local.utcoffset() == local.replace(fold=1).utcoffset():
                offset = plain.replace(tzinfo=zone).utcoffset()
                if offset != local.utcoffset():
                    compare(f"{name} {component['TZID']} {plain}", offset, local.utcoffset())
                    break
            time += datetime.timedelta(hours=3)


def of_files(names, own_zones):
    calendar = read(names[0], own_zones)
    for name in names[1:]:
        calendar.subcomponents.extend(read(name, own_zones).walk("VEVENT"))
    return calendar


for file in expected["files"]:
    for own_zones in (False, True):
        check(file["name"], file["expected"], own_zones)
    if file["name"].startswith(("zone-", "series-")) or file["name"].endswith("-weekly-13-2027-01-31"):
        check_zone(file["name"])
for calendar in expected["calendars"]:
    for own_zones in (False, True):
        compare("calendar", iso(starts(of_files(calendar["files"], own_zones))), calendar["starts"])
print(f"icalendar: {len(expected['files'])} files, {len(problems)} problems")
if problems:
    sys.exit("\n".join(problems[:40]))
