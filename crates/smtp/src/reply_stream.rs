//! A connection to the mail server with a limit for replies, below the SMTP library.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Longest reply to a command, in bytes. RFC 5321 allows 512 for a line; a reply to EHLO has some twenty lines.
pub(super) const MAX_REPLY_BYTES: usize = 8 * 1024;

/// Most lines of a reply. With each line, the SMTP library parses those before it again.
pub(super) const MAX_LINES: usize = 100;

/// Error: a reply is longer than [`MAX_REPLY_BYTES`] or has more lines than [`MAX_LINES`].
#[derive(Debug)]
pub(super) struct ReplyTooLong;

impl fmt::Display for ReplyTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reply is too long")
    }
}

impl std::error::Error for ReplyTooLong {}

/// A connection whose replies are limited: the SMTP library would read a line of any length into memory. The library
/// sends a command only after the reply to the one before, so a reply is what arrives between two writes.
#[derive(Debug)]
pub(super) struct ReplyStream<S> {
    stream: S,
    address: SocketAddr,
    /// Bytes to be read before those of the server.
    prefix: &'static [u8],
    /// Bytes received since the last write.
    received: usize,
    /// Lines received since the last write.
    lines: usize,
}

impl<S> ReplyStream<S> {
    /// A connection to a server that has not greeted yet.
    pub(super) fn new(stream: S, address: SocketAddr) -> Self {
        Self {
            stream,
            address,
            prefix: b"",
            received: 0,
            lines: 0,
        }
    }

    /// A connection to a server that has greeted already. The SMTP library reads a greeting, which this one makes up.
    pub(super) fn after_greeting(stream: S, address: SocketAddr) -> Self {
        Self {
            prefix: b"220 \r\n",
            ..Self::new(stream, address)
        }
    }

    fn is_too_long(&self) -> bool {
        self.received > MAX_REPLY_BYTES || self.lines > MAX_LINES
    }
}

impl<S> AsyncTokioStream for ReplyStream<S>
where
    S: AsyncRead + AsyncWrite + fmt::Debug + Send + Sync + Unpin,
{
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReplyStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.prefix.is_empty() {
            let (now, later) = self
                .prefix
                .split_at(self.prefix.len().min(buffer.remaining()));
            buffer.put_slice(now);
            self.prefix = later;
            return Poll::Ready(Ok(()));
        }
        let filled = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        let new = buffer.filled().get(filled..).unwrap_or_default();
        self.received += new.len();
        self.lines += new.iter().filter(|byte| **byte == b'\n').count();
        if self.is_too_long() {
            buffer.set_filled(filled);
            return Poll::Ready(Err(io::Error::other(ReplyTooLong)));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReplyStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // After a reply that was too long, the connection cannot be used.
        if !self.is_too_long() {
            self.received = 0;
            self.lines = 0;
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
