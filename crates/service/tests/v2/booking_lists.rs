//! GET /v2/bookings and the lists of teams and organizations.

mod limits;
mod own;
mod search;
mod status_filters;
mod teams;
