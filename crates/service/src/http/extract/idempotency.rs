//! The header `Idempotency-Key`, and responses to requests with it.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use booking_wire::{Envelope, JsonMap};
use serde::Serialize;

use crate::api::IDEMPOTENCY_REPLAYED;
use crate::app::AppState;
use crate::domain::idempotency::{IdempotentResponse, KeyedRequest, Outcome};
use crate::error::{Error, Result};
use crate::input_limits::MAX_IDEMPOTENCY_KEY_CHARS;
use crate::limits::Client;

/// Name of the header.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Extracts the key of a request, if it has one: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self> {
        let mut values = parts.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(value) = values.next() else {
            return Ok(Self(None));
        };
        let is_valid = (1..=MAX_IDEMPOTENCY_KEY_CHARS).contains(&value.len())
            && value.as_bytes().iter().all(u8::is_ascii_graphic);
        match value.to_str() {
            Ok(key) if is_valid && values.next().is_none() => Ok(Self(Some(key.to_owned()))),
            _ => Err(Error::BadRequest(format!(
                "Idempotency-Key must be 1 to {MAX_IDEMPOTENCY_KEY_CHARS} visible ASCII characters, once"
            ))),
        }
    }
}

impl IdempotencyKey {
    /// Returns the request with its key, if there is a key. `operation` is its method and path.
    pub fn into_keyed_request(
        self,
        app: &AppState,
        client: &Client,
        operation: &str,
        body: &JsonMap,
    ) -> Option<KeyedRequest> {
        let key = self.0?;
        Some(KeyedRequest::new(app, client, &key, operation, body))
    }
}

impl<T: Serialize> IntoResponse for Outcome<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Unkeyed(data) => {
                (StatusCode::CREATED, Json(Envelope::success(data))).into_response()
            }
            Self::Keyed(IdempotentResponse {
                status,
                body,
                is_replay,
            }) => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
                let content_type = [(CONTENT_TYPE, "application/json")];
                let mut response = (status, content_type, body).into_response();
                if is_replay {
                    let replayed = HeaderValue::from_static("true");
                    response
                        .headers_mut()
                        .insert(IDEMPOTENCY_REPLAYED, replayed);
                }
                response
            }
        }
    }
}
