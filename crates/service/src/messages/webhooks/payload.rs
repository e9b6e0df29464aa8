//! Payloads of booking and absence events.
//!
//! They differ from the API's responses: `startTime` and `endTime`, status in upper case, form
//! responses with their labels. `docs/webhooks.md` lists the differences from Cal.com's payloads.

mod people;
mod responses;
mod size;

use booking_calendar::sequence;
use booking_rules::Confirmation;
use booking_wire::{Attendee, Booking, EventType, Host, Instant, JsonMap, Read, Trigger};
use serde_json::{Value, json};

use self::people::{numeric_id, organizer};
use self::responses::FormResponses;
use super::retries_and_limits::{MAX_ATTENDEES, MAX_PAYLOAD_BYTES};
use crate::error::Result;
use crate::store::messages::webhooks::{self, HostSettings};
use crate::store::{Db, bookings, event_types};

pub use self::people::{attendee, utc_offset};

/// The payload of an event.
#[derive(Clone, Debug)]
pub struct Payload {
    /// Uid of the booking or absence.
    pub uid: String,
    /// Uid of the booking that this booking replaces.
    pub replaced_uid: Option<String>,
    /// Fields of the payload.
    pub fields: JsonMap,
}

/// Builds the payload of a booking event; `None` if there is no such booking. `extras` take
/// precedence.
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
        let details = BookingDetails::read(db, booking_id, &booking).await?;
        let seat = extras.get("seatUid").and_then(Value::as_str);
        let mut fields = booking_fields(&booking, &details, seat);
        fields.extend(history(db, trigger, &booking).await?);
        fields
    };
    fields.extend(extras);
    size::fit(&mut fields, MAX_PAYLOAD_BYTES);
    let rescheduled_from = fields.get("rescheduleUid").and_then(Value::as_str);
    Ok(Some(Payload {
        replaced_uid: rescheduled_from
            .map(str::to_owned)
            .or(booking.rescheduled_from_uid.map(|uid| uid.0)),
        uid: booking.uid.0,
        fields,
    }))
}

/// Builds the payload of an absence event; `None` if there is no such absence.
pub async fn of_absence(db: &mut Db, ooo_id: i64) -> Result<Option<Payload>> {
    let Some(absence) = webhooks::absence(db, ooo_id).await? else {
        return Ok(None);
    };
    let person = |host: &Host| {
        json!({
            "id": numeric_id(&host.id),
            "name": host.name,
            "username": host.username,
            "email": host.email,
            "timeZone": host.time_zone,
            "utcOffset": utc_offset(&host.time_zone, absence.start),
        })
    };
    let entry = json!({
        "id": ooo_id,
        "uuid": absence.uuid,
        "start": absence.start,
        "end": absence.end,
        "createdAt": absence.created,
        "notes": absence.notes,
        "reason": absence.reason,
        "user": person(&absence.user),
        "toUser": absence.to_user.as_ref().map(person),
    });
    let mut fields = map(json!({"oooEntry": entry}));
    size::fit(&mut fields, MAX_PAYLOAD_BYTES);
    Ok(Some(Payload {
        uid: absence.uuid,
        replaced_uid: None,
        fields,
    }))
}

/// Details of a booking that [`Booking`] does not contain.
struct BookingDetails {
    event_type: Option<EventType>,
    hosts: Vec<HostSettings>,
    guests: Vec<Attendee>,
    organization_id: Option<i64>,
    video_call: Option<Value>,
}

impl BookingDetails {
    async fn read(db: &mut Db, booking_id: i64, booking: &Booking) -> Result<Self> {
        let event_type = match booking.event_type_id {
            Some(id) => event_types::get(db, id).await?.map(|stored| stored.wire),
            None => None,
        };
        Ok(Self {
            event_type,
            hosts: webhooks::host_settings(db, booking_id).await?,
            guests: webhooks::guests(db, booking_id).await?,
            organization_id: webhooks::organization(db, booking_id).await?,
            video_call: webhooks::video_call(db, booking_id).await?,
        })
    }
}

fn booking_fields(booking: &Booking, details: &BookingDetails, seat: Option<&str>) -> JsonMap {
    let event_type = details.event_type.as_ref();
    let submitted = match seat {
        Some(seat) => booking
            .attendees
            .iter()
            .find(|attendee| attendee.seat_uid.as_deref() == Some(seat))
            .and_then(|attendee| attendee.booking_fields_responses.as_ref()),
        None => booking.booking_fields_responses.as_ref(),
    };
    let notes = match submitted.and_then(|submitted| submitted.get("notes")) {
        Some(Value::String(notes)) if seat.is_some() => notes,
        _ => &booking.description,
    };
    let responses = FormResponses::new(event_type, submitted);
    let organized = |host: &Host| organizer(host, &details.hosts, booking.start);
    let mut fields = map(json!({
        "uid": booking.uid.0,
        "bookingId": booking.id,
        "type": booking.event_type.as_ref().map(|booked| &booked.slug),
        "title": booking.title,
        "description": notes,
        "additionalNotes": notes,
        "status": booking.status.as_str().to_uppercase(),
        "eventTypeId": booking.event_type_id,
        "length": booking.duration,
        "eventTitle": event_type.map(|event_type| &event_type.title),
        "eventDescription": event_type.map(|event_type| &event_type.description),
        "startTime": seconds(booking.start),
        "endTime": seconds(booking.end),
        "organizer": booking.hosts.first().map(organized),
        "attendees": attendees(booking, &details.guests),
        "responses": responses.all,
        "userFieldsResponses": responses.custom,
        "customInputs": {},
        "location": booking.location,
        "metadata": metadata(booking, details.video_call.as_ref()),
        "iCalUID": booking.ics_uid,
        "iCalSequence": sequence(booking.updated_at.or(booking.created_at).unwrap_or(booking.start)),
        "organizationId": details.organization_id,
        // Filled in when the message is sent.
        "bookerUrl": null,
        // Events are not written to calendars, nor booked by private links or with other apps.
        "destinationCalendar": null,
        "appsStatus": [],
        "hashedLink": null,
    }));
    if let Some(event_type) = event_type {
        fields.extend(settings(event_type));
        if let Some(team) = &event_type.team {
            let members: Vec<Value> = booking.hosts.iter().map(organized).collect();
            let team = json!({"id": team.id, "name": team.name, "members": members});
            fields.insert("team".into(), team);
        }
    }
    if let Some(call) = &details.video_call {
        fields.insert("videoCallData".into(), call.clone());
    }
    fields
}

/// Settings of the event type.
fn settings(event_type: &EventType) -> JsonMap {
    let seats = &event_type.seats;
    let is_seated = seats.get("disabled").and_then(Value::as_bool) != Some(true)
        && seats.get("seatsPerTimeSlot").is_some();
    // Without seats, the attendee sees every attendee.
    let confirmation = Confirmation::read(&event_type.confirmation_policy);
    let shows = |key: &str| !is_seated || seats.get(key).and_then(Value::as_bool) == Some(true);
    map(json!({
        "requiresConfirmation": confirmation == Some(Confirmation::Always),
        "price": event_type.price,
        "currency": event_type.currency,
        "schedulingType": event_type.scheduling_type.as_deref().map(scheduling_type),
        "hideCalendarNotes": event_type.hide_calendar_notes,
        "hideOrganizerEmail": event_type.hide_organizer_email,
        "seatsPerTimeSlot": seats.get("seatsPerTimeSlot").filter(|_| is_seated),
        "seatsShowAttendees": shows("showAttendeeInfo"),
        "seatsShowAvailabilityCount": shows("showAvailabilityCount"),
    }))
}

fn scheduling_type(name: &str) -> String {
    match name {
        "roundRobin" => "ROUND_ROBIN".to_owned(),
        other => other.to_uppercase(),
    }
}

/// The attendees and then the guests; beyond the limit, the first and the latest.
fn attendees(booking: &Booking, guests: &[Attendee]) -> Vec<Value> {
    let mut people: Vec<&Attendee> = booking.attendees.iter().chain(guests).collect();
    let surplus = people.len().saturating_sub(MAX_ATTENDEES);
    people.drain(1.min(people.len())..(1 + surplus).min(people.len()));
    people
        .into_iter()
        .map(|person| attendee(person, booking.start))
        .collect()
}

/// The booking's metadata with the URL of its video call.
fn metadata(booking: &Booking, video_call: Option<&Value>) -> JsonMap {
    let mut metadata = booking.metadata.clone().unwrap_or_default();
    let url = video_call
        .and_then(|call| call.get("url"))
        .and_then(Value::as_str)
        .or(booking.meeting_url.as_deref());
    if let Some(url) = url {
        metadata.entry("videoCallUrl").or_insert_with(|| url.into());
    }
    metadata
}

/// Additional fields of a trigger that are stored with the booking.
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
            let (ids, _) = bookings::ids_by_uid(db, &from.0).await?;
            let previous = bookings::load(db, ids.get(..1).unwrap_or_default())
                .await?
                .pop();
            let rescheduled_by = previous
                .as_ref()
                .and_then(|previous| previous.rescheduled_by_email.clone());
            json!({
                "rescheduleId": previous.as_ref().map(|previous| previous.id),
                "rescheduleUid": from.0,
                "rescheduleStartTime": previous.as_ref().map(|previous| seconds(previous.start)),
                "rescheduleEndTime": previous.as_ref().map(|previous| seconds(previous.end)),
                "rescheduledBy": rescheduled_by.or_else(|| booking.rescheduled_by_email.clone()),
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

/// ISO 8601, with milliseconds only if there are any.
fn seconds(instant: Instant) -> String {
    let text = instant.to_string();
    match text.strip_suffix(".000Z") {
        Some(short) => format!("{short}Z"),
        None => text,
    }
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
    fn time_without_milliseconds_has_no_fraction() {
        assert_eq!(seconds(Instant(1_803_888_000_000)), "2027-03-01T08:00:00Z");
        assert_eq!(
            seconds(Instant(1_803_888_000_250)),
            "2027-03-01T08:00:00.250Z"
        );
    }

    #[test]
    fn attendees_beyond_the_limit_are_the_first_and_the_latest() {
        let people = |count: usize| -> Vec<Attendee> {
            (0..count)
                .map(|index| Attendee {
                    name: index.to_string(),
                    ..Attendee::default()
                })
                .collect()
        };
        for (seats, guests, first_of_the_latest) in
            [(0, 0, None), (1, 30, Some("1")), (250, 0, Some("151"))]
        {
            let booking = Booking {
                attendees: people(seats),
                ..Booking::default()
            };
            let listed = attendees(&booking, &people(guests));
            assert_eq!(listed.len(), (seats + guests).min(MAX_ATTENDEES));
            assert_eq!(
                listed.first().map(|first| &first["name"]),
                (seats > 0).then_some(&json!("0"))
            );
            let second = listed.get(1).and_then(|second| second["name"].as_str());
            if guests == 0 {
                assert_eq!(second, first_of_the_latest);
            }
        }
    }
}
