//! Titles of bookings whose visitor gives none (contract 3.3, `customName`).

use booking_wire::JsonMap;
use serde_json::Value;

use crate::input_limits::MAX_BOOKING_TITLE_CHARS;
use crate::store::event_types::Stored;

/// Facts about a booking that its title may name.
#[derive(Clone, Copy, Debug)]
pub struct TitleFacts<'a> {
    /// The first of them is the organiser.
    pub host_ids: &'a [i64],
    /// Name of the person who books.
    pub attendee: &'a str,
    /// Length of the meeting.
    pub minutes: i64,
    /// Answers by slug, with the location among them.
    pub responses: &'a JsonMap,
}

/// Title of a booking: the event type's custom name with its placeholders filled in, else
/// "Intro call between Ada Lovelace and Zoë Łukasik".
pub fn booking_title(stored: &Stored, facts: &TitleFacts<'_>) -> String {
    let event_type = stored.wire.title.as_str();
    let host = organiser(stored, facts.host_ids);
    if let Some(custom_name) = &stored.wire.custom_name {
        let filled = fill(custom_name, |name| {
            value(name, event_type, host, facts).unwrap_or_default()
        });
        if !filled.is_empty() {
            return filled;
        }
    }
    format!("{event_type} between {host} and {}", facts.attendee)
}

/// Name of the first host, empty if it is unknown.
fn organiser<'a>(stored: &'a Stored, host_ids: &[i64]) -> &'a str {
    let wire = &stored.wire;
    let users = wire.users.iter().map(|user| (user.id, &user.name));
    let hosts = wire
        .hosts
        .iter()
        .flatten()
        .map(|host| (host.id, &host.name));
    let first = host_ids.first();
    users
        .chain(hosts)
        .find(|(id, _)| Some(id) == first)
        .and_then(|(_, name)| name.as_deref())
        .unwrap_or_default()
}

/// Replaces each `{name}` of `template` once, in one pass: what is filled in is not searched again.
/// The result is one line of limited length.
fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}') {
            Some((name, after)) => {
                filled.push_str(&value(name));
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
                break;
            }
        }
        if filled.chars().count() > MAX_BOOKING_TITLE_CHARS {
            rest = "";
        }
    }
    filled.push_str(rest);
    let is_break = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    let line: String = filled
        .chars()
        .map(|letter| if is_break(letter) { ' ' } else { letter })
        .take(MAX_BOOKING_TITLE_CHARS)
        .collect();
    line.trim().to_owned()
}

fn value(name: &str, event_type: &str, host: &str, facts: &TitleFacts<'_>) -> Option<String> {
    let (first_name, last_name) = facts
        .attendee
        .split_once(' ')
        .unwrap_or((facts.attendee, ""));
    Some(match name {
        "Event type title" => event_type.to_owned(),
        "Organiser" | "HOST" => host.to_owned(),
        "Organiser first name" | "Organiser given name" => {
            host.split(' ').next().unwrap_or_default().to_owned()
        }
        "Scheduler" | "ATTENDEE" | "USER" | "HOST/ATTENDEE" => facts.attendee.to_owned(),
        "Scheduler first name" => first_name.to_owned(),
        "Scheduler last name" => last_name.to_owned(),
        "Event duration" => format!("{} mins", facts.minutes),
        "Location" | "LOCATION" | "location" => location(facts.responses.get("location")?),
        slug => answer(facts.responses.get(slug)?),
    })
}

/// Kind of the location; where exactly it is, is for those who may read the booking.
fn location(response: &Value) -> String {
    let kind = response["type"].as_str().unwrap_or_default();
    match kind {
        "address" | "attendeeAddress" => "In person",
        "phone" | "attendeePhone" => "Phone call",
        "link" => "Link meeting",
        "integration" => match response["integration"].as_str() {
            Some("svc-video") | None => "Video call",
            Some(app) => app,
        },
        "organizersDefaultApp" => "Video call",
        _ => return response["location"].as_str().unwrap_or_default().to_owned(),
    }
    .to_owned()
}

fn answer(response: &Value) -> String {
    match response {
        Value::String(text) => text.chars().take(MAX_BOOKING_TITLE_CHARS).collect(),
        Value::Number(_) | Value::Bool(_) => response.to_string(),
        Value::Array(items) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).take(20).collect();
            texts.join(", ")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled(template: &str) -> String {
        let responses = json!({
            "topic": "Plans\nand {HOST}", "size": 7, "agree": true, "days": ["Mon", "Tue"],
            "location": {"type": "attendeePhone", "phone": "+390612345678"},
        });
        let facts = TitleFacts {
            host_ids: &[1],
            attendee: "Zoë Anna Łukasik",
            minutes: 30,
            responses: responses.as_object().unwrap(),
        };
        fill(template, |name| {
            value(name, "Intro call", "Ada Brandt", &facts).unwrap_or_default()
        })
    }

    #[test]
    fn placeholders_known_are_filled_in() {
        for (template, title) in [
            (
                "{Event type title} between {Organiser} and {Scheduler}",
                "Intro call between Ada Brandt and Zoë Anna Łukasik",
            ),
            ("{HOST} {ATTENDEE}", "Ada Brandt Zoë Anna Łukasik"),
            (
                "{USER}/{HOST/ATTENDEE}",
                "Zoë Anna Łukasik/Zoë Anna Łukasik",
            ),
            ("{Organiser first name}, {Organiser given name}", "Ada, Ada"),
            (
                "{Scheduler first name}-{Scheduler last name}",
                "Zoë-Anna Łukasik",
            ),
            ("{Event duration}", "30 mins"),
            (
                "{Location}, {LOCATION}, {location}",
                "Phone call, Phone call, Phone call",
            ),
            ("{size} {agree} {days}", "7 true Mon, Tue"),
            ("no placeholder", "no placeholder"),
        ] {
            assert_eq!(filled(template), title, "{template}");
        }
    }

    #[test]
    fn placeholders_unknown_or_broken_leave_nothing_behind() {
        for (template, title) in [
            ("a{nothing}b", "ab"),
            ("{}", ""),
            ("a { b", "a { b"),
            ("{{HOST}}", "}"),
            ("} {HOST}", "} Ada Brandt"),
        ] {
            assert_eq!(filled(template), title, "{template}");
        }
    }

    #[test]
    fn title_filled_in_is_one_short_line_and_not_filled_again() {
        assert_eq!(filled("{topic}"), "Plans and {HOST}");
        assert_eq!(filled(&"{topic}".repeat(100)).chars().count(), 255);
        assert_eq!(filled(&"x".repeat(1000)).chars().count(), 255);
        assert_eq!(filled(" \n "), "");
    }
}
