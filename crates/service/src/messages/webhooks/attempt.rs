//! One attempt to send a message.

use std::time::{Duration, Instant as Stopwatch};

use booking_wire::Instant;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Url};
use tracing::Instrument;
use tracing::field::Empty;

use super::body::body;
use super::http_client::{self, Reach};
use super::message_id::message_id;
use super::retries_and_limits::RETRY_DELAYS_MS;
use super::signature::{self, sign};
use crate::auth::seal::SealingKey;
use crate::clock::Clock;
use crate::error::Result;
use crate::monitoring::traces::{self, TARGET};
use crate::store::messages::deliveries::{Attempt, DueDelivery, Outcome};

/// Sends messages.
#[derive(Clone, Debug)]
pub struct Sender {
    client: Client,
    reach: Reach,
    sealing_key: SealingKey,
    clock: Clock,
    base_url: String,
}

/// A finished attempt and its duration.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The attempt with its outcome.
    pub attempt: Attempt,
    /// Time from the start to the response or failure.
    pub duration: Duration,
}

/// A failed attempt.
#[derive(Debug)]
struct Failure {
    status: Option<u16>,
    problem: String,
    is_final: bool,
}

impl Failure {
    fn temporary(problem: impl Into<String>) -> Self {
        Self {
            status: None,
            problem: problem.into(),
            is_final: false,
        }
    }
}

/// A successful attempt.
#[derive(Debug)]
struct Success {
    status: u16,
    note: Option<String>,
}

impl Sender {
    /// Returns a sender that sends as far as `reach`, with `timeout` for each response. `base_url`
    /// is the address of the service in payloads.
    pub fn new(
        reach: Reach,
        timeout: Duration,
        sealing_key: SealingKey,
        clock: Clock,
        base_url: String,
    ) -> Result<Self> {
        Ok(Self {
            client: http_client::client(reach, timeout)?,
            reach,
            sealing_key,
            clock,
            base_url,
        })
    }

    /// Sends a delivery once.
    pub async fn attempt(&self, delivery: DueDelivery) -> Finished {
        let span = tracing::trace_span!(
            target: TARGET,
            parent: None,
            "webhook",
            otel.name = "send webhook message",
            otel.kind = "client",
            otel.status_code = Empty,
            booking.webhook.id = delivery.webhook_id,
            booking.delivery.id = delivery.id,
            booking.delivery.attempts = delivery.attempts,
            booking.trigger = delivery.trigger_name,
            http.request.method = "POST",
            http.response.status_code = Empty,
        );
        traces::set_stored_parent(&span, delivery.trace_parent.as_deref());
        let began = Stopwatch::now();
        let sent = self.send(&delivery).instrument(span.clone()).await;
        let duration = began.elapsed();
        let at = self.clock.now();
        let (status, outcome) = match sent {
            Ok(Success { status, note }) => (Some(status), Outcome::Delivered { note }),
            Err(failure) => {
                span.record("otel.status_code", "ERROR");
                (failure.status, outcome(&delivery, failure, at))
            }
        };
        if let Some(status) = status {
            span.record("http.response.status_code", status);
        }
        let attempt = Attempt {
            delivery_id: delivery.id,
            webhook_id: delivery.webhook_id,
            status,
            outcome,
            at,
        };
        Finished { attempt, duration }
    }

    async fn send(&self, delivery: &DueDelivery) -> Result<Success, Failure> {
        let url = Url::parse(&delivery.subscriber_url)
            .map_err(|_| Failure::temporary("the address cannot be read"))?;
        http_client::check(&url, self.reach)
            .map_err(|error| Failure::temporary(error.to_string()))?;
        let body = body(delivery, &self.base_url).map_err(|error| Failure {
            is_final: true,
            ..Failure::temporary(error.to_string())
        })?;
        let timestamp = self.clock.now().0.div_euclid(1000);
        let id = message_id(&delivery.webhook_id, delivery.created_ms, delivery.id);
        let signatures = delivery
            .secret
            .as_deref()
            .map(|sealed| self.sealing_key.unseal(sealed, &delivery.webhook_id))
            .transpose()
            .and_then(|secret| sign(secret.as_deref(), &id, timestamp, &body.text))
            .map_err(|_| Failure::temporary("the secret cannot be opened"))?;
        let mut request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, body.content_type)
            .header(signature::SIGNATURE, &signatures.body)
            .header(signature::CAL_SIGNATURE, &signatures.body)
            .header(signature::TIMESTAMP, timestamp)
            .header(signature::TIMESTAMPED_SIGNATURE, &signatures.timestamped)
            .header(signature::VERSION, &delivery.version)
            .header(signature::CAL_VERSION, &delivery.version)
            .header(signature::STANDARD_ID, id)
            .header(signature::STANDARD_TIMESTAMP, timestamp);
        if let Some(signature) = signatures.standard {
            request = request.header(signature::STANDARD_SIGNATURE, signature);
        }
        let response = request
            .headers(traces::headers())
            .body(body.text)
            .send()
            .await
            .map_err(|error| Failure::temporary(http_client::problem(&error)))?;
        // The response's body is not read.
        let status = response.status();
        if status.is_success() {
            return Ok(Success {
                status: status.as_u16(),
                note: body.note,
            });
        }
        Err(Failure {
            status: Some(status.as_u16()),
            ..Failure::temporary(format!("answered {}", status.as_u16()))
        })
    }
}

fn outcome(delivery: &DueDelivery, failure: Failure, at: Instant) -> Outcome {
    let delay = usize::try_from(delivery.attempts)
        .ok()
        .and_then(|failed| RETRY_DELAYS_MS.get(failed))
        .filter(|_| !failure.is_final);
    let problem = failure.problem;
    match delay {
        Some(delay) => Outcome::Retry {
            problem,
            due: Instant(at.0 + delay),
        },
        None => Outcome::GivenUp { problem },
    }
}
