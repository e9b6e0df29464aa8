//! Collects validation errors.

use serde_json::Value;

use crate::error::violations::{Violation, Violations, echoed};
use crate::error::{Error, Result};
use crate::input_limits::MAX_REPORTED_VIOLATIONS;

/// Collects violations while values are taken.
#[derive(Debug, Default)]
pub struct Checks(Violations);

impl Checks {
    /// Adds a complaint about `property`, whose name the service has chosen.
    pub fn complain(&mut self, property: &str, value: &Value, rule: &'static str, complaint: &str) {
        self.0
            .push(|| Violation::new(property, value, rule, complaint));
    }

    /// Adds a complaint about the property `key` of the object `prefix`, a name that the caller
    /// has made up.
    pub fn complain_of_key(
        &mut self,
        prefix: &str,
        key: &str,
        value: &Value,
        rule: &'static str,
        complaint: &str,
    ) {
        self.0
            .push(|| Violation::of_key(prefix, key, value, rule, complaint));
    }

    /// The complaints as an error, if there are any.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.0))
        }
    }

    /// Whether nothing has been complained about.
    pub fn is_clean(&self) -> bool {
        self.0.is_empty()
    }
}

/// Logs names that a request has and its operation does not know. They are shortened, because a
/// caller has made them up.
pub fn log_ignored<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let names: Vec<String> = names.take(MAX_REPORTED_VIOLATIONS).map(echoed).collect();
    if !names.is_empty() {
        tracing::debug!(?names, "ignored unknown {what}");
    }
}
