//! E-mail over a real SMTP server with faults (`support/smtp_server.py`), which needs Python: the first test installs its
//! packages into `target/tools`.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

mod command;
mod faults;
mod fixture;
#[path = "../support/mail_server.rs"]
mod mail_server;
mod messages;
mod pool;
#[path = "../support/process.rs"]
mod process;
mod security;
mod signatures;
