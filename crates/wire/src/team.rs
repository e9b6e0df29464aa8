//! Teams and memberships.

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, JsonMap, Read};

/// A team: users with common event types.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Team {
    /// Identifier.
    pub id: i64,
    /// The organisation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub parent_id: Option<i64>,
    /// Name of the team.
    pub name: String,
    /// Name in URLs, unique within the organisation.
    pub slug: String,
    /// Picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub logo_url: Option<String>,
    /// Wide picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub banner_url: Option<String>,
    /// Short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub bio: Option<String>,
    /// IANA id.
    pub time_zone: String,
    /// English name of a weekday.
    pub week_start: String,
    /// 12 or 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
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
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
    /// `light`, `dark` or `system`; none means `system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub theme: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub brand_color: Option<String>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub dark_brand_color: Option<String>,
    /// Picture for video meetings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub cal_video_logo: Option<String>,
    /// Picture for the pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub app_logo: Option<String>,
    /// Small picture for the pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub app_icon_logo: Option<String>,
    /// Limits of all bookings of the team, as they were set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Value, required = false))]
    pub booking_limits: Option<Value>,
    /// True if managed event types count towards those limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub include_managed_events_in_limits: Option<bool>,
}

impl Read for Team {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            parent_id: fields.get("parentId")?,
            name: fields.text("name"),
            slug: fields.text("slug"),
            logo_url: fields.get("logoUrl")?,
            banner_url: fields.get("bannerUrl")?,
            bio: fields.get("bio")?,
            time_zone: fields.text("timeZone"),
            week_start: fields.text("weekStart"),
            time_format: fields.get("timeFormat")?,
            is_organization: fields.flag("isOrganization"),
            is_private: fields.flag("isPrivate"),
            hide_branding: fields.flag("hideBranding"),
            hide_book_a_team_member: fields.flag("hideBookATeamMember"),
            metadata: fields.map("metadata"),
            theme: fields.get("theme")?,
            brand_color: fields.get("brandColor")?,
            dark_brand_color: fields.get("darkBrandColor")?,
            cal_video_logo: fields.get("calVideoLogo")?,
            app_logo: fields.get("appLogo")?,
            app_icon_logo: fields.get("appIconLogo")?,
            booking_limits: fields.get("bookingLimits")?,
            include_managed_events_in_limits: fields.get("includeManagedEventsInLimits")?,
        })
    }
}

/// The body of POST /v2/teams.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewTeam {
    /// Name of the team.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub name: String,
    /// True if the creator becomes an accepted member at once; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub auto_accept_creator: Option<bool>,
    /// Other settings.
    #[serde(flatten)]
    pub settings: TeamSettings,
}

/// The body of PATCH /v2/teams/{teamId}. Absent keys are not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamChange {
    /// Name of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 1000, pattern = r"\S")
    )]
    pub name: Option<String>,
    /// Other settings.
    #[serde(flatten)]
    pub settings: TeamSettings,
}

/// Settings of a team except its name. `Some(None)` removes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamSettings {
    /// Name in URLs; derived from the name by default.
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
    /// Picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$"))]
    pub logo_url: Option<Option<String>>,
    /// Wide picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$"))]
    pub banner_url: Option<Option<String>>,
    /// Short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 1000))]
    pub bio: Option<Option<String>>,
    /// IANA id, `Europe/London` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub time_zone: Option<String>,
    /// English name of a weekday, `Sunday` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Weekday>))]
    pub week_start: Option<String>,
    /// 12 or 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<i64>, minimum = 12, maximum = 24, multiple_of = 12))]
    pub time_format: Option<Option<i64>>,
    /// True if only some members may list the members.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_private: Option<bool>,
    /// True if its pages omit the service's branding.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hide_branding: Option<bool>,
    /// True if its pages do not list the members for booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub hide_book_a_team_member: Option<bool>,
    /// Keys chosen by the customer: at most 50, of at most 40 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<crate::schema::Metadata>))]
    pub metadata: Option<JsonMap>,
    /// `light`, `dark` or `system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^(light|dark|system)$"))]
    pub theme: Option<Option<String>>,
    /// `#RGB` or `#RRGGBB`, for a light theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$"))]
    pub brand_color: Option<Option<String>>,
    /// `#RGB` or `#RRGGBB`, for a dark theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$"))]
    pub dark_brand_color: Option<Option<String>>,
    /// Picture for video meetings; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$"))]
    pub cal_video_logo: Option<Option<String>>,
    /// Picture for the pages; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$"))]
    pub app_logo: Option<Option<String>>,
    /// Small picture for the pages; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$"))]
    pub app_icon_logo: Option<Option<String>>,
    /// Limits of all bookings of the team, a text or an object; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Value>))]
    pub booking_limits: Option<Option<Value>>,
    /// True if managed event types count towards those limits; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<bool>))]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    /// Identifier.
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
    pub role_id: Option<String>,
    /// True if this member cannot be impersonated.
    pub disable_impersonation: bool,
    /// Profile of the user.
    pub user: MembershipUser,
}

/// Profile of a member, as shown to other members.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MembershipUser {
    /// E-mail address.
    pub email: String,
    /// Full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub name: Option<String>,
    /// User name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub username: Option<String>,
    /// Picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub avatar_url: Option<String>,
    /// Short description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub bio: Option<String>,
    /// Keys chosen by the platform.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
}

impl Read for MembershipUser {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            email: fields.text("email"),
            name: fields.get("name")?,
            username: fields.get("username")?,
            avatar_url: fields.get("avatarUrl")?,
            bio: fields.get("bio")?,
            metadata: fields.map("metadata"),
        })
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

impl Read for Membership {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            user_id: fields.integer("userId"),
            team_id: fields.integer("teamId"),
            accepted: fields.flag("accepted"),
            role: fields.get("role").unwrap_or_default(),
            role_id: fields.get("roleId")?,
            disable_impersonation: fields.flag("disableImpersonation"),
            user: fields.get("user")?,
        })
    }
}

/// Membership of a user in an organisation: a [`Membership`] with the organisation's id as
/// `teamId`, as in Cal.com, where organisations are teams.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrganizationMembership {
    /// User and roles. `roleId` is a role of the organisation: it gives its permissions to a plain
    /// member, and removes none from administrators and owners.
    #[serde(flatten)]
    pub membership: Membership,
    /// The organisation.
    pub organization_id: i64,
    /// Empty: organisations have no attributes here.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Value>, max_items = 0))]
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

impl Read for OrganizationMembership {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        let membership = Membership::read(value)?;
        Some(Self {
            organization_id: fields.get("organizationId").unwrap_or(membership.team_id),
            membership,
            attributes: Vec::new(),
        })
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewMembership {
    /// Id of the user.
    pub user_id: i64,
    /// True if the user becomes an accepted member at once; false by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub accepted: Option<bool>,
    /// Role, `MEMBER` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub role: Option<MembershipRole>,
    /// A role of the team that replaces the permissions of `role`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_id: Option<String>,
    /// True if this member cannot be impersonated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub disable_impersonation: Option<bool>,
}

/// The body of PATCH …/memberships/{membershipId}, of a team or an organisation. Absent keys are
/// not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MembershipChange {
    /// True if the membership is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub accepted: Option<bool>,
    /// Role of the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub role: Option<MembershipRole>,
    /// Id of a role of the team or organisation; `null` removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub role_id: Option<Option<String>>,
    /// True if this member cannot be impersonated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub disable_impersonation: Option<bool>,
}
