//! A few callers on kept-alive connections who ask, wait for the whole answer, and ask again.
//!
//! It speaks just enough HTTP/1.1 for answers that say their length, so that it takes as little
//! as possible of the machine that it measures.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Outcome;

/// What one turn measured.
#[derive(Default)]
pub(crate) struct Sample {
    /// How long each answer took, in microseconds.
    pub(crate) micros: Vec<u64>,
    /// How long the turn lasted.
    pub(crate) lasted: Duration,
}

/// Requests and who sends them.
pub(crate) struct Load {
    address: String,
    callers: usize,
    requests: Arc<Vec<Vec<u8>>>,
    next: Arc<AtomicUsize>,
    repeat: bool,
}

impl Load {
    /// Sends `requests` over and over.
    pub(crate) fn new(address: &str, callers: usize, requests: Vec<Vec<u8>>) -> Self {
        Self {
            address: address.to_owned(),
            callers,
            requests: Arc::new(requests),
            next: Arc::default(),
            repeat: true,
        }
    }

    /// Sends each of `requests` once.
    pub(crate) fn once_each(address: &str, callers: usize, requests: Vec<Vec<u8>>) -> Self {
        Self {
            repeat: false,
            ..Self::new(address, callers, requests)
        }
    }

    /// Sends requests for as long as `turn`; every answer must have this status.
    pub(crate) async fn run(&mut self, turn: Duration, status: u16) -> Outcome<Sample> {
        let started = Instant::now();
        let mut callers = JoinSet::new();
        for _ in 0..self.callers {
            let mut connection = Connection::open(&self.address).await?;
            let (requests, next, repeat) = (self.requests.clone(), self.next.clone(), self.repeat);
            callers.spawn(async move {
                let mut micros = Vec::new();
                while started.elapsed() < turn {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let place = if repeat {
                        place % requests.len()
                    } else {
                        place
                    };
                    let Some(request) = requests.get(place) else {
                        break;
                    };
                    let asked = Instant::now();
                    let answer = connection.ask(request).await?;
                    micros.push(u64::try_from(asked.elapsed().as_micros())?);
                    if answer.status != status {
                        let body = String::from_utf8_lossy(&answer.body).into_owned();
                        return Err(format!("answered with {}: {body}", answer.status).into());
                    }
                }
                Outcome::Ok(micros)
            });
        }
        let mut sample = Sample::default();
        while let Some(done) = callers.join_next().await {
            sample.micros.extend(done??);
        }
        sample.lasted = started.elapsed();
        Ok(sample)
    }
}

/// What came back.
pub(crate) struct Answer {
    /// HTTP status.
    pub(crate) status: u16,
    /// The whole body.
    pub(crate) body: Vec<u8>,
}

/// One kept-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: &str) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(64 * 1024),
        })
    }

    /// Sends a request and reads its answer to the end.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Outcome<Answer> {
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
        Ok(Answer {
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

/// A GET request as it goes over the wire.
pub(crate) fn get(target: &str, host: &str, api_key: Option<&str>) -> Vec<u8> {
    let authorization = api_key
        .map(|key| format!("authorization: Bearer {key}\r\n"))
        .unwrap_or_default();
    format!("GET {target} HTTP/1.1\r\nhost: {host}\r\n{authorization}\r\n").into_bytes()
}

/// A POST request with a JSON body.
pub(crate) fn post(target: &str, host: &str, body: &serde_json::Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {target} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
