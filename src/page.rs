//! The layer between the host page and the features. `loader/embed.js` defines the custom elements and forwards their
//! callbacks; here each becomes a mounted view with its own session, zone and settings.

pub mod attributes;
pub mod booking_events;
pub mod commands;
pub mod draft_store;
pub mod events;
pub mod kept_flow;
pub mod mounted;
pub mod picker_events;
pub mod properties;
pub mod settings;
pub mod step_history;
pub mod step_place;
pub mod stored_state;
pub mod team_events;
