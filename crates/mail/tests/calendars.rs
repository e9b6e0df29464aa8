//! Checks invitations with calendar libraries that do not know this code: `icalendar` and `recurring-ical-events` for
//! Python, `ical.js` for JavaScript.
//!
//! `independent/cases.json` has bookings and what the libraries must read. The libraries are installed into the target
//! folder. Needs Python with venv, Node, npm and, for the first run, access to their package registries.

#[path = "../../service/tests/support/locked_packages.rs"]
mod locked_packages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use booking_mail::data::{BookingData, Person, SeriesData};
use booking_mail::invitation::{Sender, invitation};
use booking_mail::message::{Kind, Recipient, Role};
use booking_rules::recurrence;
use booking_wire::Instant;
use booking_wire::event_type::Recurrence;
use booking_zones::Zone;
use serde_json::{Map, Value, json};

const SENDER: Sender<'static> = Sender {
    name: "Booking desk",
    email: "booking@service.example",
};

const URL: &str = "https://book.example/bk1";

const NODE: &str = "needs Node 20 or later with npm (Debian: `apt install npm`)";

/// Text in place of `LONG` in the cases: with ten characters of one to four bytes, most of which have to be escaped.
const LONG: &str = "日\",;:\\^🎉 x";

#[test]
fn calendar_libraries_read_the_invitations() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calendars");
    if folder.is_dir() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/independent");
    let text = fs::read_to_string(sources.join("cases.json")).unwrap();
    let long = Value::from(LONG.repeat(1_000)).to_string();
    let cases: Value = serde_json::from_str(&text.replace("LONG", long.trim_matches('"'))).unwrap();
    let mut files = cases_files(&cases, &folder);
    files.extend(generated_series(&folder));
    let expected = json!({ "files": files, "calendars": cases["calendars"] });
    fs::write(folder.join("expected.json"), expected.to_string()).unwrap();

    let python = python(&sources);
    let mut check = Command::new(python);
    // The data of the package, not of the system.
    check.env("PYTHONTZPATH", "").env("PYTHONUTF8", "1");
    check.arg(sources.join("check.py")).arg(&folder);
    locked_packages::run(&mut check, "Python's libraries read something else").unwrap();
    let mut check = Command::new("node");
    check.arg(node(&sources).join("check.js")).arg(&folder);
    locked_packages::run(&mut check, "Node's libraries read something else").unwrap();
}

/// Writes the file of each case and returns what to expect of it.
fn cases_files(cases: &Value, folder: &Path) -> Vec<Value> {
    let merged = |base: &Value, changes: &Value| {
        let mut merged = base.as_object().unwrap().clone();
        merged.extend(changes.as_object().unwrap().clone());
        merged
    };
    let mut files = Vec::new();
    for case in cases["cases"].as_array().unwrap() {
        let text = |key: &str| case[key].as_str().unwrap();
        let booking = Value::Object(merged(&cases["booking"], &case["booking"]));
        let booking: BookingData = serde_json::from_value(booking).unwrap();
        let role = Role::from_name(text("role")).unwrap();
        let people = booking.hosts.iter().chain(&booking.former_hosts);
        let mut people = people.chain(&booking.attendees).chain(&booking.guests);
        let person = people.find(|person| person.email == text("email"));
        let person = person.cloned().unwrap();
        let recipient = Recipient { role, person };
        let kind = Kind::from_name(text("kind")).unwrap();
        let found = invitation(kind, &booking, &recipient, Some(URL), None, SENDER);
        let name = text("name");
        assert_eq!(found.is_none(), case["expected"].is_null(), "{name}");
        let Some(found) = found else { continue };
        let method = case["expected"]["method"].as_str().unwrap();
        assert_eq!(found.method.name(), method, "{name}");
        fs::write(folder.join(format!("{name}.ics")), found.text).unwrap();
        let expected = merged(&cases["expected"][method], &case["expected"]);
        files.push(json!({ "name": name, "expected": expected }));
    }
    files
}

/// Writes series whose starts the service computes, in many zones, and returns what to expect of them.
fn generated_series(folder: &Path) -> Vec<Value> {
    // Midnight, an hour of changes, and the middle of the day; from the middle and the end of a month and from 29 February.
    let days = [
        "2027-01-31",
        "2027-03-14",
        "2027-03-21",
        "2027-10-10",
        "2028-02-29",
        "2028-08-30",
    ];
    let zones = [
        "Europe/Berlin",
        "America/New_York",
        "Europe/Dublin",
        "Africa/Casablanca",
        "America/Sao_Paulo",
        "Asia/Kolkata",
        "Australia/Lord_Howe",
        "Pacific/Chatham",
        "America/Nuuk",
        "Africa/Cairo",
        "Asia/Jerusalem",
        "UTC",
    ];
    let rules = [
        ("weekly", 1, 6),
        ("weekly", 13, 5),
        ("monthly", 1, 13),
        ("yearly", 1, 5),
    ];
    let mut files = Vec::new();
    for (index, zone) in zones.into_iter().enumerate() {
        let zone = Zone::named(zone).unwrap();
        for (frequency, interval, count) in rules {
            for (place, day) in days.into_iter().enumerate() {
                let hour = [0, 2, 14][(index + place) % 3];
                let local = format!("{day}T{hour:02}:30:00");
                let offset = |instant: Instant| zone.offset_s(instant) / 60;
                let shown = Instant::parse(&local).unwrap();
                let first = shown.plus_minutes(-offset(shown));
                let recurrence = Recurrence {
                    interval,
                    occurrences: count,
                    frequency: frequency.into(),
                };
                let starts = recurrence::starts(first, &recurrence, count, offset);
                let name = format!("generated-{index}-{frequency}-{interval}-{day}");
                let booking = BookingData {
                    calendar_uid: name.clone(),
                    start: first,
                    end: first.plus_minutes(45),
                    hosts: vec![Person {
                        email: "ada@example.org".into(),
                        ..Person::default()
                    }],
                    series: Some(SeriesData {
                        frequency: frequency.into(),
                        interval,
                        time_zone: zone.name().into(),
                        starts: starts.clone(),
                        ..SeriesData::default()
                    }),
                    ..BookingData::default()
                };
                let recipient = Recipient {
                    role: Role::Host,
                    person: booking.hosts[0].clone(),
                };
                let found =
                    invitation(Kind::Booked, &booking, &recipient, None, None, SENDER).unwrap();
                fs::write(folder.join(format!("{name}.ics")), found.text).unwrap();
                let mut expected = Map::new();
                expected.insert("instants".into(), json!(starts));
                expected.insert("uid".into(), json!(name));
                files.push(json!({ "name": name, "expected": expected }));
            }
        }
    }
    files
}

/// Returns a Python with the libraries.
fn python(sources: &Path) -> PathBuf {
    let requirements = sources.join("requirements.txt");
    let programs = locked_packages::python(&tools(), "calendars-python", &requirements);
    programs.unwrap().join("python")
}

/// Returns a folder with the script for Node and its libraries.
fn node(sources: &Path) -> PathBuf {
    let folder = tools().join("calendars-node");
    let lock = sources.join("package-lock.json");
    let installed = locked_packages::install(&folder, &lock, || {
        for file in ["package.json", "package-lock.json"] {
            fs::copy(sources.join(file), folder.join(file)).unwrap();
        }
        let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        locked_packages::run(npm.current_dir(&folder), NODE)
    });
    installed.unwrap();
    // Node looks for libraries beside the script.
    fs::copy(sources.join("check.js"), folder.join("check.js")).unwrap();
    folder
}

/// Returns the folder for tools.
fn tools() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools")
}
