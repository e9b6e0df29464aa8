//! The open database: one pool of readers, one connection for writers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection, Sqlite, SqliteConnection, SqlitePool, Transaction};
use tokio::sync::Notify;

use crate::error::Result;
use crate::store::connection::{BoxFuture, Db, MIGRATIONS};
use crate::store::queue::Queue;
use crate::store::upkeep::{self, Schema};
use crate::store::writer::Writer;

/// Name of the database file inside the data directory.
pub const FILE_NAME: &str = "service.sqlite3";

/// Bytes that an emptied write-ahead log keeps on the disk: some seconds of writing.
const KEPT_LOG: &str = "16777216";

/// How long a request waits for a connection. Less than it has for its answer, so that it is told
/// to come back and nothing is left in doubt.
const ACQUIRE: Duration = Duration::from_secs(20);

/// The open database. Clones share it.
#[derive(Clone, Debug)]
pub struct Store {
    readers: SqlitePool,
    writer: Writer,
    queue: Queue,
    directory: Arc<PathBuf>,
    /// Told whenever the writing connection was used.
    writes: Arc<Notify>,
}

/// Reasons for which a database is not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// A migration failed.
    #[error(transparent)]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The database is another program's, or another version's.
    #[error("{0}")]
    Schema(Schema),
    /// Something refers to a row that does not exist.
    #[error(
        "row {row} of {table} refers to a row of {parent} that is not there: see `service check`"
    )]
    Dangling {
        /// Table of the row that refers.
        table: String,
        /// Its row id.
        row: i64,
        /// Table of the row that is missing.
        parent: String,
    },
}

/// Settings of every connection that may write.
pub(super) fn connect_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        // Effective for a new database only, which gives its free pages back.
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Wal)
        .pragma("journal_size_limit", KEPT_LOG)
        // What was answered with 2xx survives a power cut.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .optimize_on_close(true, None)
        // Wording what nobody reads costs every statement some microseconds.
        .disable_statement_logging()
}

/// State of the schema of the database in `directory`, which may have none yet.
pub async fn schema(directory: &Path) -> Result<Schema, sqlx::Error> {
    let file = directory.join(FILE_NAME);
    if file.metadata().is_ok_and(|file| file.len() == 0) || !file.exists() {
        return Ok(Schema::Empty);
    }
    // Not `connect_options`: asking changes nothing.
    let mut db = SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(Duration::from_secs(5))
        .connect()
        .await?;
    let schema = upkeep::schema(&mut db).await;
    db.close().await?;
    schema
}

impl Store {
    /// Opens the database in `directory`, which must exist, and brings it up to date.
    pub async fn open(directory: &Path) -> Result<Self, OpenError> {
        let options = connect_options(&directory.join(FILE_NAME)).create_if_missing(true);
        let migrating = options
            .clone()
            .foreign_keys(false)
            .optimize_on_close(false, None);
        let mut db = migrating.connect().await?;
        match upkeep::schema(&mut db).await? {
            Schema::Current => {}
            Schema::Empty | Schema::Older { .. } => migrate(&mut db).await?,
            other => return Err(OpenError::Schema(other)),
        }
        let store = Self::connect(directory, options).await?;
        db.close().await?;
        Ok(store)
    }

    /// Opens the database in `directory` as it is: one of another version is refused.
    pub async fn open_current(directory: &Path) -> Result<Self, OpenError> {
        match schema(directory).await? {
            Schema::Current => {}
            other => return Err(OpenError::Schema(other)),
        }
        let options = connect_options(&directory.join(FILE_NAME));
        Ok(Self::connect(directory, options).await?)
    }

    async fn connect(directory: &Path, options: SqliteConnectOptions) -> Result<Self, sqlx::Error> {
        let writes = Arc::new(Notify::new());
        let told = writes.clone();
        let state = Arc::new(AtomicU64::new(0));
        let next = state.clone();
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .after_release(move |_, _| {
                next.fetch_add(1, Ordering::SeqCst);
                told.notify_one();
                Box::pin(async { Ok(true) })
            })
            .acquire_timeout(ACQUIRE)
            .connect_with(options.clone())
            .await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(8)
            .acquire_timeout(ACQUIRE)
            // A file does not go away: asking first would be one more statement per request.
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        let writer = Writer::new(writer, state);
        Ok(Self {
            readers,
            queue: Queue::serving(writer.clone()),
            writer,
            directory: Arc::new(directory.to_owned()),
            writes,
        })
    }

    /// A connection for reading.
    pub async fn read(&self) -> Result<PoolConnection<Sqlite>> {
        Ok(self.readers.acquire().await?)
    }

    /// A transaction that excludes every other writer from its beginning: what it reads stays
    /// true until it commits.
    pub async fn begin(&self) -> Result<Transaction<'static, Sqlite>> {
        self.writer.begin().await
    }

    /// Notes that a write has failed for a reason outside of it. A connection can stay unable to
    /// write when that reason is gone: one that was opened while the file could not be written.
    pub fn suspect(&self) {
        self.writer.suspect();
    }

    /// Resolves once something may have been written since it last did. There is one listener: the
    /// webhook worker.
    pub async fn written(&self) {
        self.writes.notified().await;
    }

    /// A number that is another one after every write of this process; none while one may be
    /// under way. What was read between two equal numbers is still as it was read.
    pub fn state(&self) -> Option<u64> {
        self.writer.state()
    }

    /// Where the database is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Each pool's name, how many connections it has, and how many of them are idle.
    pub fn pools(&self) -> [(&'static str, u32, usize); 2] {
        [
            ("read", self.readers.size(), self.readers.num_idle()),
            ("write", self.writer.size(), self.writer.num_idle()),
        ]
    }

    /// Runs `work` in a transaction and commits it, unless it fails: then nothing of it remains.
    ///
    /// What waits at the same time shares one commit, because reaching the disk takes longer than
    /// the work. Each piece of work is still all or nothing, and nobody is told of success before
    /// the commit is safe. Work is dropped if whoever asked for it
    /// goes away before it begins; once begun, it is finished.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.queue.run(work).await
    }

    /// Waits for the connections to be given back and closes them.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Brings a database up to date.
///
/// Tables are made again where SQLite cannot change them, so the migrations run without foreign
/// keys: dropping a table would empty those that refer to it. What they leave behind is checked.
async fn migrate(db: &mut SqliteConnection) -> Result<(), OpenError> {
    MIGRATIONS.run(&mut *db).await?;
    let dangling: Option<(String, Option<i64>, String)> =
        sqlx::query_as("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 1")
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
