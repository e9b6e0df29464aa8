//! Redirects, headers, languages and errors of the pages.

use std::sync::Arc;

use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use booking_mail::message::Role;
use booking_service::messages::mail_links::token::{OwnerRole, Purpose};
use booking_service::settings::{Limits, Settings};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::fixture::{
    TUESDAY, assert_state, attendee, data, host, links, path, send, signed, submit, use_link,
};
use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, Service, TestResponse, booking};
use booking_mail::templates::{PageAction, PageState};

const ZOE: &str = "zoe@example.org";

#[track_caller]
fn assert_headers(response: &TestResponse) {
    let headers = &response.headers;
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["referrer-policy"], "no-referrer");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(
        headers["content-security-policy"],
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; script-src 'sha256-v1/YZG+JQXjN18jB243OQSD5erBi4f6jbuKsgbFG4CY='; frame-ancestors 'none'; base-uri 'none'"
    );
    assert!(
        headers["x-robots-tag"]
            .to_str()
            .unwrap()
            .starts_with("noindex")
    );
    assert!(!headers.contains_key("access-control-allow-origin"));
    assert!(headers.contains_key("x-request-id"));
    if response.status != 303 {
        assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    }
}

#[tokio::test]
async fn every_response_is_a_page_that_keeps_its_address_secret() {
    let mut service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &attendee(ZOE));
    let cancel = path(&service, made.cancel.as_ref());
    let manage = path(&service, made.manage.as_ref());
    let large = "x".repeat(200_000);
    let origin = [("origin", "https://other.example")];
    for (method, path, body, status) in [
        (Method::GET, cancel.as_str(), "", 200),
        (Method::HEAD, &cancel, "", 200),
        (Method::GET, &manage, "", 303),
        (Method::POST, &manage, "", 303),
        (Method::GET, "/mail/x", "", 404),
        (Method::POST, &cancel, &large, 413),
        (Method::PUT, &cancel, "", 405),
        (Method::OPTIONS, &cancel, "", 405),
        (Method::POST, &cancel, "", 200),
        (Method::GET, &cancel, "", 410),
    ] {
        let response = send(&service, method.clone(), path, &origin, body).await;
        assert_eq!(response.status, status, "{method} {}", response.text);
        assert_headers(&response);
    }
    service.restart_with_limits(Limits {
        rate: Some(2),
        ..Limits::default()
    });
    for status in [410, 410, 429] {
        let response = submit(&service, &cancel, "").await;
        assert_eq!(response.status, status);
        assert_headers(&response);
        assert!(!response.text.contains(&cancel["/mail/".len()..]));
        assert_eq!(response.headers.contains_key("retry-after"), status == 429);
    }
}

#[tokio::test]
async fn unavailable_database_is_shown_as_a_page() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &attendee(ZOE));
    let cancel = path(&service, made.cancel.as_ref());
    service.app.store.close().await;
    for method in [Method::GET, Method::POST] {
        let response = send(&service, method, &cancel, &[], "").await;
        assert!(response.status >= 500, "{}", response.status);
        assert_headers(&response);
    }
}

#[tokio::test]
async fn page_of_a_booking_opens_at_the_right_step() {
    let mut service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &attendee(ZOE));
    let manage = path(&service, made.manage.as_ref());
    let reschedule = path(&service, made.reschedule.as_ref());
    let location = async |service: &Service, path: &str| {
        let response = send(service, Method::GET, path, &[], "").await;
        assert_eq!(response.status, 303, "{}", response.text);
        response.headers["location"].to_str().unwrap().to_owned()
    };
    let own = format!("http://127.0.0.1:8080/booking/{uid}");
    assert_eq!(location(&service, &manage).await, own);
    assert_eq!(
        location(&service, &reschedule).await,
        format!("{own}?step=reschedule")
    );
    service.app.settings = Arc::new(Settings {
        booking_page_url: Some("https://northwind.example/termin?id={uid}".into()),
        ..Settings::clone(&service.app.settings)
    });
    service.restart_with_limits(Limits::default());
    let page = format!("https://northwind.example/termin?id={uid}");
    assert_eq!(location(&service, &manage).await, page);
    assert_eq!(
        location(&service, &reschedule).await,
        format!("{page}&step=reschedule")
    );
    // After a cancellation, the page shows it, and there is nothing to reschedule.
    use_link(&service, &path(&service, made.cancel.as_ref())).await;
    assert_eq!(location(&service, &manage).await, page);
    assert_state(
        &service,
        &reschedule,
        PageState::Already(PageAction::Cancel),
    )
    .await;
}

#[tokio::test]
async fn cancel_link_of_an_attendee_leads_to_the_app_where_it_lets_them_in() {
    let service = Service::start().await;
    let open_type = service.event_type("talk", json!({})).await;
    let closed = json!({"bookingRequiresAuthentication": true});
    let closed_type = service.event_type("closed", closed).await;
    for (event_type, recipient, has_page) in [
        (open_type, attendee(ZOE), true),
        (open_type, host(HOST), false),
        (closed_type, attendee(ZOE), false),
    ] {
        let uid = BookingFixture::new(event_type).store(&service).await;
        let made = links(&service, &data(&uid, TUESDAY), &recipient);
        let cancel = path(&service, made.cancel.as_ref());
        let page = send(&service, Method::GET, &cancel, &[], "").await.text;
        let url = format!("http://127.0.0.1:8080/booking/{uid}?step=cancel");
        let url = url.replace('/', "&#x2f;");
        let is_linked = page.contains(&url) || page.contains(&url.replace("&#x2f;", "/"));
        assert_eq!(is_linked, has_page, "{:?} {page}", recipient.role);
        // The script is the one that the policy allows.
        let script = page.split_once("<script>");
        let script = script.map(|(_, rest)| rest.split_once("</script>").unwrap().0);
        assert_eq!(script.is_some(), has_page);
        if let Some(script) = script {
            let hash = STANDARD.encode(Sha256::digest(script));
            let policy = send(&service, Method::GET, &cancel, &[], "").await.headers;
            let policy = policy["content-security-policy"]
                .to_str()
                .unwrap()
                .to_owned();
            assert!(policy.contains(&hash), "{policy}");
        }
        // Without scripts, the page does it, and offers what comes next.
        let reason = "reason=I+am+ill";
        let done = submit(&service, &cancel, reason).await.text;
        let again = done.contains("http://127.0.0.1:8080/host100/")
            || done.contains("http:&#x2f;&#x2f;127.0.0.1:8080&#x2f;host100&#x2f;");
        assert_eq!(again, recipient.role == Role::Attendee, "{done}");
    }
}

#[tokio::test]
async fn guest_has_no_access_to_the_page_of_the_booking() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, TUESDAY);
    body["guests"] = json!(["guest@example.org"]);
    let booked = service.post("/v2/bookings", body).await;
    let uid = booked.data()["uid"].as_str().unwrap();
    for purpose in [Purpose::Manage, Purpose::Reschedule] {
        for (role, email, status) in [
            (OwnerRole::Attendee, ZOE, 303),
            (OwnerRole::Guest, "guest@example.org", 404),
            (OwnerRole::Host, "host100@northwind.example", 303),
        ] {
            let link = signed(&service, purpose, role, email, uid);
            let response = send(&service, Method::GET, &link, &[], "").await;
            assert_eq!(response.status, status, "{purpose:?} {role:?}");
        }
    }
}

#[tokio::test]
async fn host_opens_the_present_booking_in_the_list_of_the_app() {
    let mut service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let made = links(&service, &data(&uid, TUESDAY), &host(HOST));
    let manage = path(&service, made.manage.as_ref());
    let location = async |service: &Service| {
        let response = send(service, Method::GET, &manage, &[], "").await;
        assert_eq!(response.status, 303, "{}", response.text);
        response.headers["location"].to_str().unwrap().to_owned()
    };
    let list = "http://127.0.0.1:8080/bookings?status=all&bookingUid=";
    assert_eq!(location(&service).await, format!("{list}{uid}"));
    let reschedule = path(&service, made.reschedule.as_ref());
    let response = send(&service, Method::GET, &reschedule, &[], "").await;
    assert_eq!(response.headers["location"], format!("{list}{uid}"));
    let moved = service
        .post(
            &format!("/v2/bookings/{uid}/reschedule"),
            json!({"start": "2027-03-02T10:00:00Z"}),
        )
        .await;
    let moved = moved.data()["uid"].as_str().unwrap().to_owned();
    assert_eq!(location(&service).await, format!("{list}{moved}"));
    // That page is for visitors.
    service.app.settings = Arc::new(Settings {
        booking_page_url: Some("https://northwind.example/termin?id={uid}".into()),
        ..Settings::clone(&service.app.settings)
    });
    service.restart_with_limits(Limits::default());
    assert_eq!(location(&service).await, format!("{list}{moved}"));
}
