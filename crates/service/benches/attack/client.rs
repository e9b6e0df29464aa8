//! A blocking HTTP/1.1 client that sends any bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::Outcome;

/// Time to wait for a response.
const TIMEOUT: Duration = Duration::from_secs(40);

/// HTTP request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Method, path template and shape, for the report.
    pub(crate) name: String,
    /// HTTP method.
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) target: String,
    /// Header lines, each with its line end.
    pub(crate) headers: String,
    /// Body.
    pub(crate) body: Option<Vec<u8>>,
}

impl Request {
    /// Serializes the request for `host`.
    pub(crate) fn bytes(&self, host: &str) -> Vec<u8> {
        let mut bytes = format!(
            "{} {} HTTP/1.1\r\nhost: {host}\r\n{}",
            self.method, self.target, self.headers
        )
        .into_bytes();
        if let Some(body) = &self.body {
            let headers = format!(
                "content-type: application/json\r\ncontent-length: {}\r\n",
                body.len()
            );
            bytes.extend(headers.into_bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(self.body.iter().flatten());
        bytes
    }
}

/// Status and body of a response.
pub(crate) struct Response {
    /// HTTP status.
    pub(crate) status: u16,
    /// Body.
    pub(crate) body: Vec<u8>,
}

/// Keep-alive connection that is reopened when the service has closed it.
pub(crate) struct Client {
    address: String,
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

impl Client {
    /// Creates a client of the service at `address`.
    pub(crate) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            stream: None,
            buffer: Vec::new(),
        }
    }

    /// Sends a request and reads the response. `None` if the connection ends without one, also
    /// after a retry on a new connection: an idle connection may be closed at any time.
    pub(crate) fn send(&mut self, request: &[u8]) -> Outcome<Option<Response>> {
        for _ in 0..2 {
            let is_new = self.stream.is_none();
            if let Some(response) = self.try_send(request)? {
                return Ok(Some(response));
            }
            self.stream = None;
            if is_new {
                break;
            }
        }
        Ok(None)
    }

    fn try_send(&mut self, request: &[u8]) -> Outcome<Option<Response>> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                let stream = TcpStream::connect(&self.address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(TIMEOUT))?;
                stream.set_write_timeout(Some(TIMEOUT))?;
                self.buffer.clear();
                none.insert(stream)
            }
        };
        // A service that rejects a large request responds before it has read all of it.
        let _ = stream.write_all(request);
        let head_end = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end;
            }
            if !fill(stream, &mut self.buffer)? {
                return Ok(None);
            }
        };
        let head = String::from_utf8_lossy(self.buffer.get(..head_end).unwrap_or_default())
            .to_ascii_lowercase();
        self.buffer.drain(..head_end + 4);
        let status: u16 = head
            .split_whitespace()
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or("the response has no status")?;
        let header = |name: &str| {
            head.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        let body = if header("transfer-encoding") == Some("chunked") {
            read_chunks(stream, &mut self.buffer)?
        } else {
            let length = header("content-length").unwrap_or("0").parse()?;
            if status == 204 {
                Some(Vec::new())
            } else {
                take(stream, &mut self.buffer, length)?
            }
        };
        if header("connection") == Some("close") || body.is_none() {
            self.stream = None;
        }
        Ok(body.map(|body| Response { status, body }))
    }
}

/// Reads available bytes into the buffer. Returns false if the connection has ended.
fn fill(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Outcome<bool> {
    let mut chunk = [0; 64 * 1024];
    match stream.read(&mut chunk) {
        Ok(0) => Ok(false),
        Ok(count) => {
            buffer.extend(chunk.iter().take(count));
            Ok(true)
        }
        Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(false),
        Err(error) => Err(format!("no response: {error}").into()),
    }
}

/// Reads `length` bytes. `None` if the connection ends before.
fn take(stream: &mut TcpStream, buffer: &mut Vec<u8>, length: usize) -> Outcome<Option<Vec<u8>>> {
    while buffer.len() < length {
        if !fill(stream, buffer)? {
            return Ok(None);
        }
    }
    Ok(Some(buffer.drain(..length).collect()))
}

fn read_chunks(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Outcome<Option<Vec<u8>>> {
    let mut body = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = find(buffer, b"\r\n") {
                break end;
            }
            if !fill(stream, buffer)? {
                return Ok(None);
            }
        };
        let size = String::from_utf8_lossy(buffer.get(..end).unwrap_or_default()).into_owned();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)?;
        buffer.drain(..end + 2);
        let Some(mut chunk) = take(stream, buffer, size + 2)? else {
            return Ok(None);
        };
        chunk.truncate(size);
        if size == 0 {
            return Ok(Some(body));
        }
        body.append(&mut chunk);
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}
