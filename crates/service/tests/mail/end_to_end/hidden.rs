//! Addresses of hosts that an event type hides, and messages that it stops.

use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, booking};
use crate::mail_service::{
    HOST_ADDRESS, MailService, OTHER_ADDRESS, ZOE, messages_to, recipient, recipients, text,
};

const START: &str = "2027-03-02T15:00:00Z";
const GUEST: &str = "guest@example.org";

/// Makes a user the host, who may change the booking then.
async fn give(mail: &MailService, booking: &Value, host: i64) {
    let uid = text(&booking["uid"]);
    let booking = mail.service.get(&format!("/v2/bookings/{uid}")).await;
    if booking.data()["hosts"][0]["id"] == json!(host) {
        return;
    }
    let target = format!("/v2/bookings/{uid}/reassign/{host}");
    let manager = mail.service.manager();
    mail.service
        .post_as(&target, manager, json!({}))
        .await
        .data();
}

/// Books, moves, adds a guest, changes the location, reassigns, is reminded, cancels.
async fn live(mail: &MailService, settings: Value) -> Vec<Value> {
    let hosts = [HOST, OTHER_HOST];
    let slug = format!("talk-{}", mail.server.count());
    let service = &mail.service;
    let id = service
        .event_type_of(&slug, Some("roundRobin"), &hosts, settings)
        .await;
    let before = mail.server.count();
    mail.send().await;
    let booked = mail.book(booking(id, START)).await;
    mail.send().await;
    give(mail, &booked, HOST).await;
    let to = json!({"start": "2027-03-02T16:00:00Z"});
    let moved = mail.act(&booked, "reschedule", to).await;
    give(mail, &moved, HOST).await;
    mail.act(&moved, "guests", json!({"guests": [{"email": GUEST}]}))
        .await;
    let location = json!({"location": {"type": "link", "link": "https://meet.example/1"}});
    mail.act(&moved, "location", location).await;
    give(mail, &moved, OTHER_HOST).await;
    mail.send().await;
    mail.advance_minutes(31 * 60);
    mail.send().await;
    let target = format!("/v2/bookings/{}/cancel", text(&moved["uid"]));
    let reason = json!({"cancellationReason": "Ill"});
    service
        .post_as(&target, service.bearer_of(OTHER_HOST).await, reason)
        .await
        .data();
    mail.send().await;
    mail.advance_minutes(-31 * 60);
    mail.server.messages().split_off(before)
}

#[tokio::test]
async fn hidden_address_of_a_host_is_nowhere_in_messages_to_attendees() {
    let mail = MailService::start().await;
    let shown = live(&mail, json!({})).await;
    let hidden = live(&mail, json!({"hideOrganizerEmail": true})).await;
    // This search finds what is there.
    let to_zoe = messages_to(&shown, ZOE);
    let finds = |message: &&Value| text(&message["decoded"]).contains(HOST_ADDRESS);
    assert!(to_zoe.iter().any(finds));
    let mut searched = 0;
    for message in &hidden {
        let to = recipient(message);
        if ![ZOE, GUEST].contains(&to) {
            continue;
        }
        searched += 1;
        let all = text(&message["decoded"]).to_lowercase();
        for secret in [
            HOST_ADDRESS,
            OTHER_ADDRESS,
            "northwind.example",
            "host100",
            "host101",
        ] {
            assert!(!all.contains(secret), "{secret} in\n{all}");
        }
    }
    assert!(searched >= 9, "{searched}");
}

#[tokio::test]
async fn stopped_messages_of_an_event_type_are_not_sent() {
    let mail = MailService::start().await;
    for (key, told) in [
        ("disableEmailsToAttendees", [HOST_ADDRESS, OTHER_ADDRESS]),
        ("disableEmailsToHosts", [GUEST, ZOE]),
    ] {
        let messages = live(&mail, json!({"emailSettings": {key: true}})).await;
        assert_eq!(recipients(&messages), told.into(), "{key}");
    }
    let both = json!({"disableEmailsToAttendees": true, "disableEmailsToHosts": true});
    assert!(live(&mail, json!({"emailSettings": both})).await.is_empty());
}
