//! One module per family of operations. They translate: a request into a question to
//! [`crate::availability`] or [`crate::store`], the answer into wire types.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::{Error, Result};
use crate::validate::Checks;

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

impl<S: Send + Sync> FromRequestParts<S> for PathParams {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let path =
            axum::extract::Path::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0))
            .map_err(|_| Error::BadRequest("the path is not valid UTF-8".into()))
    }
}
