//! `booking-service mail`: lists messages, sends one again, tests the mail server.
//!
//! Contents are personal data, so only the recipients and states of messages are listed.

pub mod content;
pub mod options;

use std::io::Write;

use booking_mail::templates::Rendered;
use booking_smtp::address::Mailbox;
use booking_smtp::connection::{Connection, Step};
use booking_smtp::email_address::parse_address;
use booking_smtp::failure::Failure;
use booking_smtp::mime::{Message, Outgoing};
use booking_smtp::settings::{Security, SmtpSettings};
use booking_smtp::settings_error::SettingsError;
use booking_wire::Instant;
use clap::{Args, Subcommand};

use super::database::data_directory::{Data, open_existing, open_read_only};
use super::error::CliError;
use super::mail::options::MailOptions;
use super::table::columns;
use crate::clock::Clock;
use crate::error::Error;
use crate::store::Subject;
use crate::store::messages::mail as outbox;
use crate::store::messages::mail::Status;
use crate::store::upkeep::integrity;

/// `booking-service mail ...`
#[derive(Clone, Debug, Subcommand)]
pub enum MailCommand {
    /// Send a test message step by step, and say what is wrong; exits with 1 if it was not accepted
    Test(MailTest),
    /// List messages that wait, were kept, were given up or are over a limit
    List(MailList),
    /// Send a message, or all that were given up, again at once, with all attempts; a service with a mail server does so within a second
    Retry(MailRetry),
}

/// Options of `booking-service mail list`.
#[derive(Clone, Debug, Args)]
pub struct MailList {
    /// Database
    #[command(flatten)]
    pub data: Data,

    /// Also list messages that were sent, up to 7 days ago
    #[arg(long)]
    pub all: bool,

    /// List only messages that were given up
    #[arg(long, conflicts_with = "all")]
    pub failed: bool,
}

/// Options of `booking-service mail retry`.
#[derive(Clone, Debug, Args)]
pub struct MailRetry {
    /// Database
    #[command(flatten)]
    pub data: Data,

    /// Id of the message, from the list
    #[arg(required_unless_present = "failed")]
    pub id: Option<i64>,

    /// All messages that were given up, except codes and reminders, and messages that a later one has replaced
    #[arg(long, conflicts_with = "id")]
    pub failed: bool,
}

/// Most messages in the list: the latest ones.
const MAX_LISTED: i64 = 10_000;

/// Options of `booking-service mail test`.
#[derive(Clone, Debug, Args)]
pub struct MailTest {
    /// Recipient of the message
    #[arg(long, value_name = "ADDRESS")]
    pub to: String,

    /// Mail server and sender
    #[command(flatten)]
    pub mail: MailOptions,
}

/// Runs `booking-service mail ...`.
///
/// # Errors
///
/// If a setting is wrong, or the mail server does not accept the message.
pub async fn run(command: MailCommand) -> Result<(), CliError> {
    match command {
        MailCommand::Test(options) => test(&options).await,
        MailCommand::List(options) => list(&options).await.map(|text| print(&text)),
        MailCommand::Retry(options) => retry(&options).await.map(|text| print(&text)),
    }
}

/// Returns the list of messages, oldest first.
///
/// # Errors
///
/// If the database cannot be read.
pub async fn list(options: &MailList) -> Result<String, CliError> {
    let statuses: &[Status] = match (options.all, options.failed) {
        (true, _) => &Status::ALL,
        (_, true) => &[Status::Failed],
        _ => &[
            Status::Waiting,
            Status::Kept,
            Status::Failed,
            Status::Suppressed,
        ],
    };
    let mut db = open_read_only(&options.data).await?;
    let messages = outbox::list(&mut db, statuses, MAX_LISTED).await;
    integrity::close(db).await;
    let cells: Vec<[String; 10]> = messages?
        .into_iter()
        .map(|message| {
            [
                message.id.to_string(),
                message.status,
                message.kind,
                message.role,
                message.email,
                message.booking_uid,
                Instant(message.created_ms).to_string(),
                message.attempts.to_string(),
                message
                    .due_ms
                    .map(|due_ms| Instant(due_ms).to_string())
                    .unwrap_or_default(),
                message.last_problem.unwrap_or_default(),
            ]
        })
        .collect();
    let headings = [
        "ID",
        "STATUS",
        "KIND",
        "ROLE",
        "TO",
        "BOOKING",
        "SINCE",
        "TRIED",
        "NEXT",
        "LAST PROBLEM",
    ];
    Ok(columns(headings, &cells))
}

/// Makes a message, or all that were given up, due.
///
/// # Errors
///
/// If there is no message with that id that was not sent, or the database cannot be written.
pub async fn retry(options: &MailRetry) -> Result<String, CliError> {
    let (store, now) = open_existing(&options.data).await?;
    let mut transaction = store.begin(&[Subject::Rows]).await?;
    let done = match options.id {
        Some(id) if outbox::retry(&mut transaction, id, now).await? => {
            format!("message {id} is sent again\n")
        }
        Some(id) => {
            let text = format!(
                "no message {id} can be sent again: it was sent, deleted, or was a code that has ended"
            );
            return Err(Error::NotFound(text).into());
        }
        None => {
            let count = outbox::retry_failed(&mut transaction, now).await?;
            format!("messages that are sent again: {count}\n")
        }
    };
    transaction.commit().await.map_err(CliError::Database)?;
    store.close().await;
    Ok(done)
}

/// Prints a text. Ignores a closed pipe.
fn print(text: &str) {
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(text.as_bytes());
}

async fn test(options: &MailTest) -> Result<(), CliError> {
    let settings = options.mail.settings()?.ok_or_else(|| {
        SettingsError::new(
            "No mail server is set: add --smtp-url smtps://USER:PASSWORD@HOST and --mail-from, or the variables \
             BOOKING_SMTP_URL and BOOKING_MAIL_FROM.",
        )
    })?;
    parse_address(&options.to)
        .map_err(|_| SettingsError::new("--to must be an address like `you@example.org`."))?;
    say(&settings_line(&settings));
    let message = Message::build(&settings.sender, &test_message(&settings, &options.to)?)
        .map_err(|error| CliError::Mail(error.to_string()))?;
    let sent = attempt(&settings, &message).await;
    sent.map_err(|failure| match failure.advice() {
        Some(advice) => CliError::Mail(format!("{failure}\n{advice}")),
        None => CliError::Mail(failure.to_string()),
    })?;
    say(
        "The mail server has the message. If it does not arrive, look in the folder for spam, and at the server's log.",
    );
    Ok(())
}

async fn attempt(settings: &SmtpSettings, message: &Message) -> Result<(), Failure> {
    let mut observer = |step| say(&step_line(&step));
    let mut connection = Connection::open(settings, &mut observer).await?;
    let sent = connection.send(message, &mut observer).await;
    connection.close().await;
    sent
}

fn test_message(settings: &SmtpSettings, to: &str) -> Result<Outgoing, CliError> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(|cause| CliError::Mail(cause.to_string()))?;
    let text = "This message shows that the booking service can send e-mail.";
    Ok(Outgoing {
        message_id: format!(
            "{:032x}@{}",
            u128::from_be_bytes(id),
            settings.sender.domain()
        ),
        to: Mailbox {
            name: String::new(),
            email: to.to_owned(),
        },
        reply_to: None,
        rendered: Rendered {
            subject: "Test message of the booking service".to_owned(),
            text: format!("{text}\n"),
            html: format!(
                "<!doctype html><html lang=\"en\"><title>Test</title><p>{text}</p></html>\n"
            ),
        },
        invitation: None,
        stop_reminders: None,
        date: Clock::system().now(),
        language: "en".to_owned(),
    })
}

fn settings_line(settings: &SmtpSettings) -> String {
    let server = &settings.server;
    let security = match server.security {
        Security::Tls => "TLS from the start",
        Security::StartTls => "STARTTLS required",
        Security::Opportunistic => "STARTTLS if the server offers it",
        Security::Plain => "no encryption",
    };
    let login = match &server.login {
        Some(login) => format!("user {}", login.user),
        None => "no login".to_owned(),
    };
    let signature = match &settings.sender.dkim {
        Some(dkim) => format!(", signed for {}", dkim.domain()),
        None => String::new(),
    };
    format!(
        "settings   {server}, {security}, {login}; from {}{signature}",
        settings.sender.from.email
    )
}

fn step_line(step: &Step) -> String {
    match step {
        Step::Resolved(addresses) => {
            let addresses: Vec<_> = addresses
                .iter()
                .map(|address| address.ip().to_string())
                .collect();
            format!("DNS        {}", addresses.join(", "))
        }
        Step::Connected(address) => format!("connect    {address} answers"),
        Step::Encrypted => "TLS        encrypted, the certificate is valid".to_owned(),
        Step::NotEncrypted => "STARTTLS   not offered: the connection is not encrypted".to_owned(),
        Step::Greeted(name) => format!("EHLO       {}", printable(name)),
        Step::LoggedIn => "AUTH       accepted".to_owned(),
        Step::SenderAccepted => "MAIL FROM  accepted".to_owned(),
        Step::RecipientAccepted => "RCPT TO    accepted".to_owned(),
        Step::Accepted(answer) => format!("DATA       accepted: {}", printable(answer)),
    }
}

/// Text of a server without characters that control the terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(200)
        .collect()
}

/// Prints a line at once: a step can take seconds.
fn say(line: &str) {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}
