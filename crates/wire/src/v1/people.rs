//! Users, teams and memberships of version 1.

use serde::Serialize;

use crate::read::JsonMap;
use crate::team::MembershipRole;

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// User name.
    pub username: String,
    /// Full name.
    pub name: Option<String>,
    /// E-mail address.
    pub email: String,
    /// Short description.
    pub bio: Option<String>,
    /// URL of the picture; a picture set as `avatar` is a `data:` URL.
    pub avatar: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// English name of a weekday.
    pub week_start: String,
    /// `TWELVE` or `TWENTY_FOUR`.
    pub time_format: String,
    /// Language code.
    pub locale: Option<String>,
    /// `DARK` or `LIGHT`; none means the visitor's setting.
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    pub dark_brand_color: Option<String>,
    /// True if the user's pages omit the service's branding.
    pub hide_branding: bool,
    /// Schedule of event types that name none.
    pub default_schedule_id: Option<i64>,
    /// Metadata, free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
}

lenient!(User {
    id: "id" | username: "username",
    name: "name",
    email: "email",
    bio: "bio",
    avatar: "avatar",
    time_zone: "timeZone",
    week_start: "weekStart",
    time_format: "timeFormat",
    locale: "locale",
    theme: "theme",
    brand_color: "brandColor",
    dark_brand_color: "darkBrandColor",
    hide_branding: "hideBranding",
    default_schedule_id: "defaultScheduleId",
    metadata: "metadata",
});

/// One page of users.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserPage {
    /// Users, oldest first.
    pub users: Vec<User>,
    /// Number of users on all pages.
    pub total: i64,
}

lenient!(UserPage { | users: "users", total: "total" });

/// Input of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UserInput {
    /// E-mail address, unique. One set by the user is unverified until it is confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, format = Email))]
    pub email: Option<String>,
    /// Unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(
            nullable = false,
            max_length = 100,
            pattern = "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
        )
    )]
    pub username: Option<String>,
    /// Full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub name: Option<String>,
    /// Short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub bio: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub dark_brand_color: Option<String>,
    /// True if the user's pages omit the service's branding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hide_branding: Option<bool>,
    /// English name of a weekday.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Weekday>))]
    pub week_start: Option<String>,
    /// IANA id. Also changes the zone of the default schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, min_length = 1))]
    pub time_zone: Option<String>,
    /// `DARK` or `LIGHT`; `null` means the visitor's setting.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^(DARK|LIGHT)$"))]
    pub theme: Option<String>,
    /// `TWELVE` or `TWENTY_FOUR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, pattern = "^(TWELVE|TWENTY_FOUR)$")
    )]
    pub time_format: Option<String>,
    /// Language code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schema::Language>))]
    pub locale: Option<String>,
    /// A picture in base64: PNG, JPEG, GIF or WebP, at most 32,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar: Option<String>,
}

/// A team: users with common event types.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Team {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The organisation it belongs to.
    pub parent_id: Option<i64>,
    /// Name of the team.
    pub name: String,
    /// Name in URLs.
    pub slug: String,
    /// Picture.
    pub logo_url: Option<String>,
    /// Short description.
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
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    pub dark_brand_color: Option<String>,
    /// Metadata, free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
}

lenient!(Team {
    id: "id" | parent_id: "parentId",
    name: "name",
    slug: "slug",
    logo_url: "logoUrl",
    bio: "bio",
    hide_branding: "hideBranding",
    hide_book_a_team_member: "hideBookATeamMember",
    is_private: "isPrivate",
    time_zone: "timeZone",
    week_start: "weekStart",
    theme: "theme",
    brand_color: "brandColor",
    dark_brand_color: "darkBrandColor",
    metadata: "metadata",
});

/// Response of the creation of a team.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = MadeTeam))]
pub struct CreatedTeam {
    /// The team.
    pub team: Team,
    /// Its owner's membership.
    pub owner: Membership,
    /// For developers.
    pub message: String,
}

lenient!(CreatedTeam { team: "team" | owner: "owner", message: "message" });

/// Input of a team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamInput {
    /// Name of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub name: Option<String>,
    /// Name in URLs, unique within the organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(
            nullable = false,
            max_length = 100,
            pattern = "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
        )
    )]
    pub slug: Option<String>,
    /// True if its pages do not list the members for booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hide_book_a_team_member: Option<bool>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub dark_brand_color: Option<String>,
    /// IANA id, `Europe/London` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, min_length = 1))]
    pub time_zone: Option<String>,
    /// English name of a weekday, `Sunday` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Weekday>))]
    pub week_start: Option<String>,
    /// True if only some members may list the members.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_private: Option<bool>,
    /// Id of the owner; for administrators of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub owner_id: Option<i64>,
    /// Id of the organisation; the owner's by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub parent_id: Option<i64>,
}

/// Membership of a user in a team. Its id in paths is `userId_teamId`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub team: Option<Team>,
}

lenient!(Membership {
    user_id: "userId", team_id: "teamId" |
    accepted: "accepted",
    role: "role",
    disable_impersonation: "disableImpersonation",
    team: "team",
});

/// Input of a membership.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MembershipInput {
    /// Id of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
    /// Id of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub team_id: Option<i64>,
    /// `false` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub accepted: Option<bool>,
    /// Role, `MEMBER` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub role: Option<MembershipRole>,
    /// `false` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub disable_impersonation: Option<bool>,
}
