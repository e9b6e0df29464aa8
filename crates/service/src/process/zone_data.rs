//! Time zone data of this process: choice at the start, and renewal while it runs.
//!
//! Laws change several times a year. Operators renew the files of a directory, and the service reads them without a
//! restart; [`crate::domain::zone_review`] finds the bookings that a new law concerns.

use std::path::{Path, PathBuf};
use std::time::Duration;

use booking_wire::Instant;
use booking_wire::formats::instant::DAY_MS;
use booking_zones::data::{SYSTEM_DIRECTORY, version_of};
use booking_zones::{Version, ZoneData, ZoneDataError, current};
use tokio::time::sleep;

use crate::clock::Clock;

/// Age of a release from which on a newer one is expected: there are several a year.
pub const MAX_AGE_DAYS: i64 = 120;

/// Time between two looks at the file with the version. New files are read at the second look, when all are written.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Directory whose files are watched.
#[derive(Debug)]
pub struct Watch {
    directory: PathBuf,
    /// Version and time of the file with the version when the data were read, or an error was logged.
    read: Option<(Version, Instant)>,
    /// The same at the last look.
    seen: Option<(Version, Instant)>,
    has_failed: bool,
}

/// Uses the zones of a directory, or of the operating system, if they are newer than those of the program. Returns the
/// directory to watch.
///
/// # Errors
///
/// If the directory cannot be read. Without files of the operating system, as in a container, those of the program are
/// used.
pub fn load(directory: Option<&Path>) -> Result<Watch, ZoneDataError> {
    let watched = directory.unwrap_or(Path::new(SYSTEM_DIRECTORY));
    let read = version_of(watched).ok();
    match ZoneData::newest(watched) {
        Ok(data) => current::set(data),
        Err(error) if directory.is_some() => return Err(error),
        Err(_) if !watched.exists() => {}
        Err(error) => tracing::warn!(%error, "the time zones of the program are used"),
    }
    Ok(Watch {
        directory: watched.to_owned(),
        seen: read.clone(),
        read,
        has_failed: false,
    })
}

impl Watch {
    /// Reads new files until it is dropped. Warns of old data once a day.
    pub async fn run(mut self, clock: Clock) {
        let mut warned = None;
        loop {
            let now = clock.now();
            if let Some(age_days) = expired_age_days(now)
                && warned.is_none_or(|warned: Instant| now.0 - warned.0 >= DAY_MS)
            {
                warned = Some(now);
                tracing::warn!(
                    version = %current::data().version(),
                    age_days,
                    "time zone data are old: laws may have changed since (docs/operating.md, time zones)"
                );
            }
            sleep(POLL_INTERVAL).await;
            let look = tokio::task::spawn_blocking(move || {
                self.look();
                self
            });
            match look.await {
                Ok(watch) => self = watch,
                Err(error) => {
                    tracing::error!(%error, "time zone files are not watched any more");
                    return;
                }
            }
        }
    }

    /// Reads the files if they were the same new ones at the last look.
    fn look(&mut self) {
        let found = version_of(&self.directory).ok();
        let is_settled = found == self.seen;
        self.seen.clone_from(&found);
        if found.is_none() || found == self.read && !self.has_failed || !is_settled {
            return;
        }
        let before = current::data();
        match ZoneData::newest(&self.directory) {
            // The files were replaced in the meantime.
            Ok(_) if version_of(&self.directory).ok() != found => return,
            Ok(data) => {
                self.has_failed = false;
                let is_same =
                    before.version() == data.version() && before.source() == data.source();
                tracing::info!(
                    version = %data.version(),
                    source = %data.source(),
                    before = %before.version(),
                    is_same,
                    "time zone data were read again"
                );
                current::set(data);
            }
            Err(error) => {
                if !self.has_failed || found != self.read {
                    tracing::warn!(%error, version = %before.version(), "new time zone files cannot be read");
                }
                self.has_failed = true;
            }
        }
        self.read = found;
    }
}

/// Returns the age in days of data that are older than [`MAX_AGE_DAYS`].
pub fn expired_age_days(now: Instant) -> Option<i64> {
    let age_days = age_days(now);
    (age_days > MAX_AGE_DAYS).then_some(age_days)
}

/// Returns the age of the data in days.
pub fn age_days(now: Instant) -> i64 {
    (now.0 - current::data().released().0).max(0) / DAY_MS
}

/// Returns version and origin, with the age of old data: `2026f (built in)`.
pub fn summary(now: Instant) -> String {
    let data = current::data();
    let (version, source) = (data.version(), data.source());
    match expired_age_days(now) {
        Some(days) => format!("{version} ({source}), {days} days old: renew them"),
        None => format!("{version} ({source})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_old_after_120_days() {
        let data = ZoneData::bundled();
        let after = |days: i64| Instant(data.released().0 + days * DAY_MS);
        assert_eq!(expired_age_days(after(-3)), None);
        assert_eq!(expired_age_days(after(MAX_AGE_DAYS)), None);
        assert_eq!(
            expired_age_days(after(MAX_AGE_DAYS + 1)),
            Some(MAX_AGE_DAYS + 1)
        );
        let version = data.version();
        assert_eq!(summary(after(3)), format!("{version} (built in)"));
        assert_eq!(
            summary(after(200)),
            format!("{version} (built in), 200 days old: renew them")
        );
    }
}
