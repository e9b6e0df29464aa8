//! The migrations of both databases, and the state of a database compared with them.

use std::path::Path;

use booking_store_engine::connection::Db;
use booking_store_engine::open_error::OpenError;
use booking_store_engine::schema::{Migrations, Schema};
use booking_store_engine::{database, postgres, schema};
use sqlx::migrate::Migrator;

#[cfg(test)]
mod rules;

/// SQLite's migrations, oldest first. There are no down migrations.
pub static MIGRATIONS: Migrator = sqlx::migrate!();

/// PostgreSQL's migrations, oldest first. There are no down migrations.
pub static POSTGRES_MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// The migrations of both databases.
pub(crate) const ALL: Migrations = Migrations {
    sqlite: &MIGRATIONS,
    postgres: &POSTGRES_MIGRATIONS,
};

/// Compares the migrations that have run with those of this program.
pub async fn schema(db: &mut Db) -> Result<Schema, sqlx::Error> {
    schema::schema(db, ALL).await
}

/// Returns the schema of the database in `directory`, which may not have a database yet.
pub async fn sqlite_schema(directory: &Path) -> Result<Schema, sqlx::Error> {
    database::schema(directory, ALL).await
}

/// Returns the schema of the PostgreSQL database of `url`.
pub async fn postgres_schema(url: &str) -> Result<Schema, OpenError> {
    postgres::postgres_schema(url, ALL).await
}

/// Runs the migrations of PostgreSQL that have not run yet: see [`postgres::migrate_postgres`].
pub async fn migrate_postgres(url: &str) -> Result<Schema, OpenError> {
    postgres::migrate_postgres(url, ALL).await
}

/// Opens one connection to a PostgreSQL database whose schema this program may use.
pub async fn connect_usable(url: &str) -> Result<Db, OpenError> {
    postgres::connect_usable(url, ALL).await
}
