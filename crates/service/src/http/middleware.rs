//! Middleware: layers around the handlers of all requests.

pub mod api_version;
pub mod cal_names;
pub mod catch_panic;
pub mod concurrency_limit;
pub mod cors;
pub mod proxy_warning;
pub mod rate_limit;
pub mod responses;
