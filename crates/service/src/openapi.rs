//! The table of all operations, and the OpenAPI document that is made from it.
//!
//! Handlers are registered with their descriptions, so that no route can be left out. What all
//! operations have in common is added by `complete`, so that no handler has to repeat it; who
//! may call comes from the table that decides about it.

mod complete;
mod examples;
mod page;
mod parameters;
mod words;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::app::AppState;
use crate::v2::{
    bookings, event_types, managed_users, me, memberships, oauth, out_of_office, reservations,
    roles, schedules, slots, team_bookings, teams, webhooks,
};

/// Every operation of version 2.
pub fn interface() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(event_types::routes())
        .merge(slots::routes())
        .merge(reservations::routes())
        .merge(bookings::routes())
        .merge(team_bookings::routes())
        .merge(roles::routes())
        .merge(teams::routes())
        .merge(memberships::routes())
        .merge(oauth::routes())
        .merge(managed_users::routes())
        .merge(me::routes())
        .merge(schedules::routes())
        .merge(out_of_office::routes())
        .merge(webhooks::routes())
}

/// The whole document of a service that is reached at `base_url`.
pub fn document(described: &OpenApi, base_url: &str) -> Value {
    complete::document(described, base_url)
}

/// Serves the document, and a page to read it with.
pub fn router(described: OpenApi) -> Router<AppState> {
    // Made when it is first asked for: most processes that build a router never are.
    let text: Arc<OnceLock<Bytes>> = Arc::default();
    let show = async move |State(app): State<AppState>| -> Response {
        let text = text
            .get_or_init(|| Bytes::from(document(&described, &app.settings.base_url).to_string()));
        let kind = [(CONTENT_TYPE, "application/json; charset=utf-8")];
        (kind, text.clone()).into_response()
    };
    Router::new()
        .route("/v2/openapi.json", get(show))
        .merge(page::router())
}
