//! A stream with timeouts for receiving request headers and for writing.
//!
//! The timeouts of `hyper` and `tower_http` do not cover a client that reads its response slowly.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::progress::Progress;

/// Fails reads if headers do not arrive in time, and writes if the client reads nothing for too
/// long.
pub(super) struct TimedStream<S> {
    stream: S,
    progress: Arc<Progress>,
    header_timeout: Duration,
    write_timeout: Duration,
    /// The request whose headers have begun, and their deadline.
    headers: Option<(u64, Instant)>,
    header_timer: Option<Pin<Box<Sleep>>>,
    /// Runs while the client reads nothing.
    write_timer: Option<Pin<Box<Sleep>>>,
}

impl<S> TimedStream<S> {
    pub(super) fn new(
        stream: S,
        header_timeout: Duration,
        write_timeout: Duration,
        progress: Arc<Progress>,
    ) -> Self {
        Self {
            stream,
            progress,
            header_timeout,
            write_timeout,
            // A new connection is expected to send a request.
            headers: Some((0, Instant::now() + header_timeout)),
            header_timer: None,
            write_timer: None,
        }
    }

    /// Ready when the awaited headers have not arrived in time.
    fn poll_headers(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let awaited = self.progress.awaited_request();
        let Some((_, due)) = self
            .headers
            .filter(|(request, _)| awaited == Some(*request))
        else {
            self.header_timer = None;
            return Poll::Pending;
        };
        let timer = self
            .header_timer
            .get_or_insert_with(|| Box::pin(sleep_until(due)));
        if timer.deadline() != due {
            timer.as_mut().reset(due);
        }
        timer.as_mut().poll(context)
    }

    /// Returns a completed write; otherwise waits until the timeout.
    fn timed_write<T>(
        &mut self,
        context: &mut Context<'_>,
        progress: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if progress.is_ready() {
            self.write_timer = None;
            return progress;
        }
        let limit = self.write_timeout;
        let timer = self
            .write_timer
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + limit)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending() {
            ready!(self.poll_headers(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if buffer.filled().len() > before
            && let Some(request) = self.progress.awaited_request()
            && self.headers.is_none_or(|(begun, _)| begun != request)
        {
            self.headers = Some((request, Instant::now() + self.header_timeout));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let progress = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed_write(context, progress)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let progress = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.timed_write(context, progress)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let progress = Pin::new(&mut self.stream).poll_flush(context);
        let flushed = self.timed_write(context, progress);
        if matches!(flushed, Poll::Ready(Ok(()))) {
            self.progress.flushed();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let progress = Pin::new(&mut self.stream).poll_shutdown(context);
        self.timed_write(context, progress)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::super::progress::TrackedBody;
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn timed(
        stream: DuplexStream,
        header_timeout: Duration,
        write_timeout: Duration,
    ) -> (TimedStream<DuplexStream>, Arc<Progress>) {
        let progress = Arc::new(Progress::new());
        let stream = TimedStream::new(stream, header_timeout, write_timeout, progress.clone());
        (stream, progress)
    }

    #[tokio::test]
    async fn slow_reader_is_disconnected() {
        let (server, mut client) = duplex(8);
        let (mut server, _) = timed(server, LONG, Duration::from_millis(20));
        let error = server.write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);

        let (server, mut slow_client) = duplex(8);
        let (mut server, _) = timed(server, LONG, Duration::from_secs(60));
        let reading = tokio::spawn(async move {
            let mut received = [0; 100];
            slow_client.read_exact(&mut received).await.unwrap();
        });
        server.write_all(&[0; 100]).await.unwrap();
        reading.await.unwrap();
        client.shutdown().await.unwrap();
    }

    #[tokio::test]
    async fn header_timeout_applies_to_each_request() {
        let (server, mut client) = duplex(64);
        let limit = Duration::from_millis(20);
        let (mut server, progress) = timed(server, limit, LONG);
        let mut buffer = [0; 8];
        // The first request begins with the connection: its first byte does not extend the time.
        let first = server.headers;
        client.write_all(b"GET").await.unwrap();
        assert_eq!(server.read(&mut buffer).await.unwrap(), 3);
        assert_eq!(server.headers, first);
        let error = server.read(&mut buffer).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);

        // The body, and the wait for the next request, are not limited.
        assert!(progress.begin());
        let read = tokio::time::timeout(limit * 5, server.read(&mut buffer));
        assert!(read.await.is_err());
        drop(TrackedBody::new(Body::empty(), progress.clone()));
        server.flush().await.unwrap();
        let read = tokio::time::timeout(limit * 5, server.read(&mut buffer));
        assert!(read.await.is_err());

        // The time for the next headers begins with their first byte.
        let before = Instant::now();
        client.write_all(b"G").await.unwrap();
        assert_eq!(server.read(&mut buffer).await.unwrap(), 1);
        assert!(
            server
                .headers
                .is_some_and(|(request, due)| request == 1 && due >= before + limit)
        );
        let error = server.read(&mut buffer).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
