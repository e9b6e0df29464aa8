//! The calendar entry over the life of a booking, of a series and of seats.

use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, booking};
use crate::mail_service::{
    HOST_ADDRESS, MailService, ZOE, assert_well_formed, entry, messages_to, recipients, subject,
    text,
};

/// Start of the bookings.
const START: &str = "2027-03-02T09:00:00Z";

fn method(message: &Value) -> &str {
    text(&message["calendar"]["method"])
}

fn sequences(messages: &[&Value]) -> Vec<i64> {
    let numbers = messages.iter().map(|it| entry(it)["sequence"].as_i64());
    numbers.map(Option::unwrap).collect()
}

/// Asserts one calendar entry whose number rises, without two messages of the same number.
#[track_caller]
fn assert_one_entry(messages: &[&Value], uid: &str) {
    for message in messages {
        assert_well_formed(message);
        assert_eq!(text(&entry(message)["uid"]), uid);
    }
    let sequences = sequences(messages);
    assert!(sequences.is_sorted_by(|a, b| a < b), "{sequences:?}");
}

#[tokio::test]
async fn entry_stays_the_same_until_it_is_cancelled() {
    let mail = MailService::start().await;
    let id = mail.service.event_type("talk", json!({})).await;
    let guest = "guest@example.org";
    // The clock stands still: all changes are within one second.
    let booked = mail.book(booking(id, START)).await;
    let to = json!({"start": "2027-03-02T11:00:00Z"});
    let moved = mail.act(&booked, "reschedule", to).await;
    mail.act(&moved, "guests", json!({"guests": [{"email": guest}]}))
        .await;
    let location = json!({"location": {"type": "link", "link": "https://meet.example/1"}});
    mail.act(&moved, "location", location).await;
    mail.act(&moved, "cancel", json!({"cancellationReason": "Ill"}))
        .await;
    mail.send().await;
    // With minutes between the changes, each sent at once.
    let mut later = booking(id, START);
    later["attendee"]["email"] = json!("later@example.org");
    let again = mail.book(later).await;
    mail.send().await;
    mail.advance_minutes(3);
    let again = mail
        .act(
            &again,
            "reschedule",
            json!({"start": "2027-03-02T12:00:00Z"}),
        )
        .await;
    mail.send().await;
    mail.advance_minutes(3);
    let back = mail
        .act(&again, "reschedule", json!({"start": START}))
        .await;
    mail.send().await;
    mail.act(&back, "cancel", json!({"cancellationReason": "Ill"}))
        .await;
    mail.send().await;

    let messages = mail.server.messages();
    let uid = text(&booked["icsUid"]);
    for (email, uid, methods) in [
        (
            ZOE,
            uid,
            &["REQUEST", "REQUEST", "REQUEST", "REQUEST", "CANCEL"][..],
        ),
        (guest, uid, &["REQUEST", "REQUEST", "CANCEL"]),
        (
            "later@example.org",
            text(&back["icsUid"]),
            &["REQUEST", "REQUEST", "REQUEST", "CANCEL"],
        ),
    ] {
        let received = messages_to(&messages, email);
        assert_one_entry(&received, uid);
        let found: Vec<&str> = received.iter().map(|it| method(it)).collect();
        assert_eq!(found, methods, "{email}");
    }
    assert_ne!(uid, text(&back["icsUid"]));
    let of_host = messages_to(&messages, HOST_ADDRESS);
    assert_one_entry(&of_host[..5], uid);
    assert_one_entry(&of_host[5..], text(&back["icsUid"]));
    let of_zoe = messages_to(&messages, ZOE);
    let starts: Vec<&str> = of_zoe.iter().map(|it| text(&entry(it)["start"])).collect();
    let [first, second] = [START, "2027-03-02T11:00:00Z"];
    assert_eq!(starts, [first, second, second, second, second]);
    assert_eq!(entry(of_zoe[4])["status"], "CANCELLED");
}

#[tokio::test]
async fn occurrence_is_changed_within_the_entry_of_its_series() {
    let mail = MailService::start().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 4, "frequency": "weekly"}});
    let id = mail.service.event_type("weekly", weekly).await;
    // Rome's clock changes on 28 March.
    let booked = mail.book(booking(id, "2027-03-16T09:00:00Z")).await;
    mail.send().await;
    let moved = mail
        .act(
            &booked[2],
            "reschedule",
            json!({"start": "2027-03-31T12:00:00Z"}),
        )
        .await;
    let moved = mail
        .act(
            &moved,
            "reschedule",
            json!({"start": "2027-04-01T12:00:00Z"}),
        )
        .await;
    mail.act(&moved, "cancel", json!({"cancellationReason": "Ill"}))
        .await;
    let rest = json!({"cancellationReason": "Ill", "cancelSubsequentBookings": true});
    mail.act(&booked[0], "cancel", rest).await;
    mail.send().await;
    let messages = mail.server.messages();
    for email in [ZOE, HOST_ADDRESS] {
        let received = messages_to(&messages, email);
        assert_eq!(received.len(), 5, "{email}");
        let first = entry(received[0]);
        assert_eq!(first["recurrence_id"], Value::Null);
        assert_eq!(first["start"], "2027-03-16T09:00:00Z");
        assert_eq!(first["zone"], "Europe/Rome");
        let rule = text(&first["rrule"]);
        assert!(
            rule.contains("FREQ=WEEKLY") && rule.contains("COUNT=4"),
            "{rule}"
        );
        let uid = text(&first["uid"]);
        assert_one_entry(&received[..4], uid);
        for (message, start, kind) in [
            (received[1], "2027-03-31T12:00:00Z", "REQUEST"),
            (received[2], "2027-04-01T12:00:00Z", "REQUEST"),
            (received[3], "2027-04-01T12:00:00Z", "CANCEL"),
        ] {
            // Found by its first start, which is an hour earlier in UTC than before the clock changed.
            assert_eq!(entry(message)["recurrence_id"], "2027-03-30T08:00:00Z");
            assert_eq!(entry(message)["start"], start);
            assert_eq!(method(message), kind);
        }
        let events = received[4]["calendar"]["events"].as_array().unwrap();
        assert_eq!(method(received[4]), "CANCEL");
        let last = entry(received[3])["sequence"].as_i64();
        for event in events {
            assert_eq!(event["uid"], uid);
            assert!(event["sequence"].as_i64() > last, "{event:#}");
        }
    }
}

/// Name, address.
const PEOPLE: [[&str; 2]; 3] = [
    ["Aurelia Quennell", "aurelia.q@first.example"],
    ["Balthasar Winterbourne", "b.winterbourne@second.example"],
    ["Cosima Üxküll-Żuraw", "cosima@third.example"],
];

#[tokio::test]
async fn attendees_who_are_hidden_never_learn_of_each_other() {
    let mail = MailService::start().await;
    let hidden = json!({
        "seats": {"seatsPerTimeSlot": 5, "showAttendeeInfo": false},
        "emailReminders": {"minutesBefore": [60]},
    });
    let hosts = [HOST, OTHER_HOST];
    let id = mail
        .service
        .event_type_of("class", Some("collective"), &hosts, hidden)
        .await;
    let start = "2027-03-02T15:00:00Z";
    mail.send().await;
    let mut booked = Vec::new();
    for (index, [name, email]) in PEOPLE.into_iter().enumerate() {
        let mut body = booking(id, start);
        body["attendee"]["name"] = json!(name);
        body["attendee"]["email"] = json!(email);
        body["bookingFieldsResponses"] = json!({"notes": format!("Secret notes {index}")});
        booked.push(mail.book(body).await);
        mail.send().await;
    }
    let class = &booked[0];
    let location = json!({"location": {"type": "link", "link": "https://meet.example/1"}});
    mail.act(class, "location", location).await;
    // One moves to another time and back to the others, one leaves, then the meeting is off.
    let seat = |index: usize| json!(text(&booked[index]["seatUid"]));
    let to = json!({"start": "2027-03-02T15:30:00Z", "seatUid": seat(1)});
    let moved = mail.act(class, "reschedule", to).await;
    mail.act(
        &moved,
        "reschedule",
        json!({"start": start, "seatUid": seat(1)}),
    )
    .await;
    mail.send().await;
    mail.advance_minutes(30 * 60);
    mail.send().await;
    let reason = json!({"cancellationReason": "Ill", "seatUid": seat(0)});
    mail.act(class, "cancel", reason).await;
    mail.send().await;
    mail.act(class, "cancel", json!({"cancellationReason": "No room"}))
        .await;
    mail.send().await;

    let messages = mail.server.messages();
    for (index, [_, email]) in PEOPLE.into_iter().enumerate() {
        let received = messages_to(&messages, email);
        let subjects: Vec<&str> = received.iter().map(|it| subject(it)).collect();
        assert!(received.len() >= 4, "{email}: {subjects:?}");
        for message in received {
            assert_well_formed(message);
            let all = text(&message["decoded"]).to_lowercase();
            for (other, [name, other_email]) in PEOPLE.into_iter().enumerate() {
                if other == index {
                    continue;
                }
                let local = other_email.split('@').next().unwrap();
                let seat_uid = text(&booked[other]["seatUid"]).to_owned();
                let words = name.split([' ', '-']).map(str::to_lowercase);
                let secrets = words.chain([
                    local.to_owned(),
                    other_email.to_owned(),
                    format!("secret notes {other}"),
                    seat_uid.replace('-', ""),
                    seat_uid,
                ]);
                for secret in secrets {
                    assert!(!all.contains(&secret), "{secret} in\n{all}");
                }
            }
        }
    }
    // Hosts know all of them, and this search finds what is there.
    let of_host = messages_to(&messages, HOST_ADDRESS);
    let all: String = of_host
        .iter()
        .map(|it| text(&it["decoded"]).to_lowercase())
        .collect();
    for [name, email] in PEOPLE {
        assert!(
            all.contains(&name.to_lowercase()) && all.contains(email),
            "{name}"
        );
    }
    assert_eq!(recipients(&messages).len(), PEOPLE.len() + 2);
}

#[tokio::test]
async fn seats_that_show_names_reveal_no_addresses() {
    let mail = MailService::start().await;
    let shown = json!({"seats": {"seatsPerTimeSlot": 5, "showAttendeeInfo": true}});
    let id = mail.service.event_type("class", shown).await;
    for [name, email] in PEOPLE {
        let mut body = booking(id, START);
        body["attendee"]["name"] = json!(name);
        body["attendee"]["email"] = json!(email);
        mail.book(body).await;
    }
    mail.send().await;
    let messages = mail.server.messages();
    let last = messages_to(&messages, PEOPLE[2][1])[0];
    assert!(!text(&last["decoded"]).contains(PEOPLE[0][1]));
}
