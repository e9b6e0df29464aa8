//! What can go wrong with a call. Prose from services is read here and nowhere else.

use booking_wire::{ErrorDetail, Instant};
use serde_json::Value;

/// Why a call did not give its answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// No response in time: offline, DNS, CORS, a service that hangs. Worth a retry of a read.
    #[error("service unreachable")]
    Unreachable,
    /// The service understood and said no.
    #[error("declined: {0:?}")]
    Declined(Refusal),
    /// A status or body that the interface does not know: a bug on one side.
    #[error("unexpected answer, status {status}")]
    Unexpected {
        /// The HTTP status.
        status: u16,
        /// Helps the service's operator to find the call.
        request_id: Option<String>,
    },
}

/// Why a service said no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The time was lost to somebody else (contract 3.5.3).
    TimeTaken,
    /// One meeting of a series cannot take place, so none of them was booked.
    SeriesTaken(Instant),
    /// An earlier request with the same idempotency key is still being carried out.
    StillRunning,
    /// The idempotency key belongs to an earlier request with another body, which was carried out.
    KeyReused,
    /// No valid credentials, also after a renewal.
    SignInNeeded,
    /// Signed-in callers only, and there are no credentials to sign in with.
    NotPublic,
    /// The credentials have expired and could not be renewed at the moment. Nothing was done.
    NotRenewed,
    /// The caller may not do this.
    Forbidden,
    /// What was named does not exist.
    NotFound,
    /// Too many calls.
    TooMany {
        /// Seconds that the service asks to wait before the next; `None` if it does not say.
        wait_s: Option<i64>,
    },
    /// The request breaks a rule; the text is the service's own.
    Invalid(String),
    /// The page refuses the request before it is sent; the text is the page's own.
    ByPage(String),
    /// Properties of the request break rules: each with the service's words for it, after a text about
    /// the first.
    InvalidProperties(String, Vec<(String, String)>),
}

/// The longest pause that a rule is believed to need, in seconds. Older services tell the moment when
/// it begins anew instead, which would be a pause of decades.
const LONGEST_PAUSE_S: i64 = 60;

/// Code of a response to a key that belongs to another request (contract 11).
const KEY_REUSED: &str = "IDEMPOTENCY_KEY_REUSED";

impl ApiError {
    /// Reads a failed answer. Decides by status; the text only tells a lost time from other
    /// refusals, because real services say 400 for both (contract 3.5.3).
    /// `body` is there if it was JSON; `wait_s` is what [`pause_s`] found.
    pub fn from_answer(
        status: u16,
        body: Option<Value>,
        request_id: Option<String>,
        wait_s: Option<i64>,
        books: bool,
    ) -> Self {
        let unexpected = Self::Unexpected { status, request_id };
        let refusal = match (status, body) {
            (401 | 498, _) => Refusal::SignInNeeded,
            (403, _) => Refusal::Forbidden,
            (404, Some(body)) if !is_unknown_operation(&body) => Refusal::NotFound,
            (409, _) if books && wait_s.is_some() => Refusal::StillRunning,
            (422, Some(body)) if ErrorDetail::read_body(&body).code == KEY_REUSED => {
                Refusal::KeyReused
            }
            (409 | 422, Some(body)) if books => {
                match moment_in(&ErrorDetail::read_body(&body).message) {
                    Some(start) => Refusal::SeriesTaken(start),
                    None => Refusal::TimeTaken,
                }
            }
            (429, _) => Refusal::TooMany { wait_s },
            // Some services report a failure in the body of a success.
            (200..300 | 400 | 409 | 422, Some(body)) => {
                let detail = ErrorDetail::read_body(&body);
                if status < 300 && detail.message.is_empty() {
                    return unexpected;
                }
                let complaints = if books {
                    detail.field_errors()
                } else {
                    Vec::new()
                };
                if books && speaks_of_availability(&detail.message) {
                    Refusal::TimeTaken
                } else if complaints.is_empty() {
                    Refusal::Invalid(detail.message)
                } else {
                    Refusal::InvalidProperties(detail.message, complaints)
                }
            }
            _ => return unexpected,
        };
        Self::Declined(refusal)
    }

    /// What went wrong, in a word for the page.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Unexpected { .. } => "unexpected",
            Self::Declined(refusal) => match refusal {
                Refusal::TimeTaken | Refusal::SeriesTaken(_) => "time-taken",
                Refusal::SignInNeeded | Refusal::NotPublic => "sign-in-needed",
                Refusal::NotRenewed => "not-renewed",
                Refusal::Forbidden => "forbidden",
                Refusal::NotFound => "not-found",
                Refusal::TooMany { .. } => "too-many",
                // The booking tells what came of it.
                Refusal::StillRunning | Refusal::KeyReused => "unexpected",
                Refusal::Invalid(_) | Refusal::InvalidProperties(..) | Refusal::ByPage(_) => {
                    "invalid"
                }
            },
        }
    }

    /// Whether asking again could help.
    pub fn is_worth_a_retry(&self) -> bool {
        match self {
            Self::Unreachable => true,
            Self::Unexpected { status, .. } => *status >= 500 || *status < 300,
            Self::Declined(refusal) => {
                matches!(refusal, Refusal::TooMany { .. } | Refusal::NotRenewed)
            }
        }
    }

    /// Whether the session is the reason: it has ended, or cannot be renewed at the moment.
    pub fn is_of_session(&self) -> bool {
        matches!(
            self,
            Self::Declined(Refusal::SignInNeeded | Refusal::NotRenewed)
        )
    }
}

/// The seconds that a refusal for too many calls asks to wait (contract 8): what `Retry-After` says, or
/// else the longest that any rule takes to begin anew. Services have several rules, each with a header
/// of its own; names come in small letters, as browsers give them.
pub fn pause_s(headers: impl Iterator<Item = (String, String)>) -> Option<i64> {
    let mut longest = None;
    for (name, value) in headers {
        let Ok(seconds) = value.parse::<i64>() else {
            continue;
        };
        if name == "retry-after" {
            return Some(seconds.max(0));
        }
        if name.starts_with("x-ratelimit-reset") {
            longest = longest.max(Some(seconds.clamp(0, LONGEST_PAUSE_S)));
        }
    }
    longest
}

/// Whether a service does not know what it was asked for at all, as one that expects another version
/// header (contract 9).
fn is_unknown_operation(body: &Value) -> bool {
    let message = ErrorDetail::read_body(body).message;
    message.starts_with("Cannot GET ")
}

/// The moment that a message names, as the one does that refuses a series.
fn moment_in(message: &str) -> Option<Instant> {
    let is_full = |word: &&str| word.len() >= 20 && word.as_bytes().get(10) == Some(&b'T');
    message.split(' ').filter(is_full).find_map(Instant::parse)
}

fn speaks_of_availability(message: &str) -> bool {
    // Bytes, because a search for a text costs every visitor 4 KB.
    let says = |phrase: &str| {
        let mut parts = message.as_bytes().windows(phrase.len());
        parts.any(|part| part.eq_ignore_ascii_case(phrase.as_bytes()))
    };
    [
        "already has booking",
        "already has a booking",
        "not available",
        "unavailable",
        "reserved this slot",
    ]
    .into_iter()
    .any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_time_is_told_from_other_refusals_in_every_form_services_use() {
        let a =
            |message: &str| format!(r#"{{"status":"error","error":{{"message":"{message}"}}}}"#);
        let taken = ApiError::Declined(Refusal::TimeTaken);
        for (status, body, books, expected) in [
            (409, a("anything"), true, taken.clone()),
            (
                409,
                a(
                    "the meeting of the series at 2027-03-08T14:00:00.000Z is no longer available: nothing",
                ),
                true,
                ApiError::Declined(Refusal::SeriesTaken(
                    Instant::parse("2027-03-08T14:00:00Z").unwrap(),
                )),
            ),
            (422, a("reserved"), true, taken.clone()),
            (
                400,
                a("One of the hosts either already has booking at this time"),
                true,
                taken.clone(),
            ),
            (
                400,
                a("User is not available at the requested time"),
                true,
                taken,
            ),
            (
                400,
                a(
                    "Someone else reserved this slot before you. This time slot will be freed up in 240 seconds.",
                ),
                true,
                ApiError::Declined(Refusal::TimeTaken),
            ),
            (
                422,
                r#"{"error":{"code":"IDEMPOTENCY_KEY_REUSED","message":"no"}}"#.into(),
                true,
                ApiError::Declined(Refusal::KeyReused),
            ),
            (
                400,
                a("topic is required"),
                true,
                ApiError::Declined(Refusal::Invalid("topic is required".into())),
            ),
            (
                409,
                a("name in use"),
                false,
                ApiError::Declined(Refusal::Invalid("name in use".into())),
            ),
            (
                498,
                String::new(),
                false,
                ApiError::Declined(Refusal::SignInNeeded),
            ),
            (
                404,
                r#"{"message":"Cannot GET /v2/slots","error":"Not Found","statusCode":404}"#.into(),
                false,
                ApiError::Unexpected {
                    status: 404,
                    request_id: None,
                },
            ),
            (
                404,
                a("Cannot find it"),
                false,
                ApiError::Declined(Refusal::NotFound),
            ),
            (
                200,
                a("topic is required"),
                true,
                ApiError::Declined(Refusal::Invalid("topic is required".into())),
            ),
            (
                200,
                a(""),
                false,
                ApiError::Unexpected {
                    status: 200,
                    request_id: None,
                },
            ),
            (
                404,
                "<html>".into(),
                false,
                ApiError::Unexpected {
                    status: 404,
                    request_id: None,
                },
            ),
            (
                500,
                a("boom"),
                true,
                ApiError::Unexpected {
                    status: 500,
                    request_id: None,
                },
            ),
        ] {
            assert_eq!(
                ApiError::from_answer(status, serde_json::from_str(&body).ok(), None, None, books),
                expected,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn a_service_that_has_enough_says_for_how_long() {
        for (headers, wait_s) in [
            (vec![], None),
            (vec![("retry-after", "12")], Some(12)),
            (vec![("retry-after", "-3")], Some(0)),
            (vec![("retry-after", "soon")], None),
            (vec![("x-ratelimit-limit-default", "120")], None),
            (
                vec![
                    ("x-ratelimit-reset-default", "4"),
                    ("x-ratelimit-reset-long", "40"),
                    ("x-ratelimit-reset-short", "1"),
                ],
                Some(40),
            ),
            (
                vec![("x-ratelimit-reset-default", "40"), ("retry-after", "7")],
                Some(7),
            ),
            (vec![("x-ratelimit-reset", "1803895200000")], Some(60)),
        ] {
            let given = headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let pause_s = pause_s(given);
            assert_eq!(pause_s, wait_s, "{headers:?}");
            assert_eq!(
                ApiError::from_answer(429, None, None, pause_s, false),
                ApiError::Declined(Refusal::TooMany { wait_s })
            );
        }
    }

    #[test]
    fn the_message_is_the_first_constraint_when_validation_failed() {
        let body = r#"{"error":{"message":"Bad Request Exception","details":{"errors":[
            {"property":"attendee","children":[{"property":"email","constraints":{"isEmail":"email must be an email"}}]}]}}}"#;
        assert_eq!(
            ApiError::from_answer(400, serde_json::from_str(body).ok(), None, None, false),
            ApiError::Declined(Refusal::Invalid("email must be an email".into()))
        );
        let complaint = (
            "attendee.email".to_owned(),
            "email must be an email".to_owned(),
        );
        assert_eq!(
            ApiError::from_answer(400, serde_json::from_str(body).ok(), None, None, true),
            ApiError::Declined(Refusal::InvalidProperties(
                "email must be an email".into(),
                vec![complaint]
            ))
        );
    }
}
