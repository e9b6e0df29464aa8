//! OpenTelemetry traces of requests, statements and attempts to send messages, exported over OTLP (HTTP, protobuf).
//!
//! Off without an endpoint: spans of [`TARGET`] are then disabled, and cost a comparison. `OTEL_*` variables of the SDK apply.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::thread;

use axum::http::HeaderMap;
pub use booking_store_engine::statements::TRACE_TARGET as TARGET;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{HeaderExtractor, HeaderInjector};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Reason why traces cannot be exported.
pub type Problem = Box<dyn Error + Send + Sync>;

/// Name of the service, unless `OTEL_SERVICE_NAME` has another one.
const SERVICE_NAME: &str = "booking-service";

/// Variables with the endpoint.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// Exports spans in a thread of its own.
#[derive(Debug)]
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Starts the export if the environment has an endpoint. `instance` is the name of this replica.
    pub fn start(instance: String) -> Result<Option<Self>, Problem> {
        let has = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_disabled = env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value == "true");
        if is_disabled || !ENDPOINTS.iter().any(has) {
            return Ok(None);
        }
        // The client of the exporter blocks its thread, which must not be one of the runtime.
        let exporter = thread::spawn(exporter).join();
        let exporter = exporter.map_err(|_| "the exporter panicked")??;
        let mut resource = Resource::builder().with_attributes([
            KeyValue::new("service.instance.id", instance),
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        ]);
        if env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name(SERVICE_NAME);
        }
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter)
            .build();
        Ok(Some(Self(provider)))
    }

    /// Returns the tracer for the layer of the log.
    pub fn tracer(&self) -> Tracer {
        self.0.tracer(SERVICE_NAME)
    }

    /// Exports the last spans.
    pub async fn stop(self) {
        // Waits for the endpoint, for some seconds at most.
        let stopped = tokio::task::spawn_blocking(move || self.0.shutdown()).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!("the last traces were not exported");
        }
    }
}

fn exporter() -> Result<SpanExporter, Problem> {
    // As of webhooks: the certificate authorities and the cryptography of the program.
    let tls = booking_smtp::tls::client_config(&[])?;
    let client = reqwest::blocking::Client::builder().tls_backend_preconfigured(tls);
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(client.build()?)
        .with_protocol(Protocol::HttpBinary)
        .build()?;
    Ok(exporter)
}

/// Header with a span.
const HEADER: &str = "traceparent";

/// Makes the caller's span of the header `traceparent` the parent of a request's span.
pub fn set_parent(span: &Span, headers: &HeaderMap) {
    set_parent_of(span, &HeaderExtractor(headers));
}

/// Makes a span that [`current_span`](booking_store_engine::statements::current_span) returned the parent of a later one.
pub fn set_stored_parent(span: &Span, stored: Option<&str>) {
    if let Some(stored) = stored {
        let header = (HEADER.to_owned(), stored.to_owned());
        set_parent_of(span, &HashMap::from([header]));
    }
}

fn set_parent_of(span: &Span, carrier: &dyn Extractor) {
    if span.is_disabled() {
        return;
    }
    let parent = TraceContextPropagator::new().extract(carrier);
    if parent.span().span_context().is_valid() {
        // Fails without the layer, if another one has enabled the span.
        let _ = span.set_parent(parent);
    }
}

/// Returns the headers that make the current span the parent of the receiver's; none without one.
pub fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    let context = Context::current();
    if context.span().span_context().is_valid() {
        TraceContextPropagator::new().inject_context(&context, &mut HeaderInjector(&mut headers));
    }
    headers
}
