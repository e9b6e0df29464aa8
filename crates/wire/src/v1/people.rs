//! Users, teams and memberships of version 1.

use serde::Serialize;

use crate::read::JsonMap;
use crate::team::MembershipRole;

/// A person.
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
    /// A few words.
    pub bio: Option<String>,
    /// Picture, as an address; one that was given as `avatar` is part of it.
    pub avatar: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// A day's English name.
    pub week_start: String,
    /// `TWELVE` or `TWENTY_FOUR`.
    pub time_format: String,
    /// Language code.
    pub locale: Option<String>,
    /// `DARK` or `LIGHT`; none follows the visitor.
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, on light ground.
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, on dark ground.
    pub dark_brand_color: Option<String>,
    /// Whether their pages keep quiet about the service.
    pub hide_branding: bool,
    /// Working hours used where an event type names none.
    pub default_schedule_id: Option<i64>,
    /// Free-form.
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

/// One page of people.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserPage {
    /// Oldest first.
    pub users: Vec<User>,
    /// How many there are on all pages.
    pub total: i64,
}

lenient!(UserPage { | users: "users", total: "total" });

/// What is said of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct UserInput {
    /// Unique. One that people give themselves proves nothing until it is confirmed.
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
    /// A few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub bio: Option<String>,
    /// `#RGB` or `#RRGGBB`, on light ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, on dark ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub dark_brand_color: Option<String>,
    /// Whether their pages keep quiet about the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hide_branding: Option<bool>,
    /// A day's English name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Weekday>))]
    pub week_start: Option<String>,
    /// IANA id. The default schedule moves with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, min_length = 1))]
    pub time_zone: Option<String>,
    /// `DARK` or `LIGHT`; `null` follows the visitor.
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

/// People who offer event types together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Team {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// The organisation it belongs to.
    pub parent_id: Option<i64>,
    /// What it is called.
    pub name: String,
    /// Name in addresses.
    pub slug: String,
    /// Picture.
    pub logo_url: Option<String>,
    /// A few words.
    pub bio: Option<String>,
    /// Whether its pages keep quiet about the service.
    pub hide_branding: bool,
    /// Whether its pages offer the team only, not its members one by one.
    pub hide_book_a_team_member: bool,
    /// Whether only some members may see who belongs to it.
    pub is_private: bool,
    /// IANA id.
    pub time_zone: String,
    /// A day's English name.
    pub week_start: String,
    /// `light` or `dark`; none follows the visitor.
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, on light ground.
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, on dark ground.
    pub dark_brand_color: Option<String>,
    /// Free-form.
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

/// What is answered when a team is made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MadeTeam {
    /// The team.
    pub team: Team,
    /// Its owner's membership.
    pub owner: Membership,
    /// For developers.
    pub message: String,
}

lenient!(MadeTeam { team: "team" | owner: "owner", message: "message" });

/// What is said of a team.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamInput {
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub name: Option<String>,
    /// Name in addresses, unique within the organisation.
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
    /// Whether its pages offer the team only, not its members one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hide_book_a_team_member: Option<bool>,
    /// `#RGB` or `#RRGGBB`, on light ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, on dark ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")
    )]
    pub dark_brand_color: Option<String>,
    /// IANA id, `Europe/London` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, min_length = 1))]
    pub time_zone: Option<String>,
    /// A day's English name, `Sunday` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Weekday>))]
    pub week_start: Option<String>,
    /// Whether only some members may see who belongs to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_private: Option<bool>,
    /// Who is to own it; for those who run the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub owner_id: Option<i64>,
    /// The organisation it belongs to; the owner's own unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub parent_id: Option<i64>,
}

/// One person in one team. Named by `userId_teamId`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    /// Who.
    pub user_id: i64,
    /// Where.
    pub team_id: i64,
    /// `false` while the person has only been invited.
    pub accepted: bool,
    /// What it entitles to.
    pub role: MembershipRole,
    /// Whether nobody may act as this person here.
    pub disable_impersonation: bool,
    /// The team, if it was asked for with `include=team`.
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

/// What is said of a membership.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MembershipInput {
    /// Who.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub team_id: Option<i64>,
    /// `false` unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub accepted: Option<bool>,
    /// `MEMBER` unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub role: Option<MembershipRole>,
    /// `false` unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub disable_impersonation: Option<bool>,
}
