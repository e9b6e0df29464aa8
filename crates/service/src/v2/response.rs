//! Responses of handlers.

use axum::Json;
use axum::http::StatusCode;
use booking_wire::Envelope;

use crate::error::Result;

/// A response with `data`, or an error.
pub type Success<T> = Result<Json<Envelope<T>>>;

/// A response that reports a created object, or an error.
pub type Created<T> = Result<(StatusCode, Json<Envelope<T>>)>;

/// Responds with `data`.
pub fn success<T>(data: T) -> Success<T> {
    Ok(Json(Envelope::success(data)))
}

/// Responds with a created object.
pub fn created<T>(data: T) -> Created<T> {
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}
