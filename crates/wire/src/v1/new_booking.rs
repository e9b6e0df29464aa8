//! How bookings of version 1 are made and changed.

use serde::Serialize;

use crate::instant::Instant;
use crate::read::JsonMap;

/// The body of POST /v1/bookings.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewBooking {
    /// What to book.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub event_type_id: i64,
    /// UTC; a slot.
    pub start: Instant,
    /// Answers by field slug.
    pub responses: NewBookingResponses,
    /// The attendee's zone, an IANA id.
    pub time_zone: String,
    /// The attendee's language.
    pub language: String,
    /// Free-form; may be empty.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schema::Metadata))]
    pub metadata: JsonMap,
    /// UTC; chooses one of the event type's lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub end: Option<Instant>,
    /// Instead of the event type's own; one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, max_length = 255))]
    pub title: Option<String>,
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 10000))]
    pub description: Option<String>,
    /// Read and let go: the event type decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, pattern = "^(ACCEPTED|PENDING|CANCELLED|REJECTED)$")
    )]
    pub status: Option<String>,
    /// Read and let go: the service names a series itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurring_event_id: Option<String>,
    /// How many meetings a series has; required of recurring event types, and only of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub recurring_count: Option<i64>,
    /// The uid of the booking to be moved to `start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub reschedule_uid: Option<String>,
    /// Read and let go: the event type decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_per_time_slot: Option<i64>,
    /// Read and let go: the event type decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_show_attendees: Option<bool>,
    /// Read and let go: the event type decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_show_availability_count: Option<bool>,
    /// Who books; for those who run the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}

/// Answers of whoever books. Those to custom fields stand beside these, by their slugs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewBookingResponses {
    /// Full name.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 300, pattern = r"\S")
    )]
    pub name: String,
    /// E-mail address.
    #[cfg_attr(feature = "openapi", schema(format = Email))]
    pub email: String,
    /// Where to meet.
    pub location: NewBookingLocation,
    /// E.164.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sms_reminder_number: Option<String>,
    /// Answers to the event type's own fields, by their slugs.
    #[serde(flatten)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    pub others: JsonMap,
}

/// Where to meet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewBookingLocation {
    /// What the visitor adds: their address, number or place; empty where nothing is asked.
    pub option_value: String,
    /// The kind of place, such as `integrations:zoom`, `inPerson`, `link`, `phone`; empty for the
    /// only one that the event type offers.
    pub value: String,
}

/// The body of PATCH /v1/bookings/{id}.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingChanges {
    /// Title: one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 255, pattern = r"\S")
    )]
    pub title: Option<String>,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 10000))]
    pub description: Option<String>,
    /// UTC. The booking is moved there; what is answered is the one that replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub start: Option<Instant>,
    /// UTC. A booking keeps its length.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub end: Option<Instant>,
    /// The same as `start`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub start_time: Option<Instant>,
    /// The same as `end`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub end_time: Option<Instant>,
    /// `ACCEPTED` confirms, `REJECTED` declines, `CANCELLED` cancels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, pattern = "^(ACCEPTED|PENDING|CANCELLED|REJECTED)$")
    )]
    pub status: Option<String>,
    /// Whose e-mail address is noted with a cancellation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = Email))]
    pub cancelled_by: Option<String>,
    /// Whose e-mail address is noted with a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = Email))]
    pub rescheduled_by: Option<String>,
}
