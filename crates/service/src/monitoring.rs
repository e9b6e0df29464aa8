//! Readiness and metrics, as monitoring systems read them.

pub mod health;
pub mod metrics;
pub mod traces;
