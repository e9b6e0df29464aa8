//! Handlers for webhooks of users, event types, organisations and OAuth clients.

use axum::extract::State;
use booking_wire::{
    DeliveryStatus, Envelope, NewWebhook, Webhook, WebhookChanges, WebhookDelivery,
};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{APPS_READ, APPS_WRITE, NO_SCOPE};
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::v2::response::{Created, Success, created, success};
use crate::messages::webhooks::deliveries;
use crate::messages::webhooks::manage::{self, OwnerPath};
use crate::validate::Query;

/// Filter of a list of deliveries.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeliveryFilter {
    /// Only deliveries with this status.
    pub status: Option<DeliveryStatus>,
}

fn caller(_permission: &'static str) -> Requirement {
    Requirement::Caller
}

fn client(_permission: &'static str) -> Requirement {
    Requirement::Client
}

/// Declares the operations of one kind of owner. Arguments: the module, the tag, the requirement,
/// the scopes for reads and writes, the paths of the list, of one webhook, of its deliveries and to resend one, and, if all
/// webhooks can be deleted at once, the name of that handler.
macro_rules! operations {
    (
        $(#[$doc:meta])*
        $module:ident, $tag:literal, $requirement:path, $read:expr, $write:expr, $collection:literal, $item:literal,
        $deliveries:literal, $resend:literal $(, $all:ident)?
    ) => {
        $(#[$doc])*
        pub mod $module {
            use super::*;

            /// Lists the webhooks, oldest first.
            #[utoipa::path(
                get,
                path = $collection,
                extensions(("x-access" = json!(access($read, $requirement("webhook.read"))))),
                tag = $tag,
                params(Paging),
                responses((status = 200, body = Envelope<Vec<Webhook>>)),
            )]
            pub async fn list(
                State(app): State<AppState>,
                owner: OwnerPath,
                query: Query,
            ) -> Success<Vec<Webhook>> {
                success(manage::list(&app, &owner, &query).await?)
            }

            /// Creates a webhook.
            #[utoipa::path(
                post,
                path = $collection,
                extensions(("x-access" = json!(access($write, $requirement("webhook.create"))))),
                tag = $tag,
                request_body = NewWebhook,
                responses((status = 201, body = Envelope<Webhook>)),
            )]
            pub async fn create(
                State(app): State<AppState>,
                owner: OwnerPath,
                JsonObject(body): JsonObject,
            ) -> Created<Webhook> {
                created(manage::create(&app, &owner, &body).await?)
            }

            /// One webhook.
            #[utoipa::path(
                get,
                path = $item,
                extensions(("x-access" = json!(access($read, $requirement("webhook.read"))))),
                tag = $tag,
                responses((status = 200, body = Envelope<Webhook>)),
            )]
            pub async fn show(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
            ) -> Success<Webhook> {
                success(manage::show(&app, &owner, path.text("webhookId")).await?)
            }

            /// Updates a webhook.
            ///
            /// Absent properties are unchanged; `null` removes a template or a secret.
            /// Deactivation drops pending deliveries.
            #[utoipa::path(
                patch,
                path = $item,
                extensions(("x-access" = json!(access($write, $requirement("webhook.update"))))),
                tag = $tag,
                request_body = WebhookChanges,
                responses((status = 200, body = Envelope<Webhook>)),
            )]
            pub async fn update(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Success<Webhook> {
                success(manage::update(&app, &owner, path.text("webhookId"), &body).await?)
            }

            /// Deletes a webhook and returns it.
            ///
            /// Pending deliveries are dropped.
            #[utoipa::path(
                delete,
                path = $item,
                extensions(("x-access" = json!(access($write, $requirement("webhook.delete"))))),
                tag = $tag,
                responses((status = 200, body = Envelope<Webhook>)),
            )]
            pub async fn delete(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
            ) -> Success<Webhook> {
                success(manage::delete(&app, &owner, path.text("webhookId")).await?)
            }

            /// Lists the messages to the webhook without their payloads, newest first.
            ///
            /// Delivered messages and those that were given up are listed for 7 days.
            #[utoipa::path(
                get,
                path = $deliveries,
                extensions(("x-access" = json!(access($read, $requirement("webhook.read"))))),
                tag = $tag,
                params(Paging, DeliveryFilter),
                responses((status = 200, body = Envelope<Vec<WebhookDelivery>>)),
            )]
            pub async fn list_deliveries(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
                query: Query,
            ) -> Success<Vec<WebhookDelivery>> {
                let id = path.text("webhookId");
                success(deliveries::list(&app, &owner, id, &query).await?)
            }

            /// Sends a message again that waits or was given up: at once, with all retries.
            ///
            /// Messages about the same booking stay in order. A delivered message cannot be resent, because its payload was
            /// deleted, and neither can messages of a webhook that is not active (409).
            #[utoipa::path(
                post,
                path = $resend,
                extensions(("x-access" = json!(access($write, $requirement("webhook.update"))))),
                tag = $tag,
                responses((status = 200, body = Envelope<WebhookDelivery>)),
            )]
            pub async fn resend(
                State(app): State<AppState>,
                owner: OwnerPath,
                path: PathParams,
            ) -> Success<WebhookDelivery> {
                let (webhook, id) = (path.text("webhookId"), path.text("deliveryId"));
                success(deliveries::resend(&app, &owner, webhook, id).await?)
            }

            $(
                /// Deletes all webhooks.
                #[utoipa::path(
                    delete,
                    path = $collection,
                    extensions(("x-access" = json!(access($write, $requirement("webhook.delete"))))),
                    tag = $tag,
                    responses((status = 200, body = Envelope<String>)),
                )]
                pub async fn $all(
                    State(app): State<AppState>,
                    owner: OwnerPath,
                ) -> Success<String> {
                    success(manage::delete_all(&app, &owner).await?)
                }
            )?
        }
    };
}

operations! {
    /// Webhooks of the caller.
    own, "Webhooks", caller, APPS_READ, APPS_WRITE,
    "/v2/webhooks",
    "/v2/webhooks/{webhookId}",
    "/v2/webhooks/{webhookId}/deliveries",
    "/v2/webhooks/{webhookId}/deliveries/{deliveryId}/resend"
}

operations! {
    /// Webhooks of an event type of the caller or of a team.
    event_type, "Webhooks of event types", Requirement::Owner, APPS_READ, APPS_WRITE,
    "/v2/event-types/{eventTypeId}/webhooks",
    "/v2/event-types/{eventTypeId}/webhooks/{webhookId}",
    "/v2/event-types/{eventTypeId}/webhooks/{webhookId}/deliveries",
    "/v2/event-types/{eventTypeId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
    delete_all
}

operations! {
    /// Webhooks of an event type of the team in the path.
    team_event_type, "Webhooks of team event types", Requirement::Team, APPS_READ, APPS_WRITE,
    "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks",
    "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId}",
    "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId}/deliveries",
    "/v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
    delete_all
}

operations! {
    /// Webhooks of an organisation.
    organization, "Webhooks of organizations", Requirement::Organization, APPS_READ, APPS_WRITE,
    "/v2/organizations/{orgId}/webhooks",
    "/v2/organizations/{orgId}/webhooks/{webhookId}",
    "/v2/organizations/{orgId}/webhooks/{webhookId}/deliveries",
    "/v2/organizations/{orgId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend"
}

operations! {
    /// Webhooks of an OAuth client.
    oauth_client, "Webhooks of OAuth clients", client, NO_SCOPE, NO_SCOPE,
    "/v2/oauth-clients/{clientId}/webhooks",
    "/v2/oauth-clients/{clientId}/webhooks/{webhookId}",
    "/v2/oauth-clients/{clientId}/webhooks/{webhookId}/deliveries",
    "/v2/oauth-clients/{clientId}/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
    delete_all
}

/// Routes of webhooks.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(own::list, own::create))
        .routes(routes!(own::show, own::update, own::delete))
        .routes(routes!(own::list_deliveries))
        .routes(routes!(own::resend))
        .routes(routes!(
            event_type::list,
            event_type::create,
            event_type::delete_all
        ))
        .routes(routes!(
            event_type::show,
            event_type::update,
            event_type::delete
        ))
        .routes(routes!(event_type::list_deliveries))
        .routes(routes!(event_type::resend))
        .routes(routes!(
            team_event_type::list,
            team_event_type::create,
            team_event_type::delete_all
        ))
        .routes(routes!(
            team_event_type::show,
            team_event_type::update,
            team_event_type::delete
        ))
        .routes(routes!(team_event_type::list_deliveries))
        .routes(routes!(team_event_type::resend))
        .routes(routes!(organization::list, organization::create))
        .routes(routes!(
            organization::show,
            organization::update,
            organization::delete
        ))
        .routes(routes!(organization::list_deliveries))
        .routes(routes!(organization::resend))
        .routes(routes!(
            oauth_client::list,
            oauth_client::create,
            oauth_client::delete_all
        ))
        .routes(routes!(
            oauth_client::show,
            oauth_client::update,
            oauth_client::delete
        ))
        .routes(routes!(oauth_client::list_deliveries))
        .routes(routes!(oauth_client::resend))
}
