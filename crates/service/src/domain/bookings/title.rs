//! Generated titles of bookings (`customName`).

use booking_wire::JsonMap;
use serde_json::Value;

use crate::input_limits::MAX_BOOKING_TITLE_CHARS;
use crate::store::event_types::StoredEventType;

/// Selected options of one response that a title names.
const MAX_ANSWERS_IN_TITLE: usize = 20;

/// Values of the placeholders in a title.
#[derive(Clone, Copy, Debug)]
pub struct TitleValues<'a> {
    /// Ids of the hosts; the first one is the organiser.
    pub host_ids: &'a [i64],
    /// Name of the person who books.
    pub attendee: &'a str,
    /// Length of the booking.
    pub minutes: i64,
    /// Form responses by slug, including the location.
    pub responses: &'a JsonMap,
}

/// Returns the title of a booking: the custom name of the event type with filled placeholders, else
/// "Intro call between Ada Lovelace and Zoë Łukasik".
pub fn booking_title(stored: &StoredEventType, values: &TitleValues<'_>) -> String {
    let event_type = stored.wire.title.as_str();
    let host = organiser(stored, values.host_ids);
    if let Some(custom_name) = &stored.wire.custom_name {
        let filled = fill_template(custom_name, |name| {
            placeholder_value(name, event_type, host, values).unwrap_or_default()
        });
        if !filled.is_empty() {
            return filled;
        }
    }
    format!("{event_type} between {host} and {}", values.attendee)
}

/// Returns the name of the first host, empty if it is unknown.
fn organiser<'a>(stored: &'a StoredEventType, host_ids: &[i64]) -> &'a str {
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

/// Replaces each `{name}` of `template` in one pass: placeholders in values are not replaced. The
/// result is one line of limited length.
fn fill_template(template: &str, value: impl Fn(&str) -> String) -> String {
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

fn placeholder_value(
    name: &str,
    event_type: &str,
    host: &str,
    values: &TitleValues<'_>,
) -> Option<String> {
    let (first_name, last_name) = values
        .attendee
        .split_once(' ')
        .unwrap_or((values.attendee, ""));
    Some(match name {
        "Event type title" => event_type.to_owned(),
        "Organiser" | "HOST" => host.to_owned(),
        "Organiser first name" | "Organiser given name" => {
            host.split(' ').next().unwrap_or_default().to_owned()
        }
        "Scheduler" | "ATTENDEE" | "USER" | "HOST/ATTENDEE" => values.attendee.to_owned(),
        "Scheduler first name" => first_name.to_owned(),
        "Scheduler last name" => last_name.to_owned(),
        "Event duration" => format!("{} mins", values.minutes),
        "Location" | "LOCATION" | "location" => location_label(values.responses.get("location")?),
        slug => response_text(values.responses.get(slug)?),
    })
}

/// Returns the type of the location; the exact location is only in the booking.
fn location_label(response: &Value) -> String {
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

fn response_text(response: &Value) -> String {
    match response {
        Value::String(text) => text.chars().take(MAX_BOOKING_TITLE_CHARS).collect(),
        Value::Number(_) | Value::Bool(_) => response.to_string(),
        Value::Array(items) => {
            let texts: Vec<&str> = items
                .iter()
                .filter_map(Value::as_str)
                .take(MAX_ANSWERS_IN_TITLE)
                .collect();
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
        let values = TitleValues {
            host_ids: &[1],
            attendee: "Zoë Anna Łukasik",
            minutes: 30,
            responses: responses.as_object().unwrap(),
        };
        fill_template(template, |name| {
            placeholder_value(name, "Intro call", "Ada Brandt", &values).unwrap_or_default()
        })
    }

    #[test]
    fn known_placeholders_are_replaced() {
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
    fn unknown_and_malformed_placeholders_are_removed() {
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
    fn filled_title_is_one_short_line_and_values_are_not_filled() {
        assert_eq!(filled("{topic}"), "Plans and {HOST}");
        assert_eq!(filled(&"{topic}".repeat(100)).chars().count(), 255);
        assert_eq!(filled(&"x".repeat(1000)).chars().count(), 255);
        assert_eq!(filled(" \n "), "");
    }
}
