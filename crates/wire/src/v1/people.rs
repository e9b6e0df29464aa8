//! Users, teams and memberships of version 1.

use booking_wire_macros::wire;

use crate::people::team::MembershipRole;
use crate::read::JsonMap;

/// A user.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct User {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// User name.
    pub username: String,
    /// Full name.
    #[wire(null)]
    pub name: Option<String>,
    /// E-mail address.
    pub email: String,
    /// Short description.
    #[wire(null)]
    pub bio: Option<String>,
    /// URL of the picture; a picture set as `avatar` is a `data:` URL.
    #[wire(null)]
    pub avatar: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// English name of a weekday.
    pub week_start: String,
    /// `TWELVE` or `TWENTY_FOUR`.
    pub time_format: String,
    /// Language code.
    #[wire(null)]
    pub locale: Option<String>,
    /// `DARK` or `LIGHT`; none means the visitor's setting.
    #[wire(null)]
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[wire(null)]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[wire(null)]
    pub dark_brand_color: Option<String>,
    /// True if the user's pages omit the service's branding.
    pub hide_branding: bool,
    /// Schedule of event types that name none.
    #[wire(null)]
    pub default_schedule_id: Option<i64>,
    /// Metadata, free-form.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
}

/// One page of users.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserPage {
    /// Users, oldest first.
    pub users: Vec<User>,
    /// Number of users on all pages.
    pub total: i64,
}

/// Input of a user.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserInput {
    /// E-mail address, unique. One set by the user is unverified until it is confirmed.
    #[schema(nullable = false, format = Email)]
    pub email: Option<String>,
    /// Unique.
    #[schema(
        nullable = false,
        max_length = 100,
        pattern = "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
    )]
    pub username: Option<String>,
    /// Full name.
    #[schema(max_length = 1000)]
    pub name: Option<String>,
    /// Short description.
    #[schema(max_length = 1000)]
    pub bio: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub dark_brand_color: Option<String>,
    /// True if the user's pages omit the service's branding.
    #[schema(nullable = false)]
    pub hide_branding: Option<bool>,
    /// English name of a weekday.
    #[schema(nullable = false, value_type = Option<crate::schema::Weekday>)]
    pub week_start: Option<String>,
    /// IANA id. Also changes the zone of the default schedule.
    #[schema(nullable = false, min_length = 1)]
    pub time_zone: Option<String>,
    /// `DARK` or `LIGHT`; `null` means the visitor's setting.
    #[schema(pattern = "^(DARK|LIGHT)$")]
    pub theme: Option<String>,
    /// `TWELVE` or `TWENTY_FOUR`.
    #[schema(nullable = false, pattern = "^(TWELVE|TWENTY_FOUR)$")]
    pub time_format: Option<String>,
    /// Language code.
    #[schema(value_type = Option<crate::schema::Language>)]
    pub locale: Option<String>,
    /// A picture in base64: PNG, JPEG, GIF or WebP, at most 32,000 characters.
    pub avatar: Option<String>,
}

/// A team: users with common event types.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Team {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The organisation it belongs to.
    #[wire(null)]
    pub parent_id: Option<i64>,
    /// Name of the team.
    pub name: String,
    /// Name in URLs.
    pub slug: String,
    /// Picture.
    #[wire(null)]
    pub logo_url: Option<String>,
    /// Short description.
    #[wire(null)]
    pub bio: Option<String>,
    /// True if its pages omit the service's branding.
    pub hide_branding: bool,
    /// True if its pages do not list the members for booking.
    pub hide_book_a_team_member: bool,
    /// True if only some members may list the members.
    pub is_private: bool,
    /// IANA id.
    pub time_zone: String,
    /// English name of a weekday.
    pub week_start: String,
    /// `light` or `dark`; none means the visitor's setting.
    #[wire(null)]
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[wire(null)]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[wire(null)]
    pub dark_brand_color: Option<String>,
    /// Metadata, free-form.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
}

/// Response of the creation of a team.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
#[schema(as = MadeTeam)]
pub struct CreatedTeam {
    /// The team.
    pub team: Team,
    /// Its owner's membership.
    pub owner: Membership,
    /// For developers.
    pub message: String,
}

/// Input of a team.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamInput {
    /// Name of the team.
    #[schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")]
    pub name: Option<String>,
    /// Name in URLs, unique within the organisation.
    #[schema(
        nullable = false,
        max_length = 100,
        pattern = "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
    )]
    pub slug: Option<String>,
    /// True if its pages do not list the members for booking.
    #[schema(nullable = false)]
    pub hide_book_a_team_member: Option<bool>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub dark_brand_color: Option<String>,
    /// IANA id, `Europe/London` by default.
    #[schema(nullable = false, min_length = 1)]
    pub time_zone: Option<String>,
    /// English name of a weekday, `Sunday` by default.
    #[schema(nullable = false, value_type = Option<crate::schema::Weekday>)]
    pub week_start: Option<String>,
    /// True if only some members may list the members.
    #[schema(nullable = false)]
    pub is_private: Option<bool>,
    /// Id of the owner; for administrators of the service.
    #[schema(nullable = false, minimum = 1)]
    pub owner_id: Option<i64>,
    /// Id of the organisation; the owner's by default.
    #[schema(nullable = false, minimum = 1)]
    pub parent_id: Option<i64>,
}

/// Membership of a user in a team. Its id in paths is `userId_teamId`.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Membership {
    /// Id of the user.
    pub user_id: i64,
    /// Id of the team.
    pub team_id: i64,
    /// `false` while the invitation is pending.
    pub accepted: bool,
    /// Role of the member.
    pub role: MembershipRole,
    /// True if this member cannot be impersonated.
    pub disable_impersonation: bool,
    /// The team, if requested with `include=team`.
    #[schema(nullable = false)]
    pub team: Option<Team>,
}

/// Input of a membership.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MembershipInput {
    /// Id of the user.
    #[schema(nullable = false, minimum = 1)]
    pub user_id: Option<i64>,
    /// Id of the team.
    #[schema(nullable = false, minimum = 1)]
    pub team_id: Option<i64>,
    /// `false` by default.
    #[schema(nullable = false)]
    pub accepted: Option<bool>,
    /// Role, `MEMBER` by default.
    #[schema(nullable = false)]
    pub role: Option<MembershipRole>,
    /// `false` by default.
    #[schema(nullable = false)]
    pub disable_impersonation: Option<bool>,
}
