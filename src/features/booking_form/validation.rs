//! Validation of field values, and their JSON. No DOM access.

use booking_rules::limits::{MAX_ANSWER_CHARS, MAX_GUESTS, MAX_NAME_CHARS};
use booking_wire::formats::is_email;
use booking_wire::phone_number::is_phone;
use booking_wire::{FieldKind, FieldOption, FieldRange};
use serde_json::{Number, Value};

use super::field::InputField;
use super::values::FieldValues;

/// Validation error of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// Nothing typed.
    Required,
    /// Nothing selected.
    RequiredChoice,
    /// Not ticked.
    RequiredTick,
    /// Not an e-mail address.
    Email,
    /// One of several is not an e-mail address.
    Emails(String),
    /// Too many addresses.
    TooManyEmails,
    /// Not a phone number.
    Phone,
    /// Not a web address.
    Url,
    /// Not a number.
    Number,
    /// Number below the minimum.
    TooSmall(i64),
    /// Number above the maximum.
    TooLarge(i64),
    /// Too few characters.
    TooShort(i64),
    /// Too many characters.
    TooLong(i64),
    /// Message of the service.
    Rejected(String),
}

impl FieldError {
    /// Error code for the page.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Required | Self::RequiredChoice | Self::RequiredTick => "required",
            Self::Email | Self::Emails(_) => "email",
            Self::TooManyEmails => "too-many",
            Self::Phone => "phone",
            Self::Url => "url",
            Self::Number => "number",
            Self::TooSmall(_) => "too-small",
            Self::TooLarge(_) => "too-large",
            Self::TooShort(_) => "too-short",
            Self::TooLong(_) => "too-long",
            Self::Rejected(_) => "refused",
        }
    }
}

/// Validates the value of `field`.
pub fn validate(field: &InputField, values: &FieldValues) -> Option<FieldError> {
    let slug = &field.slug;
    let text = values.text(slug).trim();
    let missing = |is_missing: bool, error| (is_missing && field.is_required).then_some(error);
    match field.kind {
        FieldKind::Boolean => missing(!values.flag(slug), FieldError::RequiredTick),
        FieldKind::RadioInput
        | FieldKind::Select
        | FieldKind::Radio
        | FieldKind::Multiselect
        | FieldKind::Checkbox => missing(
            selected(field, values).is_empty(),
            FieldError::RequiredChoice,
        ),
        FieldKind::Multiemail => {
            let addresses = values.addresses(slug);
            if addresses.len() > MAX_GUESTS {
                return Some(FieldError::TooManyEmails);
            }
            missing(addresses.is_empty(), FieldError::Required).or_else(|| {
                let invalid = addresses.into_iter().find(|address| !is_email(address));
                invalid.map(FieldError::Emails)
            })
        }
        _ if text.is_empty() => missing(true, FieldError::Required),
        FieldKind::Email => (!is_email(text)).then_some(FieldError::Email),
        FieldKind::Phone => (!is_phone(&values.phone(slug))).then_some(FieldError::Phone),
        FieldKind::Url => tidy_url(text).is_none().then_some(FieldError::Url),
        FieldKind::Number => match Decimal::read(text) {
            None => Some(FieldError::Number),
            Some(number) => number.range_error(&field.range),
        },
        _ => length_error(field, text),
    }
}

fn length_error(field: &InputField, text: &str) -> Option<FieldError> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let max = match field.kind {
        FieldKind::Name => MAX_NAME_CHARS,
        _ => MAX_ANSWER_CHARS,
    };
    let max = max as i64;
    let max = field.range.max_length.map_or(max, |own| own.min(max));
    let min = field.range.min_length.unwrap_or(0);
    // Bounds that contradict each other or leave no room are configuration errors: ignored.
    let are_sound = max > 0 && min <= max;
    if are_sound && length > max {
        Some(FieldError::TooLong(max))
    } else if are_sound && length < min {
        Some(FieldError::TooShort(min))
    } else {
        None
    }
}

/// Selected options that exist, in the order of the options, not of selection.
fn selected<'a>(field: &'a InputField, values: &FieldValues) -> Vec<&'a FieldOption> {
    let selected = values.many(&field.slug);
    let is_selected = |option: &&FieldOption| selected.contains(&option.key());
    field.options.iter().filter(is_selected).collect()
}

/// Value in the JSON type of its kind; `None` if there is none.
pub fn to_json(field: &InputField, values: &FieldValues) -> Option<Value> {
    let slug = &field.slug;
    let text = values.text(slug).trim();
    let list = |values: Vec<Value>| (!values.is_empty()).then_some(Value::Array(values));
    let value = |option: &FieldOption| option.value.clone();
    match field.kind {
        FieldKind::Boolean => Some(Value::Bool(values.flag(slug))),
        FieldKind::Select | FieldKind::Radio => selected(field, values).first().copied().map(value),
        FieldKind::Multiselect | FieldKind::Checkbox => {
            list(selected(field, values).into_iter().map(value).collect())
        }
        FieldKind::Multiemail => {
            let addresses = values.addresses(slug).into_iter();
            list(addresses.map(Value::String).collect())
        }
        _ if text.is_empty() => None,
        FieldKind::Number => Decimal::read(text).map(Decimal::into_json),
        FieldKind::Phone => Some(Value::String(values.phone(slug))),
        FieldKind::Url => tidy_url(text).map(Value::String),
        _ => Some(Value::String(text.to_owned())),
    }
}

/// Parses a web address and adds its scheme.
fn tidy_url(text: &str) -> Option<String> {
    let without_scheme = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let rest = without_scheme.unwrap_or(text);
    let is_host = rest
        .split('/')
        .next()
        .is_some_and(|host| host.bytes().any(|sign| sign == b'.') && !host.ends_with('.'));
    let has_other_scheme = rest.split(':').skip(1).any(|rest| rest.starts_with("//"));
    let is_clean = !text.chars().any(char::is_whitespace) && !has_other_scheme && is_host;
    is_clean.then(|| match without_scheme {
        Some(_) => text.to_owned(),
        None => {
            let mut whole = String::from("https://");
            whole.push_str(text);
            whole
        }
    })
}

/// Number as typed. Its digits are sent unchanged: a float would round them and cost kilobytes of
/// code.
struct Decimal<'a> {
    is_negative: bool,
    /// Integer part without leading zeros; empty below one.
    whole: &'a str,
    /// Decimals without trailing zeros; empty for an integer.
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    /// Parses a number with a decimal point or comma.
    fn read(text: &'a str) -> Option<Self> {
        let (is_negative, digits) = match text.strip_prefix(['-', '\u{2212}']) {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
        let are_digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        // "1,000" and "1.000" are ambiguous: a thousand or one.
        let is_clear = fraction != "000" || whole.is_empty();
        let is_number =
            are_digits(fraction) && (are_digits(whole) || (whole.is_empty() && digits.len() > 1));
        (is_number && is_clear).then(|| Self {
            is_negative,
            whole: whole.trim_start_matches('0'),
            fraction: fraction.trim_end_matches('0'),
        })
    }

    fn range_error(&self, range: &FieldRange) -> Option<FieldError> {
        let (floor, ceiling) = self.neighbours();
        let small = range.min.filter(|min| floor < *min);
        let large = range.max.filter(|max| ceiling > *max);
        let are_sound = !matches!((range.min, range.max), (Some(min), Some(max)) if min > max);
        small
            .map(FieldError::TooSmall)
            .or_else(|| large.map(FieldError::TooLarge))
            .filter(|_| are_sound)
    }

    /// Nearest integers below and above; equal for an integer.
    fn neighbours(&self) -> (i64, i64) {
        // A number too large for `i64` exceeds every bound.
        let whole = match self.whole {
            "" => 0,
            whole => whole.parse().unwrap_or(i64::MAX - 1),
        };
        let next = whole + i64::from(!self.fraction.is_empty());
        if self.is_negative {
            (-next, -whole)
        } else {
            (whole, next)
        }
    }

    fn into_json(self) -> Value {
        let mut text = String::with_capacity(self.whole.len() + self.fraction.len() + 3);
        if self.is_negative {
            text.push('-');
        }
        // JSON allows no leading zeros, but needs a digit before the point.
        text.push_str(if self.whole.is_empty() {
            "0"
        } else {
            self.whole
        });
        if !self.fraction.is_empty() {
            text.push('.');
            text.push_str(self.fraction);
        }
        Value::Number(Number::from_string_unchecked(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::booking_form::values::FieldValue;

    fn number(text: &str) -> Option<Value> {
        Decimal::read(text).map(Decimal::into_json)
    }

    fn input_field(kind: FieldKind, range: FieldRange) -> InputField {
        InputField {
            range,
            ..InputField::named("x", kind, false)
        }
    }

    fn error_of(field: &InputField, text: &str) -> Option<FieldError> {
        let mut values = FieldValues::default();
        values.set("x", FieldValue::Text(text.to_owned()));
        validate(field, &values)
    }

    #[test]
    fn decimal_digits_are_sent_unchanged() {
        for (typed, sent) in [
            ("7", Some("7")),
            ("007", Some("7")),
            ("2,50", Some("2.5")),
            ("-0.1", Some("-0.1")),
            (".5", Some("0.5")),
            ("0", Some("0")),
            ("−3", Some("-3")),
            ("12345678901234567890", Some("12345678901234567890")),
            ("", None),
            ("-", None),
            (".", None),
            ("1.", None),
            ("1.2.3", None),
            ("1,000", None),
            ("1.000", None),
            ("1e3", None),
            ("seven", None),
        ] {
            assert_eq!(
                number(typed).map(|value| value.to_string()).as_deref(),
                sent,
                "{typed}"
            );
        }
    }

    #[test]
    fn number_contradicting_bounds_are_ignored() {
        let range = |min, max| FieldRange {
            min,
            max,
            ..FieldRange::default()
        };
        for (typed, min, max, expected) in [
            ("1", Some(1), Some(9), None),
            ("0.9", Some(1), Some(9), Some(FieldError::TooSmall(1))),
            ("9.01", Some(1), Some(9), Some(FieldError::TooLarge(9))),
            ("9.00", Some(1), Some(9), None),
            ("-3.5", Some(-3), None, Some(FieldError::TooSmall(-3))),
            ("-3", Some(-3), None, None),
            (
                "99999999999999999999",
                None,
                Some(5),
                Some(FieldError::TooLarge(5)),
            ),
            ("3", Some(9), Some(1), None),
        ] {
            let field = input_field(FieldKind::Number, range(min, max));
            assert_eq!(error_of(&field, typed), expected, "{typed}");
        }
    }

    #[test]
    fn text_length_is_counted_in_characters() {
        let range = |min_length, max_length| FieldRange {
            min_length,
            max_length,
            ..FieldRange::default()
        };
        for (typed, min, max, expected) in [
            ("äöü", Some(3), Some(3), None),
            ("äö", Some(3), None, Some(FieldError::TooShort(3))),
            ("äöüß", None, Some(3), Some(FieldError::TooLong(3))),
            ("", Some(3), None, None),
            ("x", Some(3), Some(2), None),
            ("x", None, Some(0), None),
        ] {
            let field = input_field(FieldKind::Text, range(min, max));
            assert_eq!(error_of(&field, typed), expected, "{typed}");
        }
        let long = "x".repeat(301);
        assert_eq!(
            error_of(&input_field(FieldKind::Name, FieldRange::default()), &long),
            Some(FieldError::TooLong(300))
        );
    }
}
