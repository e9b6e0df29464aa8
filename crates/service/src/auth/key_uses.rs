//! Last uses of API keys: noted in memory while requests are answered, written every minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use booking_wire::Instant;

use crate::error::Result;
use crate::store::{Store, credentials};

/// Age at which a last use that has been written is replaced by a newer one.
const WRITTEN_EVERY_MS: i64 = 60 * 60_000;

/// Uses that are not written yet, by the hash of the key. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct KeyUses(Arc<Mutex<HashMap<String, i64>>>);

impl KeyUses {
    /// Notes a use, unless the last one that was written is recent.
    pub fn note(&self, hash: &str, written_ms: Option<i64>, now: Instant) {
        let is_recent =
            |written: i64| (written..written.saturating_add(WRITTEN_EVERY_MS)).contains(&now.0);
        if !written_ms.is_some_and(is_recent) {
            self.lock().insert(hash.to_owned(), now.0);
        }
    }

    /// Writes what was noted. Uses that cannot be written are noted again when the key is used.
    pub async fn write(&self, store: &Store) -> Result<()> {
        let noted = std::mem::take(&mut *self.lock());
        if noted.is_empty() {
            return Ok(());
        }
        let mut transaction = store.begin().await?;
        for (hash, at_ms) in noted {
            credentials::note_use(&mut transaction, &hash, at_ms).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, i64>> {
        // Nothing that holds the lock can leave it half-written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_is_noted_once_an_hour_or_when_the_clock_was_set_back() {
        for (written, now, noted) in [
            (None, 5, true),
            (Some(5), 5, false),
            (Some(5), 3_600_004, false),
            (Some(5), 3_600_005, true),
            (Some(5), 4, true),
        ] {
            let uses = KeyUses::default();
            uses.note("a", written, Instant(now));
            assert_eq!(uses.lock().get("a").is_some(), noted, "{written:?} {now}");
        }
    }
}
