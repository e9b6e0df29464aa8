//! Who is calling: the four ways to authenticate (contract 2.1), and what they may do.
//!
//! [`crate::extract`] reads them from requests.

pub mod access;
pub mod key_uses;
pub mod seal;
pub mod secret;
pub mod token;

use access::{Rule, Subject};

use axum::http::HeaderMap;
use booking_wire::Instant;
use chrono::NaiveDate;

use crate::api;
use crate::error::{Error, Result};
use crate::redaction::KEY_PREFIX;
use crate::settings::Settings;
use crate::store::Db;
use crate::store::credentials::{self, Client};

/// An authenticated caller of one operation.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The user it acts as.
    pub user_id: i64,
    /// The OAuth client whose secret was sent; none for API keys and access tokens.
    pub client_id: Option<String>,
    /// Requirements of the operation.
    rule: &'static Rule,
}

impl Caller {
    /// Returns a caller of the operation of `rule`, whose credentials [`crate::extract`] has checked.
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

    /// Whether those who run an organisation reach what its members do for themselves: in version 1
    /// they do (contract 5).
    pub fn reaches_members(&self) -> bool {
        api::is_v1(self.rule.path)
    }

    /// The same operation called by somebody else: by whoever runs the service, for that person.
    pub fn acting_for(&self, user_id: i64) -> Self {
        Self {
            user_id,
            client_id: None,
            rule: self.rule,
        }
    }

    /// Refuses a caller who may not do to `subject` what this operation does.
    pub async fn authorise(&self, db: &mut Db, subject: &Subject) -> Result<()> {
        access::authorise(db, self.rule, self.user_id, subject).await
    }

    /// Whether the caller has a permission beyond what this operation asks for.
    pub async fn holds(&self, db: &mut Db, permission: &str, subject: &Subject) -> Result<bool> {
        access::holds(db, self.user_id, permission, subject).await
    }
}

/// The part of an API key after its prefix, which is ours or that of keys that were moved here
/// (contract 9); none if `text` has neither.
pub fn api_key<'a>(settings: &Settings, text: &'a str) -> Option<&'a str> {
    let foreign = settings.foreign_key_prefix.as_str();
    text.strip_prefix(KEY_PREFIX)
        .or_else(|| text.strip_prefix(foreign).filter(|_| !foreign.is_empty()))
}

/// Checks an OAuth client's secret.
pub async fn authenticate_client(db: &mut Db, id: &str, secret: &str) -> Result<Client> {
    let client = credentials::client(db, id).await?;
    let presented = secret::hash(secret);
    // An unknown client costs a comparison, too.
    let expected = client
        .as_ref()
        .map_or("", |client| client.secret_hash.as_str());
    match client {
        Some(ref known) if secret::same(expected, &presented) => Ok(known.clone()),
        _ => {
            secret::same(&presented, &presented);
            Err(Error::Unauthorized(
                "unknown client id or wrong client secret",
            ))
        }
    }
}

/// The value of a platform header under either of its prefixes (contract 9).
pub fn prefixed<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    ["x-svc-", "x-cal-"]
        .into_iter()
        .find_map(|prefix| headers.get(format!("{prefix}{name}")))
        .and_then(|value| value.to_str().ok())
        .filter(|value| !value.is_empty())
}

/// Whether the last day on which an API key is good is over.
pub fn is_expired(last_day: Option<&str>, now: Instant) -> bool {
    let today = now.utc().unwrap_or_default().date_naive();
    last_day
        .and_then(|day| day.parse().ok())
        .is_some_and(|last: NaiveDate| last < today)
}
