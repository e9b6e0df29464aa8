//! Webhooks of version 1.

use booking_wire_macros::wire;

use crate::webhook::Trigger;

/// A webhook. Its secret is never sent.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Webhook {
    /// Identifier, the same as in version 2.
    pub id: String,
    /// User with bookings that trigger it.
    #[wire(null)]
    pub user_id: Option<i64>,
    /// Event type with bookings that trigger it.
    #[wire(null)]
    pub event_type_id: Option<i64>,
    /// URL to which events are sent.
    pub subscriber_url: String,
    /// Events to send.
    pub event_triggers: Vec<Trigger>,
    /// True if events are sent.
    pub active: bool,
    /// Template of the request body.
    #[wire(null)]
    pub payload_template: Option<String>,
}

/// Input of a webhook. Deliberately without `Debug`: it contains a secret.
#[wire(write)]
#[derive(Clone, Default, PartialEq, Eq)]
pub struct WebhookInput {
    /// An absolute http or https URL, unique per owner.
    #[schema(nullable = false, pattern = "^https?://", max_length = 2048)]
    pub subscriber_url: Option<String>,
    /// Events to send: at least one, without repeats.
    #[schema(nullable = false, min_items = 1, max_items = 21)]
    pub event_triggers: Option<Vec<Trigger>>,
    /// True if events are sent.
    #[schema(nullable = false)]
    pub active: Option<bool>,
    /// Template of the request body.
    #[schema(max_length = 10000)]
    pub payload_template: Option<String>,
    /// Secret that signs requests with HMAC-SHA256.
    #[schema(max_length = 1000)]
    pub secret: Option<String>,
    /// Event type with bookings that trigger it, instead of all of the owner's.
    #[schema(nullable = false, minimum = 1)]
    pub event_type_id: Option<i64>,
    /// Id of the owner; for administrators of the service.
    #[schema(nullable = false, minimum = 1)]
    pub user_id: Option<i64>,
}
