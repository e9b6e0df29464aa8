//! Bodies of failures, without the API key. Keys come in the query, so no query is repeated; and if
//! somebody has put one elsewhere, it is cut wherever it would be repeated.

use axum::http::Method;
use booking_wire::v1::{Complaint, Failure};

use crate::error::Error;
use crate::redaction::redacted;

/// The body of the answer to a request that failed. `path` comes without its query.
pub fn body(error: &Error, method: &Method, path: &str) -> Failure {
    let text = redacted(&error.to_string());
    match error {
        Error::WrongKey(_) => Failure {
            error: Some(text),
            ..Failure::default()
        },
        Error::Unauthorized(_) | Error::TooManyRequests { .. } => Failure {
            message: Some(text),
            ..Failure::default()
        },
        other => Failure {
            message: Some(text),
            url: Some(redacted(path)),
            method: Some(method.as_str().to_owned()),
            data: complaints(other),
            ..Failure::default()
        },
    }
}

fn complaints(error: &Error) -> Option<Vec<Complaint>> {
    let Error::Invalid(violations) = error else {
        return None;
    };
    Some(
        violations
            .reported
            .iter()
            .map(|violation| Complaint {
                property: redacted(&violation.property()),
                message: redacted(violation.text()),
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wrong_key_is_told_as_an_error() {
        let wrong = body(&Error::WrongKey("unknown"), &Method::GET, "/v1/teams");
        assert_eq!(
            (wrong.message, wrong.error.as_deref()),
            (None, Some("unknown"))
        );
        let missing = body(&Error::Unauthorized("none"), &Method::GET, "/v1/teams");
        assert_eq!((missing.error, missing.url), (None, None));
    }
}
