//! Making bookings (contract 3.5.1).

use std::sync::Arc;

use booking_wire::{Booking, Envelope, Instant, JsonMap};
use serde_json::json;

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::create_request::Wanted;
use crate::bookings::insert::{self, Made, Order};
use crate::bookings::read::OneOrSeries;
use crate::bookings::visibility::{Reader, disclose};
use crate::client_ip::Network;
use crate::error::{Error, Result};
use crate::event_types::access::{is_insider, refuse_outsider};
use crate::event_types::group::find_group;
use crate::event_types::names::Names;
use crate::idempotency::{CREATED, KeyedRequest, Outcome};
use crate::limits::{BookingAllowance, Client};
use crate::recurrence;
use crate::slots::rules::{length, refuse_managed};
use crate::store::event_types::{Purpose, Stored};
use crate::store::{BoxFuture, Db, bookings, users};
use crate::validate::Checks;

/// How far an instant meeting may seem to lie from now: clocks differ, and people think.
const INSTANT_MINUTES: i64 = 15;

/// Books a slot. With a key, the response is kept in the transaction of the booking, and a
/// request that comes again gets it.
pub async fn create(
    app: &AppState,
    caller: Option<Caller>,
    network: Option<Network>,
    keyed: Option<KeyedRequest>,
    body: &JsonMap,
) -> Result<Outcome<OneOrSeries>> {
    let Some(request) = keyed else {
        let booked = book(app, caller.as_ref(), network, body).await?;
        return Ok(Outcome::New(booked));
    };
    let mut db = app.store.read().await?;
    if let Some(reply) = request.replay(&mut db, app.clock.now()).await? {
        return Ok(Outcome::Kept(reply));
    }
    drop(db);
    let order = prepare(app, caller.as_ref(), network, body).await?;
    let clock = app.clock.clone();
    let reply = write(app, move |db| {
        Box::pin(async move {
            let now = clock.now();
            // Another attempt may have been faster.
            if let Some(reply) = request.replay(db, now).await? {
                return Ok(reply);
            }
            let made = insert::make(db, &order, now).await?;
            let bookings = shown(db, caller.as_ref(), &made).await?;
            let body = Envelope::success(one_or_series(&order, bookings)?);
            request.keep(db, CREATED, &body, now).await
        })
    })
    .await?;
    Ok(Outcome::Kept(reply))
}

/// Makes what `body`, as above, asks for.
pub async fn book(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let order = Arc::new(prepare(app, caller, network, body).await?);
    let (clock, shared) = (app.clock.clone(), order.clone());
    let made = write(app, move |db| {
        Box::pin(async move { insert::make(db, &shared, clock.now()).await })
    })
    .await?;
    let bookings = answer(app, caller, &made).await?;
    one_or_series(&order, bookings)
}

/// Runs the transaction of a booking.
async fn write<T: Send + 'static>(
    app: &AppState,
    work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static,
) -> Result<T> {
    app.store.write(work).await.inspect_err(|error| {
        if matches!(error, Error::TooManyRequests { .. }) {
            app.metrics.refused_by_limit("bookings");
        }
    })
}

/// Returns the bookings of an order as one booking or as a series.
fn one_or_series(order: &Order, mut bookings: Vec<Booking>) -> Result<OneOrSeries> {
    Ok(if order.stored.wire.recurrence.is_some() {
        OneOrSeries::Series(bookings)
    } else {
        OneOrSeries::One(Box::new(bookings.pop().ok_or(Error::Internal)?))
    })
}

/// Settles everything that needs no transaction: there is one writer at a time.
async fn prepare(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    body: &JsonMap,
) -> Result<Order> {
    let wanted = Wanted::read(body)?;
    let mut db = app.store.read().await?;
    let stored = find(&mut db, &wanted.names).await?;
    let is_insider = match caller {
        Some(caller) => is_insider(&mut db, caller, &stored).await?,
        None => false,
    };
    refuse_outsider(&stored, caller, is_insider, || wanted.names.missing())?;
    refuse_managed(&stored)?;
    let is_own_address = is_own_address(&mut db, caller, &wanted.attendee.email).await?;
    if stored.wire.requires_booker_email_verification && !is_insider && !is_own_address {
        return Err(unverified(&wanted));
    }
    drop(db);

    let client = Client::of(caller, network);
    Ok(Order {
        attendee_user_id: caller
            .filter(|_| is_own_address)
            .map(|caller| caller.user_id),
        client_hash: client.hash(&app.signing_key),
        allowance: BookingAllowance::of(&app.limiter, app.settings.limits.rate, &client),
        ..order(stored, wanted, is_insider, app.clock.now())?
    })
}

/// Finds what is booked. People whose user names are joined by `+` meet as a group.
async fn find(db: &mut Db, names: &Names) -> Result<Stored> {
    if let (Some("dynamic"), Some(people)) = (names.slug.as_deref(), &names.username)
        && people.contains('+')
    {
        let people: Vec<String> = people.split('+').map(str::to_owned).collect();
        let organization = names.organization_slug.as_deref().unwrap_or_default();
        return find_group(db, &people, Purpose::Booking(organization)).await;
    }
    names.find(db).await
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
fn order(stored: Stored, wanted: Wanted, is_insider: bool, now: Instant) -> Result<Order> {
    let length = length(&stored.wire, wanted.length, "lengthInMinutes")?;
    let answers = wanted.answer(&stored, is_insider)?;
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
        attendee_user_id: None,
        client_hash: String::new(),
        allowance: None,
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
pub async fn answer(
    app: &AppState,
    caller: Option<&Caller>,
    made: &[Made],
) -> Result<Vec<Booking>> {
    let mut db = app.store.read().await?;
    shown(&mut db, caller, made).await
}

/// The same from within a transaction.
pub async fn shown(db: &mut Db, caller: Option<&Caller>, made: &[Made]) -> Result<Vec<Booking>> {
    let ids: Vec<i64> = made.iter().map(|one| one.id).collect();
    let mut found = bookings::load(db, &ids).await?;
    for (booking, one) in found.iter_mut().zip(made) {
        booking.seat_uid.clone_from(&one.seat_uid);
        let reader = Reader {
            caller,
            seat_uid: one.seat_uid.as_deref(),
        };
        disclose(db, reader, std::slice::from_mut(booking)).await?;
        booking
            .attendees
            .sort_by_key(|attendee| attendee.seat_uid != one.seat_uid);
    }
    Ok(found)
}
