//! Limits of requests: size, duration and concurrency.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Method, Request};
use booking_service::domain::demo::ORGANIZATION_ID;
use booking_service::input_limits::{
    MAX_ARRAY_ELEMENTS, MAX_BODY_BYTES, MAX_JSON_DEPTH, MAX_OBJECT_KEYS, MAX_PUBLIC_BODY_BYTES,
    MAX_QUERY_PARAMETERS, MAX_REPORTED_VIOLATIONS,
};
use booking_service::settings::Limits;
use booking_service::store::Subject;
use serde_json::json;
use tower::ServiceExt;

use crate::common::{Service, TestResponse, booking};

/// Largest body that `/v2/bookings` reads.
const MAX_BYTES: usize = MAX_PUBLIC_BODY_BYTES;

fn post(body: Body) -> Request<Body> {
    Request::post("/v2/bookings")
        .header("content-type", "application/json")
        .body(body)
        .unwrap()
}

/// Chunked body without a content length.
fn chunked(count: usize, size: usize) -> Body {
    let chunk = Bytes::from(vec![b' '; size]);
    let chunks = (0..count).map(move |_| Ok::<_, std::io::Error>(chunk.clone()));
    Body::from_stream(tokio_stream::iter(chunks))
}

#[tokio::test]
async fn body_above_limit_returns_413() {
    let service = Service::start().await;
    let padded = |size: usize| {
        let mut body = booking(1, "2027-03-02T08:00:00Z").to_string();
        body.push_str(&" ".repeat(size - body.len()));
        Body::from(body)
    };
    let response = service.send(post(padded(MAX_BYTES))).await;
    assert_ne!(response.status, 413, "{}", response.text);
    for body in [
        padded(MAX_BYTES + 1),
        chunked(MAX_BYTES / 1024 + 1, 1024),
        chunked(3, MAX_BYTES / 2),
    ] {
        let response = service.send(post(body)).await;
        response.assert_error(413, "PayloadTooLargeException");
    }
    // The limit also applies if no handler reads the body.
    let elsewhere = Request::put("/v2/nothing")
        .body(chunked(MAX_BODY_BYTES / 1024 + 1, 1024))
        .unwrap();
    service
        .send(elsewhere)
        .await
        .assert_error(413, "PayloadTooLargeException");
    let declared = Request::post("/v2/bookings")
        .header("content-length", (MAX_BYTES + 1).to_string())
        .body(Body::empty())
        .unwrap();
    service
        .send(declared)
        .await
        .assert_error(413, "PayloadTooLargeException");
}

#[tokio::test]
async fn incomplete_body_returns_408_after_timeout() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        body_timeout: Duration::from_millis(30),
        ..Limits::default()
    });
    let pending = Body::from_stream(tokio_stream::pending::<Result<Bytes, std::io::Error>>());
    service
        .send(post(pending))
        .await
        .assert_error(408, "RequestTimeoutException");
    let failing = tokio_stream::iter([Err::<Bytes, _>(std::io::Error::other("gone"))]);
    let failing = service.send(post(Body::from_stream(failing))).await;
    failing.assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn slow_request_returns_504_and_stores_nothing() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        request_timeout: Duration::from_millis(200),
        ..Limits::default()
    });
    let booking_count = service.count("bookings").await;
    let body = booking(1, "2027-03-04T10:00:00Z");
    let transaction = service
        .app
        .store
        .begin(&[Subject::Organization(ORGANIZATION_ID)])
        .await
        .unwrap();
    let response = service.post("/v2/bookings", body).await;
    response.assert_error(504, "GatewayTimeoutException");
    // Reads are not blocked.
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
    transaction.rollback().await.unwrap();
    assert_eq!(service.count("bookings").await, booking_count);
}

#[tokio::test]
async fn request_above_concurrency_limit_returns_503_with_retry_after() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        in_flight: 1,
        queue_timeout: Duration::from_millis(50),
        request_timeout: Duration::from_secs(1),
        ..Limits::default()
    });
    let transaction = service
        .app
        .store
        .begin(&[Subject::Organization(ORGANIZATION_ID)])
        .await
        .unwrap();
    let first = service.post("/v2/bookings", booking(1, "2027-03-04T10:00:00Z"));
    let second = async {
        // Sent after the first request has its permit.
        while service.app.concurrency.free() > 0 {
            tokio::task::yield_now().await;
        }
        service.get("/v2/event-types/1").await
    };
    let (first, second) = tokio::join!(first, second);
    first.assert_error(504, "GatewayTimeoutException");
    second.assert_error(503, "ServiceUnavailableException");
    assert_eq!(second.headers["retry-after"], "2");
    drop(transaction);
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
}

#[tokio::test]
async fn overlong_uri_returns_414() {
    let service = Service::start().await;
    let target = |length: usize| format!("/v2/nothing?{}", "x".repeat(length));
    service
        .get(&target(8000))
        .await
        .assert_error(404, "NotFoundException");
    let response = service.get(&target(9000)).await;
    response.assert_error(414, "UriTooLongException");
    assert!(response.text.len() < 1000);
}

#[tokio::test]
async fn unsupported_method_returns_405_with_allow_header() {
    let service = Service::start().await;
    let check = |response: &TestResponse, expected: &[&str]| {
        response.assert_error(405, "MethodNotAllowedException");
        let mut allowed: Vec<_> = response.headers["allow"]
            .to_str()
            .unwrap()
            .split(',')
            .collect();
        allowed.sort_unstable();
        assert_eq!(allowed, expected);
    };
    let slots = service.call(Method::DELETE, "/v2/slots", &[], None).await;
    check(&slots, &["GET", "HEAD"]);
    let refresh = service
        .call(Method::GET, "/v2/oauth/x/refresh", &[], None)
        .await;
    check(&refresh, &["POST"]);
    let health = service.post("/healthz", json!({})).await;
    check(&health, &["GET", "HEAD"]);
}

#[tokio::test]
async fn valid_request_id_is_kept_and_others_are_replaced() {
    let service = Service::start().await;
    let id = async |request_id: &str| {
        let headers = [("x-request-id".to_owned(), request_id.to_owned())];
        let response = service
            .call(Method::GET, "/v2/nothing", &headers, None)
            .await;
        response.headers["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    for valid in [
        "0af7651916cd43dd8448eb211c80319c",
        "8b7e2c8e-5a5d-4b7b-9a53-1e0f4b6d2c11",
    ] {
        assert_eq!(id(valid).await, valid);
    }
    let long = "a".repeat(65);
    for invalid in [
        "zoe@example.org",
        "abc",
        "svc_0af7651916cd43dd8448",
        long.as_str(),
        "0af7651916cd43dd 448",
    ] {
        assert_eq!(id(invalid).await.len(), 36, "{invalid}");
        assert_ne!(id(invalid).await, invalid);
    }
}

#[tokio::test]
async fn body_limit_depends_on_operation() {
    let service = Service::start().await;
    let status = async |method: &str, path: &str, size: usize| {
        let body = Body::from(vec![b' '; size]);
        let request = Request::builder().method(method).uri(path);
        let request = request.header("content-type", "application/json");
        service.send(request.body(body).unwrap()).await.status
    };
    for (method, path, maximum) in [
        ("POST", "/v2/slots/reservations", MAX_PUBLIC_BODY_BYTES),
        ("POST", "/v2/bookings/x/reschedule", MAX_PUBLIC_BODY_BYTES),
        ("POST", "/v2/event-types", MAX_BODY_BYTES),
        ("PATCH", "/v1/users/1", MAX_BODY_BYTES),
    ] {
        assert_ne!(status(method, path, maximum).await, 413, "{path}");
        assert_eq!(status(method, path, maximum + 1).await, 413, "{path}");
    }
}

/// Sends bodies and queries whose error would be large, deep or slow to build without limits.
#[tokio::test]
async fn error_response_size_is_bounded() {
    let service = Service::start().await;
    let dots = "a.".repeat(3_000);
    let object = |keys: usize| {
        let keys: Vec<String> = (0..keys).map(|key| format!("\"{key}\":1")).collect();
        format!("{{{}}}", keys.join(","))
    };
    let guests = |count: usize| format!("{{\"guests\":[{}]}}", vec!["1"; count].join(","));
    let key_and_value = |text: &str| format!("{{\"{text}\":\"{text}\"}}");
    for body in [
        key_and_value(&"a.".repeat(30_000)),
        key_and_value(&"\\u0000".repeat(10_000)),
        object(MAX_OBJECT_KEYS),
        object(12_000),
        guests(MAX_ARRAY_ELEMENTS),
        guests(40_000),
        format!(
            "{}1{}",
            "{\"a\":".repeat(MAX_JSON_DEPTH),
            "}".repeat(MAX_JSON_DEPTH)
        ),
        format!("{}1{}", "{\"a\":".repeat(15_000), "}".repeat(15_000)),
    ] {
        let response = service.send(post(Body::from(body.clone()))).await;
        response.assert_error(400, "BadRequestException");
        assert_is_small(&response, &body);
    }
    let many: Vec<String> = (0..MAX_QUERY_PARAMETERS)
        .map(|key| format!("p{key}=1"))
        .collect();
    for query in [format!("{dots}=1"), many.join("&"), "a=1&".repeat(1_900)] {
        let response = service.get(&format!("/v2/slots?{query}")).await;
        response.assert_error(400, "BadRequestException");
        assert_is_small(&response, &query);
    }
}

#[track_caller]
fn assert_is_small(response: &TestResponse, request: &str) {
    let excerpt: String = request.chars().take(60).collect();
    assert!(
        response.text.len() < 64 * 1024,
        "{excerpt}: {}",
        response.text.len()
    );
    assert!(
        response.constraints().len() <= MAX_REPORTED_VIOLATIONS,
        "{excerpt}"
    );
    let depth =
        response
            .text
            .bytes()
            .fold((0_usize, 0_usize), |(depth, maximum), byte| match byte {
                b'[' | b'{' => (depth + 1, maximum.max(depth + 1)),
                b']' | b'}' => (depth.saturating_sub(1), maximum),
                _ => (depth, maximum),
            });
    assert!(depth.1 <= 16, "{excerpt}: nested {} levels", depth.1);
}

#[tokio::test]
async fn violations_beyond_the_limit_are_counted() {
    let service = Service::start().await;
    let mut body = booking(1, "2027-03-02T08:00:00Z");
    for key in 0..120 {
        body[format!("unknown{key}")] = json!(1);
    }
    let response = service.post("/v2/bookings", body).await;
    let message = response.assert_error(400, "BadRequestException");
    assert!(
        message.ends_with("(and 70 more errors that are not listed)"),
        "{message}"
    );
    assert_eq!(response.constraints().len(), MAX_REPORTED_VIOLATIONS);
    assert_eq!(response.body["error"]["details"]["omittedErrors"], 70);
}

#[tokio::test]
async fn key_with_dots_is_one_property() {
    let service = Service::start().await;
    let mut body = booking(1, "2027-03-02T08:00:00Z");
    body["a.b.c"] = json!(1);
    let response = service.post("/v2/bookings", body).await;
    let errors = &response.body["error"]["details"]["errors"];
    assert_eq!(errors[0]["property"], "a.b.c");
    assert_eq!(errors[0]["children"], json!([]));
}

#[tokio::test]
async fn api_key_in_query_or_body_is_not_repeated_in_error() {
    let service = Service::start().await;
    let key = "svc_0123456789abcdef0123456789abcdef";
    let foreign = "cal_live_0123456789abcdef0123456789";
    for secret in [key, foreign] {
        let response = service
            .get(&format!(
                "/v2/slots?apiKey={secret}&{secret}=1&eventTypeId={secret}"
            ))
            .await;
        response.assert_error(400, "BadRequestException");
        assert!(!response.text.contains(&secret[9..]), "{}", response.text);
        let mut body = booking(1, "2027-03-02T08:00:00Z");
        body["apiKey"] = json!({"deep": [secret]});
        body["attendee"]["timeZone"] = json!(secret);
        let response = service.post("/v2/bookings", body).await;
        response.assert_error(400, "BadRequestException");
        assert!(!response.text.contains(&secret[9..]), "{}", response.text);
    }
}

/// A client that does not read its responses keeps their permits; other clients are not affected.
#[tokio::test]
async fn permit_is_held_until_response_is_sent() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        in_flight: 16,
        trusted_proxies: 1,
        queue_timeout: Duration::from_millis(50),
        ..Limits::default()
    });
    let request = |address: &str| {
        let request = Request::get("/v2/event-types?username=ada");
        request
            .header("x-forwarded-for", address)
            .body(Body::empty())
            .unwrap()
    };
    let mut unread = Vec::new();
    for _ in 0..2 {
        let response = service
            .router
            .clone()
            .oneshot(request("192.0.2.1"))
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
        unread.push(response);
    }
    assert_eq!(service.app.concurrency.free(), 14);
    let rejected = service
        .router
        .clone()
        .oneshot(request("192.0.2.1"))
        .await
        .unwrap();
    assert_eq!(rejected.status(), 503);
    let other_client = service
        .router
        .clone()
        .oneshot(request("192.0.2.2"))
        .await
        .unwrap();
    assert_eq!(other_client.status(), 200);
    drop((unread, other_client));
    assert_eq!(service.app.concurrency.free(), 16);
    let after_drop = service
        .router
        .clone()
        .oneshot(request("192.0.2.1"))
        .await
        .unwrap();
    assert_eq!(after_drop.status(), 200);
}
