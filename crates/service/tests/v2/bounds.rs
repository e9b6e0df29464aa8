//! What a request may take: size, time, and a place among others.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Method, Request};
use booking_service::input_limits::{
    MAX_ARRAY_ELEMENTS, MAX_BODY_BYTES, MAX_JSON_DEPTH, MAX_OBJECT_KEYS, MAX_PUBLIC_BODY_BYTES,
    MAX_QUERY_PARAMETERS, MAX_REPORTED_VIOLATIONS,
};
use booking_service::settings::Limits;
use serde_json::json;
use tower::ServiceExt;

use crate::common::{Answer, Service, booking};

/// Largest body that `/v2/bookings` reads.
const LARGEST: usize = MAX_PUBLIC_BODY_BYTES;

fn post(body: Body) -> Request<Body> {
    Request::post("/v2/bookings")
        .header("content-type", "application/json")
        .body(body)
        .unwrap()
}

/// A body that comes in pieces and does not say how long it is.
fn pieces(pieces: usize, size: usize) -> Body {
    let piece = Bytes::from(vec![b' '; size]);
    let pieces = (0..pieces).map(move |_| Ok::<_, std::io::Error>(piece.clone()));
    Body::from_stream(tokio_stream::iter(pieces))
}

#[tokio::test]
async fn body_at_the_limit_is_read_and_a_larger_one_is_not() {
    let service = Service::start().await;
    let padded = |size: usize| {
        let mut body = booking(1, "2027-03-02T08:00:00Z").to_string();
        body.push_str(&" ".repeat(size - body.len()));
        Body::from(body)
    };
    let answer = service.send(post(padded(LARGEST))).await;
    assert_ne!(answer.status, 413, "{}", answer.text);
    for body in [
        padded(LARGEST + 1),
        pieces(LARGEST / 1024 + 1, 1024),
        pieces(3, LARGEST / 2),
    ] {
        let answer = service.send(post(body)).await;
        answer.refused(413, "PayloadTooLargeException");
    }
    // Whether it would have been read or not.
    let elsewhere = Request::put("/v2/nothing")
        .body(pieces(MAX_BODY_BYTES / 1024 + 1, 1024))
        .unwrap();
    service
        .send(elsewhere)
        .await
        .refused(413, "PayloadTooLargeException");
    let declared = Request::post("/v2/bookings")
        .header("content-length", (LARGEST + 1).to_string())
        .body(Body::empty())
        .unwrap();
    service
        .send(declared)
        .await
        .refused(413, "PayloadTooLargeException");
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let mut service = Service::start().await;
    service.limit(Limits {
        body_timeout: Duration::from_millis(30),
        ..Limits::default()
    });
    let never = Body::from_stream(tokio_stream::pending::<Result<Bytes, std::io::Error>>());
    service
        .send(post(never))
        .await
        .refused(408, "RequestTimeoutException");
    let broken = tokio_stream::iter([Err::<Bytes, _>(std::io::Error::other("gone"))]);
    let broken = service.send(post(Body::from_stream(broken))).await;
    broken.refused(400, "BadRequestException");
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_given_up_and_nothing_is_stored() {
    let mut service = Service::start().await;
    service.limit(Limits {
        request_timeout: Duration::from_millis(200),
        ..Limits::default()
    });
    let stored = service.count("bookings").await;
    let body = booking(1, "2027-03-04T10:00:00Z");
    let held = service.app.store.begin().await.unwrap();
    let answer = service.post("/v2/bookings", body).await;
    answer.refused(504, "GatewayTimeoutException");
    // Reading goes on meanwhile.
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
    held.rollback().await.unwrap();
    assert_eq!(service.count("bookings").await, stored);
}

#[tokio::test]
async fn who_finds_no_place_is_told_to_come_back() {
    let mut service = Service::start().await;
    service.limit(Limits {
        in_flight: 1,
        queue_timeout: Duration::from_millis(50),
        request_timeout: Duration::from_secs(1),
        ..Limits::default()
    });
    let held = service.app.store.begin().await.unwrap();
    let first = service.post("/v2/bookings", booking(1, "2027-03-04T10:00:00Z"));
    let second = async {
        // The first one has its place before the second one asks.
        while service.app.concurrency.free() > 0 {
            tokio::task::yield_now().await;
        }
        service.get("/v2/event-types/1").await
    };
    let (first, second) = tokio::join!(first, second);
    first.refused(504, "GatewayTimeoutException");
    second.refused(503, "ServiceUnavailableException");
    assert_eq!(second.headers["retry-after"], "2");
    drop(held);
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
}

#[tokio::test]
async fn an_address_longer_than_any_is_refused() {
    let service = Service::start().await;
    let target = |length: usize| format!("/v2/nothing?{}", "x".repeat(length));
    service
        .get(&target(8000))
        .await
        .refused(404, "NotFoundException");
    let answer = service.get(&target(9000)).await;
    answer.refused(414, "UriTooLongException");
    assert!(answer.text.len() < 1000);
}

#[tokio::test]
async fn a_wrong_method_is_answered_with_the_right_ones() {
    let service = Service::start().await;
    let check = |answer: &Answer, expected: &[&str]| {
        answer.refused(405, "MethodNotAllowedException");
        let mut allowed: Vec<_> = answer.headers["allow"]
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
async fn a_request_id_is_taken_over_if_it_is_one() {
    let service = Service::start().await;
    let id = async |given: &str| {
        let headers = [("x-request-id".to_owned(), given.to_owned())];
        let answer = service
            .call(Method::GET, "/v2/nothing", &headers, None)
            .await;
        answer.headers["x-request-id"].to_str().unwrap().to_owned()
    };
    for sane in [
        "0af7651916cd43dd8448eb211c80319c",
        "8b7e2c8e-5a5d-4b7b-9a53-1e0f4b6d2c11",
    ] {
        assert_eq!(id(sane).await, sane);
    }
    let long = "a".repeat(65);
    for other in [
        "zoe@example.org",
        "abc",
        "svc_0af7651916cd43dd8448",
        long.as_str(),
        "0af7651916cd43dd 448",
    ] {
        assert_eq!(id(other).await.len(), 36, "{other}");
        assert_ne!(id(other).await, other);
    }
}

#[tokio::test]
async fn body_limit_is_that_of_its_operation() {
    let service = Service::start().await;
    let status = async |method: &str, path: &str, size: usize| {
        let body = Body::from(vec![b' '; size]);
        let request = Request::builder().method(method).uri(path);
        let request = request.header("content-type", "application/json");
        service.send(request.body(body).unwrap()).await.status
    };
    for (method, path, most) in [
        ("POST", "/v2/slots/reservations", MAX_PUBLIC_BODY_BYTES),
        ("POST", "/v2/bookings/x/reschedule", MAX_PUBLIC_BODY_BYTES),
        ("POST", "/v2/event-types", MAX_BODY_BYTES),
        ("PATCH", "/v1/users/1", MAX_BODY_BYTES),
    ] {
        assert_ne!(status(method, path, most).await, 413, "{path}");
        assert_eq!(status(method, path, most + 1).await, 413, "{path}");
    }
}

/// Bodies and queries whose error would be large, deep or slow to build if anything about it were
/// left to the caller.
#[tokio::test]
async fn error_is_small_and_flat_whatever_the_request_holds() {
    let service = Service::start().await;
    let dots = "a.".repeat(3_000);
    let object = |keys: usize| {
        let keys: Vec<String> = (0..keys).map(|key| format!("\"{key}\":1")).collect();
        format!("{{{}}}", keys.join(","))
    };
    let guests = |count: usize| format!("{{\"guests\":[{}]}}", vec!["1"; count].join(","));
    let quoted = |text: &str| format!("{{\"{text}\":\"{text}\"}}");
    for body in [
        quoted(&"a.".repeat(30_000)),
        quoted(&"\\u0000".repeat(10_000)),
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
        let answer = service.send(post(Body::from(body.clone()))).await;
        answer.refused(400, "BadRequestException");
        assert_is_small(&answer, &body);
    }
    let many: Vec<String> = (0..MAX_QUERY_PARAMETERS)
        .map(|key| format!("p{key}=1"))
        .collect();
    for query in [format!("{dots}=1"), many.join("&"), "a=1&".repeat(1_900)] {
        let answer = service.get(&format!("/v2/slots?{query}")).await;
        answer.refused(400, "BadRequestException");
        assert_is_small(&answer, &query);
    }
}

#[track_caller]
fn assert_is_small(answer: &Answer, request: &str) {
    let shown: String = request.chars().take(60).collect();
    assert!(
        answer.text.len() < 64 * 1024,
        "{shown}: {}",
        answer.text.len()
    );
    assert!(
        answer.constraints().len() <= MAX_REPORTED_VIOLATIONS,
        "{shown}"
    );
    let depth = answer
        .text
        .bytes()
        .fold((0_usize, 0_usize), |(depth, most), byte| match byte {
            b'[' | b'{' => (depth + 1, most.max(depth + 1)),
            b']' | b'}' => (depth.saturating_sub(1), most),
            _ => (depth, most),
        });
    assert!(depth.1 <= 16, "{shown}: nested {} levels", depth.1);
}

#[tokio::test]
async fn violations_beyond_the_limit_are_counted() {
    let service = Service::start().await;
    let mut body = booking(1, "2027-03-02T08:00:00Z");
    for key in 0..120 {
        body[format!("unknown{key}")] = json!(1);
    }
    let answer = service.post("/v2/bookings", body).await;
    let message = answer.refused(400, "BadRequestException");
    assert!(
        message.ends_with("(and 70 more errors that are not listed)"),
        "{message}"
    );
    assert_eq!(answer.constraints().len(), MAX_REPORTED_VIOLATIONS);
    assert_eq!(answer.body["error"]["details"]["omittedErrors"], 70);
}

#[tokio::test]
async fn key_with_dots_is_one_property() {
    let service = Service::start().await;
    let mut body = booking(1, "2027-03-02T08:00:00Z");
    body["a.b.c"] = json!(1);
    let answer = service.post("/v2/bookings", body).await;
    let errors = &answer.body["error"]["details"]["errors"];
    assert_eq!(errors[0]["property"], "a.b.c");
    assert_eq!(errors[0]["children"], json!([]));
}

#[tokio::test]
async fn api_key_in_a_wrong_place_is_not_repeated() {
    let service = Service::start().await;
    let key = "svc_0123456789abcdef0123456789abcdef";
    let foreign = "cal_live_0123456789abcdef0123456789";
    for secret in [key, foreign] {
        let answer = service
            .get(&format!(
                "/v2/slots?apiKey={secret}&{secret}=1&eventTypeId={secret}"
            ))
            .await;
        answer.refused(400, "BadRequestException");
        assert!(!answer.text.contains(&secret[9..]), "{}", answer.text);
        let mut body = booking(1, "2027-03-02T08:00:00Z");
        body["apiKey"] = json!({"deep": [secret]});
        body["attendee"]["timeZone"] = json!(secret);
        let answer = service.post("/v2/bookings", body).await;
        answer.refused(400, "BadRequestException");
        assert!(!answer.text.contains(&secret[9..]), "{}", answer.text);
    }
}

/// A client that does not read keeps its permits, so what it can have built is bounded; others go on.
#[tokio::test]
async fn permit_is_held_until_the_response_has_been_handed_over() {
    let mut service = Service::start().await;
    service.limit(Limits {
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
    let more = service
        .router
        .clone()
        .oneshot(request("192.0.2.1"))
        .await
        .unwrap();
    assert_eq!(more.status(), 503);
    let other = service
        .router
        .clone()
        .oneshot(request("192.0.2.2"))
        .await
        .unwrap();
    assert_eq!(other.status(), 200);
    drop((unread, other));
    assert_eq!(service.app.concurrency.free(), 16);
    let again = service
        .router
        .clone()
        .oneshot(request("192.0.2.1"))
        .await
        .unwrap();
    assert_eq!(again.status(), 200);
}
