//! Completeness of every language: the same keys and placeholders as English, all plural forms, and no
//! untranslated text.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use booking_widget::i18n::{Key, LANGUAGES, all};
use serde_json::{Map, Value};

/// Returns the plural categories of a language (CLDR, whole numbers).
fn categories(language: &str) -> &'static [&'static str] {
    match language {
        "ar" => &["zero", "one", "two", "few", "many", "other"],
        "he" => &["one", "two", "other"],
        "pl" => &["one", "few", "many", "other"],
        "es" | "fr" | "pt-BR" => &["one", "many", "other"],
        "ja" | "zh-CN" => &["other"],
        _ => &["one", "other"],
    }
}

/// Returns the parts of the catalogue: suffix of the file name, and keys.
fn parts() -> [(&'static str, Vec<(&'static str, Key)>); 3] {
    let [visitor, staff, app] = all();
    [("", visitor), (".staff", staff), (".app", app)]
}

fn file(language: &str, part: &str) -> Map<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/i18n/lang");
    let path = folder.join(format!("{language}{part}.json"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the name of a key in the files.
fn written(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    first.to_ascii_lowercase() + rest
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| name)
        .collect()
}

/// Returns every text of every language, with a name for messages.
fn texts() -> Vec<(String, Key, String)> {
    let mut texts = Vec::new();
    for language in LANGUAGES {
        for (part, keys) in parts() {
            let file = file(language, part);
            for (name, key) in keys {
                let place = |kind: &str| format!("{language} {name} {kind}");
                match file.get(&written(name)) {
                    Some(Value::String(text)) => texts.push((place(""), key, text.clone())),
                    Some(Value::Object(forms)) => {
                        for (kind, form) in forms {
                            let text = form.as_str().unwrap_or_default();
                            texts.push((place(kind), key, text.to_owned()));
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    texts
}

#[test]
fn catalogue_of_each_language_has_all_keys() {
    for language in LANGUAGES {
        for (part, keys) in parts() {
            let file = file(language, part);
            let written_keys: BTreeSet<String> = file.keys().cloned().collect();
            let known: BTreeSet<String> = keys.iter().map(|(name, _)| written(name)).collect();
            let missing: Vec<_> = known.difference(&written_keys).collect();
            let unknown: Vec<_> = written_keys.difference(&known).collect();
            assert!(
                missing.is_empty() && unknown.is_empty(),
                "{language}{part}: missing {missing:?}, unknown {unknown:?}"
            );
        }
    }
}

#[test]
fn plural_texts_have_all_forms_of_their_language() {
    for language in LANGUAGES {
        let expected: BTreeSet<&str> = categories(language).iter().copied().collect();
        for (part, keys) in parts() {
            let file = file(language, part);
            for (name, key) in keys {
                match file.get(&written(name)) {
                    Some(Value::Object(forms)) => {
                        assert!(
                            key.counts(),
                            "{language} {name} has plural forms and English has none"
                        );
                        let forms: BTreeSet<&str> = forms.keys().map(String::as_str).collect();
                        assert_eq!(forms, expected, "{language} {name}");
                    }
                    Some(text) => {
                        assert!(text.is_string(), "{language} {name}");
                        assert!(!key.counts(), "{language} {name} lacks plural forms");
                    }
                    None => {}
                }
            }
        }
    }
}

#[test]
fn translations_have_placeholders_of_english() {
    for (place, key, text) in texts() {
        let english = placeholders(key.english(false));
        assert_eq!(placeholders(&text), english, "{place}: {text}");
    }
    for (_, keys) in parts() {
        for (name, key) in keys {
            let [one, other] = [true, false].map(|is_one| placeholders(key.english(is_one)));
            assert_eq!(one, other, "{name}");
        }
    }
}

#[test]
fn translations_are_trimmed_and_not_empty() {
    for (place, _, text) in texts() {
        assert!(!text.is_empty(), "{place}");
        assert_eq!(text.trim(), text, "{place}");
    }
}

#[test]
fn joined_texts_have_the_comma_of_their_script() {
    for (language, key, comma) in [
        ("ar", "twoItems", "،"),
        ("ar", "dateAndTime", "،"),
        ("ja", "twoItems", "、"),
        ("zh-CN", "twoItems", "、"),
        ("he", "dateAndTime", ","),
    ] {
        let file = file(language, "");
        let text = file.get(key).and_then(Value::as_str).unwrap_or_default();
        assert!(text.contains(comma), "{language} {key}: {text}");
    }
}

/// French signs stand off by a space that does not break the line.
#[test]
fn punctuation_is_that_of_the_language() {
    let mail = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/mail/texts");
    for (language, wrong) in [
        ("fr", &[" :", " ;", " ?", " !", " »", "« "][..]),
        ("ar", &["?", ",", ";"]),
        ("he", &["„", "”", "-{"]),
        ("de", &["\"", "”"]),
        ("ja", &["?", "!", ": {"]),
        ("zh-CN", &["?", ", ", ": ", "("]),
    ] {
        let [visitor, staff, app] = ["", ".staff", ".app"].map(|part| file(language, part));
        let path = mail.join(format!("{language}.json"));
        let text = fs::read_to_string(path).expect("texts of messages");
        let messages: Map<String, Value> = serde_json::from_str(&text).expect("JSON");
        for (key, value) in [visitor, staff, app, messages].iter().flatten() {
            let forms = match value {
                Value::Object(forms) => forms.values().collect(),
                text => vec![text],
            };
            for text in forms.into_iter().filter_map(Value::as_str) {
                let found = wrong.iter().find(|wrong| text.contains(**wrong));
                assert!(found.is_none(), "{language} {key}: {found:?} in {text}");
            }
        }
    }
}

/// Texts that may equal the English ones: names, symbols, and words that languages share.
const SHARED: [&str; 27] = [
    "(optional)",
    "12h",
    "24h",
    "{count} min",
    "{count} h",
    "Online",
    "Status",
    "Filter",
    "Filters",
    "Name",
    "Team",
    "Organisation",
    "Webhooks",
    "Webhook",
    "Google",
    "Outlook",
    "Description",
    "Pages",
    "Page {page}",
    "Code",
    "No",
    "Total",
    "Roles",
    "Color",
    "Actions",
    "Demo account",
    "Teams",
];

#[test]
fn translations_differ_from_english() {
    for (place, key, text) in texts() {
        let is_shared = SHARED.contains(&text.as_str())
            || [
                "Week",
                "Invités",
                "Actions",
                "Amber",
                "Violet",
                "Rose",
                "Series",
                "ID",
                "{time} in {city}",
            ]
            .contains(&text.as_str());
        // A text of placeholders and symbols alone needs no translation.
        let has_words = text
            .split('{')
            .map(|part| part.split_once('}').map_or(part, |(_, rest)| rest))
            .any(|part| part.chars().any(char::is_alphabetic));
        let is_english = text == key.english(false) || text == key.english(true);
        assert!(
            !is_english || is_shared || !has_words,
            "{place}: “{text}” is English"
        );
    }
}

#[test]
fn keys_have_unique_names_and_ids() {
    let mut names = BTreeSet::new();
    let mut numbers = BTreeSet::new();
    for (_, keys) in parts() {
        for (name, key) in keys {
            assert!(names.insert(name), "{name} twice");
            assert!(numbers.insert(key.number()), "{name} and another one");
        }
    }
}

/// Visitors must not download texts of the staff, nor the staff those of the app.
#[test]
fn screens_use_keys_of_their_own_catalogue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let [_, staff, app] = all().map(|keys| {
        keys.into_iter()
            .map(|(name, _)| name)
            .collect::<BTreeSet<_>>()
    });
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let shown = path
                .strip_prefix(&root)
                .expect("below it")
                .display()
                .to_string();
            let is_of = |parts: &[&str]| parts.iter().any(|part| shown.starts_with(part));
            if is_of(&["app", "i18n"]) {
                continue;
            }
            let is_staff = is_of(&[
                "features/booking_list",
                "features/roles",
                "components/command_palette.rs",
            ]);
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            for (_, rest) in text
                .match_indices("Key::")
                .map(|(at, _)| text.split_at(at + 5))
            {
                let name: String = rest
                    .chars()
                    .take_while(|sign| sign.is_alphanumeric())
                    .collect();
                let is_late = !is_staff && staff.contains(name.as_str());
                assert!(
                    !is_late && !app.contains(name.as_str()),
                    "{shown} uses {name}"
                );
            }
        }
    }
}

#[test]
fn keys_are_all_used() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut code = String::new();
    let mut folders = vec![source];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                code += &fs::read_to_string(path).expect("a file");
            }
        }
    }
    let used: BTreeSet<&str> = code
        .split("Key::")
        .skip(1)
        .filter_map(|rest| rest.split(|sign: char| !sign.is_alphanumeric()).next())
        .collect();
    for (name, _) in parts().into_iter().flat_map(|(_, keys)| keys) {
        assert!(used.contains(name), "{name} is unused");
    }
}
