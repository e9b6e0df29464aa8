//! Data in use by this process: those of the program, until a command or the service sets others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use crate::data::ZoneData;
use crate::zone::Zone;

static DATA: LazyLock<RwLock<Arc<ZoneData>>> =
    LazyLock::new(|| RwLock::new(Arc::new(ZoneData::bundled())));

static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Returns the data in use.
pub fn data() -> Arc<ZoneData> {
    DATA.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Returns a number that changes with the data: what was computed from zones is valid for one generation. Read it before
/// the zones.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// Replaces the data in use. Zones that were taken from the former data keep their rules.
pub fn set(data: ZoneData) {
    let mut current = DATA.write().unwrap_or_else(PoisonError::into_inner);
    *current = Arc::new(data);
    GENERATION.fetch_add(1, Ordering::Release);
}

impl Zone {
    /// Returns the zone with an IANA name in the data in use; names are case-sensitive.
    pub fn named(name: &str) -> Option<Self> {
        data().zone(name)
    }
}
