//! Pairs of requests.

use serde_json::{Value, json};

use crate::context::{Call, Caller, TestContext};
use crate::explore::{Case, Summary, Violation, Winners, explore};
use crate::gate::Locks;
use crate::seed::{self, GUEST_HOST, HOSTS, Seed, event_type};

const TALK: i64 = 9001;
const OTHER: i64 = 9002;
const NINE: &str = "2027-03-02T09:00:00Z";
const TEN: &str = "2027-03-02T10:00:00Z";
const QUARTER_PAST: &str = "2027-03-02T10:15:00Z";
const ELEVEN: &str = "2027-03-02T11:00:00Z";
const NOON: &str = "2027-03-02T12:00:00Z";

fn call(method: &'static str, target: impl Into<String>, body: Value) -> Call {
    Call {
        method,
        target: target.into(),
        caller: Caller::Anonymous,
        idempotency_key: None,
        body,
    }
}

/// By the first host.
fn by_host(call: Call) -> Call {
    Call {
        caller: Caller::User(HOSTS[0]),
        ..call
    }
}

fn book(event_type: i64, start: &str, name: &str) -> Call {
    let attendee = json!({"name": name, "email": format!("{name}@example.org"), "timeZone": "UTC"});
    let body = json!({"eventTypeId": event_type, "start": start, "attendee": attendee});
    call("POST", "/v2/bookings", body)
}

/// A request with a key and the code of an address.
fn with_code() -> Call {
    let mut call = book(TALK, TEN, "ann");
    let body = call.body.as_object_mut().unwrap();
    body.insert("emailVerificationCode".into(), json!(seed::CODE));
    Call {
        idempotency_key: Some("key"),
        ..call
    }
}

/// A meeting with the first two hosts.
fn group(start: &str, name: &str) -> Call {
    let mut call = book(0, start, name);
    let body = call.body.as_object_mut().unwrap();
    body.remove("eventTypeId");
    body.insert("eventTypeSlug".into(), json!("dynamic"));
    body.insert("username".into(), json!("host201+host202"));
    body.insert("organizationSlug".into(), json!("northwind"));
    call
}

fn reserve(event_type: i64, start: &str) -> Call {
    let body = json!({"eventTypeId": event_type, "slotStart": start});
    call("POST", "/v2/slots/reservations", body)
}

fn reschedule(uid: &str, start: &str) -> Call {
    call(
        "POST",
        format!("/v2/bookings/{uid}/reschedule"),
        json!({"start": start}),
    )
}

fn reschedule_seat(name: &str) -> Call {
    let body = json!({"start": TEN, "seatUid": format!("seat-{name}")});
    call("POST", "/v2/bookings/old/reschedule", body)
}

fn cancel(uid: &str) -> Call {
    call("POST", format!("/v2/bookings/{uid}/cancel"), json!({}))
}

fn confirm(uid: &str) -> Call {
    by_host(call(
        "POST",
        format!("/v2/bookings/{uid}/confirm"),
        json!({}),
    ))
}

fn reassign(uid: &str, host: i64) -> Call {
    by_host(call(
        "POST",
        format!("/v2/bookings/{uid}/reassign/{host}"),
        json!({}),
    ))
}

fn change_event_type(body: Value) -> Call {
    by_host(call("PATCH", format!("/v2/event-types/{TALK}"), body))
}

fn change_schedule(body: Value) -> Call {
    by_host(call("PATCH", format!("/v2/schedules/{}", HOSTS[0]), body))
}

fn remove_member(caller: i64, team: i64, membership: i64) -> Call {
    let target = format!("/v2/teams/{team}/memberships/{membership}");
    Call {
        caller: Caller::User(caller),
        ..call("DELETE", target, Value::Null)
    }
}

fn take_absence() -> Call {
    let target = format!("/v2/organizations/1/users/{}/ooo", HOSTS[0]);
    let body = json!({"start": "2027-03-02T00:00:00Z", "end": "2027-03-03T00:00:00Z"});
    by_host(call("POST", target, body))
}

fn refresh_tokens() -> Call {
    Call {
        caller: Caller::Client,
        ..call(
            "POST",
            "/v2/oauth/{client}/refresh",
            json!({"refreshToken": "{refreshToken}"}),
        )
    }
}

fn delete_guest_host() -> Call {
    Call {
        caller: Caller::Client,
        ..call(
            "DELETE",
            format!("/v2/oauth-clients/{{client}}/users/{GUEST_HOST}"),
            Value::Null,
        )
    }
}

/// An event type of the first host.
fn talk(settings: Value) -> String {
    event_type(TALK, None, &HOSTS[..1], &settings)
}

fn case(name: &'static str, setup: String, calls: [Call; 2], winners: Winners) -> Case {
    Case {
        name,
        setup,
        calls,
        winners,
        // Others may be older than the rules.
        rules_apply: !["a_booking_and_new_buffers", "a_booking_and_a_lower_limit"].contains(&name),
    }
}

/// Makes a test of each group of pairs, and a list of all.
macro_rules! pairs {
    ($($group:ident { $($name:ident => ($setup:expr, $calls:expr, $winners:ident);)* })*) => {
        mod groups {
            use super::*;
            $(
                pub fn $group() -> Vec<Case> {
                    vec![$(case(stringify!($name), $setup, $calls, Winners::$winners)),*]
                }
            )*
        }

        /// Returns all pairs.
        fn all() -> Vec<Case> {
            [$(groups::$group()),*].concat()
        }

        $(
            #[tokio::test]
            #[ignore = "needs PostgreSQL"]
            async fn $group() {
                check(groups::$group()).await;
            }
        )*
    };
}

pairs! {
    bookings {
    two_bookings_of_a_slot => (
        talk(json!({})),
        [book(TALK, TEN, "ann"), book(TALK, TEN, "bob")],
        One
    );
    two_bookings_of_overlapping_slots => (
        talk(json!({"slotInterval": 15})),
        [book(TALK, TEN, "ann"), book(TALK, QUARTER_PAST, "bob")],
        One
    );
    two_bookings_with_overlapping_buffers => (
        talk(json!({"afterEventBuffer": 20, "beforeEventBuffer": 10})),
        [book(TALK, TEN, "ann"), book(TALK, "2027-03-02T10:30:00Z", "bob")],
        One
    );
    two_bookings_of_two_event_types_of_a_host => (
        talk(json!({})) + &event_type(OTHER, None, &HOSTS[..1], &json!({"lengthInMinutes": 60})),
        [book(TALK, "2027-03-02T10:30:00Z", "ann"), book(OTHER, TEN, "bob")],
        One
    );
    two_collective_bookings_with_a_common_host => (
        event_type(TALK, Some("collective"), &HOSTS[..2], &json!({}))
            + &event_type(OTHER, Some("collective"), &HOSTS[1..], &json!({})),
        [book(TALK, TEN, "ann"), book(OTHER, TEN, "bob")],
        One
    );
    two_round_robin_bookings_of_two_hosts => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({})),
        [book(TALK, TEN, "ann"), book(TALK, TEN, "bob")],
        Both
    );
    two_round_robin_bookings_with_one_free_host => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({}))
            + &event_type(OTHER, Some("roundRobin"), &HOSTS[1..], &json!({}))
            + &Seed { hosts: &HOSTS[..1], ..Seed::new("first", TALK, TEN) }.sql()
            + &Seed { hosts: &HOSTS[2..], ..Seed::new("third", OTHER, TEN) }.sql(),
        [book(TALK, TEN, "ann"), book(OTHER, TEN, "bob")],
        One
    );
    collective_and_round_robin_bookings => (
        event_type(TALK, Some("collective"), &HOSTS[..2], &json!({}))
            + &event_type(OTHER, Some("roundRobin"), &HOSTS[1..], &json!({})),
        [book(TALK, TEN, "ann"), book(OTHER, TEN, "bob")],
        Any
    );
    two_bookings_of_two_event_types_with_overlapping_buffers => (
        talk(json!({"afterEventBuffer": 15})) + &event_type(OTHER, None, &HOSTS[..1], &json!({})),
        [book(TALK, TEN, "ann"), book(OTHER, "2027-03-02T10:30:00Z", "bob")],
        One
    );
    two_unconfirmed_bookings_that_block => (
        talk(json!({"blocks": true, "confirmationPolicy": {"type": "always", "blockUnconfirmedBookingsInBooker": true}})),
        [book(TALK, TEN, "ann"), book(TALK, TEN, "bob")],
        One
    );
    two_bookings_by_turns => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({})),
        [book(TALK, TEN, "ann"), book(TALK, NOON, "bob")],
        Both
    );
    a_series_and_a_booking => (
        talk(json!({"recurrence": {"interval": 1, "occurrences": 3, "frequency": "weekly"}}))
            + &event_type(OTHER, None, &HOSTS[..1], &json!({})),
        [book(TALK, TEN, "ann"), book(OTHER, "2027-03-16T10:00:00Z", "bob")],
        One
    );
    a_group_and_a_booking => (
        seed::GROUPS.to_owned() + &talk(json!({})),
        [group(TEN, "ann"), book(TALK, TEN, "bob")],
        One
    );
    two_groups_with_a_common_host => (
        seed::GROUPS.to_owned(),
        [group(TEN, "ann"), group(TEN, "bob")],
        One
    );
    a_booking_by_a_host_who_is_booked => (
        talk(json!({})) + &event_type(OTHER, Some("collective"), &HOSTS[1..2], &json!({})),
        [
            Call { caller: Caller::User(HOSTS[1]), ..book(TALK, TEN, "host202") },
            book(OTHER, TEN, "bob"),
        ],
        Any
    );
    }
    seats {
    two_visitors_of_one_free_seat => (
        talk(json!({"seats": {"seatsPerTimeSlot": 2}}))
            + &Seed { seats: Some((2, &["eve"])), ..Seed::new("seats", TALK, TEN) }.sql(),
        [book(TALK, TEN, "ann"), book(TALK, TEN, "bob")],
        One
    );
    two_first_visitors_of_seats => (
        talk(json!({"seats": {"seatsPerTimeSlot": 2}})),
        [book(TALK, TEN, "ann"), book(TALK, TEN, "bob")],
        Both
    );
    a_seat_and_a_booking_of_another_event_type => (
        talk(json!({"seats": {"seatsPerTimeSlot": 2}})) + &event_type(OTHER, None, &HOSTS[..1], &json!({})),
        [book(TALK, TEN, "ann"), book(OTHER, TEN, "bob")],
        One
    );
    one_person_takes_two_seats => (
        talk(json!({"seats": {"seatsPerTimeSlot": 3}})),
        [book(TALK, TEN, "ann"), book(TALK, TEN, "ann")],
        One
    );
    a_seat_and_a_reservation_of_one_free_seat => (
        talk(json!({"seats": {"seatsPerTimeSlot": 2}}))
            + &Seed { seats: Some((2, &["eve"])), ..Seed::new("seats", TALK, TEN) }.sql(),
        [book(TALK, TEN, "ann"), reserve(TALK, TEN)],
        One
    );
    a_seat_and_the_cancellation_of_the_booking => (
        talk(json!({"seats": {"seatsPerTimeSlot": 2}}))
            + &Seed { seats: Some((2, &["eve"])), ..Seed::new("seats", TALK, TEN) }.sql(),
        [book(TALK, TEN, "ann"), by_host(cancel("seats"))],
        Any
    );
    a_seat_and_the_cancellation_of_the_only_one => (
        talk(json!({"seats": {"seatsPerTimeSlot": 1}}))
            + &Seed { seats: Some((1, &["eve"])), ..Seed::new("seats", TALK, TEN) }.sql(),
        [
            book(TALK, TEN, "ann"),
            call("POST", "/v2/bookings/seats/cancel", json!({"seatUid": "seat-eve"})),
        ],
        Any
    );
    }
    limits {
    one_booking_left_of_a_day => (
        talk(json!({"bookingLimitsCount": {"day": 2}})) + &Seed::new("first", TALK, NOON).sql(),
        [book(TALK, TEN, "ann"), book(TALK, ELEVEN, "bob")],
        One
    );
    half_an_hour_left_of_a_day => (
        talk(json!({"bookingLimitsDuration": {"day": 60}})) + &Seed::new("first", TALK, NOON).sql(),
        [book(TALK, TEN, "ann"), book(TALK, ELEVEN, "bob")],
        One
    );
    one_booking_left_of_a_day_for_two_hosts => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({"bookingLimitsCount": {"day": 1}})),
        [book(TALK, TEN, "ann"), book(TALK, ELEVEN, "bob")],
        One
    );
    one_booking_left_of_a_booker => (
        talk(json!({"bookerActiveBookingsLimit": {"maximumActiveBookings": 1}})),
        [book(TALK, TEN, "ann"), book(TALK, ELEVEN, "ann")],
        One
    );
    }
    reschedules {
    a_booking_and_a_reschedule_onto_its_time => (
        talk(json!({})) + &Seed::new("moved", TALK, NOON).sql(),
        [book(TALK, TEN, "ann"), reschedule("moved", TEN)],
        One
    );
    a_booking_of_the_time_that_a_reschedule_frees => (
        talk(json!({})) + &Seed::new("moved", TALK, TEN).sql(),
        [book(TALK, TEN, "ann"), reschedule("moved", NOON)],
        Any
    );
    reschedules_of_two_bookings_onto_one_time => (
        talk(json!({})) + &Seed::new("first", TALK, NOON).sql() + &Seed::new("second", TALK, ELEVEN).sql(),
        [reschedule("first", TEN), reschedule("second", TEN)],
        One
    );
    reschedules_that_swap_two_bookings => (
        talk(json!({})) + &Seed::new("first", TALK, NOON).sql() + &Seed::new("second", TALK, ELEVEN).sql(),
        [reschedule("first", ELEVEN), reschedule("second", TEN)],
        Any
    );
    two_reschedules_of_one_booking => (
        talk(json!({})) + &Seed::new("first", TALK, NOON).sql(),
        [reschedule("first", TEN), reschedule("first", ELEVEN)],
        One
    );
    a_reschedule_and_a_cancellation => (
        talk(json!({})) + &Seed::new("first", TALK, NOON).sql(),
        [reschedule("first", TEN), cancel("first")],
        One
    );
    reschedules_of_two_seats_onto_the_last_one => (
        talk(json!({"seats": {"seatsPerTimeSlot": 2}}))
            + &Seed { seats: Some((2, &["ann", "bob"])), ..Seed::new("old", TALK, NOON) }.sql()
            + &Seed { seats: Some((2, &["eve"])), ..Seed::new("new", TALK, TEN) }.sql(),
        [reschedule_seat("ann"), reschedule_seat("bob")],
        One
    );
    }
    reservations {
    a_booking_and_a_reservation => (
        talk(json!({})),
        [book(TALK, TEN, "ann"), reserve(TALK, TEN)],
        One
    );
    two_reservations => (
        talk(json!({})),
        [reserve(TALK, TEN), reserve(TALK, TEN)],
        One
    );
    two_reservations_of_two_event_types_of_a_host => (
        talk(json!({"slotInterval": 15})) + &event_type(OTHER, None, &HOSTS[..1], &json!({})),
        [reserve(TALK, QUARTER_PAST), reserve(OTHER, TEN)],
        One
    );
    two_round_robin_reservations => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({})),
        [reserve(TALK, TEN), reserve(TALK, TEN)],
        Both
    );
    a_reschedule_and_a_reservation => (
        talk(json!({})) + &Seed::new("moved", TALK, NOON).sql(),
        [reschedule("moved", TEN), reserve(TALK, TEN)],
        One
    );
    a_booking_and_a_cancellation => (
        talk(json!({})) + &Seed::new("first", TALK, TEN).sql(),
        [book(TALK, TEN, "ann"), cancel("first")],
        Any
    );
    two_cancellations => (
        talk(json!({})) + &Seed::new("first", TALK, TEN).sql(),
        [cancel("first"), by_host(cancel("first"))],
        One
    );
    }
    changes_of_hours {
    a_booking_and_shorter_working_hours => (
        talk(json!({})),
        [
            book(TALK, TEN, "ann"),
            change_schedule(
                json!({"availability": [{"days": ["Tuesday"], "startTime": "12:00", "endTime": "17:00"}]}),
            ),
        ],
        Any
    );
    a_booking_and_a_day_off => (
        talk(json!({})),
        [
            book(TALK, TEN, "ann"),
            change_schedule(
                json!({"overrides": [{"date": "2027-03-02", "startTime": "00:00", "endTime": "00:00"}]}),
            ),
        ],
        Any
    );
    a_booking_and_an_absence => (
        talk(json!({})),
        [
            book(TALK, TEN, "ann"),
            take_absence(),
        ],
        Any
    );
    }
    changes_of_event_types {
    a_booking_and_another_length => (
        talk(json!({})),
        [book(TALK, NINE, "ann"), change_event_type(json!({"lengthInMinutes": 45}))],
        Both
    );
    a_booking_and_new_buffers => (
        talk(json!({})) + &Seed::new("first", TALK, "2027-03-02T10:30:00Z").sql(),
        [book(TALK, TEN, "ann"), change_event_type(json!({"afterEventBuffer": 30}))],
        Any
    );
    a_booking_and_fewer_seats => (
        talk(json!({"seats": {"seatsPerTimeSlot": 3}})),
        [book(TALK, TEN, "ann"), change_event_type(json!({"seats": {"seatsPerTimeSlot": 1}}))],
        Both
    );
    a_booking_and_the_end_of_seats => (
        talk(json!({"seats": {"seatsPerTimeSlot": 2}}))
            + &Seed { seats: Some((2, &["eve"])), ..Seed::new("seats", TALK, TEN) }.sql(),
        [book(TALK, TEN, "ann"), change_event_type(json!({"seats": {"disabled": true}}))],
        Any
    );
    a_booking_and_a_lower_limit => (
        talk(json!({})) + &Seed::new("first", TALK, NOON).sql(),
        [book(TALK, TEN, "ann"), change_event_type(json!({"bookingLimitsCount": {"day": 1}}))],
        Any
    );
    a_booking_and_the_hiding_of_its_event_type => (
        talk(json!({})),
        [book(TALK, TEN, "ann"), change_event_type(json!({"hidden": true}))],
        Any
    );
    a_booking_and_the_deletion_of_its_event_type => (
        talk(json!({})),
        [book(TALK, TEN, "ann"), by_host(call("DELETE", format!("/v2/event-types/{TALK}"), Value::Null))],
        Any
    );
    a_reservation_and_the_deletion_of_its_event_type => (
        talk(json!({})),
        // Ends with the event type.
        [reserve(TALK, TEN), by_host(call("DELETE", format!("/v2/event-types/{TALK}"), Value::Null))],
        Any
    );
    a_booking_and_other_hosts => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..1], &json!({})),
        [
            book(TALK, TEN, "ann"),
            by_host(call(
                "PATCH",
                format!("/v2/teams/1/event-types/{TALK}"),
                json!({"hosts": [{"userId": HOSTS[1]}]}),
            )),
        ],
        Both
    );
    }
    actions {
    confirmations_of_two_bookings_at_one_time => (
        talk(json!({"confirmationPolicy": {"type": "always", "blockUnconfirmedBookingsInBooker": false}}))
            + &Seed { status: "pending", ..Seed::new("first", TALK, TEN) }.sql()
            + &Seed { status: "pending", ..Seed::new("second", TALK, TEN) }.sql(),
        [confirm("first"), confirm("second")],
        One
    );
    a_confirmation_and_a_booking => (
        talk(json!({"confirmationPolicy": {"type": "always", "blockUnconfirmedBookingsInBooker": false}}))
            + &event_type(OTHER, None, &HOSTS[..1], &json!({}))
            + &Seed { status: "pending", ..Seed::new("first", TALK, TEN) }.sql(),
        [confirm("first"), book(OTHER, TEN, "ann")],
        One
    );
    a_confirmation_and_a_cancellation => (
        talk(json!({"confirmationPolicy": {"type": "always", "blockUnconfirmedBookingsInBooker": false}}))
            + &Seed { status: "pending", ..Seed::new("first", TALK, TEN) }.sql(),
        [confirm("first"), cancel("first")],
        Any
    );
    a_booking_and_a_reassignment_to_its_host => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({}))
            + &event_type(OTHER, Some("collective"), &HOSTS[1..2], &json!({}))
            + &Seed::new("first", TALK, TEN).sql(),
        [book(OTHER, TEN, "ann"), reassign("first", HOSTS[1])],
        One
    );
    two_reassignments_to_one_host => (
        event_type(TALK, Some("roundRobin"), &HOSTS, &json!({}))
            + &Seed::new("first", TALK, TEN).sql()
            + &Seed { hosts: &HOSTS[2..], ..Seed::new("second", TALK, TEN) }.sql(),
        [reassign("first", HOSTS[1]), reassign("second", HOSTS[1])],
        One
    );
    a_reassignment_and_a_cancellation => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({})) + &Seed::new("first", TALK, TEN).sql(),
        [reassign("first", HOSTS[1]), cancel("first")],
        Any
    );
    a_booking_and_the_deletion_of_its_host => (
        seed::guest_host() + &event_type(TALK, Some("roundRobin"), &[GUEST_HOST, HOSTS[1]], &json!({}))
            + &Seed { hosts: &HOSTS[1..2], ..Seed::new("second", TALK, TEN) }.sql(),
        [book(TALK, TEN, "ann"), delete_guest_host()],
        Any
    );
    a_booking_and_the_deletion_of_a_host_it_replaces => (
        seed::guest_host() + &event_type(TALK, Some("roundRobin"), &[GUEST_HOST, HOSTS[1]], &json!({}))
            + &event_type(OTHER, Some("collective"), &HOSTS[1..2], &json!({}))
            + &Seed { hosts: &[GUEST_HOST], ..Seed::new("first", TALK, TEN) }.sql(),
        [book(OTHER, TEN, "ann"), delete_guest_host()],
        Any
    );
    a_booking_and_the_departure_of_its_host => (
        seed::guest_host() + &event_type(TALK, Some("roundRobin"), &[GUEST_HOST], &json!({})),
        [book(TALK, TEN, "ann"), remove_member(HOSTS[0], 1, GUEST_HOST)],
        Any
    );
    confirmations_of_an_instant_meeting => (
        event_type(TALK, Some("roundRobin"), &HOSTS[..2], &json!({"isInstantEvent": true}))
            + &Seed { status: "awaiting_host", hosts: &HOSTS[..2], ..Seed::new("first", TALK, TEN) }.sql(),
        [
            confirm("first"),
            Call { caller: Caller::User(HOSTS[1]), ..confirm("first") },
        ],
        One
    );
    }
    keys_and_tokens {
    one_idempotency_key_twice => (
        talk(json!({})),
        [
            Call { idempotency_key: Some("key"), ..book(TALK, TEN, "ann") },
            Call { idempotency_key: Some("key"), ..book(TALK, TEN, "ann") },
        ],
        Both
    );
    one_idempotency_key_twice_with_a_code => (
        talk(json!({"requiresBookerEmailVerification": true})) + seed::EMAIL_CODE,
        [with_code(), with_code()],
        Both
    );
    one_idempotency_key_of_two_requests => (
        talk(json!({})),
        [
            Call { idempotency_key: Some("key"), ..book(TALK, TEN, "ann") },
            Call { idempotency_key: Some("key"), ..book(TALK, ELEVEN, "ann") },
        ],
        One
    );
    one_refresh_token_twice => (
        seed::REFRESH_TOKEN.to_owned(),
        [refresh_tokens(), refresh_tokens()],
        Both
    );
    }
    rules_without_constraints {
    the_last_two_owners_of_a_team_leave => (
        seed::team_of_two_owners(),
        [
            remove_member(HOSTS[0], seed::TEAM, seed::TEAM + 1),
            remove_member(HOSTS[1], seed::TEAM, seed::TEAM + 2),
        ],
        One
    );
    two_absences_at_one_time => (
        String::new(),
        [take_absence(), take_absence()],
        One
    );
    }
}

/// Writes about one event type, its hosts, their bookings and their team.
fn writes() -> [(&'static str, Call); 11] {
    let team_event_type = format!("/v2/teams/1/event-types/{TALK}");
    let longer = json!({"lengthInMinutes": 45});
    [
        ("booking", book(TALK, TEN, "ann")),
        ("booking_of_one_host", book(OTHER, TEN, "bob")),
        ("reservation", reserve(TALK, TEN)),
        ("reschedule", reschedule("first", TEN)),
        ("cancellation", cancel("first")),
        ("reassignment", reassign("first", HOSTS[1])),
        ("confirmation", confirm("second")),
        (
            "change",
            by_host(call("PATCH", team_event_type.clone(), longer)),
        ),
        (
            "deletion",
            by_host(call("DELETE", team_event_type, Value::Null)),
        ),
        ("absence", take_absence()),
        ("deletion_of_host", delete_guest_host()),
    ]
}

/// Every write beside itself and every other one, of which one in two.
fn pairs_of_writes(half: usize) -> Vec<Case> {
    let hosts = [HOSTS[0], HOSTS[1], GUEST_HOST];
    let second = Seed {
        status: "pending",
        ..Seed::new("second", OTHER, "2027-03-02T15:00:00Z")
    };
    let setup = seed::guest_host()
        + &event_type(TALK, Some("roundRobin"), &hosts, &json!({}))
        + &event_type(OTHER, None, &HOSTS[..1], &json!({}))
        + &Seed::new("first", TALK, NOON).sql()
        + &second.sql();
    let writes = writes();
    let mut cases = Vec::new();
    for (index, (name, one)) in writes.iter().enumerate() {
        for (other_name, other) in writes.iter().skip(index) {
            let name: &'static str = format!("{name}_and_{other_name}").leak();
            cases.push(Case {
                name,
                setup: setup.clone(),
                calls: [one.clone(), other.clone()],
                winners: Winners::Any,
                rules_apply: !name.contains("change"),
            });
        }
    }
    cases.into_iter().skip(half).step_by(2).collect()
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn one_half_of_all_pairs_of_writes() {
    check_with(pairs_of_writes(0), 1).await;
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn other_half_of_all_pairs_of_writes() {
    check_with(pairs_of_writes(1), 1).await;
}

/// Explores pairs, one after the other.
async fn check(cases: Vec<Case>) {
    check_with(cases, 2).await;
}

async fn check_with(cases: Vec<Case>, preemptions: usize) {
    let mut context = TestContext::start(Locks::Kept).await;
    let mut failures = Vec::new();
    for case in cases {
        let started = std::time::Instant::now();
        match explore(&mut context, &case, preemptions).await {
            Ok(Summary {
                schedules,
                statements,
            }) => println!(
                "{}: {schedules} schedules of {statements:?} statements in {:?}",
                case.name,
                started.elapsed()
            ),
            Err(violation) => failures.push(format!(
                "BOOKING_TEST_SCHEDULE={}={}\n{}",
                case.name, violation.schedule, violation.message
            )),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Pairs that only a lock keeps legal. Constraints and conditions of the database save the others.
const LOCKED: [&str; 25] = [
    "two_bookings_with_overlapping_buffers",
    "two_round_robin_bookings_of_two_hosts",
    "collective_and_round_robin_bookings",
    "two_bookings_of_two_event_types_with_overlapping_buffers",
    "two_bookings_by_turns",
    "two_first_visitors_of_seats",
    "a_seat_and_a_reservation_of_one_free_seat",
    "one_booking_left_of_a_day",
    "half_an_hour_left_of_a_day",
    "one_booking_left_of_a_day_for_two_hosts",
    "one_booking_left_of_a_booker",
    "two_reschedules_of_one_booking",
    "a_reschedule_and_a_cancellation",
    "a_booking_and_a_reservation",
    "two_reservations",
    "two_reservations_of_two_event_types_of_a_host",
    "two_round_robin_reservations",
    "a_reschedule_and_a_reservation",
    "one_idempotency_key_twice",
    "one_idempotency_key_of_two_requests",
    "one_refresh_token_twice",
    "the_last_two_owners_of_a_team_leave",
    "two_absences_at_one_time",
    "confirmations_of_an_instant_meeting",
    "a_confirmation_and_a_cancellation",
];

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn missing_locks_are_noticed() {
    let mut context = TestContext::start(Locks::Removed).await;
    let mut unnoticed = Vec::new();
    for case in all().into_iter().filter(|case| LOCKED.contains(&case.name)) {
        match explore(&mut context, &case, 1).await {
            Err(Violation { schedule, message }) => {
                let first = message.lines().next().unwrap_or_default();
                println!("{}={schedule}: {first}", case.name);
            }
            Ok(_) => unnoticed.push(case.name),
        }
    }
    assert!(
        context.weakened() > 0,
        "the locks are of another form than `gate.rs` knows"
    );
    assert!(unnoticed.is_empty(), "not noticed: {unnoticed:?}");
}
