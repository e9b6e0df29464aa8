//! How bookings are made and moved: the bodies of the two requests (contract 3.5.1, 3.5.2).

use serde::Serialize;

use crate::instant::Instant;
use crate::read::JsonMap;

/// The body of POST /v2/bookings.
///
/// The event type is named by `eventTypeId` alone, or by `eventTypeSlug` with either `username`
/// or `teamSlug`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewBooking {
    /// The slot's instant.
    pub start: Instant,
    /// What to book.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub event_type_id: Option<i64>,
    /// What to book, of the person or team named beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type_slug: Option<String>,
    /// Whose event type it is. Several people, joined by `+`, meet as a group under the slug
    /// `dynamic`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Which team's event type it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_slug: Option<String>,
    /// The organisation of that person or team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization_slug: Option<String>,
    /// Minutes, if the event type offers several lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub length_in_minutes: Option<i64>,
    /// Who books.
    pub attendee: NewAttendee,
    /// Answers to the custom fields.
    #[serde(skip_serializing_if = "JsonMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub booking_fields_responses: JsonMap,
    /// E-mail addresses of people who come along.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(max_items = 30))]
    pub guests: Vec<String>,
    /// The place, if there is a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<BookingLocation>,
    /// Free-form: at most 50 keys of 40 characters, with strings of 500, numbers or booleans.
    #[serde(skip_serializing_if = "JsonMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
    /// How many meetings of a series; all that the event type offers unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub recurrence_count: Option<i64>,
    /// Whether to meet at once. Team event types for instant meetings only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instant: Option<bool>,
    /// Proves that the address is the visitor's, where the event type asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verification_code: Option<String>,
    /// The visitor's own reservation of the slot. It is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved_slot_uid: Option<String>,
    /// Of a routing form; taken and not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub routing: Option<JsonMap>,
    /// Deprecated; taken and not used. The place is told in `location`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(deprecated))]
    pub meeting_url: Option<String>,
}

/// Who books: at least one of e-mail address and phone number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewAttendee {
    /// Full name.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 300, pattern = r"\S")
    )]
    pub name: String,
    /// IANA id.
    #[cfg_attr(feature = "openapi", schema(example = "Europe/Rome"))]
    pub time_zone: String,
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = "email"))]
    pub email: Option<String>,
    /// E.164.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = r"^\+[1-9][0-9]{6,14}$"))]
    pub phone_number: Option<String>,
    /// Language code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The place that a visitor chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum BookingLocation {
    /// The organiser's address.
    Address,
    /// The organiser's link.
    Link,
    /// The organiser's number.
    Phone,
    /// A conferencing app.
    Integration {
        /// Its slug.
        integration: String,
    },
    /// The organiser's usual app.
    OrganizersDefaultApp,
    /// At the visitor's.
    AttendeeAddress {
        /// Where.
        address: String,
    },
    /// The organiser calls.
    AttendeePhone {
        /// E.164.
        phone: String,
    },
    /// As the visitor says.
    AttendeeDefined {
        /// What they say.
        location: String,
    },
}

/// The body of POST /v2/bookings/{bookingUid}/reschedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RescheduleBooking {
    /// The new slot's instant.
    pub start: Instant,
    /// Why it is moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescheduling_reason: Option<String>,
    /// The e-mail address of whoever moves it; the caller's own unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = "email"))]
    pub rescheduled_by: Option<String>,
    /// The seat to move; required of visitors of seated bookings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat_uid: Option<String>,
    /// Taken and not used: the address was verified when the booking was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verification_code: Option<String>,
    /// The visitor's own reservation of the new slot. It is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved_slot_uid: Option<String>,
}
