//! Time zones: IANA data, and conversions between instants and local times.
//!
//! The only crate that names `jiff`. Dates and times on a clock are chrono's, as in `booking-wire`; they have no zone.
//!
//! | Module | Contents |
//! |---|---|
//! | [`zone`] | [`Zone`]: local times, instants and transitions of one zone |
//! | [`data`] | [`ZoneData`]: all zones of one IANA version, from the program or from a directory |
//! | [`version`] | IANA versions, such as `2026f` |
//! | [`current`] | data in use by this process |

pub mod current;
pub mod data;
pub mod version;
pub mod zone;

pub use data::{Source, ZoneData, ZoneDataError};
pub use version::Version;
pub use zone::{LocalInstants, Observance, Offsets, Transition, UTC, Zone};
