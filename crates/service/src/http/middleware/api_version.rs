//! API version headers.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::Error;

/// Rejects requests for a version of an operation that this service does not support.
pub async fn check_version(request: Request, next: Next) -> Response {
    let resource = request
        .uri()
        .path()
        .strip_prefix("/v2/")
        .and_then(|rest| rest.split('/').next());
    let supported = match resource {
        Some("slots") => "2024-09-04",
        Some("bookings") => "2024-08-13",
        Some("event-types") => "2024-06-14",
        Some("schedules") => "2024-06-11",
        _ => return next.run(request).await,
    };
    for name in ["svc-api-version", "cal-api-version"] {
        if let Some(requested) = request.headers().get(name)
            && requested.as_bytes() != supported.as_bytes()
        {
            return Error::BadRequest(format!("{name} must be {supported} for this operation"))
                .into_response();
        }
    }
    next.run(request).await
}
