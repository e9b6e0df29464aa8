//! What subscribers are told, and which of them hear of a booking or an absence.

use booking_service::events::{self, Trigger};
use booking_wire::JsonMap;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};

/// Subscribes to everything. `owner` is a column of the table of webhooks.
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

async fn tell(service: &Service, trigger: Trigger, booking_id: i64, extras: Value) {
    let mut transaction = service.app.store.begin().await.unwrap();
    let extras: JsonMap = extras.as_object().unwrap().clone();
    let now = service.app.clock.now();
    events::booking(&mut transaction, now, trigger, booking_id, extras)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

/// Webhook, trigger, subject and body of everything in the outbox.
async fn outbox(service: &Service) -> Vec<(String, String, String, Value)> {
    let mut db = service.app.store.read().await.unwrap();
    let rows: Vec<(String, String, String, String)> = sqlx::query_as(
        "SELECT webhook_id, trigger_name, about, body FROM webhook_deliveries ORDER BY id",
    )
    .fetch_all(&mut *db)
    .await
    .unwrap();
    rows.into_iter()
        .map(|(webhook, trigger, about, body)| {
            (
                webhook,
                trigger,
                about,
                serde_json::from_str(&body).unwrap(),
            )
        })
        .collect()
}

async fn payload(service: &Service, trigger: Trigger, booking_id: i64, extras: Value) -> Value {
    service.sql("DELETE FROM webhook_deliveries").await;
    tell(service, trigger, booking_id, extras).await;
    let (_, name, _, body) = outbox(service).await.pop().unwrap();
    assert_eq!(name, trigger.as_str());
    assert_eq!(body["triggerEvent"], trigger.as_str());
    body["payload"].clone()
}

async fn book(service: &Service, event_type_id: i64, start: &str) -> (i64, String) {
    let made = service
        .post("/v2/bookings", booking(event_type_id, start))
        .await;
    let data = made.data();
    (
        data["id"].as_i64().unwrap(),
        data["uid"].as_str().unwrap().to_owned(),
    )
}

#[tokio::test]
async fn a_booking_is_told_with_everybodys_offset_at_its_start() {
    let service = Service::start().await;
    let talk = service
        .event_type(
            "talk",
            json!({
                "title": "Intro call",
                "locations": [{"type": "phone", "phone": "+390612345678", "public": true}],
                "bookingFields": [
                    {"type": "name", "slug": "name", "isDefault": true, "required": true},
                    {"type": "email", "slug": "email", "isDefault": true, "required": true},
                    {"type": "text", "slug": "topic", "label": "What about?", "required": true},
                ],
            }),
        )
        .await;
    let mut wanted = booking(talk, "2027-03-29T07:00:00Z");
    wanted["bookingFieldsResponses"] = json!({"topic": "Tea"});
    wanted["metadata"] = json!({"ref": "42"});
    let made = service.post("/v2/bookings", wanted).await;
    let made = made.data();
    subscribe(&service, "own", "user_id", "100").await;
    let told = payload(
        &service,
        Trigger::BookingCreated,
        made["id"].as_i64().unwrap(),
        json!({}),
    )
    .await;
    assert_eq!(
        told,
        json!({
            "uid": made["uid"],
            "bookingId": made["id"],
            "type": "talk",
            "title": made["title"],
            "status": "ACCEPTED",
            "eventTypeId": talk,
            "length": 30,
            "eventTitle": "Intro call",
            "startTime": "2027-03-29T07:00:00Z",
            "endTime": "2027-03-29T07:30:00Z",
            "organizer": {
                "id": HOST, "name": "Host 100", "email": "host100@northwind.example",
                "timeZone": "Europe/Berlin", "utcOffset": 120,
            },
            "attendees": [{
                "name": "Zoë Łukasik", "email": "zoe@example.org", "timeZone": "Europe/Rome",
                "utcOffset": 120,
            }],
            "responses": {
                "name": {"label": "your_name", "value": "Zoë Łukasik"},
                "email": {"label": "email_address", "value": "zoe@example.org"},
                "guests": {"label": "additional_guests", "value": []},
                "location": {"label": "location", "value": made["bookingFieldsResponses"]["location"]},
                "topic": {"label": "What about?", "value": "Tea"},
            },
            "userFieldsResponses": {"topic": {"label": "What about?", "value": "Tea"}},
            "location": "+390612345678",
            "metadata": {"ref": "42"},
            "iCalUID": made["icsUid"],
            "requiresConfirmation": false,
            "price": 0,
            "currency": told["currency"],
        })
    );
    let (_, _, about, body) = outbox(&service).await.pop().unwrap();
    assert_eq!(about, made["uid"].as_str().unwrap());
    assert_eq!(body["createdAt"], "2027-03-01T08:00:00.000Z");
}

#[tokio::test]
async fn each_event_adds_what_it_is_about() {
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    let (old_id, old) = book(&service, talk, "2027-03-29T07:00:00Z").await;
    let (id, uid) = book(&service, talk, "2027-03-29T08:00:00Z").await;
    service
        .sql(&format!(
            "UPDATE bookings SET rescheduled_to_uid = '{uid}', rescheduled_by_email = 'zoe@example.org',
                 status = 'cancelled', cancellation_reason = 'ill', cancelled_by_email = 'max@example.org'
             WHERE id = {old_id};
             UPDATE bookings SET rescheduled_from_uid = '{old}', absent_host = 1 WHERE id = {id};
             UPDATE attendees SET absent = 1 WHERE booking_id = {id};
             INSERT INTO booking_references (booking_id, type, uid, meeting_url, meeting_password)
             VALUES ({id}, 'svc_video', 'room-1', 'https://video.example/1', 'pw')"
        ))
        .await;
    subscribe(&service, "own", "user_id", "100").await;

    let moved = payload(&service, Trigger::BookingRescheduled, id, json!({})).await;
    assert_eq!(moved["uid"], uid);
    assert_eq!(moved["rescheduleUid"], old);
    assert_eq!(moved["rescheduleStartTime"], "2027-03-29T07:00:00Z");
    assert_eq!(moved["rescheduleEndTime"], "2027-03-29T07:30:00Z");
    assert_eq!(moved["rescheduledBy"], "zoe@example.org");
    assert_eq!(
        moved["videoCallData"],
        json!({"type": "svc_video", "id": "room-1", "url": "https://video.example/1", "password": "pw"})
    );

    let off = payload(&service, Trigger::BookingCancelled, old_id, json!({})).await;
    assert_eq!(
        (
            &off["cancellationReason"],
            &off["cancelledBy"],
            &off["status"]
        ),
        (
            &json!("ill"),
            &json!("max@example.org"),
            &json!("CANCELLED")
        )
    );
    let extras = json!({"cancelledBy": "ada@example.org"});
    let off = payload(&service, Trigger::BookingCancelled, old_id, extras).await;
    assert_eq!(off["cancelledBy"], "ada@example.org");

    let declined = payload(&service, Trigger::BookingRejected, old_id, json!({})).await;
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
async fn everybody_whose_booking_it_is_hears_of_it_once() {
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    let other = service.event_type("other", json!({})).await;
    let (id, _) = book(&service, talk, "2027-03-29T07:00:00Z").await;
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
    tell(&service, Trigger::BookingCreated, id, json!({})).await;
    let mut heard: Vec<String> = outbox(&service)
        .await
        .into_iter()
        .map(|(webhook, ..)| webhook)
        .collect();
    heard.sort();
    assert_eq!(heard, ["client", "organization", "own", "parent", "type"]);
}

#[tokio::test]
async fn what_did_not_happen_is_not_told() {
    let service = Service::start().await;
    let talk = service.event_type("talk", json!({})).await;
    let (id, _) = book(&service, talk, "2027-03-29T07:00:00Z").await;
    subscribe(&service, "own", "user_id", "100").await;
    let mut transaction = service.app.store.begin().await.unwrap();
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
    tell(&service, Trigger::BookingPaid, 999_999, json!({})).await;
    assert_eq!(service.count("webhook_deliveries").await, 0);
}

#[tokio::test]
async fn an_absence_is_told_with_whoever_stands_in() {
    let service = Service::start().await;
    subscribe(&service, "own", "user_id", "100").await;
    subscribe(&service, "strangers", "user_id", "101").await;
    service
        .sql(
            "INSERT INTO out_of_office (id, uuid, user_id, to_user_id, start_ms, end_ms, notes, reason, created_ms)
             VALUES (7, 'u-7', 100, 101, 1806278400000, 1806364800000, 'Sea', 'vacation', 1803888000000)",
        )
        .await;
    let mut transaction = service.app.store.begin().await.unwrap();
    let now = service.app.clock.now();
    events::out_of_office(&mut transaction, now, 7)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    let told = outbox(&service).await;
    assert_eq!(told.len(), 1);
    let (webhook, trigger, about, body) = &told[0];
    assert_eq!(
        (webhook.as_str(), trigger.as_str(), about.as_str()),
        ("own", "OOO_CREATED", "u-7")
    );
    assert_eq!(
        body["payload"]["oooEntry"],
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
