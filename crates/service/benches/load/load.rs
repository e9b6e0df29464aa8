//! Concurrent clients on keep-alive connections that send requests one after the other.
//!
//! `oha` and `autocannon` repeat requests or choose them at random; here each booking is sent once, and loads take turns
//! in rounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http;
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time;

use crate::Outcome;

/// HTTP request.
pub(crate) type Request = http::Request<Full<Bytes>>;

/// Response times of one load, of all rounds.
#[derive(Default)]
pub(crate) struct Sample {
    micros: Vec<u64>,
    duration: Duration,
}

impl Sample {
    /// Adds the time since `started`.
    pub(crate) fn record(&mut self, started: Instant) {
        let micros = u64::try_from(started.elapsed().as_micros());
        self.micros.push(micros.unwrap_or(u64::MAX));
    }

    /// Adds the measurements of another round.
    pub(crate) fn add(&mut self, round: &Self) {
        self.micros.extend(&round.micros);
        self.duration += round.duration;
    }

    /// Sets the duration of the round that began at `started`.
    pub(crate) fn end(mut self, started: Instant) -> Self {
        self.duration = started.elapsed();
        self
    }

    /// Number of responses.
    pub(crate) fn count(&self) -> usize {
        self.micros.len()
    }

    /// Percentile of the response times in milliseconds.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.micros.clone();
        sorted.sort_unstable();
        let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(index).copied().unwrap_or_default() as f64 / 1000.0
    }

    /// Responses per second.
    pub(crate) fn per_second(&self) -> f64 {
        self.count() as f64 / self.duration.as_secs_f64()
    }
}

/// Requests and the number of concurrent clients.
pub(crate) struct Load {
    /// One for each replica.
    addresses: Vec<String>,
    callers: usize,
    requests: Arc<Vec<Request>>,
    next: Arc<AtomicUsize>,
    repeat: bool,
}

impl Load {
    /// Sends `requests` repeatedly; the clients use the addresses in turns.
    pub(crate) fn new(addresses: &[String], callers: usize, requests: Vec<Request>) -> Self {
        Self {
            addresses: addresses.to_vec(),
            callers,
            requests: Arc::new(requests),
            next: Arc::default(),
            repeat: true,
        }
    }

    /// Sends each of `requests` once.
    pub(crate) fn once_each(addresses: &[String], callers: usize, requests: Vec<Request>) -> Self {
        Self {
            repeat: false,
            ..Self::new(addresses, callers, requests)
        }
    }

    /// Sends requests for the given duration, each client the next one after a response.
    pub(crate) async fn run(&self, duration: Duration) -> Outcome<Sample> {
        self.run_with(None, duration).await
    }

    /// Sends requests for the given duration at a rate. Response times count from the planned time of the request.
    pub(crate) async fn run_at(&self, per_second: f64, duration: Duration) -> Outcome<Sample> {
        let interval = Duration::from_secs_f64(self.callers as f64 / per_second);
        self.run_with(Some(interval), duration).await
    }

    async fn run_with(&self, interval: Option<Duration>, duration: Duration) -> Outcome<Sample> {
        let started = Instant::now();
        let mut callers = JoinSet::new();
        for (number, address) in (0..self.callers).zip(self.addresses.iter().cycle()) {
            let mut ticks = interval.map(|interval| {
                let share = number as f64 / self.callers as f64;
                time::interval_at(time::Instant::now() + interval.mul_f64(share), interval)
            });
            let mut connection = Connection::open(address).await?;
            let (requests, next, repeat) = (self.requests.clone(), self.next.clone(), self.repeat);
            callers.spawn(async move {
                let mut sample = Sample::default();
                loop {
                    let planned = match &mut ticks {
                        Some(ticks) => ticks.tick().await.into_std(),
                        None => Instant::now(),
                    };
                    if planned.duration_since(started) >= duration {
                        break;
                    }
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let index = if repeat {
                        index % requests.len()
                    } else {
                        index
                    };
                    let Some(request) = requests.get(index) else {
                        break;
                    };
                    connection.send(request).await?;
                    sample.record(planned);
                }
                Outcome::Ok(sample)
            });
        }
        let mut sample = Sample::default();
        while let Some(result) = callers.join_next().await {
            sample.add(&result??);
        }
        Ok(sample.end(started))
    }

    /// Sends one request each `interval` for the given duration, beside another load.
    pub(crate) async fn run_slowly(&self, interval: Duration, duration: Duration) -> Outcome {
        let address = self.addresses.first().ok_or("there is no address")?;
        let mut connection = Connection::open(address).await?;
        let mut ticks = time::interval(interval);
        let end = Instant::now() + duration;
        while ticks.tick().await.into_std() < end {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let request = self.requests.get(index);
            connection
                .send(request.ok_or("there are too few requests")?)
                .await?;
        }
        Ok(())
    }
}

/// Keep-alive connection.
pub(crate) struct Connection(SendRequest<Full<Bytes>>);

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(address: &str) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    /// Returns false once the server has closed the connection.
    pub(crate) fn is_open(&self) -> bool {
        !self.0.is_closed()
    }

    /// Sends a request and returns the body of its response, which must be that of a success.
    pub(crate) async fn send(&mut self, request: &Request) -> Outcome<Bytes> {
        let (status, body) = self.exchange(request).await?;
        if !status.is_success() {
            let body = String::from_utf8_lossy(&body);
            return Err(format!("answered with {status}: {body}").into());
        }
        Ok(body)
    }

    /// Sends a request and returns status and body of its response.
    pub(crate) async fn exchange(&mut self, request: &Request) -> Outcome<(StatusCode, Bytes)> {
        self.0.ready().await?;
        let response = self.0.send_request(request.clone()).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        Ok((status, body))
    }
}

/// Builds a GET request.
pub(crate) fn get(target: &str, api_key: Option<&str>) -> Outcome<Request> {
    let mut request = http::Request::get(target).header(HOST, "service");
    if let Some(key) = api_key {
        request = request.header(AUTHORIZATION, format!("Bearer {key}"));
    }
    Ok(request.body(Full::default())?)
}

/// Builds a POST request with a JSON body.
pub(crate) fn post(target: &str, body: &serde_json::Value) -> Outcome<Request> {
    with_body(http::Request::post(target), body)
}

/// Builds a PATCH request with a JSON body.
pub(crate) fn patch(target: &str, api_key: &str, body: &serde_json::Value) -> Outcome<Request> {
    let request = http::Request::patch(target);
    with_body(
        request.header(AUTHORIZATION, format!("Bearer {api_key}")),
        body,
    )
}

fn with_body(request: http::request::Builder, body: &serde_json::Value) -> Outcome<Request> {
    let request = request.header(HOST, "service");
    let request = request.header(CONTENT_TYPE, "application/json");
    Ok(request.body(Full::from(body.to_string()))?)
}
