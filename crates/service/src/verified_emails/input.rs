//! Reads the bodies of requests.

use booking_wire::verified_email::CODE_DIGITS;
use booking_wire::{JsonMap, message_language_code};
use serde_json::Value;

use crate::error::Result;
use crate::validate::{Checks, Object, is_email};

/// Language of messages to people whose language is unknown.
const DEFAULT_LANGUAGE: &str = "en";

/// Request for a code.
#[derive(Debug)]
pub(super) struct CodeRequest {
    /// In lower case.
    pub(super) email: String,
    /// One of the interface's language codes.
    pub(super) language: &'static str,
}

/// A code with its address.
#[derive(Debug)]
pub(super) struct EnteredCode {
    /// In lower case.
    pub(super) email: String,
    pub(super) code: String,
}

/// Reads a request for a code.
pub(super) fn read_request(body: &JsonMap, accept_language: Option<&str>) -> Result<CodeRequest> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.ignore_unknown(&["email", "language"]);
    let email = read_email(object, &mut checks);
    let language = object.text("language", &mut checks);
    checks.finish()?;
    let language = language
        .and_then(message_language_code)
        .or_else(|| preferred_language(accept_language?))
        .unwrap_or(DEFAULT_LANGUAGE);
    Ok(CodeRequest { email, language })
}

/// Reads a code with its address.
pub(super) fn read_code(body: &JsonMap) -> Result<EnteredCode> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.ignore_unknown(&["email", "code"]);
    let email = read_email(object, &mut checks);
    let code = object.required_text("code", &mut checks).map(str::trim);
    if let Some(code) = code.filter(|code| !is_code(code)) {
        let message = "must be a text of six digits";
        checks.report("code", &Value::from(code), "isCode", message);
    }
    checks.finish()?;
    let code = code.unwrap_or_default().to_owned();
    Ok(EnteredCode { email, code })
}

fn read_email(object: Object<'_>, checks: &mut Checks) -> String {
    let Some(text) = object.required_text("email", checks) else {
        return String::new();
    };
    normalised(text).unwrap_or_else(|| {
        let message = "must be an email of ASCII characters";
        checks.report("email", &Value::from(text), "isEmail", message);
        String::new()
    })
}

/// Returns an address as it is stored, in lower case; `None` if no code can be sent to it.
///
/// Addresses with other characters than ASCII are not, because few mail servers accept them, and different texts can
/// look alike.
pub(super) fn normalised(text: &str) -> Option<String> {
    let is_sendable = text.is_ascii() && is_email(text);
    is_sendable.then(|| text.to_ascii_lowercase())
}

/// Returns the language of the interface that a client prefers, by the header `Accept-Language`.
fn preferred_language(header: &str) -> Option<&'static str> {
    let mut accepted: Vec<(u32, &'static str)> = header
        .split(',')
        .take(20)
        .filter_map(|part| {
            let (tag, parameters) = part.split_once(';').unwrap_or((part, ""));
            let code = message_language_code(tag.trim())?;
            Some((quality(parameters), code)).filter(|(quality, _)| *quality > 0)
        })
        .collect();
    // A stable sort keeps the order of equal ones.
    accepted.sort_by_key(|(quality, _)| std::cmp::Reverse(*quality));
    accepted.first().map(|(_, code)| *code)
}

/// Returns the quality of a language in thousandths; that of an unreadable one is 0.
fn quality(parameters: &str) -> u32 {
    let Some(value) = parameters.trim().strip_prefix("q=") else {
        return 1000;
    };
    match value.split_once('.') {
        None if value == "1" => 1000,
        Some(("0", digits)) if digits.len() <= 3 => {
            format!("{digits:0<3}").parse().unwrap_or_default()
        }
        Some(("1", _)) => 1000,
        _ => 0,
    }
}

/// Returns true for a text that could be a code.
pub(super) fn is_code(text: &str) -> bool {
    text.len() == CODE_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_language_has_highest_quality() {
        for (header, expected) in [
            ("de", Some("de")),
            ("de-CH, fr;q=0.9", Some("de")),
            ("xx, fr;q=0.5, it;q=0.75", Some("it")),
            ("fr;q=0, *", None),
            ("en;q=0.3,pt-BR;q=0.9", Some("pt-BR")),
            ("zh-Hant-TW", Some("zh-TW")),
            ("", None),
            ("de;q=x", None),
        ] {
            assert_eq!(preferred_language(header), expected, "{header}");
        }
    }

    #[test]
    fn address_of_other_characters_gets_no_code() {
        assert_eq!(
            normalised("Ada@Example.ORG").as_deref(),
            Some("ada@example.org")
        );
        for text in [
            "jörg@example.org",
            "ada@bücher.example",
            "ada@example",
            " ada@example.org",
            "ada@example.org\r\nBcc: zoe@example.org",
            "ada@example.org,zoe@example.org",
            "",
        ] {
            assert_eq!(normalised(text), None, "{text}");
        }
    }
}
