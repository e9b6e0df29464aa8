//! Progress of moving a database.

/// Listener for progress.
pub trait Progress {
    /// `rows` of `table` were copied so far.
    fn copied(&mut self, table: &str, rows: u64);
    /// The copy of all rows of `table` is complete.
    fn finished(&mut self, table: &str, rows: u64);
    /// The comparison of all rows begins.
    fn comparing(&mut self);
}
