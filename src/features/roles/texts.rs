//! Texts of resources, permissions and errors. Unknown permissions of a newer service keep their API name.

use booking_wire::{Role, RoleType};

use crate::client::{ApiError, DeclineReason};
use crate::features::shared::error_notice::error_text;

use super::permissions::dependencies::{DependencyReason, PermissionDependency};
use super::permissions::permission_set::ImpliedChanges;
use crate::i18n::{Key, Translations};

/// Returns a role as it is shown: names and descriptions of system roles are English in responses.
pub(super) fn shown_role(role: &Role, texts: Translations) -> Role {
    let mut shown = role.clone();
    if role.kind != RoleType::System {
        return shown;
    }
    let (name, text) = match role.id.as_str() {
        "owner_role" => (Key::RoleOwner, Key::RoleOwnerText),
        "admin_role" => (Key::RoleAdmin, Key::RoleAdminText),
        "member_role" => (Key::RoleMember, Key::RoleMemberText),
        _ => return shown,
    };
    shown.name = texts.get(name).to_owned();
    shown.description = Some(texts.get(text).to_owned());
    shown
}

/// Heading of a resource.
pub(super) fn resource_text(resource: &str, texts: Translations) -> String {
    let key = match resource {
        "role" => Key::ResourceRole,
        "eventType" => Key::ResourceEventType,
        "team" => Key::ResourceTeam,
        "booking" => Key::ResourceBooking,
        "insights" => Key::ResourceInsights,
        "workflow" => Key::ResourceWorkflow,
        "routingForm" => Key::ResourceRoutingForm,
        "webhook" => Key::ResourceWebhook,
        "featureOptIn" => Key::ResourceFeatureOptIn,
        "organization" => Key::ResourceOrganization,
        "organization.attributes" => Key::ResourceAttributes,
        "watchlist" => Key::ResourceWatchlist,
        "*" => Key::ResourceEverything,
        other => return other.to_owned(),
    };
    texts.get(key).to_owned()
}

/// Action of a permission, shown below the heading of its resource.
pub(super) fn action_text(permission: &str, texts: Translations) -> String {
    let Some((resource, action)) = permission.rsplit_once('.') else {
        return permission.to_owned();
    };
    let key = match action {
        // Also required to confirm or decline.
        "update" if resource == "booking" => Key::ActionUpdateBooking,
        // Without the permission below, only own ones.
        "read" if resource == "booking" => Key::ActionReadOwnBookings,
        "create" => Key::ActionCreate,
        "read" => Key::ActionRead,
        "update" => Key::ActionUpdate,
        "delete" => Key::ActionDelete,
        "invite" => Key::ActionInvite,
        "remove" => Key::ActionRemove,
        "listMembers" => Key::ActionListMembers,
        "listMembersPrivate" => Key::ActionListMembersPrivate,
        "changeMemberRole" => Key::ActionChangeMemberRole,
        "impersonate" => Key::ActionImpersonate,
        "readTeamBookings" => Key::ActionReadTeamBookings,
        "readRecordings" => Key::ActionReadRecordings,
        "readTeamAuditLogs" => Key::ActionReadTeamAuditLogs,
        "readOrgBookings" => Key::ActionReadOrgBookings,
        "readOrgAuditLogs" => Key::ActionReadOrgAuditLogs,
        "manageBilling" => Key::ActionManageBilling,
        "passwordReset" => Key::ActionPasswordReset,
        "editUsers" => Key::ActionEditUsers,
        "*" => Key::ActionEverything,
        other => return other.to_owned(),
    };
    texts.get(key).to_owned()
}

/// Full text of a permission: resource and action.
pub(super) fn permission_text(permission: &str, texts: Translations) -> String {
    let Some((resource, _)) = permission.rsplit_once('.') else {
        return permission.to_owned();
    };
    texts.fill(
        Key::PermissionName,
        &[
            ("resource", &resource_text(resource, texts)),
            ("action", &action_text(permission, texts)),
        ],
    )
}

/// Title and text of the error of a failed change.
pub(super) fn change_error_text(error: &ApiError, texts: Translations) -> (String, String) {
    if *error == ApiError::Declined(DeclineReason::Forbidden) {
        let (title, text) = (Key::RoleForbiddenTitle, Key::RoleForbiddenText);
        return (texts.get(title).to_owned(), texts.get(text).to_owned());
    }
    error_text(error, texts)
}

/// Title of a failed save.
pub(super) fn save_error_title(error: &ApiError, is_new: bool) -> Key {
    match (error, is_new) {
        (ApiError::Declined(_), true) => Key::RoleRefusedTitle,
        (ApiError::Declined(_), false) => Key::RoleNotSavedTitle,
        _ => Key::RoleUnknownTitle,
    }
}

/// Reason for a requirement.
fn reason_text(reason: DependencyReason, texts: Translations) -> &'static str {
    texts.get(match reason {
        DependencyReason::ReadAccess => Key::WhySeeFirst,
        DependencyReason::MemberList => Key::WhyMembers,
        DependencyReason::RoleList => Key::WhyRoles,
    })
}

/// Texts of implied changes, one per permission with its reason.
pub(super) fn implied_change_texts(implied: &ImpliedChanges, texts: Translations) -> Vec<String> {
    let text = |key: Key, dependency: &PermissionDependency| {
        let name = permission_text(&dependency.name, texts);
        let with = permission_text(&dependency.related, texts);
        let reason = reason_text(dependency.reason, texts);
        texts.fill(key, &[("name", &name), ("with", &with), ("why", reason)])
    };
    let added = implied
        .added
        .iter()
        .map(|dependency| text(Key::CameAlong, dependency));
    let removed = implied
        .removed
        .iter()
        .map(|dependency| text(Key::FellWith, dependency));
    added.chain(removed).collect()
}

/// Texts of missing requirements, one per permission with its reason.
pub(super) fn missing_requirement_texts(
    missing: &[PermissionDependency],
    texts: Translations,
) -> Vec<String> {
    let text = |dependency: &PermissionDependency| {
        let name = permission_text(&dependency.related, texts);
        let with = permission_text(&dependency.name, texts);
        let reason = reason_text(dependency.reason, texts);
        texts.fill(
            Key::GapLine,
            &[("name", &name), ("with", &with), ("why", reason)],
        )
    };
    missing.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use booking_wire::{ORGANIZATION_PERMISSIONS, Permission, TEAM_PERMISSIONS};

    use super::*;

    #[test]
    fn known_permissions_have_texts() {
        for name in TEAM_PERMISSIONS.into_iter().chain(ORGANIZATION_PERMISSIONS) {
            let permission = Permission(name.into());
            assert_ne!(
                resource_text(permission.resource(), Translations::ENGLISH),
                permission.resource()
            );
            assert_ne!(
                action_text(name, Translations::ENGLISH),
                permission.action()
            );
        }
    }

    #[test]
    fn permission_to_edit_bookings_mentions_confirmation() {
        let booking = permission_text("booking.update", Translations::ENGLISH);
        assert_eq!(booking, "Bookings: Edit and confirm");
        assert_eq!(action_text("team.update", Translations::ENGLISH), "Edit");
    }

    #[test]
    fn permission_to_view_bookings_says_whose() {
        let booking = permission_text("booking.read", Translations::ENGLISH);
        assert_eq!(booking, "Bookings: View own bookings");
        assert_eq!(action_text("team.read", Translations::ENGLISH), "View");
    }

    #[test]
    fn known_system_role_has_a_translated_name_others_keep_theirs() {
        for (id, kind, name) in [
            ("owner_role", RoleType::System, "Owner"),
            ("member_role", RoleType::System, "Member"),
            ("member_role", RoleType::Custom, "given"),
            ("other_role", RoleType::System, "given"),
        ] {
            let role = Role {
                id: id.to_owned(),
                name: "given".to_owned(),
                kind,
                ..Role::default()
            };
            assert_eq!(shown_role(&role, Translations::ENGLISH).name, name, "{id}");
        }
    }

    #[test]
    fn unknown_permission_keeps_its_api_name() {
        assert_eq!(resource_text("space", Translations::ENGLISH), "space");
        assert_eq!(action_text("space.sweep", Translations::ENGLISH), "sweep");
        assert_eq!(action_text("read", Translations::ENGLISH), "read");
        assert_eq!(permission_text("unknown", Translations::ENGLISH), "unknown");
    }
}
