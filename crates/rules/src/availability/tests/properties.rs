//! Random event types around clock changes: both implementations agree, and the decision about a
//! start agrees with the offered starts.

use chrono::{TimeDelta, Weekday};
use proptest::prelude::*;
use proptest::sample::select;

use super::reference::{ClockTable, Reference};
use super::*;
use crate::BookingWindow;

const ZONES: [&str; 8] = [
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Antarctica/Troll",
    "Asia/Kathmandu",
    "Pacific/Chatham",
    "America/New_York",
    "Europe/Dublin",
    "UTC",
];

/// Instants at which one of the zones changes its offset, and one ordinary day.
const CENTERS: [&str; 14] = [
    "2027-04-03T15:00:00Z",
    "2026-10-03T15:30:00Z",
    "2011-12-30T10:00:00Z",
    "2021-04-03T14:00:00Z",
    "2027-03-28T01:00:00Z",
    "2027-10-31T01:00:00Z",
    "1985-12-31T18:30:00Z",
    "2027-04-03T14:00:00Z",
    "2027-09-25T14:00:00Z",
    "2027-03-14T07:00:00Z",
    "2027-11-07T06:00:00Z",
    "2027-01-01T00:00:00Z",
    "2028-02-29T12:00:00Z",
    "2027-06-15T12:00:00Z",
];

/// An event type, its hosts and a search.
#[derive(Clone, Debug)]
struct Case {
    /// In minutes, as are the next two.
    center_minute: i64,
    from: i64,
    to: i64,
    zone: Zone,
    /// In milliseconds.
    now: i64,
    rules: Rules,
    calendar: Calendar,
}

impl Case {
    fn search(&self) -> SlotSearch<'_> {
        SlotSearch {
            rules: &self.rules,
            calendar: &self.calendar,
            zone: &self.zone,
            now: self.now,
        }
    }
}

fn any_zone() -> impl Strategy<Value = Zone> {
    select(&ZONES[..]).prop_map(zone)
}

fn center_minute() -> impl Strategy<Value = i64> {
    select(&CENTERS[..]).prop_map(|text| at(text) / MINUTE)
}

/// First and last minute of working hours; more often than not on the half hour.
fn hours() -> impl Strategy<Value = (i64, i64)> {
    prop_oneof![
        6 => (0..40_i64, 1..24_i64).prop_map(|(from, halves)| (from * 30, (from + halves) * 30)),
        1 => (0..1400_i64, 1..600_i64).prop_map(|(from, minutes)| (from, from + minutes)),
        1 => Just((1200, 1439)),
        1 => Just((0, 300)),
    ]
    .prop_map(|(from, to)| (from, to.min(1439)))
}

fn schedule(center_minute: i64) -> impl Strategy<Value = Schedule> {
    let rule = (0..7_i64, hours()).prop_map(|(weekday, (from, to))| DayRule { weekday, from, to });
    let day = (-3..5_i64, prop_oneof![3 => hours(), 1 => Just((600, 600))]);
    let overrides = prop::collection::vec(day, 0..3);
    (any_zone(), prop::collection::vec(rule, 3..12), overrides).prop_map(
        move |(zone, week, overrides)| {
            let mut overrides: Vec<Override> = overrides
                .into_iter()
                .map(|(days, (from, to))| Override {
                    date: day_after(center_minute, days),
                    from,
                    to,
                })
                .collect();
            overrides.sort_by_key(|hours| hours.date);
            Schedule {
                zone,
                week,
                overrides,
            }
        },
    )
}

fn day_after(center_minute: i64, days: i64) -> NaiveDate {
    let date = chrono::DateTime::from_timestamp(center_minute * 60, 0)
        .unwrap()
        .date_naive();
    date + TimeDelta::days(days)
}

fn meeting(center_minute: i64) -> impl Strategy<Value = TimeRange> {
    let start = prop_oneof![2 => (-160..260_i64).prop_map(|half| half * 30), 1 => -4700..7000_i64];
    (start, prop_oneof![Just(30), Just(60), 1..300_i64]).prop_map(move |(start, length)| {
        let start = (center_minute + start) * MINUTE;
        TimeRange::new(start, start + length * MINUTE)
    })
}

fn padding() -> impl Strategy<Value = i64> {
    prop_oneof![3 => Just(0_i64), 1 => select(&[5_i64, 10, 15, 30, 45][..])]
}

fn busy(center_minute: i64) -> impl Strategy<Value = BusyTime> {
    (meeting(center_minute), padding(), padding()).prop_map(
        |(range, buffer_before, buffer_after)| BusyTime {
            range,
            buffer_before,
            buffer_after,
            is_shared: false,
        },
    )
}

fn time_off(center_minute: i64) -> impl Strategy<Value = TimeOff> {
    let days = (-4..4_i64, 0..2_i64).prop_map(move |(from, days)| TimeOff::Days {
        from: day_after(center_minute, from),
        to: day_after(center_minute, from + days),
    });
    let instants = (-3 * 1440..3 * 1440_i64, 1..1440_i64).prop_map(move |(from, minutes)| {
        let start = (center_minute + from) * MINUTE;
        TimeOff::Instants(TimeRange::new(start, start + minutes * MINUTE))
    });
    prop_oneof![days, instants]
}

fn one_host(center_minute: i64) -> impl Strategy<Value = Host> {
    let time_off = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(time_off(center_minute), 1..3)];
    (
        schedule(center_minute),
        prop::bool::weighted(0.3),
        any_zone(),
        prop::collection::vec(busy(center_minute), 0..10),
        time_off,
    )
        .prop_map(|(schedule, fixed, zone, busy, time_off)| Host {
            id: 0,
            fixed,
            zone,
            schedule,
            time_off,
            busy,
        })
}

fn limit() -> impl Strategy<Value = Limit> {
    let period = select(
        &[
            Period::Day,
            Period::Week(Weekday::Sun),
            Period::Week(Weekday::Mon),
            Period::Week(Weekday::Sat),
            Period::Month,
            Period::Year,
        ][..],
    );
    let kind = prop_oneof![
        (1..4_i64).prop_map(LimitKind::Meetings),
        (2..16_i64).prop_map(|quarters| LimitKind::Minutes(quarters * 15)),
    ];
    (period, kind).prop_map(|(period, kind)| Limit { period, kind })
}

fn window(center_minute: i64) -> impl Strategy<Value = BookingWindow> {
    prop_oneof![
        4 => Just(BookingWindow::Open),
        1 => (0..5_i64, any::<bool>()).prop_map(|(days, business)| BookingWindow::Ahead { days, business }),
        1 => (1..4_i64, any::<bool>()).prop_map(|(days, business)| BookingWindow::Rolling { days, business }),
        1 => (-3..3_i64, 0..4_i64).prop_map(move |(from, days)| BookingWindow::Between {
            from: day_after(center_minute, from),
            to: day_after(center_minute, from + days),
        }),
    ]
}

prop_compose! {
    fn event_type(center_minute: i64)(
        length in prop_oneof![4 => select(&[15_i64, 20, 25, 30, 45, 50, 60, 90, 120][..]), 1 => 1..200_i64],
        interval in prop_oneof![3 => Just(None), 1 => select(&[5_i64, 10, 15, 30, 60, 75][..]).prop_map(Some)],
        notice in prop_oneof![2 => Just(0_i64), 1 => 0..3000_i64],
        buffer_before in padding(),
        buffer_after in padding(),
        offset_start in prop_oneof![5 => Just(0_i64), 1 => 1..40_i64],
        optimized in prop::bool::weighted(0.25),
        window in window(center_minute),
        limits in prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(limit(), 1..3)],
        only_first in prop::bool::weighted(0.15),
        everyone in prop::bool::weighted(0.3),
        seated in prop::bool::weighted(0.25),
    ) -> Rules {
        Rules {
            length, interval, notice, buffer_before, buffer_after, offset_start, optimized, window, limits, only_first, seated,
            scheduling_type: if everyone { SchedulingType::Everyone } else { SchedulingType::AnyRotating },
        }
    }
}

prop_compose! {
    fn case()(center_minute in center_minute())(
        rules in event_type(center_minute),
        hosts in prop::collection::vec(one_host(center_minute), 1..4),
        booked in prop::collection::vec(meeting(center_minute), 0..8),
        seated_meetings in prop::collection::vec((-60..100_i64, 0..3_i64, 0..2_i64, any::<bool>(), 0..3_usize), 0..5),
        zone in any_zone(),
        now in -3 * 1440 * 60..1440 * 60_i64,
        from in -2 * 1440..1440_i64,
        length in 1..3 * 1440_i64,
        center_minute in Just(center_minute),
    ) -> Case {
        let mut hosts = hosts;
        for (id, host) in (1..).zip(&mut hosts) {
            host.id = id;
        }
        let seated_meetings = shared_meetings(center_minute, &rules, &mut hosts, &seated_meetings);
        Case {
            center_minute,
            from: center_minute + from,
            to: center_minute + from + length,
            zone,
            now: (center_minute * 60 + now) * 1000,
            rules,
            calendar: Calendar { hosts, seated_meetings, booked },
        }
    }
}

/// Seated meetings, which are also added to the busy times of their hosts.
fn shared_meetings(
    center_minute: i64,
    rules: &Rules,
    hosts: &mut [Host],
    specs: &[(i64, i64, i64, bool, usize)],
) -> Vec<SeatedMeeting> {
    let mut seated_meetings: Vec<SeatedMeeting> = Vec::new();
    if !rules.seated {
        return seated_meetings;
    }
    for (half, booked, reserved, same_length, host) in specs {
        let start = (center_minute + half * 30) * MINUTE;
        let length = if *same_length { rules.length } else { 45 };
        let range = TimeRange::new(start, start + length * MINUTE);
        if seated_meetings
            .iter()
            .any(|meeting| meeting.range.start == start)
        {
            continue;
        }
        let host_ids: Vec<i64> = hosts
            .iter_mut()
            .enumerate()
            .filter(|(index, entry)| entry.fixed || *index == *host)
            .map(|(_, entry)| {
                entry.busy.push(BusyTime {
                    range,
                    buffer_before: rules.buffer_before,
                    buffer_after: rules.buffer_after,
                    is_shared: true,
                });
                entry.id
            })
            .collect();
        if host_ids.is_empty() {
            continue;
        }
        seated_meetings.push(SeatedMeeting {
            range,
            uid: (*booked > 0).then(|| "uid".to_owned()),
            host_ids,
            booked: *booked,
            reserved: *reserved,
            seats: 3,
        });
    }
    seated_meetings.sort_by_key(|meeting| meeting.range.start);
    seated_meetings
}

/// The starts that the implementation under test offers, in minutes.
fn offered(case: &Case) -> Vec<(NaiveDate, i64)> {
    days(case.search(), case.from * MINUTE, case.to * MINUTE)
        .into_iter()
        .flat_map(|(date, starts)| starts.into_iter().map(move |start| (date, start / MINUTE)))
        .collect()
}

/// Returns true if the start is offered in one of the candidate zones, now or up to ten minutes ago
/// if the notice may have moved it.
fn is_offered_somewhere(case: &Case, start: i64) -> bool {
    let mut zones = vec![&case.zone, &UTC];
    zones.extend(case.calendar.hosts.iter().map(|host| &host.schedule.zone));
    is_offered_in(case, &zones, start)
}

fn is_offered_in(case: &Case, zones: &[&Zone], start: i64) -> bool {
    let step = case.rules.interval.unwrap_or(case.rules.length);
    let has_grace = step <= case.rules.length && !case.rules.only_first;
    let ago = 0..if has_grace { 11 } else { 1 };
    zones.iter().any(|zone| {
        ago.clone().any(|minutes| {
            let search = SlotSearch {
                zone,
                now: case.now - minutes * MINUTE,
                ..case.search()
            };
            !days(search, start * MINUTE, start * MINUTE).is_empty()
        })
    })
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn offered_starts_equal_those_of_the_reference(case in case()) {
        let reference = Reference::new(case.search(), case.center_minute);
        let (expected, unknown) = reference.days(case.from, case.to);
        let sensitive = case.rules.only_first || case.rules.window.is_rolling();
        prop_assume!(unknown.is_empty() || !sensitive);
        let is_known_start = |start: i64| !unknown.iter().any(|range| range.0 <= start && start < range.1);
        let expected: Vec<(NaiveDate, i64)> = expected
            .into_iter()
            .flat_map(|(date, starts)| starts.into_iter().map(move |start| (date, start)))
            .filter(|(_, start)| is_known_start(*start))
            .collect();
        let starts: Vec<(NaiveDate, i64)> = offered(&case)
            .into_iter()
            .filter(|(_, start)| is_known_start(*start))
            .collect();
        prop_assert_eq!(starts, expected);
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn start_is_accepted_if_and_only_if_offered(
        case in case(),
        others in prop::collection::vec(0..2 * 1440_i64, 8),
        near in prop::collection::vec(-90..90_i64, 4),
    ) {
        let reference = Reference::new(case.search(), case.center_minute);
        let offered = offered(&case);
        for (_, start) in offered.iter().take(12) {
            let decision = decide(case.search(), candidate(start * MINUTE, false));
            prop_assert!(decision.is_ok(), "{start} is offered, but {decision:?}");
        }
        // Anywhere, on quarters of an hour, and near offered starts.
        let anywhere = others.iter().map(|minute| case.from + minute);
        let quarters = others.iter().map(|minute| case.from + minute - (case.from + minute).rem_euclid(15));
        let beside = offered.iter().take(8).flat_map(|(_, start)| near.iter().map(move |minute| start + minute));
        for start in anywhere.chain(quarters).chain(beside) {
            if decide(case.search(), candidate(start * MINUTE, false)).is_ok() {
                prop_assert!(reference.is_free(start), "{start} is not free");
                prop_assert!(start * MINUTE >= case.rules.earliest(case.now));
                prop_assert!(is_offered_somewhere(&case, start), "{start} is accepted, but nobody was offered it");
            }
        }
    }

    #[test]
    fn reservation_is_accepted_if_and_only_if_the_start_is_offered_in_some_zone(
        case in case(),
        reserved_from in any_zone(),
        near in prop::collection::vec(-90..90_i64, 4),
    ) {
        prop_assume!(case.rules.window == BookingWindow::Open && !case.rules.only_first);
        let search = SlotSearch { zone: &reserved_from, ..case.search() };
        let accepts = |start: i64| {
            let candidate = Candidate { from_any_zone: true, ..candidate(start * MINUTE, false) };
            decide(search, candidate).is_ok()
        };
        let offered = offered(&case);
        for (_, start) in offered.iter().take(12) {
            prop_assert!(accepts(*start), "{start} is offered, but not accepted");
        }
        for start in offered.iter().take(8).flat_map(|(_, start)| near.iter().map(move |minute| start + minute)) {
            if accepts(start) {
                let zones: Vec<Zone> = ZONES.iter().chain(&["Asia/Kolkata", "Australia/Eucla"]).map(|name| zone(name)).collect();
                let zones: Vec<&Zone> = zones.iter().collect();
                prop_assert!(is_offered_in(&case, &zones, start), "{start} is accepted, but nobody was offered it");
            }
        }
    }
}

/// A meeting on Tuesday, 2027-03-02, from `start`, with its buffers, in minutes.
fn meeting_with_buffers() -> impl Strategy<Value = (i64, i64, i64, i64)> {
    (300..900_i64, 1..180_i64, 0..90_i64, 0..90_i64)
}

/// The meeting, widened by its own buffers, of the half-open ranges of an exclusion constraint.
fn widened(meeting: TimeRange, (before, after): (i64, i64)) -> TimeRange {
    TimeRange::new(
        meeting.start - before * MINUTE,
        meeting.end + after * MINUTE,
    )
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn buffers_equal_exclusion_of_ranges_widened_by_their_own_buffers(
        existing in meeting_with_buffers(),
        new in meeting_with_buffers(),
    ) {
        let day = at("2027-03-02T00:00:00Z");
        let range = |(start, length, ..): (i64, i64, i64, i64)| {
            TimeRange::new(day + start * MINUTE, day + (start + length) * MINUTE)
        };
        let mut host = host(1, "UTC", &EVERY_DAY, 0, 1439);
        host.busy.push(BusyTime {
            range: range(existing),
            buffer_before: existing.2,
            buffer_after: existing.3,
            is_shared: false,
        });
        let new_rules = Rules { buffer_before: new.2, buffer_after: new.3, ..rules(new.1) };
        let excluded = widened(range(existing), (existing.2, existing.3))
            .overlaps(widened(range(new), (new.2, new.3)));
        prop_assert_eq!(host.is_available_for(range(new), &new_rules), !excluded);
    }
}

#[test]
fn clock_table_handles_gaps_and_folds() {
    let center_minute = at("2027-03-28T01:00:00Z") / MINUTE;
    let clock = ClockTable::around(center_minute, &zone("Europe/Dublin"));
    let local = |text: &str| text.parse().unwrap();
    // Clocks go from 01:00 to 02:00.
    for (local_time, utc) in [
        ("2027-03-28T00:59:00", "2027-03-28T00:59:00Z"),
        ("2027-03-28T01:30:00", "2027-03-28T01:30:00Z"),
        ("2027-03-28T02:30:00", "2027-03-28T01:30:00Z"),
        ("2027-03-28T03:00:00", "2027-03-28T02:00:00Z"),
    ] {
        assert_eq!(
            clock.minute_of(local(local_time)),
            Some(at(utc) / MINUTE),
            "{local_time}"
        );
    }
}
