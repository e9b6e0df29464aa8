//! E-mail over a real SMTP server with faults (`support/smtp_server.py`), which needs Python: the first test installs its
//! packages into `target/tools`.

#![recursion_limit = "256"]
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
#[path = "../v2/common.rs"]
mod common;
mod end_to_end;
mod faults;
mod fixture;
mod hostile_server;
mod log;
#[path = "../support/mail_server.rs"]
mod mail_server;
mod mail_service;
mod messages;
mod pool;
#[path = "../support/process.rs"]
mod process;
mod security;
mod signatures;
mod strangers;
mod zones;
