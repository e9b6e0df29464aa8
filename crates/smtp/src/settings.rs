//! Settings of the mail server and of the sender.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use url::Url;

use super::address::Mailbox;
use super::dkim::Dkim;
use super::settings_error::SettingsError;
use crate::email_address::parse_address;

/// Port for messages of users, with TLS from the start.
const TLS_PORT: u16 = 465;

/// Port for messages of users, with STARTTLS.
const SUBMISSION_PORT: u16 = 587;

/// Form of the URL in messages.
const URL_FORM: &str = "`smtps://USER:PASSWORD@HOST` or `smtp://USER:PASSWORD@HOST`";

/// Encryption of the connection to the mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// TLS from the start.
    Tls,
    /// STARTTLS; without it, nothing is sent.
    StartTls,
    /// STARTTLS if the server offers it.
    Opportunistic,
    /// None.
    Plain,
}

/// Name and password for the mail server.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// Name of the user.
    pub user: String,
    /// Password.
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

/// Mail server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Name or IP address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Encryption.
    pub security: Security,
    /// None for servers that need none.
    pub login: Option<Login>,
    /// Certificate authorities beside the public ones, in DER.
    pub extra_roots: Vec<CertificateDer<'static>>,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Sender of messages.
#[derive(Clone, Debug)]
pub struct Sender {
    /// Value of `From`.
    pub from: Mailbox,
    /// Value of `Reply-To`.
    pub reply_to: Option<Mailbox>,
    /// Signs messages.
    pub dkim: Option<Dkim>,
}

/// Maximum durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// To find and reach the server, each.
    pub connect: Duration,
    /// For the answer to a command.
    pub command: Duration,
    /// For all of an attempt to send a message.
    pub attempt: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            command: Duration::from_secs(10),
            // Servers look at a message before they accept it: RFC 5321 (4.5.3.2.6) has 10 minutes.
            attempt: Duration::from_secs(300),
        }
    }
}

/// Settings of a service that sends messages.
#[derive(Clone, Debug)]
pub struct SmtpSettings {
    /// Mail server.
    pub server: Server,
    /// Sender of messages.
    pub sender: Sender,
    /// Maximum durations.
    pub timeouts: Timeouts,
}

impl Server {
    /// Parses `smtps://USER:PASSWORD@HOST:465` or `smtp://HOST:587?starttls=required|opportunistic|none`. STARTTLS is
    /// required by default, but for this machine. `password` replaces the one in the URL.
    ///
    /// # Errors
    ///
    /// If the URL cannot be read. The error has no part of it, because all of it can be a misplaced password.
    pub fn parse(text: &str, password: Option<&str>) -> Result<Self, SettingsError> {
        let form = || SettingsError::new(format!("--smtp-url must be like {URL_FORM}."));
        let url = Url::parse(text.trim()).map_err(|_| {
            SettingsError::new(format!(
                "--smtp-url must be like {URL_FORM}; special characters in the password are written as in URLs, such as \
                 %40 for @."
            ))
        })?;
        let default_port = match url.scheme() {
            "smtps" => TLS_PORT,
            "smtp" => SUBMISSION_PORT,
            _ => return Err(form()),
        };
        let host = url
            .host_str()
            .filter(|host| !host.is_empty())
            .ok_or_else(form)?;
        let host = decoded(host).ok_or_else(form)?;
        let host = match host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
        {
            Some(ip) => ip.to_owned(),
            None => idna::domain_to_ascii(&host).map_err(|_| form())?,
        };
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(SettingsError::new(
                "--smtp-url must have nothing after the host and port but `?starttls=…`.",
            ));
        }
        let security = security(&url, &host)?;
        let port = url.port().unwrap_or(default_port);
        if port == 0 {
            return Err(SettingsError::new(
                "The port in --smtp-url must be 465, 587 or another one, but not 0.",
            ));
        }
        let user = decoded(url.username()).ok_or_else(form)?;
        let in_url = url.password().map(|text| decoded(text).ok_or_else(form));
        let password = match (password, in_url.transpose()?) {
            (Some(_), Some(_)) => {
                return Err(SettingsError::new(
                    "The password is both in --smtp-url and in --smtp-password-file; remove one of them.",
                ));
            }
            (given, in_url) => given.map(str::to_owned).or(in_url),
        };
        let login = match (user.is_empty(), password) {
            (true, None) => None,
            (false, Some(password)) if !password.is_empty() => Some(Login { user, password }),
            (true, Some(_)) => {
                return Err(SettingsError::new(
                    "--smtp-url has no user for the password; write it as `smtps://USER@HOST`.",
                ));
            }
            (false, _) => {
                return Err(SettingsError::new(
                    "--smtp-url has a user but no password; add it there or with --smtp-password-file.",
                ));
            }
        };
        Ok(Self {
            host,
            port,
            security,
            login,
            extra_roots: Vec::new(),
        })
    }

    /// Returns true for a server on this machine.
    pub fn is_local(&self) -> bool {
        is_loopback(&self.host)
    }
}

impl Sender {
    /// Parses the values of `--mail-from` and `--mail-reply-to`.
    pub fn parse(
        from: &str,
        reply_to: Option<&str>,
        dkim: Option<Dkim>,
    ) -> Result<Self, SettingsError> {
        let mailbox = |text: &str, option: &str| {
            Mailbox::parse(text).map_err(|_| {
                SettingsError::new(format!(
                    "{option} must be like `Booking desk <booking@example.org>`."
                ))
            })
        };
        Ok(Self {
            from: mailbox(from, "--mail-from")?,
            reply_to: reply_to
                .map(|text| mailbox(text, "--mail-reply-to"))
                .transpose()?,
            dkim,
        })
    }

    /// Returns the domain of the sender, with which the service introduces itself to the mail server.
    pub fn domain(&self) -> String {
        parse_address(&self.from.email)
            .map(|address| address.domain().to_owned())
            .unwrap_or_default()
    }
}

/// Reads certificates in PEM.
pub fn parse_roots(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, SettingsError> {
    let error = || {
        SettingsError::new(
            "--smtp-ca-file must have certificates in PEM: `-----BEGIN CERTIFICATE-----`.",
        )
    };
    let roots: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|_| error())?;
    let mut store = rustls::RootCertStore::empty();
    for root in &roots {
        store.add(root.clone()).map_err(|_| error())?;
    }
    if roots.is_empty() {
        return Err(error());
    }
    Ok(roots)
}

fn security(url: &Url, host: &str) -> Result<Security, SettingsError> {
    let mut starttls = None;
    for (name, value) in url.query_pairs() {
        if name != "starttls" {
            return Err(SettingsError::new(
                "--smtp-url has an unknown parameter; the only one is `starttls`.",
            ));
        }
        starttls = Some(value.into_owned());
    }
    match (url.scheme(), starttls.as_deref()) {
        ("smtps", None) => Ok(Security::Tls),
        ("smtps", Some(_)) => Err(SettingsError::new(
            "`starttls` in --smtp-url is for smtp://, because smtps:// is encrypted from the start.",
        )),
        (_, Some("required")) => Ok(Security::StartTls),
        (_, Some("opportunistic")) => Ok(Security::Opportunistic),
        (_, Some("none")) => Ok(Security::Plain),
        (_, None) if is_loopback(host) => Ok(Security::Opportunistic),
        (_, None) => Ok(Security::StartTls),
        (_, Some(_)) => Err(SettingsError::new(
            "`starttls` in --smtp-url must be `required`, `opportunistic` or `none`.",
        )),
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    (!text.chars().any(char::is_control)).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_of_server_is_parsed() {
        for (url, host, port, security, login) in [
            (
                "smtps://user:p%40ss@mail.example.org",
                "mail.example.org",
                465,
                Security::Tls,
                Some(("user", "p@ss")),
            ),
            (
                "smtps://desk%40example.org:secret@mail.example.org:4650/",
                "mail.example.org",
                4650,
                Security::Tls,
                Some(("desk@example.org", "secret")),
            ),
            (
                "smtp://mail.example.org",
                "mail.example.org",
                587,
                Security::StartTls,
                None,
            ),
            (
                "smtp://MAIL.example.org:25?starttls=opportunistic",
                "mail.example.org",
                25,
                Security::Opportunistic,
                None,
            ),
            (
                "smtp://mail.example.org?starttls=required",
                "mail.example.org",
                587,
                Security::StartTls,
                None,
            ),
            (
                "smtp://mailhog:1025?starttls=none",
                "mailhog",
                1025,
                Security::Plain,
                None,
            ),
            (
                "smtp://localhost:25",
                "localhost",
                25,
                Security::Opportunistic,
                None,
            ),
            (
                "smtp://127.0.0.1",
                "127.0.0.1",
                587,
                Security::Opportunistic,
                None,
            ),
            (
                "smtp://[::1]:2525",
                "::1",
                2525,
                Security::Opportunistic,
                None,
            ),
            (
                "smtp://[::1]?starttls=required",
                "::1",
                587,
                Security::StartTls,
                None,
            ),
            (
                "smtps://bücher.example",
                "xn--bcher-kva.example",
                465,
                Security::Tls,
                None,
            ),
        ] {
            let server = Server::parse(url, None).unwrap();
            assert_eq!(server.host, host, "{url}");
            assert_eq!(server.port, port, "{url}");
            assert_eq!(server.security, security, "{url}");
            let parsed = server.login.as_ref();
            assert_eq!(
                parsed.map(|login| (&*login.user, &*login.password)),
                login,
                "{url}"
            );
        }
    }

    #[test]
    fn unusable_url_is_rejected_in_one_sentence_without_secret() {
        for url in [
            "",
            "secret",
            "mail.example.org",
            "mail.example.org:587",
            "https://user:secret@mail.example.org",
            "smtps://user:sec/ret@mail.example.org",
            "smtps://user:secret@",
            "smtps://user:secret@mail.example.org:0",
            "smtps://user:secret@mail.example.org:99999",
            "smtps://user:secret@mail.example.org/path",
            "smtps://user:secret@mail.example.org?starttls=required",
            "smtp://user:secret@mail.example.org?starttls=maybe",
            "smtp://user:secret@mail.example.org?tls=required",
            "smtp://user@mail.example.org",
            "smtp://user:@mail.example.org",
            "smtp://:secret@mail.example.org",
            "smtp://user:secret%0D%0A@mail.example.org",
        ] {
            let error = Server::parse(url, None).unwrap_err().to_string();
            assert!(error.contains("--smtp-url"), "{url}: {error}");
            assert!(!error.contains("secret"), "{url}: {error}");
            assert_eq!(error.matches(". ").count(), 0, "{error}");
            assert!(error.ends_with('.'), "{error}");
        }
    }

    #[test]
    fn password_comes_from_the_file_or_the_url() {
        let server = Server::parse("smtps://user@mail.example.org", Some("from file")).unwrap();
        assert_eq!(server.login.unwrap().password, "from file");
        assert!(Server::parse("smtps://user:a@mail.example.org", Some("b")).is_err());
        assert!(Server::parse("smtps://mail.example.org", Some("b")).is_err());
    }

    #[test]
    fn debug_output_has_no_password() {
        let server = Server::parse("smtps://user:secret@mail.example.org", None).unwrap();
        assert!(!format!("{server:?} {server}").contains("secret"));
    }

    #[test]
    fn sender_is_parsed() {
        let sender = Sender::parse("Desk <desk@bücher.example>", Some("a@example.org"), None);
        let sender = sender.unwrap();
        assert_eq!(sender.from.name, "Desk");
        assert_eq!(sender.domain(), "xn--bcher-kva.example");
        assert!(Sender::parse("Desk", None, None).is_err());
        let error = Sender::parse("a@example.org", Some("x"), None).unwrap_err();
        assert!(error.to_string().contains("--mail-reply-to"));
    }

    #[test]
    fn file_without_certificates_is_rejected() {
        for pem in [
            "",
            "nonsense",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            assert!(parse_roots(pem.as_bytes()).is_err(), "{pem}");
        }
    }
}
