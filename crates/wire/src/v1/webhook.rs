//! Webhooks of version 1.

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};
use crate::webhook::Trigger;

/// A webhook. Its secret is never sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Identifier, the same as in version 2.
    pub id: String,
    /// User with bookings that trigger it.
    pub user_id: Option<i64>,
    /// Event type with bookings that trigger it.
    pub event_type_id: Option<i64>,
    /// URL to which events are sent.
    pub subscriber_url: String,
    /// Events to send.
    pub event_triggers: Vec<Trigger>,
    /// True if events are sent.
    pub active: bool,
    /// Template of the request body.
    pub payload_template: Option<String>,
}

impl Read for Webhook {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            user_id: fields.get("userId")?,
            event_type_id: fields.get("eventTypeId")?,
            subscriber_url: fields.text("subscriberUrl"),
            event_triggers: fields.list("eventTriggers"),
            active: fields.flag("active"),
            payload_template: fields.get("payloadTemplate")?,
        })
    }
}

/// Input of a webhook. Deliberately without `Debug`: it contains a secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookInput {
    /// An absolute http or https URL, unique per owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, pattern = "^https?://", max_length = 2048)
    )]
    pub subscriber_url: Option<String>,
    /// Events to send: at least one, without repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_items = 1, max_items = 21)
    )]
    pub event_triggers: Option<Vec<Trigger>>,
    /// True if events are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub active: Option<bool>,
    /// Template of the request body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 10000))]
    pub payload_template: Option<String>,
    /// Secret that signs requests with HMAC-SHA256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub secret: Option<String>,
    /// Event type with bookings that trigger it, instead of all of the owner's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub event_type_id: Option<i64>,
    /// Id of the owner; for administrators of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}
