//! What can go wrong with a request, and the one place that words it for the wire.
//!
//! A handler returns [`Error`]; it becomes a response that carries the error as an extension,
//! and [`crate::middleware::responses`] writes the body, because only there the path and the clock are known.

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use booking_wire::{ErrorBody, ErrorDetail, Instant};
use serde_json::json;

use crate::input_limits::MAX_RESPONSE_BYTES;
use crate::redaction::redacted;

pub mod violations;

use violations::Violations;

/// Shorthand for what handlers return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request has no success.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The input breaks rules; each is named (contract 1.3, form A2).
    #[error("{0}")]
    Invalid(Violations),
    /// Well formed, but refused for the reason given.
    #[error("{0}")]
    BadRequest(String),
    /// No or wrong credentials.
    #[error("{0}")]
    Unauthorized(&'static str),
    /// An API key that is unknown or has expired. Version 1 words it apart from a missing one.
    #[error("{0}")]
    WrongKey(&'static str),
    /// An access token past its expiry: the caller may renew and retry.
    #[error("ACCESS_TOKEN_IS_EXPIRED")]
    TokenExpired,
    /// Known, but not allowed.
    #[error("{0}")]
    Forbidden(String),
    /// No such object.
    #[error("{0}")]
    NotFound(String),
    /// The path is known, the method is not.
    #[error("Cannot use this method here")]
    MethodNotAllowed,
    /// Lost to somebody else.
    #[error("{0}")]
    Conflict(String),
    /// A body larger than its operation reads.
    #[error("request entity too large")]
    TooLarge,
    /// The body is not declared as JSON.
    #[error("content type must be application/json")]
    UnsupportedMediaType,
    /// Sound, but cannot be done.
    #[error("{0}")]
    Unprocessable(String),
    /// An `Idempotency-Key` that belongs to another request.
    #[error("the Idempotency-Key was used for another request: use a new one")]
    IdempotencyKeyReused,
    /// The address is longer than any that means something here.
    #[error("the request's address is too long")]
    UriTooLong,
    /// The caller took too long to send the body.
    #[error("the request body did not arrive in time")]
    TooSlow,
    /// More often than a limit allows (contract 8).
    #[error("Too many requests: try again in {retry_after_s} s")]
    TooManyRequests {
        /// Seconds until the caller is heard again.
        retry_after_s: u64,
    },
    /// More is asked of the service than it can do.
    #[error("the service has more to do than it can: try again shortly")]
    Overloaded,
    /// The database cannot do now what it could before: a full disk, no connection, a lock. The
    /// cause is logged, never sent.
    #[error("the service cannot store or read its data at the moment")]
    Unavailable,
    /// The answer was not ready in time.
    #[error("the answer took too long")]
    Timeout,
    /// Our fault. The cause is logged, never sent.
    #[error("Internal server error")]
    Internal,
}

impl Error {
    /// Logs `cause` and hides it.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        Self::Internal
    }

    /// Logs `cause`, why the database cannot do now what it could before, and hides it.
    pub fn unavailable(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "the database is unavailable");
        Self::Unavailable
    }

    /// A response longer than any may be.
    pub fn too_much() -> Self {
        Self::BadRequest(format!(
            "the response would have more than {} MiB: ask for fewer entries (take) or a shorter range",
            MAX_RESPONSE_BYTES / (1024 * 1024)
        ))
    }

    /// A list without pages that has more entries than any may have.
    pub fn too_many(most: usize) -> Self {
        Self::BadRequest(format!(
            "the list has more than {most} entries: use an operation with pages, or ask for fewer (take)"
        ))
    }

    /// A resource that is not there.
    pub fn not_found(what: &str, id: impl std::fmt::Display) -> Self {
        Self::NotFound(format!("{what} {id} not found"))
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) | Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized(_) | Self::WrongKey(_) => StatusCode::UNAUTHORIZED,
            // Not registered: the interface's own "token expired".
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
            Self::Overloaded | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Timeout => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Seconds after which another attempt makes sense, where that is known.
    pub fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::TooManyRequests { retry_after_s } => Some(*retry_after_s),
            Self::Overloaded => Some(2),
            Self::Unavailable => Some(10),
            _ => None,
        }
    }

    /// The exception's name on the wire and the status in words.
    fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::Invalid(_) | Self::BadRequest(_) => ("BadRequestException", "Bad Request"),
            Self::Unauthorized(_) | Self::WrongKey(_) => ("UnauthorizedException", "Unauthorized"),
            Self::TokenExpired => ("TokenExpiredException", "Token Expired"),
            Self::Forbidden(_) => ("ForbiddenException", "Forbidden"),
            Self::NotFound(_) => ("NotFoundException", "Not Found"),
            Self::MethodNotAllowed => ("MethodNotAllowedException", "Method Not Allowed"),
            Self::Conflict(_) => ("ConflictException", "Conflict"),
            Self::TooLarge => ("PayloadTooLargeException", "Payload Too Large"),
            Self::UnsupportedMediaType => {
                ("UnsupportedMediaTypeException", "Unsupported Media Type")
            }
            Self::Unprocessable(_) => ("UnprocessableEntityException", "Unprocessable Entity"),
            Self::IdempotencyKeyReused => ("IDEMPOTENCY_KEY_REUSED", "Unprocessable Entity"),
            Self::UriTooLong => ("UriTooLongException", "URI Too Long"),
            Self::TooSlow => ("RequestTimeoutException", "Request Timeout"),
            Self::TooManyRequests { .. } => ("ThrottlerException", "Too Many Requests"),
            Self::Overloaded | Self::Unavailable => {
                ("ServiceUnavailableException", "Service Unavailable")
            }
            Self::Timeout => ("GatewayTimeoutException", "Gateway Timeout"),
            Self::Internal => ("InternalServerErrorException", "Internal Server Error"),
        }
    }

    /// The body of the answer to `path` (with its query string).
    pub fn body(&self, timestamp: Instant, path: String) -> ErrorBody {
        let (code, error) = self.names();
        // Callers put keys where they do not belong, and error trackers keep what they are answered.
        let message = redacted(&self.to_string());
        let mut details = json!({
            "statusCode": self.status().as_u16(),
            "error": error,
            "message": message,
        });
        if let (Self::Invalid(violations), Some(details)) = (self, details.as_object_mut()) {
            let (errors, omitted) = violations.to_json();
            details.insert("errors".into(), errors.into());
            if omitted > 0 {
                details.insert("omittedErrors".into(), omitted.into());
            }
        }
        ErrorBody::new(
            timestamp,
            path,
            ErrorDetail {
                code: code.into(),
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

impl From<serde_json::Error> for Error {
    fn from(cause: serde_json::Error) -> Self {
        // Its own words repeat what was read, which may be somebody's name.
        Self::internal(format!(
            "unreadable JSON: {:?} at {}:{}",
            cause.classify(),
            cause.line(),
            cause.column()
        ))
    }
}
