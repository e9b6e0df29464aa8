//! The schema while a service runs: a newer version may migrate it, and may exclude this version.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{Error, Result};
use crate::schema::{Schema, SchemaState};

/// The schema is as this program needs it, or a newer one that it may use.
const USABLE: u8 = 0;
/// A newer schema, which this program may use.
const COMPATIBLE: u8 = 1;
/// This program may not use the schema any more.
const UNUSABLE: u8 = 2;

/// The schema as it was last seen. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct SchemaWatch {
    state: Arc<AtomicU8>,
    /// Version of this program's newest migration.
    known: i64,
}

impl SchemaWatch {
    /// Starts with a usable schema. `known` is the version of this program's newest migration.
    pub(crate) fn new(known: i64) -> Self {
        Self {
            state: Arc::default(),
            known,
        }
    }

    /// Stores what the schema is, and logs what has changed.
    pub(crate) fn record(&self, schema: Schema) {
        let state = match schema.state {
            SchemaState::Current => USABLE,
            SchemaState::Compatible { .. } => COMPATIBLE,
            _ => UNUSABLE,
        };
        let previous = self.state.swap(state, Ordering::Relaxed);
        match state {
            _ if state == previous => {}
            USABLE => tracing::info!("{schema}"),
            COMPATIBLE => tracing::warn!("{schema}"),
            _ => tracing::error!("{schema}: this process is not ready and writes nothing"),
        }
    }

    /// Stores the oldest version that may use the schema, which is cheaper to read than the whole state. After a version
    /// that is too new, only [`Self::record`] makes the schema usable again.
    pub(crate) fn record_oldest_version(&self, oldest: i64) {
        let known = self.known;
        if oldest > known && self.state.swap(UNUSABLE, Ordering::Relaxed) != UNUSABLE {
            tracing::error!(
                "the database needs version {oldest} or later, this program knows versions up to {known}: this \
                 process is not ready and writes nothing"
            );
        }
    }

    /// Returns false if this program may not use the schema any more.
    pub(crate) fn is_usable(&self) -> bool {
        self.state.load(Ordering::Relaxed) != UNUSABLE
    }

    /// Rejects a write if this program may not use the schema any more.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_usable() {
            return Ok(());
        }
        Err(Error::Unavailable(
            "a newer version has migrated it, and this version may not use it any more".into(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_rejected_while_the_schema_is_not_usable() {
        let (known, newer) = (7, 8);
        let watch = SchemaWatch::new(known);
        for (state, expected) in [
            (SchemaState::Compatible { version: newer }, true),
            (SchemaState::Newer { version: newer }, false),
            (SchemaState::Current, true),
        ] {
            watch.record(Schema { state, known });
            assert_eq!(watch.check().is_ok(), expected, "{state:?}");
        }
        watch.record_oldest_version(newer - 1);
        assert!(watch.check().is_ok());
        watch.record_oldest_version(newer);
        watch.record_oldest_version(newer - 1);
        assert!(watch.check().is_err());
    }
}
