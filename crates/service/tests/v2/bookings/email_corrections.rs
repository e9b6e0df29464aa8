//! Correction of the e-mail address by the person who booked: rules, stored address, messages and links.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request};
use booking_mail::templates::PageState;
use booking_service::limits::client_ip::{Network, Peer};
use booking_service::limits::{Allowance, Client};
use booking_service::messages::mail::outbox::Outbox;
use booking_service::messages::mail::reminders;
use booking_service::settings::Limits;
use booking_service::store::Subject;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::bookings::action_events::{start_subscribed, take_events};
use crate::common::{HOST, Service, TestResponse, booking};
use crate::mail::links::fixture::{attendee, data, links, open, path};
use crate::mail::messages::{
    HOST_ADDRESS, START, act, book, summary, take_messages, use_closed_mail_server,
};

const WRONG: &str = "zoe@example.org";
const RIGHT: &str = "zoe.lukasik@example.com";

fn uid(booking: &Value) -> &str {
    booking["uid"].as_str().unwrap()
}

async fn send_correction(service: &Service, uid: &str, body: Value) -> TestResponse {
    let target = format!("/v2/bookings/{uid}/correct-email");
    service.post(&target, body).await
}

async fn correct(service: &Service, uid: &str, from: &str, to: &str) -> TestResponse {
    send_correction(service, uid, json!({"email": from, "newEmail": to})).await
}

/// Addresses of a booking's attendees and guests, oldest first.
async fn addresses(service: &Service, uid: &str) -> Vec<String> {
    let mut db = service.app.store.read().await.unwrap();
    sql::query_scalar(
        "SELECT a.email FROM attendees a JOIN bookings b ON b.id = a.booking_id WHERE b.uid = ? ORDER BY a.id",
    )
    .bind(uid)
    .fetch_all(&mut db)
    .await
    .unwrap()
}

async fn found_by_search(service: &Service, word: &str) -> usize {
    let bearer = service.bearer_of(HOST).await;
    let target = format!("/v2/bookings?search={word}");
    let found = service.get_as(&target, bearer).await;
    found.data().as_array().unwrap().len()
}

#[tokio::test]
async fn corrected_address_replaces_the_former_one_and_gets_the_confirmation() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, START);
    body["guests"] = json!(["guest@example.org", "Zoe.Lukasik@example.com"]);
    let booked = book(&service, body).await;
    let told = take_messages(&service).await;
    assert_eq!(found_by_search(&service, "zoe@example.org").await, 1);
    service.app.clock.advance_minutes(1);

    let response = correct(&service, uid(&booked), "ZOE@Example.org", RIGHT).await;
    let corrected = response.data();
    assert_eq!(corrected["uid"], booked["uid"]);
    assert_eq!(corrected["attendees"][0]["email"], RIGHT);
    assert_eq!(corrected["bookingFieldsResponses"]["email"], RIGHT);
    // The guest has become the person who booked.
    assert_eq!(corrected["guests"], json!(["guest@example.org"]));
    assert_eq!(
        addresses(&service, uid(&booked)).await,
        [RIGHT, "guest@example.org"]
    );
    assert_eq!(found_by_search(&service, "zoe@example.org").await, 0);
    assert_eq!(found_by_search(&service, "lukasik@example.com").await, 1);

    let messages = take_messages(&service).await;
    assert_eq!(summary(&messages), [("booked", "attendee", RIGHT)]);
    let (before, after) = (&told[0].data, &messages[0].data);
    assert_eq!(after.calendar_uid, before.calendar_uid);
    assert!(after.sequence > before.sequence);
}

#[tokio::test]
async fn wrong_address_is_answered_as_an_unknown_booking() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    take_messages(&service).await;
    let unknown = correct(&service, "nothing-at-all", WRONG, RIGHT).await;
    let unknown = unknown.assert_error(404, "NotFoundException").to_owned();
    for wrong in ["zo@example.org", RIGHT, "zoe@example.org.example"] {
        let response = correct(&service, uid(&booked), wrong, "other@example.com").await;
        let message = response.assert_error(404, "NotFoundException");
        assert_eq!(message.replace(uid(&booked), "nothing-at-all"), unknown);
        assert!(!response.text.contains(WRONG), "{}", response.text);
    }
    // Also once the time is over, which would tell that the address is right.
    service.app.clock.advance_minutes(11);
    let response = correct(&service, uid(&booked), "zo@example.org", RIGHT).await;
    response.assert_error(404, "NotFoundException");
    assert_eq!(addresses(&service, uid(&booked)).await, [WRONG]);
    assert!(take_messages(&service).await.is_empty());
}

#[tokio::test]
async fn address_is_corrected_within_ten_minutes_and_three_times() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let clock = &service.app.clock;
    let booked = book(&service, booking(id, START)).await;
    clock.advance_minutes(9);
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    clock.advance_minutes(1);
    let late = correct(&service, uid(&booked), RIGHT, WRONG).await;
    let message = late.assert_error(400, "BadRequestException");
    assert!(message.contains("within 10 minutes"), "{message}");

    let booked = book(&service, booking(id, "2027-03-02T10:00:00Z")).await;
    let mut present = WRONG.to_owned();
    for number in 1..=3 {
        let next = format!("zoe{number}@example.com");
        correct(&service, uid(&booked), &present, &next)
            .await
            .data();
        present = next;
    }
    let fourth = correct(&service, uid(&booked), &present, RIGHT).await;
    let message = fourth.assert_error(400, "BadRequestException");
    assert!(message.contains("3 times"), "{message}");
    assert_eq!(addresses(&service, uid(&booked)).await, [present]);
}

#[tokio::test]
async fn address_of_a_booking_that_does_not_take_place_or_replaces_another_stays() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let cancelled = book(&service, booking(id, START)).await;
    let reason = json!({"cancellationReason": "Ill"});
    act(&service, &cancelled, "cancel", reason).await;
    let old = book(&service, booking(id, START)).await;
    let target = format!("/v2/bookings/{}/reschedule", uid(&old));
    let to = json!({"start": "2027-03-02T11:00:00Z"});
    let moved = service.post(&target, to).await.data().clone();
    let soon = book(&service, booking(id, "2027-03-01T08:30:00Z")).await;
    service
        .sql(&format!(
            "UPDATE bookings SET start_ms = start_ms - 1800000 WHERE uid = '{}'",
            uid(&soon)
        ))
        .await;
    let verified = book(&service, booking(id, "2027-03-02T13:00:00Z")).await;
    let guarded = service
        .event_type("guarded", json!({"requiresBookerEmailVerification": true}))
        .await;
    service
        .sql(&format!(
            "UPDATE bookings SET event_type_id = {guarded} WHERE uid = '{}'",
            uid(&verified)
        ))
        .await;
    for (booked, expected) in [
        (&cancelled, "already cancelled"),
        (&old, "has been rescheduled"),
        (&moved, "within 10 minutes"),
        (&soon, "already started"),
        (&verified, "has been verified"),
    ] {
        let refused = correct(&service, uid(booked), WRONG, RIGHT).await;
        let message = refused.assert_error(400, "BadRequestException");
        assert!(message.contains(expected), "{message}");
        assert_eq!(addresses(&service, uid(booked)).await, [WRONG]);
    }
}

#[tokio::test]
async fn request_that_waits_for_a_host_is_corrected() {
    let service = Service::start().await;
    let settings = json!({"confirmationPolicy": {"type": "always"}});
    let id = service.event_type("talk", settings).await;
    let booked = book(&service, booking(id, START)).await;
    take_messages(&service).await;
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    let messages = take_messages(&service).await;
    assert_eq!(summary(&messages), [("requested", "attendee", RIGHT)]);
    act(&service, &booked, "confirm", json!({})).await;
    let messages = take_messages(&service).await;
    assert_eq!(summary(&messages)[0], ("confirmed", "attendee", RIGHT));
}

#[tokio::test]
async fn seat_is_corrected_alone_and_its_address_is_not_that_of_another_seat() {
    let service = Service::start().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false}});
    let id = service.event_type("class", seats).await;
    let mut booked = Vec::new();
    for email in ["a@example.org", "b@example.org"] {
        let mut body = booking(id, START);
        body["attendee"]["email"] = json!(email);
        booked.push(book(&service, body).await);
    }
    take_messages(&service).await;
    let uid = uid(&booked[0]);
    let body = |seat: usize, email: &str, new: &str| {
        let seat = &booked[seat]["seatUid"];
        json!({"email": email, "newEmail": new, "seatUid": seat})
    };
    let refused = correct(&service, uid, "a@example.org", RIGHT).await;
    assert_eq!(refused.constraints()[0].0, "seatUid");
    // Of another seat, the address is a wrong one.
    let refused = send_correction(&service, uid, body(1, "a@example.org", RIGHT)).await;
    refused.assert_error(404, "NotFoundException");
    let taken = send_correction(&service, uid, body(0, "a@example.org", "B@example.org")).await;
    taken.assert_error(409, "ConflictException");

    let response = send_correction(&service, uid, body(1, "b@example.org", RIGHT)).await;
    assert_eq!(response.data()["attendees"].as_array().unwrap().len(), 1);
    assert_eq!(response.data()["attendees"][0]["email"], RIGHT);
    assert_eq!(addresses(&service, uid).await, ["a@example.org", RIGHT]);
    let messages = take_messages(&service).await;
    assert_eq!(summary(&messages), [("booked", "attendee", RIGHT)]);
    // In a booking without seats there is none.
    let alone = service.event_type("alone", json!({})).await;
    let alone = book(&service, booking(alone, "2027-03-02T14:00:00Z")).await;
    let refused = send_correction(&service, alone["uid"].as_str().unwrap(), {
        json!({"email": WRONG, "newEmail": RIGHT, "seatUid": "none"})
    });
    assert_eq!(refused.await.constraints()[0].0, "seatUid");
}

#[tokio::test]
async fn all_bookings_of_a_series_are_corrected_with_one_message() {
    for has_seats in [false, true] {
        let service = Service::start().await;
        let mut settings =
            json!({"recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"}});
        if has_seats {
            settings["seats"] = json!({"seatsPerTimeSlot": 2});
        }
        let id = service.event_type("weekly", settings).await;
        let mut other = booking(id, START);
        if has_seats {
            other["attendee"]["email"] = json!("other@example.org");
            book(&service, other).await;
        }
        let booked = book(&service, booking(id, START)).await;
        take_messages(&service).await;
        let named = match has_seats {
            true => booked[1]["uid"].as_str().unwrap(),
            false => booked[0]["recurringBookingUid"].as_str().unwrap(),
        };
        let body = json!({"email": WRONG, "newEmail": RIGHT, "seatUid": booked[1].get("seatUid")});
        let response = send_correction(&service, named, body).await;
        assert_eq!(response.data().is_array(), !has_seats);
        for occurrence in booked.as_array().unwrap() {
            let found = addresses(&service, uid(occurrence)).await;
            assert_eq!(found.last().unwrap(), RIGHT);
            assert_eq!(found.len(), 1 + usize::from(has_seats));
            assert!(!found.contains(&WRONG.to_owned()));
        }
        let messages = take_messages(&service).await;
        assert_eq!(summary(&messages), [("booked", "attendee", RIGHT)]);
        let series = messages[0].data.series.as_ref().unwrap();
        assert_eq!(series.starts.len(), 3);
    }
}

#[tokio::test]
async fn links_of_the_former_address_stop_working() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    let message = data(uid(&booked), START);
    let former = links(&service, &message, &attendee(WRONG));
    let new = links(&service, &message, &attendee(RIGHT));
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    for url in [&former.cancel, &former.reschedule] {
        let page = open(&service, &path(&service, url.as_ref())).await;
        assert!(
            !matches!(page.state, PageState::Question(_)),
            "{:?}",
            page.state
        );
        assert!(page.booking.is_none());
    }
    let page = open(&service, &path(&service, new.cancel.as_ref())).await;
    assert!(matches!(page.state, PageState::Question(_)));
}

#[tokio::test]
async fn messages_that_are_not_made_yet_go_to_the_new_address_once() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    let messages = take_messages(&service).await;
    let expected = [
        ("booked", "attendee", RIGHT),
        ("booked", "host", HOST_ADDRESS),
    ];
    assert_eq!(summary(&messages), expected);
    assert!(
        messages
            .iter()
            .all(|it| !json!(it.data).to_string().contains(WRONG))
    );
    // Neither is the message of a correction that another one follows.
    let booked = book(&service, booking(id, "2027-03-02T10:00:00Z")).await;
    take_messages(&service).await;
    correct(&service, uid(&booked), WRONG, "zo@example.com")
        .await
        .data();
    correct(&service, uid(&booked), "zo@example.com", RIGHT)
        .await
        .data();
    let messages = take_messages(&service).await;
    assert_eq!(summary(&messages), [("booked", "attendee", RIGHT)]);
}

#[tokio::test]
async fn messages_in_the_making_are_not_stored_for_the_former_address() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    let latest = async || -> i64 {
        let mut db = service.app.store.read().await.unwrap();
        sql::query_scalar("SELECT max(id) FROM mail_events")
            .fetch_one(&mut db)
            .await
            .unwrap()
    };
    let before = latest().await;
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    // The outbox, which has read the event, finds it gone.
    assert!(latest().await > before);
    assert_eq!(service.count("mail_events").await, 1);
}

#[tokio::test]
async fn waiting_messages_are_dropped_or_name_the_new_address() {
    let mut service = Service::start().await;
    use_closed_mail_server(&mut service);
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    let other = book(&service, booking(id, "2027-03-02T10:00:00Z")).await;
    Outbox::new(service.app.clone()).round().await.unwrap();
    let waiting = "mail_messages WHERE status = 'waiting'";
    assert_eq!(service.count(waiting).await, 4);
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    Outbox::new(service.app.clone()).round().await.unwrap();
    let to = |email: &str| format!("mail_messages WHERE status = 'waiting' AND email = '{email}'");
    // That of the other booking stays.
    let former = format!("{} AND booking_uid = '{}'", to(WRONG), uid(&other));
    assert_eq!(service.count(&to(WRONG)).await, 1);
    assert_eq!(service.count(&former).await, 1);
    assert_eq!(service.count(&to(RIGHT)).await, 1);
    assert_eq!(service.count(&to(HOST_ADDRESS)).await, 2);
    let mut db = service.app.store.read().await.unwrap();
    let of_host: String = sql::query_scalar(
        "SELECT e.data FROM mail_events e JOIN mail_messages m ON m.event_id = e.id
         WHERE m.booking_uid = ? AND m.role = 'host'",
    )
    .bind(uid(&booked))
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert!(of_host.contains(RIGHT) && !of_host.contains(WRONG));
}

#[tokio::test]
async fn reminders_go_to_the_new_address() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    reminders::record_due(&service.app).await.unwrap();
    let booked = book(&service, booking(id, START)).await;
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    take_messages(&service).await;
    service.app.clock.advance_minutes(60);
    reminders::record_due(&service.app).await.unwrap();
    let messages = take_messages(&service).await;
    let told = summary(&messages);
    assert!(told.contains(&("reminder", "attendee", RIGHT)), "{told:?}");
    assert!(!told.iter().any(|(_, _, email)| *email == WRONG));
}

#[tokio::test]
async fn correction_sends_no_webhook() {
    let (service, id) = start_subscribed(json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    assert_eq!(take_events(&service).await.len(), 1);
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    assert!(take_events(&service).await.is_empty());
}

#[tokio::test]
async fn new_address_is_checked_as_in_a_booking() {
    let service = Service::start().await;
    let limit = json!({"bookerActiveBookingsLimit": {"maximumActiveBookings": 1}});
    let id = service.event_type("once", limit).await;
    let booked = book(&service, booking(id, START)).await;
    let mut other = booking(id, "2027-03-02T11:00:00Z");
    other["attendee"]["email"] = json!(RIGHT);
    book(&service, other).await;
    for (new, rule) in [
        ("zoe", "newEmail must be an email"),
        ("zoe@exa mple.org", "newEmail must be an email"),
        ("", "newEmail should not be empty"),
        (
            "Zoe@example.ORG",
            "newEmail is the address of the booking already",
        ),
    ] {
        let refused = correct(&service, uid(&booked), WRONG, new).await;
        refused.assert_error(400, "BadRequestException");
        assert_eq!(refused.constraints()[0].1, rule, "{}", refused.text);
    }
    let over = correct(&service, uid(&booked), WRONG, RIGHT).await;
    let message = over.assert_error(400, "BadRequestException");
    assert!(message.contains("1 bookings"), "{message}");
    assert_eq!(addresses(&service, uid(&booked)).await, [WRONG]);
    // A person whom a host has added does not get the booking twice.
    let added = service.event_type("added", json!({})).await;
    let booked = book(&service, booking(added, "2027-03-02T12:00:00Z")).await;
    let person = json!({"name": "Sam", "email": "sam@example.org", "timeZone": "UTC"});
    act(&service, &booked, "attendees", person).await;
    let refused = correct(&service, uid(&booked), WRONG, "Sam@example.org").await;
    refused.assert_error(409, "ConflictException");
}

#[tokio::test]
async fn repeated_correction_succeeds_without_effect() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    take_messages(&service).await;
    for _ in 0..5 {
        let response = correct(&service, uid(&booked), WRONG, RIGHT).await;
        assert_eq!(response.data()["attendees"][0]["email"], RIGHT);
    }
    // The response to the first request was lost for a while.
    service.app.clock.advance_minutes(15);
    correct(&service, uid(&booked), WRONG, RIGHT).await.data();
    assert_eq!(take_messages(&service).await.len(), 1);
    let stored = "attendees WHERE email_corrections = 1 AND corrected_from LIKE '%zoe%'";
    assert_eq!(service.count(stored).await, 0, "the address is kept");
    let other = correct(&service, uid(&booked), WRONG, "other@example.com").await;
    other.assert_error(404, "NotFoundException");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_corrections_succeeds() {
    let service = Arc::new(Service::start().await);
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    let tasks: Vec<_> = (0..8)
        .map(|number| {
            let (service, uid) = (service.clone(), uid(&booked).to_owned());
            let to = format!("zoe{number}@example.com");
            tokio::spawn(async move { correct(&service, &uid, WRONG, &to).await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404, 404, 404, 404, 404, 404, 404]);
    let messages = take_messages(&service).await;
    assert_eq!(messages.len(), 2, "{:?}", summary(&messages));
    assert_eq!(
        addresses(&service, uid(&booked)).await,
        [messages[0].email.as_str()]
    );
}

#[tokio::test]
async fn corrections_count_for_the_limits_of_bookings_messages_and_the_booking() {
    let mut service = Service::start().await;
    service.restart_with_limits(Limits {
        rate: Some(120),
        ..Limits::default()
    });
    let id = service.event_type("talk", json!({})).await;
    let booked = book(&service, booking(id, START)).await;
    let send = async |body: Value| {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(format!("/v2/bookings/{}/correct-email", uid(&booked)))
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        let peer: SocketAddr = "192.0.2.1:4711".parse().unwrap();
        request.extensions_mut().insert(Peer(peer));
        service.send(request).await
    };
    let wrong = json!({"email": "x@example.org", "newEmail": RIGHT});
    let mut statuses = Vec::new();
    for _ in 0..12 {
        let response = send(wrong.clone()).await;
        assert!(
            response
                .headers
                .contains_key("x-ratelimit-remaining-bookings")
        );
        statuses.push(response.status);
    }
    // Ten for one booking in a minute.
    assert_eq!(statuses[..10], [404; 10]);
    assert_eq!(statuses[10..], [429; 2]);
    service.app.clock.advance_minutes(1);
    // Messages to one mailbox, of all anonymous clients together.
    for _ in 0..30 {
        let network = Network::of("192.0.2.9".parse().unwrap());
        let rate = service.app.settings.limits.rate;
        let client = Client::of(None, Some(network));
        let allowance = Allowance::of(&service.app.signing_key, rate, &client).unwrap();
        let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
        let message = allowance.deduct().messages([RIGHT]);
        let now = service.app.clock.now();
        message.take(&mut transaction, now).await.unwrap();
        transaction.commit().await.unwrap();
    }
    let refused = send(json!({"email": WRONG, "newEmail": RIGHT})).await;
    refused.assert_error(429, "ThrottlerException");
    assert_eq!(addresses(&service, uid(&booked)).await, [WRONG]);
}

#[tokio::test]
async fn event_type_says_if_addresses_can_be_corrected() {
    for (has_mail, settings, expected) in [
        (true, json!({}), true),
        (false, json!({}), false),
        (
            true,
            json!({"requiresBookerEmailVerification": true}),
            false,
        ),
    ] {
        let mut service = Service::start().await;
        service.restart_with(|settings| settings.mail_is_available = has_mail);
        let id = service.event_type("talk", settings).await;
        let found = service.get(&format!("/v2/event-types/{id}")).await;
        assert_eq!(found.data()["allowsEmailCorrection"], expected);
    }
}
