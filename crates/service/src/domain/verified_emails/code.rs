//! A code that a client presents, and the check of it.

use booking_wire::Instant;
use serde_json::Value;

use super::input::{is_code, normalised};
use crate::app::AppState;
use crate::auth::secret;
use crate::auth::token::SigningKey;
use crate::error::{Error, Result};
use crate::store::people::email_codes;
use crate::store::people::email_codes::StoredCode;
use crate::store::{Db, Locks, Resource};
use crate::validate::Checks;

/// Wrong codes after which the code of an address is void.
const MAX_ATTEMPTS: i64 = 5;

/// A code that a client presents for an address.
#[derive(Clone, Debug)]
pub struct VerificationCode {
    /// In lower case.
    email: String,
    hash: Vec<u8>,
}

/// Reason why a code does not verify an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeError {
    /// It is another one.
    Wrong,
    /// No code of the address is valid: none was sent, or it has expired, was used, or too many wrong ones were
    /// entered.
    NoneValid,
}

impl CodeError {
    /// Returns the error for `property` of a request. It does not repeat the code.
    pub fn of(self, property: &str) -> Error {
        let (rule, message) = match self {
            Self::Wrong => ("isCorrect", "is wrong"),
            Self::NoneValid => (
                "isCurrent",
                "is not valid any more: it has expired, was used, or wrong codes were entered too often; request another one",
            ),
        };
        Checks::error(property, &Value::Null, rule, message)
    }
}

impl VerificationCode {
    /// Returns a code for an address in lower case. Only its hash is kept.
    pub fn new(key: &SigningKey, email: &str, code: &str) -> Self {
        // The key makes the hash of a short code useless to readers of the database.
        let hash = key.mac(&format!("email code {code} {email}"));
        Self {
            email: email.to_owned(),
            hash,
        }
    }

    /// Returns a code that a client has entered; `None` for a text that cannot be one, or an address that gets none.
    pub fn read(key: &SigningKey, email: &str, code: &str) -> Option<Self> {
        let email = normalised(email).filter(|_| is_code(code))?;
        Some(Self::new(key, &email, code))
    }

    /// Address that it is for.
    pub fn email(&self) -> &str {
        &self.email
    }

    /// Keyed hash of the code and its address.
    pub fn hash(&self) -> &[u8] {
        &self.hash
    }

    /// Checks the code without using it up; counts a wrong one.
    pub async fn check(&self, app: &AppState) -> Result<Result<(), CodeError>> {
        let (verification, now) = (self.clone(), app.clock.now());
        // A wrong code is counted before the next one is compared, so concurrent requests get no further attempts.
        app.store
            .write(
                Locks::none().and(Resource::EmailAddress(&self.email)),
                move |db| {
                    Box::pin(async move { Ok(verification.find(db, now).await?.map(|_| ())) })
                },
            )
            .await
    }

    /// Checks the code and uses it up; counts a wrong one.
    pub async fn use_up(&self, db: &mut Db, now: Instant) -> Result<Result<(), CodeError>> {
        match self.find(db, now).await? {
            Ok(code) => {
                email_codes::expire(db, code.id, now).await?;
                Ok(Ok(()))
            }
            Err(error) => Ok(Err(error)),
        }
    }

    /// Returns the stored code if it is this one.
    async fn find(&self, db: &mut Db, now: Instant) -> Result<Result<StoredCode, CodeError>> {
        let latest = email_codes::latest(db, &self.email).await?;
        let is_valid = |code: &StoredCode| code.expires_ms > now.0 && code.attempts < MAX_ATTEMPTS;
        let Some(code) = latest.filter(is_valid) else {
            return Ok(Err(CodeError::NoneValid));
        };
        if secret::constant_time_eq(&code.code_hash, &self.hash) {
            return Ok(Ok(code));
        }
        email_codes::count_attempt(db, code.id).await?;
        Ok(Err(if code.attempts + 1 < MAX_ATTEMPTS {
            CodeError::Wrong
        } else {
            CodeError::NoneValid
        }))
    }
}
