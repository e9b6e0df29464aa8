//! Templates of message bodies: `{{path}}` is replaced by a value.
//!
//! Templates and values are untrusted, so parsing and filling take linear time in the template and
//! the output, and filling stops at a size limit.
//!
//! Template engines evaluate expressions and have no limit for the length of their output.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::utf8_percent_encode;
use serde_json::{Value, json};

use super::retries_and_limits::MAX_PLACEHOLDERS;
use crate::api::RESERVED;

/// Objects and lists of the payload. A template may insert each of them once.
const WHOLE_OBJECTS: [&str; 16] = [
    "payload",
    "appsStatus",
    "attendees",
    "customInputs",
    "destinationCalendar",
    "metadata",
    "oooEntry",
    "oooEntry.toUser",
    "oooEntry.user",
    "organizer",
    "organizer.language",
    "responses",
    "team",
    "team.members",
    "userFieldsResponses",
    "videoCallData",
];

/// Reason why a template is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// More than [`MAX_PLACEHOLDERS`].
    TooManyPlaceholders,
    /// The path of an object that is inserted more than once.
    Repeated(String),
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyPlaceholders => {
                write!(f, "must hold at most {MAX_PLACEHOLDERS} placeholders")
            }
            Self::Repeated(path) => {
                write!(
                    f,
                    "must hold {{{{{path}}}}} at most once: it stands for a whole object"
                )
            }
        }
    }
}

/// Error: the filled template exceeds its size limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Output format of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Values are escaped or inserted so that the result stays JSON.
    Json,
    /// Values are percent-encoded.
    Form,
}

/// A parsed template.
#[derive(Clone, Debug)]
pub struct Template<'a> {
    segments: Vec<Segment<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

impl<'a> Template<'a> {
    /// Parses a template. Braces that enclose no path are text.
    pub fn parse(text: &'a str) -> Self {
        let mut segments = Vec::new();
        let mut text_start = 0;
        let mut position = 0;
        while let Some(found) = text.get(position..).and_then(|rest| rest.find("{{")) {
            let open = position + found;
            match placeholder(text.get(open + 2..).unwrap_or_default()) {
                Some((path, length)) => {
                    if let Some(before) = text.get(text_start..open).filter(|text| !text.is_empty())
                    {
                        segments.push(Segment::Text(before));
                    }
                    segments.push(Segment::Placeholder(path));
                    position = open + 2 + length;
                    text_start = position;
                }
                // The next pair of braces may begin with the second of these.
                None => position = open + 1,
            }
        }
        if let Some(rest) = text.get(text_start..).filter(|text| !text.is_empty()) {
            segments.push(Segment::Text(rest));
        }
        Self { segments }
    }

    /// Checks the limits for new templates.
    pub fn check(&self) -> Result<(), TemplateError> {
        if self.placeholders().count() > MAX_PLACEHOLDERS {
            return Err(TemplateError::TooManyPlaceholders);
        }
        let mut seen = Vec::new();
        for path in self.placeholders() {
            let name = path.strip_prefix("payload.").unwrap_or(path);
            if WHOLE_OBJECTS.contains(&name) {
                if seen.contains(&name) {
                    return Err(TemplateError::Repeated(path.to_owned()));
                }
                seen.push(name);
            }
        }
        Ok(())
    }

    /// Output format: JSON if the template is valid JSON with a value for each placeholder.
    pub fn format(&self) -> Format {
        let filled: String = self
            .segments
            .iter()
            .map(|segment| match segment {
                Segment::Text(text) => text,
                Segment::Placeholder(_) => "0",
            })
            .collect();
        match serde_json::from_str::<serde::de::IgnoredAny>(&filled) {
            Ok(_) => Format::Json,
            Err(_) => Format::Form,
        }
    }

    /// Replaces the placeholders by values of `message`, in at most `limit` bytes.
    pub fn fill(&self, format: Format, message: &Value, limit: usize) -> Result<String, TooLarge> {
        let mut body = Output {
            text: String::new(),
            limit,
        };
        let mut is_quoted = false;
        for segment in &self.segments {
            match (segment, format) {
                (Segment::Text(text), Format::Form) => body.push(text)?,
                (Segment::Text(text), Format::Json) => {
                    is_quoted = quoted_after(text, is_quoted);
                    body.push(text)?;
                }
                (Segment::Placeholder(path), Format::Form) => {
                    body.push_percent_encoded(&to_text(lookup(message, path)))?;
                }
                (Segment::Placeholder(path), Format::Json) if is_quoted => {
                    let escaped = json!(to_text(lookup(message, path))).to_string();
                    // Without the quotes: the template has its own.
                    body.push(escaped.get(1..escaped.len() - 1).unwrap_or_default())?;
                }
                (Segment::Placeholder(path), Format::Json) => match lookup(message, path) {
                    Some(value) => body.push(&value.to_string())?,
                    None => body.push("null")?,
                },
            }
        }
        Ok(body.text)
    }

    fn placeholders(&self) -> impl Iterator<Item = &'a str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Placeholder(path) => Some(*path),
            Segment::Text(_) => None,
        })
    }
}

/// Parses `path}}` and returns the path and the number of bytes. Stops at the first character
/// that cannot be part of a path, so no text is read more than twice.
fn placeholder(text: &str) -> Option<(&str, usize)> {
    let end = text.find(|letter| !is_path_letter(letter) && !char::is_whitespace(letter))?;
    let (inside, rest) = text.split_at_checked(end)?;
    let path = inside.trim();
    let is_path = !path.is_empty() && path.chars().all(is_path_letter);
    (is_path && rest.starts_with("}}")).then_some((path, end + 2))
}

fn is_path_letter(letter: char) -> bool {
    letter.is_alphanumeric() || "_-.".contains(letter)
}

/// A text of limited size.
struct Output {
    text: String,
    limit: usize,
}

impl Output {
    fn push(&mut self, text: &str) -> Result<(), TooLarge> {
        if self.text.len() + text.len() > self.limit {
            return Err(TooLarge);
        }
        self.text.push_str(text);
        Ok(())
    }

    fn push_percent_encoded(&mut self, text: &str) -> Result<(), TooLarge> {
        for part in utf8_percent_encode(text, RESERVED) {
            self.push(part)?;
        }
        Ok(())
    }
}

/// Returns true if the position after `text` is inside a JSON string.
fn quoted_after(text: &str, mut is_quoted: bool) -> bool {
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if is_quoted => escaped = true,
            b'"' => is_quoted = !is_quoted,
            _ => {}
        }
    }
    is_quoted
}

/// A value as text: strings unchanged, nothing for a missing value, JSON for any other.
fn to_text(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        None | Some(Value::Null) => "".into(),
        Some(Value::String(text)) => text.into(),
        Some(other) => other.to_string().into(),
    }
}

/// Finds a value by its path from the top of the message or of the payload.
fn lookup<'a>(message: &'a Value, path: &str) -> Option<&'a Value> {
    let resolve = |from: &'a Value| {
        path.split('.').try_fold(from, |value, step| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            Value::Object(fields) => fields.get(step),
            _ => None,
        })
    };
    resolve(message).or_else(|| resolve(message.get("payload")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    const NO_LIMIT: usize = usize::MAX;

    fn message() -> Value {
        json!({
            "triggerEvent": "BOOKING_CREATED",
            "createdAt": "2027-03-01T08:00:00.000Z",
            "payload": {
                "title": "\"Intro\", with Zoë\n",
                "length": 30,
                "location": null,
                "organizer": {"name": "Ada & co", "id": 5},
                "attendees": [{"email": "zoe@example.org"}, {"email": "max@example.org"}],
            },
        })
    }

    fn filled(template: &str) -> (Format, String) {
        let template = Template::parse(template);
        let format = template.format();
        (format, template.fill(format, &message(), NO_LIMIT).unwrap())
    }

    #[test]
    fn json_template_with_any_value_stays_json() {
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
            let (format, text) = filled(template);
            assert_eq!(format, Format::Json, "{template}");
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read, body, "{template}");
        }
    }

    #[test]
    fn other_template_is_a_form_with_encoded_values() {
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
            ("{{no {{length}}", "{{no 30"),
            ("{{ë}}{{é", "{{é"),
            ("{ \"a\": \"{{length}}\"", "{ \"a\": \"30\""),
        ] {
            assert_eq!(
                filled(template),
                (Format::Form, body.to_owned()),
                "{template}"
            );
        }
    }

    #[test]
    fn fill_beyond_the_limit_fails() {
        for text in [
            "{{title}}",
            "[\"{{title}}\"]",
            "[{{payload}}]",
            "0123456789x",
        ] {
            let template = Template::parse(text);
            let format = template.format();
            let whole = template.fill(format, &message(), NO_LIMIT).unwrap();
            assert_eq!(
                template.fill(format, &message(), whole.len()),
                Ok(whole.clone())
            );
            assert_eq!(
                template.fill(format, &message(), whole.len() - 1),
                Err(TooLarge),
                "{text}"
            );
        }
    }

    #[test]
    fn check_counts_placeholders_and_whole_objects() {
        let many = |count: usize| "{{length}}".repeat(count);
        for (text, expected) in [
            (many(100), Ok(())),
            (many(101), Err(TemplateError::TooManyPlaceholders)),
            ("{{payload}}{{organizer}}{{team.members}}".into(), Ok(())),
            ("{{organizer.name}}{{organizer.name}}".into(), Ok(())),
            (
                "{{payload}} {{ payload }}".into(),
                Err(TemplateError::Repeated("payload".into())),
            ),
            (
                "{{attendees}} {{payload.attendees}}".into(),
                Err(TemplateError::Repeated("payload.attendees".into())),
            ),
        ] {
            assert_eq!(Template::parse(&text).check(), expected, "{text}");
        }
        assert_eq!(
            TemplateError::Repeated("payload".into()).to_string(),
            "must hold {{payload}} at most once: it stands for a whole object"
        );
    }

    #[test]
    fn hostile_template_takes_linear_time() {
        let size = 200_000;
        let began = Instant::now();
        for text in [
            "{".repeat(size),
            format!("{}}}}}", "{".repeat(size)),
            "{{a".repeat(size / 3),
            format!("{}}}}}", "{{ a b".repeat(size / 6)),
            "{{}}".repeat(size / 4),
            format!("{}{}", "{{".repeat(size / 4), "}}".repeat(size / 4)),
            format!("{}!", "{{é".repeat(size / 4)),
        ] {
            let template = Template::parse(&text);
            let format = template.format();
            let body = template.fill(format, &message(), NO_LIMIT).unwrap();
            assert_eq!(body.len(), text.len());
        }
        // A quadratic implementation takes a minute.
        assert!(began.elapsed() < Duration::from_secs(3));
    }
}
