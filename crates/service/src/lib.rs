//! A scheduling service over SQLite.
//!
//! In reading order:
//!
//! | Module | Owns |
//! |---|---|
//! | [`cli`] | the command line: one module per command |
//! | [`shutdown`] | signals and the phases of the end |
//! | [`connections`] | connections and the time they may take |
//! | [`app`], [`settings`] | state and configuration that handlers share |
//! | [`router`] | paths of the service |
//! | [`middleware`] | request ids, error bodies, CORS, rate and concurrency limits |
//! | [`extract`] | credentials and networks of requests, for handlers |
//! | [`openapi`] | the table of operations and the document made from it |
//! | [`routes`] | one module per family of operations: they translate |
//! | [`v1`] | the deprecated version 1, over what version 2 is made of |
//! | [`auth`] | who is calling and what they may do; tokens and secrets |
//! | [`validate`] | strict reading of query strings and bodies |
//! | [`availability`] | decides about times, purely |
//! | [`lifecycle`] | where a booking stands and what may happen to it, purely |
//! | [`recurrence`] | when the meetings of a series take place, purely |
//! | [`webhooks`] | events, and their delivery to subscribers |
//! | [`limits`] | state of the rate and concurrency limits |
//! | [`api`] | names of the interface that several layers share |
//! | [`client_ip`] | address and network of a client |
//! | [`input_limits`] | upper limits of a request's content and cost |
//! | [`health`], [`metrics`] | what those who operate the service can see |
//! | [`maintenance`] | maintenance of the database by a running service, every minute |
//! | [`recent`] | answers that are still true |
//! | [`store`] | the database, all SQL |
//! | [`redaction`] | removes credentials from texts |
//! | [`error`] | what can go wrong and how it is worded |
//! | [`clock`] | the present moment as a value |
//! | [`assets`] | the app's and the embed files |
//! | [`demo`] | demo data |

pub mod api;
pub mod app;
pub mod assets;
pub mod auth;
pub mod availability;
pub mod bookings;
pub mod cli;
pub mod client_ip;
pub mod clock;
pub mod connections;
pub mod demo;
pub mod error;
pub mod event_types;
pub mod extract;
pub mod health;
pub mod idempotency;
pub mod input_limits;
pub mod lifecycle;
pub mod limits;
pub mod maintenance;
pub mod memberships;
pub mod metrics;
pub mod middleware;
pub mod openapi;
pub mod out_of_office;
pub mod recent;
pub mod recurrence;
pub mod redaction;
pub mod reservations;
pub mod roles;
pub mod router;
pub mod schedules;
pub mod settings;
pub mod shutdown;
pub mod slots;
pub mod store;
pub mod teams;
pub mod unversioned;
pub mod users;
pub mod v1;
pub mod v2;
pub mod validate;
pub mod webhooks;
