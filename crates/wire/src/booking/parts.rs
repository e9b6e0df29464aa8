//! Requests and responses of the operations below `/v2/bookings/{bookingUid}`.

use booking_wire_macros::wire;
use serde::Serialize;

use crate::booking::Booking;
use crate::formats::instant::Instant;

/// The body of `cancel`. It may be empty.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CancelBooking {
    /// Reason; required of hosts.
    pub cancellation_reason: Option<String>,
    /// True to cancel the later occurrences of the series as well.
    pub cancel_subsequent_bookings: Option<bool>,
    /// Seat to cancel; required of visitors of seated bookings.
    pub seat_uid: Option<String>,
}

/// The body of `correct-email`.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CorrectEmail {
    /// Address that the booking has, in any case.
    pub email: String,
    /// Correct address.
    #[schema(example = "zoe.lukasik@example.org")]
    pub new_email: String,
    /// Seat of the person; required in bookings with seats.
    pub seat_uid: Option<String>,
}

/// The body of `decline`. It may be empty.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclineBooking {
    /// Reason, shown to the attendee.
    pub reason: Option<String>,
}

/// The body of `reassign/{userId}`. It may be empty.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReassignBooking {
    /// Reason of the reassignment.
    pub reason: Option<String>,
}

/// Response of `reassign`: the booking, and its new host.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReassignedBooking {
    /// The booking.
    #[wire(flatten)]
    pub booking: Booking,
    /// The same as `uid`.
    pub booking_uid: String,
    /// The new host.
    #[wire(required)]
    pub reassigned_to: ReassignedTo,
}

/// New host of a booking.
#[wire(read, or_default, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReassignedTo {
    /// Identifier.
    pub id: i64,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// E-mail address without the part added by the platform.
    #[wire(alias = "email")]
    pub display_email: String,
}

/// The body of `mark-absent`: at least one of the two.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkAbsent {
    /// True if the host did not attend.
    pub host: Option<bool>,
    /// Attendees to mark.
    pub attendees: Option<Vec<Absence>>,
}

/// Attendance of one attendee.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absence {
    /// The attendee's e-mail address.
    pub email: String,
    /// True if the attendee did not attend.
    pub absent: bool,
}

/// The body of `guests`.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddGuests {
    /// 1 to 10; a booking has 30 at most.
    #[schema(min_items = 1, max_items = 10)]
    pub guests: Vec<NewGuest>,
}

/// A guest to add.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewGuest {
    /// E-mail address.
    pub email: String,
    /// Full name.
    pub name: Option<String>,
    /// IANA id; the attendee's if absent.
    pub time_zone: Option<String>,
    /// E.164.
    pub phone_number: Option<String>,
    /// Language code, or a tag with a region such as `en-GB`.
    pub language: Option<String>,
}

/// The body of POST `attendees`.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddAttendee {
    /// Full name.
    pub name: String,
    /// IANA id.
    pub time_zone: String,
    /// E-mail address.
    pub email: String,
    /// E.164.
    pub phone_number: Option<String>,
    /// Language code, or a tag with a region such as `en-GB`.
    pub language: Option<String>,
}

/// The body of PATCH `location`.
#[wire(write)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateLocation {
    /// The new location; nothing changes without one.
    #[schema(value_type = Option<LocationInput>, required = false)]
    pub location: LocationInput,
}

/// A location set by a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = GivenLocation))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum LocationInput {
    /// The organiser's address.
    Address {
        /// Postal address.
        address: String,
    },
    /// A link to the meeting.
    Link {
        /// http or https.
        link: String,
    },
    /// The attendee calls.
    Phone {
        /// E.164.
        phone: String,
    },
    /// The attendee's address.
    AttendeeAddress {
        /// Postal address.
        address: String,
    },
    /// The organiser calls.
    AttendeePhone {
        /// E.164.
        phone: String,
    },
    /// Location named by the attendee.
    AttendeeDefined {
        /// Text of the attendee.
        location: String,
    },
}

/// An attendee with its id.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingAttendee {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// The booking's numeric identifier.
    pub booking_id: i64,
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
}

/// A link that adds a booking to a calendar.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalendarLink {
    /// Such as "Google Calendar".
    pub label: String,
    /// A URL, or a `data:` URI with a calendar file.
    #[wire(required)]
    pub link: String,
}

/// Reference to a booking in another system.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingReference {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// Kind of system, such as `google_calendar`.
    #[wire(key = "type")]
    pub kind: String,
    /// Identifier in that system.
    pub event_uid: String,
    /// Id of the calendar that it was written to.
    #[wire(null)]
    pub destination_calendar_id: Option<String>,
}

/// A recording of the meeting.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Identifier.
    #[wire(required)]
    pub id: String,
    /// Name of the video room.
    pub room_name: String,
    /// Epoch seconds.
    pub start_ts: i64,
    /// Such as `finished`.
    pub status: String,
    /// Seconds.
    pub duration: i64,
    /// Token that gives access to it.
    pub share_token: String,
    /// Maximum number of concurrent participants.
    pub max_participants: Option<i64>,
    /// Download URL, valid for one hour.
    pub download_link: Option<String>,
    /// Reason why it cannot be downloaded.
    pub error: Option<String>,
}

/// The query parameters of GET /v2/bookings: those of a team's list and more.
#[wire(query)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OwnBookingsQuery {
    /// Parameters of a team's list.
    #[wire(flatten)]
    pub list: crate::booking::BookingsQuery,
    /// Bookings of any of these teams.
    pub teams_ids: Vec<i64>,
    /// Bookings of this team.
    pub team_id: Option<i64>,
    /// Created at or after.
    pub after_created_at: Option<Instant>,
    /// Created at or before.
    pub before_created_at: Option<Instant>,
    /// Last changed at or after.
    pub after_updated_at: Option<Instant>,
    /// Last changed at or before.
    pub before_updated_at: Option<Instant>,
    /// Order by the instant of the last change.
    pub sort_updated_at: Option<crate::booking::SortOrder>,
}
