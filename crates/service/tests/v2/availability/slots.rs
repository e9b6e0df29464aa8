//! GET /v2/slots

use std::collections::BTreeSet;

use axum::http::Method;
use booking_wire::Instant;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, booking};

const DAY: &str = "start=2027-03-02&end=2027-03-02";

fn starts(data: &Value) -> Vec<&str> {
    data.as_object()
        .unwrap()
        .values()
        .flat_map(|slots| slots.as_array().unwrap())
        .map(|slot| slot["start"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn starts_are_grouped_by_local_date_with_offset() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutes": 240}))
        .await;
    let response = service
        .get(&format!(
            "/v2/slots?eventTypeId={id}&start=2027-03-26&end=2027-03-29&timeZone=Europe/Berlin"
        ))
        .await;
    assert_eq!(
        response.body,
        json!({"status": "success", "data": {
            "2027-03-26": [{"start": "2027-03-26T09:00:00.000+01:00"}, {"start": "2027-03-26T13:00:00.000+01:00"}],
            "2027-03-29": [{"start": "2027-03-29T09:00:00.000+02:00"}, {"start": "2027-03-29T13:00:00.000+02:00"}],
        }})
    );
}

#[tokio::test]
async fn starts_without_time_zone_are_in_utc() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutes": 480}))
        .await;
    let response = service
        .get(&format!("/v2/slots?eventTypeId={id}&{DAY}"))
        .await;
    assert_eq!(
        response.data(),
        &json!({"2027-03-02": [{"start": "2027-03-02T08:00:00.000Z"}]})
    );
}

#[tokio::test]
async fn range_format_returns_end_of_requested_duration() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutesOptions": [30, 240]}))
        .await;
    let response = service
        .get(&format!(
            "/v2/slots?eventTypeId={id}&{DAY}&format=Range&duration=240&timeZone=Asia/Kolkata"
        ))
        .await;
    assert_eq!(
        response.data(),
        // Hourly starts are rounded up on Kolkata's clock: 13:30 there becomes 14:00.
        &json!({"2027-03-02": [
            {"start": "2027-03-02T14:00:00.000+05:30", "end": "2027-03-02T18:00:00.000+05:30"},
        ]})
    );
    let invalid = service
        .get(&format!("/v2/slots?eventTypeId={id}&{DAY}&duration=45"))
        .await;
    assert_eq!(
        invalid.assert_error(400, "BadRequestException"),
        "duration must be one of: 30, 240"
    );
}

#[tokio::test]
async fn end_at_midnight_includes_the_whole_day() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutes": 480}))
        .await;
    for end in [
        "2027-03-03",
        "2027-03-03T00:00:00Z",
        "2027-03-03T00:00:00.000Z",
    ] {
        let response = service
            .get(&format!(
                "/v2/slots?eventTypeId={id}&start=2027-03-02&end={end}"
            ))
            .await;
        assert_eq!(
            starts(response.data()),
            ["2027-03-02T08:00:00.000Z", "2027-03-03T08:00:00.000Z"],
            "{end}"
        );
    }
}

#[tokio::test]
async fn day_without_slots_returns_empty_object() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    // A Saturday.
    let response = service
        .get(&format!(
            "/v2/slots?eventTypeId={id}&start=2027-03-06&end=2027-03-06"
        ))
        .await;
    assert_eq!(response.body, json!({"status": "success", "data": {}}));
}

#[tokio::test]
async fn event_type_is_found_by_slug_and_owner_or_team() {
    let service = Service::start().await;
    for names in [
        "eventTypeSlug=intro-call&username=ada",
        "eventTypeSlug=intro-call&username=ada&organizationSlug=northwind",
        "eventTypeSlug=onboarding&teamSlug=customer-success",
        "eventTypeSlug=onboarding&teamSlug=customer-success&organizationSlug=northwind",
    ] {
        let response = service
            .get(&format!(
                "/v2/slots?{names}&start=2027-03-02&end=2027-03-12"
            ))
            .await;
        assert!(!starts(response.data()).is_empty(), "{names}");
    }
    for names in [
        "eventTypeId=99999",
        "eventTypeSlug=nothing&username=ada",
        "eventTypeSlug=intro-call&username=nobody",
        "eventTypeSlug=intro-call&username=ada&organizationSlug=other",
        "eventTypeSlug=onboarding&teamSlug=other",
    ] {
        service
            .get(&format!("/v2/slots?{names}&{DAY}"))
            .await
            .assert_error(404, "NotFoundException");
    }
}

#[tokio::test]
async fn invalid_query_names_its_parameter() {
    let service = Service::start().await;
    let cases = [
        ("start=2027-03-02&end=2027-03-03", "eventTypeId"),
        ("eventTypeId=1&end=2027-03-03", "start"),
        ("eventTypeId=1&start=2027-03-02", "end"),
        ("eventTypeId=1&start=soon&end=2027-03-03", "start"),
        ("eventTypeId=1&start=2027-02-30&end=2027-03-03", "start"),
        ("eventTypeId=1&start=2027-03-04&end=2027-03-02", "end"),
        ("eventTypeId=1&start=2027-03-01&end=2027-06-30", "end"),
        (
            "eventTypeId=x&start=2027-03-02&end=2027-03-03",
            "eventTypeId",
        ),
        (
            "eventTypeId=1&eventTypeSlug=a&username=b&start=2027-03-02&end=2027-03-03",
            "eventTypeId",
        ),
        (
            "eventTypeSlug=a&username=b&teamSlug=c&start=2027-03-02&end=2027-03-03",
            "eventTypeId",
        ),
        (
            "eventTypeId=1&start=2027-03-02&end=2027-03-03&timeZone=Mars/Base",
            "timeZone",
        ),
        (
            "eventTypeId=1&start=2027-03-02&end=2027-03-03&format=list",
            "format",
        ),
        (
            "eventTypeId=1&start=2027-03-02&end=2027-03-03&duration=0",
            "duration",
        ),
        (
            "eventTypeId=1&start=2027-03-02&end=2027-03-03&apiKey=1",
            "apiKey",
        ),
    ];
    for (query, property) in cases {
        let response = service.get(&format!("/v2/slots?{query}")).await;
        let message = response.assert_error(400, "BadRequestException").to_owned();
        assert!(message.starts_with(property), "{query}: {message}");
        assert!(
            response
                .constraints()
                .iter()
                .any(|(path, text)| path == property && *text == message),
            "{query}"
        );
    }
}

#[tokio::test]
async fn managed_event_type_returns_400() {
    let service = Service::start().await;
    let id = service
        .event_type_of("parent", Some("managed"), &[HOST], json!({}))
        .await;
    service
        .get(&format!("/v2/slots?eventTypeId={id}&{DAY}"))
        .await
        .assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn round_robin_returns_union_and_collective_intersection_of_hosts() {
    let service = Service::start().await;
    // Berlin works 08:00 to 16:00 UTC, New York 14:00 to 22:00 UTC.
    let long = json!({"lengthInMinutes": 120});
    let any = service
        .event_type_of("any", Some("roundRobin"), &[HOST, OTHER_HOST], long.clone())
        .await;
    let all = service
        .event_type_of("all", Some("collective"), &[HOST, OTHER_HOST], long)
        .await;
    let union = service
        .get(&format!("/v2/slots?eventTypeId={any}&{DAY}"))
        .await;
    assert_eq!(starts(union.data()).len(), 7);
    let both = service
        .get(&format!("/v2/slots?eventTypeId={all}&{DAY}"))
        .await;
    assert_eq!(starts(both.data()), ["2027-03-02T14:00:00.000Z"]);
}

#[tokio::test]
async fn week_of_a_limit_begins_with_the_week_of_the_owner() {
    let service = Service::start().await;
    let limit = json!({"bookingLimitsCount": {"week": 1}});
    let personal = service.event_type("own", limit.clone()).await;
    let team = service
        .event_type_of("team", Some("roundRobin"), &[HOST], limit)
        .await;
    service
        .sql(&format!(
            "INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute) VALUES ({HOST}, 0, 540, 1020)"
        ))
        .await;
    for (id, owner) in [
        (
            personal,
            format!("users SET week_start = ? WHERE id = {HOST}"),
        ),
        (team, "teams SET week_start = ? WHERE id = 1".to_owned()),
    ] {
        // Wednesday, and the Sunday after it.
        let wednesday = format!(
            "2027-03-{}T10:00:00Z",
            if id == personal { "03" } else { "10" }
        );
        let sunday = if id == personal {
            "2027-03-07"
        } else {
            "2027-03-14"
        };
        let created = service.post("/v2/bookings", booking(id, &wednesday)).await;
        assert_eq!(created.status, 201, "{}", created.text);
        // `weekStart` of the owner.
        for (week_start, is_offered) in [("Sunday", true), ("Monday", false), ("Saturday", true)] {
            let update = format!("UPDATE {}", owner.replace('?', &format!("'{week_start}'")));
            service.sql(&update).await;
            let query = format!("/v2/slots?eventTypeId={id}&start={sunday}&end={sunday}");
            let found = service.get(&query).await;
            assert_eq!(
                !starts(found.data()).is_empty(),
                is_offered,
                "{week_start} {id}"
            );
        }
    }
}

#[tokio::test]
async fn booking_blocks_all_event_types_of_its_host() {
    let service = Service::start().await;
    let first = service.event_type("first", json!({})).await;
    let second = service
        .event_type(
            "second",
            json!({"lengthInMinutes": 60, "afterEventBuffer": 15}),
        )
        .await;
    let created = service
        .post("/v2/bookings", booking(first, "2027-03-02T10:00:00Z"))
        .await;
    let uid = created.data()["uid"].as_str().unwrap().to_owned();
    let query = format!("/v2/slots?eventTypeId={second}&{DAY}");
    let after = service.get(&query).await;
    // 09:00 would end at 10:00 and needs a quarter of an hour after that; 10:30 is rounded up.
    assert_eq!(
        starts(after.data()),
        ["08", "11", "12", "13", "14", "15"].map(|hour| format!("2027-03-02T{hour}:00:00.000Z"))
    );
    let moving = service
        .get(&format!("{query}&bookingUidToReschedule={uid}"))
        .await;
    assert_eq!(starts(moving.data()).len(), 8);
}

#[tokio::test]
async fn booking_attended_by_host_blocks_their_time() {
    let service = Service::start().await;
    let personal = service
        .event_type("mine", json!({"lengthInMinutes": 480}))
        .await;
    let other = service
        .event_type_of("other", Some("roundRobin"), &[OTHER_HOST], json!({}))
        .await;
    let query = format!("/v2/slots?eventTypeId={personal}&{DAY}");
    assert_eq!(starts(service.get(&query).await.data()).len(), 1);
    let mut body = booking(other, "2027-03-02T14:00:00Z");
    body["attendee"]["email"] = json!(format!("host{HOST}@northwind.example"));
    body["guests"] = json!([format!("host{OTHER_HOST}@northwind.example")]);
    assert_eq!(service.post("/v2/bookings", body.clone()).await.status, 201);
    // An unverified address does not block time.
    assert_eq!(starts(service.get(&query).await.data()).len(), 1);
    body["start"] = json!("2027-03-02T15:00:00Z");
    let host = service.bearer_of(HOST).await;
    let booked = service
        .call(Method::POST, "/v2/bookings", &[host], Some(body))
        .await;
    assert_eq!(booked.status, 201, "{}", booked.text);
    assert_eq!(starts(service.get(&query).await.data()).len(), 0);
}

#[tokio::test]
async fn pending_booking_blocks_time_only_if_configured() {
    let service = Service::start().await;
    let policy = json!({"confirmationPolicy": {"type": "always"}, "lengthInMinutes": 480});
    let mut holding = policy.clone();
    holding["blocks"] = json!(true);
    for (slug, settings, count) in [("loose", policy, 1), ("holding", holding, 0)] {
        let id = service.event_type(slug, settings).await;
        let created = service
            .post("/v2/bookings", booking(id, "2027-03-02T08:00:00Z"))
            .await;
        assert_eq!(created.data()["status"], "pending");
        let response = service
            .get(&format!("/v2/slots?eventTypeId={id}&{DAY}"))
            .await;
        assert_eq!(starts(response.data()).len(), count, "{slug}");
    }
}

#[tokio::test]
async fn group_slots_are_intersection_of_users() {
    let service = Service::start().await;
    service
        .sql("UPDATE users SET organization_id = (SELECT id FROM organizations LIMIT 1) WHERE id IN (100, 101)")
        .await;
    let group = "usernames=host100,host101&organizationSlug=northwind";
    // Not before both users allow group bookings.
    service
        .get(&format!("/v2/slots?{group}&{DAY}"))
        .await
        .assert_error(404, "NotFoundException");
    service.allow_groups().await;
    let response = service.get(&format!("/v2/slots?{group}&{DAY}")).await;
    // 09:00 in New York is 14:00 UTC; Berlin closes at 16:00 UTC.
    assert_eq!(
        starts(response.data()),
        ["14:00", "14:30", "15:00", "15:30"].map(|at| format!("2027-03-02T{at}:00.000Z"))
    );
    let long = service
        .get(&format!("/v2/slots?{group}&{DAY}&duration=60"))
        .await;
    assert_eq!(
        starts(long.data()),
        ["2027-03-02T14:00:00.000Z", "2027-03-02T15:00:00.000Z"]
    );
    let longer = service
        .get(&format!("/v2/slots?{group}&{DAY}&duration=100"))
        .await;
    longer.assert_error(400, "BadRequestException");
    service
        .get(&format!(
            "/v2/slots?usernames=host100,nobody&organizationSlug=northwind&{DAY}"
        ))
        .await
        .assert_error(404, "NotFoundException");
    for names in [
        "usernames=host100&organizationSlug=northwind",
        "usernames=host100,host101",
        "usernames=host100,host101&organizationSlug=northwind&eventTypeId=1",
        "usernames=host100,host101&organizationSlug=northwind&eventTypeSlug=intro-call",
        "usernames=host100,host101&organizationSlug=northwind&username=ada",
    ] {
        let response = service.get(&format!("/v2/slots?{names}&{DAY}")).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.starts_with("usernames"), "{names}: {message}");
    }
}

#[tokio::test]
async fn out_of_office_days_have_no_slots() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"lengthInMinutes": 480}))
        .await;
    service
        .sql("INSERT INTO out_of_office (uuid, user_id, start_ms, end_ms, reason, created_ms)
              VALUES ('a', 100, strftime('%s', '2027-03-03') * 1000, strftime('%s', '2027-03-04T23:59:59') * 1000, 'sick', 0)")
        .await;
    let response = service
        .get(&format!(
            "/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-05"
        ))
        .await;
    let days: Vec<&String> = response.data().as_object().unwrap().keys().collect();
    assert_eq!(days, ["2027-03-02", "2027-03-05"]);
}

#[tokio::test]
async fn booking_limit_closes_day_for_slots_and_bookings() {
    let service = Service::start().await;
    let id = service
        .event_type("talk", json!({"bookingLimitsDuration": {"day": 60}}))
        .await;
    let query = format!("/v2/slots?eventTypeId={id}&{DAY}");
    for (hour, is_open) in [(8, true), (12, false)] {
        let start = format!("2027-03-02T{hour:02}:00:00Z");
        let created = service.post("/v2/bookings", booking(id, &start)).await;
        assert_eq!(created.status, 201);
        let response = service.get(&query).await;
        assert_eq!(!starts(response.data()).is_empty(), is_open);
    }
    let refused = service
        .post("/v2/bookings", booking(id, "2027-03-02T14:00:00Z"))
        .await;
    assert!(
        refused
            .assert_error(400, "BadRequestException")
            .contains("as often as it may be")
    );
}

#[tokio::test]
async fn seats_are_counted_and_full_slot_is_omitted() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "class",
            json!({"lengthInMinutes": 480, "seats": {"seatsPerTimeSlot": 2}}),
        )
        .await;
    service
        .sql(&format!(
            "INSERT INTO bookings (id, uid, event_type_id, title, status, start_ms, end_ms, seated, seats, created_ms, updated_ms)
             VALUES (90000, 'class-uid', {id}, 'Class', 'accepted', strftime('%s', '2027-03-02T08:00:00') * 1000,
                 strftime('%s', '2027-03-02T16:00:00') * 1000, 1, 2, 0, 0);
             INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
             SELECT id, 100, start_ms, end_ms, 1 FROM bookings WHERE id = 90000;
             INSERT INTO attendees (booking_id, name, email, time_zone, seat_uid)
             VALUES (90000, 'A', 'a@example.org', 'UTC', 'seat-a')"
        ))
        .await;
    let query = format!("/v2/slots?eventTypeId={id}&{DAY}&format=range");
    assert_eq!(
        service.get(&query).await.data(),
        &json!({"2027-03-02": [{
            "start": "2027-03-02T08:00:00.000Z",
            "end": "2027-03-02T16:00:00.000Z",
            "seatsBooked": 1,
            "seatsRemaining": 1,
            "seatsTotal": 2,
        }]})
    );
    // Rescheduling the only seat frees its time; an unknown booking changes nothing.
    for (uid, booked) in [("class-uid", 0), ("seat-a", 0), ("unknown", 1)] {
        let response = service
            .get(&format!("{query}&bookingUidToReschedule={uid}"))
            .await;
        assert_eq!(
            response.data()["2027-03-02"][0]["seatsBooked"],
            booked,
            "{uid}"
        );
    }
    // The seat counts can be hidden.
    for show in [true, false] {
        service
            .sql(&format!(
                "UPDATE event_types SET settings = json_set(settings, '$.seats.showAvailabilityCount', json('{show}'))
                 WHERE id = {id}"
            ))
            .await;
        let response = service.get(&query).await;
        let slot = &response.data()["2027-03-02"][0];
        assert_eq!(slot["bookingUid"], Value::Null);
        for key in ["seatsBooked", "seatsRemaining", "seatsTotal"] {
            assert_eq!(slot[key].is_number(), show, "{key}");
        }
    }
    service
        .sql(
            "INSERT INTO attendees (booking_id, name, email, time_zone, seat_uid)
              VALUES (90000, 'B', 'b@example.org', 'UTC', 'seat-b')",
        )
        .await;
    assert_eq!(service.get(&query).await.data(), &json!({}));
}

/// Query names and values, valid or not.
fn query_pair() -> impl Strategy<Value = (String, String)> {
    const NAMES: [&str; 14] = [
        "start",
        "end",
        "eventTypeId",
        "eventTypeSlug",
        "username",
        "teamSlug",
        "organizationSlug",
        "usernames",
        "timeZone",
        "duration",
        "format",
        "bookingUidToReschedule",
        "start[]",
        "apiKey",
    ];
    const VALUES: [&str; 28] = [
        "2027-03-02",
        "2027-03-03T10:00:00Z",
        "2027-03-02T00:00:00+05:45",
        "9999-12-31",
        "1970-01-01",
        "0000-00-00",
        "1",
        "3",
        "0",
        "-1",
        "9223372036854775807",
        "1440",
        "ada",
        "intro-call",
        "northwind",
        "customer-success",
        "ada,ingrid",
        ",",
        "Europe/Berlin",
        "Pacific/Apia",
        "Mars/Base",
        "range",
        "TIME",
        "",
        "%00",
        "%FF",
        "+",
        "🙂",
    ];
    let name = prop_oneof![9 => proptest::sample::select(&NAMES[..]).prop_map(str::to_owned), 1 => "\\PC{0,12}"];
    let value = prop_oneof![3 => proptest::sample::select(&VALUES[..]).prop_map(str::to_owned), 1 => "\\PC{0,20}"];
    (name, value)
}

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'%'
            | b'+'
            | b','
            | b':' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[test]
fn random_query_succeeds_or_names_its_error() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let service = runtime.block_on(Service::start());
    let config = ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let queries = (prop::collection::vec(query_pair(), 0..7), any::<bool>());
    let valid_query = "eventTypeId=1&start=2027-03-02&end=2027-03-03";
    let outcome =
        proptest::test_runner::TestRunner::new(config).run(&queries, |(pairs, has_valid_part)| {
            let mut query: Vec<String> = has_valid_part
                .then(|| valid_query.to_owned())
                .into_iter()
                .collect();
            query.extend(pairs.iter().map(|(name, value)| {
                format!("{}={}", percent_encoded(name), percent_encoded(value))
            }));
            let target = format!("/v2/slots?{}", query.join("&"));
            let response = runtime.block_on(service.get(&target));
            match response.status {
                200 => prop_assert!(response.body["data"].is_object()),
                404 => prop_assert_eq!(&response.body["error"]["code"], "NotFoundException"),
                400 => {
                    let message = response.assert_error(400, "BadRequestException");
                    let named = response.constraints();
                    prop_assert!(
                        named.iter().any(|(_, text)| text == message),
                        "{target}: {}",
                        response.text
                    );
                }
                other => prop_assert!(false, "{target}: {other} {}", response.text),
            }
            Ok(())
        });
    outcome.unwrap();
}

/// Books and cancels every fifth minute of a day, for event types of all kinds.
#[tokio::test]
async fn booking_is_accepted_if_and_only_if_its_slot_is_returned() {
    let service = Service::start().await;
    let hosts = [HOST, OTHER_HOST];
    let window = json!({"type": "range", "value": ["2027-03-01", "2027-03-02"]});
    let types = [
        (None, json!({"lengthInMinutes": 25})),
        (None, json!({"lengthInMinutes": 60, "slotInterval": 90})),
        (
            None,
            json!({"lengthInMinutes": 20, "offsetStart": 5, "beforeEventBuffer": 10}),
        ),
        (None, json!({"minimumBookingNotice": 1700})),
        (
            None,
            json!({"seats": {"seatsPerTimeSlot": 2}, "bookingWindow": window}),
        ),
        (None, json!({"onlyShowFirstAvailableSlot": true})),
        (Some("roundRobin"), json!({"lengthInMinutes": 45})),
        (
            Some("collective"),
            json!({"lengthInMinutes": 30, "slotInterval": 15}),
        ),
    ];
    // An existing booking blocks one slot.
    let other = service.event_type("other", json!({})).await;
    let existing = booking(other, "2027-03-02T12:30:00Z");
    service.post("/v2/bookings", existing).await.data();
    let (mut accepted, mut refused) = (0, 0);
    for (number, (scheduling, settings)) in types.into_iter().enumerate() {
        let hosts = if scheduling.is_some() {
            &hosts[..]
        } else {
            &hosts[..1]
        };
        let slug = format!("kind-{number}");
        let id = service
            .event_type_of(&slug, scheduling, hosts, settings.clone())
            .await;
        // Zones of the visitor and of the hosts, and UTC for clients without zone.
        let mut available = BTreeSet::new();
        for zone in ["Europe/Rome", "Europe/Berlin", "America/New_York", "UTC"] {
            let days = "start=2027-03-01&end=2027-03-04";
            let query = format!("/v2/slots?eventTypeId={id}&{days}&timeZone={zone}");
            let found = service.get(&query).await;
            available.extend(
                starts(found.data())
                    .iter()
                    .map(|start| Instant::parse(start).unwrap().0),
            );
        }
        assert!(!available.is_empty(), "{settings}");
        // 00:00 to 24:00 in Rome, with one minute outside of every grid.
        let midnight = Instant::parse("2027-03-01T23:00:00Z").unwrap().0;
        for minute in (0..24 * 60).step_by(5).chain([9 * 60 + 7]) {
            let start = midnight + minute * 60_000;
            let mut body = booking(id, &Instant(start).to_string());
            body["attendee"]["timeZone"] = json!("Europe/Rome");
            let response = service.post("/v2/bookings", body).await;
            let is_available = available.contains(&start);
            let text = Instant(start).to_string();
            match response.status {
                201 => {
                    assert!(is_available, "{settings} {text}");
                    accepted += 1;
                    let uid = response.data()["uid"].as_str().unwrap();
                    let body = json!({"seatUid": response.data()["seatUid"]});
                    let target = format!("/v2/bookings/{uid}/cancel");
                    let cancelled = service.post(&target, body).await;
                    assert_eq!(cancelled.status, 200, "{}", cancelled.text);
                }
                400 | 409 => {
                    assert!(!is_available, "{settings} {text} {}", response.text);
                    refused += 1;
                }
                _ => panic!("{}", response.text),
            }
        }
    }
    println!("{accepted} starts accepted, {refused} refused");
    assert!(accepted > 50 && refused > 1_000);
}

/// Event type settings that select the starts.
#[tokio::test]
async fn starts_follow_interval_first_slot_and_optimized_settings() {
    let service = Service::start().await;
    for (slug, settings, expected) in [
        (
            "every",
            json!({"slotInterval": 120}),
            vec!["08:00", "10:00", "12:00", "14:00"],
        ),
        (
            "first",
            json!({"onlyShowFirstAvailableSlot": true}),
            vec!["08:00"],
        ),
        (
            "first-of-interval",
            json!({"slotInterval": 240, "onlyShowFirstAvailableSlot": true}),
            vec!["08:00"],
        ),
    ] {
        let settings = merged(json!({"lengthInMinutes": 60}), settings);
        let id = service.event_type(slug, settings).await;
        let response = service
            .get(&format!("/v2/slots?eventTypeId={id}&{DAY}"))
            .await;
        let found: Vec<&str> = starts(response.data())
            .iter()
            .map(|start| &start[11..16])
            .collect();
        assert_eq!(found, expected, "{slug}");
    }
    // Seven bookings fit between 8:30 and 15:30 if slots may start off the full hour.
    let id = service.event_type("plain", json!({})).await;
    for existing in ["2027-03-02T08:00:00Z", "2027-03-02T15:30:00Z"] {
        let existing = service.post("/v2/bookings", booking(id, existing)).await;
        assert_eq!(existing.status, 201, "{}", existing.text);
    }
    for (slug, is_optimized, first) in [("usual", false, "09:00"), ("optimised", true, "08:30")] {
        let settings = json!({"lengthInMinutes": 60, "showOptimizedSlots": is_optimized});
        let id = service.event_type(slug, settings).await;
        let response = service
            .get(&format!("/v2/slots?eventTypeId={id}&{DAY}"))
            .await;
        assert_eq!(
            &starts(response.data())[0][11..16],
            first,
            "{slug} {}",
            response.text
        );
    }
}

fn merged(mut value: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    value.as_object_mut().unwrap().extend(more);
    value
}

/// A reservation counts only for a booking of the same length.
#[tokio::test]
async fn reservation_of_shorter_slot_does_not_allow_longer_booking() {
    let service = Service::start().await;
    let lengths = json!({"lengthInMinutes": 60, "lengthInMinutesOptions": [15, 60]});
    let id = service.event_type("lengths", lengths).await;
    let start = "2027-03-02T09:15:00Z";
    let reservation = json!({"eventTypeId": id, "slotStart": start, "slotDuration": 15});
    let reserved = service.post("/v2/slots/reservations", reservation).await;
    assert_eq!(reserved.status, 201, "{}", reserved.text);
    let uid = reserved.data()["reservationUid"].clone();
    let book = async |length: i64| {
        let mut body = crate::common::booking(id, start);
        body["lengthInMinutes"] = json!(length);
        body["reservedSlotUid"] = uid.clone();
        service.post("/v2/bookings", body).await
    };
    book(60).await.assert_error(400, "BadRequestException");
    // The failed attempt did not change the reservation.
    assert_eq!(book(15).await.status, 201);
}
