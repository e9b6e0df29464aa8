//! Callers without credentials: limits of reservations and bookings, and visible data.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::{Method, Request};
use booking_service::limits::client_ip::Peer;
use booking_service::process::maintenance;
use booking_service::settings::Limits;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};

const RESERVATIONS: &str = "/v2/slots/reservations";
const ATTACKER: &str = "192.0.2.1";
const VISITOR: &str = "198.51.100.7";

async fn limited() -> Service {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        rate: Some(120),
        ..Limits::default()
    });
    service
}

async fn send_from(
    service: &Service,
    ip: &str,
    method: Method,
    target: &str,
    body: Value,
) -> TestResponse {
    let address: SocketAddr = if ip.contains(':') {
        format!("[{ip}]:4711").parse().unwrap()
    } else {
        format!("{ip}:4711").parse().unwrap()
    };
    let mut request = Request::builder()
        .method(method)
        .uri(target)
        .header("host", "localhost:8080")
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap();
    request.extensions_mut().insert(Peer(address));
    service.send(request).await
}

async fn reserve(service: &Service, ip: &str, event_type_id: i64, start: &str) -> TestResponse {
    let body = json!({"eventTypeId": event_type_id, "slotStart": start});
    send_from(service, ip, Method::POST, RESERVATIONS, body).await
}

/// Half-hour starts of a working week of `HOST`.
fn starts() -> impl Iterator<Item = String> {
    (2..=5).flat_map(|day| {
        (8..16).flat_map(move |hour| {
            ["00", "30"].map(|minute| format!("2027-03-{day:02}T{hour:02}:{minute}:00Z"))
        })
    })
}

#[tokio::test]
async fn reservations_of_one_network_leave_most_slots_free() {
    let service = limited().await;
    let types = [
        service.event_type("one", json!({})).await,
        service.event_type("two", json!({})).await,
        service.event_type("three", json!({})).await,
    ];
    let mut tried = 0;
    let mut created = 0;
    for (number, start) in starts().enumerate() {
        let response = reserve(&service, ATTACKER, types[number % 3], &start).await;
        tried += 1;
        match response.status {
            201 => created += 1,
            429 => assert!(response.headers.contains_key("retry-after")),
            other => panic!("{other} {}", response.text),
        }
        // Stay below the rate limit.
        if number % 20 == 19 {
            service.app.clock.advance_minutes(1);
        }
    }
    assert_eq!(tried, 64);
    // All event types share one host.
    assert_eq!(created, 5);
    let found = send_from(
        &service,
        VISITOR,
        Method::GET,
        &format!(
            "/v2/slots?eventTypeId={}&start=2027-03-02&end=2027-03-05",
            types[0]
        ),
        Value::Null,
    )
    .await;
    let free: usize = found
        .data()
        .as_object()
        .unwrap()
        .values()
        .map(|day| day.as_array().unwrap().len())
        .sum();
    assert_eq!(free, 64 - 5);
}

#[tokio::test]
async fn reservations_of_one_network_are_limited_per_event_type() {
    let service = limited().await;
    let one = service.event_type("one", json!({})).await;
    let statuses = async |event_type_id: i64, ip: &str| {
        let mut statuses = Vec::new();
        for start in starts().take(5) {
            let response = reserve(&service, ip, event_type_id, &start).await;
            statuses.push(response.status);
        }
        statuses
    };
    assert_eq!(statuses(one, ATTACKER).await, [201, 201, 201, 429, 429]);
    // An IPv6 /64 network counts as one client; another network has its own count.
    let start = "2027-03-03T09:00:00Z";
    for (ip, status) in [
        ("2001:db8:1:1::1", 201),
        ("2001:db8:1:1:ffff::2", 201),
        ("2001:db8:1:1::3", 201),
        ("2001:db8:1:1:abcd::4", 429),
        ("2001:db8:1:2::1", 201),
    ] {
        let hour = hour_of_ip(ip);
        let start = start.replace("T09", &format!("T{hour}"));
        let response = reserve(&service, ip, one, &start).await;
        assert_eq!(response.status, status, "{ip} {}", response.text);
    }
    // Hosts of the event type have no limit.
    let host = service.bearer_of(HOST).await;
    for start in starts().skip(16).step_by(2).skip(8).take(6) {
        let body = json!({"eventTypeId": one, "slotStart": start});
        let created = service.post_as(RESERVATIONS, host.clone(), body).await;
        assert_eq!(created.status, 201, "{start} {}", created.text);
    }
}

fn hour_of_ip(ip: &str) -> &'static str {
    match ip {
        "2001:db8:1:1::1" => "10",
        "2001:db8:1:1:ffff::2" => "11",
        "2001:db8:1:1::3" => "12",
        "2001:db8:1:1:abcd::4" => "13",
        _ => "14",
    }
}

#[tokio::test]
async fn reservation_renewals_end_after_half_an_hour() {
    let service = limited().await;
    let id = service.event_type("talk", json!({})).await;
    let start = "2027-03-02T10:00:00Z";
    let body = json!({"eventTypeId": id, "slotStart": start});
    let created = reserve(&service, ATTACKER, id, start).await;
    let target = format!(
        "{RESERVATIONS}/{}",
        created.data()["reservationUid"].as_str().unwrap()
    );
    let mut minutes = 0;
    let refused = loop {
        service.app.clock.advance_minutes(4);
        minutes += 4;
        let renewed = send_from(&service, ATTACKER, Method::PATCH, &target, body.clone()).await;
        if renewed.status != 200 {
            break renewed;
        }
        assert!(minutes < 60, "renewed for an hour");
    };
    // The last renewal expired after half an hour.
    refused.assert_error(404, "NotFoundException");
    assert_eq!(minutes, 32);
    // It cannot be reserved again either.
    let again = reserve(&service, ATTACKER, id, start).await;
    again.assert_error(429, "ThrottlerException");
    assert_eq!(reserve(&service, VISITOR, id, start).await.status, 201);
    // Two hours later it no longer counts.
    service.app.clock.advance_minutes(125);
    assert_eq!(reserve(&service, ATTACKER, id, start).await.status, 201);
}

#[tokio::test]
async fn reserved_slot_is_booked_by_same_client_without_reservation_uid() {
    let service = limited().await;
    let id = service.event_type("talk", json!({})).await;
    let start = "2027-03-02T10:00:00Z";
    assert_eq!(reserve(&service, VISITOR, id, start).await.status, 201);
    let body = booking(id, start);
    let stranger = send_from(
        &service,
        ATTACKER,
        Method::POST,
        "/v2/bookings",
        body.clone(),
    )
    .await;
    stranger.assert_error(409, "ConflictException");
    let own = send_from(&service, VISITOR, Method::POST, "/v2/bookings", body).await;
    assert_eq!(own.status, 201, "{}", own.text);
    // The same applies to a reschedule.
    let to = "2027-03-02T12:00:00Z";
    assert_eq!(reserve(&service, VISITOR, id, to).await.status, 201);
    let target = format!(
        "/v2/bookings/{}/reschedule",
        own.data()["uid"].as_str().unwrap()
    );
    let stranger = send_from(
        &service,
        ATTACKER,
        Method::POST,
        &target,
        json!({"start": to}),
    )
    .await;
    stranger.assert_error(409, "ConflictException");
    let moved = send_from(
        &service,
        VISITOR,
        Method::POST,
        &target,
        json!({"start": to}),
    )
    .await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_eq!(
        service
            .count("reservations WHERE until_ms > unixepoch('2027-03-01T08:00:00Z') * 1000")
            .await,
        0
    );
}

#[tokio::test]
async fn bookings_of_one_network_are_limited_per_day() {
    let service = limited().await;
    let one = service.event_type("one", json!({})).await;
    let two = service.event_type("two", json!({})).await;
    let mut created = [0, 0];
    for (number, start) in starts().enumerate() {
        let index = usize::from(created[0] >= 30);
        let mut body = booking([one, two][index], &start);
        body["attendee"]["email"] = json!(format!("visitor{}@example.org", number % 3));
        let response = send_from(&service, ATTACKER, Method::POST, "/v2/bookings", body).await;
        match response.status {
            201 => created[index] += 1,
            429 => assert_eq!(created.iter().sum::<i32>(), 60, "{}", response.text),
            other => panic!("{other} {}", response.text),
        }
        if number % 15 == 14 {
            service.app.clock.advance_minutes(1);
        }
    }
    assert_eq!(created, [30, 30]);
    let last = booking(one, "2027-03-08T09:00:00Z");
    let other = send_from(&service, VISITOR, Method::POST, "/v2/bookings", last).await;
    assert_eq!(other.status, 201, "{}", other.text);
    let metrics = send_from(&service, "127.0.0.1", Method::GET, "/metrics", Value::Null).await;
    for line in [
        "booking_client_limit_refusals_total{limit=\"bookings\"} 4",
        "booking_reservations_live 0",
    ] {
        assert!(
            metrics.text.lines().any(|it| it == line),
            "{}",
            metrics.text
        );
    }
}

#[tokio::test]
async fn bookings_of_one_event_type_are_limited_per_day() {
    let service = limited().await;
    let one = service.event_type("one", json!({})).await;
    let mut statuses = Vec::new();
    for (number, start) in starts().take(32).enumerate() {
        let body = booking(one, &start);
        let response = send_from(&service, ATTACKER, Method::POST, "/v2/bookings", body).await;
        statuses.push(response.status);
        if number % 15 == 14 {
            service.app.clock.advance_minutes(1);
        }
    }
    assert_eq!(statuses.iter().filter(|it| **it == 201).count(), 30);
    assert_eq!(statuses[30..], [429, 429]);
}

#[tokio::test]
async fn bookings_a_day_are_counted_over_replicas_unless_they_fail() {
    let first = limited().await;
    let app = first.reopen(first.app.clock.clone()).await;
    let mut second = Service::over(app, &first.credentials);
    second.restart_with_limits(first.app.settings.limits.clone());
    let services = [&first, &second];
    let one = first.event_type("one", json!({})).await;
    let mut starts = starts();
    let mut taken = booking(one, &starts.next().unwrap());
    taken["attendee"]["email"] = json!("visitor@example.org");
    let by_visitor = send_from(&first, VISITOR, Method::POST, "/v2/bookings", taken.clone());
    assert_eq!(by_visitor.await.status, 201);
    for _ in 0..5 {
        let refused = send_from(
            &first,
            ATTACKER,
            Method::POST,
            "/v2/bookings",
            taken.clone(),
        );
        assert_eq!(refused.await.status, 409);
    }
    let mut statuses = Vec::new();
    for (number, start) in starts.take(31).enumerate() {
        let service = services[number % services.len()];
        let body = booking(one, &start);
        let response = send_from(service, ATTACKER, Method::POST, "/v2/bookings", body).await;
        statuses.push(response.status);
        if number % 15 == 14 {
            first.app.clock.advance_minutes(1);
        }
    }
    assert_eq!(statuses[..30], [201; 30]);
    assert_eq!(statuses[30..], [429]);
    // The counts name nobody, and are deleted after their day.
    let counts = "allowances WHERE length(key) = 64";
    assert_eq!(first.count(counts).await, first.count("allowances").await);
    maintenance::round(&first.app).await.unwrap();
    assert_ne!(first.count("allowances").await, 0);
    first.app.clock.advance_minutes(24 * 60);
    maintenance::round(&second.app).await.unwrap();
    assert_eq!(first.count("allowances").await, 0);
    let body = booking(one, "2027-03-09T09:00:00Z");
    let next_day = send_from(&second, ATTACKER, Method::POST, "/v2/bookings", body).await;
    assert_eq!(next_day.status, 201, "{}", next_day.text);
}

#[tokio::test]
async fn booking_with_seats_is_closed_to_unauthorized_callers() {
    for show in [true, false] {
        let service = Service::start().await;
        let id = service
            .event_type(
                "class",
                json!({
                    "seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": show},
                    "locations": [{"type": "link", "link": "https://meet.example/secret", "public": false}],
                }),
            )
            .await;
        let mut holders = Vec::new();
        for name in ["ana", "bo"] {
            let mut body = booking(id, "2027-03-02T09:00:00Z");
            body["attendee"]["email"] = json!(format!("{name}@example.org"));
            body["attendee"]["name"] = json!(format!("{name} of secrets"));
            let created = service.post("/v2/bookings", body).await;
            holders.push((
                created.data()["uid"].as_str().unwrap().to_owned(),
                created.data()["seatUid"].as_str().unwrap().to_owned(),
            ));
        }
        let slots = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02");
        let slots = service.get(&slots).await;
        assert_eq!(
            slots.data()["2027-03-02"][2]["seatsBooked"],
            2,
            "{}",
            slots.text
        );
        let uid = &holders[0].0;
        assert!(!slots.text.contains(uid));
        // A caller who knows only the uid.
        let read = service.get(&format!("/v2/bookings/{uid}")).await;
        assert_eq!(read.status, 200);
        for (_, seat) in &holders {
            assert!(!read.text.contains(seat));
        }
        for secret in ["ana", "bo@", "secrets", "meet.example"] {
            assert!(!read.text.contains(secret), "{secret} {}", read.text);
        }
        // A seat holder sees only the other's name, and only if attendee information is shown.
        let (_, own_seat) = &holders[1];
        let own = service
            .get(&format!("/v2/bookings/by-seat/{own_seat}"))
            .await;
        assert!(own.text.contains("bo@example.org") && own.text.contains("meet.example"));
        assert_eq!(own.text.contains("ana of secrets"), show);
        assert!(!own.text.contains("ana@example.org") && !own.text.contains(&holders[0].1));
        for (action, body) in [
            ("cancel", json!({})),
            ("cancel", json!({"seatUid": "guessed"})),
            ("reschedule", json!({"start": "2027-03-03T09:00:00Z"})),
            (
                "reschedule",
                json!({"start": "2027-03-03T09:00:00Z", "seatUid": "guessed"}),
            ),
        ] {
            let response = service
                .post(&format!("/v2/bookings/{uid}/{action}"), body)
                .await;
            assert!(
                (400..404).contains(&response.status),
                "{action} {}",
                response.text
            );
        }
        assert_eq!(
            service
                .count("attendees WHERE seat_uid IS NOT NULL AND booking_id > 1000000")
                .await,
            0
        );
        let host = service.bearer_of(HOST).await;
        let seen = service.get_as(&format!("/v2/bookings/{uid}"), host).await;
        assert_eq!(seen.data()["attendees"].as_array().unwrap().len(), 2);
        for (_, seat) in &holders {
            assert!(seen.text.contains(seat));
        }
    }
}

/// Every request that accesses an event type, by id or by slug.
fn event_type_requests(id: i64, slug: &str) -> Vec<(Method, String, Value)> {
    let day = "start=2027-03-02&end=2027-03-02";
    let v1_day = "startTime=2027-03-02T00:00:00Z&endTime=2027-03-03T00:00:00Z";
    let named = format!("username=host{HOST}&eventTypeSlug={slug}");
    let start = "2027-03-02T09:00:00Z";
    let mut by_name = booking(id, start);
    let body = by_name.as_object_mut().unwrap();
    body.remove("eventTypeId");
    body.insert("eventTypeSlug".into(), json!(slug));
    body.insert("username".into(), json!(format!("host{HOST}")));
    vec![
        (Method::GET, format!("/v2/event-types/{id}"), Value::Null),
        (
            Method::GET,
            format!("/v2/slots?eventTypeId={id}&{day}"),
            Value::Null,
        ),
        (Method::GET, format!("/v2/slots?{named}&{day}"), Value::Null),
        (
            Method::GET,
            format!("/v1/slots?eventTypeId={id}&{v1_day}"),
            Value::Null,
        ),
        (
            Method::GET,
            format!("/v1/slots?usernameList=host{HOST}&eventTypeSlug={slug}&{v1_day}"),
            Value::Null,
        ),
        (
            Method::POST,
            RESERVATIONS.to_owned(),
            json!({"eventTypeId": id, "slotStart": start}),
        ),
        (Method::POST, "/v2/bookings".to_owned(), booking(id, start)),
        (Method::POST, "/v2/bookings".to_owned(), by_name),
    ]
}

#[tokio::test]
async fn closed_event_type_is_found_only_by_its_hosts() {
    let service = Service::start().await;
    let id = service
        .event_type("secret", json!({"hidden": true, "closed": true}))
        .await;
    let public = service.event_type("public", json!({})).await;
    let stranger = service.bearer_of(OTHER_HOST).await;
    let mut sent = 0;
    for (method, target, body) in event_type_requests(id, "secret") {
        let is_v1 = target.starts_with("/v1");
        for credentials in [None, Some(stranger.clone())] {
            if is_v1 && credentials.is_some() {
                continue;
            }
            let target = if is_v1 {
                format!("{target}&apiKey={}", service.key_of(OTHER_HOST).await)
            } else {
                target.clone()
            };
            let headers: Vec<_> = credentials.into_iter().collect();
            let body = (!body.is_null()).then(|| body.clone());
            let response = service.call(method.clone(), &target, &headers, body).await;
            assert_eq!(response.status, 404, "{method} {target} {}", response.text);
            sent += 1;
        }
    }
    assert_eq!(sent, 14);
    // Unknown event types return the same status.
    for (method, target, body) in event_type_requests(987_654, "nothing") {
        if target.starts_with("/v1") {
            continue;
        }
        let body = (!body.is_null()).then_some(body);
        let response = service.call(method, &target, &[], body).await;
        assert_eq!(response.status, 404, "{target} {}", response.text);
    }
    let listed = service
        .get(&format!("/v2/event-types?username=host{HOST}"))
        .await;
    assert!(!listed.text.contains("secret"));
    let host = service.bearer_of(HOST).await;
    for (number, (method, target, body)) in
        event_type_requests(id, "secret").into_iter().enumerate()
    {
        if target.starts_with("/v1") {
            continue;
        }
        let body = (!body.is_null()).then_some(body);
        let response = service
            .call(method, &target, std::slice::from_ref(&host), body)
            .await;
        // The last request books the same slot again.
        let is_taken = number == 7;
        assert_eq!(
            response.status == 409,
            is_taken,
            "{target} {}",
            response.text
        );
        assert!(
            is_taken || response.status < 300,
            "{target} {}",
            response.text
        );
    }
    // Slots are visible for the reschedule of an existing booking.
    let uid = BookingFixture::new(id)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    let moving = format!(
        "/v2/slots?eventTypeId={id}&start=2027-03-03&end=2027-03-03&bookingUidToReschedule={uid}"
    );
    assert_eq!(service.get(&moving).await.status, 200);
    let foreign = BookingFixture::new(public)
        .at("2027-03-04T09:00:00Z")
        .store(&service)
        .await;
    let moving = moving.replace(&uid, &foreign);
    assert_eq!(service.get(&moving).await.status, 404);
}

#[tokio::test]
async fn event_type_with_required_authentication_rejects_unauthorized_callers() {
    let service = Service::start().await;
    let id = service
        .event_type("members", json!({"bookingRequiresAuthentication": true}))
        .await;
    let stranger = service.bearer_of(OTHER_HOST).await;
    let host = service.bearer_of(HOST).await;
    for (method, target, body) in event_type_requests(id, "members") {
        if target.starts_with("/v1") || target.starts_with("/v2/event-types") {
            continue;
        }
        let body = (!body.is_null()).then_some(body);
        let anonymous = service
            .call(method.clone(), &target, &[], body.clone())
            .await;
        assert_eq!(anonymous.status, 401, "{target} {}", anonymous.text);
        let foreign = service
            .call(
                method.clone(),
                &target,
                std::slice::from_ref(&stranger),
                body.clone(),
            )
            .await;
        assert_eq!(foreign.status, 403, "{target} {}", foreign.text);
        let own = service
            .call(method, &target, std::slice::from_ref(&host), body)
            .await;
        assert!(
            own.status < 300 || own.status == 409,
            "{target} {}",
            own.text
        );
    }
}

#[tokio::test]
async fn group_booking_requires_consent_of_all_users() {
    let service = Service::start().await;
    let body = |names: &str, organization: Option<&str>| {
        json!({
            "start": "2027-03-02T15:00:00Z", "username": names, "organizationSlug": organization,
            "eventTypeSlug": "dynamic", "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "UTC"},
        })
    };
    service
        .sql("UPDATE users SET organization_id = 1 WHERE id IN (100, 101)")
        .await;
    let mut messages = std::collections::BTreeSet::new();
    for (names, organization) in [
        ("host100+host101", None),
        ("host100+host101", Some("northwind")),
        ("host100+nobody", Some("northwind")),
        ("nobody+nothing", Some("northwind")),
        ("host100+host101", Some("nowhere")),
    ] {
        let refused = service
            .post("/v2/bookings", body(names, organization))
            .await;
        messages.insert(refused.assert_error(404, "NotFoundException").to_owned());
    }
    // The message does not reveal which accounts exist.
    assert_eq!(messages.len(), 1, "{messages:?}");
    let host = service.bearer_of(HOST).await;
    service
        .request(
            "PATCH",
            "/v2/me",
            &host,
            json!({"allowDynamicBooking": true}),
        )
        .await
        .data();
    let one = service
        .post("/v2/bookings", body("host100+host101", Some("northwind")))
        .await;
    one.assert_error(404, "NotFoundException");
    service.allow_groups().await;
    let both = service
        .post("/v2/bookings", body("host100+host101", Some("northwind")))
        .await;
    assert_eq!(both.status, 201, "{}", both.text);
}
