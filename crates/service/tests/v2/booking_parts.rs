//! Reading bookings by uid and seat, and what belongs to them: people, place, links, records.

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service, booking};
use crate::stored::Made;

async fn started(settings: Value) -> (Service, i64) {
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
) -> Answer {
    let bearer = service.bearer_of(user).await;
    let target = format!("/v2/bookings/{target}");
    service.call(method, &target, &[bearer], body).await
}

#[tokio::test]
async fn seats_of_others_are_shown_to_nobody_but_the_hosts() {
    for show in [true, false] {
        let seats = json!({"seatsPerTimeSlot": 3, "showAttendeeInfo": show});
        let (service, id) = started(json!({"seats": seats})).await;
        let uid = Made::new(id).seats(&["ana", "bo"]).store(&service).await;
        let target = format!("/v2/bookings/{uid}");
        let seen = async |credentials: Option<(String, String)>| {
            let answer = match credentials {
                Some(credentials) => service.get_as(&target, credentials).await,
                None => service.get(&target).await,
            };
            answer.data()["attendees"].as_array().unwrap().len()
        };
        assert_eq!(seen(None).await, 0);
        let other = service.bearer_of(OTHER_HOST).await;
        assert_eq!(seen(Some(other)).await, 0);
        let host = service.bearer_of(HOST).await;
        assert_eq!(seen(Some(host)).await, 2);
        let by_seat = service.get("/v2/bookings/by-seat/bo").await;
        let data = by_seat.data();
        assert_eq!(data["uid"], json!(uid));
        let attendees = data["attendees"].as_array().unwrap();
        assert!(attendees.iter().any(|attendee| attendee["seatUid"] == "bo"));
        // With `showAttendeeInfo` those who share a booking know each other's names.
        assert_eq!(attendees.len(), if show { 2 } else { 1 });
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
async fn an_unknown_seat_is_not_found() {
    let (service, _) = started(json!({})).await;
    service
        .get("/v2/bookings/by-seat/nobody")
        .await
        .refused(404, "NotFoundException");
}

#[tokio::test]
async fn hosts_may_keep_their_addresses_to_themselves() {
    let (service, id) = started(json!({"hideOrganizerEmail": true})).await;
    let uid = Made::new(id).store(&service).await;
    let target = format!("/v2/bookings/{uid}");
    let shown = service.get(&target).await;
    assert_eq!(shown.data()["hosts"][0]["email"], "");
    assert_eq!(shown.data()["hosts"][0]["displayEmail"], "");
    assert!(!shown.text.contains("host100@northwind.example"));
    let host = service.get_as(&target, service.bearer_of(HOST).await).await;
    assert_eq!(
        host.data()["hosts"][0]["email"],
        "host100@northwind.example"
    );
}

#[tokio::test]
async fn a_uid_is_not_enough_where_callers_have_to_sign_in() {
    let (service, id) = started(json!({"bookingRequiresAuthentication": true})).await;
    let uid = Made::new(id).seats(&["ana"]).store(&service).await;
    let reads = [
        format!("/v2/bookings/{uid}"),
        "/v2/bookings/by-seat/ana".to_owned(),
    ];
    for target in &reads {
        service
            .get(target)
            .await
            .refused(401, "UnauthorizedException");
        let stranger = service.bearer_of(OTHER_HOST).await;
        service
            .get_as(target, stranger)
            .await
            .refused(403, "ForbiddenException");
        let host = service.bearer_of(HOST).await;
        assert_eq!(service.get_as(target, host).await.status, 200);
    }
    let target = format!("/v2/bookings/{uid}/cancel");
    let body = json!({"seatUid": "ana"});
    service
        .post(&target, body.clone())
        .await
        .refused(401, "UnauthorizedException");
    let stranger = service.bearer_of(OTHER_HOST).await;
    service
        .post_as(&target, stranger, body.clone())
        .await
        .refused(403, "ForbiddenException");
    service
        .sql("UPDATE attendees SET email = 'host101@northwind.example' WHERE seat_uid = 'ana'")
        .await;
    let attendee = service.bearer_of(OTHER_HOST).await;
    let done = service.post_as(&target, attendee, body).await;
    assert_eq!(done.data()["status"], "cancelled");
}

#[tokio::test]
async fn a_series_is_an_array_by_start_and_an_occurrence_an_object() {
    let (service, id) = started(json!({})).await;
    let mut uids = Vec::new();
    for day in ["15", "08"] {
        let made = Made::new(id).at(&format!("2027-03-{day}T09:00:00Z"));
        uids.push(made.of_series("weekly").store(&service).await);
    }
    let all = service.get("/v2/bookings/weekly").await;
    assert_eq!(all.data()[0]["uid"], json!(uids[1]));
    assert_eq!(all.data()[1]["uid"], json!(uids[0]));
    let one = service.get(&format!("/v2/bookings/{}", uids[0])).await;
    assert_eq!(one.data()["recurringBookingUid"], "weekly");
}

#[tokio::test]
async fn only_hosts_read_and_change_what_belongs_to_a_booking() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
    let attendee = json!({"name": "Bo", "email": "bo@example.org", "timeZone": "Europe/Rome"});
    let place = json!({"location": {"type": "address", "address": "Roma"}});
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
        (Method::PATCH, "location", Some(place), "BOOKING_WRITE", 200),
        (Method::POST, "guests", Some(guests), "BOOKING_WRITE", 200),
    ] {
        let target = format!("{uid}/{path}");
        let full = format!("/v2/bookings/{target}");
        let anonymous = service.call(method.clone(), &full, &[], body.clone()).await;
        anonymous.refused(401, "UnauthorizedException");
        let stranger = call(&service, OTHER_HOST, method.clone(), &target, body.clone()).await;
        stranger.refused(403, "ForbiddenException");
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
        assert!(unscoped.refused(403, "ForbiddenException").contains(scope));
        service
            .sql("UPDATE oauth_clients SET scopes = '[\"*\"]'")
            .await;
        let unknown = format!("unknown/{path}");
        call(&service, HOST, method.clone(), &unknown, body.clone())
            .await
            .refused(404, "NotFoundException");
        let host = call(&service, HOST, method, &target, body).await;
        assert_eq!(host.status, status, "{path}: {}", host.text);
    }
}

#[tokio::test]
async fn an_attendee_is_added_and_read_back() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
    let body = json!({
        "name": " Bo ",
        "email": "bo@example.org",
        "timeZone": "Asia/Tokyo",
        "phoneNumber": "+390612345678",
        "language": "it",
    });
    let target = format!("{uid}/attendees");
    let made = call(&service, HOST, Method::POST, &target, Some(body.clone())).await;
    assert_eq!(made.status, 201);
    let data = made.data().clone();
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
    let one = format!("{target}/{}", data["id"]);
    let read = call(&service, HOST, Method::GET, &one, None).await;
    assert_eq!(read.data(), &data);
    let twice = call(&service, HOST, Method::POST, &target, Some(body)).await;
    twice.refused(409, "ConflictException");
    // An attendee of another booking is none of this one.
    let other = Made::new(id)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    let foreign = format!("{other}/attendees/{}", data["id"]);
    call(&service, HOST, Method::GET, &foreign, None)
        .await
        .refused(404, "NotFoundException");
    let odd = format!("{uid}/attendees/first");
    call(&service, HOST, Method::GET, &odd, None)
        .await
        .refused(400, "BadRequestException");
}

#[tokio::test]
async fn an_attendee_takes_a_seat_as_long_as_there_is_one() {
    let seats = json!({"seatsPerTimeSlot": 3, "showAttendeeInfo": true});
    let (service, id) = started(json!({"seats": seats})).await;
    let uid = Made::new(id).seats(&["ana", "bo"]).store(&service).await;
    let target = format!("{uid}/attendees");
    for (name, status) in [("eve", 201), ("kim", 409)] {
        let email = format!("{name}@example.org");
        let body = json!({"name": name, "email": email, "timeZone": "Europe/Rome"});
        let answer = call(&service, HOST, Method::POST, &target, Some(body)).await;
        assert_eq!(answer.status, status, "{}", answer.text);
    }
    let list = call(&service, HOST, Method::GET, &target, None).await;
    let seat = list.data()[2]["seatUid"].as_str().unwrap().to_owned();
    let by_seat = service.get(&format!("/v2/bookings/by-seat/{seat}")).await;
    assert_eq!(by_seat.data()["uid"], json!(uid));
}

#[tokio::test]
async fn guests_are_added_once_and_up_to_thirty() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
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
    let answer = call(&service, HOST, Method::POST, &target, Some(known)).await;
    assert_eq!(answer.data()["guests"], json!(["ana@example.org"]));
    assert_eq!(
        answer.data()["bookingFieldsResponses"]["guests"],
        json!(["ana@example.org"])
    );
    assert_eq!(answer.data()["attendees"].as_array().unwrap().len(), 1);
    for from in [0, 10] {
        let body = guests(from, 10);
        let answer = call(&service, HOST, Method::POST, &target, Some(body)).await;
        assert_eq!(answer.status, 200);
    }
    let answer = call(&service, HOST, Method::POST, &target, Some(guests(20, 10))).await;
    let message = answer.refused(400, "BadRequestException");
    assert!(message.contains("at most 30"), "{message}");
    let answer = call(&service, HOST, Method::POST, &target, Some(guests(20, 9))).await;
    assert_eq!(answer.data()["guests"].as_array().unwrap().len(), 30);
    // Five calls in a minute are enough for anybody.
    let answer = call(&service, HOST, Method::POST, &target, Some(guests(0, 1))).await;
    answer.refused(429, "ThrottlerException");
    service.app.clock.advance_minutes(1);
    let answer = call(&service, HOST, Method::POST, &target, Some(guests(0, 1))).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_guest_can_be_made_an_attendee() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
    let target = format!("{uid}/guests");
    let body = json!({"guests": [{"email": "ana@example.org"}, {"email": "bo@example.org"}]});
    call(&service, HOST, Method::POST, &target, Some(body))
        .await
        .data();
    let target = format!("{uid}/attendees");
    let body = json!({"name": "Ana", "email": "ana@example.org", "timeZone": "Europe/Rome"});
    let made = call(&service, HOST, Method::POST, &target, Some(body)).await;
    assert_eq!(made.status, 201);
    let read = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(read.data()["guests"], json!(["bo@example.org"]));
    assert_eq!(read.data()["attendees"].as_array().unwrap().len(), 2);
    assert_eq!(
        service
            .count("attendees WHERE email = 'ana@example.org' AND guest = 1")
            .await,
        0
    );
}

#[tokio::test]
async fn a_booking_moves_to_every_kind_of_place() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
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
        let answer = call(&service, HOST, Method::PATCH, &target, body).await;
        let data = answer.data();
        assert_eq!(data["location"], text);
        let kind = &data["bookingFieldsResponses"]["location"]["type"];
        assert_eq!(kind, &location["type"]);
        let url = text.starts_with("https").then_some(text);
        assert_eq!(data.get("meetingUrl").and_then(Value::as_str), url);
    }
}

#[tokio::test]
async fn a_body_that_breaks_a_rule_is_refused_by_name() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
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
        let answer = call(&service, HOST, method, &target, Some(body.clone())).await;
        answer.refused(400, "BadRequestException");
        assert_eq!(answer.constraints()[0].0, property, "{path} {body}");
    }
}

#[tokio::test]
async fn location_patch_without_location_changes_nothing() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
    let before = service.get(&format!("/v2/bookings/{uid}")).await;
    let target = format!("{uid}/location");
    for body in [json!({}), json!({"location": null})] {
        let same = call(&service, HOST, Method::PATCH, &target, Some(body)).await;
        assert_eq!(same.data()["location"], before.data()["location"]);
        assert_eq!(same.data()["updatedAt"], before.data()["updatedAt"]);
    }
    let stranger = call(&service, 101, Method::PATCH, &target, Some(json!({}))).await;
    stranger.refused(403, "ForbiddenException");
}

#[tokio::test]
async fn what_is_cancelled_or_over_is_not_changed_any_more() {
    let (service, id) = started(json!({})).await;
    for made in [
        Made::new(id).status("cancelled"),
        Made::new(id).at("2027-02-26T09:00:00Z"),
    ] {
        let uid = made.store(&service).await;
        let attendee = json!({"name": "Bo", "email": "bo@example.org", "timeZone": "UTC"});
        let guests = json!({"guests": [{"email": "eve@example.org"}]});
        let place = json!({"location": {"type": "address", "address": "Roma"}});
        for (method, path, body) in [
            (Method::POST, "attendees", attendee),
            (Method::POST, "guests", guests),
            (Method::PATCH, "location", place),
        ] {
            let target = format!("{uid}/{path}");
            call(&service, HOST, method, &target, Some(body))
                .await
                .refused(400, "BadRequestException");
        }
    }
}

#[tokio::test]
async fn links_add_a_booking_to_four_calendars() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).titled("Talk & more").store(&service).await;
    let target = format!("{uid}/calendar-links");
    let answer = call(&service, HOST, Method::GET, &target, None).await;
    let links = answer.data().as_array().unwrap();
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
async fn references_are_what_other_systems_call_a_booking() {
    let (service, id) = started(json!({})).await;
    let uid = Made::new(id).store(&service).await;
    service
        .sql(&format!(
            "INSERT INTO booking_references (booking_id, type, uid, destination_calendar_id, deleted)
             SELECT id, 'google_calendar', 'g1', 'team@example.org', 0 FROM bookings WHERE uid = '{uid}'
             UNION ALL SELECT id, 'zoom_video', 'z1', NULL, 0 FROM bookings WHERE uid = '{uid}'
             UNION ALL SELECT id, 'gone', 'x', NULL, 1 FROM bookings WHERE uid = '{uid}'"
        ))
        .await;
    let target = format!("{uid}/references");
    let answer = call(&service, HOST, Method::GET, &target, None).await;
    assert_eq!(
        crate::common::redact(answer.data()),
        json!([
            {"id": "[id]", "type": "google_calendar", "eventUid": "g1", "destinationCalendarId": "team@example.org"},
            {"id": "[id]", "type": "zoom_video", "eventUid": "z1", "destinationCalendarId": null},
        ])
    );
    for path in ["recordings", "transcripts"] {
        let target = format!("{uid}/{path}");
        let answer = call(&service, HOST, Method::GET, &target, None).await;
        assert_eq!(answer.data(), &json!([]));
    }
}

#[tokio::test]
async fn who_acted_and_why_is_told_to_those_only_who_may_know_them() {
    let seats = json!({"seatsPerTimeSlot": 2, "showAttendeeInfo": false});
    let (service, id) = started(json!({"seats": seats})).await;
    let made = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let uid = made.data()["uid"].as_str().unwrap();
    let body = json!({"seatUid": made.data()["seatUid"], "cancellationReason": "I am ill"});
    let own = service
        .post(&format!("/v2/bookings/{uid}/cancel"), body)
        .await;
    assert_eq!(own.data()["cancellationReason"], "I am ill");
    assert_eq!(own.data()["cancelledByEmail"], "zoe@example.org");
    let read = format!("/v2/bookings/{uid}");
    let strangers = service.get(&read).await.data().clone();
    assert!(!strangers.to_string().contains("ill"), "{strangers}");
    assert!(!strangers.to_string().contains("zoe@"), "{strangers}");
    let host = service.bearer_of(HOST).await;
    let hosts = service.get_as(&read, host.clone()).await.data().clone();
    assert_eq!(hosts["cancellationReason"], "I am ill");
    assert_eq!(hosts["cancelledByEmail"], "zoe@example.org");

    // A host who keeps their address to themselves still gives their reason.
    let hidden = json!({"hideOrganizerEmail": true});
    let id = service.event_type("hidden", hidden).await;
    let made = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let uid = made.data()["uid"].as_str().unwrap();
    let body = json!({"cancellationReason": "The train is late"});
    service
        .post_as(&format!("/v2/bookings/{uid}/cancel"), host, body)
        .await
        .data();
    let read = service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(read.data()["cancellationReason"], "The train is late");
    assert!(!read.text.contains("host100@"), "{}", read.text);
}
