//! Bookings of version 1 and their parts.

use booking_wire_macros::wire;
use serde::Serialize;

use crate::formats::instant::Instant;
use crate::read::JsonMap;

/// A booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Booking {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// Id of the host; of the first one of several.
    #[wire(null)]
    pub user_id: Option<i64>,
    /// Plain text.
    pub description: String,
    /// Event type; `null` if it was deleted.
    #[wire(null)]
    pub event_type_id: Option<i64>,
    /// Identifier in version 2.
    pub uid: String,
    /// Title.
    pub title: String,
    /// UTC.
    pub start_time: Instant,
    /// UTC.
    pub end_time: Instant,
    /// Time zone of the attendee, an IANA id.
    pub time_zone: String,
    /// Attendees.
    pub attendees: Vec<BookingPerson>,
    /// The host; the first one of several.
    #[wire(null)]
    pub user: Option<BookingHost>,
    /// Event type.
    #[wire(null)]
    pub event_type: Option<BookedEventType>,
    /// Payments.
    pub payment: Vec<BookingPayment>,
    /// Metadata, free-form.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
    /// Status as in version 2, in capitals.
    pub status: String,
    /// Responses by field slug.
    #[schema(value_type = Object)]
    pub responses: JsonMap,
    /// The uid of the booking that this one replaces.
    #[wire(null)]
    pub from_reschedule: Option<String>,
    /// E-mail address of the person who cancelled.
    #[wire(null)]
    pub cancelled_by: Option<String>,
    /// E-mail address of the person who rescheduled.
    #[wire(null)]
    pub rescheduled_by: Option<String>,
    /// Shared by the occurrences of a series.
    #[wire(null)]
    pub recurring_event_id: Option<String>,
    /// Instant of creation.
    #[wire(null)]
    pub created_at: Option<Instant>,
}

/// An attendee of a booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingPerson {
    /// Identifier of the attendee.
    pub id: i64,
    /// E-mail address.
    pub email: String,
    /// Full name.
    pub name: String,
    /// IANA id.
    pub time_zone: String,
    /// Language code.
    #[wire(null)]
    pub locale: Option<String>,
}

/// Host of a booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingHost {
    /// E-mail address.
    pub email: String,
    /// Full name.
    #[wire(null)]
    pub name: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// Language code.
    #[wire(null)]
    pub locale: Option<String>,
}

/// Event type of a booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[schema(as = BookedType)]
pub struct BookedEventType {
    /// Title.
    pub title: String,
    /// Slug.
    pub slug: String,
    /// Team of the event type.
    #[wire(null)]
    pub team: Option<BookingTeam>,
}

/// Team of the event type of a booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingTeam {
    /// Identifier.
    pub id: i64,
    /// Name of the team.
    pub name: String,
    /// Slug.
    pub slug: String,
}

/// A payment as its booking shows it.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingPayment {
    /// Identifier.
    pub id: i64,
    /// True if it has been paid.
    pub success: bool,
    /// Due time.
    pub payment_option: String,
}

/// Response of a cancellation.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cancelled {
    /// Always `true`.
    pub success: bool,
    /// For developers.
    pub message: String,
    /// True if one seat was cancelled and the booking remains.
    pub only_removed_attendee: bool,
    /// Id of the booking.
    pub booking_id: i64,
    /// Identifier of the booking in version 2.
    pub booking_uid: String,
}

/// A recording of a meeting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Recording {
    /// Identifier.
    pub id: String,
    /// Name of the video room.
    pub room_name: String,
    /// Epoch seconds.
    pub start_ts: i64,
    /// Such as `finished`.
    pub status: String,
    /// Maximum number of concurrent participants.
    pub max_participants: Option<i64>,
    /// Seconds.
    pub duration: i64,
    /// Token that gives access to it.
    pub share_token: String,
    /// Download URL, valid for twelve hours.
    pub download_link: Option<String>,
}
