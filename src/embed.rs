//! The custom elements. `embed.js` defines their classes and forwards their callbacks; here each becomes a
//! mounted view with its own session, zone and settings.

pub mod attributes;
mod draft_store;
pub mod events;
pub mod kept;
pub mod mounted;
mod moving;

pub use attributes::Config;
pub use draft_store::DraftStore;
pub use events::Page;
pub use kept::keep_list;
pub use mounted::Mounted;
pub use moving::rescheduler;
