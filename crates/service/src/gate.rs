//! Concurrency limits: bodies are received first, within limits of size and time; then a bounded
//! number of requests is worked on at a time, of one client and in all.
//!
//! A slow caller therefore holds nothing but its own connection while it sends. A permit is held
//! until the response has been handed over, or a large response to a slow reader would take memory
//! that nothing counts. Lists, whose length depends on what is stored, are built a few at a time, and
//! all large responses together have a budget of bytes.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::app::AppState;
use crate::error::{Error, Result};
use crate::input_limits::{
    MAX_LARGE_RESPONSES_BYTES, MAX_QUERY_PARAMETERS, MAX_RESPONSE_BYTES, body_bytes,
};
use crate::peer::{self, Network};
use crate::validate::Query;

/// A body up to this many bytes is small.
const SMALL_BODY: u64 = 16 * 1024;
/// Bodies held at once that are not small, or do not say how large they are.
const MAX_LARGE_BODIES: usize = 64;
/// Lists built at a time; as many of slots. There are as many connections to read the database with.
const MAX_BUILDS: usize = 8;
/// A response up to this many bytes is small.
const SMALL_RESPONSE: usize = 256 * 1024;
/// Unit in which the bytes of large responses are counted.
const RESPONSE_UNIT: usize = 1024;
/// Clients whose permits are remembered while they have none in use.
const MAX_IDLE_CLIENTS: usize = 1_000;

/// Permits for work in progress. Clones share them.
#[derive(Clone, Debug)]
pub struct Gate {
    work: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
    lists: Arc<Semaphore>,
    slots: Arc<Semaphore>,
    large_responses: Arc<Semaphore>,
    per_client: usize,
    clients: Arc<Mutex<HashMap<Network, Arc<ClientPermits>>>>,
}

/// Permits of one client, each a share of those for all.
#[derive(Debug)]
struct ClientPermits {
    work: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
    large_responses: Arc<Semaphore>,
}

impl Gate {
    /// Lets `in_flight` requests be worked on at a time, an eighth of them for one client.
    pub fn new(in_flight: usize) -> Self {
        Self {
            work: Arc::new(Semaphore::new(in_flight)),
            large_bodies: Arc::new(Semaphore::new(MAX_LARGE_BODIES)),
            lists: Arc::new(Semaphore::new(MAX_BUILDS)),
            slots: Arc::new(Semaphore::new(MAX_BUILDS)),
            large_responses: Arc::new(Semaphore::new(MAX_LARGE_RESPONSES_BYTES / RESPONSE_UNIT)),
            per_client: in_flight.div_ceil(8),
            clients: Arc::default(),
        }
    }

    /// How many more requests could be worked on now.
    pub fn free(&self) -> usize {
        self.work.available_permits()
    }

    /// The permits of one client.
    fn of_client(&self, client: Network) -> Arc<ClientPermits> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_IDLE_CLIENTS {
            // Whoever holds or waits for a permit has a clone.
            clients.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        clients
            .entry(client)
            .or_insert_with(|| {
                let large_responses = MAX_LARGE_RESPONSES_BYTES / RESPONSE_UNIT / 4;
                Arc::new(ClientPermits {
                    work: Arc::new(Semaphore::new(self.per_client)),
                    large_bodies: Arc::new(Semaphore::new(MAX_LARGE_BODIES / 4)),
                    large_responses: Arc::new(Semaphore::new(large_responses)),
                })
            })
            .clone()
    }

    /// The permits to build the response of a request, if only some are built at a time: those of
    /// reads that are not about one thing.
    fn builds(&self, request: &Request) -> Option<&Arc<Semaphore>> {
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

/// Receives the body, waits for a permit and runs the request, each in bounded time.
pub async fn admit(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let response = async {
        let (request, mut permits) = enter(&app, request).await?;
        let build = build_permit(&app, app.gate.builds(&request).cloned()).await?;
        let limit = app.settings.limits.request_timeout;
        let response = timeout(limit, next.run(request)).await.map_err(|_| {
            tracing::error!(limit_s = limit.as_secs(), "an answer was not ready in time");
            Error::Timeout
        })?;
        drop(build);
        permits.large_response = permits.of_response(&app.gate, &response)?;
        Ok(response.map(|body| {
            Body::new(PermittedBody {
                body,
                rest: Bytes::new(),
                _permits: permits,
            })
        }))
    };
    response
        .await
        .unwrap_or_else(|error: Error| error.into_response())
}

/// Permits of a request from the receipt of its body until its response has been handed over.
struct Permits {
    _large_body: Option<SharedPermit>,
    client: Option<Arc<ClientPermits>>,
    _client_work: Option<OwnedSemaphorePermit>,
    _work: OwnedSemaphorePermit,
    large_response: Option<SharedPermit>,
}

/// A permit of those for all, and of its client's share of them.
type SharedPermit = (Option<OwnedSemaphorePermit>, OwnedSemaphorePermit);

/// Takes permits off a client's share, if it has one, and off those for all, without waiting.
fn take(
    of_client: Option<&Arc<Semaphore>>,
    of_all: &Arc<Semaphore>,
    count: u32,
) -> Result<SharedPermit> {
    let take = |permits: &Arc<Semaphore>| {
        let permit = permits.clone().try_acquire_many_owned(count);
        permit.map_err(|_| Error::Overloaded)
    };
    Ok((of_client.map(take).transpose()?, take(of_all)?))
}

impl Permits {
    /// Takes the bytes of a large response off the budgets of its client and of all.
    fn of_response(&self, gate: &Gate, response: &Response) -> Result<Option<SharedPermit>> {
        let bytes = response.body().size_hint().exact().unwrap_or(0);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes <= SMALL_RESPONSE {
            return Ok(None);
        }
        if bytes > MAX_RESPONSE_BYTES {
            return Err(Error::too_much());
        }
        let units = u32::try_from(bytes.div_ceil(RESPONSE_UNIT)).unwrap_or(u32::MAX);
        let of_client = self.client.as_ref().map(|client| &client.large_responses);
        take(of_client, &gate.large_responses, units).map(Some)
    }
}

async fn build_permit(
    app: &AppState,
    builds: Option<Arc<Semaphore>>,
) -> Result<Option<OwnedSemaphorePermit>> {
    let Some(builds) = builds else {
        return Ok(None);
    };
    let permit = timeout(app.settings.limits.queue_timeout, builds.acquire_owned());
    let permit = permit.await.ok().and_then(std::result::Result::ok);
    permit.map(Some).ok_or(Error::Overloaded)
}

/// Largest piece of a response that is handed to the connection at once, in bytes. It asks for more once it
/// has written as much.
const PIECE: usize = 64 * 1024;

/// A response body with the permits of its request. The connection drops it when it has taken the last
/// piece, or has ended, so all but the last piece has been written by then.
struct PermittedBody {
    body: Body,
    /// Bytes of the body that are not handed over yet.
    rest: Bytes,
    _permits: Permits,
}

impl HttpBody for PermittedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        Poll::Ready(Some(Ok(http_body::Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let rest = self.rest.len() as u64;
        let inner = self.body.size_hint();
        let mut hint = http_body::SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

async fn enter(app: &AppState, request: Request) -> Result<(Request, Permits)> {
    if request.uri().query().is_some_and(Query::is_too_long) {
        return Err(Error::BadRequest(format!(
            "the query string has more than {MAX_QUERY_PARAMETERS} parameters"
        )));
    }
    let max_body = body_bytes(request.uri().path());
    let ip = peer::client_ip(
        request.extensions(),
        request.headers(),
        app.settings.limits.trusted_proxies,
    );
    // This machine's own calls come from a proxy or a command, so they are many clients' or none's.
    let client = ip
        .filter(|ip| !ip.to_canonical().is_loopback())
        .map(|ip| app.gate.of_client(Network::of(ip)));
    let (parts, body) = request.into_parts();
    let declared = parts
        .headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    if declared.is_some_and(|length| length > max_body as u64) {
        return Err(Error::TooLarge);
    }
    let is_empty = body.is_end_stream();
    let large_body = if is_empty || declared.is_some_and(|length| length <= SMALL_BODY) {
        None
    } else {
        let of_client = client.as_ref().map(|client| &client.large_bodies);
        Some(take(of_client, &app.gate.large_bodies, 1)?)
    };
    let body = if is_empty {
        Body::empty()
    } else {
        let received = timeout(app.settings.limits.body_timeout, receive(body, max_body)).await;
        Body::from(received.map_err(|_| Error::TooSlow)??)
    };
    let permits = async {
        let client_work = match &client {
            Some(permits) => Some(permits.work.clone().acquire_owned().await.ok()?),
            None => None,
        };
        Some((
            client_work,
            app.gate.work.clone().acquire_owned().await.ok()?,
        ))
    };
    let permits = timeout(app.settings.limits.queue_timeout, permits).await;
    let (client_work, work) = permits.ok().flatten().ok_or(Error::Overloaded)?;
    let permits = Permits {
        _large_body: large_body,
        client,
        _client_work: client_work,
        _work: work,
        large_response: None,
    };
    Ok((Request::from_parts(parts, body), permits))
}

async fn receive(body: Body, max_body: usize) -> Result<Bytes> {
    match Limited::new(body, max_body).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(cause) if cause.is::<LengthLimitError>() => Err(Error::TooLarge),
        Err(_) => Err(Error::BadRequest(
            "the request body could not be read".into(),
        )),
    }
}
