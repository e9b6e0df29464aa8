//! Booking actions: the actions that a booking allows, their forms and their results, for one booking or many.

pub(super) mod bulk;
pub(super) mod bulk_panel;
mod context;
mod draft;
mod execute;
mod forms;
mod labels;
pub mod model;
pub(super) mod panel;
pub mod reschedule;
pub mod reschedule_picker;
pub(super) mod state;
