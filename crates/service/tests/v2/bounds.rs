//! What a request may take: size, time, and a place among others.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Method, Request};
use booking_service::config::Limits;
use serde_json::json;

use crate::common::{Answer, Service, booking};

const MEBIBYTE: usize = 1024 * 1024;

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
async fn a_body_of_a_mebibyte_is_read_and_a_larger_one_is_not() {
    let service = Service::start().await;
    let padded = |size: usize| {
        let mut body = booking(1, "2027-03-02T08:00:00Z").to_string();
        body.push_str(&" ".repeat(size - body.len()));
        Body::from(body)
    };
    let answer = service.send(post(padded(MEBIBYTE))).await;
    assert_ne!(answer.status, 413, "{}", answer.text);
    for body in [
        padded(MEBIBYTE + 1),
        pieces(1025, 1024),
        pieces(3, MEBIBYTE / 2),
    ] {
        let answer = service.send(post(body)).await;
        answer.refused(413, "PayloadTooLargeException");
    }
    // Whether it would have been read or not.
    let elsewhere = Request::put("/v2/nothing")
        .body(pieces(1025, 1024))
        .unwrap();
    service
        .send(elsewhere)
        .await
        .refused(413, "PayloadTooLargeException");
    let declared = Request::post("/v2/bookings")
        .header("content-length", "1048577")
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
        patience: Duration::from_millis(50),
        request_timeout: Duration::from_secs(1),
        ..Limits::default()
    });
    let held = service.app.store.begin().await.unwrap();
    let first = service.post("/v2/bookings", booking(1, "2027-03-04T10:00:00Z"));
    let second = async {
        // The first one has its place before the second one asks.
        while service.app.gate.free() > 0 {
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
