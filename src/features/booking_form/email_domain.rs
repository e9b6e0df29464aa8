//! Misspelt domains of e-mail addresses. No DOM access.

/// Common domains that are suggested.
const SUGGESTED: [&str; 18] = [
    "gmail.com",
    "googlemail.com",
    "yahoo.com",
    "yahoo.co.uk",
    "yahoo.co.jp",
    "outlook.com",
    "hotmail.com",
    "hotmail.co.uk",
    "hotmail.fr",
    "icloud.com",
    "protonmail.com",
    "t-online.de",
    "freenet.de",
    "orange.fr",
    "wanadoo.fr",
    "libero.it",
    "naver.com",
    "yandex.ru",
];

/// Domains that look like a misspelt one, and are not.
const OTHERS: [&str; 6] = [
    "mail.com",
    "email.com",
    "ymail.com",
    "gmail.co",
    "outlook.co",
    "hotmail.it",
];

/// Returns the common domain that the domain of `address` is one letter away from, if any.
pub(super) fn suggested_domain(address: &str) -> Option<&'static str> {
    let (name, domain) = address.trim().rsplit_once('@')?;
    let domain = domain.to_ascii_lowercase();
    let is_known = |domains: &[&str]| domains.contains(&domain.as_str());
    if name.is_empty() || is_known(&SUGGESTED) || is_known(&OTHERS) {
        return None;
    }
    let is_near = |known: &&&str| is_one_edit(known.as_bytes(), domain.as_bytes());
    SUGGESTED.iter().find(is_near).copied()
}

/// True if one letter is missing, too many or another, or if two neighbours are exchanged.
fn is_one_edit(left: &[u8], right: &[u8]) -> bool {
    let equal = |(left, right): &(&u8, &u8)| left == right;
    let prefix = left.iter().zip(right).take_while(equal).count();
    let rest = |text: &[u8], by: usize| text.get(prefix + by..).map(<[u8]>::to_vec);
    let is_exchanged = match (left.get(prefix..prefix + 2), right.get(prefix..prefix + 2)) {
        (Some([a, b]), Some([c, d])) => a == d && b == c && rest(left, 2) == rest(right, 2),
        _ => false,
    };
    let same = |by_left: usize, by_right: usize| {
        let (left, right) = (rest(left, by_left), rest(right, by_right));
        left.is_some() && left == right
    };
    is_exchanged || same(1, 1) || same(1, 0) || same(0, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_one_letter_away_from_a_common_one_is_suggested() {
        for (address, domain) in [
            ("mia@gmial.com", Some("gmail.com")),
            ("mia@gmai.com", Some("gmail.com")),
            ("mia@gmail.con", Some("gmail.com")),
            ("mia@gmail.comm", Some("gmail.com")),
            ("MIA@GMIAL.COM ", Some("gmail.com")),
            ("mia@hotmial.co.uk", Some("hotmail.co.uk")),
            ("mia@yaho.com", Some("yahoo.com")),
            ("a@b@outlok.com", Some("outlook.com")),
            ("mia@gmail.com", None),
            ("mia@ymail.com", None),
            ("mia@mail.com", None),
            ("mia@gmaill.con", None),
            ("mia@example.org", None),
            ("mia@", None),
            ("@gmial.com", None),
            ("mia", None),
            ("", None),
        ] {
            assert_eq!(suggested_domain(address), domain, "{address}");
        }
    }
}
