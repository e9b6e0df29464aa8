//! Access and refresh tokens: JSON Web Tokens signed with HMAC-SHA256 (contract 2.2).

use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use booking_wire::{Instant, TokenSet};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::secret;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::credentials::{self, KnownToken, TokenKind};

/// Name of the key's file inside the data directory.
pub const KEY_FILE: &str = "signing.key";
const REFRESH_DAYS: i64 = 365;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// How long an expired token is remembered.
const KEPT_MS: i64 = 2 * DAY_MS;

/// What a token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Access or refresh.
    pub kind: TokenKind,
    /// Epoch milliseconds.
    pub expires_at: i64,
}

/// Signs and checks tokens. It is kept beside the database, not in it, so that a copy of the
/// database alone signs nothing.
#[derive(Clone)]
pub struct SigningKey([u8; 32]);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(..)")
    }
}

impl SigningKey {
    /// Reads the key of a data directory; makes one if there is none.
    pub fn open(directory: &Path) -> Result<Self> {
        key_file(&directory.join(KEY_FILE)).map(Self)
    }

    /// Checks the signature and reads what the token says; none if it is not ours.
    pub fn read(&self, token: &str) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let mut mac = self.mac()?;
        mac.update(signed.as_bytes());
        // Compares in constant time.
        mac.verify_slice(&URL_SAFE_NO_PAD.decode(signature).ok()?)
            .ok()?;
        let (header, payload) = signed.split_once('.')?;
        let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).ok()?).ok()?;
        if header.get("alg").and_then(Value::as_str) != Some("HS256") {
            return None;
        }
        let payload: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
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

    /// A name for `text` that only this service can tell from others, in lower-case hex.
    pub fn digest(&self, text: &str) -> String {
        let Some(mut mac) = self.mac() else {
            return String::new();
        };
        mac.update(b"digest ");
        mac.update(text.as_bytes());
        secret::hex(&mac.finalize().into_bytes())
    }

    fn write(&self, payload: &Value) -> Result<String> {
        let header = URL_SAFE_NO_PAD.encode(json!({"alg": "HS256", "typ": "JWT"}).to_string());
        let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(payload.to_string()));
        let mut mac = self
            .mac()
            .ok_or_else(|| Error::internal("the signing key is unusable"))?;
        mac.update(signed.as_bytes());
        Ok(format!(
            "{signed}.{}",
            URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
        ))
    }

    fn mac(&self) -> Option<Hmac<Sha256>> {
        Hmac::new_from_slice(&self.0).ok()
    }
}

/// For whom and when tokens are made.
#[derive(Clone, Copy, Debug)]
pub struct Grant<'a> {
    /// The OAuth client.
    pub client_id: &'a str,
    /// The managed user.
    pub user_id: i64,
    /// The present moment.
    pub now: Instant,
    /// How long the access token is good, in minutes.
    pub access_minutes: i64,
    /// Whether this follows a refresh: such tokens also name the user as `userId`.
    pub refreshed: bool,
}

/// Makes and remembers one token, which cannot be refreshed.
pub async fn issue(
    db: &mut Db,
    key: &SigningKey,
    grant: Grant<'_>,
    kind: TokenKind,
) -> Result<(String, i64)> {
    issue_in(db, key, grant, kind, None).await
}

async fn issue_in(
    db: &mut Db,
    key: &SigningKey,
    grant: Grant<'_>,
    kind: TokenKind,
    family: Option<&str>,
) -> Result<(String, i64)> {
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
        "jti": secret::random_uuid()?,
    });
    if let (true, Some(fields)) = (grant.refreshed, payload.as_object_mut()) {
        fields.insert("userId".into(), grant.user_id.into());
    }
    let token = key.write(&payload)?;
    let known = KnownToken {
        oauth_client_id: grant.client_id.to_owned(),
        user_id: grant.user_id,
        expires_ms,
        family: family.map(str::to_owned),
        used_ms: None,
    };
    credentials::insert_token(db, kind, &secret::hash(&token), &known).await?;
    credentials::forget_expired_tokens(db, now - KEPT_MS).await?;
    Ok((token, expires_ms))
}

/// Makes and remembers a pair of tokens: the first ones of a family.
pub async fn issue_pair(db: &mut Db, key: &SigningKey, grant: Grant<'_>) -> Result<TokenSet> {
    let family = secret::random_uuid()?;
    renew_pair(db, key, grant, &family).await
}

/// Makes and remembers the next pair of tokens of a family.
pub async fn renew_pair(
    db: &mut Db,
    key: &SigningKey,
    grant: Grant<'_>,
    family: &str,
) -> Result<TokenSet> {
    let (access_token, access_token_expires_at) =
        issue_in(db, key, grant, TokenKind::Access, Some(family)).await?;
    let (refresh_token, refresh_token_expires_at) =
        issue_in(db, key, grant, TokenKind::Refresh, Some(family)).await?;
    Ok(TokenSet {
        access_token,
        refresh_token,
        access_token_expires_at,
        refresh_token_expires_at,
    })
}

/// Reads a key that is kept in a file of its own; makes one if there is none.
pub fn key_file(path: &Path) -> Result<[u8; 32]> {
    match fs::read(path) {
        Ok(bytes) => bytes
            .try_into()
            .map_err(|_| Error::internal(format!("the key in {} is damaged", path.display()))),
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            let key = secret::random_bytes::<32>()?;
            write_private(path, &key).map_err(Error::internal)?;
            Ok(key)
        }
        // A key that cannot be read now must not be replaced: what it signed depends on it.
        Err(cause) => Err(Error::internal(cause)),
    }
}

/// Writes a file that only its owner can read: beside its place, then moved there, so that
/// nobody ever finds half of it.
pub fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = Path::new(&beside);
    // Left by a start that was killed half-way, perhaps with other rights.
    let _ = fs::remove_file(beside);
    let mut file = private_file(beside, true)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(beside, path)
}

/// Opens a file, made if it does not exist, that only its owner can read.
pub fn private_file(path: &Path, truncate: bool) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(truncate);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

fn floor(value: i64, step: i64) -> i64 {
    value - value.rem_euclid(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims() -> Value {
        json!({"type": "access_token", "expiresAt": 1_800_000_000_000_i64})
    }

    #[test]
    fn a_token_is_read_with_the_key_that_signed_it_only() {
        let token = SigningKey([7; 32]).write(&claims()).unwrap();
        assert_eq!(
            SigningKey([7; 32]).read(&token),
            Some(Claims {
                kind: TokenKind::Access,
                expires_at: 1_800_000_000_000
            })
        );
        assert_eq!(SigningKey([8; 32]).read(&token), None);
    }

    #[test]
    fn a_directory_keeps_its_key_and_a_key_written_by_half_does_no_harm() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("signing.key.new"), "half").unwrap();
        let SigningKey(first) = SigningKey::open(directory.path()).unwrap();
        let SigningKey(again) = SigningKey::open(directory.path()).unwrap();
        assert_eq!(first, again);
        assert!(!directory.path().join("signing.key.new").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let key = fs::metadata(directory.path().join(KEY_FILE)).unwrap();
            assert_eq!(key.permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_key_that_cannot_be_read_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join(KEY_FILE)).unwrap();
        assert!(SigningKey::open(directory.path()).is_err());
        assert!(directory.path().join(KEY_FILE).is_dir());
    }

    #[test]
    fn an_unsigned_token_is_not_read() {
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
        let payload = URL_SAFE_NO_PAD.encode(claims().to_string());
        assert_eq!(
            SigningKey([7; 32]).read(&format!("{header}.{payload}.")),
            None
        );
        assert_eq!(SigningKey([7; 32]).read("not a token"), None);
    }
}
