//! Creation, actions and changes of bookings.

mod action_events;
mod actions;
mod allowed_actions;
mod creation;
mod creation_events;
mod email_corrections;
pub mod fixture;
mod form;
mod locations;
mod phone_numbers;
mod races;
mod reschedules;
mod rules;
mod series_and_seats;
mod subresources;
mod titles;
