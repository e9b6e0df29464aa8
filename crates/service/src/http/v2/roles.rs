//! Handlers for roles of teams and organisations.

use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Envelope, NewRole, Permission, PermissionList, Role, RoleChange};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{PROFILE_READ, PROFILE_WRITE};
use crate::domain::roles::{self, PermissionChange, Scope};
use crate::error::Result;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::validate::Query;

/// Routes of roles.
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

async fn change_permissions(
    app: &AppState,
    caller: &Caller,
    path: &PathParams,
    change: PermissionChange<'_>,
) -> Success<Vec<Permission>> {
    let (scope, id) = (scope(path)?, path.text("roleId"));
    success(roles::change_permissions(app, caller, scope, id, change).await?)
}

/// Declares the operations of one level. Arguments: the module, the article and name of the level,
/// the tag, the requirement, and the path of the list.
macro_rules! operations {
    (
        $(#[$doc:meta])*
        $module:ident, $article:literal, $level:literal, $tag:literal, $requirement:ident, $base:literal
    ) => {
        $(#[$doc])*
        pub mod $module {
            use super::*;

            /// Routes of these roles.
            pub fn routes() -> OpenApiRouter<AppState> {
                OpenApiRouter::new()
                    .routes(routes!(list, create))
                    .routes(routes!(show, update, delete))
                    .routes(routes!(
                        permissions,
                        add_permissions,
                        replace_permissions,
                        remove_permissions
                    ))
                    .routes(routes!(remove_permission))
            }

            #[doc = concat!($article, " ", $level, "'s roles: system roles first, then custom roles, oldest first.")]
            #[utoipa::path(
                summary = concat!($article, " ", $level, "'s roles: system roles first, then custom roles, oldest first."),
                get,
                path = $base,
                extensions(("x-access" = json!(access(PROFILE_READ, Requirement::$requirement("role.read"))))),
                tag = $tag,
                params(Paging),
                responses((status = 200, body = Envelope<Vec<Role>>)),
            )]
            pub async fn list(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                query: Query,
            ) -> Success<Vec<Role>> {
                success(roles::list(&app, &caller, scope(&path)?, &query).await?)
            }

            #[doc = concat!("Creates a role of the ", $level, ".")]
            #[utoipa::path(
                summary = concat!("Creates a role of the ", $level, "."),
                post,
                path = $base,
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::$requirement("role.create"))))),
                tag = $tag,
                request_body = NewRole,
                responses((status = 201, body = Envelope<Role>)),
            )]
            pub async fn create(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Created<Role> {
                created(roles::create(&app, &caller, scope(&path)?, &body).await?)
            }

            #[doc = concat!("One role of the ", $level, ", or a system role.")]
            #[utoipa::path(
                summary = concat!("One role of the ", $level, ", or a system role."),
                get,
                path = concat!($base, "/{roleId}"),
                extensions(("x-access" = json!(access(PROFILE_READ, Requirement::$requirement("role.read"))))),
                tag = $tag,
                responses((status = 200, body = Envelope<Role>)),
            )]
            pub async fn show(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Success<Role> {
                success(roles::show(&app, &caller, scope(&path)?, path.text("roleId")).await?)
            }

            #[doc = concat!("Updates a role of the ", $level, ". Permissions in the body replace all earlier ones.")]
            #[utoipa::path(
                summary = concat!("Updates a role of the ", $level, ". Permissions in the body replace all earlier ones."),
                patch,
                path = concat!($base, "/{roleId}"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::$requirement("role.update"))))),
                tag = $tag,
                request_body = RoleChange,
                responses((status = 200, body = Envelope<Role>)),
            )]
            pub async fn update(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Success<Role> {
                success(roles::update(&app, &caller, scope(&path)?, path.text("roleId"), &body).await?)
            }

            #[doc = concat!("Deletes a role of the ", $level, ". Its members have the rights of their membership role again.")]
            #[utoipa::path(
                summary = concat!("Deletes a role of the ", $level, ". Its members have the rights of their membership role again."),
                delete,
                path = concat!($base, "/{roleId}"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::$requirement("role.delete"))))),
                tag = $tag,
                responses((status = 200, description = "The role as it was", body = Envelope<Role>)),
            )]
            pub async fn delete(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Success<Role> {
                success(roles::delete(&app, &caller, scope(&path)?, path.text("roleId")).await?)
            }

            /// The permissions of a role.
            #[utoipa::path(
                get,
                path = concat!($base, "/{roleId}/permissions"),
                extensions(("x-access" = json!(access(PROFILE_READ, Requirement::$requirement("role.read"))))),
                tag = $tag,
                responses((status = 200, body = Envelope<Vec<Permission>>)),
            )]
            pub async fn permissions(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Success<Vec<Permission>> {
                let role = roles::show(&app, &caller, scope(&path)?, path.text("roleId")).await?;
                success(role.permissions)
            }

            /// Adds permissions to a role.
            #[utoipa::path(
                post,
                path = concat!($base, "/{roleId}/permissions"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::$requirement("role.update"))))),
                tag = $tag,
                request_body = PermissionList,
                responses((status = 200, description = "All that it allows", body = Envelope<Vec<Permission>>)),
            )]
            pub async fn add_permissions(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Success<Vec<Permission>> {
                change_permissions(&app, &caller, &path, PermissionChange::Add(&body)).await
            }

            /// Replaces the permissions of a role.
            #[utoipa::path(
                put,
                path = concat!($base, "/{roleId}/permissions"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::$requirement("role.update"))))),
                tag = $tag,
                request_body = PermissionList,
                responses((status = 200, description = "All that it allows", body = Envelope<Vec<Permission>>)),
            )]
            pub async fn replace_permissions(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Success<Vec<Permission>> {
                change_permissions(&app, &caller, &path, PermissionChange::Replace(&body)).await
            }

            /// Removes permissions from a role. Permissions that it does not have are ignored.
            #[utoipa::path(
                delete,
                path = concat!($base, "/{roleId}/permissions"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::$requirement("role.update"))))),
                tag = $tag,
                params(
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

            /// Removes one permission from a role. A permission that it does not have is ignored.
            #[utoipa::path(
                delete,
                path = concat!($base, "/{roleId}/permissions/{permission}"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::$requirement("role.update"))))),
                tag = $tag,
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
    team, "A", "team", "Team roles", Team, "/v2/organizations/{orgId}/teams/{teamId}/roles"
}

operations! {
    /// The roles of an organisation.
    organization, "An", "organisation", "Organization roles", Organization, "/v2/organizations/{orgId}/roles"
}
