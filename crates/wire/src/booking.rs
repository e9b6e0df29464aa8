//! Bookings and the query of their list.

pub mod new_booking;
pub mod parts;
pub mod public_booking;

use std::fmt;

use booking_wire_macros::wire;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::formats::instant::Instant;
use crate::read::{Fields, JsonMap, Read};

/// Identifier that also gives access to a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BookingUid(pub String);

impl fmt::Display for BookingUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Read for BookingUid {
    fn read(value: &Value) -> Option<Self> {
        String::read(value).map(Self)
    }
}

/// A booking in any of the four variants: plain, recurring, seated, recurring and seated.
///
/// Required keys are always written, optional ones only if they apply.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Booking {
    /// Numeric identifier.
    pub id: i64,
    /// Public identifier.
    pub uid: BookingUid,
    /// Title, such as "Intro call between Ada and Zoë".
    pub title: String,
    /// Empty if there is none.
    pub description: String,
    /// Hosts.
    pub hosts: Vec<Host>,
    /// Status of the booking.
    pub status: BookingStatus,
    /// UTC.
    pub start: Instant,
    /// UTC.
    pub end: Instant,
    /// Minutes.
    pub duration: i64,
    /// Repeats `event_type.id`.
    #[wire(null)]
    pub event_type_id: Option<i64>,
    /// Event type; `null` if it was deleted.
    #[wire(null)]
    pub event_type: Option<BookedEventType>,
    /// A URL, an address, a phone number or a token of the service.
    #[wire(null)]
    pub location: Option<String>,
    /// Repeats `location` if it is a URL.
    pub meeting_url: Option<String>,
    /// True if the host did not attend.
    pub absent_host: bool,
    /// Instant of creation.
    #[wire(null)]
    pub created_at: Option<Instant>,
    /// Instant of the last change.
    #[wire(null)]
    pub updated_at: Option<Instant>,
    /// Attendees.
    pub attendees: Vec<Attendee>,
    /// Responses by field slug; absent on seated bookings, where each attendee has responses.
    #[schema(value_type = Option<Object>)]
    pub booking_fields_responses: Option<JsonMap>,
    /// E-mail addresses.
    pub guests: Option<Vec<String>>,
    /// Shared by the occurrences of a series.
    pub recurring_booking_uid: Option<String>,
    /// Seat created by this request.
    pub seat_uid: Option<String>,
    /// Reason of the cancellation or rejection.
    pub cancellation_reason: Option<String>,
    /// E-mail address of the person who cancelled.
    pub cancelled_by_email: Option<String>,
    /// Reason of the reschedule.
    pub rescheduling_reason: Option<String>,
    /// E-mail address of the person who rescheduled.
    pub rescheduled_by_email: Option<String>,
    /// The booking that this one replaces.
    pub rescheduled_from_uid: Option<BookingUid>,
    /// The booking that replaces this one.
    pub rescheduled_to_uid: Option<BookingUid>,
    /// Metadata, free-form.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<JsonMap>,
    /// 1 to 5.
    pub rating: Option<i64>,
    /// Identifier in calendar files.
    pub ics_uid: Option<String>,
}

impl Booking {
    /// Returns true for a booking of a series. Decided by its keys, not by its position.
    pub fn is_recurring(&self) -> bool {
        self.recurring_booking_uid.is_some()
    }

    /// Returns the instants of creation and of the last change, if known.
    pub fn history(&self) -> Option<(Instant, Instant)> {
        let created = self.created_at?;
        Some((created, self.updated_at.unwrap_or(created)))
    }

    /// Returns true if each attendee has a seat.
    pub fn is_seated(&self) -> bool {
        self.seat_uid.is_some()
            || self
                .attendees
                .iter()
                .any(|attendee| attendee.seat_uid.is_some())
            || self.booking_fields_responses.is_none()
    }
}

impl Read for Booking {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let start: Instant = fields.get("start")?;
        let end = fields
            .get("end")
            .unwrap_or_else(|| start.plus_minutes(fields.integer("duration")));
        let event_type: Option<BookedEventType> = fields.get("eventType")?;
        Some(Self {
            id: fields.integer("id"),
            uid: fields.get("uid")?,
            title: fields.text("title"),
            description: fields.text("description"),
            hosts: fields.list("hosts"),
            status: fields.get("status")?,
            start,
            end,
            duration: fields
                .get("duration")
                .unwrap_or_else(|| end.minutes_since(start)),
            event_type_id: fields
                .get::<Option<i64>>("eventTypeId")?
                .or_else(|| event_type.as_ref().map(|event_type| event_type.id)),
            event_type,
            location: fields
                .get::<Option<String>>("location")?
                .or(fields.get("meetingUrl")?),
            meeting_url: fields.get("meetingUrl")?,
            absent_host: fields.flag("absentHost"),
            created_at: fields.get("createdAt")?,
            updated_at: fields.get("updatedAt")?,
            attendees: fields.list("attendees"),
            booking_fields_responses: fields
                .object("bookingFieldsResponses")
                .map(|_| fields.map("bookingFieldsResponses")),
            guests: fields.get("guests")?,
            recurring_booking_uid: fields.get("recurringBookingUid")?,
            seat_uid: fields.get("seatUid")?,
            cancellation_reason: fields.get("cancellationReason")?,
            cancelled_by_email: fields.get("cancelledByEmail")?,
            rescheduling_reason: fields.get("reschedulingReason")?,
            rescheduled_by_email: fields.get("rescheduledByEmail")?,
            rescheduled_from_uid: fields.get("rescheduledFromUid")?,
            rescheduled_to_uid: fields.get("rescheduledToUid")?,
            metadata: fields.object("metadata").map(|_| fields.map("metadata")),
            rating: fields.get("rating")?,
            ics_uid: fields.get("icsUid")?,
        })
    }
}

/// Event type of a booking.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookedEventType {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// Slug.
    pub slug: String,
}

/// Status of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(from = "String")]
pub enum BookingStatus {
    /// Confirmed.
    #[default]
    Accepted,
    /// Waits for the confirmation of a host or for a payment.
    Pending,
    /// Cancelled by a host or the attendee.
    Cancelled,
    /// Declined by a host.
    Rejected,
    /// Instant meeting that waits for a host.
    AwaitingHost,
    /// A status unknown to this version.
    Unknown(String),
}

impl BookingStatus {
    /// Returns the name on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Accepted => "accepted",
            Self::Pending => "pending",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
            Self::AwaitingHost => "awaiting_host",
            Self::Unknown(name) => name,
        }
    }
}

impl Serialize for BookingStatus {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Reads the name on the wire.
impl From<String> for BookingStatus {
    fn from(name: String) -> Self {
        match name.as_str() {
            "accepted" => Self::Accepted,
            "pending" => Self::Pending,
            "cancelled" => Self::Cancelled,
            "rejected" => Self::Rejected,
            "awaiting_host" => Self::AwaitingHost,
            _ => Self::Unknown(name),
        }
    }
}

impl Read for BookingStatus {
    fn read(value: &Value) -> Option<Self> {
        Some(value.as_str()?.to_owned().into())
    }
}

/// Host of a booking.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// A text because a booking without host has `"unknown"`.
    #[serde(serialize_with = "serialize_id")]
    #[schema(schema_with = crate::schema::id_or_text)]
    pub id: String,
    /// Empty if unknown.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// E-mail address without the part added by the platform.
    #[wire(alias = "email")]
    pub display_email: String,
    /// User name.
    pub username: String,
    /// IANA id.
    pub time_zone: String,
}

/// Writes a numeric id as a number, as the interface specifies.
fn serialize_id<S: serde::Serializer>(id: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match id.parse::<i64>() {
        Ok(number) => serializer.serialize_i64(number),
        Err(_) => serializer.serialize_str(id),
    }
}

/// Attendee of a booking.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attendee {
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// E-mail address without the part added by the platform.
    #[wire(alias = "email")]
    pub display_email: String,
    /// IANA id.
    pub time_zone: String,
    /// True if the attendee did not attend.
    pub absent: bool,
    /// Language code.
    #[serde(serialize_with = "crate::formats::locale::write_attendee_language")]
    pub language: Option<String>,
    /// E.164.
    pub phone_number: Option<String>,
    /// Seated bookings only.
    pub seat_uid: Option<String>,
    /// Seated bookings only: responses of this attendee, without the e-mail address.
    #[schema(value_type = Option<Object>)]
    pub booking_fields_responses: Option<JsonMap>,
    /// Seated bookings only.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<JsonMap>,
}

/// Filter of a list by `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusFilter {
    /// Not ended; a booking of a series only if accepted; neither cancelled nor declined.
    Upcoming,
    /// Not ended, part of a series, neither cancelled nor declined.
    Recurring,
    /// Ended, neither cancelled nor declined.
    Past,
    /// Cancelled or declined.
    Cancelled,
    /// Not ended and pending.
    Unconfirmed,
}

impl StatusFilter {
    /// All filters in display order.
    pub const ALL: [Self; 5] = [
        Self::Upcoming,
        Self::Unconfirmed,
        Self::Recurring,
        Self::Past,
        Self::Cancelled,
    ];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Upcoming => "upcoming",
            Self::Recurring => "recurring",
            Self::Past => "past",
            Self::Cancelled => "cancelled",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// Returns the filter with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|filter| filter.as_str() == name)
    }
}

/// Direction of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// Smallest first.
    Asc,
    /// Largest first.
    Desc,
}

impl SortOrder {
    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asc => "asc",
            Self::Desc => "desc",
        }
    }

    /// Returns the order with that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Asc, Self::Desc]
            .into_iter()
            .find(|order| order.as_str() == name)
    }
}

/// Filters, order and page of a list of bookings: the thirteen parameters of Cal.com's interface, and `search` and
/// `hostIds`, extensions.
#[wire(query)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query, rename_all = "camelCase"))]
pub struct BookingsQuery {
    /// Any of upcoming, recurring, past, cancelled, unconfirmed.
    #[param(value_type = Option<Vec<String>>, explode = false)]
    pub status: Vec<StatusFilter>,
    /// Exact match.
    pub attendee_email: Option<String>,
    /// Exact match.
    pub attendee_name: Option<String>,
    /// Exact match.
    pub booking_uid: Option<String>,
    /// Any of these event types.
    #[param(value_type = Option<Vec<i64>>, explode = false)]
    pub event_type_ids: Vec<i64>,
    /// Event type.
    pub event_type_id: Option<i64>,
    /// Starts at or after.
    pub after_start: Option<Instant>,
    /// Ends at or before.
    pub before_end: Option<Instant>,
    /// `asc` or `desc`.
    #[param(value_type = Option<String>)]
    pub sort_start: Option<SortOrder>,
    /// `asc` or `desc`.
    #[param(value_type = Option<String>)]
    pub sort_end: Option<SortOrder>,
    /// `asc` or `desc`.
    #[param(value_type = Option<String>)]
    pub sort_created: Option<SortOrder>,
    /// Number of bookings; 100 by default.
    #[param(minimum = 1, maximum = 250)]
    pub take: Option<i64>,
    /// Number of bookings to skip.
    #[param(minimum = 0)]
    pub skip: Option<i64>,
    /// Extension of this service, not part of Cal.com's interface. Each word must be the beginning
    /// of a word of the title, of the event type's title or of the name of an attendee, guest or
    /// host, or the beginning of the e-mail address of an attendee or guest or of the uid. Case and accents are ignored. Only
    /// fields that the caller may see are searched. The eight longest words count.
    #[param(min_length = 1, max_length = 100)]
    pub search: Option<String>,
    /// Extension of this service, not part of Cal.com's interface. User ids: bookings with any of these hosts.
    #[param(value_type = Option<Vec<i64>>, explode = false)]
    pub host_ids: Vec<i64>,
}

#[cfg(feature = "openapi")]
mod schema {
    use std::borrow::Cow;

    use utoipa::openapi::RefOr;
    use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
    use utoipa::{PartialSchema, ToSchema};

    use super::BookingStatus;

    impl PartialSchema for BookingStatus {
        fn schema() -> RefOr<Schema> {
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some([
                    "accepted",
                    "pending",
                    "cancelled",
                    "rejected",
                    "awaiting_host",
                ]))
                .into()
        }
    }

    impl ToSchema for BookingStatus {
        fn name() -> Cow<'static, str> {
            "BookingStatus".into()
        }
    }
}
