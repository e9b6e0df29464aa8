//! The owner of webhooks, from the path and the credentials of a request.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::AppState;
use crate::auth::{self, Caller};
use crate::error::{Error, Result};
use crate::http::extract::path::PathParams;
use crate::messages::webhooks::manage::OwnerPath;

impl FromRequestParts<AppState> for OwnerPath {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self> {
        let path = PathParams::from_request_parts(parts, app).await?;
        let client_id = path.text("clientId");
        if !client_id.is_empty() {
            let secret = auth::platform_header(&parts.headers, "secret-key")
                .ok_or(Error::Unauthorized("the client secret header is missing"))?;
            return Ok(Self::OauthClient {
                id: client_id.to_owned(),
                secret: secret.to_owned(),
            });
        }
        let caller = Caller::from_request_parts(parts, app).await?;
        if let Some(id) = path.optional_id("orgId")? {
            Ok(Self::Organization { caller, id })
        } else if let Some(id) = path.optional_id("eventTypeId")? {
            let team_id = path.optional_id("teamId")?;
            Ok(Self::EventType {
                caller,
                id,
                team_id,
            })
        } else {
            Ok(Self::User(caller))
        }
    }
}
