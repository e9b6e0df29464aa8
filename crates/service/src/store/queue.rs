//! The queue of work that shares commits.
//!
//! Every commit waits for the disk, which takes milliseconds, and there is one writer at a time.
//! So the work that has queued up meanwhile is done in one transaction, each piece behind a
//! savepoint of its own, and is answered after their common commit.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use sqlx::{Connection, Sqlite, Transaction};
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, Result};
use crate::store::connection::{BoxFuture, Db};
use crate::store::writer::Writer;

/// How many callers wait in line before the next one waits for a place.
const PLACES: usize = 1024;

/// How much work shares a commit at most, so that the first does not wait for long.
const BATCH: usize = 64;

/// For how long work is taken into one commit.
const PATIENCE: Duration = Duration::from_millis(20);

/// Tells its caller how the work ended, given how the commit went.
type Answer = Box<dyn FnOnce(Result<()>) + Send>;

/// Does its work, unless there is no transaction to do it in; none if it failed, of which its
/// caller has been told.
type Job = Box<dyn for<'db> FnOnce(Result<&'db mut Db>) -> BoxFuture<'db, Option<Answer>> + Send>;

/// The way into the queue. Clones lead into the same one, which ends with the last of them.
#[derive(Clone, Debug)]
pub(super) struct Queue(mpsc::Sender<Job>);

impl Queue {
    /// Starts to serve a queue with `writer`.
    pub(super) fn serving(writer: Writer) -> Self {
        let (sender, receiver) = mpsc::channel(PLACES);
        tokio::spawn(serve(writer, receiver));
        Self(sender)
    }

    /// Waits until `work` has been done and committed, or has failed.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl for<'db> FnOnce(&'db mut Db) -> BoxFuture<'db, Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            Box::pin(async move {
                // Nobody waits for it any more, so nobody would learn that it is done.
                if tell.is_closed() {
                    return None;
                }
                let outcome = match db {
                    Ok(db) => work(db).await,
                    Err(error) => Err(error),
                };
                match outcome {
                    Ok(done) => Some(Box::new(move |commit: Result<()>| {
                        // Whoever asked may have gone away.
                        let _ = tell.send(commit.map(|()| done));
                    }) as Answer),
                    Err(error) => {
                        let _ = tell.send(Err(error));
                        None
                    }
                }
            })
        });
        self.0
            .send(job)
            .await
            .map_err(|_| Error::internal("the writer has ended"))?;
        // A job that panics drops its end.
        told.await
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
        let mut answers = Vec::new();
        let commit = batch(transaction, first, &mut queue, &mut answers).await;
        let commit = commit.map_err(Error::from);
        for answer in answers {
            answer(commit.clone());
        }
    }
}

/// Does the work that waits, and commits it together.
async fn batch(
    mut transaction: Transaction<'static, Sqlite>,
    first: Job,
    queue: &mut mpsc::Receiver<Job>,
    answers: &mut Vec<Answer>,
) -> Result<(), sqlx::Error> {
    let began = Instant::now();
    let mut next = Some(first);
    let mut count = 0;
    while let Some(job) = next {
        // Dropped without a commit, the savepoint is rolled back.
        let mut savepoint = transaction.begin().await?;
        if let Some(answer) = unless_it_panics(job, &mut savepoint).await {
            answers.push(answer);
            savepoint.commit().await?;
        } else {
            savepoint.rollback().await?;
        }
        count += 1;
        next = if count < BATCH && began.elapsed() < PATIENCE {
            queue.try_recv().ok()
        } else {
            None
        };
    }
    transaction.commit().await
}

/// A panic is a mistake of ours that must not end the queue.
async fn unless_it_panics(job: Job, db: &mut Db) -> Option<Answer> {
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
                    sqlx::query("INSERT INTO organizations (name, slug) VALUES ('', ?)")
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
        sqlx::query_scalar("SELECT slug FROM organizations ORDER BY slug")
            .fetch_all(&mut *db)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn of_work_that_shares_a_commit_each_piece_is_all_or_nothing() {
        let (_directory, store) = store().await;
        // While the connection is held, everything queues up for one commit.
        let held = store.begin().await.unwrap();
        let release = async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            held.rollback().await.unwrap();
        };
        let (a, fails, panics, twice, b, ()) = tokio::join!(
            add(&store, "a"),
            add(&store, "fails"),
            add(&store, "panics"),
            add(&store, "a"),
            add(&store, "b"),
            release,
        );
        assert!(a.is_ok() && b.is_ok());
        assert!(matches!(fails, Err(Error::Conflict(_))));
        assert!(matches!(panics, Err(Error::Internal)));
        assert!(matches!(twice, Err(Error::Internal)));
        assert_eq!(slugs(&store).await, ["a", "b"]);
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_not_begun() {
        let (_directory, store) = store().await;
        let held = store.begin().await.unwrap();
        let waiting = tokio::spawn({
            let store = store.clone();
            async move { add(&store, "a").await }
        });
        tokio::time::sleep(Duration::from_millis(20)).await;
        waiting.abort();
        assert!(waiting.await.is_err());
        held.rollback().await.unwrap();
        add(&store, "b").await.unwrap();
        assert_eq!(slugs(&store).await, ["b"]);
    }

    #[tokio::test]
    async fn a_closed_store_says_so() {
        let (_directory, store) = store().await;
        store.close().await;
        assert!(add(&store, "a").await.is_err());
    }
}
