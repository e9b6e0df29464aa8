//! Values of query parameters as text.

use crate::booking::{BookingUid, SortOrder, StatusFilter};
use crate::formats::instant::Instant;

/// A value of a query parameter.
pub trait Parameter {
    /// Returns its text; empty if there is nothing to send.
    fn text(&self) -> String;
}

/// Adds a parameter, unless it is empty. `#[wire(query)]` calls this for each field.
pub fn add(pairs: &mut Vec<(&'static str, String)>, name: &'static str, text: String) {
    if !text.is_empty() {
        pairs.push((name, text));
    }
}

impl Parameter for String {
    fn text(&self) -> String {
        self.clone()
    }
}

impl Parameter for i64 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Parameter for Instant {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Parameter for BookingUid {
    fn text(&self) -> String {
        self.0.clone()
    }
}

impl Parameter for StatusFilter {
    fn text(&self) -> String {
        self.as_str().to_owned()
    }
}

impl Parameter for SortOrder {
    fn text(&self) -> String {
        self.as_str().to_owned()
    }
}

impl<T: Parameter> Parameter for Option<T> {
    fn text(&self) -> String {
        self.as_ref().map_or_else(String::new, T::text)
    }
}

/// The interface separates elements by commas.
impl<T: Parameter> Parameter for Vec<T> {
    fn text(&self) -> String {
        let texts: Vec<String> = self.iter().map(T::text).collect();
        texts.join(",")
    }
}
