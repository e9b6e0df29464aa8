//! Queues of write jobs that share commits.
//!
//! A commit waits for the disk for some milliseconds, and jobs that need the same locks run one after
//! the other. Therefore, queued jobs run in one transaction, each after the first in a savepoint, and
//! their callers get the results after the common commit. With PostgreSQL there are several queues, each with a
//! transaction of its own at a time, for jobs with different locks.
//!
//! `sqlx` has no such queue: its pools hand out whole connections.

use std::future::poll_fn;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use crate::connection::{BoxFuture, Database, Db, Transaction};
use crate::error::{Error, Result};
use crate::locks::Locks;
use crate::reachability::answer_within;
use crate::sql::{self, by_database};
use crate::writer::{self, Writer};

/// Queues with PostgreSQL beside the one for jobs that lock no resource: the transactions that a replica has open at a
/// time for them.
const POSTGRES_QUEUES: usize = 8;

/// Capacity of a queue; further callers wait until there is space.
const QUEUE_CAPACITY: usize = 1024;

/// Largest number of jobs per commit, which limits the latency of the first.
const MAX_BATCH_SIZE: usize = 64;

/// Longest time in which jobs are added to one commit.
const MAX_BATCH_TIME: Duration = Duration::from_millis(20);

/// Time after which a transaction of PostgreSQL is given up. Statements end before, by the server's own timeouts, unless its
/// machine is gone and no answer will come.
const MAX_TRANSACTION_TIME: Duration = Duration::from_secs(75);

/// Sends the result of a job to its caller, given the result of the commit.
type CommitCallback = Box<dyn FnOnce(Result<()>) + Send>;

/// Runs in a transaction, or reports the error of beginning one. Returns none if it failed: its
/// caller has received the error.
type Work =
    Box<dyn for<'db> FnOnce(Result<&'db mut Db>) -> BoxFuture<'db, Option<CommitCallback>> + Send>;

/// Work, and the locks that its transaction must hold.
struct Job {
    locks: Locks,
    work: Work,
}

/// Senders of jobs. Clones share the queues, which stop when the last of them is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Queues(Arc<[mpsc::Sender<Job>]>);

impl Queues {
    /// Starts tasks that run jobs with `writer`.
    pub(crate) fn start(writer: &Writer) -> Self {
        let count = match writer {
            Writer::Sqlite(_) => 1,
            Writer::Postgres(_) => 1 + POSTGRES_QUEUES,
        };
        let start_one = || {
            let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
            tokio::spawn(serve(writer.clone(), receiver));
            sender
        };
        Self(std::iter::repeat_with(start_one).take(count).collect())
    }

    /// Returns the queue of jobs with these locks: always the same one, so that they share commits. The first one is
    /// for jobs that lock no resource, or everything.
    fn of(&self, locks: &Locks) -> Option<&mpsc::Sender<Job>> {
        let (first, others) = self.0.split_first()?;
        let Some(key) = locks.queue_key() else {
            return Some(first);
        };
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let count = u64::try_from(others.len()).ok()?;
        match hasher.finish().checked_rem(count) {
            Some(index) => others.get(usize::try_from(index).ok()?),
            None => Some(first),
        }
    }

    /// Runs `work` with `locks` and waits until it is committed or has failed.
    pub(crate) async fn run<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        locks: Locks,
        work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T, E>> + Send + 'static,
    ) -> Result<T, E> {
        // The caller converts an error of the commit: the conversion may log it, with the caller's request.
        let (sender, receiver) = oneshot::channel::<Result<Result<T>, E>>();
        let work: Work = Box::new(move |db| {
            Box::pin(async move {
                // The caller has dropped its future.
                if sender.is_closed() {
                    return None;
                }
                // The caller may drop its future before it gets the result.
                let db = match db {
                    Ok(db) => db,
                    Err(error) => {
                        let _ = sender.send(Ok(Err(error)));
                        return None;
                    }
                };
                match work(db).await {
                    Ok(done) => Some(Box::new(move |commit: Result<()>| {
                        let _ = sender.send(Ok(commit.map(|()| done)));
                    }) as CommitCallback),
                    Err(error) => {
                        let _ = sender.send(Err(error));
                        None
                    }
                }
            })
        });
        let has_ended = || Error::Internal("the writer has ended".into());
        let queue = self.of(&locks).ok_or_else(has_ended)?;
        let sent = queue.send(Job { locks, work }).await;
        sent.map_err(|_| has_ended())?;
        // A job that panics drops its sender.
        let result = receiver
            .await
            .map_err(|_| Error::Internal("the work was given up".into()))?;
        Ok(result??)
    }
}

async fn serve(writer: Writer, mut queue: mpsc::Receiver<Job>) {
    let mut next = None;
    loop {
        let job = match next.take() {
            Some(job) => job,
            None => match queue.recv().await {
                Some(job) => job,
                None => return,
            },
        };
        let begun = within(&writer, writer.begin(&job.locks)).await;
        let transaction = match begun {
            Ok(transaction) => transaction,
            Err(error) => {
                (job.work)(Err(error)).await;
                continue;
            }
        };
        let mut callbacks = Vec::new();
        let batch = batch(transaction, job, &mut queue, &mut next, &mut callbacks);
        let commit = within(&writer, batch).await;
        if commit.is_ok() && !callbacks.is_empty() {
            writer.metrics().record_commit(callbacks.len());
        }
        if callbacks.is_empty()
            && let Err(cause) = &commit
        {
            tracing::error!(%cause, "a write transaction without results failed");
        }
        for callback in callbacks {
            callback(commit.clone());
        }
    }
}

/// Limits the time of work on PostgreSQL.
async fn within<T>(writer: &Writer, work: impl Future<Output = Result<T>>) -> Result<T> {
    match writer {
        Writer::Sqlite(_) => work.await,
        Writer::Postgres(_) => answer_within(MAX_TRANSACTION_TIME, work).await,
    }
}

/// Runs `first` and the queued jobs that need no other locks, and commits them together. `next` gets the job that does.
async fn batch(
    mut transaction: Transaction,
    first: Job,
    queue: &mut mpsc::Receiver<Job>,
    next: &mut Option<Job>,
    callbacks: &mut Vec<CommitCallback>,
) -> Result<()> {
    let started = Instant::now();
    let mut locks = first.locks;
    let Some(callback) = run_catching_panic(first.work, &mut transaction).await else {
        // Most transactions have one job: a savepoint for the first one would be one more statement.
        transaction.rollback().await?;
        return Ok(());
    };
    callbacks.push(callback);
    let mut count = 1;
    while count < MAX_BATCH_SIZE && started.elapsed() < MAX_BATCH_TIME {
        let Ok(job) = queue.try_recv() else {
            break;
        };
        let needed = job.locks;
        let prepared = prepare(&mut transaction, count, &mut locks, &needed).await;
        match prepared {
            Ok(true) => {}
            Ok(false) => {
                *next = Some(Job {
                    locks: needed,
                    ..job
                });
                break;
            }
            Err(cause) => {
                // The connection is lost. The job did not start, and its caller gets the same error as the others.
                let error = Error::from(cause);
                (job.work)(Err(error.clone())).await;
                return Err(error);
            }
        }
        let callback = run_catching_panic(job.work, &mut transaction).await;
        if callback.is_none() {
            sql::query("ROLLBACK TO SAVEPOINT job")
                .execute(&mut transaction)
                .await?;
        }
        callbacks.extend(callback);
        count += 1;
    }
    // It releases the savepoints.
    Ok(transaction.commit().await?)
}

/// Prepares the transaction for its next job, the first of which is number 1: locks what it needs more than `locks`, and
/// sets a savepoint. Returns false if another transaction may have to be waited for.
async fn prepare(
    db: &mut Db,
    number: usize,
    locks: &mut Locks,
    needed: &Locks,
) -> Result<bool, sqlx::Error> {
    // SQLite has one writer, whatever the locks.
    if db.database() == Database::Postgres {
        let Some(missing) = locks.missing(needed) else {
            return Ok(false);
        };
        if !missing.is_empty() && !writer::try_lock(db, &missing).await? {
            return Ok(false);
        }
        locks.extend(&missing);
    }
    let savepoint = if number == 1 {
        by_database("SAVEPOINT job", "SAVEPOINT job")
    } else {
        // One switch to the thread of SQLite's driver. PostgreSQL has one statement per round trip; there, the
        // earlier savepoint stays below, and `job` is the last one.
        by_database("RELEASE SAVEPOINT job; SAVEPOINT job", "SAVEPOINT job")
    };
    sql::query(savepoint).execute(db).await?;
    Ok(true)
}

/// Runs a job and catches its panic, which must not stop the queue.
async fn run_catching_panic(work: Work, db: &mut Db) -> Option<CommitCallback> {
    let mut work = pin!(work(Ok(db)));
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
    use std::sync::LazyLock;

    use sqlx::SqlSafeStr;
    use sqlx::migrate::{Migration, MigrationType, Migrator};

    use super::*;
    use crate::database::Store;
    use crate::schema::Migrations;

    /// Creates a table of unique words.
    static WORDS: LazyLock<Migrator> = LazyLock::new(|| {
        Migrator::with_migrations(vec![Migration::new(
            1,
            "words".into(),
            MigrationType::Simple,
            "CREATE TABLE words (word TEXT PRIMARY KEY)".into_sql_str(),
            false,
        )])
    });

    #[derive(Debug)]
    enum JobError {
        Engine(Error),
        Own,
    }

    impl From<Error> for JobError {
        fn from(error: Error) -> Self {
            Self::Engine(error)
        }
    }

    async fn store() -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let migrations = Migrations {
            sqlite: &WORDS,
            postgres: &WORDS,
        };
        let store = Store::open(directory.path(), migrations).await.unwrap();
        (directory, store)
    }

    async fn add(store: &Store, word: &'static str) -> Result<(), JobError> {
        store
            .write(Locks::none(), move |db| {
                Box::pin(async move {
                    sql::query("INSERT INTO words VALUES (?)")
                        .bind(word)
                        .execute(db)
                        .await
                        .map_err(Error::from)?;
                    match word {
                        "fails" => Err(JobError::Own),
                        "panics" => panic!("on purpose"),
                        _ => Ok(()),
                    }
                })
            })
            .await
    }

    async fn words(store: &Store) -> Vec<String> {
        let mut db = store.read().await.unwrap();
        sql::query_scalar("SELECT word FROM words ORDER BY word")
            .fetch_all(&mut db)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn jobs_that_share_a_commit_fail_separately() {
        let (_directory, store) = store().await;
        // While the connection is in use, all jobs queue up for one commit.
        let transaction = store.begin(&Locks::none()).await.unwrap();
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
        assert!(matches!(fails, Err(JobError::Own)));
        for error in [panics, twice] {
            assert!(matches!(error, Err(JobError::Engine(Error::Internal(_)))));
        }
        assert_eq!(words(&store).await, ["a", "b"]);
    }

    #[tokio::test]
    async fn abandoned_job_is_not_started() {
        let (_directory, store) = store().await;
        let transaction = store.begin(&Locks::none()).await.unwrap();
        let waiting = tokio::spawn({
            let store = store.clone();
            async move { add(&store, "a").await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        waiting.abort();
        assert!(waiting.await.is_err());
        transaction.rollback().await.unwrap();
        add(&store, "b").await.unwrap();
        assert_eq!(words(&store).await, ["b"]);
    }

    #[tokio::test]
    async fn write_to_closed_store_returns_error() {
        let (_directory, store) = store().await;
        store.close().await;
        assert!(add(&store, "a").await.is_err());
    }
}
