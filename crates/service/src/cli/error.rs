//! Errors of the commands.

use std::net::SocketAddr;

use super::env_file::EnvFileError;
use crate::auth::key_file::KeyFileError;
use crate::monitoring::traces::Problem;
use crate::store::OpenError;
use crate::store::transfer::TransferError;

/// Reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The data directory cannot be created or used.
    #[error("cannot use the data directory {directory}: {cause}")]
    Directory {
        /// Data directory.
        directory: String,
        /// Cause.
        cause: std::io::Error,
    },
    /// Another process serves or migrates the data directory.
    #[error(
        "the data directory {directory} is in use by {holder}: only one process may serve or migrate it \
         (`serve --takeover` waits until the other one has ended)"
    )]
    InUse {
        /// Data directory.
        directory: String,
        /// The other process.
        holder: String,
    },
    /// The file system of the data directory cannot lock files.
    #[error(
        "cannot lock the data directory {directory}: {cause}. The service needs a file system with file locks: \
         without them, two processes could use the directory at once and send every webhook message twice"
    )]
    NoLocks {
        /// Data directory.
        directory: String,
        /// Error of the system.
        cause: std::io::Error,
    },
    /// A key is missing, damaged or not that of the database.
    #[error("{0}")]
    Key(String),
    /// A key cannot be read or created.
    #[error(transparent)]
    KeyFile(KeyFileError),
    /// The database cannot be read or written.
    #[error("cannot use the database: {0}")]
    Database(#[from] sqlx::Error),
    /// The database cannot be opened or migrated.
    #[error("cannot open the database: {0}")]
    Open(#[from] OpenError),
    /// The endpoint for traces cannot be used.
    #[error("cannot export traces to OTEL_EXPORTER_OTLP_ENDPOINT: {0}")]
    Traces(Problem),
    /// The port cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// Address.
        address: SocketAddr,
        /// Cause.
        cause: std::io::Error,
    },
    /// The demo account would be open to other machines.
    #[error(
        "--demo gives an account to every caller, and {0} is reachable from other machines: \
         leave --host and --public-url out, or add --demo-in-public if that is meant"
    )]
    ExposedDemo(String),
    /// Options of what messages look like cannot be used.
    #[error("{0}")]
    MailContent(String),
    /// The integrity check of a database failed.
    #[error("{0}")]
    IntegrityCheck(String),
    /// Data cannot be moved.
    #[error(transparent)]
    Transfer(#[from] TransferError),
    /// Source and target of a move are the same.
    #[error("--from and --to are the same database")]
    SameDatabase,
    /// Source and target of a move are not of different kinds.
    #[error("one of --from and --to is a data directory and the other begins with `postgres://`")]
    SameKind,
    /// `DATABASE_URL`, which other programs use too, is for another kind of database.
    #[error(
        "DATABASE_URL is not the address of a PostgreSQL database (`postgres://…`): set BOOKING_DATABASE_URL to one, or \
         to nothing if the data is in the directory of --data"
    )]
    PlatformDatabase,
    /// `DATABASE_URL`, which other programs use too, is set for a directory with a database.
    #[error(
        "{0} has a database, and DATABASE_URL names another one: set BOOKING_DATABASE_URL to the address of the \
         PostgreSQL database, or to nothing for the database in the directory"
    )]
    TwoDatabases(String),
    /// A command would use another database than the service of the data directory.
    #[error(
        "the service of {directory} uses another database ({recorded}) than this command ({used}): give the command the \
         settings of the service with --env-file, or with BOOKING_DATABASE_URL. If the service is to use the other \
         database from now on, start it first"
    )]
    OtherDatabase {
        /// Data directory.
        directory: String,
        /// Database of the service.
        recorded: String,
        /// Database of the command.
        used: String,
    },
    /// A read replica was named without a PostgreSQL database.
    #[error(
        "--read-database-url is for a replica of a PostgreSQL database, which --database-url names"
    )]
    ReadReplicaOfFile,
    /// There is a direct address, and no other.
    #[error(
        "--database-direct-url is for a PostgreSQL database behind a pooler, which --database-url names"
    )]
    DirectAddressOfFile,
    /// The read replica cannot be used.
    #[error("cannot use --read-database-url: {0}")]
    ReadReplica(#[source] OpenError),
    /// Neither a directory nor an address was given.
    #[error("the database is missing: --data DIR or --database-url URL")]
    NoDatabase,
    /// A command is for SQLite.
    #[error("the database is in PostgreSQL, which has its own tool for this: {0}")]
    PostgresTool(&'static str),
    /// A backup cannot be created.
    #[error("cannot make the backup {file}: {cause}")]
    Backup {
        /// File of the backup.
        file: String,
        /// Cause.
        cause: std::io::Error,
    },
    /// A directory of files to serve lacks them.
    #[error(
        "{option}: {directory} has no {file}. Name the directory that `cargo xtask dist` has made, or leave it empty to \
         serve no such files"
    )]
    AssetDirectory {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        directory: String,
        /// Missing file.
        file: &'static str,
    },
    /// The environment file cannot be used.
    #[error(transparent)]
    EnvFile(#[from] EnvFileError),
    /// The directory of time zone data cannot be used.
    #[error("cannot use --zone-data: {0}")]
    ZoneData(#[from] booking_zones::ZoneDataError),
    /// A setting of the mail server or the sender is invalid.
    #[error(transparent)]
    MailSettings(#[from] booking_smtp::settings_error::SettingsError),
    /// The mail server did not accept a message.
    #[error("{0}")]
    Mail(String),
    /// The service is not ready, or does not answer.
    #[error("not ready: {0}")]
    NotReady(String),
    /// Error of the service, which logs internal ones.
    #[error("{0}")]
    Service(#[from] crate::error::Error),
}
