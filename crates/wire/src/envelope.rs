//! Envelope of every response, pagination and error body.

use booking_wire_macros::wire;
use serde_json::Value;

use crate::formats::instant::Instant;
use crate::read::{Fields, Read};

/// The body of a successful response.
#[wire(write)]
#[derive(Clone, Debug)]
pub struct Envelope<T> {
    status: &'static str,
    /// The payload.
    pub data: T,
    /// Booking lists only.
    pub pagination: Option<Pagination>,
    /// `{}` on the team bookings list, absent elsewhere.
    #[schema(value_type = Option<Object>)]
    pub error: Option<crate::read::JsonMap>,
    /// Extensions of Cal.com's interface that the operation supports; `search` is the parameter of
    /// booking lists. Absent elsewhere.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<String>, required = false)]
    pub extensions: &'static [&'static str],
}

/// Name of the extension that searches a list of bookings.
const SEARCH: &str = "search";

impl<T> Envelope<T> {
    /// Wraps `data` of a single object or an unpaged list.
    pub fn success(data: T) -> Self {
        Self {
            status: "success",
            data,
            pagination: None,
            error: None,
            extensions: &[],
        }
    }

    /// Wraps one page of a booking list.
    pub fn page(data: T, pagination: Pagination) -> Self {
        Self {
            status: "success",
            data,
            pagination: Some(pagination),
            error: Some(crate::read::JsonMap::new()),
            extensions: &[SEARCH],
        }
    }
}

/// Position of a page in its list.
#[wire(read, write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pagination {
    /// Number of all items that match.
    #[wire(required)]
    pub total_items: i64,
    /// Number of items after this page.
    pub remaining_items: i64,
    /// Number of items on this page.
    #[wire(alias = "itemsReturned")]
    pub returned_items: i64,
    /// Requested page size.
    pub items_per_page: i64,
    /// Page number from 1, also for an empty list.
    pub current_page: i64,
    /// Number of pages, 0 for an empty list.
    pub total_pages: i64,
    /// True if there are items after this page.
    pub has_next_page: bool,
    /// True if items were skipped.
    pub has_previous_page: bool,
}

impl Pagination {
    /// Computes the pagination of a list of `total` items. `take` is at least 1.
    pub fn new(total: i64, take: i64, skip: i64) -> Self {
        let take = take.max(1);
        let skip = skip.clamp(0, total.max(0));
        let total_pages = (total + take - 1) / take;
        Self {
            total_items: total,
            remaining_items: (total - skip - take).clamp(0, total),
            returned_items: (total - skip).clamp(0, take),
            items_per_page: take,
            current_page: (skip / take + 1).clamp(1, total_pages.max(1)),
            total_pages,
            has_next_page: skip + take < total,
            has_previous_page: skip > 0,
        }
    }

    /// The same page without its last `missing` items: they are on the next one, which begins after the returned items.
    #[must_use]
    pub fn with_fewer(self, missing: i64) -> Self {
        Self {
            remaining_items: self.remaining_items + missing,
            returned_items: self.returned_items - missing,
            has_next_page: self.has_next_page || missing > 0,
            ..self
        }
    }
}

/// A page of a list as read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page<T> {
    /// The readable elements, in the service's order.
    pub items: Vec<T>,
    /// Number of elements that could not be read.
    pub unreadable: usize,
    /// Absent if the service sent none.
    pub pagination: Option<Pagination>,
    /// True if the service can search the list.
    pub is_searchable: bool,
}

impl<T: Read> Page<T> {
    /// Reads a list response; `None` if `data` is not an array.
    pub fn read_envelope(body: &Value) -> Option<Self> {
        let fields = Fields::of(body)?;
        let elements = fields.value("data")?.as_array()?;
        let items: Vec<T> = elements.iter().filter_map(T::read).collect();
        Some(Self {
            unreadable: elements.len() - items.len(),
            items,
            pagination: fields.get("pagination"),
            is_searchable: fields
                .value("extensions")
                .and_then(Value::as_array)
                .is_some_and(|names| names.iter().any(|name| name == SEARCH)),
        })
    }
}

/// The body of an error response.
#[wire(write)]
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBody {
    status: &'static str,
    /// Instant of the response.
    pub timestamp: Instant,
    /// Path of the request with its query string.
    pub path: String,
    /// Error.
    pub error: ErrorDetail,
}

/// The `error` object of an error response.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorDetail {
    /// Name of the exception, such as `BadRequestException`.
    pub code: String,
    /// Message for developers; clients do not evaluate it.
    pub message: String,
    /// Repeats the status and, for validation, lists each property's constraints.
    pub details: Option<Value>,
}

impl ErrorBody {
    /// Wraps `error` of a call to `path`.
    pub fn new(timestamp: Instant, path: String, error: ErrorDetail) -> Self {
        Self {
            status: "error",
            timestamp,
            path,
            error,
        }
    }
}

impl ErrorDetail {
    /// Reads any of the JSON forms in Cal.com's interface. The message is the most specific text:
    /// the first constraint, else a list of texts in `error.details.message`, else `error.message`,
    /// else the top-level `message`; the latter two may be lists as well.
    pub fn read_body(body: &Value) -> Self {
        let error = body.get("error").unwrap_or(&Value::Null);
        let details = error.get("details").filter(|details| !details.is_null());
        let constraint = details.and_then(|details| first_constraint(details.get("errors")?));
        Self {
            code: error.get("code").and_then(String::read).unwrap_or_default(),
            message: constraint
                .or_else(|| list_text(details?.get("message")?))
                .or_else(|| message_text(error.get("message")?))
                .or_else(|| message_text(body.get("message")?))
                .unwrap_or_default(),
            details: details.cloned(),
        }
    }

    /// Returns the validation error of each property of the request, such as `attendee.email`, in
    /// `details.errors`, or else the property and text of the message.
    pub fn field_errors(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if let Some(errors) = self
            .details
            .as_ref()
            .and_then(|details| details.get("errors"))
        {
            collect_field_errors(errors, "", &mut found);
        }
        if found.is_empty() {
            found.extend(field_error_in(&self.message));
        }
        found
    }
}

/// Splits a message that begins with a property of the form, such as `attendee.email must be an
/// email`, or with the slug of a field and a colon.
fn field_error_in(message: &str) -> Option<(String, String)> {
    let (property, rest) = message.split_once(' ')?;
    if let Some(slug) = property.strip_suffix(':') {
        let property = ["bookingFieldsResponses.", slug].concat();
        return (!slug.is_empty()).then(|| (property, rest.trim().to_owned()));
    }
    let root = property.split(['.', '[']).next()?;
    let is_path = match root {
        "attendee" | "bookingFieldsResponses" | "responses" => property.len() > root.len(),
        "guests" | "location" => true,
        _ => false,
    };
    is_path.then(|| (property.to_owned(), rest.trim().to_owned()))
}

/// Reads a message, a text or a list of texts.
fn message_text(message: &Value) -> Option<String> {
    list_text(message).or_else(|| String::read(message))
}

/// Joins the texts of a list; `None` if there are none.
fn list_text(message: &Value) -> Option<String> {
    let texts: Vec<String> = message
        .as_array()?
        .iter()
        .filter_map(String::read)
        .collect();
    Some(texts.join(", ")).filter(|text| !text.is_empty())
}

fn collect_field_errors(errors: &Value, path: &str, found: &mut Vec<(String, String)>) {
    for error in errors.as_array().into_iter().flatten() {
        let mut property = path.to_owned();
        if let Some(name) = error.get("property").and_then(String::read) {
            if !property.is_empty() {
                property.push('.');
            }
            property.push_str(&name);
        }
        let constraints = error.get("constraints").and_then(Value::as_object);
        let texts = constraints.into_iter().flat_map(|texts| texts.values());
        if let Some(text) = texts.filter_map(String::read).next() {
            // The text begins with the property that it is about.
            let reason = text.strip_prefix(property.as_str());
            let reason = reason.map_or(text.as_str(), str::trim_start);
            found.push((property.clone(), reason.to_owned()));
        }
        if let Some(children) = error.get("children") {
            collect_field_errors(children, &property, found);
        }
    }
}

fn first_constraint(errors: &Value) -> Option<String> {
    errors.as_array()?.iter().find_map(|error| {
        error
            .get("constraints")
            .and_then(Value::as_object)
            .and_then(|constraints| constraints.values().find_map(String::read))
            .or_else(|| first_constraint(error.get("children")?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn field_errors_have_full_paths_of_nested_properties() {
        let body = json!({"error": {"message": "Bad Request Exception", "details": {"errors": [
            {"property": "attendee", "children": [
                {"property": "email", "constraints": {"isEmail": "attendee.email must be an email"}},
                {"property": "name", "constraints": {}},
            ]},
            {"property": "start", "constraints": {"isDateString": "is no date"}, "children": []},
            "odd",
        ]}}});
        let field_error = |property: &str, text: &str| (property.to_owned(), text.to_owned());
        assert_eq!(
            ErrorDetail::read_body(&body).field_errors(),
            [
                field_error("attendee.email", "must be an email"),
                field_error("start", "is no date"),
            ]
        );
        assert_eq!(ErrorDetail::read_body(&json!({})).field_errors(), []);
    }

    #[test]
    fn message_that_begins_with_a_property_is_a_field_error() {
        for (message, expected) in [
            (
                "attendee.email must be an email address of your company",
                Some(("attendee.email", "must be an email address of your company")),
            ),
            (
                "guests[1] must be an email",
                Some(("guests[1]", "must be an email")),
            ),
            (
                "bookingFieldsResponses.topic is required",
                Some(("bookingFieldsResponses.topic", "is required")),
            ),
            (
                "sig: signature expected",
                Some(("bookingFieldsResponses.sig", "signature expected")),
            ),
            ("responses are wrong", None),
            (": wrong", None),
            ("topic is required", None),
            ("attendee", None),
            ("", None),
        ] {
            let body = json!({"error": {"message": message}});
            let field_errors = ErrorDetail::read_body(&body).field_errors();
            let found = field_errors.first();
            let found = found.map(|(property, text)| (property.as_str(), text.as_str()));
            assert_eq!(found, expected, "{message}");
        }
    }

    #[test]
    fn message_written_as_a_list_is_read() {
        let list = json!(["email must be an email", 3, "name should not be empty"]);
        let text = "email must be an email, 3, name should not be empty";
        for (body, message) in [
            (json!({ "statusCode": 400, "message": list }), text),
            (json!({ "error": { "message": list } }), text),
            (
                json!({ "error": { "message": "Bad Request Exception", "details": { "message": list } } }),
                text,
            ),
            (
                json!({ "error": { "message": "no", "details": { "message": "also no" } } }),
                "no",
            ),
            (json!({ "error": { "message": [] }, "message": "no" }), "no"),
            (json!({ "message": [[], {}, null] }), ""),
        ] {
            assert_eq!(ErrorDetail::read_body(&body).message, message, "{body}");
        }
    }
}
