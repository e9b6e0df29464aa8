//! Failures of attempts to send a message: what went wrong, whether another attempt can help, and what to do.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use lettre::transport::smtp;
use lettre::transport::smtp::response::Code;

use super::reply_stream::{MAX_LINES, MAX_REPLY_BYTES, ReplyTooLong};

/// Longest reply of a mail server in a problem, in characters.
const MAX_REPLY_CHARS: usize = 200;

/// Step at which an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The server's name has no address.
    Resolve,
    /// No connection to the port.
    Connect,
    /// TLS, from the start or after STARTTLS.
    Tls,
    /// Greeting of the server and reply to EHLO.
    Greeting,
    /// The server has no STARTTLS or refuses it.
    StartTls,
    /// User and password.
    Login,
    /// MAIL FROM.
    Sender,
    /// RCPT TO.
    Recipient,
    /// DATA.
    Content,
}

/// Cause of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No reply in this time.
    Timeout(Duration),
    /// Error of the system.
    Io(io::ErrorKind),
    /// The server closed the connection.
    Closed,
    /// The certificate is not signed by a known authority.
    UnknownIssuer,
    /// The certificate has expired.
    Expired,
    /// The certificate is for other names.
    OtherName,
    /// The server does not speak TLS.
    NotTls,
    /// Another error of TLS.
    Tls(String),
    /// Negative reply: its code and text.
    Refused(u16, String),
    /// The server lacks something.
    Missing(Extension),
    /// The reply is not SMTP.
    NotSmtp,
    /// The reply is longer than any of a mail server.
    TooLong,
    /// The server, or an attacker on the path to it, sent plaintext where TLS begins.
    Plaintext,
}

/// Extension that a server may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// An address of the name.
    Address,
    /// Encryption.
    StartTls,
    /// Authentication at all, or by PLAIN or LOGIN.
    Login,
    /// Addresses that are not ASCII.
    SmtpUtf8,
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Host and port.
    pub server: String,
    /// Step.
    pub stage: Stage,
    /// Cause.
    pub cause: Cause,
}

impl Cause {
    /// Cause of an error of the SMTP library. `secret` is removed from replies.
    pub(super) fn of_smtp(error: &smtp::Error, secret: Option<&str>) -> Self {
        if let Some(code) = error.status() {
            let text = error.source().map(ToString::to_string).unwrap_or_default();
            return Self::refused(code, &text, secret);
        }
        let mut source = error.source();
        while let Some(error) = source {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return Self::of_io(error);
            }
            source = error.source();
        }
        // The library has no kinds for the end of the connection and for lines that are too long.
        let text = error.to_string();
        if text.contains("incomplete response") {
            Self::Closed
        } else if text.contains("line too long") {
            Self::TooLong
        } else {
            Self::NotSmtp
        }
    }

    /// Cause of a negative reply. `secret` is removed from its text.
    pub(super) fn refused(code: Code, text: &str, secret: Option<&str>) -> Self {
        Self::Refused(u16::from(code), clean(text, secret))
    }

    /// Cause of an error of a connection with or without TLS.
    pub(super) fn of_io(error: &io::Error) -> Self {
        let inner = error.get_ref();
        if let Some(error) = inner.and_then(|error| error.downcast_ref::<rustls::Error>()) {
            return Self::of_tls(error);
        }
        if inner.is_some_and(|error| error.is::<ReplyTooLong>()) {
            return Self::TooLong;
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => Self::Closed,
            kind => Self::Io(kind),
        }
    }

    fn of_tls(error: &rustls::Error) -> Self {
        use rustls::CertificateError as Certificate;
        match error {
            rustls::Error::InvalidCertificate(error) => match error {
                Certificate::UnknownIssuer | Certificate::BadSignature => Self::UnknownIssuer,
                Certificate::Expired | Certificate::ExpiredContext { .. } => Self::Expired,
                Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
                    Self::OtherName
                }
                // A self-signed certificate of many tools is one of an authority.
                Certificate::Other(error) if error.to_string().contains("CaUsedAsEndEntity") => {
                    Self::UnknownIssuer
                }
                error => Self::Tls(error.to_string()),
            },
            rustls::Error::InvalidMessage(_) => Self::NotTls,
            error => Self::Tls(error.to_string()),
        }
    }
}

impl Failure {
    /// Returns true if no other attempt can succeed: the server refuses this recipient or this message.
    ///
    /// A failure that concerns all messages is not final, because it is a matter of settings that an operator corrects: the password,
    /// the sender's address, rights of the sender, the server's opinion about this machine. Servers use codes 5.7.x for
    /// such policies, also in replies about a recipient.
    pub fn is_final(&self) -> bool {
        match (&self.cause, self.stage) {
            (Cause::Missing(Extension::SmtpUtf8), _) => true,
            (Cause::Refused(code, text), Stage::Recipient | Stage::Content) => {
                let (class, subject, detail) =
                    enhanced(text).unwrap_or((u16::from(*code >= 500) * 4 + 1, 0, 0));
                // 5.4.5 is the sender's limit per day.
                let is_policy = (subject, detail) == (4, 5)
                    || match self.stage {
                        // Full mailboxes become emptier.
                        Stage::Recipient => {
                            subject == 7 || *code == 552 || (subject, detail) == (2, 2)
                        }
                        // Of the content's policies, those about authentication of the sender concern all messages, as
                        // do replies about a mailbox: that is the sender's, whose recipient was accepted.
                        _ => {
                            let is_of_sender = matches!(detail, 8 | 9 | 11 | 14) || detail >= 20;
                            subject == 2 && detail != 3 || subject == 7 && is_of_sender
                        }
                    };
                *code >= 500 && class != 4 && !is_policy && !is_about_session(*code)
            }
            _ => false,
        }
    }

    /// Returns true if the server has closed a connection that was not used for a while.
    pub(super) fn is_closed(&self) -> bool {
        matches!(
            self.cause,
            Cause::Closed | Cause::Io(_) | Cause::Refused(421, _)
        )
    }

    /// Returns what an operator can do, in a sentence; none if the problem says it.
    pub fn advice(&self) -> Option<&'static str> {
        let advice = match (self.stage, &self.cause) {
            (_, Cause::TooLong) => {
                "The server is broken or not a mail server, or somebody on the path to it writes into the connection: check \
                 host and port, and use smtps:// in --smtp-url, which keeps others out."
            }
            (_, Cause::Plaintext) => {
                "Somebody on the path to the server may be forging its answers, or the server is broken: use smtps:// in \
                 --smtp-url if the server has a port for it (465)."
            }
            (Stage::Resolve, _) => "Check the host in --smtp-url and the DNS of this machine.",
            (Stage::Connect, Cause::Io(io::ErrorKind::ConnectionRefused)) => {
                "Check the port in --smtp-url: usual are 465 (smtps://), 587 and 25 (smtp://)."
            }
            (Stage::Connect, _) => {
                "Ports 25, 465 and 587 are often blocked by hosters and firewalls: ask yours to open one, or use another \
                 port of the mail server, such as 2525."
            }
            (Stage::Tls, Cause::UnknownIssuer) => {
                "If it is your own server, give the certificate of its authority with --smtp-ca-file."
            }
            (Stage::Tls, Cause::Expired) => {
                "Renew the certificate of the mail server, and check the clock of this machine."
            }
            (Stage::Tls, Cause::OtherName) => {
                "Write the host in --smtp-url as the certificate has it."
            }
            (Stage::Tls, Cause::NotTls) => {
                "The port begins without TLS: use smtp:// in --smtp-url, which begins TLS with STARTTLS."
            }
            (Stage::Tls, _) => {
                "Check that the port in --smtp-url is the one for TLS: usually 465 with smtps://, 587 with smtp://."
            }
            (Stage::Greeting, Cause::Timeout(_) | Cause::NotSmtp | Cause::Closed) => {
                "If the port expects TLS from the start, as 465 usually does, use smtps:// in --smtp-url; otherwise check \
                 that it is the port of a mail server."
            }
            (Stage::Greeting, _) => {
                "The server does not take messages from this machine at present: see its answer."
            }
            (Stage::StartTls, Cause::Missing(_)) => {
                "Use smtps:// if the server has a port for it (465); in a network of your own, `?starttls=none` in \
                 --smtp-url sends without encryption."
            }
            (Stage::Login, Cause::Missing(_)) => {
                "Servers often allow the login only with TLS: use smtps://, or smtp:// without `starttls=none`. Or remove \
                 user and password if it needs none."
            }
            (Stage::Login, Cause::Refused(..)) => {
                "Check user and password; many providers need a password for applications (`app password`), and special \
                 characters are written as in URLs, such as %40 for @."
            }
            (Stage::Sender, Cause::Refused(530, _))
            | (Stage::Recipient, Cause::Refused(530, _)) => {
                "The server needs a login: add user and password to --smtp-url."
            }
            (Stage::Sender, Cause::Refused(..)) => {
                "Set --mail-from to an address that the user of the mail server may send from."
            }
            (Stage::Sender | Stage::Recipient, Cause::Missing(_)) => {
                "Use another address, or a mail server with SMTPUTF8."
            }
            (Stage::Recipient, Cause::Refused(code, _)) if *code < 500 => {
                "The server wants another attempt later; the service makes it."
            }
            (Stage::Recipient, Cause::Refused(..)) if !self.is_final() => {
                "The server may not forward messages for this user or machine: a login or another --mail-from can help."
            }
            (Stage::Recipient, Cause::Refused(..)) => "Check the address of the recipient.",
            (Stage::Content, Cause::Refused(..)) => {
                "See the answer of the server; if it names SPF, DKIM or DMARC, add the records to the DNS of the sender's \
                 domain."
            }
            _ => return None,
        };
        Some(advice)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            server,
            stage,
            cause,
        } = self;
        match (stage, cause) {
            (Stage::Resolve, Cause::Timeout(limit)) => write!(
                f,
                "the address of the mail server {server} was not found within {}",
                seconds(*limit)
            ),
            (Stage::Resolve, _) => write!(f, "the mail server {server} has no address in the DNS"),
            (Stage::Connect, Cause::Timeout(limit)) => {
                write!(f, "no connection to {server} within {}", seconds(*limit))
            }
            (Stage::Connect, Cause::Io(kind)) => {
                write!(f, "cannot connect to the mail server {server}: {kind}")
            }
            (_, Cause::Timeout(limit)) => write!(
                f,
                "the mail server {server} did not answer within {}{}",
                seconds(*limit),
                stage.at()
            ),
            (_, Cause::UnknownIssuer) => write!(
                f,
                "the certificate of the mail server {server} is not signed by a known authority"
            ),
            (_, Cause::Expired) => {
                write!(f, "the certificate of the mail server {server} has expired")
            }
            (_, Cause::OtherName) => write!(
                f,
                "the certificate of the mail server {server} is for another name"
            ),
            (_, Cause::NotTls) => write!(
                f,
                "the mail server {server} does not speak TLS on this port"
            ),
            (_, Cause::Tls(problem)) => {
                write!(f, "TLS with the mail server {server} failed: {problem}")
            }
            (_, Cause::Missing(Extension::StartTls)) => {
                write!(f, "the mail server {server} does not offer STARTTLS")
            }
            (_, Cause::Missing(Extension::Login)) => write!(
                f,
                "the mail server {server} offers no login with user and password"
            ),
            (_, Cause::Missing(Extension::SmtpUtf8)) => write!(
                f,
                "the mail server {server} does not accept addresses with characters that are not ASCII (SMTPUTF8)"
            ),
            (_, Cause::Missing(Extension::Address)) => {
                write!(f, "the mail server {server} has no address in the DNS")
            }
            (_, Cause::NotSmtp) => write!(
                f,
                "the answer of {server}{} is not one of a mail server",
                stage.at()
            ),
            (_, Cause::TooLong) => write!(
                f,
                "the mail server {server} sent an answer that is too long{} (limits: {} KiB, {MAX_LINES} lines, 1,000 bytes a \
                 line)",
                stage.at(),
                MAX_REPLY_BYTES / 1024
            ),
            (_, Cause::Plaintext) => write!(
                f,
                "the mail server {server} sent plaintext after it had agreed to STARTTLS: nothing was sent"
            ),
            (_, Cause::Closed) => write!(
                f,
                "the mail server {server} closed the connection{}",
                stage.at()
            ),
            (_, Cause::Io(kind)) => write!(
                f,
                "the connection to the mail server {server} broke{}: {kind}",
                stage.at()
            ),
            (stage, Cause::Refused(code, text)) => {
                let object = match stage {
                    Stage::Login => "the user or password",
                    Stage::Sender => "the sender",
                    Stage::Recipient => "the recipient",
                    Stage::Content => "the message",
                    Stage::StartTls => "STARTTLS",
                    _ => "the connection",
                };
                let verb = if *code >= 500 { "refused" } else { "put off" };
                write!(f, "the mail server {server} {verb} {object}: {code}")?;
                if text.is_empty() {
                    return Ok(());
                }
                write!(f, " {text}")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl Stage {
    /// Part of a sentence; empty if the sentence needs none.
    fn at(self) -> &'static str {
        match self {
            Self::Resolve | Self::Connect => "",
            Self::Tls => " during the TLS handshake",
            Self::Greeting => " to the greeting",
            Self::StartTls => " at STARTTLS",
            Self::Login => " at the login",
            Self::Sender => " at the sender's address",
            Self::Recipient => " at the recipient's address",
            Self::Content => " while it received the message",
        }
    }
}

/// Codes about the session and not about a message: commands, login, encryption, service.
fn is_about_session(code: u16) -> bool {
    matches!(code, 500..=504 | 521 | 530 | 534 | 535 | 538)
}

/// Enhanced status code (RFC 3463) at the start of a reply.
fn enhanced(text: &str) -> Option<(u16, u16, u16)> {
    let mut parts = text.split_whitespace().next()?.split('.');
    let mut part = || parts.next()?.parse().ok();
    Some((part()?, part()?, part()?))
}

/// Text of a reply for people: short, on one line, and without the password.
fn clean(text: &str, secret: Option<&str>) -> String {
    let mut text = text.to_owned();
    if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "…");
    }
    let letters = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut short: String = letters.take(MAX_REPLY_CHARS).collect();
    if text.chars().nth(MAX_REPLY_CHARS).is_some() {
        short.push('…');
    }
    short.trim().to_owned()
}

pub(super) fn seconds(limit: Duration) -> String {
    match limit.as_secs_f64() {
        1.0 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(stage: Stage, code: u16, text: &str) -> Failure {
        Failure {
            server: "mail.example.org:587".to_owned(),
            stage,
            cause: Cause::Refused(code, text.to_owned()),
        }
    }

    #[test]
    fn reply_is_final_only_if_it_is_about_recipient_or_message() {
        for (stage, code, text, is_final) in [
            (Stage::Recipient, 550, "5.1.1 no such user", true),
            (Stage::Recipient, 550, "no such user", true),
            (Stage::Recipient, 553, "5.1.3 bad address", true),
            (Stage::Recipient, 550, "5.2.1 mailbox disabled", true),
            (Stage::Recipient, 450, "4.2.0 greylisted", false),
            (Stage::Recipient, 451, "try later", false),
            (Stage::Recipient, 452, "4.2.2 mailbox full", false),
            (Stage::Recipient, 552, "5.2.2 mailbox full", false),
            (Stage::Recipient, 550, "5.7.1 relaying denied", false),
            (Stage::Recipient, 554, "5.7.1 host blocked by a list", false),
            (
                Stage::Recipient,
                530,
                "5.7.0 authentication required",
                false,
            ),
            (Stage::Recipient, 503, "5.5.1 send MAIL first", false),
            (Stage::Content, 552, "5.3.4 message too large", true),
            (Stage::Content, 554, "transaction failed", true),
            (Stage::Content, 550, "5.7.1 looks like spam", true),
            (
                Stage::Content,
                550,
                "5.7.26 sender not authenticated",
                false,
            ),
            (
                Stage::Content,
                550,
                "5.4.5 daily sending limit exceeded",
                false,
            ),
            (Stage::Content, 554, "5.2.252 send as denied", false),
            (Stage::Content, 552, "5.2.3 message too long", true),
            (Stage::Recipient, 550, "5.4.5 daily limit", false),
            (Stage::Recipient, 550, "5.4.1 no route", true),
            (Stage::Content, 451, "4.3.0 try later", false),
            (Stage::Content, 421, "4.3.2 shutting down", false),
            (Stage::Sender, 550, "5.1.8 sender domain unknown", false),
            (Stage::Sender, 553, "5.7.1 sender not owned by user", false),
            (Stage::Login, 535, "5.7.8 wrong", false),
            (Stage::Greeting, 554, "no service", false),
            (Stage::StartTls, 502, "no", false),
        ] {
            let failure = refused(stage, code, text);
            assert_eq!(failure.is_final(), is_final, "{stage:?} {code} {text}");
        }
        let missing = Failure {
            cause: Cause::Missing(Extension::SmtpUtf8),
            ..refused(Stage::Recipient, 0, "")
        };
        assert!(missing.is_final());
    }

    #[test]
    fn reply_is_short_and_has_no_password() {
        let text = clean("5.7.8 wrong: hunter2\r\nx", Some("hunter2"));
        assert_eq!(text, "5.7.8 wrong: …  x");
        let long = clean(&"ä".repeat(5000), None);
        assert_eq!(long.chars().count(), MAX_REPLY_CHARS + 1);
        assert_eq!(clean("a", Some("")), "a");
    }

    #[test]
    fn problem_is_a_sentence() {
        let failure = refused(Stage::Recipient, 550, "5.1.1 no such user");
        assert_eq!(
            failure.to_string(),
            "the mail server mail.example.org:587 refused the recipient: 550 5.1.1 no such user"
        );
        let failure = refused(Stage::Content, 451, "");
        assert_eq!(
            failure.to_string(),
            "the mail server mail.example.org:587 put off the message: 451"
        );
        let failure = Failure {
            cause: Cause::Timeout(Duration::from_secs(10)),
            ..failure
        };
        assert_eq!(
            failure.to_string(),
            "the mail server mail.example.org:587 did not answer within 10 seconds while it received the message"
        );
    }
}
