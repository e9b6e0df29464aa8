//! A booking widget: a slot picker for visitors, a booking list and role forms for the team.
//!
//! All modules are listed here. Each uses modules above it only, which `cargo xtask check` verifies; `client` and
//! `components` do not use each other.
//!
//! | Module | Content |
//! |---|---|
//! | [`styles`] | the style sheets of the bundles |
//! | [`time`] | civil dates, time zones and, in `format` alone, the browser's `Intl` |
//! | [`i18n`] | UI texts |
//! | [`client`] | requests to the scheduling service, their errors, credentials and queries |
//! | [`components`] | controls that do not use the API |
//! | [`element`] | the custom elements: attributes, properties, commands, events and the loader's scripts |
//! | [`features`] | the screens: slot picker, booking form, booking flow, booking list, roles |
//! | [`app`] | the standalone app |

pub mod client;
pub mod components;
pub mod i18n;
pub mod styles;
pub mod time;

/// The custom elements. `scripts/embed.js` defines their classes and forwards their callbacks; here each becomes a
/// mounted view with its own session, zone and settings.
pub mod element {
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
}

/// The screens. Only `booking_picker` and `booking_flow` use other features: they connect them. Code that two of
/// them share is in `shared`.
pub mod features {
    pub mod booking_flow;
    pub mod booking_form;
    pub mod booking_list;
    pub mod booking_picker;
    pub mod event_type_list;
    pub mod role_form;
    pub mod slot_picker;

    /// Error messages and texts that several features show.
    pub mod shared {
        pub mod email_list;
        pub mod error_notice;
        pub mod event_type_summary;
        pub mod host_name;
        pub mod lazy_view;
        pub mod location;
        pub mod slow_request;
        pub mod time_zone_bar;
        pub mod unsaved_changes;
    }
}

/// The standalone app: pages for visitors, and the screens of the team. Combines the screens of the elements, and
/// provides the parts that are otherwise up to the embedding page: URLs and credentials.
pub mod app {
    mod account;
    mod book;
    mod booking_steps;
    pub mod chunks;
    mod connect;
    mod connection;
    mod credentials;
    mod demo;
    mod failure;
    mod language_choice;
    mod navigation;
    mod public_frame;
    pub mod records;
    pub mod route;
    mod screens;
    pub mod shell;
    mod staff_frame;
    pub mod staff_screens;
    mod stored_account;
    mod tab_storage;
    mod translations;
}
