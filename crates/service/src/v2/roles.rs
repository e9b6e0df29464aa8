//! Handlers for the roles of teams and of organisations (contract 3.2, 6.5).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Envelope, NewRole, Permission, PermissionList, Role, RoleChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::roles::{self, PermissionChange, Scope};
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .merge(team::routes())
        .merge(organization::routes())
}

fn scope(path: &PathParams) -> Result<Scope> {
    Ok(Scope {
        organization_id: path.id("orgId")?,
        team_id: path.optional_id("teamId")?,
    })
}

async fn change(
    app: &AppState,
    caller: &Caller,
    path: &PathParams,
    change: PermissionChange<'_>,
) -> Result<Json<Envelope<Vec<Permission>>>> {
    let (scope, id) = (scope(path)?, path.text("roleId"));
    let permissions = roles::change_permissions(app, caller, scope, id, change).await?;
    Ok(Json(Envelope::success(permissions)))
}

/// Declares the operations of one level: the module, the level's name with its article, the tag,
/// the path of the list and its parameters.
macro_rules! operations {
    (
        $(#[$doc:meta])*
        $module:ident, $article:literal, $level:literal, $tag:literal, $base:literal,
        [$($parameter:tt),*]
    ) => {
        $(#[$doc])*
        pub mod $module {
            use super::*;

            /// Operations on these roles.
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

            #[doc = concat!($article, " ", $level, "'s roles: the service's own first, then the ", $level, "'s, oldest first.")]
            #[utoipa::path(
                summary = concat!($article, " ", $level, "'s roles: the service's own first, then the ", $level, "'s, oldest first."),
                get,
                path = $base,
                tag = $tag,
                params(
                    $($parameter,)*
                    ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
                    ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
                ),
                responses((status = 200, body = Envelope<Vec<Role>>)),
            )]
            pub async fn list(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                query: Query,
            ) -> Result<Json<Envelope<Vec<Role>>>> {
                let roles = roles::list(&app, &caller, scope(&path)?, &query).await?;
                Ok(Json(Envelope::success(roles)))
            }

            #[doc = concat!("Makes a role of the ", $level, ".")]
            #[utoipa::path(
                summary = concat!("Makes a role of the ", $level, "."),
                post,
                path = $base,
                tag = $tag,
                params($($parameter,)*),
                request_body = NewRole,
                responses((status = 201, body = Envelope<Role>)),
            )]
            pub async fn create(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Result<(StatusCode, Json<Envelope<Role>>)> {
                let role = roles::create(&app, &caller, scope(&path)?, &body).await?;
                Ok((StatusCode::CREATED, Json(Envelope::success(role))))
            }

            #[doc = concat!("One role of the ", $level, ", or of the service itself.")]
            #[utoipa::path(
                summary = concat!("One role of the ", $level, ", or of the service itself."),
                get,
                path = concat!($base, "/{roleId}"),
                tag = $tag,
                params($($parameter,)* ("roleId" = String, Path)),
                responses((status = 200, body = Envelope<Role>)),
            )]
            pub async fn show(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Result<Json<Envelope<Role>>> {
                let role = roles::show(&app, &caller, scope(&path)?, path.text("roleId")).await?;
                Ok(Json(Envelope::success(role)))
            }

            #[doc = concat!("Changes a role of the ", $level, ". Permissions, if given, replace those that it had.")]
            #[utoipa::path(
                summary = concat!("Changes a role of the ", $level, ". Permissions, if given, replace those that it had."),
                patch,
                path = concat!($base, "/{roleId}"),
                tag = $tag,
                params($($parameter,)* ("roleId" = String, Path)),
                request_body = RoleChange,
                responses((status = 200, body = Envelope<Role>)),
            )]
            pub async fn edit(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Result<Json<Envelope<Role>>> {
                let role = roles::edit(&app, &caller, scope(&path)?, path.text("roleId"), &body).await?;
                Ok(Json(Envelope::success(role)))
            }

            #[doc = concat!("Deletes a role of the ", $level, ". Members who held it have the rights of their membership role again.")]
            #[utoipa::path(
                summary = concat!("Deletes a role of the ", $level, ". Members who held it have the rights of their membership role again."),
                delete,
                path = concat!($base, "/{roleId}"),
                tag = $tag,
                params($($parameter,)* ("roleId" = String, Path)),
                responses((status = 200, description = "The role as it was", body = Envelope<Role>)),
            )]
            pub async fn delete(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Result<Json<Envelope<Role>>> {
                let role = roles::delete(&app, &caller, scope(&path)?, path.text("roleId")).await?;
                Ok(Json(Envelope::success(role)))
            }

            /// What a role allows.
            #[utoipa::path(
                get,
                path = concat!($base, "/{roleId}/permissions"),
                tag = $tag,
                params($($parameter,)* ("roleId" = String, Path)),
                responses((status = 200, body = Envelope<Vec<Permission>>)),
            )]
            pub async fn permissions(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Result<Json<Envelope<Vec<Permission>>>> {
                let role = roles::show(&app, &caller, scope(&path)?, path.text("roleId")).await?;
                Ok(Json(Envelope::success(role.permissions)))
            }

            /// Adds to what a role allows.
            #[utoipa::path(
                post,
                path = concat!($base, "/{roleId}/permissions"),
                tag = $tag,
                params($($parameter,)* ("roleId" = String, Path)),
                request_body = PermissionList,
                responses((status = 200, description = "All that it allows", body = Envelope<Vec<Permission>>)),
            )]
            pub async fn add_permissions(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Result<Json<Envelope<Vec<Permission>>>> {
                change(&app, &caller, &path, PermissionChange::Add(&body)).await
            }

            /// Replaces what a role allows.
            #[utoipa::path(
                put,
                path = concat!($base, "/{roleId}/permissions"),
                tag = $tag,
                params($($parameter,)* ("roleId" = String, Path)),
                request_body = PermissionList,
                responses((status = 200, description = "All that it allows", body = Envelope<Vec<Permission>>)),
            )]
            pub async fn replace_permissions(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Result<Json<Envelope<Vec<Permission>>>> {
                change(&app, &caller, &path, PermissionChange::Replace(&body)).await
            }

            /// Takes permissions away from a role. Those that it does not have are ignored.
            #[utoipa::path(
                delete,
                path = concat!($base, "/{roleId}/permissions"),
                tag = $tag,
                params(
                    $($parameter,)*
                    ("roleId" = String, Path),
                    ("permissions" = Option<Vec<String>>, Query, explode = false, description = "Which; none unless given"),
                ),
                responses((status = 204)),
            )]
            pub async fn remove_permissions(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                query: Query,
            ) -> Result<StatusCode> {
                let (scope, id) = (scope(&path)?, path.text("roleId"));
                let removed = PermissionChange::Remove(&query);
                roles::change_permissions(&app, &caller, scope, id, removed).await?;
                Ok(StatusCode::NO_CONTENT)
            }

            /// Takes one permission away from a role; nothing happens if it does not have it.
            #[utoipa::path(
                delete,
                path = concat!($base, "/{roleId}/permissions/{permission}"),
                tag = $tag,
                params($($parameter,)* ("roleId" = String, Path), ("permission" = String, Path)),
                responses((status = 204)),
            )]
            pub async fn remove_permission(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Result<StatusCode> {
                let removed = PermissionChange::RemoveOne(path.text("permission"));
                let (scope, id) = (scope(&path)?, path.text("roleId"));
                roles::change_permissions(&app, &caller, scope, id, removed).await?;
                Ok(StatusCode::NO_CONTENT)
            }
        }
    };
}

operations! {
    /// The roles of a team.
    team, "A", "team", "Team roles", "/v2/organizations/{orgId}/teams/{teamId}/roles",
    [("orgId" = i64, Path), ("teamId" = i64, Path)]
}

operations! {
    /// The roles of an organisation.
    organization, "An", "organisation", "Organization roles", "/v2/organizations/{orgId}/roles",
    [("orgId" = i64, Path)]
}
