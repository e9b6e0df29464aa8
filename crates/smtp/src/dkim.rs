//! Signatures of messages (DKIM, RFC 6376 and RFC 8463).
//!
//! Written here because rustls and ring, which are in the program anyway, parse the key and sign; what remains is to
//! canonicalise and hash. The feature `dkim` of lettre would add `rsa`, whose operations do not take constant time, and
//! `ed25519-dalek`; it reads no PKCS #8, and its canonicalisation recurses once per character. `mail-auth` also verifies
//! messages, for which it adds a DNS resolver and parsers of reports.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::SigningKey;
use rustls::{SignatureAlgorithm, SignatureScheme};
use sha2::{Digest, Sha256};

use super::settings_error::SettingsError;

/// Signed headers, as far as a message has them. Those that a recipient sees are named once more than they occur, so that
/// none can be added.
const SIGNED: [&str; 17] = [
    "from",
    "from",
    "reply-to",
    "reply-to",
    "to",
    "to",
    "subject",
    "subject",
    "date",
    "date",
    "message-id",
    "auto-submitted",
    "list-unsubscribe",
    "list-unsubscribe-post",
    "mime-version",
    "content-type",
    "content-type",
];

/// Length of a line of the signature.
const LINE_CHARS: usize = 72;

/// Key and name with which messages are signed.
#[derive(Clone)]
pub struct Dkim {
    domain: String,
    selector: String,
    key: Arc<dyn SigningKey>,
    algorithm: Algorithm,
}

#[derive(Clone, Copy, Debug)]
enum Algorithm {
    Rsa,
    Ed25519,
}

impl fmt::Debug for Dkim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dkim")
            .field("domain", &self.domain)
            .field("selector", &self.selector)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

impl Dkim {
    /// Returns a signer for `domain`, whose DNS has the public key at `SELECTOR._domainkey.DOMAIN`. `pem` is an RSA key
    /// of at least 2048 bits or an Ed25519 key.
    pub fn new(domain: &str, selector: &str, pem: &[u8]) -> Result<Self, SettingsError> {
        let domain = idna::domain_to_ascii(domain)
            .ok()
            .filter(|domain| is_name(domain))
            .ok_or_else(|| {
                SettingsError::new("--dkim-domain must be a domain like `example.org`.")
            })?;
        if !is_name(selector) {
            return Err(SettingsError::new(
                "--dkim-selector must be a name like `booking1`: letters, digits, hyphens and dots.",
            ));
        }
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| {
            SettingsError::new(
                "--dkim-key-file must have a private key in PEM: `-----BEGIN PRIVATE KEY-----`.",
            )
        })?;
        let unusable = || {
            SettingsError::new(
                "The key in --dkim-key-file must be RSA with 2048 bits or more, or Ed25519.",
            )
        };
        let key = any_supported_type(&key).map_err(|_| unusable())?;
        let algorithm = match key.algorithm() {
            SignatureAlgorithm::RSA => Algorithm::Rsa,
            SignatureAlgorithm::ED25519 => Algorithm::Ed25519,
            _ => return Err(unusable()),
        };
        Ok(Self {
            domain,
            selector: selector.to_owned(),
            key,
            algorithm,
        })
    }

    /// Returns the domain.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// Returns the header that signs `message`, with CRLF at its end. None if the library cannot sign.
    pub fn signature(&self, message: &[u8]) -> Option<String> {
        let (head, body) = split(message);
        let headers = headers(head);
        let mut signed = String::new();
        let mut names = String::new();
        let mut used = Vec::new();
        for name in SIGNED {
            let index = headers
                .iter()
                .enumerate()
                .rposition(|(index, (found, _))| found == name && !used.contains(&index));
            // A name without header guards against one that is added, if there is one.
            if index.is_none() && !headers.iter().any(|(found, _)| found == name) {
                continue;
            }
            if !names.is_empty() {
                names.push(':');
            }
            names.push_str(name);
            if let Some((name, value)) = index.and_then(|index| headers.get(index)) {
                signed.push_str(&format!("{name}:{value}\r\n"));
            }
            used.extend(index);
        }
        let hash = STANDARD.encode(Sha256::digest(relaxed_body(body)));
        let algorithm = match self.algorithm {
            Algorithm::Rsa => "rsa-sha256",
            Algorithm::Ed25519 => "ed25519-sha256",
        };
        let fields = format!(
            "v=1; a={algorithm}; c=relaxed/relaxed; d={};\r\n s={};\r\n h={};\r\n bh={hash};\r\n b=",
            self.domain,
            self.selector,
            folded(&names),
        );
        signed.push_str(&format!("dkim-signature:{}", relaxed_value(&fields)));
        let (scheme, input) = match self.algorithm {
            Algorithm::Rsa => (SignatureScheme::RSA_PKCS1_SHA256, signed.into_bytes()),
            // RFC 8463 signs the hash.
            Algorithm::Ed25519 => (SignatureScheme::ED25519, Sha256::digest(signed).to_vec()),
        };
        let signature = self.key.choose_scheme(&[scheme])?.sign(&input).ok()?;
        let signature = STANDARD.encode(signature);
        let mut lines = String::new();
        for (index, letter) in signature.chars().enumerate() {
            if index > 0 && index % LINE_CHARS == 0 {
                lines.push_str("\r\n ");
            }
            lines.push(letter);
        }
        Some(format!("DKIM-Signature: {fields}{lines}\r\n"))
    }
}

/// Breaks a list of names into lines.
fn folded(names: &str) -> String {
    let mut text = String::new();
    let mut length = 0;
    for name in names.split_inclusive(':') {
        if length + name.len() > LINE_CHARS {
            text.push_str("\r\n ");
            length = 0;
        }
        text.push_str(name);
        length += name.len();
    }
    text
}

fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// Headers and body.
fn split(message: &[u8]) -> (&[u8], &[u8]) {
    let end = message.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.and_then(|end| Some((message.get(..end + 2)?, message.get(end + 4..)?)))
        .unwrap_or((message, b""))
}

/// Names and values of headers in the relaxed form (RFC 6376, 3.4.2).
fn headers(head: &[u8]) -> Vec<(String, String)> {
    let head = String::from_utf8_lossy(head);
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in head.split("\r\n").filter(|line| !line.is_empty()) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = headers.last_mut() {
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim_end().to_ascii_lowercase(), value.to_owned()));
        }
    }
    for (_, value) in &mut headers {
        *value = relaxed_value(value);
    }
    headers
}

fn relaxed_value(value: &str) -> String {
    let words = value.split([' ', '\t', '\r', '\n']);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Body in the relaxed form (RFC 6376, 3.4.4).
fn relaxed_body(body: &[u8]) -> Vec<u8> {
    let mut relaxed = Vec::with_capacity(body.len());
    let mut pending_space = false;
    let mut empty_lines = 0;
    for line in body.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = relaxed.len();
        for &byte in line {
            if byte == b' ' || byte == b'\t' {
                pending_space = true;
                continue;
            }
            if relaxed.len() == start {
                for _ in 0..empty_lines {
                    relaxed.extend_from_slice(b"\r\n");
                }
                empty_lines = 0;
            }
            if pending_space {
                relaxed.push(b' ');
                pending_space = false;
            }
            relaxed.push(byte);
        }
        pending_space = false;
        // Empty lines count only before others.
        empty_lines += 1;
    }
    if !relaxed.is_empty() {
        relaxed.extend_from_slice(b"\r\n");
    }
    relaxed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_is_canonicalised_as_in_the_rfc() {
        for (body, relaxed) in [
            (" C \r\nD \t E\r\n\r\n\r\n", " C\r\nD E\r\n"),
            ("", ""),
            ("\r\n\r\n", ""),
            ("a", "a\r\n"),
            ("\r\n\r\na\r\n", "\r\n\r\na\r\n"),
            ("a\r\n \r\nb", "a\r\n\r\nb\r\n"),
            ("a\r\n\tF\r\n\t\r\n", "a\r\n F\r\n"),
        ] {
            let canonical = String::from_utf8(relaxed_body(body.as_bytes())).unwrap();
            assert_eq!(canonical, relaxed, "{body:?}");
        }
    }

    #[test]
    fn headers_are_canonicalised_as_in_the_rfc() {
        let headers = headers(b"A: X\r\nB : Y\t\r\n\tZ  \r\n");
        let expected = [("a", "X"), ("b", "Y Z")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(headers, expected);
    }

    #[test]
    fn unusable_settings_are_rejected_in_one_sentence() {
        // An Ed25519 key for tests only.
        let key = "-----BEGIN PRIVATE KEY-----\n\
                   MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
                   -----END PRIVATE KEY-----\n";
        assert!(Dkim::new("example.org", "booking1", key.as_bytes()).is_ok());
        assert!(Dkim::new("bücher.example", "a.b", key.as_bytes()).is_ok());
        for (domain, selector, key) in [
            ("", "booking1", key),
            ("exa mple.org", "booking1", key),
            ("example.org; d=other.example", "booking1", key),
            ("example.org", "", key),
            ("example.org", "a\r\nb", key),
            ("example.org", "booking1", ""),
            ("example.org", "booking1", "nonsense"),
            (
                "example.org",
                "booking1",
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            ),
        ] {
            let error = Dkim::new(domain, selector, key.as_bytes()).unwrap_err();
            assert!(error.to_string().contains("--dkim-"), "{error}");
        }
    }
}
