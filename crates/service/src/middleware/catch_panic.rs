//! Responds to a request whose handler has panicked.
//!
//! `tower_http`'s layer would do the same outside of the error type, whose body and log line are made in
//! one place.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::Error;

/// Turns a panic into an internal error.
pub async fn catch_panic(request: Request, next: Next) -> Response {
    let mut response = pin!(next.run(request));
    poll_fn(|context| {
        // After a panic the future is not touched again: what it held is dropped with it.
        catch_unwind(AssertUnwindSafe(|| response.as_mut().poll(context))).unwrap_or_else(|_| {
            Poll::Ready(Error::internal("the handler panicked").into_response())
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::super::cors::cors;
    use super::*;

    #[tokio::test]
    async fn panic_is_an_internal_error_that_every_page_can_read() {
        let fails = async || std::iter::empty::<&'static str>().next().unwrap();
        let router: Router = Router::new()
            .route("/", get(fails))
            .layer(from_fn(catch_panic))
            .layer(cors());
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status().as_u16(), 500);
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        assert!(response.extensions().get::<Error>().is_some());
    }
}
