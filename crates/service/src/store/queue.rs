//! Queue of write jobs that share commits.
//!
//! A commit waits for the disk for some milliseconds, and there is one writer at a time. Therefore,
//! queued jobs run in one transaction, each in its own savepoint, and their callers get the results
//! after the common commit.
//!
//! `sqlx` has no such queue: its pools hand out whole connections.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, Result};
use crate::store::connection::{BoxFuture, Db, Transaction};
use crate::store::sql::{self, by_database};
use crate::store::writer::Writer;

/// Capacity of the queue; further callers wait until there is space.
const QUEUE_CAPACITY: usize = 1024;

/// Largest number of jobs per commit, which limits the latency of the first.
const MAX_BATCH_SIZE: usize = 64;

/// Longest time in which jobs are added to one commit.
const MAX_BATCH_TIME: Duration = Duration::from_millis(20);

/// Sends the result of a job to its caller, given the result of the commit.
type CommitCallback = Box<dyn FnOnce(Result<()>) + Send>;

/// Runs in a transaction, or reports the error of beginning one. Returns none if it failed: its
/// caller has received the error.
type Job =
    Box<dyn for<'db> FnOnce(Result<&'db mut Db>) -> BoxFuture<'db, Option<CommitCallback>> + Send>;

/// Sender of jobs. Clones share the queue, which stops when the last of them is dropped.
#[derive(Clone, Debug)]
pub(super) struct Queue(mpsc::Sender<Job>);

impl Queue {
    /// Starts a task that runs jobs with `writer`.
    pub(super) fn start(writer: Writer) -> Self {
        let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
        tokio::spawn(serve(writer, receiver));
        Self(sender)
    }

    /// Runs `work` and waits until it is committed or has failed.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            Box::pin(async move {
                // The caller has dropped its future.
                if sender.is_closed() {
                    return None;
                }
                let outcome = match db {
                    Ok(db) => work(db).await,
                    Err(error) => Err(error),
                };
                match outcome {
                    Ok(done) => Some(Box::new(move |commit: Result<()>| {
                        // The caller may have dropped its future.
                        let _ = sender.send(commit.map(|()| done));
                    }) as CommitCallback),
                    Err(error) => {
                        let _ = sender.send(Err(error));
                        None
                    }
                }
            })
        });
        self.0
            .send(job)
            .await
            .map_err(|_| Error::internal("the writer has ended"))?;
        // A job that panics drops its sender.
        receiver
            .await
            .map_err(|_| Error::internal("the work was given up"))?
    }
}

async fn serve(writer: Writer, mut queue: mpsc::Receiver<Job>) {
    while let Some(first) = queue.recv().await {
        let transaction = match writer.begin().await {
            Ok(transaction) => transaction,
            Err(error) => {
                first(Err(error)).await;
                continue;
            }
        };
        let mut callbacks = Vec::new();
        let commit = batch(transaction, first, &mut queue, &mut callbacks).await;
        for callback in callbacks {
            callback(commit.clone());
        }
    }
}

/// Runs queued jobs and commits them together.
async fn batch(
    mut transaction: Transaction,
    first: Job,
    queue: &mut mpsc::Receiver<Job>,
    callbacks: &mut Vec<CommitCallback>,
) -> Result<()> {
    let started = Instant::now();
    let mut next = Some(first);
    let mut count = 0;
    while let Some(job) = next {
        let savepoint = if count == 0 {
            by_database("SAVEPOINT job", "SAVEPOINT job")
        } else {
            // One switch to the thread of SQLite's driver. PostgreSQL has one statement per round trip; there, the
            // earlier savepoint stays below, and `job` is the last one.
            by_database("RELEASE SAVEPOINT job; SAVEPOINT job", "SAVEPOINT job")
        };
        if let Err(cause) = sql::query(savepoint).execute(&mut transaction).await {
            // The connection is lost. The job did not start, and its caller gets the same error as the others.
            let error = Error::from(cause);
            job(Err(error.clone())).await;
            return Err(error);
        }
        let callback = run_catching_panic(job, &mut transaction).await;
        if callback.is_none() {
            sql::query("ROLLBACK TO SAVEPOINT job")
                .execute(&mut transaction)
                .await?;
        }
        callbacks.extend(callback);
        count += 1;
        next = if count < MAX_BATCH_SIZE && started.elapsed() < MAX_BATCH_TIME {
            queue.try_recv().ok()
        } else {
            None
        };
    }
    // It releases the savepoints.
    Ok(transaction.commit().await?)
}

/// Runs a job and catches its panic, which must not stop the queue.
async fn run_catching_panic(job: Job, db: &mut Db) -> Option<CommitCallback> {
    let mut work = pin!(job(Ok(db)));
    poll_fn(|context| {
        catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))).unwrap_or_else(|_| {
            tracing::error!("work on the database panicked");
            Poll::Ready(None)
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    async fn store() -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).await.unwrap();
        (directory, store)
    }

    async fn add(store: &Store, slug: &'static str) -> Result<()> {
        store
            .write(move |db| {
                Box::pin(async move {
                    sql::query("INSERT INTO organizations (name, slug) VALUES ('', ?)")
                        .bind(slug)
                        .execute(db)
                        .await?;
                    match slug {
                        "fails" => Err(Error::Conflict("lost".into())),
                        "panics" => panic!("on purpose"),
                        _ => Ok(()),
                    }
                })
            })
            .await
    }

    async fn slugs(store: &Store) -> Vec<String> {
        let mut db = store.read().await.unwrap();
        sql::query_scalar("SELECT slug FROM organizations ORDER BY slug")
            .fetch_all(&mut db)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn jobs_that_share_a_commit_fail_separately() {
        let (_directory, store) = store().await;
        // While the connection is in use, all jobs queue up for one commit.
        let transaction = store.begin().await.unwrap();
        let rollback = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            transaction.rollback().await.unwrap();
        };
        let (a, fails, panics, twice, b, ()) = tokio::join!(
            add(&store, "a"),
            add(&store, "fails"),
            add(&store, "panics"),
            add(&store, "a"),
            add(&store, "b"),
            rollback,
        );
        assert!(a.is_ok() && b.is_ok());
        assert!(matches!(fails, Err(Error::Conflict(_))));
        assert!(matches!(panics, Err(Error::Internal)));
        assert!(matches!(twice, Err(Error::Internal)));
        assert_eq!(slugs(&store).await, ["a", "b"]);
    }

    #[tokio::test]
    async fn abandoned_job_is_not_started() {
        let (_directory, store) = store().await;
        let transaction = store.begin().await.unwrap();
        let waiting = tokio::spawn({
            let store = store.clone();
            async move { add(&store, "a").await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        waiting.abort();
        assert!(waiting.await.is_err());
        transaction.rollback().await.unwrap();
        add(&store, "b").await.unwrap();
        assert_eq!(slugs(&store).await, ["b"]);
    }

    #[tokio::test]
    async fn write_to_closed_store_returns_error() {
        let (_directory, store) = store().await;
        store.close().await;
        assert!(add(&store, "a").await.is_err());
    }
}
