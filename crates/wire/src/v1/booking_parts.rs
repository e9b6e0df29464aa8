//! What belongs to bookings of version 1: attendees, names in other systems, payments.

use serde::Serialize;

/// What is asked for a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    /// Identifier.
    pub id: i64,
    /// The booking.
    pub booking_id: i64,
    /// In minor units of `currency`.
    pub amount: i64,
    /// What is taken off for the service, in minor units.
    pub fee: i64,
    /// ISO 4217, lower case.
    pub currency: String,
    /// Whether it has been paid.
    pub success: bool,
    /// Whether it has been given back.
    pub refunded: bool,
    /// When it is due: `ON_BOOKING`.
    pub payment_option: String,
    /// The app that takes it; `null` while there is none.
    pub app_id: Option<String>,
}

lenient!(Payment {
    id: "id" | booking_id: "bookingId",
    amount: "amount",
    fee: "fee",
    currency: "currency",
    success: "success",
    refunded: "refunded",
    payment_option: "paymentOption",
    app_id: "appId",
});

/// Somebody who attends a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Attendee {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The booking.
    pub booking_id: i64,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// IANA id.
    pub time_zone: String,
}

lenient!(Attendee {
    id: "id" | booking_id: "bookingId",
    name: "name",
    email: "email",
    time_zone: "timeZone",
});

/// What is said of an attendee.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttendeeInput {
    /// The booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub booking_id: Option<i64>,
    /// Full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 300, pattern = r"\S")
    )]
    pub name: Option<String>,
    /// E-mail address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = Email))]
    pub email: Option<String>,
    /// IANA id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, min_length = 1))]
    pub time_zone: Option<String>,
}

/// What a booking is called in another system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingReference {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The system, such as `google_calendar`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the booking is called there.
    pub uid: String,
    /// The booking.
    pub booking_id: Option<i64>,
    /// Of a video call.
    pub meeting_id: Option<String>,
    /// Of a video call.
    pub meeting_password: Option<String>,
    /// Of a video call.
    pub meeting_url: Option<String>,
    /// The calendar in which it stands.
    pub external_calendar_id: Option<String>,
    /// Whether it is no longer there.
    pub deleted: bool,
    /// The credential it is reached with.
    pub credential_id: Option<i64>,
}

lenient!(BookingReference {
    id: "id" | kind: "type",
    uid: "uid",
    booking_id: "bookingId",
    meeting_id: "meetingId",
    meeting_password: "meetingPassword",
    meeting_url: "meetingUrl",
    external_calendar_id: "externalCalendarId",
    deleted: "deleted",
    credential_id: "credentialId",
});

/// What is said of a booking reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingReferenceInput {
    /// The system, such as `google_calendar`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub kind: Option<String>,
    /// What the booking is called there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub uid: Option<String>,
    /// The booking. Only those who run the service can leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub booking_id: Option<i64>,
    /// Of a video call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub meeting_id: Option<String>,
    /// Of a video call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub meeting_password: Option<String>,
    /// Of a video call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")
    )]
    pub meeting_url: Option<String>,
    /// The calendar in which it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub external_calendar_id: Option<String>,
    /// Whether it is no longer there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub deleted: Option<bool>,
    /// The credential it is reached with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub credential_id: Option<i64>,
}
