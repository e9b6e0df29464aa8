//! Names and constants of the API that several layers share.

use axum::http::HeaderName;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};

/// Largest id: 2^53 - 1, which JavaScript clients can represent.
pub const MAX_ID: i64 = 9_007_199_254_740_991;

/// Characters that are percent-encoded in URLs and forms: all but the unreserved ones of RFC 3986.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Time zone of new teams and users, unless the request has one.
pub const DEFAULT_TIME_ZONE: &str = "Europe/London";

/// First day of the week of new teams and users, unless the request has one.
pub const DEFAULT_WEEK_START: &str = "Sunday";

/// Query parameter of version 1 that holds the API key.
pub const API_KEY_PARAMETER: &str = "apiKey";

/// Response header that marks the stored response of an earlier request with the same key.
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Returns true for paths of version 1.
pub fn is_v1(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}
