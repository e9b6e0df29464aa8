//! Table tests by topic, and a comparison with a second implementation.

mod booking_window;
mod decide;
mod grid;
mod hosts;
mod hours;
mod properties;
mod reference;
mod zones;

use booking_wire::Instant;
use booking_zones::{UTC, Zone};
use chrono::NaiveDate;

use super::*;
use crate::BookingWindow;

const WEEKDAYS: [i64; 5] = [1, 2, 3, 4, 5];

const EVERY_DAY: [i64; 7] = [0, 1, 2, 3, 4, 5, 6];

const LONG_BEFORE: &str = "2026-01-01T00:00:00Z";

fn at(text: &str) -> i64 {
    Instant::parse(text).unwrap().0
}

fn zone(name: &str) -> Zone {
    Zone::named(name).unwrap()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn rules(length: i64) -> Rules {
    Rules {
        length,
        interval: None,
        notice: 0,
        buffer_before: 0,
        buffer_after: 0,
        offset_start: 0,
        optimized: false,
        window: BookingWindow::Open,
        limits: Vec::new(),
        only_first: false,
        scheduling_type: SchedulingType::AnyRotating,
        seated: false,
    }
}

fn host(id: i64, zone_name: &str, weekdays: &[i64], from: i64, to: i64) -> Host {
    Host {
        id,
        fixed: false,
        zone: zone(zone_name),
        schedule: Schedule {
            zone: zone(zone_name),
            week: weekdays
                .iter()
                .map(|weekday| DayRule {
                    weekday: *weekday,
                    from,
                    to,
                })
                .collect(),
            overrides: Vec::new(),
        },
        time_off: Vec::new(),
        busy: Vec::new(),
    }
}

fn candidate(start: i64, has_reservation: bool) -> Candidate {
    Candidate {
        start,
        has_reservation,
        from_any_zone: false,
    }
}

fn range(from: &str, to: &str) -> TimeRange {
    TimeRange::new(at(from), at(to))
}

fn busy(from: &str, to: &str) -> BusyTime {
    BusyTime {
        range: range(from, to),
        buffer_before: 0,
        buffer_after: 0,
        is_shared: false,
    }
}

fn calendar_of(hosts: &[Host]) -> Calendar {
    Calendar {
        hosts: hosts.to_vec(),
        ..Calendar::default()
    }
}

/// The starts in UTC, as `MM-DD HH:MM`.
fn starts(
    rules: &Rules,
    hosts: &[Host],
    zone_name: &str,
    now: &str,
    from: &str,
    to: &str,
) -> Vec<String> {
    calendar_starts(rules, &calendar_of(hosts), zone_name, now, from, to)
}

fn calendar_starts(
    rules: &Rules,
    calendar: &Calendar,
    zone_name: &str,
    now: &str,
    from: &str,
    to: &str,
) -> Vec<String> {
    let search = SlotSearch {
        rules,
        calendar,
        zone: &zone(zone_name),
        now: at(now),
    };
    days(search, at(from), at(to))
        .into_values()
        .flatten()
        .map(|start| Instant(start).to_string()[5..16].replace('T', " "))
        .collect()
}

fn day_of(rules: &Rules, hosts: &[Host], zone_name: &str, now: &str, day: &str) -> Vec<String> {
    let from = format!("{day}T00:00:00Z");
    let to = format!("{day}T23:59:59Z");
    starts(rules, hosts, zone_name, now, &from, &to)
}
