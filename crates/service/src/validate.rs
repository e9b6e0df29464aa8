//! Reads query strings and JSON bodies strictly: every broken rule is collected and named.

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use booking_wire::{Instant, JsonMap};
use chrono_tz::Tz;
use serde_json::error::Category;
use serde_json::{Value, json};

use crate::error::violations::{Violation, Violations, base, echoed};
use crate::error::{Error, Result};
use crate::input_limits::{
    MAX_QUERY_PARAMETERS, MAX_REPORTED_VIOLATIONS, check_json_shape, text_chars,
};

/// Collects violations while values are taken.
#[derive(Debug, Default)]
pub struct Checks(Violations);

impl Checks {
    /// Adds a complaint about `property`, whose name the service has chosen.
    pub fn complain(&mut self, property: &str, value: &Value, rule: &'static str, complaint: &str) {
        self.0
            .push(|| Violation::new(property, value, rule, complaint));
    }

    /// Adds a complaint about the property `key` of the object `prefix`, a name that the caller
    /// has made up.
    pub fn complain_of_key(
        &mut self,
        prefix: &str,
        key: &str,
        value: &Value,
        rule: &'static str,
        complaint: &str,
    ) {
        self.0
            .push(|| Violation::of_key(prefix, key, value, rule, complaint));
    }

    /// The complaints as an error, if there are any.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.0))
        }
    }

    /// Whether nothing has been complained about.
    pub fn is_clean(&self) -> bool {
        self.0.is_empty()
    }
}

/// The decoded pairs of a query string.
#[derive(Debug)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Decodes the query string of `uri`.
    pub fn of(uri: &axum::http::Uri) -> Self {
        let query = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri);
        Self(query.map(|query| query.0).unwrap_or_default())
    }

    /// Returns true if a query string has more parameters than any operation takes.
    pub fn is_too_long(query: &str) -> bool {
        query.split('&').count() > MAX_QUERY_PARAMETERS
    }

    /// Drops parameters that are not in `known`, as the real service does outside of slots and
    /// bookings (contract 1.4), and logs their names at debug level.
    pub fn ignore_unknown(&self, known: &[&str]) {
        let unknown = self
            .0
            .iter()
            .filter(|(name, _)| !known.contains(&base(name)));
        log_ignored("query parameters", unknown.map(|(name, _)| name.as_str()));
    }

    /// Complains about every parameter that is not in `known`.
    pub fn allow(&self, known: &[&str], checks: &mut Checks) {
        for (name, value) in &self.0 {
            if !known.contains(&base(name)) {
                checks.complain_of_key(
                    "",
                    name,
                    &Value::from(value.as_str()),
                    "whitelistValidation",
                    "is not a known parameter",
                );
            }
        }
    }

    /// The last value of `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(key, _)| base(key) == name)
            .map(|(_, value)| value.as_str())
    }

    /// All values of `name`, given repeatedly, separated by commas, or both. None if absent.
    pub fn list(&self, name: &str) -> Option<Vec<String>> {
        let given: Vec<&str> = self
            .0
            .iter()
            .filter(|(key, _)| base(key) == name)
            .map(|(_, value)| value.as_str())
            .collect();
        if given.is_empty() {
            return None;
        }
        Some(
            given
                .iter()
                .flat_map(|value| value.split(','))
                .map(|value| value.trim().to_owned())
                .collect(),
        )
    }

    /// A whole number.
    pub fn integer(&self, name: &str, checks: &mut Checks) -> Option<i64> {
        let text = self.get(name)?;
        let number = text.parse::<i64>().ok();
        if number.is_none() {
            checks.complain(name, &json!(text), "isNumber", "must be a whole number");
        }
        number
    }

    /// A whole number within `range`.
    pub fn bounded(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<i64>,
        checks: &mut Checks,
    ) -> Option<i64> {
        let number = self.integer(name, checks)?;
        if range.contains(&number) {
            return Some(number);
        }
        let complaint = match *range.end() {
            i64::MAX => format!("must not be less than {}", range.start()),
            end => format!("must be from {} to {end}", range.start()),
        };
        checks.complain(
            name,
            &json!(number),
            if number < *range.start() {
                "min"
            } else {
                "max"
            },
            &complaint,
        );
        None
    }

    /// A date or a date and time in ISO 8601.
    pub fn instant(&self, name: &str, checks: &mut Checks) -> Option<Instant> {
        let text = self.get(name)?;
        let instant = match text.split_once(['T', 't']) {
            // An unescaped "+" of an offset arrives as a space.
            Some((date, clock)) => Instant::parse(&format!("{date}T{}", clock.replace(' ', "+"))),
            // Without a "T" a space stands between date and clock.
            None => Instant::parse(text),
        }
        .filter(|instant| in_range(*instant));
        if instant.is_none() {
            checks.complain(
                name,
                &json!(text),
                "isDateString",
                "must be a valid ISO 8601 date string",
            );
        }
        instant
    }

    /// An IANA zone.
    pub fn zone(&self, name: &str, checks: &mut Checks) -> Option<Tz> {
        let text = self.get(name)?;
        let zone = text.parse::<Tz>().ok();
        if zone.is_none() {
            checks.complain(
                name,
                &json!(text),
                "isTimeZone",
                "must be a valid IANA time-zone",
            );
        }
        zone
    }

    /// One of a few words.
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)], checks: &mut Checks) -> Option<T> {
        let text = self.get(name)?;
        let found = words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            checks.complain(
                name,
                &json!(text),
                "isEnum",
                &format!("must be one of: {}", words.join(", ")),
            );
        }
        found
    }
}

/// Logs names that a request has and its operation does not know. They are shortened, because a
/// caller has made them up.
fn log_ignored<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let names: Vec<String> = names.take(MAX_REPORTED_VIOLATIONS).map(echoed).collect();
    if !names.is_empty() {
        tracing::debug!(?names, "ignored unknown {what}");
    }
}

/// Years 1970 to 9999: what every client can write.
pub fn in_range(instant: Instant) -> bool {
    (0..253_402_300_800_000).contains(&instant.0)
}

/// A JSON body within the limits of [`crate::input_limits`] whose top level is an object.
#[derive(Debug)]
pub struct JsonObject(pub JsonMap);

impl<S: Send + Sync> FromRequest<S> for JsonObject {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let is_json = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .map(|value| {
                value
                    .split(';')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_ascii_lowercase()
            })
            .is_some_and(|kind| kind == "application/json" || kind.ends_with("+json"));
        let text_chars = text_chars(request.uri().path());
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| {
                if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
                    Error::TooLarge
                } else {
                    Error::BadRequest("the request body could not be read".into())
                }
            })?;
        if !is_json {
            return Err(Error::UnsupportedMediaType);
        }
        if let Err(cause) = check_json_shape(&bytes, text_chars) {
            return Err(Error::BadRequest(match cause.classify() {
                Category::Data => format!("the request body is not accepted: {cause}"),
                _ => format!("the request body is not valid JSON: {cause}"),
            }));
        }
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err(Error::BadRequest(
                "the request body must be a JSON object".into(),
            )),
            Err(cause) => Err(Error::BadRequest(format!(
                "the request body is not valid JSON: {cause}"
            ))),
        }
    }
}

/// As [`JsonObject`], but it may be left out altogether, which is as good as `{}`.
#[derive(Debug)]
pub struct OptionalJsonObject(pub JsonMap);

impl<S: Send + Sync> FromRequest<S> for OptionalJsonObject {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let is_declared = request.headers().contains_key(CONTENT_TYPE);
        if !is_declared && request.body().is_end_stream() {
            return Ok(Self(JsonMap::new()));
        }
        let JsonObject(map) = JsonObject::from_request(request, state).await?;
        Ok(Self(map))
    }
}

/// The keys of a JSON object, read strictly.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    map: &'a JsonMap,
    prefix: &'a str,
}

impl<'a> Object<'a> {
    /// Reads `map`; complaints name its keys after `prefix` (empty, or ending in a dot).
    pub fn new(map: &'a JsonMap, prefix: &'a str) -> Self {
        Self { map, prefix }
    }

    /// Complains about every key that is not in `known`.
    pub fn allow(&self, known: &[&str], checks: &mut Checks) {
        for (key, value) in self.map {
            if !known.contains(&key.as_str()) {
                checks.complain_of_key(
                    self.prefix,
                    key,
                    value,
                    "whitelistValidation",
                    "should not exist",
                );
            }
        }
    }

    /// Drops keys that are not in `known`, as the real service does outside of slots and bookings
    /// (contract 1.4); their names are logged.
    pub fn ignore_unknown(&self, known: &[&str]) {
        let unknown = self.map.keys().map(String::as_str);
        log_ignored("keys", unknown.filter(|key| !known.contains(key)));
    }

    /// The property's name as complaints give it.
    pub fn path(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// The raw value; `null` counts as absent.
    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Whether the key is there and holds `null`, which takes something away.
    pub fn is_null(&self, key: &str) -> bool {
        self.map.get(key).is_some_and(Value::is_null)
    }

    /// Any value, read by `read`; what cannot be read breaks `rule`.
    pub fn read<T>(
        &self,
        key: &str,
        rule: &'static str,
        complaint: &str,
        checks: &mut Checks,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(key)?;
        let read = read(value);
        if read.is_none() {
            checks.complain(&self.path(key), value, rule, complaint);
        }
        read
    }

    /// A text.
    pub fn text(&self, key: &str, checks: &mut Checks) -> Option<&'a str> {
        let text = self.read(key, "isString", "must be a string", checks, Value::as_str)?;
        if !is_text(text) {
            let complaint = "must not contain control characters";
            checks.complain(&self.path(key), &json!(text), "isText", complaint);
            return None;
        }
        Some(text)
    }

    /// A text that is there and not blank.
    pub fn required_text(&self, key: &str, checks: &mut Checks) -> Option<&'a str> {
        if self.value(key).is_none() {
            checks.complain(
                &self.path(key),
                &Value::Null,
                "isString",
                "must be a string",
            );
            return None;
        }
        let text = self.text(key, checks)?;
        if text.trim().is_empty() {
            checks.complain(
                &self.path(key),
                &json!(text),
                "isNotEmpty",
                "should not be empty",
            );
            return None;
        }
        Some(text)
    }

    /// A whole number of at least 1.
    pub fn positive(&self, key: &str, checks: &mut Checks) -> Option<i64> {
        self.read(
            key,
            "min",
            "must be a whole number not less than 1",
            checks,
            |value| whole(value).filter(|number| *number >= 1),
        )
    }

    /// An object.
    pub fn object(&self, key: &str, checks: &mut Checks) -> Option<&'a JsonMap> {
        self.read(
            key,
            "isObject",
            "must be an object",
            checks,
            Value::as_object,
        )
    }
}

/// `30` and `30.0`, but not `"30"`.
pub fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        value
            .as_f64()
            .filter(|float| float.fract() == 0.0 && float.abs() < 1e15)
            .map(|float| float as i64)
    })
}

/// Whether people can read all of it: control characters other than ends of lines and tabs are
/// for machines.
pub fn is_text(text: &str) -> bool {
    !text
        .chars()
        .any(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'))
}

/// Whether a text is one line without control characters, as names are.
pub fn is_line(text: &str) -> bool {
    !text
        .chars()
        .any(|letter| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'))
}

/// Whether `text` looks like an e-mail address: one `@`, a dotted domain, no blanks.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    text.len() <= 254
        && !local.is_empty()
        && !domain.contains('@')
        && domain.split('.').count() >= 2
        && domain.split('.').all(|label| {
            !label.is_empty()
                && label
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '-')
        })
        && text
            .chars()
            .all(|letter| !letter.is_whitespace() && !letter.is_control())
        && !local
            .chars()
            .any(|letter| matches!(letter, '<' | '>' | '(' | ')' | ',' | ';' | ':' | '"' | '\\'))
}

/// Whether `text` is a telephone number in E.164: `+` and 7 to 15 digits.
pub fn is_phone(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0')
    })
}

/// Whether `text` is an absolute http or https address.
pub fn is_url(text: &str) -> bool {
    let Some(rest) = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
    else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    text.len() <= 2048
        && !host.is_empty()
        && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// Whether `text` is `#RGB` or `#RRGGBB`.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Whether `text` is a name for an address: small letters and digits, in words joined by hyphens,
/// dots or underscores.
pub fn is_slug(text: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    text.len() <= 100
        && text.starts_with(is_word)
        && text.ends_with(is_word)
        && text
            .chars()
            .all(|letter| is_word(letter) || matches!(letter, '-' | '_' | '.'))
}

/// A name as a part of an address, `Customer Success` as `customer-success`; none if nothing of
/// it can be written so.
pub fn slug_of(name: &str) -> Option<String> {
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if let Some(letters) = latin(letter) {
            slug.push_str(letters);
        } else if !slug.ends_with('-') && !slug.is_empty() && !matches!(letter, '\'' | '’') {
            slug.push('-');
        }
        if slug.len() >= 60 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-').to_owned();
    (!slug.is_empty()).then_some(slug)
}

/// Letters of European languages as they are commonly written without marks.
fn latin(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ä' | 'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => "e",
        'ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => "i",
        'ł' | 'ľ' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ō' | 'ő' => "o",
        'ö' | 'ø' | 'œ' => "oe",
        'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ț' | 'ţ' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ū' | 'ů' | 'ű' => "u",
        'ü' => "ue",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{is_slug, slug_of};

    #[test]
    fn a_name_becomes_a_part_of_an_address() {
        for (name, slug) in [
            ("Customer Success", Some("customer-success")),
            ("  Zoë's  Café & Bar! ", Some("zoes-cafe-bar")),
            ("Größe 7", Some("groesse-7")),
            ("王小明", None),
            ("--", None),
            ("", None),
        ] {
            assert_eq!(slug_of(name).as_deref(), slug, "{name}");
            assert!(slug.is_none_or(is_slug));
        }
        assert!(slug_of(&"long ".repeat(100)).is_some_and(|slug| is_slug(&slug)));
    }

    #[test]
    fn a_slug_needs_no_escaping() {
        for (text, sound) in [
            ("intro-call", true),
            ("a", true),
            ("v2.1_x", true),
            ("Intro", false),
            ("-a", false),
            ("a-", false),
            ("a b", false),
            ("a/b", false),
            ("ä", false),
            ("", false),
        ] {
            assert_eq!(is_slug(text), sound, "{text}");
        }
    }
}
