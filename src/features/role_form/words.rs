//! Resources and actions in words. What a newer service adds is shown by its own name.

use crate::i18n::{Key, Texts};

/// A resource as a heading.
pub(super) fn resource_text(resource: &str, texts: Texts) -> String {
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
        other => return other.to_owned(),
    };
    texts.get(key).to_owned()
}

/// The action of a permission, to be read under the heading of its resource.
pub(super) fn action_text(permission: &str, texts: Texts) -> String {
    let action = permission
        .rsplit_once('.')
        .map_or(permission, |(_, action)| action);
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
        other => return other.to_owned(),
    };
    texts.get(key).to_owned()
}

#[cfg(test)]
mod tests {
    use booking_wire::{Permission, TEAM_PERMISSIONS};

    use super::*;

    #[test]
    fn every_permission_has_words_of_its_own() {
        for name in TEAM_PERMISSIONS {
            let permission = Permission(name.into());
            assert_ne!(
                resource_text(permission.resource(), Texts::ENGLISH),
                permission.resource()
            );
            assert_ne!(action_text(name, Texts::ENGLISH), permission.action());
        }
    }

    #[test]
    fn what_is_unknown_keeps_its_name() {
        assert_eq!(resource_text("watchlist", Texts::ENGLISH), "watchlist");
        assert_eq!(action_text("watchlist.sweep", Texts::ENGLISH), "sweep");
        assert_eq!(action_text("odd", Texts::ENGLISH), "odd");
    }
}
