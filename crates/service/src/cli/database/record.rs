//! Record of the database that the service of a data directory uses.
//!
//! A command that is run by hand can lack the settings of the service. It would change another database without an error,
//! such as a new file beside the keys of a replica: it compares its database with the record first.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::auth::private_file::write_private;
use crate::cli::error::CliError;
use crate::store::{self, PostgresName};

/// Name of the file inside the data directory.
const FILE_NAME: &str = "service.database";

/// Database of a service or a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UsedDatabase {
    /// The file in the data directory.
    Sqlite,
    /// A database of a PostgreSQL server.
    Postgres(String),
}

impl UsedDatabase {
    /// Returns the database of an address; that of the directory without one.
    pub(crate) fn of(url: Option<&str>) -> Self {
        match url {
            None => Self::Sqlite,
            // An address that cannot be parsed is refused later.
            Some(url) => Self::Postgres(PostgresName::of(url).map_or_else(
                |_| "an address that is not valid".to_owned(),
                |name| name.to_string(),
            )),
        }
    }

    /// Returns where the database is, without a password.
    pub(crate) fn place(&self, directory: &Path) -> String {
        match self {
            Self::Sqlite => format!("SQLite {}", directory.join(store::FILE_NAME).display()),
            Self::Postgres(name) => format!("PostgreSQL {name}"),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.strip_prefix("postgres ") {
            Some(name) => Some(Self::Postgres(name.to_owned())),
            None => (text == "sqlite").then_some(Self::Sqlite),
        }
    }

    fn record(&self) -> String {
        match self {
            Self::Sqlite => "sqlite\n".to_owned(),
            Self::Postgres(name) => format!("postgres {name}\n"),
        }
    }
}

impl fmt::Display for UsedDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite => write!(f, "the file {} there", store::FILE_NAME),
            Self::Postgres(name) => write!(f, "PostgreSQL, {name}"),
        }
    }
}

/// Writes the database that a service uses, which has opened it.
pub(crate) fn write(directory: &Path, database: &UsedDatabase) {
    if read(directory).as_ref() == Some(database) {
        return;
    }
    let path = directory.join(FILE_NAME);
    if let Err(cause) = write_private(&path, database.record().as_bytes()) {
        // Only commands need it. A directory with the keys of replicas may be read-only.
        tracing::info!(%cause, "{FILE_NAME} was not written");
    }
}

/// Removes the record: the next service of the directory uses another database.
pub(crate) fn remove(directory: &Path) -> std::io::Result<()> {
    match fs::remove_file(directory.join(FILE_NAME)) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// Checks that a command uses the database of the directory's service.
///
/// # Errors
///
/// If it is another one.
pub(crate) fn check(directory: &Path, used: &UsedDatabase) -> Result<(), CliError> {
    match read(directory) {
        Some(recorded) if recorded != *used => Err(CliError::OtherDatabase {
            directory: directory.display().to_string(),
            recorded: recorded.to_string(),
            used: used.to_string(),
        }),
        _ => Ok(()),
    }
}

fn read(directory: &Path) -> Option<UsedDatabase> {
    UsedDatabase::parse(&fs::read_to_string(directory.join(FILE_NAME)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_with_another_database_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let file = UsedDatabase::of(None);
        let url = "postgres://booking:a-password@db.example/booking";
        let server = UsedDatabase::of(Some(url));
        let same = UsedDatabase::of(Some(
            "postgresql://other@db.example:5432/booking?sslmode=require",
        ));
        let other = UsedDatabase::of(Some("postgres://booking@db.example/shop"));
        assert!(check(directory.path(), &server).is_ok());
        write(directory.path(), &server);
        assert!(check(directory.path(), &server).is_ok());
        assert!(check(directory.path(), &same).is_ok());
        for used in [&file, &other] {
            let text = check(directory.path(), used).unwrap_err().to_string();
            assert!(
                text.contains("PostgreSQL, db.example:5432/booking"),
                "{text}"
            );
            assert!(text.contains("--env-file"), "{text}");
            assert!(!text.contains("a-password"), "{text}");
        }
        write(directory.path(), &file);
        assert!(check(directory.path(), &file).is_ok());
        assert!(check(directory.path(), &server).is_err());
        remove(directory.path()).unwrap();
        remove(directory.path()).unwrap();
        assert!(check(directory.path(), &server).is_ok());
    }
}
