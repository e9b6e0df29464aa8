//! Bookings of version 1, and what belongs to them.

use serde::Serialize;
use serde_json::Value;

use crate::instant::Instant;
use crate::read::{Fields, JsonMap, Read};

/// An agreed meeting.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Booking {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The host's; the first one's of several.
    pub user_id: Option<i64>,
    /// Plain text.
    pub description: String,
    /// What was booked; `null` if that is gone.
    pub event_type_id: Option<i64>,
    /// Its name in version 2.
    pub uid: String,
    /// Title.
    pub title: String,
    /// UTC.
    pub start_time: Instant,
    /// UTC.
    pub end_time: Instant,
    /// The zone of whoever booked.
    pub time_zone: String,
    /// Who attends.
    pub attendees: Vec<BookingPerson>,
    /// The host; the first one of several.
    pub user: Option<BookingHost>,
    /// More about what was booked.
    pub event_type: Option<BookedType>,
    /// What was asked for it.
    pub payment: Vec<BookingPayment>,
    /// Free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
    /// As in version 2, in capitals.
    pub status: String,
    /// Answers by field slug.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub responses: JsonMap,
    /// The uid of the booking that this one replaces.
    pub from_reschedule: Option<String>,
    /// Who cancelled.
    pub cancelled_by: Option<String>,
    /// Who moved it.
    pub rescheduled_by: Option<String>,
    /// Shared by the occurrences of a series.
    pub recurring_event_id: Option<String>,
    /// When it was made.
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

/// Somebody who attends.
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

/// Who hosts.
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

/// What was booked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BookedType {
    /// Title.
    pub title: String,
    /// Slug.
    pub slug: String,
    /// The team that offers it.
    pub team: Option<BookingTeam>,
}

lenient!(BookedType { | title: "title", slug: "slug", team: "team" });

/// The team that offers what was booked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BookingTeam {
    /// Identifier.
    pub id: i64,
    /// What it is called.
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
    /// Whether it has been paid.
    pub success: bool,
    /// When it is due.
    pub payment_option: String,
}

lenient!(BookingPayment { id: "id" | success: "success", payment_option: "paymentOption" });

/// What is answered to a cancellation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cancelled {
    /// Always `true`.
    pub success: bool,
    /// For developers.
    pub message: String,
    /// Whether one seat was given back and the booking stands.
    pub only_removed_attendee: bool,
    /// The booking.
    pub booking_id: i64,
    /// The same, by its name in version 2.
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
    /// The room in which it was made.
    pub room_name: String,
    /// Epoch seconds.
    pub start_ts: i64,
    /// Such as `finished`.
    pub status: String,
    /// How many took part at once.
    pub max_participants: Option<i64>,
    /// Seconds.
    pub duration: i64,
    /// Gives access to it.
    pub share_token: String,
    /// Where it can be fetched for twelve hours.
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
