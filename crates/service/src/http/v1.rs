//! The deprecated version 1 of the API, on top of the use cases of version 2.
//!
//! One table of [`operation::Operation`]s defines routes, access rules, request and response
//! schemas; the OpenAPI document is generated from it. Callers authenticate with an API key in the
//! query, so queries are never echoed or logged.
//!
//! | Module | Contents |
//! |---|---|
//! | [`operation`] | a row of the table: declaration of one operation |
//! | [`mod@serve`] | checks of every call before its handler runs |
//! | [`call`] | input of a handler |
//! | [`document`] | the OpenAPI document |
//! | [`failure`] | error bodies |
//! | [`table`] | all operations |
//! | [`deprecation_headers`] | `Deprecation` and `Link` headers |
//! | the others | one resource each |

pub mod call;
pub mod deprecation_headers;
pub mod document;
pub mod failure;
pub mod operation;
pub mod resources;
pub mod serve;
pub mod table;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::routing::{MethodFilter, on};
use serve::serve;

use crate::app::AppState;
use crate::http::openapi::document_route;

/// Routes below `/v1`.
pub fn router() -> Router<AppState> {
    let mut router = document_route("/v1/openapi.json", document::document);
    for operation in table::operations() {
        let non_null_keys: Arc<OnceLock<Vec<&str>>> = Arc::default();
        let handle = async move |State(app): State<AppState>, request: Request| {
            let non_null_keys = non_null_keys.get_or_init(|| {
                operation
                    .input
                    .map_or_else(Vec::new, |input| input.non_null_keys())
            });
            serve(app, operation, non_null_keys, request).await
        };
        let filter = match operation.rule.method {
            "POST" => MethodFilter::POST,
            "PATCH" => MethodFilter::PATCH,
            "DELETE" => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        router = router.route(operation.rule.path, on(filter, handle));
    }
    router
}
