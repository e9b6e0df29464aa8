//! Command line arguments and configuration of the service.
//!
//! Every option has an environment variable of the same name: `--rate-limit` is
//! `BOOKING_RATE_LIMIT`. A flag takes precedence over the variable, the variable over the
//! environment file, this over the default.

use std::ffi::OsStr;
use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use booking_wire::Instant;
use clap::builder::{BoolishValueParser, OsStringValueParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{
    Arg, ArgAction, ArgGroup, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand,
    ValueEnum,
};

use super::access::replace_key::ReplaceKey;
use super::access::{clients, keys, permissions, tokens, users};
use super::asset_directories::{DEFAULT_APP_DIR, DEFAULT_EMBED_DIR};
use super::database::backup::Backup;
use super::database::check::Check;
use super::database::migrate::Migrate;
use super::database::url::{DatabaseUrl, PLATFORM_VARIABLE};
use super::database::vacuum::Vacuum;
use super::demo::Demo;
use super::env_file::EnvFile;
use super::health::Health;
use super::mail::content::MailContent;
use super::mail::options::{self, MailOptions};
use super::values::{
    parse_frame_ancestor, parse_image_origin, parse_instant, parse_public_url, reachable_address,
};
use super::{mail, webhooks, zones};
use crate::error::redaction;
use crate::limits::{DEFAULT_RATE, DEMO_RATE};
use crate::settings::{DEFAULT_ACCESS_MINUTES, Limits, QUEUE_TIMEOUT, ZoneChange};

/// Name under which the program is installed.
pub const NAME: &str = "booking-service";

/// Options of [`CONFIGURABLE_COMMANDS`] that are no settings of an installation, and `--help`.
const NO_SETTINGS: [&str; 5] = ["help", "version", "print-config", "env-file", "to"];

/// Prefix of the environment variables.
const ENV_PREFIX: &str = "BOOKING_";

/// Time for which the result of a readiness check is cached.
const READINESS_TTL: Duration = Duration::from_secs(1);

/// Minimum length of the token of `/metrics`, in characters.
const MIN_METRICS_TOKEN_CHARS: usize = 16;

/// Options whose values are masked.
const SECRET_OPTIONS: [&str; 4] = [
    "database_url",
    "read_database_url",
    "metrics_token",
    "smtp_url",
];

/// Commands whose options are settings of an installation, which the environment can set.
const CONFIGURABLE_COMMANDS: [&str; 5] = ["serve", "demo", "check", "backup", "vacuum"];

/// A scheduling service in one binary: event types, free times, bookings and team roles over an
/// embedded SQLite database. It also serves the web app and the files for embedding.
#[derive(Debug, Parser)]
#[command(name = NAME, version)]
pub struct Cli {
    /// Command to run.
    #[command(subcommand)]
    pub command: Command,

    /// Format of the log on standard error
    #[arg(long, value_enum, global = true, default_value_t)]
    pub log_format: LogFormat,

    /// Directory of time zone files (TZif), such as that of the system's package or of a mounted volume. It is read again
    /// when its version changes. Used if it is newer than the data in the program [default: /usr/share/zoneinfo]
    #[arg(long, value_name = "DIR", global = true)]
    pub zone_data: Option<PathBuf>,

    /// File with settings as environment variables, `NAME=value` in each line, as systemd reads them. Variables of the
    /// environment win. Empty: none [default: /etc/booking/service.env, if it can be read]
    #[arg(long, value_name = "FILE", global = true, value_parser = path_or_none())]
    pub env_file: Option<PathBuf>,
}

impl Cli {
    /// Directory of time zone files; none for that of the system.
    pub fn zone_data(&self) -> Option<&Path> {
        let directory = self.zone_data.as_deref();
        directory.filter(|directory| !directory.as_os_str().is_empty())
    }
}

/// Commands of the binary.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API at /v2, the app at / and the embed files at /embed/
    Serve(Box<Serve>),
    /// Create the database of a data directory if there is none, and migrate it; or move the data between a data
    /// directory and a PostgreSQL database
    Migrate(Migrate),
    /// Fill a data directory with demo data and print the path of the credentials, which are valid
    /// for a service that is started with --demo
    Demo(Demo),
    /// Check the integrity of a database without changing it
    Check(Check),
    /// Copy the database into a file while the service runs, and check the copy
    Backup(Backup),
    /// Rewrite the database without free space, while no service uses it
    Vacuum(Vacuum),
    /// Ask a running service whether it is ready; exits with 1 if it is not
    Health(Health),
    /// Print the requirements of every operation for its caller
    Permissions(permissions::Permissions),
    /// Add, list, disable and delete users
    #[command(subcommand)]
    User(users::UserCommand),
    /// List bookings that a change of law concerns
    #[command(subcommand)]
    Zones(zones::ZonesCommand),
    /// List webhook messages that are waiting or were given up, or retry one
    Webhooks(webhooks::Webhooks),
    /// List e-mail messages, send one again, or test the mail server
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// Create, list and revoke API keys
    #[command(subcommand)]
    Key(keys::KeyCommand),
    /// Replace a key of the data directory that is lost or was stolen, while no service runs. Tokens and links in messages,
    /// or secrets of webhooks, are invalid then
    ReplaceKey(ReplaceKey),
    /// Create, list and delete OAuth clients and replace their secrets
    #[command(subcommand)]
    Client(clients::ClientCommand),
    /// Revoke access and refresh tokens
    #[command(subcommand)]
    Token(tokens::TokenCommand),
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object per line
    Json,
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

/// The parsed command line and the origins of its values.
#[derive(Debug)]
pub struct Arguments {
    /// The parsed command line.
    pub cli: Cli,
    matches: ArgMatches,
    env_file: EnvFile,
}

impl Arguments {
    /// Parses the command line and the environment, to which `env_file` was added; exits the process if they are invalid.
    pub fn read(env_file: EnvFile) -> Self {
        let matches = command().get_matches();
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        Self {
            cli,
            matches,
            env_file,
        }
    }

    /// The effective configuration, one option per line: its variable, its value, and the origin of
    /// the value. Secrets are masked.
    pub fn print(&self) -> String {
        let command = command();
        let mut text = String::new();
        if let Some(path) = &self.env_file.path {
            let _ = writeln!(text, "# environment file: {}", path.display());
        }
        let Some((name, matches)) = self.matches.subcommand() else {
            return text;
        };
        let Some(subcommand) = command.find_subcommand(name) else {
            return text;
        };
        for argument in subcommand.get_arguments() {
            let Some(variable) = argument.get_env() else {
                continue;
            };
            let id = argument.get_id().as_str();
            // Shown as the value of `database_url`.
            if id == "print_config" || id == "platform_database_url" {
                continue;
            }
            let raw = matches
                .try_get_raw(id)
                .ok()
                .flatten()
                .into_iter()
                .flatten()
                .map(|value| value.to_string_lossy())
                .collect::<Vec<_>>()
                .join(",");
            let (value, origin) = match (matches.value_source(id), self.derived_default(id)) {
                (Some(ValueSource::CommandLine), _) => (raw, "command line"),
                (Some(ValueSource::EnvVariable), _) if self.env_file.has(variable) => {
                    (raw, "environment file")
                }
                (Some(ValueSource::EnvVariable), _) => (raw, "environment"),
                (_, Some((value, reason))) => (value, reason),
                (Some(_), None) => (raw, "default"),
                (None, None) => (raw, "not set"),
            };
            let value = if SECRET_OPTIONS.contains(&id) && !value.is_empty() {
                "********".to_owned()
            } else {
                value
            };
            let assignment = format!("{}={value}", variable.to_string_lossy());
            let _ = writeln!(text, "{assignment:<48} # {origin}");
        }
        text
    }

    /// Value of an unset option of `serve` that depends on other options, and its origin.
    fn derived_default(&self, id: &str) -> Option<(String, &'static str)> {
        let Command::Serve(options) = &self.cli.command else {
            return None;
        };
        match id {
            "database_url" if options.database.is_of_platform() => {
                let url = options.database.platform_database_url.clone();
                let origin = match self.env_file.has(OsStr::new(PLATFORM_VARIABLE)) {
                    true => "environment file: DATABASE_URL",
                    false => "environment: DATABASE_URL",
                };
                Some((url.unwrap_or_default(), origin))
            }
            "rate_limit" if options.limits.rate_limit_off => {
                Some((String::new(), "not counted: BOOKING_RATE_LIMIT_OFF"))
            }
            "rate_limit" if options.is_private_demo() => {
                Some((DEMO_RATE.to_string(), "default with --demo"))
            }
            "rate_limit" => Some((DEFAULT_RATE.to_string(), "default")),
            "app_dir" => Some((DEFAULT_APP_DIR.to_owned(), "default")),
            "embed_dir" => Some((DEFAULT_EMBED_DIR.to_owned(), "default")),
            // The system chooses the port at the start, so the URL is unknown.
            "public_url" if options.port == 0 => None,
            "public_url" => {
                let address = reachable_address(SocketAddr::new(options.host, options.port));
                Some((format!("http://{address}"), "default"))
            }
            "webhooks_to_private_networks" if options.is_private_demo() => {
                Some(("true".to_owned(), "default with --demo"))
            }
            _ => None,
        }
    }
}

/// The command line with an environment variable for every setting.
fn command() -> clap::Command {
    let mut command = Cli::command()
        .mut_args(configurable)
        .mut_subcommands(|subcommand| {
            if CONFIGURABLE_COMMANDS.contains(&subcommand.get_name()) {
                subcommand.mut_args(configurable)
            } else {
                with_address_variables(subcommand)
            }
        });
    let global_options: Vec<Arg> = command
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| argument.clone().hide(true))
        .collect();
    // In place of the copies that `build` makes, which each help would show.
    command = command.mut_subcommands(|subcommand| subcommand.args(&global_options));
    command.build();
    command
}

/// Adds environment variables to a command and its subcommands: of the database, of the address that the service listens
/// on, and of the mail server.
fn with_address_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| match argument.get_long() {
            Some("data" | "database-url" | "host" | "port") => configurable(argument),
            Some(name) if options::NAMES.contains(&name) => configurable(argument),
            _ => argument,
        })
        .mut_subcommands(with_address_variables)
}

/// Adds the environment variable of an option. Hidden options are for tests and have none: a
/// variable that was set by accident must not change the clock of a service.
fn configurable(argument: Arg) -> Arg {
    if argument.is_hide_set() {
        return argument;
    }
    let Some(long) = argument
        .get_long()
        .filter(|long| !NO_SETTINGS.contains(long))
    else {
        return argument;
    };
    let variable = format!("{ENV_PREFIX}{}", long.to_uppercase().replace('-', "_"));
    // Leaked once per option: clap needs names with a static lifetime.
    let argument = argument.env(&*variable.leak());
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        argument.value_parser(BoolishValueParser::new())
    } else {
        argument
    }
}

/// Parser of a path that may be empty.
fn path_or_none() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Arguments, clap::Error> {
        let matches = command().try_get_matches_from(arguments)?;
        let cli = Cli::from_arg_matches(&matches)?;
        Ok(Arguments {
            cli,
            matches,
            env_file: EnvFile::default(),
        })
    }

    fn serve(options: &[&str]) -> Serve {
        let arguments = [&["service", "serve", "--data", "d"], options].concat();
        match parse(&arguments).unwrap().cli.command {
            Command::Serve(serve) => *serve,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn command_line_is_valid() {
        command().debug_assert();
    }

    #[test]
    fn setting_has_an_environment_variable() {
        for name in CONFIGURABLE_COMMANDS {
            let command = command();
            for argument in command.find_subcommand(name).unwrap().get_arguments() {
                let id = argument.get_id().as_str();
                let is_setting = !NO_SETTINGS.contains(&&*id.replace('_', "-"));
                if id == "platform_database_url" {
                    assert_eq!(argument.get_env().unwrap(), PLATFORM_VARIABLE);
                } else if !is_setting || argument.is_hide_set() && !argument.is_global_set() {
                    assert_eq!(argument.get_env(), None, "{id}");
                } else {
                    let expected = format!("BOOKING_{}", id.to_uppercase());
                    assert_eq!(argument.get_env().unwrap().to_str(), Some(&*expected));
                }
            }
        }
    }

    #[test]
    fn global_options_are_in_the_help_of_the_program_only() {
        let mut command = command();
        let top = command.render_long_help().to_string();
        let serve = command.find_subcommand_mut("serve").unwrap();
        let serve = serve.render_long_help().to_string();
        let user = command.find_subcommand_mut("user").unwrap();
        let list = user.find_subcommand_mut("list").unwrap();
        let list = list.render_long_help().to_string();
        for option in ["--log-format", "--zone-data", "--env-file"] {
            assert!(top.contains(option), "{top}");
            assert!(!serve.contains(option), "{serve}");
            assert!(!list.contains(option), "{list}");
        }
        let arguments = [
            "service",
            "user",
            "list",
            "--data",
            "d",
            "--log-format",
            "json",
        ];
        assert_eq!(parse(&arguments).unwrap().cli.log_format, LogFormat::Json);
        let arguments = ["service", "serve", "--data", "d", "--log-format", "json"];
        assert!(
            parse(&arguments)
                .unwrap()
                .print()
                .contains("BOOKING_LOG_FORMAT=json ")
        );
    }

    #[test]
    fn rate_limit_has_defaults_and_can_be_set_or_switched_off() {
        let rate = |options: &[&str]| {
            let options = serve(options);
            options.limits.limits(options.is_private_demo()).rate
        };
        assert_eq!(rate(&[]), Some(120));
        assert_eq!(rate(&["--demo"]), Some(6000));
        assert_eq!(rate(&["--rate-limit", "7"]), Some(7));
        assert_eq!(rate(&["--demo", "--rate-limit", "7"]), Some(7));
        assert_eq!(rate(&["--rate-limit-off"]), None);
        let public = [
            "--demo",
            "--demo-in-public",
            "--public-url",
            "https://x.example",
        ];
        assert_eq!(rate(&public), Some(120));
    }

    #[test]
    fn proxy_is_trusted_only_with_the_option() {
        assert_eq!(serve(&[]).limits.trust_proxy, 0);
        assert_eq!(serve(&["--trust-proxy"]).limits.trust_proxy, 1);
        assert_eq!(serve(&["--trust-proxy=2"]).limits.trust_proxy, 2);
    }

    #[test]
    fn invalid_option_is_rejected() {
        for options in [
            &["--rate-limit", "0"][..],
            &["--rate-limit", "9", "--rate-limit-off"],
            &["--max-connections", "0"],
            &["--max-in-flight", "0"],
            &["--request-timeout", "0"],
            &["--metrics-token", "short"],
            &["--log-format", "xml"],
            &["--port", "70000"],
            // Options for tests.
            &["--now", "2027-03-01T08:00:00Z"],
            &["--access-token-minutes", "0"],
            &["--test-mode", "--demo-bookings", "9"],
        ] {
            let arguments = [&["service", "serve", "--data", "d"], options].concat();
            assert!(parse(&arguments).is_err(), "{options:?}");
        }
    }

    #[test]
    fn options_for_tests_need_a_demo_or_test_mode() {
        let instant = ["--now", "2027-03-01T08:00:00Z"];
        for mode in ["--demo", "--test-mode"] {
            assert!(serve(&[mode, instant[0], instant[1]]).now.is_some());
            let minutes = [mode, "--access-token-minutes", "0"];
            assert_eq!(serve(&minutes).access_token_minutes, 0);
        }
    }

    #[test]
    fn printed_configuration_shows_defaults_that_depend_on_other_options() {
        let line = |options: &[&str], name: &str| {
            let arguments = [&["service", "serve", "--data", "d"], options].concat();
            let text = parse(&arguments).unwrap().print();
            let start = format!("BOOKING_{name}=");
            let line = text.lines().find(|line| line.starts_with(&start)).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for (options, name, expected) in [
            (&[][..], "RATE_LIMIT", "120 # default"),
            (&["--rate-limit", "7"], "RATE_LIMIT", "7 # command line"),
            (
                &["--rate-limit-off"],
                "RATE_LIMIT",
                " # not counted: BOOKING_RATE_LIMIT_OFF",
            ),
            (&[], "WEBHOOKS_TO_PRIVATE_NETWORKS", "false # default"),
            (
                &["--demo"],
                "WEBHOOKS_TO_PRIVATE_NETWORKS",
                "true # default with --demo",
            ),
            (&["--port", "0"], "PUBLIC_URL", " # not set"),
            (
                &["--host", "::", "--port", "81"],
                "PUBLIC_URL",
                "http://[::1]:81 # default",
            ),
            (&[], "METRICS_TOKEN", " # not set"),
        ] {
            assert_eq!(
                line(options, name),
                format!("BOOKING_{name}={expected}"),
                "{options:?}"
            );
        }
        for hidden in ["NOW", "TEST_MODE", "DEMO_BOOKINGS", "ACCESS_TOKEN_MINUTES"] {
            let parsed = parse(&["service", "serve", "--data", "d"]).unwrap();
            assert!(!parsed.print().contains(&format!("BOOKING_{hidden}=")));
        }
    }

    #[test]
    fn printed_configuration_names_origins_and_masks_secrets() {
        let token = "a-token-nobody-should-see";
        let parsed = parse(&[
            "service",
            "serve",
            "--data",
            "d",
            "--metrics-token",
            token,
            "--demo",
        ]);
        let text = parsed.unwrap().print();
        let line = |name: &str| {
            let start = format!("BOOKING_{name}=");
            let line = text.lines().find(|line| line.starts_with(&start)).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line("DATA"), "BOOKING_DATA=d # command line");
        let url = "postgres://booking:a-password@db.example/booking";
        let parsed = parse(&["service", "serve", "--data", "d", "--database-url", url]);
        let masked = parsed.unwrap().print();
        assert!(masked.contains("BOOKING_DATABASE_URL=********"));
        let replica = [
            "service",
            "serve",
            "--data",
            "d",
            "--read-database-url",
            url,
        ];
        let masked = parse(&replica).unwrap().print();
        assert!(masked.contains("BOOKING_READ_DATABASE_URL=********"));
        assert!(!masked.contains("a-password"));
        assert!(!masked.contains("a-password"));
        let platform = [
            "service",
            "serve",
            "--data",
            "d",
            "--platform-database-url",
            url,
        ];
        let masked = parse(&platform).unwrap().print();
        assert!(masked.contains("BOOKING_DATABASE_URL=********"), "{masked}");
        assert!(masked.contains("# environment: DATABASE_URL\n"), "{masked}");
        assert!(!masked.contains("a-password"));
        assert_eq!(line("DEMO"), "BOOKING_DEMO=true # command line");
        assert_eq!(line("PORT"), "BOOKING_PORT=8080 # default");
        assert_eq!(
            line("RATE_LIMIT"),
            "BOOKING_RATE_LIMIT=6000 # default with --demo"
        );
        assert_eq!(
            line("PUBLIC_URL"),
            "BOOKING_PUBLIC_URL=http://127.0.0.1:8080 # default"
        );
        assert_eq!(line("LOG_FORMAT"), "BOOKING_LOG_FORMAT=text # default");
        assert!(line("METRICS_TOKEN").contains("********"));
        assert!(!text.contains(token));
    }
}
