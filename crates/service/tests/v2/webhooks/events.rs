//! Payloads of webhook events, and selection of the webhooks that receive them.

use booking_service::messages::webhooks::events::{self, Trigger};
use booking_service::store::Subject;
use booking_store_engine::sql;
use booking_wire::JsonMap;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};

/// Sequence number of a booking that was last changed when the clock was stopped.
const SEQUENCE: i64 = 226_051_200;

/// Subscribes to all triggers. `owner` is a column of the `webhooks` table.
async fn subscribe(service: &Service, id: &str, owner: &str, value: &str) {
    let triggers: Vec<&str> = Trigger::ALL
        .iter()
        .map(|trigger| trigger.as_str())
        .collect();
    service
        .sql(&format!(
            "INSERT INTO webhooks (id, {owner}, subscriber_url, triggers, active, version, created_ms)
             VALUES ('{id}', {value}, 'https://example.org/{id}', '{}', 1, '2021-10-20', 0)",
            json!(triggers)
        ))
        .await;
}

async fn send_event(service: &Service, trigger: Trigger, booking_id: i64, extras: Value) {
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    let extras: JsonMap = extras.as_object().unwrap().clone();
    let now = service.app.clock.now();
    events::booking(&mut transaction, now, trigger, booking_id, extras)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

/// Returns webhook, trigger, order key and payload of all deliveries.
async fn outbox(service: &Service) -> Vec<(String, String, String, Value)> {
    let mut db = service.app.store.read().await.unwrap();
    let rows: Vec<(String, String, String, String)> = sql::query_as(
        "SELECT d.webhook_id, d.trigger_name, d.about, e.payload
         FROM webhook_deliveries d JOIN webhook_events e ON e.id = d.event_id ORDER BY d.id",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    rows.into_iter()
        .map(|(webhook, trigger, about, payload)| {
            let payload = serde_json::from_str(&payload).unwrap();
            (webhook, trigger, about, payload)
        })
        .collect()
}

async fn payload(service: &Service, trigger: Trigger, booking_id: i64, extras: Value) -> Value {
    service.sql("DELETE FROM webhook_deliveries").await;
    send_event(service, trigger, booking_id, extras).await;
    let (_, name, _, payload) = outbox(service).await.pop().unwrap();
    assert_eq!(name, trigger.as_str());
    payload
}

async fn create_booking(service: &Service, event_type_id: i64, start: &str) -> (i64, String) {
    let created = service
        .post("/v2/bookings", booking(event_type_id, start))
        .await;
    let data = created.data();
    (
        data["id"].as_i64().unwrap(),
        data["uid"].as_str().unwrap().to_owned(),
    )
}

#[tokio::test]
async fn booking_payload_has_utc_offsets_at_start() {
    let service = Service::start().await;
    let talk = service
        .event_type(
            "talk",
            json!({
                "title": "Intro call",
                "description": "Get to know us",
                "locations": [{"type": "phone", "phone": "+390612345678", "public": true}],
                "bookingFields": [
                    {"type": "name", "slug": "name", "isDefault": true, "required": true},
                    {"type": "email", "slug": "email", "isDefault": true, "required": true},
                    {"type": "text", "slug": "topic", "label": "What about?", "required": true},
                ],
            }),
        )
        .await;
    let mut booking_body = booking(talk, "2027-03-29T07:00:00Z");
    booking_body["bookingFieldsResponses"] = json!({"topic": "Tea", "notes": "Bring tea"});
    booking_body["metadata"] = json!({"ref": "42"});
    booking_body["guests"] = json!(["max@example.org"]);
    booking_body["attendee"]["language"] = json!("it");
    service
        .sql("UPDATE users SET locale = 'de', time_format = 24 WHERE id = 100")
        .await;
    let created = service.post("/v2/bookings", booking_body).await;
    let created = created.data();
    subscribe(&service, "own", "user_id", "100").await;
    let created_payload = payload(
        &service,
        Trigger::BookingCreated,
        created["id"].as_i64().unwrap(),
        json!({}),
    )
    .await;
    assert_eq!(
        created_payload,
        json!({
            "uid": created["uid"],
            "bookingId": created["id"],
            "type": "talk",
            "title": created["title"],
            "status": "ACCEPTED",
            "eventTypeId": talk,
            "length": 30,
            "eventTitle": "Intro call",
            "startTime": "2027-03-29T07:00:00Z",
            "endTime": "2027-03-29T07:30:00Z",
            "description": "Bring tea",
            "additionalNotes": "Bring tea",
            "eventDescription": "Get to know us",
            "organizer": {
                "id": HOST, "name": "Host 100", "username": "host100", "email": "host100@northwind.example",
                "timeZone": "Europe/Berlin", "utcOffset": 120, "timeFormat": "HH:mm", "language": {"locale": "de"},
            },
            "attendees": [
                {
                    "name": "Zoë Łukasik", "firstName": "Zoë", "lastName": "Łukasik", "email": "zoe@example.org",
                    "phoneNumber": null, "timeZone": "Europe/Rome", "utcOffset": 120, "language": {"locale": "it"},
                },
                {
                    "name": "", "firstName": "", "lastName": "", "email": "max@example.org",
                    "phoneNumber": null, "timeZone": "Europe/Rome", "utcOffset": 120, "language": {"locale": "en"},
                },
            ],
            "responses": {
                "name": {"label": "your_name", "value": "Zoë Łukasik", "isHidden": false},
                "email": {"label": "email_address", "value": "zoe@example.org", "isHidden": false},
                "guests": {"label": "additional_guests", "value": ["max@example.org"], "isHidden": false},
                "location": {
                    "label": "location", "value": {"value": "userPhone", "optionValue": ""}, "isHidden": false,
                },
                "notes": {"label": "additional_notes", "value": "Bring tea", "isHidden": false},
                "topic": {"label": "What about?", "value": "Tea", "isHidden": false},
            },
            "userFieldsResponses": {"topic": {"label": "What about?", "value": "Tea", "isHidden": false}},
            "customInputs": {},
            "location": "+390612345678",
            "metadata": {"ref": "42"},
            "iCalUID": created["icsUid"],
            "iCalSequence": SEQUENCE,
            "organizationId": null,
            "bookerUrl": null,
            "destinationCalendar": null,
            "appsStatus": [],
            "hashedLink": null,
            "schedulingType": null,
            "hideCalendarNotes": false,
            "hideOrganizerEmail": false,
            "seatsPerTimeSlot": null,
            "seatsShowAttendees": true,
            "seatsShowAvailabilityCount": true,
            "requiresConfirmation": false,
            "price": 0,
            "currency": created_payload["currency"],
        })
    );
    let (_, _, order_key, _) = outbox(&service).await.pop().unwrap();
    assert_eq!(order_key, created["uid"].as_str().unwrap());
}

#[tokio::test]
async fn payload_contains_details_of_trigger() {
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    let (previous_id, previous_uid) = create_booking(&service, talk, "2027-03-29T07:00:00Z").await;
    let (id, uid) = create_booking(&service, talk, "2027-03-29T08:00:00Z").await;
    service
        .sql(&format!(
            "UPDATE bookings SET rescheduled_to_uid = '{uid}', rescheduled_by_email = 'zoe@example.org',
                 status = 'cancelled', cancellation_reason = 'ill', cancelled_by_email = 'max@example.org'
             WHERE id = {previous_id};
             UPDATE bookings SET rescheduled_from_uid = '{previous_uid}', absent_host = 1 WHERE id = {id};
             UPDATE attendees SET absent = 1 WHERE booking_id = {id};
             INSERT INTO booking_references (booking_id, type, uid, meeting_url, meeting_password)
             VALUES ({id}, 'svc_video', 'room-1', 'https://video.example/1', 'pw')"
        ))
        .await;
    subscribe(&service, "own", "user_id", "100").await;

    let rescheduled = payload(&service, Trigger::BookingRescheduled, id, json!({})).await;
    assert_eq!(rescheduled["uid"], uid);
    assert_eq!(rescheduled["iCalSequence"], SEQUENCE);
    assert_eq!(rescheduled["rescheduleId"], previous_id);
    assert_eq!(rescheduled["rescheduleUid"], previous_uid);
    assert_eq!(rescheduled["rescheduleStartTime"], "2027-03-29T07:00:00Z");
    assert_eq!(rescheduled["rescheduleEndTime"], "2027-03-29T07:30:00Z");
    assert_eq!(rescheduled["rescheduledBy"], "zoe@example.org");
    assert_eq!(
        rescheduled["videoCallData"],
        json!({"type": "svc_video", "id": "room-1", "url": "https://video.example/1", "password": "pw"})
    );
    assert_eq!(
        rescheduled["metadata"],
        json!({"videoCallUrl": "https://video.example/1"})
    );

    let cancelled = payload(&service, Trigger::BookingCancelled, previous_id, json!({})).await;
    assert_eq!(
        (
            &cancelled["cancellationReason"],
            &cancelled["cancelledBy"],
            &cancelled["status"]
        ),
        (
            &json!("ill"),
            &json!("max@example.org"),
            &json!("CANCELLED")
        )
    );
    let extras = json!({"cancelledBy": "ada@example.org"});
    let cancelled = payload(&service, Trigger::BookingCancelled, previous_id, extras).await;
    assert_eq!(cancelled["cancelledBy"], "ada@example.org");

    let declined = payload(&service, Trigger::BookingRejected, previous_id, json!({})).await;
    assert_eq!(declined["rejectionReason"], "ill");

    assert_eq!(
        payload(&service, Trigger::BookingNoShowUpdated, id, json!({})).await,
        json!({
            "message": "Marked as no-show: zoe@example.org, the host",
            "bookingUid": uid,
            "bookingId": id,
            "attendees": [{"email": "zoe@example.org", "noShow": true}],
        })
    );
}

#[tokio::test]
async fn team_booking_payload_contains_settings_organization_and_link() {
    let service = Service::start().await;
    let settings = json!({
        "seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false, "showAvailabilityCount": true},
        "locations": [{"type": "link", "link": "https://meet.example/room", "public": true}],
        "hideCalendarNotes": true,
    });
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("shared", Some("collective"), &hosts, settings)
        .await;
    let (id, _) = create_booking(&service, id, "2027-03-29T14:00:00Z").await;
    subscribe(&service, "own", "user_id", "100").await;
    let created_payload = payload(&service, Trigger::BookingCreated, id, json!({})).await;
    assert_eq!(created_payload["schedulingType"], "COLLECTIVE");
    assert_eq!(created_payload["organizationId"], 1);
    assert_eq!(created_payload["seatsPerTimeSlot"], 3);
    assert_eq!(created_payload["seatsShowAttendees"], false);
    assert_eq!(created_payload["seatsShowAvailabilityCount"], true);
    assert_eq!(created_payload["hideCalendarNotes"], true);
    assert_eq!(created_payload["location"], "https://meet.example/room");
    assert_eq!(
        created_payload["metadata"]["videoCallUrl"],
        created_payload["location"]
    );
    assert_eq!(created_payload["team"]["id"], 1);
    let members = created_payload["team"]["members"].as_array().unwrap();
    assert_eq!(members.len(), 2);
    assert_eq!(members[0], created_payload["organizer"]);
    // With a seat, the form responses of its attendee are sent.
    let seat: (String,) = {
        let mut db = service.app.store.read().await.unwrap();
        sql::query_as(
            "SELECT seat_uid FROM attendees WHERE seat_uid IS NOT NULL AND booking_id = ?",
        )
        .bind(id)
        .fetch_one(&mut db)
        .await
        .unwrap()
    };
    service
        .sql(&format!(
            "UPDATE attendees SET responses = '{{\"notes\": \"Bring tea\"}}' WHERE seat_uid = '{}'",
            seat.0
        ))
        .await;
    let extras = json!({"seatUid": seat.0});
    let created_payload = payload(&service, Trigger::BookingCreated, id, extras).await;
    assert_eq!(created_payload["additionalNotes"], "Bring tea");
    assert_eq!(created_payload["responses"]["notes"]["value"], "Bring tea");
}

#[tokio::test]
async fn event_is_sent_once_to_each_matching_webhook() {
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    let other = service.event_type("other", json!({})).await;
    let (id, _) = create_booking(&service, talk, "2027-03-29T07:00:00Z").await;
    service
        .sql(&format!(
            "INSERT INTO organizations (id, name, slug) VALUES (2, 'Other', 'other');
             INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             VALUES ('theirs', 'A', 1, '', '[]', '[]', 0), ('nobodys', 'B', 1, '', '[]', '[]', 0);
             UPDATE users SET organization_id = 1, oauth_client_id = 'theirs' WHERE id = {HOST};
             UPDATE event_types SET parent_id = {other} WHERE id = {talk}"
        ))
        .await;
    for (webhook, owner, value) in [
        ("own", "user_id", HOST.to_string()),
        ("strangers", "user_id", OTHER_HOST.to_string()),
        ("type", "event_type_id", talk.to_string()),
        ("parent", "event_type_id", other.to_string()),
        ("organization", "organization_id", "1".into()),
        ("elsewhere", "organization_id", "2".into()),
        ("client", "oauth_client_id", "'theirs'".into()),
        ("nobodys", "oauth_client_id", "'nobodys'".into()),
        ("silent", "user_id", HOST.to_string()),
        ("picky", "user_id", HOST.to_string()),
    ] {
        subscribe(&service, webhook, owner, &value).await;
    }
    service
        .sql(
            "UPDATE webhooks SET active = 0 WHERE id = 'silent';
             UPDATE webhooks SET triggers = '[\"BOOKING_CANCELLED\"]' WHERE id = 'picky'",
        )
        .await;
    send_event(&service, Trigger::BookingCreated, id, json!({})).await;
    let mut receivers: Vec<String> = outbox(&service)
        .await
        .into_iter()
        .map(|(webhook, ..)| webhook)
        .collect();
    receivers.sort();
    assert_eq!(
        receivers,
        ["client", "organization", "own", "parent", "type"]
    );
}

#[tokio::test]
async fn rolled_back_event_is_not_sent() {
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    let (id, _) = create_booking(&service, talk, "2027-03-29T07:00:00Z").await;
    subscribe(&service, "own", "user_id", "100").await;
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    let now = service.app.clock.now();
    events::booking(
        &mut transaction,
        now,
        Trigger::BookingPaid,
        id,
        JsonMap::new(),
    )
    .await
    .unwrap();
    drop(transaction);
    send_event(&service, Trigger::BookingPaid, 999_999, json!({})).await;
    assert_eq!(service.count("webhook_deliveries").await, 0);
}

#[tokio::test]
async fn absence_payload_contains_substitute() {
    let service = Service::start().await;
    subscribe(&service, "own", "user_id", "100").await;
    subscribe(&service, "strangers", "user_id", "101").await;
    service
        .sql(
            "INSERT INTO out_of_office (id, uuid, user_id, to_user_id, start_ms, end_ms, notes, reason, created_ms)
             VALUES (7, 'u-7', 100, 101, 1806278400000, 1806364800000, 'Sea', 'vacation', 1803888000000)",
        )
        .await;
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    let now = service.app.clock.now();
    events::out_of_office(&mut transaction, now, 7)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let deliveries = outbox(&service).await;
    assert_eq!(deliveries.len(), 1);
    let (webhook, trigger, about, body) = &deliveries[0];
    assert_eq!(
        (webhook.as_str(), trigger.as_str(), about.as_str()),
        ("own", "OOO_CREATED", "u-7")
    );
    assert_eq!(
        body["oooEntry"],
        json!({
            "id": 7, "uuid": "u-7", "notes": "Sea", "reason": "vacation",
            "start": "2027-03-29T00:00:00.000Z", "end": "2027-03-30T00:00:00.000Z",
            "createdAt": "2027-03-01T08:00:00.000Z",
            "user": {
                "id": 100, "name": "Host 100", "username": "host100", "email": "host100@northwind.example",
                "timeZone": "Europe/Berlin", "utcOffset": 120,
            },
            "toUser": {
                "id": 101, "name": "Host 101", "username": "host101", "email": "host101@northwind.example",
                "timeZone": "America/New_York", "utcOffset": -240,
            },
        })
    );
}
