//! Values prefilled by the page. No DOM access.
//!
//! Looks up only the form's fields by name: other values of the page are never read.

use booking_rules::limits::MAX_ANSWER_CHARS;
use booking_wire::{FieldKind, Fields, JsonMap, Location, Read};
use serde_json::Value;

use super::field::{
    ATTENDEE_PHONE, InputField, LOCATION, LOCATION_ADDRESS, LOCATION_PHONE, LOCATION_TEXT,
};
use super::model::Form;
use super::validation::validate;
use super::values::{FieldValue, FieldValues};
use crate::features::shared::email_list::addresses;

/// Prefill of one field: a value, or `{value, readOnly, hidden}`.
#[derive(Clone, Copy, Default)]
struct PrefillEntry<'a> {
    value: Option<&'a Value>,
    is_read_only: bool,
    is_hidden: bool,
}

impl<'a> PrefillEntry<'a> {
    fn of(prefill: &'a JsonMap, key: &str) -> Option<Self> {
        let entry = prefill.get(key)?;
        let wrapped = Fields::of(entry).filter(|fields| {
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
                value: Some(entry).filter(|value| !value.is_null()),
                ..Self::default()
            },
        })
    }
}

/// Reschedule reason given by the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrefilledReason {
    /// Text; empty if there is none.
    pub text: String,
    /// True if the visitor cannot change it.
    pub is_read_only: bool,
    /// True if the field is not shown.
    pub is_hidden: bool,
}

/// Reschedule reason in the page's prefill.
pub fn reschedule_reason(prefill: &JsonMap) -> PrefilledReason {
    let entry = PrefillEntry::of(prefill, "rescheduleReason").unwrap_or_default();
    PrefilledReason {
        text: entry
            .value
            .map_or_else(String::new, |value| text_of(value, true)),
        is_read_only: entry.is_read_only,
        is_hidden: entry.is_hidden,
    }
}

/// Fills in missing `values` and marks fields of `form` that are read-only or hidden. Returns
/// the names in `prefill` without a field.
pub fn apply(prefill: &JsonMap, form: &mut Form, values: &mut FieldValues) -> Vec<String> {
    let custom = match prefill.get("answers") {
        Some(Value::Object(custom)) => custom.clone(),
        _ => JsonMap::new(),
    };
    let full_name = full_name(prefill);
    let is_hidden = |field: &&InputField| field.is_hidden;
    let hidden_slugs: Vec<String> = form
        .fields
        .iter()
        .filter(is_hidden)
        .map(|field| field.slug.clone())
        .collect();
    let locations = form.locations.clone();
    for field in &mut form.fields {
        let slug = field.slug.clone();
        let entry = match slug.as_str() {
            "name" => PrefillEntry::of(prefill, "name").or_else(|| {
                let value = Some(full_name.as_ref()?);
                let parts = ["firstName", "lastName"];
                let parts = parts.map(|part| PrefillEntry::of(prefill, part).unwrap_or_default());
                Some(PrefillEntry {
                    value,
                    is_read_only: parts.iter().all(|part| part.is_read_only),
                    is_hidden: parts.iter().all(|part| part.is_hidden),
                })
            }),
            "email" | "guests" | "notes" | "title" if field.label.is_none() => {
                PrefillEntry::of(prefill, &slug)
            }
            LOCATION | LOCATION_PHONE | LOCATION_ADDRESS | LOCATION_TEXT => {
                PrefillEntry::of(prefill, "location")
            }
            ATTENDEE_PHONE => PrefillEntry::of(&custom, ATTENDEE_PHONE)
                .or_else(|| PrefillEntry::of(prefill, "phone")),
            slug => PrefillEntry::of(&custom, slug),
        };
        let entry = entry.unwrap_or_default();
        // The page's value takes precedence over the event type's default.
        let default = field.default.clone();
        let value = entry.value.or(default.as_ref());
        if let Some(value) = value
            && !values.has(&slug)
            && let Some(value) = to_field_value(field, value, &locations, values.country)
        {
            values.set(&slug, value);
        }
        let is_locked = field.locks_prefill && entry.value.is_some();
        field.is_read_only |= entry.is_read_only || is_locked;
        field.is_hidden |= entry.is_hidden;
    }
    let location = PrefillEntry::of(prefill, "location").and_then(|entry| entry.value);
    for (slug, kind, key) in [
        (LOCATION_PHONE, FieldKind::Phone, "phone"),
        (LOCATION_ADDRESS, FieldKind::Address, "address"),
        (LOCATION_TEXT, FieldKind::Text, "location"),
    ] {
        let detail = location.and_then(|location| Fields::of(location)?.value(key));
        let own = PrefillEntry::of(prefill, "phone").filter(|_| slug == LOCATION_PHONE);
        let detail = detail.or_else(|| own?.value);
        if let Some(detail) = detail
            && !values.has(slug)
            && let Some(value) = to_field_value(
                &InputField::named(slug, kind, true),
                detail,
                &locations,
                values.country,
            )
        {
            values.set(slug, value);
        }
    }
    reveal_invalid(form, values, &hidden_slugs);
    unknown_names(prefill, &custom, form)
}

/// Makes invalid values visible and editable, whatever the page says. The fields `hidden_slugs` are
/// hidden by the event type and stay hidden without a value.
fn reveal_invalid(form: &mut Form, values: &FieldValues, hidden_slugs: &[String]) {
    let detail = form.location_detail(values);
    let is_location_open = detail.is_some_and(|detail| validate(&detail, values).is_some());
    for field in &mut form.fields {
        let is_open =
            validate(field, values).is_some() || (field.slug == LOCATION && is_location_open);
        let is_visible =
            is_open && (!hidden_slugs.contains(&field.slug) || values.has(&field.slug));
        field.is_hidden &= !is_visible;
        field.is_read_only &= !is_open;
    }
}

fn full_name(prefill: &JsonMap) -> Option<Value> {
    let part = |key: &str| {
        let value = PrefillEntry::of(prefill, key)?.value?;
        Some(text_of(value, false)).filter(|text| !text.is_empty())
    };
    let parts: Vec<String> = ["firstName", "lastName"]
        .into_iter()
        .filter_map(part)
        .collect();
    (!parts.is_empty()).then(|| Value::String(parts.join(" ")))
}

/// Converts `value` to a field value; `None` if it cannot be one.
fn to_field_value(
    field: &InputField,
    value: &Value,
    locations: &[Location],
    country: &'static str,
) -> Option<FieldValue> {
    let several = || match value {
        Value::Array(values) => values.iter().filter_map(String::read).collect(),
        value => String::read(value).into_iter().collect::<Vec<_>>(),
    };
    Some(match field.kind {
        FieldKind::Boolean => FieldValue::Flag(match value {
            Value::Bool(flag) => *flag,
            value => matches!(String::read(value)?.as_str(), "true" | "1" | "yes"),
        }),
        FieldKind::RadioInput => {
            FieldValue::Many(vec![location_index(value, locations)?.to_string()])
        }
        FieldKind::Select | FieldKind::Radio | FieldKind::Multiselect | FieldKind::Checkbox => {
            let mut selected = several();
            selected.retain(|key| field.options.iter().any(|option| option.key() == *key));
            if matches!(field.kind, FieldKind::Select | FieldKind::Radio) {
                selected.truncate(1);
            }
            FieldValue::Many(selected).filled()?
        }
        FieldKind::Multiemail => {
            let text: Vec<String> = several()
                .iter()
                .flat_map(|text| addresses(&cut(text)))
                .collect();
            FieldValue::Many(text).filled()?
        }
        FieldKind::Phone => FieldValue::Phone {
            country,
            number: detail(field, value),
        }
        .filled()?,
        _ => FieldValue::Text(detail(field, value)).filled()?,
    })
}

impl FieldValue {
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
fn detail(field: &InputField, value: &Value) -> String {
    let key = match field.slug.as_str() {
        LOCATION_PHONE => "phone",
        LOCATION_ADDRESS => "address",
        LOCATION_TEXT => "location",
        _ => "",
    };
    let inner = Fields::of(value).and_then(|fields| fields.value(key));
    let has_lines = matches!(field.kind, FieldKind::Textarea | FieldKind::Address);
    let text = text_of(inner.unwrap_or(value), has_lines);
    if field.kind == FieldKind::Phone && text.len() > 64 {
        return String::new();
    }
    text
}

/// Text or number without control characters.
fn text_of(value: &Value, has_lines: bool) -> String {
    let text = cut(&String::read(value).unwrap_or_default());
    let is_allowed = |sign: &char| !sign.is_control() || (has_lines && *sign == '\n');
    text.trim().chars().filter(is_allowed).collect()
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_ANSWER_CHARS).collect()
}

/// Index of a location in `locations`: by position, type, app name, or as the event type writes it.
fn location_index(value: &Value, locations: &[Location]) -> Option<usize> {
    let fields = Fields::of(value);
    let name = match fields {
        Some(fields) => fields.text("type"),
        None => String::read(value)?,
    };
    let matches = |key: &str, own: &str| {
        fields.is_none_or(|fields| fields.value(key).is_none() || fields.text(key) == own)
    };
    let is_match = |location: &Location| match location {
        Location::Address { address, .. } => name == "address" && matches("address", address),
        Location::Link { link, .. } => name == "link" && matches("link", link),
        Location::Phone { phone, .. } => name == "phone" && matches("phone", phone),
        Location::Integration { integration } => {
            name == *integration || (name == "integration" && matches("integration", integration))
        }
        Location::OrganizersDefaultApp => name == "organizersDefaultApp",
        Location::AttendeeAddress => name == "attendeeAddress",
        Location::AttendeePhone => name == "attendeePhone",
        Location::AttendeeDefined => name == "attendeeDefined",
        Location::Unknown => false,
    };
    let position = || name.parse().ok().filter(|index| *index < locations.len());
    locations.iter().position(is_match).or_else(position)
}

/// Prefilled names without a field, for a warning to the page's developer.
fn unknown_names(prefill: &JsonMap, custom: &JsonMap, form: &Form) -> Vec<String> {
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
    let is_field = |slug: &String| form.fields.iter().any(|field| field.slug == *slug);
    let keys = prefill.keys().filter(|key| !KNOWN.contains(&key.as_str()));
    let slugs = custom.keys().filter(|slug| !is_field(slug));
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
        let event_type = json!({"id": 1,
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
        Form::of(&PublicEventType::read(&event_type).unwrap())
    }

    fn applied(prefill: Value) -> (Form, FieldValues, Vec<String>) {
        let Value::Object(prefill) = prefill else {
            panic!("no object");
        };
        let mut form = form();
        let mut values = FieldValues::default();
        values.country = "DE";
        let unknown = apply(&prefill, &mut form, &mut values);
        (form, values, unknown)
    }

    fn find<'a>(form: &'a Form, slug: &str) -> &'a InputField {
        let mut fields = form.fields.iter();
        fields.find(|field| field.slug == slug).unwrap()
    }

    #[test]
    fn prefill_every_field_kind_is_applied() {
        let (form, values, unknown) = applied(json!({
            "firstName": "Ada", "lastName": "Lovelace", "email": {"value": "ada@example.org", "readOnly": true},
            "phone": "030 1234567", "guests": ["a@b.example", "c@d.example"], "notes": "Two\nlines",
            "location": {"type": "attendeeAddress", "address": "1 Main Street"},
            "answers": {"topic": "Demo", "size": 7, "terms": true, "plan": 2, "days": ["We", "Su", "Mo"],
                        "source": "newsletter"},
        }));
        assert_eq!(unknown, Vec::<String>::new());
        assert_eq!(values.text("name"), "Ada Lovelace");
        assert_eq!(values.phone(ATTENDEE_PHONE), "+49301234567");
        assert_eq!(values.phone(LOCATION_PHONE), "+49301234567");
        assert_eq!(values.many("guests"), ["a@b.example", "c@d.example"]);
        assert_eq!(values.text("notes"), "Two\nlines");
        assert_eq!(values.many(LOCATION), ["2"]);
        assert_eq!(values.text(LOCATION_ADDRESS), "1 Main Street");
        assert_eq!(values.text("size"), "7");
        assert!(values.flag("terms"));
        assert_eq!(values.many("plan"), ["2"]);
        assert_eq!(values.many("days"), ["We", "Mo"]);
        assert_eq!(values.text("source"), "newsletter");
        for (slug, is_read_only) in [("email", true), ("topic", true), ("size", false)] {
            assert_eq!(find(&form, slug).is_read_only, is_read_only, "{slug}");
        }
        assert!(find(&form, "source").is_hidden);
    }

    #[test]
    fn hidden_field_invalid_value_becomes_visible_and_editable() {
        let hidden = |value: Value| json!({"value": value, "hidden": true, "readOnly": true});
        let (form, values, _) = applied(json!({
            "name": hidden(json!("Ada")), "email": hidden(json!("ada@")), "notes": hidden(json!(null)),
            "location": hidden(json!({"type": "attendeePhone", "phone": "12"})),
            "answers": {"topic": hidden(json!("")), "size": hidden(json!(12)), "days": hidden(json!(["Su"]))},
        }));
        for (slug, is_hidden) in [
            ("name", true),
            ("email", false),
            ("notes", true),
            (LOCATION, false),
            ("topic", false),
            ("size", false),
            ("days", true),
        ] {
            assert_eq!(find(&form, slug).is_hidden, is_hidden, "{slug}");
        }
        assert!(!find(&form, "email").is_read_only);
        assert_eq!(values.text("email"), "ada@");
        // A hidden field without a value stays hidden.
        assert!(find(&form, "source").is_hidden);
    }

    #[test]
    fn prefill_typed_value_wins_and_default_loses() {
        let mut values = FieldValues::default();
        values.set("name", FieldValue::Text(String::new()));
        let mut form = form();
        let prefill = json!({"name": "Page", "answers": {}});
        apply(prefill.as_object().unwrap(), &mut form, &mut values);
        assert_eq!(values.text("name"), "");
        assert_eq!(values.many("plan"), ["A"]);
    }

    #[test]
    fn prefill_hostile_values_are_sanitised() {
        let (form, values, unknown) = applied(json!({
            "__proto__": {"name": "x"}, "constructor": "x",
            "name": "<img src=x onerror=alert(1)>\u{0}\n\u{7}", "email": {"value": {"toString": "x"}},
            "notes": "x".repeat(20_000), "guests": {"length": 9}, "location": {"type": "attendeePhone", "phone": []},
            "phone": "9".repeat(5_000),
            "answers": {"__proto__": "x", "days": "constructor", "topic": ["a", "b"], "size": "NaN", "plan": null},
        }));
        assert_eq!(values.text("name"), "<img src=x onerror=alert(1)>");
        assert_eq!(values.text("email"), "");
        assert_eq!(values.text("notes").len(), 10_000);
        assert_eq!(values.many("guests"), Vec::<String>::new());
        assert_eq!(values.text(LOCATION_PHONE), "");
        assert_eq!(values.text("topic"), "");
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
    fn location_index_accepts_type_app_and_position() {
        let locations = form().locations;
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
            assert_eq!(location_index(&value, &locations), index, "{value}");
        }
    }

    #[test]
    fn reschedule_reason_is_read_from_prefill() {
        let entry = json!({"rescheduleReason": {"value": "Ill", "readOnly": true}});
        let reason = PrefilledReason {
            text: "Ill".to_owned(),
            is_read_only: true,
            is_hidden: false,
        };
        assert_eq!(reschedule_reason(entry.as_object().unwrap()), reason);
        assert_eq!(
            reschedule_reason(&JsonMap::new()),
            PrefilledReason::default()
        );
    }
}
