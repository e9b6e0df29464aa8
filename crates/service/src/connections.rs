//! Takes connections, gives each its time, and ends them when the service stops.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tower::ServiceExt;

use crate::peer::Peer;

/// All headers of a request together.
const MOST_HEADER_BYTES: usize = 64 * 1024;
const MOST_HEADERS: usize = 100;

/// What connections may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections open at a time.
    pub connections: usize,
    /// The same from one address, other than this machine's own.
    pub per_address: usize,
    /// For a client to send headers or to ask again, and to take a piece of the answer.
    pub client_timeout: Duration,
    /// For open requests once the service is to stop.
    pub shutdown_timeout: Duration,
}

/// Serves `router` to everybody who connects until `stop` resolves, then finishes what is open.
/// Returns when the last connection has ended, or has been cut off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    bounds: Bounds,
    stop: impl Future<Output = ()>,
) {
    let (stopping, told) = watch::channel(false);
    let places = Arc::new(Semaphore::new(bounds.connections));
    let addresses = Addresses::default();
    let mut open = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        // Nobody is accepted who would have no place: the system's queue is the place to wait in.
        let accepted = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut stop => break,
            Some(_) = open.join_next() => continue,
            accepted = accepted => accepted,
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
        let Some(counted) = addresses.enter(peer.ip(), bounds.per_address) else {
            continue;
        };
        let connection = connection(stream, peer, router.clone(), bounds, told.clone());
        open.spawn(async move {
            connection.await;
            drop((place, counted));
        });
    }
    drop(listener);
    let _ = stopping.send(true);
    let finished = async { while open.join_next().await.is_some() {} };
    if timeout(bounds.shutdown_timeout, finished).await.is_err() {
        tracing::warn!(
            connections = open.len(),
            "cut off what has not ended in time"
        );
        open.shutdown().await;
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    bounds: Bounds,
    mut told: watch::Receiver<bool>,
) {
    // Answers are small and whole.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        let answer = router.clone().oneshot(request);
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(bounds.client_timeout)
            .max_buf_size(MOST_HEADER_BYTES)
            .max_header_size(MOST_HEADER_BYTES)
            .max_headers(MOST_HEADERS)
            .serve_connection(
                TokioIo::new(Impatient::new(stream, bounds.client_timeout)),
                service
            )
    );
    // What it returns is a lock, which must not be held on to.
    let told = async move { told.wait_for(|told| *told).await.is_ok() };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = told => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(cause) = ended {
        tracing::debug!(%cause, "a connection ended early");
    }
}

/// How many connections each address has.
#[derive(Clone, Default)]
struct Addresses(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// One connection of an address, until it is dropped.
struct Counted(Addresses, IpAddr);

impl Addresses {
    /// Counts one more connection of `ip`; none if it has `most` already.
    fn enter(&self, ip: IpAddr, most: usize) -> Option<Counted> {
        let ip = ip.to_canonical();
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(ip).or_default();
        if *count >= most && !ip.is_loopback() {
            return None;
        }
        *count += 1;
        Some(Counted(self.clone(), ip))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.1);
            }
        }
    }
}

/// A stream that fails if the other side takes nothing of what is written for too long.
struct Impatient<S> {
    stream: S,
    limit: Duration,
    /// Runs while the other side takes nothing.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    fn new(stream: S, limit: Duration) -> Self {
        Self {
            stream,
            limit,
            deadline: None,
        }
    }

    /// Passes progress on; otherwise waits for it until the deadline.
    fn bounded<T>(
        &mut self,
        context: &mut Context<'_>,
        progress: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if progress.is_ready() {
            self.deadline = None;
            return progress;
        }
        let limit = self.limit;
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + limit)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let progress = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(context, progress)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let progress = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.bounded(context, progress)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let progress = Pin::new(&mut self.stream).poll_flush(context);
        self.bounded(context, progress)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let progress = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bounded(context, progress)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn who_takes_nothing_is_given_up() {
        let (here, mut there) = duplex(8);
        let mut here = Impatient::new(here, Duration::from_millis(20));
        let failed = here.write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);

        let (here, mut slow) = duplex(8);
        let mut here = Impatient::new(here, Duration::from_secs(60));
        let reading = tokio::spawn(async move {
            let mut taken = [0; 100];
            slow.read_exact(&mut taken).await.unwrap();
        });
        here.write_all(&[0; 100]).await.unwrap();
        reading.await.unwrap();
        there.shutdown().await.unwrap();
    }

    #[test]
    fn an_address_has_so_many_connections_and_gets_them_back() {
        let addresses = Addresses::default();
        let far: IpAddr = "192.0.2.1".parse().unwrap();
        let held: Vec<_> = (0..2).filter_map(|_| addresses.enter(far, 2)).collect();
        assert!(addresses.enter(far, 2).is_none());
        assert!(addresses.enter("192.0.2.2".parse().unwrap(), 2).is_some());
        let near: Vec<_> = (0..9)
            .filter_map(|_| addresses.enter("127.0.0.1".parse().unwrap(), 2))
            .collect();
        assert_eq!(near.len(), 9);
        drop((held, near));
        assert!(addresses.enter(far, 2).is_some());
        assert!(addresses.0.lock().unwrap().is_empty());
    }
}
