//! Corrects the e-mail address of the person who booked.

use booking_rules::{Transition, transitions};
use booking_wire::{Attendee, CorrectEmail, Instant, JsonMap};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::attendees::duplicate_attendee_error;
use crate::domain::bookings::create::insert::{reject_over_booker_limit, reject_second_seat};
use crate::domain::bookings::create::is_own_email;
use crate::domain::bookings::read::visibility::{Viewer, authorise_viewer, hide_private_fields};
use crate::domain::bookings::read::{OneOrSeries, read_one};
use crate::error::{Error, Result};
use crate::limits::client_ip::Network;
use crate::limits::{Allowance, Client, MINUTE};
use crate::messages::mail::events as mail;
use crate::store::bookings::actions::{self, BookingSnapshot, NamedBookings};
use crate::store::bookings::attendees;
use crate::store::bookings::email_corrections::{self, Booker, Correction};
use crate::store::{Db, Subject, bookings};
use crate::validate::{Checks, Object, is_email};

/// Rate limit: requests per minute that correct the address of one booking. Too few to find an address by trying.
const CORRECTION_CALLS: u32 = 10;

/// Corrects the address of the person who booked, in all bookings of a series.
pub async fn correct_email(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    uid: &str,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let request = read(body)?;
    let client = Client::of(caller, network);
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let db = &mut *transaction;
    let named = actions::find_by_uid(db, uid).await?;
    let first = named.first()?;
    let first_booking = read_one(db, first.id).await?;
    authorise_viewer(db, caller, std::slice::from_ref(&first_booking)).await?;
    let key = first.series_uid.as_ref().unwrap_or(&first.uid);
    app.limiter
        .check("corrections", key, CORRECTION_CALLS, MINUTE)?;
    check_seat(&named, &request)?;
    let corrected_from = app.signing_key.digest(&request.email.to_ascii_lowercase());
    let now = app.clock.now();
    match find(db, &named, &request, &corrected_from).await? {
        Found::Unknown => return Err(Error::not_found("Booking", uid)),
        Found::Corrected => {}
        Found::Bookers(bookers) => {
            check_rules(&named, &bookers, now)?;
            let is_own = is_own_email(db, caller, &request.new_email).await?;
            let correction = Correction {
                email: &request.new_email,
                corrected_from: &corrected_from,
                user_id: caller.filter(|_| is_own).map(|caller| caller.user_id),
                is_proven: caller.is_some(),
                now,
            };
            let targets = targets(db, &named, bookers, &request.email).await?;
            check_new_address(db, &targets, &request.new_email, now).await?;
            let (key, limit) = (&app.signing_key, app.settings.limits.rate);
            if let Some(allowance) = Allowance::of(key, limit, &client) {
                let message = [request.new_email.as_str()];
                allowance.deduct().messages(message).take(db, now).await?;
            }
            let source = client.hash(&app.signing_key);
            correct(db, &targets, correction, source).await?;
        }
    }
    let ids: Vec<i64> = named.bookings.iter().map(|booking| booking.id).collect();
    let mut data = bookings::load(db, &ids).await?;
    let viewer = Viewer::new(caller, request.seat_uid.as_deref());
    hide_private_fields(db, viewer, &mut data).await?;
    transaction.commit().await?;
    OneOrSeries::new(data, named.is_series)
}

fn read(body: &JsonMap) -> Result<CorrectEmail> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let mut text = |key| {
        let text = object.required_text(key, &mut checks);
        text.unwrap_or_default().trim().to_owned()
    };
    let (email, new_email) = (text("email"), text("newEmail"));
    let seat_uid = object.text("seatUid", &mut checks).map(str::to_owned);
    object.reject_unread(&mut checks);
    if checks.is_clean() && !is_email(&new_email) {
        checks.report("newEmail", &json!(new_email), "isEmail", "must be an email");
    } else if checks.is_clean() && new_email.eq_ignore_ascii_case(&email) {
        let message = "is the address of the booking already";
        checks.report("newEmail", &json!(new_email), "isChanged", message);
    }
    checks.finish()?;
    Ok(CorrectEmail {
        email,
        new_email,
        seat_uid,
    })
}

/// Rejects a request that does not tell whose address it is.
fn check_seat(named: &NamedBookings, request: &CorrectEmail) -> Result<()> {
    let is_seated = named.first()?.is_seated;
    match &request.seat_uid {
        None if is_seated => Err(Checks::error(
            "seatUid",
            &Value::Null,
            "isDefined",
            "is required: others have seats in this booking",
        )),
        Some(seat_uid) if !is_seated => Err(Checks::error(
            "seatUid",
            &json!(seat_uid),
            "isSeat",
            "is for bookings with seats only",
        )),
        _ => Ok(()),
    }
}

/// People of the named bookings with the address of the request.
enum Found {
    /// No person who booked has the address, or the seat.
    Unknown,
    /// The same correction was made before.
    Corrected,
    /// One for each named booking in which the person takes part; not empty.
    Bookers(Vec<Booker>),
}

async fn find(
    db: &mut Db,
    named: &NamedBookings,
    request: &CorrectEmail,
    corrected_from: &str,
) -> Result<Found> {
    let mut all = Vec::new();
    for booking in &named.bookings {
        all.extend(email_corrections::bookers(db, booking).await?);
    }
    // The uid of one seat names those of the same person in the other occurrences of a series.
    let has_seat = |booker: &&Booker| {
        request.seat_uid.is_none() || booker.seat_uid.as_deref() == request.seat_uid.as_deref()
    };
    let was_corrected = all.iter().filter(has_seat).any(|booker| {
        booker.email.eq_ignore_ascii_case(&request.new_email)
            && booker.corrected_from.as_deref() == Some(corrected_from)
    });
    let has_address = |booker: &Booker| booker.email.eq_ignore_ascii_case(&request.email);
    if !(all.iter().filter(has_seat)).any(has_address) {
        return Ok(match was_corrected {
            true => Found::Corrected,
            false => Found::Unknown,
        });
    }
    all.retain(has_address);
    Ok(Found::Bookers(all))
}

/// Checks that the address can be corrected in one of the named bookings.
fn check_rules(named: &NamedBookings, bookers: &[Booker], now: Instant) -> Result<()> {
    let mut error = Error::BadRequest("the booking has no attendee".into());
    for booker in bookers {
        let booking = named.bookings.iter().find(|it| it.id == booker.booking_id);
        let Some(booking) = booking else { continue };
        let action = Transition::CorrectEmail {
            booked: booker.booked_ms.map(Instant),
            corrections: booker.email_corrections,
        };
        match transitions::next_status(booking.context(now), action) {
            Ok(_) => return Ok(()),
            Err(cause) => error = cause.into(),
        }
    }
    Err(error)
}

/// The person, and all bookings whose address changes.
struct Targets {
    bookers: Vec<Booker>,
    /// Those of the people, in the same order.
    bookings: Vec<BookingSnapshot>,
}

/// Returns the person's part in the named bookings, and in the others of their series.
async fn targets(
    db: &mut Db,
    named: &NamedBookings,
    bookers: Vec<Booker>,
    email: &str,
) -> Result<Targets> {
    let Some(series_uid) = &named.first()?.series_uid else {
        return Ok(Targets {
            bookers,
            bookings: named.bookings.clone(),
        });
    };
    let mut targets = Targets {
        bookers: Vec::new(),
        bookings: Vec::new(),
    };
    for booking in actions::series(db, series_uid).await? {
        let found = email_corrections::bookers(db, &booking).await?;
        let mut found = found.into_iter();
        if let Some(booker) = found.find(|booker| booker.email.eq_ignore_ascii_case(email)) {
            targets.bookers.push(booker);
            targets.bookings.push(booking);
        }
    }
    Ok(targets)
}

/// Checks the new address as in a new booking.
async fn check_new_address(
    db: &mut Db,
    targets: &Targets,
    new_email: &str,
    now: Instant,
) -> Result<()> {
    let attendee = Attendee {
        email: new_email.to_owned(),
        ..Attendee::default()
    };
    for booking in &targets.bookings {
        reject_second_seat(db, booking.id, &attendee).await?;
        // A host can have added this person; a guest becomes the person who booked.
        let attendees = attendees::list(db, booking.id).await?;
        let mut others = attendees.iter();
        if others.any(|other| other.email.eq_ignore_ascii_case(new_email)) {
            return Err(duplicate_attendee_error());
        }
    }
    let first = targets.bookings.first();
    let event_type_id = first.and_then(|booking| booking.event_type_id);
    if let (Some(first), Some(id)) = (first, event_type_id) {
        let limit = &first.settings["bookerActiveBookingsLimit"];
        reject_over_booker_limit(db, id, limit, &attendee, now).await?;
    }
    Ok(())
}

/// Stores the correction, and has the messages of the person go to the new address.
async fn correct(
    db: &mut Db,
    targets: &Targets,
    correction: Correction<'_>,
    source: String,
) -> Result<()> {
    let Targets { bookers, bookings } = targets;
    let Some(before) = bookers.first().map(|booker| booker.email.clone()) else {
        return Ok(());
    };
    for booker in bookers {
        let guests = attendees::guests(db, booker.booking_id).await?;
        let mut others = guests.clone();
        others.retain(|guest| !guest.eq_ignore_ascii_case(correction.email));
        if others.len() < guests.len() {
            attendees::remove_guest(db, booker.booking_id, correction.email).await?;
            attendees::set_guests(db, booker.booking_id, &others).await?;
        }
        email_corrections::correct(db, booker, correction).await?;
    }
    let keys = email_corrections::order_keys(db, bookings).await?;
    email_corrections::redirect_messages(db, &keys, &before, correction.email).await?;
    let confirmed = email_corrections::redirect_events(db, bookers, bookings, correction).await?;
    let told = bookers
        .iter()
        .zip(bookings)
        .filter(|(_, booking)| booking.is_open(correction.now) && !confirmed.contains(&booking.id));
    let changes = told.map(|(booker, booking)| {
        let change = mail::Change {
            seat_uid: booker.seat_uid.clone(),
            is_for_booker_only: true,
            ..mail::Change::default()
        };
        (booking.id, change)
    });
    let changes: Vec<(i64, mail::Change)> = changes.collect();
    if changes.is_empty() {
        return Ok(());
    }
    let details = mail::Details {
        source,
        ..mail::Details::default()
    };
    mail::record(db, correction.now, mail::Kind::Booked, changes, details).await
}
