//! Accepts connections, limits their number and duration, and closes them when the service stops.
//!
//! No connection waits in the system's queue: at the limit, an idle connection (without a complete
//! request) is closed in favour of a new one, and a few extra connections are reserved for health
//! checks.

mod network_counts;
mod open_connections;
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
use network_counts::NetworkCounts;
use open_connections::{ConnectionKind, OpenConnections};
use progress::{Progress, TrackedBody};
use stream::TimedStream;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tower::ServiceExt;

use crate::input_limits::{MAX_HEADER_BYTES, MAX_HEADERS};
use crate::limits::client_ip::Peer;
use crate::process::shutdown::{self, Phase};

/// Pause after a connection that could not be accepted.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Time between two warnings that all connections are in use.
const WARN_INTERVAL: Duration = Duration::from_secs(10);

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections open at a time.
    pub connections: usize,
    /// Connections from one network; the loopback interface is exempt.
    pub per_network: usize,
    /// Time for a client to send request headers, from the connection or the first byte.
    pub header_timeout: Duration,
    /// Time for a client to send the next request, and to read a part of the response.
    pub client_timeout: Duration,
    /// Time for open requests once the service stops.
    pub shutdown_timeout: Duration,
}

/// Request extension of a connection beyond the limit, which accepts only health checks.
#[derive(Clone, Copy, Debug)]
pub struct HealthOnly;

/// Serves `router` until the phase is [`Phase::Stopping`], then finishes open requests. Returns
/// when the last connection has ended or was closed after the shutdown timeout.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    phase: watch::Receiver<Phase>,
) {
    let networks = NetworkCounts::default();
    let mut open_connections = OpenConnections::new(limits.connections);
    let mut tasks = JoinSet::new();
    let mut stopping = pin!(shutdown::stopping(phase.clone()));
    let mut last_warning: Option<Instant> = None;
    loop {
        let accepted = tokio::select! {
            () = &mut stopping => break,
            Some(result) = tasks.join_next_with_id() => {
                open_connections.remove(result.map_or_else(|error| error.id(), |(id, ())| id));
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(cause) => {
                // The client has disconnected, or file descriptors have run out: wait.
                tracing::warn!(%cause, "a connection could not be accepted");
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let Some(counted) = networks.add(peer.ip(), limits.per_network) else {
            continue;
        };
        if open_connections.is_full() && last_warning.is_none_or(|at| at.elapsed() >= WARN_INTERVAL)
        {
            last_warning = Some(Instant::now());
            tracing::warn!(
                connections = limits.connections,
                "all connections are in use: closing idle ones for new ones"
            );
        }
        let Some(kind) = open_connections.admit() else {
            continue;
        };
        let progress = Arc::new(Progress::new());
        let connection = Connection {
            router: router.clone(),
            peer,
            kind,
            limits,
            phase: phase.clone(),
            progress: progress.clone(),
        };
        let task = tasks.spawn(async move {
            connection.serve(stream).await;
            drop(counted);
        });
        open_connections.insert(task, kind, progress);
    }
    drop(listener);
    let finished = async { while tasks.join_next().await.is_some() {} };
    if timeout(limits.shutdown_timeout, finished).await.is_err() {
        tracing::warn!(
            connections = tasks.len(),
            "closed connections that did not end in time"
        );
        tasks.shutdown().await;
    }
}

/// One accepted connection.
struct Connection {
    router: Router,
    peer: SocketAddr,
    kind: ConnectionKind,
    limits: ConnectionLimits,
    phase: watch::Receiver<Phase>,
    progress: Arc<Progress>,
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        // Responses are small and written at once.
        let _ = stream.set_nodelay(true);
        let limits = self.limits;
        let stopping = shutdown::stopping(self.phase.clone());
        let stream = TimedStream::new(
            stream,
            limits.header_timeout,
            limits.client_timeout,
            self.progress.clone(),
        );
        let service = service_fn(move |request: Request<Incoming>| {
            let is_admitted = self.progress.begin();
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(self.peer));
            if self.kind == ConnectionKind::HealthOnly {
                request.extensions_mut().insert(HealthOnly);
            }
            let response = self.router.clone().oneshot(request);
            let (phase, kind) = (self.phase.clone(), self.kind);
            let progress = self.progress.clone();
            async move {
                if !is_admitted {
                    return Err(io::Error::from(io::ErrorKind::ConnectionAborted));
                }
                let mut response = response
                    .await
                    .unwrap_or_else(|infallible: Infallible| match infallible {});
                if kind == ConnectionKind::HealthOnly || *phase.borrow() != Phase::Running {
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(CONNECTION, close);
                }
                Ok(response.map(|body| TrackedBody::new(body, progress)))
            }
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                // Applies between requests; `TimedStream` limits the time of the headers.
                .header_read_timeout(limits.client_timeout)
                .max_buf_size(MAX_HEADER_BYTES)
                .max_header_size(MAX_HEADER_BYTES)
                .max_headers(MAX_HEADERS)
                .serve_connection(TokioIo::new(stream), service)
        );
        let result = tokio::select! {
            result = connection.as_mut() => result,
            () = stopping => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(cause) = result {
            tracing::debug!(%cause, "a connection ended early");
        }
    }
}
