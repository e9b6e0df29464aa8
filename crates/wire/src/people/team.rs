//! Teams and memberships.

use booking_wire_macros::wire;
use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, JsonMap, Read};

/// A team: users with common event types.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Team {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// The organisation it belongs to.
    #[schema(nullable = false)]
    pub parent_id: Option<i64>,
    /// Name of the team.
    pub name: String,
    /// Name in URLs, unique within the organisation.
    pub slug: String,
    /// Picture.
    #[schema(nullable = false)]
    pub logo_url: Option<String>,
    /// Wide picture.
    #[schema(nullable = false)]
    pub banner_url: Option<String>,
    /// Short description.
    #[schema(nullable = false)]
    pub bio: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// English name of a weekday.
    pub week_start: String,
    /// 12 or 24.
    #[schema(nullable = false)]
    pub time_format: Option<i64>,
    /// Always `false`: organisations are not teams here.
    pub is_organization: bool,
    /// True if only some members may list the members.
    pub is_private: bool,
    /// True if its pages omit the service's branding.
    pub hide_branding: bool,
    /// True if its pages do not list the members for booking.
    pub hide_book_a_team_member: bool,
    /// Keys chosen by the customer.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
    /// `light`, `dark` or `system`; none means `system`.
    #[schema(nullable = false)]
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[schema(nullable = false)]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[schema(nullable = false)]
    pub dark_brand_color: Option<String>,
    /// Picture for video meetings.
    #[schema(nullable = false)]
    pub cal_video_logo: Option<String>,
    /// Picture for the pages.
    #[schema(nullable = false)]
    pub app_logo: Option<String>,
    /// Small picture for the pages.
    #[schema(nullable = false)]
    pub app_icon_logo: Option<String>,
    /// Limits of all bookings of the team, as they were set.
    #[schema(value_type = Value, required = false)]
    pub booking_limits: Option<Value>,
    /// True if managed event types count towards those limits.
    #[schema(nullable = false)]
    pub include_managed_events_in_limits: Option<bool>,
}

/// The body of POST /v2/teams.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewTeam {
    /// Name of the team.
    #[schema(min_length = 1, max_length = 1000, pattern = r"\S")]
    pub name: String,
    /// True if the creator becomes an accepted member at once; true by default.
    #[schema(nullable = false)]
    pub auto_accept_creator: Option<bool>,
    /// Other settings.
    #[wire(flatten)]
    pub settings: TeamSettings,
}

/// The body of PATCH /v2/teams/{teamId}. Absent keys are not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamChange {
    /// Name of the team.
    #[schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")]
    pub name: Option<String>,
    /// Other settings.
    #[wire(flatten)]
    pub settings: TeamSettings,
}

/// Settings of a team except its name. `Some(None)` removes.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamSettings {
    /// Name in URLs; derived from the name by default.
    #[schema(
        nullable = false,
        max_length = 100,
        pattern = "^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"
    )]
    pub slug: Option<String>,
    /// Picture.
    #[schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub logo_url: Option<Option<String>>,
    /// Wide picture.
    #[schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub banner_url: Option<Option<String>>,
    /// Short description.
    #[schema(value_type = Option<String>, max_length = 1000)]
    pub bio: Option<Option<String>>,
    /// IANA id, `Europe/London` by default.
    #[schema(nullable = false)]
    pub time_zone: Option<String>,
    /// English name of a weekday, `Sunday` by default.
    #[schema(nullable = false, value_type = Option<crate::schema::Weekday>)]
    pub week_start: Option<String>,
    /// 12 or 24.
    #[schema(value_type = Option<i64>, minimum = 12, maximum = 24, multiple_of = 12)]
    pub time_format: Option<Option<i64>>,
    /// True if only some members may list the members.
    #[schema(nullable = false)]
    pub is_private: Option<bool>,
    /// True if its pages omit the service's branding.
    #[schema(nullable = false)]
    pub hide_branding: Option<bool>,
    /// True if its pages do not list the members for booking.
    #[schema(nullable = false)]
    pub hide_book_a_team_member: Option<bool>,
    /// Keys chosen by the customer: at most 50, of at most 40 characters.
    #[schema(nullable = false, value_type = Option<crate::schema::Metadata>)]
    pub metadata: Option<JsonMap>,
    /// `light`, `dark` or `system`.
    #[schema(value_type = Option<String>, pattern = "^(light|dark|system)$")]
    pub theme: Option<Option<String>>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[schema(value_type = Option<String>, pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub brand_color: Option<Option<String>>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[schema(value_type = Option<String>, pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$")]
    pub dark_brand_color: Option<Option<String>>,
    /// Picture for video meetings; stored and returned.
    #[schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub cal_video_logo: Option<Option<String>>,
    /// Picture for the pages; stored and returned.
    #[schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub app_logo: Option<Option<String>>,
    /// Small picture for the pages; stored and returned.
    #[schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub app_icon_logo: Option<Option<String>>,
    /// Limits of all bookings of the team, a text or an object; stored and returned.
    #[schema(value_type = Option<Value>)]
    pub booking_limits: Option<Option<Value>>,
    /// True if managed event types count towards those limits; stored and returned.
    #[schema(value_type = Option<bool>)]
    pub include_managed_events_in_limits: Option<Option<bool>>,
}

/// Role of a membership, in ascending order of permissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum MembershipRole {
    /// Member.
    #[default]
    Member,
    /// Administrator.
    Admin,
    /// Owner.
    Owner,
}

impl MembershipRole {
    /// Returns the role with that name on the wire.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "MEMBER" => Self::Member,
            "ADMIN" => Self::Admin,
            "OWNER" => Self::Owner,
            _ => return None,
        })
    }

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Member => "MEMBER",
            Self::Admin => "ADMIN",
            Self::Owner => "OWNER",
        }
    }

    /// Returns the system role with the permissions of this one in a team.
    pub fn system_role(self) -> &'static str {
        match self {
            Self::Owner => "owner_role",
            Self::Admin => "admin_role",
            Self::Member => "member_role",
        }
    }
}

impl Read for MembershipRole {
    fn read(value: &Value) -> Option<Self> {
        value
            .as_str()
            .map(|name| Self::parse(name).unwrap_or_default())
    }
}

/// Membership of a user in a team.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Membership {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// Id of the user.
    pub user_id: i64,
    /// Id of the team.
    pub team_id: i64,
    /// `false` while the invitation is pending.
    pub accepted: bool,
    /// Role of the member.
    pub role: MembershipRole,
    /// A role of the team that replaces the permissions of `role`.
    #[wire(null)]
    pub role_id: Option<String>,
    /// True if this member cannot be impersonated.
    pub disable_impersonation: bool,
    /// Profile of the user.
    #[wire(required)]
    pub user: MembershipUser,
}

/// Profile of a member, as shown to other members.
#[wire(read, or_default, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MembershipUser {
    /// E-mail address.
    pub email: String,
    /// Full name.
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// User name.
    #[schema(nullable = false)]
    pub username: Option<String>,
    /// Picture.
    #[schema(nullable = false)]
    pub avatar_url: Option<String>,
    /// Short description.
    #[schema(nullable = false)]
    pub bio: Option<String>,
    /// Keys chosen by the platform.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
}

/// Membership of a user in an organisation: a [`Membership`] with the organisation's id as
/// `teamId`, as in Cal.com, where organisations are teams.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrganizationMembership {
    /// User and roles. `roleId` is a role of the organisation: it gives its permissions to a plain
    /// member, and removes none from administrators and owners.
    #[wire(flatten)]
    pub membership: Membership,
    /// The organisation.
    #[wire(alias = "teamId")]
    pub organization_id: i64,
    /// Empty: organisations have no attributes here.
    #[wire(read = Vec::new())]
    #[schema(value_type = Vec<Value>, max_items = 0)]
    pub attributes: Vec<Value>,
}

impl From<Membership> for OrganizationMembership {
    fn from(membership: Membership) -> Self {
        Self {
            organization_id: membership.team_id,
            membership,
            attributes: Vec::new(),
        }
    }
}

/// Role of a member: the part of a [`Membership`] that a role editor reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleHolder {
    /// Id of the user.
    pub user_id: i64,
    /// Id of the role; `None` if the service does not send roles with memberships.
    pub role_id: Option<String>,
}

impl Read for RoleHolder {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let membership: MembershipRole = fields.get("role").unwrap_or_default();
        // A service that sends roles sends `null` for a member without one.
        let role_id = value.get("roleId").map(|id| {
            let id = id.as_str().unwrap_or(membership.system_role());
            id.to_owned()
        });
        Some(Self {
            user_id: fields.get("userId")?,
            role_id,
        })
    }
}

/// The body of POST /v2/teams/{teamId}/memberships.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewMembership {
    /// Id of the user.
    pub user_id: i64,
    /// True if the user becomes an accepted member at once; false by default.
    #[schema(nullable = false)]
    pub accepted: Option<bool>,
    /// Role, `MEMBER` by default.
    #[schema(nullable = false)]
    pub role: Option<MembershipRole>,
    /// A role of the team that replaces the permissions of `role`.
    pub role_id: Option<String>,
    /// True if this member cannot be impersonated.
    #[schema(nullable = false)]
    pub disable_impersonation: Option<bool>,
}

/// The body of PATCH …/memberships/{membershipId}, of a team or an organisation. Absent keys are
/// not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MembershipChange {
    /// True if the membership is accepted.
    #[schema(nullable = false)]
    pub accepted: Option<bool>,
    /// Role of the member.
    #[schema(nullable = false)]
    pub role: Option<MembershipRole>,
    /// Id of a role of the team or organisation; `null` removes it.
    #[schema(value_type = Option<String>)]
    pub role_id: Option<Option<String>>,
    /// True if this member cannot be impersonated.
    #[schema(nullable = false)]
    pub disable_impersonation: Option<bool>,
}
