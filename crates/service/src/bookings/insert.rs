//! Makes bookings: what has to happen inside the transaction.

use std::collections::BTreeSet;

use booking_wire::{Attendee, BookingStatus, Instant, JsonMap};
use chrono_tz::Tz;
use serde_json::Value;

use crate::auth::secret;
use crate::availability::{Decision, MINUTE, Refusal, Span};
use crate::bookings::hosts::{self, Times};
use crate::bookings::responses::Answers;
use crate::bookings::title::{TitleFacts, booking_title};
use crate::error::{Error, Result};
use crate::input_limits::{MAX_ATTENDEES_BYTES, MAX_SERIES_BYTES, MIN_SEAT_BYTES};
use crate::lifecycle;
use crate::limits::BookingAllowance;
use crate::slots::rules::refusal;
use crate::store::bookings::{self, Draft, History};
use crate::store::event_types::Stored;
use crate::store::reservations::{self, Consumed, Own};
use crate::store::{self, Db, bookers, booking_acts, booking_people};
use crate::webhooks::events::{self, Trigger};

/// A booking, or a series of them, that has passed every check that needs no transaction.
#[derive(Clone, Debug)]
pub struct Order {
    /// What is booked.
    pub stored: Stored,
    /// Minutes.
    pub length: i64,
    /// The attendee's zone.
    pub zone: Tz,
    /// The starts, ascending.
    pub starts: Vec<Instant>,
    /// Who books.
    pub attendee: Attendee,
    /// What they answered.
    pub answers: Answers,
    /// E-mail addresses.
    pub guests: Vec<String>,
    /// Free-form.
    pub metadata: JsonMap,
    /// The visitor's own reservation.
    pub reservation: Option<String>,
    /// Whether to meet at once.
    pub is_instant: bool,
    /// The person of this service who books for themselves: the booking takes their time.
    pub attendee_user_id: Option<i64>,
    /// Client whose reservations are the visitor's own; empty if that cannot be told.
    pub client_hash: String,
    /// Allowance of the client; none if it is not limited.
    pub allowance: Option<BookingAllowance>,
}

/// A booking that was made or joined.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its id.
    pub id: i64,
    /// The seat that was taken.
    pub seat_uid: Option<String>,
}

/// Makes everything that is ordered, or nothing.
pub async fn make(db: &mut Db, order: &Order, now: Instant) -> Result<Vec<Made>> {
    let stored = &order.stored;
    refuse_long_series(order)?;
    refuse_greedy_booker(db, order, now).await?;
    let status = match order.starts.first() {
        Some(first) => lifecycle::first(&stored.policy, *first, now, order.is_instant),
        None => return Err(Error::Internal),
    };
    let mut times = Times {
        stored,
        length: order.length,
        zone: order.zone,
        now,
        starts: &order.starts,
        is_held: false,
        from_any_zone: false,
    };
    let (decisions, hosts) = if order.is_instant {
        // Nobody's time is taken: whoever is there joins.
        let everybody = Decision {
            fixed: stored.host_ids(),
            ..Decision::default()
        };
        if everybody.fixed.is_empty() {
            return Err(Error::Unprocessable("the event type has no hosts".into()));
        }
        (vec![everybody], vec![stored.host_ids()])
    } else {
        let reserved = consume(db, order, now).await?;
        times.is_held = reserved.is_same_slot;
        let decisions = hosts::decide(db, times).await?;
        let hosts = hosts::choose(db, times, &decisions, &reserved.host_ids).await?;
        (decisions, hosts)
    };
    if let Some(allowance) = &order.allowance {
        let hosts: Vec<i64> = hosts
            .iter()
            .flatten()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        allowance.take(stored.wire.id, &hosts, order.starts.len())?;
    }
    let mut series_uid = match &stored.wire.recurrence {
        Some(_) => Some(secret::random_uuid()?),
        None => None,
    };
    let mut made = Vec::with_capacity(order.starts.len());
    for ((start, decision), host_ids) in order.starts.iter().zip(decisions).zip(hosts) {
        let draft = Draft {
            series_uid: series_uid.clone(),
            ..draft(order, *start, status.clone(), host_ids, now)?
        };
        match decision.joins {
            Some(uid) => {
                let (one, series) = join(db, &uid, draft, now).await?;
                // Those that are still to be made continue the series that was joined.
                series_uid = series_uid.map(|own| series.unwrap_or(own));
                made.push(one);
            }
            None => made.push(insert(db, &draft, now).await?),
        }
    }
    if let Some(user_id) = order.attendee_user_id {
        for one in &made {
            booking_people::set_user(db, one.id, &order.attendee.email, user_id).await?;
        }
    }
    Ok(made)
}

/// Ends the visitor's own reservation of the first start.
async fn consume(db: &mut Db, order: &Order, now: Instant) -> Result<Consumed> {
    let Some(first) = order.starts.first() else {
        return Ok(Consumed::default());
    };
    let own = Own {
        uid: order.reservation.as_deref(),
        client_hash: &order.client_hash,
    };
    let meeting = Span::new(first.0, first.0 + order.length * MINUTE);
    reservations::consume(db, own, order.stored.wire.id, meeting, now).await
}

/// Refuses a person who has as many bookings ahead as the event type allows. A series counts
/// once.
async fn refuse_greedy_booker(db: &mut Db, order: &Order, now: Instant) -> Result<()> {
    let limit = &order.stored.wire.booker_active_bookings_limit;
    let most = limit.get("maximumActiveBookings").and_then(Value::as_i64);
    let is_off = limit.get("disabled") == Some(&Value::Bool(true));
    let Some(most) = most.filter(|_| !is_off) else {
        return Ok(());
    };
    if bookers::bookings_ahead(db, order.stored.wire.id, &order.attendee, now).await? < most {
        return Ok(());
    }
    Err(Error::BadRequest(format!(
        "this person has {most} bookings of this event type ahead, which is the most that is allowed"
    )))
}

/// What is stored if nobody can be joined.
fn draft(
    order: &Order,
    start: Instant,
    status: BookingStatus,
    host_ids: Vec<i64>,
    now: Instant,
) -> Result<Draft> {
    let stored = &order.stored;
    let blank = Draft {
        uid: secret::random_uid()?,
        series_uid: None,
        event_type_id: Some(stored.wire.id).filter(|_| !stored.is_group()),
        team_id: stored.team_of_bookings,
        title: stored.wire.title.clone(),
        description: String::new(),
        holds: lifecycle::holds(&status, &stored.policy),
        status,
        start_ms: start.0,
        end_ms: start.0 + order.length * MINUTE,
        location: None,
        seats: stored.seats(),
        paid: (stored.policy.price > 0).then_some(false),
        responses: JsonMap::new(),
        guests: Vec::new(),
        metadata: JsonMap::new(),
        created_ms: now.0,
        host_ids,
        attendees: Vec::new(),
        history: History::default(),
    };
    let place = order.answers.place.as_ref();
    if let Some(seats) = stored.seats() {
        // What one visitor says is none of the others' business: it stays with the seat.
        let mut answers = order.answers.responses.clone();
        answers.remove("email");
        refuse_long_seat(seats, &answers, &order.metadata)?;
        let seat = Attendee {
            seat_uid: Some(secret::random_uuid()?),
            booking_fields_responses: Some(answers),
            metadata: Some(order.metadata.clone()),
            ..order.attendee.clone()
        };
        return Ok(Draft {
            location: place
                .filter(|place| !place.is_visitors)
                .map(|place| place.text.clone()),
            attendees: vec![seat],
            ..blank
        });
    }
    let text = |slug: &str| {
        let answer = order.answers.responses.get(slug).and_then(Value::as_str);
        answer
            .filter(|answer| !answer.trim().is_empty())
            .map(str::to_owned)
    };
    let facts = TitleFacts {
        host_ids: &blank.host_ids,
        attendee: &order.attendee.name,
        minutes: order.length,
        responses: &order.answers.responses,
    };
    Ok(Draft {
        title: text("title").unwrap_or_else(|| booking_title(stored, &facts)),
        description: text("notes").unwrap_or_default(),
        location: place.map(|place| place.text.clone()),
        responses: order.answers.responses.clone(),
        guests: order.guests.clone(),
        metadata: order.metadata.clone(),
        attendees: vec![order.attendee.clone()],
        ..blank
    })
}

/// Refuses what one visitor writes if as much from each of the others would not fit: nobody closes a shared
/// booking by writing a lot.
fn refuse_long_seat(seats: i64, answers: &JsonMap, metadata: &JsonMap) -> Result<()> {
    let seats = usize::try_from(seats).unwrap_or(1).max(1);
    let most = (MAX_ATTENDEES_BYTES / seats).max(MIN_SEAT_BYTES);
    if json_bytes(answers) + json_bytes(metadata) > most {
        return Err(Error::BadRequest(format!(
            "bookingFieldsResponses and metadata of one seat can have at most {most} bytes in this event type"
        )));
    }
    Ok(())
}

/// Refuses a series whose occurrences would repeat more than one request may store.
fn refuse_long_series(order: &Order) -> Result<()> {
    let guests: usize = order.guests.iter().map(String::len).sum();
    let one = json_bytes(&order.answers.responses) + json_bytes(&order.metadata) + guests;
    if order.starts.len() > 1 && one.saturating_mul(order.starts.len()) > MAX_SERIES_BYTES {
        return Err(Error::BadRequest(format!(
            "the occurrences of a series can have at most {} KiB of answers, guests and metadata together",
            MAX_SERIES_BYTES / 1024
        )));
    }
    Ok(())
}

fn json_bytes(map: &JsonMap) -> usize {
    serde_json::to_string(map).map_or(usize::MAX, |text| text.len())
}

/// Stores a new booking and tells of it.
async fn insert(db: &mut Db, draft: &Draft, now: Instant) -> Result<Made> {
    let id = bookings::insert(db, draft).await.map_err(lost)?;
    let trigger = made_trigger(&draft.status, draft.paid == Some(false));
    events::booking(db, now, trigger, id, JsonMap::new()).await?;
    Ok(Made {
        id,
        seat_uid: seat_of(draft),
    })
}

/// Takes a seat of the booking `uid` for the person in `draft`. Gives the series that the booking
/// belongs to as well.
async fn join(
    db: &mut Db,
    uid: &str,
    draft: Draft,
    now: Instant,
) -> Result<(Made, Option<String>)> {
    let seat_uid = seat_of(&draft);
    let target = booking_acts::one(db, uid).await?;
    add_seat(db, &target, &draft, now).await?;
    let trigger = made_trigger(&target.status, target.is_unpaid);
    events::booking(db, now, trigger, target.id, JsonMap::new()).await?;
    let made = Made {
        id: target.id,
        seat_uid,
    };
    Ok((made, target.series_uid))
}

/// Puts the person in `draft` into a booking that others share.
pub async fn add_seat(
    db: &mut Db,
    target: &booking_acts::Known,
    draft: &Draft,
    now: Instant,
) -> Result<()> {
    if target.end.0 != draft.end_ms {
        return Err(refusal(Refusal::Taken));
    }
    for attendee in &draft.attendees {
        if bookers::has_seat(db, target.id, attendee).await? {
            return Err(Error::Conflict(
                "this person is already signed up for this booking".into(),
            ));
        }
        bookings::insert_attendee(db, target.id, attendee)
            .await
            .map_err(lost)?;
    }
    booking_acts::touch(db, target.id, now).await
}

fn seat_of(draft: &Draft) -> Option<String> {
    draft
        .attendees
        .first()
        .and_then(|attendee| attendee.seat_uid.clone())
}

/// What subscribers are told when a booking is made.
fn made_trigger(status: &BookingStatus, is_unpaid: bool) -> Trigger {
    match status {
        BookingStatus::AwaitingHost => Trigger::InstantMeeting,
        BookingStatus::Pending if is_unpaid => Trigger::BookingPaymentInitiated,
        BookingStatus::Pending => Trigger::BookingRequested,
        _ => Trigger::BookingCreated,
    }
}

/// What the database's own refusals mean. The transaction has checked everything they guard, so
/// they speak only if something else wrote meanwhile.
pub fn lost(error: sqlx::Error) -> Error {
    if store::is_out_of_seats(&error) {
        refusal(Refusal::Full)
    } else if store::is_host_taken(&error) || store::is_duplicate(&error) {
        refusal(Refusal::Taken)
    } else if store::is_orphan(&error) {
        Error::NotFound("the event type is no longer there".into())
    } else {
        error.into()
    }
}
