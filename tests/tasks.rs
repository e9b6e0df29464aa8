//! Code after an `await`, or after an event was dispatched to the page, checks that its view still exists before
//! it reads a signal: reading a disposed signal panics, and a panic ends every view of the page.
//!
//! Scans the source text of `async` blocks, `async` functions and the code after a dispatch. So it covers the code of
//! a task itself, not the functions that it calls: these take values, or handles that `InTask::get` returned. Setting
//! a signal and calling a `Callback` never panics. A renamed method fails `searched_methods_exist`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

/// Calls after which the view may no longer exist.
const BREAKS: [&str; 4] = [".await", ".emit(", ".emit_with(", ".emit_plain("];

/// Calls that panic if the view no longer exists.
const READS: [&str; 10] = [
    ".get_untracked()",
    ".with_untracked(",
    ".get_value()",
    ".with_value(",
    "untrack(",
    ".session()",
    ".page()",
    ".context()",
    ".selection.start()",
    ".is_rescheduling()",
];

/// Checks that the view exists, see `InTask`.
const CHECKS: [&str; 3] = ["task.get()", "flow.get()", ".in_task().get()"];

#[test]
fn task_reads_view_only_after_check() {
    let mut wrong = Vec::new();
    let mut bodies = 0;
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs::read_to_string(&path).expect("a source");
        let code = plain(&text);
        for (start, is_task) in places(&code) {
            bodies += 1;
            if let Some(at) = unchecked(&code, start, is_task) {
                let line = code[..at].matches('\n').count();
                let words = text.lines().nth(line).unwrap_or_default().trim();
                wrong.push(format!("{}:{}: {words}", path.display(), line + 1));
            }
        }
    }
    assert!(bodies > 50, "{bodies} found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn searched_methods_exist() {
    let all = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let all = all
        .iter()
        .map(|path| fs::read_to_string(path).expect("a source"));
    let all: Vec<String> = all.collect();
    for name in BREAKS.iter().chain(&READS).chain(&CHECKS) {
        let is_used = all.iter().any(|text| plain(text).contains(name));
        assert!(is_used, "{name} is not in the sources: renamed?");
    }
}

#[test]
fn unchecked_read_is_found() {
    for (code, is_wrong) in [
        ("async move { a.get_untracked() }", true),
        (
            "async move { let Some(a) = task.get() else { return }; a.get_untracked() }",
            false,
        ),
        (
            "async move { if task.get().is_none() { return } b.await; a.get_value() }",
            true,
        ),
        (
            "async fn act(self) -> A<B> { b.await; self.a.with_value(c) }",
            true,
        ),
        (
            "async fn act(self) { async move { a.await; task.get()?; a.page() }; a.set(1) }",
            false,
        ),
        ("async move { a.try_get_untracked() }", false),
        ("fn act() { page.emit(&a); a.get_untracked() }", true),
        (
            "fn act() { if a { page.emit(&b); } a.get_untracked() }",
            false,
        ),
        (
            "fn act() { a.get_untracked(); page.emit(&a); a.set(1) }",
            false,
        ),
        (r#"async move { a("{"); } b.get_value()"#, false),
    ] {
        let code = plain(code);
        let mut places = places(&code).into_iter();
        let found = places.any(|(start, is_task)| unchecked(&code, start, is_task).is_some());
        assert_eq!(found, is_wrong, "{code}");
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

/// Blanks tests, comments and strings; every other character keeps its position.
fn plain(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = match sign {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => {
                let mut is_escaped = false;
                let end = rest[1..].find(|sign| {
                    let is_end = sign == '"' && !is_escaped;
                    is_escaped = sign == '\\' && !is_escaped;
                    is_end
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            '\'' if rest[1..].starts_with(['{', '}', '"']) => 3,
            _ => 0,
        };
        let (skipped, next) = rest.split_at(length.max(sign.len_utf8()));
        if length == 0 {
            plain.push(sign);
        } else {
            plain.extend(
                skipped
                    .bytes()
                    .map(|byte| if byte == b'\n' { '\n' } else { ' ' }),
            );
        }
        rest = next;
    }
    plain
}

/// Positions of tasks and of dispatched events.
fn places(code: &str) -> Vec<(usize, bool)> {
    let tasks = code.match_indices("async ").filter_map(|(at, _)| {
        let rest = &code[at + "async ".len()..];
        let is_task = ["move {", "{", "move |", "|", "fn "];
        let is_task = is_task.iter().any(|start| rest.starts_with(start));
        Some((at + code[at..].find('{')? + 1, true)).filter(|_| is_task)
    });
    let told = BREAKS[1..].iter().flat_map(|told| code.match_indices(told));
    tasks
        .chain(told.map(|(at, told)| (at + told.len(), false)))
        .collect()
}

/// Returns the first read from `start` to the end of its block without a check before it.
fn unchecked(code: &str, start: usize, is_task: bool) -> Option<usize> {
    let mut is_checked = false;
    let mut depth = 0;
    // Inner tasks are checked separately.
    let mut inner = None;
    for (offset, sign) in code[start..].char_indices() {
        let rest = &code[start + offset..];
        if is_task && inner.is_none() && rest.starts_with("async move {") {
            inner = Some(depth);
        }
        match sign {
            '{' => depth += 1,
            '}' if depth == 0 => return None,
            '}' => {
                depth -= 1;
                if inner == Some(depth) {
                    inner = None;
                }
            }
            _ => {}
        }
        if inner.is_some() {
            continue;
        }
        let begins = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
        if begins(&BREAKS) {
            is_checked = false;
        } else if begins(&CHECKS) {
            is_checked = true;
        } else if begins(&READS) && !is_checked {
            return Some(start + offset);
        }
    }
    None
}
