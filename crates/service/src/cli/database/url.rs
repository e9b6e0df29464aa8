//! Address of a PostgreSQL database: an option, its variable, or the variable that hosting platforms set.

use std::path::Path;

use clap::Args;

use super::record::{self, UsedDatabase};
use crate::cli::error::CliError;
use crate::store::{self, is_postgres_url};

/// Variable of many programs and platforms.
pub const PLATFORM_VARIABLE: &str = "DATABASE_URL";

/// Options of a command whose data can be in PostgreSQL.
#[derive(Clone, Debug, Default, Args)]
pub struct DatabaseUrl {
    /// PostgreSQL database to use instead of a file in the directory: `postgres://USER:PASSWORD@HOST/NAME`; empty for the
    /// file. If it is not set, the variable DATABASE_URL counts
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// Address of the PostgreSQL server itself, if --database-url is that of a pooler such as PgBouncer, which may then share
    /// its connections between transactions
    #[arg(long, value_name = "URL", hide_env_values = true)]
    pub database_direct_url: Option<String>,

    /// Value of [`PLATFORM_VARIABLE`]. It is an option because clap reads variables for options only.
    #[arg(long, value_name = "URL", env = PLATFORM_VARIABLE, hide = true, hide_env_values = true)]
    pub platform_database_url: Option<String>,
}

impl DatabaseUrl {
    /// The database of `url`.
    pub fn of(url: &str) -> Self {
        Self {
            database_url: Some(url.to_owned()),
            ..Self::default()
        }
    }

    /// Returns true if an address was given by [`PLATFORM_VARIABLE`] only.
    pub(crate) fn is_of_platform(&self) -> bool {
        self.database_url.is_none() && self.platform().is_some()
    }

    /// Returns the address to use; none for the database in the directory `data`.
    ///
    /// # Errors
    ///
    /// If only [`PLATFORM_VARIABLE`] is set, which may be meant for another program: if it names no PostgreSQL
    /// database, or the directory has a database, too.
    pub(crate) fn choose(&self, data: Option<&Path>) -> Result<Option<&str>, CliError> {
        if let Some(url) = &self.database_url {
            return Ok(Some(url.as_str()).filter(|url| !url.is_empty()));
        }
        let Some(url) = self.platform() else {
            return Ok(None);
        };
        if !is_postgres_url(url) {
            return Err(CliError::PlatformDatabase);
        }
        match data {
            Some(data) if has_database(data) => {
                Err(CliError::TwoDatabases(data.display().to_string()))
            }
            _ => Ok(Some(url)),
        }
    }

    /// Returns the address of the server itself, if the other one is that of a pooler.
    pub(crate) fn direct(&self) -> Option<&str> {
        let url = self.database_direct_url.as_deref();
        url.filter(|url| !url.is_empty())
    }

    /// Returns the address for a command: as [`Self::choose`], but without a pooler, and that of the service of the
    /// directory.
    ///
    /// # Errors
    ///
    /// Also if the service of the directory uses another database.
    pub(crate) fn choose_as_service(&self, data: Option<&Path>) -> Result<Option<&str>, CliError> {
        let url = self.choose(data)?;
        if let Some(directory) = data {
            record::check(directory, &UsedDatabase::of(url))?;
        }
        Ok(url.map(|url| self.direct().unwrap_or(url)))
    }

    fn platform(&self) -> Option<&str> {
        self.platform_database_url
            .as_deref()
            .filter(|url| !url.is_empty())
    }
}

fn has_database(directory: &Path) -> bool {
    let file = directory.join(store::FILE_NAME);
    file.metadata().is_ok_and(|file| file.len() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "postgres://db.example/booking";
    const PLATFORM: &str = "postgresql://platform.example/app";

    #[test]
    fn option_wins_over_variable_of_the_platform() {
        let directory = tempfile::tempdir().unwrap();
        for (option, platform, expected) in [
            (None, None, None),
            (Some(URL), None, Some(URL)),
            (Some(URL), Some(PLATFORM), Some(URL)),
            (Some(URL), Some("mysql://db.example/app"), Some(URL)),
            (None, Some(PLATFORM), Some(PLATFORM)),
            (None, Some(""), None),
            // Empty: the directory.
            (Some(""), Some(PLATFORM), None),
            (Some(""), None, None),
        ] {
            let options = DatabaseUrl {
                database_url: option.map(str::to_owned),
                platform_database_url: platform.map(str::to_owned),
                ..DatabaseUrl::default()
            };
            let chosen = options.choose(Some(directory.path())).unwrap();
            assert_eq!(chosen, expected, "{options:?}");
            assert_eq!(options.choose(None).unwrap(), expected, "{options:?}");
        }
    }

    #[test]
    fn command_uses_the_server_itself() {
        let options = DatabaseUrl {
            database_direct_url: Some(PLATFORM.to_owned()),
            ..DatabaseUrl::of(URL)
        };
        assert_eq!(options.choose(None).unwrap(), Some(URL));
        assert_eq!(options.choose_as_service(None).unwrap(), Some(PLATFORM));
        let file = DatabaseUrl {
            database_url: Some(String::new()),
            ..options
        };
        assert_eq!(file.choose_as_service(None).unwrap(), None);
    }

    #[test]
    fn variable_of_the_platform_for_another_kind_of_database_is_rejected() {
        for url in ["mysql://db.example/app", "file:app.sqlite", "nonsense"] {
            let options = DatabaseUrl {
                platform_database_url: Some(url.to_owned()),
                ..DatabaseUrl::default()
            };
            let error = options.choose(None).unwrap_err().to_string();
            assert!(error.starts_with("DATABASE_URL is not"), "{error}");
            assert!(!error.contains(url), "may have a password: {error}");
        }
    }

    #[test]
    fn variable_of_the_platform_beside_a_database_in_the_directory_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let data = Some(directory.path());
        let options = DatabaseUrl {
            platform_database_url: Some(PLATFORM.to_owned()),
            ..DatabaseUrl::default()
        };
        let file = directory.path().join(store::FILE_NAME);
        std::fs::write(&file, "").unwrap();
        assert_eq!(options.choose(data).unwrap(), Some(PLATFORM));
        std::fs::write(&file, "rows").unwrap();
        let error = options.choose(data).unwrap_err().to_string();
        assert!(error.contains("BOOKING_DATABASE_URL"), "{error}");
        assert_eq!(DatabaseUrl::of(URL).choose(data).unwrap(), Some(URL));
    }
}
