//! The standalone app: pages for visitors, and the screens of the team. Combines the screens of the elements, and
//! provides the parts that are otherwise up to the embedding page: URLs and credentials.

mod book;
mod booking_steps;
pub mod chunks;
mod connection;
mod failure;
mod frames;
mod language;
mod navigation;
pub mod route;
mod screens;
pub mod shell;
mod sign_in;
pub mod staff_screens;
mod tab_storage;
mod unsaved_changes_dialog;
