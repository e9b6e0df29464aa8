//! Tokens, the caller's own profile and the users of platforms.

use serde::Serialize;
use serde_json::Value;

use crate::instant::Instant;
use crate::read::{Fields, JsonMap, Read};

/// Response of the refresh operation. Deliberately without `Debug`: it contains secrets.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TokenSet {
    /// Short-lived token for API calls.
    pub access_token: String,
    /// Single-use token for the next refresh.
    pub refresh_token: String,
    /// Milliseconds since the epoch.
    pub access_token_expires_at: i64,
    /// Milliseconds since the epoch.
    pub refresh_token_expires_at: i64,
}

impl Read for TokenSet {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            access_token: fields.get("accessToken")?,
            refresh_token: fields.get("refreshToken")?,
            access_token_expires_at: fields.integer("accessTokenExpiresAt"),
            refresh_token_expires_at: fields.integer("refreshTokenExpiresAt"),
        })
    }
}

/// The body of the refresh operation. Deliberately without `Debug`.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RefreshTokens {
    /// The managed user's refresh token.
    pub refresh_token: String,
}

/// Profile of the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Me {
    /// Identifier.
    pub id: i64,
    /// User name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// Full name.
    pub name: Option<String>,
    /// Picture.
    pub avatar_url: Option<String>,
    /// Short description.
    pub bio: Option<String>,
    /// 12 or 24.
    pub time_format: i64,
    /// Schedule of event types that name none.
    pub default_schedule_id: Option<i64>,
    /// English name of a weekday.
    pub week_start: String,
    /// IANA id.
    pub time_zone: String,
    /// True if the caller can be booked in a group by user names.
    pub allow_dynamic_booking: bool,
    /// The organisation the caller belongs to.
    pub organization_id: Option<i64>,
    /// Details of that organisation.
    pub organization: Option<MyOrganization>,
}

impl Read for Me {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            username: fields.text("username"),
            email: fields.text("email"),
            name: fields.get("name")?,
            avatar_url: fields.get("avatarUrl")?,
            bio: fields.get("bio")?,
            time_format: fields.get("timeFormat").unwrap_or(24),
            default_schedule_id: fields.get("defaultScheduleId")?,
            week_start: fields.text("weekStart"),
            time_zone: fields.text("timeZone"),
            allow_dynamic_booking: fields.flag("allowDynamicBooking"),
            organization_id: fields.get("organizationId")?,
            organization: fields.get("organization")?,
        })
    }
}

/// The organisation of a [`Me`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MyOrganization {
    /// Identifier.
    pub id: i64,
    /// True if it belongs to a platform.
    pub is_platform: bool,
}

impl Read for MyOrganization {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            is_platform: fields.flag("isPlatform"),
        })
    }
}

/// The body of PATCH /v2/me and of PATCH /v2/oauth-clients/{clientId}/users/{userId}. Absent keys
/// are not changed, `Some(None)` removes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProfileChange {
    /// E-mail address, unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = Email))]
    pub email: Option<String>,
    /// Full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 1000))]
    pub name: Option<Option<String>>,
    /// 12 or 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, minimum = 12, maximum = 24, multiple_of = 12)
    )]
    pub time_format: Option<i64>,
    /// Schedule of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub default_schedule_id: Option<i64>,
    /// English name of a weekday.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Weekday>))]
    pub week_start: Option<String>,
    /// IANA id. Also changes the zone of the default schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub time_zone: Option<String>,
    /// Language code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schema::Language>))]
    pub locale: Option<Option<String>>,
    /// Picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$"))]
    pub avatar_url: Option<Option<String>>,
    /// Short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 1000))]
    pub bio: Option<Option<String>>,
    /// Keys chosen by the platform; replace the former ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Metadata>))]
    pub metadata: Option<JsonMap>,
    /// True if the user can be booked in a group by user names; false by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, extensions(("x-extension" = json!(true)))))]
    pub allow_dynamic_booking: Option<bool>,
}

/// User managed by a platform.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManagedUser {
    /// Identifier.
    pub id: i64,
    /// With the platform's part before the `@`: `ada+<client id>@example.org`.
    pub email: String,
    /// User name.
    pub username: String,
    /// Full name.
    pub name: Option<String>,
    /// Short description.
    pub bio: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// English name of a weekday.
    pub week_start: String,
    /// Instant of creation.
    pub created_date: Instant,
    /// 12 or 24.
    pub time_format: i64,
    /// Schedule of event types that name none.
    pub default_schedule_id: Option<i64>,
    /// Language code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub locale: Option<String>,
    /// Picture.
    pub avatar_url: Option<String>,
    /// Keys chosen by the platform.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
}

impl Read for ManagedUser {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            email: fields.text("email"),
            username: fields.text("username"),
            name: fields.get("name")?,
            bio: fields.get("bio")?,
            time_zone: fields.text("timeZone"),
            week_start: fields.text("weekStart"),
            created_date: fields.get("createdDate").unwrap_or_default(),
            time_format: fields.get("timeFormat").unwrap_or(12),
            default_schedule_id: fields.get("defaultScheduleId")?,
            locale: fields.get("locale")?,
            avatar_url: fields.get("avatarUrl")?,
            metadata: fields.map("metadata"),
        })
    }
}

/// The body of POST /v2/oauth-clients/{clientId}/users.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewManagedUser {
    /// E-mail address without the platform's part, which the service adds.
    #[cfg_attr(feature = "openapi", schema(format = Email))]
    pub email: String,
    /// Full name.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub name: String,
    /// 12 or 24; 12 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, minimum = 12, maximum = 24, multiple_of = 12)
    )]
    pub time_format: Option<i64>,
    /// English name of a weekday, `Sunday` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Weekday>))]
    pub week_start: Option<String>,
    /// IANA id, `Europe/London` by default. Also the zone of the first schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub time_zone: Option<String>,
    /// Language code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schema::Language>))]
    pub locale: Option<String>,
    /// Picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")
    )]
    pub avatar_url: Option<String>,
    /// Short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub bio: Option<String>,
    /// Keys chosen by the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Metadata>))]
    pub metadata: Option<JsonMap>,
}

/// Response of the deletion of a managed user.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeletedManagedUser {
    /// The user before the deletion.
    #[serde(flatten)]
    pub user: ManagedUser,
    /// Bookings hosted by the user that were reassigned or cancelled. Not part of Cal.com's
    /// interface.
    pub bookings: ReleasedBookings,
}

impl Read for DeletedManagedUser {
    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            user: ManagedUser::read(value)?,
            bookings: Fields::of(value)?.get("bookings").unwrap_or_default(),
        })
    }
}

/// Numbers of upcoming bookings of deleted hosts, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReleasedBookings {
    /// Bookings that went to another available host or stayed with their other hosts.
    pub handed_over: i64,
    /// Bookings that were cancelled because no other host was available.
    pub cancelled: i64,
}

impl Read for ReleasedBookings {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            handed_over: fields.get("handedOver")?,
            cancelled: fields.get("cancelled")?,
        })
    }
}

/// Response of the creation of a managed user. Deliberately without `Debug`: it contains secrets.
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = MadeManagedUser))]
#[serde(rename_all = "camelCase")]
pub struct CreatedManagedUser {
    /// The user.
    pub user: ManagedUser,
    /// The user's first tokens.
    #[serde(flatten)]
    pub tokens: TokenSet,
}

impl Read for CreatedManagedUser {
    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            user: Fields::of(value)?.get("user")?,
            tokens: TokenSet::read(value)?,
        })
    }
}
