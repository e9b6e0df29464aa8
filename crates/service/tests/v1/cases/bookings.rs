//! Bookings and what belongs to them.

use serde_json::{Value, json};

use super::*;

pub static CASES: &[Case] = &[
    get(
        "GET /v1/attendees",
        "attendees",
        attendees,
        None,
        Some((target!(attendees, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/attendees",
        by: OWNER,
        target: attendees,
        body: new_attendee,
        wrapper: "attendee",
        foreign: Some((attendees, new_attendee, 403)),
        missing: Some((
            attendees,
            |world| with(&new_attendee(world), "bookingId", json!(NONE)),
            404,
        )),
        invalid: |world| {
            spoilt(
                &new_attendee(world),
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
        Some(target!(attendees, nowhere)),
        Some((attendee, 403)),
    ),
    Case {
        name: "PATCH /v1/attendees/{id}",
        by: OWNER,
        target: attendee,
        body: |_| json!({"name": "Samuel"}),
        wrapper: "attendee",
        foreign: Some((attendee, |_| json!({"name": "Samuel"}), 403)),
        missing: Some((
            target!(attendees, nowhere),
            |_| json!({"name": "Samuel"}),
            404,
        )),
        invalid: |world| {
            spoilt(
                &json!({}),
                &[
                    ("bookingId", json!(world.booking)),
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
        target!(attendees, nowhere),
    ),
    get(
        "GET /v1/booking-references",
        "booking_references",
        references,
        None,
        Some((target!(references, of_owner), 403)),
    ),
    Case {
        name: "POST /v1/booking-references",
        by: OWNER,
        target: references,
        body: new_reference,
        wrapper: "booking_reference",
        foreign: Some((references, new_reference, 403)),
        missing: Some((
            references,
            |world| with(&new_reference(world), "bookingId", json!(NONE)),
            404,
        )),
        invalid: |world| {
            spoilt(
                &new_reference(world),
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
        Some(target!(references, nowhere)),
        Some((reference, 403)),
    ),
    Case {
        name: "PATCH /v1/booking-references/{id}",
        by: OWNER,
        target: reference,
        body: |_| json!({"deleted": true}),
        wrapper: "booking_reference",
        foreign: Some((reference, |_| json!({"deleted": true}), 403)),
        missing: Some((
            target!(references, nowhere),
            |_| json!({"deleted": true}),
            404,
        )),
        invalid: |world| {
            spoilt(
                &json!({}),
                &[
                    ("uid", json!("x")),
                    ("bookingId", json!(world.booking)),
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
        target!(references, nowhere),
    ),
    Case {
        name: "POST /v1/bookings",
        by: OWNER,
        target: bookings,
        body: booked,
        wrapper: "booking",
        foreign: Some((bookings, |world| for_owner(booked(world)), 403)),
        missing: Some((bookings, |_| new_booking(NONE, FREE), 400)),
        invalid: |world| {
            spoilt(
                &booked(world),
                &[
                    ("start", json!("2027-03-03")),
                    ("start", json!("2020-01-01T10:00:00Z")),
                    ("responses", json!({})),
                    ("responses", json!("Zoë")),
                    ("timeZone", json!("Mars/Olympus")),
                    ("language", json!("klingon")),
                    ("metadata", json!({"a": {}})),
                    ("end", json!(FREE)),
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
        Some(target!(bookings, nowhere)),
        Some((booking, 403)),
    ),
    Case {
        name: "PATCH /v1/bookings/{id}",
        by: OWNER,
        target: booking,
        body: |_| json!({"title": "Renamed", "description": "Bring tea"}),
        wrapper: "booking",
        foreign: Some((booking, |_| json!({"title": "Mine"}), 403)),
        missing: Some((
            target!(bookings, nowhere),
            |_| json!({"title": "Mine"}),
            404,
        )),
        invalid: |_| {
            spoilt(
                &json!({}),
                &[
                    ("title", json!("")),
                    ("description", json!(5)),
                    ("start", json!("tomorrow")),
                    ("start", Value::Null),
                    ("start", json!("2020-01-01T10:00:00Z")),
                    ("end", json!(FREE)),
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
            target!(bookings, nowhere, cancel),
        )
    },
    get(
        "GET /v1/bookings/{id}/recordings",
        "",
        target!(booking, recordings),
        Some(target!(bookings, nowhere, recordings)),
        Some((target!(booking, recordings), 403)),
    ),
    get(
        "GET /v1/bookings/{id}/transcripts",
        "",
        target!(booking, transcripts),
        Some(target!(bookings, nowhere, transcripts)),
        Some((target!(booking, transcripts), 403)),
    ),
    get(
        "GET /v1/bookings/{id}/transcripts/{recordingId}",
        "",
        target!(booking, of_recording),
        Some(target!(bookings, nowhere, of_recording)),
        Some((target!(booking, of_recording), 403)),
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
        Some(|_| format!("/v1/payments/{NONE}")),
        Some((payment, 403)),
    ),
];
