//! Random event types around changes of the clock: both implementations agree, and the verdict on
//! a start agrees with the offer.

use chrono::TimeDelta;
use proptest::prelude::*;
use proptest::sample::select;

use super::reference::{ClockTable, Reference};
use super::*;

const ZONES: [Tz; 8] = [
    Tz::Australia__Lord_Howe,
    Tz::Pacific__Apia,
    Tz::Antarctica__Troll,
    Tz::Asia__Kathmandu,
    Tz::Pacific__Chatham,
    Tz::America__New_York,
    Tz::Europe__Dublin,
    Tz::UTC,
];

/// Moments at which one of the zones changes its offset, and one ordinary day.
const ANCHORS: [&str; 14] = [
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

/// An event type, its hosts and a question about it.
#[derive(Clone, Debug)]
struct Case {
    /// In minutes, as are the next two.
    anchor: i64,
    from: i64,
    to: i64,
    zone: Tz,
    /// In milliseconds.
    now: i64,
    rules: Rules,
    calendar: Calendar,
}

impl Case {
    fn offer(&self) -> Offer<'_> {
        Offer {
            rules: &self.rules,
            calendar: &self.calendar,
            zone: self.zone,
            now: self.now,
        }
    }
}

fn anchor() -> impl Strategy<Value = i64> {
    select(&ANCHORS[..]).prop_map(|text| at(text) / MINUTE)
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

fn schedule(anchor: i64) -> impl Strategy<Value = Schedule> {
    let rule = (0..7_i64, hours()).prop_map(|(weekday, (from, to))| DayRule { weekday, from, to });
    let day = (-3..5_i64, prop_oneof![3 => hours(), 1 => Just((600, 600))]);
    let overrides = prop::collection::vec(day, 0..3);
    (
        select(&ZONES[..]),
        prop::collection::vec(rule, 3..12),
        overrides,
    )
        .prop_map(move |(zone, week, overrides)| Schedule {
            zone,
            week,
            overrides: overrides
                .into_iter()
                .map(|(days, (from, to))| Override {
                    date: day_after(anchor, days),
                    from,
                    to,
                })
                .collect(),
        })
}

fn day_after(anchor: i64, days: i64) -> NaiveDate {
    let date = chrono::DateTime::from_timestamp(anchor * 60, 0)
        .unwrap()
        .date_naive();
    date + TimeDelta::days(days)
}

fn meeting(anchor: i64) -> impl Strategy<Value = Span> {
    let start = prop_oneof![2 => (-160..260_i64).prop_map(|half| half * 30), 1 => -4700..7000_i64];
    (start, prop_oneof![Just(30), Just(60), 1..300_i64]).prop_map(move |(start, length)| {
        let start = (anchor + start) * MINUTE;
        Span::new(start, start + length * MINUTE)
    })
}

fn padding() -> impl Strategy<Value = i64> {
    prop_oneof![3 => Just(0_i64), 1 => select(&[5_i64, 10, 15, 30, 45][..])]
}

fn busy(anchor: i64) -> impl Strategy<Value = Busy> {
    (meeting(anchor), padding(), padding()).prop_map(|(span, before, after)| Busy {
        span,
        before,
        after,
        shared: false,
    })
}

fn away(anchor: i64) -> impl Strategy<Value = Away> {
    let days = (-4..4_i64, 0..2_i64).prop_map(move |(from, days)| Away::Days {
        from: day_after(anchor, from),
        to: day_after(anchor, from + days),
    });
    let instants = (-3 * 1440..3 * 1440_i64, 1..1440_i64).prop_map(move |(from, minutes)| {
        let start = (anchor + from) * MINUTE;
        Away::Instants(Span::new(start, start + minutes * MINUTE))
    });
    prop_oneof![days, instants]
}

fn one_host(anchor: i64) -> impl Strategy<Value = Host> {
    let away = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(away(anchor), 1..3)];
    (
        schedule(anchor),
        prop::bool::weighted(0.3),
        select(&ZONES[..]),
        prop::collection::vec(busy(anchor), 0..10),
        away,
    )
        .prop_map(|(schedule, fixed, zone, busy, away)| Host {
            id: 0,
            fixed,
            zone,
            schedule,
            away,
            busy,
        })
}

fn limit() -> impl Strategy<Value = Limit> {
    let period = select(&[Period::Day, Period::Week, Period::Month, Period::Year][..]);
    let most = prop_oneof![
        (1..4_i64).prop_map(Most::Meetings),
        (2..16_i64).prop_map(|quarters| Most::Minutes(quarters * 15)),
    ];
    (period, most).prop_map(|(period, most)| Limit { period, most })
}

fn window(anchor: i64) -> impl Strategy<Value = Window> {
    prop_oneof![
        4 => Just(Window::Open),
        1 => (0..5_i64, any::<bool>()).prop_map(|(days, business)| Window::Ahead { days, business }),
        1 => (1..4_i64, any::<bool>()).prop_map(|(days, business)| Window::Rolling { days, business }),
        1 => (-3..3_i64, 0..4_i64).prop_map(move |(from, days)| Window::Between {
            from: day_after(anchor, from),
            to: day_after(anchor, from + days),
        }),
    ]
}

prop_compose! {
    fn event_type(anchor: i64)(
        length in prop_oneof![4 => select(&[15_i64, 20, 25, 30, 45, 50, 60, 90, 120][..]), 1 => 1..200_i64],
        interval in prop_oneof![3 => Just(None), 1 => select(&[5_i64, 10, 15, 30, 60, 75][..]).prop_map(Some)],
        notice in prop_oneof![2 => Just(0_i64), 1 => 0..3000_i64],
        before in padding(),
        after in padding(),
        offset_start in prop_oneof![5 => Just(0_i64), 1 => 1..40_i64],
        optimized in prop::bool::weighted(0.25),
        window in window(anchor),
        limits in prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(limit(), 1..3)],
        only_first in prop::bool::weighted(0.15),
        everyone in prop::bool::weighted(0.3),
        seated in prop::bool::weighted(0.25),
    ) -> Rules {
        Rules {
            length, interval, notice, before, after, offset_start, optimized, window, limits, only_first, seated,
            combine: if everyone { Combine::Everyone } else { Combine::AnyRotating },
        }
    }
}

prop_compose! {
    fn case()(anchor in anchor())(
        rules in event_type(anchor),
        hosts in prop::collection::vec(one_host(anchor), 1..4),
        booked in prop::collection::vec(meeting(anchor), 0..8),
        sessions in prop::collection::vec((-60..100_i64, 0..3_i64, 0..2_i64, any::<bool>(), 0..3_usize), 0..5),
        zone in select(&ZONES[..]),
        now in -3 * 1440 * 60..1440 * 60_i64,
        from in -2 * 1440..1440_i64,
        length in 1..3 * 1440_i64,
        anchor in Just(anchor),
    ) -> Case {
        let mut hosts = hosts;
        for (id, host) in (1..).zip(&mut hosts) {
            host.id = id;
        }
        let sessions = shared_meetings(anchor, &rules, &mut hosts, &sessions);
        Case {
            anchor,
            from: anchor + from,
            to: anchor + from + length,
            zone,
            now: (anchor * 60 + now) * 1000,
            rules,
            calendar: Calendar { hosts, sessions, booked },
        }
    }
}

/// Sessions of a seated event type, with the time they take of their hosts.
fn shared_meetings(
    anchor: i64,
    rules: &Rules,
    hosts: &mut [Host],
    wanted: &[(i64, i64, i64, bool, usize)],
) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    if !rules.seated {
        return sessions;
    }
    for (half, booked, reserved, same_length, host) in wanted {
        let start = (anchor + half * 30) * MINUTE;
        let length = if *same_length { rules.length } else { 45 };
        let span = Span::new(start, start + length * MINUTE);
        if sessions.iter().any(|session| session.span.start == start) {
            continue;
        }
        let host_ids: Vec<i64> = hosts
            .iter_mut()
            .enumerate()
            .filter(|(index, known)| known.fixed || *index == *host)
            .map(|(_, known)| {
                known.busy.push(Busy {
                    span,
                    before: rules.before,
                    after: rules.after,
                    shared: true,
                });
                known.id
            })
            .collect();
        if host_ids.is_empty() {
            continue;
        }
        sessions.push(Session {
            span,
            uid: (*booked > 0).then(|| "uid".to_owned()),
            host_ids,
            booked: *booked,
            reserved: *reserved,
            seats: 3,
        });
    }
    sessions.sort_by_key(|session| session.span.start);
    sessions
}

/// The offer as the first implementation sees it, in minutes.
fn offered(case: &Case) -> Vec<(NaiveDate, i64)> {
    days(case.offer(), case.from * MINUTE, case.to * MINUTE)
        .into_iter()
        .flat_map(|(date, starts)| starts.into_iter().map(move |start| (date, start / MINUTE)))
        .collect()
}

/// Returns true if the start is offered to somebody in one of the zones in which it may have been asked,
/// now or, if it was the notice that has moved it, up to ten minutes ago.
fn is_offered_somewhere(case: &Case, start: i64) -> bool {
    let mut zones = vec![case.offer().zone, Tz::UTC];
    zones.extend(case.calendar.hosts.iter().map(|host| host.schedule.zone));
    is_offered_in(case, &zones, start)
}

fn is_offered_in(case: &Case, zones: &[Tz], start: i64) -> bool {
    let step = case.rules.interval.unwrap_or(case.rules.length);
    let has_grace = step <= case.rules.length && !case.rules.only_first;
    let ago = 0..if has_grace { 11 } else { 1 };
    zones.iter().any(|zone| {
        ago.clone().any(|minutes| {
            let offer = Offer {
                zone: *zone,
                now: case.now - minutes * MINUTE,
                ..case.offer()
            };
            !days(offer, start * MINUTE, start * MINUTE).is_empty()
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
    fn minute_by_minute_the_same_starts_are_offered(case in case()) {
        let reference = Reference::new(case.offer(), case.anchor);
        let (expected, unknown) = reference.days(case.from, case.to);
        let sensitive = case.rules.only_first || case.rules.window.is_rolling();
        prop_assume!(unknown.is_empty() || !sensitive);
        let known = |start: i64| !unknown.iter().any(|range| range.0 <= start && start < range.1);
        let expected: Vec<(NaiveDate, i64)> = expected
            .into_iter()
            .flat_map(|(date, starts)| starts.into_iter().map(move |start| (date, start)))
            .filter(|(_, start)| known(*start))
            .collect();
        let found: Vec<(NaiveDate, i64)> = offered(&case)
            .into_iter()
            .filter(|(_, start)| known(*start))
            .collect();
        prop_assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn start_is_accepted_if_and_only_if_it_is_offered(
        case in case(),
        others in prop::collection::vec(0..2 * 1440_i64, 8),
        near in prop::collection::vec(-90..90_i64, 4),
    ) {
        let reference = Reference::new(case.offer(), case.anchor);
        let offered = offered(&case);
        for (_, start) in offered.iter().take(12) {
            let verdict = decide(case.offer(), candidate(start * MINUTE, false));
            prop_assert!(verdict.is_ok(), "{start} is offered, but {verdict:?}");
        }
        // Anywhere, on the quarters of an hour, and beside what is offered.
        let anywhere = others.iter().map(|minute| case.from + minute);
        let quarters = others.iter().map(|minute| case.from + minute - (case.from + minute).rem_euclid(15));
        let beside = offered.iter().take(8).flat_map(|(_, start)| near.iter().map(move |minute| start + minute));
        for start in anywhere.chain(quarters).chain(beside) {
            if decide(case.offer(), candidate(start * MINUTE, false)).is_ok() {
                prop_assert!(reference.is_free(start), "{start} is not free");
                prop_assert!(start * MINUTE >= case.rules.earliest(case.now));
                prop_assert!(is_offered_somewhere(&case, start), "{start} is accepted, but nobody was offered it");
            }
        }
    }

    #[test]
    fn reservation_is_accepted_if_and_only_if_the_start_is_offered_in_some_zone(
        case in case(),
        reserved_from in select(&ZONES[..]),
        near in prop::collection::vec(-90..90_i64, 4),
    ) {
        prop_assume!(case.rules.window == Window::Open && !case.rules.only_first);
        let offer = Offer { zone: reserved_from, ..case.offer() };
        let accepts = |start: i64| {
            let candidate = Candidate { from_any_zone: true, ..candidate(start * MINUTE, false) };
            decide(offer, candidate).is_ok()
        };
        let offered = offered(&case);
        for (_, start) in offered.iter().take(12) {
            prop_assert!(accepts(*start), "{start} is offered, but not accepted");
        }
        for start in offered.iter().take(8).flat_map(|(_, start)| near.iter().map(move |minute| start + minute)) {
            if accepts(start) {
                let mut zones = ZONES.to_vec();
                zones.push(zone("Asia/Kolkata"));
                zones.push(zone("Australia/Eucla"));
                prop_assert!(is_offered_in(&case, &zones, start), "{start} is accepted, but nobody was offered it");
            }
        }
    }
}

#[test]
fn the_table_of_a_clock_knows_gaps_and_folds() {
    let anchor = at("2027-03-28T01:00:00Z") / MINUTE;
    let clock = ClockTable::around(anchor, Tz::Europe__Dublin);
    let local = |text: &str| text.parse().unwrap();
    // Clocks go from 01:00 to 02:00.
    for (shown, utc) in [
        ("2027-03-28T00:59:00", "2027-03-28T00:59:00Z"),
        ("2027-03-28T01:30:00", "2027-03-28T01:30:00Z"),
        ("2027-03-28T02:30:00", "2027-03-28T01:30:00Z"),
        ("2027-03-28T03:00:00", "2027-03-28T02:00:00Z"),
    ] {
        assert_eq!(
            clock.minute_of(local(shown)),
            Some(at(utc) / MINUTE),
            "{shown}"
        );
    }
}
