//! `service check`: is a database whole, and does it keep the service's promises.

use std::path::{Path, PathBuf};

use super::args::Check;
use super::error::CliError;
use crate::store::{FILE_NAME, examine};

/// Runs `service check`: prints what is wrong, one finding per line.
pub async fn run(options: Check) -> Result<(), CliError> {
    let file = database(&options.data);
    let found = examine(&file).await?;
    for finding in &found {
        println!("{finding}");
    }
    match found.len() {
        0 => {
            println!("{}: sound", file.display());
            Ok(())
        }
        1 => Err(CliError::Unsound("1 finding".to_owned())),
        several => Err(CliError::Unsound(format!("{several} findings"))),
    }
}

/// What is wrong with a database file. It is only read.
pub async fn examine(file: &Path) -> Result<Vec<String>, CliError> {
    let mut db = examine::open(file).await?;
    let found = async {
        let found = examine::soundness(&mut db).await?;
        // Rows of a damaged file tell nothing.
        if found.is_empty() {
            examine::promises(&mut db).await
        } else {
            Ok(found)
        }
    };
    let found = found.await;
    examine::close(db).await;
    Ok(found?)
}

/// The database file of a data directory; a file is one itself.
pub(crate) fn database(data: &Path) -> PathBuf {
    if data.is_dir() {
        data.join(FILE_NAME)
    } else {
        data.to_owned()
    }
}
