//! Times from the slot to the calendar entry, where laws have changed; and what people are told of such a change.

use booking_service::domain::zone_review;
use booking_service::settings::ZoneChange;
use booking_wire::Instant;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};
use crate::mail_server::local_times;
use crate::mail_service::{
    HOST_ADDRESS, MailService, OTHER_ADDRESS, ZOE, body, entry, messages_to, recipients, subject,
    text,
};

/// Zones whose rules changed between IANA 2025b and 2026f.
const CHANGED_ZONES: [&str; 10] = [
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "America/Edmonton",
    "America/Havana",
    "America/Inuvik",
    "America/Rainy_River",
    "America/Vancouver",
    "America/Winnipeg",
    "America/Yellowknife",
    "Europe/Chisinau",
];

/// Working days before and after each change of clocks by one of the laws: America, Europe, Ramadan.
const DAYS: [&str; 12] = [
    "2027-03-12",
    "2027-03-15",
    "2027-03-26",
    "2027-03-29",
    "2027-10-29",
    "2027-11-01",
    "2027-11-05",
    "2027-11-08",
    "2028-01-21",
    "2028-01-31",
    "2028-02-25",
    "2028-03-06",
];

/// Sets the offsets that people were told with a booking, as under another law.
pub async fn set_told_offsets(service: &Service, booking: &Value, offsets: Value) {
    let uid = text(&booking["uid"]);
    let sql = format!("UPDATE bookings SET utc_offsets = '{offsets}' WHERE uid = '{uid}'");
    service.sql(&sql).await;
}

/// Sets the time zone of a host and of their working hours.
async fn set_zone(service: &Service, user_id: i64, zone: &str) {
    for sql in [
        format!("UPDATE users SET time_zone = '{zone}', time_format = 24 WHERE id = {user_id}"),
        format!("UPDATE schedules SET time_zone = '{zone}' WHERE owner_id = {user_id}"),
    ] {
        service.sql(&sql).await;
    }
}

/// Books with an attendee in a time zone.
async fn book(mail: &MailService, event_type: i64, start: &str, zone: &str) -> Value {
    let mut body = booking(event_type, start);
    body["attendee"]["timeZone"] = json!(zone);
    mail.book(body).await
}

/// Text of a message in one line.
fn in_one_line(message: &Value) -> String {
    let words: Vec<&str> = body(message).split_whitespace().collect();
    words.join(" ")
}

/// Subjects of the messages to an address.
fn subjects(messages: &[Value], email: &str) -> Vec<String> {
    let found = messages_to(messages, email).into_iter();
    found.map(|message| subject(message).to_owned()).collect()
}

#[tokio::test]
async fn slot_page_message_and_entry_have_the_same_time_where_laws_have_changed() {
    let mail = MailService::start().await;
    let service = &mail.service;
    let talk = service.event_type("talk", json!({})).await;
    let mut starts: Vec<(String, &str)> = Vec::new();
    for (index, zone) in CHANGED_ZONES.into_iter().enumerate() {
        set_zone(service, HOST, zone).await;
        for day in DAYS {
            let target =
                format!("/v2/slots?eventTypeId={talk}&start={day}&end={day}&timeZone={zone}");
            let slots = service.get(&target).await;
            let first = text(&slots.data()[day][0]["start"]).to_owned();
            assert!(
                first.starts_with(&format!("{day}T09:00:00.000")),
                "{zone}: {first}"
            );
            let start = Instant::parse(&first).unwrap().to_string();
            let mut body = booking(talk, &start);
            body["attendee"]["timeZone"] = json!(zone);
            // Addresses get a limited number of messages.
            body["attendee"]["email"] = json!(format!("{day}@{index}.example"));
            mail.book(body).await;
            starts.push((start, zone));
        }
        // The next zone can have the same instants.
        service.sql("UPDATE booking_hosts SET holds = 0").await;
        mail.send().await;
        mail.advance_minutes(61);
    }
    let asked: Vec<(&str, &str)> = (starts.iter())
        .map(|(at, zone)| (at.as_str(), *zone))
        .collect();
    let messages = mail.server.messages();
    let mut checked = 0;
    for ((start, zone), [year, month, day, hour, minute, offset]) in
        asked.iter().zip(local_times(&asked))
    {
        assert_eq!((hour, minute), (9, 0), "{zone} {start}");
        assert!(
            DAYS.contains(&&*format!("{year}-{month:02}-{day:02}")),
            "{zone} {start}"
        );
        let written = start.replace(".000Z", "Z");
        let about = messages.iter().filter(|message| {
            let entry = entry(message);
            text(&entry["start"]) == written && entry["zone"] == json!(zone)
        });
        for message in about {
            let shown = in_one_line(message);
            assert!(
                ["09:00", "9:00"].iter().any(|time| shown.contains(time)),
                "{zone} {start}\n{shown}"
            );
            let hours = format!(
                "{}{}",
                if offset < 0 { '-' } else { '+' },
                offset.abs() / 60
            );
            assert!(
                shown.contains(&hours) || offset == 0,
                "{zone} {start} {hours}\n{shown}"
            );
            checked += 1;
        }
    }
    // The host and the attendee of each.
    assert_eq!(checked, 2 * CHANGED_ZONES.len() * DAYS.len());
}

#[tokio::test]
async fn change_of_law_is_told_to_those_whom_it_concerns() {
    let mail = MailService::start().await;
    let service = &mail.service;
    let talk = service.event_type("talk", json!({})).await;
    set_zone(service, HOST, "America/Vancouver").await;
    let start = "2028-01-12T18:00:00Z";
    let same = book(&mail, talk, "2028-01-12T20:00:00Z", "Europe/Berlin").await;
    let told = book(&mail, talk, start, "Europe/Berlin").await;
    let guests =
        json!({"guests": [{"email": "guest@example.org", "timeZone": "America/Winnipeg"}]});
    mail.act(&told, "guests", guests).await;
    mail.send().await;
    let mut before = mail.server.count();

    // Nothing is different.
    zone_review::run(&service.app).await.unwrap();
    assert_eq!(mail.send().await, 0);

    // The zone of the entry has changed: that concerns everybody.
    let offsets = json!({"America/Vancouver": -8 * 3600, "Europe/Berlin": 3600, "America/Winnipeg": -5 * 3600});
    set_told_offsets(service, &told, offsets.clone()).await;
    zone_review::run(&service.app).await.unwrap();
    zone_review::run(&service.app).await.unwrap();
    mail.send().await;
    let messages = mail.server.messages().split_off(before);
    assert_eq!(
        recipients(&messages),
        [HOST_ADDRESS, ZOE, "guest@example.org"].into(),
        "each once"
    );
    assert_eq!(messages.len(), 3);
    for message in &messages {
        assert!(
            subject(message).contains("Please note the time"),
            "{}",
            subject(message)
        );
        assert_eq!(text(&entry(message)["start"]), start);
        assert_eq!(message["calendar"]["method"], json!("REQUEST"));
        assert!(
            in_one_line(message).contains("Pacific Time (Vancouver)"),
            "{}",
            in_one_line(message)
        );
        assert!(
            in_one_line(message).contains("The meeting has not moved"),
            "{}",
            in_one_line(message)
        );
    }
    let of_host = in_one_line(messages_to(&messages, HOST_ADDRESS)[0]);
    assert!(
        of_host.contains("11:00 – 11:30") && of_host.contains("10:00 – 10:30"),
        "{of_host}"
    );
    let of_zoe = in_one_line(messages_to(&messages, ZOE)[0]);
    assert!(
        of_zoe.contains("19:00") || of_zoe.contains("7:00"),
        "{of_zoe}"
    );
    assert!(!of_zoe.contains("Previous time"), "{of_zoe}");

    // Only the guest's zone has: the host and the guest are told.
    before = mail.server.count();
    let offsets = json!({"America/Vancouver": -7 * 3600, "Europe/Berlin": 3600, "America/Winnipeg": -6 * 3600});
    set_told_offsets(service, &told, offsets).await;
    zone_review::run(&service.app).await.unwrap();
    mail.send().await;
    let messages = mail.server.messages().split_off(before);
    assert_eq!(
        recipients(&messages),
        [HOST_ADDRESS, "guest@example.org"].into()
    );

    // Bookings of the version before have no offsets: they were told those of IANA 2025b.
    before = mail.server.count();
    service
        .sql(&format!(
            "UPDATE bookings SET utc_offsets = NULL WHERE uid = '{}'",
            text(&same["uid"])
        ))
        .await;
    zone_review::run(&service.app).await.unwrap();
    mail.send().await;
    let messages = mail.server.messages().split_off(before);
    assert_eq!(recipients(&messages), [HOST_ADDRESS, ZOE].into());
    assert!(in_one_line(messages_to(&messages, HOST_ADDRESS)[0]).contains("12:00 – 12:30"));
}

#[tokio::test]
async fn time_of_day_can_be_kept_instead_of_the_instant() {
    let mut mail = MailService::start().await;
    mail.service
        .restart_with(|settings| settings.zone_change = ZoneChange::WallTime);
    let service = &mail.service;
    let talk = service.event_type("talk", json!({})).await;
    let other = service
        .event_type_of("other", Some("collective"), &[OTHER_HOST], json!({}))
        .await;
    for host in [HOST, OTHER_HOST] {
        set_zone(service, host, "America/Vancouver").await;
    }
    let offsets = json!({"America/Vancouver": -8 * 3600, "Europe/Berlin": 3600});
    // Two that touch each other are moved one after the other.
    let first = book(&mail, talk, "2028-01-12T18:00:00Z", "Europe/Berlin").await;
    let second = book(&mail, talk, "2028-01-12T17:30:00Z", "America/Vancouver").await;
    // Another booking of the host has the time already.
    let blocked = book(&mail, other, "2028-01-12T21:00:00Z", "Europe/Berlin").await;
    book(&mail, other, "2028-01-12T20:00:00Z", "Europe/Berlin").await;
    mail.send().await;
    let before = mail.server.count();
    for booking in [&first, &second, &blocked] {
        set_told_offsets(service, booking, offsets.clone()).await;
    }
    zone_review::run(&service.app).await.unwrap();
    zone_review::run(&service.app).await.unwrap();
    mail.send().await;
    let bearer = service.bearer_of(HOST).await;
    for (booking, start) in [
        (&first, "2028-01-12T17:00:00.000Z"),
        (&second, "2028-01-12T16:30:00.000Z"),
    ] {
        let target = format!("/v2/bookings/{}", text(&booking["uid"]));
        let found = service.get_as(&target, bearer.clone()).await;
        assert_eq!(found.data()["start"], json!(start));
        assert_eq!(found.data()["status"], json!("accepted"));
    }
    let messages = mail.server.messages().split_off(before);
    assert_eq!(messages.len(), 6);
    let told = messages_to(&messages, HOST_ADDRESS);
    let about_first = told
        .iter()
        .find(|message| text(&entry(message)["start"]) == "2028-01-12T17:00:00Z");
    let shown = in_one_line(about_first.unwrap());
    assert!(
        shown.contains("was moved so that clocks there show the same time"),
        "{shown}"
    );
    assert!(
        shown.contains("10:00 – 10:30") && !shown.contains("Previous time"),
        "{shown}"
    );
    let of_zoe = messages_to(&messages, ZOE);
    let moved = of_zoe
        .iter()
        .find(|message| text(&entry(message)["start"]) == "2028-01-12T17:00:00Z");
    let shown = in_one_line(moved.unwrap());
    assert!(shown.contains("Previous time"), "{shown}");
    // The blocked one stays, and its people are told what clocks show then.
    let found = subjects(&messages, OTHER_ADDRESS);
    assert_eq!(found.len(), 1, "{found:?}");
    let kept = messages_to(&messages, OTHER_ADDRESS)[0];
    assert_eq!(text(&entry(kept)["start"]), "2028-01-12T21:00:00Z");
    assert!(
        in_one_line(kept).contains("The meeting has not moved"),
        "{}",
        in_one_line(kept)
    );
}

#[tokio::test]
async fn series_is_told_in_one_message_with_all_of_its_times() {
    let mail = MailService::start().await;
    let service = &mail.service;
    let weekly = json!({"recurrence": {"frequency": "weekly", "interval": 1, "occurrences": 4}});
    let weekly = service.event_type("weekly", weekly).await;
    set_zone(service, HOST, "Europe/Berlin").await;
    let made = book(&mail, weekly, "2027-11-03T15:00:00Z", "America/Vancouver").await;
    mail.send().await;
    let before = mail.server.count();
    // Clocks were to change on November 7th.
    for occurrence in &made.as_array().unwrap()[1..] {
        let offsets = json!({"America/Vancouver": -8 * 3600, "Europe/Berlin": 3600});
        set_told_offsets(service, occurrence, offsets).await;
    }
    zone_review::run(&service.app).await.unwrap();
    mail.send().await;
    let messages = mail.server.messages().split_off(before);
    assert_eq!(messages.len(), 2);
    for message in &messages {
        let entry = entry(message);
        assert_eq!(text(&entry["start"]), "2027-11-03T15:00:00Z");
        assert_eq!(entry["rrule"], json!("FREQ=WEEKLY;COUNT=4"), "{entry}");
        assert_eq!(entry["zone"], json!("America/Vancouver"));
    }
}
