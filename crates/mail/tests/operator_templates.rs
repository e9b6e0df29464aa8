//! Templates of operators.

use std::fs;

use booking_mail::samples::Sample;
use booking_mail::templates::Templates;

/// Loads a folder with one file.
fn load(name: &str, contents: &str) -> Result<Templates, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), contents).unwrap();
    Templates::load(folder.path()).map_err(|error| error.to_string())
}

#[test]
fn templates_and_texts_of_operator_are_used() {
    let templates = load(
        "message.txt.j2",
        "Ahoy: {{ headline }}\n{% for fact in facts %}{{ fact.id }} {% endfor %}",
    )
    .unwrap();
    let sample = Sample::full("de", "Europe/Berlin");
    let message = templates
        .message(sample.messages().next().unwrap())
        .unwrap();
    assert_eq!(
        message.text,
        "Ahoy: Ihre Buchung steht\nwhat when where who guests "
    );
    // The other files are those of the program.
    let embedded = Templates::embedded()
        .message(sample.messages().next().unwrap())
        .unwrap();
    assert_eq!(message.html, embedded.html);

    let templates = load("de.json", "{\"booked\": \"Bis bald\"}").unwrap();
    let message = templates
        .message(sample.messages().next().unwrap())
        .unwrap();
    assert!(
        message
            .subject
            .starts_with("Bis bald: Introduction mit Grace Hopper, ")
    );
}

#[test]
fn empty_folder_and_hidden_files_change_nothing() {
    load(".gitignore", "*").unwrap();
}

#[test]
fn bad_file_is_refused_with_name_and_line() {
    for (name, contents, message) in [
        // Found by the parser.
        (
            "message.txt.j2",
            "a\n{% if %}",
            "message.txt.j2:2: syntax error: ",
        ),
        (
            "page.html.j2",
            "{% extends \"layout.html.j2\" %}\n\n{% block form %}",
            "page.html.j2:3: syntax error: ",
        ),
        // Found by rendering.
        (
            "message.txt.j2",
            "a\nb {{ hedline }}",
            "message.txt.j2:2: undefined value",
        ),
        (
            "message.txt.j2",
            "{{ brand.nmae }}",
            "message.txt.j2:1: undefined value",
        ),
        (
            "message.txt.j2",
            "{% if sumbit %}x{% endif %}",
            "message.txt.j2:1: undefined value",
        ),
        (
            "message.txt.j2",
            "{% for fact in facts %}\n{{ fact.lable }}{% endfor %}",
            "message.txt.j2:2: undefined value",
        ),
        (
            "message.txt.j2",
            "{% if kind == \"reminder\" and role == \"guest\" %}\n{{ reminder }}{% endif %}",
            "message.txt.j2:2: undefined value",
        ),
        (
            "layout.html.j2",
            "<p>\n{% block code %}{% endblock %}\n{{ code_hint }}",
            "layout.html.j2:3: undefined value",
        ),
        (
            "message.html.j2",
            "\n{% include \"other.html.j2\" %}",
            "message.html.j2:2: template not found",
        ),
        (
            "page.html.j2",
            "\n\n{{ headline | shout }}",
            "page.html.j2:3: unknown filter",
        ),
        (
            "page.html.j2",
            "{% if state == \"expired\" %}\n{{ x.y }}{% endif %}",
            "page.html.j2:2: undefined value",
        ),
        (
            "de.json",
            "{\n\"boked\": \"x\"}",
            "de.json:2: there is no text “boked”",
        ),
        (
            "mesage.txt.j2",
            "",
            "mesage.txt.j2: no template has this name",
        ),
        (
            "message.txt.j2~",
            "",
            "message.txt.j2~: no template has this name",
        ),
        ("xx.json", "{}", "xx.json: no template has this name"),
    ] {
        let error = load(name, contents).unwrap_err();
        assert!(error.starts_with(message), "{name} {contents:?}: {error}");
    }
    let missing = Templates::load(std::path::Path::new("/no/such/folder")).unwrap_err();
    assert!(
        missing.to_string().starts_with("/no/such/folder: "),
        "{missing}"
    );
}
