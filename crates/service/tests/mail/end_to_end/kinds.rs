//! Every kind of message in every language: recipients, language, local times on both sides of clock changes.

use std::collections::HashMap;
use std::ops::Range;

use booking_service::domain::zone_review;
use booking_service::messages::mail::reminders;
use booking_wire::Instant;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, booking};
use crate::fixture::header;
use crate::mail_server::local_times;
use crate::mail_service::{
    HOST_ADDRESS, MailService, OTHER_ADDRESS, assert_well_formed, body, entry, recipient, subject,
    text,
};
use crate::zones::set_told_offsets;

const LANGUAGES: [&str; 13] = [
    "ar", "de", "en", "es", "fr", "he", "hi", "ja", "nl", "pl", "pt-BR", "tr", "zh-CN",
];

/// Attendee's zone, days before and after a change of its clock, and the zone of the host.
const CLOCK_CHANGES: [[&str; 4]; 4] = [
    [
        "Europe/Rome",
        "2027-03-26",
        "2027-03-29",
        "America/New_York",
    ],
    [
        "America/New_York",
        "2027-03-12",
        "2027-03-15",
        "Europe/Rome",
    ],
    [
        "Europe/Rome",
        "2027-10-29",
        "2027-11-01",
        "America/New_York",
    ],
    [
        "America/New_York",
        "2027-11-05",
        "2027-11-08",
        "Europe/Rome",
    ],
];

/// The 12 kinds, each to all of its recipients.
const KIND_COUNT: usize = 12;

/// In place of the guest's address in a language.
const GUEST: &str = "guest";

/// A message that has to arrive.
struct Expected {
    kind: &'static str,
    email: String,
    language: &'static str,
    zone: &'static str,
    /// Key of the text that the subject has.
    headline: &'static str,
    method: Option<&'static str>,
    starts: Vec<String>,
}

/// Messages of one event, by their position among the received ones.
struct Event {
    expected: Vec<Expected>,
    received: Range<usize>,
}

struct Walk<'a> {
    mail: &'a MailService,
    language: &'static str,
    zones: [&'static str; 2],
    email: String,
    events: &'a mut Vec<Event>,
}

impl Walk<'_> {
    /// Sends what is due. `told`: address (empty: attendee), headline, method of the invitation (empty: none).
    async fn expect(&mut self, kind: &'static str, told: &[[&'static str; 3]], starts: &[&str]) {
        let before = self.mail.server.count();
        self.mail.send().await;
        let expected = told.iter().map(|[email, headline, method]| {
            let is_host = [HOST_ADDRESS, OTHER_ADDRESS].contains(email);
            Expected {
                kind,
                email: match *email {
                    "" => self.email.clone(),
                    GUEST => self.guest(),
                    email => email.to_owned(),
                },
                language: self.language,
                zone: self.zones[usize::from(is_host)],
                headline,
                method: Some(*method).filter(|method| !method.is_empty()),
                starts: starts.iter().map(|&start| start.to_owned()).collect(),
            }
        });
        let expected = expected.collect();
        let received = before..self.mail.server.count();
        self.events.push(Event { expected, received });
    }

    fn guest(&self) -> String {
        format!("guest-{}", self.email)
    }

    fn body(&self, event_type: i64, start: &str) -> Value {
        let mut body = booking(event_type, start);
        body["attendee"] = json!({
            "name": "Zoë Łukasik", "email": self.email, "timeZone": self.zones[0],
            "language": self.language,
        });
        body
    }
}

#[tokio::test]
async fn every_kind_arrives_in_every_language() {
    let mail = MailService::start().await;
    let service = &mail.service;
    let talk = service.event_type("talk", json!({})).await;
    let asked = json!({"confirmationPolicy": {"type": "always"}});
    let asked = service.event_type("asked", asked).await;
    let hosts = [HOST, OTHER_HOST];
    let team = Some("roundRobin");
    let shared = service
        .event_type_of("shared", team, &hosts, json!({}))
        .await;
    service
        .sql("UPDATE schedules SET time_zone = 'Europe/Berlin' WHERE id = 101")
        .await;
    mail.send().await;
    let mut events = Vec::new();
    for (index, language) in LANGUAGES.into_iter().enumerate() {
        let [zone, first_day, second_day, host_zone] = CLOCK_CHANGES[index % 4];
        let sql = format!(
            "UPDATE users SET locale = '{language}', time_zone = '{host_zone}', time_format = 24
             WHERE id IN ({HOST}, {OTHER_HOST})"
        );
        service.sql(&sql).await;
        let mut walk = Walk {
            mail: &mail,
            language,
            zones: [zone, host_zone],
            email: format!("{}@example.org", language.to_lowercase()),
            events: &mut events,
        };
        let time = format!("{:02}:{:02}:00Z", 8 + index / 2, index % 2 * 30);
        let (first, second) = (
            format!("{first_day}T{time}"),
            format!("{second_day}T{time}"),
        );

        let booked = mail.book(walk.body(talk, &first)).await;
        let told = [
            ["", "booked", "REQUEST"],
            [HOST_ADDRESS, "newBooking", "REQUEST"],
        ];
        walk.expect("booked", &told, &[&first]).await;
        let moved = mail
            .act(&booked, "reschedule", json!({"start": second}))
            .await;
        let told = [
            ["", "rescheduled", "REQUEST"],
            [HOST_ADDRESS, "rescheduled", "REQUEST"],
        ];
        walk.expect("rescheduled", &told, &[&second, &first]).await;
        let guests =
            json!({"guests": [{"email": walk.guest(), "timeZone": zone, "language": language}]});
        mail.act(&moved, "guests", guests).await;
        let told = [
            ["", "guestsAdded", "REQUEST"],
            [HOST_ADDRESS, "guestsAdded", "REQUEST"],
            [GUEST, "invited", "REQUEST"],
        ];
        walk.expect("guests_added", &told, &[&second]).await;
        let location = json!({"location": {"type": "link", "link": "https://meet.example/1"}});
        mail.act(&moved, "location", location).await;
        let all = |headline| {
            [
                ["", headline, "REQUEST"],
                [HOST_ADDRESS, headline, "REQUEST"],
                [GUEST, headline, "REQUEST"],
            ]
        };
        walk.expect("location_changed", &all("locationChanged"), &[&second])
            .await;
        mail.act(&moved, "cancel", json!({"cancellationReason": "Ill"}))
            .await;
        let told = all("cancelled").map(|[email, headline, _]| [email, headline, "CANCEL"]);
        walk.expect("cancelled", &told, &[&second]).await;

        for (day, action, kind, method) in [
            ("2027-04-06", "confirm", "confirmed", "REQUEST"),
            ("2027-04-07", "decline", "declined", ""),
        ] {
            let start = format!("{day}T{time}");
            let requested = mail.book(walk.body(asked, &start)).await;
            let told = [
                ["", "requested", ""],
                [HOST_ADDRESS, "newRequest", "REQUEST"],
            ];
            walk.expect("requested", &told, &[&start]).await;
            mail.act(&requested, action, json!({})).await;
            let of_host = if kind == "declined" { "CANCEL" } else { method };
            let told = [["", kind, method], [HOST_ADDRESS, kind, of_host]];
            walk.expect(kind, &told, &[&start]).await;
        }

        let start = format!("2027-04-08T{time}");
        let booked = mail.book(walk.body(shared, &start)).await;
        let is_first = booked["hosts"][0]["id"] == json!(HOST);
        let (from, to, id) = match is_first {
            true => (HOST_ADDRESS, OTHER_ADDRESS, OTHER_HOST),
            false => (OTHER_ADDRESS, HOST_ADDRESS, HOST),
        };
        let told = [["", "booked", "REQUEST"], [from, "newBooking", "REQUEST"]];
        walk.expect("booked", &told, &[&start]).await;
        let target = format!("/v2/bookings/{}/reassign/{id}", text(&booked["uid"]));
        let reassigned = service.post_as(&target, service.manager(), json!({})).await;
        reassigned.data();
        let told = [
            ["", "hostChanged", "REQUEST"],
            [to, "assignedToYou", "REQUEST"],
            [from, "assignedToOther", "CANCEL"],
        ];
        walk.expect("host_reassigned", &told, &[&start]).await;

        let target = "/v2/verified-resources/emails/verification-code/request";
        let request = json!({"email": walk.email, "language": language});
        let response = service.post(target, request).await;
        assert_eq!(response.status, 200, "{}", response.text);
        walk.expect("verification_code", &[["", "codeSubject", ""]], &[])
            .await;

        // A day and 31 hours before the start.
        let start = format!("2027-03-03T{time}");
        let booked = mail.book(walk.body(talk, &start)).await;
        let told = [
            ["", "booked", "REQUEST"],
            [HOST_ADDRESS, "newBooking", "REQUEST"],
        ];
        walk.expect("booked", &told, &[&start]).await;

        set_told_offsets(service, &booked, json!({zone: 0, host_zone: 0})).await;
        zone_review::run(&service.app).await.unwrap();
        let told = [
            ["", "clocksChanged", "REQUEST"],
            [HOST_ADDRESS, "clocksChanged", "REQUEST"],
        ];
        walk.expect("clocks_changed", &told, &[&start]).await;
    }
    // The reminders of all languages are due; the hosts have the last one.
    let before = mail.server.count();
    mail.advance_minutes(31 * 60);
    reminders::record_due(&service.app).await.unwrap();
    mail.send().await;
    let [last, last_zone] = [LANGUAGES[12], CLOCK_CHANGES[0][3]];
    let mut expected = Vec::new();
    for (index, language) in LANGUAGES.into_iter().enumerate() {
        let start = format!("2027-03-03T{:02}:{:02}:00Z", 8 + index / 2, index % 2 * 30);
        let attendee = format!("{}@example.org", language.to_lowercase());
        let host = HOST_ADDRESS.to_owned();
        for (email, language, zone) in [
            (attendee, language, CLOCK_CHANGES[index % 4][0]),
            (host, last, last_zone),
        ] {
            expected.push(Expected {
                kind: "reminder",
                email,
                language,
                zone,
                headline: "reminder",
                method: None,
                starts: vec![start.clone()],
            });
        }
    }
    let received = before..mail.server.count();
    events.push(Event { expected, received });
    check_all(&mail, events);
}

fn check_all(mail: &MailService, events: Vec<Event>) {
    let messages = mail.server.messages();
    let texts: HashMap<&str, Value> = LANGUAGES
        .into_iter()
        .map(|language| {
            let file = format!(
                "{}/../mail/texts/{language}.json",
                env!("CARGO_MANIFEST_DIR")
            );
            let texts = std::fs::read(file).unwrap();
            (language, serde_json::from_slice(&texts).unwrap())
        })
        .collect();
    let instants: Vec<(String, &str)> = events
        .iter()
        .flat_map(|event| &event.expected)
        .flat_map(|expected| expected.starts.iter().map(|start| (start, expected.zone)))
        .flat_map(|(start, zone)| [(start.clone(), zone), (end_of(start), zone)])
        .collect();
    let asked: Vec<(&str, &str)> = instants
        .iter()
        .map(|(at, zone)| (at.as_str(), *zone))
        .collect();
    let local: HashMap<(&str, &str), [i64; 6]> =
        asked.iter().copied().zip(local_times(&asked)).collect();
    let mut checked: HashMap<(&str, &str), usize> = HashMap::new();
    for event in &events {
        let mut left: Vec<&Value> = messages[event.received.clone()].iter().collect();
        for expected in &event.expected {
            let label = format!(
                "{} to {} in {}",
                expected.kind, expected.email, expected.language
            );
            let found = left.iter().position(|message| {
                recipient(message) == expected.email
                    && (expected.kind != "reminder" || is_about(message, expected, &local))
            });
            let found = found.unwrap_or_else(|| {
                let left: Vec<_> = left.iter().map(|it| (recipient(it), subject(it))).collect();
                panic!("{label} is missing in {left:?}")
            });
            check(
                left.remove(found),
                expected,
                &texts[expected.language],
                &local,
                &label,
            );
            *checked
                .entry((expected.kind, expected.language))
                .or_default() += 1;
        }
        let left: Vec<_> = left.iter().map(|it| (recipient(it), subject(it))).collect();
        assert!(left.is_empty(), "unexpected: {left:?}");
    }
    assert_eq!(checked.len(), KIND_COUNT * LANGUAGES.len());
}

/// End of a meeting of 30 minutes.
fn end_of(start: &str) -> String {
    Instant::parse(start).unwrap().plus_minutes(30).to_string()
}

type LocalTimes<'a> = HashMap<(&'a str, &'a str), [i64; 6]>;

fn is_about(message: &Value, expected: &Expected, local: &LocalTimes<'_>) -> bool {
    let [.., hour, minute, _] = local[&(expected.starts[0].as_str(), expected.zone)];
    has_time(body(message), expected, hour, minute)
}

fn check(message: &Value, expected: &Expected, texts: &Value, local: &LocalTimes<'_>, label: &str) {
    assert_well_formed(message);
    let language = header(message, "Content-Language");
    assert_eq!(language, Some(expected.language), "{label}");
    let headline = text(&texts[expected.headline]);
    let shown = subject(message);
    if expected.kind == "verification_code" {
        let (before, after) = headline.split_once("{code}").unwrap();
        assert!(
            shown.starts_with(before) && shown.ends_with(after),
            "{label}: {shown}"
        );
        let code: String = shown.chars().filter(char::is_ascii_digit).collect();
        assert_eq!(code.len(), 6, "{label}: {shown}");
        assert!(body(message).contains(&code), "{label}");
    } else {
        assert!(shown.contains(headline), "{label}: {shown}");
    }
    for start in &expected.starts {
        let end = end_of(start);
        // A sentence names the start of the former time alone.
        let is_former = expected.kind == "rescheduled" && start != &expected.starts[0];
        let instants = [start.as_str(), end.as_str()];
        for instant in &instants[..if is_former { 1 } else { 2 }] {
            let [year, _, day, hour, minute, offset] = local[&(*instant, expected.zone)];
            let shown = body(message);
            assert!(
                has_time(shown, expected, hour, minute),
                "{label} {hour}:{minute}\n{shown}"
            );
            assert!(
                has_number(shown, &year.to_string()),
                "{label} {year}\n{shown}"
            );
            assert!(
                has_number(shown, &day.to_string()) || has_number(shown, &format!("{day:02}")),
                "{label} {day}\n{shown}"
            );
            // The offset is that of the meeting, not that of an earlier time.
            let hours = (offset / 60).abs();
            let signs: &[char] = if offset < 0 {
                &['-', '\u{2212}']
            } else {
                &['+']
            };
            let has_offset = |sign: &char| has_number(shown, &format!("{sign}{hours}"));
            let is_current = start == &expected.starts[0];
            assert!(
                !is_current || signs.iter().any(has_offset),
                "{label} {offset}\n{shown}"
            );
        }
    }
    let method = message["calendar"]["method"].as_str();
    assert_eq!(method, expected.method, "{label}");
    if method.is_some() {
        let entry = entry(message);
        assert_eq!(
            text(&entry["start"]),
            without_fraction(&expected.starts[0]),
            "{label}"
        );
        assert_eq!(
            text(&entry["end"]),
            without_fraction(&end_of(&expected.starts[0])),
            "{label}"
        );
    }
}

fn without_fraction(instant: &str) -> String {
    instant.replace(".000Z", "Z")
}

/// True if a text has the time of day as it is written in the language and in the country of the zone: hosts have chosen
/// 24 hours.
fn has_time(shown: &str, expected: &Expected, hour: i64, minute: i64) -> bool {
    let is_host = [HOST_ADDRESS, OTHER_ADDRESS].contains(&expected.email.as_str());
    let has_24_hours = match expected.language {
        _ if is_host => true,
        "ar" | "hi" => false,
        "en" | "es" => expected.zone != "America/New_York",
        _ => true,
    };
    if has_24_hours {
        return has_number(shown, &format!("{hour:02}:{minute:02}"))
            || has_number(shown, &format!("{hour}:{minute:02}"));
    }
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = (hour + 11) % 12 + 1;
    let time = format!("{hour}:{minute:02}");
    match expected.language {
        "en" => [' ', '\u{a0}', '\u{202f}']
            .iter()
            .any(|space| has_number(shown, &format!("{time}{space}{half}"))),
        _ => has_number(shown, &time),
    }
}

/// True if a text has a number that is no part of another one.
fn has_number(shown: &str, number: &str) -> bool {
    shown.match_indices(number).any(|(index, _)| {
        let before = shown[..index].chars().next_back();
        let after = shown[index + number.len()..].chars().next();
        let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        !is_digit(before) && !is_digit(after)
    })
}
