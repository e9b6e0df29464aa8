//! Texts of visitors: made harmless before they are shown.
//!
//! Escaping for HTML is left to the templates.

use std::collections::VecDeque;

/// Characters of a name.
pub(crate) const MAX_NAME: usize = 80;
/// Characters of a title or label.
pub(crate) const MAX_TITLE: usize = 150;
/// Characters of an e-mail address.
pub(crate) const MAX_EMAIL: usize = 254;
/// Characters of a location or answer.
pub(crate) const MAX_SHORT_TEXT: usize = 1_000;
/// Characters of notes and reasons.
pub(crate) const MAX_LONG_TEXT: usize = 5_000;
/// Bytes of a URL that is a link.
const MAX_URL: usize = 2_000;
/// Columns of plain text.
const COLUMNS: usize = 72;
/// Columns of a URL in plain text, which is not broken.
const MAX_URL_COLUMNS: usize = 1_000;
/// Combining marks after one letter: more are no language.
const MAX_MARKS: usize = 4;

/// Returns one line of at most `max` characters, without characters that cannot be seen.
pub(crate) fn line(text: &str, max: usize) -> String {
    // Texts of any length cost the same.
    let text = start_of(text, max.saturating_mul(4));
    let words: Vec<&str> = text
        .split(is_space_or_control)
        .filter(|word| !word.is_empty())
        .collect();
    shorten(&visible(&words.join(" ")), max)
}

/// Returns a name for the middle of a sentence: nothing in it looks like a label or a URL.
pub(crate) fn name_in_sentence(name: &str) -> String {
    let words = name.split([':', '：', '/', '<', '>', '@', ' ']);
    let words: Vec<&str> = words
        .filter(|word| !word.is_empty() && *word != "--")
        .collect();
    words.join(" ")
}

/// Returns at most `max` characters.
fn start_of(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((index, _)) => &text[..index],
        None => text,
    }
}

/// Returns lines of at most `max` characters in all, without characters that cannot be seen.
pub(crate) fn lines(text: &str, max: usize) -> Vec<String> {
    let text = start_of(text, max.saturating_mul(2)).replace("\r\n", "\n");
    let breaks = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
    ];
    let mut found: Vec<String> = Vec::new();
    let mut left = max;
    for part in text.split(breaks) {
        let part = line(part, left);
        if part.is_empty() && found.last().is_none_or(String::is_empty) {
            continue;
        }
        // An empty line counts, so that the number of lines is limited too.
        left = left.saturating_sub(part.chars().count() + 1);
        let is_cut = part.ends_with('…');
        found.push(part);
        if left == 0 {
            if !is_cut {
                found.push("…".to_owned());
            }
            break;
        }
    }
    while found.last().is_some_and(String::is_empty) {
        found.pop();
    }
    found
}

/// Returns the URL if it can be a link: http or https, with nothing that could look like another host.
pub(crate) fn web_url(text: &str) -> Option<&str> {
    let text = text.trim();
    let scheme = ["https://", "http://"].into_iter().find(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })?;
    let rest = text.get(scheme.len()..)?;
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_allowed = |character: char| {
        !is_space_or_control(character)
            && !is_invisible(character)
            && !matches!(
                character,
                '"' | '\'' | '<' | '>' | '`' | '\\' | '{' | '}' | '|' | '^'
            )
    };
    let is_link = text.len() <= MAX_URL
        && !host.is_empty()
        && !host.contains('@')
        && text.chars().all(is_allowed);
    is_link.then_some(text)
}

/// Breaks a line at `COLUMNS` and begins each line with `prefix`, so that no text of a visitor begins where the lines
/// of the message begin.
pub(crate) fn wrap(text: &str, prefix: &str) -> String {
    let width = COLUMNS.saturating_sub(prefix.len());
    let mut wrapped: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut columns = 0;
    let mut words: VecDeque<&str> = text.split(' ').collect();
    while let Some(word) = words.pop_front() {
        let length = columns_of(word);
        let gap = usize::from(!current.is_empty());
        if columns + gap + length <= width {
            if gap == 1 {
                current.push(' ');
            }
            current.push_str(word);
            columns += gap + length;
            continue;
        }
        if !current.is_empty() {
            wrapped.push(std::mem::take(&mut current));
            columns = 0;
        }
        if length <= width || length <= MAX_URL_COLUMNS && web_url(word).is_some() {
            current.push_str(word);
            columns = length;
            continue;
        }
        let (head, tail) = word.split_at(index_of_column(word, width));
        wrapped.push(head.to_owned());
        words.push_front(tail);
    }
    wrapped.push(current);
    let lines: Vec<String> = wrapped
        .iter()
        .map(|line| format!("{prefix}{line}").trim_end().to_owned())
        .collect();
    lines.join("\n")
}

/// Returns the byte index behind `width` columns, at least one character.
fn index_of_column(word: &str, width: usize) -> usize {
    let mut columns = 0;
    for (index, character) in word.char_indices() {
        columns += columns_of_character(character);
        if columns > width && index > 0 {
            return index;
        }
    }
    word.len()
}

fn columns_of(text: &str) -> usize {
    text.chars().map(columns_of_character).sum()
}

/// East Asian characters are twice as wide.
fn columns_of_character(character: char) -> usize {
    if matches!(character, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}')
    {
        2
    } else {
        1
    }
}

fn shorten(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

fn is_space_or_control(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '\u{180e}' | '\u{2800}')
}

/// Removes characters that cannot be seen or that change the direction of others, and heaps of marks.
fn visible(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut marks = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_joiner = matches!(character, '\u{200c}' | '\u{200d}');
        // Persian, Hindi and emoji are written with joiners, Latin letters are not.
        let joins = |neighbour: Option<char>| {
            neighbour
                .is_some_and(|other| !other.is_ascii() && !is_invisible(other) && !is_latin(other))
        };
        if is_joiner {
            if joins(kept.chars().next_back()) && joins(characters.peek().copied()) {
                kept.push(character);
            }
            continue;
        }
        if is_invisible(character) {
            continue;
        }
        marks = if is_mark(character) { marks + 1 } else { 0 };
        if marks <= MAX_MARKS {
            kept.push(character);
        }
    }
    kept
}

fn is_latin(character: char) -> bool {
    matches!(character, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Combining marks of no script in particular.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_no_breaks_and_no_invisible_characters() {
        for (text, expected) in [
            ("a\r\nBcc: b", "a Bcc: b"),
            ("a\u{2028}b\u{85}c\u{0}d", "a b c d"),
            ("\u{202e}gpj.exe", "gpj.exe"),
            ("pay\u{200b}pal\u{2060}", "paypal"),
            ("pay\u{200d}pal", "paypal"),
            ("\u{2067}x\u{2069}", "x"),
            ("a\u{3000}\u{a0} b", "a b"),
            // Joiners of Persian, Hindi and emoji.
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("क्\u{200d}ष", "क्\u{200d}ष"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("e\u{301}", "e\u{301}"),
            (
                "z\u{300}\u{300}\u{300}\u{300}\u{300}\u{300}",
                "z\u{300}\u{300}\u{300}\u{300}",
            ),
        ] {
            assert_eq!(line(text, 100), expected, "{text:?}");
        }
        assert_eq!(line(&"x".repeat(10_000), 10), "xxxxxxxxx…");
    }

    #[test]
    fn lines_are_limited() {
        assert_eq!(lines("\n\na\r\n\r\n\r\n\nb\n", 100), ["a", "", "b"]);
        assert_eq!(lines("", 100), Vec::<String>::new());
        assert!(lines(&"\n a".repeat(10_000), 100).len() <= 101);
        let long: usize = lines(&"word ".repeat(10_000), 100)
            .iter()
            .map(|line| line.chars().count())
            .sum();
        assert!(long <= 101, "{long}");
    }

    #[test]
    fn web_url_is_http_without_tricks() {
        for url in [
            "https://example.org",
            "HTTP://example.org/a?b=c#d",
            " https://xn--bcher-kva.example/ ",
        ] {
            assert!(web_url(url).is_some(), "{url}");
        }
        for text in [
            "javascript:alert(1)",
            "https://",
            "https://trusted.example@evil.example",
            "https://a.example/\u{202e}",
            "https://a.example/ b",
            "https://a.example/\"onclick=",
            "data:text/html,x",
            "//example.org",
            "Room 3",
        ] {
            assert_eq!(web_url(text), None, "{text}");
        }
    }

    #[test]
    fn wrapped_lines_begin_with_prefix() {
        for text in [
            "word ".repeat(100),
            "x".repeat(1_000),
            "漢字".repeat(300),
            String::new(),
        ] {
            let wrapped = wrap(text.trim(), "  > ");
            for line in wrapped.lines() {
                assert!(line.starts_with("  >"), "{line}");
                assert!(columns_of(line) <= COLUMNS, "{line}");
            }
            let joined: String = wrapped.replace("  > ", "").replace('\n', "");
            assert_eq!(
                joined.replace(' ', "").trim_start_matches('>'),
                text.replace(' ', "")
            );
        }
        let url = format!("https://example.org/{}", "a".repeat(200));
        assert_eq!(wrap(&url, "  "), format!("  {url}"));
    }
}
