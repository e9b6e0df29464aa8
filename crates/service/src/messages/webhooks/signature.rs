//! Signatures of messages: HMAC-SHA256, keyed with the webhook's secret. The own ones are in lower-case hex; the one of
//! [Standard Webhooks](https://www.standardwebhooks.com) is in base64.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
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

/// Standard Webhooks: header of the message's id, the same in each attempt.
pub const STANDARD_ID: &str = "webhook-id";

/// Standard Webhooks: header of the attempt's time, in epoch seconds.
pub const STANDARD_TIMESTAMP: &str = "webhook-timestamp";

/// Standard Webhooks: header of the signature over `id.timestamp.body`.
pub const STANDARD_SIGNATURE: &str = "webhook-signature";

/// Start of a secret whose rest is the key in base64.
const BASE64_SECRET: &str = "whsec_";

/// Value of both own signatures without a secret.
const NO_SECRET: &str = "no-secret-provided";

/// Signatures of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// Over the body.
    pub body: String,
    /// Over the time of the attempt and the body.
    pub timestamped: String,
    /// Of Standard Webhooks; none without a secret.
    pub standard: Option<String>,
}

/// Signs `body` of the message `id`, which has no full stop, for an attempt at `timestamp`, in epoch seconds.
pub fn sign(secret: Option<&str>, id: &str, timestamp: i64, body: &str) -> Result<Signatures> {
    let Some(secret) = secret else {
        return Ok(Signatures {
            body: NO_SECRET.to_owned(),
            timestamped: NO_SECRET.to_owned(),
            standard: None,
        });
    };
    let (key, timestamp) = (secret.as_bytes(), timestamp.to_string());
    let standard = hmac(&standard_key(secret), &[id, ".", &timestamp, ".", body])?;
    Ok(Signatures {
        body: hex(&hmac(key, &[body])?),
        timestamped: hex(&hmac(key, &[&timestamp, ".", body])?),
        standard: Some(format!("v1,{}", BASE64_STANDARD.encode(standard))),
    })
}

fn standard_key(secret: &str) -> Vec<u8> {
    secret
        .strip_prefix(BASE64_SECRET)
        .and_then(|encoded| BASE64_STANDARD.decode(encoded).ok())
        .filter(|key| !key.is_empty())
        .unwrap_or_else(|| secret.as_bytes().to_vec())
}

fn hmac(key: &[u8], texts: &[&str]) -> Result<[u8; 32]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(Error::internal)?;
    for text in texts {
        mac.update(text.as_bytes());
    }
    Ok(mac.finalize().into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_matches_rfc_4231() {
        let signed = sign(Some("Jefe"), "msg_1", 0, "what do ya want for nothing?").unwrap();
        assert_eq!(
            signed.body,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn timestamped_signature_covers_time_and_body() {
        let signed = |timestamp, body| sign(Some("Jefe"), "msg_1", timestamp, body).unwrap();
        let first = signed(1_803_888_000, "{}");
        assert_eq!(
            first.timestamped,
            sign(Some("Jefe"), "msg_1", 0, "1803888000.{}")
                .unwrap()
                .body
        );
        assert_eq!(first.body, signed(1_803_888_001, "{}").body);
        assert_ne!(first.timestamped, signed(1_803_888_001, "{}").timestamped);
        assert_ne!(first.timestamped, signed(1_803_888_000, "[]").timestamped);
    }

    #[test]
    fn standard_signature_matches_the_vector_of_its_libraries() {
        let signed = sign(
            Some("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(
            signed.unwrap().standard.unwrap(),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn standard_key_without_prefix_or_base64_is_the_secret() {
        let signed = |secret| {
            let signed = sign(Some(secret), "msg_1", 0, "{}").unwrap();
            signed.standard.unwrap()
        };
        assert_eq!(signed("geheim"), signed("whsec_Z2VoZWlt"));
        assert_ne!(signed("whsec_?"), signed("?"));
        assert_ne!(signed("whsec_"), signed(""));
    }

    #[test]
    fn message_without_a_secret_has_a_placeholder_signature() {
        let signed = sign(None, "msg_1", 0, "{}").unwrap();
        assert_eq!(signed.body, "no-secret-provided");
        assert_eq!(signed.timestamped, "no-secret-provided");
    }
}
