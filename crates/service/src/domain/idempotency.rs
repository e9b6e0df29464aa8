//! Requests that may be sent again with the same `Idempotency-Key`.
//!
//! The response to the first request with a key is stored for 24 hours, in the transaction of the
//! request, and returned to later requests with the key. A failed request stores nothing, because
//! it has changed nothing.

use booking_wire::{Envelope, Instant, JsonMap};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::app::AppState;
use crate::auth::secret;
use crate::error::{Error, Result};
use crate::limits::Client;
use crate::store::Db;
use crate::store::upkeep::idempotency::{self, StoredResponse};

/// HTTP status of a response with a created resource.
const CREATED: u16 = 201;

/// Minimum length of a random key that cannot be guessed. For anonymous visitors such keys are
/// independent of the IP address, which may change between two attempts.
const MIN_UNGUESSABLE_KEY_CHARS: usize = 32;

/// A request with an idempotency key.
#[derive(Clone, Debug)]
pub struct KeyedRequest {
    /// Hash of the client and the key.
    hash: String,
    /// Hash of the operation and the body.
    request_hash: String,
}

impl KeyedRequest {
    /// Identifies the request with `key`; `operation` is its method and path.
    pub fn new(
        app: &AppState,
        client: &Client,
        key: &str,
        operation: &str,
        body: &JsonMap,
    ) -> Self {
        let scope = if client.is_anonymous() && key.len() >= MIN_UNGUESSABLE_KEY_CHARS {
            "anonymous".to_owned()
        } else {
            client.hash(&app.signing_key)
        };
        let mut request = Sha256::new();
        request.update(operation.as_bytes());
        request.update([0]);
        // The parsed body is serialised again: key order and white space do not matter.
        request.update(serde_json::to_string(body).unwrap_or_default().as_bytes());
        Self {
            hash: app
                .signing_key
                .digest(&format!("idempotency {scope} {key}")),
            request_hash: secret::hex(&request.finalize()),
        }
    }

    /// Returns the hash of the client and the key.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the stored response to an earlier request with this key.
    ///
    /// # Errors
    ///
    /// [`Error::IdempotencyKeyReused`] if the earlier request was a different one.
    pub async fn replay(&self, db: &mut Db, now: Instant) -> Result<Option<IdempotentResponse>> {
        let Some(stored) = idempotency::find(db, &self.hash, now).await? else {
            return Ok(None);
        };
        if stored.request_hash != self.request_hash {
            return Err(Error::IdempotencyKeyReused);
        }
        Ok(Some(IdempotentResponse {
            status: u16::try_from(stored.status).unwrap_or(200),
            body: stored.body,
            is_replay: true,
        }))
    }

    /// Stores the response with a created resource; called in the transaction of the request.
    pub async fn store(
        &self,
        db: &mut Db,
        created: impl Serialize,
        now: Instant,
    ) -> Result<IdempotentResponse> {
        let stored = StoredResponse {
            request_hash: self.request_hash.clone(),
            status: i64::from(CREATED),
            body: serde_json::to_string(&Envelope::success(created))?,
        };
        idempotency::insert(db, &self.hash, &stored, now).await?;
        Ok(IdempotentResponse {
            status: CREATED,
            body: stored.body,
            is_replay: false,
        })
    }
}

/// A stored response.
#[derive(Clone, Debug)]
pub struct IdempotentResponse {
    /// HTTP status.
    pub status: u16,
    /// JSON body.
    pub body: String,
    /// True if it is the response to an earlier request.
    pub is_replay: bool,
}

/// Result of an operation that supports idempotency keys.
#[derive(Debug)]
pub enum Outcome<T> {
    /// Result of a request without a key.
    Unkeyed(T),
    /// Response that is stored for the key.
    Keyed(IdempotentResponse),
}
