//! State of the schema (empty, current, to be migrated, foreign), health probes and copies of the database.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use crate::store::connection::{Db, MIGRATIONS};

/// State of a database's schema, compared with the migrations of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// No migration has run and there are no tables.
    Empty,
    /// All migrations have run, and no others.
    Current,
    /// Some migrations have not run yet.
    Older {
        /// Newest migration that has run.
        version: i64,
    },
    /// Migrations have run that this program does not know.
    Newer {
        /// Newest migration that has run.
        version: i64,
    },
    /// The tables were created by another program.
    Foreign,
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = newest_migration();
        match self {
            Self::Current => write!(f, "the database is at version {known}, as this program needs it"),
            Self::Empty => f.write_str(
                "there are no tables in the database: start the service or run `service migrate` to make them",
            ),
            Self::Older { version } => write!(
                f,
                "the database is at version {version}, this program needs version {known}: start the service or \
                 run `service migrate` to bring it up to date"
            ),
            Self::Newer { version } => write!(
                f,
                "the database is at version {version}, this program knows versions up to {known}: use the newer \
                 program, or restore a copy that was made before"
            ),
            Self::Foreign => f.write_str("the tables in the database were not made by this program"),
        }
    }
}

fn newest_migration() -> i64 {
    MIGRATIONS
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or_default()
}

/// Compares the migrations that have run with those of this program.
pub async fn schema(db: &mut Db) -> Result<Schema, sqlx::Error> {
    let (tables, is_migrated): (i64, bool) = sqlx::query_as(
        "SELECT count(*), coalesce(max(name = '_sqlx_migrations'), 0) FROM sqlite_master WHERE type = 'table'",
    )
    .fetch_one(&mut *db)
    .await?;
    if !is_migrated {
        return Ok(if tables == 0 {
            Schema::Empty
        } else {
            Schema::Foreign
        });
    }
    let applied: HashMap<i64, Vec<u8>> =
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations WHERE success")
            .fetch_all(db)
            .await?
            .into_iter()
            .collect();
    let known: HashMap<i64, &[u8]> = MIGRATIONS
        .iter()
        .map(|migration| (migration.version, &*migration.checksum))
        .collect();
    let Some(version) = applied.keys().copied().max() else {
        return Ok(Schema::Empty);
    };
    if version > newest_migration() {
        return Ok(Schema::Newer { version });
    }
    let is_known_migration =
        |(version, checksum): (&i64, &Vec<u8>)| known.get(version) == Some(&&**checksum);
    Ok(if !applied.iter().all(is_known_migration) {
        Schema::Foreign
    } else if applied.len() < known.len() {
        Schema::Older { version }
    } else {
        Schema::Current
    })
}

/// Returns the version of the newest migration that has run.
pub async fn version(db: &mut Db) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success")
        .fetch_one(db)
        .await
}

/// Writes an unchanged value to the database, to test that writes to the disk succeed.
pub async fn probe_write(db: &mut Db) -> Result<(), sqlx::Error> {
    // A field for applications in SQLite's file header, which this service does not use.
    sqlx::query("PRAGMA user_version = 0").execute(db).await?;
    Ok(())
}

/// Returns the size of the database in bytes, without its write-ahead log.
pub async fn database_bytes(db: &mut Db) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        .fetch_one(db)
        .await
}

/// Copies the current state of the database into `file`, which must be empty or not exist.
pub async fn copy_into(db: &mut Db, file: &Path) -> Result<(), sqlx::Error> {
    sqlx::query("VACUUM INTO ?")
        .bind(file.to_string_lossy().into_owned())
        .execute(db)
        .await?;
    Ok(())
}
