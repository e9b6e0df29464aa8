//! Accepts connections, bounds their number and time, and ends them when the service stops.
//!
//! No connection waits in the system's queue: when all places are taken, a connection without a complete request makes
//! room for a new one, and a few places beyond are kept for health checks.

mod addresses;
mod places;
mod progress;
mod stream;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tower::ServiceExt;

use crate::client_ip::Peer;
use crate::input_limits::{MAX_HEADER_BYTES, MAX_HEADERS};
use crate::shutdown::{self, Phase};
use addresses::Addresses;
use places::{Kind, Places};
use progress::{Progress, Tracked};
use stream::TimedStream;

/// Time between two warnings that all places are taken.
const WARN_EVERY: Duration = Duration::from_secs(10);

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections open at a time.
    pub connections: usize,
    /// Connections from one network, other than this machine's own.
    pub per_network: usize,
    /// Time for a client to send a request's headers, from the connection or their first byte.
    pub header_timeout: Duration,
    /// Time for a client to ask again, and to take a piece of the response.
    pub client_timeout: Duration,
    /// Time for open requests once the service stops.
    pub shutdown_timeout: Duration,
}

/// Marks a request on a connection beyond the usual number: only health checks are answered there.
#[derive(Clone, Copy, Debug)]
pub struct HealthOnly;

/// Serves `router` until the phase is [`Phase::Stopping`], then finishes what is open. Returns when
/// the last connection has ended, or has been cut off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    phase: watch::Receiver<Phase>,
) {
    let networks = Addresses::default();
    let mut places = Places::new(bounds.connections);
    let mut tasks = JoinSet::new();
    let mut stopping = pin!(shutdown::stopping(phase.clone()));
    let mut warned: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            () = &mut stopping => break,
            Some(ended) = tasks.join_next_with_id() => {
                places.free(ended.map_or_else(|error| error.id(), |(id, ())| id));
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(cause) => {
                // The caller has gone, or files have run out: others end meanwhile.
                tracing::warn!(%cause, "a connection could not be accepted");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(counted) = networks.enter(peer.ip(), bounds.per_network) else {
            continue;
        };
        if places.is_full() && warned.is_none_or(|at| at.elapsed() >= WARN_EVERY) {
            warned = Some(Instant::now());
            tracing::warn!(
                connections = bounds.connections,
                "all connections are in use: those without a complete request make room"
            );
        }
        let Some(kind) = places.take() else {
            continue;
        };
        let progress = Arc::new(Progress::new());
        let connection = Connection {
            router: router.clone(),
            peer,
            kind,
            bounds,
            phase: phase.clone(),
            progress: progress.clone(),
        };
        let task = tasks.spawn(async move {
            connection.serve(stream).await;
            drop(counted);
        });
        places.occupy(task, kind, progress);
    }
    drop(listener);
    let finished = async { while tasks.join_next().await.is_some() {} };
    if timeout(bounds.shutdown_timeout, finished).await.is_err() {
        tracing::warn!(
            connections = tasks.len(),
            "cut off what has not ended in time"
        );
        tasks.shutdown().await;
    }
}

/// One accepted connection.
struct Connection {
    router: Router,
    peer: SocketAddr,
    kind: Kind,
    bounds: Bounds,
    phase: watch::Receiver<Phase>,
    progress: Arc<Progress>,
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        // Answers are small and whole.
        let _ = stream.set_nodelay(true);
        let bounds = self.bounds;
        let stopping = shutdown::stopping(self.phase.clone());
        let stream = TimedStream::new(
            stream,
            bounds.header_timeout,
            bounds.client_timeout,
            self.progress.clone(),
        );
        let service = service_fn(move |request: Request<Incoming>| {
            let began = self.progress.begin();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(self.peer));
            if self.kind == Kind::HealthOnly {
                request.extensions_mut().insert(HealthOnly);
            }
            let answer = self.router.clone().oneshot(request);
            let (phase, kind) = (self.phase.clone(), self.kind);
            let progress = self.progress.clone();
            async move {
                if !began {
                    return Err(io::Error::from(io::ErrorKind::ConnectionAborted));
                }
                let mut response = answer
                    .await
                    .unwrap_or_else(|never: Infallible| match never {});
                if kind == Kind::HealthOnly || *phase.borrow() != Phase::Running {
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(CONNECTION, close);
                }
                Ok(response.map(|body| Tracked::new(body, progress)))
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                // Between requests; the headers themselves have a timeout of their own.
                .header_read_timeout(bounds.client_timeout)
                .max_buf_size(MAX_HEADER_BYTES)
                .max_header_size(MAX_HEADER_BYTES)
                .max_headers(MAX_HEADERS)
                .serve_connection(TokioIo::new(stream), service)
        );
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stopping => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(cause) = ended {
            tracing::debug!(%cause, "a connection ended early");
        }
    }
}
