//! Last uses of API keys: collected in memory, written to the database every minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use booking_wire::Instant;

use crate::error::Result;
use crate::store::people::credentials;
use crate::store::{Store, Subject};

/// Age at which a stored last use is replaced by a newer one, in milliseconds.
const WRITE_INTERVAL_MS: i64 = 60 * 60_000;

/// Uses in epoch milliseconds that are not written yet, by the hash of the key. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct KeyUses(Arc<Mutex<HashMap<String, i64>>>);

impl KeyUses {
    /// Records a use, unless the stored last use is recent.
    pub fn record(&self, hash: &str, written_ms: Option<i64>, now: Instant) {
        let is_recent =
            |written: i64| (written..written.saturating_add(WRITE_INTERVAL_MS)).contains(&now.0);
        if !written_ms.is_some_and(is_recent) {
            self.lock().insert(hash.to_owned(), now.0);
        }
    }

    /// Writes the recorded uses. After a failure, the next use of the key is recorded again.
    pub async fn write(&self, store: &Store) -> Result<()> {
        let pending = std::mem::take(&mut *self.lock());
        if pending.is_empty() {
            return Ok(());
        }
        let mut transaction = store.begin(&[Subject::Rows]).await?;
        for (hash, at_ms) in pending {
            credentials::set_api_key_last_used(&mut transaction, &hash, at_ms).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, i64>> {
        // A panic cannot leave the map half-written, so poisoning is ignored.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_is_recorded_once_an_hour_or_after_the_clock_was_set_back() {
        for (written, now, pending) in [
            (None, 5, true),
            (Some(5), 5, false),
            (Some(5), 3_600_004, false),
            (Some(5), 3_600_005, true),
            (Some(5), 4, true),
        ] {
            let uses = KeyUses::default();
            uses.record("a", written, Instant(now));
            assert_eq!(uses.lock().get("a").is_some(), pending, "{written:?} {now}");
        }
    }
}
