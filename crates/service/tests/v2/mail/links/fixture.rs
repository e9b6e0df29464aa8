//! Links of bookings, requests to their pages, and the content of the database.

use axum::body::Body;
use axum::http::{Method, Request};
use booking_mail::data::{BookingData, Person, SeriesData};
use booking_mail::message::{Kind, Links, Recipient, Role};
use booking_mail::templates::PageState;
use booking_service::domain::link_actions;
use booking_service::domain::link_actions::Page;
use booking_service::messages::mail_links::token::{Claims, LinkKey, OwnerRole, Purpose};
use booking_store_engine::sql;
use booking_wire::Instant;
use serde_json::Value;

use crate::common::{Service, TestResponse};

/// Tuesday, the day after the test service's present.
pub const TUESDAY: &str = "2027-03-02T09:00:00Z";

pub fn attendee(email: &str) -> Recipient {
    recipient(Role::Attendee, email, None)
}

pub fn seat_holder(email: &str, seat_uid: &str) -> Recipient {
    recipient(Role::Attendee, email, Some(seat_uid))
}

pub fn guest(email: &str) -> Recipient {
    recipient(Role::Guest, email, None)
}

pub fn host(id: i64) -> Recipient {
    recipient(Role::Host, &format!("host{id}@northwind.example"), None)
}

fn recipient(role: Role, email: &str, seat_uid: Option<&str>) -> Recipient {
    Recipient {
        role,
        person: Person {
            email: email.to_owned(),
            seat_uid: seat_uid.map(str::to_owned),
            ..Person::default()
        },
    }
}

/// Returns the data of a message about a booking of 30 minutes.
pub fn data(uid: &str, start: &str) -> BookingData {
    let start = Instant::parse(start).unwrap();
    BookingData {
        uid: uid.to_owned(),
        start,
        end: start.plus_minutes(30),
        is_confirmed: true,
        ..BookingData::default()
    }
}

/// Returns the data of a message about a whole series.
pub fn series_data(uid: &str, starts: &[&str]) -> BookingData {
    let series = SeriesData {
        starts: starts
            .iter()
            .map(|it| Instant::parse(it).unwrap())
            .collect(),
        ..SeriesData::default()
    };
    BookingData {
        series: Some(series),
        ..data(uid, starts[0])
    }
}

/// Returns the links in a message that the booking was made, or waits for confirmation.
pub fn links(service: &Service, booking: &BookingData, recipient: &Recipient) -> Links {
    let kind = match booking.is_confirmed {
        true => Kind::Booked,
        false => Kind::Requested,
    };
    links_of(service, kind, booking, recipient)
}

pub fn links_of(
    service: &Service,
    kind: Kind,
    booking: &BookingData,
    recipient: &Recipient,
) -> Links {
    booking_service::messages::mail_links::links(&service.app, kind, booking, recipient)
}

/// Returns the path of a URL.
pub fn path(service: &Service, url: Option<&String>) -> String {
    let url = url.expect("no link");
    assert!(url.len() < 150, "{url}");
    let path = url.strip_prefix(&service.app.settings.base_url);
    path.unwrap().to_owned()
}

/// Returns the path of a link of any kind, also of those that are in no message.
pub fn signed(
    service: &Service,
    purpose: Purpose,
    role: OwnerRole,
    email: &str,
    uid: &str,
) -> String {
    let key = LinkKey::new(&service.app.signing_key).unwrap();
    let claims = Claims {
        purpose,
        role,
        is_series: false,
        expires: service.app.clock.now().plus_minutes(24 * 60 * 100),
        address: key.address(email).unwrap(),
        uid: uid.to_owned(),
        seat_uid: None,
    };
    format!("/mail/{}", key.seal(&claims).unwrap().unwrap())
}

pub async fn open(service: &Service, path: &str) -> Page {
    let token = path.strip_prefix("/mail/").unwrap();
    link_actions::open(&service.app, token).await.unwrap()
}

/// Sends a form, as the page does.
pub async fn submit(service: &Service, path: &str, form: &str) -> TestResponse {
    send(service, Method::POST, path, &[], form).await
}

pub async fn send(
    service: &Service,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> TestResponse {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/x-www-form-urlencoded");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    service.send(request).await
}

/// Checks the state of a page, and that showing it changes nothing.
pub async fn assert_state(service: &Service, path: &str, state: PageState) {
    let before = dump(service).await;
    assert_eq!(open(service, path).await.state, state, "{path}");
    let status = match state {
        PageState::Question(_) | PageState::Done(_) => 200,
        PageState::Already(_) | PageState::Superseded | PageState::Expired => 410,
        PageState::Invalid => 404,
        PageState::Taken | PageState::Failed => 409,
    };
    for method in [Method::GET, Method::HEAD] {
        let page = send(service, method.clone(), path, &[], "").await;
        assert_eq!(page.status, status, "{method} {path}");
        assert_eq!(page.text.is_empty(), method == Method::HEAD);
    }
    let options = send(service, Method::OPTIONS, path, &[], "").await;
    assert_eq!(options.status, 405);
    assert_eq!(dump(service).await, before, "{path} changed data");
}

/// Uses a link that cannot be used, and checks that it changes nothing.
pub async fn assert_unused(service: &Service, path: &str, status: u16) {
    let before = dump(service).await;
    let response = submit(service, path, "reason=Ill").await;
    assert_eq!(response.status, status, "{}", response.text);
    assert_eq!(dump(service).await, before, "{path} changed data");
}

/// Uses a link that can be used.
pub async fn use_link(service: &Service, path: &str) {
    let response = submit(service, path, "reason=I+am+ill%0D%0A%26+away").await;
    assert_eq!(response.status, 200, "{}", response.text);
}

/// Returns a booking as stored, for a host.
pub async fn booking(service: &Service, uid: &str) -> Value {
    let bearer = service.bearer_of(crate::common::HOST).await;
    let found = service.get_as(&format!("/v2/bookings/{uid}"), bearer).await;
    found.data().clone()
}

pub async fn status(service: &Service, uid: &str) -> String {
    let mut db = service.app.store.read().await.unwrap();
    sql::query_scalar("SELECT status FROM bookings WHERE uid = ?")
        .bind(uid)
        .fetch_one(&mut db)
        .await
        .unwrap()
}

/// Returns all rows of all tables.
pub async fn dump(service: &Service) -> Vec<(String, Vec<String>)> {
    let mut db = service.app.store.read().await.unwrap();
    let is_sqlite = service.database.is_none();
    let tables: Vec<String> = sql::query_scalar(if is_sqlite {
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    } else {
        "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
    })
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert!(tables.iter().any(|table| table == "attendees"));
    let mut found = Vec::new();
    for table in tables {
        let columns = if is_sqlite {
            sql::query_scalar::<String>(format!(
                "SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')"
            ))
            .fetch_all(&mut db)
            .await
            .unwrap()
            .join(" || ',' || ")
        } else {
            "t::text".to_owned()
        };
        let rows: Vec<String> =
            sql::query_scalar(format!("SELECT {columns} FROM \"{table}\" t ORDER BY 1"))
                .fetch_all(&mut db)
                .await
                .unwrap();
        found.push((table, rows));
    }
    found
}
