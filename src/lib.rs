//! A booking widget: a slot picker for visitors, a booking list and role forms for the team.
//!
//! A module uses those above it in this table only, which `cargo xtask check` verifies; `client` and `components` do not
//! use each other. All are built on the crate `booking-ui`. `loader/` has the scripts that pages load.
//!
//! | Module | Content |
//! |---|---|
//! | [`styles`] | the style sheets of the bundles |
//! | [`time`] | civil dates, time zones and, in `format` alone, the browser's `Intl` |
//! | [`i18n`] | UI texts |
//! | [`client`] | requests to the scheduling service, their errors, credentials and queries |
//! | [`components`] | controls that do not use the API |
//! | [`page`] | between the host page and the features: attributes, properties, commands, events, settings |
//! | [`features`] | the screens: slot picker, booking form, booking flow, booking list, roles |
//! | [`app`] | the standalone app |

pub mod app;
pub mod client;
pub mod components;
pub mod features;
pub mod i18n;
pub mod page;
pub mod styles;
pub mod time;
