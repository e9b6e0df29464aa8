//! Tokens, the caller's own profile and the users of platforms.

use booking_wire_macros::wire;

use crate::formats::instant::Instant;
use crate::read::JsonMap;

/// Response of the refresh operation. Deliberately without `Debug`: it contains secrets.
#[wire(read, write)]
#[derive(Clone)]
pub struct TokenSet {
    /// Short-lived token for API calls.
    #[wire(required)]
    pub access_token: String,
    /// Single-use token for the next refresh.
    #[wire(required)]
    pub refresh_token: String,
    /// Milliseconds since the epoch.
    pub access_token_expires_at: i64,
    /// Milliseconds since the epoch.
    pub refresh_token_expires_at: i64,
}

/// The body of the refresh operation. Deliberately without `Debug`.
#[wire(write)]
#[derive(Clone)]
pub struct RefreshTokens {
    /// The managed user's refresh token.
    pub refresh_token: String,
}

/// Profile of the caller.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Me {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// User name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// Full name.
    #[wire(null)]
    pub name: Option<String>,
    /// Picture.
    #[wire(null)]
    pub avatar_url: Option<String>,
    /// Short description.
    #[wire(null)]
    pub bio: Option<String>,
    /// 12 or 24.
    #[wire(default = 24)]
    pub time_format: i64,
    /// Schedule of event types that name none.
    #[wire(null)]
    pub default_schedule_id: Option<i64>,
    /// English name of a weekday.
    pub week_start: String,
    /// IANA id.
    pub time_zone: String,
    /// True if the caller can be booked in a group by user names.
    pub allow_dynamic_booking: bool,
    /// The organisation the caller belongs to.
    #[wire(null)]
    pub organization_id: Option<i64>,
    /// Details of that organisation.
    #[wire(null)]
    pub organization: Option<MyOrganization>,
}

/// The organisation of a [`Me`].
#[wire(read, write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MyOrganization {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// True if it belongs to a platform.
    pub is_platform: bool,
}

/// The body of PATCH /v2/me and of PATCH /v2/oauth-clients/{clientId}/users/{userId}. Absent keys
/// are not changed, `Some(None)` removes.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileChange {
    /// E-mail address, unique.
    #[schema(nullable = false, format = Email)]
    pub email: Option<String>,
    /// Full name.
    #[schema(value_type = Option<String>, max_length = 1000)]
    pub name: Option<Option<String>>,
    /// 12 or 24.
    #[schema(nullable = false, minimum = 12, maximum = 24, multiple_of = 12)]
    pub time_format: Option<i64>,
    /// Schedule of the user.
    #[schema(nullable = false)]
    pub default_schedule_id: Option<i64>,
    /// English name of a weekday.
    #[schema(nullable = false, value_type = Option<crate::schema::Weekday>)]
    pub week_start: Option<String>,
    /// IANA id. Also changes the zone of the default schedule.
    #[schema(nullable = false)]
    pub time_zone: Option<String>,
    /// Language code.
    #[schema(value_type = Option<crate::schema::Language>)]
    pub locale: Option<Option<String>>,
    /// Picture.
    #[schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub avatar_url: Option<Option<String>>,
    /// Short description.
    #[schema(value_type = Option<String>, max_length = 1000)]
    pub bio: Option<Option<String>>,
    /// Keys chosen by the platform; replace the former ones.
    #[schema(nullable = false, value_type = Option<crate::schema::Metadata>)]
    pub metadata: Option<JsonMap>,
    /// True if the user can be booked in a group by user names; false by default.
    #[schema(nullable = false, extensions(("x-extension" = json!(true))))]
    pub allow_dynamic_booking: Option<bool>,
}

/// User managed by a platform.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManagedUser {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// With the platform's part before the `@`: `ada+<client id>@example.org`.
    pub email: String,
    /// User name.
    pub username: String,
    /// Full name.
    #[wire(null)]
    pub name: Option<String>,
    /// Short description.
    #[wire(null)]
    pub bio: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// English name of a weekday.
    pub week_start: String,
    /// Instant of creation.
    pub created_date: Instant,
    /// 12 or 24.
    #[wire(default = 12)]
    pub time_format: i64,
    /// Schedule of event types that name none.
    #[wire(null)]
    pub default_schedule_id: Option<i64>,
    /// Language code.
    #[schema(nullable = false)]
    pub locale: Option<String>,
    /// Picture.
    #[wire(null)]
    pub avatar_url: Option<String>,
    /// Keys chosen by the platform.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
}

/// The body of POST /v2/oauth-clients/{clientId}/users.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewManagedUser {
    /// E-mail address without the platform's part, which the service adds.
    #[schema(format = Email)]
    pub email: String,
    /// Full name.
    #[schema(min_length = 1, max_length = 1000, pattern = r"\S")]
    pub name: String,
    /// 12 or 24; 12 by default.
    #[schema(nullable = false, minimum = 12, maximum = 24, multiple_of = 12)]
    pub time_format: Option<i64>,
    /// English name of a weekday, `Sunday` by default.
    #[schema(nullable = false, value_type = Option<crate::schema::Weekday>)]
    pub week_start: Option<String>,
    /// IANA id, `Europe/London` by default. Also the zone of the first schedule.
    #[schema(nullable = false)]
    pub time_zone: Option<String>,
    /// Language code.
    #[schema(value_type = Option<crate::schema::Language>)]
    pub locale: Option<String>,
    /// Picture.
    #[schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub avatar_url: Option<String>,
    /// Short description.
    #[schema(max_length = 1000)]
    pub bio: Option<String>,
    /// Keys chosen by the platform.
    #[schema(nullable = false, value_type = Option<crate::schema::Metadata>)]
    pub metadata: Option<JsonMap>,
}

/// Response of the deletion of a managed user.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeletedManagedUser {
    /// The user before the deletion.
    #[wire(flatten)]
    pub user: ManagedUser,
    /// Bookings hosted by the user that were reassigned or cancelled. Not part of Cal.com's
    /// interface.
    pub bookings: ReleasedBookings,
}

/// Numbers of upcoming bookings of deleted hosts, by outcome.
#[wire(read, write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReleasedBookings {
    /// Bookings that went to another available host or stayed with their other hosts.
    #[wire(required)]
    pub handed_over: i64,
    /// Bookings that were cancelled because no other host was available.
    #[wire(required)]
    pub cancelled: i64,
}

/// Response of the creation of a managed user. Deliberately without `Debug`: it contains secrets.
#[wire(read, write)]
#[derive(Clone)]
#[schema(as = MadeManagedUser)]
pub struct CreatedManagedUser {
    /// The user.
    #[wire(required)]
    pub user: ManagedUser,
    /// The user's first tokens.
    #[wire(flatten)]
    pub tokens: TokenSet,
}
