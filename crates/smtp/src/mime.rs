//! Builds messages (RFC 5322, MIME).

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use booking_mail::invitation::Invitation;
use booking_mail::templates::Rendered;
use booking_wire::Instant;
use lettre::address::Envelope;
use lettre::message::header::{ContentDisposition, ContentType, Date, HeaderName, HeaderValue};
use lettre::message::{MultiPart, SinglePart};
use lettre::{Address, Message as Builder};

use super::address::Mailbox;
use super::inline_images::InlineImages;
use super::settings::Sender;
use crate::email_address::parse_address;

/// Characters of a header line with encoded words (RFC 2047).
const ENCODED_LINE: usize = 76;

/// Length up to which a name, or a word of a subject, is in a header without encoding, so that no line becomes too long.
const PLAIN_CHARS: usize = 60;

/// Length up to which a URL is in a header.
const MAX_URL_BYTES: usize = 900;

/// Last second that a date can have, in the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;

/// Name of the attached invitation.
const ATTACHMENT: &str = "invite.ics";

/// A message before it is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Message-ID without brackets.
    pub message_id: String,
    /// Recipient.
    pub to: Mailbox,
    /// Person who gets the answer, unless the sender has an address for answers. Left out if the address is malformed, or
    /// is not ASCII, which some servers do not accept.
    pub reply_to: Option<Mailbox>,
    /// Subject and texts.
    pub rendered: Rendered,
    /// Calendar invitation.
    pub invitation: Option<Invitation>,
    /// URL that stops reminders with a POST request (RFC 8058).
    pub stop_reminders: Option<String>,
    /// Value of `Date`.
    pub date: Instant,
    /// BCP 47 tag; may be empty.
    pub language: String,
}

/// A message as it is sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// Sender of the envelope.
    pub from: Address,
    /// Recipient of the envelope.
    pub to: Address,
    /// Headers and body. ASCII unless [`needs_smtputf8`](Self::needs_smtputf8).
    pub bytes: Vec<u8>,
}

/// Error: the message cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidMessage {
    /// The address of the sender is invalid.
    Sender,
    /// The address of the recipient is invalid.
    Recipient,
    /// The library rejects the message.
    Content,
}

impl std::fmt::Display for InvalidMessage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sender => "the address of the sender is not an e-mail address",
            Self::Recipient => "the address of the recipient is not an e-mail address",
            Self::Content => "the message cannot be built",
        })
    }
}

impl std::error::Error for InvalidMessage {}

impl Message {
    /// Builds a message.
    pub fn build(sender: &Sender, outgoing: &Outgoing) -> Result<Self, InvalidMessage> {
        let from = parse_address(&sender.from.email).map_err(|_| InvalidMessage::Sender)?;
        let to = parse_address(&outgoing.to.email).map_err(|_| InvalidMessage::Recipient)?;
        let envelope = Envelope::new(Some(from.clone()), vec![to.clone()])
            .map_err(|_| InvalidMessage::Content)?;
        let mut builder = Builder::builder()
            .header(date(outgoing.date))
            .envelope(envelope)
            .raw_header(mailbox("From", &sender.from.name, &from));
        if let Some(reply_to) = &sender.reply_to {
            let address = parse_address(&reply_to.email).map_err(|_| InvalidMessage::Sender)?;
            builder = builder.raw_header(mailbox("Reply-To", &reply_to.name, &address));
        } else if let Some(reply_to) = &outgoing.reply_to
            && let Ok(address) = parse_address(&reply_to.email)
            && address.to_string().is_ascii()
        {
            builder = builder.raw_header(mailbox("Reply-To", &reply_to.name, &address));
        }
        builder = builder
            .raw_header(mailbox("To", &outgoing.to.name, &to))
            .raw_header(text_header("Subject", &outgoing.rendered.subject))
            .raw_header(raw("Message-ID", format!("<{}>", message_id(outgoing))))
            .raw_header(raw("Auto-Submitted", "auto-generated"));
        let language = language(&outgoing.language);
        if !language.is_empty() {
            builder = builder.raw_header(raw("Content-Language", language));
        }
        if let Some(url) = outgoing
            .stop_reminders
            .as_deref()
            .filter(|url| is_header_url(url))
        {
            builder = builder
                .raw_header(raw("List-Unsubscribe", format!("<{url}>")))
                .raw_header(raw("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let message = builder
            .multipart(content(outgoing)?)
            .map_err(|_| InvalidMessage::Content)?;
        let mut bytes = message.formatted();
        // SMTP ends the last line itself.
        while bytes.ends_with(b"\r\n") {
            bytes.truncate(bytes.len() - 2);
        }
        if let Some(dkim) = &sender.dkim {
            let signature = dkim.signature(&bytes).ok_or(InvalidMessage::Content)?;
            bytes.splice(..0, signature.into_bytes());
        }
        Ok(Self { from, to, bytes })
    }

    /// Returns true if only servers with the extension SMTPUTF8 accept the message: an address is not ASCII.
    pub fn needs_smtputf8(&self) -> bool {
        !self.bytes.is_ascii()
    }
}

/// Texts, and the invitation twice: mail programs with a calendar use the alternative, others offer the attachment.
fn content(outgoing: &Outgoing) -> Result<MultiPart, InvalidMessage> {
    let rendered = &outgoing.rendered;
    let InlineImages { html, images } = InlineImages::of(&rendered.html, &message_id(outgoing));
    let html = part(ContentType::TEXT_HTML, &html);
    let alternative =
        MultiPart::alternative().singlepart(part(ContentType::TEXT_PLAIN, &rendered.text));
    let alternative = if images.is_empty() {
        alternative.singlepart(html)
    } else {
        let related = MultiPart::related().singlepart(html);
        alternative.multipart(images.into_iter().fold(related, MultiPart::singlepart))
    };
    let Some(invitation) = &outgoing.invitation else {
        return Ok(alternative);
    };
    let method = invitation.method.name();
    let content_type = |text: &str| ContentType::parse(text).map_err(|_| InvalidMessage::Content);
    let calendar = content_type(&format!("text/calendar; method={method}; charset=utf-8"))?;
    let file = content_type(&format!("application/ics; name=\"{ATTACHMENT}\""))?;
    let attachment = SinglePart::builder()
        .content_type(file)
        .header(ContentDisposition::attachment(ATTACHMENT))
        .body(lines(&invitation.text).into_bytes());
    Ok(MultiPart::mixed()
        .multipart(alternative.singlepart(part(calendar, &invitation.text)))
        .singlepart(attachment))
}

fn part(content_type: ContentType, text: &str) -> SinglePart {
    SinglePart::builder()
        .content_type(content_type)
        .body(lines(text))
}

/// Text with CRLF at the end of lines, and without NUL, which no message may have.
fn lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 32);
    let mut after_return = false;
    for letter in text.chars() {
        match letter {
            '\0' => continue,
            '\n' if after_return => {}
            '\n' | '\r' => lines.push_str("\r\n"),
            _ => lines.push(letter),
        }
        after_return = letter == '\r';
    }
    lines
}

fn date(date: Instant) -> Date {
    let seconds = u64::try_from(date.0.div_euclid(1000)).unwrap_or(0);
    Date::new(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.min(LAST_SECOND)))
}

/// A header whose value needs no encoding.
fn raw(name: &'static str, value: impl Into<String>) -> HeaderValue {
    let value = value.into();
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        value.clone(),
        value,
    )
}

/// A header with a name and an address.
fn mailbox(header: &'static str, name: &str, address: &Address) -> HeaderValue {
    let name = single_line(name);
    let name = name.trim();
    let value = if name.is_empty() {
        address.to_string()
    } else if is_plain(name) && !name.contains(['"', '\\']) {
        format!("\"{name}\"\r\n <{address}>")
    } else {
        format!("{}\r\n <{address}>", encoded_words(header, name))
    };
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(header),
        // The library reads this value when it builds the message.
        address.to_string(),
        value,
    )
}

fn text_header(header: &'static str, text: &str) -> HeaderValue {
    let text = single_line(text);
    if text
        .split(' ')
        .all(|word| !word.is_empty() && is_plain(word))
    {
        return HeaderValue::new(HeaderName::new_from_ascii_str(header), text);
    }
    raw(header, encoded_words(header, &text))
}

/// Text without control characters, which could begin another header.
fn single_line(text: &str) -> String {
    text.chars()
        .map(|letter| {
            if is_line_or_control(letter) {
                ' '
            } else {
                letter
            }
        })
        .collect()
}

fn is_line_or_control(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}')
}

/// Returns true for a text that fits in a line of a header as it is.
fn is_plain(text: &str) -> bool {
    text.len() <= PLAIN_CHARS
        && text.trim() == text
        && !text.contains("=?")
        && text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// Encodes the value of a header as words of RFC 2047, one per line: the first stands behind the name of the header.
fn encoded_words(header: &str, text: &str) -> String {
    let mut words = Vec::new();
    let mut rest = text;
    let mut before = header.len() + ": ".len();
    while !rest.is_empty() {
        let max_bytes = (ENCODED_LINE - before - "=?utf-8?b??=".len()) / 4 * 3;
        let (word, after) = rest.split_at(rest.floor_char_boundary(max_bytes));
        words.push(format!("=?utf-8?b?{}?=", STANDARD.encode(word)));
        rest = after;
        before = " ".len();
    }
    words.join("\r\n ")
}

fn message_id(outgoing: &Outgoing) -> String {
    let is_allowed =
        |letter: &char| letter.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.@".contains(*letter);
    let letters = outgoing.message_id.chars().filter(is_allowed);
    letters.take(MAX_URL_BYTES).collect()
}

/// Returns the language and region of a tag.
fn language(tag: &str) -> String {
    let is_allowed = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
    let (tag, _) = tag.split_once("-u-").unwrap_or((tag, ""));
    tag.chars().filter(is_allowed).take(35).collect()
}

fn is_header_url(url: &str) -> bool {
    url.len() <= MAX_URL_BYTES
        && url
            .bytes()
            .all(|byte| (0x21..0x7f).contains(&byte) && !b"<>,\"".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_become_crlf() {
        for (text, expected) in [
            ("", ""),
            ("a", "a"),
            ("a\nb", "a\r\nb"),
            ("a\r\nb\r\n", "a\r\nb\r\n"),
            ("a\rb\r\rc\n\nd\0", "a\r\nb\r\n\r\nc\r\n\r\nd"),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }

    #[test]
    fn encoded_words_have_whole_characters_and_lines_of_76_at_most() {
        for text in ["ä".repeat(500), "👩‍👩‍👧".repeat(90), "a".repeat(10_000)] {
            let encoded = encoded_words("Subject", &text);
            let header = format!("Subject: {encoded}");
            assert!(
                header.split("\r\n").all(|line| line.len() <= 76),
                "{header}"
            );
            let mut decoded = String::new();
            for word in encoded.split("\r\n ") {
                let word = word
                    .strip_prefix("=?utf-8?b?")
                    .and_then(|word| word.strip_suffix("?="));
                let bytes = STANDARD.decode(word.unwrap()).unwrap();
                decoded.push_str(&String::from_utf8(bytes).unwrap());
            }
            assert_eq!(decoded, text);
        }
    }

    #[test]
    fn date_outside_of_the_calendar_is_bounded() {
        for instant in [i64::MIN, -1, 0, i64::MAX] {
            let _ = date(Instant(instant));
        }
    }
}
