//! Configuration of handlers and middleware; `cli::args` builds it from the command line.

use std::sync::Arc;
use std::time::Duration;

use booking_mail::invitation;
use booking_mail::templates::{Branding, Templates};
use booking_smtp::settings::SmtpSettings;

use crate::error::redaction::CAL_KEY_PREFIX;

/// Minutes until an access token expires, by default.
pub const DEFAULT_ACCESS_MINUTES: i64 = 60;

/// Time that a request waits for a permit before the response is 503.
pub const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// Configuration of a running service.
#[derive(Clone, Debug)]
pub struct Settings {
    /// URL of the service as clients reach it, without a trailing slash.
    pub base_url: String,
    /// Lifetime of an access token, in minutes.
    pub access_minutes: i64,
    /// True if the demo account is enabled.
    pub demo: bool,
    /// True if the demo account is enabled also for requests through a proxy.
    pub demo_in_public: bool,
    /// Prefix of API keys that were migrated from another service; empty if there are none.
    pub foreign_key_prefix: String,
    /// Origins of images that pages of this service may show, beside their own.
    pub image_origins: Vec<String>,
    /// Origins of pages that may show those of the app in a frame, beside its own.
    pub frame_ancestors: Vec<String>,
    /// E-mail.
    pub mail: MailSettings,
    /// URL of the page that shows a booking, with `{uid}` and optionally `{seat}` in place of their values; none for the
    /// page of the app.
    pub booking_page_url: Option<String>,
    /// True if messages reach people: a mail server sends them, or the demo shows them.
    pub mail_is_available: bool,
    /// Handling of upcoming bookings after a change of law.
    pub zone_change: ZoneChange,
    /// Limits on requests.
    pub limits: Limits,
    /// Messages that this process sends at the same time.
    pub concurrency: MessageConcurrency,
}

/// Messages that are sent at the same time.
#[derive(Clone, Copy, Debug)]
pub struct MessageConcurrency {
    /// E-mail.
    pub mail: usize,
    /// Webhooks.
    pub webhooks: usize,
}

impl Default for MessageConcurrency {
    fn default() -> Self {
        Self {
            mail: 10,
            webhooks: 64,
        }
    }
}

/// Property that upcoming bookings keep after the rules of their hosts' time zones have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ZoneChange {
    /// The instant: clocks show another time of day. People get updated invitations
    #[default]
    Instant,
    /// The time of day in the zone of the first host: the booking is moved, unless a host is not free
    WallTime,
}

impl Default for Settings {
    /// Settings of a local service without rate limits.
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:8080".to_owned(),
            access_minutes: DEFAULT_ACCESS_MINUTES,
            demo: false,
            demo_in_public: false,
            foreign_key_prefix: CAL_KEY_PREFIX.to_owned(),
            image_origins: Vec::new(),
            frame_ancestors: Vec::new(),
            mail: MailSettings::default(),
            booking_page_url: None,
            mail_is_available: false,
            zone_change: ZoneChange::default(),
            limits: Limits::default(),
            concurrency: MessageConcurrency::default(),
        }
    }
}

/// Limits on requests to a running service.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Requests per minute and client; none for no rate limit.
    pub rate: Option<u32>,
    /// Number of proxies in front of the service that append to `X-Forwarded-For`.
    pub trusted_proxies: usize,
    /// Maximum number of concurrent requests.
    pub in_flight: usize,
    /// Time that a request waits for a permit.
    pub queue_timeout: Duration,
    /// Time until a response has to be ready.
    pub request_timeout: Duration,
    /// Time within which a client has to send a body.
    pub body_timeout: Duration,
    /// Free bytes below which the disk counts as full.
    pub min_free_disk: u64,
    /// Time for which the result of a readiness check is cached: each check writes.
    pub readiness_ttl: Duration,
    /// Bearer token of `/metrics`, if it needs one.
    pub metrics_token: Option<String>,
}

impl Default for Limits {
    /// Without a rate limit, as in tests.
    fn default() -> Self {
        Self {
            rate: None,
            trusted_proxies: 0,
            in_flight: 256,
            queue_timeout: QUEUE_TIMEOUT,
            request_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            min_free_disk: 0,
            readiness_ttl: Duration::ZERO,
            metrics_token: None,
        }
    }
}

/// Settings of e-mail.
#[derive(Clone, Debug, Default)]
pub struct MailSettings {
    /// Mail server and sender; without them, messages are kept.
    pub smtp: Option<SmtpSettings>,
    /// Texts of messages, and of the pages that their links open.
    pub templates: Arc<Templates>,
    /// Name and colours of the company.
    pub branding: Arc<Branding>,
}

impl MailSettings {
    /// Returns name and address that messages come from. Those that are only kept have an address that does not exist.
    pub fn sender(&self) -> invitation::Sender<'_> {
        let sender = self.smtp.as_ref().map(|smtp| &smtp.sender.from);
        let (name, email) = sender.map_or(("", "booking@localhost.invalid"), |from| {
            (from.name.as_str(), from.email.as_str())
        });
        invitation::Sender { name, email }
    }

    /// Returns the address that organizes meetings in calendars; none without a mail server.
    pub fn organizer(&self) -> Option<&str> {
        self.smtp
            .as_ref()
            .map(|smtp| smtp.sender.from.email.as_str())
    }
}
