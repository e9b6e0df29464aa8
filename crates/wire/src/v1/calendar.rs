//! Credentials of connected apps, and calendars, of version 1.

use serde::Serialize;

/// A connected app of somebody's. Its key is never told.
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

/// What is said of a connected app. Deliberately without `Debug`: it holds a secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CredentialInput {
    /// The app's key, in whatever form those who use it agree on.
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

/// A calendar into which bookings are to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationCalendar {
    /// Identifier.
    pub id: i64,
    /// The kind of calendar, such as `google_calendar`.
    pub integration: String,
    /// What the calendar's own system calls it.
    pub external_id: String,
    /// Whose it is.
    pub user_id: i64,
    /// The event type whose bookings it takes.
    pub event_type_id: Option<i64>,
    /// The booking that it takes.
    pub booking_id: Option<i64>,
    /// The credential it is reached with.
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

/// What is said of a destination calendar.
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
    /// What the calendar's own system calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000)
    )]
    pub external_id: Option<String>,
    /// One of the owner's credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub credential_id: Option<i64>,
    /// An event type of the owner's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub event_type_id: Option<i64>,
    /// A booking of the owner's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub booking_id: Option<i64>,
    /// Whose it is; for those who run the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}

/// A calendar in which somebody's time is taken. Named by `userId_integration_externalId`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SelectedCalendar {
    /// Whose it is.
    pub user_id: i64,
    /// The kind of calendar; it ends in `_calendar`.
    pub integration: String,
    /// What the calendar's own system calls it.
    pub external_id: String,
    /// The credential it is reached with.
    pub credential_id: Option<i64>,
}

lenient!(SelectedCalendar {
    user_id: "userId", integration: "integration", external_id: "externalId" |
    credential_id: "credentialId",
});

/// What is said of a selected calendar.
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
    /// What the calendar's own system calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000)
    )]
    pub external_id: Option<String>,
    /// One of the owner's credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub credential_id: Option<i64>,
    /// Whose it is; for those who run the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}
