//! Times in which people do not work (contract 3.6).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::Envelope;
use booking_wire::schedule::{NewOutOfOffice, OutOfOffice, OutOfOfficeChanges};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::out_of_office;
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list_of_organization))
        .routes(routes!(list, create))
        .routes(routes!(change, remove))
}

/// When people of an organisation are out of office, earliest first.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/ooo",
    tag = "Out of office",
    params(
        ("orgId" = i64, Path),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
        ("sortStart" = Option<String>, Query, description = "asc or desc; asc unless given"),
        ("sortEnd" = Option<String>, Query, description = "asc or desc, among those with the same start if that is sorted by, too"),
        ("email" = Option<String>, Query, description = "Only of the person with this address"),
    ),
    responses((status = 200, body = Envelope<Vec<OutOfOffice>>)),
)]
pub async fn list_of_organization(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<OutOfOffice>>>> {
    let data =
        out_of_office::list_of_organization(&app, &caller, path.id("orgId")?, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// When a person is out of office, earliest first.
#[utoipa::path(
    get,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo",
    tag = "Out of office",
    params(
        ("orgId" = i64, Path),
        ("userId" = i64, Path),
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
        ("sortStart" = Option<String>, Query, description = "asc or desc; asc unless given"),
        ("sortEnd" = Option<String>, Query, description = "asc or desc, among those with the same start if that is sorted by, too"),
    ),
    responses((status = 200, body = Envelope<Vec<OutOfOffice>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    query: Query,
) -> Result<Json<Envelope<Vec<OutOfOffice>>>> {
    let data =
        out_of_office::list(&app, &caller, path.id("orgId")?, path.id("userId")?, &query).await?;
    Ok(Json(Envelope::success(data)))
}

/// Says when a person will be out of office. Two entries of one person cannot overlap.
#[utoipa::path(
    post,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo",
    tag = "Out of office",
    params(("orgId" = i64, Path), ("userId" = i64, Path)),
    request_body = NewOutOfOffice,
    responses((status = 201, body = Envelope<OutOfOffice>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<OutOfOffice>>)> {
    let data =
        out_of_office::create(&app, &caller, path.id("orgId")?, path.id("userId")?, &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}

/// Changes an entry; what is absent stays as it is.
#[utoipa::path(
    patch,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo/{oooId}",
    tag = "Out of office",
    params(("orgId" = i64, Path), ("userId" = i64, Path), ("oooId" = i64, Path)),
    request_body = OutOfOfficeChanges,
    responses((status = 200, body = Envelope<OutOfOffice>)),
)]
pub async fn change(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<OutOfOffice>>> {
    let data = out_of_office::change(
        &app,
        &caller,
        path.id("orgId")?,
        path.id("userId")?,
        path.id("oooId")?,
        &body,
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}

/// Deletes an entry: the person works then.
#[utoipa::path(
    delete,
    path = "/v2/organizations/{orgId}/users/{userId}/ooo/{oooId}",
    tag = "Out of office",
    params(("orgId" = i64, Path), ("userId" = i64, Path), ("oooId" = i64, Path)),
    responses((status = 200, body = Envelope<OutOfOffice>)),
)]
pub async fn remove(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<OutOfOffice>>> {
    let data = out_of_office::remove(
        &app,
        &caller,
        path.id("orgId")?,
        path.id("userId")?,
        path.id("oooId")?,
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}
