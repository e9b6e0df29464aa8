//! Attendees, references and payments of bookings of version 1.

use booking_wire_macros::wire;

/// A payment of a booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    #[wire(null)]
    pub app_id: Option<String>,
}

/// An attendee of a booking.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

/// Input of an attendee.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttendeeInput {
    /// Id of the booking.
    #[schema(nullable = false, minimum = 1)]
    pub booking_id: Option<i64>,
    /// Full name.
    #[schema(nullable = false, min_length = 1, max_length = 300, pattern = r"\S")]
    pub name: Option<String>,
    /// E-mail address.
    #[schema(nullable = false, format = Email)]
    pub email: Option<String>,
    /// IANA id.
    #[schema(nullable = false, min_length = 1)]
    pub time_zone: Option<String>,
}

/// Reference to a booking in another system.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingReference {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The system, such as `google_calendar`.
    #[wire(key = "type")]
    pub kind: String,
    /// Identifier of the booking in that system.
    pub uid: String,
    /// Id of the booking.
    #[wire(null)]
    pub booking_id: Option<i64>,
    /// Data of a video call.
    #[wire(null)]
    pub meeting_id: Option<String>,
    /// Data of a video call.
    #[wire(null)]
    pub meeting_password: Option<String>,
    /// Data of a video call.
    #[wire(null)]
    pub meeting_url: Option<String>,
    /// Id of the calendar that contains it.
    #[wire(null)]
    pub external_calendar_id: Option<String>,
    /// True if it was deleted there.
    pub deleted: bool,
    /// Id of the credential used to access it.
    #[wire(null)]
    pub credential_id: Option<i64>,
}

/// Input of a booking reference.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingReferenceInput {
    /// The system, such as `google_calendar`.
    #[wire(key = "type")]
    #[schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")]
    pub kind: Option<String>,
    /// Identifier of the booking in that system.
    #[schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")]
    pub uid: Option<String>,
    /// Id of the booking. Optional for administrators of the service only.
    #[schema(nullable = false, minimum = 1)]
    pub booking_id: Option<i64>,
    /// Data of a video call.
    #[schema(max_length = 1000)]
    pub meeting_id: Option<String>,
    /// Data of a video call.
    #[schema(max_length = 1000)]
    pub meeting_password: Option<String>,
    /// Data of a video call.
    #[schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub meeting_url: Option<String>,
    /// Id of the calendar that contains it.
    #[schema(max_length = 1000)]
    pub external_calendar_id: Option<String>,
    /// True if it was deleted there.
    #[schema(nullable = false)]
    pub deleted: Option<bool>,
    /// Id of the credential used to access it.
    #[schema(minimum = 1)]
    pub credential_id: Option<i64>,
}
