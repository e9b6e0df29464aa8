//! Calling bookings off, or giving back one seat (contract 3.5.2, 6.3).

use booking_wire::{Attendee, BookingStatus, CancelBooking, Instant, JsonMap};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::read::{OneOrSeries, is_host, read_one};
use crate::bookings::visibility::{Reader, admit, disclose};
use crate::error::{Error, Result};
use crate::input_limits::MAX_REASON_CHARS;
use crate::lifecycle::{self, Actor, Event};
use crate::store::booking_acts::{self, Known, Named};
use crate::store::booking_people::{self, Seat};
use crate::store::{Db, bookings};
use crate::validate::{Checks, Object};
use crate::webhooks::events::{self, Trigger};
use crate::webhooks::payload;

/// Cancels a booking, an occurrence with or without the later ones, all that remains of a series,
/// or one seat.
pub async fn cancel(
    app: &AppState,
    caller: Option<&Caller>,
    uid: &str,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let asked = read(body)?;
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let done = carry_out(db, caller, uid, &asked, None, now).await?;
    let mut data = bookings::load(db, &done.ids).await?;
    let reader = Reader {
        caller,
        seat_uid: asked.seat_uid.as_deref(),
    };
    disclose(db, reader, &mut data).await?;
    transaction.commit().await?;
    Ok(if done.is_many {
        OneOrSeries::Series(data)
    } else {
        OneOrSeries::One(Box::new(data.pop().ok_or(Error::Internal)?))
    })
}

/// What was cancelled.
#[derive(Clone, Debug)]
pub struct Done {
    /// The bookings, or those of which a seat was given back.
    pub ids: Vec<i64>,
    /// Whether several were meant.
    pub is_many: bool,
}

/// Cancels what `uid` names, or gives back one seat of it. `by_email` is noted as who did, instead
/// of the caller's own address.
pub async fn carry_out(
    db: &mut Db,
    caller: Option<&Caller>,
    uid: &str,
    asked: &CancelBooking,
    by_email: Option<String>,
    now: Instant,
) -> Result<Done> {
    let named = booking_acts::named(db, uid).await?;
    let first = named.bookings.first().ok_or(Error::Internal)?;
    let whole = read_one(db, first.id).await?;
    admit(db, caller, std::slice::from_ref(&whole)).await?;
    let by_host = is_host(db, caller, first).await?;
    let with_later = asked.cancel_subsequent_bookings == Some(true);
    let is_many = named.is_series || (with_later && first.series_uid.is_some());
    let seat = match asked.seat_uid.as_deref() {
        Some(uid) => Some(seat(db, &named, uid).await?),
        None => None,
    };
    let by_email = match (by_email, caller) {
        (Some(email), _) => Some(email),
        (None, Some(caller)) => booking_acts::email_of(db, caller.user_id).await?,
        // Whoever knows the uid was told it when they booked.
        (None, None) => match &seat {
            Some(seat) => Some(seat.email.clone()),
            None => booking_people::booker(db, first.id).await?,
        },
    };
    let act = Act {
        now,
        by: if by_host { Actor::Host } else { Actor::Visitor },
        reason: asked.cancellation_reason.as_deref(),
        by_email: by_email.as_deref(),
    };
    let targets = targets(db, named, with_later, act).await?;
    let mut cancelled = Vec::new();
    match &seat {
        Some(seat) => {
            for booking in &targets {
                if give_back(db, booking, seat, act).await? {
                    cancelled.push(booking.id);
                }
            }
        }
        None if !by_host && targets.iter().any(|booking| booking.is_seated) => {
            return Err(Error::Unauthorized(
                "seatUid is required: only hosts cancel a booking with seats for everybody",
            ));
        }
        None => {
            for booking in &targets {
                call_off(db, booking, act).await?;
                cancelled.push(booking.id);
            }
        }
    }
    Ok(Done {
        ids: cancelled,
        is_many,
    })
}

/// Who cancels, when and why.
#[derive(Clone, Copy)]
struct Act<'a> {
    now: Instant,
    by: Actor,
    reason: Option<&'a str>,
    by_email: Option<&'a str>,
}

impl Act<'_> {
    fn event(self) -> Event {
        Event::Cancel {
            by: self.by,
            reasoned: self.reason.is_some(),
        }
    }
}

fn read(body: &JsonMap) -> Result<CancelBooking> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.allow(
        &["cancellationReason", "cancelSubsequentBookings", "seatUid"],
        &mut checks,
    );
    let asked = CancelBooking {
        cancellation_reason: reason(object, "cancellationReason", &mut checks),
        cancel_subsequent_bookings: object.read(
            "cancelSubsequentBookings",
            "isBoolean",
            "must be a boolean",
            &mut checks,
            Value::as_bool,
        ),
        seat_uid: object.text("seatUid", &mut checks).map(str::to_owned),
    };
    checks.finish()?;
    Ok(asked)
}

/// A reason; a blank one is none.
pub fn reason(object: Object<'_>, key: &str, checks: &mut Checks) -> Option<String> {
    let text = object.text(key, checks)?.trim();
    if text.chars().count() > MAX_REASON_CHARS {
        let complaint = format!("must be at most {MAX_REASON_CHARS} characters long");
        checks.complain(&object.path(key), &json!(text), "maxLength", &complaint);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// The seat with that uid, which has to be one of what is cancelled.
async fn seat(db: &mut Db, named: &Named, seat_uid: &str) -> Result<Seat> {
    let seat = booking_people::seat(db, seat_uid).await?.filter(|seat| {
        named
            .bookings
            .iter()
            .any(|booking| booking.id == seat.booking_id)
    });
    match seat {
        Some(seat) => Ok(seat),
        None => {
            let mut checks = Checks::default();
            let complaint = "is no seat of this booking";
            checks.complain("seatUid", &json!(seat_uid), "exists", complaint);
            checks.finish()?;
            Err(Error::Internal)
        }
    }
}

/// The bookings that are to be cancelled: the one named, which must allow it, and of a series all
/// that remain.
async fn targets(db: &mut Db, named: Named, with_later: bool, act: Act<'_>) -> Result<Vec<Known>> {
    let Named {
        mut bookings,
        is_series,
    } = named;
    if let [only] = bookings.as_slice()
        && !is_series
    {
        lifecycle::next(only.standing(act.now), act.event())?;
        if let (Some(series_uid), true) = (&only.series_uid, with_later) {
            let from = (only.start, only.id);
            let later = booking_acts::series(db, series_uid).await?;
            bookings.extend(
                later
                    .into_iter()
                    .filter(|booking| (booking.start, booking.id) > from)
                    .filter(|booking| booking.is_open(act.now)),
            );
        }
        return Ok(bookings);
    }
    let refusal = bookings
        .last()
        .and_then(|last| lifecycle::next(last.standing(act.now), act.event()).err());
    bookings.retain(|booking| booking.is_open(act.now));
    for booking in &bookings {
        lifecycle::next(booking.standing(act.now), act.event())?;
    }
    match refusal {
        Some(refusal) if bookings.is_empty() => Err(refusal.into()),
        _ => Ok(bookings),
    }
}

async fn call_off(db: &mut Db, booking: &Known, act: Act<'_>) -> Result<()> {
    let status = lifecycle::next(booking.standing(act.now), act.event())?;
    booking_acts::set_status(db, booking, &status, act.now).await?;
    booking_acts::set_reason(db, booking.id, act.reason, act.by_email).await?;
    events::booking(
        db,
        act.now,
        Trigger::BookingCancelled,
        booking.id,
        extras(act),
    )
    .await
}

/// Takes the holder of `seat` out of `booking`; false if they do not sit there. With the last
/// seat the booking is over, and keeps the name of who was to come.
async fn give_back(db: &mut Db, booking: &Known, seat: &Seat, act: Act<'_>) -> Result<bool> {
    let seat = if seat.booking_id == booking.id {
        seat.clone()
    } else {
        match booking_people::seat_of(db, booking.id, &seat.email).await? {
            Some(other) => other,
            None => return Ok(false),
        }
    };
    if booking_people::seats_taken(db, booking.id).await? <= 1 {
        call_off(db, booking, act).await?;
        return Ok(true);
    }
    booking_people::remove(db, seat.id).await?;
    booking_acts::touch(db, booking.id, act.now).await?;
    let leaving = Attendee {
        name: seat.name,
        email: seat.email,
        time_zone: seat.time_zone,
        language: seat.language,
        phone_number: seat.phone_number,
        ..Attendee::default()
    };
    let mut extras = extras(act);
    let status = BookingStatus::Cancelled.as_str().to_uppercase();
    extras.insert("status".into(), status.into());
    extras.insert(
        "attendees".into(),
        json!([payload::attendee(&leaving, booking.start)]),
    );
    events::booking(db, act.now, Trigger::BookingCancelled, booking.id, extras).await?;
    Ok(true)
}

fn extras(act: Act<'_>) -> JsonMap {
    let mut extras = JsonMap::new();
    if let Some(reason) = act.reason {
        extras.insert("cancellationReason".into(), reason.into());
    }
    if let Some(email) = act.by_email {
        extras.insert("cancelledBy".into(), email.into());
    }
    extras
}
