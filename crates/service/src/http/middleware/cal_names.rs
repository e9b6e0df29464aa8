//! Cal.com's names in responses to Cal.com's clients.
//!
//! The built-in video app is `svc-video` here and `cal-video` there; as the location of a booking
//! it is `integrations:svc-video` here and `integrations:daily` there. Requests may use either.

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;

use crate::error::Error;

/// JSON strings of this service and their counterparts in Cal.com's API.
const NAMES: [(&str, &str); 2] = [
    ("\"svc-video\"", "\"cal-video\""),
    ("\"integrations:svc-video\"", "\"integrations:daily\""),
];

/// Headers that Cal.com's clients send.
const CAL_HEADERS: [&str; 4] = [
    "cal-api-version",
    "x-cal-client-id",
    "x-cal-secret-key",
    "x-cal-atoms-version",
];

/// Returns true if the client uses Cal.com's API only.
fn is_cal_client(headers: &HeaderMap) -> bool {
    !headers.contains_key("svc-api-version")
        && CAL_HEADERS.iter().any(|name| headers.contains_key(*name))
}

/// Replaces names in JSON responses to Cal.com's clients.
pub async fn write_cal_names(request: Request, next: Next) -> Response {
    let is_cal_client = is_cal_client(request.headers());
    let response = next.run(request).await;
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if !is_cal_client || !is_json {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(cause) => return Error::internal(cause).into_response(),
    };
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    if !NAMES.iter().any(|(ours, _)| text.contains(ours)) {
        return Response::from_parts(parts, Body::from(bytes));
    }
    let mut renamed = text.to_owned();
    for (ours, theirs) in NAMES {
        renamed = renamed.replace(ours, theirs);
    }
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(renamed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cal_client_is_recognised_by_its_headers() {
        for (names, expected) in [
            (&[][..], false),
            (&["cal-api-version"], true),
            (&["x-cal-client-id"], true),
            (&["x-cal-atoms-version"], true),
            (&["svc-api-version"], false),
            (&["svc-api-version", "x-cal-client-id"], false),
        ] {
            let mut headers = HeaderMap::new();
            for name in names {
                headers.insert(*name, "1".parse().unwrap());
            }
            assert_eq!(is_cal_client(&headers), expected, "{names:?}");
        }
    }
}
