//! Errors of API calls. Messages of services are parsed only here.

use booking_wire::{ErrorDetail, Instant};
use serde_json::Value;

/// Failure of an API call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// No response in time: offline, DNS, CORS, a service that hangs. Reads may be retried.
    #[error("service unreachable")]
    Unreachable,
    /// Request declined by the service or the page.
    #[error("declined: {0:?}")]
    Declined(DeclineReason),
    /// Unknown status or body: a bug on one side.
    #[error("unexpected response, status {status}")]
    Unexpected {
        /// HTTP status.
        status: u16,
        /// Request id for the service's operator.
        request_id: Option<String>,
    },
}

/// Reason for a declined request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclineReason {
    /// Slot taken by another booking.
    TimeTaken,
    /// The person has a seat in the shared booking already.
    AlreadySignedUp,
    /// Start of a booking in a series that is taken, so nothing was booked.
    SeriesTaken(Instant),
    /// Earlier request with the same idempotency key, still in progress.
    StillRunning,
    /// Idempotency key of an earlier request with another body, which was carried out.
    KeyReused,
    /// No valid credentials, even after a renewal.
    SignInNeeded,
    /// Credentials required, and none are configured.
    NotPublic,
    /// Expired credentials that could not be renewed at the moment. Nothing was done.
    NotRenewed,
    /// Missing permission.
    Forbidden,
    /// Resource not found.
    NotFound,
    /// Rate limit exceeded.
    TooMany {
        /// Seconds to wait before the next request; `None` if the service gives none.
        wait_s: Option<i64>,
    },
    /// Invalid request; the text is the service's own.
    Invalid(String),
    /// Request rejected by the page before it was sent; the text is the page's own.
    ByPage(String),
    /// Invalid properties: the message about the first, then each property with its message.
    InvalidProperties(String, Vec<(String, String)>),
}

/// Longest plausible time until a rate limit resets, in seconds. Older services send a timestamp instead,
/// which would mean decades.
const MAX_RESET_S: i64 = 60;

/// Error code for the `Idempotency-Key` of another request.
const KEY_REUSED: &str = "IDEMPOTENCY_KEY_REUSED";

impl ApiError {
    /// Converts a failed response. Decides by status; the text only distinguishes a taken slot from other
    /// errors, because real services send 400 for both. `body` is present if it was JSON; `wait_s` is the
    /// requested delay, see [`retry_after_s`].
    pub fn from_response(
        status: u16,
        body: Option<Value>,
        request_id: Option<String>,
        wait_s: Option<i64>,
        books: bool,
    ) -> Self {
        let unexpected = Self::Unexpected { status, request_id };
        let reason = match (status, body) {
            (401 | 498, _) => DeclineReason::SignInNeeded,
            (403, _) => DeclineReason::Forbidden,
            (404, Some(body)) if !is_unknown_operation(&body) => DeclineReason::NotFound,
            (409, _) if books && wait_s.is_some() => DeclineReason::StillRunning,
            (422, Some(body)) if ErrorDetail::read_body(&body).code == KEY_REUSED => {
                DeclineReason::KeyReused
            }
            (409 | 422, Some(body)) if books => {
                let message = ErrorDetail::read_body(&body).message;
                match instant_in(&message) {
                    _ if says(&message, "already signed up") => DeclineReason::AlreadySignedUp,
                    Some(start) => DeclineReason::SeriesTaken(start),
                    None => DeclineReason::TimeTaken,
                }
            }
            (429, _) => DeclineReason::TooMany { wait_s },
            // Some services report an error with a success status.
            (200..300 | 400 | 409 | 422, Some(body)) => {
                let detail = ErrorDetail::read_body(&body);
                if status < 300 && detail.message.is_empty() {
                    return unexpected;
                }
                let field_errors = if books {
                    detail.field_errors()
                } else {
                    Vec::new()
                };
                if books && mentions_availability(&detail.message) {
                    DeclineReason::TimeTaken
                } else if field_errors.is_empty() {
                    DeclineReason::Invalid(detail.message)
                } else {
                    DeclineReason::InvalidProperties(detail.message, field_errors)
                }
            }
            _ => return unexpected,
        };
        Self::Declined(reason)
    }

    /// Returns the error code for the page.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Unexpected { .. } => "unexpected",
            Self::Declined(reason) => match reason {
                DeclineReason::TimeTaken | DeclineReason::SeriesTaken(_) => "time-taken",
                DeclineReason::SignInNeeded | DeclineReason::NotPublic => "sign-in-needed",
                DeclineReason::NotRenewed => "not-renewed",
                DeclineReason::Forbidden => "forbidden",
                DeclineReason::NotFound => "not-found",
                DeclineReason::TooMany { .. } => "too-many",
                // The booking shows the outcome.
                DeclineReason::StillRunning | DeclineReason::KeyReused => "unexpected",
                DeclineReason::Invalid(_)
                | DeclineReason::AlreadySignedUp
                | DeclineReason::InvalidProperties(..)
                | DeclineReason::ByPage(_) => "invalid",
            },
        }
    }

    /// Returns true if a retry may help.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable => true,
            Self::Unexpected { status, .. } => *status >= 500 || *status < 300,
            Self::Declined(reason) => {
                matches!(
                    reason,
                    DeclineReason::TooMany { .. } | DeclineReason::NotRenewed
                )
            }
        }
    }

    /// Returns true if the session is the cause: it has ended, or cannot be renewed at the moment.
    pub fn is_session_error(&self) -> bool {
        matches!(
            self,
            Self::Declined(DeclineReason::SignInNeeded | DeclineReason::NotRenewed)
        )
    }
}

/// Returns the seconds to wait after a 429: `Retry-After`, or else the longest time until a rate limit resets.
/// Services have several limits, each with its own header; browsers give header names in lower case.
pub fn retry_after_s(headers: impl Iterator<Item = (String, String)>) -> Option<i64> {
    let mut longest = None;
    for (name, value) in headers {
        let Ok(seconds) = value.parse::<i64>() else {
            continue;
        };
        if name == "retry-after" {
            return Some(seconds.max(0));
        }
        if name.starts_with("x-ratelimit-reset") {
            longest = longest.max(Some(seconds.clamp(0, MAX_RESET_S)));
        }
    }
    longest
}

/// Returns true if the service does not know the operation, for example because it expects another version
/// header.
fn is_unknown_operation(body: &Value) -> bool {
    let message = ErrorDetail::read_body(body).message;
    message.starts_with("Cannot GET ")
}

/// Returns true for the message about a wrong code of an e-mail address; other messages are about one that is not valid
/// any more.
pub fn is_wrong_code(message: &str) -> bool {
    message.ends_with("is wrong")
}

/// Finds the instant in a message, as in the one that declines a series.
fn instant_in(message: &str) -> Option<Instant> {
    let is_full = |word: &&str| word.len() >= 20 && word.as_bytes().get(10) == Some(&b'T');
    message.split(' ').filter(is_full).find_map(Instant::parse)
}

fn mentions_availability(message: &str) -> bool {
    [
        "already has booking",
        "already has a booking",
        "not available",
        "unavailable",
        "reserved this slot",
    ]
    .into_iter()
    .any(|phrase| says(message, phrase))
}

/// Searches bytes, because a text search costs every visitor 4 KB.
fn says(message: &str, phrase: &str) -> bool {
    let mut parts = message.as_bytes().windows(phrase.len());
    parts.any(|part| part.eq_ignore_ascii_case(phrase.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_response_taken_slot_differs_from_other_errors() {
        let a =
            |message: &str| format!(r#"{{"status":"error","error":{{"message":"{message}"}}}}"#);
        let taken = ApiError::Declined(DeclineReason::TimeTaken);
        for (status, body, books, expected) in [
            (409, a("anything"), true, taken.clone()),
            (
                409,
                a(
                    "the meeting of the series at 2027-03-08T14:00:00.000Z is no longer available: nothing",
                ),
                true,
                ApiError::Declined(DeclineReason::SeriesTaken(
                    Instant::parse("2027-03-08T14:00:00Z").unwrap(),
                )),
            ),
            (422, a("reserved"), true, taken.clone()),
            (
                409,
                a("this person is already signed up for this booking"),
                true,
                ApiError::Declined(DeclineReason::AlreadySignedUp),
            ),
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
                ApiError::Declined(DeclineReason::TimeTaken),
            ),
            (
                422,
                r#"{"error":{"code":"IDEMPOTENCY_KEY_REUSED","message":"no"}}"#.into(),
                true,
                ApiError::Declined(DeclineReason::KeyReused),
            ),
            (
                400,
                a("topic is required"),
                true,
                ApiError::Declined(DeclineReason::Invalid("topic is required".into())),
            ),
            (
                409,
                a("name in use"),
                false,
                ApiError::Declined(DeclineReason::Invalid("name in use".into())),
            ),
            (
                498,
                String::new(),
                false,
                ApiError::Declined(DeclineReason::SignInNeeded),
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
                ApiError::Declined(DeclineReason::NotFound),
            ),
            (
                200,
                a("topic is required"),
                true,
                ApiError::Declined(DeclineReason::Invalid("topic is required".into())),
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
                ApiError::from_response(
                    status,
                    serde_json::from_str(&body).ok(),
                    None,
                    None,
                    books
                ),
                expected,
                "{status} {body}"
            );
        }
    }

    #[test]
    fn retry_after_s_rate_limited_returns_longest_delay() {
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
            let retry_after_s = retry_after_s(given);
            assert_eq!(retry_after_s, wait_s, "{headers:?}");
            assert_eq!(
                ApiError::from_response(429, None, None, retry_after_s, false),
                ApiError::Declined(DeclineReason::TooMany { wait_s })
            );
        }
    }

    #[test]
    fn from_response_validation_failed_has_first_constraint() {
        let body = r#"{"error":{"message":"Bad Request Exception","details":{"errors":[
            {"property":"attendee","children":[{"property":"email","constraints":{"isEmail":"email must be an email"}}]}]}}}"#;
        assert_eq!(
            ApiError::from_response(400, serde_json::from_str(body).ok(), None, None, false),
            ApiError::Declined(DeclineReason::Invalid("email must be an email".into()))
        );
        let field_error = (
            "attendee.email".to_owned(),
            "email must be an email".to_owned(),
        );
        assert_eq!(
            ApiError::from_response(400, serde_json::from_str(body).ok(), None, None, true),
            ApiError::Declined(DeclineReason::InvalidProperties(
                "email must be an email".into(),
                vec![field_error]
            ))
        );
    }
}
