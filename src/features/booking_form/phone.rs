//! Phone numbers: common notations converted to E.164, and the default country by time zone and languages.

pub(super) mod phone_field;

use booking_wire::phone_number;

use crate::time::format::{browser_locales, browser_zone, is_zone_of};

/// The second is that of East Asian keyboards.
pub(super) const PLUS_SIGNS: [char; 2] = ['+', '＋'];

/// Two-letter codes of all countries.
pub fn countries() -> impl Iterator<Item = &'static str> {
    phone_number::countries().map(|numbers| numbers.country)
}

/// Country with the code `letters`, in either case.
pub fn country(letters: &str) -> Option<&'static str> {
    countries().find(|country| country.eq_ignore_ascii_case(letters.trim()))
}

/// Calling code of `country`, without the plus sign; empty if unknown.
pub fn calling_code(country: &str) -> &'static str {
    let found = phone_number::countries().find(|numbers| numbers.country == country);
    found.map_or("", |numbers| {
        phone_number::calling_code(numbers.leading_digits)
    })
}

/// Country of a number with a plus sign; `default` if it is one of those that share the code.
pub fn country_of(number: &str, default: &str) -> Option<&'static str> {
    let digits = number.strip_prefix('+')?;
    let length = |digits_of: &str| {
        if digits.starts_with(digits_of) {
            digits_of.len()
        } else {
            0
        }
    };
    let longest = phone_number::countries()
        .map(|numbers| length(numbers.leading_digits))
        .max()?;
    let mut matching = phone_number::countries()
        .filter(|numbers| longest > 0 && length(numbers.leading_digits) == longest)
        .map(|numbers| numbers.country);
    let first = matching.next()?;
    Some(
        matching
            .find(|country| *country == default)
            .unwrap_or(first),
    )
}

/// Converts `typed` to E.164 if possible: as it is with a plus sign or `00`, otherwise as a
/// national number of `country`. Text that cannot be parsed is returned as typed.
pub fn e164(country: &str, typed: &str) -> String {
    // "+44 (0)20 ..." contains a trunk prefix, dialled only nationally.
    let typed = match typed.split_once("(0)") {
        Some((before, after)) if before.trim_start().starts_with(['+', '＋', '0']) => {
            let mut whole = before.to_owned();
            whole.push_str(after);
            whole
        }
        _ => typed.to_owned(),
    };
    let mut digits = String::with_capacity(typed.len());
    for sign in typed.trim().chars() {
        match sign {
            sign if PLUS_SIGNS.contains(&sign) && digits.is_empty() => digits.push('+'),
            sign if sign.is_ascii_digit() => digits.push(sign),
            sign => match own_digit(sign) {
                Some(digit) => digits.push(digit),
                None if is_grouping(sign) => {}
                None => return typed.trim().to_owned(),
            },
        }
    }
    let code = calling_code(country);
    let abroad = match code {
        "1" => digits.strip_prefix("011"),
        _ => digits.strip_prefix("00"),
    };
    let number = match abroad {
        _ if digits.starts_with('+') || digits.is_empty() => digits,
        Some(rest) => ["+", rest].concat(),
        None if code.is_empty() => return digits,
        None => ["+", code, without_trunk(country, code, &digits)].concat(),
    };
    as_from_abroad(number)
}

/// Converts mobile numbers that are written as they are, or were, dialled within their country.
fn as_from_abroad(mut number: String) -> String {
    const MEXICAN_LENGTH: usize = "+5215512345678".len();
    if let Some(mobile) = number.strip_prefix("+54").and_then(argentine_mobile) {
        return ["+54", &mobile].concat();
    }
    // Mexico's mobile numbers had a 1 until 2019.
    if number.starts_with("+521") && number.len() == MEXICAN_LENGTH {
        number.remove(3);
    }
    number
}

/// Converts Arabic, Persian, Hindi and full-width digits, as typed on those keyboards.
fn own_digit(sign: char) -> Option<char> {
    let zeros = ['\u{660}', '\u{6f0}', '\u{966}', '\u{ff10}'];
    let value = zeros.into_iter().find_map(|zero| {
        (sign as u32)
            .checked_sub(zero as u32)
            .filter(|value| *value < 10)
    })?;
    char::from_digit(value, 10)
}

/// True for digit separators, full-width ones too, and for direction marks that copying adds.
fn is_grouping(sign: char) -> bool {
    matches!(
        sign,
        ' ' | '-' | '(' | ')' | '.' | '/' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2010}'..='\u{2015}'
            | '\u{3000}' | '\u{2212}' | '\u{30fc}' | '\u{ff08}' | '\u{ff09}' | '\u{ff0d}'
            | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Countries in which national numbers begin with a zero that international ones leave out.
const WITH_TRUNK_ZERO: &str = "AT AU BE BG CH DE EG FI FR GB HR ID IE IL IN JP KE MY NG NL NZ PH PK RO \
    RS SE SI SK TH TR TW UA VN ZA";

/// Example number as it is dialled in `country`, if it is one of that country; otherwise unchanged.
pub(super) fn national_example(country: &str, example: &str) -> String {
    let code = calling_code(country);
    let national = example
        .trim()
        .strip_prefix('+')
        .filter(|_| !code.is_empty())
        .and_then(|rest| rest.strip_prefix(code))
        .map(|rest| rest.trim_start_matches([' ', '-']));
    let Some(national) = national else {
        return example.to_owned();
    };
    let has_zero = WITH_TRUNK_ZERO
        .split_ascii_whitespace()
        .any(|known| known == country);
    let zero = if has_zero && !national.starts_with(['0', '(']) {
        "0"
    } else {
        ""
    };
    [zero, national].concat()
}

/// Mobile number of Argentina as it is dialled from abroad: without the 15 after the area code, and with a 9 before
/// it. Other numbers are `None`.
fn argentine_mobile(national: &str) -> Option<String> {
    // With its area code of two (Buenos Aires), three or four digits, a number has ten, and twelve with the 15.
    let area_digits = match national.get(3..5) {
        _ if national.len() != 12 => return None,
        _ if national.starts_with("11") => 2,
        Some("15") => 3,
        _ => 4,
    };
    let (area, rest) = national.split_at_checked(area_digits)?;
    Some(["9", area, rest.strip_prefix("15")?].concat())
}

/// Number without the national trunk prefix.
fn without_trunk<'a>(country: &str, code: &str, digits: &'a str) -> &'a str {
    let trunk = match country {
        // The zero is part of the number.
        "IT" | "VA" | "SM" | "CI" | "CG" | "BJ" => "",
        // It is, too, but some dial one more.
        "GA" if digits.len() < 9 => "",
        "HU" => "06",
        "BY" if digits.len() == 11 => "80",
        "LT" if digits.starts_with('8') && digits.len() == 9 => "8",
        "TM" => "8",
        _ if code == "7" && digits.len() == 11 => "8",
        _ if code == "1" && digits.len() == 11 => "1",
        _ if code == "1" || code == "7" => "",
        _ => "0",
    };
    digits.strip_prefix(trunk).unwrap_or(digits)
}

/// Default country of phone numbers: the page's, else that of the visitor's time zone, else that of
/// their language.
pub(super) fn default_country(configured: Option<&str>) -> &'static str {
    if let Some(country) = configured.and_then(country) {
        return country;
    }
    let zone = browser_zone();
    // Each check is slow in the browser, and zones such as `Etc/UTC` belong to no country.
    let has_country = zone.0.contains('/') && !zone.0.starts_with("Etc/");
    let is_in_zone = |country: &&'static str| has_country && is_zone_of(&zone, country);
    let mut by_language = None;
    for language in browser_locales() {
        let region = language.rsplit_once('-').map_or("", |(_, region)| region);
        let Some(country) = country(region) else {
            continue;
        };
        if is_in_zone(&country) {
            return country;
        }
        by_language = by_language.or(Some(country));
    }
    let by_zone = countries().find(is_in_zone);
    by_zone.or(by_language).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e164_common_notations_are_parsed() {
        for (country, typed, expected) in [
            ("", "+49 (0391) 123-456", Some("+490391123456")),
            ("", "+49 (0)391 123456", Some("+49391123456")),
            ("", "0044 20 7946 0018", Some("+442079460018")),
            ("", "030 1234567", None),
            ("", "+12", None),
            ("", "+44 call me", None),
            ("", "+0 123 456 789", None),
            ("", "", None),
            ("DE", "030 1234567", Some("+49301234567")),
            ("DE", "+44 20 7946 0018", Some("+442079460018")),
            ("DE", "0049 30 1234567", Some("+49301234567")),
            ("DE", "(0)30 1234567", Some("+49301234567")),
            ("DE", "030 1234567 (Ada)", None),
            ("IT", "06 1234 5678", Some("+390612345678")),
            ("ES", "612 34 56 78", Some("+34612345678")),
            ("FR", "06.12.34.56.78", Some("+33612345678")),
            ("HU", "06 30 123 4567", Some("+36301234567")),
            ("RU", "8 (912) 345-67-89", Some("+79123456789")),
            ("KZ", "8 701 234 5678", Some("+77012345678")),
            ("US", "(212) 555-0123", Some("+12125550123")),
            ("US", "1 212 555 0123", Some("+12125550123")),
            ("US", "555 0123", None),
            ("US", "011 49 30 1234567", Some("+49301234567")),
            ("JM", "876 555 0123", Some("+18765550123")),
            ("PL", "512 345 678", Some("+48512345678")),
            ("IN", "098765 43210", Some("+919876543210")),
            ("EG", "٠١٠ ٠١٢٣ ٤٥٦٧", Some("+201001234567")),
            ("JP", "＋81 90 1234 5678", Some("+819012345678")),
            ("", "＋４９ (0)391 123456", Some("+49391123456")),
            ("JP", "090＋12345678", None),
            ("JP", "０９０−1234", None),
            ("JP", "０９０ 1234 5678", Some("+819012345678")),
            ("JP", "０９０－１２３４－５６７８", Some("+819012345678")),
            ("JP", "（０３）　１２３４ー５６７８", Some("+81312345678")),
            ("AR", "0221 15 123-4567", Some("+5492211234567")),
            ("AR", "02944 15 123456", Some("+5492944123456")),
            ("AR", "011 1523-4567", Some("+541115234567")),
            ("AR", "+54 9 11 2345-6789", Some("+5491123456789")),
            ("AR", "+54 11 15 2345-6789", Some("+5491123456789")),
            ("MX", "+52 1 55 1234 5678", Some("+525512345678")),
            ("US", "011 52 1 55 1234 5678", Some("+525512345678")),
            ("GA", "0 11 44 12 34", Some("+24111441234")),
            ("GB", "0123456", None),
            ("", "+999 123456789", None),
            ("IL", "\u{202a}050-123-4567\u{202c}", Some("+972501234567")),
        ] {
            let number = e164(country, typed);
            assert_eq!(
                phone_number::is_phone(&number).then_some(number.as_str()),
                expected,
                "{country} {typed}"
            );
        }
    }

    #[test]
    fn e164_converts_examples_of_every_country() {
        let examples = include_str!("../../../crates/wire/src/phone_number/examples.tsv");
        for line in examples.lines() {
            let [country, national, expected] = *line.split('\t').collect::<Vec<_>>() else {
                panic!("{line}");
            };
            assert_eq!(e164(country, national), expected, "{country} {national}");
        }
    }

    #[test]
    fn national_example_drops_the_code_shown_beside_it() {
        for (country, example, expected) in [
            ("DE", "+49 30 1234567", "030 1234567"),
            ("DE", "+44 20 7946 0018", "+44 20 7946 0018"),
            ("ES", "+34 612 34 56 78", "612 34 56 78"),
            ("US", "+1 212 555 0123", "212 555 0123"),
            ("GB", "+44 (0)20 7946 0018", "(0)20 7946 0018"),
            ("", "+49 30 1234567", "+49 30 1234567"),
            ("DE", "030 1234567", "030 1234567"),
            ("DE", "", ""),
        ] {
            assert_eq!(
                national_example(country, example),
                expected,
                "{country} {example}"
            );
        }
    }

    #[test]
    fn country_of_number_with_plus_sign_is_found() {
        for (number, default, expected) in [
            ("+4930123", "", Some("DE")),
            ("+44207", "", Some("GB")),
            ("+44207", "JE", Some("JE")),
            ("+1212555", "", Some("US")),
            ("+1212555", "CA", Some("CA")),
            ("+1876555", "CA", Some("JM")),
            ("+7701", "RU", Some("KZ")),
            ("+7912", "KZ", Some("RU")),
            ("+39066", "DE", Some("IT")),
            ("+999", "DE", None),
            ("+", "DE", None),
            ("030", "DE", None),
        ] {
            assert_eq!(country_of(number, default), expected, "{number} {default}");
        }
    }

    #[test]
    fn countries_are_unique_and_have_a_code() {
        let mut all: Vec<_> = countries().collect();
        assert!(all.len() > 230);
        assert!(all.iter().all(|country| !calling_code(country).is_empty()));
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!(calling_code("KZ"), "7");
        assert_eq!(calling_code("JM"), "1");
        assert_eq!(country(" de "), Some("DE"));
        assert_eq!(country("XX"), None);
    }
}
