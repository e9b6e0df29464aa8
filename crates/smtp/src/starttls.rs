//! The part of a connection before STARTTLS.
//!
//! The SMTP library keeps its read buffer when a connection becomes encrypted, so that replies which an attacker puts
//! behind the one to STARTTLS would count as replies inside TLS (as in CVE-2021-38371). Therefore this module reads the
//! replies before TLS, and the library gets an encrypted connection from the start.

use lettre::transport::smtp::commands::{Ehlo, Starttls};
use lettre::transport::smtp::extension::{ClientId, Extension as SmtpExtension, ServerInfo};
use lettre::transport::smtp::response::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::failure::Cause;
use super::reply_stream::{MAX_LINES, MAX_REPLY_BYTES};

/// Reads the greeting and returns what the server offers.
pub(super) async fn greet(stream: &mut TcpStream, hello: &ClientId) -> Result<ServerInfo, Cause> {
    reply(stream).await?;
    let offered = command(stream, &Ehlo::new(hello.clone()).to_string()).await?;
    ServerInfo::from_response(&offered).map_err(|_| Cause::NotSmtp)
}

/// Returns true if the server offers STARTTLS.
pub(super) fn is_offered(info: &ServerInfo) -> bool {
    info.supports_feature(SmtpExtension::StartTls)
}

/// Asks the server to begin TLS.
pub(super) async fn start(stream: &mut TcpStream) -> Result<(), Cause> {
    command(stream, &Starttls.to_string()).await?;
    // A server is silent until the client begins TLS.
    match stream.try_read(&mut [0]) {
        Ok(1..) => Err(Cause::Plaintext),
        // The handshake finds out, and that of bytes which arrive later.
        Ok(0) | Err(_) => Ok(()),
    }
}

async fn command(stream: &mut TcpStream, command: &str) -> Result<Response, Cause> {
    let sent = stream.write_all(command.as_bytes()).await;
    sent.map_err(|error| Cause::of_io(&error))?;
    reply(stream).await
}

/// Reads a reply and not a byte more.
async fn reply(stream: &mut TcpStream) -> Result<Response, Cause> {
    let mut reply = Vec::new();
    let mut line_start = 0;
    let mut lines = 0;
    loop {
        let byte = stream.read_u8().await;
        reply.push(byte.map_err(|error| Cause::of_io(&error))?);
        if reply.len() > MAX_REPLY_BYTES || lines == MAX_LINES {
            return Err(Cause::TooLong);
        }
        if !reply.ends_with(b"\n") {
            continue;
        }
        // `250-` begins a line that another one follows.
        if reply.get(line_start + 3) != Some(&b'-') {
            break;
        }
        line_start = reply.len();
        lines += 1;
    }
    let text = String::from_utf8(reply).map_err(|_| Cause::NotSmtp)?;
    let response: Response = text.parse().map_err(|_| Cause::NotSmtp)?;
    if response.is_positive() {
        return Ok(response);
    }
    let text: Vec<_> = response.message().collect();
    Err(Cause::refused(response.code(), &text.join(" "), None))
}
