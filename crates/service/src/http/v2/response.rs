//! Responses of handlers.

use axum::Json;
use axum::http::StatusCode;
use booking_wire::{Envelope, Pagination};

use crate::error::Result;

/// A response with `data`, or an error.
pub type Success<T> = Result<Json<Envelope<T>>>;

/// A response that reports a created object, or an error.
pub type Created<T> = Result<(StatusCode, Json<Envelope<T>>)>;

/// Responds with `data`.
pub fn success<T>(data: T) -> Success<T> {
    Ok(Json(Envelope::success(data)))
}

/// Responds with one page of a list.
pub fn page<T>((data, pagination): (T, Pagination)) -> Success<T> {
    Ok(Json(Envelope::page(data, pagination)))
}

/// Responds with a created object.
pub fn created<T>(data: T) -> Created<T> {
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}
