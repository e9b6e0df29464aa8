//! Message about a failed booking.

/// Message about a failed booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitError {
    /// One line.
    pub title: String,
    /// Consequence and next step.
    pub text: String,
}
