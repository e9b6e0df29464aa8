//! Profile of the signed-in person.

use booking_wire::wire;

use crate::client::dialect::VersionGroup;
use crate::client::error::ApiError;
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

/// Profile of the signed-in person, as far as screens show it.
#[wire(read)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// User id.
    #[wire(required)]
    pub id: i64,
    /// Name; empty if there is none.
    pub name: String,
    /// URL of a picture; empty if there is none.
    #[wire(key = "avatarUrl")]
    pub picture: String,
}

impl Client {
    /// Loads the profile of the signed-in person.
    pub async fn profile(&self, abort: Abort) -> Result<Profile, ApiError> {
        let call = Call::get(VersionGroup::None, "/v2/me".to_owned(), Vec::new());
        self.data(call, &abort).await
    }
}
