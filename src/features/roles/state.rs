//! State of the roles: the list, the form, the loaded roles and the transitions between views.

pub(super) mod context;
pub(super) mod draft;
mod list_focus;
pub(super) mod list_state;
pub(super) mod navigation;
pub(super) mod role_store;
