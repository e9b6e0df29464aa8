//! The database of a command: its place, and the commands that check, copy and change it as a whole.

pub mod backup;
pub mod check;
pub mod data_directory;
pub mod instance_lock;
pub(crate) mod key_files;
pub mod migrate;
pub(crate) mod record;
pub(crate) mod transfer;
pub mod url;
pub mod vacuum;
