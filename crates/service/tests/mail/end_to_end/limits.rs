//! Limits on messages to one mailbox and of one event type.

use booking_service::messages::mail::retries_and_limits::{
    MESSAGES_PER_EVENT_TYPE, MESSAGES_PER_MAILBOX,
};
use booking_service::store::messages::mail::{MailboxCounts, counts_to_mailboxes};
use booking_wire::Instant;
use serde_json::{Value, json};

use crate::common::booking;
use crate::mail_service::{HOST_ADDRESS, MailService, ZOE, messages_to};

/// Start of a booking of half an hour, from Tuesday.
fn start(index: usize) -> String {
    let (day, half_hour) = (2 + index / 16, index % 16);
    let (hour, minute) = (8 + half_hour / 2, half_hour % 2 * 30);
    format!("2027-03-{day:02}T{hour:02}:{minute:02}:00Z")
}

#[tokio::test]
async fn messages_above_a_limit_are_not_sent() {
    let mail = MailService::start().await;
    let no_reminders = json!({"emailReminders": {"disabled": true}});
    let id = mail.service.event_type("talk", no_reminders.clone()).await;
    let max = usize::try_from(MESSAGES_PER_MAILBOX[0].0).unwrap();
    let mut booked = Vec::new();
    for index in 0..max + 2 {
        booked.push(mail.book(booking(id, &start(index))).await);
    }
    mail.send().await;
    let messages = mail.server.messages();
    assert_eq!(messages_to(&messages, ZOE).len(), max);
    assert_eq!(messages_to(&messages, HOST_ADDRESS).len(), max + 2);
    let listed = mail.listed(ZOE).await;
    let suppressed: Vec<&String> = listed
        .iter()
        .filter(|it| it.contains("suppressed"))
        .collect();
    assert_eq!(suppressed.len(), 2);
    assert!(
        suppressed[0].contains("over the limit of 30 messages in 1 h"),
        "{suppressed:?}"
    );

    // Above the limit, a cancellation is sent only if the recipient knows of the booking. The second unknown booking is made
    // and cancelled before any message about it is made.
    let reason = json!({"cancellationReason": "Ill"});
    mail.act(&booked[max], "cancel", reason.clone()).await;
    mail.send().await;
    mail.act(&booked[0], "cancel", reason.clone()).await;
    let short = mail.book(booking(id, &start(max + 10))).await;
    mail.act(&short, "cancel", reason).await;
    let before = mail.server.count();
    mail.send().await;
    let messages = mail.server.messages();
    assert_eq!(messages_to(&messages, ZOE).len(), max + 1);
    assert_eq!(messages_to(&messages[before..], ZOE).len(), 1);
    assert_eq!(messages_to(&messages[before..], HOST_ADDRESS).len(), 3);

    // Another event type's messages to others, up to its limit, as if all but two were sent before. The answers to those who
    // book are sent at once; their guests are told later.
    let busy = mail.service.event_type("busy", no_reminders).await;
    let sql = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})
         INSERT INTO mail_messages (kind, booking_uid, event_type_id, order_key, sequence, role, email, message_id, status,
             created_ms, settled_ms)
         SELECT 'booked', '', {busy}, '', 1, 'attendee', 'x', 'm' || i, 'sent', {now}, {now} FROM n",
        MESSAGES_PER_EVENT_TYPE.0 - 2,
        now = mail.service.app.clock.now().0,
    );
    mail.service.sql(&sql).await;
    for index in 0..4 {
        let mut body = booking(busy, &start(max + 2 + index));
        body["attendee"]["email"] = json!(format!("busy{index}@example.org"));
        body["guests"] = json!([format!("guest{index}@example.org")]);
        mail.book(body).await;
    }
    let before = mail.server.count();
    mail.send().await;
    let messages = &mail.server.messages()[before..];
    let received = |messages: &[Value], name: &str, index: usize| {
        messages_to(messages, &format!("{name}{index}@example.org")).len()
    };
    assert_eq!(messages_to(messages, HOST_ADDRESS).len(), 4);
    for index in 0..4 {
        assert_eq!(received(messages, "busy", index), 1, "{index}");
        assert_eq!(
            received(messages, "guest", index),
            usize::from(index == 0),
            "{index}"
        );
    }
    assert!(mail.listed("guest3@").await[0].contains("waiting"));

    // An hour later.
    mail.advance_minutes(61);
    mail.book(booking(id, &start(max + 8))).await;
    mail.send().await;
    let messages = mail.server.messages();
    assert_eq!(messages_to(&messages, ZOE).len(), max + 2);
    for index in 0..4 {
        assert_eq!(received(&messages, "guest", index), 1, "{index}");
    }
}

#[tokio::test]
async fn messages_to_more_mailboxes_than_a_statement_has_parameters_are_counted() {
    let mail = MailService::start().await;
    let id = mail.service.event_type("talk", json!({})).await;
    mail.book(booking(id, &start(0))).await;
    mail.send().await;
    let others: Vec<String> = (0..40_000).map(|index| format!("a{index}@x")).collect();
    let mut addresses: Vec<&str> = others.iter().map(String::as_str).collect();
    addresses.push(ZOE);
    let mut db = mail.service.app.store.read().await.unwrap();
    let since = [Instant(0), Instant(0)];
    let counts = counts_to_mailboxes(&mut db, &addresses, since)
        .await
        .unwrap();
    let expected = MailboxCounts {
        recent: 1,
        all: 1,
        to_host: 0,
    };
    assert_eq!(counts, [(ZOE.to_owned(), expected)].into());
}
