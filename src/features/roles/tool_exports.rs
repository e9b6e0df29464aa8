//! Type of the exports of the role tools chunk, see [`super::chunk`].

use booking_ui::prelude::*;
use booking_wire::Role;

use super::state::context::RolesContext;
use super::state::list_state::ListState;
use super::state::navigation::Navigation;
use super::state::role_store::RoleStore;

/// Exports of the lazy chunk with the form, the comparison and the permission panel.
pub struct RoleToolsExports {
    pub(super) editor: fn(RolesContext, RoleStore, ListState, Navigation) -> Node,
    pub(super) comparison: fn(RolesContext, RoleStore, ListState, Navigation) -> Node,
    /// Permissions of a role.
    pub(super) panel: fn(&Role, RolesContext, RoleStore, ListState, Navigation) -> Node,
    pub(super) css: &'static str,
}
