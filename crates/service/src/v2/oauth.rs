//! Renewal of a managed user's tokens (contract 2.3).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use booking_wire::{Envelope, RefreshTokens, TokenSet};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::error::Result;
use crate::extract::calling_client;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::users::tokens;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(refresh))
}

/// Renews a managed user's tokens.
///
/// The presented refresh token dies at once; the last access token lives until its own expiry.
/// A refresh token that is presented a second time has been stolen, or its successor has: all
/// tokens that come from the same first one end.
#[utoipa::path(
    post,
    path = "/v2/oauth/{clientId}/refresh",
    tag = "Managed users",
    params(("clientId" = String, Path)),
    request_body = RefreshTokens,
    responses((status = 200, body = Envelope<TokenSet>)),
)]
pub async fn refresh(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<TokenSet>>> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let data = tokens::refresh(&app, &client, &body).await?;
    Ok(Json(Envelope::success(data)))
}
