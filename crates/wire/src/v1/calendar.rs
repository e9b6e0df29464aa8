//! Credentials of connected apps, and calendars, of version 1.

use serde::Serialize;

/// A connected app of a user. Its key is never sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Credential {
    /// Identifier.
    pub id: i64,
    /// The app, such as `google_calendar`.
    #[serde(rename = "type")]
    pub kind: String,
}

lenient!(Credential { id: "id" | kind: "type" });

/// Input of a connected app. Deliberately without `Debug`: it contains a secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CredentialInput {
    /// Key of the app; the service does not interpret it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 10000)
    )]
    pub encrypted_key: Option<String>,
    /// The app's slug, such as `google-calendar`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 100)
    )]
    pub app_slug: Option<String>,
}

/// A calendar that bookings are to be written to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
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
    pub event_type_id: Option<i64>,
    /// Booking that goes to this calendar.
    pub booking_id: Option<i64>,
    /// Id of the credential used to access it.
    pub credential_id: Option<i64>,
}

lenient!(DestinationCalendar {
    id: "id" | integration: "integration",
    external_id: "externalId",
    user_id: "userId",
    event_type_id: "eventTypeId",
    booking_id: "bookingId",
    credential_id: "credentialId",
});

/// Input of a destination calendar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationCalendarInput {
    /// The kind of calendar, such as `google_calendar`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000)
    )]
    pub integration: Option<String>,
    /// Id of the calendar in its system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000)
    )]
    pub external_id: Option<String>,
    /// Id of a credential of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub credential_id: Option<i64>,
    /// Id of an event type of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub event_type_id: Option<i64>,
    /// Id of a booking of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub booking_id: Option<i64>,
    /// Id of the owner; for administrators of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}

/// A calendar that is checked for conflicts. Its id in paths is `userId_integration_externalId`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SelectedCalendar {
    /// Id of the owner.
    pub user_id: i64,
    /// The kind of calendar; it ends in `_calendar`.
    pub integration: String,
    /// Id of the calendar in its system.
    pub external_id: String,
    /// Id of the credential used to access it.
    pub credential_id: Option<i64>,
}

lenient!(SelectedCalendar {
    user_id: "userId", integration: "integration", external_id: "externalId" |
    credential_id: "credentialId",
});

/// Input of a selected calendar.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SelectedCalendarInput {
    /// The kind of calendar; it ends in `_calendar`, such as `google_calendar`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(
            nullable = false,
            pattern = "^[a-z0-9]+(_[a-z0-9]+)*_calendar$",
            max_length = 100
        )
    )]
    pub integration: Option<String>,
    /// Id of the calendar in its system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000)
    )]
    pub external_id: Option<String>,
    /// Id of a credential of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub credential_id: Option<i64>,
    /// Id of the owner; for administrators of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}
