//! Types of database connections, and the list of migrations.

use std::pin::Pin;

use sqlx::SqliteConnection;

/// One connection, inside or outside a transaction.
pub type Db = SqliteConnection;

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Migrations, oldest first. There are no down migrations.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();
