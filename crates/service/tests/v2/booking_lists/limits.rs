//! Limits of lists and stored data, which bound the size of responses.

use axum::body::Body;
use axum::http::Request;
use booking_service::input_limits::{
    MAX_ATTENDEES_BYTES, MAX_AVAILABILITIES, MAX_EVENT_TYPES_BYTES, MAX_LIST_ENTRIES,
    MAX_RESPONSE_BYTES, MAX_SERIES_BYTES, MIN_SEAT_BYTES,
};
use booking_service::settings::Limits;
use booking_wire::WEEKDAYS;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tower::ServiceExt;

use crate::common::{HOST, OTHER_HOST, Service, booking};

/// Size of the form responses of each booking of [`add_large_bookings`], in bytes.
const FORM_RESPONSES_BYTES: usize = 60 * 1024;

/// Adds bookings of the demo's team with large form responses.
async fn add_large_bookings(service: &Service, count: usize) {
    service
        .sql(&format!(
            r#"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
             INSERT INTO bookings (uid, event_type_id, team_id, title, status, start_ms, end_ms, responses,
                                   created_ms, updated_ms)
             SELECT 'large-' || i, NULL, 1, 'Large', 'cancelled', 1900000000000 + i * 3600000,
                    1900000000000 + i * 3600000 + 1800000,
                    '{{"notes": "' || hex(zeroblob({half})) || '"}}', 0, 0 FROM n"#,
            half = FORM_RESPONSES_BYTES / 2
        ))
        .await;
}

#[tokio::test]
async fn page_over_response_limit_is_shorter_and_the_next_one_follows() {
    let service = Service::start().await;
    let count = 2 * MAX_RESPONSE_BYTES / FORM_RESPONSES_BYTES;
    add_large_bookings(&service, count).await;
    let mut found = Vec::new();
    let mut pages = 0;
    loop {
        let path = format!(
            "/v2/teams/1/bookings?status=cancelled&sortStart=desc&take=250&skip={}",
            found.len()
        );
        let page = service.get_as(&path, service.manager()).await;
        assert!(page.text.len() < MAX_RESPONSE_BYTES);
        let bookings = page.data().as_array().unwrap();
        let pagination = &page.body["pagination"];
        assert_eq!(pagination["returnedItems"], bookings.len());
        let total = pagination["totalItems"].as_i64().unwrap();
        found.extend(bookings.iter().map(|booking| booking["uid"].clone()));
        pages += 1;
        let left = total - i64::try_from(found.len()).unwrap();
        assert_eq!(pagination["remainingItems"], left);
        assert_eq!(pagination["hasNextPage"], left > 0);
        if left == 0 {
            break;
        }
    }
    assert!(pages > 2, "{pages} pages");
    let large = |uid: &&Value| uid.as_str().unwrap().starts_with("large-");
    assert_eq!(found.iter().filter(large).count(), count);
}

/// Unread large responses count towards a memory limit; one client may use a quarter of it.
#[tokio::test]
async fn large_responses_to_client_with_unread_ones_return_503() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        trusted_proxies: 1,
        ..Limits::default()
    });
    add_large_bookings(&service, 100).await;
    let (name, value) = service.manager();
    let status_of = async |address: &str| {
        let request = Request::get("/v2/teams/1/bookings?status=cancelled&sortStart=desc&take=100")
            .header(&name, &value)
            .header("x-forwarded-for", address)
            .body(Body::empty())
            .unwrap();
        service.router.clone().oneshot(request).await.unwrap()
    };
    // About 6 MB each, of 16 MiB for one client.
    let mut unread = Vec::new();
    for _ in 0..2 {
        let response = status_of("192.0.2.1").await;
        assert_eq!(response.status(), 200);
        unread.push(response);
    }
    assert_eq!(status_of("192.0.2.1").await.status(), 503);
    assert_eq!(status_of("192.0.2.2").await.status(), 200);
    unread.pop();
    assert_eq!(status_of("192.0.2.1").await.status(), 200);
}

/// Sent over a connection: bytes that are not written yet still count.
#[tokio::test]
async fn permit_is_released_after_response_is_written() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        in_flight: 4,
        ..Limits::default()
    });
    add_large_bookings(&service, 20).await;
    let (name, value) = service.manager();
    let (mut client, server) = tokio::io::duplex(1024);
    let connection = http1::Builder::new()
        .max_buf_size(64 * 1024)
        .serve_connection(
            TokioIo::new(server),
            TowerToHyperService::new(service.router.clone()),
        );
    let connection = tokio::spawn(connection);
    let request = format!(
        "GET /v2/teams/1/bookings?status=cancelled&sortStart=desc&take=20 HTTP/1.1\r\n\
         host: localhost\r\nconnection: close\r\n{name}: {value}\r\n\r\n"
    );
    client.write_all(request.as_bytes()).await.unwrap();
    let mut received = vec![0; 64];
    client.read_exact(&mut received).await.unwrap();
    assert!(received.starts_with(b"HTTP/1.1 200 OK"));
    // The connection's buffers are full by now.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(service.app.concurrency.free(), 3);
    client.read_to_end(&mut received).await.unwrap();
    assert!(
        received.len() > 20 * FORM_RESPONSES_BYTES,
        "{}",
        received.len()
    );
    connection.await.unwrap().unwrap();
    assert_eq!(service.app.concurrency.free(), 4);
}

#[tokio::test]
async fn unpaged_list_over_limit_returns_400() {
    let service = Service::start().await;
    let key = service.key_of(HOST).await;
    let add = async |count: usize| {
        service
            .sql(&format!(
                "DELETE FROM selected_calendars WHERE user_id = {HOST};
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
                 INSERT INTO selected_calendars (user_id, integration, external_id)
                 SELECT {HOST}, 'office365_calendar', 'calendar-' || i FROM n"
            ))
            .await;
    };
    let path = format!("/v1/selected-calendars?apiKey={key}");
    add(MAX_LIST_ENTRIES).await;
    let full = service.get(&path).await;
    let listed = full.body["selected_calendars"].as_array().map(Vec::len);
    assert_eq!(listed, Some(MAX_LIST_ENTRIES), "{:.200}", full.text);
    add(MAX_LIST_ENTRIES + 1).await;
    let refused = service.get(&path).await;
    assert_eq!(refused.status, 400, "{:.200}", refused.text);
    assert!(refused.text.contains("more than 10000 entries"));
}

/// One visitor cannot use up the text limit of a booking with seats.
#[tokio::test]
async fn seats_share_text_limit_equally() {
    let service = Service::start().await;
    for (seats, share) in [(40, MAX_ATTENDEES_BYTES / 40), (1_000, MIN_SEAT_BYTES)] {
        let settings = json!({"seats": {"seatsPerTimeSlot": seats}});
        let slug = format!("class-{seats}");
        let event_type = service.event_type(&slug, settings).await;
        let seat = async |address: &str, length: usize| {
            let day = if seats == 40 { 2 } else { 3 };
            let mut body = booking(event_type, &format!("2027-03-0{day}T09:00:00Z"));
            body["attendee"]["email"] = json!(address);
            // Several form responses, because each one has its own limit.
            let part = length / 8;
            for index in 0..8 {
                body["bookingFieldsResponses"][format!("field-{index}")] = json!("x".repeat(part));
            }
            service.post("/v2/bookings", body).await
        };
        let stored = service.count("attendees").await;
        let refused = seat("first@example.org", share).await;
        let message = refused.assert_error(400, "BadRequestException");
        assert!(
            message.contains(&format!("at most {share} bytes")),
            "{message}"
        );
        assert_eq!(service.count("attendees").await, stored);
        for address in ["first@example.org", "second@example.org"] {
            let created = seat(address, share - 600).await;
            assert_eq!(created.status, 201, "{:.300}", created.text);
        }
    }
}

/// Every occurrence of a series stores a copy of the booker's form responses.
#[tokio::test]
async fn series_over_size_limit_returns_400() {
    let service = Service::start().await;
    let recurrence =
        json!({"recurrence": {"interval": 1, "occurrences": 50, "frequency": "weekly"}});
    let event_type = service.event_type("weekly", recurrence).await;
    let stored = service.count("bookings").await;
    let book = async |count: usize| {
        let mut body = booking(event_type, "2027-03-02T09:00:00Z");
        body["recurrenceCount"] = json!(count);
        for index in 0..3 {
            body["bookingFieldsResponses"][format!("field-{index}")] = json!("x".repeat(10_000));
        }
        service.post("/v2/bookings", body).await
    };
    let refused = book(50).await;
    let message = refused.assert_error(400, "BadRequestException");
    assert!(message.contains("at most 1024 KiB"), "{message}");
    assert_eq!(service.count("bookings").await, stored);
    let max_count = MAX_SERIES_BYTES / 31_000;
    let created = book(max_count).await;
    assert_eq!(created.data().as_array().map(Vec::len), Some(max_count));
}

#[tokio::test]
async fn event_types_of_one_owner_share_settings_limit() {
    let service = Service::start().await;
    service.event_type("large", json!({})).await;
    service
        .sql(&format!(
            "UPDATE event_types SET settings = json_set(settings, '$.description', hex(zeroblob({})))
             WHERE slug = 'large'",
            MAX_EVENT_TYPES_BYTES / 2
        ))
        .await;
    let create = async |user: i64| {
        let body = json!({"title": "One more", "slug": "one-more", "lengthInMinutes": 30});
        let bearer = service.bearer_of(user).await;
        service.post_as("/v2/event-types", bearer, body).await
    };
    let refused = create(HOST).await;
    let message = refused.assert_error(400, "BadRequestException");
    assert!(message.contains("at most 4096 KiB"), "{message}");
    assert_eq!(create(OTHER_HOST).await.status, 201);
}

#[tokio::test]
async fn weekly_hours_are_counted_per_day() {
    let service = Service::start().await;
    let create = async |lines: usize| {
        let hours: Vec<Value> = (0..lines)
            .map(|line| {
                let time = |minute: usize| format!("{:02}:{:02}", minute / 60, minute % 60);
                json!({"days": WEEKDAYS, "startTime": time(line * 30), "endTime": time(line * 30 + 20)})
            })
            .collect();
        let body = json!({"name": "Hours", "timeZone": "Europe/Rome", "isDefault": false, "availability": hours});
        let bearer = service.bearer_of(HOST).await;
        service.post_as("/v2/schedules", bearer, body).await
    };
    let max_count = MAX_AVAILABILITIES / 7;
    assert_eq!(create(max_count).await.status, 201);
    let refused = create(max_count + 1).await;
    let message = refused.assert_error(400, "BadRequestException");
    assert!(message.contains("counted day by day"), "{message}");
}
