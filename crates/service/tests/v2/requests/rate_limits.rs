//! Rate limits.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::{Method, Request};
use booking_service::limits::client_ip::Peer;
use booking_service::settings::Limits;
use serde_json::json;

use crate::common::{HOST, Service, TestResponse};

/// A slot search, which has its own rate limit.
const SEARCH: &str = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-02";
/// A request with only the default rate limit.
const CALL: &str = "/v2/event-types?username=sofia";

async fn service_with_rate(rate: u32) -> Service {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        rate: Some(rate),
        ..Limits::default()
    });
    service
}

/// Sends a GET request with headers from an IP address.
async fn get_from(
    service: &Service,
    from: &str,
    target: &str,
    headers: &[(&str, String)],
) -> TestResponse {
    let mut request = Request::builder().uri(target);
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    let address: SocketAddr = format!("{from}:4711").parse().unwrap();
    request.extensions_mut().insert(Peer(address));
    service.send(request).await
}

fn default_limit(response: &TestResponse) -> (u32, u32, u32) {
    let number = |name: &str| {
        let name = format!("x-ratelimit-{name}-default");
        response.headers[&name].to_str().unwrap().parse().unwrap()
    };
    (number("limit"), number("remaining"), number("reset"))
}

#[tokio::test]
async fn request_over_limit_returns_429_for_a_minute() {
    let service = service_with_rate(3).await;
    for remaining in [2, 1, 0] {
        let response = service.get(CALL).await;
        assert_eq!(response.status, 200);
        assert_eq!(default_limit(&response), (3, remaining, 60));
    }
    let headers = [("origin".to_owned(), "https://shop.example".to_owned())];
    let refused = service.call(Method::GET, CALL, &headers, None).await;
    let message = refused.assert_error(429, "ThrottlerException");
    assert_eq!(message, "Too many requests: try again in 60 s");
    assert_eq!(refused.headers["retry-after"], "60");
    assert_eq!(default_limit(&refused), (3, 0, 60));
    // CORS: pages can read these headers.
    assert_eq!(refused.headers["access-control-allow-origin"], "*");
    let readable = refused.headers["access-control-expose-headers"]
        .to_str()
        .unwrap();
    for header in ["retry-after", "x-ratelimit-reset-default"] {
        assert!(readable.contains(header), "{header}");
    }
    service.app.clock.advance_minutes(1);
    assert_eq!(default_limit(&service.get(CALL).await), (3, 2, 60));
}

#[tokio::test]
async fn errors_are_counted_but_preflights_and_files_are_not() {
    let service = service_with_rate(4).await;
    service
        .get("/v2/nothing")
        .await
        .assert_error(404, "NotFoundException");
    service
        .get("/v2/me")
        .await
        .assert_error(401, "UnauthorizedException");
    let wrong = service.get("/v2/slots?eventTypeId=x").await;
    assert_eq!(default_limit(&wrong), (4, 1, 60));
    let preflight = [
        ("origin".to_owned(), "https://shop.example".to_owned()),
        (
            "access-control-request-method".to_owned(),
            "POST".to_owned(),
        ),
    ];
    for _ in 0..5 {
        let response = service.call(Method::OPTIONS, CALL, &preflight, None).await;
        assert_eq!(response.status, 200);
        assert_eq!(service.get("/healthz").await.status, 200);
        assert_ne!(service.get("/embed/nothing.js").await.status, 429);
    }
    assert_eq!(default_limit(&service.get(CALL).await), (4, 0, 60));
}

#[tokio::test]
async fn callers_are_counted_by_key_token_client_or_ip() {
    let service = service_with_rate(50).await;
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

    // Each row has two requests that are counted as one caller.
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
        let response = get_from(&service, "192.0.2.1", CALL, &first).await;
        assert_eq!(default_limit(&response).1, 49, "{first:?}");
        let response = get_from(&service, "192.0.2.1", CALL, &second).await;
        assert_eq!(default_limit(&response).1, 48, "{second:?}");
    }
    // A key is counted across IP addresses; each IP address is counted separately.
    let response = get_from(&service, "192.0.2.2", CALL, &alone(&key)).await;
    assert_eq!(default_limit(&response).1, 47);
    let response = get_from(&service, "192.0.2.2", CALL, &[]).await;
    assert_eq!(default_limit(&response).1, 49);
}

#[tokio::test]
async fn invalid_credentials_share_the_count_of_their_ip() {
    let service = service_with_rate(5).await;
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
        let response = get_from(&service, "192.0.2.1", CALL, &headers).await;
        assert_eq!(default_limit(&response).1, 4 - number);
    }
    let response = get_from(&service, "192.0.2.1", CALL, &[]).await;
    response.assert_error(429, "ThrottlerException");
    // Valid credentials still work.
    let key = format!("Bearer {}", service.secret("apiKey"));
    let response = get_from(&service, "192.0.2.1", CALL, &[("authorization", key)]).await;
    assert_eq!(response.status, 200);
}

#[tokio::test]
async fn forwarded_ip_counts_only_behind_trusted_proxy() {
    let claims = |ip: &str| vec![("x-forwarded-for", ip.to_owned())];
    let mut service = service_with_rate(9).await;
    get_from(&service, "192.0.2.1", CALL, &claims("203.0.113.1")).await;
    let second = get_from(&service, "192.0.2.1", CALL, &claims("203.0.113.2")).await;
    assert_eq!(default_limit(&second).1, 7);

    service.restart_with_limits(Limits {
        rate: Some(9),
        trusted_proxies: 1,
        ..Limits::default()
    });
    get_from(&service, "192.0.2.9", CALL, &claims("203.0.113.1")).await;
    let second = get_from(&service, "192.0.2.9", CALL, &claims("203.0.113.2")).await;
    assert_eq!(default_limit(&second).1, 8);
    // Entries left of the one added by the proxy are ignored.
    let third = get_from(&service, "192.0.2.9", CALL, &claims("1.2.3.4, 203.0.113.2")).await;
    assert_eq!(default_limit(&third).1, 7);
}

#[tokio::test]
async fn disabled_limit_sends_no_rate_limit_headers() {
    let service = Service::start().await;
    let response = service.get(CALL).await;
    assert!(!response.headers.contains_key("x-ratelimit-limit-default"));
}

/// Limit and remaining requests of a named rate limit.
fn named_limit(rule: &str, response: &TestResponse) -> (u32, u32) {
    let number = |name: &str| {
        let name = format!("x-ratelimit-{name}-{rule}");
        response.headers[&name].to_str().unwrap().parse().unwrap()
    };
    (number("limit"), number("remaining"))
}

#[tokio::test]
async fn searches_reservations_and_bookings_have_lower_limits() {
    let service = service_with_rate(12).await;
    for remaining in (0..9).rev() {
        let found = service.get(SEARCH).await;
        assert_eq!(found.status, 200);
        assert_eq!(named_limit("searches", &found), (9, remaining));
    }
    let refused = service.get(SEARCH).await;
    refused.assert_error(429, "ThrottlerException");
    assert_eq!(service.get(CALL).await.status, 200);
    service.app.clock.advance_minutes(1);

    for (target, rule, allowed) in [
        ("/v2/slots/reservations", "reservations", 3),
        ("/v2/bookings", "bookings", 2),
    ] {
        for remaining in (0..allowed).rev() {
            let created = service.post(target, json!({})).await;
            assert_eq!(created.status, 400);
            assert_eq!(named_limit(rule, &created), (allowed, remaining));
        }
        let refused = service.post(target, json!({})).await;
        refused.assert_error(429, "ThrottlerException");
        assert_eq!(service.get(CALL).await.status, 200);
    }
}

#[tokio::test]
async fn tokens_of_one_user_share_a_count() {
    let service = service_with_rate(10).await;
    let (_, first) = service.bearer_of(HOST).await;
    let (_, second) = service.bearer_of(HOST).await;
    assert_ne!(first, second);
    for (number, token) in [&first, &second, &first].into_iter().enumerate() {
        let headers = [("authorization", token.clone())];
        let response = get_from(&service, "192.0.2.1", CALL, &headers).await;
        assert_eq!(
            default_limit(&response).1,
            9 - u32::try_from(number).unwrap()
        );
    }
}

#[tokio::test]
async fn network_over_limit_gets_few_credential_lookups() {
    let service = service_with_rate(8).await;
    for _ in 0..9 {
        get_from(&service, "192.0.2.1", CALL, &[]).await;
    }
    for number in 0..2 {
        let invented = [("authorization", format!("Bearer svc_{number}"))];
        let response = get_from(&service, "192.0.2.1", CALL, &invented).await;
        response.assert_error(429, "ThrottlerException");
    }
    // Unknown credentials share their network's limit; after a request from elsewhere they are known.
    let key = [(
        "authorization",
        format!("Bearer {}", service.secret("apiKey")),
    )];
    let response = get_from(&service, "192.0.2.1", CALL, &key).await;
    response.assert_error(429, "ThrottlerException");
    let response = get_from(&service, "192.0.2.2", CALL, &key).await;
    assert_eq!(response.status, 200);
    let response = get_from(&service, "192.0.2.1", CALL, &key).await;
    assert_eq!(response.status, 200);
}
