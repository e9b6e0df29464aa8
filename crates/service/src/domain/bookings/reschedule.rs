//! Reschedules bookings and seats.

pub mod request;

use std::sync::Arc;

use booking_rules::availability::{Decision, MINUTE, TimeRange};
use booking_rules::{Transition, transitions};
use booking_wire::{Attendee, Booking, BookingStatus, Instant, JsonMap};
use booking_zones::{UTC, Zone};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::{Caller, secret};
use crate::domain::bookings::create::insert::{CreatedBooking, add_seat, insert_error};
use crate::domain::bookings::create::visible_bookings;
use crate::domain::bookings::read::visibility::authorise_viewer;
use crate::domain::bookings::read::{is_host, read_one};
use crate::domain::bookings::reschedule::request::RescheduleRequest;
use crate::domain::bookings::title::{TitleValues, booking_title};
use crate::domain::concurrent_change::Attempts;
use crate::domain::event_types::group::find_group;
use crate::domain::idempotency::{KeyedRequest, Outcome};
use crate::domain::slots::rules::reject_managed;
use crate::domain::slots::starts::{self, StartsQuery};
use crate::error::{Error, Result};
use crate::limits::client_ip::Network;
use crate::limits::{Allowance, Client};
use crate::messages::mail::events as mail;
use crate::messages::webhooks::events::{self, Trigger};
use crate::store::bookings::actions::{self, BookingSnapshot};
use crate::store::bookings::{self, Draft, History, Successor};
use crate::store::bookings::{attendees, round_robin};
use crate::store::busy::MovedBooking;
use crate::store::busy::reservations::{self, ReservationRef};
use crate::store::event_types::{self, Purpose, StoredEventType};
use crate::store::people::users;
use crate::store::{Db, Resource, Subject};
use crate::validate::Checks;

/// Reschedules the booking `uid` and returns the new booking. With an idempotency key, the response
/// is stored in the same transaction and returned to a repeated request.
pub async fn reschedule(
    app: &AppState,
    caller: Option<Caller>,
    network: Option<Network>,
    uid: &str,
    keyed: Option<KeyedRequest>,
    body: &JsonMap,
) -> Result<Outcome<Booking>> {
    let client = Client::of(caller.as_ref(), network);
    let request = RescheduleRequest {
        client_hash: client.hash(&app.signing_key),
        allowance: Allowance::of(&app.signing_key, app.settings.limits.rate, &client),
        ..RescheduleRequest::read(body)?
    };
    if let Some(keyed_request) = &keyed {
        let mut db = app.store.read().await?;
        if let Some(response) = keyed_request.replay(&mut db, app.clock.now()).await? {
            return Ok(Outcome::Keyed(response));
        }
    }
    let request = Arc::new(request);
    let mut attempts = Attempts::default();
    let outcome = loop {
        let outcome = try_reschedule(app, caller.clone(), uid, keyed.clone(), &request).await;
        if !attempts.repeat_after(&outcome) {
            break outcome?;
        }
    };
    match outcome {
        Outcome::Unkeyed(created) => {
            let mut db = app.store.read().await?;
            let bookings = visible_bookings(&mut db, caller.as_ref(), &[created], None).await?;
            let booking = bookings
                .into_iter()
                .next()
                .ok_or_else(|| Error::internal("the moved booking cannot be read"))?;
            Ok(Outcome::Unkeyed(booking))
        }
        Outcome::Keyed(response) => Ok(Outcome::Keyed(response)),
    }
}

async fn try_reschedule(
    app: &AppState,
    caller: Option<Caller>,
    uid: &str,
    keyed: Option<KeyedRequest>,
    request: &Arc<RescheduleRequest>,
) -> Result<Outcome<CreatedBooking>> {
    let mut locks = app.store.locks(&[Subject::BookingOfAnyHost(uid)]).await?;
    if let Some(keyed) = &keyed {
        locks = locks.and(Resource::IdempotencyKey(keyed.hash()));
    }
    let (store, clock, held) = (app.store.clone(), app.clock.clone(), locks.clone());
    let (request, uid) = (request.clone(), uid.to_owned());
    let moved = app.store.write(locks, move |db| {
        Box::pin(async move {
            let subjects = [Subject::BookingOfAnyHost(&uid)];
            if !store.are_enough(db, &held, &subjects).await? {
                return Err(Error::ConcurrentChange);
            }
            let (now, caller) = (clock.now(), caller.as_ref());
            let Some(keyed) = keyed else {
                let created = move_booking(db, caller, &uid, &request, now).await?;
                return Ok(Outcome::Unkeyed(created));
            };
            // A concurrent request with the same key may have been faster.
            if let Some(response) = keyed.replay(db, now).await? {
                return Ok(Outcome::Keyed(response));
            }
            let created = move_booking(db, caller, &uid, &request, now).await?;
            let booking = visible_bookings(db, caller, &[created], None).await?.pop();
            let booking =
                booking.ok_or_else(|| Error::internal("the moved booking cannot be read"))?;
            let response = keyed.store(db, booking, now).await?;
            Ok(Outcome::Keyed(response))
        })
    });
    moved.await
}

/// Context of a reschedule.
struct Rescheduling<'a> {
    request: &'a RescheduleRequest,
    old: BookingSnapshot,
    /// The same booking in wire format.
    old_wire: Booking,
    stored: StoredEventType,
    /// True if the caller hosts it, owns its event type, or manages its team.
    is_host: bool,
    /// True if the caller has no credentials.
    is_anonymous: bool,
    /// Email address of the person who reschedules.
    by_email: Option<String>,
    now: Instant,
}

/// Reschedules the booking `uid`, or one seat of it.
pub async fn move_booking(
    db: &mut Db,
    caller: Option<&Caller>,
    uid: &str,
    request: &RescheduleRequest,
    now: Instant,
) -> Result<CreatedBooking> {
    let old = actions::find_one(db, uid).await?;
    let is_host = is_host(db, caller, &old).await?;
    let old_wire = read_one(db, old.id).await?;
    if !is_host {
        authorise_viewer(db, caller, std::slice::from_ref(&old_wire)).await?;
    }
    let stored = find_event_type(db, &old, &old_wire).await?;
    let caller_email = match caller {
        Some(caller) => actions::user_email(db, caller.user_id).await?,
        None => None,
    };
    transitions::next_status(old.context(now), Transition::Reschedule)?;
    if request.start == old.start && old.status != BookingStatus::Cancelled {
        return Err(Checks::error(
            "start",
            &json!(request.start),
            "isMoved",
            "is the time of the booking already",
        ));
    }
    let rescheduling = Rescheduling {
        request,
        is_anonymous: caller.is_none(),
        by_email: request.by.clone().or(caller_email),
        old,
        old_wire,
        stored,
        is_host,
        now,
    };
    match &request.seat_uid {
        None if rescheduling.old.is_seated && !is_host => Err(Checks::error(
            "seatUid",
            &Value::Null,
            "isDefined",
            "is required: others have seats in this booking",
        )),
        None => rescheduling.move_booking(db).await,
        Some(seat_uid) if rescheduling.old.is_seated => rescheduling.move_seat(db, seat_uid).await,
        Some(seat_uid) => Err(Checks::error(
            "seatUid",
            &json!(seat_uid),
            "isSeat",
            "is for bookings with seats only",
        )),
    }
}

/// Finds the event type of the booking. A booking with several hosts and without an event type is
/// that of a group.
async fn find_event_type(
    db: &mut Db,
    old: &BookingSnapshot,
    old_wire: &Booking,
) -> Result<StoredEventType> {
    let stored = match old.event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None if old.host_ids.len() > 1 => {
            let usernames: Vec<String> = old_wire
                .hosts
                .iter()
                .map(|host| host.username.clone())
                .collect();
            Some(find_group(db, &usernames, Purpose::Rescheduling).await?)
        }
        None => None,
    };
    let stored = stored.ok_or_else(|| {
        Error::BadRequest(
            "the event type is no longer there: the booking can only be cancelled".into(),
        )
    })?;
    reject_managed(&stored)?;
    Ok(stored)
}

impl Rescheduling<'_> {
    /// Reschedules the whole booking.
    async fn move_booking(self, db: &mut Db) -> Result<CreatedBooking> {
        // The time of the old booking counts as free.
        actions::set_status(db, &self.old, &BookingStatus::Cancelled, self.now).await?;
        let zone = self
            .old_wire
            .attendees
            .first()
            .map(|first| first.time_zone.as_str());
        let (_, hosts) = self.decide(db, zone).await?;
        self.take_allowance(db, &hosts, None).await?;
        let old_wire = &self.old_wire;
        let draft = Draft {
            title: self.updated_title(&hosts),
            description: old_wire.description.clone(),
            location: old_wire.location.clone(),
            responses: old_wire
                .booking_fields_responses
                .clone()
                .unwrap_or_default(),
            guests: old_wire.guests.clone().unwrap_or_default(),
            metadata: old_wire.metadata.clone().unwrap_or_default(),
            attendees: if self.old.is_seated {
                Vec::new()
            } else {
                old_wire.attendees.iter().map(without_absence).collect()
            },
            history: History {
                rescheduled_from_uid: Some(self.old.uid.clone()),
                ics_uid: old_wire.ics_uid.clone(),
                rescheduling_reason: self.request.reason.clone(),
                rescheduled_by_email: self.by_email.clone(),
                ..History::default()
            },
            ..self.base_draft(db, hosts).await?
        };
        let id = bookings::insert(db, &draft).await.map_err(insert_error)?;
        if self.old.is_seated {
            bookings::move_seats(db, self.old.id, id).await?;
        } else {
            attendees::copy_user_ids(db, self.old.id, id).await?;
            attendees::copy_marks(db, self.old.id, id).await?;
        }
        self.set_successor(db, &draft.uid).await?;
        self.notify(db, id, &draft.status, draft.paid == Some(false), None)
            .await?;
        self.record_mail(db, id, &draft.host_ids, None).await?;
        Ok(CreatedBooking { id, seat_uid: None })
    }

    /// Reschedules one seat: into an existing booking with seats, or into a new one. The old
    /// booking is unchanged for the remaining attendees.
    async fn move_seat(self, db: &mut Db, seat_uid: &str) -> Result<CreatedBooking> {
        let seat = attendees::seat(db, seat_uid).await?;
        let person = self
            .old_wire
            .attendees
            .iter()
            .find(|attendee| attendee.seat_uid.as_deref() == Some(seat_uid))
            .map(without_absence);
        let (Some(seat), Some(person)) = (seat, person) else {
            return Err(Checks::error(
                "seatUid",
                &json!(seat_uid),
                "isSeat",
                "is no seat of this booking",
            ));
        };
        let user_id = attendees::seat_user_id(db, seat_uid).await?;
        attendees::remove(db, seat.id).await?;
        let remaining = attendees::count_seats_taken(db, self.old.id).await?;
        if remaining == 0 {
            actions::set_status(db, &self.old, &BookingStatus::Cancelled, self.now).await?;
        } else {
            actions::set_updated(db, self.old.id, self.now).await?;
        }
        let (decision, hosts) = self.decide(db, Some(&person.time_zone)).await?;
        self.take_allowance(db, &hosts, Some(&person.email)).await?;
        let is_replaced = remaining == 0 && decision.joined_uid.is_none();
        let old_wire = &self.old_wire;
        let is_in_series = self.old.series_uid.is_some();
        let draft = Draft {
            is_apart: is_in_series && (self.old.is_apart || !is_replaced),
            title: old_wire.title.clone(),
            description: old_wire.description.clone(),
            location: old_wire.location.clone(),
            metadata: old_wire.metadata.clone().unwrap_or_default(),
            attendees: vec![person],
            history: History {
                rescheduled_from_uid: is_replaced.then(|| self.old.uid.clone()),
                ics_uid: old_wire.ics_uid.clone().filter(|_| is_replaced),
                rescheduling_reason: self.request.reason.clone(),
                rescheduled_by_email: self.by_email.clone(),
                ..History::default()
            },
            ..self.base_draft(db, hosts).await?
        };
        let host_ids = draft.host_ids.clone();
        let (id, uid, status, is_unpaid) = match decision.joined_uid {
            Some(uid) => {
                let target = actions::find_one(db, &uid).await?;
                add_seat(db, &target, &draft, self.now).await?;
                (target.id, uid, target.status, target.is_unpaid)
            }
            None => {
                let id = bookings::insert(db, &draft).await.map_err(insert_error)?;
                (id, draft.uid, draft.status, draft.paid == Some(false))
            }
        };
        if let Some(user_id) = user_id {
            attendees::set_user_id(db, id, &seat.email, user_id).await?;
        }
        if seat.is_proven == 1 {
            attendees::set_proven(db, &[id], &seat.email).await?;
        }
        if remaining == 0 {
            self.set_successor(db, &uid).await?;
        }
        self.notify(db, id, &status, is_unpaid, Some(seat_uid))
            .await?;
        if !is_replaced {
            // The new booking is another calendar entry.
            let change = mail::Change {
                leaving: Some(seat.person()),
                was_pending: self.old.status != BookingStatus::Accepted,
                ..mail::Change::default()
            };
            let kind = mail::Kind::Cancelled;
            mail::record(db, self.now, kind, [(self.old.id, change)], self.details()).await?;
        }
        // The meeting of the others keeps its hosts.
        let host_ids = if is_replaced {
            host_ids
        } else {
            self.old.host_ids.clone()
        };
        self.record_mail(db, id, &host_ids, Some(seat_uid)).await?;
        Ok(CreatedBooking {
            id,
            seat_uid: Some(seat_uid.to_owned()),
        })
    }

    /// Deducts the move from the allowance of the client: of one seat, or of the whole booking.
    async fn take_allowance(
        &self,
        db: &mut Db,
        host_ids: &[i64],
        seat_email: Option<&str>,
    ) -> Result<()> {
        let Some(allowance) = &self.request.allowance else {
            return Ok(());
        };
        let old = &self.old_wire;
        let attendees = old.attendees.iter().map(|attendee| attendee.email.as_str());
        let guests = old.guests.iter().flatten().map(String::as_str);
        let all = attendees.chain(guests);
        allowance
            .deduct()
            .move_of(old.ics_uid.as_deref().unwrap_or(&self.old.uid))
            .booking(self.stored.wire.id, host_ids, 1)
            .messages(all.filter(|email| seat_email.is_none_or(|seat| seat == *email)))
            .take(db, self.now)
            .await
    }

    /// Decides if the new start is available, and chooses the hosts.
    async fn decide(&self, db: &mut Db, zone: Option<&str>) -> Result<(Decision, Vec<i64>)> {
        let reservation_ref = ReservationRef {
            uid: self.request.reservation.as_deref(),
            client_hash: &self.request.client_hash,
        };
        let start = self.request.start.0;
        let meeting = TimeRange::new(start, start + self.length_minutes() * MINUTE);
        let reserved =
            reservations::consume(db, reservation_ref, self.stored.wire.id, meeting, self.now)
                .await?;
        let zone = zone.and_then(Zone::named);
        // Its time is free already.
        let moved = MovedBooking {
            free_id: None,
            host_ids: MovedBooking::hosts(db, self.old.id).await?,
            has_all_seats: self.old.is_seated && self.request.seat_uid.is_none(),
        };
        let query = StartsQuery {
            moved: Some(&moved),
            stored: &self.stored,
            known: None,
            length_minutes: self.length_minutes(),
            zone: zone.as_ref().unwrap_or(&UTC),
            now: self.now,
            starts: &[self.request.start],
            off_rule: &[],
            has_reservation: reserved.is_same_slot,
            from_any_zone: true,
        };
        let decision = starts::decide_one(db, query).await??;
        let hosts = self.hosts(db, &decision, &reserved.host_ids).await?;
        Ok((decision, hosts))
    }

    /// Chooses the hosts: an old one if the round-robin order is equal.
    async fn hosts(&self, db: &mut Db, decision: &Decision, reserved: &[i64]) -> Result<Vec<i64>> {
        if decision.rotating.is_empty() {
            return Ok(decision.fixed.clone());
        }
        let is_old_host = |id: &i64| self.old.host_ids.contains(id);
        let ranks = round_robin::ranks(db, self.stored.wire.id, self.request.start.0).await?;
        Ok(decision.hosts(reserved, |id| (ranks.of(id), !is_old_host(&id))))
    }

    /// Returns the new booking without the fields that are copied from the old one.
    async fn base_draft(&self, db: &mut Db, host_ids: Vec<i64>) -> Result<Draft> {
        let (old, policy) = (&self.old, &self.stored.policy);
        let status =
            transitions::successor_status(old.context(self.now), self.request.start, self.is_host);
        let inheritance = bookings::inheritance(db, old.id).await?;
        let paid = inheritance.paid.map(|paid| paid == 1);
        // A paid booking is not paid for again.
        let is_accepted = old.status == BookingStatus::Accepted && !old.is_unpaid;
        let is_settled = is_accepted || paid == Some(true);
        Ok(Draft {
            uid: secret::random_uid()?,
            series_uid: old.series_uid.clone(),
            is_apart: old.is_apart,
            event_type_id: old.event_type_id,
            team_id: old.team_id,
            organization_id: inheritance.organization_id,
            blocks_time: transitions::blocks_time(&status, policy),
            status,
            start_ms: self.request.start.0,
            end_ms: self.request.start.0 + self.length_minutes() * MINUTE,
            seats: inheritance.seats,
            organizer_email: inheritance.organizer_email,
            host_zones: users::time_zones(db, &host_ids).await?,
            paid: if policy.price > 0 && !is_settled {
                Some(false)
            } else {
                paid
            },
            created_ms: self.now.0,
            host_ids,
            ..Draft::default()
        })
    }

    /// Length of the booking.
    fn length_minutes(&self) -> i64 {
        self.old.end.minutes_since(self.old.start)
    }

    /// Returns the title; a generated one is generated again with the name of the new host.
    fn updated_title(&self, host_ids: &[i64]) -> String {
        let attendee = self.old_wire.attendees.first();
        let no_responses = JsonMap::new();
        let values = TitleValues {
            host_ids: &self.old.host_ids,
            attendee: attendee.map_or("", |attendee| attendee.name.as_str()),
            minutes: self.length_minutes(),
            responses: self
                .old_wire
                .booking_fields_responses
                .as_ref()
                .unwrap_or(&no_responses),
        };
        if self.old_wire.title == booking_title(&self.stored, &values) {
            booking_title(&self.stored, &TitleValues { host_ids, ..values })
        } else {
            self.old_wire.title.clone()
        }
    }

    async fn set_successor(&self, db: &mut Db, uid: &str) -> Result<()> {
        let successor = Successor {
            uid,
            reason: self.request.reason.as_deref(),
            by_email: self.by_email.as_deref(),
            now: self.now,
        };
        bookings::set_successor(db, self.old.id, successor).await
    }

    /// Records the e-mail event.
    async fn record_mail(
        &self,
        db: &mut Db,
        id: i64,
        host_ids: &[i64],
        seat_uid: Option<&str>,
    ) -> Result<()> {
        let without = |ids: &[i64], others: &[i64]| -> Vec<i64> {
            let rest = ids.iter().filter(|id| !others.contains(id));
            rest.copied().collect()
        };
        let old_ids = self.old.host_ids.as_slice();
        let change = mail::Change {
            previous_time: Some((self.old.start, self.old.end)),
            new_host_ids: without(host_ids, old_ids),
            former_host_ids: without(old_ids, host_ids),
            seat_uid: seat_uid.map(str::to_owned),
            was_pending: self.old.status != BookingStatus::Accepted,
            ..mail::Change::default()
        };
        let kind = mail::Kind::Rescheduled;
        mail::record(db, self.now, kind, [(id, change)], self.details()).await
    }

    /// Details of e-mail events.
    fn details(&self) -> mail::Details {
        mail::Details {
            reason: self.request.reason.clone(),
            is_anonymous: self.is_anonymous,
            source: self.request.client_hash.clone(),
            ..mail::Details::default()
        }
    }

    /// Records the webhook events: the reschedule, and the new request for payment or confirmation.
    async fn notify(
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
            (
                "rescheduleStartTime".into(),
                format_whole_seconds(self.old.start),
            ),
            (
                "rescheduleEndTime".into(),
                format_whole_seconds(self.old.end),
            ),
            ("rescheduledBy".into(), json!(self.by_email)),
        ]);
        events::booking(db, self.now, Trigger::BookingRescheduled, id, extras).await?;
        let pending_trigger = match status {
            BookingStatus::Pending if is_unpaid => Trigger::BookingPaymentInitiated,
            BookingStatus::Pending => Trigger::BookingRequested,
            _ => return Ok(()),
        };
        events::booking(db, self.now, pending_trigger, id, seat).await
    }
}

/// Returns the attendee for the new start: their absence is reset.
fn without_absence(attendee: &Attendee) -> Attendee {
    Attendee {
        absent: false,
        ..attendee.clone()
    }
}

/// Formats an instant of a webhook payload.
fn format_whole_seconds(instant: Instant) -> Value {
    json!(instant.to_string().replace(".000Z", "Z"))
}
