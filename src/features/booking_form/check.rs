//! Validation of answers, and their JSON values. No DOM access.

use booking_wire::formats::is_email;
use booking_wire::{FieldKind, FieldOption, FieldRange};
use serde_json::{Number, Value};

use super::answers::Answers;
use super::model::Question;
use super::phone;

/// Maximum number of addresses in a booking (contract 3.5.1).
pub const MOST_GUESTS: usize = 30;
/// Maximum characters of an answer, and of a name, that services accept.
const MOST_TEXT: i64 = 10_000;
const MOST_NAME: i64 = 300;

/// Validation error of an answer.
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
    Refused(String),
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
            Self::Refused(_) => "refused",
        }
    }
}

/// Error of the answer to `question`, if any.
pub fn complaint(question: &Question, answers: &Answers) -> Option<FieldError> {
    let slug = &question.slug;
    let text = answers.text(slug).trim();
    let missing =
        |is_missing: bool, complaint| (is_missing && question.is_required).then_some(complaint);
    match question.kind {
        FieldKind::Boolean => missing(!answers.flag(slug), FieldError::RequiredTick),
        FieldKind::RadioInput
        | FieldKind::Select
        | FieldKind::Radio
        | FieldKind::Multiselect
        | FieldKind::Checkbox => missing(
            chosen(question, answers).is_empty(),
            FieldError::RequiredChoice,
        ),
        FieldKind::Multiemail => {
            let addresses = answers.addresses(slug);
            if addresses.len() > MOST_GUESTS {
                return Some(FieldError::TooManyEmails);
            }
            missing(addresses.is_empty(), FieldError::Required).or_else(|| {
                let odd = addresses.into_iter().find(|address| !is_email(address));
                odd.map(FieldError::Emails)
            })
        }
        _ if text.is_empty() => missing(true, FieldError::Required),
        FieldKind::Email => (!is_email(text)).then_some(FieldError::Email),
        FieldKind::Phone => (!phone::is_phone(&answers.phone(slug))).then_some(FieldError::Phone),
        FieldKind::Url => tidy_url(text).is_none().then_some(FieldError::Url),
        FieldKind::Number => match Decimal::read(text) {
            None => Some(FieldError::Number),
            Some(number) => number.complaint(&question.range),
        },
        _ => length_complaint(question, text),
    }
}

fn length_complaint(question: &Question, text: &str) -> Option<FieldError> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let max = if question.kind == FieldKind::Name {
        MOST_NAME
    } else {
        MOST_TEXT
    };
    let max = question.range.max_length.map_or(max, |own| own.min(max));
    let min = question.range.min_length.unwrap_or(0);
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
fn chosen<'a>(question: &'a Question, answers: &Answers) -> Vec<&'a FieldOption> {
    let chosen = answers.many(&question.slug);
    let is_chosen = |option: &&FieldOption| chosen.contains(&option.key());
    question.options.iter().filter(is_chosen).collect()
}

/// Answer in the JSON type of its kind; `None` if there is none.
pub fn json(question: &Question, answers: &Answers) -> Option<Value> {
    let slug = &question.slug;
    let text = answers.text(slug).trim();
    let list = |values: Vec<Value>| (!values.is_empty()).then_some(Value::Array(values));
    let value = |option: &FieldOption| option.value.clone();
    match question.kind {
        FieldKind::Boolean => Some(Value::Bool(answers.flag(slug))),
        FieldKind::Select | FieldKind::Radio => {
            chosen(question, answers).first().copied().map(value)
        }
        FieldKind::Multiselect | FieldKind::Checkbox => {
            list(chosen(question, answers).into_iter().map(value).collect())
        }
        FieldKind::Multiemail => {
            let addresses = answers.addresses(slug).into_iter();
            list(addresses.map(Value::String).collect())
        }
        _ if text.is_empty() => None,
        FieldKind::Number => Decimal::read(text).map(Decimal::json),
        FieldKind::Phone => Some(Value::String(answers.phone(slug))),
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

    fn complaint(&self, range: &FieldRange) -> Option<FieldError> {
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

    fn json(self) -> Value {
        let mut written = String::with_capacity(self.whole.len() + self.fraction.len() + 3);
        if self.is_negative {
            written.push('-');
        }
        // JSON allows no leading zeros, but needs a digit before the point.
        written.push_str(if self.whole.is_empty() {
            "0"
        } else {
            self.whole
        });
        if !self.fraction.is_empty() {
            written.push('.');
            written.push_str(self.fraction);
        }
        Value::Number(Number::from_string_unchecked(written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::booking_form::answers::Answer;

    fn number(text: &str) -> Option<Value> {
        Decimal::read(text).map(Decimal::json)
    }

    fn asked(kind: FieldKind, range: FieldRange) -> Question {
        Question {
            range,
            ..Question::named("x", kind, false)
        }
    }

    fn complaint_about(question: &Question, text: &str) -> Option<FieldError> {
        let mut answers = Answers::default();
        answers.set("x", Answer::Text(text.to_owned()));
        complaint(question, &answers)
    }

    #[test]
    fn numbers_are_sent_as_they_were_typed() {
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
    fn numbers_keep_their_bounds_unless_these_contradict_each_other() {
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
            let question = asked(FieldKind::Number, range(min, max));
            assert_eq!(complaint_about(&question, typed), expected, "{typed}");
        }
    }

    #[test]
    fn texts_keep_their_lengths_counted_in_characters() {
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
            let question = asked(FieldKind::Text, range(min, max));
            assert_eq!(complaint_about(&question, typed), expected, "{typed}");
        }
        let long = "x".repeat(301);
        assert_eq!(
            complaint_about(&asked(FieldKind::Name, FieldRange::default()), &long),
            Some(FieldError::TooLong(300))
        );
    }
}
