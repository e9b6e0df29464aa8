//! Signatures of messages: HMAC-SHA256, keyed with the webhook's secret, in lower-case hex.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::auth::secret::hex;
use crate::error::{Error, Result};

/// Header of the signature over the body.
pub const SIGNATURE: &str = "x-svc-signature-256";

/// Header of the attempt's time, in epoch seconds.
pub const TIMESTAMP: &str = "x-svc-timestamp";

/// Header of the signature over `timestamp.body`, which lets receivers reject replays.
pub const TIMESTAMPED_SIGNATURE: &str = "x-svc-timestamped-signature-256";

/// Header of the payload's version.
pub const VERSION: &str = "x-svc-webhook-version";

/// Cal.com's name of [`SIGNATURE`], sent with the same value.
pub const CAL_SIGNATURE: &str = "x-cal-signature-256";

/// Cal.com's name of [`VERSION`], sent with the same value.
pub const CAL_VERSION: &str = "x-cal-webhook-version";

/// Value of both signatures without a secret.
const NO_SECRET: &str = "no-secret-provided";

/// Signatures of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// Over the body.
    pub body: String,
    /// Over the time of the attempt and the body.
    pub timestamped: String,
}

/// Signs `body` for an attempt at `timestamp`, in epoch seconds.
pub fn sign(secret: Option<&str>, timestamp: i64, body: &str) -> Result<Signatures> {
    let Some(secret) = secret else {
        return Ok(Signatures {
            body: NO_SECRET.to_owned(),
            timestamped: NO_SECRET.to_owned(),
        });
    };
    Ok(Signatures {
        body: hmac(secret, &[body])?,
        timestamped: hmac(secret, &[&timestamp.to_string(), ".", body])?,
    })
}

fn hmac(secret: &str, texts: &[&str]) -> Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(Error::internal)?;
    for text in texts {
        mac.update(text.as_bytes());
    }
    Ok(hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_matches_rfc_4231() {
        let signed = sign(Some("Jefe"), 0, "what do ya want for nothing?").unwrap();
        assert_eq!(
            signed.body,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn timestamped_signature_covers_time_and_body() {
        let signed = |timestamp, body| sign(Some("Jefe"), timestamp, body).unwrap();
        let first = signed(1_803_888_000, "{}");
        assert_eq!(
            first.timestamped,
            sign(Some("Jefe"), 0, "1803888000.{}").unwrap().body
        );
        assert_eq!(first.body, signed(1_803_888_001, "{}").body);
        assert_ne!(first.timestamped, signed(1_803_888_001, "{}").timestamped);
        assert_ne!(first.timestamped, signed(1_803_888_000, "[]").timestamped);
    }

    #[test]
    fn message_without_a_secret_has_a_placeholder_signature() {
        let signed = sign(None, 0, "{}").unwrap();
        assert_eq!(signed.body, "no-secret-provided");
        assert_eq!(signed.timestamped, "no-secret-provided");
    }
}
