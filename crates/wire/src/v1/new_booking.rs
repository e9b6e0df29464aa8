//! Requests that create and change bookings of version 1.

use booking_wire_macros::wire;

use crate::formats::instant::Instant;
use crate::read::JsonMap;

/// The body of POST /v1/bookings.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewBooking {
    /// Event type.
    #[schema(minimum = 1)]
    pub event_type_id: i64,
    /// UTC; start of a slot.
    pub start: Instant,
    /// Responses by field slug.
    pub responses: NewBookingResponses,
    /// The attendee's zone, an IANA id.
    pub time_zone: String,
    /// The attendee's language.
    pub language: String,
    /// Metadata, free-form; may be empty.
    #[schema(value_type = crate::schema::Metadata)]
    pub metadata: JsonMap,
    /// UTC; selects one of the event type's lengths.
    #[schema(nullable = false)]
    pub end: Option<Instant>,
    /// Title instead of the event type's; one line.
    #[schema(nullable = false, max_length = 255)]
    pub title: Option<String>,
    /// Notes.
    #[schema(max_length = 10000)]
    pub description: Option<String>,
    /// Accepted and ignored: the event type decides.
    #[schema(nullable = false, pattern = "^(ACCEPTED|PENDING|CANCELLED|REJECTED)$")]
    pub status: Option<String>,
    /// Accepted and ignored: the service generates the id of a series.
    pub recurring_event_id: Option<String>,
    /// Number of bookings of a series; required for recurring event types, and only for them.
    #[schema(nullable = false, minimum = 1)]
    pub recurring_count: Option<i64>,
    /// Uid of the booking to reschedule to `start`.
    #[schema(nullable = false)]
    pub reschedule_uid: Option<String>,
    /// Accepted and ignored: the event type decides.
    pub seats_per_time_slot: Option<i64>,
    /// Accepted and ignored: the event type decides.
    pub seats_show_attendees: Option<bool>,
    /// Accepted and ignored: the event type decides.
    pub seats_show_availability_count: Option<bool>,
    /// Id of the booking user; for administrators of the service.
    #[schema(nullable = false, minimum = 1)]
    pub user_id: Option<i64>,
}

/// Responses of the attendee. Those to custom fields are further keys, by their slugs.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewBookingResponses {
    /// Full name.
    #[schema(min_length = 1, max_length = 300, pattern = r"\S")]
    pub name: String,
    /// E-mail address.
    #[schema(format = Email)]
    pub email: String,
    /// Location of the booking.
    pub location: NewBookingLocation,
    /// E.164.
    pub sms_reminder_number: Option<String>,
    /// Responses to custom fields by field slug.
    #[wire(flatten)]
    #[schema(ignore)]
    pub others: JsonMap,
}

/// Location of the booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewBookingLocation {
    /// Value of the visitor: an address, a phone number or a text; empty if none is required.
    pub option_value: String,
    /// Kind of location, such as `integrations:zoom`, `inPerson`, `link`, `phone`; empty for the
    /// only one of the event type.
    pub value: String,
}

/// The body of PATCH /v1/bookings/{id}.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BookingChanges {
    /// Title: one line.
    #[schema(nullable = false, min_length = 1, max_length = 255, pattern = r"\S")]
    pub title: Option<String>,
    /// Plain text.
    #[schema(max_length = 10000)]
    pub description: Option<String>,
    /// UTC. Reschedules the booking; the response is the one that replaces it.
    #[schema(nullable = false)]
    pub start: Option<Instant>,
    /// UTC. The length of a booking cannot be changed.
    #[schema(nullable = false)]
    pub end: Option<Instant>,
    /// The same as `start`.
    #[schema(nullable = false)]
    pub start_time: Option<Instant>,
    /// The same as `end`.
    #[schema(nullable = false)]
    pub end_time: Option<Instant>,
    /// `ACCEPTED` confirms, `REJECTED` declines, `CANCELLED` cancels.
    #[schema(nullable = false, pattern = "^(ACCEPTED|PENDING|CANCELLED|REJECTED)$")]
    pub status: Option<String>,
    /// E-mail address recorded with a cancellation.
    #[schema(nullable = false, format = Email)]
    pub cancelled_by: Option<String>,
    /// E-mail address recorded with a reschedule.
    #[schema(nullable = false, format = Email)]
    pub rescheduled_by: Option<String>,
}
