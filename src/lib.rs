//! A booking widget: a slot picker for visitors, a booking list and role forms for the team.
//!
//! In reading order, roughly from bottom to top:
//!
//! | Module | Owns |
//! |---|---|
//! | [`time`] | civil dates, time zones and, in `format` alone, the browser's `Intl` |
//! | [`dom`] | elements, created once and updated by effects |
//! | [`signal`] | signals, stored values and callbacks |
//! | [`i18n`] | UI texts |
//! | [`api`] | requests to the scheduling service, and their errors |
//! | [`session`] | credentials set by the page, and their renewal |
//! | [`load`] | reads that follow a changing query |
//! | [`theme`] | style sheets |
//! | [`components`] | controls that do not use the API |
//! | [`place`] | locations as text or safe links |
//! | [`offered`] | properties of event types as text |
//! | [`addresses`] | lists of e-mail addresses |
//! | [`problem`] | error messages |
//! | [`parts`] | lazy chunks, and the views that show them |
//! | [`zone_bar`] | controls for time zone and hour cycle |
//! | [`features`] | the screens: slot picker, booking form, booking list, roles |
//! | [`flow`] | the visitor's flow: selection, form and confirmation |
//! | [`picker`] | the visitor's element: list of event types, then the flow |
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
