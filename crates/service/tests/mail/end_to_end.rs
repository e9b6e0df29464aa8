//! From a request to the service to the messages that the mail server receives.

mod delivery;
mod figures;
mod hidden;
mod kills;
mod kinds;
mod latency;
mod life;
mod limits;
mod text_fields;
