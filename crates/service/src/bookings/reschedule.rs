//! Moves bookings and seats: what has to happen inside the transaction (contract 3.5.2, 6.3).

use booking_wire::{Attendee, Booking, BookingStatus, Envelope, Instant, JsonMap};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::{Caller, secret};
use crate::availability::{Decision, MINUTE, Refusal, Span};
use crate::bookings::create::{answer, shown};
use crate::bookings::hosts::{self, Times};
use crate::bookings::insert::{Made, add_seat, lost};
use crate::bookings::read::{is_host, read_one};
use crate::bookings::reschedule_request::RescheduleRequest;
use crate::bookings::title::{TitleFacts, booking_title};
use crate::bookings::visibility::admit;
use crate::error::{Error, Result};
use crate::event_types::group::find_group;
use crate::idempotency::{CREATED, KeyedRequest, Outcome};
use crate::lifecycle::{self, Event};
use crate::slots::rules::{refusal, refuse_managed};
use crate::store::booking_acts::{self, Known};
use crate::store::bookings::{self, Draft, History, Successor};
use crate::store::event_types::{self, Purpose, Stored};
use crate::store::reservations::{self, Own};
use crate::store::{Db, booking_people, busy};
use crate::validate::Checks;
use crate::webhooks::events::{self, Trigger};

/// Moves the booking `uid` to another time and returns the new booking. With a key, the response
/// is kept in the transaction of the move, and a request that comes again gets it.
pub async fn reschedule(
    app: &AppState,
    caller: Option<Caller>,
    uid: &str,
    wanted: RescheduleRequest,
    keyed: Option<KeyedRequest>,
) -> Result<Outcome<Booking>> {
    if let Some(request) = &keyed {
        let mut db = app.store.read().await?;
        if let Some(reply) = request.replay(&mut db, app.clock.now()).await? {
            return Ok(Outcome::Kept(reply));
        }
    }
    let (mover, clock, uid) = (caller.clone(), app.clock.clone(), uid.to_owned());
    let done = app
        .store
        .write(move |db| {
            Box::pin(async move {
                let now = clock.now();
                let mover = mover.as_ref();
                let Some(request) = keyed else {
                    let made = carry_out(db, mover, &uid, &wanted, now).await?;
                    return Ok(Outcome::New(made));
                };
                // Another attempt may have been faster.
                if let Some(reply) = request.replay(db, now).await? {
                    return Ok(Outcome::Kept(reply));
                }
                let made = carry_out(db, mover, &uid, &wanted, now).await?;
                let booking = shown(db, mover, &[made]).await?.pop();
                let body = Envelope::success(booking.ok_or(Error::Internal)?);
                let reply = request.keep(db, CREATED, &body, now).await?;
                Ok(Outcome::Kept(reply))
            })
        })
        .await?;
    match done {
        Outcome::New(made) => {
            let booking = answer(app, caller.as_ref(), &[made]).await?.pop();
            Ok(Outcome::New(booking.ok_or(Error::Internal)?))
        }
        Outcome::Kept(reply) => Ok(Outcome::Kept(reply)),
    }
}

/// A booking that is about to be moved.
struct Move<'a> {
    wanted: &'a RescheduleRequest,
    old: Known,
    /// The same as it is written.
    before: Booking,
    stored: Stored,
    /// Whether the mover hosts it, owns what was booked, or runs the team.
    by_host: bool,
    /// Whose address is noted as that of the mover.
    mover: Option<String>,
    now: Instant,
}

/// Moves the booking `uid`, or one seat of it.
pub async fn carry_out(
    db: &mut Db,
    caller: Option<&Caller>,
    uid: &str,
    wanted: &RescheduleRequest,
    now: Instant,
) -> Result<Made> {
    let old = booking_acts::one(db, uid).await?;
    let by_host = is_host(db, caller, &old).await?;
    let before = read_one(db, old.id).await?;
    if !by_host {
        admit(db, caller, std::slice::from_ref(&before)).await?;
    }
    let stored = booked(db, &old, &before).await?;
    let own = match caller {
        Some(caller) => booking_acts::email_of(db, caller.user_id).await?,
        None => None,
    };
    lifecycle::next(old.standing(now), Event::Reschedule)?;
    if wanted.start == old.start && old.status != BookingStatus::Cancelled {
        return Err(complaint(
            "start",
            &json!(wanted.start),
            "isMoved",
            "is the time of the booking already",
        ));
    }
    let whole = Move {
        wanted,
        mover: wanted.by.clone().or(own),
        old,
        before,
        stored,
        by_host,
        now,
    };
    match &wanted.seat_uid {
        None if whole.old.is_seated && !by_host => Err(complaint(
            "seatUid",
            &Value::Null,
            "isDefined",
            "is required: others have seats in this booking",
        )),
        None => whole.carry_out(db).await,
        Some(seat_uid) if whole.old.is_seated => whole.move_seat(db, seat_uid).await,
        Some(seat_uid) => Err(complaint(
            "seatUid",
            &json!(seat_uid),
            "isSeat",
            "is for bookings with seats only",
        )),
    }
}

/// What was booked. A meeting of several people whose event type is gone, or never was, is one of
/// a group.
async fn booked(db: &mut Db, old: &Known, before: &Booking) -> Result<Stored> {
    let stored = match old.event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None if old.host_ids.len() > 1 => {
            let people: Vec<String> = before
                .hosts
                .iter()
                .map(|host| host.username.clone())
                .collect();
            Some(find_group(db, &people, Purpose::Moving).await?)
        }
        None => None,
    };
    let stored = stored.ok_or_else(|| {
        Error::BadRequest(
            "the event type is no longer there: the booking can only be cancelled".into(),
        )
    })?;
    refuse_managed(&stored)?;
    Ok(stored)
}

impl Move<'_> {
    /// Moves the whole booking.
    async fn carry_out(self, db: &mut Db) -> Result<Made> {
        // Its own time counts as free.
        booking_acts::set_status(db, &self.old, &BookingStatus::Cancelled, self.now).await?;
        let zone = self
            .before
            .attendees
            .first()
            .map(|first| first.time_zone.as_str());
        let (decision, hosts) = self.decide(db, zone).await?;
        if decision.joins.is_some() {
            // Two shared bookings do not become one.
            return Err(refusal(Refusal::Taken));
        }
        let (new_hosts, before) = (hosts.clone(), &self.before);
        let draft = Draft {
            title: self.retitled(&new_hosts),
            description: before.description.clone(),
            location: before.location.clone(),
            responses: before.booking_fields_responses.clone().unwrap_or_default(),
            guests: before.guests.clone().unwrap_or_default(),
            metadata: before.metadata.clone().unwrap_or_default(),
            attendees: if self.old.is_seated {
                Vec::new()
            } else {
                before.attendees.iter().map(unmarked).collect()
            },
            history: History {
                rescheduled_from_uid: Some(self.old.uid.clone()),
                rescheduling_reason: self.wanted.reason.clone(),
                rescheduled_by_email: self.mover.clone(),
                ..History::default()
            },
            ..self.blank(db, hosts).await?
        };
        let id = bookings::insert(db, &draft).await.map_err(lost)?;
        if self.old.is_seated {
            bookings::move_seats(db, self.old.id, id).await?;
        } else {
            booking_people::carry_users(db, self.old.id, id).await?;
        }
        self.note_successor(db, &draft.uid).await?;
        self.tell(db, id, &draft.status, draft.paid == Some(false), None)
            .await?;
        Ok(Made { id, seat_uid: None })
    }

    /// Moves one seat: into a booking that others share, or into one of its own. The old booking
    /// stays as it is for those who are left.
    async fn move_seat(self, db: &mut Db, seat_uid: &str) -> Result<Made> {
        let seat = booking_people::seat(db, seat_uid).await?;
        let person = self
            .before
            .attendees
            .iter()
            .find(|attendee| attendee.seat_uid.as_deref() == Some(seat_uid))
            .map(unmarked);
        let (Some(seat), Some(person)) = (seat, person) else {
            return Err(complaint(
                "seatUid",
                &json!(seat_uid),
                "isSeat",
                "is no seat of this booking",
            ));
        };
        let user_id = booking_people::user_of_seat(db, seat_uid).await?;
        booking_people::remove(db, seat.id).await?;
        let left = booking_people::seats_taken(db, self.old.id).await?;
        if left == 0 {
            booking_acts::set_status(db, &self.old, &BookingStatus::Cancelled, self.now).await?;
        } else {
            booking_acts::touch(db, self.old.id, self.now).await?;
        }
        let (decision, hosts) = self.decide(db, Some(&person.time_zone)).await?;
        let replaced = left == 0 && decision.joins.is_none();
        let before = &self.before;
        let draft = Draft {
            title: before.title.clone(),
            description: before.description.clone(),
            location: before.location.clone(),
            metadata: before.metadata.clone().unwrap_or_default(),
            attendees: vec![person],
            history: History {
                rescheduled_from_uid: replaced.then(|| self.old.uid.clone()),
                rescheduling_reason: self.wanted.reason.clone(),
                rescheduled_by_email: self.mover.clone(),
                ..History::default()
            },
            ..self.blank(db, hosts).await?
        };
        let (id, uid, status, is_unpaid) = match decision.joins {
            Some(uid) => {
                let target = booking_acts::one(db, &uid).await?;
                add_seat(db, &target, &draft, self.now).await?;
                (target.id, uid, target.status, target.is_unpaid)
            }
            None => {
                let id = bookings::insert(db, &draft).await.map_err(lost)?;
                (id, draft.uid, draft.status, draft.paid == Some(false))
            }
        };
        if let Some(user_id) = user_id {
            booking_people::set_user(db, id, &seat.email, user_id).await?;
        }
        if left == 0 {
            self.note_successor(db, &uid).await?;
        }
        self.tell(db, id, &status, is_unpaid, Some(seat_uid))
            .await?;
        Ok(Made {
            id,
            seat_uid: Some(seat_uid.to_owned()),
        })
    }

    /// Whether the new time can be had, and who hosts it.
    async fn decide(&self, db: &mut Db, zone: Option<&str>) -> Result<(Decision, Vec<i64>)> {
        let starts = [self.wanted.start];
        let times = Times {
            stored: &self.stored,
            length: self.length(),
            zone: zone.and_then(|zone| zone.parse().ok()).unwrap_or(Tz::UTC),
            now: self.now,
            starts: &starts,
            is_held: false,
            from_any_zone: true,
        };
        let own = Own {
            uid: self.wanted.reservation.as_deref(),
            client_hash: &self.wanted.client_hash,
        };
        let start = self.wanted.start.0;
        let meeting = Span::new(start, start + self.length() * MINUTE);
        let reserved =
            reservations::consume(db, own, self.stored.wire.id, meeting, self.now).await?;
        let times = Times {
            is_held: reserved.is_same_slot,
            ..times
        };
        let decision = hosts::decide(db, times)
            .await?
            .pop()
            .ok_or(Error::Internal)?;
        let hosts = self.hosts(db, &decision, &reserved.host_ids).await?;
        Ok((decision, hosts))
    }

    /// Who hosts the new time: the same host if the event type says so or if that is as fair.
    async fn hosts(&self, db: &mut Db, decision: &Decision, reserved: &[i64]) -> Result<Vec<i64>> {
        if decision.rotating.is_empty() {
            return Ok(decision.fixed.clone());
        }
        let hosted = |id: &i64| self.old.host_ids.contains(id);
        if self.stored.wire.reschedule_with_same_round_robin_host == Some(true) {
            if !decision.rotating.iter().any(hosted) {
                return Err(Error::Conflict(
                    "this time is not available: the host of the booking is not free then".into(),
                ));
            }
            return Ok(decision.hosts(&self.old.host_ids, |_| 0));
        }
        let turns = busy::turns(db, self.stored.wire.id, self.wanted.start.0).await?;
        Ok(decision.hosts(reserved, |id| (turns.of(id), !hosted(&id))))
    }

    /// The new booking without what it takes over from the old one.
    async fn blank(&self, db: &mut Db, host_ids: Vec<i64>) -> Result<Draft> {
        let (old, policy) = (&self.old, &self.stored.policy);
        let status = lifecycle::successor(old.standing(self.now), self.wanted.start, self.by_host);
        let (seats, paid) = bookings::seats_and_paid(db, old.id).await?;
        // What has been paid for is not paid for again.
        let is_accepted = old.status == BookingStatus::Accepted && !old.is_unpaid;
        let is_settled = is_accepted || paid == Some(true);
        Ok(Draft {
            uid: secret::random_uid()?,
            series_uid: old.series_uid.clone(),
            event_type_id: old.event_type_id,
            team_id: old.team_id,
            title: String::new(),
            description: String::new(),
            holds: lifecycle::holds(&status, policy),
            status,
            start_ms: self.wanted.start.0,
            end_ms: self.wanted.start.0 + self.length() * MINUTE,
            location: None,
            seats,
            paid: if policy.price > 0 && !is_settled {
                Some(false)
            } else {
                paid
            },
            responses: JsonMap::new(),
            guests: Vec::new(),
            metadata: JsonMap::new(),
            created_ms: self.now.0,
            host_ids,
            attendees: Vec::new(),
            history: History::default(),
        })
    }

    /// Minutes.
    fn length(&self) -> i64 {
        self.old.end.minutes_since(self.old.start)
    }

    /// A title that names the host names the new one.
    fn retitled(&self, host_ids: &[i64]) -> String {
        let attendee = self.before.attendees.first();
        let nothing = JsonMap::new();
        let before = TitleFacts {
            host_ids: &self.old.host_ids,
            attendee: attendee.map_or("", |attendee| attendee.name.as_str()),
            minutes: self.length(),
            responses: self
                .before
                .booking_fields_responses
                .as_ref()
                .unwrap_or(&nothing),
        };
        if self.before.title == booking_title(&self.stored, &before) {
            booking_title(&self.stored, &TitleFacts { host_ids, ..before })
        } else {
            self.before.title.clone()
        }
    }

    async fn note_successor(&self, db: &mut Db, uid: &str) -> Result<()> {
        let successor = Successor {
            uid,
            reason: self.wanted.reason.as_deref(),
            by_email: self.mover.as_deref(),
            now: self.now,
        };
        bookings::set_successor(db, self.old.id, successor).await
    }

    /// Tells subscribers of the move, and that it waits again if it does.
    async fn tell(
        &self,
        db: &mut Db,
        id: i64,
        status: &BookingStatus,
        is_unpaid: bool,
        seat_uid: Option<&str>,
    ) -> Result<()> {
        let mut seat = JsonMap::new();
        if let Some(seat_uid) = seat_uid {
            seat.insert("seatUid".into(), seat_uid.into());
        }
        let mut extras = seat.clone();
        extras.extend([
            ("rescheduleId".into(), json!(self.old.id)),
            ("rescheduleUid".into(), json!(self.old.uid)),
            ("rescheduleStartTime".into(), whole_seconds(self.old.start)),
            ("rescheduleEndTime".into(), whole_seconds(self.old.end)),
            ("rescheduledBy".into(), json!(self.mover)),
        ]);
        events::booking(db, self.now, Trigger::BookingRescheduled, id, extras).await?;
        let waits = match status {
            BookingStatus::Pending if is_unpaid => Trigger::BookingPaymentInitiated,
            BookingStatus::Pending => Trigger::BookingRequested,
            _ => return Ok(()),
        };
        events::booking(db, self.now, waits, id, seat).await
    }
}

/// The same person at another time: whether they came is not known yet.
fn unmarked(attendee: &Attendee) -> Attendee {
    Attendee {
        absent: false,
        ..attendee.clone()
    }
}

/// As payloads write moments.
fn whole_seconds(instant: Instant) -> Value {
    json!(instant.to_string().replace(".000Z", "Z"))
}

fn complaint(property: &str, value: &Value, rule: &'static str, text: &str) -> Error {
    let mut checks = Checks::default();
    checks.complain(property, value, rule, text);
    checks.finish().err().unwrap_or(Error::Internal)
}
