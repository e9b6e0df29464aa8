//! Permits for concurrent requests, per client and in total, with separate budgets for large bodies
//! and large responses.
//!
//! The limits of `tower` count requests alone: they know neither clients nor bytes.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::response::Response;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, Result};
use crate::input_limits::{MAX_LARGE_RESPONSES_BYTES, MAX_RESPONSE_BYTES};
use crate::limits::client_ip::Network;
use crate::store::READ_CONNECTIONS;

/// Most concurrent bodies that are large or have no declared length.
const MAX_LARGE_BODIES: usize = 64;

/// Most lists built at a time, and most slot responses.
const MAX_BUILDS: usize = READ_CONNECTIONS as usize;

/// Fraction of the requests in progress that one client can have: one in this number.
const CLIENT_FRACTION: usize = 8;

/// Fraction of the large bodies and responses that one client can have: one in this number.
const LARGE_CLIENT_FRACTION: usize = 4;

/// A response up to this many bytes is small.
const SMALL_RESPONSE: usize = 256 * 1024;

/// Unit in which the bytes of large responses are counted.
const RESPONSE_UNIT: usize = 1024;

/// Most clients whose unused permits are kept.
const MAX_IDLE_CLIENTS: usize = 1_000;

/// Permits for work in progress. Clones share them.
#[derive(Clone, Debug)]
pub struct ConcurrencyLimits {
    pub(crate) work: Arc<Semaphore>,
    pub(crate) large_bodies: Arc<Semaphore>,
    lists: Arc<Semaphore>,
    slots: Arc<Semaphore>,
    large_responses: Arc<Semaphore>,
    per_client: usize,
    clients: Arc<Mutex<HashMap<Network, Arc<ClientPermits>>>>,
}

/// Permits of one client, each a share of those for all.
#[derive(Debug)]
pub(crate) struct ClientPermits {
    pub(crate) work: Arc<Semaphore>,
    pub(crate) large_bodies: Arc<Semaphore>,
    large_responses: Arc<Semaphore>,
}

impl ConcurrencyLimits {
    /// Allows `in_flight` concurrent requests, and a fraction of them for one client.
    pub fn new(in_flight: usize) -> Self {
        Self {
            work: Arc::new(Semaphore::new(in_flight)),
            large_bodies: Arc::new(Semaphore::new(MAX_LARGE_BODIES)),
            lists: Arc::new(Semaphore::new(MAX_BUILDS)),
            slots: Arc::new(Semaphore::new(MAX_BUILDS)),
            large_responses: Arc::new(Semaphore::new(MAX_LARGE_RESPONSES_BYTES / RESPONSE_UNIT)),
            per_client: in_flight.div_ceil(CLIENT_FRACTION),
            clients: Arc::default(),
        }
    }

    /// Number of free permits for requests.
    pub fn free(&self) -> usize {
        self.work.available_permits()
    }

    /// The permits of one client.
    pub(crate) fn client_permits(&self, client: Network) -> Arc<ClientPermits> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_IDLE_CLIENTS {
            // Permits in use or waited for have a clone.
            clients.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        clients
            .entry(client)
            .or_insert_with(|| {
                let large_responses =
                    MAX_LARGE_RESPONSES_BYTES / RESPONSE_UNIT / LARGE_CLIENT_FRACTION;
                Arc::new(ClientPermits {
                    work: Arc::new(Semaphore::new(self.per_client)),
                    large_bodies: Arc::new(Semaphore::new(
                        MAX_LARGE_BODIES / LARGE_CLIENT_FRACTION,
                    )),
                    large_responses: Arc::new(Semaphore::new(large_responses)),
                })
            })
            .clone()
    }

    /// The permits for building the response of a request, if these are limited: for reads of more
    /// than a single object.
    pub(crate) fn builds(&self, request: &Request) -> Option<&Arc<Semaphore>> {
        let path = request.extensions().get::<MatchedPath>()?.as_str();
        if request.method() != Method::GET || path.ends_with('}') {
            return None;
        }
        if path.ends_with("/slots") {
            Some(&self.slots)
        } else {
            Some(&self.lists)
        }
    }
}

/// Permits of a request from the receipt of its body until its response has been handed over.
pub(crate) struct Permits {
    pub(crate) _large_body: Option<SharedPermit>,
    pub(crate) client: Option<Arc<ClientPermits>>,
    pub(crate) _client_work: Option<OwnedSemaphorePermit>,
    pub(crate) _work: OwnedSemaphorePermit,
}

/// A permit of the client's share, if it has one, and a permit of the total.
type SharedPermit = (Option<OwnedSemaphorePermit>, OwnedSemaphorePermit);

/// Takes permits from the client's share, if it has one, and from the total, without waiting.
pub(crate) fn take(
    client_share: Option<&Arc<Semaphore>>,
    total: &Arc<Semaphore>,
    count: u32,
) -> Result<SharedPermit> {
    let take = |permits: &Arc<Semaphore>| {
        let permit = permits.clone().try_acquire_many_owned(count);
        permit.map_err(|_| Error::Overloaded)
    };
    Ok((client_share.map(take).transpose()?, take(total)?))
}

impl Permits {
    /// Holds the permits until the response is handed over, with permits for the bytes of a large
    /// one.
    pub(crate) fn hold_for(
        self,
        limits: &ConcurrencyLimits,
        response: Response,
    ) -> Result<Response> {
        let large_response = self.take_for_response(limits, &response)?;
        Ok(response.map(|body| {
            Body::new(PermittedBody {
                body,
                pending: Bytes::new(),
                _permits: (self, large_response),
            })
        }))
    }

    /// Takes the bytes of a large response from the budgets of its client and of all.
    fn take_for_response(
        &self,
        limits: &ConcurrencyLimits,
        response: &Response,
    ) -> Result<Option<SharedPermit>> {
        let bytes = response.body().size_hint().exact().unwrap_or(0);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes <= SMALL_RESPONSE {
            return Ok(None);
        }
        if bytes > MAX_RESPONSE_BYTES {
            return Err(Error::response_too_large());
        }
        let units = u32::try_from(bytes.div_ceil(RESPONSE_UNIT)).unwrap_or(u32::MAX);
        let client_share = self.client.as_ref().map(|client| &client.large_responses);
        take(client_share, &limits.large_responses, units).map(Some)
    }
}

/// Largest chunk of a response that is handed to the connection at once, in bytes. The connection
/// polls for more after it has written the chunk.
const CHUNK_BYTES: usize = 64 * 1024;

/// A response body with the permits of its request. The connection drops it when it has received
/// the last chunk, or has ended, so all but the last chunk are written by then.
struct PermittedBody {
    body: Body,
    /// Bytes of the current frame that are not handed over yet.
    pending: Bytes,
    _permits: (Permits, Option<SharedPermit>),
}

impl HttpBody for PermittedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        if self.pending.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(data) => self.pending = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.pending.len().min(CHUNK_BYTES);
        let chunk = self.pending.split_to(length);
        Poll::Ready(Some(Ok(http_body::Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.pending.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let pending = self.pending.len() as u64;
        let inner = self.body.size_hint();
        let mut hint = http_body::SizeHint::new();
        hint.set_lower(inner.lower() + pending);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + pending);
        }
        hint
    }
}
