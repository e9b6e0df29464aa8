//! HTML page that shows the document. It loads nothing from other origins.
//!
//! The pages of the `utoipa` crates load their script from other origins, or embed Swagger UI,
//! whose script and styles are 1.9 MB and set `innerHTML`. This page is 19 KB, and its policy
//! requires trusted types.

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;

use crate::app::AppState;

/// Content security policy: only the page's files and the document.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Path, content type and content of the files.
const FILES: [(&str, &str, &str); 3] = [
    (
        "/v2/docs/",
        "text/html; charset=utf-8",
        include_str!("../../../assets/docs/index.html"),
    ),
    (
        "/v2/docs/docs.css",
        "text/css; charset=utf-8",
        include_str!("../../../assets/docs/docs.css"),
    ),
    (
        "/v2/docs/docs.js",
        "text/javascript; charset=utf-8",
        include_str!("../../../assets/docs/docs.js"),
    ),
];

/// Serves the page.
pub(super) fn router() -> Router<AppState> {
    let page = Router::new().route("/v2/docs", get(async || Redirect::permanent("/v2/docs/")));
    FILES
        .into_iter()
        .fold(page, |router, (path, content_type, content)| {
            let serve = async move || {
                let headers = [
                    (CONTENT_TYPE, content_type),
                    (CONTENT_SECURITY_POLICY, POLICY),
                    (CACHE_CONTROL, "no-cache"),
                    (REFERRER_POLICY, "no-referrer"),
                    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
                ];
                (headers, content).into_response()
            };
            router.route(path, get(serve))
        })
}
