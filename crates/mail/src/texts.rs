//! Texts of messages and pages in each language.

use std::collections::BTreeMap;

use booking_wire::formats::text_language::language_of;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Files of the program, by language.
const FILES: [(&str, &str); 13] = [
    ("en", include_str!("../texts/en.json")),
    ("ar", include_str!("../texts/ar.json")),
    ("de", include_str!("../texts/de.json")),
    ("es", include_str!("../texts/es.json")),
    ("fr", include_str!("../texts/fr.json")),
    ("he", include_str!("../texts/he.json")),
    ("hi", include_str!("../texts/hi.json")),
    ("ja", include_str!("../texts/ja.json")),
    ("nl", include_str!("../texts/nl.json")),
    ("pl", include_str!("../texts/pl.json")),
    ("pt-BR", include_str!("../texts/pt-BR.json")),
    ("tr", include_str!("../texts/tr.json")),
    ("zh-CN", include_str!("../texts/zh-CN.json")),
];

macro_rules! texts {
    ($($key:ident)*) => {
        /// Texts of one language. The keys in files are in camel case.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub(crate) struct Texts {
            $(pub(crate) $key: String,)*
        }
    };
}

texts! {
    what when who place video_call video_link_on_page video_link_missing location_unset
    location_withheld notes reason guests new_guests former_time former_location series_dates host
    host_named meeting date_and_time time_elsewhere two_items subject subject_without_who code_subject booked
    booked_text all_dates_text invited invited_text new_booking new_booking_text new_booking_text_plain requested requested_text
    requested_text_plain new_request new_request_text new_request_text_plain please_confirm confirmed confirmed_text declined cancelled
    no_meeting_text declined_text place_cancelled place_cancelled_text rescheduled rescheduled_text rescheduled_text_plain
    move_requested move_to_confirm clocks_changed clocks_changed_text clocks_moved_text location_changed location_changed_text guests_added
    guests_added_text host_changed host_changed_text hosts_changed hosts_changed_text assigned_to_you assigned_to_you_text
    assigned_to_other assigned_to_other_text reminder reminder_text verification_code code_text
    code_valid code_ignore join view_booking open_booking reschedule cancel_booking book_again keep_booking confirm decline stop_reminders cannot_attend
    try_again cancel_question cancel_series_question confirm_question decline_question
    stop_reminders_question cancel_reason decline_reason reason_hint done_text reminders_stopped
    reminders_stopped_text superseded superseded_text superseded_shown_text already_confirmed already_cancelled already_declined expired expired_text invalid invalid_text
    taken taken_text
    failed failed_text
    app_name book_time book_time_with preview_title minutes hours length_from
}

/// Texts of all languages.
#[derive(Clone, Debug)]
pub(crate) struct Catalogue(BTreeMap<&'static str, Texts>);

impl Catalogue {
    /// Returns the texts of the program, replaced by those of `files`: pairs of a file name, such as `de.json`, and its
    /// contents.
    pub(crate) fn new(files: &[(String, String)]) -> Result<Self, String> {
        let mut all = BTreeMap::new();
        for (language, embedded) in FILES {
            let mut texts = parse(embedded).map_err(|error| format!("{language}.json:{error}"))?;
            let name = file_name(language);
            for (_, contents) in files.iter().filter(|(file, _)| *file == name) {
                let replaced = parse(contents).map_err(|error| format!("{name}:{error}"))?;
                replace(&mut texts, replaced, contents)
                    .map_err(|error| format!("{name}:{error}"))?;
            }
            let texts = serde_json::from_value(Value::Object(texts));
            all.insert(language, texts.map_err(|error| format!("{name}: {error}"))?);
        }
        Ok(Self(all))
    }

    /// Returns the language of messages for a BCP 47 tag and its texts; English if there is none.
    pub(crate) fn get(&self, tag: &str) -> (&'static str, &Texts) {
        let language = language_of(tag).unwrap_or("en");
        match self.0.get_key_value(language) {
            Some((language, texts)) => (language, texts),
            None => ("en", &self.0["en"]),
        }
    }
}

/// Returns true for the name of a file with texts.
pub(crate) fn is_file_name(name: &str) -> bool {
    FILES
        .iter()
        .any(|(language, _)| file_name(language) == name)
}

fn file_name(language: &str) -> String {
    format!("{language}.json")
}

/// Replaces texts; each has to have the placeholders of the one before.
fn replace(
    texts: &mut Map<String, Value>,
    by: Map<String, Value>,
    contents: &str,
) -> Result<(), String> {
    for (key, value) in by {
        let line = line_of(contents, &key);
        let Some(text) = texts.get_mut(&key) else {
            return Err(format!("{line}: there is no text “{key}”"));
        };
        let new = value
            .as_str()
            .ok_or_else(|| format!("{line}: “{key}” is not a text"))?;
        let (before, after) = (
            placeholders(text.as_str().unwrap_or_default()),
            placeholders(new),
        );
        if let Some(unknown) = after.iter().find(|name| !before.contains(name)) {
            return Err(format!("{line}: “{key}” has no placeholder {unknown}"));
        }
        *text = value;
    }
    Ok(())
}

/// Returns the line of a key, from 1.
fn line_of(contents: &str, key: &str) -> usize {
    let quoted = format!("\"{key}\"");
    contents
        .lines()
        .position(|line| line.contains(&quoted))
        .map_or(1, |index| index + 1)
}

fn parse(contents: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(contents).map_err(|error| format!("{}: {error}", error.line()))
}

/// Returns the placeholders of a text, sorted, with their braces.
fn placeholders(text: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| format!("{{{name}}}"))
        .collect();
    names.sort();
    names
}

/// Fills placeholders. Values are not searched for placeholders.
pub(crate) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let found = after.split_once('}').and_then(|(name, after)| {
            Some((values.iter().find(|(key, _)| *key == name)?.1, after))
        });
        match found {
            Some((value, after)) => {
                filled.push_str(value);
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use booking_wire::formats::text_language::LANGUAGES;

    #[test]
    fn each_language_has_all_texts_with_same_placeholders() {
        let english = parse(FILES[0].1).unwrap();
        let languages: Vec<&str> = FILES
            .iter()
            .skip(1)
            .map(|(language, _)| *language)
            .collect();
        assert_eq!(languages, LANGUAGES);
        for (language, contents) in FILES {
            let texts = parse(contents).unwrap();
            let keys: Vec<_> = texts.keys().collect();
            assert_eq!(keys, english.keys().collect::<Vec<_>>(), "{language}");
            for (key, text) in &texts {
                let text = text.as_str().unwrap();
                let expected = placeholders(english[key].as_str().unwrap());
                assert_eq!(placeholders(text), expected, "{language} {key}");
                assert_eq!(text.trim(), text, "{language} {key}");
                assert!(!text.is_empty(), "{language} {key}");
                assert!(
                    language == "en"
                        || *text != english[key]
                        || text.starts_with('{')
                        || is_same_word(key),
                    "{language} {key} is not translated"
                );
            }
        }
        assert!(Catalogue::new(&[]).is_ok());
    }

    /// Words that some language shares with English.
    fn is_same_word(key: &str) -> bool {
        matches!(key, "host" | "notes" | "reason" | "meeting")
    }

    #[test]
    fn language_of_recipient_is_the_nearest() {
        let catalogue = Catalogue::new(&[]).unwrap();
        for (tag, language) in [
            ("de-AT", "de"),
            ("pt-PT", "pt-BR"),
            ("zh-SG", "zh-CN"),
            ("zh-TW", "en"),
            ("sv", "en"),
            ("", "en"),
        ] {
            assert_eq!(catalogue.get(tag).0, language, "{tag}");
        }
    }

    #[test]
    fn texts_replaced_by_operator_are_checked() {
        let load = |contents: &str| Catalogue::new(&[("de.json".to_owned(), contents.to_owned())]);
        let catalogue = load("{\"booked\": \"Wir sehen uns\"}").unwrap();
        assert_eq!(catalogue.get("de").1.booked, "Wir sehen uns");
        for (contents, message) in [
            ("{\n\"boked\": \"\"}", "de.json:2: there is no text “boked”"),
            ("{\"booked\": 3}", "de.json:1: “booked” is not a text"),
            ("{\n\n\"with\": \"\"", "de.json:3: "),
            (
                "{\"subject\": \"{name}\"}",
                "de.json:1: “subject” has no placeholder {name}",
            ),
        ] {
            let error = load(contents).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn fill_replaces_placeholders_once() {
        let values = [("a", "{b}"), ("b", "2")];
        assert_eq!(fill("{a} {b} {c} {", &values), "{b} 2 {c} {");
    }
}
