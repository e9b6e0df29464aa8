//! Responds to requests whose handler panicked.

use std::any::Any;

use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;

use crate::error::Error;

/// Layer that turns a panic into an [`Error`], so that its body and log line are like those of
/// other internal errors.
pub fn catch_panic() -> CatchPanicLayer<fn(Box<dyn Any + Send>) -> Response> {
    CatchPanicLayer::custom(|_| Error::internal("the handler panicked").into_response())
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::routing::get;
    use tower::ServiceExt;

    use crate::http::middleware::cors::cors;

    use super::*;

    #[tokio::test]
    async fn panic_returns_500_with_cors_headers() {
        let fails = async || std::iter::empty::<&'static str>().next().unwrap();
        let router: Router = Router::new()
            .route("/", get(fails))
            .layer(catch_panic())
            .layer(cors());
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status().as_u16(), 500);
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        assert!(response.extensions().get::<Error>().is_some());
    }
}
