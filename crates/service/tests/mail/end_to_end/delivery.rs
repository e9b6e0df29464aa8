//! Order of messages, and faults of the mail server.

use std::collections::BTreeSet;
use std::time::Duration;

use booking_service::messages::mail::outbox::Outbox;
use booking_smtp::settings::{Sender, SmtpSettings};
use booking_store_engine::lease::Lease;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::common::booking;
use crate::fixture::{header, settings, settings_of, trusting_settings};
use crate::mail_server::MailServer;
use crate::mail_service::{
    HOST_ADDRESS, MailService, ZOE, body, entry, message_id, messages_to, recipient, recipients,
    set_mail, subject, text,
};

const START: &str = "2027-03-02T09:00:00Z";
const LATER: &str = "2027-03-02T11:00:00Z";

#[tokio::test]
async fn messages_to_one_person_stay_in_order_after_a_greylisted_one() {
    let mut mail = MailService::start().await;
    let id = mail.service.event_type("talk", json!({})).await;
    mail.server.set_faults(&json!({"greylist": [ZOE]}));
    let booked = mail.book(booking(id, START)).await;
    // The first attempt is refused.
    assert_eq!(mail.send().await, 2);
    let moved = mail
        .act(&booked, "reschedule", json!({"start": LATER}))
        .await;
    mail.act(&moved, "cancel", json!({"cancellationReason": "Ill"}))
        .await;
    let mut other = booking(id, "2027-03-02T13:00:00Z");
    other["attendee"]["email"] = json!("other@example.org");
    mail.book(other).await;
    // Another booking of the same person is not held up.
    mail.book(booking(id, "2027-03-02T14:00:00Z")).await;
    mail.send().await;
    let messages = mail.server.messages();
    let to_zoe = messages_to(&messages, ZOE);
    assert_eq!(to_zoe.len(), 1);
    assert_eq!(entry(to_zoe[0])["start"], "2027-03-02T14:00:00Z");
    // Host and others have all of theirs.
    assert_eq!(messages_to(&messages, HOST_ADDRESS).len(), 5);
    assert_eq!(messages_to(&messages, "other@example.org").len(), 1);
    mail.advance_minutes(1);
    mail.send().await;
    let messages = mail.server.messages();
    let starts: Vec<(&str, &str)> = messages_to(&messages, ZOE)[1..]
        .iter()
        .map(|it| (text(&it["calendar"]["method"]), text(&entry(it)["start"])))
        .collect();
    let expected = [("REQUEST", START), ("REQUEST", LATER), ("CANCEL", LATER)];
    assert_eq!(starts, expected);
    let of_host: Vec<&str> = messages_to(&messages, HOST_ADDRESS)
        .iter()
        .filter(|it| entry(it)["uid"] == booked["icsUid"])
        .map(|it| text(&entry(it)["start"]))
        .collect();
    assert_eq!(of_host, [START, LATER, LATER]);
}

#[tokio::test]
async fn messages_wait_for_a_server_that_is_down_or_slow() {
    let server = MailServer::start(&[]);
    let smtp = settings(&server);
    let port = server.stop();
    let mut mail = MailService::with(MailServer::start(&[]), smtp).await;
    let id = mail.service.event_type("talk", json!({})).await;
    mail.book(booking(id, START)).await;
    assert_eq!(mail.send().await, 2);
    let listed = mail.listed(ZOE).await;
    assert!(
        listed[0].contains("waiting") && listed[0].contains("connection refused"),
        "{listed:?}"
    );
    // Not due yet.
    assert_eq!(mail.send().await, 0);
    mail.server = MailServer::start(&["--port", &port.to_string()]);
    mail.server.set_faults(&json!({"delay": 0.05}));
    mail.advance_minutes(1);
    assert_eq!(mail.send().await, 2);
    let messages = mail.server.messages();
    assert_eq!(recipients(&messages), [HOST_ADDRESS, ZOE].into());
    assert_eq!(messages.len(), 2);
    assert!(mail.listed(ZOE).await[0].contains("sent"));
}

#[tokio::test]
async fn server_that_requires_tls_gets_messages_once_it_is_set() {
    let server = MailServer::start(&["--tls", "required"]);
    let plain = settings(&server);
    let url = format!("smtp://localhost:{}?starttls=required", server.port);
    let (trusting, untrusting) = (trusting_settings(&url, &server), settings_of(&url));
    let mut mail = MailService::with(server, plain).await;
    let id = mail.service.event_type("talk", json!({})).await;
    mail.book(booking(id, START)).await;
    for (smtp, problem) in [(None, "530"), (Some(untrusting), "certificate")] {
        if let Some(smtp) = smtp {
            set_mail(&mut mail.service, smtp);
        }
        mail.send().await;
        let listed = mail.listed(ZOE).await;
        assert!(
            listed[0].contains(problem) && listed[0].contains("waiting"),
            "{listed:?}"
        );
        mail.advance_minutes(10);
    }
    assert_eq!(mail.server.count(), 0);
    set_mail(&mut mail.service, trusting);
    mail.send().await;
    let messages = mail.server.messages();
    assert_eq!(messages.len(), 2);
    assert!(messages.iter().all(|it| it["envelope"]["tls"] == true));
}

#[tokio::test]
async fn refused_recipient_is_listed_and_retried() {
    let mut mail = MailService::start().await;
    let id = mail.service.event_type("talk", json!({})).await;
    let [refused, guest] = ["refused@example.org", "guest@example.org"];
    mail.server.set_faults(&json!({"refuse": [refused]}));
    let mut request = booking(id, START);
    request["guests"] = json!([refused, guest]);
    mail.book(request).await;
    mail.send().await;
    let messages = mail.server.messages();
    assert_eq!(recipients(&messages), [guest, HOST_ADDRESS, ZOE].into());
    let listed = mail.listed(refused).await;
    assert_eq!(listed.len(), 1);
    let sentence = "refused the recipient: 550 5.1.1 no such user here";
    assert!(listed[0].contains(sentence), "{listed:?}");
    let mut cells = listed[0].split_whitespace();
    let number = cells.next().unwrap();
    assert_eq!(cells.next(), Some("failed"));
    // Without an attempt of its own.
    mail.advance_minutes(24 * 60);
    mail.send().await;
    assert!(messages_to(&mail.server.messages(), refused).is_empty());
    let number = number.parse().unwrap();
    mail.retry(Some(number)).await;
    assert!(mail.listed(refused).await[0].contains("waiting"));
    // Refused again, and then sent with all others that were given up.
    mail.server.set_faults(&json!({"refuse": [refused]}));
    mail.send().await;
    assert!(mail.listed(refused).await[0].contains("failed"));
    mail.server.set_faults(&json!({}));
    let done = mail.retry(None).await;
    // Not the reminder.
    assert_eq!(done, "messages that are sent again: 1\n");
    mail.send().await;
    let messages = mail.server.messages();
    let received = messages_to(&messages, refused);
    assert!(received.iter().any(|it| text(&entry(it)["start"]) == START));
    assert!(mail.listed(refused).await[0].contains("sent"));
}

#[tokio::test]
async fn dropped_message_is_sent_again_with_its_message_id() {
    let mut mail = MailService::start().await;
    let id = mail.service.event_type("talk", json!({})).await;
    for (index, (drop, copies)) in [("before-dot", 1), ("after-dot", 1), ("stored", 2)]
        .into_iter()
        .enumerate()
    {
        mail.server.set_faults(&json!({"drop": drop}));
        let email = format!("{drop}@example.org");
        let mut request = booking(id, &format!("2027-03-02T{:02}:00:00Z", 9 + index));
        request["attendee"]["email"] = json!(email);
        mail.book(request).await;
        mail.send().await;
        mail.server.set_faults(&json!({}));
        assert!(mail.listed(&email).await[0].contains("waiting"));
        mail.advance_minutes(1);
        mail.send().await;
        let messages = mail.server.messages();
        let received = messages_to(&messages, &email);
        assert_eq!(received.len(), copies, "{drop}");
        for copy in &received {
            assert_eq!(message_id(copy), message_id(received[0]));
            assert_eq!(subject(copy), subject(received[0]));
            assert_eq!(body(copy), body(received[0]));
        }
    }
}

#[tokio::test]
async fn answers_go_to_the_other_side() {
    let mut mail = MailService::start().await;
    let id = mail.service.event_type("talk", json!({})).await;
    let guest = "guest@example.org";
    let mut request = booking(id, START);
    request["guests"] = json!([guest]);
    mail.book(request).await;
    // A server that accepts no such address gets the message, too.
    let mut international = booking(id, LATER);
    international["attendee"]["email"] = json!("用户@example.org");
    mail.book(international).await;
    mail.send().await;
    let smtp = settings(&mail.server);
    set_mail(&mut mail.service, with_reply_to(smtp));
    mail.book(booking(id, "2027-03-02T13:00:00Z")).await;
    mail.send().await;
    let messages = mail.server.messages();
    let answers = |email: &str| -> Vec<Value> {
        let received = messages_to(&messages, email);
        let replies = received
            .iter()
            .map(|it| it["addresses"]["Reply-To"][0][1].clone());
        replies.collect()
    };
    assert_eq!(answers(ZOE), [HOST_ADDRESS, "answers@example.org"]);
    assert_eq!(answers(guest), [HOST_ADDRESS]);
    assert_eq!(
        answers(HOST_ADDRESS),
        [json!(ZOE), Value::Null, json!("answers@example.org")]
    );
}

fn with_reply_to(mut smtp: SmtpSettings) -> SmtpSettings {
    let sender = Sender::parse("desk@example.org", Some("answers@example.org"), None);
    smtp.sender = sender.unwrap();
    smtp
}

#[tokio::test]
async fn waiting_reminder_is_not_sent_once_the_booking_is_cancelled_or_moved() {
    let mut mail = MailService::start().await;
    let settings = json!({"emailReminders": {"minutesBefore": [1440]}});
    let id = mail.service.event_type("talk", settings).await;
    mail.send().await;
    let emails = [
        "cancelled@example.org",
        "moved@example.org",
        "kept@example.org",
    ];
    let mut booked = Vec::new();
    for (index, email) in emails.into_iter().enumerate() {
        let mut request = booking(id, &format!("2027-03-02T{:02}:00:00Z", 9 + index));
        request["attendee"]["email"] = json!(email);
        booked.push(mail.book(request).await);
    }
    mail.send().await;
    // The reminders become due while the mail server puts off all messages.
    mail.server.set_reply("RCPT", "451 4.7.1 later");
    mail.advance_minutes(3 * 60 + 1);
    mail.send().await;
    let reason = json!({"cancellationReason": "Ill"});
    mail.act(&booked[0], "cancel", reason).await;
    let to = json!({"start": "2027-03-04T11:00:00Z"});
    mail.act(&booked[1], "reschedule", to).await;
    mail.server.set_faults(&json!({}));
    mail.advance_minutes(1);
    mail.send().await;
    let messages = mail.server.messages();
    let reminded: BTreeSet<&str> = messages
        .iter()
        .filter(|it| header(it, "List-Unsubscribe").is_some())
        .map(recipient)
        .collect();
    assert_eq!(reminded, [emails[2]].into());
    for email in &emails[..2] {
        assert_eq!(messages_to(&messages, email).len(), 2, "{email}");
        let listed = mail.listed(email).await;
        let sentence = "the booking was cancelled or moved, or the recipient wants no reminder";
        assert!(
            listed.iter().any(|line| line.contains(sentence)),
            "{listed:?}"
        );
    }
}

#[tokio::test]
async fn waiting_reminder_is_not_sent_to_people_who_have_left() {
    let mut mail = MailService::start().await;
    let settings = json!({
        "seats": {"seatsPerTimeSlot": 5, "showAttendeeInfo": false},
        "emailReminders": {"minutesBefore": [1440]},
    });
    let id = mail.service.event_type("class", settings).await;
    mail.send().await;
    let emails = [
        "left@example.org",
        "stopped@example.org",
        "stayed@example.org",
    ];
    let mut booked = Vec::new();
    for email in emails {
        let mut request = booking(id, START);
        request["attendee"]["email"] = json!(email);
        booked.push(mail.book(request).await);
    }
    mail.send().await;
    mail.server.set_reply("RCPT", "451 4.7.1 later");
    mail.advance_minutes(61);
    mail.send().await;
    let reason = json!({"cancellationReason": "Ill", "seatUid": booked[0]["seatUid"]});
    mail.act(&booked[0], "cancel", reason).await;
    mail.service
        .sql("UPDATE attendees SET reminders_stopped = 1 WHERE email = 'stopped@example.org'")
        .await;
    mail.server.set_faults(&json!({}));
    mail.advance_minutes(1);
    mail.send().await;
    let messages = mail.server.messages();
    let counts = emails.map(|email| messages_to(&messages, email).len());
    // Booked and cancelled; booked; booked and reminded.
    assert_eq!(counts, [2, 1, 2]);
    let last = messages_to(&messages, emails[0]);
    assert_eq!(last[1]["calendar"]["method"], "CANCEL");
}

/// Makes all statements of a kind fail, as on a full disk.
async fn refuse(mail: &MailService, statement: &str) {
    let sql = format!(
        "CREATE TRIGGER refuse_{statement} BEFORE {statement} ON mail_messages
         BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    );
    mail.service.sql(&sql).await;
}

#[tokio::test]
async fn failed_writes_neither_stop_waiting_messages_nor_are_repeated_at_once() {
    let mut mail = MailService::start().await;
    let id = mail.service.event_type("talk", json!({})).await;
    mail.server.set_reply("RCPT", "451 4.7.1 later");
    mail.book(booking(id, START)).await;
    assert_eq!(mail.send().await, 2);
    mail.server.set_faults(&json!({}));
    mail.advance_minutes(1);
    refuse(&mail, "INSERT").await;
    mail.book(booking(id, LATER)).await;
    let mut outbox = Outbox::new(mail.service.app.clone());
    assert!(outbox.advance(&Lease::permanent(), true).await.is_err());
    while outbox.wait().await {}
    assert_eq!(mail.server.count(), 2);

    mail.service.sql("DROP TRIGGER refuse_INSERT").await;
    let mut outbox = Outbox::new(mail.service.app.clone());
    outbox.advance(&Lease::permanent(), true).await.unwrap();
    // Within the pause after a batch, in which there may be further events.
    outbox.advance(&Lease::permanent(), true).await.unwrap();
    while outbox.wait().await {}
    refuse(&mail, "UPDATE").await;
    assert!(outbox.advance(&Lease::permanent(), true).await.is_err());
    let work = timeout(Duration::from_millis(500), outbox.wait_for_work()).await;
    assert!(work.is_err(), "the failed write is repeated at once");
}
