//! Helpers for end-to-end tests: a real service, a real browser, and a proxy that injects faults
//! between them.
//!
//! ```ignore
//! let service = Service::start();
//! let page = Page::open(&service.url("/embed/demo.html"));
//! page.button("Continue").click();
//! page.field("Your name").fill("Ada Lovelace");
//! page.wait_for_text("You’re booked for");
//! ```
//!
//! Elements are found by role and name, through open shadow roots. Every action waits until it is
//! possible; on a timeout the test fails with a screenshot of the page. `cargo xtask test` sets
//! environment variables with the browser to use and the paths of the files.

// The end-to-end tests and the screenshots are separate programs, and each uses a part of this.
#![allow(dead_code, unused_imports)]
// Test code: a panic with a good message is how a test fails.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

mod booking_steps;
mod browser_pool;
mod cal_dialect;
mod cal_requests;
mod demo;
mod faults;
mod http;
mod page;
mod service;
mod webdriver;

pub(crate) use booking_steps::{
    FreeSlot, booking_at, booking_by, create_booking, create_booking_of_grace, fill_in,
    first_of_day_with, free_slots, free_slots_in, free_start, instant, now, open_page,
    open_signed_in, parse_instant, picker_overflow, query_pairs, query_value, select_day,
    select_first_series, select_first_slot, select_slot, select_time_zone, slot_lists,
    slots_of_day, stored_role, tab_to, wait_for_slots,
};
pub(crate) use cal_dialect::{each_event_type, is_cal_dialect};
pub(crate) use demo::{
    BOOKINGS, DESIGN_REVIEW, GROUP_TRAINING, INTRO_CALL, INTRO_CALL_PICKER, ONBOARDING,
    ORGANIZATION_TEAM_BOOKINGS, PARTNER_CALL, RESERVATIONS, SITE_VISIT, SLOTS, TEAM_BOOKINGS,
    TEAM_ROLES, WEEKLY_COACHING,
};
pub(crate) use faults::{Fault, Faults};
pub(crate) use http::{Client, Response};
pub(crate) use page::{DESKTOP, Locator, Name, PHONE, Page, containing, starting};
pub(crate) use service::{Service, embed_folder, picker_files};
pub(crate) use webdriver::{Engine, Key};

/// Time zone of browsers, unless a test sets another one.
pub(crate) const ZONE: &str = "Europe/London";

/// Setting from `cargo xtask`.
fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!(
            "{name} is not set: run the journeys with \
             `cargo xtask test --browser chromium --only <part of a name>`"
        )
    })
}

/// True if this run includes a case of a matrix: every third one of a row, in each row others, so that every row and
/// every column is included; all with `cargo xtask test --every-journey`.
pub(crate) fn is_included(row: usize, column: usize) -> bool {
    std::env::var_os("BOOKING_E2E_EVERY_CASE").is_some() || (row + column).is_multiple_of(3)
}

/// Binds a server socket to a port that no other test of this program has used: browsers store data
/// per origin, port included, so no test finds the data of another one.
fn listener() -> TcpListener {
    static USED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    // Bound until a new port is found, so that none is offered twice.
    let mut taken = Vec::new();
    loop {
        let socket = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = socket.local_addr().expect("its address").port();
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        if used.insert(port) {
            return socket;
        }
        taken.push(socket);
    }
}

/// Port that was free at the call.
fn free_port() -> u16 {
    let address = listener().local_addr().expect("its address");
    address.port()
}
