//! Language of the app.

pub(super) mod choice;
pub(super) mod translations;
