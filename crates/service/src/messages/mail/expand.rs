//! Makes the data and the recipients of messages from an event.
//!
//! An event can be about several bookings with different people. Each person gets one message about the bookings that they
//! take part in, or one for each calendar entry and result if these differ.

mod booking_data;
mod recipients;

use std::collections::{HashMap, HashSet};

use booking_mail::data::{BookingData, Person, SeriesData, readable_location};
use booking_mail::message::{Kind, Recipient, Role};
use booking_wire::{BookingStatus, Instant};
use serde_json::Value;

pub(crate) use self::booking_data::colour_of;
use self::booking_data::{data, host, public_texts};
use self::recipients::recipients;
use super::events::{Change, Details};
use crate::error::Result;
use crate::store::Db;
use crate::store::messages::mail_events::{self, BookingRows, EventRows, EventTypeMail};
use crate::store::people::users::display_email;

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
        // Calendars recompute all occurrences, as far as the person takes part.
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
