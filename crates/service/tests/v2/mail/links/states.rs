//! Which links can be used, by purpose, state of the booking and owner.

use axum::http::Method;
use booking_mail::templates::{PageAction, PageState};
use booking_service::messages::mail_links::token::{OwnerRole, Purpose};
use serde_json::json;

use super::fixture::{
    assert_state, assert_unused, booking, dump, open, send, signed, status, submit, use_link,
};
use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, Service};

const ZOE: &str = "zoe@example.org";
const HOST_EMAIL: &str = "host100@northwind.example";

#[tokio::test]
async fn link_can_be_used_in_the_states_that_allow_it() {
    use OwnerRole::{Attendee, Guest, Host};
    use Purpose::{Cancel, Confirm, Decline};
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let over = "2027-03-01T06:00:00Z";
    let next = "2027-03-03T09:00:00Z";
    for stored in [
        "accepted",
        "pending",
        "awaiting_host",
        "cancelled",
        "rejected",
    ] {
        for start in [over, next] {
            for (purpose, role, email, result) in [
                (Cancel, Attendee, ZOE, "cancelled"),
                (Cancel, Host, HOST_EMAIL, "cancelled"),
                (Confirm, Host, HOST_EMAIL, "accepted"),
                (Decline, Host, HOST_EMAIL, "rejected"),
                // Not made, and useless.
                (Confirm, Attendee, ZOE, ""),
                (Decline, Attendee, ZOE, ""),
                (Cancel, Guest, ZOE, ""),
                (Cancel, Host, ZOE, ""),
                (Cancel, Attendee, HOST_EMAIL, ""),
                (Confirm, Host, "host101@northwind.example", ""),
            ] {
                let uid = BookingFixture::new(id)
                    .status(stored)
                    .at(start)
                    .store(&service)
                    .await;
                let link = signed(&service, purpose, role, email, &uid);
                let context = format!("{stored} {start} {purpose:?} {role:?}");
                let waits = ["pending", "awaiting_host"].contains(&stored);
                let is_possible = !result.is_empty()
                    && match purpose {
                        Cancel => (waits || stored == "accepted") && start == next,
                        Confirm => waits && start == next,
                        _ => waits,
                    };
                let question = matches!(open(&service, &link).await.state, PageState::Question(_));
                assert_eq!(question, is_possible, "{context}");
                if is_possible {
                    use_link(&service, &link).await;
                    assert_eq!(status(&service, &uid).await, result, "{context}");
                    let again = submit(&service, &link, "reason=x").await;
                    assert_eq!(again.status, 410, "{context}");
                    let done = match purpose {
                        Confirm => PageAction::Confirm,
                        Decline => PageAction::Decline,
                        _ => PageAction::Cancel,
                    };
                    let page = open(&service, &link).await;
                    assert_eq!(page.state, PageState::Already(done), "{context}");
                    assert!(page.links.manage.is_some(), "{context}");
                } else {
                    let before = dump(&service).await;
                    let response = submit(&service, &link, "reason=x").await;
                    assert!([404, 410].contains(&response.status), "{context}");
                    assert_eq!(dump(&service).await, before, "{context}");
                }
                // The next one is at the same time.
                service
                    .sql(&format!(
                        "UPDATE bookings SET status = 'cancelled' WHERE uid = '{uid}';
                         UPDATE booking_hosts SET holds = 0
                         WHERE booking_id = (SELECT id FROM bookings WHERE uid = '{uid}')"
                    ))
                    .await;
            }
        }
    }
}

#[tokio::test]
async fn used_link_says_how_the_booking_stands() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    let link = |purpose| signed(&service, purpose, OwnerRole::Host, HOST_EMAIL, &uid);
    let (confirm, decline) = (link(Purpose::Confirm), link(Purpose::Decline));
    use_link(&service, &confirm).await;
    for link in [&confirm, &decline] {
        assert_state(&service, link, PageState::Already(PageAction::Confirm)).await;
        let page = submit(&service, link, "").await.text;
        assert!(page.contains("This booking is already confirmed"), "{page}");
        assert!(page.contains(">Open booking</a>"), "{page}");
    }
    let cancel = signed(&service, Purpose::Cancel, OwnerRole::Attendee, ZOE, &uid);
    use_link(&service, &cancel).await;
    for link in [&confirm, &decline, &cancel] {
        assert_state(&service, link, PageState::Already(PageAction::Cancel)).await;
    }
}

#[tokio::test]
async fn cancellation_stores_reason_and_person() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    for (role, email) in [(OwnerRole::Attendee, ZOE), (OwnerRole::Host, HOST_EMAIL)] {
        let uid = BookingFixture::new(id).store(&service).await;
        let link = signed(&service, Purpose::Cancel, role, email, &uid);
        use_link(&service, &link).await;
        let booking = booking(&service, &uid).await;
        assert_eq!(booking["cancellationReason"], "I am ill\n& away");
        assert_eq!(booking["cancelledByEmail"], email);
    }
}

#[tokio::test]
async fn host_gives_a_reason_and_nobody_a_long_one() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let of_host = signed(&service, Purpose::Cancel, OwnerRole::Host, HOST_EMAIL, &uid);
    for form in ["", "reason=", "reason=+%0D%0A", "other=Ill"] {
        assert_eq!(submit(&service, &of_host, form).await.status, 400);
    }
    let of_attendee = signed(&service, Purpose::Cancel, OwnerRole::Attendee, ZOE, &uid);
    for link in [&of_host, &of_attendee] {
        let long = format!("reason={}", "x".repeat(5_001));
        assert_eq!(submit(&service, link, &long).await.status, 400);
    }
    assert_eq!(status(&service, &uid).await, "accepted");
    let longest = format!("reason={}", "%C3%BC".repeat(5_000));
    assert_eq!(submit(&service, &of_attendee, &longest).await.status, 200);
    assert_eq!(status(&service, &uid).await, "cancelled");
}

#[tokio::test]
async fn unpaid_booking_is_confirmed_later() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({"price": 500})).await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    let link = signed(
        &service,
        Purpose::Confirm,
        OwnerRole::Host,
        HOST_EMAIL,
        &uid,
    );
    service
        .sql(&format!("UPDATE bookings SET paid = 0 WHERE uid = '{uid}'"))
        .await;
    assert_state(&service, &link, PageState::Failed).await;
    assert_unused(&service, &link, 409).await;
    service
        .sql(&format!("UPDATE bookings SET paid = 1 WHERE uid = '{uid}'"))
        .await;
    use_link(&service, &link).await;
    assert_eq!(status(&service, &uid).await, "accepted");
}

#[tokio::test]
async fn confirmation_of_a_time_that_was_taken_fails() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let uid = BookingFixture::new(id)
        .status("pending")
        .store(&service)
        .await;
    BookingFixture::new(id).store(&service).await;
    let link = signed(
        &service,
        Purpose::Confirm,
        OwnerRole::Host,
        HOST_EMAIL,
        &uid,
    );
    assert_state(&service, &link, PageState::Question(PageAction::Confirm)).await;
    assert_unused(&service, &link, 409).await;
    let page = submit(&service, &link, "").await.text;
    assert!(page.contains("This time is no longer free"), "{page}");
    // Confirming again is of no use.
    assert!(
        page.contains("Decline") && !page.contains(">Confirm<"),
        "{page}"
    );
}

#[tokio::test]
async fn event_type_that_forbids_cancelling_has_no_links_for_it() {
    let service = Service::start().await;
    let settings = json!({"disableCancelling": {"disabled": true}});
    let id = service.event_type("talk", settings).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let link = signed(&service, Purpose::Cancel, OwnerRole::Attendee, ZOE, &uid);
    assert_state(&service, &link, PageState::Superseded).await;
    assert_unused(&service, &link, 410).await;
}

#[tokio::test]
async fn link_works_for_bookings_that_need_authentication() {
    let service = Service::start().await;
    let settings = json!({"bookingRequiresAuthentication": true});
    let id = service.event_type("talk", settings).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let uid_alone = service
        .post(&format!("/v2/bookings/{uid}/cancel"), json!({}))
        .await;
    assert_eq!(uid_alone.status, 401);
    let link = signed(&service, Purpose::Cancel, OwnerRole::Attendee, ZOE, &uid);
    use_link(&service, &link).await;
    assert_eq!(status(&service, &uid).await, "cancelled");
}

#[tokio::test]
async fn one_of_concurrent_requests_acts() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"confirmationPolicy": {"type": "always"}}))
        .await;
    let hook = json!({"subscriberUrl": "https://hooks.example/", "triggers": ["BOOKING_CANCELLED", "BOOKING_REJECTED", "BOOKING_CREATED"], "active": true});
    let bearer = service.bearer_of(HOST).await;
    service.post_as("/v2/webhooks", bearer, hook).await.data();
    for (purpose, role, email, result) in [
        (Purpose::Cancel, OwnerRole::Attendee, ZOE, "cancelled"),
        (Purpose::Confirm, OwnerRole::Host, HOST_EMAIL, "accepted"),
        (Purpose::Decline, OwnerRole::Host, HOST_EMAIL, "rejected"),
    ] {
        let start = format!("2027-03-0{}T09:00:00Z", 2 + purpose as i64);
        let fixture = BookingFixture::new(id).status("pending").at(&start);
        let uid = fixture.store(&service).await;
        let link = signed(&service, purpose, role, email, &uid);
        let deliveries = service.count("webhook_deliveries").await;
        let service = &service;
        let requests = (0..20).map(|_| submit(service, &link, "reason=Ill"));
        let mut statuses = Vec::new();
        let mut running = Box::pin(join_all(requests));
        for response in running.as_mut().await {
            statuses.push(response.status);
        }
        statuses.sort_unstable();
        let mut expected = vec![410; 20];
        expected[0] = 200;
        assert_eq!(statuses, expected, "{purpose:?}");
        assert_eq!(status(service, &uid).await, result);
        let new = service.count("webhook_deliveries").await - deliveries;
        assert_eq!(new, 1, "{purpose:?}");
    }
}

/// Runs all futures at once.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut running: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut is_ready = true;
        for (future, output) in &mut running {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *output = Some(value),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        match is_ready {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
    running
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}

#[tokio::test]
async fn options_and_other_methods_do_not_act() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let link = signed(&service, Purpose::Cancel, OwnerRole::Attendee, ZOE, &uid);
    let before = dump(&service).await;
    for method in ["OPTIONS", "PUT", "PATCH", "DELETE", "PROPFIND"] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let headers = [
            ("origin", "https://other.example"),
            ("access-control-request-method", "POST"),
        ];
        let response = send(&service, method.clone(), &link, &headers, "reason=x").await;
        assert_eq!(response.status, 405, "{method}");
    }
    assert_eq!(dump(&service).await, before);
}
