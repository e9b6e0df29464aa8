//! Strangers cannot use the company's mail: to flood a mailbox, to send texts of theirs, or to hold up the messages of
//! others.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Method, Request};
use booking_service::limits::client_ip::Peer;
use booking_service::settings::Limits;
use booking_smtp::email_address::mailbox_key;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};
use crate::fixture::settings;
use crate::mail_server::MailServer;
use crate::mail_service::{HOST_ADDRESS, MailService, ZOE, messages_to, recipient, set_mail, text};

const ATTACKER: &str = "192.0.2.1";
const VISITOR: &str = "198.51.100.7";

/// A service with the default limits.
async fn limited() -> MailService {
    let mut mail = MailService::start().await;
    mail.service.restart_with(|settings| {
        settings.limits = Limits {
            rate: Some(120),
            ..Limits::default()
        };
    });
    mail
}

async fn post_from(service: &Service, ip: &str, target: &str, body: &Value) -> TestResponse {
    let address: SocketAddr = format!("{ip}:4711").parse().unwrap();
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(target)
        .header("host", "localhost:8080")
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap();
    request.extensions_mut().insert(Peer(address));
    service.send(request).await
}

/// Start of a booking of half an hour on a working day.
fn start(index: usize) -> String {
    let (day, half_hour) = (2 + index / 16, index % 16);
    let (hour, minute) = (8 + half_hour / 2, half_hour % 2 * 30);
    format!("2027-03-{day:02}T{hour:02}:{minute:02}:00Z")
}

fn booking_of(event_type: i64, index: usize, email: &str, guests: &[String]) -> Value {
    let mut body = booking(event_type, &start(index));
    body["attendee"]["email"] = json!(email);
    body["guests"] = json!(guests);
    body
}

#[tokio::test]
async fn one_network_cannot_flood_a_mailbox_or_silence_others() {
    let mail = limited().await;
    let service = &mail.service;
    let id = service.event_type("talk", json!({})).await;
    // Fullwidth letters in the domain are other texts for one domain.
    let wide: Vec<String> = (0..6).map(|_| "victim@ｇmail.example".to_owned()).collect();
    let refused = post_from(
        service,
        ATTACKER,
        "/v2/bookings",
        &booking_of(id, 0, "a@evil.example", &wide),
    )
    .await;
    refused.assert_error(400, "BadRequestException");

    // Moved again and again: one a minute.
    let mut uids = Vec::new();
    for index in 4..6 {
        let guests: Vec<String> = (0..5)
            .map(|guest| format!("g{index}-{guest}@x.example"))
            .collect();
        let body = booking_of(id, index, &format!("b{index}@x.example"), &guests);
        let made = post_from(service, ATTACKER, "/v2/bookings", &body).await;
        if made.status == 201 {
            uids.push(text(&made.data()["uid"]).to_owned());
        }
        service.app.clock.advance_minutes(1);
    }
    let mut moves = 0;
    for _ in 0..40 {
        let uid = uids.last().unwrap().clone();
        let target = format!("/v2/bookings/{uid}/reschedule");
        let body = json!({"start": start(40 + moves % 2), "reschedulingReason": "Buy"});
        let moved = post_from(service, ATTACKER, &target, &body).await;
        assert!([201, 429].contains(&moved.status), "{}", moved.text);
        if moved.status == 201 {
            moves += 1;
            uids.push(text(&moved.data()["uid"]).to_owned());
        }
        service.app.clock.advance_minutes(1);
    }
    assert_eq!(moves, 10, "moves of one booking");
    let spellings: Vec<String> = (0..29)
        .map(|index| format!("victim+{index}@gmail.example"))
        .collect();
    let mut statuses = Vec::new();
    for index in 0..4 {
        let body = booking_of(
            id,
            index,
            &format!("vic.tim+{index}@gmail.example"),
            &spellings,
        );
        let made = post_from(service, ATTACKER, "/v2/bookings", &body).await;
        statuses.push(made.status);
    }
    assert_eq!(statuses, [201, 429, 429, 429]);
    let honest = post_from(
        service,
        VISITOR,
        "/v2/bookings",
        &booking_of(id, 50, "honest@visitor.example", &[]),
    )
    .await;
    honest.data();
    mail.send().await;
    let messages = mail.server.messages();
    let to_victim = messages
        .iter()
        .filter(|message| mailbox_key(recipient(message)) == "victim@gmail.example");
    assert_eq!(to_victim.count(), 30);
    let to_others = messages
        .iter()
        .filter(|message| recipient(message) != HOST_ADDRESS);
    // All that one network causes in a day, and the honest visitor's.
    let caused = to_others.count() - 1;
    assert!((60..=120).contains(&caused), "{caused} messages");
    assert_eq!(messages_to(&messages, "honest@visitor.example").len(), 1);
    println!(
        "{} messages, {caused} by one network, {moves} moves",
        messages.len()
    );
}

/// All that a message says, with its calendar entry and addresses.
fn whole(message: &Value) -> String {
    message["decoded"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn texts_of_strangers_are_for_hosts_only() {
    let mail = MailService::start().await;
    let service = &mail.service;
    let fields = json!([
        {"type": "text", "slug": "topic", "label": "Topic", "required": false},
        {"type": "title", "slug": "title", "required": false},
    ]);
    let locations = json!([{"type": "attendeeDefined"}]);
    let id = service
        .event_type(
            "talk",
            json!({"bookingFields": fields, "locations": locations}),
        )
        .await;
    let stranger = |email: &str, index: usize| {
        let mut body = booking_of(
            id,
            index,
            email,
            &[
                "guest@third.example".to_owned(),
                "other@third.example".to_owned(),
            ],
        );
        body["attendee"]["name"] = json!("Zoë www.evil.example +1900555");
        body["location"] =
            json!({"type": "attendeeDefined", "location": "https://evil.example/place"});
        body["bookingFieldsResponses"] = json!({
            "notes": "NOTE evil.example/notes", "topic": "TOPIC evil.example", "title": "TITLE evil.example",
        });
        body
    };
    let made = mail.book(stranger(ZOE, 0)).await;
    mail.send().await;
    let target = format!("/v2/bookings/{}/reschedule", text(&made["uid"]));
    let moved = service
        .post(
            &target,
            json!({"start": start(3), "reschedulingReason": "REASON evil.example"}),
        )
        .await;
    mail.send().await;
    let target = format!("/v2/bookings/{}/cancel", text(&moved.data()["uid"]));
    service
        .post(
            &target,
            json!({"cancellationReason": "REASON evil.example"}),
        )
        .await
        .data();
    mail.send().await;
    let messages = mail.server.messages();
    for (email, count) in [(ZOE, 3), ("guest@third.example", 3), (HOST_ADDRESS, 3)] {
        let told = messages_to(&messages, email);
        assert_eq!(told.len(), count, "{email}");
        for message in told {
            let whole = whole(message);
            let is_host = email == HOST_ADDRESS;
            for typed in [
                "evil.example",
                "1900555",
                "NOTE",
                "TOPIC",
                "TITLE",
                "REASON",
            ] {
                let expected = is_host && (typed != "REASON" || whole.contains("REASON"));
                assert!(
                    is_host || !whole.contains(typed),
                    "{email} {typed}: {whole}"
                );
                assert!(
                    !expected || whole.contains(typed) || typed == "NOTE" || typed == "TOPIC",
                    "{email} {typed}"
                );
            }
            assert!(whole.contains("Zoë"), "{email}");
            assert_eq!(
                whole.contains("other@third.example"),
                email != "guest@third.example",
                "{email}"
            );
        }
    }
    let of_host = whole(messages_to(&messages, HOST_ADDRESS)[0]);
    for typed in [
        "NOTE",
        "TOPIC",
        "TITLE",
        "1900555",
        "https://evil.example/place",
    ] {
        assert!(of_host.contains(typed), "{typed}: {of_host}");
    }

    // A caller with credentials is known.
    let before = mail.server.count();
    let bearer = service.bearer_of(OTHER_HOST).await;
    service
        .post_as("/v2/bookings", bearer, stranger("ann@known.example", 5))
        .await
        .data();
    mail.send().await;
    let messages = mail.server.messages().split_off(before);
    for email in ["ann@known.example", "guest@third.example"] {
        let whole = whole(messages_to(&messages, email)[0]);
        assert!(
            whole.contains("NOTE evil.example/notes") && whole.contains("TITLE"),
            "{whole}"
        );
    }

    // One who uses a link of a message has its mailbox.
    let before = mail.server.count();
    mail.book(stranger("bea@link.example", 6)).await;
    mail.send().await;
    let messages = mail.server.messages().split_off(before);
    let mine = whole(messages_to(&messages, "bea@link.example")[0]);
    let links = mine
        .split_whitespace()
        .filter(|word| word.contains("/mail/"));
    let tokens: Vec<&str> = links
        .filter_map(|link| link.rsplit_once("/mail/").map(|(_, token)| token))
        .collect();
    let before = mail.server.count();
    for token in tokens {
        let token: String = token
            .chars()
            .take_while(|it| it.is_ascii_alphanumeric() || "-_".contains(*it))
            .collect();
        let form = Request::post(format!("/mail/{token}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("host", "localhost:8080")
            .body(Body::from("reason=OWN+evil.example"))
            .unwrap();
        service.send(form).await;
    }
    mail.send().await;
    let messages = mail.server.messages().split_off(before);
    let told = whole(messages_to(&messages, "guest@third.example")[0]);
    assert!(told.contains("OWN evil.example"), "{told}");
}

#[tokio::test]
async fn new_address_of_a_host_gets_no_messages_before_it_is_proven() {
    let mail = MailService::start().await;
    let service = &mail.service;
    let id = service.event_type("talk", json!({})).await;
    let bearer = service.bearer_of(HOST).await;
    let victim = "victim@bank.example";
    service
        .request("PATCH", "/v2/me", &bearer, json!({"email": victim}))
        .await
        .data();
    for index in 0..5 {
        let mut body = booking_of(id, index, ZOE, &[]);
        body["attendee"]["name"] = json!("Your account was hacked");
        service
            .post_as("/v2/bookings", bearer.clone(), body)
            .await
            .data();
    }
    mail.send().await;
    let messages = mail.server.messages();
    assert_eq!(messages_to(&messages, victim).len(), 0);
    assert_eq!(messages_to(&messages, HOST_ADDRESS).len(), 5);

    let codes = "/v2/verified-resources/emails/verification-code";
    service
        .post_as(
            &format!("{codes}/request"),
            bearer.clone(),
            json!({"email": victim}),
        )
        .await;
    mail.send().await;
    let messages = mail.server.messages();
    let [message] = messages_to(&messages, victim)[..] else {
        panic!("one code")
    };
    let code: String = crate::mail_service::subject(message)
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let proven = service
        .post_as(
            &format!("{codes}/verify"),
            bearer.clone(),
            json!({"email": victim, "code": code}),
        )
        .await;
    proven.data();
    mail.book(booking_of(id, 8, ZOE, &[])).await;
    mail.send().await;
    assert_eq!(messages_to(&mail.server.messages(), victim).len(), 2);
}

/// Runs the worker while `work` runs.
async fn with_worker<T>(service: &Service, work: impl Future<Output = T>) -> T {
    let worker = crate::mail_service::worker(service);
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(async move {
        worker
            .run(async { stopped.await.unwrap_or_default() })
            .await;
    });
    let result = work.await;
    drop(stop);
    running.abort();
    result
}

/// Waits until an address has a message; returns the time since `began`.
async fn arrival(server: &MailServer, email: &str, began: Instant) -> Duration {
    while !server.has_message_to(email) {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{email} gets no message"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_one_tenant_do_not_hold_up_those_of_others() {
    let mut server = MailServer::start(&[]);
    // Each message takes half a second: MAIL, RCPT, DATA, the message itself.
    server.set_faults(&json!({"delay": 0.1}));
    let mut service = Service::start().await;
    set_mail(&mut service, settings(&server));
    service
        .sql("UPDATE bookings SET status = 'cancelled'")
        .await;
    let busy = service.event_type("busy", json!({})).await;
    let other = service
        .event_type_of("other", Some("collective"), &[OTHER_HOST], json!({}))
        .await;
    // Of another organisation.
    service
        .sql(&format!(
            "INSERT INTO organizations (id, name, slug) VALUES (77, 'Other', 'other');
             INSERT INTO teams (id, organization_id, name, slug) VALUES (77, 77, 'Other', 'other');
             UPDATE event_types SET team_id = 77 WHERE id = {other};
             UPDATE schedules SET time_zone = 'Europe/Berlin' WHERE id = 101;"
        ))
        .await;
    let guests: Vec<String> = (0..30)
        .map(|index| format!("g{index}@busy.example"))
        .collect();
    for index in 0..10 {
        let body = booking_of(busy, index, &format!("b{index}@busy.example"), &guests);
        service.post("/v2/bookings", body).await.data();
    }
    let delays = with_worker(&service, async {
        // The worker is busy with the 310 messages.
        tokio::time::sleep(Duration::from_secs(2)).await;
        let mut delays = Vec::new();
        for index in 0..3 {
            let email = format!("v{index}@other.example");
            let began = Instant::now();
            let body = booking_of(other, 8 + index, &email, &[]);
            service.post("/v2/bookings", body).await.data();
            delays.push(arrival(&server, &email, began).await);
        }
        // A visitor of the busy event type, from another network.
        let began = Instant::now();
        let body = booking_of(busy, 12, "late@busy.example", &[]);
        post_from(&service, VISITOR, "/v2/bookings", &body)
            .await
            .data();
        delays.push(arrival(&server, "late@busy.example", began).await);
        delays
    })
    .await;
    println!("{} messages before; delays {delays:?}", server.count());
    assert!(server.count() < 250, "the busy tenant is done already");
    for delay in &delays[..3] {
        assert!(*delay < Duration::from_secs(2), "{delays:?}");
    }
    assert!(delays[3] < Duration::from_secs(4), "{delays:?}");
}

#[tokio::test]
async fn outbox_grows_with_the_seats_and_not_with_their_square() {
    let mail = MailService::start().await;
    let service = &mail.service;
    let seats = json!({"seats": {"seatsPerTimeSlot": 400}});
    let id = service.event_type("webinar", seats).await;
    let size = async || {
        let mut db = service.app.store.read().await.unwrap();
        booking_store_engine::sql::query_scalar::<i64>(
            "SELECT coalesce(sum(length(data)), 0) FROM mail_events",
        )
        .fetch_one(&mut db)
        .await
        .unwrap()
    };
    let mut sizes = Vec::new();
    for batch in 0..4 {
        let before = size().await;
        for index in 0..100 {
            let body = booking_of(id, 0, &format!("s{batch}-{index}@example.org"), &[]);
            service.post("/v2/bookings", body).await.data();
        }
        sizes.push(size().await - before);
    }
    println!("bytes of 100 seats each: {sizes:?}");
    assert!(sizes[3] < sizes[1] * 11 / 10, "{sizes:?}");
    assert!(sizes[3] < 100 * 32 * 1024, "{sizes:?}");
}
