//! The running process: connections, shutdown, and work that no request causes.

pub mod connections;
pub mod maintenance;
pub mod shutdown;
pub mod supervisor;
pub mod worker;
pub mod zone_data;
