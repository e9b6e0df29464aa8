//! Rules of permissions, without DOM.

pub mod dependencies;
pub(super) mod permission_name;
pub mod permission_set;
pub mod presets;
