//! Invitations of series, and of changes to some of their occurrences.

use super::*;

fn series(frequency: &str, interval: i64, zone: &str, starts: &[&str]) -> BookingData {
    let starts: Vec<Instant> = starts.iter().map(|start| at(start)).collect();
    BookingData {
        start: starts[0],
        end: starts[0].plus_minutes(30),
        series: Some(SeriesData {
            frequency: frequency.into(),
            interval,
            time_zone: zone.into(),
            starts,
            ..SeriesData::default()
        }),
        ..booking()
    }
}

#[track_caller]
fn check_series(booking: &BookingData, expected: &[&str]) {
    let mut found = lines(Kind::Booked, booking, &attendee());
    // Those of the time zone come before.
    let event = found
        .iter()
        .position(|line| line == "BEGIN:VEVENT")
        .unwrap();
    found.drain(..event);
    let mut times = values(&found, "DTSTART");
    times.extend(values(&found, "RRULE"));
    times.extend(values(&found, "RDATE"));
    assert_eq!(times, expected);
}

#[test]
fn series_has_a_rule_if_calendars_compute_the_same_starts() {
    check_series(
        &series(
            "weekly",
            2,
            "America/New_York",
            &[
                "2027-03-08T14:00:00Z",
                "2027-03-22T13:00:00Z",
                "2027-04-05T13:00:00Z",
            ],
        ),
        &[
            "DTSTART;TZID=America/New_York:20270308T090000",
            "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3",
        ],
    );
    check_series(
        &series(
            "monthly",
            1,
            "UTC",
            &["2027-01-28T09:00:00Z", "2027-02-28T09:00:00Z"],
        ),
        &["DTSTART:20270128T090000Z", "RRULE:FREQ=MONTHLY;COUNT=2"],
    );
    check_series(
        &series(
            "yearly",
            1,
            "Asia/Kolkata",
            &["2027-01-31T20:00:00Z", "2028-01-31T20:00:00Z"],
        ),
        &[
            "DTSTART;TZID=Asia/Kolkata:20270201T013000",
            "RRULE:FREQ=YEARLY;COUNT=2",
        ],
    );
    // One start is no series.
    check_series(
        &series("weekly", 1, "UTC", &["2027-01-28T09:00:00Z"]),
        &["DTSTART:20270128T090000Z"],
    );
}

#[test]
fn series_lists_its_dates_if_calendars_compute_other_starts() {
    // The 31st; 29 February; a change of clocks; times that clocks skip or show twice; unknown frequency and interval.
    check_series(
        &series(
            "monthly",
            1,
            "Europe/Berlin",
            &[
                "2027-01-31T08:00:00Z",
                "2027-02-28T08:00:00Z",
                "2027-03-31T07:00:00Z",
            ],
        ),
        &[
            "DTSTART;TZID=Europe/Berlin:20270131T090000",
            "RDATE;TZID=Europe/Berlin:20270131T090000",
            "RDATE;TZID=Europe/Berlin:20270228T090000",
            "RDATE;TZID=Europe/Berlin:20270331T090000",
        ],
    );
    check_series(
        &series(
            "yearly",
            1,
            "UTC",
            &["2028-02-29T09:00:00Z", "2029-02-28T09:00:00Z"],
        ),
        &[
            "DTSTART:20280229T090000Z",
            "RDATE:20280229T090000Z",
            "RDATE:20290228T090000Z",
        ],
    );
    check_series(
        &series(
            "weekly",
            1,
            "Europe/Berlin",
            &["2027-03-22T08:00:00Z", "2027-03-29T08:00:00Z"],
        ),
        &[
            "DTSTART;TZID=Europe/Berlin:20270322T090000",
            "RDATE;TZID=Europe/Berlin:20270322T090000",
            "RDATE;TZID=Europe/Berlin:20270329T100000",
        ],
    );
    check_series(
        &series(
            "weekly",
            1,
            "Europe/Berlin",
            &["2027-03-21T01:30:00Z", "2027-03-28T01:30:00Z"],
        ),
        &[
            "DTSTART;TZID=Europe/Berlin:20270321T023000",
            "RDATE;TZID=Europe/Berlin:20270321T023000",
            "RDATE;TZID=Europe/Berlin:20270328T033000",
        ],
    );
    check_series(
        &series(
            "weekly",
            1,
            "Europe/Berlin",
            &["2027-10-24T00:30:00Z", "2027-10-31T00:30:00Z"],
        ),
        &[
            "DTSTART;TZID=Europe/Berlin:20271024T023000",
            "RDATE;TZID=Europe/Berlin:20271024T023000",
            "RDATE:20271031T003000Z",
        ],
    );
    for (frequency, interval) in [
        ("lunar", 1),
        ("weekly", 0),
        ("weekly", i64::MAX),
        ("yearly", 400_000_000),
    ] {
        check_series(
            &series(
                frequency,
                interval,
                "UTC",
                &["2027-01-01T09:00:00Z", "2027-01-08T09:00:00Z"],
            ),
            &[
                "DTSTART:20270101T090000Z",
                "RDATE:20270101T090000Z",
                "RDATE:20270108T090000Z",
            ],
        );
    }
}

#[test]
fn change_of_an_occurrence_has_the_uid_of_the_series() {
    let mut booking = series("weekly", 1, "Asia/Kolkata", &["2027-03-15T08:00:00Z"]);
    if let Some(series) = &mut booking.series {
        series.occurrence = Some(at("2027-03-08T03:30:00Z"));
    }
    for (kind, method) in [
        (Kind::Rescheduled, "METHOD:REQUEST"),
        (Kind::Cancelled, "METHOD:CANCEL"),
    ] {
        let found = lines(kind, &booking, &attendee());
        check_contains(
            &found,
            &[
                method,
                "UID:bk1@booking",
                "RECURRENCE-ID;TZID=Asia/Kolkata:20270308T090000",
                "DTSTART;TZID=Asia/Kolkata:20270315T133000",
                "DTEND;TZID=Asia/Kolkata:20270315T140000",
            ],
        );
        assert!(values(&found, "RRULE").is_empty() && values(&found, "RDATE").is_empty());
    }
}

#[test]
fn moved_occurrence_of_a_whole_series_is_an_event_beside_it() {
    let starts = [
        "2027-03-15T08:00:00Z",
        "2027-03-24T10:00:00Z",
        "2027-03-29T07:00:00Z",
    ];
    let mut booking = series("weekly", 1, "Europe/Berlin", &starts);
    let first = [
        "2027-03-15T08:00:00Z",
        "2027-03-22T08:00:00Z",
        "2027-03-29T07:00:00Z",
    ];
    booking.series.as_mut().unwrap().occurrences = first.map(at).to_vec();
    let found = lines(Kind::Confirmed, &booking, &attendee());
    check_contains(&found, &["RRULE:FREQ=WEEKLY;COUNT=3"]);
    assert_eq!(
        values(&found, "RECURRENCE-ID"),
        ["RECURRENCE-ID;TZID=Europe/Berlin:20270322T090000"]
    );
    let times = values(&found, "DTSTART");
    let of_events = &times[times.len() - 2..];
    assert_eq!(
        of_events,
        [
            "DTSTART;TZID=Europe/Berlin:20270315T090000",
            "DTSTART;TZID=Europe/Berlin:20270324T110000"
        ]
    );
    // The whole entry goes.
    let cancelled = lines(Kind::Cancelled, &booking, &attendee());
    assert!(values(&cancelled, "RECURRENCE-ID").is_empty());
    assert_eq!(values(&cancelled, "UID").len(), 1);
}

#[test]
fn cancellation_of_several_occurrences_leaves_the_others() {
    let starts = ["2027-03-15T08:00:00Z", "2027-03-22T08:00:00Z"];
    let mut booking = series("weekly", 1, "UTC", &starts);
    if let Some(series) = &mut booking.series {
        series.is_part = true;
        series.occurrences = vec![at("2027-03-15T03:30:00Z"), at("2027-03-22T08:00:00Z")];
    }
    let found = lines(Kind::Cancelled, &booking, &attendee());
    assert_eq!(
        values(&found, "RECURRENCE-ID"),
        [
            "RECURRENCE-ID:20270315T033000Z",
            "RECURRENCE-ID:20270322T080000Z"
        ]
    );
    assert_eq!(
        values(&found, "DTSTART"),
        ["DTSTART:20270315T080000Z", "DTSTART:20270322T080000Z"]
    );
    assert_eq!(values(&found, "UID").len(), 2);
    assert_eq!(
        values(&found, "STATUS"),
        ["STATUS:CANCELLED", "STATUS:CANCELLED"]
    );
}

#[test]
fn removed_entry_is_at_the_time_before_the_reschedule() {
    let booking = BookingData {
        is_confirmed: false,
        previous_time: Some((at("2027-03-22T08:00:00Z"), at("2027-03-22T08:30:00Z"))),
        ..booking()
    };
    let found = lines(Kind::Rescheduled, &booking, &attendee());
    check_contains(
        &found,
        &[
            "METHOD:CANCEL",
            "DTSTART;TZID=Europe/Berlin:20270322T090000",
        ],
    );
    let found = lines(Kind::Rescheduled, &booking, &host());
    check_contains(
        &found,
        &[
            "METHOD:REQUEST",
            "DTSTART;TZID=Europe/Berlin:20270329T090000",
        ],
    );
}
