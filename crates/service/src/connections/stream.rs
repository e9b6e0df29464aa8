//! A stream that gives its client so much time for headers, and to take what is written.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::progress::Progress;

/// Fails reading if headers do not arrive in time, and writing if nothing is taken for too long.
pub(super) struct TimedStream<S> {
    stream: S,
    progress: Arc<Progress>,
    header_timeout: Duration,
    write_timeout: Duration,
    /// The request whose headers have begun, and when they have to be complete.
    headers: Option<(u64, Instant)>,
    header_timer: Option<Pin<Box<Sleep>>>,
    /// Runs while the client takes nothing.
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
            // A new connection is expected to ask for something.
            headers: Some((0, Instant::now() + header_timeout)),
            header_timer: None,
            write_timer: None,
        }
    }

    /// Ready when the headers that are awaited have not arrived in time.
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

    /// Passes progress on; otherwise waits for it until the timeout.
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

    use super::super::progress::Tracked;
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
        let (here, mut there) = duplex(8);
        let (mut here, _) = timed(here, LONG, Duration::from_millis(20));
        let failed = here.write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);

        let (here, mut slow) = duplex(8);
        let (mut here, _) = timed(here, LONG, Duration::from_secs(60));
        let reading = tokio::spawn(async move {
            let mut taken = [0; 100];
            slow.read_exact(&mut taken).await.unwrap();
        });
        here.write_all(&[0; 100]).await.unwrap();
        reading.await.unwrap();
        there.shutdown().await.unwrap();
    }

    #[tokio::test]
    async fn headers_have_their_time_for_each_request() {
        let (here, mut there) = duplex(64);
        let limit = Duration::from_millis(20);
        let (mut here, progress) = timed(here, limit, LONG);
        let mut buffer = [0; 8];
        // The first request begins with the connection: its first byte gives no more time.
        let first = here.headers;
        there.write_all(b"GET").await.unwrap();
        assert_eq!(here.read(&mut buffer).await.unwrap(), 3);
        assert_eq!(here.headers, first);
        let failed = here.read(&mut buffer).await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);

        // Its body, and a wait for the next request, are not headers.
        assert!(progress.begin());
        let silent = tokio::time::timeout(limit * 5, here.read(&mut buffer));
        assert!(silent.await.is_err());
        drop(Tracked::new(Body::empty(), progress.clone()));
        here.flush().await.unwrap();
        let silent = tokio::time::timeout(limit * 5, here.read(&mut buffer));
        assert!(silent.await.is_err());

        // The headers of the next one begin with their first byte.
        let before = Instant::now();
        there.write_all(b"G").await.unwrap();
        assert_eq!(here.read(&mut buffer).await.unwrap(), 1);
        assert!(
            here.headers
                .is_some_and(|(request, due)| request == 1 && due >= before + limit)
        );
        let failed = here.read(&mut buffer).await.unwrap_err();
        assert_eq!(failed.kind(), io::ErrorKind::TimedOut);
    }
}
