//! Languages that clients prefer.

use booking_wire::formats::text_language::language_of;
use booking_wire::message_language_code;

/// Returns the language of the interface that a client prefers, by the header `Accept-Language`.
pub fn preferred_language(header: &str) -> Option<&'static str> {
    preferred(header, message_language_code)
}

/// Returns the language of the app that a browser prefers.
pub fn preferred_app_language(header: &str) -> Option<&'static str> {
    preferred(header, language_of)
}

fn preferred(
    header: &str,
    language: impl Fn(&str) -> Option<&'static str>,
) -> Option<&'static str> {
    let mut accepted: Vec<(u32, &'static str)> = header
        .split(',')
        .take(20)
        .filter_map(|part| {
            let (tag, parameters) = part.split_once(';').unwrap_or((part, ""));
            let code = language(tag.trim())?;
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
    fn app_language_is_the_first_that_the_app_has() {
        for (header, expected) in [
            ("da, de;q=0.8", Some("de")),
            ("pt-PT", Some("pt-BR")),
            ("zh-TW, en;q=0.5", Some("en")),
            ("da", None),
        ] {
            assert_eq!(preferred_app_language(header), expected, "{header}");
        }
    }
}
