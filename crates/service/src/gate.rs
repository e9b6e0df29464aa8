//! Concurrency limits: bodies are received first, within limits of size and time; then a bounded
//! number of requests is worked on at a time, of one client and in all.
//!
//! A slow caller therefore holds nothing but its own connection while it sends. A permit is held
//! until the response has been handed over, or a large response to a slow reader would take memory
//! that nothing counts.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::{Error, Result};
use crate::input_limits::{MAX_QUERY_PARAMETERS, body_bytes};
use crate::peer::{self, Network};
use crate::router::App;
use crate::validate::Query;

/// A body up to this many bytes is small.
const SMALL_BODY: u64 = 16 * 1024;
/// Bodies held at once that are not small, or do not say how large they are.
const MAX_LARGE_BODIES: usize = 64;
/// Clients whose permits are remembered while they have none in use.
const MAX_IDLE_CLIENTS: usize = 1_000;

/// Permits for work in progress. Clones share them.
#[derive(Clone, Debug)]
pub struct Gate {
    work: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
    per_client: usize,
    clients: Arc<Mutex<HashMap<Network, Arc<Semaphore>>>>,
}

impl Gate {
    /// Lets `in_flight` requests be worked on at a time, an eighth of them for one client.
    pub fn new(in_flight: usize) -> Self {
        Self {
            work: Arc::new(Semaphore::new(in_flight)),
            large_bodies: Arc::new(Semaphore::new(MAX_LARGE_BODIES)),
            per_client: in_flight.div_ceil(8),
            clients: Arc::default(),
        }
    }

    /// How many more requests could be worked on now.
    pub fn free(&self) -> usize {
        self.work.available_permits()
    }

    /// The permits of one client.
    fn of_client(&self, client: Network) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_IDLE_CLIENTS {
            // Whoever holds or waits for a permit has a clone.
            clients.retain(|_, permits| Arc::strong_count(permits) > 1);
        }
        clients
            .entry(client)
            .or_insert_with(|| Arc::new(Semaphore::new(self.per_client)))
            .clone()
    }
}

/// Receives the body, waits for a permit and runs the request, each in bounded time.
pub async fn admit(State(app): State<App>, request: Request, next: Next) -> Response {
    match enter(&app, request).await {
        Ok((request, permits)) => {
            let limit = app.settings.limits.request_timeout;
            let response = timeout(limit, next.run(request)).await;
            let response = response.unwrap_or_else(|_| {
                tracing::error!(limit_s = limit.as_secs(), "an answer was not ready in time");
                Error::Timeout.into_response()
            });
            response.map(|body| {
                Body::new(PermittedBody {
                    body,
                    _permits: permits,
                })
            })
        }
        Err(error) => error.into_response(),
    }
}

/// What a request holds from the receipt of its body until its response has been handed over.
struct Permits {
    _large_body: Option<OwnedSemaphorePermit>,
    _client: Option<OwnedSemaphorePermit>,
    _work: OwnedSemaphorePermit,
}

/// A response body with the permits of its request. The server drops it when the last byte has
/// been written, or the connection has ended.
struct PermittedBody {
    body: Body,
    _permits: Permits,
}

impl HttpBody for PermittedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

async fn enter(app: &App, request: Request) -> Result<(Request, Permits)> {
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
        let permit = app.gate.large_bodies.clone().try_acquire_owned();
        Some(permit.map_err(|_| Error::Overloaded)?)
    };
    let body = if is_empty {
        Body::empty()
    } else {
        let received = timeout(app.settings.limits.body_timeout, receive(body, max_body)).await;
        Body::from(received.map_err(|_| Error::TooSlow)??)
    };
    // This machine's own calls come from a proxy or a command, so they are many clients' or none's.
    let client = ip
        .filter(|ip| !ip.to_canonical().is_loopback())
        .map(|ip| app.gate.of_client(Network::of(ip)));
    let permits = async {
        let client = match client {
            Some(permits) => Some(permits.acquire_owned().await.ok()?),
            None => None,
        };
        Some((client, app.gate.work.clone().acquire_owned().await.ok()?))
    };
    let permits = timeout(app.settings.limits.patience, permits).await;
    let (client, work) = permits.ok().flatten().ok_or(Error::Overloaded)?;
    let permits = Permits {
        _large_body: large_body,
        _client: client,
        _work: work,
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
