//! Submitted answers for display. No DOM access.

use booking_wire::{JsonMap, Read};
use serde_json::Value;

use super::labels::label_of;
use super::model::{Form, Question};
use crate::i18n::{Key, Translations};

/// Answered questions of `form` with their answers, in the order of the form. Leaves out name,
/// e-mail address and location, which are shown elsewhere, and hidden questions.
pub fn told(form: &Form, answers: &JsonMap, texts: Translations) -> Vec<(String, String)> {
    let is_told = |question: &&Question| {
        !question.is_hidden && !matches!(question.slug.as_str(), "name" | "email" | "location")
    };
    let questions = form.questions.iter().filter(is_told);
    questions
        .filter_map(|question| {
            let answer = words(question, answers.get(&question.slug)?, texts)?;
            Some((label_of(question, texts), answer))
        })
        .collect()
}

fn words(question: &Question, answer: &Value, texts: Translations) -> Option<String> {
    let words = match answer {
        Value::Bool(flag) => texts.get(if *flag { Key::Yes } else { Key::No }).to_owned(),
        Value::Array(several) => {
            let several = several.iter();
            let several: Vec<String> = several
                .filter_map(|one| words(question, one, texts))
                .collect();
            several.join(", ")
        }
        one => {
            let key = String::read(one)?;
            let options = &question.options;
            let chosen = options.iter().find(|option| option.key() == key);
            chosen.map_or(key, |option| option.label.clone())
        }
    };
    Some(words).filter(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::PublicEventType;
    use serde_json::json;

    #[test]
    fn answers_are_told_by_their_labels_and_hidden_ones_are_not() {
        let offer = PublicEventType::read(&json!({
            "id": 1,
            "bookingFields": [
                {"type": "select", "slug": "plan", "label": "Plan", "options": [{"value": 3, "label": "Big"}]},
                {"type": "checkbox", "slug": "extras", "label": "Extras", "options": ["A", "B"]},
                {"type": "boolean", "slug": "news", "label": "News?"},
                {"type": "text", "slug": "source", "label": "Source", "hidden": true},
                {"type": "text", "slug": "topic", "label": "Topic"},
                {"type": "textarea", "slug": "notes", "isDefault": true},
            ],
        }));
        let form = Form::of(&offer.unwrap());
        let answers = json!({
            "name": "Zoë", "email": "zoe@example.org", "location": {"type": "link"}, "plan": 3,
            "extras": ["A", "B"], "news": false, "source": "ad", "topic": " ", "notes": "Hi",
            "unknown": "x",
        });
        let told = told(&form, answers.as_object().unwrap(), Translations::ENGLISH);
        let told: Vec<_> = told
            .iter()
            .map(|(label, words)| (&**label, &**words))
            .collect();
        assert_eq!(
            told,
            [
                ("Plan", "Big"),
                ("Extras", "A, B"),
                ("News?", "No"),
                ("Anything we should know?", "Hi"),
            ]
        );
    }
}
