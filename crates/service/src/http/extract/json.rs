//! JSON bodies of requests.

use axum::body::{Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use booking_wire::JsonMap;
use serde_json::Value;
use serde_json::error::Category;

use crate::error::{Error, Result};
use crate::input_limits::{check_json_shape, text_chars};

/// A JSON body within the limits of [`crate::input_limits`] whose top level is an object.
#[derive(Debug)]
pub struct JsonObject(pub JsonMap);

impl<S: Send + Sync> FromRequest<S> for JsonObject {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let is_json = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .map(|value| {
                value
                    .split(';')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_ascii_lowercase()
            })
            .is_some_and(|kind| kind == "application/json" || kind.ends_with("+json"));
        let text_chars = text_chars(request.uri().path());
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| {
                if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
                    Error::TooLarge
                } else {
                    Error::BadRequest("the request body could not be read".into())
                }
            })?;
        if !is_json {
            return Err(Error::UnsupportedMediaType);
        }
        if let Err(cause) = check_json_shape(&bytes, text_chars) {
            return Err(Error::BadRequest(match cause.classify() {
                Category::Data => format!("the request body is not accepted: {cause}"),
                _ => format!("the request body is not valid JSON: {cause}"),
            }));
        }
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err(Error::BadRequest(
                "the request body must be a JSON object".into(),
            )),
            Err(cause) => Err(Error::BadRequest(format!(
                "the request body is not valid JSON: {cause}"
            ))),
        }
    }
}

/// As [`JsonObject`], but a missing body counts as `{}`.
#[derive(Debug)]
pub struct OptionalJsonObject(pub JsonMap);

impl<S: Send + Sync> FromRequest<S> for OptionalJsonObject {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let is_declared = request.headers().contains_key(CONTENT_TYPE);
        if !is_declared && request.body().is_end_stream() {
            return Ok(Self(JsonMap::new()));
        }
        let JsonObject(map) = JsonObject::from_request(request, state).await?;
        Ok(Self(map))
    }
}
