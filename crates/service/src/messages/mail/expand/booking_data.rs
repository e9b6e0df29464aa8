//! Data of messages about one booking, from its rows and its event type's settings.

use booking_calendar::sequence;
use booking_mail::data::{BookingData, MAX_ANSWERS, Person, PublicTexts, readable_location};
use booking_mail::strangers::plain_name;
use booking_rules::Policy;
use booking_wire::formats::is_color;
use booking_wire::{BookingStatus, Instant, JsonMap};
use serde_json::Value;

use crate::messages::mail::events::Change;
use crate::store::bookings;
use crate::store::messages::mail_events::{AttendeeRow, BookingRow, BookingRows, HostRow};
use crate::store::people::users::display_email;

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
const MAX_SHOWN_ANSWER_CHARS: usize = 2_000;

/// Data of one booking, without those of the event.
pub(super) fn data(rows: &BookingRows, settings: &Value, change: &Change) -> BookingData {
    let booking = &rows.booking;
    let (people, guests): (Vec<&AttendeeRow>, Vec<&AttendeeRow>) = sorted(&rows.attendees)
        .into_iter()
        .partition(|row| row.guest == 0);
    let mut attendees: Vec<Person> = people.iter().map(|row| attendee(row)).collect();
    let is_cancelled = matches!(
        booking.status,
        BookingStatus::Cancelled | BookingStatus::Rejected
    );
    // One person leaves, the others keep their seats.
    let mut remaining_attendees = Vec::new();
    if let Some(leaving) = &change.leaving {
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
    let seat = change.seat_uid.as_deref();
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
    let (location, missing_location) = readable_location(booking.location.as_deref());
    let mut data = BookingData {
        uid: booking.uid.clone(),
        calendar_uid: calendar_uid(booking),
        organizer: display_email(booking.organizer_email.as_deref().unwrap_or_default()),
        sequence: sequence(Instant(booking.updated_ms)),
        title: booking.title.clone(),
        event_type: settings["title"]
            .as_str()
            .unwrap_or(&booking.title)
            .to_owned(),
        colour: colour_of(settings),
        start: Instant(booking.start_ms),
        end: Instant(booking.end_ms),
        previous_time: change.previous_time,
        is_cancelled,
        is_confirmed: !matches!(
            booking.status,
            BookingStatus::Pending | BookingStatus::AwaitingHost
        ),
        awaits_host: booking.status == BookingStatus::AwaitingHost,
        location,
        missing_location,
        notes,
        answers: answers(&submitted, settings, phone),
        hosts: hosts.into_iter().map(host).collect(),
        new_hosts: (rows.hosts.iter())
            .filter(|row| change.new_host_ids.contains(&row.id))
            .map(|row| display_email(&row.email))
            .collect(),
        attendees,
        remaining_attendees,
        guests: guests.iter().map(guest).collect(),
        // With `showAttendeeInfo`, others see the names in the API, but no addresses, which invitations have.
        hides_attendees: is_seated,
        hides_host_addresses: is_on(&settings["hideOrganizerEmail"]),
        hides_notes_in_calendar: is_on(&settings["hideCalendarNotes"])
            || is_on(&settings["hideCalendarEventDetails"]),
        ..BookingData::default()
    };
    data.set_policy(&Policy::of_settings(settings));
    data
}

/// Colour of an event type, as `#rrggbb`; empty if it has none.
pub(crate) fn colour_of(settings: &Value) -> String {
    let colour = settings["color"]["lightThemeHex"].as_str();
    let colour = colour.filter(|colour| is_color(colour)).unwrap_or_default();
    match colour.strip_prefix('#') {
        Some(digits) if digits.len() == 3 => {
            let doubled = digits.chars().flat_map(|digit| [digit, digit]);
            std::iter::once('#').chain(doubled).collect()
        }
        _ => colour.to_owned(),
    }
}

/// Texts of a booking for attendees and guests; none if the booker is verified.
pub(super) fn public_texts(
    data: &BookingData,
    rows: &BookingRows,
    settings: Option<&Value>,
) -> Option<PublicTexts> {
    let booker = data.attendees.first()?;
    if data.attendees.iter().all(|attendee| attendee.is_proven) {
        return None;
    }
    let event_type = settings.and_then(|settings| settings["title"].as_str());
    let event_type = event_type.unwrap_or_default();
    // A title of the event type's own can have answers in it.
    let is_generated = settings.is_some_and(|settings| settings["customName"].is_null());
    let (name, plain) = (booker.name.as_str(), plain_name(&booker.name));
    let start = (data.title.strip_suffix(name))
        .filter(|start| is_generated && !plain.is_empty() && start.ends_with(" and "));
    let responses: JsonMap = serde_json::from_str(&rows.booking.responses).unwrap_or_default();
    let is_title_typed = responses
        .get("title")
        .is_some_and(|title| *title == data.title);
    let place = responses.get("location").cloned().unwrap_or_default();
    let is_from_visitor = |location: &str| {
        let kind = place["type"].as_str().unwrap_or_default();
        let typed = ["address", "phone", "location"].map(|key| place[key].as_str());
        kind.starts_with("attendee") && typed.contains(&Some(location))
    };
    let offered = settings.and_then(|settings| settings["locations"].as_array());
    let is_offered = |location: &str| {
        let mut texts = (offered.into_iter().flatten().filter_map(Value::as_object))
            .flat_map(|location| location.values());
        texts.any(|text| text.as_str() == Some(location))
    };
    Some(PublicTexts {
        title: match start.filter(|_| !is_title_typed) {
            Some(start) => format!("{start}{plain}"),
            None => event_type.to_owned(),
        },
        event_type: event_type.to_owned(),
        location: match is_from_visitor(&data.location) {
            true => String::new(),
            false => data.location.clone(),
        },
        // The answer with a former location of the visitor is gone.
        previous_location: (data.previous_location.as_deref()).map(|former| {
            match is_offered(former) {
                true => former.to_owned(),
                false => String::new(),
            }
        }),
    })
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
        is_proven: row.is_proven == 1,
    }
}

pub(super) fn host(row: &HostRow) -> Person {
    Person {
        name: row.name.clone().unwrap_or_default(),
        email: display_email(&row.email),
        time_zone: row.time_zone.clone(),
        language: row.locale.clone().unwrap_or_default(),
        has_24_hours: Some(row.time_format == 24),
        seat_uid: None,
        is_proven: true,
    }
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
            let answer: String = answer(value)?
                .chars()
                .take(MAX_SHOWN_ANSWER_CHARS)
                .collect();
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
