//! What journeys are written with: a real service, a real browser, and things between them that
//! go wrong.
//!
//! ```ignore
//! let service = Service::start();
//! let page = Page::open(&service.url("/embed/demo.html"));
//! page.button("Continue").click();
//! page.field("Your name").fill("Ada Lovelace");
//! page.wait_for_text("You are booked");
//! ```
//!
//! Things are found as people find them, by role and name, through open shadow roots. Everything
//! waits until it can be done; what cannot be done in time fails with a picture of the page.
//! `cargo xtask test` says through the environment which browser to use and where things are.

// Each journey file is a program of its own and uses a part of this.
#![allow(dead_code, unused_imports)]
// These are tests: a panic with a good message is how they fail.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

mod driver;
mod faults;
mod http;
mod page;
mod service;
mod visit;

pub(crate) use driver::{Engine, Key};
pub(crate) use faults::{Fault, Faults};
pub(crate) use http::{Answer, Client};
pub(crate) use page::{Locator, Name, Page, containing, starting};
pub(crate) use service::Service;
pub(crate) use visit::{
    Free, at, book, booked, choose_zone, fill_in, free, free_times, free_times_in, given, instant,
    open_page, overflow, pairs, pick, times_of,
};

/// The zone that browsers are started in, unless told.
const ZONE: &str = "Europe/London";

/// A setting from `cargo xtask`.
fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!(
            "{name} is not set: run the journeys with \
             `cargo xtask test --browser chromium --only <part of a name>`"
        )
    })
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port()
}
