//! Limits of what callers without credentials can take, block and see.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::{Method, Request};
use booking_service::client_ip::Peer;
use booking_service::settings::Limits;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service, booking};
use crate::stored::Made;

const RESERVATIONS: &str = "/v2/slots/reservations";
const ATTACKER: &str = "192.0.2.1";
const VISITOR: &str = "198.51.100.7";

async fn limited() -> Service {
    let mut service = Service::start().await;
    service.limit(Limits {
        rate: Some(120),
        ..Limits::default()
    });
    service
}

async fn from(service: &Service, ip: &str, method: Method, target: &str, body: Value) -> Answer {
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

async fn reserve(service: &Service, ip: &str, event_type_id: i64, start: &str) -> Answer {
    let body = json!({"eventTypeId": event_type_id, "slotStart": start});
    from(service, ip, Method::POST, RESERVATIONS, body).await
}

/// Half hours of a working week of `HOST`.
fn starts() -> impl Iterator<Item = String> {
    (2..=5).flat_map(|day| {
        (8..16).flat_map(move |hour| {
            ["00", "30"].map(|minute| format!("2027-03-{day:02}T{hour:02}:{minute}:00Z"))
        })
    })
}

#[tokio::test]
async fn reservations_of_one_network_leave_nearly_all_slots_free() {
    let service = limited().await;
    let types = [
        service.event_type("one", json!({})).await,
        service.event_type("two", json!({})).await,
        service.event_type("three", json!({})).await,
    ];
    let mut tried = 0;
    let mut made = 0;
    for (number, start) in starts().enumerate() {
        let answer = reserve(&service, ATTACKER, types[number % 3], &start).await;
        tried += 1;
        match answer.status {
            201 => made += 1,
            429 => assert!(answer.headers.contains_key("retry-after")),
            other => panic!("{other} {}", answer.text),
        }
        // Not faster than the rate allows.
        if number % 20 == 19 {
            service.app.clock.advance_minutes(1);
        }
    }
    assert_eq!(tried, 64);
    // All of them take the time of the same host.
    assert_eq!(made, 5);
    let found = from(
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
async fn reservations_of_one_network_are_limited_per_event_type_and_in_all() {
    let service = limited().await;
    let one = service.event_type("one", json!({})).await;
    let statuses = async |event_type_id: i64, ip: &str| {
        let mut statuses = Vec::new();
        for start in starts().take(5) {
            let answer = reserve(&service, ip, event_type_id, &start).await;
            statuses.push(answer.status);
        }
        statuses
    };
    assert_eq!(statuses(one, ATTACKER).await, [201, 201, 201, 429, 429]);
    // A home has one network of IPv6, whatever address it uses; another home has its own count.
    let start = "2027-03-03T09:00:00Z";
    for (ip, status) in [
        ("2001:db8:1:1::1", 201),
        ("2001:db8:1:1:ffff::2", 201),
        ("2001:db8:1:1::3", 201),
        ("2001:db8:1:1:abcd::4", 429),
        ("2001:db8:1:2::1", 201),
    ] {
        let hour = statuses_hour(ip);
        let start = start.replace("T09", &format!("T{hour}"));
        let answer = reserve(&service, ip, one, &start).await;
        assert_eq!(answer.status, status, "{ip} {}", answer.text);
    }
    // Whoever hosts the event type answers for as many as they like.
    let host = service.bearer_of(HOST).await;
    for start in starts().skip(16).step_by(2).skip(8).take(6) {
        let body = json!({"eventTypeId": one, "slotStart": start});
        let made = service.post_as(RESERVATIONS, host.clone(), body).await;
        assert_eq!(made.status, 201, "{start} {}", made.text);
    }
}

fn statuses_hour(ip: &str) -> &'static str {
    match ip {
        "2001:db8:1:1::1" => "10",
        "2001:db8:1:1:ffff::2" => "11",
        "2001:db8:1:1::3" => "12",
        "2001:db8:1:1:abcd::4" => "13",
        _ => "14",
    }
}

#[tokio::test]
async fn renewals_of_a_reservation_end_after_half_an_hour() {
    let service = limited().await;
    let id = service.event_type("talk", json!({})).await;
    let start = "2027-03-02T10:00:00Z";
    let body = json!({"eventTypeId": id, "slotStart": start});
    let made = reserve(&service, ATTACKER, id, start).await;
    let target = format!(
        "{RESERVATIONS}/{}",
        made.data()["reservationUid"].as_str().unwrap()
    );
    let mut minutes = 0;
    let refused = loop {
        service.app.clock.advance_minutes(4);
        minutes += 4;
        let renewed = from(&service, ATTACKER, Method::PATCH, &target, body.clone()).await;
        if renewed.status != 200 {
            break renewed;
        }
        assert!(minutes < 60, "renewed for an hour");
    };
    // The last renewal ended with the half hour.
    refused.refused(404, "NotFoundException");
    assert_eq!(minutes, 32);
    // Nor is it reserved anew.
    let again = reserve(&service, ATTACKER, id, start).await;
    again.refused(429, "ThrottlerException");
    assert_eq!(reserve(&service, VISITOR, id, start).await.status, 201);
    // Two hours later it counts no more.
    service.app.clock.advance_minutes(125);
    assert_eq!(reserve(&service, ATTACKER, id, start).await.status, 201);
}

#[tokio::test]
async fn slot_that_was_reserved_is_booked_without_naming_the_reservation() {
    let service = limited().await;
    let id = service.event_type("talk", json!({})).await;
    let start = "2027-03-02T10:00:00Z";
    assert_eq!(reserve(&service, VISITOR, id, start).await.status, 201);
    let body = booking(id, start);
    let stranger = from(
        &service,
        ATTACKER,
        Method::POST,
        "/v2/bookings",
        body.clone(),
    )
    .await;
    stranger.refused(409, "ConflictException");
    let own = from(&service, VISITOR, Method::POST, "/v2/bookings", body).await;
    assert_eq!(own.status, 201, "{}", own.text);
    // And moved so, too.
    let to = "2027-03-02T12:00:00Z";
    assert_eq!(reserve(&service, VISITOR, id, to).await.status, 201);
    let target = format!(
        "/v2/bookings/{}/reschedule",
        own.data()["uid"].as_str().unwrap()
    );
    let stranger = from(
        &service,
        ATTACKER,
        Method::POST,
        &target,
        json!({"start": to}),
    )
    .await;
    stranger.refused(409, "ConflictException");
    let moved = from(
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
async fn bookings_of_one_network_are_limited_in_a_day() {
    let service = limited().await;
    let one = service.event_type("one", json!({})).await;
    let two = service.event_type("two", json!({})).await;
    let mut made = [0, 0];
    for (number, start) in starts().enumerate() {
        let which = usize::from(made[0] >= 30);
        let body = booking([one, two][which], &start);
        let answer = from(&service, ATTACKER, Method::POST, "/v2/bookings", body).await;
        match answer.status {
            201 => made[which] += 1,
            429 => assert_eq!(made.iter().sum::<i32>(), 60, "{}", answer.text),
            other => panic!("{other} {}", answer.text),
        }
        if number % 15 == 14 {
            service.app.clock.advance_minutes(1);
        }
    }
    assert_eq!(made, [30, 30]);
    let last = booking(one, "2027-03-08T09:00:00Z");
    let other = from(&service, VISITOR, Method::POST, "/v2/bookings", last).await;
    assert_eq!(other.status, 201, "{}", other.text);
    let metrics = from(&service, "127.0.0.1", Method::GET, "/metrics", Value::Null).await;
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
async fn bookings_of_one_event_type_are_limited_in_a_day() {
    let service = limited().await;
    let one = service.event_type("one", json!({})).await;
    let mut statuses = Vec::new();
    for (number, start) in starts().take(32).enumerate() {
        let body = booking(one, &start);
        let answer = from(&service, ATTACKER, Method::POST, "/v2/bookings", body).await;
        statuses.push(answer.status);
        if number % 15 == 14 {
            service.app.clock.advance_minutes(1);
        }
    }
    assert_eq!(statuses.iter().filter(|it| **it == 201).count(), 30);
    assert_eq!(statuses[30..], [429, 429]);
}

#[tokio::test]
async fn shared_booking_tells_and_gives_strangers_nothing() {
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
            let made = service.post("/v2/bookings", body).await;
            holders.push((
                made.data()["uid"].as_str().unwrap().to_owned(),
                made.data()["seatUid"].as_str().unwrap().to_owned(),
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
        // Somebody has the uid, from a colleague's screen perhaps.
        let read = service.get(&format!("/v2/bookings/{uid}")).await;
        assert_eq!(read.status, 200);
        for (_, seat) in &holders {
            assert!(!read.text.contains(seat));
        }
        for secret in ["ana", "bo@", "secrets", "meet.example"] {
            assert!(!read.text.contains(secret), "{secret} {}", read.text);
        }
        // A holder of a seat learns no more than the other's name, and that only with consent.
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
            let answer = service
                .post(&format!("/v2/bookings/{uid}/{action}"), body)
                .await;
            assert!(
                (400..404).contains(&answer.status),
                "{action} {}",
                answer.text
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

/// Every way to an event type, by its id or by its name.
fn ways(id: i64, slug: &str) -> Vec<(Method, String, Value)> {
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
async fn hidden_event_type_is_found_by_nobody_but_its_people_wherever_it_is_asked_for() {
    let service = Service::start().await;
    let id = service.event_type("secret", json!({"hidden": true})).await;
    let public = service.event_type("public", json!({})).await;
    let stranger = service.bearer_of(OTHER_HOST).await;
    let mut asked = 0;
    for (method, target, body) in ways(id, "secret") {
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
            let answer = service.call(method.clone(), &target, &headers, body).await;
            assert_eq!(answer.status, 404, "{method} {target} {}", answer.text);
            asked += 1;
        }
    }
    assert_eq!(asked, 14);
    // The same for something that does not exist.
    for (method, target, body) in ways(987_654, "nothing") {
        if target.starts_with("/v1") {
            continue;
        }
        let body = (!body.is_null()).then_some(body);
        let answer = service.call(method, &target, &[], body).await;
        assert_eq!(answer.status, 404, "{target} {}", answer.text);
    }
    let listed = service
        .get(&format!("/v2/event-types?username=host{HOST}"))
        .await;
    assert!(!listed.text.contains("secret"));
    let host = service.bearer_of(HOST).await;
    for (number, (method, target, body)) in ways(id, "secret").into_iter().enumerate() {
        if target.starts_with("/v1") {
            continue;
        }
        let body = (!body.is_null()).then_some(body);
        let answer = service
            .call(method, &target, std::slice::from_ref(&host), body)
            .await;
        // The last one is the same slot again.
        let is_taken = number == 7;
        assert_eq!(answer.status == 409, is_taken, "{target} {}", answer.text);
        assert!(is_taken || answer.status < 300, "{target} {}", answer.text);
    }
    // Whoever has a booking of it moves it, or sees where it could go.
    let uid = Made::new(id)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    let moving = format!(
        "/v2/slots?eventTypeId={id}&start=2027-03-03&end=2027-03-03&bookingUidToReschedule={uid}"
    );
    assert_eq!(service.get(&moving).await.status, 200);
    let foreign = Made::new(public)
        .at("2027-03-04T09:00:00Z")
        .store(&service)
        .await;
    let moving = moving.replace(&uid, &foreign);
    assert_eq!(service.get(&moving).await.status, 404);
}

#[tokio::test]
async fn event_type_for_signed_in_callers_refuses_strangers_wherever_it_is_asked_for() {
    let service = Service::start().await;
    let id = service
        .event_type("members", json!({"bookingRequiresAuthentication": true}))
        .await;
    let stranger = service.bearer_of(OTHER_HOST).await;
    let host = service.bearer_of(HOST).await;
    for (method, target, body) in ways(id, "members") {
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
async fn people_who_have_not_agreed_are_booked_by_nobody_as_a_group() {
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
        messages.insert(refused.refused(404, "NotFoundException").to_owned());
    }
    // None of these says who has an account.
    assert_eq!(messages.len(), 1, "{messages:?}");
    let host = service.bearer_of(HOST).await;
    service
        .ask(
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
    one.refused(404, "NotFoundException");
    service.allow_groups().await;
    let both = service
        .post("/v2/bookings", body("host100+host101", Some("northwind")))
        .await;
    assert_eq!(both.status, 201, "{}", both.text);
}
