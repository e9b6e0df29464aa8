//! Traces, as a receiver of OTLP gets them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use booking_service::store::FILE_NAME;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use prost::Message;
use serde_json::json;
use sqlx::{ConnectOptions, Connection};

use crate::process::{Process, serve_command};

/// The trace and the span of a caller, as a proxy.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// Requests to the receiver: path, headers and body.
type Requests = Arc<Mutex<Vec<(String, BTreeMap<String, String>, Vec<u8>)>>>;

/// Accepts any request.
fn start_receiver() -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let requests = Requests::default();
    let received = requests.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let received = received.clone();
            thread::spawn(move || receive(&stream.unwrap(), &received));
        }
    });
    (address, requests)
}

fn receive(mut stream: &TcpStream, received: &Requests) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| !line.is_empty()) {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            lines.push(line.trim_end().to_owned());
        }
        let headers: BTreeMap<String, String> = lines[1..]
            .iter()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut body = vec![0; headers["content-length"].parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        let path = lines[0].split(' ').nth(1).unwrap().to_owned();
        received.lock().unwrap().push((path, headers, body));
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .unwrap();
    }
}

fn wait_until(description: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        let elapsed = started.elapsed();
        assert!(
            elapsed < Duration::from_secs(20),
            "not in time: {description}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// Adds a webhook for new bookings of the user with the first event type.
fn subscribe(data: &std::path::Path, url: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(data.join(FILE_NAME));
        let mut db = options.connect().await.unwrap();
        sqlx::query(
            "INSERT INTO webhooks (id, user_id, subscriber_url, triggers, active, version, created_ms)
             SELECT '00000000-0000-4000-8000-000000000001', owner_id, ?, '[\"BOOKING_CREATED\"]', 1, '2021-10-20', 0
             FROM event_types WHERE id = 1",
        )
        .bind(url)
        .execute(&mut db)
        .await
        .unwrap();
        db.close().await.unwrap();
    });
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => Some(text.clone()),
        any_value::Value::IntValue(number) => Some(number.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn trace_leads_from_the_proxy_over_the_request_to_its_messages() {
    let (receiver, requests) = start_receiver();
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let mut command = serve_command(&data);
    command.args([
        "--port",
        "0",
        "--demo",
        "--test-mode",
        "--now",
        "2027-03-01T08:00:00Z",
    ]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{receiver}"));
    // No mail server listens there.
    command.env("BOOKING_SMTP_URL", "smtp://127.0.0.1:1?starttls=none");
    command.env("BOOKING_MAIL_FROM", "booking@example.org");
    let service = Process::spawn(command, None);
    subscribe(&data, &format!("http://{receiver}/hook"));
    service.call_text("/readyz");
    let slots = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-12";
    let (_, free) = service.call("GET", slots, "", "");
    let day = free["data"].as_object().unwrap().values().next().unwrap();
    let body = json!({
        "start": day[0]["start"],
        "eventTypeId": 1,
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    });
    let header = format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    let (status, created) = service.call("POST", "/v2/bookings", &header, &body.to_string());
    assert_eq!(status, 201, "{created}");
    let hook = || {
        let requests = requests.lock().unwrap();
        let mut hooks = requests.iter().filter(|(path, ..)| path == "/hook");
        hooks
            .next()
            .map(|(_, headers, _)| headers["traceparent"].clone())
    };
    wait_until("the webhook message arrives", || hook().is_some());
    wait_until("the mail server is tried", || {
        let (_, metrics) = service.call_text("/metrics");
        !metrics.contains("channel=\"mail\",outcome=\"retried\"} 0")
    });
    // The last spans are exported when the service stops.
    assert_eq!(service.signal("-TERM"), Some(0));

    let mut spans: Vec<Span> = Vec::new();
    for (path, _, body) in requests.lock().unwrap().iter() {
        if path == "/hook" {
            continue;
        }
        assert_eq!(path, "/v1/traces");
        let exported = ExportTraceServiceRequest::decode(&**body).unwrap();
        for of_resource in exported.resource_spans {
            let resource = of_resource.resource.unwrap().attributes;
            let of_service = |key| attribute(&resource, key).unwrap();
            assert_eq!(of_service("service.name"), "booking-service");
            assert_eq!(of_service("service.version"), env!("CARGO_PKG_VERSION"));
            assert!(of_service("service.instance.id").contains(':'));
            let scopes = of_resource.scope_spans.into_iter();
            spans.extend(scopes.flat_map(|scope| scope.spans));
        }
    }
    let named =
        |name: &str| -> Vec<&Span> { spans.iter().filter(|span| span.name == name).collect() };
    let [request] = named("POST /v2/bookings")[..] else {
        panic!("{spans:#?}");
    };
    assert_eq!(hex(&request.trace_id), TRACE);
    assert_eq!(hex(&request.parent_span_id), PARENT);
    let of_request = |key| attribute(&request.attributes, key).unwrap();
    assert_eq!(of_request("http.response.status_code"), "201");
    let in_trace: Vec<&Span> = (spans.iter())
        .filter(|span| hex(&span.trace_id) == TRACE && span.span_id != request.span_id)
        .collect();
    for span in &in_trace {
        assert_eq!(span.parent_span_id, request.span_id, "{span:?}");
    }
    let statements: Vec<&str> = in_trace.iter().map(|span| &*span.name).collect();
    for start in [
        "SELECT service/src/store/busy/",
        // In the task of the queue of writes.
        "INSERT service/src/store/bookings",
        "INSERT service/src/store/messages/mail_events.rs:",
    ] {
        let found = statements.iter().any(|name| name.starts_with(start));
        assert!(found, "{start}: {statements:#?}");
    }
    // Messages are sent after the request, in its trace.
    let [webhook] = named("send webhook message")[..] else {
        panic!("{spans:#?}");
    };
    let context = format!("00-{}-{}-01", hex(&webhook.trace_id), hex(&webhook.span_id));
    assert_eq!(hook().unwrap(), context);
    assert_eq!(webhook.parent_span_id, request.span_id);
    let mail = named("send e-mail");
    assert!(!mail.is_empty());
    for span in mail {
        assert_eq!(span.parent_span_id, request.span_id);
        let status = span.status.as_ref().unwrap();
        assert_eq!(status.code(), StatusCode::Error);
    }
    // Neither health checks nor the polls of the worker have spans, and no span has a value.
    assert!(spans.iter().all(|span| !span.name.contains("/readyz")));
    let roots = spans.iter().filter(|span| span.parent_span_id.is_empty());
    for root in roots {
        assert!(root.name.starts_with("GET "), "{root:?}");
    }
    let text = format!("{spans:?}");
    let uid = created["data"]["uid"].as_str().unwrap();
    for secret in ["zoe@example.org", "Zoë", uid] {
        assert!(!text.contains(secret), "{secret}");
    }
}
