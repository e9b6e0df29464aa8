//! Warning about a proxy in front of the service that `--trust-proxy` does not name.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::AppState;
use crate::limits::client_ip::names_client;

/// Logs a warning, once per process, if a proxy adds the address of the client to requests and is not trusted: all visitors
/// count as one then, and soon get 429.
pub async fn warn_of_proxy(State(app): State<AppState>, request: Request, next: Next) -> Response {
    static IS_LOGGED: AtomicBool = AtomicBool::new(false);
    if app.settings.limits.trusted_proxies == 0
        && names_client(request.headers())
        && !IS_LOGGED.swap(true, Ordering::Relaxed)
    {
        tracing::warn!(
            "a request came through a proxy, and --trust-proxy is 0: all visitors behind it count as one for the limits. \
             Set --trust-proxy to the number of proxies that write X-Forwarded-For; without a proxy, ignore this"
        );
    }
    next.run(request).await
}
