//! UI language for a tag, its direction, and the region of its dates.

pub use booking_wire::text_language::{LANGUAGES, direction_of, language_of, locale_for};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_loader_are_equal() {
        let loader = include_str!("../loader/page-locale.js");
        let listed = loader.split_once("const LANGUAGES = [").unwrap().1;
        let listed = listed.split_once(']').unwrap().0;
        let listed: Vec<&str> = listed
            .split(',')
            .map(|part| part.trim().trim_matches('"'))
            .filter(|part| !part.is_empty())
            .collect();
        assert_eq!(listed, LANGUAGES);
    }
}
