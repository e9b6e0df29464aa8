//! Telephone numbers: countries with their calling codes, and the lengths that numbers can have.
//!
//! The table is from libphonenumber's metadata (Apache-2.0); `crates/wire/phone_numbers.py` writes it and the examples.

use std::str::SplitAsciiWhitespace;

/// Words of two kinds. Lengths of national numbers, such as `779a` for 7 and 9 to 10: the first and the last of each
/// range in hexadecimal digits. After them, the countries whose numbers have these lengths: two-letter code (`00` for a
/// calling code of no country) and leading digits after the plus sign. If several countries share these, the first
/// entry wins. They are longer than the calling code where a code is shared: by North America 1, and by Kazakhstan
/// Russia's 7.
const TABLE: &str = include_str!("phone_number/countries.txt");

/// Code of entries without a country.
const NO_COUNTRY: &str = "00";

/// Reader of the table. An iterator of its own, because combined ones need kilobytes in WebAssembly.
struct Entries {
    words: SplitAsciiWhitespace<'static>,
    lengths: &'static str,
}

/// Numbers of a country.
pub struct Numbers {
    /// Two-letter code.
    pub country: &'static str,
    /// Digits after the plus sign with which they begin.
    pub leading_digits: &'static str,
    lengths: &'static str,
}

impl Iterator for Entries {
    type Item = Numbers;

    fn next(&mut self) -> Option<Numbers> {
        loop {
            let word = self.words.next()?;
            if let Some(b'A'..=b'Z' | b'0') = word.as_bytes().first() {
                let (country, leading_digits) = word.split_at_checked(NO_COUNTRY.len())?;
                return Some(Numbers {
                    lengths: self.lengths,
                    country,
                    leading_digits,
                });
            }
            self.lengths = word;
        }
    }
}

fn entries() -> Entries {
    Entries {
        words: TABLE.split_ascii_whitespace(),
        lengths: "",
    }
}

/// Numbers of all countries.
pub fn countries() -> impl Iterator<Item = Numbers> {
    entries().filter(|numbers| numbers.country != NO_COUNTRY)
}

/// Calling code in the leading digits of a country's numbers.
pub fn calling_code(leading_digits: &str) -> &str {
    match leading_digits.as_bytes().first() {
        Some(b'1' | b'7') => leading_digits.get(..1).unwrap_or(leading_digits),
        _ => leading_digits,
    }
}

/// Returns true for text in the notation of E.164: `+` and 7 to 15 digits.
pub fn is_e164(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        (7..=15).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0')
    })
}

/// Returns true for a number in E.164 with a calling code that exists and a length that its numbers can have.
pub fn is_phone(text: &str) -> bool {
    let digits = text.get(1..).unwrap_or_default();
    is_e164(text)
        && entries().any(|numbers| {
            digits
                .strip_prefix(calling_code(numbers.leading_digits))
                .is_some_and(|national| is_length(national.len(), numbers.lengths))
        })
}

/// Returns true if `ranges`, such as `779a`, have the length.
fn is_length(length: usize, ranges: &str) -> bool {
    let Some(&digit) = b"0123456789abcdef".get(length) else {
        return false;
    };
    let mut ranges = ranges.as_bytes().chunks(2);
    ranges.any(|range| matches!(range, [first, last] if (first..=last).contains(&&digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_phone_accepts_possible_numbers_only() {
        for (text, is_number) in [
            ("+390612345678", true),
            ("+12125550123", true),
            ("+77012345678", true),
            ("+2908999", true),
            ("+80012345678", true),
            ("+4930123456", true),
            ("+493012345678901", true),
            ("+4930123456789012", false),
            ("+44123456", false),
            ("+4412345678", false),
            ("+4412345678901", false),
            ("+442079460018", true),
            ("+390", false),
            ("+39000", false),
            ("+3900000", false),
            ("+3912345678901234", false),
            ("+999123456789", false),
            ("+210123456789", false),
            ("+15550100", false),
            ("+1234567", false),
            ("+125550123", false),
            ("+1212555012", false),
            ("+121255501234", false),
            ("+123456", false),
            ("+1234567890123456", false),
            ("+0612345678", false),
            ("390612345678", false),
            ("+39 06 1234", false),
            ("＋390612345678", false),
            ("+39０６12345678", false),
            ("+39é12345678", false),
            ("+", false),
            ("", false),
        ] {
            assert_eq!(is_phone(text), is_number, "{text}");
        }
    }

    #[test]
    fn phone_accepts_examples_of_every_country() {
        let examples = include_str!("phone_number/examples.tsv").lines();
        let numbers: Vec<&str> = examples
            .filter_map(|line| line.split('\t').nth(2))
            .collect();
        assert!(numbers.len() > 480);
        for number in numbers {
            assert!(is_phone(number), "{number}");
        }
    }

    #[test]
    fn calling_codes_do_not_begin_with_each_other() {
        let codes: Vec<&str> = entries()
            .map(|numbers| calling_code(numbers.leading_digits))
            .collect();
        for code in &codes {
            let are_distinct = |other: &&str| other == code || !other.starts_with(code);
            assert!(codes.iter().all(are_distinct), "{code}");
        }
    }

    #[test]
    fn lengths_of_shared_calling_code_are_the_same() {
        for numbers in entries() {
            let code = calling_code(numbers.leading_digits);
            let mut sharing = entries().filter(|other| calling_code(other.leading_digits) == code);
            assert!(
                sharing.all(|other| other.lengths == numbers.lengths),
                "{code}"
            );
        }
    }
}
