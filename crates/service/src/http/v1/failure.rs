//! Error bodies. The API key is in the query, so they do not contain the query; keys elsewhere in
//! the request are redacted.

use axum::http::Method;
use booking_wire::v1::{Failure, PropertyError};

use crate::error::Error;
use crate::error::field_errors::{FieldError, FieldErrors};
use crate::error::redaction::redacted;

/// Body of an error response. `path` has no query.
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
            data: messages(other),
            ..Failure::default()
        },
    }
}

fn messages(error: &Error) -> Option<Vec<PropertyError>> {
    let Error::Invalid(field_errors) = error else {
        return None;
    };
    Some(
        field_errors
            .reported
            .iter()
            .map(|error| PropertyError {
                property: redacted(&error.property()),
                message: redacted(error.message()),
            })
            .collect(),
    )
}

/// Renames the properties of a validation error from version 2 to version 1. `names` are pairs of
/// the names of version 2 and version 1; nested properties are renamed, too.
pub(crate) fn renamed(error: Error, names: &[(&str, &str)]) -> Error {
    let Error::Invalid(field_errors) = error else {
        return error;
    };
    let rename = |error: FieldError| {
        let property = error.property();
        let found = names.iter().find_map(|(v2_name, v1_name)| {
            let rest = property.strip_prefix(v2_name)?;
            let is_full_name = rest.is_empty() || rest.starts_with('.');
            is_full_name.then(|| format!("{v1_name}{rest}"))
        });
        match found {
            Some(name) => error.with_property(&name),
            None => error,
        }
    };
    Error::Invalid(FieldErrors {
        reported: field_errors.reported.into_iter().map(rename).collect(),
        omitted: field_errors.omitted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_key_alone_has_the_error_property() {
        let wrong = body(&Error::WrongKey("unknown"), &Method::GET, "/v1/teams");
        assert_eq!(
            (wrong.message, wrong.error.as_deref()),
            (None, Some("unknown"))
        );
        let missing = body(&Error::Unauthorized("none"), &Method::GET, "/v1/teams");
        assert_eq!((missing.error, missing.url), (None, None));
    }
}
