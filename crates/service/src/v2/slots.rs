//! Free times (contract 3.4.1).

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
use crate::error::Result;
use crate::extract::Visitor;
use crate::slots::search::{WrittenSlot, days, moment};
use crate::validate::Query;

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list))
}

/// Free times by date.
///
/// The event type is named by its id, by its slug and its owner's or team's, or a group by
/// its people's user names.
#[utoipa::path(
    get,
    path = "/v2/slots",
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
    ),
    responses((status = 200, body = Envelope<BTreeMap<String, Vec<WrittenSlot>>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    uri: Uri,
    query: Query,
) -> Result<impl IntoResponse> {
    // The same for every caller, so it may have been answered a moment ago.
    let question = uri.query().unwrap_or_default();
    let moment = moment(&app);
    let kept = moment.and_then(|moment| app.recent.get(moment, question));
    let body = match kept {
        Some(body) => body,
        None => {
            let (days, is_public) = days(&app, caller.as_ref(), &query).await?;
            let body = Bytes::from(serde_json::to_vec(&Envelope::success(days))?);
            if let Some(moment) = moment.filter(|before| self::moment(&app) == Some(*before))
                && is_public
            {
                app.recent.keep(moment, question, &body);
            }
            body
        }
    };
    Ok(([(CONTENT_TYPE, "application/json")], body))
}
