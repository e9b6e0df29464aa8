//! Collects validation errors.

use serde_json::Value;

use crate::error::field_errors::{FieldError, FieldErrors, echoed};
use crate::error::{Error, Result};
use crate::input_limits::MAX_REPORTED_VIOLATIONS;

/// Validation errors of a request.
#[derive(Debug, Default)]
pub struct Checks(FieldErrors);

impl Checks {
    /// Returns an error with one validation error.
    pub fn error(property: &str, value: &Value, rule: &'static str, message: &str) -> Error {
        let mut checks = Self::default();
        checks.report(property, value, rule, message);
        Error::Invalid(checks.0)
    }

    /// Adds an error for `property`, a name from the code.
    pub fn report(&mut self, property: &str, value: &Value, rule: &'static str, message: &str) {
        self.0
            .push(|| FieldError::new(property, value, rule, message));
    }

    /// Adds an error for `property`, and returns none as its value.
    pub fn reject<T>(
        &mut self,
        property: &str,
        value: &Value,
        rule: &'static str,
        message: &str,
    ) -> Option<T> {
        self.report(property, value, rule, message);
        None
    }

    /// Adds an error for the property `key` of the object `prefix`. The key comes from the request,
    /// so it is shortened.
    pub fn report_key(
        &mut self,
        prefix: &str,
        key: &str,
        value: &Value,
        rule: &'static str,
        message: &str,
    ) {
        self.0
            .push(|| FieldError::for_key(prefix, key, value, rule, message));
    }

    /// Puts the errors that `report` adds before those so far.
    pub fn put_first(&mut self, report: impl FnOnce(&mut Self)) {
        let later = std::mem::take(self);
        report(self);
        self.0.append(later.0);
    }

    /// Returns the validation errors, if any, as an error.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Invalid(self.0))
        }
    }

    /// Returns true if there are no errors.
    pub fn is_clean(&self) -> bool {
        self.0.is_empty()
    }
}

/// Logs names in a request that its operation does not know, shortened. `kind` is their kind in
/// the log message.
pub fn log_ignored<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let names: Vec<String> = names.take(MAX_REPORTED_VIOLATIONS).map(echoed).collect();
    if !names.is_empty() {
        tracing::debug!(?names, "ignored unknown {kind}");
    }
}
