//! Use cases of slots: the rules of an event type, and the search for slots.

pub mod rules;
pub mod search;
pub mod series;
pub mod starts;
pub mod unavailable;
