//! Reads the bodies of requests.

use booking_wire::people::verified_email::CODE_DIGITS;
use booking_wire::{JsonMap, message_language_code};
use serde_json::Value;

use crate::error::Result;
use crate::validate::accept_language::preferred_language;
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
    let email = read_email(&object, &mut checks);
    let language = object.text("language", &mut checks);
    object.log_unread();
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
    let email = read_email(&object, &mut checks);
    let code = object.required_text("code", &mut checks).map(str::trim);
    if let Some(code) = code.filter(|code| !is_code(code)) {
        let message = "must be a text of six digits";
        checks.report("code", &Value::from(code), "isCode", message);
    }
    object.log_unread();
    checks.finish()?;
    let code = code.unwrap_or_default().to_owned();
    Ok(EnteredCode { email, code })
}

fn read_email(object: &Object<'_>, checks: &mut Checks) -> String {
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

/// Returns true for a text that could be a code.
pub(super) fn is_code(text: &str) -> bool {
    text.len() == CODE_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

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
