//! HTML documents as an independent parser reads them.

#![allow(dead_code, reason = "each test program uses a part")]

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

/// A parsed document.
pub(crate) struct Document(Value);

impl Document {
    /// Text of a value.
    pub(crate) fn get(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default()
    }

    /// Value of a meta element.
    pub(crate) fn meta(&self, name: &str) -> &str {
        self.0["meta"][name].as_str().unwrap_or_default()
    }

    /// Number of elements of a list.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        let items = self.0[key].as_array().unwrap();
        items
            .iter()
            .map(|item| {
                item.as_str()
                    .map_or_else(|| item.to_string(), str::to_owned)
            })
            .collect()
    }

    /// Visible text without spaces.
    pub(crate) fn dense_text(&self) -> String {
        dense(self.get("text"))
    }
}

/// Removes all spaces.
pub(crate) fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Parses documents; each has to be balanced and without remote content.
pub(crate) fn parse(documents: &[String]) -> Vec<Document> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check_html.py");
    let mut python = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is installed");
    let mut stdin = python.stdin.take().unwrap();
    let input = documents.join("\0");
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = python.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let parsed: Vec<Document> = output
        .lines()
        .map(|line| Document(serde_json::from_str(line).unwrap()))
        .collect();
    assert_eq!(parsed.len(), documents.len());
    for (document, source) in parsed.iter().zip(documents) {
        assert!(
            document.list("errors").is_empty(),
            "{:?}\n{source}",
            document.list("errors")
        );
    }
    parsed
}
