//! Credentials of connected apps, and calendars, of version 1.

use booking_wire_macros::wire;

/// A connected app of a user. Its key is never sent.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credential {
    /// Identifier.
    pub id: i64,
    /// The app, such as `google_calendar`.
    #[wire(key = "type")]
    pub kind: String,
}

/// Input of a connected app. Deliberately without `Debug`: it contains a secret.
#[wire(write)]
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CredentialInput {
    /// Key of the app; the service does not interpret it.
    #[schema(nullable = false, min_length = 1, max_length = 10000)]
    pub encrypted_key: Option<String>,
    /// The app's slug, such as `google-calendar`.
    #[schema(nullable = false, min_length = 1, max_length = 100)]
    pub app_slug: Option<String>,
}

/// A calendar that bookings are to be written to.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DestinationCalendar {
    /// Identifier.
    pub id: i64,
    /// The kind of calendar, such as `google_calendar`.
    pub integration: String,
    /// Id of the calendar in its system.
    pub external_id: String,
    /// Id of the owner.
    pub user_id: i64,
    /// Event type with bookings that go to this calendar.
    #[wire(null)]
    pub event_type_id: Option<i64>,
    /// Booking that goes to this calendar.
    #[wire(null)]
    pub booking_id: Option<i64>,
    /// Id of the credential used to access it.
    #[wire(null)]
    pub credential_id: Option<i64>,
}

/// Input of a destination calendar.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DestinationCalendarInput {
    /// The kind of calendar, such as `google_calendar`.
    #[schema(nullable = false, min_length = 1, max_length = 1000)]
    pub integration: Option<String>,
    /// Id of the calendar in its system.
    #[schema(nullable = false, min_length = 1, max_length = 1000)]
    pub external_id: Option<String>,
    /// Id of a credential of the owner.
    #[schema(nullable = false, minimum = 1)]
    pub credential_id: Option<i64>,
    /// Id of an event type of the owner.
    #[schema(minimum = 1)]
    pub event_type_id: Option<i64>,
    /// Id of a booking of the owner.
    #[schema(minimum = 1)]
    pub booking_id: Option<i64>,
    /// Id of the owner; for administrators of the service.
    #[schema(nullable = false, minimum = 1)]
    pub user_id: Option<i64>,
}

/// A calendar that is checked for conflicts. Its id in paths is `userId_integration_externalId`.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedCalendar {
    /// Id of the owner.
    pub user_id: i64,
    /// The kind of calendar; it ends in `_calendar`.
    pub integration: String,
    /// Id of the calendar in its system.
    pub external_id: String,
    /// Id of the credential used to access it.
    #[wire(null)]
    pub credential_id: Option<i64>,
}

/// Input of a selected calendar.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectedCalendarInput {
    /// The kind of calendar; it ends in `_calendar`, such as `google_calendar`.
    #[schema(
        nullable = false,
        pattern = "^[a-z0-9]+(_[a-z0-9]+)*_calendar$",
        max_length = 100
    )]
    pub integration: Option<String>,
    /// Id of the calendar in its system.
    #[schema(nullable = false, min_length = 1, max_length = 1000)]
    pub external_id: Option<String>,
    /// Id of a credential of the owner.
    #[schema(minimum = 1)]
    pub credential_id: Option<i64>,
    /// Id of the owner; for administrators of the service.
    #[schema(nullable = false, minimum = 1)]
    pub user_id: Option<i64>,
}
