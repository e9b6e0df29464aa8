//! Times of an invitation: of one meeting, a series or occurrences of a series.

use booking_calendar::{CalendarFile, stamp};
use booking_wire::Instant;
use booking_wire::formats::in_range;
use chrono::{Datelike, Days, Months, NaiveDateTime};

use super::time_zone::Zone;
use crate::data::{BookingData, SeriesData};

/// Times of an invitation.
pub(super) struct Times {
    zone: Option<Zone>,
    /// At least one.
    events: Vec<EventTimes>,
}

/// Times of an event of a calendar file.
pub(super) struct EventTimes {
    start: Instant,
    end: Instant,
    /// Start of an occurrence as it was booked first.
    occurrence: Option<Instant>,
    repetition: Repetition,
}

enum Repetition {
    None,
    /// Value of RRULE, and the last start.
    Rule(String, Instant),
    /// All starts. The first is in DTSTART, too, but some calendars take only listed dates.
    Dates(Vec<Instant>),
}

impl Times {
    /// Returns the times of what the event is about; none if a time is out of range.
    ///
    /// `is_previous` selects the time before a reschedule; `is_removed`: the entry is removed.
    pub(super) fn of(booking: &BookingData, is_previous: bool, is_removed: bool) -> Option<Self> {
        let previous = booking.previous_time.filter(|_| is_previous);
        let (start, end) = previous.unwrap_or((booking.start, booking.end));
        let duration_ms = end.0.checked_sub(start.0)?;
        let series = booking.series.as_ref();
        let zone = series.map(|series| &series.time_zone);
        let zone = zone.or_else(|| booking.hosts.first().map(|host| &host.time_zone));
        let zone = zone.and_then(|name| Zone::named(name));
        let event = |start: Instant, occurrence, repetition| EventTimes {
            start,
            end: Instant(start.0.saturating_add(duration_ms)),
            occurrence,
            repetition,
        };
        let events = match series {
            Some(series) if series.occurrence.is_some() => {
                vec![event(start, series.occurrence, Repetition::None)]
            }
            Some(series) if series.is_part => occurrences(series)
                .map(|(first, start)| event(start, Some(first), Repetition::None))
                .collect(),
            Some(series) if series.starts.len() > 1 || !series.occurrences.is_empty() => {
                // Calendars know the occurrences by their first starts.
                let mut starts: Vec<Instant> =
                    occurrences(series).map(|(first, _)| first).collect();
                starts.sort_unstable();
                let rule = rule(series, &starts, zone.as_ref());
                let first = *starts.first()?;
                let repetition = match rule.zip(starts.last()) {
                    Some((rule, last)) => Repetition::Rule(rule, *last),
                    None => Repetition::Dates(starts),
                };
                let moved =
                    occurrences(series).filter(|(first, start)| first != start && !is_removed);
                let moved = moved.map(|(first, start)| event(start, Some(first), Repetition::None));
                let whole = event(first, None, repetition);
                [whole].into_iter().chain(moved).collect()
            }
            _ => vec![event(start, None, Repetition::None)],
        };
        let times = Self { zone, events };
        let are_in_range = times.instants().into_iter().all(in_range);
        are_in_range.then_some(times)
    }

    pub(super) fn events(&self) -> &[EventTimes] {
        &self.events
    }

    /// Writes the time zone, if a time is in one.
    pub(super) fn write_zone(&self, file: &mut CalendarFile) {
        let Some(zone) = &self.zone else { return };
        let mut instants = self.instants();
        instants.retain(|instant| zone.stamp(*instant).is_some());
        if let Some((first, last)) = instants.iter().min().zip(instants.iter().max()) {
            zone.write(file, *first, *last);
        }
    }

    /// Writes the times of an event.
    pub(super) fn write(&self, file: &mut CalendarFile, event: &EventTimes) {
        self.write_time(file, "DTSTART", event.start);
        // An event without end ends when it starts; DTEND may not be the same instant.
        if event.end > event.start {
            self.write_time(file, "DTEND", event.end);
        }
        if let Some(occurrence) = event.occurrence {
            self.write_time(file, "RECURRENCE-ID", occurrence);
        }
        match &event.repetition {
            Repetition::None => {}
            Repetition::Rule(rule, _) => file.property("RRULE", &[], rule),
            Repetition::Dates(starts) => {
                for start in starts {
                    self.write_time(file, "RDATE", *start);
                }
            }
        }
    }

    /// Writes a time in the zone, or in UTC if there is no zone or its clocks show the time twice.
    fn write_time(&self, file: &mut CalendarFile, name: &str, instant: Instant) {
        let zone = self.zone.as_ref();
        let local = zone.and_then(|zone| Some((zone.name(), zone.stamp(instant)?)));
        match local {
            Some((zone, local)) => file.property(name, &[("TZID", zone)], &local),
            None => file.property(name, &[], &stamp(instant)),
        }
    }

    fn instants(&self) -> Vec<Instant> {
        let mut instants = Vec::new();
        for event in &self.events {
            instants.extend([event.start, event.end]);
            instants.extend(event.occurrence);
            match &event.repetition {
                Repetition::None => {}
                Repetition::Rule(_, last) => instants.push(*last),
                Repetition::Dates(starts) => instants.extend(starts),
            }
        }
        instants
    }
}

/// Returns the first start and the start of each occurrence.
fn occurrences(series: &SeriesData) -> impl Iterator<Item = (Instant, Instant)> + '_ {
    let starts = series.starts.iter().copied().enumerate();
    starts.map(|(index, start)| {
        let first = series.occurrences.get(index).copied();
        (first.unwrap_or(start), start)
    })
}

/// Returns the rule of a series with these starts; none unless calendars compute the same starts from it.
///
/// They leave out months without the day, where the service takes the last day (`booking_rules::recurrence`). They do not
/// agree about times that clocks skip or show twice, so a series with such a time has no rule either.
fn rule(series: &SeriesData, starts: &[Instant], zone: Option<&Zone>) -> Option<String> {
    let frequency = match series.frequency.as_str() {
        "weekly" => "WEEKLY",
        "monthly" => "MONTHLY",
        "yearly" => "YEARLY",
        _ => return None,
    };
    let interval = u32::try_from(series.interval)
        .ok()
        .filter(|interval| *interval > 0)?;
    let local = |instant: Instant| match zone {
        Some(zone) => zone.local(instant),
        None => Some(instant.utc()?.naive_utc()),
    };
    let instant = |local: NaiveDateTime| match zone {
        Some(zone) => zone.instant(local),
        None => Some(Instant(local.and_utc().timestamp_millis())),
    };
    let first = local(*starts.first()?)?;
    for (units, start) in (0..).zip(starts) {
        let units = interval.checked_mul(units)?;
        let day = match frequency {
            "WEEKLY" => first.checked_add_days(Days::new(u64::from(units) * 7))?,
            "MONTHLY" => first.checked_add_months(Months::new(units))?,
            _ => first.checked_add_months(Months::new(units.checked_mul(12)?))?,
        };
        let is_same_day = frequency == "WEEKLY" || day.day() == first.day();
        if !is_same_day || instant(day) != Some(*start) {
            return None;
        }
    }
    let interval = match interval {
        1 => String::new(),
        interval => format!(";INTERVAL={interval}"),
    };
    Some(format!("FREQ={frequency}{interval};COUNT={}", starts.len()))
}
