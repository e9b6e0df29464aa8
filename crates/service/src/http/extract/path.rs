//! Path parameters of requests.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::{Error, Result};
use crate::validate::Checks;

/// The parameters of a path, by name.
#[derive(Debug)]
pub struct PathParams(Vec<(String, String)>);

impl PathParams {
    /// Returns a text; empty if the path does not have the parameter.
    pub fn text(&self, name: &str) -> &str {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value.as_str())
    }

    /// Returns a numeric id.
    pub fn id(&self, name: &str) -> Result<i64> {
        let text = self.text(name);
        text.parse()
            .map_err(|_| Checks::error(name, &text.into(), "isNumber", "must be a number"))
    }

    /// Returns a numeric id, or none if the path does not have the parameter.
    pub fn optional_id(&self, name: &str) -> Result<Option<i64>> {
        let is_present = self.0.iter().any(|(key, _)| key == name);
        is_present.then(|| self.id(name)).transpose()
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
