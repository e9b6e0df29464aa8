//! Handlers for managed users and their tokens.

use axum::extract::State;
use axum::http::HeaderMap;
use booking_wire::{
    CreatedManagedUser, DeletedManagedUser, Envelope, ManagedUser, NewManagedUser, ProfileChange,
    RefreshTokens, TokenSet,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::NO_SCOPE;
use crate::domain::users::{managed, tokens};
use crate::http::extract::authenticated_client;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::validate::Query;

/// Routes of managed users.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, update, delete))
        .routes(routes!(force_refresh))
        .routes(routes!(refresh))
}

/// The managed users of the client.
#[utoipa::path(
    get,
    path = "/v2/oauth-clients/{clientId}/users",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Client)))),
    tag = "Managed users",
    params(
        ("emails" = Option<Vec<String>>, Query, explode = false, max_items = 20, description = "Only these, with or without the platform's part"),
        Paging,
        ("limit" = Option<i64>, Query, description = "The same as take", minimum = 1, maximum = 250),
        ("offset" = Option<i64>, Query, description = "The same as skip", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<ManagedUser>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    query: Query,
) -> Success<Vec<ManagedUser>> {
    let client = authenticated_client(&app, &headers, path.text("clientId")).await?;
    success(managed::list(&client, &app, &query).await?)
}

/// Creates a user with working hours from Monday to Friday, 9 to 17. Returns their first tokens.
#[utoipa::path(
    post,
    path = "/v2/oauth-clients/{clientId}/users",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Client)))),
    tag = "Managed users",
    request_body = NewManagedUser,
    responses((status = 201, body = Envelope<CreatedManagedUser>)),
)]
pub async fn create(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Created<CreatedManagedUser> {
    let client = authenticated_client(&app, &headers, path.text("clientId")).await?;
    created(managed::create(&client, &app, &body).await?)
}

/// One of the client's users.
#[utoipa::path(
    get,
    path = "/v2/oauth-clients/{clientId}/users/{userId}",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Client)))),
    tag = "Managed users",
    responses((status = 200, body = Envelope<ManagedUser>)),
)]
pub async fn show(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
) -> Success<ManagedUser> {
    let client = authenticated_client(&app, &headers, path.text("clientId")).await?;
    success(managed::show(&client, &app, path.id("userId")?).await?)
}

/// Updates one of the client's users.
#[utoipa::path(
    patch,
    path = "/v2/oauth-clients/{clientId}/users/{userId}",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Client)))),
    tag = "Managed users",
    request_body = ProfileChange,
    responses((status = 200, body = Envelope<ManagedUser>)),
)]
pub async fn update(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Success<ManagedUser> {
    let client = authenticated_client(&app, &headers, path.text("clientId")).await?;
    success(managed::update(&client, &app, path.id("userId")?, &body).await?)
}

/// Deletes one of the client's users with their schedules, event types and tokens.
///
/// Teams without other members are deleted, too; a team with other members needs another owner
/// first. The user's upcoming bookings are reassigned to another available host of the event type,
/// kept by the other hosts, or cancelled.
#[utoipa::path(
    delete,
    path = "/v2/oauth-clients/{clientId}/users/{userId}",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Client)))),
    tag = "Managed users",
    responses((status = 200, description = "The user as they were", body = Envelope<DeletedManagedUser>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
) -> Success<DeletedManagedUser> {
    let client = authenticated_client(&app, &headers, path.text("clientId")).await?;
    success(managed::delete(&client, &app, path.id("userId")?).await?)
}

/// Issues new tokens for one of the client's users and revokes all earlier ones.
#[utoipa::path(
    post,
    path = "/v2/oauth-clients/{clientId}/users/{userId}/force-refresh",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Client)))),
    tag = "Managed users",
    responses((status = 200, body = Envelope<TokenSet>)),
)]
pub async fn force_refresh(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
) -> Success<TokenSet> {
    let client = authenticated_client(&app, &headers, path.text("clientId")).await?;
    success(managed::force_refresh(&client, &app, path.id("userId")?).await?)
}

/// Refreshes a managed user's tokens.
///
/// The refresh token becomes invalid immediately; the last access token is valid until it expires.
/// Reuse detection: if a refresh token is used twice, it or its successor has been stolen, and all
/// tokens of the same family are revoked.
#[utoipa::path(
    post,
    path = "/v2/oauth/{clientId}/refresh",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Client)))),
    tag = "Managed users",
    request_body = RefreshTokens,
    responses((status = 200, body = Envelope<TokenSet>)),
)]
pub async fn refresh(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Success<TokenSet> {
    let client = authenticated_client(&app, &headers, path.text("clientId")).await?;
    success(tokens::refresh(&app, &client, &body).await?)
}
