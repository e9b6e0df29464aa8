//! POST /v2/bookings/{bookingUid}/reschedule: conditions, permissions and results.

use booking_service::input_limits::MAX_REASON_CHARS;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};

const TUESDAY: &str = "2027-03-02T09:00:00Z";
const LATER: &str = "2027-03-02T11:00:00Z";

async fn reschedule(service: &Service, uid: &str, body: Value) -> TestResponse {
    let target = format!("/v2/bookings/{uid}/reschedule");
    service.post(&target, body).await
}

async fn reschedule_as(service: &Service, user: i64, uid: &str, body: Value) -> TestResponse {
    let target = format!("/v2/bookings/{uid}/reschedule");
    let bearer = service.bearer_of(user).await;
    service.post_as(&target, bearer, body).await
}

async fn read(service: &Service, uid: &str) -> Value {
    let response = service.get(&format!("/v2/bookings/{uid}")).await;
    response.data().clone()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {value}"))
}

/// Deletes the hosts' bookings before the next case.
async fn clear(service: &Service) {
    let booked =
        format!("SELECT booking_id FROM booking_hosts WHERE user_id IN ({HOST}, {OTHER_HOST})");
    service
        .sql(&format!("DELETE FROM bookings WHERE id IN ({booked})"))
        .await;
}

/// Available starts on 2 March 2027, as `HH:MM` in UTC.
async fn available_starts(service: &Service, id: i64) -> Vec<String> {
    let target = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02");
    let response = service.get(&target).await;
    let days = response.data().as_object().unwrap().values();
    days.flat_map(|day| day.as_array().unwrap())
        .map(|slot| text(slot, "start")[11..16].to_owned())
        .collect()
}

#[tokio::test]
async fn reschedule_follows_event_type_rules() {
    let past = json!({"allowReschedulingPastBookings": true});
    let cancelled = json!({"allowReschedulingCancelledBookings": true});
    let both = json!({
        "allowReschedulingPastBookings": true,
        "allowReschedulingCancelledBookings": true,
    });
    let within = json!({"disableRescheduling": {"disabled": false, "minutesBefore": 60}});
    let never = json!({"disableRescheduling": {"disabled": true}});
    // The clock is stopped at 08:00.
    let cases = [
        (json!({}), "accepted", "09:00", Ok(())),
        (json!({}), "pending", "09:00", Ok(())),
        (json!({}), "accepted", "08:00", Err("already started")),
        (json!({}), "accepted", "06:00", Err("already started")),
        (past.clone(), "accepted", "06:00", Ok(())),
        (past.clone(), "pending", "06:00", Ok(())),
        (past, "cancelled", "06:00", Err("already cancelled")),
        (json!({}), "cancelled", "09:00", Err("already cancelled")),
        (cancelled.clone(), "cancelled", "09:00", Ok(())),
        (cancelled, "cancelled", "06:00", Err("already started")),
        (both.clone(), "cancelled", "06:00", Ok(())),
        (both.clone(), "rejected", "09:00", Err("declined")),
        (both, "awaiting_host", "09:00", Err("waits for a host")),
        (within.clone(), "accepted", "08:59", Err("60 minutes")),
        (within, "accepted", "09:00", Ok(())),
        (never.clone(), "accepted", "09:00", Err("cannot be")),
        (never, "pending", "09:00", Err("cannot be")),
    ];
    let service = Service::start().await;
    for (number, (settings, status, at, expected)) in cases.into_iter().enumerate() {
        let id = service.event_type(&format!("t{number}"), settings).await;
        let uid = BookingFixture::new(id)
            .status(status)
            .at(&format!("2027-03-01T{at}:00Z"))
            .store(&service)
            .await;
        let stored = service.count("bookings").await;
        let start = "2027-03-02T11:00:00.000Z";
        let body = json!({"start": start});
        match expected {
            Ok(()) => {
                let moved = reschedule(&service, &uid, body).await;
                assert_eq!(moved.status, 201, "{number}: {}", moved.text);
                assert_eq!(moved.data()["start"], start);
                assert_eq!(moved.data()["rescheduledFromUid"], json!(uid));
                let old = read(&service, &uid).await;
                assert_eq!(old["status"], "cancelled");
                assert_eq!(old["rescheduledToUid"], moved.data()["uid"]);
            }
            Err(part) => {
                // The rule also applies to hosts.
                for response in [
                    reschedule(&service, &uid, body.clone()).await,
                    reschedule_as(&service, HOST, &uid, body).await,
                ] {
                    let message = response.assert_error(400, "BadRequestException");
                    assert!(message.contains(part), "{number}: {message}");
                }
                assert_eq!(service.count("bookings").await, stored);
                assert_eq!(read(&service, &uid).await["status"], status);
            }
        }
        clear(&service).await;
    }
}

#[tokio::test]
async fn cancelled_booking_is_rescheduled_once_even_to_its_own_time() {
    let service = Service::start().await;
    let settings = json!({"allowReschedulingCancelledBookings": true});
    let id = service.event_type("again", settings).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let same = json!({"start": TUESDAY});
    reschedule(&service, &uid, same.clone())
        .await
        .assert_error(400, "BadRequestException");
    let cancel = format!("/v2/bookings/{uid}/cancel");
    service.post(&cancel, json!({})).await.data();
    let moved = reschedule(&service, &uid, same.clone()).await;
    assert_eq!(moved.data()["status"], "accepted", "{}", moved.text);
    let response = reschedule(&service, &uid, json!({"start": LATER})).await;
    let message = response.assert_error(400, "BadRequestException");
    assert!(message.contains(text(moved.data(), "uid")), "{message}");
}

#[tokio::test]
async fn reschedule_to_unavailable_start_changes_nothing() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "talk",
            json!({"minimumBookingNotice": 120, "bookingLimitsCount": {"day": 2}}),
        )
        .await;
    let uid = BookingFixture::new(id).store(&service).await;
    BookingFixture::new(id).at(LATER).store(&service).await;
    let old = read(&service, &uid).await;
    for (start, status) in [
        (LATER, 409),
        ("2027-03-02T20:00:00Z", 400),
        ("2027-03-02T10:07:00Z", 400),
        ("2027-03-01T09:30:00Z", 400),
        ("2027-03-01T07:00:00Z", 400),
        ("2027-02-30T07:00:00Z", 400),
    ] {
        let response = reschedule(&service, &uid, json!({"start": start})).await;
        assert_eq!(response.status, status, "{start}: {}", response.text);
        assert_eq!(read(&service, &uid).await, old);
    }
    reschedule(&service, "nothing", json!({"start": LATER}))
        .await
        .assert_error(404, "NotFoundException");
    // The day is at its limit, which a reschedule within the day does not exceed.
    let moved = reschedule(&service, &uid, json!({"start": "2027-03-02T12:00:00Z"})).await;
    assert_eq!(moved.status, 201, "{}", moved.text);
}

#[tokio::test]
async fn round_robin_reschedule_keeps_host_if_configured() {
    let service = Service::start().await;
    // Both work from 14:00 to 16:00 UTC; at 09:00 only Berlin does.
    let both = "2027-03-02T15:00:00Z";
    let keep = json!({"rescheduleWithSameRoundRobinHost": true});
    for (slug, settings, has_load, start, expected) in [
        ("kept", keep.clone(), true, both, Ok(OTHER_HOST)),
        ("gone", keep, false, TUESDAY, Err(())),
        ("free", json!({}), false, TUESDAY, Ok(HOST)),
        ("tied", json!({}), false, both, Ok(OTHER_HOST)),
        ("fair", json!({}), true, both, Ok(HOST)),
    ] {
        let hosts = [HOST, OTHER_HOST];
        let id = service
            .event_type_of(slug, Some("roundRobin"), &hosts, settings)
            .await;
        let uid = BookingFixture::new(id)
            .hosts(&[OTHER_HOST])
            .titled(&format!("Talk between Host {OTHER_HOST} and Zoë"))
            .at("2027-03-02T14:00:00Z")
            .store(&service)
            .await;
        if has_load {
            for day in ["08", "09"] {
                let at = format!("2027-03-{day}T18:00:00Z");
                let created = BookingFixture::new(id).hosts(&[OTHER_HOST]).at(&at);
                created.store(&service).await;
            }
        }
        let response = reschedule(&service, &uid, json!({"start": start})).await;
        match expected {
            Ok(host) => {
                assert_eq!(response.data()["hosts"][0]["id"], host, "{slug}");
                // The title names the new host.
                let title = format!("Talk between Host {host} and Zoë");
                assert_eq!(response.data()["title"], title);
            }
            Err(()) => {
                response.assert_error(400, "BadRequestException");
                assert_eq!(read(&service, &uid).await["status"], "accepted");
            }
        }
        clear(&service).await;
    }
}

#[tokio::test]
async fn reschedule_without_confirmation_requires_host_credentials() {
    let service = Service::start().await;
    let with_confirmation = json!({"confirmationPolicy": {"type": "always"}});
    let id = service.event_type("asked", with_confirmation.clone()).await;
    let team = service
        .event_type_of("team", Some("collective"), &[HOST], with_confirmation)
        .await;
    let host = format!("host{HOST}@northwind.example");
    let manager: Value = service
        .get_as("/v2/me", service.manager())
        .await
        .data()
        .clone();
    let claimed = Some(host.as_str());
    let cases = [
        // Callers that only know the uid, with any claimed address.
        (id, "accepted", None, None, "pending", Value::Null),
        (id, "accepted", None, claimed, "pending", json!(host)),
        (
            id,
            "accepted",
            Some(OTHER_HOST),
            claimed,
            "pending",
            json!(host),
        ),
        (id, "accepted", Some(HOST), None, "accepted", json!(host)),
        (
            id,
            "accepted",
            Some(HOST),
            Some("zoe@example.org"),
            "accepted",
            json!("zoe@example.org"),
        ),
        (id, "pending", Some(HOST), None, "pending", json!(host)),
        (
            team,
            "accepted",
            manager["id"].as_i64(),
            None,
            "accepted",
            manager["email"].clone(),
        ),
        (
            id,
            "accepted",
            manager["id"].as_i64(),
            None,
            "pending",
            manager["email"].clone(),
        ),
    ];
    for (number, (id, status, caller, claim, expected, by)) in cases.into_iter().enumerate() {
        let day = |day: usize| format!("2027-03-{day:02}T{:02}:00:00Z", 9 + number % 7);
        let uid = BookingFixture::new(id)
            .status(status)
            .at(&day(8 + number / 7))
            .store(&service)
            .await;
        let mut body = json!({"start": day(15 + number / 7)});
        if let Some(claim) = claim {
            body["rescheduledBy"] = json!(claim);
        }
        let moved = match caller {
            Some(caller) => reschedule_as(&service, caller, &uid, body).await,
            None => reschedule(&service, &uid, body).await,
        };
        assert_eq!(moved.data()["status"], expected, "{number}: {}", moved.text);
        assert_eq!(moved.data()["rescheduledByEmail"], by, "{number}");
        let old = read(&service, &uid).await;
        assert_eq!(old["rescheduledByEmail"], by, "{number}");
    }
}

#[tokio::test]
async fn reschedule_with_required_authentication_needs_attendee_or_host() {
    let service = Service::start().await;
    let settings = json!({"bookingRequiresAuthentication": true});
    let id = service.event_type("inside", settings).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let body = |start: &str| json!({"start": start});
    reschedule(&service, &uid, body(LATER))
        .await
        .assert_error(401, "UnauthorizedException");
    reschedule_as(&service, OTHER_HOST, &uid, body(LATER))
        .await
        .assert_error(403, "ForbiddenException");
    assert_eq!(
        reschedule_as(&service, HOST, &uid, body(LATER))
            .await
            .status,
        201
    );
    let uid = BookingFixture::new(id).store(&service).await;
    service
        .sql("UPDATE attendees SET email = 'HOST101@northwind.example' WHERE email = 'zoe@example.org'")
        .await;
    let moved = reschedule_as(&service, OTHER_HOST, &uid, body("2027-03-02T12:00:00Z")).await;
    assert_eq!(moved.status, 201, "{}", moved.text);
}

#[tokio::test]
async fn reschedule_chain_is_linked_in_both_directions() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, TUESDAY);
    body["guests"] = json!(["ana@example.org"]);
    body["metadata"] = json!({"campaign": "spring"});
    body["bookingFieldsResponses"] = json!({"notes": "Bring the plan"});
    body["attendee"]["phoneNumber"] = json!("+390612345678");
    let first = service.post("/v2/bookings", body).await.data().clone();
    let mut chain = vec![first];
    for (start, reason) in [("10:00", "Late"), ("11:00", "Later"), ("12:00", "Lunch")] {
        let last = chain.last().unwrap();
        let body = json!({
            "start": format!("2027-03-02T{start}:00Z"),
            "reschedulingReason": reason,
        });
        let moved = reschedule(&service, text(last, "uid"), body).await;
        assert_eq!(moved.status, 201, "{}", moved.text);
        chain.push(moved.data().clone());
    }
    for (index, one) in chain.iter().enumerate() {
        let uid = |index: Option<usize>| {
            let other = index.and_then(|index| chain.get(index));
            other.map_or(Value::Null, |other| other["uid"].clone())
        };
        let found = read(&service, text(one, "uid")).await;
        assert_eq!(found["rescheduledFromUid"], uid(index.checked_sub(1)));
        assert_eq!(found["rescheduledToUid"], uid(Some(index + 1)));
        let status = if index == 3 { "accepted" } else { "cancelled" };
        assert_eq!(found["status"], status);
        for key in [
            "title",
            "attendees",
            "guests",
            "metadata",
            "description",
            "bookingFieldsResponses",
            "hosts",
            "duration",
            "eventTypeId",
            "location",
            "icsUid",
        ] {
            assert_eq!(found[key], chain[0][key], "{key}");
        }
        if index < 3 {
            let response = reschedule(
                &service,
                text(one, "uid"),
                json!({"start": "2027-03-02T14:00:00Z"}),
            )
            .await;
            let message = response.assert_error(400, "BadRequestException");
            assert!(
                message.contains(text(&chain[index + 1], "uid")),
                "{message}"
            );
        }
    }
    // Each booking keeps its own reason.
    let reasons: Vec<&str> = chain[1..]
        .iter()
        .map(|one| text(one, "reschedulingReason"))
        .collect();
    assert_eq!(reasons, ["Late", "Later", "Lunch"]);
    let free = available_starts(&service, id).await;
    for (start, is_free) in [
        ("09:00", true),
        ("10:00", true),
        ("11:00", true),
        ("12:00", false),
    ] {
        assert_eq!(free.contains(&start.to_owned()), is_free, "{start}");
    }
}

#[tokio::test]
async fn rescheduling_reason_over_limit_returns_400() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let created = service.post("/v2/bookings", booking(id, TUESDAY)).await;
    let uid = text(created.data(), "uid").to_owned();
    let longest = "ü".repeat(MAX_REASON_CHARS);
    let body =
        |reason: &str| json!({"start": "2027-03-02T10:00:00Z", "reschedulingReason": reason});
    let refused = reschedule(&service, &uid, body(&format!("{longest}ü"))).await;
    refused.assert_error(400, "BadRequestException");
    assert_eq!(
        refused.constraints()[0].0,
        "reschedulingReason",
        "{}",
        refused.text
    );
    let moved = reschedule(&service, &uid, body(&longest)).await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_eq!(text(moved.data(), "reschedulingReason"), longest);
}

#[tokio::test]
async fn occurrence_reschedule_stays_in_its_series() {
    let service = Service::start().await;
    let weekly = json!({"recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"}});
    let id = service.event_type("weekly", weekly).await;
    let created = service
        .post("/v2/bookings", booking(id, TUESDAY))
        .await
        .data()
        .clone();
    let uids: Vec<&str> = (0..3).map(|index| text(&created[index], "uid")).collect();
    let series = text(&created[0], "recurringBookingUid");
    let response = reschedule(&service, series, json!({"start": LATER})).await;
    let message = response.assert_error(400, "BadRequestException");
    assert!(message.contains("series"), "{message}");
    // It cannot move onto another occurrence.
    reschedule(&service, uids[1], json!({"start": created[2]["start"]}))
        .await
        .assert_error(409, "ConflictException");
    let moved = reschedule(&service, uids[1], json!({"start": "2027-03-10T10:00:00Z"})).await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_eq!(moved.data()["recurringBookingUid"], series);
    assert_eq!(moved.data()["rescheduledFromUid"], uids[1]);
    let all = read(&service, series).await;
    let occurrences: Vec<(&str, &str)> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&text(one, "start")[..10], text(one, "status")))
        .collect();
    assert_eq!(
        occurrences,
        [
            ("2027-03-02", "accepted"),
            ("2027-03-09", "cancelled"),
            ("2027-03-10", "accepted"),
            ("2027-03-16", "accepted"),
        ]
    );
    // Cancelling the series also cancels the moved occurrence.
    let cancel = format!("/v2/bookings/{series}/cancel");
    service.post(&cancel, json!({})).await.data();
    let uid = text(moved.data(), "uid");
    assert_eq!(read(&service, uid).await["status"], "cancelled");
}

#[tokio::test]
async fn reserved_slot_accepts_reschedule_of_its_holder_only() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let reservation = service
        .post(
            "/v2/slots/reservations",
            json!({"eventTypeId": id, "slotStart": LATER}),
        )
        .await;
    let own = &reservation.data()["reservationUid"];
    for other in [Value::Null, json!("nothing")] {
        reschedule(
            &service,
            &uid,
            json!({"start": LATER, "reservedSlotUid": other}),
        )
        .await
        .assert_error(409, "ConflictException");
    }
    // A reservation of another start has no effect, and is kept.
    let body = json!({"start": "2027-03-02T20:00:00Z", "reservedSlotUid": own});
    reschedule(&service, &uid, body)
        .await
        .assert_error(400, "BadRequestException");
    assert_eq!(service.count("reservations").await, 1);
    let moved = reschedule(
        &service,
        &uid,
        json!({"start": LATER, "reservedSlotUid": own}),
    )
    .await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_eq!(service.count("reservations").await, 0);
}

#[tokio::test]
async fn paid_booking_stays_paid_after_reschedule() {
    let service = Service::start().await;
    let id = service.event_type("paid", json!({"price": 2500})).await;
    let with_confirmation = json!({"price": 2500, "confirmationPolicy": {"type": "always"}});
    let with_confirmation = service.event_type("paid-asked", with_confirmation).await;
    for (id, status, paid, expected, expected_paid) in [
        (id, "pending", 0, "pending", 0),
        (id, "accepted", 1, "accepted", 1),
        (with_confirmation, "accepted", 1, "pending", 1),
        (with_confirmation, "pending", 1, "pending", 1),
    ] {
        let uid = BookingFixture::new(id).status(status).store(&service).await;
        service
            .sql(&format!(
                "UPDATE bookings SET paid = {paid} WHERE uid = '{uid}'"
            ))
            .await;
        let moved = reschedule(&service, &uid, json!({"start": LATER})).await;
        assert_eq!(moved.data()["status"], expected, "{}", moved.text);
        let mut db = service.app.store.read().await.unwrap();
        let now: Option<i64> = sql::query_scalar("SELECT paid FROM bookings WHERE uid = ?")
            .bind(text(moved.data(), "uid"))
            .fetch_one(&mut db)
            .await
            .unwrap();
        drop(db);
        assert_eq!(now, Some(expected_paid), "{status}");
        clear(&service).await;
    }
}
