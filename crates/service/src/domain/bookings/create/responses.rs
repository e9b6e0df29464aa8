//! Validates form responses against the booking fields of the event type.

use booking_wire::{BookingField, FieldKind, JsonMap};
use serde_json::{Value, json};

use crate::domain::bookings::create::request::CreateBooking;
use crate::domain::bookings::location::chosen::{ChosenLocation, choose_location};
use crate::error::Result;
use crate::error::field_errors::fits;
use crate::input_limits::{
    MAX_ANSWER_CHARS, MAX_ANSWERS_BYTES, MAX_BOOKING_TITLE_CHARS, MAX_ECHOED_CHARS, MAX_GUESTS,
};
use crate::store::event_types::StoredEventType;
use crate::validate::{Checks, TEXT_MESSAGE, is_email, is_line, is_phone, is_text, is_url};

/// Default fields whose values are in `bookingFieldsResponses`.
const DEFAULT_FIELDS: [&str; 3] = ["title", "notes", "rescheduleReason"];

/// Validated form responses.
#[derive(Clone, Debug)]
pub struct FormResponses {
    /// Value to store as `bookingFieldsResponses`.
    pub responses: JsonMap,
    /// Location of the booking.
    pub location: Option<ChosenLocation>,
}

impl CreateBooking {
    /// Validates the responses against the form of the event type. Only hosts and managers of the
    /// event type may set a title if the form does not ask for one.
    pub fn check_responses(
        &self,
        stored: &StoredEventType,
        has_host_access: bool,
    ) -> Result<FormResponses> {
        let mut checks = Checks::default();
        let fields = &stored.wire.booking_fields;
        for (slug, value) in &self.responses {
            if slug.chars().count() > MAX_ECHOED_CHARS {
                let message = format!("must have a name of at most {MAX_ECHOED_CHARS} characters");
                let prefix = "bookingFieldsResponses";
                checks.report_key(prefix, slug, value, "maxLength", &message);
            }
        }
        if !fits(&Value::Object(self.responses.clone()), MAX_ANSWERS_BYTES) {
            checks.report(
                "bookingFieldsResponses",
                &Value::Null,
                "maxLength",
                &format!("must be at most {} KiB in all", MAX_ANSWERS_BYTES / 1024),
            );
        }
        for slug in DEFAULT_FIELDS {
            if let Some(value) = self.responses.get(slug)
                && let Err(message) = check_text(value)
            {
                let property = format!("bookingFieldsResponses.{slug}");
                checks.report(&property, value, "isString", &message);
            }
        }
        if let Some(value) = self.responses.get("title").filter(|value| !is_title(value)) {
            let message =
                format!("must be one line of at most {MAX_BOOKING_TITLE_CHARS} characters");
            let property = "bookingFieldsResponses.title";
            checks.report(property, value, "maxLength", &message);
        }
        for field in custom_fields(fields) {
            self.check_field(field, &mut checks);
        }
        let email = fields.iter().find(|field| field.kind == FieldKind::Email);
        if self.attendee.email.is_empty() && email.is_none_or(|field| field.required) {
            checks.report(
                "attendee.email",
                &Value::Null,
                "isEmail",
                "must be an email",
            );
        }
        if stored.wire.disable_guests && !self.guests.is_empty() {
            checks.report(
                "guests",
                &json!(self.guests.len()),
                "guestsDisabled",
                "are not allowed for this event type",
            );
        }
        if stored.is_seated() && !self.guests.is_empty() {
            checks.report(
                "guests",
                &json!(self.guests.len()),
                "guestsDisabled",
                "cannot be brought to a shared meeting: each person takes a seat of their own",
            );
        }
        if self.is_instant && !(stored.wire.is_instant_event && stored.wire.team_id.is_some()) {
            checks.report(
                "instant",
                &json!(true),
                "notInstant",
                "is for team event types that offer instant meetings only",
            );
        }
        let series_keys = [
            ("recurrenceCount", self.recurrence_count.is_some()),
            ("recurrenceStarts", self.recurrence_starts.is_some()),
        ];
        for (key, is_given) in series_keys {
            if is_given && stored.wire.recurrence.is_none() {
                let message = "is for recurring event types only";
                checks.report(key, &Value::Null, "notRecurring", message);
            }
        }
        let location = choose_location(&stored.wire.locations, self.location.as_ref(), &mut checks);
        checks.finish()?;

        // Responses to unknown fields are stored, as the real service does.
        let mut responses = self.responses.clone();
        if !has_host_access && !is_visible(fields, "title") {
            // The title is in lists, calendar files and messages: visitors need a form field for it.
            responses.remove("title");
        }
        responses.insert("name".into(), json!(self.attendee.name));
        responses.insert("email".into(), json!(self.attendee.email));
        if let Some(phone) = &self.attendee.phone_number {
            responses.insert("attendeePhoneNumber".into(), json!(phone));
        }
        responses.insert("guests".into(), json!(self.guests));
        if let Some(location) = &location {
            responses.insert("location".into(), location.response.clone());
        }
        Ok(FormResponses {
            responses,
            location,
        })
    }

    fn check_field(&self, field: &BookingField, checks: &mut Checks) {
        let property = format!("bookingFieldsResponses.{}", field.slug);
        let value = self
            .responses
            .get(&field.slug)
            .filter(|value| !value.is_null());
        let Some(value) = value else {
            let has_phone =
                field.slug == "attendeePhoneNumber" && self.attendee.phone_number.is_some();
            if field.required && !field.hidden && !has_phone {
                checks.report(&property, &Value::Null, "isDefined", "is required");
            }
            return;
        };
        if field.required && !field.hidden && is_blank(value, field.kind) {
            checks.report(&property, value, "isNotEmpty", "is required");
        } else if let Err(message) = check_response(field, value) {
            checks.report(&property, value, "isValidResponse", &message);
        }
    }
}

/// Custom fields. Hidden ones may be filled in by the page, and are never required.
fn custom_fields(fields: &[BookingField]) -> impl Iterator<Item = &BookingField> {
    fields
        .iter()
        .filter(|field| !field.is_default && field.kind != FieldKind::Unknown)
}

/// Returns true if the form has a visible field `slug`.
fn is_visible(fields: &[BookingField], slug: &str) -> bool {
    fields
        .iter()
        .any(|field| field.slug == slug && !field.hidden)
}

fn is_title(value: &Value) -> bool {
    value
        .as_str()
        .is_none_or(|text| text.chars().count() <= MAX_BOOKING_TITLE_CHARS && is_line(text))
}

fn is_blank(value: &Value, kind: FieldKind) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        // A required checkbox has to be ticked.
        Value::Bool(ticked) => kind == FieldKind::Boolean && !ticked,
        _ => false,
    }
}

fn check_text(value: &Value) -> Result<(), String> {
    match value.as_str() {
        None => Err("must be a string".to_owned()),
        Some(text) if text.chars().count() > MAX_ANSWER_CHARS => Err(format!(
            "must be at most {MAX_ANSWER_CHARS} characters long"
        )),
        Some(text) if !is_text(text) => Err(TEXT_MESSAGE.to_owned()),
        Some(_) => Ok(()),
    }
}

fn check_response(field: &BookingField, value: &Value) -> Result<(), String> {
    let reject = |message: &str| Err(message.to_owned());
    let is_option = |value: &Value| match value {
        Value::String(text) => field.options.contains(text),
        Value::Number(number) => field.options.contains(&number.to_string()),
        _ => false,
    };
    // An optional field may be empty.
    if !field.required && value.as_str().is_some_and(str::is_empty) {
        return Ok(());
    }
    match field.kind {
        FieldKind::Number if !value.is_number() => reject("must be a number"),
        FieldKind::Boolean if !value.is_boolean() => reject("must be a boolean"),
        FieldKind::Select | FieldKind::Radio if !is_option(value) => {
            Err(format!("must be one of: {}", field.options.join(", ")))
        }
        FieldKind::Multiselect | FieldKind::Checkbox => match value.as_array() {
            Some(items)
                if items.len() <= field.options.len()
                    && items.iter().all(is_option)
                    && are_unique(items) =>
            {
                Ok(())
            }
            _ => Err(format!(
                "must be an array, without repetitions, of: {}",
                field.options.join(", ")
            )),
        },
        FieldKind::Multiemail => match value.as_array() {
            Some(items)
                if items.len() <= MAX_GUESTS
                    && items.iter().all(|item| item.as_str().is_some_and(is_email)) =>
            {
                Ok(())
            }
            _ => reject("must be an array of emails"),
        },
        FieldKind::Number | FieldKind::Boolean | FieldKind::Select | FieldKind::Radio => Ok(()),
        _ => check_text_response(field, value),
    }
}

fn check_text_response(field: &BookingField, value: &Value) -> Result<(), String> {
    let reject = |message: &str| Err(message.to_owned());
    check_text(value)?;
    match field.kind {
        FieldKind::Phone if !value.as_str().is_some_and(is_phone) => {
            reject("must be a phone number with country code, like +390612345678")
        }
        FieldKind::Url if !value.as_str().is_some_and(is_url) => {
            reject("must be a URL that begins with https://")
        }
        FieldKind::Email if !value.as_str().is_some_and(is_email) => reject("must be an email"),
        _ => Ok(()),
    }
}

/// Returns true if no element occurs twice. The caller limits the length to that of the options.
fn are_unique(items: &[Value]) -> bool {
    items
        .iter()
        .enumerate()
        .all(|(index, item)| !items.iter().take(index).any(|other| other == item))
}
