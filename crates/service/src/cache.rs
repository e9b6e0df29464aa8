//! Caches in memory: slots, what they are computed from, and pictures of public pages.

pub mod calendars;
pub mod page_pictures;
pub mod slots;
