//! Tells subscribers what happened (contract 7).
//!
//! | Module | Owns |
//! |---|---|
//! | [`payload`] | what is said of a booking or an absence |
//! | [`message`] | the body as it is sent: the envelope, or the subscriber's own template |
//! | [`signature`] | proves whose a message is |
//! | [`meetings`] | notes starts and ends of meetings when their time has come |
//! | [`network`] | where messages may go |
//! | [`courier`] | sends what is in the outbox, again if need be |
//! | [`queue`] | the outbox at the command line |

pub mod courier;
pub mod meetings;
pub mod message;
pub mod network;
pub mod payload;
pub mod queue;
pub mod signature;

/// Messages that have still to be delivered or given up.
pub use crate::store::upkeep::waiting_deliveries as queue_depth;
