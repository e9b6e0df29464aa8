//! The questions of an event type's form, and what makes their answers a booking. No document.

use booking_wire::{
    BookingField, BookingLocation, FieldKind, Instant, JsonMap, Location, NewAttendee, NewBooking,
    Offer,
};
use serde_json::{Number, Value};

use crate::time::Zone;

/// The slug of the choice of a place.
pub const PLACE: &str = "location";
/// The slug of what the visitor says about the place.
pub const PLACE_DETAIL: &str = "location-detail";
/// Answers to custom fields of this slug are the attendee's phone number (contract 3.3).
const ATTENDEE_PHONE: &str = "attendeePhoneNumber";

/// One thing to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The key of its answer.
    pub slug: String,
    /// What kind of answer is wanted.
    pub kind: FieldKind,
    /// Words of its own; default questions bring none.
    pub label: Option<String>,
    /// An example.
    pub placeholder: Option<String>,
    /// Whether it must be answered.
    pub is_required: bool,
    /// Values to choose from. Those of the place are positions in [`Form::places`].
    pub options: Vec<String>,
}

impl Question {
    fn default_one(slug: &str, kind: FieldKind, is_required: bool) -> Self {
        Self {
            slug: slug.to_owned(),
            kind,
            label: None,
            placeholder: None,
            is_required,
            options: Vec::new(),
        }
    }
}

/// What an event type asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// In the order in which they are asked.
    pub questions: Vec<Question>,
    /// The places to choose from; more than one makes a question.
    pub places: Vec<Location>,
}

/// What a visitor gave as an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Typed.
    Text(String),
    /// Ticked or not.
    Flag(bool),
    /// Chosen.
    Many(Vec<String>),
}

/// Answers by slug. A form is short: looking through it is less code than a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers(Vec<(String, Answer)>);

impl Answers {
    /// Sets an answer.
    pub fn set(&mut self, slug: &str, answer: Answer) {
        match self.0.iter_mut().find(|(known, _)| known == slug) {
            Some((_, before)) => *before = answer,
            None => self.0.push((slug.to_owned(), answer)),
        }
    }

    fn get(&self, slug: &str) -> Option<&Answer> {
        let found = self.0.iter().find(|(known, _)| known == slug);
        found.map(|(_, answer)| answer)
    }

    /// What was typed.
    pub fn text(&self, slug: &str) -> &str {
        match self.get(slug) {
            Some(Answer::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether it was ticked.
    pub fn flag(&self, slug: &str) -> bool {
        matches!(self.get(slug), Some(Answer::Flag(true)))
    }

    /// What was chosen.
    pub fn many(&self, slug: &str) -> Vec<String> {
        match self.get(slug) {
            Some(Answer::Many(values)) => values.clone(),
            Some(Answer::Text(text)) if !text.is_empty() => vec![text.clone()],
            _ => Vec::new(),
        }
    }
}

/// Why an answer cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// Nothing typed.
    Required,
    /// Nothing chosen.
    RequiredChoice,
    /// Not ticked.
    RequiredTick,
    /// No e-mail address.
    Email,
    /// One of several is no e-mail address.
    Emails(String),
    /// No telephone number with country code.
    Phone,
    /// No web address.
    Url,
    /// No number.
    Number,
}

/// Complaints by slug, in the order of the questions.
pub type FieldErrors = Vec<(String, Complaint)>;

/// What a form's answers are sent with.
#[derive(Clone, Debug, PartialEq)]
pub struct Occasion {
    /// What is booked.
    pub event_type_id: i64,
    /// The slot's instant.
    pub start: Instant,
    /// Minutes, if there was a choice.
    pub length: Option<i64>,
    /// The visitor's zone.
    pub zone: Zone,
    /// The visitor's language, two letters.
    pub language: String,
}

impl Form {
    /// The questions of `event_type`. Whatever the service leaves out, a name is asked for, and an
    /// e-mail address unless it is switched off.
    pub fn of(event_type: &Offer) -> Self {
        let fields = &event_type.booking_fields;
        let find = |slug: &str| fields.iter().find(|field| field.slug == slug);
        let mut questions = vec![Question::default_one("name", FieldKind::Name, true)];
        if find("email").is_none_or(|email| !email.hidden) {
            let is_required = find("email").is_none_or(|email| email.required);
            questions.push(Question::default_one(
                "email",
                FieldKind::Email,
                is_required,
            ));
        }
        let places = event_type.locations.clone();
        if places.len() > 1 {
            let mut place = Question::default_one(PLACE, FieldKind::RadioInput, true);
            place.options = (0..places.len()).map(|index| index.to_string()).collect();
            questions.push(place);
        } else if let [only] = places.as_slice()
            && let Some(detail) = place_detail(only)
        {
            questions.push(detail);
        }
        let is_default = |field: &BookingField| {
            field.is_default
                || matches!(
                    field.slug.as_str(),
                    "name" | "email" | "location" | "title" | "rescheduleReason"
                )
        };
        questions.extend(
            fields
                .iter()
                .filter(|field| !field.hidden && !is_default(field))
                .filter_map(question),
        );
        for (slug, kind, is_offered) in [
            ("guests", FieldKind::Multiemail, !event_type.disable_guests),
            ("notes", FieldKind::Textarea, true),
        ] {
            if let Some(field) =
                find(slug).filter(|field| field.is_default && !field.hidden && is_offered)
            {
                questions.push(Question::default_one(slug, kind, field.required));
            }
        }
        Self { questions, places }
    }

    /// What to ask about the place that was chosen among several.
    pub fn follow_up(&self, answers: &Answers) -> Option<Question> {
        (self.places.len() > 1)
            .then(|| self.chosen_place(answers))
            .flatten()
            .and_then(place_detail)
    }

    /// All questions that have to be answered now.
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

    /// The request, or every complaint at once.
    pub fn parse(&self, answers: &Answers, occasion: &Occasion) -> Result<NewBooking, FieldErrors> {
        let asked = self.asked(answers);
        let errors: FieldErrors = asked
            .iter()
            .filter_map(|question| Some((question.slug.clone(), complaint(question, answers)?)))
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let optional = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let mut responses = JsonMap::new();
        let mut phone_number = None;
        for question in &asked {
            match question.slug.as_str() {
                "name" | "email" | PLACE | PLACE_DETAIL => {}
                "guests" if question.label.is_none() => {}
                ATTENDEE_PHONE => {
                    phone_number = optional(&tidy_phone(answers.text(ATTENDEE_PHONE)))
                }
                slug => {
                    if let Some(value) = json(question, answers) {
                        responses.insert(slug.to_owned(), value);
                    }
                }
            }
        }
        let has_guests = asked
            .iter()
            .any(|question| question.slug == "guests" && question.label.is_none());
        Ok(NewBooking {
            start: occasion.start,
            event_type_id: Some(occasion.event_type_id),
            length_in_minutes: occasion.length,
            attendee: NewAttendee {
                name: answers.text("name").trim().to_owned(),
                time_zone: occasion.zone.0.clone(),
                email: optional(answers.text("email")),
                phone_number,
                language: Some(occasion.language.clone()),
            },
            booking_fields_responses: responses,
            guests: if has_guests {
                addresses(answers.text("guests"))
            } else {
                Vec::new()
            },
            location: self.location(answers),
            ..NewBooking::default()
        })
    }

    fn chosen_place(&self, answers: &Answers) -> Option<&Location> {
        match self.places.as_slice() {
            [only] => Some(only),
            places => places.get(answers.many(PLACE).first()?.parse::<usize>().ok()?),
        }
    }

    fn location(&self, answers: &Answers) -> Option<BookingLocation> {
        let place = self.chosen_place(answers)?;
        let detail = answers.text(PLACE_DETAIL).trim().to_owned();
        let location = match place {
            Location::AttendeeAddress => BookingLocation::AttendeeAddress { address: detail },
            Location::AttendeePhone => BookingLocation::AttendeePhone {
                phone: tidy_phone(&detail),
            },
            Location::AttendeeDefined => BookingLocation::AttendeeDefined { location: detail },
            // With a single place of the organiser's there is nothing to say.
            _ if self.places.len() < 2 => return None,
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

/// What the visitor has to say about a place that is theirs.
fn place_detail(place: &Location) -> Option<Question> {
    let kind = match place {
        Location::AttendeeAddress => FieldKind::Address,
        Location::AttendeePhone => FieldKind::Phone,
        Location::AttendeeDefined => FieldKind::Text,
        _ => return None,
    };
    Some(Question::default_one(PLACE_DETAIL, kind, true))
}

/// A custom field, if this version knows how to ask for it.
fn question(field: &BookingField) -> Option<Question> {
    let needs_options = matches!(
        field.kind,
        FieldKind::Select | FieldKind::Radio | FieldKind::Multiselect | FieldKind::Checkbox
    );
    let is_unaskable = matches!(
        field.kind,
        FieldKind::Unknown | FieldKind::RadioInput | FieldKind::Name
    ) || (needs_options && field.options.is_empty());
    (!is_unaskable).then(|| Question {
        slug: field.slug.clone(),
        kind: field.kind,
        label: Some(
            field
                .label
                .clone()
                .filter(|label| !label.is_empty())
                .unwrap_or_else(|| field.slug.clone()),
        ),
        placeholder: field.placeholder.clone(),
        is_required: field.required,
        options: field.options.clone(),
    })
}

/// What is wrong with the answer to `question`, if anything.
pub fn complaint(question: &Question, answers: &Answers) -> Option<Complaint> {
    let slug = &question.slug;
    let text = answers.text(slug).trim();
    let missing = |complaint| question.is_required.then_some(complaint);
    match question.kind {
        FieldKind::Boolean => (!answers.flag(slug))
            .then(|| missing(Complaint::RequiredTick))
            .flatten(),
        FieldKind::RadioInput
        | FieldKind::Select
        | FieldKind::Radio
        | FieldKind::Multiselect
        | FieldKind::Checkbox => answers
            .many(slug)
            .is_empty()
            .then(|| missing(Complaint::RequiredChoice))
            .flatten(),
        _ if text.is_empty() => missing(Complaint::Required),
        FieldKind::Email => (!is_email(text)).then_some(Complaint::Email),
        FieldKind::Multiemail => addresses(text)
            .into_iter()
            .find(|address| !is_email(address))
            .map(Complaint::Emails),
        FieldKind::Phone => (!is_phone(&tidy_phone(text))).then_some(Complaint::Phone),
        FieldKind::Url => tidy_url(text).is_none().then_some(Complaint::Url),
        FieldKind::Number => number(text).is_none().then_some(Complaint::Number),
        _ => None,
    }
}

/// The answer in the JSON type of its kind; `None` if there is none.
fn json(question: &Question, answers: &Answers) -> Option<Value> {
    let slug = &question.slug;
    let text = answers.text(slug).trim();
    match question.kind {
        FieldKind::Boolean => Some(Value::Bool(answers.flag(slug))),
        FieldKind::Select | FieldKind::Radio => {
            answers.many(slug).into_iter().next().map(Value::String)
        }
        FieldKind::Multiselect | FieldKind::Checkbox => {
            let chosen = answers.many(slug);
            // In the order of the options, whatever the order of the ticks.
            let chosen: Vec<Value> = question
                .options
                .iter()
                .filter(|option| chosen.contains(option))
                .map(|option| Value::String(option.clone()))
                .collect();
            (!chosen.is_empty()).then_some(Value::Array(chosen))
        }
        _ if text.is_empty() => None,
        FieldKind::Number => number(text),
        FieldKind::Phone => Some(Value::String(tidy_phone(text))),
        FieldKind::Url => tidy_url(text).map(Value::String),
        FieldKind::Multiemail => Some(Value::Array(
            addresses(text).into_iter().map(Value::String).collect(),
        )),
        _ => Some(Value::String(text.to_owned())),
    }
}

fn is_email(text: &str) -> bool {
    // The service has the last word; this catches slips of the finger.
    match text.rsplit_once('@') {
        Some((local, domain)) => {
            !local.is_empty()
                && !text.chars().any(char::is_whitespace)
                && local.bytes().all(|sign| sign != b'@')
                && domain.bytes().any(|sign| sign == b'.')
                && !domain.starts_with('.')
                && !domain.ends_with('.')
        }
        None => false,
    }
}

fn addresses(text: &str) -> Vec<String> {
    text.split([',', ';', ' ', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Without the spaces and signs that people group digits by; `00` becomes `+`.
fn tidy_phone(text: &str) -> String {
    let digits: String = text
        .chars()
        .filter(|sign| sign.is_ascii_digit() || *sign == '+')
        .collect();
    let odd = text.chars().any(|sign| {
        !matches!(
            sign,
            '0'..='9' | ' ' | '+' | '-' | '(' | ')' | '.' | '/' | '\u{a0}'
        )
    });
    match digits.strip_prefix("00") {
        _ if odd => text.trim().to_owned(),
        Some(rest) => format!("+{rest}"),
        None => digits,
    }
}

/// E.164: a plus sign and up to fifteen digits.
fn is_phone(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// With its scheme, if it looks like a web address.
fn tidy_url(text: &str) -> Option<String> {
    let without_scheme = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let rest = without_scheme.unwrap_or(text);
    let is_host = rest
        .split('/')
        .next()
        .is_some_and(|host| host.bytes().any(|sign| sign == b'.') && !host.ends_with('.'));
    let has_other_scheme = rest.split(':').skip(1).any(|rest| rest.starts_with("//"));
    let is_clean = !text.chars().any(char::is_whitespace) && !has_other_scheme && is_host;
    is_clean.then(|| {
        if without_scheme.is_some() {
            text.to_owned()
        } else {
            format!("https://{text}")
        }
    })
}

/// A decimal comma is a decimal point. Digits are passed on as they were typed: no float is made
/// of them, which would round and cost kilobytes.
fn number(text: &str) -> Option<Value> {
    let text = text.replace(',', ".");
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // JSON has no leading zeros.
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if !are_digits(whole) || !are_digits(fraction) || digits.is_empty() {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let fraction = fraction.trim_end_matches('0');
    let written = match fraction {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    };
    Some(Value::Number(Number::from_string_unchecked(written)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::Read;
    use serde_json::json;

    fn event_type(value: Value) -> Offer {
        Offer::read(&value).unwrap()
    }

    fn slugs(form: &Form) -> Vec<&str> {
        form.questions
            .iter()
            .map(|question| question.slug.as_str())
            .collect()
    }

    fn answers(pairs: &[(&str, Answer)]) -> Answers {
        Answers(
            pairs
                .iter()
                .map(|(slug, answer)| ((*slug).to_owned(), answer.clone()))
                .collect(),
        )
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
            language: "it".into(),
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
            ],
        })));
        assert_eq!(
            slugs(&form),
            ["name", "email", PLACE, "topic", "guests", "notes"]
        );
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
                ("name".into(), Complaint::Required),
                ("email".into(), Complaint::Email),
                ("phone".into(), Complaint::Phone),
                ("size".into(), Complaint::Number),
                ("terms".into(), Complaint::RequiredTick),
                ("days".into(), Complaint::RequiredChoice),
                ("site".into(), Complaint::Url),
                ("team".into(), Complaint::Emails("c".into())),
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
            (PLACE_DETAIL, text("+39 06 1234 5678")),
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
    fn a_place_of_the_visitors_asks_for_its_detail() {
        let form = Form::of(&event_type(
            json!({"id": 1, "locations": [{"type": "attendeeAddress"}]}),
        ));
        assert_eq!(slugs(&form), ["name", "email", PLACE_DETAIL]);
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

    #[test]
    fn numbers_are_sent_as_they_were_typed() {
        for (typed, sent) in [
            ("7", Some("7")),
            ("007", Some("7")),
            ("2,50", Some("2.5")),
            ("-0.1", Some("-0.1")),
            ("0", Some("0")),
            ("12345678901234567890", Some("12345678901234567890")),
            ("", None),
            ("-", None),
            ("1.", None),
            ("1.2.3", None),
            ("1e3", None),
            ("seven", None),
        ] {
            assert_eq!(
                number(typed).map(|value| value.to_string()).as_deref(),
                sent,
                "{typed}"
            );
        }
    }

    #[test]
    fn phone_numbers_are_understood_as_people_write_them() {
        for (written, expected) in [
            ("+49 (0391) 123-456", Some("+490391123456")),
            ("0044 20 7946 0018", Some("+442079460018")),
            ("030 1234567", None),
            ("+12", None),
            ("+44 call me", None),
        ] {
            let tidy = tidy_phone(written);
            assert_eq!(
                is_phone(&tidy).then_some(tidy.as_str()),
                expected,
                "{written}"
            );
        }
    }
}
