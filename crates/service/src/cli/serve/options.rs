//! Options of `booking-service serve`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use booking_store_engine::postgres::DEFAULT_CONNECTIONS;
use booking_wire::Instant;
use clap::{ArgGroup, Args};

use super::super::database::url::DatabaseUrl;
use super::super::mail::content::MailContent;
use super::super::mail::options::MailOptions;
use super::super::values::{
    parse_frame_ancestor, parse_image_origin, parse_instant, parse_public_url, path_or_none,
};
use crate::error::redaction;
use crate::limits::{DEFAULT_RATE, DEMO_RATE};
use crate::settings::{
    DEFAULT_ACCESS_MINUTES, Limits, MessageConcurrency, QUEUE_TIMEOUT, ZoneChange,
};

/// Time for which the result of a readiness check is cached.
const READINESS_TTL: Duration = Duration::from_secs(1);

/// Minimum length of the token of `/metrics`, in characters.
const MIN_METRICS_TOKEN_CHARS: usize = 16;

/// Most messages that a process sends at the same time: each has a connection.
const MAX_CONCURRENCY: usize = 1_000;

fn parse_concurrency(text: &str) -> Result<usize, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (1..=MAX_CONCURRENCY).contains(number));
    number.ok_or_else(|| format!("must be a number from 1 to {MAX_CONCURRENCY}"))
}

/// Options of `booking-service serve`.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("trial").args(["demo", "test_mode"]).multiple(true)))]
pub struct Serve {
    /// Directory of the database; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,

    /// PostgreSQL database, so that several replicas can run. The directory then has the keys, which all replicas need.
    #[command(flatten)]
    pub database: DatabaseUrl,

    /// Maximum number of connections to the PostgreSQL database, beside two for leadership and notifications. A third of
    /// them is for reads alone
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CONNECTIONS, value_parser = clap::value_parser!(u32).range(4..=1000))]
    pub database_connections: u32,

    /// Streaming replica of the PostgreSQL database, for lists of bookings and slots, which may be up to 5 seconds old
    /// then. While it is away or further behind, they are read from the database itself
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub read_database_url: Option<String>,

    /// Port to listen on; 0 picks a free one
    #[arg(long, default_value_t = 8080)]
    pub port: u16,

    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub host: IpAddr,

    /// Additional port for /healthz, /readyz and /metrics only; 0 picks a free one
    #[arg(long, value_name = "PORT")]
    pub health_port: Option<u16>,

    /// Add demo data if the directory is empty, write DIR/demo.json with new credentials, and
    /// offer the demo account in the app. For this machine only. A start without --demo revokes
    /// these credentials
    #[arg(long)]
    pub demo: bool,

    /// Also offer the demo account to other machines, which use --public-url
    #[arg(long, requires_all = ["demo", "public_url"])]
    pub demo_in_public: bool,

    /// Directory of the built app; empty for none [default: dist/app, if it exists]
    #[arg(long, value_name = "DIR", value_parser = path_or_none())]
    pub app_dir: Option<PathBuf>,

    /// Directory of the files that other pages embed; empty for none [default: dist/embed, if it exists]
    #[arg(long, value_name = "DIR", value_parser = path_or_none())]
    pub embed_dir: Option<PathBuf>,

    /// Also send webhook messages to private networks and to this machine. Only for services
    /// whose users have access to these anyway. Default with --demo, but not with --demo-in-public
    #[arg(long)]
    pub webhooks_to_private_networks: bool,

    /// URL of the service for its users, such as `https://booking.example.org`, if not the address it listens on
    #[arg(long, value_name = "URL", value_parser = parse_public_url)]
    pub public_url: Option<String>,

    /// Prefix of API keys that were imported from another service; empty to accept only keys of
    /// this service
    #[arg(long, value_name = "TEXT", default_value = redaction::CAL_KEY_PREFIX)]
    pub foreign_key_prefix: String,

    /// Origins from which the pages of this service may show pictures of people and teams, beside
    /// their own, such as `https://images.example.org` or `https://*.example.org`; separated by commas.
    /// These servers learn the addresses of visitors
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',', value_parser = parse_image_origin)]
    pub image_origins: Vec<String>,

    /// Origins of other sites whose pages may show the pages of this service in a frame, such as
    /// `https://www.example.org` or `https://*.example.org`; separated by commas [default: only this service]
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',', value_parser = parse_frame_ancestor)]
    pub frame_ancestors: Vec<String>,

    /// What stays the same of upcoming bookings after a change of law, when new time zone data are read
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub zone_change: ZoneChange,

    /// Mail server and sender.
    #[command(flatten)]
    pub mail: MailOptions,

    /// Look of messages.
    #[command(flatten)]
    pub mail_content: MailContent,

    /// E-mail messages that this process sends at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = MessageConcurrency::default().mail, value_parser = parse_concurrency)]
    pub mail_concurrency: usize,

    /// Webhook messages that this process sends at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = MessageConcurrency::default().webhooks, value_parser = parse_concurrency)]
    pub webhook_concurrency: usize,

    /// Limits on clients.
    #[command(flatten)]
    pub limits: LimitOptions,

    /// Wait for another process that uses the data directory to end, 60 seconds by default,
    /// instead of failing to start
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "60")]
    pub takeover: Option<u64>,

    /// Print the configuration and the origin of each value, and exit
    #[arg(long)]
    pub print_config: bool,

    /// Allow the options below, which are for tests, without demo data
    #[arg(long, hide = true)]
    pub test_mode: bool,

    /// Instant at which the clock starts
    #[arg(long, value_name = "RFC3339", value_parser = parse_instant, requires = "trial", hide = true)]
    pub now: Option<Instant>,

    /// Minimum number of bookings of the demo's team: copies in other years are added
    #[arg(long, value_name = "N", requires = "demo", hide = true)]
    pub demo_bookings: Option<i64>,

    /// Lifetime of access tokens in minutes; 0 creates expired ones
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ACCESS_MINUTES, requires = "trial", hide = true)]
    pub access_token_minutes: i64,
}

impl Serve {
    /// Returns true for a demo on this machine: its only user has access to private networks
    /// anyway.
    pub fn is_private_demo(&self) -> bool {
        self.demo && !self.demo_in_public
    }
}

/// Options of limits. Times are in seconds.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitOptions {
    /// Calls per minute of one API key, token, client or address; beyond it, calls are blocked for
    /// a minute [default: 120; 6000 with --demo, but not with --demo-in-public]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "rate_limit_off")]
    pub rate_limit: Option<u32>,

    /// Disable rate limits
    #[arg(long)]
    pub rate_limit_off: bool,

    /// Read client addresses from X-Forwarded-For, which this many proxies in front of the
    /// service write. Without a proxy, clients could send false addresses
    #[arg(long, value_name = "PROXIES", num_args = 0..=1, require_equals = true, default_value_t = 0, default_missing_value = "1")]
    pub trust_proxy: usize,

    /// Maximum number of open connections. At the limit, idle connections are closed in favour of
    /// new ones
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = at_least_one)]
    pub max_connections: usize,

    /// Maximum number of concurrent requests. More requests wait, and are rejected with
    /// `Retry-After` after five seconds
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = at_least_one)]
    pub max_in_flight: usize,

    /// Time for the service to process a request
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    pub request_timeout: u64,

    /// Time for a client to send the headers of a request
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub header_timeout: u64,

    /// Time for a client to send a body, to read the response, and to send the next request
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    pub client_timeout: u64,

    /// Time after SIGTERM in which /readyz returns `stopping` and connections are still accepted.
    /// Another signal ends it; Ctrl-C skips it
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub drain: u64,

    /// Time for open requests to finish after connections are no longer accepted
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub shutdown_timeout: u64,

    /// Free space on the data directory's disk below which the service is not ready
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    pub min_free_disk: u64,

    /// Bearer token for /metrics; without one, only this machine has access
    #[arg(long, value_name = "TOKEN", value_parser = metrics_token_value, hide_env_values = true)]
    pub metrics_token: Option<String>,
}

impl LimitOptions {
    /// Limits according to these options.
    pub fn limits(&self, private_demo: bool) -> Limits {
        let default_rate = if private_demo {
            DEMO_RATE
        } else {
            DEFAULT_RATE
        };
        Limits {
            rate: (!self.rate_limit_off).then(|| self.rate_limit.unwrap_or(default_rate)),
            trusted_proxies: self.trust_proxy,
            in_flight: self.max_in_flight,
            queue_timeout: QUEUE_TIMEOUT,
            request_timeout: Duration::from_secs(self.request_timeout),
            body_timeout: Duration::from_secs(self.client_timeout),
            min_free_disk: self.min_free_disk.saturating_mul(1024 * 1024),
            readiness_ttl: READINESS_TTL,
            metrics_token: self.metrics_token.clone(),
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| "must be a whole number of at least 1".to_owned())
}

fn metrics_token_value(text: &str) -> Result<String, String> {
    if text.len() < MIN_METRICS_TOKEN_CHARS {
        return Err(format!(
            "must have {MIN_METRICS_TOKEN_CHARS} characters at least"
        ));
    }
    Ok(text.to_owned())
}
