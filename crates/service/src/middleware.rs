//! Middleware: what happens to every request before its handler, and to every response after it.

pub mod api_version;
pub mod cal_names;
pub mod catch_panic;
pub mod concurrency_limit;
pub mod cors;
pub mod rate_limit;
pub mod responses;
