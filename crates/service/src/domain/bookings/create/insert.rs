//! Inserts bookings: the part of their creation that runs in the transaction.

use std::sync::Arc;

use booking_rules::availability::{Decision, MINUTE, TimeRange, UnavailableReason};
use booking_rules::transitions;
use booking_wire::{Attendee, BookingStatus, Instant, JsonMap};
use booking_zones::Zone;
use serde_json::Value;

use crate::auth::secret;
use crate::domain::bookings::create::responses::FormResponses;
use crate::domain::bookings::hosts;
use crate::domain::bookings::title::{TitleValues, booking_title};
use crate::domain::slots::starts::{self, StartsQuery};
use crate::domain::slots::unavailable::unavailable_error;
use crate::domain::verified_emails::{CodeError, VerificationCode};
use crate::error::{Error, Result};
use crate::input_limits::{MAX_ATTENDEES_BYTES, MAX_SERIES_BYTES, MIN_SEAT_BYTES};
use crate::limits::Allowance;
use crate::messages::mail::events as mail;
use crate::messages::webhooks::events::{self, Trigger};
use crate::store::bookings::{self, Draft};
use crate::store::bookings::{actions, attendees};
use crate::store::busy::reservations::{self, ConsumedReservation, ReservationRef};
use crate::store::busy::{self, KnownHosts};
use crate::store::event_types::StoredEventType;
use crate::store::{self, Db};

/// A booking or series that has passed every check that needs no transaction.
#[derive(Clone, Debug)]
pub struct ValidatedBooking {
    /// Event type.
    pub stored: Arc<StoredEventType>,
    /// Its hosts; none if there is no start.
    pub known: Option<KnownHosts>,
    /// Length of each booking.
    pub length_minutes: i64,
    /// Time zone of the attendee.
    pub zone: Zone,
    /// Starts, ascending.
    pub starts: Vec<Instant>,
    /// Those of them that deviate from the rule of the series.
    pub off_rule: Vec<Instant>,
    /// Person who books.
    pub attendee: Attendee,
    /// Validated form responses.
    pub form_responses: FormResponses,
    /// Email addresses.
    pub guests: Vec<String>,
    /// Custom metadata.
    pub metadata: JsonMap,
    /// Uid of the visitor's reservation.
    pub reservation: Option<String>,
    /// True for a meeting that starts immediately.
    pub is_instant: bool,
    /// Code that verifies the attendee's address; none if it needs no verification.
    pub verification: Option<VerificationCode>,
    /// Id of the user who books for themselves: the booking occupies their time.
    pub attendee_user_id: Option<i64>,
    /// True if the attendee has shown that the address is theirs, or the caller has credentials: others may read what was
    /// typed.
    pub is_proven: bool,
    /// Hash of the client, which identifies the visitor's reservations; empty if unknown.
    pub client_hash: String,
    /// Address that messages come from, which organizes the meeting in calendars; none without a mail server.
    pub organizer_email: Option<String>,
    /// Rate limit of the client; none if it is not limited.
    pub allowance: Option<Allowance>,
}

/// Key of the code that verifies the attendee's address.
pub const CODE_KEY: &str = "emailVerificationCode";

/// A booking that was inserted or joined.
#[derive(Clone, Debug)]
pub struct CreatedBooking {
    /// Id of the booking.
    pub id: i64,
    /// Uid of the seat that was taken.
    pub seat_uid: Option<String>,
}

/// Inserts the booking, or all bookings of the series.
pub async fn create_bookings(
    db: &mut Db,
    validated: &ValidatedBooking,
    now: Instant,
) -> Result<Vec<CreatedBooking>> {
    let stored = &validated.stored;
    use_up_code(db, validated, now).await?;
    reject_oversized_series(validated)?;
    let limit = &stored.wire.booker_active_bookings_limit;
    reject_over_booker_limit(db, stored.wire.id, limit, &validated.attendee, now).await?;
    let first = *validated
        .starts
        .first()
        .ok_or_else(|| Error::internal("a booking without a start"))?;
    let status = transitions::initial_status(&stored.policy, first, now, validated.is_instant);
    let mut query = StartsQuery {
        moved: None,
        stored,
        known: validated.known.as_ref(),
        length_minutes: validated.length_minutes,
        zone: &validated.zone,
        now,
        starts: &validated.starts,
        off_rule: &validated.off_rule,
        has_reservation: false,
        from_any_zone: false,
    };
    let (decisions, hosts) = if validated.is_instant {
        // An instant meeting occupies no host's time: the first host to confirm joins it.
        let all_hosts = Decision {
            fixed: stored.host_ids(),
            ..Decision::default()
        };
        let setup = busy::setup_version(db, stored).await?;
        if validated
            .known
            .as_ref()
            .is_some_and(|known| known.setup != setup)
        {
            return Err(Error::ConcurrentChange);
        }
        if all_hosts.fixed.is_empty() {
            return Err(Error::Unprocessable("the event type has no hosts".into()));
        }
        (vec![all_hosts], vec![stored.host_ids()])
    } else {
        let reserved = consume(db, validated, now).await?;
        query.has_reservation = reserved.is_same_slot;
        let decisions = starts::decide(db, query).await??;
        let hosts = hosts::choose(db, query, &decisions, &reserved.host_ids).await?;
        (decisions, hosts)
    };
    if let Some(allowance) = &validated.allowance {
        let mut hosts: Vec<i64> = hosts.concat();
        hosts.sort_unstable();
        hosts.dedup();
        let guests = validated.guests.iter().map(String::as_str);
        allowance
            .deduct()
            .booking(stored.wire.id, &hosts, validated.starts.len())
            .messages(guests.chain([validated.attendee.email.as_str()]))
            .take(db, now)
            .await?;
    }
    let mut series_uid = match &stored.wire.recurrence {
        Some(_) => Some(secret::random_uuid()?),
        None => None,
    };
    let mut joins_series = false;
    let mut created = Vec::with_capacity(validated.starts.len());
    for ((start, decision), host_ids) in validated.starts.iter().zip(decisions).zip(hosts) {
        let draft = Draft {
            series_uid: series_uid.clone(),
            ..new_draft(validated, *start, status.clone(), host_ids, now)?
        };
        match decision.joined_uid {
            Some(uid) => {
                let (joined, joined_series_uid) = join(db, &uid, draft, now).await?;
                // The following occurrences continue the series that was joined.
                joins_series |= joined_series_uid.is_some();
                series_uid = series_uid.map(|uid| joined_series_uid.unwrap_or(uid));
                created.push(joined);
            }
            None => {
                let is_apart = match &draft.series_uid {
                    Some(uid) if joins_series => bookings::has_occurrence(db, uid, start.0).await?,
                    _ => false,
                };
                let draft = Draft { is_apart, ..draft };
                created.push(insert(db, &draft, now).await?);
            }
        }
    }
    if validated.is_proven {
        let booking_ids: Vec<i64> = created.iter().map(|booking| booking.id).collect();
        attendees::set_proven(db, &booking_ids, &validated.attendee.email).await?;
    }
    record_mail(db, &created, &validated.client_hash, now).await?;
    if let Some(user_id) = validated.attendee_user_id {
        for booking in &created {
            attendees::set_user_id(db, booking.id, &validated.attendee.email, user_id).await?;
        }
    }
    Ok(created)
}

/// Records the e-mail event: one for a series.
async fn record_mail(
    db: &mut Db,
    created: &[CreatedBooking],
    client_hash: &str,
    now: Instant,
) -> Result<()> {
    let bookings = created.iter().map(|booking| {
        let change = mail::Change {
            seat_uid: booking.seat_uid.clone(),
            ..mail::Change::default()
        };
        (booking.id, change)
    });
    let details = mail::Details {
        source: client_hash.to_owned(),
        ..mail::Details::default()
    };
    mail::record(db, now, mail::Kind::Booked, bookings, details).await
}

/// Uses up the code that verifies the attendee's address. It was right before the transaction; another booking may
/// have used it since, or another code been sent.
async fn use_up_code(db: &mut Db, validated: &ValidatedBooking, now: Instant) -> Result<()> {
    let Some(verification) = &validated.verification else {
        return Ok(());
    };
    let used = verification.use_up(db, now).await?;
    used.map_err(|_| CodeError::NoneValid.of(CODE_KEY))
}

/// Consumes the visitor's reservation of the first start.
async fn consume(
    db: &mut Db,
    validated: &ValidatedBooking,
    now: Instant,
) -> Result<ConsumedReservation> {
    let Some(first) = validated.starts.first() else {
        return Ok(ConsumedReservation::default());
    };
    let reservation_ref = ReservationRef {
        uid: validated.reservation.as_deref(),
        client_hash: &validated.client_hash,
    };
    let meeting = TimeRange::new(first.0, first.0 + validated.length_minutes * MINUTE);
    reservations::consume(db, reservation_ref, validated.stored.wire.id, meeting, now).await
}

/// Rejects a person who already has the maximum number of upcoming bookings of the event type, which is its
/// `bookerActiveBookingsLimit`. A series counts once.
pub(crate) async fn reject_over_booker_limit(
    db: &mut Db,
    event_type_id: i64,
    limit: &Value,
    attendee: &Attendee,
    now: Instant,
) -> Result<()> {
    let max = limit.get("maximumActiveBookings").and_then(Value::as_i64);
    let is_disabled = limit.get("disabled") == Some(&Value::Bool(true));
    let Some(max) = max.filter(|_| !is_disabled) else {
        return Ok(());
    };
    let count = attendees::count_upcoming_bookings(db, event_type_id, attendee, now);
    if count.await? < max {
        return Ok(());
    }
    Err(Error::BadRequest(format!(
        "this person has {max} bookings of this event type ahead, which is the most that is allowed"
    )))
}

/// Returns the booking to insert if there is no booking to join.
fn new_draft(
    validated: &ValidatedBooking,
    start: Instant,
    status: BookingStatus,
    host_ids: Vec<i64>,
    now: Instant,
) -> Result<Draft> {
    let stored = &validated.stored;
    let base = Draft {
        uid: secret::random_uid()?,
        event_type_id: Some(stored.wire.id).filter(|_| !stored.is_group()),
        team_id: stored.booking_team_id,
        organization_id: stored.organization_id,
        title: stored.wire.title.clone(),
        blocks_time: transitions::blocks_time(&status, &stored.policy),
        status,
        start_ms: start.0,
        end_ms: start.0 + validated.length_minutes * MINUTE,
        seats: stored.seats(),
        host_zones: host_zones(validated, &host_ids),
        organizer_email: validated.organizer_email.clone(),
        paid: (stored.policy.price > 0).then_some(false),
        created_ms: now.0,
        booked_ms: Some(now.0),
        host_ids,
        ..Draft::default()
    };
    let location = validated.form_responses.location.as_ref();
    if let Some(seats) = stored.seats() {
        // Responses of one attendee are private to the others: they are stored with the seat.
        let mut responses = validated.form_responses.responses.clone();
        responses.remove("email");
        reject_oversized_seat(seats, &responses, &validated.metadata)?;
        let seat = Attendee {
            seat_uid: Some(secret::random_uuid()?),
            booking_fields_responses: Some(responses),
            metadata: Some(validated.metadata.clone()),
            ..validated.attendee.clone()
        };
        return Ok(Draft {
            location: location
                .filter(|location| !location.is_from_visitor)
                .map(|location| location.text.clone()),
            attendees: vec![seat],
            ..base
        });
    }
    let text = |slug: &str| {
        let response = validated
            .form_responses
            .responses
            .get(slug)
            .and_then(Value::as_str);
        response
            .filter(|response| !response.trim().is_empty())
            .map(str::to_owned)
    };
    let title_values = TitleValues {
        host_ids: &base.host_ids,
        attendee: &validated.attendee.name,
        minutes: validated.length_minutes,
        responses: &validated.form_responses.responses,
    };
    Ok(Draft {
        title: text("title").unwrap_or_else(|| booking_title(stored, &title_values)),
        description: text("notes").unwrap_or_default(),
        location: location.map(|location| location.text.clone()),
        responses: validated.form_responses.responses.clone(),
        guests: validated.guests.clone(),
        metadata: validated.metadata.clone(),
        attendees: vec![validated.attendee.clone()],
        ..base
    })
}

/// Returns the time zones of hosts.
fn host_zones(validated: &ValidatedBooking, host_ids: &[i64]) -> Vec<String> {
    let known = validated.known.iter().flat_map(|known| &known.hosts);
    known
        .filter(|host| host_ids.contains(&host.id))
        .map(|host| host.zone.name().to_owned())
        .collect()
}

/// Rejects responses and metadata of a seat that are larger than its share of the booking's space,
/// so that one attendee cannot fill up a booking with seats.
fn reject_oversized_seat(seats: i64, responses: &JsonMap, metadata: &JsonMap) -> Result<()> {
    let seats = usize::try_from(seats).unwrap_or(1).max(1);
    let max = (MAX_ATTENDEES_BYTES / seats).max(MIN_SEAT_BYTES);
    if json_bytes(responses) + json_bytes(metadata) > max {
        return Err(Error::BadRequest(format!(
            "bookingFieldsResponses and metadata of one seat can have at most {max} bytes in this event type"
        )));
    }
    Ok(())
}

/// Rejects a series whose occurrences together exceed the size that one request may store.
fn reject_oversized_series(validated: &ValidatedBooking) -> Result<()> {
    let guests: usize = validated.guests.iter().map(String::len).sum();
    let bytes_each =
        json_bytes(&validated.form_responses.responses) + json_bytes(&validated.metadata) + guests;
    if validated.starts.len() > 1
        && bytes_each.saturating_mul(validated.starts.len()) > MAX_SERIES_BYTES
    {
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

/// Inserts a new booking and its webhook event.
async fn insert(db: &mut Db, draft: &Draft, now: Instant) -> Result<CreatedBooking> {
    let id = bookings::insert(db, draft).await.map_err(insert_error)?;
    let trigger = created_trigger(&draft.status, draft.paid == Some(false));
    events::booking(db, now, trigger, id, JsonMap::new()).await?;
    Ok(CreatedBooking {
        id,
        seat_uid: draft_seat_uid(draft),
    })
}

/// Takes a seat of the booking `uid` for the person in `draft`. Also returns the series uid of the
/// booking.
async fn join(
    db: &mut Db,
    uid: &str,
    draft: Draft,
    now: Instant,
) -> Result<(CreatedBooking, Option<String>)> {
    let seat_uid = draft_seat_uid(&draft);
    let target = actions::find_one(db, uid).await?;
    add_seat(db, &target, &draft, now).await?;
    let trigger = created_trigger(&target.status, target.is_unpaid);
    events::booking(db, now, trigger, target.id, JsonMap::new()).await?;
    let created = CreatedBooking {
        id: target.id,
        seat_uid,
    };
    Ok((created, target.series_uid))
}

/// Adds the person in `draft` to a booking with seats.
pub async fn add_seat(
    db: &mut Db,
    target: &actions::BookingSnapshot,
    draft: &Draft,
    now: Instant,
) -> Result<()> {
    if target.end.0 != draft.end_ms {
        return Err(unavailable_error(UnavailableReason::Taken));
    }
    for attendee in &draft.attendees {
        reject_second_seat(db, target.id, attendee).await?;
        bookings::insert_attendee(db, target.id, attendee, draft.booked_ms)
            .await
            .map_err(insert_error)?;
    }
    actions::set_updated(db, target.id, now).await
}

/// Rejects a person who has a seat of the booking already.
pub(crate) async fn reject_second_seat(
    db: &mut Db,
    booking_id: i64,
    attendee: &Attendee,
) -> Result<()> {
    match attendees::has_seat(db, booking_id, attendee).await? {
        true => Err(Error::Conflict(
            "this person is already signed up for this booking".into(),
        )),
        false => Ok(()),
    }
}

fn draft_seat_uid(draft: &Draft) -> Option<String> {
    draft
        .attendees
        .first()
        .and_then(|attendee| attendee.seat_uid.clone())
}

/// Returns the webhook event for a created booking.
fn created_trigger(status: &BookingStatus, is_unpaid: bool) -> Trigger {
    match status {
        BookingStatus::AwaitingHost => Trigger::InstantMeeting,
        BookingStatus::Pending if is_unpaid => Trigger::BookingPaymentInitiated,
        BookingStatus::Pending => Trigger::BookingRequested,
        _ => Trigger::BookingCreated,
    }
}

/// Maps constraint errors of the database. The transaction has checked the same conditions, so that
/// they occur only after a concurrent write.
pub fn insert_error(error: sqlx::Error) -> Error {
    if store::is_out_of_seats(&error) {
        unavailable_error(UnavailableReason::Full)
    } else if store::is_host_taken(&error) || store::is_duplicate(&error) {
        unavailable_error(UnavailableReason::Taken)
    } else if store::is_orphan(&error) {
        Error::NotFound("the event type is no longer there".into())
    } else {
        error.into()
    }
}
