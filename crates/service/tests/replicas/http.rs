//! HTTP requests, one connection each.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Longer than the timeouts of the proxy and of the service.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A complete response.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// Status line and headers, in lower case.
    pub head: String,
    pub text: String,
    /// Null if the body is not JSON.
    pub body: Value,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find_map(|line| line.strip_prefix(name))?;
        line.strip_prefix(": ")
    }

    /// Message of an error body.
    pub fn message(&self) -> &str {
        self.body["error"]["message"].as_str().unwrap_or_default()
    }
}

/// Sends a request; `headers` end with line breaks. Returns `None` if there was no complete response.
pub fn send(
    address: &str,
    method: &str,
    target: &str,
    headers: &str,
    body: &str,
) -> Option<Response> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    let length = body.len();
    let request = format!(
        "{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         {headers}content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    let (head, text) = response.split_once("\r\n\r\n")?;
    let head = head.to_ascii_lowercase();
    let response = Response {
        status: head.split(' ').nth(1)?.parse().ok()?,
        body: serde_json::from_str(text).unwrap_or_default(),
        text: text.to_owned(),
        head,
    };
    match response.header("content-length") {
        Some(length) => (length.parse() == Ok(response.text.len())).then_some(response),
        // The proxy's own responses have none.
        None => response.status.ge(&500).then_some(response),
    }
}

pub fn get(address: &str, target: &str, headers: &str) -> Option<Response> {
    send(address, "GET", target, headers, "")
}

pub fn post(address: &str, target: &str, headers: &str, body: &Value) -> Option<Response> {
    send(address, "POST", target, headers, &body.to_string())
}
