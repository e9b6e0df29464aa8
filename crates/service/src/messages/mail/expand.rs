//! Makes the data and the recipients of messages from an event.
//!
//! An event can be about several bookings with different people. Each person gets one message about the bookings that they
//! take part in, or one for each calendar entry and result if these differ.

use std::collections::{HashMap, HashSet};

use booking_calendar::sequence;
use booking_mail::data::{
    BookingData, MAX_ANSWERS, Person, PublicTexts, SeriesData, readable_location,
};
use booking_mail::message::{Kind, Recipient, Role};
use booking_mail::strangers::plain_name;
use booking_rules::Policy;
use booking_smtp::email_address::is_email;
use booking_wire::formats::is_color;
use booking_wire::{BookingStatus, Instant, JsonMap};
use serde_json::Value;

use super::events::{Change, Details};
use crate::error::Result;
use crate::store::messages::mail_events::{
    self, AttendeeRow, BookingRow, BookingRows, EventRows, EventTypeMail, HostRow,
};
use crate::store::people::users::display_email;
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

/// An event whose messages are made.
#[derive(Clone, Debug)]
pub struct Event {
    /// Kind.
    pub kind: Kind,
    /// Rows of its bookings.
    pub rows: EventRows,
    /// Minutes before the start, of a reminder.
    pub minutes_before: Option<i64>,
    /// Time of the event.
    pub at: Instant,
}

/// Data and recipients of messages with the same content.
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
    /// Organisation, team or user whose event type it is; empty if unknown.
    pub tenant: String,
    /// Hash of the client that caused it; empty if unknown.
    pub source: String,
}

/// Makes data and recipients from an event. `event_types` are those of its bookings by id, without those that were deleted.
/// `new_guests`: addresses of guests who get messages that are not stored yet, by calendar entry.
pub async fn expand(
    db: &mut Db,
    event: Event,
    event_types: &HashMap<i64, EventTypeMail>,
    new_guests: &HashMap<String, HashSet<String>>,
) -> Result<Vec<Expanded>> {
    let details: Details = serde_json::from_str(&event.rows.details).unwrap_or_default();
    let mut bookings: Vec<ChangedBooking<'_>> = (event.rows.bookings.iter())
        .map(|rows| ChangedBooking::new(&event, rows, &details, event_types))
        .collect();
    bookings.sort_by_key(|booking| (booking.data.start, booking.rows.booking.id));
    let mut all = Vec::new();
    for group in grouped(bookings) {
        all.extend(expand_group(db, &group, new_guests).await?);
    }
    for expanded in &mut all {
        let event_type = expanded.event_type_id.and_then(|id| event_types.get(&id));
        expanded.tenant = event_type.map_or_else(String::new, |it| it.tenant.clone());
        expanded.source.clone_from(&details.source);
    }
    Ok(all)
}

/// A booking of an event.
struct ChangedBooking<'a> {
    rows: &'a BookingRows,
    /// Settings of the event type; null if it was deleted.
    settings: &'a Value,
    /// Addresses of hosts whose credentials are rejected: they learn nothing of visitors.
    disabled_hosts: Vec<String>,
    change: Change,
    kind: Kind,
    data: BookingData,
}

impl<'a> ChangedBooking<'a> {
    fn new(
        event: &Event,
        rows: &'a BookingRows,
        details: &Details,
        event_types: &'a HashMap<i64, EventTypeMail>,
    ) -> Self {
        let booking = &rows.booking;
        let event_type = booking.event_type_id.and_then(|id| event_types.get(&id));
        let settings = event_type.map(|event_type| &event_type.settings);
        let change = match details.changes.get(&booking.id) {
            Some(change) => change.clone(),
            // Version 0.1 stored the change of its only booking beside the details.
            None => serde_json::from_str(&event.rows.details).unwrap_or_default(),
        };
        let kind = match (event.kind, &booking.status) {
            (Kind::Booked, BookingStatus::Pending | BookingStatus::AwaitingHost) => Kind::Requested,
            (kind, _) => kind,
        };
        let former_hosts = (event.rows.former_hosts.iter())
            .filter(|row| change.former_host_ids.contains(&row.id))
            .map(host);
        let mut data = BookingData {
            changed: event.at,
            minutes_before: event.minutes_before,
            former_hosts: former_hosts.collect(),
            previous_location: (details.previous_location.as_deref())
                .map(|text| readable_location(Some(text)).0),
            new_guests: details.new_guests.clone(),
            reason: details.reason.clone(),
            told_offsets: change.told_offsets.clone(),
            ..data(rows, settings.unwrap_or(&Value::Null), &change)
        };
        // Of a deleted event type, nothing is revealed that it may have hidden. A group of people has none, and its API
        // hides their addresses, too (`store/visibility.rs`).
        data.hides_host_addresses |= settings.is_none();
        data.reason.take_if(|reason| reason.trim().is_empty());
        data.is_reason_anonymous = details.is_anonymous;
        data.public_texts = public_texts(&data, rows, settings);
        let all_hosts = rows.hosts.iter().chain(&event.rows.former_hosts);
        Self {
            disabled_hosts: (all_hosts.filter(|row| row.disabled_ms.is_some()))
                .map(|row| display_email(&row.email))
                .collect(),
            rows,
            settings: settings.unwrap_or(&Value::Null),
            change,
            kind,
            data,
        }
    }

    /// Calendar entry and result: what all meetings of one message share.
    fn group_key(&self) -> (&str, Kind, bool, bool, bool) {
        let data = &self.data;
        (
            &data.calendar_uid,
            self.kind,
            data.is_confirmed,
            data.is_cancelled,
            data.remaining_attendees.is_empty(),
        )
    }

    /// Returns false for people whose clocks and calendar entries are as before a change of law.
    fn concerns(&self, recipient: &Recipient) -> bool {
        let is_shifted = |zone: &str| self.change.told_offsets.contains_key(zone);
        let entry_zone = match self.rows.booking.shared_series_uid() {
            Some(_) => series_zone(self.rows),
            None => self.data.hosts.first().map(|host| host.time_zone.as_str()),
        };
        self.kind != Kind::ClocksChanged
            || self.change.previous_time.is_some()
            || entry_zone.is_some_and(is_shifted)
            || is_shifted(&recipient.person.time_zone)
            || recipient.role.is_host() && !self.change.told_offsets.is_empty()
    }
}

/// Groups bookings that can share a message, in their order.
fn grouped(bookings: Vec<ChangedBooking<'_>>) -> Vec<Vec<ChangedBooking<'_>>> {
    let mut groups: Vec<Vec<ChangedBooking<'_>>> = Vec::new();
    for booking in bookings {
        let group = groups.iter_mut().find(|group| {
            let first = group.first();
            first.is_some_and(|first| first.group_key() == booking.group_key())
        });
        match group {
            Some(group) => group.push(booking),
            None => groups.push(vec![booking]),
        }
    }
    groups
}

/// Makes the messages about bookings of one group: one for the people of the same bookings.
async fn expand_group(
    db: &mut Db,
    group: &[ChangedBooking<'_>],
    new_guests: &HashMap<String, HashSet<String>>,
) -> Result<Vec<Expanded>> {
    let mut all = Vec::new();
    for (positions, recipients) in recipients_by_bookings(db, group, new_guests).await? {
        let bookings: Vec<&ChangedBooking<'_>> = positions
            .into_iter()
            .filter_map(|position| group.get(position))
            .collect();
        let Some(first) = bookings.first() else {
            continue;
        };
        all.push(Expanded {
            kind: first.kind,
            data: BookingData {
                series: series(db, &bookings).await?,
                ..merged(&bookings)
            },
            recipients,
            event_type_id: first.rows.booking.event_type_id,
            tenant: String::new(),
            source: String::new(),
        });
    }
    Ok(all)
}

/// Returns the recipients by the bookings that they take part in, as positions in the group.
async fn recipients_by_bookings(
    db: &mut Db,
    group: &[ChangedBooking<'_>],
    new_guests: &HashMap<String, HashSet<String>>,
) -> Result<Vec<(Vec<usize>, Vec<Recipient>)>> {
    let mut people: Vec<(PersonKey, Recipient, Vec<usize>)> = Vec::new();
    let mut known: HashMap<PersonKey, usize> = HashMap::new();
    for (position, booking) in group.iter().enumerate() {
        for recipient in recipients_of(db, booking, new_guests).await? {
            let key = person_key(&recipient);
            match known.get(&key).and_then(|index| people.get_mut(*index)) {
                Some((_, _, positions)) => positions.push(position),
                None => {
                    known.insert(key.clone(), people.len());
                    people.push((key, recipient, vec![position]));
                }
            }
        }
    }
    people.retain(|(_, recipient, positions)| {
        let mut bookings = positions.iter().filter_map(|position| group.get(*position));
        bookings.any(|booking| booking.concerns(recipient))
    });
    let mut by_bookings: Vec<(Vec<usize>, Vec<Recipient>)> = Vec::new();
    for (_, recipient, positions) in people {
        match by_bookings
            .iter_mut()
            .find(|(other, _)| *other == positions)
        {
            Some((_, recipients)) => recipients.push(recipient),
            None => by_bookings.push((positions, vec![recipient])),
        }
    }
    Ok(by_bookings)
}

/// Part and address of a person, by which their bookings are found.
type PersonKey = (u8, String);

fn person_key(recipient: &Recipient) -> PersonKey {
    let part = match recipient.role {
        Role::Attendee | Role::Guest => 0,
        Role::Host => 1,
        Role::FormerHost => 2,
    };
    (part, recipient.person.email.to_lowercase())
}

/// Returns the recipients of a message about one booking.
async fn recipients_of(
    db: &mut Db,
    booking: &ChangedBooking<'_>,
    new_guests: &HashMap<String, HashSet<String>>,
) -> Result<Vec<Recipient>> {
    let ChangedBooking {
        rows,
        settings,
        change,
        kind,
        data,
        disabled_hosts,
    } = booking;
    if *kind == Kind::Reminder && rows.booking.status != BookingStatus::Accepted {
        return Ok(Vec::new());
    }
    // Those of a confirmed meeting know of it in any case.
    let is_refusal = *kind == Kind::Declined || *kind == Kind::Cancelled && change.was_pending;
    let mut informed_guests = HashSet::new();
    if is_refusal && change.leaving.is_none() && !data.guests.is_empty() {
        informed_guests = mail_events::informed_guests(db, &data.calendar_uid).await?;
        let new = new_guests.get(&data.calendar_uid);
        informed_guests.extend(new.into_iter().flatten().cloned());
    }
    let mut recipients = recipients(*kind, data, settings, change, &informed_guests);
    recipients.retain(|recipient| {
        !recipient.role.is_host() || !disabled_hosts.contains(&recipient.person.email)
    });
    if *kind == Kind::Reminder {
        let has_stopped = |recipient: &Recipient| {
            let email = &recipient.person.email;
            let mut rows = rows.attendees.iter();
            rows.any(|row| row.reminders_stopped == 1 && display_email(&row.email) == *email)
        };
        recipients.retain(|recipient| recipient.role.is_host() || !has_stopped(recipient));
    }
    Ok(recipients)
}

/// Time zone of the first attendee, in which the meetings of a series are at the same time of day.
fn series_zone(rows: &BookingRows) -> Option<&str> {
    let attendees = rows.attendees.iter().filter(|row| row.guest == 0);
    let first = attendees.min_by_key(|row| row.id)?;
    Some(&first.time_zone)
}

/// Data of a message about several bookings: those of the first one, with the people of all.
fn merged(bookings: &[&ChangedBooking<'_>]) -> BookingData {
    fn add(people: &mut Vec<Person>, others: &[Person]) {
        for other in others {
            // People without an address are told apart by their seats.
            let is_known = people.iter().any(|known| match other.email.is_empty() {
                true => known.seat_uid == other.seat_uid && known.name == other.name,
                false => known.email.eq_ignore_ascii_case(&other.email),
            });
            if !is_known {
                people.push(other.clone());
            }
        }
    }
    let mut all = bookings.iter().map(|booking| &booking.data);
    let mut merged = all.next().cloned().unwrap_or_default();
    for data in all {
        add(&mut merged.hosts, &data.hosts);
        add(&mut merged.former_hosts, &data.former_hosts);
        add(&mut merged.attendees, &data.attendees);
        add(&mut merged.remaining_attendees, &data.remaining_attendees);
        add(&mut merged.guests, &data.guests);
        merged.new_hosts.extend(data.new_hosts.iter().cloned());
        for (zone, told_s) in &data.told_offsets {
            merged.told_offsets.entry(zone.clone()).or_insert(*told_s);
        }
    }
    merged
}

/// Returns the series of bookings of one message, with the occurrences that the message is about.
async fn series(db: &mut Db, bookings: &[&ChangedBooking<'_>]) -> Result<Option<SeriesData>> {
    let Some(first) = bookings.first() else {
        return Ok(None);
    };
    let ChangedBooking {
        rows,
        settings,
        change,
        ..
    } = first;
    let booking = &rows.booking;
    let Some(series_uid) = booking.shared_series_uid() else {
        return Ok(None);
    };
    let recurrence = &settings["recurrence"];
    let mut series = SeriesData {
        frequency: recurrence["frequency"]
            .as_str()
            .unwrap_or("weekly")
            .to_owned(),
        interval: recurrence["interval"].as_i64().unwrap_or(1),
        time_zone: series_zone(rows).unwrap_or("UTC").to_owned(),
        starts: bookings.iter().map(|booking| booking.data.start).collect(),
        ..SeriesData::default()
    };
    if change.starts.len() > 1 {
        series.starts.clone_from(&change.starts);
        return Ok(Some(series));
    }
    for booking in bookings {
        series.occurrences.push(first_start(db, booking).await?);
    }
    match series.occurrences.as_slice() {
        // Calendars compute all occurrences anew, as far as the person takes part.
        _ if first.kind == Kind::ClocksChanged => {}
        [only] => {
            series.occurrence = Some(*only);
            series.occurrences.clear();
        }
        several => {
            let all = mail_events::count_occurrences(db, series_uid).await?;
            series.is_part = usize::try_from(all) != Ok(several.len());
        }
    }
    Ok(Some(series))
}

/// Returns the start with which a booking was made, before it was moved.
async fn first_start(db: &mut Db, booking: &ChangedBooking<'_>) -> Result<Instant> {
    let row = &booking.rows.booking;
    let first = match row.rescheduled_from_uid {
        Some(_) => mail_events::first_start(db, &row.uid).await?,
        None => None,
    };
    Ok(first.unwrap_or(booking.data.start))
}

/// Data of one booking, without those of the event.
fn data(rows: &BookingRows, settings: &Value, change: &Change) -> BookingData {
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
fn public_texts(
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

fn host(row: &HostRow) -> Person {
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
    change: &Change,
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
        Kind::Cancelled => !change.was_pending && change.leaving.is_none(),
        // If a host has to confirm the new time, guests lose the entry of the former one.
        Kind::Rescheduled => data.is_confirmed || !change.was_pending,
        _ => data.is_confirmed,
    };
    let is_told = |person: &&Person| match (&change.leaving, &change.seat_uid) {
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
        let told = data.attendees.iter().filter(is_told);
        let most = match change.is_for_booker_only {
            true => 1,
            false => usize::MAX,
        };
        all.extend(told.take(most).map(as_role(Role::Attendee)));
        // A host may have had to confirm a new time of a meeting that guests knew of.
        let is_known = |person: &&Person| {
            !change.is_for_booker_only
                && (knows_guests || informed_guests.contains(&person.email.to_ascii_lowercase()))
        };
        all.extend(
            data.guests
                .iter()
                .filter(is_known)
                .map(as_role(Role::Guest)),
        );
    }
    if !no_hosts && !change.is_for_booker_only {
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
