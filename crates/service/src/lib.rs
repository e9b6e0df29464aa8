//! A scheduling service over SQLite.
//!
//! In reading order:
//!
//! | Module | Owns |
//! |---|---|
//! | [`config`] | the command line |
//! | [`admin`] | people, keys and OAuth clients at the command line |
//! | [`serve`], [`shutdown`] | start, logs; signals and the phases of the end |
//! | [`instance_lock`] | one process per data directory |
//! | [`connections`] | connections and the time they may take |
//! | [`app`], [`settings`] | state and configuration that handlers share |
//! | [`router`] | paths of the service |
//! | [`openapi`] | the table of operations and the document made from it |
//! | [`routes`] | one module per family of operations: they translate |
//! | [`v1`] | the deprecated version 1, over what version 2 is made of |
//! | [`auth`] | who is calling and what they may do; tokens and secrets |
//! | [`validate`] | strict reading of query strings and bodies |
//! | [`availability`] | decides about times, purely |
//! | [`lifecycle`] | where a booking stands and what may happen to it, purely |
//! | [`recurrence`] | when the meetings of a series take place, purely |
//! | [`events`] | what happens, by the names that subscribers know |
//! | [`webhooks`] | tells subscribers what happened |
//! | [`middleware`] | request ids, error bodies, CORS, rate and concurrency limits |
//! | [`extract`] | credentials and networks of requests, for handlers |
//! | [`limits`] | state of the rate and concurrency limits |
//! | [`api`] | names of the interface that several layers share |
//! | [`client_ip`] | address and network of a client |
//! | [`input_limits`] | upper limits of a request's content and cost |
//! | [`health`], [`metrics`] | what those who operate the service can see |
//! | [`check`], [`backup`], [`vacuum`] | commands that look after the database |
//! | [`maintenance`] | the same in a running service, every minute |
//! | [`recent`] | answers that are still true |
//! | [`store`] | the database, all SQL |
//! | [`redaction`] | removes credentials from texts |
//! | [`error`] | what can go wrong and how it is worded |
//! | [`clock`] | the present moment as a value |
//! | [`assets`] | the app's and the embed files |
//! | [`demo`] | demo data |

pub mod admin;
pub mod api;
pub mod app;
pub mod assets;
pub mod auth;
pub mod availability;
pub mod backup;
pub mod check;
pub mod client_ip;
pub mod clock;
pub mod config;
pub mod connections;
pub mod demo;
pub mod error;
pub mod events;
pub mod extract;
pub mod health;
pub mod input_limits;
pub mod instance_lock;
pub mod lifecycle;
pub mod limits;
pub mod maintenance;
pub mod metrics;
pub mod middleware;
pub mod openapi;
pub mod recent;
pub mod recurrence;
pub mod redaction;
pub mod router;
pub mod routes;
pub mod serve;
pub mod settings;
pub mod shutdown;
pub mod store;
pub mod v1;
pub mod vacuum;
pub mod validate;
pub mod webhooks;
