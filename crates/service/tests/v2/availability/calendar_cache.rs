//! Cache of what slots are computed from: after every kind of write, cached answers are those without a cache.

use booking_service::cache::calendars::CalendarCache;
use booking_service::cache::slots::SlotCache;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service};

/// Event types whose slots depend on everything that is cached.
struct Fixture {
    service: Service,
    targets: Vec<String>,
    plain: i64,
    seated: i64,
    limited: i64,
}

impl Fixture {
    async fn new() -> Self {
        let service = Service::start().await;
        service.allow_groups().await;
        // The group asks for them by their organisation.
        service
            .sql("UPDATE users SET organization_id = 1 WHERE id IN (100, 101)")
            .await;
        let hosts = [HOST, OTHER_HOST];
        let plain = service
            .event_type_of("plain", Some("roundRobin"), &hosts, json!({}))
            .await;
        let all = service
            .event_type_of("all", Some("collective"), &hosts, json!({}))
            .await;
        let seats = json!({"seatsPerTimeSlot": 9, "showAvailabilityCount": true});
        let seated = service.event_type("seated", json!({"seats": seats})).await;
        let limited = service
            .event_type("limited", json!({"bookingLimitsCount": {"day": 1}}))
            .await;
        let range = "start=2027-03-02&end=2027-03-12";
        let targets = vec![
            format!("/v2/slots?eventTypeId={plain}&{range}"),
            format!("/v2/slots?eventTypeId={all}&{range}&timeZone=Asia/Tokyo"),
            format!("/v2/slots?eventTypeId={seated}&{range}"),
            format!("/v2/slots?eventTypeId={limited}&{range}"),
            format!("/v2/slots?username=host{HOST}&eventTypeSlug=limited&{range}&format=range"),
            format!(
                "/v2/slots?usernames=host{HOST},host{OTHER_HOST}&organizationSlug=northwind&{range}"
            ),
            format!("/v2/slots?eventTypeId={plain}&{range}&bookingUidToReschedule=kept"),
        ];
        Self {
            service,
            targets,
            plain,
            seated,
            limited,
        }
    }

    /// Returns the answers to all targets, with the caches of `service`.
    async fn answers(&self, service: &Service) -> Vec<(u16, Value)> {
        let mut answers = Vec::new();
        for target in &self.targets {
            let response = service.get(target).await;
            // The path of an error, and its instant, are the same.
            answers.push((response.status, response.body["data"].clone()));
        }
        answers
    }

    /// Returns the same service with empty caches.
    fn without_caches(&self) -> Service {
        let mut app = self.service.app.clone();
        app.calendar_cache = CalendarCache::default();
        app.slot_cache = SlotCache::default();
        Service::over(app, &self.service.credentials)
    }

    /// Compares answers after a write, which must have changed one of them. `before` are the answers before it.
    async fn check(&self, write: &str, before: &mut Vec<(u16, Value)>) {
        let cached = self.answers(&self.service).await;
        let expected = self.answers(&self.without_caches()).await;
        for (target, (cached, expected)) in self.targets.iter().zip(cached.iter().zip(&expected)) {
            assert_eq!(cached, expected, "{target} after {write}");
        }
        assert_ne!(before, &cached, "{write} changes no slots");
        *before = cached;
    }
}

#[tokio::test]
async fn cached_slots_are_current_after_every_write() {
    let fixture = Fixture::new().await;
    let (plain, seated, limited) = (fixture.plain, fixture.seated, fixture.limited);
    let mut before = fixture.answers(&fixture.service).await;
    assert!(
        before.iter().all(|(status, _)| *status == 200),
        "{before:?}"
    );

    let bookings = [
        BookingFixture::new(plain).at("2027-03-02T10:00:00Z"),
        BookingFixture::new(plain)
            .at("2027-03-03T16:00:00Z")
            .hosts(&[HOST, OTHER_HOST]),
        BookingFixture::new(limited).at("2027-03-04T10:00:00Z"),
        BookingFixture::new(seated)
            .at("2027-03-05T10:00:00Z")
            .seats(&["seat-a", "seat-b"]),
        BookingFixture::new(plain)
            .at("2027-03-08T15:00:00Z")
            .hosts(&[OTHER_HOST]),
    ];
    let mut uids = Vec::new();
    for booking in bookings {
        let written = format!("{booking:?}");
        uids.push(booking.store(&fixture.service).await);
        fixture.check(&written, &mut before).await;
    }
    let [first, both, of_limit, of_seats, other] = &uids[..] else {
        panic!("{uids:?}");
    };
    let of = |uid: &str| format!("(SELECT id FROM bookings WHERE uid = '{uid}')");
    // 2027-03-09T09:00:00Z and the end of the test.
    let (start, end) = (1_804_582_800_000_i64, 1_804_584_600_000_i64);
    let statements = [
        // Bookings.
        format!("UPDATE bookings SET uid = 'kept' WHERE uid = '{first}'"),
        format!("UPDATE booking_hosts SET start_ms = {start}, end_ms = {end} WHERE booking_id = {}", of("kept")),
        format!("UPDATE booking_hosts SET holds = 0 WHERE booking_id = {}", of(both)),
        format!("UPDATE booking_hosts SET user_id = {HOST} WHERE booking_id = {}", of(other)),
        format!("UPDATE bookings SET status = 'cancelled' WHERE uid = '{of_limit}'"),
        format!("UPDATE bookings SET status = 'accepted' WHERE uid = '{of_limit}'"),
        format!("UPDATE bookings SET seats = 5 WHERE uid = '{of_seats}'"),
        format!("UPDATE bookings SET event_type_id = NULL, seated = 0 WHERE uid = '{of_seats}'"),
        format!("UPDATE bookings SET event_type_id = {seated}, seated = 1 WHERE uid = '{of_seats}'"),
        format!(
            "INSERT INTO attendees (booking_id, name, email, time_zone, seat_uid)
             VALUES ({}, 'Eve', 'eve@example.org', 'UTC', 'seat-c')", of(of_seats)),
        "UPDATE attendees SET seat_uid = NULL WHERE seat_uid = 'seat-c'".into(),
        "DELETE FROM attendees WHERE seat_uid = 'seat-b'".into(),
        format!("DELETE FROM booking_hosts WHERE booking_id = {}", of("kept")),
        format!("UPDATE attendees SET user_id = {HOST} WHERE booking_id = {}", of("kept")),
        format!("UPDATE bookings SET start_ms = {start}, end_ms = {end} WHERE uid = 'kept'"),
        "UPDATE bookings SET status = 'pending' WHERE uid = 'kept'".into(),
        format!("UPDATE event_types SET blocks_unconfirmed = 1 WHERE id = {plain}"),
        "UPDATE attendees SET user_id = NULL WHERE email = 'zoe@example.org'".into(),
        format!("DELETE FROM bookings WHERE uid = '{of_limit}'"),
        // Reservations.
        format!(
            "INSERT INTO reservations (id, uid, event_type_id, start_ms, end_ms, until_ms, created_ms)
             VALUES (900, 'held', {limited}, {start}, {end}, {end}, 0);
             INSERT INTO reservation_hosts (reservation_id, user_id) VALUES (900, {HOST})"),
        "UPDATE reservations SET until_ms = 0 WHERE id = 900".into(),
        format!("UPDATE reservations SET until_ms = {end} WHERE id = 900"),
        "DELETE FROM reservations WHERE id = 900".into(),
        format!(
            "INSERT INTO reservations (id, uid, event_type_id, start_ms, end_ms, until_ms, seated, created_ms)
             VALUES (901, 'held', {seated}, {start}, {end}, {end}, 1, 0);
             INSERT INTO reservation_hosts (reservation_id, user_id) VALUES (901, {HOST})"),
        // Absences.
        format!(
            "INSERT INTO out_of_office (id, uuid, user_id, start_ms, end_ms, reason, created_ms)
             VALUES (900, 'away', {HOST}, {start}, {}, 'vacation', 0)", start + 172_800_000),
        format!("UPDATE out_of_office SET user_id = {OTHER_HOST} WHERE id = 900"),
        "DELETE FROM out_of_office WHERE id = 900".into(),
        // Catalogue.
        format!("UPDATE event_types SET before_minutes = 15, after_minutes = 45 WHERE id = {plain}"),
        format!("UPDATE event_types SET settings = '{{\"title\": \"Talk\", \"lengthInMinutes\": 60}}' WHERE id = {limited}"),
        format!("DELETE FROM schedule_hours WHERE schedule_id = {HOST} AND weekday = 3"),
        format!("INSERT INTO schedule_hours (schedule_id, on_date, from_minute, to_minute) VALUES ({HOST}, '2027-03-06', 600, 700)"),
        format!("UPDATE schedule_hours SET to_minute = 800 WHERE schedule_id = {HOST} AND on_date IS NOT NULL"),
        format!("UPDATE schedules SET time_zone = 'Asia/Tokyo' WHERE id = {HOST}"),
        format!("UPDATE users SET default_schedule_id = {OTHER_HOST} WHERE id = {HOST}"),
        format!("UPDATE users SET default_schedule_id = NULL, time_zone = 'Asia/Kolkata' WHERE id = {OTHER_HOST}"),
        format!("UPDATE event_types SET schedule_id = {HOST} WHERE id = {plain}"),
        format!("DELETE FROM schedules WHERE id = {HOST}"),
        format!("DELETE FROM event_type_hosts WHERE event_type_id = {plain} AND user_id = {HOST}"),
        format!("INSERT INTO event_type_hosts (event_type_id, user_id) VALUES ({plain}, {HOST})"),
        format!("UPDATE event_type_hosts SET fixed = 1 WHERE event_type_id = {plain} AND user_id = {HOST}"),
        format!("UPDATE users SET allow_dynamic_bookings = 0 WHERE id = {HOST}"),
        format!("UPDATE users SET username = 'renamed' WHERE id = {HOST}"),
        "UPDATE users SET allow_dynamic_bookings = 1, username = 'host100' WHERE id = 100".into(),
        "UPDATE organizations SET slug = 'southwind' WHERE id = 1".into(),
        "UPDATE organizations SET slug = 'northwind' WHERE id = 1".into(),
        format!("UPDATE event_types SET settings = '{{\"title\": \"Talk\", \"lengthInMinutes\": 60, \"closed\": true}}' WHERE id = {limited}"),
        format!("DELETE FROM event_types WHERE id = {seated}"),
        format!("DELETE FROM users WHERE id = {OTHER_HOST}"),
    ];
    for statement in &statements {
        fixture.service.sql(statement).await;
        fixture.check(statement, &mut before).await;
    }
}

#[tokio::test]
async fn cached_reservation_expires_with_the_clock() {
    let fixture = Fixture::new().await;
    let service = &fixture.service;
    let before = fixture.answers(service).await;
    let reservation = json!({"eventTypeId": fixture.limited, "slotStart": "2027-03-02T10:00:00Z"});
    let created = service.post("/v2/slots/reservations", reservation).await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_ne!(fixture.answers(service).await, before);
    service.app.clock.advance_minutes(6);
    assert_eq!(fixture.answers(service).await, before);
}

#[tokio::test]
async fn part_of_the_same_version_is_not_read_again() {
    let fixture = Fixture::new().await;
    let service = &fixture.service;
    let before = fixture.answers(service).await;
    BookingFixture::new(fixture.plain).store(service).await;
    // As if the booking had not changed the version: there was none before it.
    service
        .sql("DELETE FROM calendar_versions WHERE kind = 'host' AND id = 100")
        .await;
    assert_eq!(fixture.answers(service).await, before);
    assert_ne!(fixture.answers(&fixture.without_caches()).await, before);
}
