//! Actions of the interface, and links of messages, against the table of the rules.

use booking_mail::data::BookingData;
use booking_mail::message::{Recipient, Role};
use booking_rules::action_cases::{ACTIONS, Case, NOW, cases};
use booking_rules::transitions::next_status;
use booking_service::messages::mail_links;
use booking_wire::BookingStatus;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, Service};

/// Returns the path and body of an action on a booking. The start of a reschedule is in the past, so that an allowed one
/// fails later.
fn request(letter: char) -> (&'static str, Value) {
    match letter {
        'c' => ("confirm", json!({})),
        'd' => ("decline", json!({"reason": "Full"})),
        'x' => ("cancel", json!({"cancellationReason": "Ill"})),
        'r' => ("reschedule", json!({"start": "2027-01-01T09:00:00Z"})),
        'a' => ("mark-absent", json!({"host": true})),
        _ => ("guests", json!({"guests": [{"email": "mia@example.org"}]})),
    }
}

async fn check_action(service: &Service, event_type: i64, case: &Case, letter: char) {
    let (path, body) = request(letter);
    let fixture = BookingFixture::new(event_type)
        .status(case.status.as_str())
        .at(&case.start.to_string())
        // Hosts are busy once only.
        .hosts(&[]);
    let uid = fixture.store(service).await;
    let target = format!("/v2/bookings/{uid}/{path}");
    let host = service.bearer_of(HOST).await;
    let response = service.post_as(&target, host, body).await;
    // A host who joins is free for the next case.
    service.sql("UPDATE booking_hosts SET holds = 0").await;
    let policy = case.policy();
    let action = ACTIONS
        .iter()
        .find(|(other, _)| *other == letter)
        .unwrap()
        .1;
    let found = response.body["error"]["message"].as_str();
    match next_status(case.context(&policy), action) {
        Ok(_) if letter == 'r' => assert_eq!(found, Some("start lies in the past"), "{case:?}"),
        Ok(_) => assert!(response.status < 300, "{path} {case:?}: {found:?}"),
        Err(reason) => assert_eq!(found, Some(reason.to_string().as_str()), "{path} {case:?}"),
    }
}

#[tokio::test]
async fn service_allows_the_actions_of_the_table() {
    let service = Service::start().await;
    let mut event_types: Vec<(Value, i64)> = Vec::new();
    for case in cases() {
        let event_type = match event_types.last() {
            Some((settings, id)) if *settings == case.settings => *id,
            _ => {
                let slug = format!("policy-{}", event_types.len());
                let id = service.event_type(&slug, case.settings.clone()).await;
                event_types.push((case.settings.clone(), id));
                id
            }
        };
        for (letter, _) in ACTIONS {
            check_action(&service, event_type, &case, letter).await;
        }
    }
    assert_eq!(event_types.len(), 8);
}

#[tokio::test]
async fn messages_have_the_links_of_the_table() {
    let service = Service::start().await;
    assert_eq!(service.app.clock.now(), NOW);
    let person = |name: &str| booking_mail::data::Person {
        name: name.into(),
        email: format!("{name}@example.org"),
        ..Default::default()
    };
    for case in cases() {
        let mut booking = BookingData {
            uid: "bk1".into(),
            start: case.start,
            end: case.end,
            is_confirmed: !matches!(
                case.status,
                BookingStatus::Pending | BookingStatus::AwaitingHost
            ),
            awaits_host: case.status == BookingStatus::AwaitingHost,
            is_cancelled: matches!(
                case.status,
                BookingStatus::Cancelled | BookingStatus::Rejected
            ),
            ..BookingData::default()
        };
        booking.set_policy(&case.policy());
        let kind = match case.status {
            BookingStatus::Cancelled => booking_mail::message::Kind::Cancelled,
            BookingStatus::Rejected => booking_mail::message::Kind::Declined,
            _ => booking_mail::message::Kind::Booked,
        };
        let is_open = !booking.is_cancelled && case.end > NOW;
        let waits = !booking.is_confirmed;
        for role in [Role::Attendee, Role::Host] {
            let recipient = Recipient {
                role,
                person: person("zoe"),
            };
            let links = mail_links::links(&service.app, kind, &booking, &recipient);
            // Hosts answer a request; links expire with the meeting.
            let is_answer = role == Role::Host && waits;
            let found = [links.reschedule, links.cancel, links.confirm, links.decline];
            let expected = [
                is_open && !is_answer && case.allows('r'),
                is_open && !is_answer && case.allows('x'),
                is_open && is_answer && case.allows('c'),
                is_open && is_answer && case.allows('d'),
            ];
            assert_eq!(
                found.map(|link| link.is_some()),
                expected,
                "{role:?} {case:?}"
            );
        }
    }
}
