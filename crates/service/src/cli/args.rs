//! Command line arguments and configuration of the service.
//!
//! Every option has an environment variable of the same name: `--rate-limit` is
//! `BOOKING_RATE_LIMIT`. A flag takes precedence over the variable, the variable over the
//! environment file, this over the default.

use std::ffi::OsStr;
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::builder::BoolishValueParser;
use clap::parser::ValueSource;
use clap::{
    Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
};

use super::access::replace_key::ReplaceKey;
use super::access::rotate_key::RotateKey;
use super::access::{clients, keys, permissions, tokens, users};
use super::asset_directories::{DEFAULT_APP_DIR, DEFAULT_EMBED_DIR};
use super::database::backup::Backup;
use super::database::check::Check;
use super::database::migrate::Migrate;
use super::database::url::PLATFORM_VARIABLE;
use super::database::vacuum::Vacuum;
use super::demo::Demo;
use super::env_file::EnvFile;
use super::health::Health;
use super::mail::options;
use super::serve::options::Serve;
use super::values::{path_or_none, reachable_address};
use super::{mail, webhooks, zones};
use crate::limits::{DEFAULT_RATE, DEMO_RATE};

/// Name under which the program is installed.
pub const NAME: &str = "booking-service";

/// Options of [`CONFIGURABLE_COMMANDS`] that are no settings of an installation, and `--help`.
const NO_SETTINGS: [&str; 5] = ["help", "version", "print-config", "env-file", "to"];

/// Prefix of the environment variables.
const ENV_PREFIX: &str = "BOOKING_";

/// Options whose values are masked.
const SECRET_OPTIONS: [&str; 5] = [
    "database_url",
    "database_direct_url",
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
    /// Use a new key of the data directory: tokens, links in messages and secrets of the former one stay valid
    RotateKey(RotateKey),
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
            Some("data" | "database-url" | "database-direct-url" | "host" | "port") => {
                configurable(argument)
            }
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
            "--database-direct-url",
            url,
        ];
        let masked = parse(&replica).unwrap().print();
        assert!(masked.contains("BOOKING_READ_DATABASE_URL=********"));
        assert!(masked.contains("BOOKING_DATABASE_DIRECT_URL=********"));
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
