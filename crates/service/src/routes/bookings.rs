//! Bookings: how they are made, read and changed (contract 3.5).

pub mod answer;
pub mod attendance;
pub mod booking_title;
pub mod calendar_links;
pub mod cancel;
pub mod chosen_place;
pub mod create;
pub mod disclosure;
pub mod form;
pub mod list;
pub mod making;
pub mod moving;
pub mod people;
pub mod person;
pub mod place;
pub mod reassign;
pub mod records;
pub mod reschedule;
pub mod reschedule_request;
pub mod responses;
pub mod show;
pub mod times;

use booking_wire::Booking;
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{self, Subject};
use crate::error::{Error, Result};
use crate::store::booking_acts::Known;
use crate::store::{Db, booking_notes, bookings};

/// One booking, or the occurrences of a series.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum OneOrSeries {
    /// One booking.
    One(Box<Booking>),
    /// All occurrences, by start.
    Series(Vec<Booking>),
}

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(create::create, list::list))
        .routes(routes!(show::by_seat))
        .routes(routes!(reschedule::reschedule))
        .routes(routes!(show::show))
        .routes(routes!(cancel::cancel))
        .routes(routes!(answer::confirm))
        .routes(routes!(answer::decline))
        .routes(routes!(attendance::mark_absent))
        .routes(routes!(reassign::reassign))
        .routes(routes!(reassign::reassign_to))
        .routes(routes!(people::add_guests))
        .routes(routes!(people::attendees, people::add_attendee))
        .routes(routes!(people::attendee))
        .routes(routes!(place::update_location))
        .routes(routes!(calendar_links::calendar_links))
        .routes(routes!(records::references))
        .routes(routes!(records::recordings))
        .routes(routes!(records::transcripts))
}

/// Whether a caller hosts the booking, owns what was booked, or runs its team.
pub(super) async fn is_host(db: &mut Db, caller: Option<&Caller>, booking: &Known) -> Result<bool> {
    let Some(caller) = caller else {
        return Ok(false);
    };
    let subject = subject_for(db, caller, booking).await?;
    Ok(subject.user_ids.contains(&caller.user_id)
        || access::holds(db, caller.user_id, "booking.update", &subject).await?)
}

/// Who may act on a booking, as far as the caller's version of the interface is concerned.
pub async fn subject_for(db: &mut Db, caller: &Caller, booking: &Known) -> Result<Subject> {
    let mut subject = Subject::of_booking(booking);
    if caller.reaches_members() {
        subject.organization_id = booking_notes::organization_of(db, &booking.host_ids).await?;
    }
    Ok(subject)
}

/// Reads one booking as it stands.
pub(super) async fn read_one(db: &mut Db, booking_id: i64) -> Result<Booking> {
    bookings::load(db, &[booking_id])
        .await?
        .pop()
        .ok_or_else(|| Error::internal(format!("booking {booking_id} cannot be read back")))
}
