//! Making bookings (contract 3.5.1).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Booking, Envelope, Instant, JsonMap, NewBooking};
use serde_json::json;

use super::OneOrSeries;
use super::disclosure::{Reader, disclose};
use super::form::Wanted;
use super::making::{self, Made, Order};
use crate::auth::{Caller, Visitor};
use crate::error::{Error, Result};
use crate::recurrence;
use crate::router::App;
use crate::routes::event_types::is_insider;
use crate::routes::identify::Names;
use crate::routes::rules::{length, refuse_managed};
use crate::store::event_types::{self, Stored};
use crate::store::{Db, bookings, users};
use crate::validate::{Checks, JsonObject};

/// How far an instant meeting may seem to lie from now: clocks differ, and people think.
const INSTANT_MINUTES: i64 = 15;

/// Books a slot.
///
/// The event type decides what is made: one booking, the array of a series, or a seat in a
/// booking that others share.
#[utoipa::path(
    post,
    path = "/v2/bookings",
    tag = "Bookings",
    request_body = NewBooking,
    responses((status = 201, body = Envelope<OneOrSeries>)),
)]
pub async fn create(
    State(app): State<App>,
    Visitor(caller): Visitor,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<OneOrSeries>>)> {
    let made = book(&app, caller.as_ref(), &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(made))))
}

/// Makes what `body`, as above, asks for.
pub async fn book(app: &App, caller: Option<&Caller>, body: &JsonMap) -> Result<OneOrSeries> {
    let wanted = Wanted::read(body)?;
    let mut db = app.store.read().await?;
    let stored = find(&mut db, &wanted.names).await?;
    refuse_managed(&stored)?;
    let is_insider = match caller {
        Some(caller) => is_insider(&mut db, caller, &stored).await?,
        None => false,
    };
    if stored.wire.booking_requires_authentication && !is_insider {
        return Err(for_insiders(caller));
    }
    if stored.wire.requires_booker_email_verification && !is_insider {
        let email = wanted.attendee.email.as_str();
        if !is_own_address(&mut db, caller, email).await? {
            return Err(unverified(&wanted));
        }
    }
    drop(db);

    // What needs no transaction is settled before it: there is one writer at a time.
    let order = order(stored, wanted, app.clock.now())?;
    let is_series = order.stored.wire.recurrence.is_some();
    let clock = app.clock.clone();
    let made = app
        .store
        .write(move |db| Box::pin(async move { making::make(db, &order, clock.now()).await }))
        .await?;
    let mut made = answer(app, caller, &made).await?;
    Ok(if is_series {
        OneOrSeries::Series(made)
    } else {
        OneOrSeries::One(Box::new(made.pop().ok_or(Error::Internal)?))
    })
}

/// Finds what is booked. People whose user names are joined by `+` meet as a group.
async fn find(db: &mut Db, names: &Names) -> Result<Stored> {
    if let (Some("dynamic"), Some(people)) = (names.slug.as_deref(), &names.username)
        && people.contains('+')
    {
        let people: Vec<String> = people.split('+').map(str::to_owned).collect();
        return event_types::group(db, &people, names.organization_slug.as_deref()).await;
    }
    names.find(db).await
}

/// The refusal of somebody who is no insider of an event type that asks for that.
fn for_insiders(caller: Option<&Caller>) -> Error {
    match caller {
        None => Error::Unauthorized("this event type can be booked by signed-in callers only"),
        Some(_) => Error::Forbidden(
            "this event type can be booked by its owner, its hosts and those who run its team only"
                .into(),
        ),
    }
}

/// Whether the caller has signed in under the address that is booked for: then nothing is left to
/// be proven.
async fn is_own_address(db: &mut Db, caller: Option<&Caller>, email: &str) -> Result<bool> {
    let Some(caller) = caller else {
        return Ok(false);
    };
    let own = users::proven_email(db, caller.user_id).await?;
    Ok(own.is_some_and(|own| own.eq_ignore_ascii_case(email)))
}

/// No operation of the interface sends codes, so no code can be a right one (contract 3.5.1).
fn unverified(wanted: &Wanted) -> Error {
    let code = wanted.email_verification_code.as_deref();
    let complaint = match code {
        Some(_) => "is not valid: the event type's bookingUrl is where codes are sent from",
        None => {
            "is required: the attendee's address has to be verified at the event type's bookingUrl"
        }
    };
    let mut checks = Checks::default();
    checks.complain(
        "emailVerificationCode",
        &json!(code),
        "isVerified",
        complaint,
    );
    checks.finish().err().unwrap_or(Error::Internal)
}

/// Settles everything that the event type alone decides.
fn order(stored: Stored, wanted: Wanted, now: Instant) -> Result<Order> {
    let length = length(&stored.wire, wanted.length, "lengthInMinutes")?;
    let answers = wanted.answer(&stored)?;
    let mut checks = Checks::default();
    let starts = starts(&stored, &wanted, &mut checks);
    if wanted.is_instant && (wanted.start.0 - now.0).abs() > INSTANT_MINUTES * 60_000 {
        let complaint =
            format!("of an instant meeting must lie within {INSTANT_MINUTES} minutes of now");
        checks.complain("start", &json!(wanted.start), "isNow", &complaint);
    }
    checks.finish()?;
    Ok(Order {
        stored,
        length,
        zone: wanted.zone,
        starts,
        attendee: wanted.attendee,
        answers,
        guests: wanted.guests,
        metadata: wanted.metadata,
        reservation: wanted.reservation,
        is_instant: wanted.is_instant,
    })
}

/// The starts of the booking or of its series.
fn starts(stored: &Stored, wanted: &Wanted, checks: &mut Checks) -> Vec<Instant> {
    let Some(recurrence) = &stored.wire.recurrence else {
        return vec![wanted.start];
    };
    let most = recurrence.occurrences.max(1);
    let count = wanted.recurrence_count.unwrap_or(most);
    if count > most {
        let complaint = format!("must not be greater than {most}");
        checks.complain("recurrenceCount", &json!(count), "max", &complaint);
        return Vec::new();
    }
    recurrence::starts(wanted.start, wanted.zone, recurrence, count).unwrap_or_else(|| {
        let complaint = "leads out of the calendar";
        checks.complain("recurrenceCount", &json!(count), "max", complaint);
        Vec::new()
    })
}

/// What was made, as its maker sees it: of a shared booking with their own seat first, and those
/// others only that the event type shows.
pub async fn answer(app: &App, caller: Option<&Caller>, made: &[Made]) -> Result<Vec<Booking>> {
    let mut db = app.store.read().await?;
    let ids: Vec<i64> = made.iter().map(|one| one.id).collect();
    let mut found = bookings::load(&mut db, &ids).await?;
    for (booking, one) in found.iter_mut().zip(made) {
        booking.seat_uid.clone_from(&one.seat_uid);
        let reader = Reader {
            caller,
            seat_uid: one.seat_uid.as_deref(),
        };
        disclose(&mut db, reader, std::slice::from_mut(booking)).await?;
        booking
            .attendees
            .sort_by_key(|attendee| attendee.seat_uid != one.seat_uid);
    }
    Ok(found)
}
