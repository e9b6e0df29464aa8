//! Answers prefilled by the page. No DOM access.
//!
//! Looks up only the form's questions by name: other values of the page are never read.

use crate::features::shared::email_list::addresses;
use booking_wire::{FieldKind, Fields, JsonMap, Location, Read};
use serde_json::Value;

use super::answers::{Answer, Answers};
use super::check::complaint;
use super::model::{
    ATTENDEE_PHONE, Form, PLACE, PLACE_ADDRESS, PLACE_PHONE, PLACE_WORDS, Question,
};

/// Maximum number of characters taken over.
const MOST_TEXT: usize = 10_000;

/// Prefill of one answer: a value, or `{value, readOnly, hidden}`.
#[derive(Clone, Copy, Default)]
struct PrefillReader<'a> {
    value: Option<&'a Value>,
    is_read_only: bool,
    is_hidden: bool,
}

impl<'a> PrefillReader<'a> {
    fn of(given: &'a JsonMap, key: &str) -> Option<Self> {
        let given = given.get(key)?;
        let wrapped = Fields::of(given).filter(|fields| {
            // A location is an object too.
            let names = ["value", "readOnly", "hidden"];
            names.iter().any(|name| fields.value(name).is_some()) && fields.value("type").is_none()
        });
        Some(match wrapped {
            Some(fields) => Self {
                value: fields.value("value"),
                is_read_only: fields.flag("readOnly"),
                is_hidden: fields.flag("hidden"),
            },
            None => Self {
                value: Some(given).filter(|value| !value.is_null()),
                ..Self::default()
            },
        })
    }
}

/// Reschedule reason given by the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// Text; empty if there is none.
    pub text: String,
    /// True if the visitor cannot change it.
    pub is_read_only: bool,
    /// True if the visitor is not asked.
    pub is_hidden: bool,
}

/// Reschedule reason in the page's prefill.
pub fn reschedule_reason(given: &JsonMap) -> Reason {
    let given = PrefillReader::of(given, "rescheduleReason").unwrap_or_default();
    Reason {
        text: given
            .value
            .map_or_else(String::new, |value| words(value, true)),
        is_read_only: given.is_read_only,
        is_hidden: given.is_hidden,
    }
}

/// Fills in missing `answers` and marks questions of `form` that are read-only or hidden. Returns
/// the names in `prefill` without a question.
pub fn apply(prefill: &JsonMap, form: &mut Form, answers: &mut Answers) -> Vec<String> {
    let custom = match prefill.get("answers") {
        Some(Value::Object(custom)) => custom.clone(),
        _ => JsonMap::new(),
    };
    let full_name = full_name(prefill);
    let asks_not = |question: &&Question| question.is_hidden;
    let unasked: Vec<String> = form
        .questions
        .iter()
        .filter(asks_not)
        .map(|question| question.slug.clone())
        .collect();
    let places = form.places.clone();
    for question in &mut form.questions {
        let slug = question.slug.clone();
        let given = match slug.as_str() {
            "name" => PrefillReader::of(prefill, "name").or_else(|| {
                let value = Some(full_name.as_ref()?);
                let parts = ["firstName", "lastName"];
                let parts = parts.map(|part| PrefillReader::of(prefill, part).unwrap_or_default());
                Some(PrefillReader {
                    value,
                    is_read_only: parts.iter().all(|part| part.is_read_only),
                    is_hidden: parts.iter().all(|part| part.is_hidden),
                })
            }),
            "email" | "guests" | "notes" | "title" if question.label.is_none() => {
                PrefillReader::of(prefill, &slug)
            }
            PLACE | PLACE_PHONE | PLACE_ADDRESS | PLACE_WORDS => {
                PrefillReader::of(prefill, "location")
            }
            ATTENDEE_PHONE => PrefillReader::of(&custom, ATTENDEE_PHONE)
                .or_else(|| PrefillReader::of(prefill, "phone")),
            slug => PrefillReader::of(&custom, slug),
        };
        let given = given.unwrap_or_default();
        // The page's value takes precedence over the event type's default.
        let usual = question.usual.clone();
        let value = given.value.or(usual.as_ref());
        if let Some(value) = value
            && !answers.has(&slug)
            && let Some(answer) = answer(question, value, &places, answers.country)
        {
            answers.set(&slug, answer);
        }
        let is_locked = question.locks_prefill && given.value.is_some();
        question.is_read_only |= given.is_read_only || is_locked;
        question.is_hidden |= given.is_hidden;
    }
    let place = PrefillReader::of(prefill, "location").and_then(|given| given.value);
    for (slug, kind, key) in [
        (PLACE_PHONE, FieldKind::Phone, "phone"),
        (PLACE_ADDRESS, FieldKind::Address, "address"),
        (PLACE_WORDS, FieldKind::Text, "location"),
    ] {
        let detail = place.and_then(|place| Fields::of(place)?.value(key));
        let own = PrefillReader::of(prefill, "phone").filter(|_| slug == PLACE_PHONE);
        let detail = detail.or_else(|| own?.value);
        if let Some(detail) = detail
            && !answers.has(slug)
            && let Some(answer) = answer(
                &Question::named(slug, kind, true),
                detail,
                &places,
                answers.country,
            )
        {
            answers.set(slug, answer);
        }
    }
    loosen(form, answers, &unasked);
    unknown(prefill, &custom, form)
}

/// Makes invalid answers visible and editable, whatever the page says. The questions `unasked` are
/// hidden by the event type: others may answer those.
fn loosen(form: &mut Form, answers: &Answers, unasked: &[String]) {
    let detail = form.follow_up(answers);
    let is_place_open = detail.is_some_and(|detail| complaint(&detail, answers).is_some());
    for question in &mut form.questions {
        let is_open =
            complaint(question, answers).is_some() || (question.slug == PLACE && is_place_open);
        let is_asked =
            is_open && (!unasked.contains(&question.slug) || answers.has(&question.slug));
        question.is_hidden &= !is_asked;
        question.is_read_only &= !is_open;
    }
}

fn full_name(prefill: &JsonMap) -> Option<Value> {
    let part = |key: &str| {
        let value = PrefillReader::of(prefill, key)?.value?;
        Some(words(value, false)).filter(|text| !text.is_empty())
    };
    let parts: Vec<String> = ["firstName", "lastName"]
        .into_iter()
        .filter_map(part)
        .collect();
    (!parts.is_empty()).then(|| Value::String(parts.join(" ")))
}

/// Converts `value` to an answer; `None` if it cannot be one.
fn answer(
    question: &Question,
    value: &Value,
    places: &[Location],
    country: &'static str,
) -> Option<Answer> {
    let several = || match value {
        Value::Array(values) => values.iter().filter_map(String::read).collect(),
        value => String::read(value).into_iter().collect::<Vec<_>>(),
    };
    Some(match question.kind {
        FieldKind::Boolean => Answer::Flag(match value {
            Value::Bool(flag) => *flag,
            value => matches!(String::read(value)?.as_str(), "true" | "1" | "yes"),
        }),
        FieldKind::RadioInput => Answer::Many(vec![place_index(value, places)?.to_string()]),
        FieldKind::Select | FieldKind::Radio | FieldKind::Multiselect | FieldKind::Checkbox => {
            let mut chosen = several();
            chosen.retain(|key| question.options.iter().any(|option| option.key() == *key));
            if matches!(question.kind, FieldKind::Select | FieldKind::Radio) {
                chosen.truncate(1);
            }
            Answer::Many(chosen).filled()?
        }
        FieldKind::Multiemail => {
            let text: Vec<String> = several()
                .iter()
                .flat_map(|text| addresses(&cut(text)))
                .collect();
            Answer::Many(text).filled()?
        }
        FieldKind::Phone => Answer::Phone {
            country,
            number: detail(question, value),
        }
        .filled()?,
        _ => Answer::Text(detail(question, value)).filled()?,
    })
}

impl Answer {
    fn filled(self) -> Option<Self> {
        let is_empty = match &self {
            Self::Text(text) | Self::Phone { number: text, .. } => text.is_empty(),
            Self::Many(values) => values.is_empty(),
            Self::Flag(_) => false,
        };
        (!is_empty).then_some(self)
    }
}

/// Text of `value`; for a location, its detail.
fn detail(question: &Question, value: &Value) -> String {
    let key = match question.slug.as_str() {
        PLACE_PHONE => "phone",
        PLACE_ADDRESS => "address",
        PLACE_WORDS => "location",
        _ => "",
    };
    let inner = Fields::of(value).and_then(|fields| fields.value(key));
    let has_lines = matches!(question.kind, FieldKind::Textarea | FieldKind::Address);
    let text = words(inner.unwrap_or(value), has_lines);
    if question.kind == FieldKind::Phone && text.len() > 64 {
        return String::new();
    }
    text
}

/// Text or number without control characters.
fn words(value: &Value, has_lines: bool) -> String {
    let text = cut(&String::read(value).unwrap_or_default());
    let is_kept = |sign: &char| !sign.is_control() || (has_lines && *sign == '\n');
    text.trim().chars().filter(is_kept).collect()
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_TEXT).collect()
}

/// Index of a location in `places`: by position, type, app name, or as the event type writes it.
fn place_index(value: &Value, places: &[Location]) -> Option<usize> {
    let fields = Fields::of(value);
    let name = match fields {
        Some(fields) => fields.text("type"),
        None => String::read(value)?,
    };
    let says = |key: &str, own: &str| {
        fields.is_none_or(|fields| fields.value(key).is_none() || fields.text(key) == own)
    };
    let fits = |place: &Location| match place {
        Location::Address { address, .. } => name == "address" && says("address", address),
        Location::Link { link, .. } => name == "link" && says("link", link),
        Location::Phone { phone, .. } => name == "phone" && says("phone", phone),
        Location::Integration { integration } => {
            name == *integration || (name == "integration" && says("integration", integration))
        }
        Location::OrganizersDefaultApp => name == "organizersDefaultApp",
        Location::AttendeeAddress => name == "attendeeAddress",
        Location::AttendeePhone => name == "attendeePhone",
        Location::AttendeeDefined => name == "attendeeDefined",
        Location::Unknown => false,
    };
    let position = || name.parse().ok().filter(|index| *index < places.len());
    places.iter().position(fits).or_else(position)
}

/// Prefilled names without a question, for a warning to the page's developer.
fn unknown(prefill: &JsonMap, custom: &JsonMap, form: &Form) -> Vec<String> {
    const KNOWN: [&str; 11] = [
        "name",
        "firstName",
        "lastName",
        "email",
        "phone",
        "guests",
        "notes",
        "title",
        "location",
        "answers",
        "rescheduleReason",
    ];
    let is_asked = |slug: &String| form.questions.iter().any(|question| question.slug == *slug);
    let keys = prefill.keys().filter(|key| !KNOWN.contains(&key.as_str()));
    let slugs = custom.keys().filter(|slug| !is_asked(slug));
    keys.chain(slugs)
        .map(|key| key.chars().take(60).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::PublicEventType;
    use serde_json::json;

    fn form() -> Form {
        let offer = json!({"id": 1,
        "locations": [{"type": "attendeePhone"}, {"type": "integration", "integration": "zoom"},
                      {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "multiemail", "slug": "guests", "isDefault": true},
            {"type": "textarea", "slug": "notes", "isDefault": true},
            {"type": "text", "slug": "topic", "label": "Topic", "required": true, "disableOnPrefill": true},
            {"type": "number", "slug": "size", "label": "Size", "max": 9},
            {"type": "boolean", "slug": "terms", "label": "Terms"},
            {"type": "select", "slug": "plan", "label": "Plan", "options": ["A", {"value": 2, "label": "B"}],
             "defaultValue": "A"},
            {"type": "checkbox", "slug": "days", "label": "Days", "options": ["Mo", "Tu", "We"]},
            {"type": "phone", "slug": "attendeePhoneNumber", "label": "Phone"},
            {"type": "text", "slug": "source", "label": "Source", "hidden": true},
        ]});
        Form::of(&PublicEventType::read(&offer).unwrap())
    }

    fn applied(prefill: Value) -> (Form, Answers, Vec<String>) {
        let Value::Object(prefill) = prefill else {
            panic!("no object");
        };
        let mut form = form();
        let mut answers = Answers::default();
        answers.country = "DE";
        let unknown = apply(&prefill, &mut form, &mut answers);
        (form, answers, unknown)
    }

    fn find<'a>(form: &'a Form, slug: &str) -> &'a Question {
        let mut questions = form.questions.iter();
        questions.find(|question| question.slug == slug).unwrap()
    }

    #[test]
    fn every_kind_of_question_can_be_filled_in() {
        let (form, answers, unknown) = applied(json!({
            "firstName": "Ada", "lastName": "Lovelace", "email": {"value": "ada@example.org", "readOnly": true},
            "phone": "030 1234567", "guests": ["a@b.example", "c@d.example"], "notes": "Two\nlines",
            "location": {"type": "attendeeAddress", "address": "1 Main Street"},
            "answers": {"topic": "Demo", "size": 7, "terms": true, "plan": 2, "days": ["We", "Su", "Mo"],
                        "source": "newsletter"},
        }));
        assert_eq!(unknown, Vec::<String>::new());
        assert_eq!(answers.text("name"), "Ada Lovelace");
        assert_eq!(answers.phone(ATTENDEE_PHONE), "+49301234567");
        assert_eq!(answers.phone(PLACE_PHONE), "+49301234567");
        assert_eq!(answers.many("guests"), ["a@b.example", "c@d.example"]);
        assert_eq!(answers.text("notes"), "Two\nlines");
        assert_eq!(answers.many(PLACE), ["2"]);
        assert_eq!(answers.text(PLACE_ADDRESS), "1 Main Street");
        assert_eq!(answers.text("size"), "7");
        assert!(answers.flag("terms"));
        assert_eq!(answers.many("plan"), ["2"]);
        assert_eq!(answers.many("days"), ["We", "Mo"]);
        assert_eq!(answers.text("source"), "newsletter");
        for (slug, is_read_only) in [("email", true), ("topic", true), ("size", false)] {
            assert_eq!(find(&form, slug).is_read_only, is_read_only, "{slug}");
        }
        assert!(find(&form, "source").is_hidden);
    }

    #[test]
    fn what_is_hidden_or_read_only_and_not_right_is_asked_after_all() {
        let hidden = |value: Value| json!({"value": value, "hidden": true, "readOnly": true});
        let (form, answers, _) = applied(json!({
            "name": hidden(json!("Ada")), "email": hidden(json!("ada@")), "notes": hidden(json!(null)),
            "location": hidden(json!({"type": "attendeePhone", "phone": "12"})),
            "answers": {"topic": hidden(json!("")), "size": hidden(json!(12)), "days": hidden(json!(["Su"]))},
        }));
        for (slug, is_hidden) in [
            ("name", true),
            ("email", false),
            ("notes", true),
            (PLACE, false),
            ("topic", false),
            ("size", false),
            ("days", true),
        ] {
            assert_eq!(find(&form, slug).is_hidden, is_hidden, "{slug}");
        }
        assert!(!find(&form, "email").is_read_only);
        assert_eq!(answers.text("email"), "ada@");
        // A hidden question without an answer stays hidden.
        assert!(find(&form, "source").is_hidden);
    }

    #[test]
    fn what_was_typed_and_what_is_usual_stand_before_and_behind() {
        let mut answers = Answers::default();
        answers.set("name", Answer::Text(String::new()));
        let mut form = form();
        let prefill = json!({"name": "Page", "answers": {}});
        apply(prefill.as_object().unwrap(), &mut form, &mut answers);
        assert_eq!(answers.text("name"), "");
        assert_eq!(answers.many("plan"), ["A"]);
    }

    #[test]
    fn hostile_values_stay_inert() {
        let (form, answers, unknown) = applied(json!({
            "__proto__": {"name": "x"}, "constructor": "x",
            "name": "<img src=x onerror=alert(1)>\u{0}\n\u{7}", "email": {"value": {"toString": "x"}},
            "notes": "x".repeat(20_000), "guests": {"length": 9}, "location": {"type": "attendeePhone", "phone": []},
            "phone": "9".repeat(5_000),
            "answers": {"__proto__": "x", "days": "constructor", "topic": ["a", "b"], "size": "NaN", "plan": null},
        }));
        assert_eq!(answers.text("name"), "<img src=x onerror=alert(1)>");
        assert_eq!(answers.text("email"), "");
        assert_eq!(answers.text("notes").len(), 10_000);
        assert_eq!(answers.many("guests"), Vec::<String>::new());
        assert_eq!(answers.text(PLACE_PHONE), "");
        assert_eq!(answers.text("topic"), "");
        assert!(!find(&form, "size").is_hidden);
        assert_eq!(unknown, ["__proto__", "constructor", "__proto__"]);
        for prefill in [
            json!({"answers": 7}),
            json!({"answers": []}),
            json!({"name": null}),
        ] {
            assert_eq!(applied(prefill).1.text("name"), "");
        }
    }

    #[test]
    fn a_place_is_named_by_kind_app_or_position() {
        let places = form().places;
        for (value, index) in [
            (json!("attendeePhone"), Some(0)),
            (json!("zoom"), Some(1)),
            (
                json!({"type": "integration", "integration": "zoom"}),
                Some(1),
            ),
            (json!({"type": "integration", "integration": "jitsi"}), None),
            (json!({"type": "attendeeAddress"}), Some(2)),
            (json!(2), Some(2)),
            (json!("3"), None),
            (json!("elsewhere"), None),
            (json!([]), None),
        ] {
            assert_eq!(place_index(&value, &places), index, "{value}");
        }
    }

    #[test]
    fn the_reason_for_a_move_can_be_given_too() {
        let given = json!({"rescheduleReason": {"value": "Ill", "readOnly": true}});
        let reason = Reason {
            text: "Ill".to_owned(),
            is_read_only: true,
            is_hidden: false,
        };
        assert_eq!(reschedule_reason(given.as_object().unwrap()), reason);
        assert_eq!(reschedule_reason(&JsonMap::new()), Reason::default());
    }
}
