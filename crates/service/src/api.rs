//! Names of the interface that several layers share.

use axum::http::HeaderName;

/// Query parameter of version 1 that holds the API key.
pub const API_KEY_PARAMETER: &str = "apiKey";

/// Response header that marks the stored response of an earlier request with the same key.
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Returns true for paths of version 1.
pub fn is_v1(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}
