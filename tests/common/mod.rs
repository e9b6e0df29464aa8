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

// The journeys and the pictures are programs of their own, and each uses a part of this.
#![allow(dead_code, unused_imports)]
// These are tests: a panic with a good message is how they fail.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

mod driver;
mod faults;
mod http;
mod other_dialect;
mod page;
mod pool;
mod service;
mod strict;
mod visit;

pub(crate) use driver::{Engine, Key};
pub(crate) use faults::{Fault, Faults};
pub(crate) use http::{Answer, Client};
pub(crate) use page::{Locator, Name, Page, containing, starting};
pub(crate) use service::Service;
pub(crate) use strict::{each_event_type, is_other_dialect};
pub(crate) use visit::{
    Free, at, book, booked, choose_day, choose_zone, fill_in, free, free_times, free_times_in,
    given, instant, open_page, overflow, pairs, pick, times_of,
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

/// A server's socket on a port that no other test of this program has had: what a browser keeps for
/// an address stays with the test that left it.
fn listener() -> TcpListener {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    // Held until a new one is found, so that none is offered twice.
    let mut known = Vec::new();
    loop {
        let socket = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = socket.local_addr().expect("its address").port();
        let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
        if given.insert(port) {
            return socket;
        }
        known.push(socket);
    }
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let address = listener().local_addr().expect("its address");
    address.port()
}
