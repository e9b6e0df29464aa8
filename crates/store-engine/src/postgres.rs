//! PostgreSQL as the database.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection as _, FromRow, PgConnection, PgPool};
use tokio::time::timeout;

use super::connection::{ACQUIRE_TIMEOUT, Db, Reader};
use super::open_error::OpenError;
use super::schema::{Migrations, Schema, SchemaState, schema};
use super::sql;

/// Oldest version of the server: 13.
const MIN_SERVER_VERSION: i64 = 130_000;

const NO_ANSWER: &str = "the database server does not answer: check the address, and that a PostgreSQL server listens there";

/// Connections of one replica, by default. PostgreSQL allows 100 in all unless it is configured otherwise.
pub const DEFAULT_CONNECTIONS: u32 = 16;

/// Timeout of statements. One that waits for locks ends earlier: see [`timeouts`].
const STATEMENT_TIMEOUT: &str = "60s";

/// Timeout of the statements of the read replica, for which [`super::read_replica`] waits no longer.
const READ_REPLICA_STATEMENT_TIMEOUT: &str = "5s";

/// Settings of each session, beside the timeouts. The server notices within some seconds that the machine of a replica is
/// gone, whose sessions may hold locks; its own default is two hours. The rules rely on the isolation level: a statement
/// that waited for locks sees what was committed until then.
const SETTINGS: [(&str, &str); 5] = [
    ("default_transaction_isolation", "read committed"),
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10000"),
];

/// Connections to a PostgreSQL database.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// Address of the server, or of a pooler if there is a direct address.
    pub url: String,
    /// Address of the server itself, if the other one is that of a pooler, which may share sessions between transactions.
    pub direct_url: Option<String>,
    /// Maximum number of connections, beside those for leadership and notifications.
    pub connections: u32,
}

impl From<&str> for PostgresOptions {
    fn from(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            direct_url: None,
            connections: DEFAULT_CONNECTIONS,
        }
    }
}

impl From<&String> for PostgresOptions {
    fn from(url: &String) -> Self {
        Self::from(url.as_str())
    }
}

impl PostgresOptions {
    /// Address for what needs a session: migrations, leadership and notifications.
    pub(crate) fn session_url(&self) -> &str {
        self.direct_url.as_deref().unwrap_or(&self.url)
    }
}

/// Returns true if `url` has the scheme of an address of PostgreSQL.
pub fn is_postgres_url(url: &str) -> bool {
    ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}

/// Server and database of an address, without user and password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresName {
    server: String,
    database: String,
}

impl PostgresName {
    /// Returns the names in an address.
    ///
    /// # Errors
    ///
    /// If the address cannot be used.
    pub fn of(url: &str) -> Result<Self, OpenError> {
        let options = options(url)?;
        let server = match options.get_socket() {
            Some(socket) => format!("{}:{}", socket.display(), options.get_port()),
            None if options.get_host().contains(':') => {
                format!("[{}]:{}", options.get_host(), options.get_port())
            }
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        // The server's own default.
        let database = options.get_database().unwrap_or(options.get_username());
        Ok(Self {
            server,
            database: database.to_owned(),
        })
    }
}

impl fmt::Display for PostgresName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.database)
    }
}

fn options(url: &str) -> Result<PgConnectOptions, OpenError> {
    if !is_postgres_url(url) {
        return Err(OpenError::Address);
    }
    if has_misplaced_password(url) {
        return Err(OpenError::Url);
    }
    // The cause may quote a part of the password.
    let options = PgConnectOptions::from_str(url).map_err(|_| OpenError::Url)?;
    // sqlx connects to an IPv6 address only without the brackets of URLs.
    let host = options.get_host().trim_matches(['[', ']']).to_owned();
    Ok(options
        .host(&host)
        .application_name("booking-service")
        .disable_statement_logging())
}

/// Returns true if a `/`, `?` or `#` in the password ends the part of the address with the host: the start of the password
/// would count as host and port.
fn has_misplaced_password(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let tail = rest.find(['/', '?', '#']).map_or("", |end| &rest[end..]);
    let path = match tail.strip_prefix('/') {
        // Values of the query can have an `@`.
        Some(path) => path.split('?').next().unwrap_or_default(),
        None => tail,
    };
    path.contains('@')
}

/// Connections of a replica to a server, directly or through a pooler. Clones share them.
///
/// A pooler that shares sessions between transactions keeps neither settings nor prepared statements. Through it, a read is
/// a transaction, too, which begins with its settings, and statements are not kept: sqlx prepares and runs a statement in two
/// steps, which need the same session.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pool: PgPool,
    /// For connections with a session.
    session: Arc<PgConnectOptions>,
    /// Statements that begin a transaction through a pooler.
    begin: Option<Begin>,
}

#[derive(Clone, Debug)]
struct Begin {
    read: Arc<str>,
    write: Arc<str>,
}

impl Pool {
    /// Opens the connections. The caller has checked the schema.
    pub(crate) async fn open(database: &PostgresOptions) -> Result<Self, OpenError> {
        let pool = Self::new(database, STATEMENT_TIMEOUT, ACQUIRE_TIMEOUT)?;
        let first = pool.pool.acquire().await;
        let mut first = first.map_err(|cause| connect_error(&database.url, cause))?;
        if database.direct_url.is_some() {
            let mut direct = connect_within(database.session_url()).await?;
            if identity(&mut first).await? != identity(&mut direct).await? {
                return Err(OpenError::OtherDirectDatabase);
            }
            direct.close().await?;
        }
        Ok(pool)
    }

    /// Returns connections to a read replica, which are opened when they are needed.
    pub(crate) fn of_read_replica(
        url: &str,
        primary: &Self,
        acquire_timeout: Duration,
    ) -> Result<Self, OpenError> {
        let database = PostgresOptions {
            url: url.to_owned(),
            direct_url: primary.is_pooler().then(|| url.to_owned()),
            connections: primary.max_connections(),
        };
        Self::new(&database, READ_REPLICA_STATEMENT_TIMEOUT, acquire_timeout)
    }

    fn new(
        database: &PostgresOptions,
        statement_timeout: &'static str,
        acquire_timeout: Duration,
    ) -> Result<Self, OpenError> {
        let timeouts = timeouts(statement_timeout);
        let session = options(database.session_url())?.options(SETTINGS);
        let session = session.options(timeouts);
        let pool_options = match database.direct_url {
            None => session.clone(),
            // PgBouncer refuses these parameters.
            Some(_) => options(&database.url)?.extra_float_digits(None),
        };
        let begin = |access: &str| {
            let mut text = format!("BEGIN ISOLATION LEVEL READ COMMITTED {access}");
            for (name, value) in timeouts {
                text.push_str(&format!("; SET LOCAL {name} = '{value}'"));
            }
            text.into()
        };
        let pool = PgPoolOptions::new()
            .max_connections(database.connections)
            .acquire_timeout(acquire_timeout)
            .connect_lazy_with(pool_options);
        Ok(Self {
            pool,
            session: session.into(),
            begin: database.direct_url.is_some().then(|| Begin {
                read: begin("READ ONLY"),
                write: begin("READ WRITE"),
            }),
        })
    }

    /// Acquires a connection for reads.
    pub(crate) async fn read(&self) -> Result<Reader, sqlx::Error> {
        Ok(match &self.begin {
            None => self.pool.acquire().await?.into(),
            Some(begin) => {
                let begun = self.pool.begin_with(AssertSqlSafe(begin.read.clone()));
                Reader::through_pooler(begun.await?)
            }
        })
    }

    /// Begins a transaction.
    pub(crate) async fn begin(&self) -> Result<Db, sqlx::Error> {
        Ok(match &self.begin {
            None => self.pool.begin().await?.into(),
            Some(begin) => {
                let begun = self.pool.begin_with(AssertSqlSafe(begin.write.clone()));
                Db::through_pooler(begun.await?)
            }
        })
    }

    /// Returns the options of a connection with a session.
    pub(crate) fn session_options(&self) -> &PgConnectOptions {
        &self.session
    }

    /// Returns true if a pooler may share sessions between transactions.
    pub(crate) fn is_pooler(&self) -> bool {
        self.begin.is_some()
    }

    pub(crate) fn max_connections(&self) -> u32 {
        self.pool.options().get_max_connections()
    }

    /// Returns the number of write transactions at a time: the other connections are for reads, which do not wait for
    /// locks.
    pub(crate) fn write_transactions(&self) -> usize {
        let connections = self.max_connections();
        usize::try_from(connections - connections / 3).unwrap_or(1)
    }

    /// Returns the driver's pool.
    pub(crate) fn connections(&self) -> &PgPool {
        &self.pool
    }
}

/// Returns identifier of the server and id of the database.
async fn identity(db: &mut PgConnection) -> Result<(i64, i64), sqlx::Error> {
    let row = sqlx::raw_sql(
        "SELECT system_identifier, (SELECT CAST(oid AS BIGINT) FROM pg_database WHERE datname = current_database())
         FROM pg_control_system()",
    )
    .fetch_one(db)
    .await?;
    FromRow::from_row(&row)
}

/// Timeouts of each transaction. A request waits for locks as long as for SQLite's writer, and longer than the server lets
/// a replica that hangs in a transaction keep them.
fn timeouts(statement_timeout: &'static str) -> [(&'static str, &'static str); 3] {
    [
        ("lock_timeout", "20s"),
        ("statement_timeout", statement_timeout),
        ("idle_in_transaction_session_timeout", "10s"),
    ]
}

fn connect_error(url: &str, cause: sqlx::Error) -> OpenError {
    match PostgresName::of(url) {
        Ok(name) => OpenError::Connect {
            server: name.to_string(),
            cause,
        },
        Err(error) => error,
    }
}

/// Opens one connection, to a database with any schema.
pub async fn connect(url: &str) -> Result<Db, OpenError> {
    let mut db = Db::from(connect_within(url).await?);
    let version: i64 = sql::query_scalar("SELECT current_setting('server_version_num')::bigint")
        .fetch_one(&mut db)
        .await?;
    if version < MIN_SERVER_VERSION {
        return Err(OpenError::OldServer(version / 10_000));
    }
    Ok(db)
}

/// Connects in [`ACQUIRE_TIMEOUT`], as pools do: a server that never answers would otherwise be waited for without end.
async fn connect_within(url: &str) -> Result<PgConnection, OpenError> {
    let connected = match timeout(ACQUIRE_TIMEOUT, options(url)?.connect()).await {
        Ok(connected) => connected,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, NO_ANSWER).into()),
    };
    connected.map_err(|cause| connect_error(url, cause))
}

/// Opens one connection to a database whose schema this program may use.
pub async fn connect_usable(url: &str, migrations: Migrations) -> Result<Db, OpenError> {
    let mut db = connect(url).await?;
    match schema(&mut db, migrations).await? {
        schema if schema.is_usable() => Ok(db),
        other => Err(OpenError::Schema(other)),
    }
}

/// Returns the state of the schema.
pub async fn postgres_schema(url: &str, migrations: Migrations) -> Result<Schema, OpenError> {
    Ok(schema(&mut connect(url).await?, migrations).await?)
}

/// Runs the migrations that have not run yet, and returns the state of the schema, which this program may use. One
/// process migrates at a time; others wait for it.
pub async fn migrate_postgres(url: &str, migrations: Migrations) -> Result<Schema, OpenError> {
    let schema = postgres_schema(url, migrations).await?;
    match schema.state {
        _ if schema.is_usable() => return Ok(schema),
        SchemaState::Empty | SchemaState::Older { .. } => {}
        _ => return Err(OpenError::Schema(schema)),
    }
    let mut connection = connect_within(url).await?;
    let migrated = migrations.postgres.run(&mut connection).await;
    connection.close().await?;
    match migrated {
        // A newer version has migrated while this one waited.
        Err(MigrateError::VersionMissing(_)) => match postgres_schema(url, migrations).await? {
            schema if schema.is_usable() => Ok(schema),
            other => Err(OpenError::Schema(other)),
        },
        migrated => {
            migrated?;
            Ok(Schema {
                state: SchemaState::Current,
                ..schema
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_has_server_and_database_only() {
        for (url, expected) in [
            ("postgres://db.example/booking", "db.example:5432/booking"),
            (
                "postgresql://u:secret@db.example:6432/booking?sslmode=require",
                "db.example:6432/booking",
            ),
            (
                "postgres://u@[2001:db8::5]:6432/booking",
                "[2001:db8::5]:6432/booking",
            ),
            (
                "postgres://u:p%40%2F@db.example/booking",
                "db.example:5432/booking",
            ),
            (
                "postgres://u@localhost/booking?host=/run/postgresql",
                "/run/postgresql:5432/booking",
            ),
        ] {
            assert_eq!(
                PostgresName::of(url).unwrap().to_string(),
                expected,
                "{url}"
            );
        }
    }

    #[test]
    fn ipv6_address_has_no_brackets_for_the_connection() {
        let options = options("postgres://u@[2001:db8::5]/booking").unwrap();
        assert_eq!(options.get_host(), "2001:db8::5");
    }

    #[test]
    fn password_with_characters_of_urls_is_rejected_with_a_hint() {
        for url in [
            "postgres://u:12/secret@db.example/booking",
            "postgres://u:12?secret@db.example/booking",
            "postgres://u:12#secret@db.example/booking",
            "postgres://u:a@b/secret@db.example/booking",
            "postgres://u:secret/x@db.example/booking",
            "postgres://u:secret@db.example:port/booking",
        ] {
            let error = PostgresName::of(url).unwrap_err().to_string();
            assert!(error.contains("%40 for @"), "{url}: {error}");
            assert!(
                !error.contains("secret") && !error.contains("12"),
                "{error}"
            );
        }
    }
}
