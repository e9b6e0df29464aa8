//! Files that only their owner can read.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Creates a complete file that only its owner can read.
///
/// # Errors
///
/// [`ErrorKind::AlreadyExists`] if there is one, which stays.
pub(super) fn create_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.new", std::process::id()));
    let temporary = Path::new(&temporary);
    // Renaming would replace a file that another process has created.
    write_private(temporary, content)?;
    match fs::hard_link(temporary, path) {
        // A file system without hard links.
        Err(cause) if cause.kind() != ErrorKind::AlreadyExists => fs::rename(temporary, path),
        created => fs::remove_file(temporary).and(created),
    }
}

/// Writes a file that only its owner can read: to a temporary file that is then renamed, so that
/// the file is never incomplete.
pub fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = Path::new(&temporary);
    // Left by an interrupted start, possibly with other permissions.
    let _ = fs::remove_file(temporary);
    let mut file = private_file(temporary, true)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(temporary, path)
}

/// Opens a file that only its owner can read; creates it if it does not exist.
pub fn private_file(path: &Path, truncate: bool) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(truncate);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_of_another_process_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        create_private(&path, &[1; 32]).unwrap();
        let second = create_private(&path, &[2; 32]).unwrap_err();
        assert_eq!(second.kind(), ErrorKind::AlreadyExists);
        assert_eq!(fs::read(path).unwrap(), [1; 32]);
    }
}
