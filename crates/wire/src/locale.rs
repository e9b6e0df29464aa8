//! Languages and weekdays of the interface.

/// Names of the weekdays on the wire.
pub const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// Codes of the languages of e-mails (contract 4.4).
pub const LANGUAGES: [&str; 43] = [
    "ar", "az", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "es-419", "et", "eu", "fi",
    "fr", "he", "hr", "hu", "id", "it", "ja", "km", "ko", "lt", "lv", "nl", "no", "pl", "pt",
    "pt-BR", "ro", "ru", "sk", "sr", "sv", "ta", "th", "tr", "uk", "vi", "zh-CN", "zh-TW",
];

/// Returns the code of [`LANGUAGES`] for a BCP 47 tag; `None` if the language is not supported.
pub fn language_code(tag: &str) -> Option<&'static str> {
    let find = |name: &str| {
        let mut codes = LANGUAGES.into_iter();
        codes.find(|code| code.eq_ignore_ascii_case(name))
    };
    let mut parts = tag.split('-');
    let primary = parts.next().unwrap_or_default();
    if primary.eq_ignore_ascii_case("zh") {
        let has = |subtags: &[&str]| {
            let mut parts = tag.split('-').skip(1);
            parts.any(|part| {
                subtags
                    .iter()
                    .any(|subtag| part.eq_ignore_ascii_case(subtag))
            })
        };
        let is_traditional = has(&["hant"]) || !has(&["hans"]) && has(&["tw", "hk", "mo"]);
        return find(if is_traditional { "zh-TW" } else { "zh-CN" });
    }
    let region = parts
        .next()
        .and_then(|region| find(&[primary, region].join("-")));
    region.or_else(|| {
        find(if primary.eq_ignore_ascii_case("iw") {
            "he"
        } else {
            primary
        })
    })
}

/// Code of Hindi, which messages of this service have beyond [`LANGUAGES`].
const HINDI: &str = "hi";

/// Returns the code of a language of this service's messages for a BCP 47 tag: one of [`LANGUAGES`], or Hindi.
pub fn message_language_code(tag: &str) -> Option<&'static str> {
    let primary = tag.split('-').next().unwrap_or_default();
    language_code(tag).or_else(|| primary.eq_ignore_ascii_case(HINDI).then_some(HINDI))
}

/// Returns true for the code of a language that attendees can have: one of [`LANGUAGES`], or Hindi.
pub fn is_attendee_language(code: &str) -> bool {
    LANGUAGES.contains(&code) || code == HINDI
}

/// Language codes of profiles: [`LANGUAGES`], Hindi and the former code of Hebrew.
pub const LOCALES: [&str; LANGUAGES.len() + 2] = {
    let mut locales = ["iw"; LANGUAGES.len() + 2];
    locales[LANGUAGES.len()] = HINDI;
    let mut index = 0;
    while index < LANGUAGES.len() {
        locales[index] = LANGUAGES[index];
        index += 1;
    }
    locales
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_code_is_one_of_the_interface() {
        for (tag, code) in [
            ("en", Some("en")),
            ("en-GB", Some("en")),
            ("pt-BR", Some("pt-BR")),
            ("pt-PT", Some("pt")),
            ("es-419", Some("es-419")),
            ("es-MX", Some("es")),
            ("zh", Some("zh-CN")),
            ("zh-CN", Some("zh-CN")),
            ("zh-SG", Some("zh-CN")),
            ("zh-Hans-TW", Some("zh-CN")),
            ("zh-HK", Some("zh-TW")),
            ("zh-Hant", Some("zh-TW")),
            ("ar-u-nu-latn", Some("ar")),
            ("iw-IL", Some("he")),
            ("HE", Some("he")),
            ("hi", None),
            ("hi-IN", None),
            ("deu", None),
            ("", None),
        ] {
            assert_eq!(language_code(tag), code, "{tag}");
            let of_message = if tag.starts_with("hi") {
                Some("hi")
            } else {
                code
            };
            assert_eq!(message_language_code(tag), of_message, "{tag}");
            assert!(of_message.is_none_or(is_attendee_language));
        }
    }
}
