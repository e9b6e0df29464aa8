//! Teams, memberships, users and webhooks.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    get(
        "GET /v1/memberships",
        "memberships",
        memberships,
        None,
        Some((target!(memberships, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/memberships",
        caller_id: OWNER,
        target: memberships,
        body: new_membership,
        wrapper: "membership",
        forbidden: Some((memberships, new_membership, 403)),
        not_found: Some((
            memberships,
            |app| with_property(&new_membership(app), "teamId", json!(UNKNOWN_ID)),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &new_membership(app),
                &[
                    ("userId", json!("x")),
                    ("userId", json!(0)),
                    ("role", json!("member")),
                    ("accepted", json!(1)),
                    ("disableImpersonation", json!("no")),
                    ("roleId", json!("owner_role")),
                ],
            )
        },
    },
    get(
        "GET /v1/memberships/{id}",
        "membership",
        membership,
        Some(|app| format!("/v1/memberships/{UNKNOWN_ID}_{}", app.team)),
        Some((membership, 403)),
    ),
    Case {
        name: "PATCH /v1/memberships/{id}",
        caller_id: OWNER,
        target: membership,
        body: |_| json!({"role": "ADMIN"}),
        wrapper: "membership",
        forbidden: Some((membership, |_| json!({"role": "ADMIN"}), 403)),
        not_found: Some((
            |app| format!("/v1/memberships/{UNKNOWN_ID}_{}", app.team),
            |_| json!({"role": "ADMIN"}),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &json!({}),
                &[
                    ("userId", json!(OWNER)),
                    ("teamId", json!(app.team)),
                    ("role", json!("KING")),
                    ("roleId", json!("x")),
                ],
            )
        },
    },
    delete("DELETE /v1/memberships/{id}", membership, |app| {
        format!("/v1/memberships/{UNKNOWN_ID}_{}", app.team)
    }),
    get("GET /v1/teams", "teams", teams, None, None),
    Case {
        name: "POST /v1/teams",
        caller_id: OWNER,
        target: teams,
        body: |_| json!({"name": "Second", "slug": "second", "isPrivate": true}),
        wrapper: "team",
        forbidden: Some((
            teams,
            |_| json!({"name": "Second", "slug": "second", "ownerId": OWNER}),
            403,
        )),
        not_found: Some((
            teams,
            |_| json!({"name": "Second", "slug": "second", "parentId": UNKNOWN_ID}),
            400,
        )),
        invalid_bodies: |_| {
            invalid_variants(
                &json!({"name": "Second", "slug": "second"}),
                &[
                    ("name", json!("")),
                    ("slug", json!("No Slug")),
                    ("slug", Value::Null),
                    ("brandColor", json!("red")),
                    ("timeZone", json!("Rome")),
                    ("weekStart", json!("someday")),
                    ("isPrivate", json!("no")),
                ],
            )
        },
    },
    get(
        "GET /v1/teams/{teamId}",
        "team",
        team,
        Some(target!(teams, unknown_id)),
        Some((team, 403)),
    ),
    Case {
        name: "PATCH /v1/teams/{teamId}",
        caller_id: OWNER,
        target: team,
        body: |_| json!({"name": "Renamed"}),
        wrapper: "team",
        forbidden: Some((team, |_| json!({"name": "Renamed"}), 403)),
        not_found: Some((
            target!(teams, unknown_id),
            |_| json!({"name": "Renamed"}),
            404,
        )),
        invalid_bodies: |_| {
            invalid_variants(
                &json!({}),
                &[
                    ("name", Value::Null),
                    ("slug", json!("A B")),
                    ("ownerId", json!(OWNER)),
                    ("parentId", json!(1)),
                ],
            )
        },
    },
    delete(
        "DELETE /v1/teams/{teamId}",
        team,
        target!(teams, unknown_id),
    ),
    get("GET /v1/users", "users", users, None, None),
    Case {
        name: "POST /v1/users",
        caller_id: OPERATOR,
        target: users,
        body: new_user,
        wrapper: "user",
        forbidden: Some((users, new_user, 403)),
        not_found: None,
        invalid_bodies: |app| {
            invalid_variants(
                &new_user(app),
                &[
                    ("email", json!("nobody")),
                    ("username", json!("No Name")),
                    ("username", Value::Null),
                    ("timeFormat", json!(24)),
                    ("theme", json!("dark")),
                    ("weekStart", json!(1)),
                    ("avatar", json!("not base64")),
                    ("brandColor", json!("red")),
                    ("locale", json!("klingon")),
                    ("hideBranding", json!(1)),
                    ("timeZone", json!("Rome")),
                ],
            )
        },
    },
    get("GET /v1/users/{userId}", "user", owner, None, None),
    Case {
        name: "PATCH /v1/users/{userId}",
        caller_id: OWNER,
        target: owner,
        body: |_| json!({"theme": "DARK", "timeFormat": "TWELVE", "brandColor": "#123456"}),
        wrapper: "user",
        forbidden: Some((owner, |_| json!({"theme": "DARK"}), 403)),
        not_found: Some((
            target!(users, unknown_id),
            |_| json!({"theme": "DARK"}),
            403,
        )),
        invalid_bodies: |_| {
            invalid_variants(
                &json!({}),
                &[
                    ("email", Value::Null),
                    ("username", json!("No Name")),
                    ("theme", json!("BLUE")),
                    ("timeFormat", json!("13")),
                    ("isAdmin", json!(true)),
                ],
            )
        },
    },
    Case {
        caller_id: OPERATOR,
        ..delete(
            "DELETE /v1/users/{userId}",
            |_| format!("/v1/users/{STRANGER}"),
            target!(users, unknown_id),
        )
    },
    get(
        "GET /v1/webhooks",
        "webhooks",
        webhooks,
        None,
        Some((target!(webhooks, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/webhooks",
        caller_id: OWNER,
        target: webhooks,
        body: new_webhook,
        wrapper: "webhook",
        forbidden: Some((
            webhooks,
            |app| with_property(&new_webhook(app), "eventTypeId", json!(app.event_type)),
            403,
        )),
        not_found: Some((
            webhooks,
            |app| with_property(&new_webhook(app), "eventTypeId", json!(UNKNOWN_ID)),
            400,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &new_webhook(app),
                &[
                    ("subscriberUrl", json!("ftp://example.org")),
                    ("eventTriggers", json!([])),
                    ("eventTriggers", json!(["BOOKING_DREAMT"])),
                    ("eventTriggers", json!("BOOKING_PAID")),
                    ("active", json!("yes")),
                    ("payloadTemplate", json!(5)),
                    ("version", json!("2021-10-20")),
                    ("triggers", json!(["BOOKING_PAID"])),
                ],
            )
        },
    },
    get(
        "GET /v1/webhooks/{id}",
        "webhook",
        webhook,
        Some(|_| "/v1/webhooks/unknown".into()),
        Some((webhook, 403)),
    ),
    Case {
        name: "PATCH /v1/webhooks/{id}",
        caller_id: OWNER,
        target: webhook,
        body: |_| json!({"active": false}),
        wrapper: "webhook",
        forbidden: Some((webhook, |_| json!({"active": false}), 403)),
        not_found: Some((
            |_| "/v1/webhooks/unknown".into(),
            |_| json!({"active": false}),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &json!({}),
                &[
                    ("eventTypeId", json!(app.event_type)),
                    ("userId", json!(OWNER)),
                    ("active", json!(0)),
                    ("eventTriggers", json!(["X"])),
                ],
            )
        },
    },
    delete("DELETE /v1/webhooks/{id}", webhook, |_| {
        "/v1/webhooks/unknown".into()
    }),
];
