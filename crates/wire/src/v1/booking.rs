//! Bookings of version 1 and their parts.

use serde::Serialize;
use serde_json::Value;

use crate::instant::Instant;
use crate::read::{Fields, JsonMap, Read};

/// A booking.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Booking {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// Id of the host; of the first one of several.
    pub user_id: Option<i64>,
    /// Plain text.
    pub description: String,
    /// Event type; `null` if it was deleted.
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
    pub user: Option<BookingHost>,
    /// Event type.
    pub event_type: Option<BookedEventType>,
    /// Payments.
    pub payment: Vec<BookingPayment>,
    /// Metadata, free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
    /// Status as in version 2, in capitals.
    pub status: String,
    /// Responses by field slug.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub responses: JsonMap,
    /// The uid of the booking that this one replaces.
    pub from_reschedule: Option<String>,
    /// E-mail address of the person who cancelled.
    pub cancelled_by: Option<String>,
    /// E-mail address of the person who rescheduled.
    pub rescheduled_by: Option<String>,
    /// Shared by the occurrences of a series.
    pub recurring_event_id: Option<String>,
    /// Instant of creation.
    pub created_at: Option<Instant>,
}

impl Read for Booking {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            user_id: fields.get("userId")?,
            description: fields.text("description"),
            event_type_id: fields.get("eventTypeId")?,
            uid: fields.text("uid"),
            title: fields.text("title"),
            start_time: fields.get("startTime")?,
            end_time: fields.get("endTime")?,
            time_zone: fields.text("timeZone"),
            attendees: fields.list("attendees"),
            user: fields.get("user")?,
            event_type: fields.get("eventType")?,
            payment: fields.list("payment"),
            metadata: fields.map("metadata"),
            status: fields.text("status").to_uppercase(),
            responses: fields.map("responses"),
            from_reschedule: fields.get("fromReschedule")?,
            cancelled_by: fields.get("cancelledBy")?,
            rescheduled_by: fields.get("rescheduledBy")?,
            recurring_event_id: fields.get("recurringEventId")?,
            created_at: fields.get("createdAt")?,
        })
    }
}

/// An attendee of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
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
    pub locale: Option<String>,
}

lenient!(BookingPerson {
    id: "id" | email: "email",
    name: "name",
    time_zone: "timeZone",
    locale: "locale",
});

/// Host of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingHost {
    /// E-mail address.
    pub email: String,
    /// Full name.
    pub name: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// Language code.
    pub locale: Option<String>,
}

lenient!(BookingHost { |
    email: "email",
    name: "name",
    time_zone: "timeZone",
    locale: "locale",
});

/// Event type of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = BookedType))]
pub struct BookedEventType {
    /// Title.
    pub title: String,
    /// Slug.
    pub slug: String,
    /// Team of the event type.
    pub team: Option<BookingTeam>,
}

lenient!(BookedEventType { | title: "title", slug: "slug", team: "team" });

/// Team of the event type of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BookingTeam {
    /// Identifier.
    pub id: i64,
    /// Name of the team.
    pub name: String,
    /// Slug.
    pub slug: String,
}

lenient!(BookingTeam { id: "id" | name: "name", slug: "slug" });

/// A payment as its booking shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingPayment {
    /// Identifier.
    pub id: i64,
    /// True if it has been paid.
    pub success: bool,
    /// Due time.
    pub payment_option: String,
}

lenient!(BookingPayment { id: "id" | success: "success", payment_option: "paymentOption" });

/// Response of a cancellation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
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

lenient!(Cancelled { |
    success: "success",
    message: "message",
    only_removed_attendee: "onlyRemovedAttendee",
    booking_id: "bookingId",
    booking_uid: "bookingUid",
});

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

lenient!(Recording {
    id: "id" | room_name: "room_name",
    start_ts: "start_ts",
    status: "status",
    max_participants: "max_participants",
    duration: "duration",
    share_token: "share_token",
    download_link: "download_link",
});
