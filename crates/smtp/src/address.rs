//! Names and addresses of senders and recipients.

use crate::email_address::{InvalidAddress, parse_address};

/// A name and an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// May be empty.
    pub name: String,
    /// E-mail address.
    pub email: String,
}

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
}
