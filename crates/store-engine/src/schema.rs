//! State of the schema (empty, current, to be migrated, foreign), health probes and copies of the database.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use sqlx::migrate::Migrator;

use crate::connection::{Database, Db};
use crate::sql::{self, by_database};

/// Migrations of the program, oldest first. There are no down migrations. Both lists end with the same version.
#[derive(Clone, Copy, Debug)]
pub struct Migrations {
    /// SQLite's.
    pub sqlite: &'static Migrator,
    /// PostgreSQL's.
    pub postgres: &'static Migrator,
}

impl Migrations {
    /// Returns the version of the newest migration.
    pub fn newest(self) -> i64 {
        newest_migration(self.sqlite)
    }

    fn of(self, database: Database) -> &'static Migrator {
        match database {
            Database::Sqlite => self.sqlite,
            Database::Postgres => self.postgres,
        }
    }
}

/// Schema of a database, compared with the migrations of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    /// State.
    pub state: SchemaState,
    /// Version of this program's newest migration.
    pub known: i64,
}

/// State of a database's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// No migration has run and there are no tables.
    Empty,
    /// All migrations have run, and no others.
    Current,
    /// Some migrations have not run yet.
    Older {
        /// Newest migration that has run.
        version: i64,
    },
    /// Migrations have run that this program does not know, and the database says that this program may use it.
    Compatible {
        /// Newest migration that has run.
        version: i64,
    },
    /// Migrations have run that this program does not know, and it may not use the database any more.
    Newer {
        /// Newest migration that has run.
        version: i64,
    },
    /// The tables were created by another program.
    Foreign,
}

impl Schema {
    /// Returns true if this program may read and write the database.
    pub fn is_usable(self) -> bool {
        matches!(
            self.state,
            SchemaState::Current | SchemaState::Compatible { .. }
        )
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known;
        match self.state {
            SchemaState::Current => write!(f, "the database is at version {known}, as this program needs it"),
            SchemaState::Empty => f.write_str(
                "there are no tables in the database: start the service or run `booking-service migrate` to make them",
            ),
            SchemaState::Older { version } => write!(
                f,
                "the database is at version {version}, this program needs version {known}: start the service or \
                 run `booking-service migrate` to bring it up to date"
            ),
            SchemaState::Compatible { version } => write!(
                f,
                "the database is at version {version}, this program knows versions up to {known}: it may use the \
                 database, but only the newer program can move its data"
            ),
            SchemaState::Newer { version } => write!(
                f,
                "the database is at version {version}, this program knows versions up to {known}: use the newer \
                 program, or restore a copy that was made before"
            ),
            SchemaState::Foreign => f.write_str("the tables in the database were not made by this program"),
        }
    }
}

fn newest_migration(migrations: &Migrator) -> i64 {
    migrations
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or_default()
}

/// Compares the migrations that have run with those of this program.
pub async fn schema(db: &mut Db, migrations: Migrations) -> Result<Schema, sqlx::Error> {
    let migrations = migrations.of(db.database());
    Ok(Schema {
        state: state(db, migrations).await?,
        known: newest_migration(migrations),
    })
}

async fn state(db: &mut Db, migrations: &Migrator) -> Result<SchemaState, sqlx::Error> {
    let (tables, is_migrated, has_compatibility): (i64, bool, bool) = sql::query_as(by_database(
        "SELECT count(*), count(*) FILTER (WHERE name = '_sqlx_migrations') > 0,
                count(*) FILTER (WHERE name = 'schema_compatibility') > 0
         FROM sqlite_master WHERE type = 'table'",
        "SELECT count(*), count(*) FILTER (WHERE tablename = '_sqlx_migrations') > 0,
                count(*) FILTER (WHERE tablename = 'schema_compatibility') > 0
         FROM pg_tables WHERE schemaname = current_schema()",
    ))
    .fetch_one(&mut *db)
    .await?;
    if !is_migrated {
        return Ok(if tables == 0 {
            SchemaState::Empty
        } else {
            SchemaState::Foreign
        });
    }
    let applied: HashMap<i64, Vec<u8>> =
        sql::query_as("SELECT version, checksum FROM _sqlx_migrations WHERE success")
            .fetch_all(&mut *db)
            .await?
            .into_iter()
            .collect();
    let known: HashMap<i64, &[u8]> = migrations
        .iter()
        .map(|migration| (migration.version, &*migration.checksum))
        .collect();
    let Some(version) = applied.keys().copied().max() else {
        return Ok(SchemaState::Empty);
    };
    let newest = newest_migration(migrations);
    if version > newest {
        let has_all = known.iter().all(|(version, checksum)| {
            applied
                .get(version)
                .is_some_and(|applied| applied == checksum)
        });
        // A later migration may remove even the table.
        let is_compatible = has_all && has_compatibility && newest >= oldest_version(db).await?;
        return Ok(match is_compatible {
            true => SchemaState::Compatible { version },
            false => SchemaState::Newer { version },
        });
    }
    let is_known_migration =
        |(version, checksum): (&i64, &Vec<u8>)| known.get(version) == Some(&&**checksum);
    Ok(if !applied.iter().all(is_known_migration) {
        SchemaState::Foreign
    } else if applied.len() < known.len() {
        SchemaState::Older { version }
    } else {
        SchemaState::Current
    })
}

/// Expression of the oldest version of this program that may use the database, as the number of a migration.
macro_rules! oldest_usable_version {
    () => {
        "coalesce((SELECT oldest_version FROM schema_compatibility WHERE id = 1), 9223372036854775807)"
    };
}
pub(crate) use oldest_usable_version;

async fn oldest_version(db: &mut Db) -> Result<i64, sqlx::Error> {
    sql::query_scalar(concat!("SELECT ", oldest_usable_version!()))
        .fetch_one(db)
        .await
}

/// Returns the version of the newest migration that has run.
pub async fn version(db: &mut Db) -> Result<i64, sqlx::Error> {
    sql::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success")
        .fetch_one(db)
        .await
}

/// Makes PostgreSQL continue after the ids that rows were inserted with; SQLite does so by itself.
pub async fn align_ids(db: &mut Db) -> Result<(), sqlx::Error> {
    sql::query(by_database("SELECT 1", "SELECT align_ids()"))
        .execute(db)
        .await?;
    Ok(())
}

/// Writes an unchanged value to the database, to test that writes to the disk succeed.
pub async fn probe_write(db: &mut Db) -> Result<(), sqlx::Error> {
    sql::query(by_database(
        // A field for applications in SQLite's file header, which this service does not use.
        "PRAGMA user_version = 0",
        // Without waiting for the probe of another replica, which may be frozen.
        "UPDATE schema_compatibility SET oldest_version = oldest_version
         WHERE id = (SELECT id FROM schema_compatibility WHERE id = 1 FOR UPDATE SKIP LOCKED)",
    ))
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the size of the database in bytes, without its write-ahead log.
pub async fn database_bytes(db: &mut Db) -> Result<i64, sqlx::Error> {
    sql::query_scalar(by_database(
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        "SELECT pg_database_size(current_database())",
    ))
    .fetch_one(db)
    .await
}

/// Copies the current state of the database into `file`, which must be empty or not exist.
pub async fn copy_into(db: &mut Db, file: &Path) -> Result<(), sqlx::Error> {
    sql::query("VACUUM INTO ?")
        .bind(file.to_string_lossy().into_owned())
        .execute(db)
        .await?;
    Ok(())
}
