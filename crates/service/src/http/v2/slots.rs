//! Handler for slots.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use booking_wire::Envelope;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::NO_SCOPE;
use crate::domain::slots::search::{SlotResponse, cache_version, slots_by_date};
use crate::error::Result;
use crate::http::extract::OptionalCaller;
use crate::validate::Query;

/// Routes of slots.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// Lists slots by date.
///
/// The event type is identified by its id or by its slug with that of its owner or team; a group by
/// the user names of its members.
#[utoipa::path(
    get,
    path = "/v2/slots",
    extensions(("x-access" = json!(access(NO_SCOPE, Requirement::Nothing)))),
    tag = "Slots",
    params(
        ("start" = String, Query, description = "ISO 8601 date, or date and time"),
        ("end" = String, Query, description = "ISO 8601 date, or date and time; a date is meant as a whole. At most 100 days after start"),
        ("eventTypeId" = Option<i64>, Query),
        ("eventTypeSlug" = Option<String>, Query, description = "With username or teamSlug"),
        ("username" = Option<String>, Query),
        ("teamSlug" = Option<String>, Query),
        ("organizationSlug" = Option<String>, Query),
        ("usernames" = Option<Vec<String>>, Query, explode = false, description = "At least two, with organizationSlug"),
        ("timeZone" = Option<String>, Query, description = "IANA id, UTC unless told; decides the dates"),
        ("duration" = Option<i64>, Query, description = "Minutes; one of the event type's lengths", minimum = 1, maximum = 1440),
        ("format" = Option<String>, Query, description = "time or range; range adds the ends"),
        ("bookingUidToReschedule" = Option<String>, Query, description = "The time of this booking counts as free"),
        ("recurrenceCount" = Option<i64>, Query, description = "Extension of this service. Of recurring event types: the slots on the days of the other meetings of a series of so many that begins at start, whatever end says. As for POST /v2/bookings, minimum notice and booking window do not apply to them", minimum = 1),
    ),
    responses((status = 200, body = Envelope<BTreeMap<String, Vec<SlotResponse>>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    OptionalCaller(caller): OptionalCaller,
    uri: Uri,
    query: Query,
) -> Result<impl IntoResponse> {
    // Responses that are the same for every caller are cached.
    let cache_key = uri.query().unwrap_or_default();
    let cache_version = cache_version(&app);
    let cached =
        cache_version.and_then(|cache_version| app.slot_cache.get(cache_version, cache_key));
    let body = match cached {
        Some(body) => body,
        None => {
            let (days, is_public) = slots_by_date(&app, caller.as_ref(), &query).await?;
            let body = Bytes::from(serde_json::to_vec(&Envelope::success(days))?);
            if let Some(cache_version) =
                cache_version.filter(|before| self::cache_version(&app) == Some(*before))
                && is_public
            {
                app.slot_cache.insert(cache_version, cache_key, &body);
            }
            body
        }
    };
    Ok(([(CONTENT_TYPE, "application/json")], body))
}
