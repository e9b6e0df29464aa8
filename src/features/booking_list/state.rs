//! State of the list: what is shown, selected and being changed.

pub mod action_state;
pub(super) mod list_state;
pub(super) mod selection;
