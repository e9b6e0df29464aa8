//! `booking-service migrate --from … --to …`: moves the data of an installation into a database of the other kind.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::data_directory::{self, check_exists, directory_error};
use super::instance_lock::InstanceLock;
use super::key_files::{self, KeyProblem};
use super::record;
use crate::auth::{seal, token};
use crate::cli::error::CliError;
use crate::cli::table::columns;
use crate::cli::temporary_file::TemporaryFile;
use crate::store::transfer::{self, MovedTable, Progress, Side};
use crate::store::upkeep::{integrity, key_fingerprints};
use crate::store::{self, Db};

/// Files of SQLite beside the database. They are empty or missing after it was closed.
const SQLITE_SUFFIXES: [&str; 2] = ["-wal", "-shm"];

/// Time between two updates of a line of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// One end of a move.
enum Installation<'a> {
    Directory(&'a Path),
    Postgres(&'a str),
}

impl<'a> Installation<'a> {
    /// Parses an option: an address has `://`.
    fn parse(option: &'a str) -> Self {
        match option.contains("://") {
            true => Self::Postgres(option),
            false => Self::Directory(Path::new(option)),
        }
    }
}

/// Moves the data of the installation `from` into the empty database `to`.
pub(crate) async fn run(from: &str, to: &str) -> Result<(), CliError> {
    let started = Instant::now();
    let (tables, hint) = match (Installation::parse(from), Installation::parse(to)) {
        (Installation::Directory(directory), Installation::Postgres(url)) => {
            let tables = to_postgres(directory, url).await?;
            let hint = format!(
                "Copy signing.key and sealing.key of {} into the data directory of each replica before it starts: \
                 tokens and the secrets of webhooks need them.",
                directory.display()
            );
            (tables, hint)
        }
        (Installation::Postgres(url), Installation::Directory(directory)) => {
            let tables = to_directory(url, directory).await?;
            let hint = if has_keys(directory) {
                format!(
                    "{} has the keys of the replicas and can be served.",
                    directory.display()
                )
            } else {
                format!(
                    "Copy signing.key and sealing.key of a replica into {} before the service starts there: tokens \
                     and the secrets of webhooks need them.",
                    directory.display()
                )
            };
            (tables, hint)
        }
        _ if from == to => return Err(CliError::SameDatabase),
        _ => return Err(CliError::SameKind),
    };
    print_summary(&tables, started.elapsed(), &hint);
    Ok(())
}

/// Moves a data directory into a PostgreSQL database, in one transaction.
async fn to_postgres(directory: &Path, url: &str) -> Result<Vec<MovedTable>, CliError> {
    check_exists(directory)?;
    let _lock = InstanceLock::try_acquire(directory)?;
    let file = directory.join(store::FILE_NAME);
    let mut source = transfer::open_sqlite(&file, Side::Source).await?;
    transfer::read_snapshot(&mut source).await?;
    // Read before the target changes: a damaged file is an error.
    let fingerprints = moved_fingerprints(&mut source, directory).await?;
    let mut target = transfer::connect_postgres(url, Side::Target).await?;
    transfer::begin_write(&mut target).await?;
    transfer::check_empty(&mut target).await?;
    for (name, fingerprint) in &fingerprints {
        if !key_fingerprints::agree(&mut target, name, fingerprint).await? {
            return Err(KeyProblem::Other.of(directory, name));
        }
    }
    let tables = transfer::copy_all(&mut source, &mut target, &mut ProgressLines::new()).await?;
    transfer::commit(target).await?;
    integrity::close(source).await;
    Ok(tables)
}

/// Moves a PostgreSQL database into a data directory, by a temporary file.
async fn to_directory(url: &str, directory: &Path) -> Result<Vec<MovedTable>, CliError> {
    let mut source = transfer::connect_postgres(url, Side::Source).await?;
    transfer::read_snapshot(&mut source).await?;
    let fingerprints = moved_fingerprints(&mut source, directory).await?;
    data_directory::create(directory)?;
    let _lock = InstanceLock::try_acquire(directory)?;
    let file = directory.join(store::FILE_NAME);
    check_replaceable(&file).await?;

    let failed = |cause| directory_error(directory, cause);
    let temporary_file = TemporaryFile::new(&file).map_err(failed)?;
    let created = transfer::create_sqlite(temporary_file.path()).await;
    let mut target = created.map_err(|cause| Side::Target.error(cause))?;
    let tables = transfer::copy_all(&mut source, &mut target, &mut ProgressLines::new()).await?;
    for (name, fingerprint) in &fingerprints {
        key_fingerprints::agree(&mut target, name, fingerprint).await?;
    }
    transfer::commit(target).await?;
    check_file(temporary_file.path()).await?;
    remove_empty_database(&file).map_err(failed)?;
    temporary_file.complete(&file).map_err(failed)?;
    // The service of this directory used PostgreSQL before.
    record::remove(directory).map_err(failed)?;
    integrity::close(source).await;
    Ok(tables)
}

/// Checks that there is no database in a file, or one without data.
async fn check_replaceable(file: &Path) -> Result<(), CliError> {
    if file.metadata().map_or(true, |metadata| metadata.len() == 0) {
        return Ok(());
    }
    let mut existing = transfer::open_sqlite(file, Side::Target).await?;
    let checked = transfer::check_empty(&mut existing).await;
    integrity::close(existing).await;
    Ok(checked?)
}

/// Checks structure and references of the copy.
async fn check_file(file: &Path) -> Result<(), CliError> {
    let mut copy: Db = integrity::open(file).await?;
    let findings = integrity::check_file(&mut copy).await;
    integrity::close(copy).await;
    match findings?.first() {
        None => Ok(()),
        Some(first) => Err(CliError::IntegrityCheck(format!(
            "the copy is not sound and was removed: {first}"
        ))),
    }
}

/// Deletes the files of a database without data.
fn remove_empty_database(file: &Path) -> io::Result<()> {
    let mut files = vec![file.to_owned()];
    for suffix in SQLITE_SUFFIXES {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        files.push(PathBuf::from(name));
    }
    for file in files {
        match std::fs::remove_file(file) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
            _ => {}
        }
    }
    Ok(())
}

fn has_keys(directory: &Path) -> bool {
    [token::KEY_FILE, seal::KEY_FILE]
        .iter()
        .all(|name| directory.join(name).exists())
}

/// Returns the fingerprints of the keys that the source was used with, or else of those that the directory has.
///
/// # Errors
///
/// If the directory has another key.
async fn moved_fingerprints(
    source: &mut Db,
    directory: &Path,
) -> Result<Vec<(String, String)>, CliError> {
    let mut fingerprints = key_fingerprints::all(source).await?;
    for (name, keys) in key_files::all(directory)? {
        match fingerprints.iter().find(|(stored, _)| stored == name) {
            Some((_, stored)) if !keys.has(stored) => {
                return Err(KeyProblem::Other.of(directory, name));
            }
            Some(_) => {}
            None => fingerprints.push((name.to_owned(), keys.fingerprint().to_owned())),
        }
    }
    Ok(fingerprints)
}

fn number_of_rows(count: u64) -> String {
    match count {
        1 => "1 row".to_owned(),
        _ => format!("{count} rows"),
    }
}

/// Prints the tables with rows, the total, and what is left to do.
fn print_summary(tables: &[MovedTable], elapsed: Duration, hint: &str) {
    let total: u64 = tables.iter().map(|table| table.rows).sum();
    let rows: Vec<[String; 3]> = tables
        .iter()
        .filter(|table| table.rows > 0)
        .map(|table| {
            [
                table.name.clone(),
                table.rows.to_string(),
                table.checksum.clone(),
            ]
        })
        .collect();
    let seconds = elapsed.as_secs_f64();
    // A closed pipe, such as that of `head`, is no error: the data was moved.
    let _ = write!(
        io::stdout(),
        "{}moved and compared {total} rows in {seconds:.1} s\n{hint}\n",
        columns(["TABLE", "ROWS", "CHECKSUM"], &rows),
    );
}

/// Lines of progress on standard error, one per table with rows. In a terminal, the last one is updated.
struct ProgressLines {
    is_terminal: bool,
    updated: Instant,
}

impl ProgressLines {
    fn new() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
            updated: Instant::now(),
        }
    }
}

impl Progress for ProgressLines {
    fn copied(&mut self, table: &str, rows: u64) {
        if self.is_terminal && self.updated.elapsed() >= PROGRESS_INTERVAL {
            self.updated = Instant::now();
            let _ = write!(io::stderr(), "\r{table}: {}", number_of_rows(rows));
        }
    }

    fn finished(&mut self, table: &str, rows: u64) {
        if rows > 0 {
            let start = if self.is_terminal { "\r" } else { "" };
            let _ = writeln!(io::stderr(), "{start}{table}: {}", number_of_rows(rows));
        }
    }

    fn comparing(&mut self) {
        let _ = writeln!(io::stderr(), "comparing the rows");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::seal::SealingKey;

    #[tokio::test]
    async fn databases_of_one_kind_are_rejected() {
        for (from, to, expected) in [
            ("a", "a", "the same database"),
            ("a", "b", "a data directory and the other"),
            ("postgres://h/a", "postgres://h/a", "the same database"),
            (
                "postgres://h/a",
                "postgres://h/b",
                "a data directory and the other",
            ),
        ] {
            let error = run(from, to).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{from} {to}: {error}");
        }
    }

    #[test]
    fn directory_without_keys_gets_none() {
        let directory = tempfile::tempdir().unwrap();
        let files = || key_files::all(directory.path()).unwrap();
        assert!(files().is_empty());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        SealingKey::open(directory.path()).unwrap();
        assert_eq!(files().len(), 1);
        assert!(!has_keys(directory.path()));
    }
}
