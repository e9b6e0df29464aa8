//! Error messages and texts that several features show.

pub mod email_list;
pub mod error_notice;
pub mod event_type_summary;
pub mod host_name;
pub mod lazy_view;
pub mod location;
pub mod slow_request;
pub mod time_zone_bar;
pub mod unsaved_changes;
