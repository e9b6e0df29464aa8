//! Users whom a platform manages (contract 2.2). They are made by an OAuth client with its
//! secret, and act with tokens of that client alone.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use booking_wire::{
    DeletedManagedUser, Envelope, MadeManagedUser, ManagedUser, NewManagedUser, ProfileChange,
    TokenSet,
};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::error::Result;
use crate::extract::calling_client;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::users::managed;
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, edit, delete))
        .routes(routes!(force_refresh))
}

/// The users whom the client manages.
#[utoipa::path(
    get,
    path = "/v2/oauth-clients/{clientId}/users",
    tag = "Managed users",
    params(
        ("clientId" = String, Path),
        ("emails" = Option<Vec<String>>, Query, explode = false, max_items = 20, description = "Only these, with or without the platform's part"),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
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
) -> Result<Json<Envelope<Vec<ManagedUser>>>> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let data = managed::list(&client, &app, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// Makes a user with working hours from Monday to Friday, 9 to 17, and gives their first tokens.
#[utoipa::path(
    post,
    path = "/v2/oauth-clients/{clientId}/users",
    tag = "Managed users",
    params(("clientId" = String, Path)),
    request_body = NewManagedUser,
    responses((status = 201, body = Envelope<MadeManagedUser>)),
)]
pub async fn create(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<MadeManagedUser>>)> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let data = managed::create(&client, &app, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// One of the client's users.
#[utoipa::path(
    get,
    path = "/v2/oauth-clients/{clientId}/users/{userId}",
    tag = "Managed users",
    params(("clientId" = String, Path), ("userId" = i64, Path)),
    responses((status = 200, body = Envelope<ManagedUser>)),
)]
pub async fn show(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
) -> Result<Json<Envelope<ManagedUser>>> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let data = managed::show(&client, &app, path.id("userId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// Changes one of the client's users.
#[utoipa::path(
    patch,
    path = "/v2/oauth-clients/{clientId}/users/{userId}",
    tag = "Managed users",
    params(("clientId" = String, Path), ("userId" = i64, Path)),
    request_body = ProfileChange,
    responses((status = 200, body = Envelope<ManagedUser>)),
)]
pub async fn edit(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<ManagedUser>>> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let data = managed::edit(&client, &app, path.id("userId")?, &body).await?;
    Ok(Json(Envelope::success(data)))
}

/// Deletes one of the client's users with what is theirs alone.
///
/// Teams that nobody else belongs to go with their owner; a team of others needs another owner
/// first. The user's upcoming bookings go to another host of the event type who is free, stay with
/// the other hosts, or are cancelled.
#[utoipa::path(
    delete,
    path = "/v2/oauth-clients/{clientId}/users/{userId}",
    tag = "Managed users",
    params(("clientId" = String, Path), ("userId" = i64, Path)),
    responses((status = 200, description = "The user as they were", body = Envelope<DeletedManagedUser>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
) -> Result<Json<Envelope<DeletedManagedUser>>> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let data = managed::delete(&client, &app, path.id("userId")?).await?;
    Ok(Json(Envelope::success(data)))
}

/// Gives one of the client's users new tokens; all earlier ones are useless at once.
#[utoipa::path(
    post,
    path = "/v2/oauth-clients/{clientId}/users/{userId}/force-refresh",
    tag = "Managed users",
    params(("clientId" = String, Path), ("userId" = i64, Path)),
    responses((status = 200, body = Envelope<TokenSet>)),
)]
pub async fn force_refresh(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
) -> Result<Json<Envelope<TokenSet>>> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let data = managed::force_refresh(&client, &app, path.id("userId")?).await?;
    Ok(Json(Envelope::success(data)))
}
