//! Schedules, availabilities, absences and calendars.

pub mod availabilities;
pub mod calendars;
pub mod out_of_office;
pub mod schedules;
