//! `service backup`: a copy of the database as it is at one moment, made while the service runs.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::args::Backup;
use super::check;
use super::error::CliError;
use crate::auth::token::private_file;
use crate::store::upkeep::{self, Schema};
use crate::store::{Db, OpenError, examine};

/// Runs `service backup`. The file gets its name when it is examined.
pub async fn run(options: Backup) -> Result<(), CliError> {
    let backup = |cause: io::Error| CliError::Backup {
        file: options.to.display().to_string(),
        cause,
    };
    if options.to.exists() {
        return Err(backup(io::ErrorKind::AlreadyExists.into()));
    }
    let unfinished = Unfinished::new(&options.to).map_err(backup)?;

    let mut db = examine::open(&check::database(&options.data)).await?;
    let copied = copy(&mut db, &unfinished.0).await;
    examine::close(db).await;
    copied?;

    let mut copy = examine::open(&unfinished.0).await?;
    let found = examine::soundness(&mut copy).await;
    examine::close(copy).await;
    if let Some(first) = found?.first() {
        return Err(CliError::Unsound(format!(
            "the copy is not sound and was removed: {first}"
        )));
    }
    unfinished.complete(&options.to).map_err(backup)?;
    println!("{}", options.to.display());
    Ok(())
}

/// Copies a database of this version or an earlier one.
async fn copy(db: &mut Db, file: &Path) -> Result<(), CliError> {
    if let schema @ Schema::Newer { .. } = upkeep::schema(db).await? {
        return Err(OpenError::Schema(schema).into());
    }
    Ok(upkeep::copy_into(db, file).await?)
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
        publish(&self.0, backup, &WAYS)?;
        let directory = backup
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        match File::open(directory.unwrap_or(Path::new(".")))?.sync_all() {
            // Some network file systems have no such thing.
            Err(cause) if is_unsupported(&cause) => Ok(()),
            done => done,
        }
    }
}

/// Gives a finished file its name, unless there is a file of that name.
type Way = fn(&Path, &Path) -> io::Result<()>;

/// Ways that never overwrite anything, the best first. File systems of other machines, FAT and some
/// FUSE ones have neither of the first two.
const WAYS: [Way; 3] = [rename, link, copy_whole];

/// Tries one way after the other. A file that exists ends it.
fn publish(from: &Path, to: &Path, ways: &[Way]) -> io::Result<()> {
    let mut failed = io::Error::from(io::ErrorKind::Unsupported);
    for way in ways {
        match way(from, to) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => failed = cause,
            done => return done,
        }
    }
    Err(failed)
}

#[cfg(target_os = "linux")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// The usual call overwrites.
#[cfg(not(target_os = "linux"))]
fn rename(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to)
}

/// The last resort: the name is there before all of the content is. What fails half-way goes again.
fn copy_whole(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut target = options.open(to)?;
    let copied = File::open(from)
        .and_then(|mut source| io::copy(&mut source, &mut target))
        .and_then(|_| target.sync_all());
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

fn is_unsupported(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput
    )
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Whatever the reason: an unfinished file is of no use.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsupported(_: &Path, _: &Path) -> io::Result<()> {
        // EPERM: what link(2) says of a file system without hard links.
        Err(io::ErrorKind::PermissionDenied.into())
    }

    #[test]
    fn every_way_gives_the_name_and_overwrites_nothing() {
        let combinations: [&[Way]; 5] = [
            &WAYS,
            &[rename],
            &[unsupported, link, copy_whole],
            &[unsupported, unsupported, copy_whole],
            &[copy_whole],
        ];
        for (number, ways) in combinations.into_iter().enumerate() {
            if cfg!(not(target_os = "linux")) && number == 1 {
                continue;
            }
            let directory = tempfile::tempdir().unwrap();
            let (from, to) = (directory.path().join("a"), directory.path().join("b"));
            fs::write(&from, "new").unwrap();
            publish(&from, &to, ways).unwrap();
            assert_eq!(fs::read(&to).unwrap(), b"new", "{number}");
            #[cfg(unix)]
            if number >= 3 {
                use std::os::unix::fs::PermissionsExt;
                let mode = fs::metadata(&to).unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }

            // A link is the same file.
            let from = directory.path().join("c");
            fs::write(&from, "newer").unwrap();
            let refused = publish(&from, &to, ways).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists, "{number}");
            assert_eq!(fs::read(&to).unwrap(), b"new", "{number}");
        }
    }

    #[test]
    fn way_that_finds_the_name_taken_ends_the_search() {
        let taken: Way = |_, _| Err(io::ErrorKind::AlreadyExists.into());
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&from, "new").unwrap();
        assert!(publish(&from, &to, &[unsupported, taken, copy_whole]).is_err());
        assert!(!to.exists());
    }

    #[test]
    fn copy_that_fails_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let to = directory.path().join("b");
        let missing = directory.path().join("none");
        let failed = publish(&missing, &to, &[unsupported, copy_whole]).unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::NotFound);
        assert!(!to.exists());
    }
}
