//! Webhooks, their events and deliveries.

pub mod deliveries;
mod events;
mod fairness;
mod history;
mod hostile_receivers;
mod limits;
mod management;
