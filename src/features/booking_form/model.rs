//! Fields of an event type's form, and the booking request from their values. No DOM access.

use booking_wire::{
    BookingLocation, FieldKind, FieldOption, FormField, Instant, JsonMap, Location, NewAttendee,
    NewBooking, PublicEventType,
};
use serde_json::Value;

use super::field::{
    ATTENDEE_PHONE, InputField, LOCATION, LOCATION_ADDRESS, LOCATION_PHONE, LOCATION_TEXT, is_prose,
};
use super::validation::{FieldError, to_json, validate};
use super::values::FieldValues;
use crate::time::Zone;

/// Fields of an event type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// Fields in display order.
    pub fields: Vec<InputField>,
    /// Locations to choose from; more than one adds a field.
    pub locations: Vec<Location>,
    /// True if a booking must name its location: the event type has several, also of unknown kinds.
    requires_location: bool,
}

/// Most fields of a form that is shown as a whole.
const MAX_UNDIVIDED: usize = 8;

/// Most fields in a part of a longer one.
const MAX_IN_PART: usize = 5;

/// Errors by slug, in the order of the fields.
pub type FieldErrors = Vec<(String, FieldError)>;

/// Context of a booking request.
#[derive(Clone, Debug, PartialEq)]
pub struct BookingContext {
    /// Event type to book.
    pub event_type_id: i64,
    /// Start of the slot.
    pub start: Instant,
    /// Length in minutes, if there was a choice.
    pub length: Option<i64>,
    /// Visitor's time zone.
    pub zone: Zone,
    /// Visitor's language, if the interface has it: a code, or a tag for services that take one.
    pub language: Option<String>,
}

/// Message about a failed booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmitError {
    /// One line.
    pub title: String,
    /// Consequence and next step.
    pub text: String,
    /// Text of the service.
    pub details: Option<String>,
}

impl Form {
    /// Builds the form of `event_type`. Always has a field for the name, and for an e-mail address unless
    /// that is switched off.
    pub fn of(event_type: &PublicEventType) -> Self {
        let settings = event_type.booking_fields.get().unwrap_or_default();
        let setting_of = |slug: &str| settings.iter().find(|setting| setting.slug == slug);
        let mut fields = vec![InputField::default_field(
            "name",
            FieldKind::Name,
            true,
            setting_of("name"),
        )];
        if setting_of("email").is_none_or(|email| !email.hidden) {
            let is_required = setting_of("email").is_none_or(|email| email.required);
            fields.push(InputField::default_field(
                "email",
                FieldKind::Email,
                is_required,
                setting_of("email"),
            ));
        }
        let locations = bookable_locations(&event_type.locations);
        if locations.len() > 1 {
            let mut location = InputField::named(LOCATION, FieldKind::RadioInput, true);
            let label = setting_of(LOCATION).and_then(|setting| setting.label.clone());
            location.title = label.filter(|label| is_prose(label));
            location.options = (0..locations.len())
                .map(|index| FieldOption {
                    value: Value::from(index),
                    label: String::new(),
                })
                .collect();
            fields.push(location);
        } else if let [only] = locations.as_slice()
            && let Some(detail) = location_detail_field(only)
        {
            fields.push(detail);
        }
        let is_default = |setting: &FormField| {
            setting.is_default
                || matches!(
                    setting.slug.as_str(),
                    "name" | "email" | "location" | "title" | "rescheduleReason"
                )
        };
        for setting in settings.iter().filter(|setting| !is_default(setting)) {
            // Of two fields with one slug only one could be filled in.
            let is_duplicate = fields.iter().any(|field| field.slug == setting.slug);
            fields.extend(custom_field(setting).filter(|_| !is_duplicate));
        }
        let offers_guests = !event_type.booking_settings().disable_guests;
        for (slug, kind, is_offered) in [
            ("title", FieldKind::Text, true),
            ("guests", FieldKind::Multiemail, offers_guests),
            ("notes", FieldKind::Textarea, true),
        ] {
            if let Some(setting) = setting_of(slug)
                .filter(|setting| setting.is_default && !setting.hidden && is_offered)
            {
                fields.push(InputField::default_field(
                    slug,
                    kind,
                    setting.required,
                    Some(setting),
                ));
            }
        }
        Self {
            fields,
            locations,
            requires_location: event_type.locations.len() > 1,
        }
    }

    /// True if a field or a location requires a phone number.
    pub fn has_phone_field(&self) -> bool {
        let asks = |field: &InputField| field.kind == FieldKind::Phone;
        self.fields.iter().any(asks) || self.locations.contains(&Location::AttendeePhone)
    }

    /// Fields that are filled in together: all, or the parts of a long form. Folded and hidden fields belong to the part of
    /// the field before them.
    pub fn parts(&self) -> Vec<Vec<&InputField>> {
        let is_in_view = |field: &InputField| !field.is_hidden && !field.is_foldable();
        let in_view = self.fields.iter().filter(|field| is_in_view(field)).count();
        let number_of_parts = match in_view {
            0..=MAX_UNDIVIDED => 1,
            _ => in_view.div_ceil(MAX_IN_PART),
        };
        let size = in_view.div_ceil(number_of_parts);
        let mut parts = vec![Vec::new()];
        let mut room = size;
        for field in &self.fields {
            if is_in_view(field) {
                if room == 0 {
                    parts.push(Vec::new());
                    room = size;
                }
                room -= 1;
            }
            if let Some(part) = parts.last_mut() {
                part.push(field);
            }
        }
        parts
    }

    /// Part with the field `slug`, or with the location whose detail that is.
    pub fn part_of(&self, slug: &str) -> usize {
        let parts = self.parts();
        let part_with = |slug: &str| {
            (parts.iter()).position(|part| part.iter().any(|field| field.slug == slug))
        };
        (part_with(slug).or_else(|| part_with(LOCATION))).unwrap_or_default()
    }

    /// Fields that the visitor is asked for: hidden ones only with a prefilled value.
    fn asked_fields(&self, values: &FieldValues) -> Vec<InputField> {
        let mut fields = self.applicable_fields(values);
        fields.retain(|field| !field.is_hidden || values.has(&field.slug));
        fields
    }

    /// Every error of the form, or of one part.
    pub fn errors(&self, values: &FieldValues, part: Option<usize>) -> FieldErrors {
        let is_in_part =
            |field: &&InputField| part.is_none_or(|part| self.part_of(&field.slug) == part);
        (self.asked_fields(values).iter().filter(is_in_part))
            .filter_map(|field| Some((field.slug.clone(), validate(field, values)?)))
            .collect()
    }

    /// True if at least three quarters of the fields in view are required. Then the optional ones are marked.
    pub fn marks_optional(&self) -> bool {
        let in_view = |field: &&InputField| !field.is_hidden && !field.is_foldable();
        let all = self.fields.iter().filter(in_view).count();
        let is_required = |field: &&InputField| in_view(field) && field.is_required;
        let required = self.fields.iter().filter(is_required).count();
        required * 4 >= all * 3
    }

    /// Detail field of the location selected among several.
    pub fn location_detail(&self, values: &FieldValues) -> Option<InputField> {
        (self.locations.len() > 1)
            .then(|| self.selected_location(values))
            .flatten()
            .and_then(location_detail_field)
    }

    /// All fields that apply to `values`.
    pub fn applicable_fields(&self, values: &FieldValues) -> Vec<InputField> {
        let mut applicable_fields = Vec::with_capacity(self.fields.len() + 1);
        for field in &self.fields {
            applicable_fields.push(field.clone());
            if field.slug == LOCATION {
                applicable_fields.extend(self.location_detail(values));
            }
        }
        applicable_fields
    }

    /// Parses the request, or returns every error.
    pub fn parse(
        &self,
        values: &FieldValues,
        context: &BookingContext,
    ) -> Result<NewBooking, FieldErrors> {
        let errors = self.errors(values, None);
        if !errors.is_empty() {
            return Err(errors);
        }
        let optional = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let mut responses = JsonMap::new();
        let mut guests = Vec::new();
        let email = optional(values.text("email"));
        // Without an e-mail address, the number for the call is the contact.
        let mut phone_number = None;
        for field in &self.asked_fields(values) {
            match field.slug.as_str() {
                "name" | "email" | LOCATION | LOCATION_ADDRESS | LOCATION_TEXT => {}
                LOCATION_PHONE if email.is_some() => {}
                "guests" if field.label.is_none() => guests = values.addresses("guests"),
                slug @ (ATTENDEE_PHONE | LOCATION_PHONE) => {
                    phone_number = optional(&values.phone(slug)).or(phone_number);
                }
                slug => {
                    if let Some(value) = to_json(field, values) {
                        responses.insert(slug.to_owned(), value);
                    }
                }
            }
        }
        Ok(NewBooking {
            start: context.start,
            event_type_id: Some(context.event_type_id),
            length_in_minutes: context.length,
            attendee: NewAttendee {
                name: values.text("name").trim().to_owned(),
                time_zone: context.zone.0.clone(),
                email,
                phone_number,
                language: context.language.clone(),
            },
            booking_fields_responses: responses,
            guests,
            location: self.location(values),
            ..NewBooking::default()
        })
    }

    /// Field for a request property that a service names in an error.
    pub fn field_of_property(&self, property: &str, values: &FieldValues) -> Option<InputField> {
        let (root, rest) = property.split_once('.').unwrap_or((property, ""));
        // Without a list index.
        let plain = |name: &str| name.split('[').next().unwrap_or_default().to_owned();
        let first = plain(rest.split('.').next().unwrap_or_default());
        let slugs: [String; 2] = match (plain(root).as_str(), first.as_str()) {
            ("attendee", "phoneNumber") => [ATTENDEE_PHONE, LOCATION_PHONE],
            ("attendee", name) => [name, ""],
            // Slugs may contain dots.
            ("bookingFieldsResponses" | "responses", first) => [rest, first],
            ("location", "phone") => [LOCATION_PHONE, LOCATION],
            ("location", "address") => [LOCATION_ADDRESS, LOCATION],
            ("location", "location") => [LOCATION_TEXT, LOCATION],
            ("location", _) => [LOCATION, ""],
            (other, _) => [other, ""],
        }
        .map(str::to_owned);
        let mut applicable_fields = self.applicable_fields(values);
        let index = slugs.iter().find_map(|slug| {
            applicable_fields
                .iter()
                .position(|field| field.slug == *slug)
        })?;
        Some(applicable_fields.swap_remove(index))
    }

    fn selected_location(&self, values: &FieldValues) -> Option<&Location> {
        match self.locations.as_slice() {
            [only] => Some(only),
            locations => locations.get(values.many(LOCATION).first()?.parse::<usize>().ok()?),
        }
    }

    fn location(&self, values: &FieldValues) -> Option<BookingLocation> {
        let location = self.selected_location(values)?;
        let text = |slug: &str| values.text(slug).trim().to_owned();
        let location = match location {
            Location::AttendeeAddress => BookingLocation::AttendeeAddress {
                address: text(LOCATION_ADDRESS),
            },
            Location::AttendeePhone => BookingLocation::AttendeePhone {
                phone: values.phone(LOCATION_PHONE),
            },
            Location::AttendeeDefined => BookingLocation::AttendeeDefined {
                location: text(LOCATION_TEXT),
            },
            // A single location of the organiser need not be named.
            _ if !self.requires_location => return None,
            Location::Address { .. } => BookingLocation::Address,
            Location::Link { .. } => BookingLocation::Link,
            Location::Phone { .. } => BookingLocation::Phone,
            Location::Integration { integration } => BookingLocation::Integration {
                integration: integration.clone(),
            },
            Location::OrganizersDefaultApp => BookingLocation::OrganizersDefaultApp,
            Location::Unknown => return None,
        };
        Some(location)
    }
}

/// Locations that can be booked: a booking cannot name one of an unknown kind. If all are unknown,
/// the service chooses.
fn bookable_locations(locations: &[Location]) -> Vec<Location> {
    let is_known = |location: &&Location| **location != Location::Unknown;
    let known: Vec<Location> = locations.iter().filter(is_known).cloned().collect();
    match locations.first() {
        Some(first) if known.is_empty() => vec![first.clone()],
        _ => known,
    }
}

fn location_detail_field(location: &Location) -> Option<InputField> {
    let (slug, kind) = match location {
        Location::AttendeeAddress => (LOCATION_ADDRESS, FieldKind::Address),
        Location::AttendeePhone => (LOCATION_PHONE, FieldKind::Phone),
        Location::AttendeeDefined => (LOCATION_TEXT, FieldKind::Text),
        _ => return None,
    };
    Some(InputField::named(slug, kind, true))
}

fn has_options(kind: FieldKind) -> bool {
    matches!(
        kind,
        FieldKind::Select | FieldKind::Radio | FieldKind::Multiselect | FieldKind::Checkbox
    )
}

/// Custom field. One of an unknown kind, or without its required options, becomes a text field
/// if a value is required and is left out otherwise: every form can be sent.
fn custom_field(setting: &FormField) -> Option<InputField> {
    let is_unsupported = matches!(
        setting.kind,
        FieldKind::Unknown | FieldKind::RadioInput | FieldKind::Name
    ) || (has_options(setting.kind) && setting.options.is_empty());
    let kind = match setting.kind {
        _ if is_unsupported && setting.required && !setting.hidden => FieldKind::Text,
        _ if is_unsupported => return None,
        kind => kind,
    };
    let label = setting.label.clone().filter(|label| !label.is_empty());
    let mut field = InputField {
        label: Some(label.unwrap_or_else(|| setting.slug.clone())),
        options: setting.options.clone(),
        is_hidden: setting.hidden,
        is_unknown: setting.kind == FieldKind::Unknown,
        ..InputField::named(&setting.slug, kind, setting.required)
    };
    field.apply_setting(setting);
    Some(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::booking_form::values::FieldValue;
    use booking_wire::Read;
    use serde_json::json;

    fn event_type(value: Value) -> PublicEventType {
        PublicEventType::read(&value).unwrap()
    }

    fn slugs(form: &Form) -> Vec<&str> {
        form.fields
            .iter()
            .filter(|field| !field.is_hidden)
            .map(|field| field.slug.as_str())
            .collect()
    }

    fn values(pairs: &[(&str, FieldValue)]) -> FieldValues {
        let mut values = FieldValues::default();
        for (slug, value) in pairs {
            values.set(slug, value.clone());
        }
        values
    }

    fn text(text: &str) -> FieldValue {
        FieldValue::Text(text.to_owned())
    }

    fn context() -> BookingContext {
        BookingContext {
            event_type_id: 41,
            start: Instant::parse("2027-03-29T07:00:00Z").unwrap(),
            length: Some(30),
            zone: Zone("Europe/Rome".into()),
            language: Some("it".to_owned()),
        }
    }

    #[test]
    fn form_without_settings_has_name_and_email() {
        assert_eq!(
            slugs(&Form::of(&event_type(json!({"id": 1})))),
            ["name", "email"]
        );
    }

    #[test]
    fn long_form_has_parts_of_equal_size() {
        for (number, sizes) in [(6, &[8][..]), (7, &[5, 4]), (12, &[5, 5, 4]), (14, &[4; 4])] {
            let questions = (0..number).map(|index| json!({"type": "text", "slug": format!("q{index}"), "label": "Q", "required": true}));
            let hidden = json!({"type": "text", "slug": "source", "hidden": true});
            let notes = json!({"type": "textarea", "slug": "notes", "isDefault": true});
            let fields: Vec<Value> = questions.chain([hidden, notes]).collect();
            let form = Form::of(&event_type(json!({"id": 1, "bookingFields": fields})));
            let asked = |part: &Vec<&InputField>| {
                let is_asked = |field: &&&InputField| !field.is_hidden && !field.is_foldable();
                part.iter().filter(is_asked).count()
            };
            let found: Vec<usize> = form.parts().iter().map(asked).collect();
            assert_eq!(found, sizes, "{number}");
            let last = sizes.len() - 1;
            assert_eq!(
                ["name", "source", "notes"].map(|slug| form.part_of(slug)),
                [0, last, last]
            );
            // Each part has the errors of its own fields.
            let errors = |part| form.errors(&FieldValues::default(), part).len();
            let in_parts: usize = (0..sizes.len()).map(|part| errors(Some(part))).sum();
            assert_eq!((in_parts, errors(None)), (number + 2, number + 2));
        }
    }

    #[test]
    fn form_fields_have_fixed_order() {
        let form = Form::of(&event_type(json!({
            "id": 1,
            "locations": [{"type": "attendeePhone"}, {"type": "link", "link": "https://x.example", "public": true}],
            "bookingFields": [
                {"type": "name", "slug": "name", "required": true, "isDefault": true},
                {"type": "email", "slug": "email", "required": true, "isDefault": true},
                {"type": "textarea", "slug": "notes", "required": false, "isDefault": true},
                {"type": "multiemail", "slug": "guests", "required": false, "isDefault": true},
                {"type": "textarea", "slug": "rescheduleReason", "isDefault": true},
                {"type": "text", "slug": "topic", "label": "Topic", "required": true},
                {"type": "text", "slug": "source", "hidden": true},
                {"type": "select", "slug": "empty", "options": []},
                {"type": "hologram", "slug": "future"},
                {"type": "hologram", "slug": "scene", "required": true},
                {"type": "radio", "slug": "tune", "required": true, "options": [null]},
            ],
        })));
        assert_eq!(
            slugs(&form),
            [
                "name", "email", LOCATION, "topic", "scene", "tune", "guests", "notes"
            ]
        );
    }

    #[test]
    fn form_phone_field_comes_from_field_or_location() {
        let link = json!({"type": "link", "link": "https://x.example", "public": true});
        for (event_type_json, has_field) in [
            (json!({"id": 1}), false),
            (json!({"id": 1, "locations": [link]}), false),
            (
                json!({"id": 1, "locations": [{"type": "attendeePhone"}]}),
                true,
            ),
            (
                json!({"id": 1, "locations": [link, {"type": "attendeePhone"}]}),
                true,
            ),
            (
                json!({"id": 1, "bookingFields": [{"type": "phone", "slug": "mobile", "label": "Mobile"}]}),
                true,
            ),
        ] {
            let form = Form::of(&event_type(event_type_json.clone()));
            assert_eq!(form.has_phone_field(), has_field, "{event_type_json}");
        }
    }

    #[test]
    fn parse_invalid_values_returns_all_errors_in_field_order() {
        let form = Form::of(&event_type(json!({"id": 1, "bookingFields": [
            {"type": "phone", "slug": "phone", "label": "Phone", "required": true},
            {"type": "number", "slug": "size", "label": "Size", "required": true},
            {"type": "boolean", "slug": "terms", "label": "Terms", "required": true},
            {"type": "checkbox", "slug": "days", "label": "Days", "required": true, "options": ["Mo", "Tu"]},
            {"type": "url", "slug": "site", "label": "Site"},
            {"type": "multiemail", "slug": "team", "label": "Team"},
        ]})));
        let filled_in = values(&[
            ("email", text("zoe@")),
            ("phone", text("0391 123")),
            ("size", text("many")),
            ("site", text("not a site")),
            ("team", text("a@b.example, c")),
        ]);
        assert_eq!(
            form.parse(&filled_in, &context()),
            Err(vec![
                ("name".into(), FieldError::Required),
                ("email".into(), FieldError::Email),
                ("phone".into(), FieldError::Phone),
                ("size".into(), FieldError::Number),
                ("terms".into(), FieldError::RequiredTick),
                ("days".into(), FieldError::RequiredChoice),
                ("site".into(), FieldError::Url),
                ("team".into(), FieldError::Emails("c".into())),
            ])
        );
    }

    #[test]
    fn parse_values_get_json_type_of_their_kind() {
        let form = Form::of(&event_type(json!({"id": 41,
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "multiemail", "slug": "guests", "isDefault": true},
            {"type": "number", "slug": "size", "label": "Size"},
            {"type": "boolean", "slug": "terms", "label": "Terms"},
            {"type": "select", "slug": "plan", "label": "Plan", "options": ["A", "B"]},
            {"type": "checkbox", "slug": "days", "label": "Days", "options": ["Mo", "Tu", "We"]},
            {"type": "url", "slug": "site", "label": "Site"},
            {"type": "phone", "slug": "attendeePhoneNumber", "label": "Phone"},
            {"type": "text", "slug": "unanswered", "label": "Unanswered"},
        ]})));
        let filled_in = values(&[
            ("name", text(" Zoë Łukasik ")),
            ("email", text("zoe@example.org")),
            (LOCATION, FieldValue::Many(vec!["0".into()])),
            (LOCATION_PHONE, text("+39 06 1234 5678")),
            ("guests", text("a@b.example; c@d.example")),
            ("size", text("7")),
            ("terms", FieldValue::Flag(true)),
            ("plan", text("B")),
            ("days", FieldValue::Many(vec!["We".into(), "Mo".into()])),
            ("site", text("example.org/x")),
            ("attendeePhoneNumber", text("0039 06 999 9999")),
        ]);
        let booking = form.parse(&filled_in, &context()).unwrap();
        assert_eq!(
            serde_json::to_value(&booking).unwrap(),
            json!({
                "start": "2027-03-29T07:00:00.000Z", "eventTypeId": 41, "lengthInMinutes": 30,
                "attendee": {"name": "Zoë Łukasik", "timeZone": "Europe/Rome", "email": "zoe@example.org",
                             "phoneNumber": "+39069999999", "language": "it"},
                "bookingFieldsResponses": {"size": 7, "terms": true, "plan": "B", "days": ["Mo", "We"],
                                           "site": "https://example.org/x"},
                "guests": ["a@b.example", "c@d.example"],
                "location": {"type": "attendeePhone", "phone": "+390612345678"},
            })
        );
    }

    #[test]
    fn form_marks_optional_fields_if_most_are_required() {
        let custom = |slug: &str, is_required: bool| json!({"type": "text", "slug": slug, "label": slug, "required": is_required});
        for (fields, marks_optional) in [
            (json!([]), true),
            (json!([custom("a", false)]), false),
            (json!([custom("a", true), custom("b", false)]), true),
            (
                json!([custom("a", true), custom("b", false), custom("c", false)]),
                false,
            ),
            // Folded.
            (
                json!([{"type": "multiemail", "slug": "guests", "isDefault": true}]),
                true,
            ),
            (
                json!([{"type": "textarea", "slug": "notes", "isDefault": true}]),
                true,
            ),
            // A question of the host.
            (
                json!([{"type": "textarea", "slug": "notes", "label": "Which topic?", "isDefault": true}]),
                false,
            ),
        ] {
            let form = Form::of(&event_type(json!({"id": 1, "bookingFields": fields})));
            assert_eq!(form.marks_optional(), marks_optional, "{fields}");
        }
    }

    #[test]
    fn field_of_property_finds_rejected_field() {
        let form = Form::of(&event_type(json!({"id": 1,
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "multiemail", "slug": "guests", "isDefault": true},
            {"type": "text", "slug": "topic", "label": "Topic"},
            {"type": "text", "slug": "a.b", "label": "Dotted"},
        ]})));
        let at_phone = values(&[(LOCATION, FieldValue::Many(vec!["0".into()]))]);
        for (property, expected) in [
            ("attendee.name", Some("name")),
            ("attendee.email", Some("email")),
            ("responses.email", Some("email")),
            ("attendee.phoneNumber", Some(LOCATION_PHONE)),
            ("attendee.timeZone", None),
            ("guests", Some("guests")),
            ("guests[3]", Some("guests")),
            ("guests.3", Some("guests")),
            ("bookingFieldsResponses.topic", Some("topic")),
            ("bookingFieldsResponses.topic.0", Some("topic")),
            ("bookingFieldsResponses.a.b", Some("a.b")),
            ("location", Some(LOCATION)),
            ("location.type", Some(LOCATION)),
            ("location.phone", Some(LOCATION_PHONE)),
            ("location.address", Some(LOCATION)),
            ("metadata.plan", None),
            ("start", None),
        ] {
            let field = form.field_of_property(property, &at_phone);
            let slug = field.as_ref().map(|field| field.slug.as_str());
            assert_eq!(slug, expected, "{property}");
        }
    }

    #[test]
    fn default_fields_take_labels_but_no_translation_keys() {
        let form = Form::of(&event_type(json!({"id": 1,
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "name", "slug": "name", "label": "your_name", "isDefault": true},
            {"type": "email", "slug": "email", "label": " ", "isDefault": true},
            {"type": "radioInput", "slug": "location", "label": "Where shall we meet?", "isDefault": true},
            {"type": "textarea", "slug": "notes", "label": "Company and topic", "isDefault": true},
        ]})));
        let titles: Vec<_> = form
            .fields
            .iter()
            .map(|field| (field.slug.as_str(), field.title.as_deref()))
            .collect();
        assert_eq!(
            titles,
            [
                ("name", None),
                ("email", None),
                (LOCATION, Some("Where shall we meet?")),
                ("notes", Some("Company and topic")),
            ]
        );
    }

    #[test]
    fn locations_of_unknown_kind_are_selectable_only_alone() {
        let hologram = json!({"type": "hologram"});
        let link = json!({"type": "link", "link": "https://x.example", "public": true});
        for (locations, offered, sent) in [
            (json!([hologram, link]), 1, json!({"type": "link"})),
            (json!([link]), 1, Value::Null),
            (json!([hologram, hologram]), 1, Value::Null),
            (json!([hologram]), 1, Value::Null),
        ] {
            let form = Form::of(&event_type(json!({"id": 1, "locations": locations})));
            assert_eq!(form.locations.len(), offered, "{locations}");
            assert_eq!(slugs(&form), ["name", "email"], "{locations}");
            let filled_in = values(&[("name", text("Zoë")), ("email", text("zoe@example.org"))]);
            let booking = form.parse(&filled_in, &context()).unwrap();
            assert_eq!(
                serde_json::to_value(booking.location).unwrap(),
                sent,
                "{locations}"
            );
        }
    }

    #[test]
    fn location_of_visitor_adds_detail_field() {
        let form = Form::of(&event_type(
            json!({"id": 1, "locations": [{"type": "attendeeAddress"}]}),
        ));
        assert_eq!(slugs(&form), ["name", "email", LOCATION_ADDRESS]);
        let two = Form::of(&event_type(
            json!({"id": 1, "locations": [{"type": "attendeeAddress"}, {"type": "organizersDefaultApp"}]}),
        ));
        let at = |index: &str| values(&[(LOCATION, FieldValue::Many(vec![index.into()]))]);
        assert_eq!(
            two.location_detail(&at("0")).map(|field| field.kind),
            Some(FieldKind::Address)
        );
        assert_eq!(two.location_detail(&at("1")), None);
        assert_eq!(two.location_detail(&at("7")), None);
    }
}
