//! Who is told of what happens: subscriptions to events (contract 3.6 and 7).

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};

macro_rules! triggers {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Events by their names on the wire.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
        pub enum Trigger {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Trigger {
            /// All of them, in the interface's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Their names on the wire, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

triggers! {
    /// A booking stands: made without need of confirmation, or confirmed.
    BookingCreated = "BOOKING_CREATED",
    /// A booking waits for confirmation.
    BookingRequested = "BOOKING_REQUESTED",
    /// A booking has moved.
    BookingRescheduled = "BOOKING_RESCHEDULED",
    /// A booking was called off.
    BookingCancelled = "BOOKING_CANCELLED",
    /// A host declined.
    BookingRejected = "BOOKING_REJECTED",
    /// A booking waits for payment.
    BookingPaymentInitiated = "BOOKING_PAYMENT_INITIATED",
    /// A booking was paid.
    BookingPaid = "BOOKING_PAID",
    /// Somebody did not come.
    BookingNoShowUpdated = "BOOKING_NO_SHOW_UPDATED",
    /// A meeting's start has come.
    MeetingStarted = "MEETING_STARTED",
    /// A meeting's end has come.
    MeetingEnded = "MEETING_ENDED",
    /// An instant meeting waits for a host.
    InstantMeeting = "INSTANT_MEETING",
    /// A recording can be had.
    RecordingReady = "RECORDING_READY",
    /// A transcript can be had.
    RecordingTranscriptionGenerated = "RECORDING_TRANSCRIPTION_GENERATED",
    /// Somebody will be away.
    OooCreated = "OOO_CREATED",
    /// A routing form was filled in.
    FormSubmitted = "FORM_SUBMITTED",
    /// A routing form was filled in and no booking followed.
    FormSubmittedNoEvent = "FORM_SUBMITTED_NO_EVENT",
    /// No rule of a routing form applied.
    RoutingFormFallbackHit = "ROUTING_FORM_FALLBACK_HIT",
    /// A host did not join the video call.
    AfterHostsCalVideoNoShow = "AFTER_HOSTS_CAL_VIDEO_NO_SHOW",
    /// No guest joined the video call.
    AfterGuestsCalVideoNoShow = "AFTER_GUESTS_CAL_VIDEO_NO_SHOW",
    /// Delegated credentials do not work.
    DelegationCredentialError = "DELEGATION_CREDENTIAL_ERROR",
    /// Somebody says that a booking went to the wrong host.
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

/// A subscription. Exactly one of the four owner ids is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Identifier, a UUID.
    pub id: String,
    /// The person whose bookings it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub user_id: Option<i64>,
    /// The event type whose bookings it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub event_type_id: Option<i64>,
    /// The organisation whose members' and teams' bookings it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub organization_id: Option<i64>,
    /// Repeats `organizationId`, for clients of Cal.com, where organisations are teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub team_id: Option<i64>,
    /// The OAuth client whose managed users' bookings it tells of.
    #[serde(rename = "oAuthClientId", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub oauth_client_id: Option<String>,
    /// Where events are sent.
    pub subscriber_url: String,
    /// What it tells of.
    pub triggers: Vec<Trigger>,
    /// Whether anything is sent.
    pub active: bool,
    /// Replaces the body of what is sent; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub payload_template: Option<String>,
    /// Signs what is sent; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub secret: Option<String>,
    /// The form of the payload.
    pub version: String,
    /// Cause why the last message was given up or sent without the template, such as
    /// `answered 500`; absent once one arrives as it should. Not part of Cal.com's interface.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub last_problem: Option<String>,
}

impl Read for Webhook {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            user_id: fields.get("userId")?,
            event_type_id: fields.get("eventTypeId")?,
            organization_id: fields.get("organizationId")?,
            team_id: fields.get("teamId")?,
            oauth_client_id: fields.get("oAuthClientId")?,
            subscriber_url: fields.text("subscriberUrl"),
            triggers: fields.list("triggers"),
            active: fields.flag("active"),
            payload_template: fields.get("payloadTemplate")?,
            secret: fields.get("secret")?,
            version: fields.text("version"),
            last_problem: fields.get("lastProblem")?,
        })
    }
}

/// The body of POST .../webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewWebhook {
    /// An absolute http or https address, once per owner.
    #[cfg_attr(feature = "openapi", schema(pattern = "^https?://", max_length = 2048))]
    pub subscriber_url: String,
    /// At least one, each once.
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 21))]
    pub triggers: Vec<Trigger>,
    /// Whether anything is sent.
    pub active: bool,
    /// Replaces the body of what is sent. `{{path}}` stands for a value of the payload, such as
    /// `{{organizer.name}}` or `{{attendees.0.email}}`. What is no JSON is sent form-encoded. At
    /// most 100 placeholders, and a whole object such as `{{payload}}` once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_template: Option<String>,
    /// Signs what is sent with HMAC-SHA256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// `2021-10-20`, the only form of the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^2021-10-20$", example = "2021-10-20")
    )]
    pub version: Option<String>,
}

/// The body of PATCH .../webhooks/{webhookId}: what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookChanges {
    /// An absolute http or https address, once per owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^https?://", max_length = 2048))]
    pub subscriber_url: Option<String>,
    /// At least one, each once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 21))]
    pub triggers: Option<Vec<Trigger>>,
    /// True if anything is sent. What waits is dropped when it is switched off. The service
    /// switches a webhook off that keeps failing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// Replaces the body of what is sent; `Some(None)` takes the template away.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub payload_template: Option<Option<String>>,
    /// Signs what is sent; `Some(None)` takes the secret away.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub secret: Option<Option<String>>,
    /// `2021-10-20`, the only form of the payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(pattern = "^2021-10-20$", example = "2021-10-20")
    )]
    pub version: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_trigger_is_read_by_the_name_it_is_written_with() {
        assert_eq!(Trigger::ALL.len(), 21);
        for trigger in Trigger::ALL {
            let written = serde_json::to_value(trigger).unwrap();
            assert_eq!(written, trigger.as_str());
            assert_eq!(Trigger::read(&written), Some(*trigger));
        }
    }

    #[test]
    fn a_trigger_of_a_later_service_does_not_cost_the_webhook() {
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
