//! Concurrent clients on keep-alive connections that send requests one after the other.
//!
//! A minimal HTTP/1.1 client for responses with a `content-length`, so that it uses little
//! processor time itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Outcome;

/// Measurements of one run.
#[derive(Default)]
pub(crate) struct Sample {
    /// Response times in microseconds.
    pub(crate) micros: Vec<u64>,
    /// Duration of the run.
    pub(crate) duration: Duration,
}

/// Percentile of response times, which need not be sorted.
pub(crate) fn percentile(micros: &[u64], percent: usize) -> u64 {
    let mut sorted = micros.to_vec();
    sorted.sort_unstable();
    let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(index).copied().unwrap_or_default()
}

/// Requests and the number of concurrent clients.
pub(crate) struct Load {
    /// One for each replica.
    addresses: Vec<String>,
    callers: usize,
    requests: Arc<Vec<Vec<u8>>>,
    next: Arc<AtomicUsize>,
    repeat: bool,
}

impl Load {
    /// Sends `requests` repeatedly; the clients use the addresses in turns.
    pub(crate) fn new(addresses: &[String], callers: usize, requests: Vec<Vec<u8>>) -> Self {
        Self {
            addresses: addresses.to_vec(),
            callers,
            requests: Arc::new(requests),
            next: Arc::default(),
            repeat: true,
        }
    }

    /// Sends each of `requests` once.
    pub(crate) fn once_each(addresses: &[String], callers: usize, requests: Vec<Vec<u8>>) -> Self {
        Self {
            repeat: false,
            ..Self::new(addresses, callers, requests)
        }
    }

    /// Sends requests for the given duration. Every response must have `status`.
    pub(crate) async fn run(&mut self, duration: Duration, status: u16) -> Outcome<Sample> {
        let started = Instant::now();
        let mut callers = JoinSet::new();
        for address in self.addresses.iter().cycle().take(self.callers) {
            let mut connection = Connection::open(address).await?;
            let (requests, next, repeat) = (self.requests.clone(), self.next.clone(), self.repeat);
            callers.spawn(async move {
                let mut micros = Vec::new();
                while started.elapsed() < duration {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let index = if repeat {
                        index % requests.len()
                    } else {
                        index
                    };
                    let Some(request) = requests.get(index) else {
                        break;
                    };
                    let request_started = Instant::now();
                    let response = connection.send(request).await?;
                    micros.push(u64::try_from(request_started.elapsed().as_micros())?);
                    if response.status != status {
                        let body = String::from_utf8_lossy(&response.body).into_owned();
                        return Err(format!("answered with {}: {body}", response.status).into());
                    }
                }
                Outcome::Ok(micros)
            });
        }
        let mut sample = Sample::default();
        while let Some(result) = callers.join_next().await {
            sample.micros.extend(result??);
        }
        sample.duration = started.elapsed();
        Ok(sample)
    }
}

impl Load {
    /// Sends one request each `interval` for the given duration, beside another load. Every response must have `status`.
    pub(crate) async fn run_slowly(
        &mut self,
        interval: Duration,
        duration: Duration,
        status: u16,
    ) -> Outcome {
        let address = self.addresses.first().ok_or("there is no address")?;
        let mut connection = Connection::open(address).await?;
        let mut ticks = tokio::time::interval(interval);
        let end = Instant::now() + duration;
        while ticks.tick().await.into_std() < end {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let request = self
                .requests
                .get(index)
                .ok_or("there are too few requests")?;
            let response = connection.send(request).await?;
            if response.status != status {
                return Err(format!("answered with {}", response.status).into());
            }
        }
        Ok(())
    }
}

/// HTTP response.
pub(crate) struct Response {
    /// HTTP status.
    pub(crate) status: u16,
    /// Body.
    pub(crate) body: Vec<u8>,
}

/// Keep-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(address: &str) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(64 * 1024),
        })
    }

    /// Sends a request and reads the complete response.
    pub(crate) async fn send(&mut self, request: &[u8]) -> Outcome<Response> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head = loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more().await?;
        };
        let text = String::from_utf8_lossy(self.buffer.get(..head).unwrap_or_default());
        let status = text
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .ok_or("the answer has no status")?;
        let length: usize = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .and_then(|(_, value)| value.trim().parse().ok())
            .ok_or("the answer does not say its length")?;
        while self.buffer.len() < head + length {
            self.read_more().await?;
        }
        Ok(Response {
            status,
            body: self.buffer.split_off(head),
        })
    }

    async fn read_more(&mut self) -> Outcome {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            return Err("the connection was closed in the middle of an answer".into());
        }
        Ok(())
    }
}

/// Serializes a GET request.
pub(crate) fn get(target: &str, host: &str, api_key: Option<&str>) -> Vec<u8> {
    let authorization = api_key
        .map(|key| format!("authorization: Bearer {key}\r\n"))
        .unwrap_or_default();
    format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n{authorization}\r\n").into_bytes()
}

/// Serializes a POST request with a JSON body.
pub(crate) fn post(target: &str, host: &str, body: &serde_json::Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {target} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
