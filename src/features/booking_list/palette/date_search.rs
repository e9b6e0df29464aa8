//! Days that a person types in the palette, such as `14 Dec`, `Dec 14` or `2026-12-14`. No DOM.

use chrono::Datelike;

use crate::time::CivilDate;
use crate::time::civil::days_between;

/// Most days found.
const MAX_DAYS: usize = 2;

/// Finds the days that `typed` may mean, nearest to `today` first: numbers are the day, the month and the year in any
/// order, and each word is the beginning of one of the month's `words`. All texts are folded; `typed` are [`tokens`].
pub(crate) fn find_days(
    typed: &[String],
    words: &[Vec<String>; 12],
    today: CivilDate,
) -> Vec<CivilDate> {
    let (mut numbers, mut names) = (Vec::new(), Vec::new());
    for token in typed {
        match token.parse::<i32>() {
            Ok(number) => numbers.push(number),
            Err(_) => names.push(token),
        }
    }
    let year = numbers.iter().copied().find(|number| *number > 31);
    let years = match year {
        Some(year) => year..=year,
        None => today.year() - 1..=today.year() + 1,
    };
    let mut found = Vec::new();
    for (month, words) in (1..).zip(words) {
        let is_of_month = |name: &&String| words.iter().any(|word| word.starts_with(name.as_str()));
        if !names.iter().all(is_of_month) {
            continue;
        }
        for day in (1..=31).filter(|day| numbers.contains(day)) {
            let mut others = numbers.clone();
            let mut take = |number: i32| {
                let position = others.iter().position(|other| *other == number);
                position.map(|position| others.swap_remove(position))
            };
            take(day);
            let has_month = take(month).is_some() || !names.is_empty();
            year.map(&mut take);
            // Each number has a meaning, and the month is named.
            if has_month && others.is_empty() {
                let date = |year| CivilDate::from_ymd_opt(year, month as u32, day as u32);
                found.extend(years.clone().filter_map(date));
            }
        }
    }
    found.sort_by_key(|day| days_between(today, *day).abs());
    found.truncate(MAX_DAYS);
    found
}

/// Runs of digits and of letters.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut before = None;
    for char in text.chars() {
        let kind = char.is_alphanumeric().then(|| char.is_ascii_digit());
        match (kind, tokens.last_mut()) {
            (None, _) => {}
            (Some(_), Some(token)) if kind == before => token.push(char),
            (Some(_), _) => tokens.push(char.to_string()),
        }
        before = kind;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(names: [&str; 12]) -> [Vec<String>; 12] {
        names.map(tokens)
    }

    #[test]
    fn typed_days_are_found_nearest_first() {
        let english = words([
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep",
            "october oct",
            "november nov",
            "december dec",
        ]);
        let japanese = words([
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
            "年 月 日",
        ]);
        let today = CivilDate::from_ymd_opt(2026, 11, 28).expect("a day");
        let find = |typed: &str, words| {
            let days = find_days(&tokens(typed), words, today);
            let days = days.iter().map(ToString::to_string);
            days.collect::<Vec<_>>().join(" ")
        };
        for (typed, found) in [
            ("14 dec", "2026-12-14 2025-12-14"),
            ("dec 14", "2026-12-14 2025-12-14"),
            ("14. d", "2026-12-14 2025-12-14"),
            ("12 dec", "2026-12-12 2025-12-12"),
            ("31 oct", "2026-10-31 2027-10-31"),
            ("14 dec 2027", "2027-12-14"),
            ("2026-12-14", "2026-12-14"),
            ("14.12.", "2026-12-14 2025-12-14"),
            ("12/14/2026", "2026-12-14"),
            ("3/4/2027", "2027-03-04 2027-04-03"),
            ("1/1", "2027-01-01 2026-01-01"),
            // Not a day.
            ("29 feb", ""),
            ("29 feb 2028", "2028-02-29"),
            ("31 nov", ""),
            ("dec", ""),
            ("14", ""),
            ("2026", ""),
            ("14 grace", ""),
            ("1 2 3", ""),
            ("", ""),
        ] {
            assert_eq!(find(typed, &english), found, "{typed}");
        }
        assert_eq!(
            find("12月14日", &japanese),
            "2026-12-14 2025-12-14",
            "digits and letters without a space"
        );
    }
}
