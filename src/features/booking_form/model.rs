//! Questions of an event type's form, and the booking request from the answers. No DOM access.

use booking_wire::{
    BookingLocation, FieldKind, FieldOption, FieldRange, FormField, Instant, JsonMap, Location,
    NewAttendee, NewBooking, PublicEventType,
};
use serde_json::Value;

use crate::time::Zone;

pub use super::answers::{Answer, Answers};
use super::check::json;
pub use super::check::{FieldError, complaint};

/// Slug of the location.
pub const PLACE: &str = "location";
/// Slug of the number at which the visitor is called. Each location type has its own slug, so that
/// typed text is restored when the visitor returns to it.
pub const PLACE_PHONE: &str = "location-phone";
/// Slug of the visitor's address.
pub const PLACE_ADDRESS: &str = "location-address";
/// Slug of the visitor's location text.
pub const PLACE_WORDS: &str = "location-words";
/// Slug of custom fields whose answer is the attendee's phone number (contract 3.3).
pub const ATTENDEE_PHONE: &str = "attendeePhoneNumber";

/// Question of a form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// Key of its answer.
    pub slug: String,
    /// Kind of the answer.
    pub kind: FieldKind,
    /// Own label; default questions have none.
    pub label: Option<String>,
    /// Event type's label of a default question.
    pub title: Option<String>,
    /// True if it is asked as text because its kind is unknown.
    pub is_unknown: bool,
    /// Example answer.
    pub placeholder: Option<String>,
    /// True if an answer is required.
    pub is_required: bool,
    /// Options to choose from. Those of the location are indices into [`Form::places`].
    pub options: Vec<FieldOption>,
    /// Bounds of the length or the value.
    pub range: FieldRange,
    /// Default value.
    pub usual: Option<Value>,
    /// True if a prefilled answer cannot be changed.
    pub locks_prefill: bool,
    /// True if the answer is shown but cannot be changed.
    pub is_read_only: bool,
    /// True if it is sent without being shown.
    pub is_hidden: bool,
}

impl Question {
    /// Creates a question with the widget's own label.
    pub fn named(slug: &str, kind: FieldKind, is_required: bool) -> Self {
        Self {
            slug: slug.to_owned(),
            kind,
            is_required,
            ..Self::default()
        }
    }

    /// Creates a default question with the event type's settings.
    fn usual_one(
        slug: &str,
        kind: FieldKind,
        is_required: bool,
        field: Option<&FormField>,
    ) -> Self {
        let mut question = Self::named(slug, kind, is_required);
        if let Some(field) = field {
            question.adopt(field);
        }
        question
    }

    fn adopt(&mut self, field: &FormField) {
        self.title = field.label.clone().filter(|label| is_prose(label));
        self.placeholder = field.placeholder.clone();
        self.range = field.range.clone();
        self.usual = field.default.clone();
        self.locks_prefill = field.locks_prefill;
        self.is_read_only = field.is_disabled;
    }
}

/// Questions of an event type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// Questions in display order.
    pub questions: Vec<Question>,
    /// Locations to choose from; more than one makes a question.
    pub places: Vec<Location>,
    /// True if a booking must name its location: the event type has several, also of unknown kinds.
    names_place: bool,
    /// Metadata sent with the answers.
    pub metadata: JsonMap,
}

/// Errors by slug, in the order of the questions.
pub type FieldErrors = Vec<(String, FieldError)>;

/// Context of a booking request.
#[derive(Clone, Debug, PartialEq)]
pub struct Occasion {
    /// Event type to book.
    pub event_type_id: i64,
    /// Start of the slot.
    pub start: Instant,
    /// Length in minutes, if there was a choice.
    pub length: Option<i64>,
    /// Visitor's time zone.
    pub zone: Zone,
    /// Visitor's language code, if the interface has that language.
    pub language: Option<&'static str>,
}

impl Form {
    /// Builds the form of `event_type`. Always asks for a name, and for an e-mail address unless
    /// that is switched off.
    pub fn of(event_type: &PublicEventType) -> Self {
        let fields = event_type.booking_fields.get().unwrap_or_default();
        let find = |slug: &str| fields.iter().find(|field| field.slug == slug);
        let mut questions = vec![Question::usual_one(
            "name",
            FieldKind::Name,
            true,
            find("name"),
        )];
        if find("email").is_none_or(|email| !email.hidden) {
            let is_required = find("email").is_none_or(|email| email.required);
            questions.push(Question::usual_one(
                "email",
                FieldKind::Email,
                is_required,
                find("email"),
            ));
        }
        let places = usable_places(&event_type.locations);
        if places.len() > 1 {
            let mut place = Question::named(PLACE, FieldKind::RadioInput, true);
            let label = find(PLACE).and_then(|field| field.label.clone());
            place.title = label.filter(|label| is_prose(label));
            place.options = (0..places.len())
                .map(|index| FieldOption {
                    value: Value::from(index),
                    label: String::new(),
                })
                .collect();
            questions.push(place);
        } else if let [only] = places.as_slice()
            && let Some(detail) = place_detail(only)
        {
            questions.push(detail);
        }
        let is_default = |field: &FormField| {
            field.is_default
                || matches!(
                    field.slug.as_str(),
                    "name" | "email" | "location" | "title" | "rescheduleReason"
                )
        };
        for field in fields.iter().filter(|field| !is_default(field)) {
            // Of two questions with one slug only one could be answered.
            let is_asked = questions.iter().any(|asked| asked.slug == field.slug);
            questions.extend(question(field).filter(|_| !is_asked));
        }
        for (slug, kind, is_offered) in [
            ("title", FieldKind::Text, true),
            ("guests", FieldKind::Multiemail, !event_type.disable_guests),
            ("notes", FieldKind::Textarea, true),
        ] {
            if let Some(field) =
                find(slug).filter(|field| field.is_default && !field.hidden && is_offered)
            {
                questions.push(Question::usual_one(slug, kind, field.required, Some(field)));
            }
        }
        Self {
            questions,
            places,
            names_place: event_type.locations.len() > 1,
            metadata: JsonMap::new(),
        }
    }

    /// True if a question or a location asks for a phone number.
    pub fn may_ask_for_phone(&self) -> bool {
        let asks = |question: &Question| question.kind == FieldKind::Phone;
        self.questions.iter().any(asks) || self.places.contains(&Location::AttendeePhone)
    }

    /// Follow-up question about the location chosen among several.
    pub fn follow_up(&self, answers: &Answers) -> Option<Question> {
        (self.places.len() > 1)
            .then(|| self.chosen_place(answers))
            .flatten()
            .and_then(place_detail)
    }

    /// All questions to be answered now.
    pub fn asked(&self, answers: &Answers) -> Vec<Question> {
        let mut asked = Vec::with_capacity(self.questions.len() + 1);
        for question in &self.questions {
            asked.push(question.clone());
            if question.slug == PLACE {
                asked.extend(self.follow_up(answers));
            }
        }
        asked
    }

    /// Parses the request, or returns every error.
    pub fn parse(&self, answers: &Answers, occasion: &Occasion) -> Result<NewBooking, FieldErrors> {
        let mut asked = self.asked(answers);
        // Hidden questions without a prefilled answer are not part of this form.
        asked.retain(|question| !question.is_hidden || answers.has(&question.slug));
        let errors: FieldErrors = asked
            .iter()
            .filter_map(|question| Some((question.slug.clone(), complaint(question, answers)?)))
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let optional = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let mut responses = JsonMap::new();
        let mut guests = Vec::new();
        let email = optional(answers.text("email"));
        // Without an e-mail address, the number for the call is the contact.
        let mut phone_number = None;
        for question in &asked {
            match question.slug.as_str() {
                "name" | "email" | PLACE | PLACE_ADDRESS | PLACE_WORDS => {}
                PLACE_PHONE if email.is_some() => {}
                "guests" if question.label.is_none() => guests = answers.addresses("guests"),
                slug @ (ATTENDEE_PHONE | PLACE_PHONE) => {
                    phone_number = optional(&answers.phone(slug)).or(phone_number);
                }
                slug => {
                    if let Some(value) = json(question, answers) {
                        responses.insert(slug.to_owned(), value);
                    }
                }
            }
        }
        Ok(NewBooking {
            start: occasion.start,
            event_type_id: Some(occasion.event_type_id),
            length_in_minutes: occasion.length,
            attendee: NewAttendee {
                name: answers.text("name").trim().to_owned(),
                time_zone: occasion.zone.0.clone(),
                email,
                phone_number,
                language: occasion.language.map(str::to_owned),
            },
            booking_fields_responses: responses,
            guests,
            location: self.location(answers),
            metadata: self.metadata.clone(),
            ..NewBooking::default()
        })
    }

    /// Question for a request property that a service names in an error (contract 1.3).
    pub fn question_of(&self, property: &str, answers: &Answers) -> Option<Question> {
        let (root, rest) = property.split_once('.').unwrap_or((property, ""));
        // Without a list index.
        let plain = |name: &str| name.split('[').next().unwrap_or_default().to_owned();
        let first = plain(rest.split('.').next().unwrap_or_default());
        let slugs: [String; 2] = match (plain(root).as_str(), first.as_str()) {
            ("attendee", "phoneNumber") => [ATTENDEE_PHONE, PLACE_PHONE],
            ("attendee", name) => [name, ""],
            // Slugs may contain dots.
            ("bookingFieldsResponses" | "responses", first) => [rest, first],
            ("location", "phone") => [PLACE_PHONE, PLACE],
            ("location", "address") => [PLACE_ADDRESS, PLACE],
            ("location", "location") => [PLACE_WORDS, PLACE],
            ("location", _) => [PLACE, ""],
            (other, _) => [other, ""],
        }
        .map(str::to_owned);
        let mut asked = self.asked(answers);
        let place = slugs
            .iter()
            .find_map(|slug| asked.iter().position(|question| question.slug == *slug))?;
        Some(asked.swap_remove(place))
    }

    fn chosen_place(&self, answers: &Answers) -> Option<&Location> {
        match self.places.as_slice() {
            [only] => Some(only),
            places => places.get(answers.many(PLACE).first()?.parse::<usize>().ok()?),
        }
    }

    fn location(&self, answers: &Answers) -> Option<BookingLocation> {
        let place = self.chosen_place(answers)?;
        let words = |slug: &str| answers.text(slug).trim().to_owned();
        let location = match place {
            Location::AttendeeAddress => BookingLocation::AttendeeAddress {
                address: words(PLACE_ADDRESS),
            },
            Location::AttendeePhone => BookingLocation::AttendeePhone {
                phone: answers.phone(PLACE_PHONE),
            },
            Location::AttendeeDefined => BookingLocation::AttendeeDefined {
                location: words(PLACE_WORDS),
            },
            // A single location of the organiser need not be named.
            _ if !self.names_place => return None,
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
fn usable_places(locations: &[Location]) -> Vec<Location> {
    let is_known = |place: &&Location| **place != Location::Unknown;
    let known: Vec<Location> = locations.iter().filter(is_known).cloned().collect();
    match locations.first() {
        Some(first) if known.is_empty() => vec![first.clone()],
        _ => known,
    }
}

/// True if a label is meant for people: services send translation keys such as `your_name` for
/// default questions.
fn is_prose(label: &str) -> bool {
    let is_key = |sign: u8| sign.is_ascii_lowercase() || sign == b'_';
    !label.trim().is_empty() && !label.bytes().all(is_key)
}

fn place_detail(place: &Location) -> Option<Question> {
    let (slug, kind) = match place {
        Location::AttendeeAddress => (PLACE_ADDRESS, FieldKind::Address),
        Location::AttendeePhone => (PLACE_PHONE, FieldKind::Phone),
        Location::AttendeeDefined => (PLACE_WORDS, FieldKind::Text),
        _ => return None,
    };
    Some(Question::named(slug, kind, true))
}

fn has_options(kind: FieldKind) -> bool {
    matches!(
        kind,
        FieldKind::Select | FieldKind::Radio | FieldKind::Multiselect | FieldKind::Checkbox
    )
}

/// Custom question. One of an unknown kind, or without its required options, becomes a text field
/// if an answer is required and is left out otherwise: every form can be sent.
fn question(field: &FormField) -> Option<Question> {
    let is_odd = matches!(
        field.kind,
        FieldKind::Unknown | FieldKind::RadioInput | FieldKind::Name
    ) || (has_options(field.kind) && field.options.is_empty());
    let kind = match field.kind {
        _ if is_odd && field.required && !field.hidden => FieldKind::Text,
        _ if is_odd => return None,
        kind => kind,
    };
    let label = field.label.clone().filter(|label| !label.is_empty());
    let mut question = Question {
        label: Some(label.unwrap_or_else(|| field.slug.clone())),
        options: field.options.clone(),
        is_hidden: field.hidden,
        is_unknown: field.kind == FieldKind::Unknown,
        ..Question::named(&field.slug, kind, field.required)
    };
    question.adopt(field);
    Some(question)
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::Read;
    use serde_json::json;

    fn event_type(value: Value) -> PublicEventType {
        PublicEventType::read(&value).unwrap()
    }

    fn slugs(form: &Form) -> Vec<&str> {
        form.questions
            .iter()
            .filter(|question| !question.is_hidden)
            .map(|question| question.slug.as_str())
            .collect()
    }

    fn answers(pairs: &[(&str, Answer)]) -> Answers {
        let mut answers = Answers::default();
        for (slug, answer) in pairs {
            answers.set(slug, answer.clone());
        }
        answers
    }

    fn text(text: &str) -> Answer {
        Answer::Text(text.to_owned())
    }

    fn occasion() -> Occasion {
        Occasion {
            event_type_id: 41,
            start: Instant::parse("2027-03-29T07:00:00Z").unwrap(),
            length: Some(30),
            zone: Zone("Europe/Rome".into()),
            language: Some("it"),
        }
    }

    #[test]
    fn a_bare_event_type_asks_for_name_and_email() {
        assert_eq!(
            slugs(&Form::of(&event_type(json!({"id": 1})))),
            ["name", "email"]
        );
    }

    #[test]
    fn questions_come_in_the_order_name_email_place_custom_guests_notes() {
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
                "name", "email", PLACE, "topic", "scene", "tune", "guests", "notes"
            ]
        );
    }

    #[test]
    fn a_number_is_asked_for_by_a_question_or_by_a_place() {
        let link = json!({"type": "link", "link": "https://x.example", "public": true});
        for (event_type_given, may_ask) in [
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
            let form = Form::of(&event_type(event_type_given.clone()));
            assert_eq!(form.may_ask_for_phone(), may_ask, "{event_type_given}");
        }
    }

    #[test]
    fn every_complaint_is_given_at_once_in_the_order_of_the_questions() {
        let form = Form::of(&event_type(json!({"id": 1, "bookingFields": [
            {"type": "phone", "slug": "phone", "label": "Phone", "required": true},
            {"type": "number", "slug": "size", "label": "Size", "required": true},
            {"type": "boolean", "slug": "terms", "label": "Terms", "required": true},
            {"type": "checkbox", "slug": "days", "label": "Days", "required": true, "options": ["Mo", "Tu"]},
            {"type": "url", "slug": "site", "label": "Site"},
            {"type": "multiemail", "slug": "team", "label": "Team"},
        ]})));
        let given = answers(&[
            ("email", text("zoe@")),
            ("phone", text("0391 123")),
            ("size", text("many")),
            ("site", text("not a site")),
            ("team", text("a@b.example, c")),
        ]);
        assert_eq!(
            form.parse(&given, &occasion()),
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
    fn answers_are_sent_in_the_json_type_of_their_kind() {
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
        let given = answers(&[
            ("name", text(" Zoë Łukasik ")),
            ("email", text("zoe@example.org")),
            (PLACE, Answer::Many(vec!["0".into()])),
            (PLACE_PHONE, text("+39 06 1234 5678")),
            ("guests", text("a@b.example; c@d.example")),
            ("size", text("7")),
            ("terms", Answer::Flag(true)),
            ("plan", text("B")),
            ("days", Answer::Many(vec!["We".into(), "Mo".into()])),
            ("site", text("example.org/x")),
            ("attendeePhoneNumber", text("0039 06 999 9999")),
        ]);
        let booking = form.parse(&given, &occasion()).unwrap();
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
    fn refused_property_names_its_question() {
        let form = Form::of(&event_type(json!({"id": 1,
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "multiemail", "slug": "guests", "isDefault": true},
            {"type": "text", "slug": "topic", "label": "Topic"},
            {"type": "text", "slug": "a.b", "label": "Dotted"},
        ]})));
        let at_phone = answers(&[(PLACE, Answer::Many(vec!["0".into()]))]);
        for (property, expected) in [
            ("attendee.name", Some("name")),
            ("attendee.email", Some("email")),
            ("responses.email", Some("email")),
            ("attendee.phoneNumber", Some(PLACE_PHONE)),
            ("attendee.timeZone", None),
            ("guests", Some("guests")),
            ("guests[3]", Some("guests")),
            ("guests.3", Some("guests")),
            ("bookingFieldsResponses.topic", Some("topic")),
            ("bookingFieldsResponses.topic.0", Some("topic")),
            ("bookingFieldsResponses.a.b", Some("a.b")),
            ("location", Some(PLACE)),
            ("location.type", Some(PLACE)),
            ("location.phone", Some(PLACE_PHONE)),
            ("location.address", Some(PLACE)),
            ("metadata.plan", None),
            ("start", None),
        ] {
            let question = form.question_of(property, &at_phone);
            let slug = question.as_ref().map(|question| question.slug.as_str());
            assert_eq!(slug, expected, "{property}");
        }
    }

    #[test]
    fn default_questions_have_the_event_types_words_but_no_keys() {
        let form = Form::of(&event_type(json!({"id": 1,
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "name", "slug": "name", "label": "your_name", "isDefault": true},
            {"type": "email", "slug": "email", "label": " ", "isDefault": true},
            {"type": "radioInput", "slug": "location", "label": "Where shall we meet?", "isDefault": true},
            {"type": "textarea", "slug": "notes", "label": "Company and topic", "isDefault": true},
        ]})));
        let titles: Vec<_> = form
            .questions
            .iter()
            .map(|question| (question.slug.as_str(), question.title.as_deref()))
            .collect();
        assert_eq!(
            titles,
            [
                ("name", None),
                ("email", None),
                (PLACE, Some("Where shall we meet?")),
                ("notes", Some("Company and topic")),
            ]
        );
    }

    #[test]
    fn places_of_unknown_kinds_are_offered_only_alone() {
        let hologram = json!({"type": "hologram"});
        let link = json!({"type": "link", "link": "https://x.example", "public": true});
        for (locations, offered, sent) in [
            (json!([hologram, link]), 1, json!({"type": "link"})),
            (json!([link]), 1, Value::Null),
            (json!([hologram, hologram]), 1, Value::Null),
            (json!([hologram]), 1, Value::Null),
        ] {
            let form = Form::of(&event_type(json!({"id": 1, "locations": locations})));
            assert_eq!(form.places.len(), offered, "{locations}");
            assert_eq!(slugs(&form), ["name", "email"], "{locations}");
            let given = answers(&[("name", text("Zoë")), ("email", text("zoe@example.org"))]);
            let booking = form.parse(&given, &occasion()).unwrap();
            assert_eq!(
                serde_json::to_value(booking.location).unwrap(),
                sent,
                "{locations}"
            );
        }
    }

    #[test]
    fn a_place_of_the_visitors_asks_for_its_detail() {
        let form = Form::of(&event_type(
            json!({"id": 1, "locations": [{"type": "attendeeAddress"}]}),
        ));
        assert_eq!(slugs(&form), ["name", "email", PLACE_ADDRESS]);
        let two = Form::of(&event_type(
            json!({"id": 1, "locations": [{"type": "attendeeAddress"}, {"type": "organizersDefaultApp"}]}),
        ));
        let at = |index: &str| answers(&[(PLACE, Answer::Many(vec![index.into()]))]);
        assert_eq!(
            two.follow_up(&at("0")).map(|question| question.kind),
            Some(FieldKind::Address)
        );
        assert_eq!(two.follow_up(&at("1")), None);
        assert_eq!(two.follow_up(&at("7")), None);
    }
}
