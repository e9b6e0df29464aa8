//! Routes of version 2, and the OpenAPI document that is generated from them.
//!
//! Handlers are registered with their descriptions, so that no route is missing. `complete` adds
//! everything that operations have in common; the allowed callers come from the operation's access
//! rule.

mod access_rules;
mod complete;
mod descriptions;
mod examples;
mod page;
mod parameters;

use std::sync::{Arc, LazyLock, OnceLock};

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
use crate::auth::access::{self, Rule};
use crate::http::v2::{
    bookings, event_types, managed_users, me, memberships, out_of_office, reservations, roles,
    schedules, slots, teams, verified_emails, webhooks,
};

/// Router of all operations of version 2, and their description. Built once: the access rules
/// live as long as the process.
static INTERFACE: LazyLock<(Router<AppState>, OpenApi)> = LazyLock::new(|| {
    let (router, mut description) = operations().split_for_parts();
    access::set_rules(access_rules::take(&mut description));
    (router, description)
});

/// Access rules of all operations of version 2.
pub fn access_rules() -> &'static [Rule] {
    LazyLock::force(&INTERFACE);
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
        .merge(verified_emails::routes())
        .merge(webhooks::routes())
}

/// Serves all operations, the document and a page that shows it.
pub fn router() -> Router<AppState> {
    let (operations, description) = &*INTERFACE;
    operations
        .clone()
        .merge(document_route("/v2/openapi.json", |base_url| {
            complete::document(description, base_url)
        }))
        .merge(page::router())
}

/// Serves the document that `build` returns for the URL of the service. It is built on the first
/// request: most processes that build a router never get one.
pub fn document_route(
    path: &str,
    build: impl Fn(&str) -> Value + Clone + Send + Sync + 'static,
) -> Router<AppState> {
    let text: Arc<OnceLock<Bytes>> = Arc::default();
    let show = async move |State(app): State<AppState>| -> Response {
        let text = text.get_or_init(|| Bytes::from(build(&app.settings.base_url).to_string()));
        let headers = [(CONTENT_TYPE, "application/json; charset=utf-8")];
        (headers, text.clone()).into_response()
    };
    Router::new().route(path, get(show))
}
