//! Verification of e-mail addresses by codes, and bookings that require it.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use booking_service::limits::client_ip::Peer;
use booking_service::process::maintenance;
use booking_service::settings::Limits;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};
use crate::mail::messages::use_closed_mail_server;

const CODES: &str = "/v2/verified-resources/emails/verification-code";
const EMAILS: &str = "/v2/verified-resources/emails";
const ADDRESS: &str = "zoe@example.org";
const START: &str = "2027-03-02T09:00:00Z";

async fn service_with_mail() -> Service {
    let mut service = Service::start().await;
    service.restart_with(|settings| settings.mail_is_available = true);
    service
}

async fn request_code(service: &Service, email: &str) -> TestResponse {
    let target = format!("{CODES}/request");
    service.post(&target, json!({"email": email})).await
}

async fn verify(service: &Service, code: &str) -> TestResponse {
    let body = json!({"email": ADDRESS, "code": code});
    service.post(&format!("{CODES}/verify"), body).await
}

/// Requests a code and returns the one in the message.
async fn sent_code(service: &Service) -> String {
    let response = request_code(service, ADDRESS).await;
    assert_eq!(response.body, json!({"status": "success"}));
    let data = last_message(service).await;
    data["code"].as_str().unwrap().to_owned()
}

/// Returns the data of the latest message.
async fn last_message(service: &Service) -> Value {
    let mut db = service.app.store.read().await.unwrap();
    let text: String = sql::query_scalar("SELECT data FROM mail_events ORDER BY id DESC LIMIT 1")
        .fetch_one(&mut db)
        .await
        .unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns another code than `code`.
fn wrong(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    format!("{:06}", (number + 1) % 1_000_000)
}

/// Returns the rule that a request with a wrong code breaks.
fn broken_rule(response: &TestResponse, property: &str) -> String {
    response.assert_error(400, "BadRequestException");
    let error = &response.body["error"]["details"]["errors"][0];
    assert_eq!(error["property"], property, "{}", response.text);
    let rules = error["constraints"].as_object().unwrap();
    rules.keys().next().unwrap().clone()
}

async fn guarded_event_type(service: &Service) -> i64 {
    let settings = json!({"requiresBookerEmailVerification": true});
    service.event_type("guarded", settings).await
}

async fn book(service: &Service, event_type_id: i64, start: &str, code: &str) -> TestResponse {
    let mut body = booking(event_type_id, start);
    body["emailVerificationCode"] = json!(code);
    service.post("/v2/bookings", body).await
}

#[tokio::test]
async fn requested_code_is_in_message_and_stored_as_hash() {
    let service = service_with_mail().await;
    let body = json!({"email": "Zoe@Example.org", "language": "pt-BR"});
    let response = service.post(&format!("{CODES}/request"), body).await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(response.body, json!({"status": "success"}));
    let data = last_message(&service).await;
    assert_eq!(data["about"], "code");
    assert_eq!(data["valid_minutes"], 15);
    assert_eq!(data["person"]["email"], ADDRESS);
    assert_eq!(data["person"]["language"], "pt-BR");
    let code = data["code"].as_str().unwrap();
    assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()));
    let stored = "mail_messages WHERE kind = 'verification_code' AND role = 'attendee' AND email = 'zoe@example.org'
        AND booking_uid = '' AND status = 'kept' AND due_ms IS NULL";
    assert_eq!(service.count(stored).await, 1);
    let mut db = service.app.store.read().await.unwrap();
    let hash: Vec<u8> = sql::query_scalar("SELECT code_hash FROM email_verification_codes")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(hash.len(), 32);
    let id: String = sql::query_scalar("SELECT message_id FROM mail_messages")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert!(id.ends_with("@127.0.0.1"), "{id}");
}

#[tokio::test]
async fn message_waits_for_mail_server() {
    let mut service = Service::start().await;
    use_closed_mail_server(&mut service);
    sent_code(&service).await;
    let waiting = "mail_messages WHERE status = 'waiting' AND due_ms = created_ms";
    assert_eq!(service.count(waiting).await, 1);
}

#[tokio::test]
async fn language_of_message_is_that_of_the_request() {
    let service = service_with_mail().await;
    for (index, (header, language, expected)) in [
        ("de-CH,de;q=0.9,en;q=0.8", None, "de"),
        ("de", Some("fr"), "fr"),
        ("de", Some("xx"), "de"),
        ("xx", None, "en"),
    ]
    .into_iter()
    .enumerate()
    {
        let body = json!({"email": format!("visitor{index}@example.org"), "language": language});
        let headers = [("accept-language".to_owned(), header.to_owned())];
        let target = format!("{CODES}/request");
        let response = service
            .call("POST".parse().unwrap(), &target, &headers, Some(body))
            .await;
        assert_eq!(response.status, 200, "{}", response.text);
        let message = last_message(&service).await;
        assert_eq!(message["person"]["language"], expected, "{header}");
    }
}

#[tokio::test]
async fn address_that_gets_no_code_returns_400() {
    let service = service_with_mail().await;
    let long = format!("{}@example.org", "a".repeat(10_000));
    let header = "ada@example.org\r\nBcc: zoe@example.org";
    for email in [
        json!("ada"),
        json!("ada@example"),
        json!(long),
        json!(header),
        json!("ada@example.org\n"),
        json!("ada@example.org, zoe@example.org"),
        json!("jörg@example.org"),
        json!("ada@bücher.example"),
        json!(7),
        Value::Null,
    ] {
        for operation in ["request", "verify"] {
            let body = json!({"email": email, "code": "123456"});
            let response = service.post(&format!("{CODES}/{operation}"), body).await;
            response.assert_error(400, "BadRequestException");
            assert_eq!(response.constraints()[0].0, "email", "{email}");
            assert!(response.text.len() < 2_000, "{}", response.text.len());
        }
    }
    assert_eq!(service.count("mail_messages").await, 0);
}

#[tokio::test]
async fn service_without_mail_has_no_codes() {
    let service = Service::start().await;
    request_code(&service, ADDRESS)
        .await
        .assert_error(404, "NotFoundException");
    assert_eq!(service.count("mail_messages").await, 0);
}

#[tokio::test]
async fn request_does_not_disclose_whether_the_address_is_known() {
    let service = service_with_mail().await;
    let known = format!("host{HOST}@northwind.example");
    let responses = [
        request_code(&service, &known).await,
        request_code(&service, "nobody@foreign.example").await,
    ];
    for response in &responses {
        assert_eq!(response.status, 200);
        assert_eq!(response.text, responses[0].text);
    }
    assert_eq!(service.count("mail_messages").await, 2);
}

#[tokio::test]
async fn visitor_verifies_code_without_using_it_up() {
    let service = service_with_mail().await;
    let code = sent_code(&service).await;
    for _ in 0..2 {
        let verified = verify(&service, &code).await;
        assert_eq!(verified.data(), &json!({"email": ADDRESS}));
    }
    assert_eq!(service.count("verified_emails").await, 0);
    for malformed in ["12345", "1234567", "12345a", ""] {
        let response = verify(&service, malformed).await;
        assert_eq!(response.status, 400, "{malformed}: {}", response.text);
    }
    // Texts that cannot be codes are no attempts.
    let attempts = "email_verification_codes WHERE attempts > 0";
    assert_eq!(service.count(attempts).await, 0);
}

#[tokio::test]
async fn code_is_void_after_five_wrong_ones() {
    let service = service_with_mail().await;
    let code = sent_code(&service).await;
    for _ in 0..4 {
        let response = verify(&service, &wrong(&code)).await;
        assert_eq!(broken_rule(&response, "code"), "isCorrect");
    }
    verify(&service, &code).await.data();
    let response = verify(&service, &wrong(&code)).await;
    assert_eq!(broken_rule(&response, "code"), "isCurrent");
    let response = verify(&service, &code).await;
    assert_eq!(broken_rule(&response, "code"), "isCurrent");
    service.app.clock.advance_minutes(1);
    let next = sent_code(&service).await;
    verify(&service, &next).await.data();
}

#[tokio::test]
async fn concurrent_guesses_are_all_counted() {
    let service = Arc::new(service_with_mail().await);
    let code = sent_code(&service).await;
    let first: u32 = code.parse().unwrap();
    let guesses: Vec<_> = (1..=30)
        .map(|step| {
            let (service, guess) = (service.clone(), (first + step) % 1_000_000);
            tokio::spawn(async move { verify(&service, &format!("{guess:06}")).await })
        })
        .collect();
    let mut wrong = 0;
    for guess in guesses {
        let rule = broken_rule(&guess.await.unwrap(), "code");
        wrong += usize::from(rule == "isCorrect");
    }
    assert_eq!(wrong, 4);
    let response = verify(&service, &code).await;
    assert_eq!(broken_rule(&response, "code"), "isCurrent");
}

#[tokio::test]
async fn only_latest_code_is_valid_until_it_expires() {
    let service = service_with_mail().await;
    let first = sent_code(&service).await;
    service.app.clock.advance_minutes(1);
    let mut latest = sent_code(&service).await;
    if latest == first {
        service.app.clock.advance_minutes(1);
        latest = sent_code(&service).await;
    }
    let response = verify(&service, &first).await;
    assert_eq!(broken_rule(&response, "code"), "isCorrect");
    service.app.clock.advance_minutes(14);
    verify(&service, &latest).await.data();
    service.app.clock.advance_minutes(1);
    let response = verify(&service, &latest).await;
    assert_eq!(broken_rule(&response, "code"), "isCurrent");
}

#[tokio::test]
async fn address_gets_few_codes() {
    let service = service_with_mail().await;
    sent_code(&service).await;
    let refused = request_code(&service, "ZOE@example.org").await;
    refused.assert_error(429, "ThrottlerException");
    assert_eq!(refused.headers["retry-after"], "30");
    request_code(&service, "other@example.org").await;
    for _ in 0..4 {
        service.app.clock.advance_minutes(1);
        sent_code(&service).await;
    }
    service.app.clock.advance_minutes(1);
    let refused = request_code(&service, ADDRESS).await;
    refused.assert_error(429, "ThrottlerException");
    assert_eq!(refused.headers["retry-after"], (55 * 60).to_string());
    for _ in 0..15 {
        service.app.clock.advance_minutes(60);
        sent_code(&service).await;
    }
    service.app.clock.advance_minutes(60);
    assert_eq!(request_code(&service, ADDRESS).await.status, 429);
    // 20 codes in one day are the limit; the first one was 16 hours and 5 minutes ago.
    service.app.clock.advance_minutes(8 * 60);
    sent_code(&service).await;
}

#[tokio::test]
async fn network_gets_few_codes_and_enters_few() {
    let mut service = service_with_mail().await;
    service.restart_with_limits(Limits {
        rate: Some(20),
        ..Limits::default()
    });
    let send = async |operation: &str, network: &str, number: usize| {
        let email = format!("visitor{number}@example.org");
        let body = json!({"email": email, "code": "123456"});
        let mut request = Request::builder()
            .method("POST")
            .uri(format!("{CODES}/{operation}"))
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        let peer = format!("{network}:4711").parse().unwrap();
        request.extensions_mut().insert(Peer(peer));
        service.send(request).await.status
    };
    for (operation, allowed) in [("request", 200), ("verify", 400)] {
        for number in 0..5 {
            let status = send(operation, "192.0.2.1", number).await;
            assert_eq!(status, allowed, "{operation}");
        }
        assert_eq!(send(operation, "192.0.2.1", 9).await, 429, "{operation}");
        let other = send(operation, "192.0.2.2", 10).await;
        assert_eq!(other, allowed, "{operation}");
    }
}

#[tokio::test]
async fn user_stores_verified_address_once() {
    let service = service_with_mail().await;
    let bearer = service.bearer_of(HOST).await;
    let verify = async |code: &str| {
        let body = json!({"email": "ZOE@example.org", "code": code});
        let target = format!("{CODES}/verify");
        service.post_as(&target, bearer.clone(), body).await
    };
    let code = sent_code(&service).await;
    let verified = verify(&code).await;
    assert_eq!(verified.status, 200, "{}", verified.text);
    let id = verified.data()["id"].as_i64().unwrap();
    let expected = json!({"id": id, "email": ADDRESS, "userId": HOST});
    assert_eq!(verified.data(), &expected);
    // The code is used up.
    assert_eq!(broken_rule(&verify(&code).await, "code"), "isCurrent");
    service.app.clock.advance_minutes(1);
    let again = verify(&sent_code(&service).await).await;
    assert_eq!(again.data(), &expected);

    let list = service.get_as(EMAILS, bearer.clone()).await;
    assert_eq!(list.data(), &json!([expected]));
    let page = service
        .get_as(&format!("{EMAILS}?skip=1"), bearer.clone())
        .await;
    assert_eq!(page.data(), &json!([]));
    let target = format!("{EMAILS}/{id}");
    let one = service.get_as(&target, bearer).await;
    assert_eq!(one.data(), &expected);
    let stranger = service.bearer_of(OTHER_HOST).await;
    let hidden = service.get_as(&target, stranger.clone()).await;
    hidden.assert_error(404, "NotFoundException");
    let list = service.get_as(EMAILS, stranger).await;
    assert_eq!(list.data(), &json!([]));
}

#[tokio::test]
async fn wrong_code_of_user_is_counted_and_stores_nothing() {
    let service = service_with_mail().await;
    let code = sent_code(&service).await;
    let body = json!({"email": ADDRESS, "code": wrong(&code)});
    let bearer = service.bearer_of(HOST).await;
    let response = service
        .post_as(&format!("{CODES}/verify"), bearer, body)
        .await;
    assert_eq!(broken_rule(&response, "code"), "isCorrect");
    let attempts = "email_verification_codes WHERE attempts = 1";
    assert_eq!(service.count(attempts).await, 1);
    assert_eq!(service.count("verified_emails").await, 0);
}

#[tokio::test]
async fn team_stores_verified_address() {
    let service = service_with_mail().await;
    let member = service.manager();
    let mut ids = BTreeSet::new();
    for base in ["/v2/teams/1", "/v2/organizations/1/teams/1"] {
        let emails = format!("{base}/verified-resources/emails");
        let requested = service
            .post_as(
                &format!("{emails}/verification-code/request"),
                member.clone(),
                json!({"email": ADDRESS}),
            )
            .await;
        assert_eq!(requested.body, json!({"status": "success"}));
        let code = last_message(&service).await["code"].clone();
        let verified = service
            .post_as(
                &format!("{emails}/verification-code/verify"),
                member.clone(),
                json!({"email": ADDRESS, "code": code}),
            )
            .await;
        assert_eq!(verified.status, 200, "{}", verified.text);
        assert_eq!(verified.data()["email"], ADDRESS);
        assert_eq!(verified.data()["teamId"], 1);
        let list = service.get_as(&emails, member.clone()).await;
        assert_eq!(list.data(), &json!([verified.data()]));
        let id = verified.data()["id"].as_i64().unwrap();
        let one = service
            .get_as(&format!("{emails}/{id}"), member.clone())
            .await;
        assert_eq!(one.data(), verified.data());
        ids.insert(id);
        service.app.clock.advance_minutes(1);

        let stranger = service.bearer_of(HOST).await;
        for (method, target) in [
            ("GET", emails.clone()),
            ("GET", format!("{emails}/{id}")),
            ("POST", format!("{emails}/verification-code/request")),
            ("POST", format!("{emails}/verification-code/verify")),
        ] {
            let body = json!({"email": ADDRESS, "code": "123456"});
            let refused = service.request(method, &target, &stranger, body).await;
            refused.assert_error(403, "ForbiddenException");
        }
    }
    assert_eq!(ids.len(), 1);
    let other = "/v2/organizations/2/teams/1/verified-resources/emails";
    let hidden = service.get_as(other, member).await;
    hidden.assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn booking_uses_up_code() {
    let service = service_with_mail().await;
    let id = guarded_event_type(&service).await;
    let missing = service.post("/v2/bookings", booking(id, START)).await;
    let message = missing.assert_error(400, "BadRequestException");
    let expected = "emailVerificationCode is required: POST /v2/verified-resources/emails";
    assert!(message.starts_with(expected), "{message}");

    let code = sent_code(&service).await;
    let property = "emailVerificationCode";
    for malformed in ["1", "not a code"] {
        let response = book(&service, id, START, malformed).await;
        assert_eq!(broken_rule(&response, property), "isCorrect");
        assert!(!response.text.contains("not a code"));
    }
    let response = book(&service, id, START, &wrong(&code)).await;
    assert_eq!(broken_rule(&response, property), "isCorrect");
    let attempts = "email_verification_codes WHERE attempts = 1";
    assert_eq!(service.count(attempts).await, 1);
    // A booking that fails keeps the code.
    let taken = book(&service, id, "2027-03-02T03:00:00Z", &code).await;
    assert_eq!(taken.status, 400, "{}", taken.text);
    assert!(!taken.text.contains(property), "{}", taken.text);

    let created = book(&service, id, START, &format!(" {code} ")).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let repeated = book(&service, id, "2027-03-02T10:00:00Z", &code).await;
    assert_eq!(broken_rule(&repeated, property), "isCurrent");
}

#[tokio::test]
async fn code_verifies_only_its_own_address() {
    let service = service_with_mail().await;
    let id = guarded_event_type(&service).await;
    let code = sent_code(&service).await;
    let mut body = booking(id, START);
    body["emailVerificationCode"] = json!(code);
    body["attendee"]["email"] = json!("other@example.org");
    let response = service.post("/v2/bookings", body.clone()).await;
    assert_eq!(broken_rule(&response, "emailVerificationCode"), "isCurrent");
    body["attendee"]["email"] = json!("ZOE@Example.org");
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.status, 201, "{}", created.text);
}

#[tokio::test]
async fn one_code_verifies_one_of_many_concurrent_bookings() {
    let service = Arc::new(service_with_mail().await);
    let id = guarded_event_type(&service).await;
    let code = sent_code(&service).await;
    let bookings: Vec<_> = (9..16)
        .map(|hour| {
            let (service, code) = (service.clone(), code.clone());
            let start = format!("2027-03-02T{hour:02}:00:00Z");
            tokio::spawn(async move { book(&service, id, &start, &code).await })
        })
        .collect();
    let mut created = 0;
    for booking in bookings {
        let response = booking.await.unwrap();
        match response.status {
            201 => created += 1,
            _ => assert_eq!(broken_rule(&response, "emailVerificationCode"), "isCurrent"),
        }
    }
    assert_eq!(created, 1);
}

#[tokio::test]
async fn repeated_booking_with_idempotency_key_needs_no_second_code() {
    let service = service_with_mail().await;
    let id = guarded_event_type(&service).await;
    let mut body = booking(id, START);
    body["emailVerificationCode"] = json!(sent_code(&service).await);
    let headers = [("idempotency-key".to_owned(), "once".to_owned())];
    let mut uids = BTreeSet::new();
    for _ in 0..2 {
        let method = "POST".parse().unwrap();
        let response = service
            .call(method, "/v2/bookings", &headers, Some(body.clone()))
            .await;
        assert_eq!(response.status, 201, "{}", response.text);
        uids.insert(response.data()["uid"].as_str().unwrap().to_owned());
    }
    assert_eq!(uids.len(), 1);
}

#[tokio::test]
async fn address_that_the_caller_has_verified_needs_no_code() {
    let service = service_with_mail().await;
    let id = guarded_event_type(&service).await;
    let bearer = service.bearer_of(OTHER_HOST).await;
    let book = async |start: &str| {
        let body = booking(id, start);
        service.post_as("/v2/bookings", bearer.clone(), body).await
    };
    let refused = book(START).await;
    assert_eq!(broken_rule(&refused, "emailVerificationCode"), "isVerified");
    let body = json!({"email": ADDRESS, "code": sent_code(&service).await});
    let verified = service
        .post_as(&format!("{CODES}/verify"), bearer.clone(), body)
        .await;
    assert_eq!(verified.status, 200, "{}", verified.text);
    assert_eq!(book(START).await.status, 201);
    // Another caller, or none, needs one.
    let visitor = service.post("/v2/bookings", booking(id, START)).await;
    assert_eq!(broken_rule(&visitor, "emailVerificationCode"), "isVerified");
}

#[tokio::test]
async fn verification_can_be_required_if_mail_is_sent() {
    let service = service_with_mail().await;
    let body = json!({
        "title": "Guarded", "slug": "guarded", "lengthInMinutes": 30, "requiresBookerEmailVerification": true,
    });
    let bearer = service.bearer_of(HOST).await;
    let created = service
        .post_as("/v2/event-types", bearer.clone(), body.clone())
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_eq!(created.data()["requiresBookerEmailVerification"], true);
    let mut team = body;
    team["schedulingType"] = json!("collective");
    let created = service
        .post_as("/v2/teams/1/event-types", service.manager(), team)
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    let priced = json!({"title": "Paid", "slug": "paid", "lengthInMinutes": 30, "price": 1});
    let refused = service.post_as("/v2/event-types", bearer, priced).await;
    assert_eq!(refused.constraints()[0].0, "price");
}

#[tokio::test]
async fn codes_are_deleted_after_a_day() {
    let service = service_with_mail().await;
    let code = sent_code(&service).await;
    service.app.clock.advance_minutes(24 * 60 - 1);
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("email_verification_codes").await, 1);
    service.app.clock.advance_minutes(1);
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("email_verification_codes").await, 0);
    let response = verify(&service, &code).await;
    assert_eq!(broken_rule(&response, "code"), "isCurrent");
}
