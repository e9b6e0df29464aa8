//! Webhooks: subscriptions to events.

use booking_wire_macros::wire;
use serde::Serialize;
use serde_json::Value;

use crate::formats::instant::Instant;
use crate::read::Read;

macro_rules! triggers {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Events by their names on the wire.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        pub enum Trigger {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Trigger {
            /// All events, in the interface's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Names on the wire, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Returns the name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

triggers! {
    /// A booking was created without need of confirmation, or was confirmed.
    BookingCreated = "BOOKING_CREATED",
    /// A booking waits for confirmation.
    BookingRequested = "BOOKING_REQUESTED",
    /// A booking was rescheduled.
    BookingRescheduled = "BOOKING_RESCHEDULED",
    /// A booking was cancelled.
    BookingCancelled = "BOOKING_CANCELLED",
    /// Declined by a host.
    BookingRejected = "BOOKING_REJECTED",
    /// A booking waits for payment.
    BookingPaymentInitiated = "BOOKING_PAYMENT_INITIATED",
    /// A booking was paid.
    BookingPaid = "BOOKING_PAID",
    /// A host or an attendee did not attend.
    BookingNoShowUpdated = "BOOKING_NO_SHOW_UPDATED",
    /// A meeting started.
    MeetingStarted = "MEETING_STARTED",
    /// A meeting ended.
    MeetingEnded = "MEETING_ENDED",
    /// An instant meeting waits for a host.
    InstantMeeting = "INSTANT_MEETING",
    /// A recording is available.
    RecordingReady = "RECORDING_READY",
    /// A transcript is available.
    RecordingTranscriptionGenerated = "RECORDING_TRANSCRIPTION_GENERATED",
    /// An out-of-office entry was created.
    OooCreated = "OOO_CREATED",
    /// A routing form was submitted.
    FormSubmitted = "FORM_SUBMITTED",
    /// A routing form was submitted and no booking followed.
    FormSubmittedNoEvent = "FORM_SUBMITTED_NO_EVENT",
    /// No rule of a routing form matched.
    RoutingFormFallbackHit = "ROUTING_FORM_FALLBACK_HIT",
    /// A host did not join the video call.
    AfterHostsCalVideoNoShow = "AFTER_HOSTS_CAL_VIDEO_NO_SHOW",
    /// No guest joined the video call.
    AfterGuestsCalVideoNoShow = "AFTER_GUESTS_CAL_VIDEO_NO_SHOW",
    /// Delegated credentials do not work.
    DelegationCredentialError = "DELEGATION_CREDENTIAL_ERROR",
    /// A booking was reported as assigned to the wrong host.
    WrongAssignmentReport = "WRONG_ASSIGNMENT_REPORT",
}

impl Read for Trigger {
    fn read(value: &Value) -> Option<Self> {
        let name = value.as_str()?;
        Self::ALL
            .iter()
            .copied()
            .find(|trigger| trigger.as_str() == name)
    }
}

/// A webhook. Exactly one of the four owner ids is present.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Webhook {
    /// Identifier, a UUID.
    #[wire(required)]
    pub id: String,
    /// User with bookings that trigger it.
    #[schema(nullable = false)]
    pub user_id: Option<i64>,
    /// Event type with bookings that trigger it.
    #[schema(nullable = false)]
    pub event_type_id: Option<i64>,
    /// Organisation with bookings of members and teams that trigger it.
    #[schema(nullable = false)]
    pub organization_id: Option<i64>,
    /// Same as `organizationId`, for clients of Cal.com, where organisations are teams.
    #[schema(nullable = false)]
    pub team_id: Option<i64>,
    /// OAuth client with bookings of managed users that trigger it.
    #[wire(key = "oAuthClientId")]
    #[schema(nullable = false)]
    pub oauth_client_id: Option<String>,
    /// URL to which events are sent.
    pub subscriber_url: String,
    /// Events to send.
    pub triggers: Vec<Trigger>,
    /// True if events are sent.
    pub active: bool,
    /// Template of the request body; absent if there is none.
    #[schema(nullable = false)]
    pub payload_template: Option<String>,
    /// Secret that signs requests; absent if there is none.
    #[schema(nullable = false)]
    pub secret: Option<String>,
    /// Version of the payload.
    pub version: String,
    /// Reason why the last attempt failed or was sent without the template, such as `answered
    /// 500`; absent after a successful delivery. Not part of Cal.com's interface.
    #[schema(nullable = false)]
    pub last_problem: Option<String>,
}

/// The body of POST .../webhooks.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewWebhook {
    /// An absolute http or https URL, unique per owner.
    #[schema(pattern = "^https?://", max_length = 2048)]
    pub subscriber_url: String,
    /// Events to send: at least one, without repeats.
    #[schema(min_items = 1, max_items = 21)]
    pub triggers: Vec<Trigger>,
    /// True if events are sent.
    pub active: bool,
    /// Template of the request body. `{{path}}` is replaced by a value of the payload, such as
    /// `{{organizer.name}}` or `{{attendees.0.email}}`. A body that is not JSON is sent
    /// form-encoded. At most 100 placeholders, and an object such as `{{payload}}` once.
    pub payload_template: Option<String>,
    /// Secret that signs requests with HMAC-SHA256.
    pub secret: Option<String>,
    /// `2021-10-20`, the only version of the payload.
    #[schema(pattern = "^2021-10-20$", example = "2021-10-20")]
    pub version: Option<String>,
}

/// The body of PATCH .../webhooks/{webhookId}. Absent keys are not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookChanges {
    /// An absolute http or https URL, unique per owner.
    #[schema(pattern = "^https?://", max_length = 2048)]
    pub subscriber_url: Option<String>,
    /// Events to send: at least one, without repeats.
    #[schema(min_items = 1, max_items = 21)]
    pub triggers: Option<Vec<Trigger>>,
    /// True if events are sent. Pending deliveries are dropped when it is set to false. The service
    /// disables a webhook that keeps failing.
    pub active: Option<bool>,
    /// Template of the request body; `Some(None)` removes it.
    #[schema(value_type = Option<String>)]
    pub payload_template: Option<Option<String>>,
    /// Secret that signs requests; `Some(None)` removes it.
    #[schema(value_type = Option<String>)]
    pub secret: Option<Option<String>>,
    /// `2021-10-20`, the only version of the payload.
    #[schema(pattern = "^2021-10-20$", example = "2021-10-20")]
    pub version: Option<String>,
}

/// State of a message to a webhook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum DeliveryStatus {
    /// Waits for its next attempt, or for an earlier message about the same booking.
    #[default]
    Waiting,
    /// Delivered.
    Delivered,
    /// Given up.
    Failed,
}

impl DeliveryStatus {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Delivered, Self::Failed];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    /// Returns the state with that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

impl Read for DeliveryStatus {
    fn read(value: &Value) -> Option<Self> {
        value.as_str().and_then(Self::parse)
    }
}

/// A message to a webhook, without its payload.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Identifier, which the receiver gets as `webhook-id`.
    #[wire(required)]
    pub id: String,
    /// Event that is sent.
    #[schema(value_type = Trigger)]
    pub trigger_event: String,
    /// State.
    pub status: DeliveryStatus,
    /// Attempts since the event, or since the message was resent.
    pub attempts: i64,
    /// Time of the event.
    pub created_at: Instant,
    /// Time of the next attempt; absent if there is none, and while an earlier message about the
    /// same booking waits.
    #[schema(nullable = false)]
    pub next_attempt_at: Option<Instant>,
    /// Status of the last response; absent if there was none.
    #[schema(nullable = false)]
    pub last_status: Option<i64>,
    /// Reason why the last attempt failed or was sent without the template.
    #[schema(nullable = false)]
    pub last_problem: Option<String>,
    /// Time of the delivery.
    #[schema(nullable = false)]
    pub delivered_at: Option<Instant>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn trigger_round_trips_by_its_name() {
        assert_eq!(Trigger::ALL.len(), 21);
        for trigger in Trigger::ALL {
            let written = serde_json::to_value(trigger).unwrap();
            assert_eq!(written, trigger.as_str());
            assert_eq!(Trigger::read(&written), Some(*trigger));
        }
    }

    #[test]
    fn unknown_trigger_is_dropped_from_the_webhook() {
        let webhook = Webhook::read(&json!({
            "id": 7, "userId": 5, "triggers": ["BOOKING_PAID", "BOOKING_DREAMT"], "active": true,
            "subscriberUrl": "https://example.org", "payloadTemplate": null,
        }))
        .unwrap();
        assert_eq!(webhook.triggers, [Trigger::BookingPaid]);
        assert_eq!((webhook.id.as_str(), webhook.user_id), ("7", Some(5)));
        assert_eq!(webhook.secret, None);
    }

    #[test]
    fn webhook_without_template_and_secret_omits_their_keys() {
        let webhook = Webhook {
            id: "7".into(),
            ..Webhook::default()
        };
        let written = serde_json::to_value(&webhook).unwrap();
        for key in ["payloadTemplate", "secret", "teamId", "lastProblem"] {
            assert_eq!(written.get(key), None, "{key}");
        }
        assert_eq!(Webhook::read(&written), Some(webhook));
    }
}
