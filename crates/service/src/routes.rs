//! One module per family of operations. They translate: a request into a question to
//! [`crate::availability`] or [`crate::store`], the answer into wire types.

pub mod booking_query;
pub mod bookings;
pub mod changes;
pub mod demo;
pub mod event_types;
pub mod health;
pub mod idempotency;
pub mod identify;
pub mod managed_users;
pub mod me;
pub mod memberships;
pub mod oauth;
pub mod out_of_office;
pub mod reservations;
pub mod roles;
pub mod rules;
pub mod schedules;
pub mod slots;
pub mod team_bookings;
pub mod teams;
pub mod user_deletion;
pub mod webhooks;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::{Error, Result};
use crate::validate::{Checks, Query};

/// The parameters of a path, by name.
#[derive(Debug)]
pub struct PathParams(Vec<(String, String)>);

impl PathParams {
    /// A text.
    pub fn text(&self, name: &str) -> &str {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value.as_str())
    }

    /// A numeric id.
    pub fn id(&self, name: &str) -> Result<i64> {
        let text = self.text(name);
        text.parse().map_err(|_| {
            let mut checks = Checks::default();
            checks.complain(name, &text.into(), "isNumber", "must be a number");
            checks.finish().err().unwrap_or(Error::Internal)
        })
    }

    /// A numeric id that not every path of a family has.
    pub fn optional_id(&self, name: &str) -> Result<Option<i64>> {
        let given = self.0.iter().any(|(key, _)| key == name);
        given.then(|| self.id(name)).transpose()
    }
}

/// `take` and `skip` of a list (contract 8).
pub fn paging(query: &Query, checks: &mut Checks) -> (i64, i64) {
    let take = query.bounded("take", 1..=250, checks).unwrap_or(250);
    let skip = query.bounded("skip", 0..=i64::MAX, checks).unwrap_or(0);
    (take, skip)
}

impl<S: Send + Sync> FromRequestParts<S> for PathParams {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let path =
            axum::extract::Path::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0))
            .map_err(|_| Error::BadRequest("the path is not valid UTF-8".into()))
    }
}
