//! Cancels bookings, or releases one seat.

use booking_rules::{Actor, Transition, transitions};
use booking_wire::{Attendee, BookingStatus, CancelBooking, Instant, JsonMap};
use serde_json::json;

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::read::visibility::{Viewer, authorise_viewer, hide_private_fields};
use crate::domain::bookings::read::{OneOrSeries, is_host, read_one};
use crate::error::{Error, Result};
use crate::input_limits::MAX_REASON_CHARS;
use crate::messages::mail::events as mail;
use crate::messages::webhooks::events::{self, Trigger};
use crate::messages::webhooks::payload;
use crate::store::bookings::actions::{self, BookingSnapshot, NamedBookings};
use crate::store::bookings::attendees::{self, Seat};
use crate::store::{Db, Subject, bookings};
use crate::validate::{Checks, Object};

/// Cancels a booking, an occurrence with or without the later ones, the remaining occurrences of a
/// series, or one seat.
pub async fn cancel(
    app: &AppState,
    caller: Option<&Caller>,
    uid: &str,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let request = read(body)?;
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let cancelled = cancel_bookings(db, caller, uid, &request, None, now).await?;
    let mut data = bookings::load(db, &cancelled.ids).await?;
    let viewer = Viewer::new(caller, request.seat_uid.as_deref());
    hide_private_fields(db, viewer, &mut data).await?;
    transaction.commit().await?;
    OneOrSeries::new(data, cancelled.is_many)
}

/// Result of a cancellation.
#[derive(Clone, Debug)]
pub struct CancelledBookings {
    /// Ids of the cancelled bookings, or of those whose seat was released.
    pub ids: Vec<i64>,
    /// True if the request was for several bookings.
    pub is_many: bool,
}

/// Cancels the booking or series `uid`, or releases one seat of it. `by_email` is recorded as the
/// person who cancelled, instead of the caller's own address.
pub async fn cancel_bookings(
    db: &mut Db,
    caller: Option<&Caller>,
    uid: &str,
    request: &CancelBooking,
    by_email: Option<String>,
    now: Instant,
) -> Result<CancelledBookings> {
    let named = actions::find_by_uid(db, uid).await?;
    let first = named.first()?;
    let first_booking = read_one(db, first.id).await?;
    authorise_viewer(db, caller, std::slice::from_ref(&first_booking)).await?;
    let by = match is_host(db, caller, first).await? {
        true => Actor::Host,
        false => Actor::Visitor,
    };
    let is_anonymous = caller.is_none();
    let email = match (by_email, caller) {
        (Some(email), _) => Some(email),
        (None, Some(caller)) => actions::user_email(db, caller.user_id).await?,
        (None, None) => None,
    };
    let canceller = Canceller {
        by,
        email,
        is_anonymous,
    };
    cancel_named(db, named, request, canceller, now).await
}

/// Person who cancels, whose access to the bookings was checked.
#[derive(Clone, Debug)]
pub struct Canceller {
    /// Host or visitor.
    pub by: Actor,
    /// E-mail address; if there is none, that of the holder of the seat, or of the person who booked.
    pub email: Option<String>,
    /// True if the caller has no credentials.
    pub is_anonymous: bool,
}

/// Cancels bookings, or releases one seat of them, for a person whose access to them was checked.
pub async fn cancel_named(
    db: &mut Db,
    named: NamedBookings,
    request: &CancelBooking,
    canceller: Canceller,
    now: Instant,
) -> Result<CancelledBookings> {
    let first = named.first()?;
    let is_host = canceller.by == Actor::Host;
    let with_later = request.cancel_subsequent_bookings == Some(true);
    let is_many = named.is_series || (with_later && first.series_uid.is_some());
    let seat = match request.seat_uid.as_deref() {
        Some(uid) => Some(find_seat(db, &named, uid).await?),
        None => None,
    };
    let by_email = match (canceller.email, &seat) {
        (Some(email), _) => Some(email),
        // Only the booker and the holder of the seat have received the uid.
        (None, Some(seat)) => Some(seat.email.clone()),
        (None, None) => attendees::booker_email(db, first.id).await?,
    };
    let cancellation = Cancellation {
        now,
        by: canceller.by,
        is_anonymous: canceller.is_anonymous,
        reason: request.cancellation_reason.as_deref(),
        by_email: by_email.as_deref(),
    };
    let targets = targets(db, named, with_later, cancellation).await?;
    let mut cancelled = Vec::new();
    match &seat {
        Some(seat) => {
            let mut released = Vec::new();
            for booking in &targets {
                let seat = release_seat(db, booking, seat, cancellation).await?;
                if seat.is_some() {
                    cancelled.push(booking.id);
                    released.push(Released { booking, seat });
                }
            }
            record_mail(db, &released, cancellation).await?;
        }
        None if !is_host && targets.iter().any(|booking| booking.is_seated) => {
            return Err(Error::Unauthorized(
                "seatUid is required: only hosts cancel a booking with seats for everybody",
            ));
        }
        None => {
            let mut released = Vec::new();
            for booking in &targets {
                cancel_one(db, booking, cancellation).await?;
                cancelled.push(booking.id);
                released.push(Released {
                    booking,
                    seat: None,
                });
            }
            record_mail(db, &released, cancellation).await?;
        }
    }
    Ok(CancelledBookings {
        ids: cancelled,
        is_many,
    })
}

/// A booking that was cancelled, or in which a seat was.
struct Released<'a> {
    booking: &'a BookingSnapshot,
    seat: Option<Seat>,
}

/// Records the e-mail event. Of a seat, only its holder and the hosts get messages.
async fn record_mail(
    db: &mut Db,
    released: &[Released<'_>],
    cancellation: Cancellation<'_>,
) -> Result<()> {
    let bookings = released.iter().map(|Released { booking, seat }| {
        let change = mail::Change {
            was_pending: booking.status != BookingStatus::Accepted,
            leaving: seat.as_ref().map(Seat::person),
            ..mail::Change::default()
        };
        (booking.id, change)
    });
    let details = mail::Details {
        reason: cancellation.reason.map(str::to_owned),
        is_anonymous: cancellation.is_anonymous,
        ..mail::Details::default()
    };
    let kind = mail::Kind::Cancelled;
    mail::record(db, cancellation.now, kind, bookings, details).await
}

/// Actor, reason and instant of a cancellation.
#[derive(Clone, Copy)]
struct Cancellation<'a> {
    now: Instant,
    by: Actor,
    is_anonymous: bool,
    reason: Option<&'a str>,
    by_email: Option<&'a str>,
}

impl Cancellation<'_> {
    fn action(self) -> Transition {
        Transition::Cancel {
            by: self.by,
            has_reason: self.reason.is_some(),
        }
    }
}

fn read(body: &JsonMap) -> Result<CancelBooking> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let request = CancelBooking {
        cancellation_reason: read_reason(&object, "cancellationReason", &mut checks),
        cancel_subsequent_bookings: object.boolean("cancelSubsequentBookings", &mut checks),
        seat_uid: object.text("seatUid", &mut checks).map(str::to_owned),
    };
    object.reject_unread(&mut checks);
    checks.finish()?;
    Ok(request)
}

/// Reads an optional reason; a blank one counts as absent.
fn read_reason(object: &Object<'_>, key: &str, checks: &mut Checks) -> Option<String> {
    let text = object.text(key, checks)?.trim();
    if text.chars().count() > MAX_REASON_CHARS {
        let message = format!("must be at most {MAX_REASON_CHARS} characters long");
        checks.report(&object.path(key), &json!(text), "maxLength", &message);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// Reads a body that has an optional reason only.
pub fn read_reason_body(body: &JsonMap) -> Result<Option<String>> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let reason = read_reason(&object, "reason", &mut checks);
    object.reject_unread(&mut checks);
    checks.finish()?;
    Ok(reason)
}

/// Finds the seat `seat_uid`, which must belong to one of the named bookings.
async fn find_seat(db: &mut Db, named: &NamedBookings, seat_uid: &str) -> Result<Seat> {
    let seat = attendees::seat(db, seat_uid).await?.filter(|seat| {
        named
            .bookings
            .iter()
            .any(|booking| booking.id == seat.booking_id)
    });
    let message = "is no seat of this booking";
    seat.ok_or_else(|| Checks::error("seatUid", &json!(seat_uid), "exists", message))
}

/// Returns the bookings to cancel: the named one, whose status must allow it, or all remaining
/// occurrences of a series.
async fn targets(
    db: &mut Db,
    named: NamedBookings,
    with_later: bool,
    cancellation: Cancellation<'_>,
) -> Result<Vec<BookingSnapshot>> {
    let NamedBookings {
        mut bookings,
        is_series,
    } = named;
    if let [only] = bookings.as_slice()
        && !is_series
    {
        transitions::next_status(only.context(cancellation.now), cancellation.action())?;
        if let (Some(series_uid), true) = (&only.series_uid, with_later) {
            let from = (only.start, only.id);
            let later = actions::series(db, series_uid).await?;
            bookings.extend(
                later
                    .into_iter()
                    .filter(|booking| (booking.start, booking.id) > from)
                    .filter(|booking| booking.is_open(cancellation.now)),
            );
        }
        return Ok(bookings);
    }
    let error = bookings.last().and_then(|last| {
        transitions::next_status(last.context(cancellation.now), cancellation.action()).err()
    });
    bookings.retain(|booking| booking.is_open(cancellation.now));
    for booking in &bookings {
        transitions::next_status(booking.context(cancellation.now), cancellation.action())?;
    }
    match error {
        Some(error) if bookings.is_empty() => Err(error.into()),
        _ => Ok(bookings),
    }
}

async fn cancel_one(
    db: &mut Db,
    booking: &BookingSnapshot,
    cancellation: Cancellation<'_>,
) -> Result<()> {
    let status =
        transitions::next_status(booking.context(cancellation.now), cancellation.action())?;
    actions::set_status(db, booking, &status, cancellation.now).await?;
    actions::set_reason(db, booking.id, cancellation.reason, cancellation.by_email).await?;
    events::booking(
        db,
        cancellation.now,
        Trigger::BookingCancelled,
        booking.id,
        extras(cancellation),
    )
    .await
}

/// Removes the holder of `seat` from `booking`. Releasing the last seat cancels the booking, which keeps the attendee.
/// Returns the seat in this booking; none if the person has none.
async fn release_seat(
    db: &mut Db,
    booking: &BookingSnapshot,
    seat: &Seat,
    cancellation: Cancellation<'_>,
) -> Result<Option<Seat>> {
    let seat = if seat.booking_id == booking.id {
        seat.clone()
    } else {
        match attendees::seat_by_email(db, booking.id, &seat.email).await? {
            Some(other) => other,
            None => return Ok(None),
        }
    };
    if attendees::count_seats_taken(db, booking.id).await? <= 1 {
        cancel_one(db, booking, cancellation).await?;
        return Ok(Some(seat));
    }
    attendees::remove(db, seat.id).await?;
    actions::set_updated(db, booking.id, cancellation.now).await?;
    let released = seat.clone();
    let leaving = Attendee {
        name: seat.name,
        email: seat.email,
        time_zone: seat.time_zone,
        language: seat.language,
        phone_number: seat.phone_number,
        ..Attendee::default()
    };
    let mut extras = extras(cancellation);
    let status = BookingStatus::Cancelled.as_str().to_uppercase();
    extras.insert("status".into(), status.into());
    extras.insert(
        "attendees".into(),
        json!([payload::attendee(&leaving, booking.start)]),
    );
    events::booking(
        db,
        cancellation.now,
        Trigger::BookingCancelled,
        booking.id,
        extras,
    )
    .await?;
    Ok(Some(released))
}

fn extras(cancellation: Cancellation<'_>) -> JsonMap {
    let mut extras = JsonMap::new();
    if let Some(reason) = cancellation.reason {
        extras.insert("cancellationReason".into(), reason.into());
    }
    if let Some(email) = cancellation.by_email {
        extras.insert("cancelledBy".into(), email.into());
    }
    extras
}
