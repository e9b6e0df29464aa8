//! Reading bookings by uid and seat; attendees, guests, location, calendar links and references.

use axum::http::Method;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};

async fn start_with_event_type(settings: Value) -> (Service, i64) {
    let service = Service::start().await;
    let id = service.event_type("talk", settings).await;
    (service, id)
}

async fn call(
    service: &Service,
    user: i64,
    method: Method,
    target: &str,
    body: Option<Value>,
) -> TestResponse {
    let bearer = service.bearer_of(user).await;
    let target = format!("/v2/bookings/{target}");
    service.call(method, &target, &[bearer], body).await
}

#[tokio::test]
async fn seats_of_others_are_visible_to_hosts_only() {
    for show_attendees in [true, false] {
        let seats = json!({"seatsPerTimeSlot": 3, "showAttendeeInfo": show_attendees});
        let (service, id) = start_with_event_type(json!({"seats": seats})).await;
        let uid = BookingFixture::new(id)
            .seats(&["ana", "bo"])
            .store(&service)
            .await;
        let target = format!("/v2/bookings/{uid}");
        let attendee_count = async |credentials: Option<(String, String)>| {
            let response = match credentials {
                Some(credentials) => service.get_as(&target, credentials).await,
                None => service.get(&target).await,
            };
            response.data()["attendees"].as_array().unwrap().len()
        };
        assert_eq!(attendee_count(None).await, 0);
        let other = service.bearer_of(OTHER_HOST).await;
        assert_eq!(attendee_count(Some(other)).await, 0);
        let host = service.bearer_of(HOST).await;
        assert_eq!(attendee_count(Some(host)).await, 2);
        let by_seat = service.get("/v2/bookings/by-seat/bo").await;
        let data = by_seat.data();
        assert_eq!(data["uid"], json!(uid));
        let attendees = data["attendees"].as_array().unwrap();
        assert!(attendees.iter().any(|attendee| attendee["seatUid"] == "bo"));
        // With `showAttendeeInfo`, attendees see each other's names.
        assert_eq!(attendees.len(), if show_attendees { 2 } else { 1 });
        let secrets = ["ana@example.org", "\"ana\""];
        for secret in secrets {
            assert!(
                !by_seat.text.contains(secret) || secret == "\"ana\"",
                "{secret}"
            );
        }
    }
}

#[tokio::test]
async fn unknown_seat_returns_404() {
    let (service, _) = start_with_event_type(json!({})).await;
    service
        .get("/v2/bookings/by-seat/nobody")
        .await
        .assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn hide_organizer_email_hides_host_emails() {
    let (service, id) = start_with_event_type(json!({"hideOrganizerEmail": true})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let target = format!("/v2/bookings/{uid}");
    let anonymous = service.get(&target).await;
    assert_eq!(anonymous.data()["hosts"][0]["email"], "");
    assert_eq!(anonymous.data()["hosts"][0]["displayEmail"], "");
    assert!(!anonymous.text.contains("host100@northwind.example"));
    let host = service.get_as(&target, service.bearer_of(HOST).await).await;
    assert_eq!(
        host.data()["hosts"][0]["email"],
        "host100@northwind.example"
    );
}

#[tokio::test]
async fn booking_requiring_authentication_rejects_uid_alone() {
    let (service, id) = start_with_event_type(json!({"bookingRequiresAuthentication": true})).await;
    let uid = BookingFixture::new(id)
        .seats(&["ana"])
        .store(&service)
        .await;
    let reads = [
        format!("/v2/bookings/{uid}"),
        "/v2/bookings/by-seat/ana".to_owned(),
    ];
    for target in &reads {
        service
            .get(target)
            .await
            .assert_error(401, "UnauthorizedException");
        let stranger = service.bearer_of(OTHER_HOST).await;
        service
            .get_as(target, stranger)
            .await
            .assert_error(403, "ForbiddenException");
        let host = service.bearer_of(HOST).await;
        assert_eq!(service.get_as(target, host).await.status, 200);
    }
    let target = format!("/v2/bookings/{uid}/cancel");
    let body = json!({"seatUid": "ana"});
    service
        .post(&target, body.clone())
        .await
        .assert_error(401, "UnauthorizedException");
    let stranger = service.bearer_of(OTHER_HOST).await;
    service
        .post_as(&target, stranger, body.clone())
        .await
        .assert_error(403, "ForbiddenException");
    service
        .sql("UPDATE attendees SET email = 'host101@northwind.example' WHERE seat_uid = 'ana'")
        .await;
    let attendee = service.bearer_of(OTHER_HOST).await;
    let response = service.post_as(&target, attendee, body).await;
    assert_eq!(response.data()["status"], "cancelled");
}

#[tokio::test]
async fn series_is_array_sorted_by_start() {
    let (service, id) = start_with_event_type(json!({})).await;
    let mut uids = Vec::new();
    for day in ["15", "08"] {
        let created = BookingFixture::new(id).at(&format!("2027-03-{day}T09:00:00Z"));
        uids.push(created.in_series("weekly").store(&service).await);
    }
    let all = service.get("/v2/bookings/weekly").await;
    assert_eq!(all.data()[0]["uid"], json!(uids[1]));
    assert_eq!(all.data()[1]["uid"], json!(uids[0]));
    let occurrence = service.get(&format!("/v2/bookings/{}", uids[0])).await;
    assert_eq!(occurrence.data()["recurringBookingUid"], "weekly");
}

#[tokio::test]
async fn subresources_are_accessible_to_hosts_only() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let attendee = json!({"name": "Bo", "email": "bo@example.org", "timeZone": "Europe/Rome"});
    let location = json!({"location": {"type": "address", "address": "Roma"}});
    let guests = json!({"guests": [{"email": "eve@example.org"}]});
    for (method, path, body, scope, status) in [
        (Method::GET, "attendees", None, "BOOKING_READ", 200),
        (
            Method::POST,
            "attendees",
            Some(attendee),
            "BOOKING_WRITE",
            201,
        ),
        (Method::GET, "calendar-links", None, "BOOKING_READ", 200),
        (Method::GET, "references", None, "BOOKING_READ", 200),
        (Method::GET, "recordings", None, "BOOKING_READ", 200),
        (Method::GET, "transcripts", None, "BOOKING_READ", 200),
        (
            Method::PATCH,
            "location",
            Some(location),
            "BOOKING_WRITE",
            200,
        ),
        (Method::POST, "guests", Some(guests), "BOOKING_WRITE", 200),
    ] {
        let target = format!("{uid}/{path}");
        let absolute_path = format!("/v2/bookings/{target}");
        let anonymous = service
            .call(method.clone(), &absolute_path, &[], body.clone())
            .await;
        anonymous.assert_error(401, "UnauthorizedException");
        let stranger = call(&service, OTHER_HOST, method.clone(), &target, body.clone()).await;
        stranger.assert_error(403, "ForbiddenException");
        let other = if scope == "BOOKING_READ" {
            "BOOKING_WRITE"
        } else {
            "BOOKING_READ"
        };
        service
            .sql(&format!(
                "UPDATE oauth_clients SET scopes = '[\"{other}\"]'"
            ))
            .await;
        let unscoped = call(&service, HOST, method.clone(), &target, body.clone()).await;
        assert!(
            unscoped
                .assert_error(403, "ForbiddenException")
                .contains(scope)
        );
        service
            .sql("UPDATE oauth_clients SET scopes = '[\"*\"]'")
            .await;
        let unknown = format!("unknown/{path}");
        call(&service, HOST, method.clone(), &unknown, body.clone())
            .await
            .assert_error(404, "NotFoundException");
        let host = call(&service, HOST, method, &target, body).await;
        assert_eq!(host.status, status, "{path}: {}", host.text);
    }
}

#[tokio::test]
async fn added_attendee_is_returned() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let body = json!({
        "name": " Bo ",
        "email": "bo@example.org",
        "timeZone": "Asia/Tokyo",
        "phoneNumber": "+390612345678",
        "language": "it",
    });
    let target = format!("{uid}/attendees");
    let created = call(&service, HOST, Method::POST, &target, Some(body.clone())).await;
    assert_eq!(created.status, 201);
    let data = created.data().clone();
    let booking = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(data["bookingId"], booking.data()["id"]);
    assert_eq!(booking.data()["attendees"][1]["email"], "bo@example.org");
    assert_eq!(
        data,
        json!({
            "id": data["id"],
            "bookingId": data["bookingId"],
            "name": "Bo",
            "email": "bo@example.org",
            "displayEmail": "bo@example.org",
            "timeZone": "Asia/Tokyo",
            "absent": false,
            "language": "it",
            "phoneNumber": "+390612345678",
        })
    );
    let list = call(&service, HOST, Method::GET, &target, None).await;
    assert_eq!(list.data().as_array().unwrap().len(), 2);
    assert_eq!(list.data()[1], data);
    let attendee_path = format!("{target}/{}", data["id"]);
    let fetched = call(&service, HOST, Method::GET, &attendee_path, None).await;
    assert_eq!(fetched.data(), &data);
    let duplicate = call(&service, HOST, Method::POST, &target, Some(body)).await;
    duplicate.assert_error(409, "ConflictException");
    // The attendee belongs to another booking.
    let other = BookingFixture::new(id)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    let other_booking = format!("{other}/attendees/{}", data["id"]);
    call(&service, HOST, Method::GET, &other_booking, None)
        .await
        .assert_error(404, "NotFoundException");
    let invalid_id = format!("{uid}/attendees/first");
    call(&service, HOST, Method::GET, &invalid_id, None)
        .await
        .assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn attendee_without_free_seat_returns_409() {
    let seats = json!({"seatsPerTimeSlot": 3, "showAttendeeInfo": true});
    let (service, id) = start_with_event_type(json!({"seats": seats})).await;
    let uid = BookingFixture::new(id)
        .seats(&["ana", "bo"])
        .store(&service)
        .await;
    let target = format!("{uid}/attendees");
    for (name, status) in [("eve", 201), ("kim", 409)] {
        let email = format!("{name}@example.org");
        let body = json!({"name": name, "email": email, "timeZone": "Europe/Rome"});
        let response = call(&service, HOST, Method::POST, &target, Some(body)).await;
        assert_eq!(response.status, status, "{}", response.text);
    }
    let list = call(&service, HOST, Method::GET, &target, None).await;
    let seat = list.data()[2]["seatUid"].as_str().unwrap().to_owned();
    let by_seat = service.get(&format!("/v2/bookings/by-seat/{seat}")).await;
    assert_eq!(by_seat.data()["uid"], json!(uid));
}

#[tokio::test]
async fn guests_are_deduplicated_and_limited_to_thirty() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let target = format!("{uid}/guests");
    let guests = |from: usize, count: usize| {
        let list: Vec<Value> = (from..from + count)
            .map(|number| json!({"email": format!("guest{number}@example.org")}))
            .collect();
        json!({"guests": list})
    };
    let known = json!({"guests": [
        {"email": "ZOE@example.org"},
        {"email": "ana@example.org", "name": "Ana", "timeZone": "Asia/Tokyo", "language": "ja"},
        {"email": "ANA@example.org"},
    ]});
    let response = call(&service, HOST, Method::POST, &target, Some(known)).await;
    assert_eq!(response.data()["guests"], json!(["ana@example.org"]));
    assert_eq!(
        response.data()["bookingFieldsResponses"]["guests"],
        json!(["ana@example.org"])
    );
    assert_eq!(response.data()["attendees"].as_array().unwrap().len(), 1);
    for from in [0, 10] {
        let body = guests(from, 10);
        let response = call(&service, HOST, Method::POST, &target, Some(body)).await;
        assert_eq!(response.status, 200);
    }
    let response = call(&service, HOST, Method::POST, &target, Some(guests(20, 10))).await;
    let message = response.assert_error(400, "BadRequestException");
    assert!(message.contains("at most 30"), "{message}");
    let response = call(&service, HOST, Method::POST, &target, Some(guests(20, 9))).await;
    assert_eq!(response.data()["guests"].as_array().unwrap().len(), 30);
    // Rate limit: five calls per minute.
    let response = call(&service, HOST, Method::POST, &target, Some(guests(0, 1))).await;
    response.assert_error(429, "ThrottlerException");
    service.app.clock.advance_minutes(1);
    let response = call(&service, HOST, Method::POST, &target, Some(guests(0, 1))).await;
    assert_eq!(response.status, 200);
}

#[tokio::test]
async fn guest_added_as_attendee_is_no_longer_guest() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let target = format!("{uid}/guests");
    let body = json!({"guests": [{"email": "ana@example.org"}, {"email": "bo@example.org"}]});
    call(&service, HOST, Method::POST, &target, Some(body))
        .await
        .data();
    let target = format!("{uid}/attendees");
    let body = json!({"name": "Ana", "email": "ana@example.org", "timeZone": "Europe/Rome"});
    let created = call(&service, HOST, Method::POST, &target, Some(body)).await;
    assert_eq!(created.status, 201);
    let fetched = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(fetched.data()["guests"], json!(["bo@example.org"]));
    assert_eq!(fetched.data()["attendees"].as_array().unwrap().len(), 2);
    assert_eq!(
        service
            .count("attendees WHERE email = 'ana@example.org' AND guest = 1")
            .await,
        0
    );
}

#[tokio::test]
async fn location_can_be_changed_to_any_type() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let target = format!("{uid}/location");
    for (location, text) in [
        (
            json!({"type": "address", "address": " Piazza 1 "}),
            "Piazza 1",
        ),
        (
            json!({"type": "link", "link": "https://meet.example/a"}),
            "https://meet.example/a",
        ),
        (
            json!({"type": "phone", "phone": "+390612345678"}),
            "+390612345678",
        ),
        (
            json!({"type": "attendeeAddress", "address": "Home"}),
            "Home",
        ),
        (
            json!({"type": "attendeePhone", "phone": "+390612345678"}),
            "+390612345678",
        ),
        (
            json!({"type": "attendeeDefined", "location": "Park"}),
            "Park",
        ),
    ] {
        let body = Some(json!({"location": location}));
        let response = call(&service, HOST, Method::PATCH, &target, body).await;
        let data = response.data();
        assert_eq!(data["location"], text);
        let kind = &data["bookingFieldsResponses"]["location"]["type"];
        assert_eq!(kind, &location["type"]);
        let url = text.starts_with("https").then_some(text);
        assert_eq!(data.get("meetingUrl").and_then(Value::as_str), url);
    }
}

#[tokio::test]
async fn invalid_body_returns_400_with_property() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let person = |key: &str, value: Value| {
        let mut body = json!({"name": "Bo", "email": "bo@example.org", "timeZone": "UTC"});
        body[key] = value;
        body
    };
    let too_many: Vec<Value> = vec![json!({"email": "a@example.org"}); 11];
    for (path, body, property) in [
        ("attendees", person("name", json!(" ")), "name"),
        ("attendees", person("name", json!("x".repeat(301))), "name"),
        ("attendees", person("email", json!("bo")), "email"),
        ("attendees", person("email", json!(null)), "email"),
        ("attendees", person("timeZone", json!("Mars")), "timeZone"),
        ("attendees", person("timeZone", json!(null)), "timeZone"),
        (
            "attendees",
            person("phoneNumber", json!("06")),
            "phoneNumber",
        ),
        ("attendees", person("language", json!("xx")), "language"),
        ("attendees", person("role", json!("host")), "role"),
        ("guests", json!({}), "guests"),
        ("guests", json!({"guests": []}), "guests"),
        ("guests", json!({"guests": "a@example.org"}), "guests"),
        ("guests", json!({"guests": too_many}), "guests"),
        ("guests", json!({"guests": ["a@example.org"]}), "guests.0"),
        (
            "guests",
            json!({"guests": [{"email": "a"}]}),
            "guests.0.email",
        ),
        (
            "guests",
            json!({"guests": [{"email": "a@example.org", "timeZone": "x"}]}),
            "guests.0.timeZone",
        ),
        ("guests", json!({"emails": []}), "emails"),
        ("location", json!({"location": "Roma"}), "location"),
        ("location", json!({"location": {}}), "location.type"),
        (
            "location",
            json!({"location": {"type": "integration", "integration": "zoom"}}),
            "location.type",
        ),
        (
            "location",
            json!({"location": {"type": "address"}}),
            "location.address",
        ),
        (
            "location",
            json!({"location": {"type": "phone", "phone": "06"}}),
            "location.phone",
        ),
        (
            "location",
            json!({"location": {"type": "link", "link": "javascript:alert(1)"}}),
            "location.link",
        ),
        (
            "location",
            json!({"location": {"type": "address", "address": "Roma", "link": "x"}}),
            "location.link",
        ),
    ] {
        let method = if path == "location" {
            Method::PATCH
        } else {
            Method::POST
        };
        let target = format!("{uid}/{path}");
        let response = call(&service, HOST, method, &target, Some(body.clone())).await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, property, "{path} {body}");
    }
}

#[tokio::test]
async fn location_patch_without_location_changes_nothing() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let before = service.get(&format!("/v2/bookings/{uid}")).await;
    let target = format!("{uid}/location");
    for body in [json!({}), json!({"location": null})] {
        let same = call(&service, HOST, Method::PATCH, &target, Some(body)).await;
        assert_eq!(same.data()["location"], before.data()["location"]);
        assert_eq!(same.data()["updatedAt"], before.data()["updatedAt"]);
    }
    let stranger = call(&service, 101, Method::PATCH, &target, Some(json!({}))).await;
    stranger.assert_error(403, "ForbiddenException");
}

#[tokio::test]
async fn cancelled_or_past_booking_cannot_be_changed() {
    let (service, id) = start_with_event_type(json!({})).await;
    for created in [
        BookingFixture::new(id).status("cancelled"),
        BookingFixture::new(id).at("2027-02-26T09:00:00Z"),
    ] {
        let uid = created.store(&service).await;
        let attendee = json!({"name": "Bo", "email": "bo@example.org", "timeZone": "UTC"});
        let guests = json!({"guests": [{"email": "eve@example.org"}]});
        let location = json!({"location": {"type": "address", "address": "Roma"}});
        for (method, path, body) in [
            (Method::POST, "attendees", attendee),
            (Method::POST, "guests", guests),
            (Method::PATCH, "location", location),
        ] {
            let target = format!("{uid}/{path}");
            call(&service, HOST, method, &target, Some(body))
                .await
                .assert_error(400, "BadRequestException");
        }
    }
}

#[tokio::test]
async fn calendar_links_cover_four_calendars() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id)
        .titled("Talk & more")
        .store(&service)
        .await;
    let target = format!("{uid}/calendar-links");
    let response = call(&service, HOST, Method::GET, &target, None).await;
    let links = response.data().as_array().unwrap();
    let starts: Vec<&str> = links
        .iter()
        .map(|link| link["link"].as_str().unwrap().split('?').next().unwrap())
        .map(|link| link.split(',').next().unwrap())
        .collect();
    assert_eq!(
        starts,
        [
            "https://calendar.google.com/calendar/render",
            "https://outlook.office.com/calendar/0/deeplink/compose",
            "https://outlook.live.com/calendar/0/deeplink/compose",
            "data:text/calendar;charset=utf-8",
        ]
    );
    for link in links {
        assert!(link["label"].is_string());
        let link = link["link"].as_str().unwrap();
        assert!(link.contains("Talk%20%26%20more"), "{link}");
    }
}

#[tokio::test]
async fn references_list_external_ids_without_deleted_ones() {
    let (service, id) = start_with_event_type(json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    service
        .sql(&format!(
            "INSERT INTO booking_references (booking_id, type, uid, destination_calendar_id, deleted)
             SELECT id, 'google_calendar', 'g1', 'team@example.org', 0 FROM bookings WHERE uid = '{uid}'
             UNION ALL SELECT id, 'zoom_video', 'z1', NULL, 0 FROM bookings WHERE uid = '{uid}'
             UNION ALL SELECT id, 'gone', 'x', NULL, 1 FROM bookings WHERE uid = '{uid}'"
        ))
        .await;
    let target = format!("{uid}/references");
    let response = call(&service, HOST, Method::GET, &target, None).await;
    assert_eq!(
        crate::common::redact(response.data()),
        json!([
            {"id": "[id]", "type": "google_calendar", "eventUid": "g1", "destinationCalendarId": "team@example.org"},
            {"id": "[id]", "type": "zoom_video", "eventUid": "z1", "destinationCalendarId": null},
        ])
    );
    for path in ["recordings", "transcripts"] {
        let target = format!("{uid}/{path}");
        let response = call(&service, HOST, Method::GET, &target, None).await;
        assert_eq!(response.data(), &json!([]));
    }
}

#[tokio::test]
async fn cancellation_details_are_hidden_from_anonymous_callers() {
    let seats = json!({"seatsPerTimeSlot": 2, "showAttendeeInfo": false});
    let (service, id) = start_with_event_type(json!({"seats": seats})).await;
    let created = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let uid = created.data()["uid"].as_str().unwrap();
    let body = json!({"seatUid": created.data()["seatUid"], "cancellationReason": "I am ill"});
    let own = service
        .post(&format!("/v2/bookings/{uid}/cancel"), body)
        .await;
    assert_eq!(own.data()["cancellationReason"], "I am ill");
    assert_eq!(own.data()["cancelledByEmail"], "zoe@example.org");
    let target = format!("/v2/bookings/{uid}");
    let anonymous = service.get(&target).await.data().clone();
    assert!(!anonymous.to_string().contains("ill"), "{anonymous}");
    assert!(!anonymous.to_string().contains("zoe@"), "{anonymous}");
    let host = service.bearer_of(HOST).await;
    let as_host = service.get_as(&target, host.clone()).await.data().clone();
    assert_eq!(as_host["cancellationReason"], "I am ill");
    assert_eq!(as_host["cancelledByEmail"], "zoe@example.org");

    // The reason is returned even if the email of the host is hidden.
    let hidden = json!({"hideOrganizerEmail": true});
    let id = service.event_type("hidden", hidden).await;
    let created = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let uid = created.data()["uid"].as_str().unwrap();
    let body = json!({"cancellationReason": "The train is late"});
    service
        .post_as(&format!("/v2/bookings/{uid}/cancel"), host, body)
        .await
        .data();
    let fetched = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(fetched.data()["cancellationReason"], "The train is late");
    assert!(!fetched.text.contains("host100@"), "{}", fetched.text);
}
