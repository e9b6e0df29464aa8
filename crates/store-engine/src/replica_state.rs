//! State of this replica, for metrics.

use crate::database::Store;

impl Store {
    /// Returns the milliseconds by which this machine's clock is ahead of the database server's at least: 0 if both may be the
    /// same. None before the first comparison, and with SQLite.
    pub fn measured_clock_difference(&self) -> Option<i64> {
        self.clock().measured()
    }

    /// Returns false if this program may not use the schema any more.
    pub fn may_use_schema(&self) -> bool {
        self.schema_watch().is_usable()
    }
}
