//! A file that appears under its name when it is complete.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::auth::private_file::private_file;

/// A file next to the one it becomes, private to its owner; deleted unless it is completed.
#[derive(Debug)]
pub(super) struct TemporaryFile(PathBuf);

impl TemporaryFile {
    /// Creates the file that becomes `target`.
    pub(super) fn new(target: &Path) -> io::Result<Self> {
        let mut name = target.as_os_str().to_owned();
        name.push(format!(".unfinished-{}", std::process::id()));
        let path = PathBuf::from(name);
        private_file(&path, true)?;
        Ok(Self(path))
    }

    /// Returns the path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Syncs the file to disk and gives it its final name, which must not exist.
    pub(super) fn complete(self, target: &Path) -> io::Result<()> {
        File::open(&self.0)?.sync_all()?;
        publish(&self.0, target, &PUBLISH_METHODS)?;
        let directory = target
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        match File::open(directory.unwrap_or(Path::new(".")))?.sync_all() {
            // Some network file systems cannot sync directories.
            Err(cause) if is_unsupported(&cause) => Ok(()),
            result => result,
        }
    }
}

/// Gives a finished file its name. Fails if the name exists.
type PublishMethod = fn(&Path, &Path) -> io::Result<()>;

/// Methods that never overwrite a file, the best first. Network file systems, FAT and some FUSE
/// file systems support neither of the first two.
const PUBLISH_METHODS: [PublishMethod; 3] = [rename, link, copy_contents];

/// Tries one method after the other. Stops if the name exists.
fn publish(from: &Path, to: &Path, methods: &[PublishMethod]) -> io::Result<()> {
    let mut error = io::Error::from(io::ErrorKind::Unsupported);
    for method in methods {
        match method(from, to) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => error = cause,
            result => return result,
        }
    }
    Err(error)
}

#[cfg(target_os = "linux")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

/// Not supported: the portable call overwrites files.
#[cfg(not(target_os = "linux"))]
fn rename(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to)
}

/// The last resort: the name exists before the content is complete. Deleted after a failure.
fn copy_contents(from: &Path, to: &Path) -> io::Result<()> {
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

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // After completion by renaming, the file does not exist any more.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsupported(_: &Path, _: &Path) -> io::Result<()> {
        // EPERM is the error of link(2) on a file system without hard links.
        Err(io::ErrorKind::PermissionDenied.into())
    }

    #[test]
    fn publish_gives_the_name_and_overwrites_nothing_with_every_method() {
        let combinations: [&[PublishMethod]; 5] = [
            &PUBLISH_METHODS,
            &[rename],
            &[unsupported, link, copy_contents],
            &[unsupported, unsupported, copy_contents],
            &[copy_contents],
        ];
        for (number, methods) in combinations.into_iter().enumerate() {
            if cfg!(not(target_os = "linux")) && number == 1 {
                continue;
            }
            let directory = tempfile::tempdir().unwrap();
            let (from, to) = (directory.path().join("a"), directory.path().join("b"));
            fs::write(&from, "new").unwrap();
            publish(&from, &to, methods).unwrap();
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
            let error = publish(&from, &to, methods).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{number}");
            assert_eq!(fs::read(&to).unwrap(), b"new", "{number}");
        }
    }

    #[test]
    fn publish_stops_at_a_method_that_finds_the_name_taken() {
        let name_taken: PublishMethod = |_, _| Err(io::ErrorKind::AlreadyExists.into());
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("a"), directory.path().join("b"));
        fs::write(&from, "new").unwrap();
        assert!(publish(&from, &to, &[unsupported, name_taken, copy_contents]).is_err());
        assert!(!to.exists());
    }

    #[test]
    fn failed_copy_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let to = directory.path().join("b");
        let missing = directory.path().join("none");
        let error = publish(&missing, &to, &[unsupported, copy_contents]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!to.exists());
    }
}
