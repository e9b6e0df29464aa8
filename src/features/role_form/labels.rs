//! Texts of resources and actions. Unknown ones of a newer service keep their API name.

use crate::client::{ApiError, DeclineReason};
use crate::features::shared::error_notice::error_text;

use super::dependencies::{DependencyReason, PermissionDependency};
use super::permission_set::ImpliedChanges;
use crate::i18n::{Key, Translations};

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
    let Some((_, action)) = permission.rsplit_once('.') else {
        return permission.to_owned();
    };
    let key = match action {
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

/// Title and text of a failed change.
pub(super) fn refusal_words(error: &ApiError, texts: Translations) -> (String, String) {
    if *error == ApiError::Declined(DeclineReason::Forbidden) {
        let (title, text) = (Key::RoleForbiddenTitle, Key::RoleForbiddenText);
        return (texts.get(title).to_owned(), texts.get(text).to_owned());
    }
    error_text(error, texts)
}

/// Reason for a requirement.
fn why_text(why: DependencyReason, texts: Translations) -> &'static str {
    texts.get(match why {
        DependencyReason::SeeFirst => Key::WhySeeFirst,
        DependencyReason::Inside => Key::WhyInside,
        DependencyReason::Members => Key::WhyMembers,
        DependencyReason::Roles => Key::WhyRoles,
        DependencyReason::More => Key::WhyMore,
    })
}

/// Side effects of a tick, one per line with its reason.
pub(super) fn effect_lines(effects: &ImpliedChanges, texts: Translations) -> Vec<String> {
    let line = |key: Key, tie: &PermissionDependency| {
        let name = permission_text(&tie.name, texts);
        let with = permission_text(&tie.with, texts);
        let why = why_text(tie.why, texts);
        texts.fill(key, &[("name", &name), ("with", &with), ("why", why)])
    };
    let came = effects.came.iter().map(|tie| line(Key::CameAlong, tie));
    let fell = effects.fell.iter().map(|tie| line(Key::FellWith, tie));
    came.chain(fell).collect()
}

/// Missing requirements of a role, one per line with its reason.
pub(super) fn gap_lines(gaps: &[PermissionDependency], texts: Translations) -> Vec<String> {
    let line = |tie: &PermissionDependency| {
        let name = permission_text(&tie.with, texts);
        let with = permission_text(&tie.name, texts);
        let why = why_text(tie.why, texts);
        texts.fill(
            Key::GapLine,
            &[("name", &name), ("with", &with), ("why", why)],
        )
    };
    gaps.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use booking_wire::{ORGANIZATION_PERMISSIONS, Permission, TEAM_PERMISSIONS};

    use super::*;

    #[test]
    fn every_permission_has_words_of_its_own() {
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
    fn what_is_unknown_keeps_its_name() {
        assert_eq!(resource_text("space", Translations::ENGLISH), "space");
        assert_eq!(action_text("space.sweep", Translations::ENGLISH), "sweep");
        assert_eq!(action_text("read", Translations::ENGLISH), "read");
        assert_eq!(permission_text("odd", Translations::ENGLISH), "odd");
    }
}
