//! Handlers for out-of-office entries.

use axum::extract::State;
use booking_wire::Envelope;
use booking_wire::schedule::{NewOutOfOffice, OutOfOffice, OutOfOfficeChanges};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{SCHEDULE_READ, SCHEDULE_WRITE};
use crate::domain::out_of_office;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::validate::Query;

/// Order of a list of out-of-office entries.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct OutOfOfficeOrder {
    /// `asc` or `desc`; default: `asc`.
    pub sort_start: Option<String>,
    /// `asc` or `desc`, among entries with the same start if both are given.
    pub sort_end: Option<String>,
}

/// Routes of out-of-office entries.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list_of_organization))
        .routes(routes!(list, create))
        .routes(routes!(update, delete))
}

/// Out-of-office entries of an organisation, earliest first.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/ooo",
    extensions(("x-access" = json!(access(SCHEDULE_READ, Requirement::Organization("organization.listMembers"))))),
    tag = "Out of office",
    params(
        Paging,
        OutOfOfficeOrder,
        ("email" = Option<String>, Query, description = "Only of the person with this address"),
    ),
    responses((status = 200, body = Envelope<Vec<OutOfOffice>>)),
)]
pub async fn list_of_organization(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<OutOfOffice>> {
    let data =
        out_of_office::list_of_organization(&app, &caller, path.id("orgId")?, &query).await?;
    success(data)
}

/// Out-of-office entries of a user, earliest first.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo",
    extensions(("x-access" = json!(access(SCHEDULE_READ, Requirement::Owner("organization.listMembers"))))),
    tag = "Out of office",
    params(Paging, OutOfOfficeOrder),
    responses((status = 200, body = Envelope<Vec<OutOfOffice>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Success<Vec<OutOfOffice>> {
    let data =
        out_of_office::list(&app, &caller, path.id("orgId")?, path.id("userId")?, &query).await?;
    success(data)
}

/// Creates an out-of-office entry. Two entries of one user cannot overlap.
#[utoipa::path(
    post,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo",
    extensions(("x-access" = json!(access(SCHEDULE_WRITE, Requirement::Owner("organization.update"))))),
    tag = "Out of office",
    request_body = NewOutOfOffice,
    responses((status = 201, body = Envelope<OutOfOffice>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Created<OutOfOffice> {
    let data =
        out_of_office::create(&app, &caller, path.id("orgId")?, path.id("userId")?, &body).await?;
    created(data)
}

/// Updates an out-of-office entry; absent properties are unchanged.
#[utoipa::path(
    patch,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo/{oooId}",
    extensions(("x-access" = json!(access(SCHEDULE_WRITE, Requirement::Owner("organization.update"))))),
    tag = "Out of office",
    request_body = OutOfOfficeChanges,
    responses((status = 200, body = Envelope<OutOfOffice>)),
)]
pub async fn update(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<OutOfOffice> {
    success(
        out_of_office::update(
            &app,
            &caller,
            path.id("orgId")?,
            path.id("userId")?,
            path.id("oooId")?,
            &body,
        )
        .await?,
    )
}

/// Deletes an out-of-office entry.
#[utoipa::path(
    delete,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo/{oooId}",
    extensions(("x-access" = json!(access(SCHEDULE_WRITE, Requirement::Owner("organization.update"))))),
    tag = "Out of office",
    responses((status = 200, body = Envelope<OutOfOffice>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<OutOfOffice> {
    success(
        out_of_office::delete(
            &app,
            &caller,
            path.id("orgId")?,
            path.id("userId")?,
            path.id("oooId")?,
        )
        .await?,
    )
}
