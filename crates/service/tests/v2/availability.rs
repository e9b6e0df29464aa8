//! Slots, reservations, schedules and absences.

mod calendar_cache;
mod calendar_replay;
mod out_of_office;
mod reschedule_slots;
mod reservations;
mod schedules;
mod slots;
