//! How often somebody may call (contract 8).

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::{Method, Request};
use booking_service::client_ip::Peer;
use booking_service::settings::Limits;
use serde_json::json;

use crate::common::{Answer, HOST, Service};

/// A search, which has a rule of its own.
const SEARCH: &str = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-02";
/// A call that has no rule besides the one for all calls.
const CALL: &str = "/v2/event-types?username=sofia";

async fn allowing(rate: u32) -> Service {
    let mut service = Service::start().await;
    service.limit(Limits {
        rate: Some(rate),
        ..Limits::default()
    });
    service
}

/// A call from an address, with headers.
async fn call(service: &Service, from: &str, target: &str, headers: &[(&str, String)]) -> Answer {
    let mut request = Request::builder().uri(target);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    let address: SocketAddr = format!("{from}:4711").parse().unwrap();
    request.extensions_mut().insert(Peer(address));
    service.send(request).await
}

fn left(answer: &Answer) -> (u32, u32, u32) {
    let number = |name: &str| {
        let name = format!("x-ratelimit-{name}-default");
        answer.headers[&name].to_str().unwrap().parse().unwrap()
    };
    (number("limit"), number("remaining"), number("reset"))
}

#[tokio::test]
async fn every_answer_tells_what_is_left_and_the_one_too_many_is_refused_for_a_minute() {
    let service = allowing(3).await;
    for remaining in [2, 1, 0] {
        let answer = service.get(CALL).await;
        assert_eq!(answer.status, 200);
        assert_eq!(left(&answer), (3, remaining, 60));
    }
    let headers = [("origin".to_owned(), "https://shop.example".to_owned())];
    let refused = service.call(Method::GET, CALL, &headers, None).await;
    let message = refused.refused(429, "ThrottlerException");
    assert_eq!(message, "Too many requests: try again in 60 s");
    assert_eq!(refused.headers["retry-after"], "60");
    assert_eq!(left(&refused), (3, 0, 60));
    // A page can read all of that.
    assert_eq!(refused.headers["access-control-allow-origin"], "*");
    let readable = refused.headers["access-control-expose-headers"]
        .to_str()
        .unwrap();
    for header in ["retry-after", "x-ratelimit-reset-default"] {
        assert!(readable.contains(header), "{header}");
    }
    service.app.clock.advance_minutes(1);
    assert_eq!(left(&service.get(CALL).await), (3, 2, 60));
}

#[tokio::test]
async fn refusals_of_other_kinds_count_and_preflights_and_files_do_not() {
    let service = allowing(4).await;
    service
        .get("/v2/nothing")
        .await
        .refused(404, "NotFoundException");
    service
        .get("/v2/me")
        .await
        .refused(401, "UnauthorizedException");
    let wrong = service.get("/v2/slots?eventTypeId=x").await;
    assert_eq!(left(&wrong), (4, 1, 60));
    let preflight = [
        ("origin".to_owned(), "https://shop.example".to_owned()),
        (
            "access-control-request-method".to_owned(),
            "POST".to_owned(),
        ),
    ];
    for _ in 0..5 {
        let answer = service.call(Method::OPTIONS, CALL, &preflight, None).await;
        assert_eq!(answer.status, 200);
        assert_eq!(service.get("/healthz").await.status, 200);
        assert_ne!(service.get("/embed/nothing.js").await.status, 429);
    }
    assert_eq!(left(&service.get(CALL).await), (4, 0, 60));
}

#[tokio::test]
async fn callers_are_counted_by_key_then_token_then_client_then_address() {
    let service = allowing(50).await;
    let key = format!("Bearer {}", service.secret("apiKey"));
    let token = format!("Bearer {}", service.secret("accessToken"));
    let other = service.bearer_of(HOST).await.1;
    let id = service.secret("clientId");
    let client = [
        ("x-svc-client-id", id.clone()),
        ("x-svc-secret-key", service.secret("clientSecret")),
    ];
    let with = |authorization: &str| {
        let mut headers = client.to_vec();
        headers.push(("authorization", authorization.to_owned()));
        headers
    };
    let alone = |authorization: &str| vec![("authorization", authorization.to_owned())];

    // Each line is one caller: the second call of it finds the first one counted.
    let table = [
        (alone(&key), with(&key)),
        (alone(&token), with(&token)),
        (alone(&other), alone(&other)),
        (client.to_vec(), client.to_vec()),
        (
            vec![],
            vec![("authorization", "Bearer svc_invented".to_owned())],
        ),
    ];
    for (first, second) in table {
        let answer = call(&service, "192.0.2.1", CALL, &first).await;
        assert_eq!(left(&answer).1, 49, "{first:?}");
        let answer = call(&service, "192.0.2.1", CALL, &second).await;
        assert_eq!(left(&answer).1, 48, "{second:?}");
    }
    // A key counts wherever it is used from; an address counts for itself.
    let answer = call(&service, "192.0.2.2", CALL, &alone(&key)).await;
    assert_eq!(left(&answer).1, 47);
    let answer = call(&service, "192.0.2.2", CALL, &[]).await;
    assert_eq!(left(&answer).1, 49);
}

#[tokio::test]
async fn invented_credentials_do_not_get_counts_of_their_own() {
    let service = allowing(5).await;
    for number in 0..5 {
        let id = service.secret("clientId");
        let headers = match number % 3 {
            0 => vec![("authorization", format!("Bearer svc_{number}"))],
            1 => vec![("authorization", format!("Bearer a.b.{number}"))],
            _ => vec![
                ("x-svc-client-id", id),
                ("x-svc-secret-key", number.to_string()),
            ],
        };
        let answer = call(&service, "192.0.2.1", CALL, &headers).await;
        assert_eq!(left(&answer).1, 4 - number);
    }
    let answer = call(&service, "192.0.2.1", CALL, &[]).await;
    answer.refused(429, "ThrottlerException");
    // Who has real ones is heard all the same.
    let key = format!("Bearer {}", service.secret("apiKey"));
    let answer = call(&service, "192.0.2.1", CALL, &[("authorization", key)]).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn an_address_that_a_caller_claims_counts_only_behind_a_proxy() {
    let claims = |ip: &str| vec![("x-forwarded-for", ip.to_owned())];
    let mut service = allowing(9).await;
    call(&service, "192.0.2.1", CALL, &claims("203.0.113.1")).await;
    let second = call(&service, "192.0.2.1", CALL, &claims("203.0.113.2")).await;
    assert_eq!(left(&second).1, 7);

    service.limit(Limits {
        rate: Some(9),
        trusted_proxies: 1,
        ..Limits::default()
    });
    call(&service, "192.0.2.9", CALL, &claims("203.0.113.1")).await;
    let second = call(&service, "192.0.2.9", CALL, &claims("203.0.113.2")).await;
    assert_eq!(left(&second).1, 8);
    // What stands left of the proxy's note is the caller's invention.
    let third = call(&service, "192.0.2.9", CALL, &claims("1.2.3.4, 203.0.113.2")).await;
    assert_eq!(left(&third).1, 7);
}

#[tokio::test]
async fn without_a_limit_nothing_is_counted() {
    let service = Service::start().await;
    let answer = service.get(CALL).await;
    assert!(!answer.headers.contains_key("x-ratelimit-limit-default"));
}

/// Limit and remaining calls of a rule that an operation has of its own.
fn left_of(rule: &str, answer: &Answer) -> (u32, u32) {
    let number = |name: &str| {
        let name = format!("x-ratelimit-{name}-{rule}");
        answer.headers[&name].to_str().unwrap().parse().unwrap()
    };
    (number("limit"), number("remaining"))
}

#[tokio::test]
async fn searches_reservations_and_bookings_are_refused_before_other_calls() {
    let service = allowing(12).await;
    for remaining in (0..9).rev() {
        let found = service.get(SEARCH).await;
        assert_eq!(found.status, 200);
        assert_eq!(left_of("searches", &found), (9, remaining));
    }
    let refused = service.get(SEARCH).await;
    refused.refused(429, "ThrottlerException");
    assert_eq!(service.get(CALL).await.status, 200);
    service.app.clock.advance_minutes(1);

    for (target, rule, allowed) in [
        ("/v2/slots/reservations", "reservations", 3),
        ("/v2/bookings", "bookings", 2),
    ] {
        for remaining in (0..allowed).rev() {
            let made = service.post(target, json!({})).await;
            assert_eq!(made.status, 400);
            assert_eq!(left_of(rule, &made), (allowed, remaining));
        }
        let refused = service.post(target, json!({})).await;
        refused.refused(429, "ThrottlerException");
        assert_eq!(service.get(CALL).await.status, 200);
    }
}

#[tokio::test]
async fn a_person_is_counted_once_whatever_credentials_they_use() {
    let service = allowing(10).await;
    let (_, first) = service.bearer_of(HOST).await;
    let (_, second) = service.bearer_of(HOST).await;
    assert_ne!(first, second);
    for (number, token) in [&first, &second, &first].into_iter().enumerate() {
        let headers = [("authorization", token.clone())];
        let answer = call(&service, "192.0.2.1", CALL, &headers).await;
        assert_eq!(left(&answer).1, 9 - u32::try_from(number).unwrap());
    }
}

#[tokio::test]
async fn a_refused_network_has_few_credentials_looked_up() {
    let service = allowing(8).await;
    for _ in 0..9 {
        call(&service, "192.0.2.1", CALL, &[]).await;
    }
    for number in 0..2 {
        let invented = [("authorization", format!("Bearer svc_{number}"))];
        let answer = call(&service, "192.0.2.1", CALL, &invented).await;
        answer.refused(429, "ThrottlerException");
    }
    // Whoever was not known before waits with the network; everybody else has lost nothing.
    let key = [(
        "authorization",
        format!("Bearer {}", service.secret("apiKey")),
    )];
    let answer = call(&service, "192.0.2.1", CALL, &key).await;
    answer.refused(429, "ThrottlerException");
    let answer = call(&service, "192.0.2.2", CALL, &key).await;
    assert_eq!(answer.status, 200);
    let answer = call(&service, "192.0.2.1", CALL, &key).await;
    assert_eq!(answer.status, 200);
}
