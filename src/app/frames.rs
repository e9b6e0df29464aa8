//! Frames around the screens.

pub(super) mod public_frame;
pub(super) mod staff_frame;
