//! A scheduling service over SQLite.
//!
//! Modules by layer, in reading order. A request passes from the server through the API layer to a
//! use case, which uses rules and the store.
//!
//! | Module | Contents |
//! |---|---|
//! | **Process** | |
//! | [`cli`] | command line: one module per command |
//! | [`settings`], [`app`] | configuration and state shared by handlers |
//! | [`connections`] | accepting, limiting and closing connections |
//! | [`shutdown`] | signals and phases of the shutdown |
//! | [`maintenance`] | periodic maintenance of the database |
//! | [`worker`] | webhook and e-mail messages that are due |
//! | [`health`], [`metrics`] | readiness and Prometheus metrics |
//! | **HTTP** | |
//! | [`router`] | routes and order of the middleware |
//! | [`middleware`] | request ids, error bodies, CORS, rate and concurrency limits |
//! | [`limits`] | state of the limits on clients |
//! | [`client_ip`] | IP addresses of clients |
//! | [`assets`] | files of the app and for embedding |
//! | **API** | |
//! | [`v2`] | handlers of version 2: parse, call a use case, respond |
//! | [`v1`] | handlers of the deprecated version 1 |
//! | [`unversioned`] | health checks, metrics, demo account, pages of links in messages |
//! | [`openapi`] | routes of version 2 and the OpenAPI document |
//! | [`extract`] | values that handlers extract from requests |
//! | [`validate`] | strict parsing of query strings and bodies |
//! | [`auth`] | authentication and authorization |
//! | **Use cases** | |
//! | [`bookings`] | bookings and actions on them |
//! | [`event_types`] | event types of users and teams |
//! | [`slots`], [`slot_cache`], [`calendar_cache`] | search for slots, and caches of the responses and of what they are computed from |
//! | [`reservations`] | reservations of slots |
//! | [`schedules`], [`out_of_office`] | working hours and absences |
//! | [`users`], [`teams`], [`memberships`], [`roles`] | users, teams and organisations |
//! | [`public_pages`], [`page_pictures`] | what links to public pages show: texts, and pictures |
//! | [`mail_links`] | links in messages: their tokens, and what opening and using them does |
//! | [`verified_emails`] | verification of e-mail addresses by codes |
//! | [`webhooks`] | subscriptions, and the delivery of events |
//! | [`mail`], [`outbox`], [`smtp`] | e-mail messages: events and recipients; making and sending messages; the mail server |
//! | [`idempotency`] | repeated requests with the same `Idempotency-Key` |
//! | [`demo`] | demo data |
//! | **Rules** (pure) | |
//! | [`availability`] | available times: rules, busy times and current instant in, slots out |
//! | [`lifecycle`] | status transitions of bookings |
//! | **Store** | |
//! | [`store`] | all SQL |
//! | **Shared** | |
//! | [`error`] | errors, their status and body |
//! | [`api`] | names and constants of the API |
//! | [`accept_language`] | languages that clients prefer |
//! | [`email_address`] | validation of e-mail addresses, and their mailboxes |
//! | [`input_limits`] | upper limits on the content and cost of requests |
//! | [`redaction`] | removal of credentials from texts |
//! | [`clock`], [`zone_data`] | the current instant; time zone data and their renewal |
//! | [`zone_review`] | upcoming bookings after a change of law |

pub mod accept_language;
pub mod api;
pub mod app;
pub mod assets;
pub mod auth;
pub mod availability;
pub mod bookings;
pub mod calendar_cache;
pub mod cli;
pub mod client_ip;
pub mod clock;
pub mod concurrent_change;
pub mod connections;
pub mod demo;
pub mod email_address;
pub mod error;
pub mod event_types;
pub mod extract;
pub mod health;
pub mod idempotency;
pub mod input_limits;
pub mod lifecycle;
pub mod limits;
pub mod mail;
pub mod mail_links;
pub mod maintenance;
pub mod memberships;
pub mod metrics;
pub mod middleware;
pub mod openapi;
pub mod out_of_office;
pub mod outbox;
pub mod page_pictures;
pub mod public_pages;
pub mod redaction;
pub mod reservations;
pub mod roles;
pub mod router;
pub mod schedules;
pub mod settings;
pub mod shutdown;
pub mod slot_cache;
pub mod slots;
pub mod smtp;
pub mod store;
pub mod teams;
pub mod unversioned;
pub mod users;
pub mod v1;
pub mod v2;
pub mod validate;
pub mod verified_emails;
pub mod webhooks;
pub mod worker;
pub mod zone_data;
pub mod zone_review;
