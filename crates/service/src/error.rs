//! Errors of requests, and their status, headers and body.
//!
//! A handler returns [`Error`]; it becomes a response that carries the error as an extension.
//! [`crate::http::middleware::responses`] writes the body, because it knows the path and the clock.

pub mod field_errors;
pub mod redaction;

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use booking_rules::TransitionError;
use booking_wire::{ErrorBody, ErrorDetail, Instant};
use field_errors::FieldErrors;
use serde_json::json;

use crate::error::redaction::redacted;
use crate::input_limits::MAX_RESPONSE_BYTES;

/// Result of handlers and use cases.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error of a request.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Validation errors, sent as `details.errors`.
    #[error("{0}")]
    Invalid(FieldErrors),
    /// Well-formed, but rejected with a reason.
    #[error("{0}")]
    BadRequest(String),
    /// Missing or wrong credentials.
    #[error("{0}")]
    Unauthorized(&'static str),
    /// Unknown or expired API key. Its error body in version 1 differs from that of a missing key.
    #[error("{0}")]
    WrongKey(&'static str),
    /// Expired access token: the client can refresh it and retry.
    #[error("ACCESS_TOKEN_IS_EXPIRED")]
    TokenExpired,
    /// Authenticated, but not allowed.
    #[error("{0}")]
    Forbidden(String),
    /// Unknown object.
    #[error("{0}")]
    NotFound(String),
    /// Known path, unknown method.
    #[error("Cannot use this method here")]
    MethodNotAllowed,
    /// Conflict with another request or object.
    #[error("{0}")]
    Conflict(String),
    /// Request body above the limit of its operation.
    #[error("request entity too large")]
    TooLarge,
    /// `Content-Type` that is not JSON.
    #[error("content type must be application/json")]
    UnsupportedMediaType,
    /// Valid request that cannot be carried out.
    #[error("{0}")]
    Unprocessable(String),
    /// `Idempotency-Key` of another request.
    #[error("the Idempotency-Key was used for another request: use a new one")]
    IdempotencyKeyReused,
    /// Request target above the limit.
    #[error("the request's address is too long")]
    UriTooLong,
    /// Timeout while receiving the request body.
    #[error("the request body did not arrive in time")]
    TooSlow,
    /// Rate limit exceeded.
    #[error("Too many requests: try again in {retry_after_s} s")]
    TooManyRequests {
        /// Seconds until the next request is accepted.
        retry_after_s: u64,
    },
    /// Too many concurrent requests.
    #[error("the service has more to do than it can: try again shortly")]
    Overloaded,
    /// Data that the request was checked against has changed before it was written.
    #[error("what this request depends on has just changed: send it again")]
    ConcurrentChange,
    /// Temporary failure of the database: full disk, no connection, lock. The cause is logged, not
    /// sent.
    #[error("the service cannot store or read its data at the moment")]
    Unavailable,
    /// Timeout of the response.
    #[error("the answer took too long")]
    Timeout,
    /// Internal error. The cause is logged, not sent.
    #[error("Internal server error")]
    Internal(Logged),
}

/// Proof that a cause was logged: only [`Error::internal`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Logged(());

impl Error {
    /// Logs `cause` and returns an error without it.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::Internal(Logged(()))
    }

    /// Logs `cause` of a temporary failure of the database and returns an error without it.
    pub fn unavailable(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "the database is unavailable");
        Self::Unavailable
    }

    /// Error for a response above the size limit.
    pub fn response_too_large() -> Self {
        Self::BadRequest(format!(
            "the response would have more than {} MiB: ask for fewer entries (take) or a shorter range",
            MAX_RESPONSE_BYTES / (1024 * 1024)
        ))
    }

    /// Error for a list without pages that has more than `max` entries.
    pub fn list_too_long(max: usize) -> Self {
        Self::BadRequest(format!(
            "the list has more than {max} entries: use an operation with pages, or ask for fewer (take)"
        ))
    }

    /// Error for an unknown id of a resource.
    pub fn not_found(resource: &str, id: impl std::fmt::Display) -> Self {
        Self::NotFound(format!("{resource} {id} not found"))
    }

    /// HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) | Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized(_) | Self::WrongKey(_) => StatusCode::UNAUTHORIZED,
            // Unregistered status of the API for expired tokens.
            Self::TokenExpired => StatusCode::from_u16(498).unwrap_or(StatusCode::UNAUTHORIZED),
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Unprocessable(_) | Self::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::UriTooLong => StatusCode::URI_TOO_LONG,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Overloaded | Self::ConcurrentChange | Self::Unavailable => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Timeout => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Seconds until a retry, if known.
    pub fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::TooManyRequests { retry_after_s } => Some(*retry_after_s),
            Self::ConcurrentChange => Some(1),
            Self::Overloaded => Some(2),
            Self::Unavailable => Some(10),
            _ => None,
        }
    }

    /// Error code: the name of an exception.
    fn code(&self, reason: &str) -> String {
        match self {
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED".into(),
            Self::TooManyRequests { .. } => "ThrottlerException".into(),
            Self::UriTooLong => "UriTooLongException".into(),
            _ => format!("{}Exception", reason.replace(' ', "")),
        }
    }

    /// Body of the response to `path` (with its query string).
    pub fn body(&self, timestamp: Instant, path: String) -> ErrorBody {
        let reason = self.status().canonical_reason().unwrap_or("Token Expired");
        // Clients may send keys in wrong places, and error trackers store responses.
        let message = redacted(&self.to_string());
        let mut details = json!({
            "statusCode": self.status().as_u16(),
            "error": reason,
            "message": message,
        });
        if let (Self::Invalid(field_errors), Some(details)) = (self, details.as_object_mut()) {
            let (errors, omitted) = field_errors.to_json();
            details.insert("errors".into(), errors.into());
            if omitted > 0 {
                details.insert("omittedErrors".into(), omitted.into());
            }
        }
        ErrorBody::new(
            timestamp,
            path,
            ErrorDetail {
                code: self.code(reason),
                message,
                details: Some(details),
            },
        )
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Some(seconds) = self.retry_after_s() {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<TransitionError> for Error {
    fn from(reason: TransitionError) -> Self {
        Self::BadRequest(reason.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(cause: serde_json::Error) -> Self {
        // The message of serde repeats input, which may be personal data.
        Self::internal(format!(
            "unreadable JSON: {:?} at {}:{}",
            cause.classify(),
            cause.line(),
            cause.column()
        ))
    }
}
