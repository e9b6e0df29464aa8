//! What a handler of version 1 is given, and what all of them ask.

use booking_wire::{Instant, JsonMap};
use serde_json::Value;
use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, Transaction};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::extract::path::PathParams;
use crate::store::people::People;
use crate::store::{Db, accounts};
use crate::validate::{Checks, Query, whole};

/// The largest id that every client can write.
pub const LARGEST_ID: i64 = 9_007_199_254_740_991;

/// A call whose key is good and whose parameters are known.
#[derive(Debug)]
pub struct Call {
    /// The service.
    pub app: AppState,
    /// Who calls.
    pub caller: Caller,
    /// Parameters of the path.
    pub path: PathParams,
    /// Parameters of the query.
    pub query: Query,
    /// What was sent; empty where nothing is read.
    pub body: JsonMap,
}

impl Call {
    /// Whether nothing is to be changed.
    pub fn is_reading(&self) -> bool {
        self.caller.method() == "GET"
    }

    /// A connection for reading.
    pub async fn read(&self) -> Result<PoolConnection<Sqlite>> {
        self.app.store.read().await
    }

    /// A transaction for writing.
    pub async fn begin(&self) -> Result<Transaction<'static, Sqlite>> {
        self.app.store.begin().await
    }

    /// The present moment.
    pub fn now(&self) -> Instant {
        self.app.clock.now()
    }

    /// The id in the path: a positive whole number.
    pub fn id(&self, name: &str) -> Result<i64> {
        positive(name, self.path.text(name))
    }

    /// Refuses a caller who may not do this to `subject`. Those who run the service may do
    /// everything.
    pub async fn authorise(&self, db: &mut Db, subject: &Subject) -> Result<()> {
        if self.runs_the_service(db).await? {
            return Ok(());
        }
        self.caller.authorise(db, subject).await
    }

    /// Whether the caller runs the service.
    pub async fn runs_the_service(&self, db: &mut Db) -> Result<bool> {
        accounts::runs_the_service(db, self.caller.user_id).await
    }

    /// Refuses everybody who does not run the service.
    pub async fn refuse_others(&self, db: &mut Db) -> Result<()> {
        if self.runs_the_service(db).await? {
            Ok(())
        } else {
            Err(Error::Forbidden("ADMIN required".into()))
        }
    }

    /// Whose things a list shows: the caller's own. Those who run the service see everybody's, or
    /// those of the people whom `userId` names; nobody else may name any.
    pub async fn whose(&self, db: &mut Db) -> Result<People> {
        let named = self.ids("userId")?;
        if named.is_some() {
            self.refuse_others_for(db, "userId").await?;
        }
        Ok(match named {
            Some(ids) => People::These(ids),
            None if self.runs_the_service(db).await? => People::Everybody,
            None => People::These(vec![self.caller.user_id]),
        })
    }

    /// For whom something is made: the caller, or the person whom `userId` in the body names, which
    /// is for those who run the service.
    pub async fn beneficiary(&self, db: &mut Db) -> Result<i64> {
        let Some(user_id) = self.number("userId")? else {
            return Ok(self.caller.user_id);
        };
        self.refuse_others_for(db, "userId").await?;
        match accounts::me(db, user_id).await? {
            Some(user) => Ok(user.id),
            None => Err(complaint("userId", "is no user")),
        }
    }

    /// The caller, as the person for whom something is made.
    pub async fn on_behalf(&self, db: &mut Db) -> Result<Caller> {
        let user_id = self.beneficiary(db).await?;
        Ok(if user_id == self.caller.user_id {
            self.caller.clone()
        } else {
            self.caller.acting_for(user_id)
        })
    }

    /// Refuses everybody who does not run the service and has named `key`.
    pub async fn refuse_others_for(&self, db: &mut Db, key: &str) -> Result<()> {
        if self.runs_the_service(db).await? {
            return Ok(());
        }
        Err(Error::Forbidden(format!("ADMIN required for `{key}`")))
    }

    /// A positive whole number in the body, if it is there.
    pub fn number(&self, key: &str) -> Result<Option<i64>> {
        let Some(value) = self.body.get(key).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        match whole(value).filter(|number| *number >= 1) {
            Some(number) => Ok(Some(number)),
            None => Err(complaint(key, "must be a whole number not less than 1")),
        }
    }

    /// Ids in the query, separated by commas or given repeatedly.
    pub fn ids(&self, name: &str) -> Result<Option<Vec<i64>>> {
        let Some(texts) = self.query.list(name) else {
            return Ok(None);
        };
        let ids: Result<Vec<i64>> = texts.iter().map(|text| positive(name, text)).collect();
        ids.map(Some)
    }

    /// A claim in the query.
    pub fn claim(&self, name: &str) -> Result<Option<bool>> {
        let mut checks = Checks::default();
        let words = [("true", true), ("false", false)];
        let claim = self.query.word(name, &words, &mut checks);
        checks.finish()?;
        Ok(claim)
    }

    /// A whole number of at least 1 in the query.
    pub fn count(&self, name: &str, most: i64) -> Result<Option<i64>> {
        let mut checks = Checks::default();
        let count = self.query.bounded(name, 1..=most, &mut checks);
        checks.finish()?;
        Ok(count)
    }

    /// The body with only those keys: what another reader knows under the same names.
    pub fn only(&self, keys: &[&str]) -> JsonMap {
        let kept = self
            .body
            .iter()
            .filter(|(key, _)| keys.contains(&key.as_str()));
        kept.map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }
}

/// The id that `text` is.
pub fn positive(name: &str, text: &str) -> Result<i64> {
    // Digits and nothing else: a sign would be another way to write the same id.
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(id) if is_number && (1..=LARGEST_ID).contains(&id) => Ok(id),
        _ => Err(complaint(name, "must be a positive whole number")),
    }
}

/// One complaint as an error.
pub fn complaint(property: &str, text: &str) -> Error {
    let mut checks = Checks::default();
    checks.complain(property, &Value::Null, "isValid", text);
    checks.finish().err().unwrap_or(Error::Internal)
}
