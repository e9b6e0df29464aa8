//! Event types.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    get(
        "GET /v1/event-types",
        "event_types",
        event_types,
        None,
        Some((target!(event_types, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/event-types",
        caller_id: OWNER,
        target: event_types,
        body: new_event_type,
        wrapper: "event_type",
        forbidden: Some((
            event_types,
            |app| {
                with_property(
                    &with_property(&new_event_type(app), "teamId", json!(app.team)),
                    "schedulingType",
                    json!("COLLECTIVE"),
                )
            },
            403,
        )),
        not_found: Some((
            event_types,
            |app| with_property(&new_event_type(app), "teamId", json!(UNKNOWN_ID)),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &new_event_type(app),
                &[
                    ("title", json!(" ")),
                    ("slug", json!("--")),
                    ("length", json!(0)),
                    ("length", json!("15")),
                    ("metadata", json!([])),
                    ("length", json!(1441)),
                    ("scheduleId", json!(UNKNOWN_ID)),
                    ("schedulingType", json!("COLLECTIVE")),
                    ("hosts", json!([{"userId": OWNER}])),
                    ("parentId", json!(app.event_type)),
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
        Some(target!(event_types, unknown_id)),
        Some((event_type, 403)),
    ),
    Case {
        name: "PATCH /v1/event-types/{id}",
        caller_id: OWNER,
        target: event_type,
        body: |_| json!({"length": 45, "position": 3}),
        wrapper: "event_type",
        forbidden: Some((event_type, |_| json!({"length": 45}), 403)),
        not_found: Some((
            target!(event_types, unknown_id),
            |_| json!({"length": 45}),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &json!({}),
                &[
                    ("teamId", json!(app.team)),
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
        target!(event_types, unknown_id),
    ),
    get(
        "GET /v1/teams/{teamId}/event-types",
        "event_types",
        team_event_types,
        Some(|_| format!("/v1/teams/{UNKNOWN_ID}/event-types")),
        Some((team_event_types, 403)),
    ),
];
