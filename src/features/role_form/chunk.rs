//! Exports of the lazy chunk with the role form, the comparison and the permission panel. Fetched as
//! soon as the roles are shown.

use booking_wire::Role;

use super::roles_state::RolesState;
use super::{comparison, editor, panel};
use crate::ui::dom::Node;
use crate::ui::theme;

/// Exports of the chunk.
pub struct Tools {
    /// Form for a role.
    pub(super) editor: fn(RolesState) -> Node,
    /// Comparison of roles.
    pub(super) comparison: fn(RolesState) -> Node,
    /// Permissions of a role.
    pub(super) panel: fn(&Role, RolesState) -> Node,
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
