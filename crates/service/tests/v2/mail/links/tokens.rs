//! Tokens: what makes one invalid or expired, and restarts.

use axum::http::Method;
use booking_mail::message::{Kind, Links};
use booking_mail::templates::{PageAction, PageState};
use booking_service::cli::access::replace_key::Key;
use booking_service::cli::access::rotate_key::{self, RotateKey};
use booking_service::clock::Clock;
use booking_service::messages::mail_links::token::{OwnerRole, Purpose};
use serde_json::json;

use super::fixture::{
    TUESDAY, assert_state, assert_unused, attendee, data, dump, guest, host, links, links_of, path,
    send, series_data, signed, status, submit, use_link,
};
use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, Service};

const ZOE: &str = "zoe@example.org";

#[tokio::test]
async fn links_of_a_message_are_those_of_its_recipient() {
    let service = Service::start().await;
    let names = |links: &Links| -> Vec<String> {
        let links = json!(links);
        let links = links.as_object().unwrap().iter();
        let mut names: Vec<String> = links
            .filter(|(_, url)| !url.is_null())
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        names
    };
    let confirmed = data("b1", TUESDAY);
    let mut waiting = confirmed.clone();
    waiting.is_confirmed = false;
    let mut nameless = attendee("");
    nameless.person.name = "Zoë".into();
    let mut former = host(HOST);
    former.role = booking_mail::message::Role::FormerHost;
    let all = ["cancel", "manage", "reschedule"].as_slice();
    for (kind, booking, recipient, expected) in [
        (Kind::Booked, &confirmed, attendee(ZOE), all),
        (Kind::Requested, &waiting, attendee(ZOE), all),
        (Kind::Declined, &confirmed, attendee(ZOE), &["manage"][..]),
        (Kind::Cancelled, &confirmed, attendee(ZOE), &["manage"]),
        (Kind::Booked, &confirmed, guest("g@example.org"), &[]),
        (Kind::Booked, &confirmed, host(HOST), all),
        (
            Kind::Requested,
            &waiting,
            host(HOST),
            &["confirm", "decline", "manage"],
        ),
        (Kind::Cancelled, &confirmed, host(HOST), &["manage"]),
        (Kind::HostReassigned, &confirmed, former, &[]),
        (Kind::Booked, &confirmed, nameless, &[]),
        (Kind::VerificationCode, &confirmed, attendee(ZOE), &[]),
        (
            Kind::Reminder,
            &confirmed,
            attendee(ZOE),
            &["cancel", "manage", "reschedule", "stop_reminders"],
        ),
        (
            Kind::Reminder,
            &confirmed,
            guest("g@example.org"),
            &["stop_reminders"],
        ),
        (Kind::Reminder, &confirmed, host(HOST), all),
        (
            Kind::Booked,
            &series_data("b1", &[TUESDAY, "2027-03-09T09:00:00Z"]),
            attendee(ZOE),
            &["cancel", "manage"],
        ),
    ] {
        let found = links_of(&service, kind, booking, &recipient);
        assert_eq!(names(&found), expected, "{kind:?} {recipient:?}");
        // A message that is made again has the same links.
        assert_eq!(links_of(&service, kind, booking, &recipient), found);
    }
    let mut seat = attendee(ZOE);
    seat.person.seat_uid = Some("0b7e2b4e-1f2a-4a3b-8c4d-5e6f708192a3".into());
    let found = links_of(&service, Kind::Cancelled, &confirmed, &seat);
    assert_eq!(found, Links::default());
    let uid = "2Vn4cVjvEbGTcdcSMGtcQk";
    let url = links(&service, &data(uid, TUESDAY), &seat).manage.unwrap();
    assert!(url.len() < 150, "{url}");
    service.app.clock.advance_minutes(25 * 60 + 30);
    let found = links_of(&service, Kind::Booked, &confirmed, &attendee(ZOE));
    assert_eq!(names(&found), ["manage"]);
    service.app.clock.advance_minutes(30 * 24 * 60);
    let found = links_of(&service, Kind::Booked, &confirmed, &attendee(ZOE));
    assert_eq!(found, Links::default());
}

#[tokio::test]
async fn changed_token_is_invalid_and_reveals_nothing() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &attendee(ZOE));
    let link = path(&service, made.cancel.as_ref());
    let unknown = signed(
        &service,
        Purpose::Cancel,
        OwnerRole::Attendee,
        ZOE,
        "unknown",
    );
    let expected = send(&service, Method::GET, &unknown, &[], "").await;
    assert_eq!(expected.status, 404);
    let before = dump(&service).await;
    let mut invalid = vec![
        format!("/mail/{}", "A".repeat(4_000)),
        format!("{link}A"),
        format!("{link}%20"),
        "/mail/%FF".to_owned(),
        "/mail/x".to_owned(),
        "/mail/eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln".to_owned(),
    ];
    let start = "/mail/".len();
    for index in start..link.len() {
        let other = if &link[index..=index] == "A" {
            "B"
        } else {
            "A"
        };
        let mut changed = link.clone();
        changed.replace_range(index..=index, other);
        invalid.push(changed);
        if index > start {
            invalid.push(link[..index].to_owned());
        }
    }
    for path in invalid {
        for method in [Method::GET, Method::POST] {
            let page = send(&service, method, &path, &[], "reason=Ill").await;
            assert_eq!(page.status, 404, "{path}");
            assert_eq!(page.text, expected.text, "{path}");
        }
    }
    let long = format!("/mail/{}", "A".repeat(10_000));
    for method in [Method::GET, Method::POST] {
        let page = send(&service, method, &long, &[], "").await;
        assert!([404, 414].contains(&page.status), "{}", page.status);
    }
    assert_eq!(dump(&service).await, before);
    assert_unused(&service, &unknown, 404).await;
    assert_state(&service, &link, PageState::Question(PageAction::Cancel)).await;
}

#[tokio::test]
async fn link_expires_with_the_meeting_or_thirty_days_later() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    let mut booking = data(&uid, TUESDAY);
    let confirmed = links(&service, &booking, &host(HOST));
    booking.is_confirmed = false;
    let of_host = links(&service, &booking, &host(HOST));
    let of_attendee = links_of(&service, Kind::Reminder, &booking, &attendee(ZOE));
    let acting = [
        &of_host.confirm,
        &of_host.decline,
        &confirmed.cancel,
        &of_attendee.cancel,
        &of_attendee.reschedule,
    ];
    let acting = acting.map(|url| path(&service, url.as_ref()));
    let manage = path(&service, of_attendee.manage.as_ref());
    let stop = path(&service, of_attendee.stop_reminders.as_ref());
    // One minute before the end of the meeting.
    service.app.clock.advance_minutes(25 * 60 + 29);
    let question = PageState::Question(PageAction::Confirm);
    assert_state(&service, &acting[0], question).await;
    service.app.clock.advance_minutes(1);
    for link in &acting {
        assert_state(&service, link, PageState::Expired).await;
        assert_unused(&service, link, 410).await;
    }
    service.app.clock.advance_minutes(30 * 24 * 60 - 1);
    assert_eq!(
        send(&service, Method::GET, &manage, &[], "").await.status,
        303
    );
    use_link(&service, &stop).await;
    service.app.clock.advance_minutes(1);
    for link in [&manage, &stop] {
        assert_state(&service, link, PageState::Expired).await;
        assert_unused(&service, link, 410).await;
    }
    assert_eq!(status(&service, &uid).await, "pending");
}

#[tokio::test]
async fn link_outlives_a_rotation_of_the_signing_key() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &attendee(ZOE));
    let link = path(&service, made.cancel.as_ref());
    let options = RotateKey {
        key: Key::Signing,
        data: service.directory.path().to_owned(),
        database: service.data().database,
        step: None,
    };
    rotate_key::run(options).await.unwrap();
    let clock = Clock::stopped_at(service.app.clock.now());
    let restarted = Service::over(service.reopen(clock).await, &service.credentials);
    use_link(&restarted, &link).await;
    assert_eq!(status(&service, &uid).await, "cancelled");
    restarted.app.store.close().await;
}

#[tokio::test]
async fn link_outlives_a_restart_but_not_the_signing_key() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &attendee(ZOE));
    let link = path(&service, made.cancel.as_ref());
    let clock = || Clock::stopped_at(service.app.clock.now());
    let key_file = service.directory.path().join("signing.key");
    let key = std::fs::read(&key_file).unwrap();
    let mut other = service.reopen(clock()).await;
    std::fs::write(&key_file, [9; 32]).unwrap();
    other.signing_key =
        booking_service::auth::token::SigningKey::open(service.directory.path()).unwrap();
    std::fs::write(&key_file, key).unwrap();
    let other = Service::over(other, &service.credentials);
    assert_eq!(submit(&other, &link, "").await.status, 404);
    let restarted = Service::over(service.reopen(clock()).await, &service.credentials);
    use_link(&restarted, &link).await;
    assert_eq!(status(&service, &uid).await, "cancelled");
    restarted.app.store.close().await;
    other.app.store.close().await;
}
