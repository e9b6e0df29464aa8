//! Names and addresses of senders and recipients.

use std::fmt;

use lettre::Address;

/// A name and an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// May be empty.
    pub name: String,
    /// E-mail address.
    pub email: String,
}

/// Error: not an e-mail address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAddress;

impl fmt::Display for InvalidAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not an e-mail address")
    }
}

impl std::error::Error for InvalidAddress {}

impl Mailbox {
    /// Parses `Name <address>`, `"Name" <address>` or an address.
    pub fn parse(text: &str) -> Result<Self, InvalidAddress> {
        let text = text.trim();
        let (name, email) = match text
            .strip_suffix('>')
            .and_then(|text| text.rsplit_once('<'))
        {
            Some((name, email)) => (unquoted(name.trim()), email.trim()),
            None => (String::new(), text),
        };
        parse_address(email)?;
        Ok(Self {
            name,
            email: email.to_owned(),
        })
    }
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

fn unquoted(name: &str) -> String {
    match name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'))
    {
        Some(name) => name.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailbox_is_parsed_with_and_without_name() {
        for (text, name, email) in [
            ("a@example.org", "", "a@example.org"),
            ("<a@example.org>", "", "a@example.org"),
            (
                "Booking Desk <desk@example.org>",
                "Booking Desk",
                "desk@example.org",
            ),
            (
                " \"Müller, \\\"Inc.\\\"\" <a@example.org> ",
                "Müller, \"Inc.\"",
                "a@example.org",
            ),
        ] {
            let parsed = Mailbox::parse(text).unwrap();
            assert_eq!((&*parsed.name, &*parsed.email), (name, email), "{text}");
        }
        for text in [
            "",
            "Name",
            "Name <a>",
            "a@b@",
            "Name <a@example.org",
            "<a@example.org> x",
        ] {
            assert!(Mailbox::parse(text).is_err(), "{text}");
        }
    }

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
}
