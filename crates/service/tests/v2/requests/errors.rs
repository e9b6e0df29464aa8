//! Error responses, CORS and compression.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;

use crate::common::{Service, booking};

fn post(target: &str, content_type: Option<&str>, body: impl Into<Body>) -> Request<Body> {
    let mut request = Request::builder().method(Method::POST).uri(target);
    if let Some(content_type) = content_type {
        request = request.header("content-type", content_type);
    }
    request.body(body.into()).unwrap()
}

#[tokio::test]
async fn error_body_contains_path_with_query() {
    let service = Service::start().await;
    let response = service
        .get("/v2/slots?eventTypeId=x&start=2027-03-02&end=2027-03-03")
        .await;
    assert_eq!(
        response.body,
        json!({
            "status": "error",
            "timestamp": "2027-03-01T08:00:00.000Z",
            "path": "/v2/slots?eventTypeId=x&start=2027-03-02&end=2027-03-03",
            "error": {
                "code": "BadRequestException",
                "message": "eventTypeId must be a whole number",
                "details": {
                    "statusCode": 400,
                    "error": "Bad Request",
                    "message": "eventTypeId must be a whole number",
                    "errors": [{
                        "target": {},
                        "value": "x",
                        "property": "eventTypeId",
                        "children": [],
                        "constraints": {"isNumber": "eventTypeId must be a whole number"},
                    }],
                },
            },
        })
    );
}

#[tokio::test]
async fn unknown_path_returns_404_and_unknown_method_405() {
    let service = Service::start().await;
    for target in [
        "/v2",
        "/v2/",
        "/v2/nothing",
        "/v2/teams/1/nothing",
        "/v2/slots/",
    ] {
        service
            .get(target)
            .await
            .assert_error(404, "NotFoundException");
        service
            .post(target, json!({}))
            .await
            .assert_error(404, "NotFoundException");
    }
    for (method, target) in [
        (Method::DELETE, "/v2/slots"),
        (Method::PUT, "/v2/bookings"),
        (Method::PUT, "/v2/organizations/1/teams/1/roles"),
        (Method::GET, "/v2/oauth/x/refresh"),
    ] {
        let response = service.call(method, target, &[], None).await;
        response.assert_error(405, "MethodNotAllowedException");
    }
}

#[tokio::test]
async fn body_without_json_object_returns_400() {
    let service = Service::start().await;
    let booking_count = service.count("bookings").await;
    for body in [
        "",
        "{",
        "{\"start\":",
        "[]",
        "\"text\"",
        "null",
        "{\"a\":1}}",
        "\u{0}",
    ] {
        let response = service
            .send(post("/v2/bookings", Some("application/json"), body))
            .await;
        response.assert_error(400, "BadRequestException");
    }
    let response = service
        .send(post(
            "/v2/bookings",
            Some("application/json"),
            vec![0xff, 0xfe],
        ))
        .await;
    response.assert_error(400, "BadRequestException");
    // Nested beyond the limit.
    let deep = format!("{{\"metadata\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    service
        .send(post("/v2/bookings", Some("application/json"), deep))
        .await
        .assert_error(400, "BadRequestException");
    assert_eq!(service.count("bookings").await, booking_count);
}

#[tokio::test]
async fn wrong_content_type_returns_415_and_large_body_413() {
    let service = Service::start().await;
    let body = booking(1, "2027-03-02T09:00:00Z").to_string();
    for content_type in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
    ] {
        let response = service
            .send(post("/v2/bookings", content_type, body.clone()))
            .await;
        response.assert_error(415, "UnsupportedMediaTypeException");
    }
    let charset = service
        .send(post(
            "/v2/bookings",
            Some("Application/JSON; charset=utf-8"),
            body,
        ))
        .await;
    assert_ne!(charset.status, 415);
    let large = format!("{{\"start\":\"{}\"}}", "x".repeat(1024 * 1024));
    service
        .send(post("/v2/bookings", Some("application/json"), large))
        .await
        .assert_error(413, "PayloadTooLargeException");
}

#[tokio::test]
async fn unknown_api_version_returns_400() {
    let service = Service::start().await;
    for name in ["svc-api-version", "cal-api-version"] {
        let call = async |target: &str, version: &str| {
            service
                .call(
                    Method::GET,
                    target,
                    &[(name.to_owned(), version.to_owned())],
                    None,
                )
                .await
        };
        call("/v2/event-types?username=ada", "2024-04-15")
            .await
            .assert_error(400, "BadRequestException");
        assert_eq!(
            call("/v2/event-types?username=ada", "2024-06-14")
                .await
                .status,
            200
        );
        assert_eq!(
            call(
                "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-03-02",
                "2024-09-04"
            )
            .await
            .status,
            200
        );
        assert_eq!(call("/v2/bookings/none", "2024-08-13").await.status, 404);
        // Operations without versions ignore the header.
        assert_eq!(
            call("/v2/teams/1/event-types", "2020-01-01").await.status,
            200
        );
    }
}

#[tokio::test]
async fn cors_allows_any_origin_and_exposes_request_id() {
    let service = Service::start().await;
    let headers = [
        ("origin".to_owned(), "https://shop.example".to_owned()),
        (
            "access-control-request-method".to_owned(),
            "POST".to_owned(),
        ),
        (
            "access-control-request-headers".to_owned(),
            "authorization,content-type,idempotency-key,x-svc-client-id,x-cal-atoms-version"
                .to_owned(),
        ),
    ];
    let preflight = service
        .call(Method::OPTIONS, "/v2/bookings", &headers, None)
        .await;
    assert_eq!(preflight.status, 200);
    assert_eq!(preflight.headers["access-control-allow-origin"], "*");
    assert_eq!(preflight.headers["access-control-max-age"], "86400");
    assert!(
        preflight
            .headers
            .get("access-control-allow-credentials")
            .is_none()
    );
    let allowed = preflight.headers["access-control-allow-headers"]
        .to_str()
        .unwrap();
    for header in [
        "authorization",
        "content-type",
        "x-svc-client-id",
        "x-cal-secret-key",
        "cal-api-version",
        "x-cal-atoms-version",
        "idempotency-key",
    ] {
        assert!(allowed.contains(header), "{header}");
    }
    for target in ["/v2/event-types?username=ada", "/v2/me", "/v2/nothing"] {
        let response = service.call(Method::GET, target, &headers[..1], None).await;
        assert_eq!(
            response
                .headers
                .get_all("access-control-allow-origin")
                .iter()
                .count(),
            1,
            "{target}"
        );
        let exposed = response.headers["access-control-expose-headers"]
            .to_str()
            .unwrap();
        assert!(exposed.contains("x-request-id") && exposed.contains("date"));
        assert_eq!(response.headers["x-request-id"].len(), 36);
    }
}

#[tokio::test]
async fn database_error_returns_500_without_details() {
    let service = Service::start().await;
    service
        .sql("ALTER TABLE event_type_hosts RENAME TO gone")
        .await;
    let failed = service.get("/v2/event-types/1").await;
    assert_eq!(
        failed.assert_error(500, "InternalServerErrorException"),
        "Internal server error"
    );
    assert!(!failed.text.contains("event_type_hosts"));
    service
        .sql("ALTER TABLE gone RENAME TO event_type_hosts")
        .await;
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);
}

#[tokio::test]
async fn long_response_is_compressed_if_accepted() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let path = format!("/v2/slots?eventTypeId={id}&start=2027-03-01&end=2027-03-31");
    for (accepted, expected) in [("gzip, br", Some("br")), ("gzip", Some("gzip")), ("", None)] {
        let headers = [("accept-encoding".to_owned(), accepted.to_owned())];
        let response = service.call(Method::GET, &path, &headers, None).await;
        assert_eq!(response.status, 200);
        let encoding = response.headers.get("content-encoding");
        assert_eq!(encoding.and_then(|value| value.to_str().ok()), expected);
    }
}
