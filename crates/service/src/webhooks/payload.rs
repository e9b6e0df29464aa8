//! What subscribers are told of a booking or an absence (contract 7).
//!
//! It differs from what the interface answers: `startTime` and `endTime`, status in upper case,
//! answers with their labels.

use booking_wire::{Attendee, Booking, EventType, Host, Instant, JsonMap, Trigger};
use chrono::{Offset, TimeZone};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::error::Result;
use crate::store::webhooks::Absence;
use crate::store::{Db, bookings, event_types, webhooks};

/// What is told.
#[derive(Clone, Debug)]
pub struct Payload {
    /// The uid of what it is about.
    pub about: String,
    /// The payload itself.
    pub fields: JsonMap,
}

/// Labels of the fields that every form has, as keys of translation.
const LABELS: [(&str, &str); 8] = [
    ("name", "your_name"),
    ("email", "email_address"),
    ("attendeePhoneNumber", "phone_number"),
    ("guests", "additional_guests"),
    ("location", "location"),
    ("title", "what_is_this_meeting_about"),
    ("notes", "additional_notes"),
    ("rescheduleReason", "reason_for_reschedule"),
];

/// Says what happened to a booking; none if there is no such booking.
pub async fn of_booking(
    db: &mut Db,
    trigger: Trigger,
    booking_id: i64,
    extras: JsonMap,
) -> Result<Option<Payload>> {
    let Some(booking) = bookings::load(db, &[booking_id]).await?.pop() else {
        return Ok(None);
    };
    let mut fields = if trigger == Trigger::BookingNoShowUpdated {
        no_show(&booking)
    } else {
        let event_type = match booking.event_type_id {
            Some(id) => event_types::get(db, id).await?.map(|stored| stored.wire),
            None => None,
        };
        let seat = extras.get("seatUid").and_then(Value::as_str);
        let mut fields = whole(&booking, event_type.as_ref(), seat);
        if let Some(call) = webhooks::video_call(db, booking_id).await? {
            fields.insert("videoCallData".into(), call);
        }
        fields.extend(history(db, trigger, &booking).await?);
        fields
    };
    fields.extend(extras);
    Ok(Some(Payload {
        about: booking.uid.0,
        fields,
    }))
}

/// Says who will be away; none if there is no such absence.
pub async fn of_absence(db: &mut Db, ooo_id: i64) -> Result<Option<Payload>> {
    let Some(absence) = webhooks::absence(db, ooo_id).await? else {
        return Ok(None);
    };
    let Absence {
        uuid,
        start,
        end,
        created,
        notes,
        reason,
        user,
        to_user,
    } = absence;
    let person = |host: &Host| {
        json!({
            "id": number(&host.id),
            "name": host.name,
            "username": host.username,
            "email": host.email,
            "timeZone": host.time_zone,
            "utcOffset": utc_offset(&host.time_zone, start),
        })
    };
    let entry = json!({
        "id": ooo_id,
        "uuid": uuid,
        "start": start,
        "end": end,
        "createdAt": created,
        "notes": notes,
        "reason": reason,
        "user": person(&user),
        "toUser": to_user.as_ref().map(person),
    });
    Ok(Some(Payload {
        about: uuid,
        fields: map(json!({"oooEntry": entry})),
    }))
}

fn whole(booking: &Booking, event_type: Option<&EventType>, seat: Option<&str>) -> JsonMap {
    let answers = match seat {
        Some(seat) => booking
            .attendees
            .iter()
            .find(|attendee| attendee.seat_uid.as_deref() == Some(seat))
            .and_then(|attendee| attendee.booking_fields_responses.as_ref()),
        None => booking.booking_fields_responses.as_ref(),
    };
    let mut responses = JsonMap::new();
    let mut own = JsonMap::new();
    for (slug, value) in answers.into_iter().flatten() {
        let answer = json!({"label": label(event_type, slug), "value": value});
        if !LABELS.iter().any(|(known, _)| known == slug) {
            own.insert(slug.clone(), answer.clone());
        }
        responses.insert(slug.clone(), answer);
    }
    let people: Vec<Value> = booking
        .attendees
        .iter()
        .map(|attendee| attends(attendee, booking.start))
        .collect();
    let mut fields = map(json!({
        "uid": booking.uid.0,
        "bookingId": booking.id,
        "type": booking.event_type.as_ref().map(|booked| &booked.slug),
        "title": booking.title,
        "status": booking.status.as_str().to_uppercase(),
        "eventTypeId": booking.event_type_id,
        "length": booking.duration,
        "eventTitle": event_type.map(|event_type| &event_type.title),
        "startTime": seconds(booking.start),
        "endTime": seconds(booking.end),
        "organizer": booking.hosts.first().map(|host| organizes(host, booking.start)),
        "attendees": people,
        "responses": responses,
        "userFieldsResponses": own,
        "location": booking.location,
        "metadata": booking.metadata.clone().unwrap_or_default(),
        "iCalUID": booking.ics_uid,
    }));
    if let Some(event_type) = event_type {
        fields.insert(
            "requiresConfirmation".into(),
            event_type.always_needs_confirmation().into(),
        );
        fields.insert("price".into(), event_type.price.into());
        fields.insert("currency".into(), event_type.currency.clone().into());
        if let Some(team) = &event_type.team {
            let members: Vec<Value> = booking
                .hosts
                .iter()
                .map(|host| organizes(host, booking.start))
                .collect();
            let team = json!({"id": team.id, "name": team.name, "members": members});
            fields.insert("team".into(), team);
        }
    }
    fields
}

/// What an event adds, as far as the booking itself remembers it.
async fn history(db: &mut Db, trigger: Trigger, booking: &Booking) -> Result<JsonMap> {
    Ok(map(match trigger {
        Trigger::BookingCancelled => json!({
            "cancellationReason": booking.cancellation_reason,
            "cancelledBy": booking.cancelled_by_email,
        }),
        Trigger::BookingRejected => json!({"rejectionReason": booking.cancellation_reason}),
        Trigger::BookingRescheduled => {
            let Some(from) = &booking.rescheduled_from_uid else {
                return Ok(JsonMap::new());
            };
            let (ids, _) = bookings::ids_of(db, &from.0).await?;
            let before = bookings::load(db, ids.get(..1).unwrap_or_default())
                .await?
                .pop();
            let mover = before
                .as_ref()
                .and_then(|before| before.rescheduled_by_email.clone());
            json!({
                "rescheduleUid": from.0,
                "rescheduleStartTime": before.as_ref().map(|before| seconds(before.start)),
                "rescheduleEndTime": before.as_ref().map(|before| seconds(before.end)),
                "rescheduledBy": mover.or_else(|| booking.rescheduled_by_email.clone()),
            })
        }
        _ => return Ok(JsonMap::new()),
    }))
}

fn no_show(booking: &Booking) -> JsonMap {
    let absent: Vec<&str> = booking
        .attendees
        .iter()
        .filter(|attendee| attendee.absent)
        .map(|attendee| attendee.email.as_str())
        .chain(booking.absent_host.then_some("the host"))
        .collect();
    let message = match absent.as_slice() {
        [] => "Everybody was marked as present".to_owned(),
        absent => format!("Marked as no-show: {}", absent.join(", ")),
    };
    let attendees: Vec<Value> = booking
        .attendees
        .iter()
        .map(|attendee| json!({"email": attendee.email, "noShow": attendee.absent}))
        .collect();
    map(json!({
        "message": message,
        "bookingUid": booking.uid.0,
        "bookingId": booking.id,
        "attendees": attendees,
    }))
}

fn organizes(host: &Host, start: Instant) -> Value {
    json!({
        "id": number(&host.id),
        "name": host.name,
        "email": host.email,
        "timeZone": host.time_zone,
        "utcOffset": utc_offset(&host.time_zone, start),
    })
}

fn attends(attendee: &Attendee, start: Instant) -> Value {
    json!({
        "name": attendee.name,
        "email": attendee.email,
        "timeZone": attendee.time_zone,
        "utcOffset": utc_offset(&attendee.time_zone, start),
    })
}

fn label(event_type: Option<&EventType>, slug: &str) -> String {
    event_type
        .and_then(|event_type| {
            event_type
                .booking_fields
                .iter()
                .find(|field| field.slug == slug)
                .and_then(|field| field.label.as_deref())
        })
        .or_else(|| {
            LABELS
                .iter()
                .find(|(known, _)| *known == slug)
                .map(|(_, label)| *label)
        })
        .unwrap_or(slug)
        .to_owned()
}

/// Minutes east of UTC at that instant; none in a zone that is not known.
pub fn utc_offset(zone: &str, at: Instant) -> Option<i32> {
    let zone: Tz = zone.parse().ok()?;
    let moment = at.utc()?.naive_utc();
    let offset = zone.offset_from_utc_datetime(&moment).fix();
    Some(offset.local_minus_utc() / 60)
}

/// ISO 8601, with milliseconds only if there are any.
fn seconds(instant: Instant) -> String {
    let text = instant.to_string();
    match text.strip_suffix(".000Z") {
        Some(short) => format!("{short}Z"),
        None => text,
    }
}

/// Ids of people are texts in the interface and numbers here; `unknown` stays a text.
fn number(id: &str) -> Value {
    id.parse::<i64>().map_or_else(|_| id.into(), Value::from)
}

fn map(value: Value) -> JsonMap {
    match value {
        Value::Object(map) => map,
        _ => JsonMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offset_is_that_of_the_start_on_either_side_of_a_change() {
        let at = |text| Instant::parse(text).unwrap();
        for (zone, instant, offset) in [
            ("Europe/Rome", "2027-03-28T00:59:59Z", Some(60)),
            ("Europe/Rome", "2027-03-28T01:00:00Z", Some(120)),
            ("America/New_York", "2027-01-01T12:00:00Z", Some(-300)),
            ("Asia/Kolkata", "2027-01-01T12:00:00Z", Some(330)),
            ("Mars/Olympus", "2027-01-01T12:00:00Z", None),
        ] {
            assert_eq!(utc_offset(zone, at(instant)), offset, "{zone} {instant}");
        }
    }

    #[test]
    fn moments_are_written_without_needless_milliseconds() {
        assert_eq!(seconds(Instant(1_803_888_000_000)), "2027-03-01T08:00:00Z");
        assert_eq!(
            seconds(Instant(1_803_888_000_250)),
            "2027-03-01T08:00:00.250Z"
        );
    }
}
