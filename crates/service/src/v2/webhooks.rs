//! The paths of all kinds of webhooks and their descriptions.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;

/// Describes the operations of one kind: a module, what it is called, its two paths and their
/// parameters. Where all can be deleted at once, the name of that follows, with the same parameters.
macro_rules! kind {
    (
        $(#[$doc:meta])*
        $module:ident, $tag:literal, $collection:literal, $one:literal, [$($param:tt),*] $(, $all:ident [$($again:tt),*])?
    ) => {
        $(#[$doc])*
        pub mod $module {
            use axum::Json;
            use axum::extract::State;
            use axum::http::{StatusCode};
            use booking_wire::{Envelope, NewWebhook, Webhook, WebhookChanges};

            use crate::error::Result;
            use crate::app::AppState;
            use crate::extract::path::PathParams;
            use crate::webhooks::manage::{self, OwnerPath};
            use crate::extract::json::JsonObject;
            use crate::validate::Query;

            /// Lists the webhooks, oldest first.
            #[utoipa::path(
                get,
                path = $collection,
                tag = $tag,
                operation_id = concat!("list_", stringify!($module), "_webhooks"),
                params(
                    $($param,)*
                    ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
                    ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
                ),
                responses((status = 200, body = Envelope<Vec<Webhook>>)),
            )]
            pub async fn list(
                State(app): State<AppState>,
                owner: OwnerPath,
                query: Query,
            ) -> Result<Json<Envelope<Vec<Webhook>>>> {
                let webhooks = manage::list(&app, &owner, &query).await?;
                Ok(Json(Envelope::success(webhooks)))
            }

            /// Subscribes an address to events.
            #[utoipa::path(
                post,
                path = $collection,
                tag = $tag,
                operation_id = concat!("create_", stringify!($module), "_webhook"),
                params($($param,)*),
                request_body = NewWebhook,
                responses((status = 201, body = Envelope<Webhook>)),
            )]
            pub async fn create(
                State(app): State<AppState>,
                owner: OwnerPath,
                JsonObject(body): JsonObject,
            ) -> Result<(StatusCode, Json<Envelope<Webhook>>)> {
                let webhook = manage::create(&app, &owner, &body).await?;
                Ok((StatusCode::CREATED, Json(Envelope::success(webhook))))
            }

            /// Shows a webhook.
            #[utoipa::path(
                get,
                path = $one,
                tag = $tag,
                operation_id = concat!("show_", stringify!($module), "_webhook"),
                params($($param,)* ("webhookId" = String, Path)),
                responses((status = 200, body = Envelope<Webhook>)),
            )]
            pub async fn show(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
            ) -> Result<Json<Envelope<Webhook>>> {
                let webhook = manage::show(&app, &owner, path.text("webhookId")).await?;
                Ok(Json(Envelope::success(webhook)))
            }

            /// Changes a webhook.
            ///
            /// What is absent stays as it is; `null` takes a template or a secret away. When it
            /// is switched off, what waits to be sent is dropped.
            #[utoipa::path(
                patch,
                path = $one,
                tag = $tag,
                operation_id = concat!("edit_", stringify!($module), "_webhook"),
                params($($param,)* ("webhookId" = String, Path)),
                request_body = WebhookChanges,
                responses((status = 200, body = Envelope<Webhook>)),
            )]
            pub async fn edit(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Result<Json<Envelope<Webhook>>> {
                let webhook = manage::edit(&app, &owner, path.text("webhookId"), &body).await?;
                Ok(Json(Envelope::success(webhook)))
            }

            /// Deletes a webhook and shows it a last time.
            ///
            /// What waits to be sent is dropped.
            #[utoipa::path(
                delete,
                path = $one,
                tag = $tag,
                operation_id = concat!("delete_", stringify!($module), "_webhook"),
                params($($param,)* ("webhookId" = String, Path)),
                responses((status = 200, body = Envelope<Webhook>)),
            )]
            pub async fn remove(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
            ) -> Result<Json<Envelope<Webhook>>> {
                let webhook = manage::remove(&app, &owner, path.text("webhookId")).await?;
                Ok(Json(Envelope::success(webhook)))
            }

            $(
                /// Deletes all of the webhooks.
                #[utoipa::path(
                    delete,
                    path = $collection,
                    tag = $tag,
                    operation_id = concat!("delete_all_", stringify!($module), "_webhooks"),
                    params($($again,)*),
                    responses((status = 200, body = Envelope<String>)),
                )]
                pub async fn $all(
                    State(app): State<AppState>,
                    owner: OwnerPath,
                ) -> Result<Json<Envelope<String>>> {
                    let message = manage::remove_all(&app, &owner).await?;
                    Ok(Json(Envelope::success(message)))
                }
            )?
        }
    };
}

kind! {
    /// The caller's own.
    own, "Webhooks", "/v2/webhooks", "/v2/webhooks/{webhookId}", []
}

kind! {
    /// Those of an event type, whoever owns it.
    event_type, "Webhooks of event types",
    "/v2/event-types/{eventTypeId}/webhooks",
    "/v2/event-types/{eventTypeId}/webhooks/{webhookId}",
    [("eventTypeId" = i64, Path)],
    remove_all [("eventTypeId" = i64, Path)]
}

kind! {
    /// Those of a team's event type.
    team_event_type, "Webhooks of team event types",
    "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks",
    "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId}",
    [("teamId" = i64, Path), ("eventTypeId" = i64, Path)],
    remove_all [("teamId" = i64, Path), ("eventTypeId" = i64, Path)]
}

kind! {
    /// Those of an organisation.
    organization, "Webhooks of organizations",
    "/v2/organizations/{orgId}/webhooks",
    "/v2/organizations/{orgId}/webhooks/{webhookId}",
    [("orgId" = i64, Path)]
}

kind! {
    /// Those of an OAuth client.
    oauth_client, "Webhooks of OAuth clients",
    "/v2/oauth-clients/{clientId}/webhooks",
    "/v2/oauth-clients/{clientId}/webhooks/{webhookId}",
    [("clientId" = String, Path)],
    remove_all [("clientId" = String, Path)]
}

/// Operations of all kinds.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(own::list, own::create))
        .routes(routes!(own::show, own::edit, own::remove))
        .routes(routes!(
            event_type::list,
            event_type::create,
            event_type::remove_all
        ))
        .routes(routes!(
            event_type::show,
            event_type::edit,
            event_type::remove
        ))
        .routes(routes!(
            team_event_type::list,
            team_event_type::create,
            team_event_type::remove_all
        ))
        .routes(routes!(
            team_event_type::show,
            team_event_type::edit,
            team_event_type::remove
        ))
        .routes(routes!(organization::list, organization::create))
        .routes(routes!(
            organization::show,
            organization::edit,
            organization::remove
        ))
        .routes(routes!(
            oauth_client::list,
            oauth_client::create,
            oauth_client::remove_all
        ))
        .routes(routes!(
            oauth_client::show,
            oauth_client::edit,
            oauth_client::remove
        ))
}
