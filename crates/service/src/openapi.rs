//! Routes of version 2, and the OpenAPI document that is generated from them.
//!
//! Handlers are registered with their descriptions, so that no route is missing. `complete` adds
//! everything that operations have in common; the allowed callers come from the operation's access
//! rule.

mod complete;
mod descriptions;
mod examples;
mod page;
mod parameters;
mod rules;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;
use crate::auth::access::{self, Rule};
use crate::v2::{
    bookings, event_types, managed_users, me, memberships, out_of_office, reservations, roles,
    schedules, slots, teams, webhooks,
};

/// Builds the router of all operations of version 2 and the description of them, and makes their
/// access rules known.
pub fn interface() -> (Router<AppState>, OpenApi) {
    let (router, mut description) = operations().split_for_parts();
    access::set_rules(rules::take(&mut description));
    (router, description)
}

/// Access rules of all operations of version 2.
pub fn access_rules() -> &'static [Rule] {
    if access::rules().is_empty() {
        let _ = interface();
    }
    access::rules()
}

fn operations() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(event_types::routes())
        .merge(slots::routes())
        .merge(reservations::routes())
        .merge(bookings::routes())
        .merge(roles::routes())
        .merge(teams::routes())
        .merge(memberships::routes())
        .merge(managed_users::routes())
        .merge(me::routes())
        .merge(schedules::routes())
        .merge(out_of_office::routes())
        .merge(webhooks::routes())
}

/// Serves the document, and a page that shows it.
pub fn router(openapi: OpenApi) -> Router<AppState> {
    // Generated on the first request: most processes that build a router never get one.
    let text: Arc<OnceLock<Bytes>> = Arc::default();
    let show_document = async move |State(app): State<AppState>| -> Response {
        let text = text.get_or_init(|| {
            Bytes::from(complete::document(&openapi, &app.settings.base_url).to_string())
        });
        let headers = [(CONTENT_TYPE, "application/json; charset=utf-8")];
        (headers, text.clone()).into_response()
    };
    Router::new()
        .route("/v2/openapi.json", get(show_document))
        .merge(page::router())
}
