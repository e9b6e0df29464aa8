//! Query strings of requests.

use axum::extract::{FromRequestParts, Query as Pairs};
use axum::http::Uri;
use axum::http::request::Parts;

use crate::error::{Error, Result};
use crate::validate::Query;

/// Decodes the query string of `uri`; one that cannot be decoded counts as empty.
pub fn parse_query(uri: &Uri) -> Query {
    let pairs = Pairs::<Vec<(String, String)>>::try_from_uri(uri);
    Query::new(pairs.map(|pairs| pairs.0).unwrap_or_default())
}

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        Ok(parse_query(&parts.uri))
    }
}
