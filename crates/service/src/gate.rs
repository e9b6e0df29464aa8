//! What the service takes on at once: bodies are received first, within bounds of size and time,
//! and then so many requests are worked on at a time.
//!
//! A slow caller therefore holds nothing but its own connection.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::{Error, Result};
use crate::router::App;
use crate::validate::MAX_BODY;

/// A body up to this many bytes is small.
const SMALL_BODY: u64 = 16 * 1024;
/// Bodies held at once that are not small, or do not say how large they are.
const MOST_LARGE_BODIES: usize = 64;

/// How much is going on. Clones share it.
#[derive(Clone, Debug)]
pub struct Gate {
    work: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
}

impl Gate {
    /// Lets `in_flight` requests be worked on at a time.
    pub fn new(in_flight: usize) -> Self {
        Self {
            work: Arc::new(Semaphore::new(in_flight)),
            large_bodies: Arc::new(Semaphore::new(MOST_LARGE_BODIES)),
        }
    }

    /// How many more requests could be worked on now.
    pub fn free(&self) -> usize {
        self.work.available_permits()
    }
}

/// Receives the body, waits for a turn and lets the request be answered, each in bounded time.
pub async fn admit(State(app): State<App>, request: Request, next: Next) -> Response {
    match enter(&app, request).await {
        Ok((request, permits)) => {
            let limit = app.settings.limits.request_timeout;
            let answer = timeout(limit, next.run(request)).await;
            drop(permits);
            answer.unwrap_or_else(|_| {
                tracing::error!(limit_s = limit.as_secs(), "an answer was not ready in time");
                Error::Timeout.into_response()
            })
        }
        Err(error) => error.into_response(),
    }
}

/// What a request holds while it is worked on.
struct Permits {
    _large_body: Option<OwnedSemaphorePermit>,
    _work: OwnedSemaphorePermit,
}

async fn enter(app: &App, request: Request) -> Result<(Request, Permits)> {
    let (parts, body) = request.into_parts();
    let declared = parts
        .headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    if declared.is_some_and(|length| length > MAX_BODY as u64) {
        return Err(Error::TooLarge);
    }
    let is_empty = body.is_end_stream();
    let large_body = if is_empty || declared.is_some_and(|length| length <= SMALL_BODY) {
        None
    } else {
        let permit = app.gate.large_bodies.clone().try_acquire_owned();
        Some(permit.map_err(|_| Error::Overloaded)?)
    };
    let body = if is_empty {
        Body::empty()
    } else {
        let received = timeout(app.settings.limits.body_timeout, receive(body)).await;
        Body::from(received.map_err(|_| Error::TooSlow)??)
    };
    let work = timeout(
        app.settings.limits.patience,
        app.gate.work.clone().acquire_owned(),
    )
    .await;
    let permits = Permits {
        _large_body: large_body,
        _work: work.ok().and_then(Result::ok).ok_or(Error::Overloaded)?,
    };
    Ok((Request::from_parts(parts, body), permits))
}

async fn receive(body: Body) -> Result<Bytes> {
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(cause) if cause.is::<LengthLimitError>() => Err(Error::TooLarge),
        Err(_) => Err(Error::BadRequest(
            "the request body could not be read".into(),
        )),
    }
}
