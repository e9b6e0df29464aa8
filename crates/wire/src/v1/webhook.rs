//! Who is told of what happens, in version 1.

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};
use crate::webhook::Trigger;

/// A subscription to events. Its secret is never told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Identifier, the same as in version 2.
    pub id: String,
    /// The person whose bookings it tells of.
    pub user_id: Option<i64>,
    /// The event type whose bookings it tells of.
    pub event_type_id: Option<i64>,
    /// Where events are sent.
    pub subscriber_url: String,
    /// What it tells of.
    pub event_triggers: Vec<Trigger>,
    /// Whether anything is sent.
    pub active: bool,
    /// Replaces the body of what is sent.
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

/// What is said of a webhook. Deliberately without `Debug`: it holds a secret.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookInput {
    /// An absolute http or https address, once per owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, pattern = "^https?://", max_length = 2048)
    )]
    pub subscriber_url: Option<String>,
    /// At least one, each once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_items = 1, max_items = 21)
    )]
    pub event_triggers: Option<Vec<Trigger>>,
    /// Whether anything is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub active: Option<bool>,
    /// Replaces the body of what is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 10000))]
    pub payload_template: Option<String>,
    /// Signs what is sent with HMAC-SHA256.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub secret: Option<String>,
    /// The event type whose bookings it tells of, instead of all of its owner's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub event_type_id: Option<i64>,
    /// Whose it is; for those who run the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}
