//! The service's [`Store`]: that of the engine, with the migrations and errors of this service.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use booking_store_engine::connection::{BoxFuture, Db, Reader, Transaction};
use booking_store_engine::database;
use booking_store_engine::locks::Locks;
use booking_store_engine::open_error::OpenError;
use booking_store_engine::postgres::PostgresOptions;

use opentelemetry::Context;
use opentelemetry::context::FutureExt;
use tracing::{Instrument, Span};

use crate::error::{Error, Result};
use crate::store::migrations;
use crate::store::subjects::{self, Subject};

/// Attempts to begin a transaction whose subjects change at the same time.
const MAX_ATTEMPTS: usize = 5;

/// The open database. Clones share it.
#[derive(Clone, Debug)]
pub struct Store(database::Store);

impl Deref for Store {
    type Target = database::Store;

    fn deref(&self) -> &database::Store {
        &self.0
    }
}

impl DerefMut for Store {
    fn deref_mut(&mut self) -> &mut database::Store {
        &mut self.0
    }
}

impl Store {
    /// Opens the database in `directory`, which must exist, and runs the migrations.
    pub async fn open(directory: &Path) -> Result<Self, OpenError> {
        database::Store::open(directory, migrations::ALL)
            .await
            .map(Self)
    }

    /// Opens the database in `directory` without migrations; rejects versions that this program may not use.
    pub async fn open_usable(directory: &Path) -> Result<Self, OpenError> {
        let store = database::Store::open_usable(directory, migrations::ALL).await;
        store.map(Self)
    }

    /// Connects to a PostgreSQL database and runs the migrations. `directory` has what is no data, such as keys.
    pub async fn open_postgres(
        database: &PostgresOptions,
        directory: &Path,
    ) -> Result<Self, OpenError> {
        let store = database::Store::open_postgres(database, directory, migrations::ALL).await;
        store.map(Self)
    }

    /// Connects to the PostgreSQL database of `url` without migrations; rejects versions that this program may not use.
    pub async fn open_usable_postgres(url: &str) -> Result<Self, OpenError> {
        let store = database::Store::open_usable_postgres(url, migrations::ALL).await;
        store.map(Self)
    }

    /// See [`database::Store::read`].
    pub async fn read(&self) -> Result<Reader> {
        Ok(self.0.read().await?)
    }

    /// Begins a transaction that writes about `subjects`: nothing else that is about them changes until it commits.
    pub async fn begin(&self, subjects: &[Subject<'_>]) -> Result<Transaction> {
        for _ in 0..MAX_ATTEMPTS {
            let locks = self.locks(subjects).await?;
            let mut transaction = self.0.begin(&locks).await?;
            if self.are_enough(&mut transaction, &locks, subjects).await? {
                return Ok(transaction);
            }
            transaction.rollback().await?;
        }
        Err(Error::ConcurrentChange)
    }

    /// Reads the locks of `subjects`, which may have changed when a transaction has them: see [`Self::are_enough`].
    pub async fn locks(&self, subjects: &[Subject<'_>]) -> Result<Locks> {
        // SQLite has one writer, whatever the locks.
        if self.0.is_sqlite()
            || subjects
                .iter()
                .all(|subject| matches!(subject, Subject::Rows))
        {
            return Ok(Locks::none());
        }
        let mut db = self.read().await?;
        subjects::locks(&mut db, subjects).await
    }

    /// Returns false if a transaction with these locks needs others meanwhile.
    pub async fn are_enough(
        &self,
        db: &mut Db,
        locks: &Locks,
        subjects: &[Subject<'_>],
    ) -> Result<bool> {
        if self.0.is_sqlite() {
            return Ok(true);
        }
        Ok(locks.cover(&subjects::locks(db, subjects).await?))
    }

    /// See [`database::Store::begin_with_any_clock`].
    pub async fn begin_with_any_clock(&self, locks: &Locks) -> Result<Transaction> {
        Ok(self.0.begin_with_any_clock(locks).await?)
    }

    /// See [`database::Store::read_with_lag`].
    pub async fn read_with_lag<T, F>(&self, work: impl Fn(Reader) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        self.0.read_with_lag(work).await
    }

    /// See [`database::Store::write`].
    pub async fn write<T: Send + 'static>(
        &self,
        locks: Locks,
        work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.0.write(locks, in_current_span(work)).await
    }
}

/// Lets `work`, which runs in the task of a queue, log and trace with the request of its caller.
fn in_current_span<T: 'static>(
    work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static,
) -> impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static {
    let (span, trace) = (Span::current(), Context::current());
    move |db| Box::pin(work(db).with_context(trace).instrument(span))
}

impl From<booking_store_engine::error::Error> for Error {
    fn from(cause: booking_store_engine::error::Error) -> Self {
        use booking_store_engine::error::Error as Cause;
        match cause {
            Cause::ConcurrentChange(_) => {
                tracing::info!("{cause}");
                Self::ConcurrentChange
            }
            Cause::Unavailable(cause) => Self::unavailable(cause),
            Cause::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(cause: sqlx::Error) -> Self {
        booking_store_engine::error::Error::from(cause).into()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::http::header::RETRY_AFTER;
    use axum::response::IntoResponse;

    use super::*;

    #[test]
    fn pool_timeout_returns_503_with_retry_after() {
        let error = Error::from(sqlx::Error::PoolTimedOut);
        assert_eq!(error.status(), StatusCode::SERVICE_UNAVAILABLE);
        let response = error.into_response();
        assert_eq!(response.headers()[RETRY_AFTER], "10");
        let error = Error::from(sqlx::Error::RowNotFound);
        assert_eq!(error.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
