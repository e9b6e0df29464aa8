//! Requests that may be sent again with the same `Idempotency-Key`.
//!
//! The response to the first request with a key is kept for 24 hours, in the transaction of what
//! the request does. The same request again is answered with it. A request that fails keeps
//! nothing, because it has changed nothing.

use booking_wire::{Instant, JsonMap};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::app::AppState;
use crate::auth::secret;
use crate::error::{Error, Result};
use crate::limits::Client;
use crate::store::Db;
use crate::store::idempotency::{self, KeptResponse};

/// HTTP status of a response that reports what was created.
pub const CREATED: u16 = 201;

/// Shortest key that cannot be guessed, if it is made as clients should make it. Such keys count
/// for anonymous visitors whose address changes between two attempts.
const UNGUESSABLE_CHARS: usize = 32;

/// A request with a key.
#[derive(Clone, Debug)]
pub struct KeyedRequest {
    /// Of the caller and the key.
    hash: String,
    /// Of the operation and the body.
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
        let scope = if client.is_anonymous() && key.len() >= UNGUESSABLE_CHARS {
            "anonymous".to_owned()
        } else {
            client.hash(&app.signing_key)
        };
        let mut request = Sha256::new();
        request.update(operation.as_bytes());
        request.update([0]);
        // The order of its keys and its spaces do not matter.
        request.update(serde_json::to_string(body).unwrap_or_default().as_bytes());
        Self {
            hash: app
                .signing_key
                .digest(&format!("idempotency {scope} {key}")),
            request_hash: secret::hex(&request.finalize()),
        }
    }

    /// The response to an earlier request with this key.
    ///
    /// # Errors
    ///
    /// [`Error::IdempotencyKeyReused`] if that was another request.
    pub async fn replay(&self, db: &mut Db, now: Instant) -> Result<Option<KeptReply>> {
        let Some(kept) = idempotency::find(db, &self.hash, now).await? else {
            return Ok(None);
        };
        if kept.request_hash != self.request_hash {
            return Err(Error::IdempotencyKeyReused);
        }
        Ok(Some(KeptReply {
            status: u16::try_from(kept.status).unwrap_or(200),
            body: kept.body,
            is_replay: true,
        }))
    }

    /// Keeps the response to this request. To be called in the transaction of what it reports.
    pub async fn keep(
        &self,
        db: &mut Db,
        status: u16,
        body: &impl Serialize,
        now: Instant,
    ) -> Result<KeptReply> {
        let kept = KeptResponse {
            request_hash: self.request_hash.clone(),
            status: i64::from(status),
            body: serde_json::to_string(body)?,
        };
        idempotency::insert(db, &self.hash, &kept, now).await?;
        Ok(KeptReply {
            status,
            body: kept.body,
            is_replay: false,
        })
    }
}

/// A kept response.
#[derive(Clone, Debug)]
pub struct KeptReply {
    /// HTTP status.
    pub status: u16,
    /// JSON body.
    pub body: String,
    /// True if an earlier request was answered with it.
    pub is_replay: bool,
}

/// Result of a request that may be sent again.
#[derive(Debug)]
pub enum Outcome<T> {
    /// Result of a request without a key.
    New(T),
    /// Response that is kept for the key.
    Kept(KeptReply),
}
