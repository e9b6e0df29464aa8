//! Gate between a replica and PostgreSQL: statements wait in it until the test lets them run.
//!
//! It reads the server's protocol and changes nothing of the service, so that the statements of drivers and pools are
//! seen too. Loom and turmoil, which replace threads or the network, could not run the database.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};

use crate::common::TestResponse;

/// A statement that waits for its permit.
#[derive(Debug)]
pub struct Statement {
    pub sql: String,
    /// Process of the server that runs it.
    pub backend: i32,
    permit: oneshot::Sender<()>,
}

impl Statement {
    /// Lets the statement run.
    pub fn run(self) {
        // The client may have closed the connection.
        let _ = self.permit.send(());
    }
}

/// Event at a replica.
pub enum Event {
    Arrived(Statement),
    /// The statement that was let through has its result.
    Done,
    /// A statement that needs no permit has its result.
    Unheld,
    Responded(Box<TestResponse>),
}

/// Treatment of the statements that exclude other writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locks {
    Kept,
    /// They read what they would have written, to see that the tests notice.
    Removed,
}

/// State of a gate that its connections share.
#[derive(Debug)]
struct Shared {
    server: PathBuf,
    events: mpsc::UnboundedSender<Event>,
    is_closed: AtomicBool,
    locks: Locks,
    weakened: AtomicUsize,
    /// Number of connections with an open transaction.
    transactions: AtomicUsize,
}

/// Gate of one replica.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Shared>);

impl Gate {
    /// Opens a gate in `directory` to the server of `url`. Returns the gate, the address for the replica, and events.
    pub fn open(
        directory: &Path,
        url: &str,
        locks: Locks,
    ) -> (Self, String, mpsc::UnboundedReceiver<Event>) {
        let options: PgConnectOptions = url.parse().unwrap();
        let socket = options.get_socket().expect("a server with a Unix socket");
        let port = options.get_port();
        let file = |directory: &Path| directory.join(format!(".s.PGSQL.{port}"));
        let listener = UnixListener::bind(file(directory)).unwrap();
        let (events, receiver) = mpsc::unbounded_channel();
        let gate = Self(Arc::new(Shared {
            server: file(socket),
            events,
            is_closed: AtomicBool::new(false),
            locks,
            weakened: AtomicUsize::new(0),
            transactions: AtomicUsize::new(0),
        }));
        let accepting = gate.0.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = accepting.clone();
                tokio::spawn(async move {
                    // Either side may close a connection.
                    let _ = Connection::serve(&shared, client).await;
                });
            }
        });
        let url = format!(
            "postgres://{}@localhost/{}?host={}&port={port}&sslmode=disable",
            options.get_username(),
            options.get_database().unwrap(),
            directory.display()
        );
        (gate, url, receiver)
    }

    /// Holds the statements from now on, or lets all pass.
    pub fn hold(&self, is_held: bool) {
        self.0.is_closed.store(is_held, Ordering::Relaxed);
    }

    /// Returns the number of statements that lost their lock.
    pub fn weakened(&self) -> usize {
        self.0.weakened.load(Ordering::Relaxed)
    }

    /// Returns true if no transaction is open.
    pub fn is_idle(&self) -> bool {
        self.0.transactions.load(Ordering::Relaxed) == 0
    }

    /// Reports the response of the replica.
    pub fn respond(&self, response: TestResponse) {
        let _ = self.0.events.send(Event::Responded(Box::new(response)));
    }
}

/// Returns the statement without its lock on other writers; none if it has no such lock.
///
/// Should the service lock otherwise, `weakened` stays 0 and the test without locks fails.
fn without_lock(sql: &str) -> Option<String> {
    let unlocked = sql
        .replace("pg_advisory_xact_lock_shared(", "no_lock(")
        .replace("pg_advisory_xact_lock(", "no_lock(")
        .replace("pg_try_advisory_xact_lock_shared(key)", "true")
        .replace("pg_try_advisory_xact_lock(key)", "true");
    (unlocked != sql).then_some(unlocked)
}

/// The function that [`without_lock`] calls.
pub const NO_LOCK: &str =
    "CREATE FUNCTION no_lock(key bigint) RETURNS text LANGUAGE sql AS $$ SELECT 'none' $$";

/// Returns true for a statement that cannot depend on another transaction, nor delay one.
fn needs_no_permit(sql: &str) -> bool {
    let starts = ["BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET "];
    sql.trim().is_empty() || starts.iter().any(|start| sql.starts_with(start))
}

/// One connection.
struct Connection<'a> {
    shared: &'a Shared,
    backend: i32,
    /// Texts of the prepared statements by name.
    prepared: HashMap<Vec<u8>, String>,
    is_in_transaction: bool,
    from_client: OwnedReadHalf,
    to_client: OwnedWriteHalf,
    from_server: OwnedReadHalf,
    to_server: OwnedWriteHalf,
}

/// A message without its length.
struct Message {
    kind: u8,
    body: Vec<u8>,
}

impl Message {
    async fn read(from: &mut OwnedReadHalf) -> io::Result<Self> {
        let kind = from.read_u8().await?;
        let length = from.read_u32().await? as usize;
        let mut body = vec![0; length - 4];
        from.read_exact(&mut body).await?;
        Ok(Self { kind, body })
    }

    fn write(&self, to: &mut Vec<u8>) {
        to.push(self.kind);
        to.extend((self.body.len() as u32 + 4).to_be_bytes());
        to.extend(&self.body);
    }

    /// Returns the zero-terminated texts at the beginning.
    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.body.split(|byte| *byte == 0)
    }
}

impl Connection<'_> {
    async fn serve(shared: &Shared, mut client: UnixStream) -> io::Result<()> {
        let mut server = UnixStream::connect(&shared.server).await?;
        // The first message has no kind.
        let length = client.read_u32().await?;
        let mut startup = vec![0; length as usize - 4];
        client.read_exact(&mut startup).await?;
        server.write_u32(length).await?;
        server.write_all(&startup).await?;
        let (from_client, to_client) = client.into_split();
        let (from_server, to_server) = server.into_split();
        let mut connection = Connection {
            shared,
            backend: 0,
            prepared: HashMap::new(),
            is_in_transaction: false,
            from_client,
            to_client,
            from_server,
            to_server,
        };
        connection.relay_response().await?;
        let ended = connection.relay_requests().await;
        connection.set_in_transaction(false);
        ended
    }

    async fn relay_requests(&mut self) -> io::Result<()> {
        loop {
            let mut bytes = Vec::new();
            let mut statement = None;
            let is_last = loop {
                let mut message = Message::read(&mut self.from_client).await?;
                let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
                match message.kind {
                    // Parse: name, text, types of parameters.
                    b'P' => {
                        let (name, sql) = {
                            let mut texts = message.texts();
                            let name = texts.next().unwrap().to_vec();
                            (name, text(texts.next().unwrap()))
                        };
                        if let Some(unlocked) = self.unlocked(&sql) {
                            let types = message.body[name.len() + sql.len() + 2..].to_vec();
                            message.body =
                                [&name, &b"\0"[..], unlocked.as_bytes(), b"\0", &types].concat();
                        }
                        self.prepared.insert(name, sql);
                    }
                    // Bind: portal, name of the statement.
                    b'B' => statement = self.prepared.get(message.texts().nth(1).unwrap()).cloned(),
                    b'Q' => {
                        let sql = text(message.texts().next().unwrap());
                        if let Some(unlocked) = self.unlocked(&sql) {
                            message.body = [unlocked.as_bytes(), b"\0"].concat();
                        }
                        statement = Some(sql);
                    }
                    _ => {}
                }
                message.write(&mut bytes);
                // Terminate; Sync or a simple query, which have a response.
                match message.kind {
                    b'X' => break true,
                    b'S' | b'Q' => break false,
                    _ => {}
                }
            };
            if is_last {
                return self.to_server.write_all(&bytes).await;
            }
            let is_held = match statement.filter(|sql| !needs_no_permit(sql)) {
                Some(sql) if self.shared.is_closed.load(Ordering::Relaxed) => {
                    let (permit, permitted) = oneshot::channel();
                    let backend = self.backend;
                    self.send(Event::Arrived(Statement {
                        sql,
                        backend,
                        permit,
                    }));
                    let _ = permitted.await;
                    true
                }
                _ => false,
            };
            self.to_server.write_all(&bytes).await?;
            let response = self.read_response().await?;
            // Before the client can send its next statement.
            self.send(if is_held { Event::Done } else { Event::Unheld });
            self.to_client.write_all(&response).await?;
        }
    }

    fn unlocked(&self, sql: &str) -> Option<String> {
        let is_weakening = self.shared.locks == Locks::Removed;
        let unlocked = is_weakening.then(|| without_lock(sql)).flatten()?;
        self.shared.weakened.fetch_add(1, Ordering::Relaxed);
        Some(unlocked)
    }

    fn send(&self, event: Event) {
        // The test may have ended.
        let _ = self.shared.events.send(event);
    }

    /// Reads up to the message that the server is ready for the next statement.
    async fn read_response(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let message = Message::read(&mut self.from_server).await?;
            message.write(&mut bytes);
            match message.kind {
                // Key data: the process.
                b'K' => self.backend = i32::from_be_bytes(message.body[..4].try_into().unwrap()),
                b'Z' => {
                    self.set_in_transaction(message.body[0] != b'I');
                    return Ok(bytes);
                }
                _ => {}
            }
        }
    }

    async fn relay_response(&mut self) -> io::Result<()> {
        let response = self.read_response().await?;
        self.to_client.write_all(&response).await
    }

    fn set_in_transaction(&mut self, is_in_transaction: bool) {
        match (self.is_in_transaction, is_in_transaction) {
            (false, true) => self.shared.transactions.fetch_add(1, Ordering::Relaxed),
            (true, false) => self.shared.transactions.fetch_sub(1, Ordering::Relaxed),
            _ => 0,
        };
        self.is_in_transaction = is_in_transaction;
    }
}
