//! Changes of a role, which the page may prevent before they are saved.

use booking_wire::{Permission, Role};
use js_sys::Object;

use super::model::RoleFormValues;
use super::permissions::permission_set::PermissionSet;
use crate::client::{ApiError, DeclineReason};
use crate::i18n::{Key, Translations};
use crate::page::events::{HookResponse, Page};
use crate::page::team_events::{PermissionChange, TeamEvent};

/// Lets the page allow or prevent a change of a role. An error if its handler fails.
pub(super) async fn is_allowed_by_page(
    page: &Page,
    texts: Translations,
    id: String,
    change: PermissionChange,
) -> Result<bool, ApiError> {
    let event = TeamEvent::BeforeRoleSave { id, change };
    match page.ask(&event, &Object::new(), None).await {
        HookResponse::Go | HookResponse::With(_) => Ok(true),
        HookResponse::Stop => Ok(false),
        HookResponse::Failed(text) => {
            let fallback = || texts.get(Key::UnexpectedText).to_owned();
            let text = text.unwrap_or_else(fallback);
            Err(ApiError::Declined(DeclineReason::ByPage(text)))
        }
    }
}

/// Permission changes from `before` to `after`.
pub(super) fn permission_change(after: &PermissionSet, before: &[Permission]) -> PermissionChange {
    let difference = after.difference_from(before);
    PermissionChange {
        added: difference.added,
        removed: difference.removed,
        implied: difference.implied,
    }
}

/// Id of the role, empty for a new one, and its permission changes.
pub(super) fn role_change(
    values: &RoleFormValues,
    base: Option<&Role>,
) -> (String, PermissionChange) {
    match base {
        Some(base) => (
            base.id.clone(),
            permission_change(&values.permissions, &base.permissions),
        ),
        None => (String::new(), permission_change(&values.permissions, &[])),
    }
}
