//! Texts of visitors and hosts that try to become headers, other recipients or lines of a calendar.

use serde_json::{Value, json};

use crate::common::{HOST, booking};
use crate::fixture::header;
use crate::mail_service::{MailService, assert_well_formed, recipient, recipients, text};

const ATTACKS: [&str; 6] = [
    "A\r\nBcc: victim@evil.example\r\nX-Evil: 1\r\n\r\n<h1>x</h1>",
    "A\nBcc: victim@evil.example",
    "A\rBcc: victim@evil.example",
    "A\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nATTENDEE:mailto:victim@evil.example\r\nUID:evil",
    "A\u{2028}Bcc: victim@evil.example\u{85}\u{b}\u{c}\u{1b}[2J\u{202e}",
    "\"><a href=\"https://evil.example\">x</a>{{ brand.name }} =?utf-8?q?=0D=0ABcc:_x?= \\n;CN=x:mailto:x",
];

/// A field of a booking.
type Set = fn(&mut Value, &str);

const FIELDS: [(&str, Set); 6] = [
    ("name", |body, text| body["attendee"]["name"] = json!(text)),
    ("notes", |body, text| {
        body["bookingFieldsResponses"] = json!({"notes": text});
    }),
    ("answer", |body, text| {
        body["bookingFieldsResponses"] = json!({"topic": text});
    }),
    ("title", |body, text| {
        body["bookingFieldsResponses"] = json!({"title": text});
    }),
    ("location", |body, text| {
        body["location"] = json!({"type": "attendeeAddress", "address": text});
    }),
    ("email", |body, text| {
        body["attendee"]["email"] = json!(format!("zoe@example.org{text}"));
    }),
];

fn check(message: &Value) {
    assert_well_formed(message);
    let is_to = ["attendee@example.org", "host100@northwind.example"].contains(&recipient(message));
    assert!(is_to, "{}", recipient(message));
    assert!(header(message, "Bcc").is_none() && header(message, "X-Evil").is_none());
    assert!(header(message, "Subject").unwrap().chars().count() <= 250);
    let kinds: Vec<&str> = message["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| text(&part["type"]))
        .collect();
    assert!(kinds.starts_with(&["text/plain", "text/html"]), "{kinds:?}");
    let html = text(&message["parts"][1]["text"]);
    assert!(
        !html.contains("<a href=\"https://evil") && !html.contains("<h1>x</h1>"),
        "{html}"
    );
    let calendar = &message["calendar"];
    if calendar.is_null() {
        return;
    }
    let events = calendar["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{calendar:#}");
    assert_ne!(events[0]["uid"], "evil");
    let people = events[0]["attendees"].as_array().unwrap().iter();
    for person in people.chain(events[0]["organizer"].as_array().unwrap()) {
        assert!(!text(&person[1]).contains("evil"), "{calendar:#}");
    }
    for property in calendar["properties"].as_array().unwrap() {
        assert!(!["BCC", "X-EVIL"].contains(&text(property)), "{calendar:#}");
    }
}

#[tokio::test]
async fn texts_never_become_headers_recipients_or_properties() {
    let mail = MailService::start().await;
    let settings = json!({
        "bookingFields": [
            {"type": "textarea", "slug": "topic", "label": "Topic", "required": false},
            {"type": "title", "slug": "title", "required": false},
        ],
        "locations": [{"type": "attendeeAddress"}],
        "lengthInMinutes": 5, "slotInterval": 5, "emailReminders": {"disabled": true},
    });
    let id = mail.service.event_type("talk", settings).await;
    let sizes = [
        "é".repeat(10_000),
        format!("{} ", "x".repeat(99)).repeat(100),
    ];
    let texts = ATTACKS.into_iter().chain(sizes.iter().map(String::as_str));
    let mut slot = 0;
    let mut accepted = Vec::new();
    for (index, attack) in texts.enumerate() {
        for (field, set) in FIELDS {
            let start = format!(
                "2027-03-{:02}T{:02}:{:02}:00Z",
                2 + slot / 96,
                8 + slot % 96 / 12,
                slot % 12 * 5
            );
            slot += 1;
            let mut body = booking(id, &start);
            body["attendee"]["email"] = json!("attendee@example.org");
            body["location"] = json!({"type": "attendeeAddress", "address": "Main Street 1"});
            set(&mut body, attack);
            let response = mail.service.post("/v2/bookings", body).await;
            // Refused texts reach no one.
            if response.status == 400 {
                continue;
            }
            let booked = response.data();
            accepted.push(format!("{field}{index}"));
            let target = format!("/v2/bookings/{}/cancel", text(&booked["uid"]));
            let reason = json!({"cancellationReason": attack});
            let bearer = mail.service.bearer_of(HOST).await;
            let cancelled = mail.service.post_as(&target, bearer, reason).await;
            assert!(
                [200, 201, 400].contains(&cancelled.status),
                "{}",
                cancelled.text
            );
        }
        mail.send().await;
        // The limit on messages to one address.
        mail.advance_minutes(60);
    }
    let has = |field: &str| accepted.iter().any(|it| it.starts_with(field));
    assert!(has("name") && has("notes") && has("answer"), "{accepted:?}");
    assert!(!has("email"), "{accepted:?}");
    // The title of an event type and the name and address of a host are texts, too.
    let evil = ATTACKS[0].replace('\'', "");
    mail.service
        .sql(&format!(
            "UPDATE users SET name = '{evil}' WHERE id = {HOST}"
        ))
        .await;
    let other = mail
        .service
        .event_type("evil", json!({"title": evil}))
        .await;
    let mut body = booking(other, "2027-03-04T14:00:00Z");
    body["attendee"]["email"] = json!("attendee@example.org");
    mail.book(body).await;
    mail.send().await;
    let messages = mail.server.messages();
    assert!(messages.len() >= accepted.len() * 2, "{}", messages.len());
    assert_eq!(recipients(&messages).len(), 2);
    messages.iter().for_each(check);
    println!("{} messages, texts in {accepted:?}", messages.len());
}
