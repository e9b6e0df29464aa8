//! Booking as clients show it to visitors: the keys of a response that they use.

use serde_json::Value;

use crate::booking::{BookingStatus, BookingUid};
use crate::event_type::public_event_type::names;
use crate::formats::instant::Instant;
use crate::read::{Fields, JsonMap, Read};

/// A booking as shown to visitors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublicBooking {
    /// Public identifier.
    pub uid: BookingUid,
    /// Identifier in calendars, which a rescheduled booking keeps.
    pub ics_uid: Option<String>,
    /// Identifier of the series that it belongs to.
    pub series_uid: Option<BookingUid>,
    /// The visitor's seat, if the response has it.
    pub seat_uid: Option<String>,
    /// Title, such as "Intro call between Ada and Zoë".
    pub title: String,
    /// Description in plain text, empty if there is none.
    pub description: String,
    /// Status of the booking.
    pub status: BookingStatus,
    /// UTC.
    pub start: Instant,
    /// UTC.
    pub end: Instant,
    /// A URL, an address, a phone number or a token of the service.
    pub location: Option<String>,
    /// Names of the hosts that have one.
    pub host_names: Vec<String>,
    /// E-mail address of the first host, empty if unknown.
    pub host_email: String,
    /// The user name of the first host, empty if unknown.
    pub host_username: String,
    /// Time zone of the first host, empty if unknown.
    pub host_zone: String,
    /// Names of the attendees that have one.
    pub attendee_names: Vec<String>,
    /// E-mail address of the first attendee, empty if unknown.
    pub email: String,
    /// Responses by field slug.
    pub responses: JsonMap,
    /// Id of the event type.
    pub event_type_id: i64,
    /// Slug of the event type; empty if unknown.
    pub event_type_slug: String,
    /// Reason of the cancellation or rejection.
    pub reason: Option<String>,
    /// The booking that replaces this one.
    pub rescheduled_to: Option<BookingUid>,
    /// The booking that this one replaces.
    pub rescheduled_from: Option<BookingUid>,
    /// Instants of creation and of the last change, if known.
    pub history: Option<(Instant, Instant)>,
}

impl PublicBooking {
    /// Returns the minutes from start to end.
    pub fn length(&self) -> i64 {
        self.end.minutes_since(self.start)
    }
}

impl Read for PublicBooking {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let start: Instant = fields.get("start")?;
        let attendee = first(fields, "attendees");
        let host = first(fields, "hosts");
        let event_type = fields.object("eventType");
        let (created, changed): (Option<Instant>, Option<Instant>) =
            (fields.get("createdAt")?, fields.get("updatedAt")?);
        Some(Self {
            uid: fields.get("uid")?,
            ics_uid: fields.get("icsUid")?,
            series_uid: fields.get("recurringBookingUid")?,
            // Not read from the attendees: the first of them may be another visitor.
            seat_uid: fields.get("seatUid")?,
            title: fields.text("title"),
            description: fields.text("description"),
            status: fields.get("status")?,
            start,
            end: fields
                .get("end")
                .unwrap_or_else(|| start.plus_minutes(fields.integer("duration"))),
            location: fields
                .get::<Option<String>>("location")?
                .or(fields.get("meetingUrl")?),
            host_names: names(fields, "hosts"),
            host_email: host.map(email).unwrap_or_default(),
            host_username: host.map(|host| host.text("username")).unwrap_or_default(),
            host_zone: host.map(|host| host.text("timeZone")).unwrap_or_default(),
            attendee_names: names(fields, "attendees"),
            email: attendee.map(email).unwrap_or_default(),
            responses: responses(fields),
            event_type_id: event_type
                .and_then(|event_type| event_type.get("id"))
                .unwrap_or_else(|| fields.integer("eventTypeId")),
            event_type_slug: event_type
                .map(|event_type| event_type.text("slug"))
                .unwrap_or_default(),
            reason: fields
                .get::<Option<String>>("cancellationReason")?
                .or(fields.get("rejectionReason")?),
            rescheduled_to: fields.get("rescheduledToUid")?,
            rescheduled_from: fields.get("rescheduledFromUid")?,
            history: created.map(|created| (created, changed.unwrap_or(created))),
        })
    }
}

/// Response with a booking, or with all bookings of a series by start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublicBookings(pub Vec<PublicBooking>);

impl Read for PublicBookings {
    fn read(value: &Value) -> Option<Self> {
        let bookings = match value.as_array() {
            Some(_) => Vec::<PublicBooking>::read(value)?,
            None => vec![PublicBooking::read(value)?],
        };
        (!bookings.is_empty()).then_some(Self(bookings))
    }
}

/// Returns the responses of the booking or of the visitor's seat, not those of other attendees.
fn responses(fields: Fields<'_>) -> JsonMap {
    let key = "bookingFieldsResponses";
    let (seat, people) = (fields.text("seatUid"), fields.value("attendees"));
    let people = people.and_then(Value::as_array).into_iter().flatten();
    let attendee = people
        .filter_map(Fields::of)
        .find(|person| !seat.is_empty() && person.text("seatUid") == seat);
    attendee.unwrap_or(fields).map(key)
}

fn first<'a>(fields: Fields<'a>, key: &str) -> Option<Fields<'a>> {
    Fields::of(fields.value(key)?.as_array()?.first()?)
}

/// Returns the e-mail address without the part added by a platform.
fn email(person: Fields<'_>) -> String {
    person
        .get("displayEmail")
        .unwrap_or_else(|| person.text("email"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn responses_are_those_of_the_booking_or_the_seat() {
        let own = json!({
            "uid": "a", "status": "accepted", "start": "2027-03-29T07:00:00.000Z",
            "bookingFieldsResponses": {"topic": "Demo"},
        });
        let mut shared = json!({
            "uid": "a", "status": "accepted", "start": "2027-03-29T07:00:00.000Z",
            "attendees": [
                {"name": "Ada", "seatUid": "x", "bookingFieldsResponses": {"topic": "Secret"}},
                {"name": "Zoë", "seatUid": "s", "bookingFieldsResponses": {"topic": "Demo"}},
            ],
        });
        let topic = |value: &Value| {
            PublicBooking::read(value)
                .unwrap()
                .responses
                .get("topic")
                .cloned()
        };
        assert_eq!(topic(&own), Some(json!("Demo")));
        assert_eq!(topic(&shared), None);
        shared["seatUid"] = json!("s");
        assert_eq!(topic(&shared), Some(json!("Demo")));
    }

    #[test]
    fn response_with_one_booking_or_a_series_is_read() {
        let one = json!({
            "uid": "a", "status": "pending", "start": "2027-03-29T07:00:00.000Z", "duration": 30,
            "hosts": [{"id": "unknown", "name": ""}, {"name": "Ada"}],
            "attendees": [{"name": "Zoë", "email": "zoe+1@example.org", "displayEmail": "zoe@example.org", "seatUid": "x"}],
            "seatUid": "s",
            "meetingUrl": "https://meet.example",
            "icsUid": "a@example", "createdAt": "2027-03-01T07:00:00.000Z", "updatedAt": null,
            "eventType": {"id": "41", "slug": "intro"},
        });
        let booking = PublicBooking::read(&one).unwrap();
        assert_eq!(booking.length(), 30);
        assert_eq!(booking.host_names, ["Ada"]);
        assert_eq!(booking.email, "zoe@example.org");
        assert_eq!(booking.seat_uid.as_deref(), Some("s"));
        assert_eq!(booking.ics_uid.as_deref(), Some("a@example"));
        let created = Instant::parse("2027-03-01T07:00:00Z").unwrap();
        assert_eq!(booking.history, Some((created, created)));
        assert!(booking.responses.is_empty());
        assert_eq!(booking.location.as_deref(), Some("https://meet.example"));
        assert_eq!(
            (booking.event_type_id, booking.event_type_slug.as_str()),
            (41, "intro")
        );

        let read = |value: Value| PublicBookings::read(&value).map(|PublicBookings(all)| all);
        assert_eq!(read(one.clone()), Some(vec![booking.clone()]));
        assert_eq!(read(json!([one, {"uid": "b"}])), Some(vec![booking]));
        assert_eq!(read(json!([])), None);
    }
}
