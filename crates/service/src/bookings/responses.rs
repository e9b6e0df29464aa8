//! Compares a visitor's answers with the form of the event type.

use booking_wire::{BookingField, FieldKind, JsonMap};
use serde_json::{Value, json};

use crate::bookings::chosen_location::{Place, place};
use crate::bookings::create_request::Wanted;
use crate::error::Result;
use crate::error::violations::fits;
use crate::input_limits::{
    MAX_ANSWER_CHARS, MAX_ANSWERS_BYTES, MAX_BOOKING_TITLE_CHARS, MAX_ECHOED_CHARS, MAX_GUESTS,
};
use crate::store::event_types::Stored;
use crate::validate::{Checks, is_email, is_line, is_phone, is_text, is_url};

/// Answers to default fields that come among the responses.
const DEFAULT_ANSWERS: [&str; 3] = ["title", "notes", "rescheduleReason"];

/// What the event type's form made of the answers.
#[derive(Clone, Debug)]
pub struct Answers {
    /// Everything that is stored as `bookingFieldsResponses`.
    pub responses: JsonMap,
    /// Where to meet.
    pub place: Option<Place>,
}

impl Wanted {
    /// Compares the answers with the form of the event type. Only an insider, who hosts or runs
    /// the event type, may give the booking a title where the form does not ask for one.
    pub fn answer(&self, stored: &Stored, is_insider: bool) -> Result<Answers> {
        let mut checks = Checks::default();
        let fields = &stored.wire.booking_fields;
        for (slug, value) in &self.responses {
            if slug.chars().count() > MAX_ECHOED_CHARS {
                let complaint =
                    format!("must have a name of at most {MAX_ECHOED_CHARS} characters");
                let prefix = "bookingFieldsResponses";
                checks.complain_of_key(prefix, slug, value, "maxLength", &complaint);
            }
        }
        if !fits(&Value::Object(self.responses.clone()), MAX_ANSWERS_BYTES) {
            checks.complain(
                "bookingFieldsResponses",
                &Value::Null,
                "maxLength",
                &format!("must be at most {} KiB in all", MAX_ANSWERS_BYTES / 1024),
            );
        }
        for slug in DEFAULT_ANSWERS {
            if let Some(value) = self
                .responses
                .get(slug)
                .filter(|value| !is_short_text(value))
            {
                checks.complain(
                    &format!("bookingFieldsResponses.{slug}"),
                    value,
                    "isString",
                    "must be a string",
                );
            }
        }
        if let Some(value) = self.responses.get("title").filter(|value| !is_title(value)) {
            let complaint =
                format!("must be one line of at most {MAX_BOOKING_TITLE_CHARS} characters");
            let property = "bookingFieldsResponses.title";
            checks.complain(property, value, "maxLength", &complaint);
        }
        for field in custom(fields) {
            self.check_field(field, &mut checks);
        }
        let email = fields.iter().find(|field| field.kind == FieldKind::Email);
        if self.attendee.email.is_empty() && email.is_none_or(|field| field.required) {
            checks.complain(
                "attendee.email",
                &Value::Null,
                "isEmail",
                "must be an email",
            );
        }
        if stored.wire.disable_guests && !self.guests.is_empty() {
            checks.complain(
                "guests",
                &json!(self.guests.len()),
                "guestsDisabled",
                "are not allowed for this event type",
            );
        }
        if stored.is_seated() && !self.guests.is_empty() {
            checks.complain(
                "guests",
                &json!(self.guests.len()),
                "guestsDisabled",
                "cannot be brought to a shared meeting: each person takes a seat of their own",
            );
        }
        if self.is_instant && !(stored.wire.is_instant_event && stored.wire.team_id.is_some()) {
            checks.complain(
                "instant",
                &json!(true),
                "notInstant",
                "is for team event types that offer instant meetings only",
            );
        }
        if self.recurrence_count.is_some() && stored.wire.recurrence.is_none() {
            let count = json!(self.recurrence_count);
            checks.complain(
                "recurrenceCount",
                &count,
                "notRecurring",
                "is for recurring event types only",
            );
        }
        let place = place(&stored.wire.locations, self.location.as_ref(), &mut checks);
        checks.finish()?;

        // Answers to fields that the event type does not have are kept, as the real service does.
        let mut responses = self.responses.clone();
        if !is_insider && !shows(fields, "title") {
            // A title heads lists, calendar files and messages: not where nobody was asked for it.
            responses.remove("title");
        }
        responses.insert("name".into(), json!(self.attendee.name));
        responses.insert("email".into(), json!(self.attendee.email));
        if let Some(phone) = &self.attendee.phone_number {
            responses.insert("attendeePhoneNumber".into(), json!(phone));
        }
        responses.insert("guests".into(), json!(self.guests));
        if let Some(place) = &place {
            responses.insert("location".into(), place.response.clone());
        }
        Ok(Answers { responses, place })
    }

    fn check_field(&self, field: &BookingField, checks: &mut Checks) {
        let property = format!("bookingFieldsResponses.{}", field.slug);
        let value = self
            .responses
            .get(&field.slug)
            .filter(|value| !value.is_null());
        let Some(value) = value else {
            let phone_is_given =
                field.slug == "attendeePhoneNumber" && self.attendee.phone_number.is_some();
            if field.required && !field.hidden && !phone_is_given {
                checks.complain(&property, &Value::Null, "isDefined", "is required");
            }
            return;
        };
        if field.required && !field.hidden && is_blank(value, field.kind) {
            checks.complain(&property, value, "isNotEmpty", "is required");
        } else if let Err(complaint) = check_answer(field, value) {
            checks.complain(&property, value, "isValidResponse", &complaint);
        }
    }
}

/// Custom fields. Hidden ones may be answered by the page, and need not be.
fn custom(fields: &[BookingField]) -> impl Iterator<Item = &BookingField> {
    fields
        .iter()
        .filter(|field| !field.is_default && field.kind != FieldKind::Unknown)
}

/// Returns true if the form shows the field `slug`.
fn shows(fields: &[BookingField], slug: &str) -> bool {
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
        // A box that has to be ticked is not answered by leaving it empty.
        Value::Bool(ticked) => kind == FieldKind::Boolean && !ticked,
        _ => false,
    }
}

fn is_short_text(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.chars().count() <= MAX_ANSWER_CHARS && is_text(text))
}

fn check_answer(field: &BookingField, value: &Value) -> Result<(), String> {
    let refuse = |complaint: &str| Err(complaint.to_owned());
    let is_option = |value: &Value| match value {
        Value::String(text) => field.options.contains(text),
        Value::Number(number) => field.options.contains(&number.to_string()),
        _ => false,
    };
    // An optional field may be sent empty.
    if !field.required && value.as_str().is_some_and(str::is_empty) {
        return Ok(());
    }
    match field.kind {
        FieldKind::Number if !value.is_number() => refuse("must be a number"),
        FieldKind::Boolean if !value.is_boolean() => refuse("must be a boolean"),
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
            _ => refuse("must be an array of emails"),
        },
        FieldKind::Number | FieldKind::Boolean | FieldKind::Select | FieldKind::Radio => Ok(()),
        _ if !is_short_text(value) => refuse("must be a string"),
        FieldKind::Phone if !value.as_str().is_some_and(is_phone) => {
            refuse("must be a phone number with country code, like +390612345678")
        }
        FieldKind::Url if !value.as_str().is_some_and(is_url) => {
            refuse("must be a URL that begins with https://")
        }
        FieldKind::Email if !value.as_str().is_some_and(is_email) => refuse("must be an email"),
        _ => Ok(()),
    }
}

/// Returns true if no element stands twice. There are no more of them than options.
fn are_unique(items: &[Value]) -> bool {
    items
        .iter()
        .enumerate()
        .all(|(index, item)| !items.iter().take(index).any(|other| other == item))
}
