//! A booking widget: a slot picker for visitors, a booking list and role forms for the team.
//!
//! In reading order, each module using only those above it:
//!
//! | Module | Owns |
//! |---|---|
//! | [`time`] | months, zones, and (in `format` alone) what the browser's `Intl` says |
//! | [`dom`] | elements, made once and kept current by effects |
//! | [`signal`] | what components are given to follow |
//! | [`i18n`] | every sentence that people read |
//! | [`api`] | calls to the scheduling service and what can go wrong with them |
//! | [`session`] | who is calling: credentials given by the page, renewed once |
//! | [`load`] | reads that follow a changing question |
//! | [`theme`] | the one style sheet |
//! | [`components`] | controls that know no service |
//! | [`place`] | where a meeting takes place, in words or as a safe link |
//! | [`offered`] | what an event type is like, in words |
//! | [`addresses`] | e-mail addresses as people list them |
//! | [`problem`] | a failed call, worded |
//! | [`parts`] | what of a program comes later, and the places that show it |
//! | [`zone_bar`] | how times are written, chosen by the reader |
//! | [`features`] | the screens: slot picker, booking form, booking list, roles |
//! | [`flow`] | a visitor's way through picking, filling in and confirmation |
//! | [`picker`] | the visitor’s element: what to book, then the flow |
//! | [`embed`] | the custom elements |
//! | [`app`] | the standalone app |

pub mod time;

pub mod context;
pub mod dom;
pub mod i18n;
pub mod signal;
pub mod slow_line;

pub mod api;
pub mod load;
pub mod session;

pub mod theme;

pub mod addresses;
pub mod components;
pub mod offered;
pub mod parts;
pub mod place;
pub mod problem;
pub mod zone_bar;

pub mod features;
pub mod flow;
pub mod picker;

pub mod app;
pub mod embed;
