//! Requests that may be sent again: the header `Idempotency-Key`.
//!
//! The response to the first request with a key is kept for 24 hours, in the transaction of what
//! the request does. The same request again is answered with it. A request that fails keeps
//! nothing, because it has changed nothing.

use axum::extract::FromRequestParts;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use booking_wire::{Instant, JsonMap};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::api::IDEMPOTENCY_REPLAYED;
use crate::app::AppState;
use crate::auth::secret;
use crate::error::{Error, Result};
use crate::input_limits::MAX_IDEMPOTENCY_KEY_CHARS;
use crate::limits::Client;
use crate::store::Db;
use crate::store::idempotency::{self, KeptResponse};

/// Name of the header.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Keys that are at least so long cannot be guessed, if they are made as clients should make them.
/// They are good for anonymous visitors whose address changes between two attempts.
const UNGUESSABLE_CHARS: usize = 32;

/// Extracts the key of a request, if it has one: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self> {
        let mut values = parts.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(value) = values.next() else {
            return Ok(Self(None));
        };
        let is_sound = (1..=MAX_IDEMPOTENCY_KEY_CHARS).contains(&value.len())
            && value.as_bytes().iter().all(u8::is_ascii_graphic);
        match value.to_str() {
            Ok(key) if is_sound && values.next().is_none() => Ok(Self(Some(key.to_owned()))),
            _ => Err(Error::BadRequest(format!(
                "Idempotency-Key must be 1 to {MAX_IDEMPOTENCY_KEY_CHARS} visible ASCII characters, once"
            ))),
        }
    }
}

impl IdempotencyKey {
    /// The request that the key belongs to. `operation` is its method and path.
    pub fn of(
        self,
        app: &AppState,
        client: &Client,
        operation: &str,
        body: &JsonMap,
    ) -> Option<KeyedRequest> {
        let key = self.0?;
        let is_anonymous = client.is_anonymous();
        let scope = if is_anonymous && key.len() >= UNGUESSABLE_CHARS {
            "anonymous".to_owned()
        } else {
            client.hash(&app.signing_key)
        };
        let mut request = Sha256::new();
        request.update(operation.as_bytes());
        request.update([0]);
        // The order of its keys and its spaces do not matter.
        request.update(serde_json::to_string(body).unwrap_or_default().as_bytes());
        Some(KeyedRequest {
            hash: app
                .signing_key
                .digest(&format!("idempotency {scope} {key}")),
            request_hash: secret::hex(&request.finalize()),
        })
    }
}

/// A request with a key.
#[derive(Clone, Debug)]
pub struct KeyedRequest {
    /// Of the caller and the key.
    hash: String,
    /// Of the operation and the body.
    request_hash: String,
}

impl KeyedRequest {
    /// The response to an earlier request with this key.
    ///
    /// # Errors
    ///
    /// [`Error::IdempotencyKeyReused`] if that was another request.
    pub async fn replay(&self, db: &mut Db, now: Instant) -> Result<Option<Reply>> {
        let Some(kept) = idempotency::find(db, &self.hash, now).await? else {
            return Ok(None);
        };
        if kept.request_hash != self.request_hash {
            return Err(Error::IdempotencyKeyReused);
        }
        Ok(Some(Reply {
            kept,
            is_replay: true,
        }))
    }

    /// Keeps the response to this request. To be called in the transaction of what it reports.
    pub async fn keep(
        &self,
        db: &mut Db,
        status: StatusCode,
        body: &impl Serialize,
        now: Instant,
    ) -> Result<Reply> {
        let kept = KeptResponse {
            request_hash: self.request_hash.clone(),
            status: i64::from(status.as_u16()),
            body: serde_json::to_string(body)?,
        };
        idempotency::insert(db, &self.hash, &kept, now).await?;
        Ok(Reply {
            kept,
            is_replay: false,
        })
    }
}

/// A kept response.
#[derive(Clone, Debug)]
pub struct Reply {
    kept: KeptResponse,
    is_replay: bool,
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let status = u16::try_from(self.kept.status)
            .ok()
            .and_then(|status| StatusCode::from_u16(status).ok())
            .unwrap_or(StatusCode::OK);
        let content_type = [(CONTENT_TYPE, "application/json")];
        let mut response = (status, content_type, self.kept.body).into_response();
        if self.is_replay {
            let replayed = HeaderValue::from_static("true");
            response
                .headers_mut()
                .insert(IDEMPOTENCY_REPLAYED, replayed);
        }
        response
    }
}
