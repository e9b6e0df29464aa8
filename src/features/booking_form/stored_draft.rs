//! Answers as JSON, which outlives the view that they were typed in. No DOM access.

use booking_wire::{Fields, JsonMap, Read};
use serde_json::Value;

use super::answers::{Answer, Answers};
use super::model::{Form, PLACE, PLACE_ADDRESS, PLACE_PHONE, PLACE_WORDS};
use super::phone;

/// Maximum number of characters of a text, and of values of an answer, that are restored.
const MOST_TEXT: usize = 10_000;
const MOST_ANSWERS: usize = 200;

/// Answers to the questions `slugs`.
pub fn written(answers: &Answers, slugs: &[String]) -> JsonMap {
    let value = |answer: &Answer| match answer {
        Answer::Text(text) => Value::String(text.clone()),
        Answer::Flag(flag) => Value::Bool(*flag),
        Answer::Many(values) => Value::Array(values.iter().cloned().map(Value::String).collect()),
        Answer::Phone { country, number } => {
            let mut phone = JsonMap::new();
            phone.insert("country".to_owned(), Value::String((*country).to_owned()));
            phone.insert("number".to_owned(), Value::String(number.clone()));
            Value::Object(phone)
        }
    };
    let mut kept = JsonMap::new();
    for slug in slugs {
        if let Some(answer) = answers.get(slug) {
            kept.insert(slug.clone(), value(answer));
        }
    }
    kept
}

/// Restores the answers in `kept` to questions of `form` that the visitor can change. Other scripts
/// may have written `kept`: invalid answers are skipped. Returns the restored slugs.
pub fn restore(kept: &JsonMap, form: &Form, answers: &mut Answers) -> Vec<String> {
    let is_open = |slug: &str| {
        let slug = match slug {
            PLACE_PHONE | PLACE_ADDRESS | PLACE_WORDS if form.places.len() > 1 => PLACE,
            slug => slug,
        };
        let question = form.questions.iter().find(|question| question.slug == slug);
        question.is_some_and(|question| !question.is_hidden && !question.is_read_only)
    };
    let mut slugs = Vec::new();
    for (slug, value) in kept {
        if is_open(slug)
            && let Some(answer) = read(value)
        {
            answers.set(slug, answer);
            slugs.push(slug.clone());
        }
    }
    slugs
}

fn read(value: &Value) -> Option<Answer> {
    let text = |text: &str| text.chars().take(MOST_TEXT).collect::<String>();
    Some(match value {
        Value::String(typed) => Answer::Text(text(typed)),
        Value::Bool(flag) => Answer::Flag(*flag),
        Value::Array(values) => {
            let values = values.iter().take(MOST_ANSWERS).filter_map(String::read);
            Answer::Many(values.map(|value| text(&value)).collect())
        }
        value => {
            let phone = Fields::of(value)?;
            Answer::Phone {
                country: phone::country(&phone.text("country")).unwrap_or_default(),
                number: phone.get::<String>("number").map(|number| text(&number))?,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::PublicEventType;
    use serde_json::json;

    fn form(prefill: Value) -> (Form, Answers) {
        let offer = json!({"id": 1,
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [
            {"type": "multiemail", "slug": "guests", "isDefault": true},
            {"type": "boolean", "slug": "terms", "label": "Terms"},
            {"type": "text", "slug": "source", "label": "Source", "hidden": true},
        ]});
        let mut form = Form::of(&PublicEventType::read(&offer).unwrap());
        let mut answers = Answers::default();
        let prefill = prefill.as_object().unwrap().clone();
        crate::features::booking_form::prefill::apply(&prefill, &mut form, &mut answers);
        (form, answers)
    }

    #[test]
    fn typed_answers_of_every_kind_survive() {
        let (form, mut answers) = form(json!({"email": "page@example.org"}));
        let phone = Answer::Phone {
            country: "DE",
            number: "030 12".to_owned(),
        };
        let typed = [
            ("name", Answer::Text(" Zoë".to_owned())),
            (PLACE, Answer::Many(vec!["0".to_owned()])),
            (PLACE_PHONE, phone),
            ("guests", Answer::Many(vec!["a@b.example".to_owned()])),
            ("terms", Answer::Flag(true)),
        ];
        for (slug, answer) in &typed {
            answers.set(slug, answer.clone());
        }
        let slugs = typed.each_ref().map(|(slug, _)| (*slug).to_owned());
        let kept = written(&answers, &slugs);
        assert!(
            !kept.contains_key("email"),
            "what the page fills in: {kept:?}"
        );
        let mut again = Answers::default();
        let mut restored = restore(&kept, &form, &mut again);
        restored.sort_unstable();
        let mut expected = slugs.to_vec();
        expected.sort_unstable();
        assert_eq!(restored, expected);
        for (slug, answer) in &typed {
            assert_eq!(again.get(slug), Some(answer), "{slug}");
        }
    }

    #[test]
    fn foreign_data_changes_no_locked_or_unknown_question() {
        let (form, before) = form(json!({
            "name": {"value": "Ada", "readOnly": true},
            "email": {"value": "ada@example.org", "hidden": true},
        }));
        let kept = json!({
            "name": "Eve", "email": "eve@example.org", "source": "x", "unknown": "x", "terms": 7,
            "guests": {"length": 9}, PLACE_PHONE: {"country": "XX", "number": []},
        });
        let mut answers = before.clone();
        let restored = restore(kept.as_object().unwrap(), &form, &mut answers);
        assert_eq!((restored, answers), (Vec::<String>::new(), before));
        let long = json!({PLACE_ADDRESS: "x".repeat(20_000)});
        let mut answers = Answers::default();
        restore(long.as_object().unwrap(), &form, &mut answers);
        assert_eq!(answers.text(PLACE_ADDRESS).len(), 10_000);
    }
}
