//! Client of a limit: a user, an OAuth client, or an anonymous network.

use crate::auth::Caller;
use crate::auth::token::SigningKey;
use crate::limits::client_ip::Network;

/// Client of a request, for limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// `None` for an anonymous client without a known network, which is not limited.
    key: Option<String>,
    is_anonymous: bool,
}

impl Client {
    /// The client of a request: the authenticated caller, else its network.
    pub fn of(caller: Option<&Caller>, network: Option<Network>) -> Self {
        match caller {
            Some(caller) => Self {
                key: Some(match &caller.client_id {
                    Some(id) => oauth_client_key(id),
                    None => user_key(caller.user_id),
                }),
                is_anonymous: false,
            },
            None => Self {
                key: network.map(|network| network.to_string()),
                is_anonymous: true,
            },
        }
    }

    /// Returns true if the client has no credentials.
    pub fn is_anonymous(&self) -> bool {
        self.is_anonymous
    }

    /// Key of the client; `None` if it is anonymous and its network is unknown.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Key of an anonymous client; `None` if it is authenticated or its network is unknown.
    pub fn anonymous_key(&self) -> Option<&str> {
        self.key.as_deref().filter(|_| self.is_anonymous)
    }

    /// Keyed hash of the client for storage: it does not reveal the address. Empty if the network
    /// is unknown.
    pub fn hash(&self, key: &SigningKey) -> String {
        self.key
            .as_deref()
            .map(|client| key.digest(client))
            .unwrap_or_default()
    }
}

/// Key of a user.
pub fn user_key(user_id: i64) -> String {
    format!("user {user_id}")
}

/// Key of an OAuth client that authenticates with its secret.
pub fn oauth_client_key(id: &str) -> String {
    format!("client {id}")
}
