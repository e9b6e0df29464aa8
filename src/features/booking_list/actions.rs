//! Booking actions: the actions that a booking allows, their forms and their results, for one booking or many.

pub(super) mod answers;
pub(super) mod bulk;
mod bulk_panel;
mod context;
mod execute;
mod forms;
mod labels;
pub(super) mod panel;
pub mod reschedule;
pub mod reschedule_picker;
pub(super) mod row_actions;
pub(super) mod selection_bar;
