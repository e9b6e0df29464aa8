//! A scheduling service over SQLite or PostgreSQL.
//!
//! Each line uses the ones below it only, which `cargo xtask check` verifies.
//!
//! | Module | Contents |
//! |---|---|
//! | [`cli`] | command line: one module per command |
//! | [`process`] | the running process: connections, shutdown, periodic work |
//! | [`http`] | router, middleware, handlers: parse, call a use case, respond |
//! | [`domain`] | use cases, one module per noun of the API |
//! | [`messages`] | webhooks and e-mail messages |
//! | [`app`] | state shared by requests and workers |
//! | [`cache`] | caches in memory |
//! | [`limits`] | rate limits, concurrency limits and allowances of clients |
//! | [`auth`] | authentication and authorization |
//! | [`monitoring`] | readiness and Prometheus metrics |
//! | [`validate`] | strict parsing of query strings and bodies |
//! | [`store`] | all SQL |
//! | [`error`], [`settings`], [`clock`] | errors, their status and body; configuration; the current instant |
//! | [`api`], [`input_limits`] | names of the API; upper limits on requests |

pub mod api;
pub mod app;
pub mod auth;
pub mod cache;
pub mod cli;
pub mod clock;
pub mod domain;
pub mod error;
pub mod http;
pub mod input_limits;
pub mod limits;
pub mod messages;
pub mod monitoring;
pub mod process;
pub mod settings;
pub mod store;
pub mod validate;
