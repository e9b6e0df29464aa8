//! What is done with the roles once they are shown: the form, several of them side by side, what each
//! allows. A part that is fetched as soon as they are.

use booking_wire::Role;

use super::desk::Desk;
use super::{comparison, editor, panel};
use crate::dom::Html;
use crate::theme;

/// What can be done once it is here.
pub struct Tools {
    /// Makes or changes a role.
    pub(super) editor: fn(Desk) -> Html,
    /// Roles side by side.
    pub(super) comparison: fn(Desk) -> Html,
    /// What a role allows.
    pub(super) panel: fn(&Role, Desk) -> Html,
    pub(super) css: &'static str,
}

/// The doors to what is done with roles. Only programs name them.
pub fn tools() -> &'static Tools {
    static TOOLS: Tools = Tools {
        editor: editor::editor,
        comparison: comparison::comparison,
        panel: panel::panel,
        css: theme::ROLE_TOOLS,
    };
    &TOOLS
}
