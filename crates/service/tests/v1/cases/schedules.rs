//! Schedules, their availability, and slots.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    Case {
        name: "POST /v1/availabilities",
        caller_id: OWNER,
        target: |_| "/v1/availabilities".into(),
        body: new_availability,
        wrapper: "availability",
        forbidden: Some((|_| "/v1/availabilities".into(), new_availability, 403)),
        not_found: Some((
            |_| "/v1/availabilities".into(),
            |app| with_property(&new_availability(app), "scheduleId", json!(UNKNOWN_ID)),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &new_availability(app),
                &[
                    ("days", json!([7])),
                    ("days", json!([1, 1])),
                    ("days", json!("Monday")),
                    ("days", json!([])),
                    ("days", json!([1])),
                    ("date", json!("2027-03-29")),
                    ("startTime", json!("09:00")),
                    ("endTime", json!("1970-01-01T10:00:00.000Z")),
                    ("endTime", json!("1970-01-01T09:00:00.000Z")),
                    ("scheduleId", json!("x")),
                ],
            )
        },
    },
    get(
        "GET /v1/availabilities/{id}",
        "availability",
        availability,
        Some(|_| format!("/v1/availabilities/{UNKNOWN_ID}")),
        Some((availability, 403)),
    ),
    Case {
        name: "PATCH /v1/availabilities/{id}",
        caller_id: OWNER,
        target: availability,
        body: |_| json!({"endTime": "1970-01-01T16:00:00.000Z"}),
        wrapper: "availability",
        forbidden: Some((availability, |_| json!({"days": [6]}), 403)),
        not_found: Some((
            |_| format!("/v1/availabilities/{UNKNOWN_ID}"),
            |_| json!({"days": [6]}),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &json!({}),
                &[
                    ("scheduleId", json!(app.schedule)),
                    ("days", json!([9])),
                    ("date", json!("soon")),
                    ("endTime", json!("1970-01-01T08:00:00.000Z")),
                ],
            )
        },
    },
    delete("DELETE /v1/availabilities/{id}", availability, |_| {
        format!("/v1/availabilities/{UNKNOWN_ID}")
    }),
    get(
        "GET /v1/schedules",
        "schedules",
        schedules,
        None,
        Some((target!(schedules, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/schedules",
        caller_id: OWNER,
        target: schedules,
        body: |_| json!({"name": "Evenings", "timeZone": "Europe/Rome"}),
        wrapper: "schedule",
        forbidden: Some((
            schedules,
            |_| with_owner_id(json!({"name": "Evenings", "timeZone": "Europe/Rome"})),
            403,
        )),
        not_found: None,
        invalid_bodies: |_| {
            invalid_variants(
                &json!({"name": "Evenings", "timeZone": "Europe/Rome"}),
                &[
                    ("name", json!("")),
                    ("name", json!("x".repeat(256))),
                    ("timeZone", json!("Rome")),
                    ("timeZone", json!(1)),
                    ("userId", json!("x")),
                ],
            )
        },
    },
    get(
        "GET /v1/schedules/{id}",
        "schedule",
        schedule,
        Some(target!(schedules, unknown_id)),
        Some((schedule, 403)),
    ),
    Case {
        name: "PATCH /v1/schedules/{id}",
        caller_id: OWNER,
        target: schedule,
        body: |_| json!({"name": "Mornings"}),
        wrapper: "schedule",
        forbidden: Some((schedule, |_| json!({"name": "Mornings"}), 403)),
        not_found: Some((
            target!(schedules, unknown_id),
            |_| json!({"name": "Mornings"}),
            404,
        )),
        invalid_bodies: |_| {
            invalid_variants(
                &json!({}),
                &[
                    ("name", Value::Null),
                    ("timeZone", Value::Null),
                    ("timeZone", json!("x")),
                    ("userId", json!(OWNER)),
                ],
            )
        },
    },
    delete(
        "DELETE /v1/schedules/{id}",
        schedule,
        target!(schedules, unknown_id),
    ),
    get(
        "GET /v1/slots",
        "slots",
        slots,
        Some(|_| {
            format!(
                "/v1/slots?eventTypeId={UNKNOWN_ID}&startTime=2027-03-04T00:00:00Z&endTime=2027-03-05T00:00:00Z"
            )
        }),
        None,
    ),
];
