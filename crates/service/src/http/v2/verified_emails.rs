//! Handlers for the verification of e-mail addresses.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;
use booking_wire::{Envelope, RequestEmailCode, VerifiedEmail, VerifyEmailCode};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{NO_SCOPE, PROFILE_READ, PROFILE_WRITE};
use crate::domain::verified_emails::{self, EmailOwner, TeamRef};
use crate::error::Result;
use crate::http::extract::json::JsonObject;
use crate::http::extract::params::Paging;
use crate::http::extract::path::PathParams;
use crate::http::extract::{ClientNetwork, OptionalCaller};
use crate::http::v2::response::{Success, success};
use crate::validate::Query;

/// Response to a request for a code.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = RequestedEmailCode)]
pub struct RequestCodeResponse {
    /// Always `success`, whether the service knows the address or not.
    status: &'static str,
}

const REQUESTED: Json<RequestCodeResponse> = Json(RequestCodeResponse { status: "success" });

/// Routes of verified addresses.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(request))
        .routes(routes!(verify))
        .routes(routes!(list))
        .routes(routes!(show))
        .merge(team::routes())
        .merge(organization_team::routes())
}

/// Sends a code to an e-mail address.
///
/// The code has six digits and expires after 15 minutes. Only the latest code of an address is valid, until five wrong
/// ones were entered. An address gets at most one code in 30 seconds, 5 in an hour and 20 in a day; then the response is
/// 429 with `Retry-After`, which tells that codes were requested for the address, but not whether the service knows it.
/// 404 if the service has no way to send e-mail.
#[utoipa::path(
    post,
    path = "/v2/verified-resources/emails/verification-code/request",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Nothing)))),
    tag = "Verified emails",
    request_body = RequestEmailCode,
    responses((status = 200, body = RequestCodeResponse)),
)]
pub async fn request(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<Json<RequestCodeResponse>> {
    let language = accept_language(&headers);
    verified_emails::request(&app, caller.as_ref(), network, language, &body).await?;
    Ok(REQUESTED)
}

/// Verifies an e-mail address by the code that was sent to it.
///
/// With credentials, the address is stored for the caller and the code is used up. Without, nothing is stored, `id` and
/// `userId` are absent, and the code can still be used for a booking, as `emailVerificationCode`. A wrong code returns
/// 400 with the rule `isCorrect`, and `isCurrent` if no code of the address is valid any more.
#[utoipa::path(
    post,
    path = "/v2/verified-resources/emails/verification-code/verify",
    extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Nothing)))),
    tag = "Verified emails",
    request_body = VerifyEmailCode,
    responses((status = 200, body = Envelope<VerifiedEmail>)),
)]
pub async fn verify(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    ClientNetwork(network): ClientNetwork,
    JsonObject(body): JsonObject,
) -> Success<VerifiedEmail> {
    success(verified_emails::verify(&app, caller.as_ref(), network, None, &body).await?)
}

/// E-mail addresses that the caller has verified, oldest first.
#[utoipa::path(
    get,
    path = "/v2/verified-resources/emails",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Caller)))),
    tag = "Verified emails",
    params(Paging),
    responses((status = 200, body = Envelope<Vec<VerifiedEmail>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    query: Query,
) -> Success<Vec<VerifiedEmail>> {
    let owner = EmailOwner::User(caller.user_id);
    success(verified_emails::list(&app, owner, &query).await?)
}

/// One e-mail address that the caller has verified.
#[utoipa::path(
    get,
    path = "/v2/verified-resources/emails/{emailId}",
    extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Caller)))),
    tag = "Verified emails",
    responses((status = 200, body = Envelope<VerifiedEmail>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<VerifiedEmail> {
    let owner = EmailOwner::User(caller.user_id);
    success(verified_emails::show(&app, owner, path.id("emailId")?).await?)
}

fn accept_language(headers: &HeaderMap) -> Option<&str> {
    headers.get(ACCEPT_LANGUAGE)?.to_str().ok()
}

fn team_ref(path: &PathParams) -> Result<TeamRef> {
    Ok(TeamRef {
        team_id: path.id("teamId")?,
        organization_id: path.optional_id("orgId")?,
    })
}

/// Declares the operations of teams below a path.
macro_rules! operations {
    ($(#[$doc:meta])* $module:ident, $tag:literal, $base:literal) => {
        $(#[$doc])*
        pub mod $module {
            use super::*;

            /// Routes of these addresses.
            pub fn routes() -> OpenApiRouter<AppState> {
                OpenApiRouter::new()
                    .routes(routes!(request))
                    .routes(routes!(verify))
                    .routes(routes!(list))
                    .routes(routes!(show))
            }

            /// Sends a code to an e-mail address of a team. Limits as for addresses of users.
            #[utoipa::path(
                post,
                path = concat!($base, "/verification-code/request"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Team("team.update"))))),
                tag = $tag,
                request_body = RequestEmailCode,
                responses((status = 200, body = RequestCodeResponse)),
            )]
            pub async fn request(
                State(app): State<AppState>,
                caller: Caller,
                ClientNetwork(network): ClientNetwork,
                path: PathParams,
                headers: HeaderMap,
                JsonObject(body): JsonObject,
            ) -> Result<Json<RequestCodeResponse>> {
                verified_emails::authorise_team(&app, &caller, team_ref(&path)?).await?;
                let language = accept_language(&headers);
                verified_emails::request(&app, Some(&caller), network, language, &body).await?;
                Ok(REQUESTED)
            }

            /// Verifies an e-mail address of a team by the code that was sent to it, and stores it.
            #[utoipa::path(
                post,
                path = concat!($base, "/verification-code/verify"),
                extensions(("x-access" = json!(access(PROFILE_WRITE, Requirement::Team("team.update"))))),
                tag = $tag,
                request_body = VerifyEmailCode,
                responses((status = 200, body = Envelope<VerifiedEmail>)),
            )]
            pub async fn verify(
                State(app): State<AppState>,
                caller: Caller,
                ClientNetwork(network): ClientNetwork,
                path: PathParams,
                JsonObject(body): JsonObject,
            ) -> Success<VerifiedEmail> {
                let team = team_ref(&path)?;
                verified_emails::authorise_team(&app, &caller, team).await?;
                success(verified_emails::verify(&app, Some(&caller), network, Some(team), &body).await?)
            }

            /// Verified e-mail addresses of a team, oldest first.
            #[utoipa::path(
                get,
                path = $base,
                extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Team("team.read"))))),
                tag = $tag,
                params(Paging),
                responses((status = 200, body = Envelope<Vec<VerifiedEmail>>)),
            )]
            pub async fn list(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
                query: Query,
            ) -> Success<Vec<VerifiedEmail>> {
                let owner = verified_emails::authorise_team(&app, &caller, team_ref(&path)?).await?;
                success(verified_emails::list(&app, owner, &query).await?)
            }

            /// One verified e-mail address of a team.
            #[utoipa::path(
                get,
                path = concat!($base, "/{emailId}"),
                extensions(("x-access" = json!(access(PROFILE_READ, Requirement::Team("team.read"))))),
                tag = $tag,
                responses((status = 200, body = Envelope<VerifiedEmail>)),
            )]
            pub async fn show(
                State(app): State<AppState>,
                caller: Caller,
                path: PathParams,
            ) -> Success<VerifiedEmail> {
                let owner = verified_emails::authorise_team(&app, &caller, team_ref(&path)?).await?;
                success(verified_emails::show(&app, owner, path.id("emailId")?).await?)
            }
        }
    };
}

operations! {
    /// The addresses of a team.
    team, "Verified emails of teams", "/v2/teams/{teamId}/verified-resources/emails"
}

operations! {
    /// The addresses of a team in an organisation.
    organization_team, "Verified emails of teams",
    "/v2/organizations/{orgId}/teams/{teamId}/verified-resources/emails"
}
