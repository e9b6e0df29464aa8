//! Requests do not wait for a database server that is away.
//!
//! While connections are refused, sqlx tries again until the timeout for acquiring one, which is meant for a server that
//! is busy. A request that waits therefore looks now and then whether the server can be reached at all.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::error::Error as EngineError;
use crate::postgres::Pool;

/// Time after which a request that waits looks for the server, and for which the result is shared.
const INTERVAL: Duration = Duration::from_millis(500);

/// Timeout of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Addresses of a server and of a pooler in front of it, with the result of the last attempt to reach them. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Reachability {
    addresses: Arc<[PgConnectOptions]>,
    last: Arc<Mutex<Option<Attempt>>>,
}

/// An attempt to reach the server.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    at: Instant,
    error: Option<ErrorKind>,
}

impl Reachability {
    pub(crate) fn new(pool: &Pool) -> Self {
        let mut addresses = vec![pool.session_options().clone()];
        if pool.is_pooler() {
            addresses.push(pool.connections().connect_options().as_ref().clone());
        }
        Self {
            addresses: addresses.into(),
            last: Arc::default(),
        }
    }

    /// Waits for `connection`, unless the server cannot be reached.
    pub(crate) async fn wait_for<T>(
        &self,
        connection: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        let mut connection = pin!(connection);
        loop {
            if let Ok(result) = timeout(INTERVAL, &mut connection).await {
                return result;
            }
            if let Some(kind) = self.check().await {
                return Err(sqlx::Error::Io(Error::new(kind, "the server is away")));
            }
        }
    }

    /// Returns the error of a new connection. One request connects at a time.
    async fn check(&self) -> Option<ErrorKind> {
        let mut last = self.last.lock().await;
        if let Some(attempt) = *last
            && attempt.at.elapsed() < INTERVAL
        {
            return attempt.error;
        }
        let connect_all = async {
            for address in self.addresses.iter() {
                connect(address).await?;
            }
            Ok::<_, Error>(())
        };
        let error = match timeout(CONNECT_TIMEOUT, connect_all).await {
            Ok(result) => result.err().map(|error| error.kind()),
            Err(_) => Some(ErrorKind::TimedOut),
        };
        let at = Instant::now();
        *last = Some(Attempt { at, error });
        error
    }
}

/// Waits for work on a server at most for `limit`: if its machine is gone, no answer will come.
pub(crate) async fn answer_within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, EngineError>>,
) -> Result<T, EngineError> {
    timeout(limit, work).await.unwrap_or_else(|_| {
        let cause = "the database does not answer".to_owned();
        Err(EngineError::Unavailable(cause))
    })
}

/// Connects, and says nothing.
async fn connect(options: &PgConnectOptions) -> Result<(), Error> {
    let (host, port) = (options.get_host(), options.get_port());
    let folder = match options.get_socket() {
        Some(folder) => Some(folder.as_path()),
        None => host.starts_with('/').then(|| Path::new(host)),
    };
    match folder {
        Some(folder) => connect_local(folder.join(format!(".s.PGSQL.{port}"))).await,
        None => TcpStream::connect((host, port)).await.map(drop),
    }
}

#[cfg(unix)]
async fn connect_local(socket: PathBuf) -> Result<(), Error> {
    tokio::net::UnixStream::connect(socket).await.map(drop)
}

#[cfg(not(unix))]
async fn connect_local(_socket: PathBuf) -> Result<(), Error> {
    Err(ErrorKind::Unsupported.into())
}
