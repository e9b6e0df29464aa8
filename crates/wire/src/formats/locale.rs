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

/// Codes of the languages of e-mails.
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

/// Returns true for a language that attendees can have: one of [`LANGUAGES`], Hindi, or a BCP 47 tag of these with a
/// script or region and the hour cycle, such as `en-GB` and `en-GB-u-hc-h23`.
pub fn is_attendee_language(tag: &str) -> bool {
    LANGUAGES.contains(&tag) || tag == HINDI || is_tag(tag) && message_language_code(tag).is_some()
}

/// Returns the code of the interface for the language of an attendee, which may be a tag.
pub fn attendee_language_code(tag: &str) -> &str {
    message_language_code(tag).unwrap_or(tag)
}

/// Writes the language of an attendee as a code of the interface.
pub(crate) fn write_attendee_language<S: serde::Serializer>(
    tag: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match tag {
        Some(tag) => serializer.serialize_some(attendee_language_code(tag)),
        None => serializer.serialize_none(),
    }
}

/// Returns the hour cycle that a tag asks for: true for 24 hours, false for 12; `None` if it asks for none.
pub fn has_24_hours(tag: &str) -> Option<bool> {
    let (_, keys) = tag.split_once("-u-")?;
    let mut parts = keys.split('-').skip_while(|part| *part != "hc").skip(1);
    match parts.next()? {
        "h23" | "h24" => Some(true),
        "h11" | "h12" => Some(false),
        _ => None,
    }
}

/// Returns the language of an attendee for the locale and the hour cycle that they were shown times in, so that messages
/// show the same; `None` if the language is not supported.
pub fn attendee_language(locale: &str, uses_12_hours: bool) -> Option<String> {
    let code = message_language_code(locale)?;
    let (base, _) = locale.split_once("-u-").unwrap_or((locale, ""));
    let base = if is_tag(base) { base } else { code };
    let cycle = if uses_12_hours { "h12" } else { "h23" };
    Some([base, "-u-hc-", cycle].concat())
}

/// True for a language with an optional script, an optional region and an optional hour cycle, in the usual case.
fn is_tag(tag: &str) -> bool {
    let (base, keys) = match tag.split_once("-u-") {
        Some((base, keys)) => (base, Some(keys)),
        None => (tag, None),
    };
    let all = |part: &str, is_allowed: fn(&u8) -> bool| part.as_bytes().iter().all(is_allowed);
    let mut parts = base.split('-').peekable();
    let has_language = parts
        .next()
        .is_some_and(|part| matches!(part.len(), 2 | 3) && all(part, u8::is_ascii_lowercase));
    parts.next_if(|part| part.len() == 4 && all(part, u8::is_ascii_alphabetic));
    parts.next_if(|part| match part.len() {
        2 => all(part, u8::is_ascii_uppercase),
        3 => all(part, u8::is_ascii_digit),
        _ => false,
    });
    let has_known_keys = keys.is_none_or(|keys| {
        let cycle = keys.strip_prefix("hc-");
        cycle.is_some_and(|cycle| ["h11", "h12", "h23", "h24"].contains(&cycle))
    });
    has_language && parts.next().is_none() && has_known_keys
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

    #[test]
    fn attendee_language_is_a_code_or_a_tag_with_region_and_clock() {
        for (tag, code, has_24) in [
            ("en", Some("en"), None),
            ("hi", Some("hi"), None),
            ("en-GB", Some("en"), None),
            ("de-AT-u-hc-h23", Some("de"), Some(true)),
            ("en-u-hc-h12", Some("en"), Some(false)),
            ("zh-Hans-SG", Some("zh-CN"), None),
            ("es-419", Some("es-419"), None),
            ("es-MX", Some("es"), None),
            ("hi-IN", Some("hi"), None),
            ("EN", None, None),
            ("en-gb", None, None),
            ("en_GB", None, None),
            ("xx", None, None),
            ("xx-GB", None, None),
            ("en-", None, None),
            ("en-GB-oed", None, None),
            ("en-GB-GB", None, None),
            ("en-u-nu-latn", None, None),
            ("en-u-hc-h23-x", None, None),
            ("klingon", None, None),
            ("", None, None),
        ] {
            assert_eq!(is_attendee_language(tag), code.is_some(), "{tag}");
            if let Some(code) = code {
                assert_eq!(attendee_language_code(tag), code, "{tag}");
                assert_eq!(has_24_hours(tag), has_24, "{tag}");
            }
        }
        for code in LANGUAGES {
            assert_eq!(attendee_language_code(code), code);
        }
        for (locale, uses_12_hours, tag) in [
            ("en-GB", false, Some("en-GB-u-hc-h23")),
            ("ar-EG-u-nu-latn", true, Some("ar-EG-u-hc-h12")),
            ("de", false, Some("de-u-hc-h23")),
            ("zh-hans-sg", true, Some("zh-CN-u-hc-h12")),
            ("tlh", true, None),
        ] {
            let found = attendee_language(locale, uses_12_hours);
            assert_eq!(found.as_deref(), tag, "{locale}");
            assert!(found.is_none_or(|tag| is_attendee_language(&tag)));
        }
    }
}
