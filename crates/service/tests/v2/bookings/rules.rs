//! POST /v2/bookings: rules of event types, and assignment of hosts.

use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};

#[tokio::test]
async fn chosen_length_sets_end() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutesOptions": [15, 30, 60]}))
        .await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["lengthInMinutes"] = json!(60);
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.data()["duration"], 60);
    assert_eq!(created.data()["end"], "2027-03-02T10:00:00.000Z");
}

#[tokio::test]
async fn confirmation_is_required_always_or_for_short_notice() {
    let service = Service::start().await;
    let always = service
        .event_type("always", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let policy = json!({"type": "time", "noticeThreshold": {"unit": "hours", "count": 48}});
    let short = service
        .event_type("short", json!({"confirmationPolicy": policy}))
        .await;
    for (id, start, status) in [
        (always, "2027-03-02T09:00:00Z", "pending"),
        (short, "2027-03-02T10:00:00Z", "pending"),
        (short, "2027-03-04T10:00:00Z", "accepted"),
    ] {
        let created = service.post("/v2/bookings", booking(id, start)).await;
        assert_eq!(created.data()["status"], status, "{start}");
    }
}

#[tokio::test]
async fn round_robin_selects_host_with_fewest_bookings() {
    let service = Service::start().await;
    let id = service
        .event_type_of("any", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    // Both work from 14:00 to 16:00 UTC.
    let mut hosts = Vec::new();
    for start in ["14:00", "14:30", "14:30", "14:00"] {
        let created = service
            .post(
                "/v2/bookings",
                booking(id, &format!("2027-03-02T{start}:00Z")),
            )
            .await;
        assert_eq!(created.data()["hosts"].as_array().unwrap().len(), 1);
        hosts.push(created.data()["hosts"][0]["id"].as_i64().unwrap());
    }
    assert_eq!(hosts, [HOST, OTHER_HOST, HOST, OTHER_HOST]);
    service
        .post("/v2/bookings", booking(id, "2027-03-02T14:30:00Z"))
        .await
        .assert_error(409, "ConflictException");
}

#[tokio::test]
async fn collective_booking_has_all_hosts() {
    let service = Service::start().await;
    let id = service
        .event_type_of("all", Some("collective"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let created = service
        .post("/v2/bookings", booking(id, "2027-03-02T15:00:00Z"))
        .await;
    assert_eq!(created.data()["hosts"].as_array().unwrap().len(), 2);
    service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await
        .assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn event_type_requiring_authentication_rejects_other_users() {
    let service = Service::start().await;
    let id = service
        .event_type("staff", json!({"bookingRequiresAuthentication": true}))
        .await;
    let body = booking(id, "2027-03-02T09:00:00Z");
    service
        .post("/v2/bookings", body.clone())
        .await
        .assert_error(401, "UnauthorizedException");
    for stranger in [service.owner(), service.bearer_of(OTHER_HOST).await] {
        service
            .post_as("/v2/bookings", stranger, body.clone())
            .await
            .assert_error(403, "ForbiddenException");
    }
    let created = service
        .post_as("/v2/bookings", service.bearer_of(HOST).await, body)
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
}

#[tokio::test]
async fn unverified_attendee_email_returns_400() {
    let service = Service::start().await;
    let id = service
        .event_type("proof", json!({"requiresBookerEmailVerification": true}))
        .await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    for code in [Value::Null, json!("123456")] {
        body["emailVerificationCode"] = code;
        let response = service.post("/v2/bookings", body.clone()).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.starts_with("emailVerificationCode"), "{message}");
        assert!(message.contains("bookingUrl"), "{message}");
    }
    // Credentials do not verify the email of another user.
    let stranger = service.bearer_of(OTHER_HOST).await;
    service
        .post_as("/v2/bookings", stranger.clone(), body.clone())
        .await
        .assert_error(400, "BadRequestException");
    body["attendee"]["email"] = json!(format!("HOST{OTHER_HOST}@northwind.example"));
    let verified = service.post_as("/v2/bookings", stranger, body).await;
    assert_eq!(verified.status, 201, "{}", verified.text);
}

#[tokio::test]
async fn active_bookings_limit_of_attendee_returns_400() {
    let service = Service::start().await;
    let limit = json!({"bookerActiveBookingsLimit": {"maximumActiveBookings": 2}});
    let id = service.event_type("few", limit).await;
    let other = service.event_type("many", json!({})).await;
    let book = async |id: i64, email: &str, start: &str| {
        let mut body = booking(id, &format!("2027-03-02T{start}:00Z"));
        body["attendee"]["email"] = json!(email);
        service.post("/v2/bookings", body).await
    };
    for start in ["09:00", "10:00"] {
        book(id, "zoe@example.org", start).await.data();
    }
    for email in ["zoe@example.org", "ZOE@example.org"] {
        let response = book(id, email, "11:00").await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.contains("2 bookings"), "{message}");
    }
    book(id, "ana@example.org", "11:00").await.data();
    book(other, "zoe@example.org", "12:00").await.data();
    // Past and cancelled bookings do not count.
    service
        .sql("UPDATE bookings SET status = 'cancelled' WHERE start_ms = 1803981600000")
        .await;
    book(id, "zoe@example.org", "13:00").await.data();
    book(id, "zoe@example.org", "14:00")
        .await
        .assert_error(400, "BadRequestException");
    service.app.clock.advance_minutes(26 * 60);
    book(id, "zoe@example.org", "14:00").await.data();
}

#[tokio::test]
async fn booking_limit_of_period_returns_400() {
    let service = Service::start().await;
    let id = service
        .event_type("one", json!({"bookingLimitsCount": {"day": 1}}))
        .await;
    service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await
        .data();
    service
        .post("/v2/bookings", booking(id, "2027-03-02T10:00:00Z"))
        .await
        .assert_error(400, "BadRequestException");
    service
        .post("/v2/bookings", booking(id, "2027-03-03T10:00:00Z"))
        .await
        .data();
}

#[tokio::test]
async fn paid_booking_is_pending_until_payment() {
    let service = Service::start().await;
    let id = service
        .event_type("paid", json!({"price": 2500, "currency": "eur"}))
        .await;
    let created = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    assert_eq!(created.data()["status"], "pending");
    let mut db = service.app.store.read().await.unwrap();
    let paid: Option<i64> = sql::query_scalar("SELECT paid FROM bookings WHERE uid = ?")
        .bind(created.data()["uid"].as_str().unwrap())
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(paid, Some(0));
}

#[tokio::test]
async fn reserved_slot_is_bookable_only_with_its_reservation() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let start = "2027-03-02T09:00:00Z";
    let reservation = service
        .post(
            "/v2/slots/reservations",
            json!({"eventTypeId": id, "slotStart": start}),
        )
        .await;
    let uid = reservation.data()["reservationUid"].clone();
    service
        .post("/v2/bookings", booking(id, start))
        .await
        .assert_error(409, "ConflictException");
    let mut body = booking(id, start);
    body["reservedSlotUid"] = json!("no-such-hold");
    service
        .post("/v2/bookings", body.clone())
        .await
        .assert_error(409, "ConflictException");
    // A failed booking keeps the reservation.
    let mut elsewhere = booking(id, "2027-03-02T20:00:00Z");
    elsewhere["reservedSlotUid"] = uid.clone();
    service
        .post("/v2/bookings", elsewhere)
        .await
        .assert_error(400, "BadRequestException");
    assert_eq!(service.count("reservations").await, 1);
    body["reservedSlotUid"] = uid;
    assert_eq!(service.post("/v2/bookings", body).await.status, 201);
    assert_eq!(service.count("reservations").await, 0);
}

#[tokio::test]
async fn round_robin_selects_host_of_reservation() {
    let service = Service::start().await;
    let id = service
        .event_type_of("any", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let reservation = service
        .post(
            "/v2/slots/reservations",
            json!({"eventTypeId": id, "slotStart": "2027-03-02T14:00:00Z"}),
        )
        .await;
    let mut db = service.app.store.read().await.unwrap();
    let reserved_host: i64 = sql::query_scalar("SELECT user_id FROM reservation_hosts")
        .fetch_one(&mut db)
        .await
        .unwrap();
    drop(db);
    // The reserved host has more upcoming bookings than the other.
    service
        .sql(&format!(
            "INSERT INTO bookings (uid, event_type_id, title, status, start_ms, end_ms, created_ms, updated_ms)
             VALUES ('busy', {id}, '', 'accepted', 1804068000000, 1804069800000, 0, 0);
             INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
             SELECT id, {reserved_host}, start_ms, end_ms, 1 FROM bookings WHERE uid = 'busy'"
        ))
        .await;
    let mut body = booking(id, "2027-03-02T14:00:00Z");
    body["reservedSlotUid"] = reservation.data()["reservationUid"].clone();
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.data()["hosts"][0]["id"], reserved_host);
}

#[tokio::test]
async fn instant_booking_awaits_host() {
    let service = Service::start().await;
    let id = service
        .event_type_of(
            "now",
            Some("roundRobin"),
            &[HOST, OTHER_HOST],
            json!({"isInstantEvent": true}),
        )
        .await;
    let plain = service
        .event_type_of("later", Some("roundRobin"), &[HOST], json!({}))
        .await;
    let personal = service
        .event_type("mine", json!({"isInstantEvent": true}))
        .await;
    let at = |id: i64, start: &str| {
        let mut body = booking(id, start);
        body["instant"] = json!(true);
        body
    };
    for (id, start, property) in [
        (plain, "2027-03-01T08:00:00Z", "instant"),
        (personal, "2027-03-01T08:00:00Z", "instant"),
        (id, "2027-03-01T08:16:00Z", "start"),
        (id, "2027-03-01T07:44:00Z", "start"),
    ] {
        let response = service.post("/v2/bookings", at(id, start)).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.starts_with(property), "{message}");
    }
    let created = service
        .post("/v2/bookings", at(id, "2027-03-01T08:00:30Z"))
        .await;
    assert_eq!(created.data()["status"], "awaiting_host");
    let uid = created.data()["uid"].as_str().unwrap();
    let confirmed = service
        .post_as(
            &format!("/v2/bookings/{uid}/confirm"),
            service.bearer_of(OTHER_HOST).await,
            json!({}),
        )
        .await;
    assert_eq!(confirmed.data()["status"], "accepted");
    let hosts = confirmed.data()["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 1);
    assert_eq!(hosts[0]["id"], OTHER_HOST);
}

#[tokio::test]
async fn dynamic_group_booking_has_all_members_as_hosts() {
    let service = Service::start().await;
    let body = json!({
        "start": "2027-03-02T15:00:00Z",
        "eventTypeSlug": "dynamic",
        "username": format!("host{HOST}+host{OTHER_HOST}"),
        "organizationSlug": "northwind",
        "lengthInMinutes": 60,
        "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    });
    service
        .sql("UPDATE users SET organization_id = 1 WHERE id IN (100, 101)")
        .await;
    service
        .post("/v2/bookings", body.clone())
        .await
        .assert_error(404, "NotFoundException");
    service.allow_groups().await;
    let created = service.post("/v2/bookings", body.clone()).await;
    let hosts = created.data()["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 2);
    // Email addresses of group members are not disclosed.
    assert!(
        !created.text.contains("@northwind.example"),
        "{}",
        created.text
    );
    assert_eq!(created.data()["duration"], 60);
    assert_eq!(created.data()["eventType"], Value::Null);
    service
        .post("/v2/bookings", body.clone())
        .await
        .assert_error(409, "ConflictException");
    let uid = created.data()["uid"].as_str().unwrap();
    let rescheduled = service
        .post(
            &format!("/v2/bookings/{uid}/reschedule"),
            json!({"start": "2027-03-02T14:00:00Z"}),
        )
        .await;
    assert_eq!(rescheduled.status, 201, "{}", rescheduled.text);
    assert_eq!(rescheduled.data()["duration"], 60);
    let body_with = |key: &str, value: Value| {
        let mut body = body.clone();
        body["start"] = json!("2027-03-03T15:00:00Z");
        body[key] = value;
        body
    };
    for (key, value) in [
        ("lengthInMinutes", json!(50)),
        ("organizationSlug", Value::Null),
        ("organizationSlug", json!("other")),
        ("username", json!("host100+nobody")),
        ("username", json!("host100+sofia")),
    ] {
        let rejected = service
            .post("/v2/bookings", body_with(key, value.clone()))
            .await;
        let status = if key == "lengthInMinutes" { 400 } else { 404 };
        assert_eq!(rejected.status, status, "{value} {}", rejected.text);
    }
}

#[tokio::test]
async fn event_type_without_hosts_returns_422() {
    let service = Service::start().await;
    let id = service
        .event_type_of("empty", Some("roundRobin"), &[], json!({}))
        .await;
    let response = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    response.assert_error(422, "UnprocessableEntityException");
}

#[tokio::test]
async fn event_type_is_found_by_slugs_of_team_and_organization() {
    let service = Service::start().await;
    let id = service
        .event_type_of("named", Some("roundRobin"), &[HOST], json!({}))
        .await;
    let own_type = service.event_type("own", json!({})).await;
    for (hour, names, expected) in [
        (
            10,
            json!({"eventTypeSlug": "named", "teamSlug": "customer-success"}),
            id,
        ),
        (
            11,
            json!({"eventTypeSlug": "named", "teamSlug": "customer-success", "organizationSlug": "northwind"}),
            id,
        ),
        (
            12,
            json!({"eventTypeSlug": "own", "username": "host100"}),
            own_type,
        ),
        (13, json!({"eventTypeId": own_type}), own_type),
    ] {
        let mut body = booking(id, &format!("2027-03-02T{hour:02}:00:00Z"));
        let body_map = body.as_object_mut().unwrap();
        body_map.remove("eventTypeId");
        body_map.extend(names.as_object().unwrap().clone());
        let created = service.post("/v2/bookings", body).await;
        assert_eq!(created.status, 201, "{names} {}", created.text);
        assert_eq!(created.data()["eventTypeId"], expected);
    }
    let mut elsewhere = booking(id, "2027-03-03T09:00:00Z");
    let body_map = elsewhere.as_object_mut().unwrap();
    body_map.remove("eventTypeId");
    body_map.extend([
        ("eventTypeSlug".to_owned(), json!("named")),
        ("teamSlug".to_owned(), json!("customer-success")),
        ("organizationSlug".to_owned(), json!("elsewhere")),
    ]);
    let rejected = service.post("/v2/bookings", elsewhere).await;
    rejected.assert_error(404, "NotFoundException");
}
