//! Languages of texts for people: the one for a tag, its direction, and the region of its dates.

/// Languages of the widget and of messages, except English.
pub const LANGUAGES: [&str; 12] = [
    "ar", "de", "es", "fr", "he", "hi", "ja", "nl", "pl", "pt-BR", "tr", "zh-CN",
];

/// Languages written from right to left.
const RIGHT_TO_LEFT: [&str; 2] = ["ar", "he"];

/// Returns the UI language for `tag`, in another region if need be; `None` if there is none.
pub fn language_of(tag: &str) -> Option<&'static str> {
    let mut parts = tag.split(['-', '_']);
    let primary = parts.next().unwrap_or_default().to_ascii_lowercase();
    let primary = match primary.as_str() {
        "en" => return Some("en"),
        "iw" => "he",
        // Traditional characters are another script, whose readers the simplified texts do not serve.
        "zh" if parts.any(is_traditional) => return None,
        other => other,
    };
    LANGUAGES
        .into_iter()
        .find(|language| primary_of(language) == primary)
}

fn is_traditional(part: &str) -> bool {
    ["hant", "tw", "hk", "mo"]
        .iter()
        .any(|subtag| part.eq_ignore_ascii_case(subtag))
}

/// Returns `rtl` or `ltr`.
pub fn direction_of(language: &str) -> &'static str {
    if RIGHT_TO_LEFT.contains(&language) {
        "rtl"
    } else {
        "ltr"
    }
}

/// Returns the tag for dates and numbers beside texts in `language`: with the page's region if the page's tag is
/// of this language, so that texts and dates do not mix languages. Otherwise the visitor's region decides on the
/// order of day and month and on the hour cycle: for English any visitor's, for other languages only that of
/// a visitor who speaks them.
pub fn locale_for(language: &str, page: &str, visitor: &str) -> String {
    let primary = primary_of(language);
    let is_same = |tag: &str| language_of(tag) == Some(language);
    let from_page = region_of(page).filter(|_| is_same(page));
    let from_visitor = region_of(visitor).filter(|_| is_same(visitor) || language == "en");
    // English texts on a page in another language use the region of that page.
    let from_elsewhere = region_of(page).filter(|_| language == "en");
    let mut tag = match from_page.or(from_visitor).or(from_elsewhere) {
        Some(region) => {
            let mut tag = primary.to_owned();
            tag.push('-');
            tag.push_str(&region.to_ascii_uppercase());
            tag
        }
        None => language.to_owned(),
    };
    // Counts and days of a month use one kind of digits: dates must not use another, which depends on region
    // and browser.
    if language == "ar" {
        tag.push_str("-u-nu-latn");
    }
    tag
}

fn primary_of(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

fn region_of(tag: &str) -> Option<&str> {
    let is_region =
        |part: &&str| part.len() == 2 && part.bytes().all(|letter| letter.is_ascii_alphabetic());
    // A single letter begins keys, such as those of `en-u-hc-h23`.
    let parts = tag.split(['-', '_']).skip(1);
    parts.take_while(|part| part.len() > 1).find(is_region)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_of_any_region_returns_language() {
        for (tag, language) in [
            ("de", Some("de")),
            ("DE_at", Some("de")),
            ("pt", Some("pt-BR")),
            ("pt-PT", Some("pt-BR")),
            ("zh", Some("zh-CN")),
            ("zh-Hans-SG", Some("zh-CN")),
            ("zh-Hant", None),
            ("zh-TW", None),
            ("iw-IL", Some("he")),
            ("en-GB", Some("en")),
            ("sv", None),
            ("deu", None),
            ("", None),
        ] {
            assert_eq!(language_of(tag), language, "{tag}");
        }
    }

    #[test]
    fn locale_for_page_without_region_has_visitors_region() {
        for (language, page, visitor, used) in [
            ("en", "en-GB", "de-DE", "en-GB"),
            ("en", "en_US", "de-DE", "en-US"),
            ("en", "en", "de-DE", "en-DE"),
            ("en", "", "en-IN", "en-IN"),
            ("en", "zh-Hant-TW", "sv", "en-TW"),
            ("en", "sv-FI", "de-CH", "en-CH"),
            ("en", "", "", "en"),
            ("en", "en-u-hc-h23", "en-US", "en-US"),
            ("en", "en-GB-u-ca-buddhist", "en-US", "en-GB"),
            ("de", "de-u-co-phonebk", "de-CH", "de-CH"),
            ("de", "de-AT", "de-CH", "de-AT"),
            ("de", "de", "de-CH", "de-CH"),
            ("de", "de", "en-US", "de"),
            ("pt-BR", "pt", "en-US", "pt-BR"),
            ("pt-BR", "pt-PT", "en-US", "pt-PT"),
            ("zh-CN", "zh-Hans-SG", "en", "zh-SG"),
            ("zh-CN", "zh", "zh-TW", "zh-CN"),
            ("ar", "", "ar-EG", "ar-EG-u-nu-latn"),
            ("ar", "ar", "en-US", "ar-u-nu-latn"),
        ] {
            assert_eq!(
                locale_for(language, page, visitor),
                used,
                "{language} {page} {visitor}"
            );
        }
    }
}
