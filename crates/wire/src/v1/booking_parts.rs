//! Attendees, references and payments of bookings of version 1.

use serde::Serialize;

/// A payment of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    /// Identifier.
    pub id: i64,
    /// Id of the booking.
    pub booking_id: i64,
    /// In minor units of `currency`.
    pub amount: i64,
    /// Fee of the service, in minor units.
    pub fee: i64,
    /// ISO 4217, lower case.
    pub currency: String,
    /// True if it has been paid.
    pub success: bool,
    /// True if it has been refunded.
    pub refunded: bool,
    /// Due time: `ON_BOOKING`.
    pub payment_option: String,
    /// Id of the payment app; `null` if there is none.
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

/// An attendee of a booking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Attendee {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// Id of the booking.
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

/// Input of an attendee.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AttendeeInput {
    /// Id of the booking.
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

/// Reference to a booking in another system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookingReference {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The system, such as `google_calendar`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Identifier of the booking in that system.
    pub uid: String,
    /// Id of the booking.
    pub booking_id: Option<i64>,
    /// Data of a video call.
    pub meeting_id: Option<String>,
    /// Data of a video call.
    pub meeting_password: Option<String>,
    /// Data of a video call.
    pub meeting_url: Option<String>,
    /// Id of the calendar that contains it.
    pub external_calendar_id: Option<String>,
    /// True if it was deleted there.
    pub deleted: bool,
    /// Id of the credential used to access it.
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

/// Input of a booking reference.
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
    /// Identifier of the booking in that system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub uid: Option<String>,
    /// Id of the booking. Optional for administrators of the service only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub booking_id: Option<i64>,
    /// Data of a video call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub meeting_id: Option<String>,
    /// Data of a video call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub meeting_password: Option<String>,
    /// Data of a video call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")
    )]
    pub meeting_url: Option<String>,
    /// Id of the calendar that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub external_calendar_id: Option<String>,
    /// True if it was deleted there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub deleted: Option<bool>,
    /// Id of the credential used to access it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub credential_id: Option<i64>,
}
