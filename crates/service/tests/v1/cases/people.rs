//! Teams, memberships, users and webhooks.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    get(
        "GET /v1/memberships",
        "memberships",
        memberships,
        None,
        Some((target!(memberships, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/memberships",
        by: OWNER,
        target: memberships,
        body: new_membership,
        wrapper: "membership",
        foreign: Some((memberships, new_membership, 403)),
        missing: Some((
            memberships,
            |world| with(&new_membership(world), "teamId", json!(NONE)),
            404,
        )),
        invalid: |world| {
            spoilt(
                &new_membership(world),
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
        Some(|world| format!("/v1/memberships/{NONE}_{}", world.team)),
        Some((membership, 403)),
    ),
    Case {
        name: "PATCH /v1/memberships/{id}",
        by: OWNER,
        target: membership,
        body: |_| json!({"role": "ADMIN"}),
        wrapper: "membership",
        foreign: Some((membership, |_| json!({"role": "ADMIN"}), 403)),
        missing: Some((
            |world| format!("/v1/memberships/{NONE}_{}", world.team),
            |_| json!({"role": "ADMIN"}),
            404,
        )),
        invalid: |world| {
            spoilt(
                &json!({}),
                &[
                    ("userId", json!(OWNER)),
                    ("teamId", json!(world.team)),
                    ("role", json!("KING")),
                    ("roleId", json!("x")),
                ],
            )
        },
    },
    delete("DELETE /v1/memberships/{id}", membership, |world| {
        format!("/v1/memberships/{NONE}_{}", world.team)
    }),
    get("GET /v1/teams", "teams", teams, None, None),
    Case {
        name: "POST /v1/teams",
        by: OWNER,
        target: teams,
        body: |_| json!({"name": "Second", "slug": "second", "isPrivate": true}),
        wrapper: "team",
        foreign: Some((
            teams,
            |_| json!({"name": "Second", "slug": "second", "ownerId": OWNER}),
            403,
        )),
        missing: Some((
            teams,
            |_| json!({"name": "Second", "slug": "second", "parentId": NONE}),
            400,
        )),
        invalid: |_| {
            spoilt(
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
        Some(target!(teams, nowhere)),
        Some((team, 403)),
    ),
    Case {
        name: "PATCH /v1/teams/{teamId}",
        by: OWNER,
        target: team,
        body: |_| json!({"name": "Renamed"}),
        wrapper: "team",
        foreign: Some((team, |_| json!({"name": "Renamed"}), 403)),
        missing: Some((target!(teams, nowhere), |_| json!({"name": "Renamed"}), 404)),
        invalid: |_| {
            spoilt(
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
    delete("DELETE /v1/teams/{teamId}", team, target!(teams, nowhere)),
    get("GET /v1/users", "users", users, None, None),
    Case {
        name: "POST /v1/users",
        by: OPERATOR,
        target: users,
        body: new_user,
        wrapper: "user",
        foreign: Some((users, new_user, 403)),
        missing: None,
        invalid: |world| {
            spoilt(
                &new_user(world),
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
        by: OWNER,
        target: owner,
        body: |_| json!({"theme": "DARK", "timeFormat": "TWELVE", "brandColor": "#123456"}),
        wrapper: "user",
        foreign: Some((owner, |_| json!({"theme": "DARK"}), 403)),
        missing: Some((target!(users, nowhere), |_| json!({"theme": "DARK"}), 403)),
        invalid: |_| {
            spoilt(
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
        by: OPERATOR,
        ..delete(
            "DELETE /v1/users/{userId}",
            |_| format!("/v1/users/{STRANGER}"),
            target!(users, nowhere),
        )
    },
    get(
        "GET /v1/webhooks",
        "webhooks",
        webhooks,
        None,
        Some((target!(webhooks, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/webhooks",
        by: OWNER,
        target: webhooks,
        body: hook,
        wrapper: "webhook",
        foreign: Some((
            webhooks,
            |world| with(&hook(world), "eventTypeId", json!(world.event_type)),
            403,
        )),
        missing: Some((
            webhooks,
            |world| with(&hook(world), "eventTypeId", json!(NONE)),
            400,
        )),
        invalid: |world| {
            spoilt(
                &hook(world),
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
        by: OWNER,
        target: webhook,
        body: |_| json!({"active": false}),
        wrapper: "webhook",
        foreign: Some((webhook, |_| json!({"active": false}), 403)),
        missing: Some((
            |_| "/v1/webhooks/unknown".into(),
            |_| json!({"active": false}),
            404,
        )),
        invalid: |world| {
            spoilt(
                &json!({}),
                &[
                    ("eventTypeId", json!(world.event_type)),
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
