//! The roles of an organisation.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use booking_wire::{Envelope, NewRole, Permission, PermissionList, Role, RoleChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Apply, apply, from_body, from_path, from_query};
use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::routes::PathParams;
use crate::validate::{JsonObject, Query};

/// Operations on the roles of an organisation.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, edit, delete))
        .routes(routes!(
            permissions,
            add_permissions,
            replace_permissions,
            remove_permissions
        ))
        .routes(routes!(remove_permission))
}

/// An organisation's roles: the service's own first, then the organisation's, oldest first.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/roles",
    tag = "Organization roles",
    params(
        ("orgId" = i64, Path),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Role>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    uri: Uri,
) -> Result<Json<Envelope<Vec<Role>>>> {
    let roles = super::list(&app, &caller, &path, &uri).await?;
    Ok(Json(Envelope::success(roles)))
}

/// Makes a role of the organisation.
#[utoipa::path(
    post,
    path = "/v2/organizations/{orgId}/roles",
    tag = "Organization roles",
    params(("orgId" = i64, Path)),
    request_body = NewRole,
    responses((status = 201, body = Envelope<Role>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Role>>)> {
    let role = super::create(&app, &caller, &path, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(role))))
}

/// One role of the organisation, or of the service itself.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/roles/{roleId}",
    tag = "Organization roles",
    params(("orgId" = i64, Path), ("roleId" = String, Path)),
    responses((status = 200, body = Envelope<Role>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Role>>> {
    let role = super::show(&app, &caller, &path).await?;
    Ok(Json(Envelope::success(role)))
}

/// Changes a role of the organisation. Permissions, if given, replace those that it had.
#[utoipa::path(
    patch,
    path = "/v2/organizations/{orgId}/roles/{roleId}",
    tag = "Organization roles",
    params(("orgId" = i64, Path), ("roleId" = String, Path)),
    request_body = RoleChange,
    responses((status = 200, body = Envelope<Role>)),
)]
pub async fn edit(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Role>>> {
    let role = super::edit(&app, &caller, &path, &body).await?;
    Ok(Json(Envelope::success(role)))
}

/// Deletes a role of the organisation. Members who held it have the rights of their membership role again.
#[utoipa::path(
    delete,
    path = "/v2/organizations/{orgId}/roles/{roleId}",
    tag = "Organization roles",
    params(("orgId" = i64, Path), ("roleId" = String, Path)),
    responses((status = 200, description = "The role as it was", body = Envelope<Role>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Role>>> {
    let role = super::delete(&app, &caller, &path).await?;
    Ok(Json(Envelope::success(role)))
}

/// What a role allows.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/roles/{roleId}/permissions",
    tag = "Organization roles",
    params(("orgId" = i64, Path), ("roleId" = String, Path)),
    responses((status = 200, body = Envelope<Vec<Permission>>)),
)]
pub async fn permissions(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Vec<Permission>>>> {
    let role = super::show(&app, &caller, &path).await?;
    Ok(Json(Envelope::success(role.permissions)))
}

/// Adds to what a role allows.
#[utoipa::path(
    post,
    path = "/v2/organizations/{orgId}/roles/{roleId}/permissions",
    tag = "Organization roles",
    params(("orgId" = i64, Path), ("roleId" = String, Path)),
    request_body = PermissionList,
    responses((status = 200, description = "All that it allows", body = Envelope<Vec<Permission>>)),
)]
pub async fn add_permissions(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Vec<Permission>>>> {
    let read = |level| from_body(&body, level);
    let permissions = apply(&app, &caller, &path, Apply::Add, read).await?;
    Ok(Json(Envelope::success(permissions)))
}

/// Replaces what a role allows.
#[utoipa::path(
    put,
    path = "/v2/organizations/{orgId}/roles/{roleId}/permissions",
    tag = "Organization roles",
    params(("orgId" = i64, Path), ("roleId" = String, Path)),
    request_body = PermissionList,
    responses((status = 200, description = "All that it allows", body = Envelope<Vec<Permission>>)),
)]
pub async fn replace_permissions(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Vec<Permission>>>> {
    let read = |level| from_body(&body, level);
    let permissions = apply(&app, &caller, &path, Apply::Replace, read).await?;
    Ok(Json(Envelope::success(permissions)))
}

/// Takes permissions away from a role. Those that it does not have are ignored.
#[utoipa::path(
    delete,
    path = "/v2/organizations/{orgId}/roles/{roleId}/permissions",
    tag = "Organization roles",
    params(
        ("orgId" = i64, Path),
        ("roleId" = String, Path),
        ("permissions" = Option<Vec<String>>, Query, explode = false, description = "Which; none unless given"),
    ),
    responses((status = 204)),
)]
pub async fn remove_permissions(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    uri: Uri,
) -> Result<StatusCode> {
    let read = |level| from_query(&Query::of(&uri), level);
    apply(&app, &caller, &path, Apply::Remove, read).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes one permission away from a role; nothing happens if it does not have it.
#[utoipa::path(
    delete,
    path = "/v2/organizations/{orgId}/roles/{roleId}/permissions/{permission}",
    tag = "Organization roles",
    params(("orgId" = i64, Path), ("roleId" = String, Path), ("permission" = String, Path)),
    responses((status = 204)),
)]
pub async fn remove_permission(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<StatusCode> {
    let read = |level| from_path(&path, level);
    apply(&app, &caller, &path, Apply::Remove, read).await?;
    Ok(StatusCode::NO_CONTENT)
}
