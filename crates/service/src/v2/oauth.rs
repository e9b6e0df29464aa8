//! Handler for the refresh of a managed user's tokens (contract 2.3).

use axum::extract::State;
use axum::http::HeaderMap;
use booking_wire::{Envelope, RefreshTokens, TokenSet};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::NO_SCOPE;
use crate::extract::authenticated_client;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::users::tokens;
use crate::v2::response::{Success, success};

/// Routes of tokens.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(refresh))
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
