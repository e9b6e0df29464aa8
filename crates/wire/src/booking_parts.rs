//! Requests and responses of the operations below `/v2/bookings/{bookingUid}`.

use serde::Serialize;
use serde_json::Value;

use crate::booking::Booking;
use crate::instant::Instant;
use crate::read::{Fields, Read};

/// The body of `cancel`. It may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CancelBooking {
    /// Reason; required of hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancellation_reason: Option<String>,
    /// True to cancel the later occurrences of the series as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_subsequent_bookings: Option<bool>,
    /// Seat to cancel; required of visitors of seated bookings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat_uid: Option<String>,
}

/// The body of `correct-email`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CorrectEmail {
    /// Address that the booking has, in any case.
    pub email: String,
    /// Correct address.
    #[cfg_attr(feature = "openapi", schema(example = "zoe.lukasik@example.org"))]
    pub new_email: String,
    /// Seat of the person; required in bookings with seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat_uid: Option<String>,
}

/// The body of `decline`. It may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeclineBooking {
    /// Reason, shown to the attendee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The body of `reassign/{userId}`. It may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReassignBooking {
    /// Reason of the reassignment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Response of `reassign`: the booking, and its new host.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReassignedBooking {
    /// The booking.
    #[serde(flatten)]
    pub booking: Booking,
    /// The same as `uid`.
    pub booking_uid: String,
    /// The new host.
    pub reassigned_to: ReassignedTo,
}

impl Read for ReassignedBooking {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            booking: Booking::read(value)?,
            booking_uid: fields.text("bookingUid"),
            reassigned_to: fields.get("reassignedTo")?,
        })
    }
}

/// New host of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReassignedTo {
    /// Identifier.
    pub id: i64,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// E-mail address without the part added by the platform.
    pub display_email: String,
}

impl Read for ReassignedTo {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let email = fields.text("email");
        Some(Self {
            id: fields.integer("id"),
            name: fields.text("name"),
            display_email: fields.get("displayEmail").unwrap_or_else(|| email.clone()),
            email,
        })
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

/// The body of `mark-absent`: at least one of the two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MarkAbsent {
    /// True if the host did not attend.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<bool>,
    /// Attendees to mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attendees: Option<Vec<Absence>>,
}

/// Attendance of one attendee.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Absence {
    /// The attendee's e-mail address.
    pub email: String,
    /// True if the attendee did not attend.
    pub absent: bool,
}

/// The body of `guests`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AddGuests {
    /// 1 to 10; a booking has 30 at most.
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 10))]
    pub guests: Vec<NewGuest>,
}

/// A guest to add.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewGuest {
    /// E-mail address.
    pub email: String,
    /// Full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// IANA id; the attendee's if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// E.164.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Language code, or a tag with a region such as `en-GB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The body of POST `attendees`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AddAttendee {
    /// Full name.
    pub name: String,
    /// IANA id.
    pub time_zone: String,
    /// E-mail address.
    pub email: String,
    /// E.164.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Language code, or a tag with a region such as `en-GB`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The body of PATCH `location`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpdateLocation {
    /// The new location; nothing changes without one.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<LocationInput>, required = false))]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingAttendee {
    /// Identifier.
    pub id: i64,
    /// The booking's numeric identifier.
    pub booking_id: i64,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// E-mail address without the part added by the platform.
    pub display_email: String,
    /// IANA id.
    pub time_zone: String,
    /// True if the attendee did not attend.
    pub absent: bool,
    /// Language code.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "crate::locale::write_attendee_language"
    )]
    pub language: Option<String>,
    /// E.164.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// Seated bookings only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat_uid: Option<String>,
}

impl Read for BookingAttendee {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let email = fields.text("email");
        Some(Self {
            id: fields.get("id")?,
            booking_id: fields.integer("bookingId"),
            name: fields.text("name"),
            display_email: fields.get("displayEmail").unwrap_or_else(|| email.clone()),
            email,
            time_zone: fields.text("timeZone"),
            absent: fields.flag("absent"),
            language: fields.get("language")?,
            phone_number: fields.get("phoneNumber")?,
            seat_uid: fields.get("seatUid")?,
        })
    }
}

/// A link that adds a booking to a calendar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CalendarLink {
    /// Such as "Google Calendar".
    pub label: String,
    /// A URL, or a `data:` URI with a calendar file.
    pub link: String,
}

impl Read for CalendarLink {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            label: fields.text("label"),
            link: fields.get("link")?,
        })
    }
}

/// Reference to a booking in another system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingReference {
    /// Identifier.
    pub id: i64,
    /// Kind of system, such as `google_calendar`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Identifier in that system.
    pub event_uid: String,
    /// Id of the calendar that it was written to.
    pub destination_calendar_id: Option<String>,
}

impl Read for BookingReference {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            kind: fields.text("type"),
            event_uid: fields.text("eventUid"),
            destination_calendar_id: fields.get("destinationCalendarId")?,
        })
    }
}

/// A recording of the meeting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    /// Identifier.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_participants: Option<i64>,
    /// Download URL, valid for one hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_link: Option<String>,
    /// Reason why it cannot be downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Read for Recording {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            room_name: fields.text("roomName"),
            start_ts: fields.integer("startTs"),
            status: fields.text("status"),
            duration: fields.integer("duration"),
            share_token: fields.text("shareToken"),
            max_participants: fields.get("maxParticipants")?,
            download_link: fields.get("downloadLink")?,
            error: fields.get("error")?,
        })
    }
}

/// The query parameters of GET /v2/bookings: those of a team's list and more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OwnBookingsQuery {
    /// Parameters of a team's list.
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

impl OwnBookingsQuery {
    /// Returns the name and value of each query parameter that is set.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = self.list.pairs();
        if !self.teams_ids.is_empty() {
            let ids: Vec<String> = self.teams_ids.iter().map(i64::to_string).collect();
            pairs.push(("teamsIds", ids.join(",")));
        }
        let instants = [
            ("afterCreatedAt", self.after_created_at),
            ("beforeCreatedAt", self.before_created_at),
            ("afterUpdatedAt", self.after_updated_at),
            ("beforeUpdatedAt", self.before_updated_at),
        ];
        pairs.extend(self.team_id.map(|id| ("teamId", id.to_string())));
        for (name, instant) in instants {
            pairs.extend(instant.map(|instant| (name, instant.to_string())));
        }
        pairs.extend(
            self.sort_updated_at
                .map(|order| ("sortUpdatedAt", order.as_str().to_owned())),
        );
        pairs
    }
}
