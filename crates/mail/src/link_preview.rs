//! Texts of link previews: what a chat program or a search engine shows of a public page.

use crate::clean;
use crate::templates::Templates;
use crate::texts::{Texts, fill};

/// Characters of a description.
const MAX_DESCRIPTION: usize = 200;

/// Contents of a public page.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreviewInput<'a> {
    /// Title of the event type; empty for a list of event types.
    pub event_type: &'a str,
    /// Its description; may be empty.
    pub description: &'a str,
    /// Its lengths in minutes, ascending.
    pub lengths: &'a [i64],
    /// The team, or else the hosts; none for the first page.
    pub people: &'a [&'a str],
    /// BCP 47 tag; may be empty.
    pub language: &'a str,
}

/// Texts about a public page. All are single lines in plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Language of the texts.
    pub language: &'static str,
    /// Title of the browser's tab: the same as that of the app's page.
    pub page_title: String,
    /// Title of the event type, its length and its hosts; or the invitation.
    pub title: String,
    /// Description of the event type, or the invitation.
    pub description: String,
    /// Title of the event type, or else the invitation without a name.
    pub heading: String,
    /// Team or hosts; empty for the first page.
    pub people: String,
    /// Lengths; empty for a list of event types.
    pub length: String,
    /// Name of the app.
    pub app_name: String,
}

impl Templates {
    /// Returns the texts about a public page.
    pub fn preview(&self, input: PreviewInput<'_>) -> Preview {
        let (language, texts) = self.texts(input.language);
        let event_type = clean::line(input.event_type, clean::MAX_TITLE);
        let people = people(texts, input.people);
        let length = match event_type.is_empty() {
            true => String::new(),
            false => lengths(texts, input.lengths),
        };
        let invitation = match people.is_empty() {
            true => texts.book_time.clone(),
            false => fill(&texts.book_time_with, &[("who", &people)]),
        };
        let title = match (event_type.is_empty(), people.is_empty()) {
            (true, _) => invitation.clone(),
            (false, true) => joined(&[&event_type, &length]),
            (false, false) => fill(
                &texts.preview_title,
                &[("what", &event_type), ("length", &length), ("who", &people)],
            ),
        };
        let description = clean::line(input.description, MAX_DESCRIPTION);
        Preview {
            language,
            page_title: joined(&[&event_type, &people, &texts.app_name]),
            title,
            description: match description.is_empty() {
                true => invitation,
                false => description,
            },
            heading: match event_type.is_empty() {
                true => texts.book_time.clone(),
                false => event_type,
            },
            people,
            length,
            app_name: texts.app_name.clone(),
        }
    }
}

/// Joins the parts of a title that are not empty, as the app does.
fn joined(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(" · ")
}

/// Returns the names as a list.
fn people(texts: &Texts, names: &[&str]) -> String {
    let mut list = String::new();
    for name in names {
        let name = clean::line(name, clean::MAX_NAME);
        list = match (list.is_empty(), name.is_empty()) {
            (true, _) => name,
            (false, true) => list,
            (false, false) => fill(&texts.two_items, &[("first", &list), ("second", &name)]),
        };
    }
    clean::line(&list, clean::MAX_TITLE)
}

/// Formats lengths as the app does: `15 / 30 min`, `30 min / 1 h 30 min`, and more than two as `From 15 min`.
fn lengths(texts: &Texts, minutes: &[i64]) -> String {
    match minutes {
        [shortest, _, _, ..] => fill(&texts.length_from, &[("length", &length(texts, *shortest))]),
        [shorter, longer] if *longer < 60 => {
            let both = format!("{shorter} / {longer}");
            fill(&texts.minutes, &[("count", &both)])
        }
        few => {
            let few: Vec<String> = few.iter().map(|each| length(texts, *each)).collect();
            few.join(" / ")
        }
    }
}

/// Formats a length: `45 min`, `1 h`, `1 h 30 min`.
fn length(texts: &Texts, minutes: i64) -> String {
    let part = |text: &str, count: i64| fill(text, &[("count", &count.to_string())]);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => part(&texts.minutes, minutes),
        (hours, 0) => part(&texts.hours, hours),
        (hours, minutes) => [part(&texts.hours, hours), part(&texts.minutes, minutes)].join(" "),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use booking_wire::formats::text_language::LANGUAGES;

    use super::*;

    #[test]
    fn preview_has_texts_in_the_language() {
        let templates = Templates::embedded();
        let call = PreviewInput {
            event_type: "Intro call",
            description: "Half an hour\nto get to know each other.",
            lengths: &[30],
            people: &["Ada Brandt"],
            language: "en",
        };
        let list = PreviewInput {
            people: &["Ada Brandt"],
            ..PreviewInput::default()
        };
        for (input, page_title, title, description) in [
            (
                call,
                "Intro call · Ada Brandt · Booking",
                "Intro call · 30 min with Ada Brandt",
                "Half an hour to get to know each other.",
            ),
            (
                PreviewInput {
                    language: "de-AT",
                    lengths: &[30, 90],
                    people: &["Ada", "Bo"],
                    description: "",
                    ..call
                },
                "Intro call · Ada, Bo · Buchung",
                "Intro call · 30 Min. / 1 Std. 30 Min. mit Ada, Bo",
                "Termin buchen mit Ada, Bo",
            ),
            (
                PreviewInput {
                    language: "ja",
                    lengths: &[15, 30, 60],
                    people: &[],
                    description: " ",
                    ..call
                },
                "Intro call · 予約",
                "Intro call · 15分から",
                "日時を予約",
            ),
            (
                list,
                "Ada Brandt · Booking",
                "Book a time with Ada Brandt",
                "Book a time with Ada Brandt",
            ),
            (
                PreviewInput::default(),
                "Booking",
                "Book a time",
                "Book a time",
            ),
        ] {
            let preview = templates.preview(input);
            assert_eq!(preview.page_title, page_title);
            assert_eq!(preview.title, title);
            assert_eq!(preview.description, description);
        }
    }

    #[test]
    fn long_description_is_shortened() {
        let description = "word ".repeat(1000);
        let input = PreviewInput {
            description: &description,
            ..PreviewInput::default()
        };
        let shortened = Templates::embedded().preview(input).description;
        assert!(shortened.chars().count() <= MAX_DESCRIPTION);
        assert!(shortened.ends_with('…'), "{shortened}");
    }
    #[test]
    fn texts_are_those_of_the_app() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/i18n");
        let read = |file: String| fs::read_to_string(folder.join(file)).unwrap();
        let english = read("english.rs".to_owned());
        for language in LANGUAGES.into_iter().chain(["en"]) {
            let templates = Templates::embedded();
            let (_, texts) = templates.texts(language);
            for (part, key, text) in [
                ("", "offersTitle", &texts.book_time),
                ("", "minutes", &texts.minutes),
                ("", "hours", &texts.hours),
                ("", "lengthFrom", &texts.length_from),
                ("", "twoItems", &texts.two_items),
                (".app", "appName", &texts.app_name),
            ] {
                let (source, line) = match language {
                    "en" => {
                        let (first, rest) = key.split_at(1);
                        let key = first.to_uppercase() + rest;
                        (english.clone(), format!("    {key} => \"{text}\","))
                    }
                    _ => (
                        read(format!("lang/{language}{part}.json")),
                        format!("\"{key}\": \"{text}\""),
                    ),
                };
                assert!(source.contains(&line), "{language}: {line}");
            }
        }
    }
}
