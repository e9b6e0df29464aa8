//! The version of an operation that a request asks for.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::Error;

/// Refuses a request for a version of an operation that this service does not have (contract 9).
pub async fn check_version(request: Request, next: Next) -> Response {
    let resource = request
        .uri()
        .path()
        .strip_prefix("/v2/")
        .and_then(|rest| rest.split('/').next());
    let spoken = match resource {
        Some("slots") => "2024-09-04",
        Some("bookings") => "2024-08-13",
        Some("event-types") => "2024-06-14",
        Some("schedules") => "2024-06-11",
        _ => return next.run(request).await,
    };
    for name in ["svc-api-version", "cal-api-version"] {
        if let Some(asked) = request.headers().get(name)
            && asked.as_bytes() != spoken.as_bytes()
        {
            return Error::BadRequest(format!("{name} must be {spoken} for this operation"))
                .into_response();
        }
    }
    next.run(request).await
}
