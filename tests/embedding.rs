//! Consistency of `src/page/elements.json`, the description of the elements, with the code: guide,
//! types and wrappers are generated from it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use booking_widget::page::attributes::Config;
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Reads all files below `folder` whose path ends with `ending`, by path.
fn texts(folder: &str, ending: &str) -> BTreeMap<PathBuf, String> {
    fn walk(folder: &Path, ending: &str, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, ending, found);
            } else if path.to_string_lossy().ends_with(ending) {
                let text = fs::read_to_string(&path).expect("a text");
                found.insert(path, text);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&root().join(folder), ending, &mut found);
    assert!(!found.is_empty(), "{folder} has no {ending}");
    found
}

/// Returns the scripts that pages load, without the demo's.
fn scripts() -> String {
    let scripts = texts("src", ".js").into_iter();
    let ours = scripts.filter(|(path, _)| !path.ends_with("demo.js"));
    ours.map(|(_, text)| text).collect::<Vec<_>>().join("\n")
}

fn described() -> Value {
    serde_json::from_str(&text("src/page/elements.json")).expect("JSON")
}

/// Returns the names in a list of the description, and checks that they are unique and for known elements.
fn names(list: &str) -> BTreeSet<String> {
    let described = described();
    let entries = described[list].as_array().expect("a list");
    let mut names = BTreeSet::new();
    for entry in entries {
        let name = entry["name"].as_str().expect("a name");
        assert!(
            names.insert(name.to_owned()),
            "{list}: {name} is listed twice"
        );
        let does = entry["does"].as_str().unwrap_or_default();
        assert!(!does.is_empty(), "{list}: {name} has no description");
        for element in entry["for"].as_array().into_iter().flatten() {
            let element = element.as_str().unwrap_or_default();
            assert!(
                ["picker", "list", "roles"].contains(&element),
                "{name}: {element}"
            );
        }
    }
    names
}

/// Returns each text between `before` and the next `after`.
fn between<'a>(text: &'a str, before: &str, after: char) -> Vec<&'a str> {
    let pieces = text.split(before).skip(1);
    pieces
        .filter_map(|piece| piece.split(after).next())
        .collect()
}

fn set<'a>(words: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

/// Returns the quoted words of a list in the loader.
fn listed(loader: &str, name: &str) -> BTreeSet<String> {
    let (_, list) = loader.split_once(&format!("{name} = [")).expect(name);
    let (list, _) = list.split_once(']').expect("an end");
    set(list.split('"').skip(1).step_by(2))
}

/// Asserts that two sets are equal.
fn assert_same(kind: &str, described: &BTreeSet<String>, code: &BTreeSet<String>) {
    let missing: Vec<_> = code.difference(described).collect();
    let gone: Vec<_> = described.difference(code).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "{kind}: src/page/elements.json lacks {missing:?}, and the code has no {gone:?}. After a \
         change of the description run `cargo xtask docs`."
    );
}

/// Attributes that `attributes.rs` reads, with types.
fn read_attributes() -> BTreeMap<String, String> {
    let source = text("src/page/attributes.rs");
    let mut read = BTreeMap::new();
    let parse = source.split("pub fn parse(").nth(1).expect("a parser");
    for reader in ["text", "number", "flag", "word", "words", "parts", "date"] {
        for dot in ["reader.", "reader\n                ."] {
            for name in between(parse, &format!("{dot}{reader}(\""), '"') {
                let kind = if reader == "parts" { "words" } else { reader };
                read.insert(name.to_owned(), kind.to_owned());
            }
        }
    }
    read
}

#[test]
fn attribute_has_the_described_type() {
    let read = read_attributes();
    let described_names = names("attributes");
    let loader = text("src/loader/embed.js");
    let watched = listed(&loader, "ATTRIBUTES");
    let scripts = scripts();
    let rules: String = texts("style", ".css").into_values().collect();
    let elsewhere = described_names.iter().filter(|name| {
        rules.contains(&format!(":host([{name}")) || scripts.contains(&format!("\"{name}\""))
    });
    let known: BTreeSet<String> = elsewhere
        .chain(read.keys())
        .chain(&watched)
        .cloned()
        .collect();
    assert_same("attributes", &described_names, &known);
    for (name, kind) in &read {
        assert!(watched.contains(name), "the loader does not watch {name}");
        let described = described();
        let entries = described["attributes"].as_array().expect("a list");
        let entry = entries
            .iter()
            .find(|entry| entry["name"] == **name)
            .expect("an entry");
        assert_eq!(entry["type"], **kind, "{name}");
    }
}

#[test]
fn attribute_accepts_exactly_the_described_values() {
    let read = read_attributes();
    let is_invalid = |name: &str, value: &str| {
        let attributes = [(name.to_owned(), value.to_owned())];
        match Config::parse(&attributes, &[]).1.as_slice() {
            [] => false,
            [only] => *only == name,
            _ => panic!("{name}=\"{value}\""),
        }
    };
    for entry in described()["attributes"].as_array().expect("a list") {
        let name = entry["name"].as_str().expect("a name");
        if !read.contains_key(name) {
            continue;
        }
        let values =
            ["values", "also"].map(|key| entry[key].as_array().cloned().unwrap_or_default());
        let values: Vec<String> = values
            .concat()
            .iter()
            .filter_map(|value| value.as_str().map(str::to_owned))
            .collect();
        match entry["type"].as_str().expect("a type") {
            "word" | "words" if !values.is_empty() => {
                for value in &values {
                    assert!(!is_invalid(name, value), "{name}=\"{value}\"");
                }
                assert!(is_invalid(name, "nonsense"), "{name}");
            }
            "number" => {
                assert!(is_invalid(name, "0"), "{name}");
                let most = entry["most"].as_i64().unwrap_or(i64::MAX);
                assert!(!is_invalid(name, &most.to_string()), "{name}");
                let more = most.checked_add(1);
                assert!(
                    more.is_none_or(|more| is_invalid(name, &more.to_string())),
                    "{name}"
                );
            }
            "date" => assert!(is_invalid(name, "tomorrow"), "{name}"),
            _ => assert!(!is_invalid(name, "anything"), "{name}"),
        }
    }
}

#[test]
fn property_is_described() {
    let loader = text("src/loader/embed.js");
    let mut code = listed(&loader, "PROPERTIES");
    code.insert("session".to_owned());
    assert_same("properties", &names("properties"), &code);
    let source = text("src/page/attributes.rs");
    for name in between(&source, "reader.map(\"", '"') {
        assert!(code.contains(name), "the loader does not pass on {name}");
    }
}

#[test]
fn session_key_is_described() {
    let mut keys = listed(&text("src/loader/session.js"), "SETTINGS");
    keys.insert("baseUrl".to_owned());
    assert_same("session", &names("session"), &keys);
}

#[test]
fn method_is_described() {
    let loader = text("src/loader/embed.js");
    let (_, class) = loader.split_once("class BookingElement").expect("a class");
    let (class, _) = class.split_once("\n}\n").expect("its end");
    let mut methods = BTreeSet::new();
    for line in class.lines() {
        let Some(line) = line.strip_prefix("  ") else {
            continue;
        };
        let line = line.strip_prefix("async ").unwrap_or(line);
        let line = line.strip_prefix("static ").unwrap_or(line);
        let Some((name, _)) = line.split_once('(') else {
            continue;
        };
        let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric());
        let is_ours = ["constructor", "property", "setProperty"].contains(&name)
            || name.ends_with("Callback");
        if line.ends_with('{') && is_name && !is_ours {
            methods.insert(name.to_owned());
        }
    }
    assert_same("methods", &names("methods"), &methods);
}

/// Returns the events of an implementation of `PageEvent`, with the keys of their details.
fn emitted(source: &str) -> BTreeMap<String, BTreeSet<String>> {
    let (_, source) = source
        .split_once("impl PageEvent for")
        .expect("an implementation");
    let (_, body) = source.split_once("fn name(").expect("names");
    let (body, _) = body.split_once("\n    }\n").expect("the end of names");
    let mut events = BTreeMap::new();
    for arm in body.split("Self::").skip(1) {
        let variant: String = arm
            .chars()
            .take_while(|letter| letter.is_alphanumeric())
            .collect();
        if let Some(name) = arm.split('"').nth(1) {
            events.insert(variant, name.to_owned());
        }
    }
    let (_, body) = source.split_once("fn detail(").expect("details");
    let (body, _) = body.split_once("\n    }\n").expect("the end of details");
    let body = body
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("( \"", "(\"");
    let (mut emitted, mut pending) = (BTreeMap::new(), Vec::new());
    for arm in body.split("Self::").skip(1) {
        pending.push(
            arm.chars()
                .take_while(|letter| letter.is_alphanumeric())
                .collect::<String>(),
        );
        let Some((_, then)) = arm.split_once("=>") else {
            continue;
        };
        let keys = then
            .split("(\"")
            .skip(1)
            .filter_map(|piece| piece.split_once('"'));
        let keys = keys.filter(|(_, after)| after.starts_with(','));
        let keys = set(keys.map(|(key, _)| key));
        for variant in pending.drain(..) {
            emitted.insert(events[&variant].clone(), keys.clone());
        }
    }
    assert_eq!(
        emitted.len(),
        events.values().collect::<BTreeSet<_>>().len()
    );
    emitted
}

#[test]
fn event_is_described_with_its_detail() {
    let mut code: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, source) in texts("src", ".rs") {
        if source.contains("\nimpl PageEvent for") {
            for (name, keys) in emitted(&source) {
                // The detail may be the same in two bundles, or have more keys in one of them.
                code.entry(name).or_default().extend(keys);
            }
        }
    }
    // Added by `properties.rs`, which stores them.
    code.get_mut("views-changed")
        .expect("kept views")
        .insert("views".to_owned());
    for name in between(&scripts(), "new CustomEvent(\"", '"') {
        code.entry(name.to_owned()).or_default();
    }
    let session = text("src/loader/session.js");
    let mounted = text("src/page/mounted.rs");
    for name in between(&mounted, "emit_plain(\"", '"') {
        code.entry(name.to_owned()).or_default();
    }
    for name in between(&session, "#emit(\"", '"') {
        // Events with an empty name are internal.
        if !name.is_empty() {
            code.entry(name.to_owned()).or_default();
        }
    }
    assert_same("events", &names("events"), &code.keys().cloned().collect());
    for event in described()["events"].as_array().expect("a list") {
        let name = event["name"].as_str().expect("a name");
        let detail = event["detail"].as_array().expect("a detail");
        // Optional keys are added outside the implementation of `PageEvent`.
        let usual = detail.iter().filter(|key| key["optional"] != true);
        let keys = set(usual.map(|key| key["name"].as_str().expect("a key")));
        // Details of events that scripts dispatch are not listed in the code.
        let is_of_scripts = [&scripts(), &session].iter().any(|source| {
            source.contains(&format!("CustomEvent(\"{name}\""))
                || source.contains(&format!("#emit(\"{name}\""))
        }) || mounted.contains(&format!("emit_plain(\"{name}\""));
        if !code[name].is_empty() || !is_of_scripts {
            assert_same(name, &keys, &code[name]);
        }
    }
    assert_eq!(
        names("signature"),
        set(between(&text("src/page/events.rs"), "            (\"", '"'))
    );
}

#[test]
fn part_is_described() {
    let mut code = BTreeSet::new();
    for (_, source) in texts("src", ".rs") {
        let source: String = source.split_whitespace().collect::<Vec<_>>().join(" ");
        for place in ["\"part\", \"", "\"part\", Some(\""] {
            for name in between(&source, place, '"') {
                code.extend(name.split(' ').map(str::to_owned));
            }
        }
    }
    for place in ["\"part\", \"", "part = \"", "part: \""] {
        code.extend(set(between(&scripts(), place, '"')));
    }
    assert_same("parts", &names("parts"), &code);
}

#[test]
fn token_is_described_with_its_default() {
    let mut code = BTreeSet::new();
    let styles = texts("style", ".css").into_values().chain([scripts()]);
    for style in styles {
        for rest in style.split("--booking-").skip(1) {
            let is_letter = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
            let name: String = rest.chars().take_while(is_letter).collect();
            // Empty in comments about all tokens, such as `--booking-*`.
            if !name.is_empty() {
                code.insert(format!("--booking-{name}"));
            }
        }
    }
    assert_same("tokens", &names("tokens"), &code);
    let sheet = text("style/tokens.css");
    for token in described()["tokens"].as_array().expect("a list") {
        let (name, light) = (
            token["name"].as_str().expect("a name"),
            token["light"].as_str(),
        );
        let light = light.expect("a default");
        let default = match token["dark"].as_str() {
            Some(dark) => format!("light-dark({light}, {dark})"),
            None => light.to_owned(),
        };
        assert!(sheet.contains(&format!("var({name}, {default})")), "{name}");
    }
}

#[test]
fn slot_is_described() {
    let mut code = BTreeSet::new();
    let scripts = scripts();
    if scripts.contains("createElement(\"slot\")") {
        code.insert(String::new());
    }
    for (_, source) in texts("src", ".rs") {
        for place in source.split("el(\"slot\")").skip(1) {
            // Without a name it is the default slot.
            let name = place.trim_start().strip_prefix(".attr(\"name\", \"");
            let name = name.and_then(|name| name.split('"').next());
            code.insert(name.unwrap_or_default().to_owned());
        }
    }
    assert_same("slots", &names("slots"), &code);
}

#[test]
fn element_is_defined_by_the_loader() {
    let loader = text("src/loader/embed.js");
    for name in names("elements") {
        assert!(loader.contains(&format!("\"{name}\"")), "{name}");
    }
}

#[test]
fn popup_repeats_parts_tokens_and_texts_of_the_widget() {
    let script = text("src/loader/popup.js");
    let parts = described()["parts"].as_array().expect("a list").clone();
    let parts = parts.iter().filter(|part| {
        let elements = part["for"].as_array().expect("elements");
        elements.contains(&Value::from("picker"))
    });
    let parts = parts.filter_map(|part| part["name"].as_str());
    let inner = set(parts.filter(|name| !name.starts_with("popup")));
    assert_eq!(listed(&script, "const PARTS"), inner);

    let tokens = text("style/tokens.css");
    for line in script.lines().map(str::trim) {
        if line.starts_with("--_") && line.contains("var(--booking-") {
            assert!(tokens.contains(line), "{line}");
        }
    }

    for (path, catalogue) in texts("src/i18n/lang", ".json") {
        let language = path.file_stem().and_then(|stem| stem.to_str());
        let language = language.expect("a language");
        if language.contains('.') {
            continue;
        }
        let catalogue: Value = serde_json::from_str(&catalogue).expect("JSON");
        let key = if language.contains('-') {
            format!("\"{language}\"")
        } else {
            language.to_owned()
        };
        let own = format!(
            "  {key}: [{}, {}],",
            catalogue["offersTitle"], catalogue["close"]
        );
        assert!(script.contains(&own), "{own}");
    }
}

#[test]
fn hints_know_the_attributes_of_each_element() {
    let script = text("src/loader/hints.js");
    let picker = listed(&script, "const PICKER");
    for entry in described()["attributes"].as_array().expect("a list") {
        let name = entry["name"].as_str().expect("a name");
        let elements = entry["for"].as_array().expect("elements");
        let elements: Vec<&str> = elements.iter().filter_map(Value::as_str).collect();
        let is_only_pickers = elements == ["picker"];
        assert_eq!(picker.contains(name), is_only_pickers, "{name}");
        if elements.len() < 3 && !is_only_pickers {
            let elements: Vec<String> = elements
                .iter()
                .map(|name| format!("\"booking-{name}\""))
                .collect();
            let own = format!("\"{name}\": [{}],", elements.join(", "));
            assert!(script.contains(&own), "{own}");
        }
        let key = if name.contains('-') {
            format!("\"{name}\"")
        } else {
            name.to_owned()
        };
        if entry["values"].is_array() {
            let values = ["values", "also"].map(|key| entry[key].as_array().cloned());
            let values = values.into_iter().flatten().flatten();
            let values: Vec<String> = values.map(|value| value.to_string()).collect();
            let own = format!("{key}: [{}],", values.join(", "));
            assert!(script.contains(&own), "{own}");
        }
        if entry["type"] == "number" {
            let most = entry["most"].as_i64();
            let most = most.map_or_else(|| "Infinity".to_owned(), |most| most.to_string());
            assert!(script.contains(&format!("{key}: {most},")), "{name}");
        }
    }
    for name in names("session") {
        assert!(script.contains(&format!("{name}: \"")), "{name}");
    }
}

/// A rule for a class that no source sets has lost its element, for example to a rename.
#[test]
fn class_of_each_style_rule_is_set() {
    let mut sources: String = texts("src", ".rs").into_values().collect();
    sources.push_str(&scripts());
    sources.push_str(&text("index.html"));
    let is_name = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-';
    let words: BTreeSet<&str> = sources.split(|sign| !is_name(sign)).collect();
    let mut unset = BTreeSet::new();
    for sheet in texts("style", ".css").values() {
        for rest in sheet.split('.').skip(1) {
            let class = rest.split(|sign| !is_name(sign)).next().unwrap_or_default();
            // Not a number, nor the name of a file.
            let is_class = class.starts_with(|sign: char| sign.is_ascii_lowercase());
            if is_class && !words.contains(class) {
                unset.insert(class.to_owned());
            }
        }
    }
    assert!(unset.is_empty(), "no element has {unset:?}");
}
