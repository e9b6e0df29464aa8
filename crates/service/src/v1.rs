//! The deprecated version 1 of the interface (contract 5), over what version 2 is made of.
//!
//! One table of [`operation::Operation`]s is everything: routes, who may call, what is read and
//! answered, and the OpenAPI document are made from it. Callers are known by the API key in their
//! query, which is why nothing here ever repeats a query.
//!
//! | Module | Owns |
//! |---|---|
//! | [`operation`] | a row of the table, and how a call goes through it |
//! | [`call`] | what a handler is given |
//! | [`document`] | the OpenAPI document |
//! | [`failure`] | bodies of failures |
//! | [`table`] | every operation |
//! | [`successor`] | the headers that point to version 2 |
//! | the others | one resource each |

pub mod attendees;
pub mod availabilities;
pub mod booking_references;
pub mod bookings;
pub mod call;
pub mod credentials;
pub mod destination_calendars;
pub mod document;
pub mod event_types;
pub mod failure;
pub mod memberships;
pub mod operation;
pub mod payments;
pub mod schedules;
pub mod selected_calendars;
pub mod slots;
pub mod successor;
pub mod table;
pub mod teams;
pub mod users;
pub mod webhooks;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, get, on};
use operation::serve;

use crate::app::AppState;

/// Everything below `/v1`.
pub fn router() -> Router<AppState> {
    // Made when it is first asked for: most processes never are.
    let text: Arc<OnceLock<Bytes>> = Arc::default();
    let show = async move |State(app): State<AppState>| {
        let made = || Bytes::from(document::document(&app.settings.base_url).to_string());
        let text = text.get_or_init(made).clone();
        ([(CONTENT_TYPE, "application/json; charset=utf-8")], text).into_response()
    };
    let mut router = Router::new().route("/v1/openapi.json", get(show));
    for operation in table::operations() {
        let firm: Arc<OnceLock<Vec<&str>>> = Arc::default();
        let answer = async move |State(app): State<AppState>, request: Request| {
            let firm = firm.get_or_init(|| operation.input.map_or_else(Vec::new, |it| it.firm()));
            serve(app, operation, firm, request).await
        };
        let filter = match operation.rule.method {
            "POST" => MethodFilter::POST,
            "PATCH" => MethodFilter::PATCH,
            "DELETE" => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        router = router.route(operation.rule.path, on(filter, answer));
    }
    router
}
