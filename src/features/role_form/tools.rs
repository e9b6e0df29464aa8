//! Exports of the lazy chunk with the role form, the comparison and the permission panel. Fetched as
//! soon as the roles are shown.

use booking_wire::Role;

use super::desk::RolesState;
use super::{comparison, editor, panel};
use crate::dom::Html;
use crate::theme;

/// Exports of the chunk.
pub struct Tools {
    /// Form for a role.
    pub(super) editor: fn(RolesState) -> Html,
    /// Comparison of roles.
    pub(super) comparison: fn(RolesState) -> Html,
    /// Permissions of a role.
    pub(super) panel: fn(&Role, RolesState) -> Html,
    pub(super) css: &'static str,
}

/// Returns the chunk exports for binaries and the app.
pub fn tools() -> &'static Tools {
    static TOOLS: Tools = Tools {
        editor: editor::editor,
        comparison: comparison::comparison,
        panel: panel::panel,
        css: theme::ROLE_TOOLS,
    };
    &TOOLS
}
