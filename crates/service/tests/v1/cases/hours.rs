//! Working hours and free times.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    Case {
        name: "POST /v1/availabilities",
        by: OWNER,
        target: |_| "/v1/availabilities".into(),
        body: new_availability,
        wrapper: "availability",
        foreign: Some((|_| "/v1/availabilities".into(), new_availability, 403)),
        missing: Some((
            |_| "/v1/availabilities".into(),
            |world| with(&new_availability(world), "scheduleId", json!(NONE)),
            404,
        )),
        invalid: |world| {
            spoilt(
                &new_availability(world),
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
        Some(|_| format!("/v1/availabilities/{NONE}")),
        Some((availability, 403)),
    ),
    Case {
        name: "PATCH /v1/availabilities/{id}",
        by: OWNER,
        target: availability,
        body: |_| json!({"endTime": "1970-01-01T16:00:00.000Z"}),
        wrapper: "availability",
        foreign: Some((availability, |_| json!({"days": [6]}), 403)),
        missing: Some((
            |_| format!("/v1/availabilities/{NONE}"),
            |_| json!({"days": [6]}),
            404,
        )),
        invalid: |world| {
            spoilt(
                &json!({}),
                &[
                    ("scheduleId", json!(world.schedule)),
                    ("days", json!([9])),
                    ("date", json!("soon")),
                    ("endTime", json!("1970-01-01T08:00:00.000Z")),
                ],
            )
        },
    },
    delete("DELETE /v1/availabilities/{id}", availability, |_| {
        format!("/v1/availabilities/{NONE}")
    }),
    get(
        "GET /v1/schedules",
        "schedules",
        schedules,
        None,
        Some((target!(schedules, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/schedules",
        by: OWNER,
        target: schedules,
        body: |_| json!({"name": "Evenings", "timeZone": "Europe/Rome"}),
        wrapper: "schedule",
        foreign: Some((
            schedules,
            |_| for_owner(json!({"name": "Evenings", "timeZone": "Europe/Rome"})),
            403,
        )),
        missing: None,
        invalid: |_| {
            spoilt(
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
        Some(target!(schedules, nowhere)),
        Some((schedule, 403)),
    ),
    Case {
        name: "PATCH /v1/schedules/{id}",
        by: OWNER,
        target: schedule,
        body: |_| json!({"name": "Mornings"}),
        wrapper: "schedule",
        foreign: Some((schedule, |_| json!({"name": "Mornings"}), 403)),
        missing: Some((
            target!(schedules, nowhere),
            |_| json!({"name": "Mornings"}),
            404,
        )),
        invalid: |_| {
            spoilt(
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
        target!(schedules, nowhere),
    ),
    get(
        "GET /v1/slots",
        "slots",
        slots,
        Some(|_| {
            format!(
                "/v1/slots?eventTypeId={NONE}&startTime=2027-03-04T00:00:00Z&endTime=2027-03-05T00:00:00Z"
            )
        }),
        None,
    ),
];
