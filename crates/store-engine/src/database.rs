//! The open database: with SQLite a pool of connections for reads and one connection for writes, with PostgreSQL a
//! pool for both, and one to its read replica.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, SqlitePool};
use tokio::sync::Notify;

use crate::clock_check::ClockCheck;
use crate::connection::{ACQUIRE_TIMEOUT, BoxFuture, Connection, Db, Reader, Transaction};
use crate::error::{Error, Result};
use crate::locks::Locks;
use crate::open_error::OpenError;
use crate::postgres::{self, Pool, PostgresOptions};
use crate::queue::Queues;
use crate::reachability::Reachability;
use crate::read_replica::{ReadReplica, ReplicaProblem};
use crate::replicas::ReplicaWatch;
use crate::schema::{self, Migrations, Schema, SchemaState};
use crate::schema_watch::SchemaWatch;
use crate::sql;
use crate::write_metrics::WriteMetrics;
use crate::write_notifications::{self, WriteListener};
use crate::writer::{PostgresWriter, SqliteWriter, Writer};

/// Name of the database file inside the data directory.
pub const FILE_NAME: &str = "service.sqlite3";

/// Size in bytes to which SQLite truncates the write-ahead log: some seconds of writes.
const WAL_SIZE_LIMIT: u64 = 16 * 1024 * 1024;

/// Connections for reading. There is one for writing.
pub const READ_CONNECTIONS: u32 = 8;

/// Time that a statement waits for another process that locks the database.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The open database. Clones share it.
#[derive(Clone, Debug)]
pub struct Store {
    pools: Pools,
    writer: Writer,
    queues: Queues,
    directory: Arc<PathBuf>,
    /// Notified after writes.
    writes: Arc<Notify>,
    /// Unused with SQLite, which has no other clock.
    clock: ClockCheck,
    schema: SchemaWatch,
    replicas: ReplicaWatch,
    read_replica: Option<ReadReplica>,
}

#[derive(Clone, Debug)]
enum Pools {
    Sqlite {
        readers: SqlitePool,
        writer: SqliteWriter,
    },
    Postgres(Pool, Reachability),
}

/// Options of every connection that may write.
pub fn connect_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        // Only effective for a new database: it can release free pages.
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Wal)
        .pragma("journal_size_limit", WAL_SIZE_LIMIT.to_string())
        // Writes that had a 2xx response survive a power failure.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .optimize_on_close(true, None)
        // Formatting unread log messages costs some microseconds per statement.
        .disable_statement_logging()
}

/// Returns the schema state of the database in `directory`, which may not have a database yet.
pub async fn schema(directory: &Path, migrations: Migrations) -> Result<Schema, sqlx::Error> {
    let file = directory.join(FILE_NAME);
    if file.metadata().is_ok_and(|file| file.len() == 0) || !file.exists() {
        return Ok(Schema {
            state: SchemaState::Empty,
            known: migrations.newest(),
        });
    }
    // Not `connect_options`: this must not change the database.
    let mut db = SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(BUSY_TIMEOUT)
        .connect()
        .await
        .map(Db::from)?;
    let schema = schema::schema(&mut db, migrations).await;
    db.close().await?;
    schema
}

impl Store {
    /// Opens the database in `directory`, which must exist, and runs the migrations.
    pub async fn open(directory: &Path, migrations: Migrations) -> Result<Self, OpenError> {
        let options = connect_options(&directory.join(FILE_NAME)).create_if_missing(true);
        let migration_options = options
            .clone()
            .foreign_keys(false)
            .optimize_on_close(false, None);
        let mut db = migration_options.connect().await.map(Db::from)?;
        let mut schema = schema::schema(&mut db, migrations).await?;
        match schema.state {
            _ if schema.is_usable() => {}
            SchemaState::Empty | SchemaState::Older { .. } => {
                migrate(&mut db, migrations).await?;
                schema.state = SchemaState::Current;
            }
            _ => return Err(OpenError::Schema(schema)),
        }
        let store = Self::connect(directory, options, migrations).await?;
        store.schema.record(schema);
        db.close().await?;
        Ok(store)
    }

    /// Connects to a PostgreSQL database and runs the migrations. `directory` has what is no data, such as keys.
    pub async fn open_postgres(
        database: &PostgresOptions,
        directory: &Path,
        migrations: Migrations,
    ) -> Result<Self, OpenError> {
        let schema = postgres::migrate_postgres(database.session_url(), migrations).await?;
        let store = Self::connect_postgres(database, directory, migrations).await?;
        store.schema.record(schema);
        Ok(store)
    }

    /// Connects to the PostgreSQL database of `url` without migrations; rejects versions that this program may not use.
    pub async fn open_usable_postgres(
        url: &str,
        migrations: Migrations,
    ) -> Result<Self, OpenError> {
        postgres::connect_usable(url, migrations).await?;
        Self::connect_postgres(&url.into(), Path::new(""), migrations).await
    }

    async fn connect_postgres(
        database: &PostgresOptions,
        directory: &Path,
        migrations: Migrations,
    ) -> Result<Self, OpenError> {
        let pool = Pool::open(database).await?;
        let writes = Arc::new(Notify::new());
        let clock = ClockCheck::default();
        let reachability = Reachability::new(&pool);
        let writer = PostgresWriter::new(
            pool.clone(),
            writes.clone(),
            clock.clone(),
            reachability.clone(),
            WriteMetrics::new()?,
        );
        let mut store = Self::new(
            Pools::Postgres(pool, reachability),
            Writer::Postgres(writer),
            directory,
            writes,
            migrations,
        );
        store.clock = clock;
        Ok(store)
    }

    fn new(
        pools: Pools,
        writer: Writer,
        directory: &Path,
        writes: Arc<Notify>,
        migrations: Migrations,
    ) -> Self {
        Self {
            pools,
            queues: Queues::start(&writer),
            writer,
            directory: Arc::new(directory.to_owned()),
            writes,
            clock: ClockCheck::default(),
            schema: SchemaWatch::new(migrations.newest()),
            replicas: ReplicaWatch::default(),
            read_replica: None,
        }
    }

    /// Adds a streaming replica of the PostgreSQL server, for [`Self::read_with_lag`]. It may be unreachable.
    pub async fn add_read_replica(&mut self, url: &str) -> Result<(), OpenError> {
        if let Pools::Postgres(primary, _) = &self.pools {
            self.read_replica = Some(ReadReplica::open(url, primary).await?);
        }
        Ok(())
    }

    /// Returns the time by which the read replica is behind at most, or the reason why it is not used; none without
    /// one.
    pub fn read_replica_lag(&self) -> Option<Result<Duration, ReplicaProblem>> {
        self.read_replica.as_ref().map(ReadReplica::lag)
    }

    /// Opens the database in `directory` without migrations; rejects versions that this program may not use.
    pub async fn open_usable(directory: &Path, migrations: Migrations) -> Result<Self, OpenError> {
        match schema(directory, migrations).await? {
            schema if schema.is_usable() => {}
            other => return Err(OpenError::Schema(other)),
        }
        let options = connect_options(&directory.join(FILE_NAME));
        Ok(Self::connect(directory, options, migrations).await?)
    }

    async fn connect(
        directory: &Path,
        options: SqliteConnectOptions,
        migrations: Migrations,
    ) -> Result<Self, sqlx::Error> {
        let writes = Arc::new(Notify::new());
        let write_notify = writes.clone();
        let version = Arc::new(AtomicU64::new(0));
        let next_version = version.clone();
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .after_release(move |_, _| {
                next_version.fetch_add(1, Ordering::SeqCst);
                write_notify.notify_one();
                Box::pin(async { Ok(true) })
            })
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(options.clone())
            .await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READ_CONNECTIONS)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            // A file has no lost connections; a test would be one more statement per request.
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        let writer = SqliteWriter::new(writer, version, WriteMetrics::new()?);
        Ok(Self::new(
            Pools::Sqlite {
                readers,
                writer: writer.clone(),
            },
            Writer::Sqlite(writer),
            directory,
            writes,
            migrations,
        ))
    }

    /// Returns the metrics of write transactions.
    pub fn write_metrics(&self) -> &WriteMetrics {
        self.writer.metrics()
    }

    /// Returns the connections to PostgreSQL.
    pub(crate) fn postgres(&self) -> Option<&Pool> {
        match &self.pools {
            Pools::Sqlite { .. } => None,
            Pools::Postgres(pool, _) => Some(pool),
        }
    }

    /// Returns the most connections to PostgreSQL.
    pub fn max_connections(&self) -> Option<u32> {
        self.postgres().map(Pool::max_connections)
    }

    /// Returns true if the database is a file of this process.
    pub fn is_sqlite(&self) -> bool {
        self.postgres().is_none()
    }

    /// Acquires a connection for reads.
    pub async fn read(&self) -> Result<Reader> {
        Ok(match &self.pools {
            Pools::Sqlite { readers, .. } => readers.acquire().await?.into(),
            Pools::Postgres(pool, reachability) => reachability.wait_for(pool.read()).await?,
        })
    }

    /// Runs `work` for a list or for slots, with the read replica if there is one in use. What it returns may be
    /// [`MAX_LAG`](crate::read_replica::MAX_LAG) old. If `work` fails there for any reason, such as a row that has not arrived
    /// yet, it runs again with the primary server.
    ///
    /// All statements of `work` use one connection, so that they see the same server, and later ones no older state.
    pub async fn read_with_lag<T, E, F>(&self, work: impl Fn(Reader) -> F) -> Result<T, E>
    where
        E: From<Error>,
        F: Future<Output = Result<T, E>>,
    {
        if let Some(replica) = &self.read_replica
            && let Some(result) = replica.read(&work).await
        {
            return Ok(result);
        }
        work(self.read().await?).await
    }

    /// Begins a transaction with locks that cover what it reads for its rules and what it writes: these rows do not
    /// change until it commits. Fails while this machine's clock differs from the database server's, and after a newer
    /// version has excluded this one.
    pub async fn begin(&self, locks: &Locks) -> Result<Transaction> {
        self.schema.check()?;
        self.writer.begin(locks).await
    }

    /// Begins a transaction as [`Self::begin`], whatever the clock and the schema are.
    pub async fn begin_with_any_clock(&self, locks: &Locks) -> Result<Transaction> {
        self.writer.begin_with_any_clock(locks).await
    }

    /// Begins a transaction for a health check.
    pub async fn begin_probe(&self) -> Result<Transaction> {
        self.writer.begin_probe().await
    }

    /// Stores what a health check has found.
    pub fn record_schema(&self, schema: Schema) {
        self.schema.record(schema);
    }

    /// Returns what is known about the schema.
    pub(crate) fn schema_watch(&self) -> &SchemaWatch {
        &self.schema
    }

    /// Returns what is known about the other replicas.
    pub fn replica_watch(&self) -> &ReplicaWatch {
        &self.replicas
    }

    /// Returns the clock's comparison with the database server's.
    pub(crate) fn clock(&self) -> &ClockCheck {
        &self.clock
    }

    /// Returns the milliseconds by which this machine's clock was ahead of the database server's at the last write, if
    /// they are too many.
    pub fn clock_difference(&self) -> Option<i64> {
        self.clock.difference()
    }

    /// Replaces the write connection before its next use. To be called after a write failed for an
    /// external reason: a connection that was opened while the file was read-only stays unable to
    /// write.
    pub fn invalidate_writer(&self) {
        if let Pools::Sqlite { writer, .. } = &self.pools {
            writer.invalidate();
        }
    }

    /// Waits until there may have been a write since the last call: of this process, or of another replica while this
    /// one leads. There is one listener: the webhook worker.
    pub async fn wait_for_write(&self) {
        self.writes.notified().await;
    }

    /// Notifies the replica that leads of the writes of this one.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached. The leader finds the writes by polling then.
    pub async fn notify_leader(&self) -> Result<()> {
        if let Pools::Postgres(pool, _) = &self.pools {
            write_notifications::notify(pool).await?;
        }
        Ok(())
    }

    /// Starts to listen for the writes of other replicas.
    pub(crate) fn listen_for_writes(&self) -> Option<WriteListener> {
        let pool = self.postgres()?;
        Some(WriteListener::start(pool, self.writes.clone()))
    }

    /// Returns a version that changes with every write of this process; none while a write may be
    /// running, and none if other processes may write. Data that was read between two equal versions is current.
    pub fn write_version(&self) -> Option<u64> {
        match &self.pools {
            Pools::Sqlite { writer, .. } => writer.version(),
            Pools::Postgres(..) => None,
        }
    }

    /// Returns the data directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns name, number of connections and number of idle connections of each pool.
    pub fn pools(&self) -> Vec<(&'static str, u32, usize)> {
        match &self.pools {
            Pools::Sqlite { readers, writer } => {
                let writer = writer.pool();
                vec![
                    ("read", readers.size(), readers.num_idle()),
                    ("write", writer.size(), writer.num_idle()),
                ]
            }
            Pools::Postgres(pool, _) => {
                let pool = pool.connections();
                let mut pools = vec![("postgres", pool.size(), pool.num_idle())];
                if let Some(replica) = &self.read_replica {
                    let pool = replica.connections();
                    pools.push(("replica", pool.size(), pool.num_idle()));
                }
                pools
            }
        }
    }

    /// Runs `work` in a transaction and commits it; rolls it back if it fails. The locks cover what it reads for its rules
    /// and what it writes.
    ///
    /// Queued jobs share one commit, because syncing to disk takes longer than the statements. Each
    /// job is still atomic, and its future only resolves after the commit. A job is dropped if its
    /// future is dropped before it starts; a started job is finished.
    pub async fn write<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        locks: Locks,
        work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T, E>> + Send + 'static,
    ) -> Result<T, E> {
        self.schema.check()?;
        self.queues.run(locks, work).await
    }

    /// Waits for the connections to be released and closes them.
    pub async fn close(&self) {
        match &self.pools {
            Pools::Sqlite { readers, writer } => {
                readers.close().await;
                writer.pool().close().await;
            }
            Pools::Postgres(pool, _) => {
                if let Some(replica) = &self.read_replica {
                    replica.connections().close().await;
                }
                pool.connections().close().await;
            }
        }
    }
}

/// Creates a database in memory, without rows other than those of the migrations.
pub async fn in_memory(migrations: Migrations) -> Result<Db, OpenError> {
    let options = SqliteConnectOptions::new()
        .in_memory(true)
        .foreign_keys(false);
    let mut db = options.connect().await.map(Db::from)?;
    migrate(&mut db, migrations).await?;
    Ok(db)
}

/// Runs the migrations.
///
/// Tables are recreated where SQLite cannot alter them, so the migrations run without foreign keys:
/// dropping a table would otherwise empty the tables that refer to it. Foreign keys are checked
/// afterwards.
pub async fn migrate(db: &mut Db, migrations: Migrations) -> Result<(), OpenError> {
    if let Connection::Sqlite(db) = db.connection() {
        migrations.sqlite.run(db).await?;
    }
    let dangling: Option<(String, Option<i64>, String)> =
        sql::query_as("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 1")
            .fetch_optional(db)
            .await?;
    match dangling {
        None => Ok(()),
        Some((table, row, parent)) => Err(OpenError::Dangling {
            table,
            row: row.unwrap_or_default(),
            parent,
        }),
    }
}
