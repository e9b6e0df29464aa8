//! Makes the data and the recipients of messages from an event.

use std::collections::{HashMap, HashSet};

use booking_mail::data::{BookingData, MAX_ANSWERS, Person, SeriesData};
use booking_mail::message::{Kind, Recipient, Role};
use booking_wire::calendar::sequence;
use booking_wire::formats::{is_email, is_location_token};
use booking_wire::{Instant, JsonMap};
use serde_json::Value;

use super::events::Details;
use crate::error::Result;
use crate::lifecycle::{Policy, Restriction};
use crate::store::mail_events::{self, AttendeeRow, BookingRow, EventRows, HostRow};
use crate::store::users::display_email;
use crate::store::{Db, bookings};

/// Responses that messages show elsewhere, or not at all.
const DEFAULT_FIELDS: [&str; 8] = [
    "name",
    "email",
    "attendeePhoneNumber",
    "guests",
    "location",
    "title",
    "notes",
    "rescheduleReason",
];

/// Longest answer in a message, in characters.
const MAX_ANSWER_CHARS: usize = 2_000;

/// Data and recipients of the messages of an event.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// Kind; that of the event, but for a booking that waits for a host.
    pub kind: Kind,
    /// Data of all messages.
    pub data: BookingData,
    /// Recipients; each gets one message.
    pub recipients: Vec<Recipient>,
    /// Event type of the booking.
    pub event_type_id: Option<i64>,
}

/// Makes data and recipients from the rows of an event. `settings` are those of the event type; none if it was deleted.
/// `new_guests`: addresses of guests who get messages that are not stored yet, by calendar entry.
pub async fn expand(
    db: &mut Db,
    kind: Kind,
    rows: EventRows,
    settings: Option<&Value>,
    minutes_before: Option<i64>,
    now: Instant,
    new_guests: &HashMap<String, HashSet<String>>,
) -> Result<Expanded> {
    let event_type_id = rows.booking.event_type_id;
    // Of a deleted event type, nothing is revealed that it may have hidden. A group of people has none, and its API
    // hides their addresses, too (`store/visibility.rs`).
    let hides_host_addresses = settings.is_none();
    let settings = settings.unwrap_or(&Value::Null);
    let details: Details = serde_json::from_str(&rows.details).unwrap_or_default();
    let series = series(db, &rows, settings, &details).await?;
    let kind = match (kind, rows.booking.status.as_str()) {
        (Kind::Booked, "pending" | "awaiting_host") => Kind::Requested,
        (kind, _) => kind,
    };
    let mut data = data(&rows, settings, &details);
    data.series = series;
    data.changed = now;
    data.minutes_before = minutes_before;
    data.hides_host_addresses |= hides_host_addresses;
    data.reason = details.reason.clone();
    data.reason.take_if(|reason| reason.trim().is_empty());
    // Those of a confirmed meeting know of it in any case.
    let is_refusal = kind == Kind::Declined || kind == Kind::Cancelled && details.was_pending;
    let mut informed_guests = HashSet::new();
    if is_refusal && details.leaving.is_none() && !data.guests.is_empty() {
        informed_guests = mail_events::informed_guests(db, &data.calendar_uid).await?;
        let new = new_guests.get(&data.calendar_uid);
        informed_guests.extend(new.into_iter().flatten().cloned());
    }
    let mut recipients = match (kind, rows.booking.status.as_str()) {
        (Kind::Reminder, status) if status != "accepted" => Vec::new(),
        _ => recipients(kind, &data, settings, &details, &informed_guests),
    };
    if kind == Kind::Reminder {
        let has_stopped = |recipient: &Recipient| {
            let email = &recipient.person.email;
            let mut rows = rows.attendees.iter();
            rows.any(|row| row.reminders_stopped == 1 && display_email(&row.email) == *email)
        };
        recipients.retain(|recipient| recipient.role.is_host() || !has_stopped(recipient));
    }
    Ok(Expanded {
        kind,
        data,
        recipients,
        event_type_id,
    })
}

fn data(rows: &EventRows, settings: &Value, details: &Details) -> BookingData {
    let booking = &rows.booking;
    let (people, guests): (Vec<&AttendeeRow>, Vec<&AttendeeRow>) = sorted(&rows.attendees)
        .into_iter()
        .partition(|row| row.guest == 0);
    let mut attendees: Vec<Person> = people.iter().map(|row| attendee(row)).collect();
    let is_cancelled = matches!(booking.status.as_str(), "cancelled" | "rejected");
    // One person leaves, the others keep their seats.
    let mut remaining_attendees = Vec::new();
    if let Some(leaving) = &details.leaving {
        // People without an address have the same one; a seat can have got another holder.
        attendees
            .retain(|other| other.email != leaving.email || other.seat_uid != leaving.seat_uid);
        if !is_cancelled {
            remaining_attendees = std::mem::take(&mut attendees);
        }
        attendees.insert(0, leaving.clone());
    }
    let language = attendees
        .first()
        .map(|first| first.language.clone())
        .unwrap_or_default();
    let guest = |row: &&AttendeeRow| {
        let person = attendee(row);
        let language = match person.language.as_str() {
            "" => language.clone(),
            known => known.to_owned(),
        };
        Person { language, ..person }
    };
    let mut hosts: Vec<&HostRow> = rows.hosts.iter().collect();
    hosts.sort_by_key(|host| host.id);
    let is_seated = attendees
        .iter()
        .chain(&remaining_attendees)
        .any(|person| person.seat_uid.is_some());
    let seat = details.seat_uid.as_deref();
    let own_seat = people
        .iter()
        .find(|row| seat.is_some() && row.seat_uid.as_deref() == seat);
    let phone = match own_seat {
        Some(row) => row.phone_number.clone(),
        None if is_seated => None,
        None => people.first().and_then(|row| row.phone_number.clone()),
    };
    let submitted = own_seat
        .and_then(|row| row.responses.as_deref())
        .unwrap_or(&booking.responses);
    let submitted: JsonMap = serde_json::from_str(submitted).unwrap_or_default();
    let notes = match submitted.get("notes") {
        Some(Value::String(notes)) if seat.is_some() => notes.clone(),
        _ => booking.description.clone(),
    };
    let is_on = |value: &Value| value == &Value::Bool(true);
    let policy = Policy::read(settings);
    BookingData {
        uid: booking.uid.clone(),
        calendar_uid: calendar_uid(booking),
        sequence: sequence(Instant(booking.updated_ms)),
        title: booking.title.clone(),
        event_type: settings["title"]
            .as_str()
            .unwrap_or(&booking.title)
            .to_owned(),
        start: Instant(booking.start_ms),
        end: Instant(booking.end_ms),
        previous_time: details.previous_time,
        is_cancelled,
        is_confirmed: booking.status != "pending" && booking.status != "awaiting_host",
        location: location(booking.location.as_deref()),
        previous_location: details
            .previous_location
            .as_deref()
            .map(|text| location(Some(text))),
        notes,
        answers: answers(&submitted, settings, phone),
        hosts: hosts.into_iter().map(host).collect(),
        new_hosts: (rows.hosts.iter())
            .filter(|row| details.new_host_ids.contains(&row.id))
            .map(|row| display_email(&row.email))
            .collect(),
        former_hosts: rows.former_hosts.iter().map(host).collect(),
        attendees,
        remaining_attendees,
        guests: guests.iter().map(guest).collect(),
        new_guests: details.new_guests.clone(),
        // With `showAttendeeInfo`, others see the names in the API, but no addresses, which invitations have.
        hides_attendees: is_seated,
        hides_host_addresses: is_on(&settings["hideOrganizerEmail"]),
        is_cancelling_disabled: policy.is_cancelling_disabled,
        is_rescheduling_disabled: policy.rescheduling_restriction == Restriction::Always,
        hides_notes_in_calendar: is_on(&settings["hideCalendarNotes"])
            || is_on(&settings["hideCalendarEventDetails"]),
        ..BookingData::default()
    }
}

/// Returns the series of the booking, with the occurrences that the event is about.
async fn series(
    db: &mut Db,
    rows: &EventRows,
    settings: &Value,
    details: &Details,
) -> Result<Option<SeriesData>> {
    let booking = &rows.booking;
    let Some(series_uid) = booking.shared_series_uid() else {
        return Ok(None);
    };
    let attendee = rows.attendees.iter().filter(|row| row.guest == 0);
    let zone = attendee.min_by_key(|row| row.id);
    let recurrence = &settings["recurrence"];
    let mut series = SeriesData {
        frequency: recurrence["frequency"]
            .as_str()
            .unwrap_or("weekly")
            .to_owned(),
        interval: recurrence["interval"].as_i64().unwrap_or(1),
        time_zone: zone.map_or_else(|| "UTC".to_owned(), |row| row.time_zone.clone()),
        starts: details.starts.clone(),
        ..SeriesData::default()
    };
    if series.starts.len() <= 1 {
        series.starts = vec![Instant(booking.start_ms)];
        series.occurrence = mail_events::first_start(db, &booking.uid).await?;
        return Ok(Some(series));
    }
    let all = mail_events::occurrences(db, series_uid).await?;
    if all.len() != series.starts.len() {
        for start in &series.starts {
            let found = all.iter().find(|(_, start_ms)| *start_ms == start.0);
            let first = match found {
                Some((uid, _)) => mail_events::first_start(db, uid).await?,
                None => None,
            };
            series.occurrences.push(first.unwrap_or(*start));
        }
    }
    Ok(Some(series))
}

/// Uid of the calendar entry. The occurrences of a series are one entry.
fn calendar_uid(booking: &BookingRow) -> String {
    match (booking.shared_series_uid(), &booking.ics_uid) {
        (Some(series_uid), _) => bookings::calendar_uid(series_uid),
        (None, Some(uid)) => uid.clone(),
        (None, None) => bookings::calendar_uid(&booking.uid),
    }
}

fn sorted(rows: &[AttendeeRow]) -> Vec<&AttendeeRow> {
    let mut rows: Vec<&AttendeeRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.id);
    rows
}

fn attendee(row: &AttendeeRow) -> Person {
    Person {
        name: row.name.clone(),
        email: display_email(&row.email),
        time_zone: row.time_zone.clone(),
        language: row.language.clone().unwrap_or_default(),
        has_24_hours: None,
        seat_uid: row.seat_uid.clone(),
    }
}

fn host(row: &HostRow) -> Person {
    Person {
        name: row.name.clone().unwrap_or_default(),
        email: display_email(&row.email),
        time_zone: row.time_zone.clone(),
        language: row.locale.clone().unwrap_or_default(),
        has_24_hours: Some(row.time_format == 24),
        seat_uid: None,
    }
}

/// Location as people read it.
fn location(text: Option<&str>) -> String {
    text.filter(|text| !is_location_token(text))
        .unwrap_or_default()
        .to_owned()
}

/// Labels and answers of the event type's own fields, and the telephone number.
fn answers(submitted: &JsonMap, settings: &Value, phone: Option<String>) -> Vec<(String, String)> {
    let fields = settings["bookingFields"].as_array();
    let field = |slug: &str| {
        fields
            .into_iter()
            .flatten()
            .find(|field| field["slug"].as_str() == Some(slug))
    };
    let phone = phone.map(|phone| ("☎".to_owned(), phone));
    let custom = submitted
        .iter()
        .filter(|(slug, _)| !DEFAULT_FIELDS.contains(&slug.as_str()))
        .filter(|(slug, _)| field(slug).is_none_or(|field| field["hidden"] != Value::Bool(true)))
        .filter_map(|(slug, value)| {
            let label = field(slug).and_then(|field| field["label"].as_str());
            let answer: String = answer(value)?.chars().take(MAX_ANSWER_CHARS).collect();
            Some((label.unwrap_or(slug).to_owned(), answer))
        });
    phone.into_iter().chain(custom).take(MAX_ANSWERS).collect()
}

/// Text of an answer; none if it is empty.
fn answer(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Bool(true) => "✓".to_owned(),
        Value::Bool(false) => "–".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Array(list) => {
            let texts: Vec<String> = list.iter().filter_map(answer).collect();
            texts.join(", ")
        }
        Value::Object(map) => {
            let texts: Vec<String> = map.values().filter_map(answer).collect();
            texts.join(", ")
        }
        Value::Null => String::new(),
    };
    (!text.is_empty()).then_some(text)
}

/// Returns the recipients: of guests those whom the kind of message is for, or who know of the meeting. No address has two messages as attendee or guest, or two as host. The event type's
/// `emailSettings` are obeyed.
fn recipients(
    kind: Kind,
    data: &BookingData,
    settings: &Value,
    details: &Details,
    informed_guests: &HashSet<String>,
) -> Vec<Recipient> {
    let is_on = |key: &str| settings["emailSettings"][key] == Value::Bool(true);
    let (no_attendees, no_hosts) = (
        is_on("disableEmailsToAttendees"),
        is_on("disableEmailsToHosts"),
    );
    let knows_guests = match kind {
        Kind::Requested | Kind::Declined => false,
        // The meeting of the others takes place.
        Kind::Cancelled => !details.was_pending && details.leaving.is_none(),
        // If a host has to confirm the new time, guests lose the entry of the former one.
        Kind::Rescheduled => data.is_confirmed || !details.was_pending,
        _ => data.is_confirmed,
    };
    let is_told = |person: &&Person| match (&details.leaving, &details.seat_uid) {
        (Some(leaving), _) => person.email == leaving.email,
        (None, Some(seat_uid)) => person.seat_uid.as_ref() == Some(seat_uid),
        (None, None) => true,
    };
    let as_role = |role: Role| {
        move |person: &Person| Recipient {
            role,
            person: person.clone(),
        }
    };
    let mut all: Vec<Recipient> = Vec::new();
    if !no_attendees {
        all.extend(
            data.attendees
                .iter()
                .filter(is_told)
                .map(as_role(Role::Attendee)),
        );
        // A host may have had to confirm a new time of a meeting that guests knew of.
        let is_known = |person: &&Person| {
            knows_guests || informed_guests.contains(&person.email.to_ascii_lowercase())
        };
        all.extend(
            data.guests
                .iter()
                .filter(is_known)
                .map(as_role(Role::Guest)),
        );
    }
    if !no_hosts {
        all.extend(data.hosts.iter().map(as_role(Role::Host)));
        all.extend(data.former_hosts.iter().map(as_role(Role::FormerHost)));
    }
    let mut told: Vec<(bool, String)> = Vec::new();
    all.retain(|recipient| {
        let key = (
            recipient.role.is_host(),
            recipient.person.email.to_lowercase(),
        );
        let is_new = is_email(&recipient.person.email) && !told.contains(&key);
        told.push(key);
        is_new
    });
    all
}
