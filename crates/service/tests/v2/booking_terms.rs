//! POST /v2/bookings: what event types ask of those who book, and who hosts.

use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};

#[tokio::test]
async fn a_chosen_length_sets_the_end() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutesOptions": [15, 30, 60]}))
        .await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["lengthInMinutes"] = json!(60);
    let made = service.post("/v2/bookings", body).await;
    assert_eq!(made.data()["duration"], 60);
    assert_eq!(made.data()["end"], "2027-03-02T10:00:00.000Z");
}

#[tokio::test]
async fn confirmation_is_asked_for_always_or_for_short_notice() {
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
        let made = service.post("/v2/bookings", booking(id, start)).await;
        assert_eq!(made.data()["status"], status, "{start}");
    }
}

#[tokio::test]
async fn round_robin_gives_the_next_booking_to_the_host_with_the_fewest() {
    let service = Service::start().await;
    let id = service
        .event_type_of("any", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    // Both work from 14:00 to 16:00 UTC.
    let mut hosts = Vec::new();
    for start in ["14:00", "14:30", "14:30", "14:00"] {
        let made = service
            .post(
                "/v2/bookings",
                booking(id, &format!("2027-03-02T{start}:00Z")),
            )
            .await;
        assert_eq!(made.data()["hosts"].as_array().unwrap().len(), 1);
        hosts.push(made.data()["hosts"][0]["id"].as_i64().unwrap());
    }
    assert_eq!(hosts, [HOST, OTHER_HOST, HOST, OTHER_HOST]);
    service
        .post("/v2/bookings", booking(id, "2027-03-02T14:30:00Z"))
        .await
        .refused(409, "ConflictException");
}

#[tokio::test]
async fn a_collective_booking_has_every_host() {
    let service = Service::start().await;
    let id = service
        .event_type_of("all", Some("collective"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let made = service
        .post("/v2/bookings", booking(id, "2027-03-02T15:00:00Z"))
        .await;
    assert_eq!(made.data()["hosts"].as_array().unwrap().len(), 2);
    service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await
        .refused(400, "BadRequestException");
}

#[tokio::test]
async fn a_type_for_its_own_people_refuses_all_others() {
    let service = Service::start().await;
    let id = service
        .event_type("staff", json!({"bookingRequiresAuthentication": true}))
        .await;
    let body = booking(id, "2027-03-02T09:00:00Z");
    service
        .post("/v2/bookings", body.clone())
        .await
        .refused(401, "UnauthorizedException");
    for stranger in [service.owner(), service.bearer_of(OTHER_HOST).await] {
        service
            .post_as("/v2/bookings", stranger, body.clone())
            .await
            .refused(403, "ForbiddenException");
    }
    let made = service
        .post_as("/v2/bookings", service.bearer_of(HOST).await, body)
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
}

#[tokio::test]
async fn an_address_is_taken_from_those_who_have_proven_it_only() {
    let service = Service::start().await;
    let id = service
        .event_type("proof", json!({"requiresBookerEmailVerification": true}))
        .await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    for code in [Value::Null, json!("123456")] {
        body["emailVerificationCode"] = code;
        let answer = service.post("/v2/bookings", body.clone()).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.starts_with("emailVerificationCode"), "{message}");
        assert!(message.contains("bookingUrl"), "{message}");
    }
    // Somebody else's address is not proven by being signed in.
    let stranger = service.bearer_of(OTHER_HOST).await;
    service
        .post_as("/v2/bookings", stranger.clone(), body.clone())
        .await
        .refused(400, "BadRequestException");
    body["attendee"]["email"] = json!(format!("HOST{OTHER_HOST}@northwind.example"));
    let own = service.post_as("/v2/bookings", stranger, body).await;
    assert_eq!(own.status, 201, "{}", own.text);
}

#[tokio::test]
async fn one_person_has_only_so_many_bookings_ahead() {
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
        let answer = book(id, email, "11:00").await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.contains("2 bookings"), "{message}");
    }
    book(id, "ana@example.org", "11:00").await.data();
    book(other, "zoe@example.org", "12:00").await.data();
    // What is over or cancelled does not count.
    service
        .sql("UPDATE bookings SET status = 'cancelled' WHERE start_ms = 1803981600000")
        .await;
    book(id, "zoe@example.org", "13:00").await.data();
    book(id, "zoe@example.org", "14:00")
        .await
        .refused(400, "BadRequestException");
    service.app.clock.advance_minutes(26 * 60);
    book(id, "zoe@example.org", "14:00").await.data();
}

#[tokio::test]
async fn limits_of_a_period_are_a_bad_request_and_no_conflict() {
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
        .refused(400, "BadRequestException");
    service
        .post("/v2/bookings", booking(id, "2027-03-03T10:00:00Z"))
        .await
        .data();
}

#[tokio::test]
async fn what_costs_something_waits_until_it_is_paid() {
    let service = Service::start().await;
    let id = service
        .event_type("paid", json!({"price": 2500, "currency": "eur"}))
        .await;
    let made = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    assert_eq!(made.data()["status"], "pending");
    let mut db = service.app.store.read().await.unwrap();
    let paid: Option<i64> = sqlx::query_scalar("SELECT paid FROM bookings WHERE uid = ?")
        .bind(made.data()["uid"].as_str().unwrap())
        .fetch_one(&mut *db)
        .await
        .unwrap();
    assert_eq!(paid, Some(0));
}

#[tokio::test]
async fn a_reservation_keeps_others_away_and_is_used_up_by_its_holder() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let start = "2027-03-02T09:00:00Z";
    let hold = service
        .post(
            "/v2/slots/reservations",
            json!({"eventTypeId": id, "slotStart": start}),
        )
        .await;
    let uid = hold.data()["reservationUid"].clone();
    service
        .post("/v2/bookings", booking(id, start))
        .await
        .refused(409, "ConflictException");
    let mut body = booking(id, start);
    body["reservedSlotUid"] = json!("no-such-hold");
    service
        .post("/v2/bookings", body.clone())
        .await
        .refused(409, "ConflictException");
    // A booking that fails leaves the hold as it is.
    let mut elsewhere = booking(id, "2027-03-02T20:00:00Z");
    elsewhere["reservedSlotUid"] = uid.clone();
    service
        .post("/v2/bookings", elsewhere)
        .await
        .refused(400, "BadRequestException");
    assert_eq!(service.count("reservations").await, 1);
    body["reservedSlotUid"] = uid;
    assert_eq!(service.post("/v2/bookings", body).await.status, 201);
    assert_eq!(service.count("reservations").await, 0);
}

#[tokio::test]
async fn round_robin_gives_the_host_whose_time_the_visitor_holds() {
    let service = Service::start().await;
    let id = service
        .event_type_of("any", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let hold = service
        .post(
            "/v2/slots/reservations",
            json!({"eventTypeId": id, "slotStart": "2027-03-02T14:00:00Z"}),
        )
        .await;
    let mut db = service.app.store.read().await.unwrap();
    let held: i64 = sqlx::query_scalar("SELECT user_id FROM reservation_hosts")
        .fetch_one(&mut *db)
        .await
        .unwrap();
    drop(db);
    // The holder's host has more ahead by now.
    service
        .sql(&format!(
            "INSERT INTO bookings (uid, event_type_id, title, status, start_ms, end_ms, created_ms, updated_ms)
             VALUES ('busy', {id}, '', 'accepted', 1804068000000, 1804069800000, 0, 0);
             INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
             SELECT id, {held}, start_ms, end_ms, 1 FROM bookings WHERE uid = 'busy'"
        ))
        .await;
    let mut body = booking(id, "2027-03-02T14:00:00Z");
    body["reservedSlotUid"] = hold.data()["reservationUid"].clone();
    let made = service.post("/v2/bookings", body).await;
    assert_eq!(made.data()["hosts"][0]["id"], held);
}

#[tokio::test]
async fn an_instant_meeting_waits_for_a_host_to_join() {
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
        let answer = service.post("/v2/bookings", at(id, start)).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.starts_with(property), "{message}");
    }
    let made = service
        .post("/v2/bookings", at(id, "2027-03-01T08:00:30Z"))
        .await;
    assert_eq!(made.data()["status"], "awaiting_host");
    let uid = made.data()["uid"].as_str().unwrap();
    let joined = service
        .post_as(
            &format!("/v2/bookings/{uid}/confirm"),
            service.bearer_of(OTHER_HOST).await,
            json!({}),
        )
        .await;
    assert_eq!(joined.data()["status"], "accepted");
    let hosts = joined.data()["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 1);
    assert_eq!(hosts[0]["id"], OTHER_HOST);
}

#[tokio::test]
async fn people_who_meet_as_a_group_are_all_booked() {
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
        .refused(404, "NotFoundException");
    service.allow_groups().await;
    let made = service.post("/v2/bookings", body.clone()).await;
    let hosts = made.data()["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), 2);
    // Nobody has said that their addresses may be told.
    assert!(!made.text.contains("@northwind.example"), "{}", made.text);
    assert_eq!(made.data()["duration"], 60);
    assert_eq!(made.data()["eventType"], Value::Null);
    service
        .post("/v2/bookings", body.clone())
        .await
        .refused(409, "ConflictException");
    let uid = made.data()["uid"].as_str().unwrap();
    let moved = service
        .post(
            &format!("/v2/bookings/{uid}/reschedule"),
            json!({"start": "2027-03-02T14:00:00Z"}),
        )
        .await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_eq!(moved.data()["duration"], 60);
    let with = |key: &str, value: Value| {
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
        let refused = service.post("/v2/bookings", with(key, value.clone())).await;
        let status = if key == "lengthInMinutes" { 400 } else { 404 };
        assert_eq!(refused.status, status, "{value} {}", refused.text);
    }
}

#[tokio::test]
async fn a_type_without_hosts_cannot_be_booked() {
    let service = Service::start().await;
    let id = service
        .event_type_of("empty", Some("roundRobin"), &[], json!({}))
        .await;
    let answer = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    answer.refused(422, "UnprocessableEntityException");
}

#[tokio::test]
async fn event_type_is_booked_by_the_slugs_of_its_team_and_organization() {
    let service = Service::start().await;
    let id = service
        .event_type_of("named", Some("roundRobin"), &[HOST], json!({}))
        .await;
    let own = service.event_type("own", json!({})).await;
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
            own,
        ),
        (13, json!({"eventTypeId": own}), own),
    ] {
        let mut body = booking(id, &format!("2027-03-02T{hour:02}:00:00Z"));
        let body_map = body.as_object_mut().unwrap();
        body_map.remove("eventTypeId");
        body_map.extend(names.as_object().unwrap().clone());
        let made = service.post("/v2/bookings", body).await;
        assert_eq!(made.status, 201, "{names} {}", made.text);
        assert_eq!(made.data()["eventTypeId"], expected);
    }
    let mut elsewhere = booking(id, "2027-03-03T09:00:00Z");
    let body_map = elsewhere.as_object_mut().unwrap();
    body_map.remove("eventTypeId");
    body_map.extend([
        ("eventTypeSlug".to_owned(), json!("named")),
        ("teamSlug".to_owned(), json!("customer-success")),
        ("organizationSlug".to_owned(), json!("elsewhere")),
    ]);
    let refused = service.post("/v2/bookings", elsewhere).await;
    refused.refused(404, "NotFoundException");
}
