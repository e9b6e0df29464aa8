//! Calendars of people: files to import, and links to calendars on the web.

pub mod ics;
pub mod web;

pub use ics::{
    CalendarEvent, CalendarFile, CalendarPerson, calendar_address, calendar_file, sequence, stamp,
};
pub use web::{WebCalendar, web_calendar_url};
