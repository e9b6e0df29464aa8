//! Message and error responses of version 1, and their wrappers.

use booking_wire_macros::wire;

/// Response with a message only.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[schema(as = Told)]
pub struct MessageResponse {
    /// For developers.
    pub message: String,
}

/// The body of an error response. One of `message` and `error` is present.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// Error message for developers.
    #[schema(nullable = false)]
    pub message: Option<String>,
    /// The same, sent if the API key is rejected.
    #[schema(nullable = false)]
    pub error: Option<String>,
    /// The path of the request. Never its query: the API key is there.
    #[schema(nullable = false)]
    pub url: Option<String>,
    /// The method of the request.
    #[schema(nullable = false)]
    pub method: Option<String>,
    /// Violations of invalid input, by property.
    #[schema(nullable = false)]
    pub data: Option<Vec<PropertyError>>,
}

/// A property that violates a constraint.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[schema(as = Complaint)]
pub struct PropertyError {
    /// Names of nested properties are joined by dots.
    pub property: String,
    /// Violated constraint.
    pub message: String,
}
