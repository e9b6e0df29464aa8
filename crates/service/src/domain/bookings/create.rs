//! Creates bookings.

pub mod insert;
pub mod request;
pub mod responses;

use std::sync::Arc;

use booking_rules::availability::schedule::local_date;
use booking_wire::formats::instant::MINUTE_MS;
use booking_wire::{Booking, Instant, JsonMap};
use serde_json::json;

use self::insert::{CODE_KEY, CreatedBooking, ValidatedBooking};
use self::request::CreateBooking;
use self::responses::FormResponses;
use crate::app::AppState;
use crate::auth::Caller;
use crate::cache::calendars::CurrentEventType;
use crate::domain::bookings::read::OneOrSeries;
use crate::domain::bookings::read::visibility::{
    Viewer, hide_private_fields, hide_private_fields_by,
};
use crate::domain::concurrent_change::Attempts;
use crate::domain::event_types::access::authorise_booker;
use crate::domain::event_types::current::find_current;
use crate::domain::event_types::names::EventTypeNames;
use crate::domain::idempotency::{IdempotentResponse, KeyedRequest, Outcome};
use crate::domain::slots::rules::{known_hosts, reject_managed, resolve_length};
use crate::domain::slots::series;
use crate::domain::verified_emails::{self, CodeError, VerificationCode};
use crate::error::{Error, Result};
use crate::limits::client_ip::Network;
use crate::limits::{Allowance, Client};
use crate::store::event_types::StoredEventType;
use crate::store::people::users;
use crate::store::visibility::VisibilitySettings;
use crate::store::{BoxFuture, Db, Locks, Resource, bookings};
use crate::validate::Checks;

/// Maximum distance of the start of an instant meeting from now: clocks differ, and visitors take
/// time to fill in the form.
const INSTANT_TOLERANCE_MINUTES: i64 = 15;

/// Books a slot. With an idempotency key, the response is stored in the transaction of the booking
/// and returned to a repeated request.
pub async fn create(
    app: &AppState,
    caller: Option<Caller>,
    network: Option<Network>,
    keyed: Option<KeyedRequest>,
    body: &JsonMap,
) -> Result<Outcome<OneOrSeries>> {
    let Some(request) = keyed else {
        let bookings = book(app, caller.as_ref(), network, body).await?;
        return Ok(Outcome::Unkeyed(bookings));
    };
    let mut attempts = Attempts::default();
    loop {
        let response = try_create(app, caller.as_ref(), network, &request, body).await;
        if !attempts.repeat_after(&response) {
            return response.map(Outcome::Keyed);
        }
    }
}

async fn try_create(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    request: &KeyedRequest,
    body: &JsonMap,
) -> Result<IdempotentResponse> {
    let mut db = app.store.read().await?;
    if let Some(response) = request.replay(&mut db, app.clock.now()).await? {
        return Ok(response);
    }
    drop(db);
    let validated = match validate(app, caller, network, body).await {
        Ok(validated) => validated,
        // The first request may have been carried out, and have used up the code, while this one was checked.
        Err(error) => {
            let mut db = app.store.read().await?;
            let replayed = request.replay(&mut db, app.clock.now()).await?;
            return replayed.ok_or(error);
        }
    };
    let locks = locks(&validated).and(Resource::IdempotencyKey(request.hash()));
    let (clock, caller, request) = (app.clock.clone(), caller.cloned(), request.clone());
    run_transaction(app, locks, move |db| {
        Box::pin(async move {
            let now = clock.now();
            // A concurrent request with the same key may have been faster.
            if let Some(response) = request.replay(db, now).await? {
                return Ok(response);
            }
            let created = insert::create_bookings(db, &validated, now).await?;
            let visibility = &validated.stored.visibility;
            let bookings =
                visible_bookings(db, caller.as_ref(), &created, Some(visibility)).await?;
            let created = OneOrSeries::new(bookings, validated.stored.wire.recurrence.is_some())?;
            request.store(db, created, now).await
        })
    })
    .await
}

/// Books a slot without an idempotency key.
pub async fn book(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let mut attempts = Attempts::default();
    loop {
        let booked = try_book(app, caller, network, body).await;
        if !attempts.repeat_after(&booked) {
            return booked;
        }
    }
}

async fn try_book(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let validated = Arc::new(validate(app, caller, network, body).await?);
    let (clock, shared) = (app.clock.clone(), validated.clone());
    let created = run_transaction(app, locks(&validated), move |db| {
        Box::pin(async move { insert::create_bookings(db, &shared, clock.now()).await })
    })
    .await?;
    let mut db = app.store.read().await?;
    let visibility = &validated.stored.visibility;
    let bookings = visible_bookings(&mut db, caller, &created, Some(visibility)).await?;
    OneOrSeries::new(bookings, validated.stored.wire.recurrence.is_some())
}

/// Returns the locks for what the rules of a booking read and what it writes.
fn locks(validated: &ValidatedBooking) -> Locks {
    let mut locks = validated.stored.locks();
    if let Some(user_id) = validated.attendee_user_id {
        locks = locks.and(Resource::Person(user_id));
    }
    if let Some(verification) = &validated.verification {
        locks = locks.and(Resource::EmailAddress(verification.email()));
    }
    locks
}

/// Runs the transaction that inserts bookings, and counts rate-limit errors.
async fn run_transaction<T: Send + 'static>(
    app: &AppState,
    locks: Locks,
    work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static,
) -> Result<T> {
    app.store.write(locks, work).await.inspect_err(|error| {
        if matches!(error, Error::TooManyRequests { .. }) {
            app.metrics.record_limit_refusal("bookings");
        }
    })
}

/// Validates everything that needs no write transaction, for which others wait.
async fn validate(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    body: &JsonMap,
) -> Result<ValidatedBooking> {
    let request = CreateBooking::read(body)?;
    let mut db = app.store.read().await?;
    let current = find_event_type(app, &mut db, &request.names).await?;
    let stored = current.stored.clone();
    let has_host_access =
        authorise_booker(&mut db, &stored, caller, || request.names.missing()).await?;
    reject_managed(&stored)?;
    let is_own_email = is_own_email(&mut db, caller, &request.attendee.email).await?;
    let needs_code = stored.wire.requires_booker_email_verification
        && !has_host_access
        && !is_own_email
        && !verified_emails::is_verified_by(&mut db, caller, &request.attendee.email).await?;
    let verification = match needs_code {
        true => Some(entered_code(app, &request)?),
        false => None,
    };
    let now = app.clock.now();
    let checked = check_for_event_type(&stored, &request, has_host_access, now)?;
    let known = match (checked.starts.first(), checked.starts.last()) {
        (Some(first), Some(last)) => {
            let (length_minutes, starts) = (checked.length_minutes, (first.0, last.0));
            Some(known_hosts(app, &mut db, &current, length_minutes, starts, now).await?)
        }
        _ => None,
    };
    drop(db);

    let client = Client::of(caller, network);
    if let Some(verification) = &verification {
        // Wrong codes are counted, so they are checked in a transaction of their own.
        let result = verified_emails::check_code(app, &client, verification).await?;
        result.map_err(|error| error.of(CODE_KEY))?;
    }
    Ok(ValidatedBooking {
        stored,
        known,
        length_minutes: checked.length_minutes,
        zone: request.zone,
        starts: checked.starts,
        off_rule: checked.off_rule,
        attendee: request.attendee,
        form_responses: checked.form_responses,
        guests: request.guests,
        metadata: request.metadata,
        reservation: request.reservation,
        is_instant: request.is_instant,
        is_proven: caller.is_some() || verification.is_some(),
        verification,
        attendee_user_id: caller.filter(|_| is_own_email).map(|caller| caller.user_id),
        client_hash: client.hash(&app.signing_key),
        organizer_email: app.settings.mail.organizer().map(str::to_owned),
        allowance: Allowance::of(&app.signing_key, app.settings.limits.rate, &client),
    })
}

/// Finds the event type. User names joined by `+` denote a group.
async fn find_event_type(
    app: &AppState,
    db: &mut Db,
    names: &EventTypeNames,
) -> Result<CurrentEventType> {
    let group = match (names.slug.as_deref(), &names.username) {
        (Some("dynamic"), Some(usernames)) if usernames.contains('+') => {
            Some(usernames.split('+').map(str::to_owned).collect::<Vec<_>>())
        }
        _ => None,
    };
    find_current(app, db, names, group.as_deref()).await
}

/// Returns true if `email` is the verified address of the caller, which then needs no verification
/// code.
pub(super) async fn is_own_email(
    db: &mut Db,
    caller: Option<&Caller>,
    email: &str,
) -> Result<bool> {
    let Some(caller) = caller else {
        return Ok(false);
    };
    let caller_email = users::verified_email(db, caller.user_id).await?;
    Ok(caller_email.is_some_and(|own_email| own_email.eq_ignore_ascii_case(email)))
}

/// Returns the `emailVerificationCode` of a request whose event type requires one.
fn entered_code(app: &AppState, request: &CreateBooking) -> Result<VerificationCode> {
    let entered = request.email_verification_code.as_deref();
    let error = |message| Checks::error(CODE_KEY, &json!(entered), "isVerified", message);
    let can_send = app.settings.mail_is_available;
    let code = match (entered, can_send) {
        (Some(code), true) => code.trim(),
        (None, true) => {
            return Err(error(
                "is required: POST /v2/verified-resources/emails/verification-code/request sends it to the attendee's address",
            ));
        }
        (Some(_), false) => {
            return Err(error(
                "is not valid: the event type's bookingUrl is where codes are sent from",
            ));
        }
        (None, false) => {
            return Err(error(
                "is required: the attendee's address has to be verified at the event type's bookingUrl",
            ));
        }
    };
    let verification = VerificationCode::read(&app.signing_key, &request.attendee.email, code);
    verification.ok_or_else(|| CodeError::Wrong.of(CODE_KEY))
}

/// Parts of a request that depend on the event type.
struct CheckedRequest {
    length_minutes: i64,
    starts: Vec<Instant>,
    off_rule: Vec<Instant>,
    form_responses: FormResponses,
}

/// Checks the request against the event type.
fn check_for_event_type(
    stored: &StoredEventType,
    request: &CreateBooking,
    has_host_access: bool,
    now: Instant,
) -> Result<CheckedRequest> {
    let length_minutes = resolve_length(&stored.wire, request.length_minutes, "lengthInMinutes")?;
    let form_responses = request.check_responses(stored, has_host_access)?;
    let mut checks = Checks::default();
    let (starts, off_rule) = starts(stored, request, &mut checks);
    if request.is_instant && (request.start.0 - now.0).abs() > INSTANT_TOLERANCE_MINUTES * MINUTE_MS
    {
        let message = format!(
            "of an instant meeting must lie within {INSTANT_TOLERANCE_MINUTES} minutes of now"
        );
        checks.report("start", &json!(request.start), "isNow", &message);
    }
    checks.finish()?;
    Ok(CheckedRequest {
        length_minutes,
        starts,
        off_rule,
        form_responses,
    })
}

/// Returns the starts of the booking or of its series, and those of them that deviate from the rule of the series.
fn starts(
    stored: &StoredEventType,
    request: &CreateBooking,
    checks: &mut Checks,
) -> (Vec<Instant>, Vec<Instant>) {
    let (first, zone) = (request.start, &request.zone);
    let Some(recurrence) = &stored.wire.recurrence else {
        return (vec![first], Vec::new());
    };
    let by_rule = series::counted_starts(first, zone, recurrence, request.recurrence_count, checks);
    let Some(chosen) = &request.recurrence_starts else {
        return (by_rule, Vec::new());
    };
    let date = |start: &Instant| local_date(start.0, zone);
    let dates: Vec<_> = by_rule.iter().map(date).collect();
    let is_later = |pair: &[Instant]| match pair {
        [before, after] => date(before) < date(after),
        _ => true,
    };
    let is_of_series = chosen.len() <= by_rule.len()
        && chosen.first() == Some(&first)
        && chosen.windows(2).all(is_later)
        && chosen.iter().all(|start| dates.contains(&date(start)));
    if !is_of_series {
        let message = "must be ascending, begin with start, and be on different days of the series";
        checks.report("recurrenceStarts", &json!(chosen), "isSeries", message);
    }
    let mut off_rule = chosen.clone();
    off_rule.retain(|start| !by_rule.contains(start));
    (chosen.clone(), off_rule)
}

/// Loads the created bookings as the booker may see them: in a seated booking the own seat comes
/// first, and other attendees are included only if the event type shows them. Reads `visibility` if it is none.
pub async fn visible_bookings(
    db: &mut Db,
    caller: Option<&Caller>,
    created: &[CreatedBooking],
    visibility: Option<&VisibilitySettings>,
) -> Result<Vec<Booking>> {
    let ids: Vec<i64> = created.iter().map(|created| created.id).collect();
    let mut found = bookings::load(db, &ids).await?;
    for (booking, created_booking) in found.iter_mut().zip(created) {
        booking.seat_uid.clone_from(&created_booking.seat_uid);
        let viewer = Viewer::new(caller, created_booking.seat_uid.as_deref());
        match visibility {
            Some(settings) => hide_private_fields_by(db, viewer, settings, booking).await?,
            None => hide_private_fields(db, viewer, std::slice::from_mut(booking)).await?,
        }
        booking
            .attendees
            .sort_by_key(|attendee| attendee.seat_uid != created_booking.seat_uid);
    }
    Ok(found)
}
