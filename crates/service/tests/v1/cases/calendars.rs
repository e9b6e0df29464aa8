//! Credentials and calendars.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    Case {
        caller_id: OPERATOR,
        ..get(
            "GET /v1/credential-sync",
            "credentials",
            credentials,
            Some(|_| format!("/v1/credential-sync?userId={UNKNOWN_ID}")),
            Some((credentials, 403)),
        )
    },
    Case {
        name: "POST /v1/credential-sync",
        caller_id: OPERATOR,
        target: credentials,
        body: |_| json!({"encryptedKey": "k", "appSlug": "zoom"}),
        wrapper: "credential",
        forbidden: Some((
            credentials,
            |_| json!({"encryptedKey": "k", "appSlug": "zoom"}),
            403,
        )),
        not_found: Some((
            |_| format!("/v1/credential-sync?userId={UNKNOWN_ID}"),
            |_| json!({"encryptedKey": "k", "appSlug": "zoom"}),
            404,
        )),
        invalid_bodies: |_| {
            invalid_variants(
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
        caller_id: OPERATOR,
        target: credential,
        body: |_| json!({"encryptedKey": "new"}),
        wrapper: "credential",
        forbidden: Some((credential, |_| json!({"encryptedKey": "new"}), 403)),
        not_found: Some((
            |_| format!("/v1/credential-sync?userId={OWNER}&credentialId={UNKNOWN_ID}"),
            |_| json!({"encryptedKey": "new"}),
            404,
        )),
        invalid_bodies: |_| {
            invalid_variants(
                &json!({"encryptedKey": "new"}),
                &[("encryptedKey", json!(5)), ("appSlug", json!("zoom"))],
            )
        },
    },
    Case {
        caller_id: OPERATOR,
        ..delete("DELETE /v1/credential-sync", credential, |_| {
            format!("/v1/credential-sync?userId={OWNER}&credentialId={UNKNOWN_ID}")
        })
    },
    get(
        "GET /v1/destination-calendars",
        "destinationCalendars",
        destinations,
        None,
        Some((target!(destinations, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/destination-calendars",
        caller_id: OWNER,
        target: destinations,
        body: new_destination,
        wrapper: "destinationCalendar",
        forbidden: Some((destinations, |app| with_owner_id(new_destination(app)), 403)),
        not_found: Some((
            destinations,
            |app| with_property(&new_destination(app), "credentialId", json!(UNKNOWN_ID)),
            400,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &new_destination(app),
                &[
                    ("integration", json!("")),
                    ("externalId", Value::Null),
                    ("credentialId", json!("x")),
                    ("eventTypeId", json!(UNKNOWN_ID)),
                    ("eventTypeId", json!(app.team_event_type)),
                    ("bookingId", json!(UNKNOWN_ID)),
                    ("bookingId", json!("x")),
                ],
            )
        },
    },
    get(
        "GET /v1/destination-calendars/{id}",
        "destinationCalendar",
        destination,
        Some(target!(destinations, unknown_id)),
        Some((destination, 403)),
    ),
    Case {
        name: "PATCH /v1/destination-calendars/{id}",
        caller_id: OWNER,
        target: destination,
        body: |_| json!({"externalId": "z"}),
        wrapper: "destinationCalendar",
        forbidden: Some((destination, |_| json!({"externalId": "z"}), 403)),
        not_found: Some((
            target!(destinations, unknown_id),
            |_| json!({"externalId": "z"}),
            404,
        )),
        invalid_bodies: |_| {
            invalid_variants(
                &json!({}),
                &[
                    ("userId", json!(OWNER)),
                    ("credentialId", Value::Null),
                    ("credentialId", json!(UNKNOWN_ID)),
                    ("externalId", json!(7)),
                ],
            )
        },
    },
    delete(
        "DELETE /v1/destination-calendars/{id}",
        destination,
        target!(destinations, unknown_id),
    ),
    get(
        "GET /v1/selected-calendars",
        "selected_calendars",
        selected_calendars,
        None,
        Some((target!(selected_calendars, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/selected-calendars",
        caller_id: OWNER,
        target: selected_calendars,
        body: |_| json!({"integration": "office365_calendar", "externalId": "me"}),
        wrapper: "selected_calendar",
        forbidden: Some((
            selected_calendars,
            |_| with_owner_id(json!({"integration": "office365_calendar", "externalId": "me"})),
            403,
        )),
        not_found: Some((
            selected_calendars,
            |_| json!({"integration": "office365_calendar", "externalId": "me", "credentialId": UNKNOWN_ID}),
            400,
        )),
        invalid_bodies: |_| {
            invalid_variants(
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
        selected_calendar,
        Some(|_| format!("/v1/selected-calendars/{OWNER}_google_calendar_other")),
        Some((selected_calendar, 403)),
    ),
    Case {
        name: "PATCH /v1/selected-calendars/{id}",
        caller_id: OWNER,
        target: selected_calendar,
        body: |_| json!({"externalId": "other"}),
        wrapper: "selected_calendar",
        forbidden: Some((selected_calendar, |_| json!({"externalId": "other"}), 403)),
        not_found: Some((
            |_| format!("/v1/selected-calendars/{OWNER}_google_calendar_other"),
            |_| json!({"externalId": "x"}),
            404,
        )),
        invalid_bodies: |_| {
            invalid_variants(
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
    delete(
        "DELETE /v1/selected-calendars/{id}",
        selected_calendar,
        |_| format!("/v1/selected-calendars/{OWNER}_google_calendar_other"),
    ),
];
