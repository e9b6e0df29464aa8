//! Bookings, attendees, references and payments.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    get(
        "GET /v1/attendees",
        "attendees",
        attendees,
        None,
        Some((target!(attendees, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/attendees",
        caller_id: OWNER,
        target: attendees,
        body: new_attendee,
        wrapper: "attendee",
        forbidden: Some((attendees, new_attendee, 403)),
        not_found: Some((
            attendees,
            |app| with_property(&new_attendee(app), "bookingId", json!(UNKNOWN_ID)),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &new_attendee(app),
                &[
                    ("bookingId", json!("one")),
                    ("bookingId", json!(0)),
                    ("name", json!("")),
                    ("name", json!(5)),
                    ("email", json!("nobody")),
                    ("timeZone", json!("Mars/Olympus")),
                    ("timeZone", Value::Null),
                ],
            )
        },
    },
    get(
        "GET /v1/attendees/{id}",
        "attendee",
        attendee,
        Some(target!(attendees, unknown_id)),
        Some((attendee, 403)),
    ),
    Case {
        name: "PATCH /v1/attendees/{id}",
        caller_id: OWNER,
        target: attendee,
        body: |_| json!({"name": "Samuel"}),
        wrapper: "attendee",
        forbidden: Some((attendee, |_| json!({"name": "Samuel"}), 403)),
        not_found: Some((
            target!(attendees, unknown_id),
            |_| json!({"name": "Samuel"}),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &json!({}),
                &[
                    ("bookingId", json!(app.booking)),
                    ("name", Value::Null),
                    ("email", json!("nobody")),
                    ("timeZone", json!(1)),
                ],
            )
        },
    },
    delete(
        "DELETE /v1/attendees/{id}",
        attendee,
        target!(attendees, unknown_id),
    ),
    get(
        "GET /v1/booking-references",
        "booking_references",
        references,
        None,
        Some((target!(references, owner_filter), 403)),
    ),
    Case {
        name: "POST /v1/booking-references",
        caller_id: OWNER,
        target: references,
        body: new_reference,
        wrapper: "booking_reference",
        forbidden: Some((references, new_reference, 403)),
        not_found: Some((
            references,
            |app| with_property(&new_reference(app), "bookingId", json!(UNKNOWN_ID)),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &new_reference(app),
                &[
                    ("type", json!("")),
                    ("uid", Value::Null),
                    ("bookingId", json!(true)),
                    ("bookingId", Value::Null),
                    ("meetingUrl", json!("javascript:alert(1)")),
                    ("deleted", json!("no")),
                    ("credentialId", json!(-1)),
                ],
            )
        },
    },
    get(
        "GET /v1/booking-references/{id}",
        "booking_reference",
        reference,
        Some(target!(references, unknown_id)),
        Some((reference, 403)),
    ),
    Case {
        name: "PATCH /v1/booking-references/{id}",
        caller_id: OWNER,
        target: reference,
        body: |_| json!({"deleted": true}),
        wrapper: "booking_reference",
        forbidden: Some((reference, |_| json!({"deleted": true}), 403)),
        not_found: Some((
            target!(references, unknown_id),
            |_| json!({"deleted": true}),
            404,
        )),
        invalid_bodies: |app| {
            invalid_variants(
                &json!({}),
                &[
                    ("uid", json!("x")),
                    ("bookingId", json!(app.booking)),
                    ("meetingUrl", json!("https://x.example")),
                    ("deleted", json!(1)),
                    ("type", Value::Null),
                ],
            )
        },
    },
    delete(
        "DELETE /v1/booking-references/{id}",
        reference,
        target!(references, unknown_id),
    ),
    Case {
        name: "POST /v1/bookings",
        caller_id: OWNER,
        target: bookings,
        body: new_booking,
        wrapper: "booking",
        forbidden: Some((bookings, |app| with_owner_id(new_booking(app)), 403)),
        not_found: Some((bookings, |_| booking_body(UNKNOWN_ID, FREE_SLOT), 400)),
        invalid_bodies: |app| {
            invalid_variants(
                &new_booking(app),
                &[
                    ("start", json!("2027-03-03")),
                    ("start", json!("2020-01-01T10:00:00Z")),
                    ("responses", json!({})),
                    ("responses", json!("Zoë")),
                    ("timeZone", json!("Mars/Olympus")),
                    ("language", json!("klingon")),
                    ("metadata", json!({"a": {}})),
                    ("end", json!(FREE_SLOT)),
                    ("end", json!("2027-03-03T10:45:00Z")),
                    ("recurringCount", json!(2)),
                    ("status", json!("accepted")),
                    ("rescheduleUid", json!("none")),
                    ("title", json!(5)),
                    ("seatsShowAttendees", json!("yes")),
                    ("userId", json!("x")),
                ],
            )
        },
    },
    get(
        "GET /v1/bookings/{id}",
        "booking",
        booking,
        Some(target!(bookings, unknown_id)),
        Some((booking, 403)),
    ),
    Case {
        name: "PATCH /v1/bookings/{id}",
        caller_id: OWNER,
        target: booking,
        body: |_| json!({"title": "Renamed", "description": "Bring tea"}),
        wrapper: "booking",
        forbidden: Some((booking, |_| json!({"title": "Mine"}), 403)),
        not_found: Some((
            target!(bookings, unknown_id),
            |_| json!({"title": "Mine"}),
            404,
        )),
        invalid_bodies: |_| {
            invalid_variants(
                &json!({}),
                &[
                    ("title", json!("")),
                    ("description", json!(5)),
                    ("start", json!("tomorrow")),
                    ("start", Value::Null),
                    ("start", json!("2020-01-01T10:00:00Z")),
                    ("end", json!(FREE_SLOT)),
                    ("status", json!("DONE")),
                    ("status", json!("CANCELLED")),
                    ("status", json!("ACCEPTED")),
                    ("cancelledBy", json!("nobody")),
                    ("cancelledBy", json!("zoe@example.org")),
                    ("rescheduledBy", json!("zoe@example.org")),
                ],
            )
        },
    },
    Case {
        wrapper: "success",
        ..delete(
            "DELETE /v1/bookings/{id}/cancel",
            target!(booking, cancel),
            target!(bookings, unknown_id, cancel),
        )
    },
    get(
        "GET /v1/bookings/{id}/recordings",
        "",
        target!(booking, recordings),
        Some(target!(bookings, unknown_id, recordings)),
        Some((target!(booking, recordings), 403)),
    ),
    get(
        "GET /v1/bookings/{id}/transcripts",
        "",
        target!(booking, transcripts),
        Some(target!(bookings, unknown_id, transcripts)),
        Some((target!(booking, transcripts), 403)),
    ),
    get(
        "GET /v1/bookings/{id}/transcripts/{recordingId}",
        "",
        target!(booking, recording_transcript),
        Some(target!(bookings, unknown_id, recording_transcript)),
        Some((target!(booking, recording_transcript), 403)),
    ),
    get(
        "GET /v1/payments",
        "payments",
        |_| "/v1/payments".into(),
        None,
        None,
    ),
    get(
        "GET /v1/payments/{id}",
        "payment",
        payment,
        Some(|_| format!("/v1/payments/{UNKNOWN_ID}")),
        Some((payment, 403)),
    ),
];
