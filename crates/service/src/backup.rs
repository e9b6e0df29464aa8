//! `service backup`: a copy of the database as it is at one moment, made while the service runs.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::auth::token::private_file;
use crate::check;
use crate::config::Backup;
use crate::serve::Problem;
use crate::store::{examine, upkeep};

/// Runs `service backup`. The file appears under its name when it is complete and examined.
pub async fn run(options: Backup) -> Result<(), Problem> {
    let backup = |cause: io::Error| Problem::Backup {
        file: options.to.display().to_string(),
        cause,
    };
    if options.to.exists() {
        return Err(backup(io::ErrorKind::AlreadyExists.into()));
    }
    let unfinished = Unfinished::new(&options.to).map_err(backup)?;

    let mut db = examine::open(&check::database(&options.data)).await?;
    let copied = upkeep::copy_into(&mut db, &unfinished.0).await;
    examine::close(db).await;
    copied?;

    let mut copy = examine::open(&unfinished.0).await?;
    let found = examine::soundness(&mut copy).await;
    examine::close(copy).await;
    if let Some(first) = found?.first() {
        return Err(Problem::Unsound(format!(
            "the copy is not sound and was removed: {first}"
        )));
    }
    unfinished.complete(&options.to).map_err(backup)?;
    println!("{}", options.to.display());
    Ok(())
}

/// A file beside the backup, private to its owner, that goes again unless it is completed.
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(backup: &Path) -> io::Result<Self> {
        let mut name = backup.as_os_str().to_owned();
        name.push(format!(".unfinished-{}", std::process::id()));
        let path = PathBuf::from(name);
        private_file(&path, true)?;
        Ok(Self(path))
    }

    /// Puts it on the disk for good, under its own name.
    fn complete(self, backup: &Path) -> io::Result<()> {
        File::open(&self.0)?.sync_all()?;
        // Fails if somebody else has made a file of that name meanwhile.
        fs::hard_link(&self.0, backup)?;
        let directory = backup
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Whatever the reason: an unfinished file is of no use.
        let _ = fs::remove_file(&self.0);
    }
}
