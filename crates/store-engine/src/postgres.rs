//! PostgreSQL as the database.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Connection as _, PgConnection, PgPool};
use tokio::time::timeout;

use super::connection::{ACQUIRE_TIMEOUT, Db};
use super::open_error::OpenError;
use super::schema::{Migrations, Schema, SchemaState, schema};
use super::sql;

/// Oldest version of the server: 13.
const MIN_SERVER_VERSION: i64 = 130_000;

const NO_ANSWER: &str = "the database server does not answer: check the address, and that a PostgreSQL server listens there";

/// Connections of one replica. PostgreSQL allows 100 in all unless it is configured otherwise.
const CONNECTIONS: u32 = 16;

/// Write transactions of one replica at a time: the other connections are for reads, which do not wait for locks.
pub(crate) const WRITE_TRANSACTIONS: usize = 11;

/// Settings of each connection. A request waits for locks as long as for SQLite's writer, and longer than the server lets
/// a replica that hangs in a transaction keep them. The server notices within some seconds that the machine of a replica
/// is gone, whose sessions may hold locks; its own default is two hours. The rules rely on the isolation level: a
/// statement that waited for locks sees what was committed until then.
const SETTINGS: [(&str, &str); 8] = [
    ("default_transaction_isolation", "read committed"),
    ("lock_timeout", "20s"),
    ("statement_timeout", "60s"),
    ("idle_in_transaction_session_timeout", "10s"),
    ("tcp_keepalives_idle", "5"),
    ("tcp_keepalives_interval", "2"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "10000"),
];

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

/// Opens the connections of a replica. The caller has checked the schema.
pub(crate) async fn open(url: &str) -> Result<PgPool, OpenError> {
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options(url)?.options(SETTINGS))
        .await
        .map_err(|cause| connect_error(url, cause))?;
    Ok(pool)
}

/// Returns connections that are opened when they are needed, with another timeout for acquiring one. Their statements
/// end after the time that [`super::read_replica`] waits for them.
pub(crate) fn open_lazily(url: &str, acquire_timeout: Duration) -> Result<PgPool, OpenError> {
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(acquire_timeout)
        .connect_lazy_with(
            options(url)?
                .options(SETTINGS)
                .options([("statement_timeout", "5s")]),
        );
    Ok(pool)
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
