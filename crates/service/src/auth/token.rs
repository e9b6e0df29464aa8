//! Access and refresh tokens: JSON Web Tokens signed with HMAC-SHA256.

use std::fmt;
use std::path::Path;

use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};
use booking_wire::{Instant, TokenSet};
use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode,
};
use serde_json::{Value, json};
use sha2::Sha256;

use super::key_file::{KeyFileError, Keys};
use super::secret;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::people::credentials::{self, OauthToken, TokenKind};

/// Name of the key's file inside the data directory.
pub const KEY_FILE: &str = "signing.key";

/// Days until a refresh token expires.
const REFRESH_DAYS: i64 = 365;

/// Retention of an expired token, in milliseconds.
const EXPIRED_RETENTION_MS: i64 = 2 * DAY_MS;

/// Claims of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Access or refresh.
    pub kind: TokenKind,
    /// Epoch milliseconds.
    pub expires_at: i64,
}

/// Signs tokens, and verifies those of each key of the file. It is outside of the database, so that a copy of the database
/// alone cannot sign tokens.
///
/// Hashes that are compared later ([`Self::mac`]) depend on the oldest key of the file, so that they stay the same when
/// another key is used.
#[derive(Clone)]
pub struct SigningKey(Keys);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

impl SigningKey {
    /// Reads the key of a data directory; creates one if there is none.
    pub fn open(directory: &Path) -> std::result::Result<Self, KeyFileError> {
        Keys::open(&directory.join(KEY_FILE)).map(Self)
    }

    /// Returns the keys of the file.
    pub fn keys(&self) -> &Keys {
        &self.0
    }

    /// Returns the keys of the file, to choose that in use.
    pub fn keys_mut(&mut self) -> &mut Keys {
        &mut self.0
    }

    /// Returns it with each key of the file in use, that in use now first.
    pub fn each(&self) -> impl Iterator<Item = Self> {
        self.0.each().map(Self)
    }

    /// Checks the signature of `token` and returns its claims; `None` if this service did not sign
    /// it.
    pub fn read(&self, token: &str) -> Option<Claims> {
        let key = match decode_header(token).ok()?.kid {
            Some(id) => self.0.by_age().find(|key| key.id() == id)?,
            // Made by a version without ids, which had one key.
            None => self.0.oldest(),
        };
        let key = DecodingKey::from_secret(&key.bytes);
        let mut validation = Validation::new(Algorithm::HS256);
        // Tokens expire by `expiresAt`, in milliseconds, and have no `exp`.
        validation.validate_exp = false;
        validation.required_spec_claims.clear();
        let payload = decode::<Value>(token, &key, &validation).ok()?.claims;
        let kind = match payload.get("type")?.as_str()? {
            "access_token" => TokenKind::Access,
            "refresh_token" => TokenKind::Refresh,
            _ => return None,
        };
        Some(Claims {
            kind,
            expires_at: payload.get("expiresAt")?.as_i64()?,
        })
    }

    /// [`Self::mac`] in lower-case hex.
    pub fn digest(&self, text: &str) -> String {
        secret::hex(&self.mac(text))
    }

    /// Keyed hash of `text`: equal texts have equal hashes, which only this service can compute. Empty if the key is
    /// unusable.
    pub fn mac(&self, text: &str) -> Vec<u8> {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0.oldest().bytes) else {
            return Vec::new();
        };
        mac.update(b"digest ");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().to_vec()
    }

    /// Returns a key for another purpose. It reveals neither this key nor those of other purposes, and signs nothing
    /// that they accept.
    ///
    /// # Errors
    ///
    /// If the key is unusable.
    pub fn derive(&self, purpose: &str) -> Result<[u8; 32]> {
        let key = &self.0.current().bytes;
        let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(Error::internal)?;
        mac.update(b"derive ");
        mac.update(purpose.as_bytes());
        Ok(mac.finalize().into_bytes().into())
    }

    fn sign(&self, payload: &Value) -> Result<String> {
        let key = self.0.current();
        let header = Header {
            kid: Some(key.id().to_owned()),
            ..Header::new(Algorithm::HS256)
        };
        encode(&header, payload, &EncodingKey::from_secret(&key.bytes)).map_err(Error::internal)
    }
}

/// Parameters of new tokens.
#[derive(Clone, Copy, Debug)]
pub struct Grant<'a> {
    /// The OAuth client.
    pub client_id: &'a str,
    /// The managed user.
    pub user_id: i64,
    /// The current instant.
    pub now: Instant,
    /// Lifetime of the access token, in minutes.
    pub access_minutes: i64,
    /// True after a refresh: such tokens also contain the user as `userId`.
    pub refreshed: bool,
}

/// Creates and stores one token, which cannot be refreshed.
pub async fn issue(
    db: &mut Db,
    key: &SigningKey,
    grant: Grant<'_>,
    kind: TokenKind,
) -> Result<(String, i64)> {
    let made = make(key, grant, kind, secret::random_uuid()?)?;
    store(db, grant, kind, &made, None).await?;
    Ok(made)
}

/// Makes a token and returns it with the instant at which it expires: the same for the same arguments.
fn make(key: &SigningKey, grant: Grant<'_>, kind: TokenKind, id: String) -> Result<(String, i64)> {
    let now = grant.now.0;
    let expires_ms = match kind {
        TokenKind::Access => floor(now + grant.access_minutes * MINUTE_MS, MINUTE_MS),
        TokenKind::Refresh => floor(now + REFRESH_DAYS * DAY_MS, DAY_MS),
    };
    let mut payload = json!({
        "type": kind.as_str(),
        "clientId": grant.client_id,
        "ownerId": grant.user_id,
        "iat": now.div_euclid(1000),
        "expiresAt": expires_ms,
        "jti": id,
    });
    if let (true, Some(fields)) = (grant.refreshed, payload.as_object_mut()) {
        fields.insert("userId".into(), grant.user_id.into());
    }
    Ok((key.sign(&payload)?, expires_ms))
}

async fn store(
    db: &mut Db,
    grant: Grant<'_>,
    kind: TokenKind,
    (token, expires_ms): &(String, i64),
    family: Option<&str>,
) -> Result<()> {
    let known = OauthToken {
        oauth_client_id: grant.client_id.to_owned(),
        user_id: grant.user_id,
        expires_ms: *expires_ms,
        family: family.map(str::to_owned),
        used_ms: None,
    };
    credentials::insert_token(db, kind, &secret::hash(token), &known).await?;
    credentials::delete_expired_tokens(db, grant.now.0 - EXPIRED_RETENTION_MS).await
}

/// Creates and stores the first pair of tokens of a family.
pub async fn issue_pair(db: &mut Db, key: &SigningKey, grant: Grant<'_>) -> Result<TokenSet> {
    let family = secret::random_uuid()?;
    let pair = Pair {
        access: make(key, grant, TokenKind::Access, secret::random_uuid()?)?,
        refresh: make(key, grant, TokenKind::Refresh, secret::random_uuid()?)?,
    };
    pair.store(db, grant, &family).await?;
    Ok(pair.into())
}

/// An access and a refresh token, each with the instant at which it expires.
#[derive(Clone, Debug)]
pub struct Pair {
    access: (String, i64),
    refresh: (String, i64),
}

impl Pair {
    /// Makes the pair that follows a refresh token: the same for the same `grant` and key in use.
    ///
    /// # Errors
    ///
    /// If the key is unusable.
    pub fn after(refresh_token: &str, key: &SigningKey, grant: Grant<'_>) -> Result<Self> {
        let next = |kind: TokenKind| {
            let seed = key.derive(&format!("{} after {refresh_token}", kind.as_str()))?;
            let (id, _) = seed
                .split_first_chunk::<16>()
                .ok_or_else(|| Error::internal("a derived key is too short"))?;
            make(key, grant, kind, secret::uuid_from(*id))
        };
        Ok(Self {
            access: next(TokenKind::Access)?,
            refresh: next(TokenKind::Refresh)?,
        })
    }

    /// Stores both as the next tokens of a family.
    pub async fn store(&self, db: &mut Db, grant: Grant<'_>, family: &str) -> Result<()> {
        store(db, grant, TokenKind::Access, &self.access, Some(family)).await?;
        store(db, grant, TokenKind::Refresh, &self.refresh, Some(family)).await
    }

    /// The refresh token.
    pub fn refresh_token(&self) -> &str {
        &self.refresh.0
    }
}

impl From<Pair> for TokenSet {
    fn from(pair: Pair) -> Self {
        let (access_token, access_token_expires_at) = pair.access;
        let (refresh_token, refresh_token_expires_at) = pair.refresh;
        Self {
            access_token,
            refresh_token,
            access_token_expires_at,
            refresh_token_expires_at,
        }
    }
}

fn floor(value: i64, step: i64) -> i64 {
    value - value.rem_euclid(step)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use std::fs;

    use super::*;

    fn claims() -> Value {
        json!({"type": "access_token", "expiresAt": 1_800_000_000_000_i64})
    }

    fn signing_key(bytes: &[u8]) -> SigningKey {
        SigningKey(Keys::parse(bytes).unwrap())
    }

    /// Keys 7 and 8, of which the second one is in use.
    fn rotated() -> SigningKey {
        let mut both = signing_key(&signing_key(&[7; 32]).keys().with(&[8; 32]));
        let newest = both.keys().newest().to_owned();
        assert!(both.keys_mut().select(&newest));
        both
    }

    #[test]
    fn token_is_read_only_with_the_key_that_signed_it() {
        let token = signing_key(&[7; 32]).sign(&claims()).unwrap();
        assert_eq!(
            signing_key(&[7; 32]).read(&token),
            Some(Claims {
                kind: TokenKind::Access,
                expires_at: 1_800_000_000_000
            })
        );
        assert_eq!(signing_key(&[8; 32]).read(&token), None);
    }

    #[test]
    fn tokens_of_all_keys_are_read_and_one_key_signs() {
        let both = rotated();
        let former = signing_key(&[7; 32]);
        assert!(both.read(&former.sign(&claims()).unwrap()).is_some());
        let new = both.sign(&claims()).unwrap();
        assert!(both.read(&new).is_some() && former.read(&new).is_none());
        assert!(signing_key(&[8; 32]).read(&new).is_some());
        // The key that was in use before the rotation.
        let in_use: Vec<SigningKey> = both.each().collect();
        assert_eq!(in_use.len(), 2);
        assert!(former.read(&in_use[1].sign(&claims()).unwrap()).is_some());
    }

    #[test]
    fn token_without_key_id_is_read_with_the_oldest_key() {
        let sign = |key: u8| {
            let header = Header::new(Algorithm::HS256);
            encode(&header, &claims(), &EncodingKey::from_secret(&[key; 32])).unwrap()
        };
        assert!(rotated().read(&sign(7)).is_some());
        assert_eq!(rotated().read(&sign(8)), None);
    }

    #[test]
    fn hashes_stay_the_same_after_a_rotation() {
        assert_eq!(rotated().mac("a"), signing_key(&[7; 32]).mac("a"));
        let derive = |key: &SigningKey| key.derive("a").unwrap();
        assert_eq!(derive(&rotated()), derive(&signing_key(&[8; 32])));
    }

    #[test]
    fn derived_key_depends_on_key_and_purpose() {
        let derive = |key: u8, purpose: &str| signing_key(&[key; 32]).derive(purpose).unwrap();
        assert_eq!(derive(7, "a"), derive(7, "a"));
        assert_ne!(derive(7, "a"), derive(7, "b"));
        assert_ne!(derive(7, "a"), derive(8, "a"));
        assert_ne!(
            secret::hex(&derive(7, "a")),
            signing_key(&[7; 32]).digest("a")
        );
    }

    #[test]
    fn key_file_is_reused_and_leaves_no_other_file() {
        let directory = tempfile::tempdir().unwrap();
        let first = SigningKey::open(directory.path()).unwrap();
        let again = SigningKey::open(directory.path()).unwrap();
        assert_eq!(first.keys().fingerprint(), again.keys().fingerprint());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let key = fs::metadata(directory.path().join(KEY_FILE)).unwrap();
            assert_eq!(key.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn unreadable_key_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join(KEY_FILE)).unwrap();
        assert!(SigningKey::open(directory.path()).is_err());
        assert!(directory.path().join(KEY_FILE).is_dir());
    }

    #[test]
    fn unsigned_token_is_not_read() {
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
        let payload = URL_SAFE_NO_PAD.encode(claims().to_string());
        assert_eq!(
            signing_key(&[7; 32]).read(&format!("{header}.{payload}.")),
            None
        );
        assert_eq!(signing_key(&[7; 32]).read("not a token"), None);
    }
}
