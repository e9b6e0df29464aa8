//! Limits concurrent requests, per client and in total, and buffers bodies (limited in size and
//! time) before work starts.
//!
//! A slow client therefore uses only its connection while it sends. A permit is held until the
//! response is handed to the connection: otherwise large responses to slow readers would use
//! unlimited memory. Few lists, whose length depends on the database, are built at a time, and all
//! large responses share a budget of bytes.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::app::AppState;
use crate::error::{Error, Result};
use crate::input_limits::{MAX_QUERY_PARAMETERS, body_bytes};
use crate::limits::client_ip::{Network, client_ip};
use crate::limits::concurrency::{Permits, take};
use crate::validate::Query;

/// A body up to this many bytes is small.
const SMALL_BODY: u64 = 16 * 1024;

/// Receives the body, waits for a permit and runs the request, each with a timeout.
pub async fn concurrency_limit(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let response = async {
        let (request, permits) = enter(&app, request).await?;
        let build = build_permit(&app, app.concurrency.builds(&request).cloned()).await?;
        let limit = app.settings.limits.request_timeout;
        let response = timeout(limit, next.run(request)).await.map_err(|_| {
            tracing::error!(
                limit_s = limit.as_secs(),
                "a response was not ready in time"
            );
            Error::Timeout
        })?;
        drop(build);
        permits.hold_for(&app.concurrency, response)
    };
    response
        .await
        .unwrap_or_else(|error: Error| error.into_response())
}

async fn build_permit(
    app: &AppState,
    builds: Option<Arc<Semaphore>>,
) -> Result<Option<OwnedSemaphorePermit>> {
    let Some(builds) = builds else {
        return Ok(None);
    };
    let permit = timeout(app.settings.limits.queue_timeout, builds.acquire_owned());
    let permit = permit.await.ok().and_then(std::result::Result::ok);
    permit.map(Some).ok_or(Error::Overloaded)
}

async fn enter(app: &AppState, request: Request) -> Result<(Request, Permits)> {
    if request.uri().query().is_some_and(Query::is_too_long) {
        return Err(Error::BadRequest(format!(
            "the query string has more than {MAX_QUERY_PARAMETERS} parameters"
        )));
    }
    let max_body = body_bytes(request.uri().path());
    let ip = client_ip(
        request.extensions(),
        request.headers(),
        app.settings.limits.trusted_proxies,
    );
    // Loopback requests come from a proxy or a local command: they belong to no single client.
    let client = ip
        .filter(|ip| !ip.to_canonical().is_loopback())
        .map(|ip| app.concurrency.client_permits(Network::of(ip)));
    let (parts, body) = request.into_parts();
    let declared = parts
        .headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    if declared.is_some_and(|length| length > max_body as u64) {
        return Err(Error::TooLarge);
    }
    let is_empty = body.is_end_stream();
    let large_body = if is_empty || declared.is_some_and(|length| length <= SMALL_BODY) {
        None
    } else {
        let client_share = client.as_ref().map(|client| &client.large_bodies);
        Some(take(client_share, &app.concurrency.large_bodies, 1)?)
    };
    let body = if is_empty {
        Body::empty()
    } else {
        let received = timeout(app.settings.limits.body_timeout, receive(body, max_body)).await;
        Body::from(received.map_err(|_| Error::TooSlow)??)
    };
    let permits = async {
        let client_work = match &client {
            Some(permits) => Some(permits.work.clone().acquire_owned().await.ok()?),
            None => None,
        };
        Some((
            client_work,
            app.concurrency.work.clone().acquire_owned().await.ok()?,
        ))
    };
    let permits = timeout(app.settings.limits.queue_timeout, permits).await;
    let (client_work, work) = permits.ok().flatten().ok_or(Error::Overloaded)?;
    let permits = Permits {
        _large_body: large_body,
        client,
        _client_work: client_work,
        _work: work,
    };
    Ok((Request::from_parts(parts, body), permits))
}

async fn receive(body: Body, max_body: usize) -> Result<Bytes> {
    match Limited::new(body, max_body).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(cause) if cause.is::<LengthLimitError>() => Err(Error::TooLarge),
        Err(_) => Err(Error::BadRequest(
            "the request body could not be read".into(),
        )),
    }
}
