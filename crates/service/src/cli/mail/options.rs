//! Options of the mail server and the sender.

use std::fmt;
use std::path::{Path, PathBuf};

use booking_smtp::dkim::Dkim;
use booking_smtp::settings::{Sender, Server, SmtpSettings, Timeouts, parse_roots};
use booking_smtp::settings_error::SettingsError;
use clap::Args;

use crate::cli::error::CliError;

/// Names of the options of [`MailOptions`], which the environment can set for each command that has them.
pub const NAMES: [&str; 8] = [
    "smtp-url",
    "smtp-password-file",
    "smtp-ca-file",
    "mail-from",
    "mail-reply-to",
    "dkim-domain",
    "dkim-selector",
    "dkim-key-file",
];

/// Text that may contain a password.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(pub String);

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("********")
    }
}

impl From<&str> for SecretText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Options of commands that send e-mail messages.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "E-mail")]
pub struct MailOptions {
    /// Mail server (SMTP) that messages about bookings are sent with: `smtps://USER:PASSWORD@HOST` (port 465, encrypted
    /// from the start) or `smtp://USER:PASSWORD@HOST` (port 587, encrypted by STARTTLS). Special characters in user and
    /// password are written as in URLs: %40 for @. After smtp://HOST:PORT, `?starttls=` can be `required`,
    /// `opportunistic` (encrypted if the server offers it; default for this machine) or `none`
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub smtp_url: Option<SecretText>,

    /// File with the password for the mail server, instead of writing it in --smtp-url
    #[arg(long, value_name = "FILE")]
    pub smtp_password_file: Option<PathBuf>,

    /// File with certificates (PEM) of authorities that may sign the mail server's certificate, beside the public ones
    #[arg(long, value_name = "FILE")]
    pub smtp_ca_file: Option<PathBuf>,

    /// Sender of messages: `Booking desk <booking@example.org>`. The mail server must accept it
    #[arg(long, value_name = "SENDER")]
    pub mail_from: Option<String>,

    /// Address that answers to messages go to, if not the sender
    #[arg(long, value_name = "ADDRESS")]
    pub mail_reply_to: Option<String>,

    /// Domain for which messages are signed (DKIM), usually that of the sender. Only if the mail server does not sign
    #[arg(long, value_name = "DOMAIN")]
    pub dkim_domain: Option<String>,

    /// Name of the DKIM key: its public part is in the DNS at NAME._domainkey.DOMAIN
    #[arg(long, value_name = "NAME")]
    pub dkim_selector: Option<String>,

    /// File with the private DKIM key (PEM): RSA with 2048 bits or more, or Ed25519
    #[arg(long, value_name = "FILE")]
    pub dkim_key_file: Option<PathBuf>,
}

impl MailOptions {
    /// Returns the settings; none if no mail server is set.
    ///
    /// # Errors
    ///
    /// If an option is invalid or missing, or a file cannot be read.
    pub fn settings(&self) -> Result<Option<SmtpSettings>, CliError> {
        let Some(url) = self.smtp_url.as_ref().filter(|url| !url.0.is_empty()) else {
            return Ok(None);
        };
        let password = path(self.smtp_password_file.as_deref())
            .map(|file| read("--smtp-password-file", file))
            .transpose()?;
        let password = password.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        // Editors add a line end.
        let password = password
            .as_deref()
            .map(|text| text.trim_end_matches(['\r', '\n']));
        let mut server = Server::parse(&url.0, password)?;
        if let Some(file) = path(self.smtp_ca_file.as_deref()) {
            server.extra_roots = parse_roots(&read("--smtp-ca-file", file)?)?;
        }
        let from = text(self.mail_from.as_deref()).ok_or_else(|| {
            SettingsError::new(
                "--smtp-url needs a sender: --mail-from \"Booking desk <booking@example.org>\".",
            )
        })?;
        let sender = Sender::parse(from, text(self.mail_reply_to.as_deref()), self.dkim()?)?;
        Ok(Some(SmtpSettings {
            server,
            sender,
            timeouts: Timeouts::default(),
        }))
    }

    fn dkim(&self) -> Result<Option<Dkim>, CliError> {
        let domain = text(self.dkim_domain.as_deref());
        let selector = text(self.dkim_selector.as_deref());
        let file = path(self.dkim_key_file.as_deref());
        match (domain, selector, file) {
            (None, None, None) => Ok(None),
            (Some(domain), Some(selector), Some(file)) => {
                let key = read("--dkim-key-file", file)?;
                Ok(Some(Dkim::new(domain, selector, &key)?))
            }
            _ => Err(SettingsError::new(
                "Signatures need all of --dkim-domain, --dkim-selector and --dkim-key-file.",
            )
            .into()),
        }
    }
}

/// A value that is set; compose files set empty ones.
fn text(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|text| !text.is_empty())
}

fn path(value: Option<&Path>) -> Option<&Path> {
    value.filter(|path| !path.as_os_str().is_empty())
}

fn read(option: &str, file: &Path) -> Result<Vec<u8>, SettingsError> {
    std::fs::read(file).map_err(|cause| {
        SettingsError::new(format!(
            "The file {} of {option} cannot be read: {cause}.",
            file.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(url: &str) -> MailOptions {
        MailOptions {
            smtp_url: Some(url.into()),
            mail_from: Some("Desk <desk@example.org>".to_owned()),
            ..MailOptions::default()
        }
    }

    #[test]
    fn service_without_mail_server_has_no_settings() {
        assert!(MailOptions::default().settings().unwrap().is_none());
        assert!(options("").settings().unwrap().is_none());
    }

    #[test]
    fn settings_are_complete_or_rejected_in_one_sentence() {
        let settings = options("smtp://mail.example.org").settings();
        assert_eq!(settings.unwrap().unwrap().sender.from.name, "Desk");
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        for options in [
            MailOptions {
                mail_from: None,
                ..options("smtp://mail.example.org")
            },
            MailOptions {
                mail_from: Some(String::new()),
                ..options("smtp://mail.example.org")
            },
            MailOptions {
                smtp_password_file: Some(missing.clone()),
                ..options("smtp://user@mail.example.org")
            },
            MailOptions {
                smtp_ca_file: Some(missing.clone()),
                ..options("smtp://mail.example.org")
            },
            MailOptions {
                dkim_domain: Some("example.org".to_owned()),
                ..options("smtp://mail.example.org")
            },
        ] {
            let error = options.settings().unwrap_err().to_string();
            assert!(error.contains("--"), "{error}");
            assert!(error.ends_with('.'), "{error}");
        }
    }

    #[test]
    fn password_of_file_has_no_line_end() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("password");
        std::fs::write(&file, "secret \n").unwrap();
        let options = MailOptions {
            smtp_password_file: Some(file),
            ..options("smtp://user@mail.example.org")
        };
        let settings = options.settings().unwrap().unwrap();
        assert_eq!(settings.server.login.unwrap().password, "secret ");
    }

    #[test]
    fn debug_output_has_no_password() {
        let options = options("smtps://user:hunter2@mail.example.org");
        assert!(!format!("{options:?}").contains("hunter2"));
        let settings = options.settings().unwrap();
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
