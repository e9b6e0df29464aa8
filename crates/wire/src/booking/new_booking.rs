//! Requests that create and reschedule bookings.

use booking_wire_macros::wire;
use serde::Serialize;

use crate::formats::instant::Instant;
use crate::read::JsonMap;

/// The body of POST /v2/bookings.
///
/// The event type is selected by `eventTypeId`, or by `eventTypeSlug` with either `username` or
/// `teamSlug`.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewBooking {
    /// Start of the slot.
    pub start: Instant,
    /// Event type.
    #[schema(minimum = 1)]
    pub event_type_id: Option<i64>,
    /// Event type of the user or team in `username` or `teamSlug`.
    pub event_type_slug: Option<String>,
    /// Owner of the event type. Several user names, joined by `+`, meet as a group under the slug
    /// `dynamic`.
    pub username: Option<String>,
    /// Team of the event type.
    pub team_slug: Option<String>,
    /// Organisation of that user or team.
    pub organization_slug: Option<String>,
    /// Minutes, if the event type offers several lengths.
    #[schema(minimum = 1)]
    pub length_in_minutes: Option<i64>,
    /// Attendee.
    pub attendee: NewAttendee,
    /// Responses to the custom fields.
    #[serde(skip_serializing_if = "JsonMap::is_empty")]
    #[schema(value_type = Object)]
    pub booking_fields_responses: JsonMap,
    /// E-mail addresses of guests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 30)]
    pub guests: Vec<String>,
    /// Location, if there is a choice.
    pub location: Option<BookingLocation>,
    /// Metadata: at most 50 keys of 40 characters, with strings of 500, numbers or booleans.
    #[serde(skip_serializing_if = "JsonMap::is_empty")]
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
    /// Number of bookings of a series; the maximum of the event type by default.
    #[schema(minimum = 1)]
    pub recurrence_count: Option<i64>,
    /// Starts of the bookings of a series instead of their number, ascending. The first is `start`; the others are on
    /// days of the series in the attendee's time zone, which can be left out, at any free slot of the day. Extension of
    /// this service.
    #[schema(min_items = 1)]
    pub recurrence_starts: Option<Vec<Instant>>,
    /// True for an instant meeting. Team event types for instant meetings only.
    pub instant: Option<bool>,
    /// Code that verifies the attendee's e-mail address, if the event type requires it: see POST
    /// /v2/verified-resources/emails/verification-code/request. The booking uses it up. Callers need none for addresses
    /// that they have verified, nor for event types that they host or manage.
    pub email_verification_code: Option<String>,
    /// The visitor's reservation of the slot. It is consumed.
    pub reserved_slot_uid: Option<String>,
    /// Data of a routing form; accepted and ignored.
    #[schema(value_type = Option<Object>)]
    pub routing: Option<JsonMap>,
    /// Deprecated; accepted and ignored. See `location`.
    #[schema(deprecated)]
    pub meeting_url: Option<String>,
}

/// Attendee of a new booking, with an e-mail address, a phone number or both.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewAttendee {
    /// Full name.
    #[schema(min_length = 1, max_length = 300, pattern = r"\S")]
    pub name: String,
    /// IANA id.
    #[schema(example = "Europe/Rome")]
    pub time_zone: String,
    /// E-mail address.
    #[schema(format = "email")]
    pub email: Option<String>,
    /// E.164.
    #[schema(pattern = r"^\+[1-9][0-9]{6,14}$")]
    pub phone_number: Option<String>,
    /// Language code, or a tag with a region such as `en-GB`.
    pub language: Option<String>,
}

/// Location chosen by a visitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum BookingLocation {
    /// The organiser's address.
    Address,
    /// The organiser's link.
    Link,
    /// The organiser's phone number.
    Phone,
    /// A conferencing app.
    Integration {
        /// Its slug.
        integration: String,
    },
    /// The organiser's default conferencing app.
    OrganizersDefaultApp,
    /// The visitor's address.
    AttendeeAddress {
        /// Postal address.
        address: String,
    },
    /// The organiser calls.
    AttendeePhone {
        /// E.164.
        phone: String,
    },
    /// A text of the visitor.
    AttendeeDefined {
        /// Location in the visitor's words.
        location: String,
    },
}

/// The body of POST /v2/bookings/{bookingUid}/reschedule.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RescheduleBooking {
    /// Start of the new slot.
    pub start: Instant,
    /// Reason of the reschedule.
    pub rescheduling_reason: Option<String>,
    /// E-mail address of the person who reschedules; the caller's by default.
    #[schema(format = "email")]
    pub rescheduled_by: Option<String>,
    /// Seat to reschedule; required of visitors of seated bookings.
    pub seat_uid: Option<String>,
    /// Accepted and ignored: the address was verified on booking.
    pub email_verification_code: Option<String>,
    /// The visitor's reservation of the new slot. It is consumed.
    pub reserved_slot_uid: Option<String>,
}
