//! Sends messages, over connections that are kept for a while.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant as Stopwatch};

use super::connection::Connection;
use super::failure::{Cause, Failure, Stage, seconds};
use super::mime::{Message, Outgoing};
use super::server_state::ServerState;
use super::settings::SmtpSettings;

/// Time after which an unused connection is closed. Servers wait five minutes (RFC 5321), some less.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Unused connections that are kept, unless a transport keeps more.
const DEFAULT_IDLE: usize = 4;

/// Messages after which a connection is closed, because many servers limit them.
const MAX_MESSAGES: u32 = 100;

/// Error: a message was not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SendError {
    /// Cause, for people. Contains no password, but can contain the recipient's address.
    pub problem: String,
    /// True if another attempt cannot succeed.
    pub is_final: bool,
}

impl From<Failure> for SendError {
    fn from(failure: Failure) -> Self {
        Self {
            problem: failure.to_string(),
            is_final: failure.is_final(),
        }
    }
}

/// Sends messages to one mail server. Clones share the connections.
#[derive(Clone, Debug)]
pub struct Transport {
    settings: Arc<SmtpSettings>,
    idle: Arc<Mutex<Vec<Idle>>>,
    max_idle: usize,
    state: Arc<ServerState>,
}

/// An unused connection.
#[derive(Debug)]
struct Idle {
    connection: Connection,
    since: Stopwatch,
}

impl Transport {
    /// Returns a transport. It connects with the first message.
    pub fn new(settings: &SmtpSettings) -> Self {
        Self {
            settings: Arc::new(settings.clone()),
            idle: Arc::default(),
            max_idle: DEFAULT_IDLE,
            state: Arc::default(),
        }
    }

    /// Keeps so many unused connections: for as many messages at a time.
    #[must_use]
    pub fn keeping(self, max_idle: usize) -> Self {
        Self { max_idle, ..self }
    }

    /// Sends a message to its recipient, at least once: if the connection breaks at the end, the server may have the
    /// message although this returns an error. Message-ID and content are the same in the next attempt.
    ///
    /// # Errors
    ///
    /// If the message is not sent, at the latest after [`Timeouts::attempt`](super::settings::Timeouts::attempt).
    pub async fn send(&self, outgoing: &Outgoing) -> Result<(), SendError> {
        let message =
            Message::build(&self.settings.sender, outgoing).map_err(|error| SendError {
                problem: error.to_string(),
                is_final: true,
            })?;
        let limit = self.settings.timeouts.attempt;
        match tokio::time::timeout(limit, self.deliver(&message)).await {
            Ok(result) => {
                self.state.record(result.as_ref().copied());
                result.map_err(SendError::from)
            }
            Err(_) => {
                self.state.record(Err(&Failure {
                    server: self.settings.server.to_string(),
                    stage: Stage::Content,
                    cause: Cause::Timeout(limit),
                }));
                Err(SendError {
                    problem: format!(
                        "the mail server {} did not take the message within {}",
                        self.settings.server,
                        seconds(limit)
                    ),
                    is_final: false,
                })
            }
        }
    }

    /// Closes unused connections.
    pub async fn close(&self) {
        while let Some(connection) = self.idle_connection() {
            connection.close().await;
        }
    }

    async fn deliver(&self, message: &Message) -> Result<(), Failure> {
        if let Some(mut connection) = self.idle_connection() {
            let sent = connection.send(message, &mut |_| {}).await;
            // The server may have closed a connection that nothing was sent over for a while.
            let is_stale = sent
                .as_ref()
                .is_err_and(|failure| failure.stage == Stage::Sender && failure.is_closed());
            if !is_stale {
                self.keep(connection, &sent).await;
                return sent;
            }
        }
        let mut connection = Connection::open(&self.settings, &mut |_| {}).await?;
        let sent = connection.send(message, &mut |_| {}).await;
        self.keep(connection, &sent).await;
        sent
    }

    /// Keeps a connection for other messages, if it can be used.
    async fn keep(&self, mut connection: Connection, sent: &Result<(), Failure>) {
        let is_ready = match sent {
            Ok(()) => true,
            Err(Failure {
                cause: Cause::Refused(421, _),
                ..
            }) => false,
            Err(Failure {
                cause: Cause::Refused(..) | Cause::Missing(_),
                ..
            }) => connection.reset().await,
            Err(_) => false,
        };
        if !is_ready {
            return;
        }
        if connection.messages < MAX_MESSAGES {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < self.max_idle {
                idle.push(Idle {
                    connection,
                    since: Stopwatch::now(),
                });
                return;
            }
        }
        // The message is sent already: it must not wait for the goodbye.
        tokio::spawn(connection.close());
    }

    /// The connection that was used last. Older ones than [`IDLE_TIMEOUT`] are dropped.
    fn idle_connection(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|idle| idle.since.elapsed() < IDLE_TIMEOUT);
        idle.pop().map(|idle| idle.connection)
    }
}
