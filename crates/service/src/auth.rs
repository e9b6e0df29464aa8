//! Authentication and authorization.
//!
//! [`crate::http::extract`] reads the credentials of requests.

pub mod access;
pub mod key_file;
pub mod key_uses;
pub mod private_file;
pub mod scope;
pub mod seal;
pub mod secret;
pub mod token;

use access::{Resource, Rule};
use axum::http::HeaderMap;
use booking_wire::Instant;
use chrono::NaiveDate;

use crate::api;
use crate::error::redaction::KEY_PREFIX;
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::store::Db;
use crate::store::people::credentials::{self, OauthClient};

/// An authenticated caller of one operation.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The user that the caller acts as.
    pub user_id: i64,
    /// The OAuth client whose secret was sent; `None` for API keys and access tokens.
    pub client_id: Option<String>,
    /// Requirements of the operation.
    rule: &'static Rule,
}

impl Caller {
    /// Returns a caller of the operation of `rule`. [`crate::http::extract`] checks the credentials
    /// before.
    pub(crate) fn new(user_id: i64, client_id: Option<String>, rule: &'static Rule) -> Self {
        Self {
            user_id,
            client_id,
            rule,
        }
    }

    /// The method of the operation.
    pub fn method(&self) -> &'static str {
        self.rule.method
    }

    /// Returns true if admins of an organisation may access resources that its members own: only in
    /// version 1.
    pub fn can_access_members(&self) -> bool {
        api::is_v1(self.rule.path)
    }

    /// Returns a caller of the same operation that acts as another user, for administrators.
    pub fn acting_for(&self, user_id: i64) -> Self {
        Self {
            user_id,
            client_id: None,
            rule: self.rule,
        }
    }

    /// Checks that the caller may run this operation on `resource`.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] if not.
    pub async fn authorise(&self, db: &mut Db, resource: &Resource) -> Result<()> {
        access::authorise(db, self.rule, self.user_id, resource).await
    }

    /// Returns true if the caller has a permission in addition to the operation's requirement.
    pub async fn has_permission(
        &self,
        db: &mut Db,
        permission: &str,
        resource: &Resource,
    ) -> Result<bool> {
        access::has_permission(db, self.user_id, permission, resource).await
    }
}

/// The part of an API key after its prefix, which is this service's or that of imported keys;
/// `None` if `text` has neither.
pub fn api_key<'a>(settings: &Settings, text: &'a str) -> Option<&'a str> {
    let foreign = settings.foreign_key_prefix.as_str();
    text.strip_prefix(KEY_PREFIX)
        .or_else(|| text.strip_prefix(foreign).filter(|_| !foreign.is_empty()))
}

/// Checks an OAuth client's secret.
pub async fn authenticate_client(db: &mut Db, id: &str, secret: &str) -> Result<OauthClient> {
    let client = credentials::client(db, id).await?;
    let presented = secret::hash(secret);
    // Also compare for an unknown client, so that the response takes the same time.
    let expected = client
        .as_ref()
        .map_or("", |client| client.secret_hash.as_str());
    match client {
        Some(ref client) if secret::constant_time_eq(expected, &presented) => Ok(client.clone()),
        _ => {
            secret::constant_time_eq(&presented, &presented);
            Err(Error::Unauthorized(
                "unknown client id or wrong client secret",
            ))
        }
    }
}

/// The value of a platform header with either of its prefixes.
pub fn platform_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    ["x-svc-", "x-cal-"]
        .into_iter()
        .find_map(|prefix| headers.get(format!("{prefix}{name}")))
        .and_then(|value| value.to_str().ok())
        .filter(|value| !value.is_empty())
}

/// Returns true if the last valid day of an API key has passed.
pub fn is_expired(last_day: Option<&str>, now: Instant) -> bool {
    let today = now.utc().unwrap_or_default().date_naive();
    last_day
        .and_then(|day| day.parse().ok())
        .is_some_and(|last: NaiveDate| last < today)
}
