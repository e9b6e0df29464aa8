//! Whom limits count: a person, a platform's OAuth client, or an anonymous network.

use crate::auth::Caller;
use crate::auth::token::SigningKey;
use crate::client_ip::Network;

/// Whoever has sent a request, as far as limits tell callers apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// None where nothing tells one client from another: such a client has no limits of its own.
    key: Option<String>,
    is_anonymous: bool,
}

impl Client {
    /// The client of a request: who has signed in, else the network it comes from.
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

    /// The key of an anonymous client; none if the client is known or cannot be told apart.
    pub fn anonymous_key(&self) -> Option<&str> {
        self.key.as_deref().filter(|_| self.is_anonymous)
    }

    /// A name of the client that can be stored: it tells nobody's address. Empty if the client
    /// cannot be told apart.
    pub fn hash(&self, key: &SigningKey) -> String {
        self.key
            .as_deref()
            .map(|client| key.digest(client))
            .unwrap_or_default()
    }
}

/// The key of a person.
pub fn user_key(user_id: i64) -> String {
    format!("user {user_id}")
}

/// The key of a platform that acts with its own secret.
pub fn oauth_client_key(id: &str) -> String {
    format!("client {id}")
}
