//! Histories that the checker must accept or reject.

use std::time::SystemTime;

use serde_json::{Value, json};

use crate::history::{Answer, Attempt, Booking, EventType, Operation, Rules, violations};

/// No buffers, buffers of 10 and 15 minutes, two seats, one booking a day.
fn rules() -> Rules {
    let event_type = |id, before, after, seats, per_day| EventType {
        id,
        minutes: 30,
        before,
        after,
        seats,
        per_day,
    };
    let all = [
        event_type(1, 0, 0, None, None),
        event_type(2, 10, 15, None, None),
        event_type(3, 0, 0, Some(2), None),
        event_type(4, 0, 0, None, Some(1)),
    ];
    Rules::new(all.into_iter())
}

/// A booking of half an hour with host 7, as the API has it.
fn booking(uid: &str, event_type: i64, time: &str, email: &str) -> Value {
    let start = format!("2027-03-08T{time}:00.000Z");
    let end =
        chrono::DateTime::parse_from_rfc3339(&start).unwrap() + chrono::TimeDelta::minutes(30);
    json!({
        "uid": uid, "eventTypeId": event_type, "start": start, "end": end.to_rfc3339(),
        "status": "accepted", "hosts": [{"id": 7}], "attendees": [{"email": email}],
    })
}

fn with(mut booking: Value, key: &str, value: Value) -> Value {
    booking[key] = value;
    booking
}

fn attempt(operation: Operation, answer: Answer) -> Attempt {
    let now = SystemTime::now();
    Attempt {
        operation,
        answer,
        began: now,
        ended: now,
    }
}

/// An attempt that made `data`.
fn booked(data: &Value) -> Attempt {
    let read = Booking::read(data);
    let operation = Operation::Book {
        event_type: read.event_type,
        start: read.start,
        email: read.attendees[0].0.clone(),
    };
    attempt(operation, Answer::Told(201, data.clone()))
}

fn cancelled(uid: &str, seat: Option<&str>) -> Attempt {
    let seat = seat.map(str::to_owned);
    attempt(
        Operation::Cancel {
            uid: uid.into(),
            seat,
        },
        Answer::Told(200, json!({})),
    )
}

fn rescheduled(uid: &str, data: &Value) -> Attempt {
    let start = Booking::read(data).start;
    attempt(
        Operation::Reschedule {
            uid: uid.into(),
            start,
        },
        Answer::Told(201, data.clone()),
    )
}

/// Checks the beginning or a part of the only violation; none if it is empty.
#[track_caller]
fn check(attempts: &[Attempt], found: &[Value], expected: &str) {
    let found: Vec<Booking> = found.iter().map(Booking::read).collect();
    let violations = violations(&rules(), attempts, &found);
    if expected.is_empty() {
        assert!(violations.is_empty(), "{violations:#?}");
    } else {
        assert_eq!(violations.len(), 1, "{violations:#?}");
        assert!(violations[0].contains(expected), "{violations:#?}");
    }
}

/// Checks a history in which both bookings were acknowledged and are found.
#[track_caller]
fn check_both(first: &Value, second: &Value, expected: &str) {
    let attempts = [booked(first), booked(second)];
    check(&attempts, &[first.clone(), second.clone()], expected);
}

#[test]
fn touching_bookings_are_accepted_and_overlapping_ones_rejected() {
    let first = booking("a", 1, "09:00", "a@x");
    check_both(&first, &booking("b", 1, "09:30", "b@x"), "");
    check_both(&first, &booking("b", 1, "09:29", "b@x"), "host 7 overlap");
    check_both(&booking("b", 1, "09:00", "b@x"), &first, "host 7 overlap");
    let of_other_host = with(booking("b", 1, "09:00", "b@x"), "hosts", json!([{"id": 8}]));
    check_both(&first, &of_other_host, "");
    let cancelled = with(
        booking("b", 1, "09:00", "b@x"),
        "status",
        json!("cancelled"),
    );
    let attempts = [booked(&first)];
    check(&attempts, std::slice::from_ref(&first), "");
    let unclear = attempt(
        Operation::Book {
            event_type: 1,
            start: 0,
            email: "b@x".into(),
        },
        Answer::Unknown,
    );
    check(&[booked(&first), unclear], &[first, cancelled], "");
}

#[test]
fn distance_below_buffers_of_both_sides_is_rejected() {
    let wide = booking("a", 2, "09:00", "a@x");
    check_both(&wide, &booking("b", 1, "09:45", "b@x"), "");
    check_both(&wide, &booking("b", 1, "09:44", "b@x"), "host 7 overlap");
    check_both(&wide, &booking("b", 2, "09:55", "b@x"), "");
    check_both(&wide, &booking("b", 2, "09:54", "b@x"), "host 7 overlap");
    let plain = booking("b", 1, "08:20", "b@x");
    check_both(&plain, &wide, "");
    let plain = booking("b", 1, "08:21", "b@x");
    check_both(&plain, &wide, "host 7 overlap");
}

#[test]
fn lost_changed_or_ended_booking_is_rejected() {
    let made = booking("a", 1, "09:00", "a@x");
    let attempts = [booked(&made)];
    check(&attempts, &[], "lost");
    let later = booking("a", 1, "10:00", "a@x");
    check(&attempts, &[later], "changed");
    let other_host = with(made.clone(), "hosts", json!([{"id": 8}]));
    check(&attempts, &[other_host], "changed");
    let ended = with(made.clone(), "status", json!("cancelled"));
    check(
        &attempts,
        std::slice::from_ref(&ended),
        "ended without a request",
    );
    check(&[booked(&made), cancelled("a", None)], &[ended], "");
    check(&[booked(&made), cancelled("a", None)], &[made], "no effect");
}

#[test]
fn unknown_outcome_explains_both_results() {
    let made = booking("a", 1, "09:00", "a@x");
    let ended = with(made.clone(), "status", json!("cancelled"));
    for answer in [Answer::Unknown, Answer::Told(503, Value::Null)] {
        let cancel = Operation::Cancel {
            uid: "a".into(),
            seat: None,
        };
        let attempts = [booked(&made), attempt(cancel, answer)];
        check(&attempts, std::slice::from_ref(&made), "");
        check(&attempts, std::slice::from_ref(&ended), "");
    }
}

#[test]
fn rescheduled_booking_needs_its_successor() {
    let first = booking("a", 1, "09:00", "a@x");
    let second = booking("b", 1, "11:00", "a@x");
    let ended = with(first.clone(), "status", json!("cancelled"));
    let linked = with(ended.clone(), "rescheduledToUid", json!("b"));
    let attempts = [booked(&first), rescheduled("a", &second)];
    check(&attempts, &[linked.clone(), second.clone()], "");
    check(&attempts, &[ended, second.clone()], "no effect");
    check(&attempts, std::slice::from_ref(&linked), "lost");
    let twice = [
        booked(&first),
        rescheduled("a", &second),
        cancelled("a", None),
    ];
    check(&twice, &[linked, second], "ended twice");
}

#[test]
fn rejected_or_unrequested_booking_is_rejected() {
    let made = booking("a", 1, "09:00", "a@x");
    check(&[], std::slice::from_ref(&made), "not requested");
    let mut rejected = booked(&made);
    rejected.answer = Answer::Told(409, Value::Null);
    check(
        &[rejected],
        std::slice::from_ref(&made),
        "was rejected, but made",
    );
    let again = booking("b", 1, "12:00", "a@x");
    check(
        &[booked(&made)],
        &[made.clone(), again],
        "a@x has two bookings",
    );
    let mut failed = booked(&made);
    failed.answer = Answer::Told(500, Value::Null);
    check(&[failed], &[made], "unexpected response");
}

#[test]
fn exceeded_seats_are_rejected() {
    let seat =
        |number: usize| json!({"email": format!("{number}@x"), "seatUid": format!("s{number}")});
    let made = |number: usize| {
        let booking = booking("a", 3, "09:00", &format!("{number}@x"));
        let booking = with(booking, "attendees", json!([seat(number)]));
        booked(&with(booking, "seatUid", json!(format!("s{number}"))))
    };
    let full = |count: usize| {
        let seats: Vec<Value> = (0..count).map(seat).collect();
        with(booking("a", 3, "09:00", ""), "attendees", json!(seats))
    };
    let attempts: Vec<Attempt> = (0..3).map(made).collect();
    check(&attempts[..2], &[full(2)], "");
    check(&attempts, &[full(3)], "seats exceeded");
    check(&attempts, &[full(2)], "ended without a request");
    let cancelled = cancelled("a", Some("s2"));
    let attempts = [&attempts[..], &[cancelled]].concat();
    check(&attempts, &[full(2)], "");
    let without_first = with(full(3), "attendees", json!([seat(1), seat(2)]));
    let violations = violations(&rules(), &attempts, &[Booking::read(&without_first)]);
    assert_eq!(violations.len(), 2, "{violations:#?}");
}

#[test]
fn exceeded_limit_per_day_is_rejected() {
    let first = booking("a", 4, "09:00", "a@x");
    check_both(&first, &booking("b", 4, "23:30", "b@x"), "limit exceeded");
    let mut next_day = booking("b", 4, "23:30", "b@x");
    next_day["start"] = json!("2027-03-09T00:00:00Z");
    next_day["end"] = json!("2027-03-09T00:30:00Z");
    check_both(&first, &next_day, "");
}
