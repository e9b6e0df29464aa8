//! The body of what is sent: the interface's own, or what a subscriber's template makes of it.

use std::borrow::Cow;

use booking_wire::{Instant, JsonMap, Trigger};
use serde_json::{Value, json};

/// Content type of a body that is JSON.
pub const JSON: &str = "application/json";
/// Content type of every other body.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// A body and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// As it is sent and signed.
    pub body: String,
    /// [`JSON`] or [`FORM`].
    pub content_type: &'static str,
}

/// Writes a message. A template replaces it whole: `{{path}}` stands for a value of the payload,
/// for `triggerEvent` or for `createdAt`; steps of a path are names and positions in lists.
pub fn message(
    now: Instant,
    trigger: Trigger,
    payload: &JsonMap,
    template: Option<&str>,
) -> Message {
    let whole = json!({"triggerEvent": trigger, "createdAt": now, "payload": payload});
    match template {
        None => Message {
            body: whole.to_string(),
            content_type: JSON,
        },
        Some(template) if is_json(template) => Message {
            body: fill_json(template, &whole),
            content_type: JSON,
        },
        Some(template) => Message {
            body: fill_form(template, &whole),
            content_type: FORM,
        },
    }
}

/// Whether a template is JSON once its placeholders are values.
fn is_json(template: &str) -> bool {
    let filled: String = parts(template)
        .map(|part| match part {
            Part::Text(text) => text,
            Part::Path(_) => "0",
        })
        .collect();
    serde_json::from_str::<serde::de::IgnoredAny>(&filled).is_ok()
}

/// Fills in values so that the result is JSON whatever they hold: inside quotes as text, outside
/// as they are.
fn fill_json(template: &str, whole: &Value) -> String {
    let mut body = String::with_capacity(template.len() * 2);
    let mut quoted = false;
    for part in parts(template) {
        match part {
            Part::Text(text) => {
                quoted = quoted_after(text, quoted);
                body.push_str(text);
            }
            Part::Path(path) => {
                let value = look_up(whole, path);
                if quoted {
                    let escaped = json!(as_text(value)).to_string();
                    // Without the quotes: those of the template hold it.
                    body.push_str(escaped.get(1..escaped.len() - 1).unwrap_or_default());
                } else {
                    body.push_str(&value.unwrap_or(&Value::Null).to_string());
                }
            }
        }
    }
    body
}

/// Whether what follows `text` stands inside a JSON string.
fn quoted_after(text: &str, mut quoted: bool) -> bool {
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
    }
    quoted
}

fn fill_form(template: &str, whole: &Value) -> String {
    let mut body = String::with_capacity(template.len() * 2);
    for part in parts(template) {
        match part {
            Part::Text(text) => body.push_str(text),
            Part::Path(path) => percent_encode(&as_text(look_up(whole, path)), &mut body),
        }
    }
    body
}

fn percent_encode(text: &str, into: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            into.push_str(&format!("%{byte:02X}"));
        }
    }
}

/// Texts as they are, nothing for what is not there, everything else as JSON.
fn as_text(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        None | Some(Value::Null) => "".into(),
        Some(Value::String(text)) => text.into(),
        Some(other) => other.to_string().into(),
    }
}

/// Finds a value from the top of the body or, for short, of the payload.
fn look_up<'a>(whole: &'a Value, path: &str) -> Option<&'a Value> {
    let walk = |from: &'a Value| {
        path.split('.').try_fold(from, |value, step| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            Value::Object(fields) => fields.get(step),
            _ => None,
        })
    };
    walk(whole).or_else(|| walk(whole.get("payload")?))
}

/// A stretch of a template.
enum Part<'a> {
    /// Stays as it is.
    Text(&'a str),
    /// Stands for a value.
    Path(&'a str),
}

/// Takes a template apart. Braces that enclose no path are text.
fn parts(template: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(at) = rest.get(from..)?.find("{{").map(|at| at + from) {
            let Some((path, after)) = rest.get(at + 2..)?.split_once("}}") else {
                break;
            };
            let path = path.trim();
            if is_path(path) {
                if at > 0 {
                    let (text, placeholder) = rest.split_at(at);
                    rest = placeholder;
                    return Some(Part::Text(text));
                }
                rest = after;
                return Some(Part::Path(path));
            }
            from = at + 1;
        }
        Some(Part::Text(std::mem::take(&mut rest)))
    })
}

fn is_path(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(template: Option<&str>) -> Message {
        let payload = json!({
            "title": "\"Intro\", with Zoë\n",
            "length": 30,
            "location": null,
            "organizer": {"name": "Ada & co", "id": 5},
            "attendees": [{"email": "zoe@example.org"}, {"email": "max@example.org"}],
        });
        message(
            Instant(1_803_888_000_000),
            Trigger::BookingCreated,
            payload.as_object().unwrap(),
            template,
        )
    }

    #[test]
    fn without_a_template_the_payload_comes_in_its_envelope() {
        let message = sent(None);
        let body: Value = serde_json::from_str(&message.body).unwrap();
        assert_eq!(message.content_type, "application/json");
        assert_eq!(body["triggerEvent"], "BOOKING_CREATED");
        assert_eq!(body["createdAt"], "2027-03-01T08:00:00.000Z");
        assert_eq!(body["payload"]["organizer"]["id"], 5);
        assert_eq!(body.as_object().unwrap().len(), 3);
    }

    #[test]
    fn a_template_that_is_json_stays_json_whatever_the_values_hold() {
        for (template, body) in [
            (
                r#"{"a": "{{title}}"}"#,
                json!({"a": "\"Intro\", with Zoë\n"}),
            ),
            (r#"{"a": {{title}}}"#, json!({"a": "\"Intro\", with Zoë\n"})),
            (r#"{"a": "{{length}} min"}"#, json!({"a": "30 min"})),
            (r#"{"a": {{length}}}"#, json!({"a": 30})),
            (
                r#"{"a": {{ organizer }}}"#,
                json!({"a": {"name": "Ada & co", "id": 5}}),
            ),
            (
                r#"{"a": {"b": "{{attendees.1.email}}"}}"#,
                json!({"a": {"b": "max@example.org"}}),
            ),
            (r#"{"a": "{{attendees.2.email}}"}"#, json!({"a": ""})),
            (
                r#"{"a": {{nothing}}, "b": "{{location}}"}"#,
                json!({"a": null, "b": ""}),
            ),
            (
                r#"["{{triggerEvent}}", "{{createdAt}}"]"#,
                json!(["BOOKING_CREATED", "2027-03-01T08:00:00.000Z"]),
            ),
            (r#"["{{payload.length}}"]"#, json!(["30"])),
            (
                r#"["\"{{length}}\\", "{{length}}"]"#,
                json!(["\"30\\", "30"]),
            ),
            (r#"{"{{length}}": "{{"}"#, json!({"30": "{{"})),
            (r#"["{{a b}} {{length}}"]"#, json!(["{{a b}} 30"])),
            (r#""{{{length}}}""#, json!("{30}")),
        ] {
            let message = sent(Some(template));
            assert_eq!(message.content_type, JSON, "{template}");
            let read: Value = serde_json::from_str(&message.body).unwrap();
            assert_eq!(read, body, "{template}");
        }
    }

    #[test]
    fn any_other_template_is_a_form_whose_values_cannot_break_out() {
        for (template, body) in [
            (
                "who={{organizer.name}}&n={{length}}",
                "who=Ada%20%26%20co&n=30",
            ),
            ("t={{title}}", "t=%22Intro%22%2C%20with%20Zo%C3%AB%0A"),
            ("plain", "plain"),
            ("{{", "{{"),
            ("{{}} {{length}} {{no", "{{}} 30 {{no"),
            ("{{{{length}}}}", "{{30}}"),
            ("{ \"a\": \"{{length}}\"", "{ \"a\": \"30\""),
        ] {
            let message = sent(Some(template));
            assert_eq!(message.content_type, FORM, "{template}");
            assert_eq!(message.body, body, "{template}");
        }
    }
}
