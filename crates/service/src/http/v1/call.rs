//! Input of the handlers of version 1, with the checks that they share.

use booking_wire::{Instant, JsonMap};
use serde_json::Value;

use crate::api::MAX_ID;
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::error::{Error, Result};
use crate::http::extract::path::PathParams;
use crate::store::people::accounts;
use crate::store::user_filter::UserFilter;
use crate::store::{Db, Reader, Subject, Transaction};
use crate::validate::{Checks, Object, Query};

/// An authenticated request with checked parameters.
#[derive(Debug)]
pub struct Call {
    /// State of the service.
    pub app: AppState,
    /// Caller.
    pub caller: Caller,
    /// Path parameters.
    pub path: PathParams,
    /// Query parameters.
    pub query: Query,
    /// Request body; empty if the operation has none.
    pub body: JsonMap,
}

impl Call {
    /// Returns true for reads.
    pub fn is_read(&self) -> bool {
        self.caller.method() == "GET"
    }

    /// Returns a read connection.
    pub async fn read(&self) -> Result<Reader> {
        self.app.store.read().await
    }

    /// Begins a write transaction.
    pub async fn begin(&self, subjects: &[Subject<'_>]) -> Result<Transaction> {
        self.app.store.begin(subjects).await
    }

    /// Current instant.
    pub fn now(&self) -> Instant {
        self.app.clock.now()
    }

    /// Id in the path: a positive integer.
    pub fn id(&self, name: &str) -> Result<i64> {
        positive(name, self.path.text(name))
    }

    /// Rejects a caller without access to `resource`. Operators of the service may do everything.
    pub async fn authorise(&self, db: &mut Db, resource: &Resource) -> Result<()> {
        if self.is_operator(db).await? {
            return Ok(());
        }
        self.caller.authorise(db, resource).await
    }

    /// Returns true if the caller is an operator of the service.
    pub async fn is_operator(&self, db: &mut Db) -> Result<bool> {
        accounts::is_service_admin(db, self.caller.user_id).await
    }

    /// Rejects callers who are not operators.
    pub async fn require_operator(&self, db: &mut Db) -> Result<()> {
        if self.is_operator(db).await? {
            Ok(())
        } else {
            Err(Error::Forbidden("ADMIN required".into()))
        }
    }

    /// Users whose records a list contains: the caller. For operators: everybody, or the users in
    /// `userId`, which only operators may send.
    pub async fn user_filter(&self, db: &mut Db) -> Result<UserFilter> {
        let named = self.ids("userId")?;
        if named.is_some() {
            self.require_operator_for(db, "userId").await?;
        }
        Ok(match named {
            Some(ids) => UserFilter::Ids(ids),
            None if self.is_operator(db).await? => UserFilter::All,
            None => UserFilter::Ids(vec![self.caller.user_id]),
        })
    }

    /// Id of the user for whom something is created: the caller, or `userId` of the body, which
    /// only operators may send.
    pub async fn target_user_id(&self, db: &mut Db) -> Result<i64> {
        self.user_id_in(db, "userId").await
    }

    /// Id of the user in `key` of the body, before it is checked; the caller by default.
    pub fn target_user(&self, key: &str) -> i64 {
        let named = self.positive_integer(key).ok().flatten();
        named.unwrap_or(self.caller.user_id)
    }

    /// Id of the user in `key` of the body, which only operators may send; the caller by default.
    pub async fn user_id_in(&self, db: &mut Db, key: &str) -> Result<i64> {
        let Some(user_id) = self.positive_integer(key)? else {
            return Ok(self.caller.user_id);
        };
        self.require_operator_for(db, key).await?;
        match accounts::me(db, user_id).await? {
            Some(user) => Ok(user.id),
            None => Err(validation_error(key, "is no user")),
        }
    }

    /// Caller acting for the user of [`Self::target_user_id`].
    pub async fn acting_caller(&self, db: &mut Db) -> Result<Caller> {
        let user_id = self.target_user_id(db).await?;
        Ok(if user_id == self.caller.user_id {
            self.caller.clone()
        } else {
            self.caller.acting_for(user_id)
        })
    }

    /// Rejects callers who are not operators and have sent `key`.
    pub async fn require_operator_for(&self, db: &mut Db, key: &str) -> Result<()> {
        if self.is_operator(db).await? {
            return Ok(());
        }
        Err(Error::Forbidden(format!("ADMIN required for `{key}`")))
    }

    /// Positive integer in the body, if present.
    pub fn positive_integer(&self, key: &str) -> Result<Option<i64>> {
        let mut checks = Checks::default();
        let number = Object::new(&self.body, "").positive(key, &mut checks);
        checks.finish()?;
        Ok(number)
    }

    /// Ids in the query, separated by commas or repeated.
    pub fn ids(&self, name: &str) -> Result<Option<Vec<i64>>> {
        let Some(texts) = self.query.list(name) else {
            return Ok(None);
        };
        let ids: Result<Vec<i64>> = texts.iter().map(|text| positive(name, text)).collect();
        ids.map(Some)
    }

    /// Boolean in the query.
    pub fn boolean(&self, name: &str) -> Result<Option<bool>> {
        let mut checks = Checks::default();
        let values = [("true", true), ("false", false)];
        let value = self.query.one_of(name, &values, &mut checks);
        checks.finish()?;
        Ok(value)
    }

    /// Integer from 1 to `max` in the query.
    pub fn count(&self, name: &str, max: i64) -> Result<Option<i64>> {
        let mut checks = Checks::default();
        let count = self.query.bounded(name, 1..=max, &mut checks);
        checks.finish()?;
        Ok(count)
    }

    /// Returns the body with only those keys.
    pub fn body_subset(&self, keys: &[&str]) -> JsonMap {
        let mut body = self.body.clone();
        body.retain(|key, _| keys.contains(&key.as_str()));
        body
    }
}

/// Parses an id.
pub fn positive(name: &str, text: &str) -> Result<i64> {
    // No sign: an id has only one spelling.
    let has_only_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(id) if has_only_digits && (1..=MAX_ID).contains(&id) => Ok(id),
        _ => Err(validation_error(name, "must be a positive whole number")),
    }
}

/// Validation error of one property.
pub fn validation_error(property: &str, text: &str) -> Error {
    Checks::error(property, &Value::Null, "isValid", text)
}
