//! What can be booked.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    get(
        "GET /v1/event-types",
        "event_types",
        event_types,
        None,
        Some((target!(event_types, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/event-types",
        by: OWNER,
        target: event_types,
        body: new_event_type,
        wrapper: "event_type",
        foreign: Some((
            event_types,
            |world| {
                with(
                    &with(&new_event_type(world), "teamId", json!(world.team)),
                    "schedulingType",
                    json!("COLLECTIVE"),
                )
            },
            403,
        )),
        missing: Some((
            event_types,
            |world| with(&new_event_type(world), "teamId", json!(NONE)),
            404,
        )),
        invalid: |world| {
            spoilt(
                &new_event_type(world),
                &[
                    ("title", json!(" ")),
                    ("slug", json!("--")),
                    ("length", json!(0)),
                    ("length", json!("15")),
                    ("metadata", json!([])),
                    ("length", json!(1441)),
                    ("scheduleId", json!(NONE)),
                    ("schedulingType", json!("COLLECTIVE")),
                    ("hosts", json!([{"userId": OWNER}])),
                    ("parentId", json!(world.event_type)),
                    ("periodType", json!("ROLLING")),
                    (
                        "recurringEvent",
                        json!({"freq": 2, "interval": 0, "count": 4}),
                    ),
                    ("bookingLimits", json!({"PER_DAY": 0})),
                    ("durationLimits", json!({"PER_DAY": 20})),
                    ("locations", json!([{"type": "integrations:"}])),
                    ("seatsPerTimeSlot", json!(1001)),
                    ("price", json!(-1)),
                    ("currency", json!("euro")),
                    ("teamId", json!("x")),
                ],
            )
        },
    },
    get(
        "GET /v1/event-types/{id}",
        "event_type",
        event_type,
        Some(target!(event_types, nowhere)),
        Some((event_type, 403)),
    ),
    Case {
        name: "PATCH /v1/event-types/{id}",
        by: OWNER,
        target: event_type,
        body: |_| json!({"length": 45, "position": 3}),
        wrapper: "event_type",
        foreign: Some((event_type, |_| json!({"length": 45}), 403)),
        missing: Some((
            target!(event_types, nowhere),
            |_| json!({"length": 45}),
            404,
        )),
        invalid: |world| {
            spoilt(
                &json!({}),
                &[
                    ("teamId", json!(world.team)),
                    ("userId", json!(OWNER)),
                    ("title", Value::Null),
                    ("length", json!(-5)),
                    ("hidden", json!("yes")),
                    ("beforeEventBuffer", json!(721)),
                    ("position", json!(-1)),
                ],
            )
        },
    },
    delete(
        "DELETE /v1/event-types/{id}",
        event_type,
        target!(event_types, nowhere),
    ),
    get(
        "GET /v1/teams/{teamId}/event-types",
        "event_types",
        of_team,
        Some(|_| format!("/v1/teams/{NONE}/event-types")),
        Some((of_team, 403)),
    ),
];
