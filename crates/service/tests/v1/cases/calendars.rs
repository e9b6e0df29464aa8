//! Credentials and calendars.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    Case {
        by: OPERATOR,
        ..get(
            "GET /v1/credential-sync",
            "credentials",
            credentials,
            Some(|_| format!("/v1/credential-sync?userId={NONE}")),
            Some((credentials, 403)),
        )
    },
    Case {
        name: "POST /v1/credential-sync",
        by: OPERATOR,
        target: credentials,
        body: |_| json!({"encryptedKey": "k", "appSlug": "zoom"}),
        wrapper: "credential",
        foreign: Some((
            credentials,
            |_| json!({"encryptedKey": "k", "appSlug": "zoom"}),
            403,
        )),
        missing: Some((
            |_| format!("/v1/credential-sync?userId={NONE}"),
            |_| json!({"encryptedKey": "k", "appSlug": "zoom"}),
            404,
        )),
        invalid: |_| {
            spoilt(
                &json!({"encryptedKey": "k", "appSlug": "zoom"}),
                &[
                    ("encryptedKey", json!("")),
                    ("encryptedKey", json!({})),
                    ("appSlug", json!("No Slug")),
                    ("appSlug", Value::Null),
                ],
            )
        },
    },
    Case {
        name: "PATCH /v1/credential-sync",
        by: OPERATOR,
        target: credential,
        body: |_| json!({"encryptedKey": "new"}),
        wrapper: "credential",
        foreign: Some((credential, |_| json!({"encryptedKey": "new"}), 403)),
        missing: Some((
            |_| format!("/v1/credential-sync?userId={OWNER}&credentialId={NONE}"),
            |_| json!({"encryptedKey": "new"}),
            404,
        )),
        invalid: |_| {
            spoilt(
                &json!({"encryptedKey": "new"}),
                &[("encryptedKey", json!(5)), ("appSlug", json!("zoom"))],
            )
        },
    },
    Case {
        by: OPERATOR,
        ..delete("DELETE /v1/credential-sync", credential, |_| {
            format!("/v1/credential-sync?userId={OWNER}&credentialId={NONE}")
        })
    },
    get(
        "GET /v1/destination-calendars",
        "destinationCalendars",
        destinations,
        None,
        Some((target!(destinations, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/destination-calendars",
        by: OWNER,
        target: destinations,
        body: new_destination,
        wrapper: "destinationCalendar",
        foreign: Some((destinations, |world| for_owner(new_destination(world)), 403)),
        missing: Some((
            destinations,
            |world| with(&new_destination(world), "credentialId", json!(NONE)),
            400,
        )),
        invalid: |world| {
            spoilt(
                &new_destination(world),
                &[
                    ("integration", json!("")),
                    ("externalId", Value::Null),
                    ("credentialId", json!("x")),
                    ("eventTypeId", json!(NONE)),
                    ("eventTypeId", json!(world.team_event_type)),
                    ("bookingId", json!(NONE)),
                    ("bookingId", json!("x")),
                ],
            )
        },
    },
    get(
        "GET /v1/destination-calendars/{id}",
        "destinationCalendar",
        destination,
        Some(target!(destinations, nowhere)),
        Some((destination, 403)),
    ),
    Case {
        name: "PATCH /v1/destination-calendars/{id}",
        by: OWNER,
        target: destination,
        body: |_| json!({"externalId": "z"}),
        wrapper: "destinationCalendar",
        foreign: Some((destination, |_| json!({"externalId": "z"}), 403)),
        missing: Some((
            target!(destinations, nowhere),
            |_| json!({"externalId": "z"}),
            404,
        )),
        invalid: |_| {
            spoilt(
                &json!({}),
                &[
                    ("userId", json!(OWNER)),
                    ("credentialId", Value::Null),
                    ("credentialId", json!(NONE)),
                    ("externalId", json!(7)),
                ],
            )
        },
    },
    delete(
        "DELETE /v1/destination-calendars/{id}",
        destination,
        target!(destinations, nowhere),
    ),
    get(
        "GET /v1/selected-calendars",
        "selected_calendars",
        selected_all,
        None,
        Some((target!(selected_all, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/selected-calendars",
        by: OWNER,
        target: selected_all,
        body: |_| json!({"integration": "office365_calendar", "externalId": "me"}),
        wrapper: "selected_calendar",
        foreign: Some((
            selected_all,
            |_| for_owner(json!({"integration": "office365_calendar", "externalId": "me"})),
            403,
        )),
        missing: Some((
            selected_all,
            |_| json!({"integration": "office365_calendar", "externalId": "me", "credentialId": NONE}),
            400,
        )),
        invalid: |_| {
            spoilt(
                &json!({"integration": "office365_calendar", "externalId": "me"}),
                &[
                    ("integration", json!("office365")),
                    ("integration", json!("a_calendar_b_calendar")),
                    ("externalId", json!("")),
                    ("externalId", Value::Null),
                    ("credentialId", json!("x")),
                ],
            )
        },
    },
    get(
        "GET /v1/selected-calendars/{id}",
        "selected_calendar",
        selected,
        Some(|_| format!("/v1/selected-calendars/{OWNER}_google_calendar_other")),
        Some((selected, 403)),
    ),
    Case {
        name: "PATCH /v1/selected-calendars/{id}",
        by: OWNER,
        target: selected,
        body: |_| json!({"externalId": "other"}),
        wrapper: "selected_calendar",
        foreign: Some((selected, |_| json!({"externalId": "other"}), 403)),
        missing: Some((
            |_| format!("/v1/selected-calendars/{OWNER}_google_calendar_other"),
            |_| json!({"externalId": "x"}),
            404,
        )),
        invalid: |_| {
            spoilt(
                &json!({}),
                &[
                    ("userId", json!(OWNER)),
                    ("integration", json!("x")),
                    ("externalId", Value::Null),
                    ("credentialId", json!(0)),
                ],
            )
        },
    },
    delete("DELETE /v1/selected-calendars/{id}", selected, |_| {
        format!("/v1/selected-calendars/{OWNER}_google_calendar_other")
    }),
];
