//! Webhooks and e-mail messages: subscriptions, events and deliveries.

pub mod claims;
pub mod code_messages;
pub mod deliveries;
pub mod delivery_history;
pub mod mail;
pub mod mail_events;
pub mod mail_reminders;
pub mod meeting_events;
pub mod queues;
pub mod webhooks;
