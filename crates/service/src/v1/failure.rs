//! Bodies of failures, without the API key. Keys come in the query, so no query is repeated; and if
//! somebody has put one elsewhere, it is cut wherever it would be repeated.

use axum::http::Method;
use booking_wire::v1::{Complaint, Failure};

use crate::error::Error;
use crate::error::violations::{Violation, Violations};
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

/// The complaints of `error` about properties that version 2 names otherwise, under the names that
/// the caller knows. Names are pairs of version 2's and ours; nested ones go with them.
pub(crate) fn renamed(error: Error, names: &[(&str, &str)]) -> Error {
    let Error::Invalid(violations) = error else {
        return error;
    };
    let rename = |violation: Violation| {
        let property = violation.property();
        let found = names.iter().find_map(|(theirs, ours)| {
            let rest = property.strip_prefix(theirs)?;
            let is_whole = rest.is_empty() || rest.starts_with('.');
            is_whole.then(|| format!("{ours}{rest}"))
        });
        match found {
            Some(name) => violation.renamed(&name),
            None => violation,
        }
    };
    Error::Invalid(Violations {
        reported: violations.reported.into_iter().map(rename).collect(),
        omitted: violations.omitted,
    })
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
