//! Profile of the signed-in person.

use booking_wire::{Fields, Read};
use serde_json::Value;

use crate::client::dialect::VersionGroup;
use crate::client::error::ApiError;
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

/// Profile of the signed-in person, as far as screens show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// User id.
    pub id: i64,
    /// Name; empty if there is none.
    pub name: String,
    /// URL of a picture; empty if there is none.
    pub picture: String,
}

impl Read for Profile {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            name: fields.text("name"),
            picture: fields.text("avatarUrl"),
        })
    }
}

impl Client {
    /// Loads the profile of the signed-in person.
    pub async fn profile(&self, abort: Abort) -> Result<Profile, ApiError> {
        let call = Call::get(VersionGroup::None, "/v2/me".to_owned(), Vec::new());
        self.data(call, &abort).await
    }
}
