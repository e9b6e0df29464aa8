//! E-mail messages of bookings: recipients of each kind, and what the data of a message says.

use std::sync::Arc;

use booking_mail::data::{BookingData, MessageData, MissingLocation};
use booking_service::messages::mail::outbox::Outbox;
use booking_service::messages::mail::retries_and_limits::MESSAGES_PER_MAILBOX;
use booking_service::process::maintenance;
use booking_service::settings::{Limits, Settings};
use booking_service::store::Subject;
use booking_service::store::messages::mail;
use booking_smtp::settings::{Sender, Server, SmtpSettings, Timeouts};
use booking_wire::Instant;
use booking_wire::formats::instant::MINUTE_MS;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};

/// Start of the bookings.
pub const START: &str = "2027-03-02T09:00:00Z";

/// A message: kind, role, address, data.
pub struct Message {
    pub kind: String,
    pub role: String,
    pub email: String,
    pub status: String,
    pub data: BookingData,
}

/// Refuses connections, so that messages wait.
pub fn use_closed_mail_server(service: &mut Service) {
    service.restart_with(|settings| {
        settings.mail_is_available = true;
        settings.mail.smtp = Some(SmtpSettings {
            server: Server::parse("smtp://127.0.0.1:9", None).unwrap(),
            sender: Sender::parse("desk@example.org", None, None).unwrap(),
            timeouts: Timeouts::default(),
        });
    });
}

/// Makes the messages of new events, and takes them out of the outbox, oldest first.
pub async fn take_messages(service: &Service) -> Vec<Message> {
    Outbox::new(service.app.clone()).round().await.unwrap();
    let mut db = service.app.store.read().await.unwrap();
    let mut stored = mail::latest(&mut db, 10_000).await.unwrap();
    drop(db);
    stored.reverse();
    service.sql("DELETE FROM mail_messages").await;
    assert_eq!(service.count("mail_events").await, 0);
    stored
        .into_iter()
        .map(|stored| {
            let MessageData::Booking(data) = serde_json::from_str(&stored.data).unwrap() else {
                panic!("{}", stored.data);
            };
            Message {
                kind: stored.kind,
                role: stored.role,
                email: stored.email,
                status: stored.status,
                data: *data,
            }
        })
        .collect()
}

/// Kinds, roles and addresses.
pub fn summary(messages: &[Message]) -> Vec<(&str, &str, &str)> {
    messages
        .iter()
        .map(|message| {
            (
                message.kind.as_str(),
                message.role.as_str(),
                message.email.as_str(),
            )
        })
        .collect()
}

const ZOE: &str = "zoe@example.org";
pub const HOST_ADDRESS: &str = "host100@northwind.example";
pub const OTHER_ADDRESS: &str = "host101@northwind.example";

pub async fn book(service: &Service, body: Value) -> Value {
    service.post("/v2/bookings", body).await.data().clone()
}

pub async fn act(service: &Service, booking: &Value, action: &str, body: Value) -> Value {
    let uid = booking["uid"].as_str().unwrap();
    let target = format!("/v2/bookings/{uid}/{action}");
    let bearer = service.bearer_of(HOST).await;
    service.post_as(&target, bearer, body).await.data().clone()
}

#[tokio::test]
async fn booking_is_told_to_attendee_guests_and_hosts() {
    let service = Service::start().await;
    let fields = json!([{"type": "text", "slug": "topic", "label": "Topic", "required": false}]);
    let settings = json!({"title": "Consultation", "bookingFields": fields});
    let id = service.event_type("talk", settings).await;
    let mut body = booking(id, START);
    // Responses have a code of the interface, messages the whole tag.
    body["attendee"]["language"] = json!("it-CH-u-hc-h23");
    // A guest at the attendee's address gets no second message.
    body["guests"] = json!(["guest@example.org", "ZOE@example.org", "guest@example.org"]);
    body["bookingFieldsResponses"] = json!({"topic": "Rust", "notes": "First line\nsecond"});
    let booked = book(&service, body).await;
    assert_eq!(booked["attendees"][0]["language"], "it");
    let messages = take_messages(&service).await;
    assert_eq!(
        summary(&messages),
        [
            ("booked", "attendee", ZOE),
            ("booked", "guest", "guest@example.org"),
            ("booked", "host", HOST_ADDRESS),
        ]
    );
    assert!(messages.iter().all(|message| message.status == "kept"));
    let data = &messages[0].data;
    assert_eq!(data.uid, booked["uid"].as_str().unwrap());
    assert_eq!(data.calendar_uid, booked["icsUid"].as_str().unwrap());
    assert_eq!(data.event_type, "Consultation");
    assert_eq!(Some(data.start), Instant::parse(START));
    assert_eq!(data.end, data.start.plus_minutes(30));
    assert_eq!(data.notes, "First line\nsecond");
    assert_eq!(data.answers, [("Topic".to_owned(), "Rust".to_owned())]);
    assert_eq!(data.hosts[0].time_zone, "Europe/Berlin");
    assert_eq!(data.attendees[0].time_zone, "Europe/Rome");
    // The guest's language is not known: that of the person who invited them.
    assert_eq!(data.guests[0].language, "it-CH-u-hc-h23");
    assert!(data.is_confirmed && !data.hides_attendees && data.series.is_none());
}

#[tokio::test]
async fn video_call_without_link_is_told_in_words() {
    let service = Service::start().await;
    let call = json!([{"type": "integration", "integration": "daily-video"}]);
    let id = service.event_type("talk", json!({"locations": call})).await;
    let booked = book(&service, booking(id, START)).await;
    let token = booked["location"].as_str().unwrap();
    assert!(token.starts_with("integrations:"), "{token}");
    let messages = take_messages(&service).await;
    assert_eq!(messages.len(), 2);
    for message in messages {
        let data = message.data;
        assert_eq!(data.missing_location, Some(MissingLocation::VideoCall));
        assert!(!json!(data).to_string().contains("integrations:"));
    }
    let link = "https://meet.example.org/ada";
    let location = json!({"location": {"type": "link", "link": link}});
    let uid = booked["uid"].as_str().unwrap();
    let target = format!("/v2/bookings/{uid}/location");
    let bearer = service.bearer_of(HOST).await;
    let changed = service.request("PATCH", &target, &bearer, location).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    for message in take_messages(&service).await {
        let data = message.data;
        assert_eq!((&*data.location, data.missing_location), (link, None));
        assert!(!json!(data).to_string().contains("integrations:"));
    }
    // A booking can be without a location.
    let id = service.event_type("open", json!({})).await;
    book(&service, booking(id, "2027-03-02T11:00:00Z")).await;
    for message in take_messages(&service).await {
        assert_eq!(message.data.missing_location, Some(MissingLocation::Unset));
    }
}

#[tokio::test]
async fn request_is_told_without_guests_and_answer_with_them() {
    let service = Service::start().await;
    let settings = json!({"confirmationPolicy": {"type": "always"}});
    let id = service.event_type("talk", settings).await;
    let mut body = booking(id, START);
    body["guests"] = json!(["guest@example.org"]);
    let booked = book(&service, body.clone()).await;
    let messages = take_messages(&service).await;
    let expected = [
        ("requested", "attendee", ZOE),
        ("requested", "host", HOST_ADDRESS),
    ];
    assert_eq!(summary(&messages), expected);
    assert!(!messages[0].data.is_confirmed);
    act(&service, &booked, "confirm", json!({})).await;
    let confirmed = take_messages(&service).await;
    assert_eq!(
        summary(&confirmed),
        [
            ("confirmed", "attendee", ZOE),
            ("confirmed", "guest", "guest@example.org"),
            ("confirmed", "host", HOST_ADDRESS),
        ]
    );
    assert!(confirmed[0].data.sequence >= messages[0].data.sequence);

    body["start"] = json!("2027-03-02T10:00:00Z");
    let booked = book(&service, body).await;
    take_messages(&service).await;
    act(
        &service,
        &booked,
        "decline",
        json!({"reason": "On holiday"}),
    )
    .await;
    let declined = take_messages(&service).await;
    let expected = [
        ("declined", "attendee", ZOE),
        ("declined", "host", HOST_ADDRESS),
    ];
    assert_eq!(summary(&declined), expected);
    assert_eq!(declined[0].data.reason.as_deref(), Some("On holiday"));
}

#[tokio::test]
async fn guests_are_told_of_a_new_time_that_waits_for_a_host() {
    let service = Service::start().await;
    let settings = json!({"confirmationPolicy": {"type": "always"}});
    let id = service.event_type("talk", settings).await;
    let booked = book(&service, booking_with_guest(id, START)).await;
    act(&service, &booked, "confirm", json!({})).await;
    take_messages(&service).await;
    // They get the refusal, too, as their calendars have lost the entry: also if it is in one batch with the new time.
    for (day, has_batches) in [(3, true), (4, false)] {
        let start = |hour: i64| format!("2027-03-{day:02}T{hour:02}:00:00Z");
        let other = book(&service, booking_with_guest(id, &start(9))).await;
        act(&service, &other, "confirm", json!({})).await;
        take_messages(&service).await;
        let target = format!("/v2/bookings/{}/reschedule", other["uid"].as_str().unwrap());
        let moved = service.post(&target, json!({"start": start(11)})).await;
        if has_batches {
            Outbox::new(service.app.clone()).round().await.unwrap();
        }
        act(&service, moved.data(), "decline", json!({})).await;
        let messages = take_messages(&service).await;
        let declined = &summary(&messages)[messages.len() - 3..];
        assert_eq!(
            declined,
            [
                ("declined", "attendee", ZOE),
                ("declined", "guest", "guest@example.org"),
                ("declined", "host", HOST_ADDRESS),
            ]
        );
    }

    let target = format!(
        "/v2/bookings/{}/reschedule",
        booked["uid"].as_str().unwrap()
    );
    let moved = service
        .post(&target, json!({"start": "2027-03-02T11:00:00Z"}))
        .await
        .data()
        .clone();
    assert_eq!(moved["status"], "pending");
    // Their calendars have the former time.
    let messages = take_messages(&service).await;
    assert_eq!(
        summary(&messages),
        [
            ("rescheduled", "attendee", ZOE),
            ("rescheduled", "guest", "guest@example.org"),
            ("rescheduled", "host", HOST_ADDRESS),
        ]
    );
}

fn booking_with_guest(event_type_id: i64, start: &str) -> Value {
    let mut body = booking(event_type_id, start);
    body["guests"] = json!(["guest@example.org"]);
    body
}

#[tokio::test]
async fn removed_attendee_is_told_and_the_guests_are_not() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, START);
    body["guests"] = json!(["guest@example.org"]);
    let booked = book(&service, body).await;
    let person = json!({"name": "Max", "email": "max@example.org", "timeZone": "UTC"});
    let added = act(&service, &booked, "attendees", person).await;
    take_messages(&service).await;
    let key = service.key_of(HOST).await;
    let target = format!("/v1/attendees/{}?apiKey={key}", added["id"]);
    let removed = service.call("DELETE".parse().unwrap(), &target, &[], None);
    assert_eq!(removed.await.status, 200);
    let messages = take_messages(&service).await;
    let expected = [
        ("cancelled", "attendee", "max@example.org"),
        ("cancelled", "host", HOST_ADDRESS),
    ];
    assert_eq!(summary(&messages), expected);
    assert_eq!(messages[0].data.remaining_attendees.len(), 1);
}

#[tokio::test]
async fn addresses_of_the_hosts_of_a_group_are_hidden() {
    let service = Service::start().await;
    service
        .sql("UPDATE users SET organization_id = 1 WHERE id IN (100, 101)")
        .await;
    service.allow_groups().await;
    let mut body = booking(0, "2027-03-02T15:00:00Z");
    body.as_object_mut().unwrap().remove("eventTypeId");
    body["username"] = json!("host100+host101");
    body["organizationSlug"] = json!("northwind");
    body["eventTypeSlug"] = json!("dynamic");
    book(&service, body).await;
    let messages = take_messages(&service).await;
    assert_eq!(messages.len(), 3, "{:?}", summary(&messages));
    assert!(messages[0].data.hides_host_addresses);
}

#[tokio::test]
async fn later_changes_keep_the_calendar_entry_and_raise_its_number() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    let mut sequences = vec![take_messages(&service).await[0].data.sequence];
    let uid = booked["icsUid"].as_str().unwrap().to_owned();
    service.app.clock.advance_minutes(1);
    let reschedule = json!({"start": "2027-03-02T11:00:00Z", "reschedulingReason": "Train"});
    let moved = act(&service, &booked, "reschedule", reschedule).await;
    let messages = take_messages(&service).await;
    let expected = [
        ("rescheduled", "attendee", ZOE),
        ("rescheduled", "host", HOST_ADDRESS),
    ];
    assert_eq!(summary(&messages), expected);
    let data = &messages[0].data;
    assert_eq!(data.calendar_uid, uid);
    let start = Instant::parse(START).unwrap();
    assert_eq!(data.previous_time, Some((start, start.plus_minutes(30))));
    assert_eq!(data.reason.as_deref(), Some("Train"));
    sequences.push(data.sequence);

    service.app.clock.advance_minutes(1);
    let guests = json!({"guests": [{"email": "new@example.org"}]});
    act(&service, &moved, "guests", guests).await;
    let messages = take_messages(&service).await;
    assert_eq!(
        summary(&messages),
        [
            ("guests_added", "attendee", ZOE),
            ("guests_added", "guest", "new@example.org"),
            ("guests_added", "host", HOST_ADDRESS),
        ]
    );
    assert_eq!(messages[0].data.new_guests, ["new@example.org"]);
    sequences.push(messages[0].data.sequence);

    service.app.clock.advance_minutes(1);
    let location = json!({"location": {"type": "link", "link": "https://meet.example/1"}});
    let target = format!("/v2/bookings/{}/location", moved["uid"].as_str().unwrap());
    let bearer = service.bearer_of(HOST).await;
    for _ in 0..2 {
        service
            .request("PATCH", &target, &bearer, location.clone())
            .await
            .data();
    }
    let messages = take_messages(&service).await;
    // The second request changed nothing.
    assert_eq!(messages.len(), 3, "{:?}", summary(&messages));
    assert_eq!(messages[0].kind, "location_changed");
    assert_eq!(messages[0].data.location, "https://meet.example/1");
    assert_eq!(messages[0].data.previous_location.as_deref(), Some(""));
    sequences.push(messages[0].data.sequence);

    service.app.clock.advance_minutes(1);
    act(
        &service,
        &moved,
        "cancel",
        json!({"cancellationReason": "Ill"}),
    )
    .await;
    let messages = take_messages(&service).await;
    assert_eq!(
        summary(&messages),
        [
            ("cancelled", "attendee", ZOE),
            ("cancelled", "guest", "new@example.org"),
            ("cancelled", "host", HOST_ADDRESS),
        ]
    );
    assert_eq!(messages[0].data.calendar_uid, uid);
    assert_eq!(messages[0].data.reason.as_deref(), Some("Ill"));
    assert!(messages[0].data.is_cancelled);
    sequences.push(messages[0].data.sequence);
    assert!(sequences.is_sorted_by(|a, b| a < b), "{sequences:?}");
}

#[tokio::test]
async fn reassignment_is_told_to_former_and_new_host() {
    let service = Service::start().await;
    let hosts = [HOST, OTHER_HOST];
    let id = service
        .event_type_of("team-talk", Some("roundRobin"), &hosts, json!({}))
        .await;
    let booked = book(&service, booking(id, "2027-03-02T15:00:00Z")).await;
    take_messages(&service).await;
    let uid = booked["uid"].as_str().unwrap();
    let is_first = booked["hosts"][0]["id"] == json!(HOST);
    let other = if is_first { OTHER_HOST } else { HOST };
    let target = format!("/v2/bookings/{uid}/reassign/{other}");
    let reassigned = service
        .post_as(&target, service.manager(), json!({"reason": "Ill"}))
        .await;
    reassigned.data();
    let messages = take_messages(&service).await;
    let roles: Vec<&str> = messages.iter().map(|it| it.role.as_str()).collect();
    assert_eq!(roles, ["attendee", "host", "former_host"]);
    assert!(messages.iter().all(|it| it.kind == "host_reassigned"));
    let mut addresses = [messages[1].email.as_str(), messages[2].email.as_str()];
    addresses.sort_unstable();
    assert_eq!(addresses, [HOST_ADDRESS, OTHER_ADDRESS]);
    assert_eq!(messages[0].data.hosts.len(), 1);
    assert_eq!(messages[0].data.former_hosts.len(), 1);
    assert_eq!(messages[0].data.new_hosts, [messages[1].email.clone()]);
    assert_eq!(messages[0].data.reason.as_deref(), Some("Ill"));

    // The new host is not free at the new time, so that the former one takes it.
    let new_host: i64 = reassigned.data()["reassignedTo"]["id"].as_i64().unwrap();
    let own = service
        .event_type_of("own", Some("roundRobin"), &[new_host], json!({}))
        .await;
    book(&service, booking(own, "2027-03-04T15:00:00Z")).await;
    take_messages(&service).await;
    let target = format!("/v2/bookings/{uid}/reschedule");
    let body = json!({"start": "2027-03-04T15:00:00Z"});
    service.post(&target, body).await.data();
    let moved = take_messages(&service).await;
    let roles: Vec<&str> = moved.iter().map(|it| it.role.as_str()).collect();
    assert_eq!(roles, ["attendee", "host", "former_host"]);
    assert_eq!(moved[0].data.new_hosts, [moved[1].email.clone()]);
    assert_eq!(moved[2].email, messages[1].email);
}

#[tokio::test]
async fn failed_message_is_sent_again_unless_a_later_one_replaces_it() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    book(&service, booking(id, START)).await;
    Outbox::new(service.app.clone()).round().await.unwrap();
    for (later, expected) in [("reminder", 1), ("location_changed", 0)] {
        service
            .sql(&format!(
                "DELETE FROM mail_messages WHERE status = 'sent';
                 UPDATE mail_messages SET status = 'failed', settled_ms = 1, due_ms = NULL WHERE role = 'attendee';
                 INSERT INTO mail_messages (kind, booking_uid, order_key, role, email, sequence, message_id, status,
                     created_ms, settled_ms)
                 SELECT '{later}', booking_uid, order_key, role, email, 9, message_id, 'sent', 2, 2
                 FROM mail_messages WHERE role = 'attendee'"
            ))
            .await;
        let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
        let now = service.app.clock.now();
        let count = mail::retry_failed(&mut transaction, now).await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(count, expected, "{later}");
    }
    // A code that was given up has no data.
    service
        .sql("UPDATE mail_messages SET event_id = NULL")
        .await;
    let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
    let now = service.app.clock.now();
    for id in 1..10 {
        assert!(!mail::retry(&mut transaction, id, now).await.unwrap());
    }
}

#[tokio::test]
async fn email_settings_of_the_event_type_are_obeyed() {
    let mut service = Service::start().await;
    service.app.settings = Arc::new(Settings {
        mail_is_available: true,
        ..Settings::clone(&service.app.settings)
    });
    service.restart_with_limits(Limits::default());
    for (key, roles) in [
        ("disableEmailsToAttendees", vec!["host"]),
        ("disableEmailsToHosts", vec!["attendee"]),
    ] {
        let settings = json!({"emailSettings": {key: true}, "hideOrganizerEmail": true});
        let slug = format!("talk-{}", roles[0]);
        let hosts = [HOST];
        let id = service
            .event_type_of(&slug, Some("collective"), &hosts, settings)
            .await;
        // The widget promises none that is not sent.
        let event_type = service.get(&format!("/v2/event-types/{id}")).await;
        let tells_attendee = roles == ["attendee"];
        assert_eq!(event_type.data()["sendsEmail"], tells_attendee);
        let booked = book(&service, booking(id, START)).await;
        let messages = take_messages(&service).await;
        let found: Vec<&str> = messages.iter().map(|it| it.role.as_str()).collect();
        assert_eq!(found, roles);
        assert!(messages[0].data.hides_host_addresses);
        act(
            &service,
            &booked,
            "cancel",
            json!({"cancellationReason": "x"}),
        )
        .await;
        take_messages(&service).await;
    }
}

#[tokio::test]
async fn hidden_notes_are_not_in_calendar_entries() {
    let service = Service::start().await;
    for (slug, settings, hidden) in [
        ("a", json!({"hideCalendarNotes": true}), true),
        ("b", json!({"hideCalendarEventDetails": true}), true),
        ("c", json!({"hideCalendarNotes": false}), false),
    ] {
        let id = service.event_type(slug, settings).await;
        let mut body = booking(id, START);
        body["bookingFieldsResponses"] = json!({"notes": "Secret"});
        let booked = book(&service, body).await;
        let data = &take_messages(&service).await[0].data;
        assert_eq!(data.notes, "Secret");
        assert_eq!(data.hides_notes_in_calendar, hidden, "{slug}");
        act(
            &service,
            &booked,
            "cancel",
            json!({"cancellationReason": "x"}),
        )
        .await;
        take_messages(&service).await;
    }
}

#[tokio::test]
async fn failed_booking_records_nothing() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    book(&service, booking(id, START)).await;
    take_messages(&service).await;
    service
        .post("/v2/bookings", booking(id, START))
        .await
        .assert_error(409, "ConflictException");
    assert_eq!(service.count("mail_events").await, 0);
}

#[tokio::test]
async fn mailbox_of_a_stranger_gets_a_limited_number_of_messages() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let (max, period) = MESSAGES_PER_MAILBOX[0];
    let day = Instant::parse("2027-03-02T08:00:00Z").unwrap();
    let start = |index: i64| {
        // 16 slots a day, from Tuesday to Friday.
        let start = Instant(day.0 + index / 16 * 24 * 60 * MINUTE_MS).plus_minutes(index % 16 * 30);
        start.to_string()
    };
    for index in 0..=max {
        let mut body = booking(id, &start(index));
        // One mailbox, however it is written.
        let emails = [ZOE, "ZOE@example.org", "z.oe+7@example.org"];
        body["attendee"]["email"] = json!(emails[index as usize % 3]);
        book(&service, body).await;
    }
    Outbox::new(service.app.clone()).round().await.unwrap();
    let mut db = service.app.store.read().await.unwrap();
    let listed = mail::list(&mut db, &[mail::Status::Suppressed], 10)
        .await
        .unwrap();
    let kept = mail::list(&mut db, &[mail::Status::Kept], 1_000).await;
    drop(db);
    // Hosts get all messages.
    assert_eq!(kept.unwrap().len(), usize::try_from(max + max + 1).unwrap());
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].email, ZOE);
    assert!(
        listed[0]
            .last_problem
            .as_deref()
            .unwrap()
            .contains("30 messages in 1 h")
    );
    // Of a host who books with a colleague, only the messages as attendee count.
    let other = service
        .event_type_of("other", Some("roundRobin"), &[OTHER_HOST], json!({}))
        .await;
    let mut body = booking(other, "2027-03-02T15:00:00Z");
    body["attendee"]["email"] = json!(HOST_ADDRESS);
    book(&service, body).await;
    Outbox::new(service.app.clone()).round().await.unwrap();
    service.app.clock.advance_minutes(period / MINUTE_MS);
    book(&service, booking(id, &start(max + 1))).await;
    let messages = take_messages(&service).await;
    let last = &messages[messages.len() - 4..];
    assert_eq!(last[0].email, HOST_ADDRESS);
    assert!(last.iter().all(|message| message.status == "kept"));
}

#[tokio::test]
async fn old_messages_are_deleted_with_their_data() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    book(&service, booking(id, START)).await;
    Outbox::new(service.app.clone()).round().await.unwrap();
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("mail_messages").await, 2);
    assert_eq!(service.count("mail_events").await, 1);
    service
        .app
        .clock
        .advance_minutes(mail::RETENTION_MS / MINUTE_MS + 1);
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("mail_messages").await, 0);
    assert_eq!(service.count("mail_events").await, 0);
}
