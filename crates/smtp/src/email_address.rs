//! E-mail addresses: validation, ASCII form of the domain, and a key for each mailbox.

use std::fmt;

use icu_normalizer::ComposingNormalizerBorrowed;
use lettre::Address;

/// Error: not an e-mail address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAddress;

impl fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not an e-mail address")
    }
}

impl std::error::Error for InvalidAddress {}

/// Returns true for an address that messages can be sent to, with a domain as people write it: not in fullwidth or circled
/// letters, which are the same domain.
pub fn is_email(text: &str) -> bool {
    let Some((_, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_canonical = idna::domain_to_ascii(domain).is_ok_and(|ascii| {
        let lower = domain.to_lowercase();
        lower == ascii || lower == idna::domain_to_unicode(&ascii).0
    });
    is_canonical && booking_wire::formats::is_email(text) && parse_address(text).is_ok()
}

/// Parses an address. Its domain becomes ASCII (punycode); the part before the `@` may have other characters, which only
/// servers with SMTPUTF8 accept.
pub fn parse_address(text: &str) -> Result<Address, InvalidAddress> {
    // Spaces are possible in quotes, but no one has such an address.
    if text
        .chars()
        .any(|letter| letter.is_control() || letter.is_whitespace())
    {
        return Err(InvalidAddress);
    }
    let (local, domain) = text.rsplit_once('@').ok_or(InvalidAddress)?;
    let domain = idna::domain_to_ascii(domain).map_err(|_| InvalidAddress)?;
    Address::new(local, domain).map_err(|_| InvalidAddress)
}

/// Returns the same text for all addresses that usually lead to one mailbox, for limits: without case, dots and what
/// follows a `+`, with letters of other forms (NFKC) replaced and the domain in ASCII. Not an address to send to.
pub fn mailbox_key(email: &str) -> String {
    let (local, domain) = email.rsplit_once('@').unwrap_or((email, ""));
    let domain = idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_lowercase());
    let local = ComposingNormalizerBorrowed::new_nfkc()
        .normalize(local)
        .to_lowercase();
    let name = local.split('+').next().unwrap_or_default().replace('.', "");
    format!("{name}@{domain}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domain_becomes_ascii_and_hostile_address_is_rejected() {
        for (text, parsed) in [
            ("a@example.org", "a@example.org"),
            ("a+b.c@Example.ORG", "a+b.c@example.org"),
            ("a@bücher.example", "a@xn--bcher-kva.example"),
            ("用户@例子.测试", "用户@xn--fsqu00a.xn--0zwm56d"),
            ("a@localhost", "a@localhost"),
            ("a@[192.0.2.1]", "a@[192.0.2.1]"),
            ("\"a@b\"@example.org", "\"a@b\"@example.org"),
        ] {
            assert_eq!(
                parse_address(text).map(|address| address.to_string()),
                Ok(parsed.to_owned()),
                "{text}"
            );
        }
        for text in [
            "",
            "@",
            "a@",
            "@example.org",
            "a b@example.org",
            "a@example.org\r\nRCPT TO:<b@example.org>",
            "a\u{0}@example.org",
            "a>@example.org",
            "<a@example.org>",
            "\"a\r\n\"@example.org",
            "a@exam ple.org",
            "a@example.org>",
            "a@-.example",
        ] {
            assert!(parse_address(text).is_err(), "{text:?}");
        }
        assert!(parse_address(&format!("{}@example.org", "a".repeat(10_000))).is_err());
        assert!(parse_address(&format!("a@{}.org", "a".repeat(10_000))).is_err());
    }

    #[test]
    fn what_is_an_address_can_be_sent_to() {
        for (text, is_address) in [
            ("ada@example.org", true),
            ("ada.b+c@Example.org", true),
            ("jörg@bücher.example", true),
            ("ada@STRASSE.example", true),
            ("ada@straße.example", true),
            ("ada@xn--bcher-kva.example", true),
            ("用户@例子.测试", true),
            ("o'neill@example.org", true),
            ("a..b@example.org", false),
            (".a@example.org", false),
            ("a.@example.org", false),
            ("a@-v.example", false),
            ("a@v-.example", false),
            ("a@localhost", false),
            ("a\u{202e}b@example.org", false),
            ("a\u{200b}b@example.org", false),
            ("victim@ｇmail.example", false),
            ("victim@ⓖmail.example", false),
            ("victim@\u{1d420}mail.example", false),
            ("victim@gmail\u{3002}example", false),
        ] {
            assert_eq!(is_email(text), is_address, "{text}");
            assert!(!is_address || parse_address(text).is_ok(), "{text}");
        }
        assert!(is_email(&format!("{}@example.org", "a".repeat(64))));
        assert!(!is_email(&format!("{}@example.org", "a".repeat(65))));
        assert!(!is_email(&format!("a@{}.org", "a".repeat(64))));
    }

    #[test]
    fn spellings_of_one_mailbox_have_one_key() {
        let key = mailbox_key("victim@gmail.example");
        for text in [
            "Victim@GMAIL.example",
            "victim+1@gmail.example",
            "v.i.c.t.i.m@gmail.example",
            "victim@ｇmail.example",
            "ｖictim@gmail.example",
            "victim+a+b@gｍail.example",
        ] {
            assert_eq!(mailbox_key(text), key, "{text}");
        }
        assert_eq!(
            mailbox_key("a@bücher.example"),
            mailbox_key("A@xn--bcher-kva.example")
        );
        assert_ne!(mailbox_key("victims@gmail.example"), key);
        assert_ne!(mailbox_key("victim@gmail.test"), key);
    }
}
