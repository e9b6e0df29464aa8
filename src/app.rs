//! The standalone app: pages for visitors, and the screens of the team. Combines the screens of the elements, and
//! provides the parts that are otherwise up to the embedding page: URLs and credentials.

mod account;
mod book;
mod booking_steps;
pub mod chunks;
mod connect;
mod connection;
mod credentials;
mod demo;
mod failure;
mod language_choice;
mod navigation;
mod public_frame;
pub mod records;
pub mod route;
mod screens;
pub mod shell;
mod staff_frame;
pub mod staff_screens;
mod stored_account;
mod tab_storage;
mod translations;
