//! A connection to the mail server.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use lettre::transport::smtp;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream};
use lettre::transport::smtp::commands::{Data, Mail, Quit, Rcpt, Rset};
use lettre::transport::smtp::extension::{
    ClientId, Extension as SmtpExtension, MailBodyParameter, MailParameter,
};
use rustls::pki_types::ServerName;
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::failure::{Cause, Extension, Failure, Stage};
use super::mime::Message;
use super::reply_stream::ReplyStream;
use super::settings::{Login, Security, Server, SmtpSettings, Timeouts};
use super::starttls;
use super::tls::client_config;

/// Ways to log in, the preferred first.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// Time to reset or end a connection.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Completed step of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The name of the server has these addresses.
    Resolved(Vec<SocketAddr>),
    /// The port answered.
    Connected(SocketAddr),
    /// TLS works and the certificate is valid.
    Encrypted,
    /// The server introduced itself with this name.
    Greeted(String),
    /// The server does not offer STARTTLS, which is optional.
    NotEncrypted,
    /// The server accepted user and password.
    LoggedIn,
    /// The server accepted the sender.
    SenderAccepted,
    /// The server accepted the recipient.
    RecipientAccepted,
    /// The server accepted the message, with this answer.
    Accepted(String),
}

/// Receives completed steps.
pub type Observer<'a> = &'a mut (dyn FnMut(Step) + Send);

/// A connection that is ready for messages. If a future of it is dropped before it has completed, the connection must
/// be dropped, too: the answer to the last command would be taken for the answer to the next one.
pub struct Connection {
    smtp: AsyncSmtpConnection,
    server: String,
    secret: Option<String>,
    timeouts: Timeouts,
    /// Messages sent.
    pub(super) messages: u32,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("server", &self.server)
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects, encrypts the connection and logs in.
    pub async fn open(settings: &SmtpSettings, observer: Observer<'_>) -> Result<Self, Failure> {
        let server = &settings.server;
        let timeouts = settings.timeouts;
        let name = server.to_string();
        let fail = |stage, cause| Failure {
            server: name.clone(),
            stage,
            cause,
        };
        let secret = server.login.as_ref().map(|login| login.password.clone());
        let smtp_cause = |error: &smtp::Error| Cause::of_smtp(error, secret.as_deref());
        let addresses = resolve(server, timeouts.connect)
            .await
            .map_err(|cause| fail(Stage::Resolve, cause))?;
        observer(Step::Resolved(addresses.clone()));
        let (mut stream, address) = connect(&addresses, timeouts.connect)
            .await
            .map_err(|cause| fail(Stage::Connect, cause))?;
        observer(Step::Connected(address));
        let hello = ClientId::Domain(settings.sender.domain());
        let security = server.security;
        let is_tried = matches!(security, Security::StartTls | Security::Opportunistic);
        let mut is_encrypted = security == Security::Tls;
        if is_tried {
            let greeting = starttls::greet(&mut stream, &hello);
            let info = within(timeouts.command, greeting, Cause::clone)
                .await
                .map_err(|cause| fail(Stage::Greeting, cause))?;
            observer(Step::Greeted(info.name().to_owned()));
            is_encrypted = starttls::is_offered(&info);
            if is_encrypted {
                within(timeouts.command, starttls::start(&mut stream), Cause::clone)
                    .await
                    .map_err(|cause| fail(Stage::StartTls, cause))?;
            } else if security == Security::StartTls {
                return Err(fail(Stage::StartTls, Cause::Missing(Extension::StartTls)));
            } else {
                observer(Step::NotEncrypted);
            }
        }
        let stream: Box<dyn AsyncTokioStream> = if is_encrypted {
            let stream = within(timeouts.command, encrypt(stream, server), Cause::of_io).await;
            let stream = stream.map_err(|cause| match cause {
                // The server began without TLS, as it should, but did not go over to it.
                Cause::NotTls if is_tried => fail(Stage::StartTls, Cause::Plaintext),
                cause => fail(Stage::Tls, cause),
            })?;
            observer(Step::Encrypted);
            reply_stream(stream, address, is_tried)
        } else {
            reply_stream(stream, address, is_tried)
        };
        let greeting = AsyncSmtpConnection::connect_with_transport(stream, &hello);
        let mut smtp = within(timeouts.command, greeting, smtp_cause)
            .await
            .map_err(|cause| fail(Stage::Greeting, cause))?;
        if !is_tried {
            observer(Step::Greeted(smtp.server_info().name().to_owned()));
        }
        if let Some(login) = &server.login {
            // An attacker can hide STARTTLS.
            let may_be_hidden = security == Security::Opportunistic && !server.is_local();
            if !is_encrypted && may_be_hidden {
                return Err(fail(Stage::StartTls, Cause::Missing(Extension::StartTls)));
            }
            let info = smtp.server_info();
            if info.get_auth_mechanism(&MECHANISMS).is_none() {
                return Err(fail(Stage::Login, Cause::Missing(Extension::Login)));
            }
            let credentials = credentials(login);
            let auth = smtp.auth(&MECHANISMS, &credentials);
            within(timeouts.command, auth, smtp_cause)
                .await
                .map_err(|cause| fail(Stage::Login, cause))?;
            observer(Step::LoggedIn);
        }
        Ok(Self {
            smtp,
            server: name.clone(),
            secret: secret.clone(),
            timeouts,
            messages: 0,
        })
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &Message, observer: Observer<'_>) -> Result<(), Failure> {
        let mut parameters = Vec::new();
        if message.needs_smtputf8() {
            let info = self.smtp.server_info();
            if !info.supports_feature(SmtpExtension::SmtpUtfEight) {
                return Err(self.failure(Stage::Recipient, Cause::Missing(Extension::SmtpUtf8)));
            }
            parameters.push(MailParameter::SmtpUtfEight);
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        self.messages += 1;
        let mail = Mail::new(Some(message.from.clone()), parameters);
        self.command(Stage::Sender, mail).await?;
        observer(Step::SenderAccepted);
        self.command(Stage::Recipient, Rcpt::new(message.to.clone(), Vec::new()))
            .await?;
        observer(Step::RecipientAccepted);
        self.command(Stage::Content, Data).await?;
        let secret = self.secret.clone();
        let cause = |error: &smtp::Error| Cause::of_smtp(error, secret.as_deref());
        // Servers examine the content before they answer, so all of the attempt's time counts.
        let content = self.smtp.message(&message.bytes);
        let answer = within(self.timeouts.attempt, content, cause)
            .await
            .map_err(|cause| self.failure(Stage::Content, cause))?;
        observer(Step::Accepted(
            answer.first_line().unwrap_or_default().to_owned(),
        ));
        Ok(())
    }

    /// Makes the connection ready for another message after a refused one. Returns false if it cannot be used.
    pub(super) async fn reset(&mut self) -> bool {
        // Not so long that a refusal becomes a timeout of the attempt.
        tokio::time::timeout(QUIT_TIMEOUT, self.smtp.command(Rset))
            .await
            .is_ok_and(|answer| answer.is_ok())
    }

    /// Ends the connection.
    pub async fn close(mut self) {
        let _ = tokio::time::timeout(QUIT_TIMEOUT, self.smtp.command(Quit)).await;
    }

    async fn command(&mut self, stage: Stage, command: impl fmt::Display) -> Result<(), Failure> {
        let secret = self.secret.as_deref();
        let cause = |error: &smtp::Error| Cause::of_smtp(error, secret);
        let answer = within(self.timeouts.command, self.smtp.command(command), cause).await;
        answer
            .map(|_| ())
            .map_err(|cause| self.failure(stage, cause))
    }

    fn failure(&self, stage: Stage, cause: Cause) -> Failure {
        Failure {
            server: self.server.clone(),
            stage,
            cause,
        }
    }
}

fn credentials(login: &Login) -> Credentials {
    Credentials::new(login.user.clone(), login.password.clone())
}

/// Waits for work, but not longer than `limit`.
async fn within<T, E>(
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
    cause: impl FnOnce(&E) -> Cause,
) -> Result<T, Cause> {
    match tokio::time::timeout(limit, work).await {
        Ok(result) => result.map_err(|error| cause(&error)),
        Err(_) => Err(Cause::Timeout(limit)),
    }
}

async fn resolve(server: &Server, limit: Duration) -> Result<Vec<SocketAddr>, Cause> {
    let found = lookup_host((server.host.as_str(), server.port));
    let missing = |_: &io::Error| Cause::Missing(Extension::Address);
    let addresses: Vec<_> = within(limit, found, missing).await?.collect();
    if addresses.is_empty() {
        return Err(Cause::Missing(Extension::Address));
    }
    Ok(addresses)
}

/// Connects to the first address that answers.
async fn connect(
    addresses: &[SocketAddr],
    limit: Duration,
) -> Result<(TcpStream, SocketAddr), Cause> {
    // One address that is not reachable, often that of IPv6, must not use all of the time.
    let share = limit / u32::try_from(addresses.len().clamp(1, 3)).unwrap_or(1);
    let mut failed = Cause::Timeout(limit);
    for &address in addresses.iter().take(3) {
        match within(share, TcpStream::connect(address), |error: &io::Error| {
            Cause::Io(error.kind())
        })
        .await
        {
            Ok(stream) => {
                // Commands are short, and each waits for its answer.
                let _ = stream.set_nodelay(true);
                return Ok((stream, address));
            }
            Err(Cause::Timeout(_)) => failed = Cause::Timeout(limit),
            Err(cause) => failed = cause,
        }
    }
    Err(failed)
}

async fn encrypt(stream: TcpStream, server: &Server) -> io::Result<TlsStream<TcpStream>> {
    let config = client_config(&server.extra_roots)?;
    let name = ServerName::try_from(server.host.clone()).map_err(io::Error::other)?;
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

/// A connection for the SMTP library.
fn reply_stream<S>(stream: S, address: SocketAddr, has_greeted: bool) -> Box<dyn AsyncTokioStream>
where
    ReplyStream<S>: AsyncTokioStream + 'static,
{
    Box::new(if has_greeted {
        ReplyStream::after_greeting(stream, address)
    } else {
        ReplyStream::new(stream, address)
    })
}
