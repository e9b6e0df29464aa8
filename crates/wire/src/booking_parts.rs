//! What is done to a booking and what belongs to it: the bodies and answers of the operations
//! below `/v2/bookings/{bookingUid}` (contract 3.5.2).

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
    /// Required of hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancellation_reason: Option<String>,
    /// Whether the later occurrences of the series are cancelled, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_subsequent_bookings: Option<bool>,
    /// The seat to give back; required of visitors of seated bookings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat_uid: Option<String>,
}

/// The body of `decline`. It may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeclineBooking {
    /// Shown to the person who booked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The body of `reassign/{userId}`. It may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReassignBooking {
    /// Why another host takes over.
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

/// Host that has taken a booking over.
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
    /// E-mail address without the platform's own part.
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
    /// Whether the host did not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<bool>,
    /// Which attendees did not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attendees: Option<Vec<Absence>>,
}

/// Whether one attendee did not come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Absence {
    /// The attendee's e-mail address.
    pub email: String,
    /// True if they did not come.
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

/// Somebody who comes along.
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
    /// Language code.
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
    /// Language code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The body of PATCH `location`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpdateLocation {
    /// The new place; nothing changes without one.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<GivenLocation>, required = false))]
    pub location: GivenLocation,
}

/// A place with its value, as a host gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum GivenLocation {
    /// The organiser's address.
    Address {
        /// Where.
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
    /// At the attendee's.
    AttendeeAddress {
        /// Where.
        address: String,
    },
    /// The organiser calls.
    AttendeePhone {
        /// E.164.
        phone: String,
    },
    /// As the attendee said.
    AttendeeDefined {
        /// What they said.
        location: String,
    },
}

/// An attendee with their number.
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
    /// E-mail address without the platform's own part.
    pub display_email: String,
    /// IANA id.
    pub time_zone: String,
    /// Whether they did not come.
    pub absent: bool,
    /// Language code.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// An address to open, or a `data:` URI that holds a calendar file.
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

/// What a booking is called in another system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingReference {
    /// Identifier.
    pub id: i64,
    /// Such as `google_calendar`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its name there.
    pub event_uid: String,
    /// The calendar that it was written to.
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
    /// The room in which it was made.
    pub room_name: String,
    /// Epoch seconds.
    pub start_ts: i64,
    /// Such as `finished`.
    pub status: String,
    /// Seconds.
    pub duration: i64,
    /// Gives access to it.
    pub share_token: String,
    /// How many took part at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_participants: Option<i64>,
    /// Where it can be fetched for an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download_link: Option<String>,
    /// Why it cannot be fetched.
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

/// The query parameters of GET /v2/bookings beyond those of a team's list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OwnBookingsQuery {
    /// Those of a team's list.
    pub list: crate::booking::BookingsQuery,
    /// Of any of these teams.
    pub teams_ids: Vec<i64>,
    /// Of this team.
    pub team_id: Option<i64>,
    /// Made at or after.
    pub after_created_at: Option<Instant>,
    /// Made at or before.
    pub before_created_at: Option<Instant>,
    /// Last changed at or after.
    pub after_updated_at: Option<Instant>,
    /// Last changed at or before.
    pub before_updated_at: Option<Instant>,
    /// By the time of the last change.
    pub sort_updated_at: Option<crate::booking::SortOrder>,
}

impl OwnBookingsQuery {
    /// Name and value of each query parameter that is set.
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
