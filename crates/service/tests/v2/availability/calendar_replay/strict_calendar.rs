//! A calendar that obeys invitations by the letter (RFC 5546). It shares no code with the service's writer of invitations;
//! zones are looked up by their TZID.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use booking_wire::Instant;
use booking_zones::Zone;
use chrono::{Days, Months, NaiveDateTime};

/// Calendar of one person.
pub struct StrictCalendar {
    owner: String,
    entries: HashMap<String, Entry>,
}

/// Component with one UID.
#[derive(Default)]
struct Entry {
    organizer: String,
    sequence: i64,
    /// Starts of the meeting or of its series.
    starts: BTreeSet<i64>,
    /// Changed occurrences by RECURRENCE-ID; none if the occurrence was cancelled.
    occurrences: BTreeMap<i64, Option<i64>>,
}

impl Entry {
    fn starts(&self) -> BTreeSet<i64> {
        let unchanged = (self.starts.iter()).filter(|start| !self.occurrences.contains_key(start));
        unchanged
            .chain(self.occurrences.values().flatten())
            .copied()
            .collect()
    }
}

/// Name, parameters and value.
struct Property<'a> {
    name: &'a str,
    parameters: &'a str,
    value: &'a str,
}

impl StrictCalendar {
    pub fn of(owner: &str) -> Self {
        Self {
            owner: owner.to_lowercase(),
            entries: HashMap::new(),
        }
    }

    /// Starts of all meetings.
    pub fn starts(&self) -> BTreeSet<i64> {
        self.entries.values().flat_map(Entry::starts).collect()
    }

    /// Applies an invitation. Returns an error if it breaks a rule.
    pub fn apply(&mut self, text: &str) -> Result<(), String> {
        let text = text.replace("\r\n ", "");
        let properties: Vec<Property<'_>> = text.lines().map(property).collect();
        let method = properties.iter().find(|it| it.name == "METHOD");
        let method = method.ok_or("no METHOD")?.value;
        let mut event: Option<Vec<&Property<'_>>> = None;
        for property in &properties {
            match (property.name, property.value, &mut event) {
                ("BEGIN", "VEVENT", _) => event = Some(Vec::new()),
                ("END", "VEVENT", Some(_)) => {
                    self.apply_event(method, &event.take().unwrap_or_default())?;
                }
                (_, _, Some(event)) => event.push(property),
                _ => {}
            }
        }
        Ok(())
    }

    fn apply_event(&mut self, method: &str, event: &[&Property<'_>]) -> Result<(), String> {
        let all = |name: &'static str| event.iter().filter(move |it| it.name == name);
        let one = |name: &'static str| all(name).next().ok_or(format!("no {name}"));
        let uid = one("UID")?.value;
        let organizer = one("ORGANIZER")?.value.to_lowercase();
        let own_address = format!("mailto:{}", self.owner);
        if organizer == own_address {
            return Err("the recipient is the organizer".into());
        }
        if !all("ATTENDEE").any(|it| it.value.eq_ignore_ascii_case(&own_address)) {
            return Err("the recipient is no attendee".into());
        }
        let sequence: i64 = one("SEQUENCE")?.value.parse().map_err(|_| "odd SEQUENCE")?;
        let entry = self.entries.entry(uid.to_owned()).or_default();
        if entry.organizer.is_empty() {
            entry.organizer.clone_from(&organizer);
        }
        if entry.organizer != organizer {
            return Err(format!("ORGANIZER {} -> {organizer}", entry.organizer));
        }
        if sequence < entry.sequence {
            return Err(format!("SEQUENCE {} -> {sequence}", entry.sequence));
        }
        entry.sequence = sequence;
        let occurrence = all("RECURRENCE-ID")
            .next()
            .map(|id| instant(id))
            .transpose()?;
        match (method, occurrence) {
            ("REQUEST", None) => {
                entry.starts = starts(event)?;
                entry.occurrences.clear();
            }
            ("REQUEST", Some(id)) => {
                entry
                    .occurrences
                    .insert(id, Some(instant(one("DTSTART")?)?));
            }
            ("CANCEL", None) => {
                entry.starts.clear();
                entry.occurrences.clear();
            }
            ("CANCEL", Some(id)) => {
                entry.occurrences.insert(id, None);
            }
            _ => return Err(format!("METHOD {method}")),
        }
        Ok(())
    }
}

/// The lines of an invitation that decide about its effect.
pub fn summary(text: &str) -> String {
    let text = text.replace("\r\n ", "");
    let is_shown = |line: &&str| {
        [
            "METHOD:",
            "UID:",
            "RECURRENCE-ID",
            "RRULE:FREQ=W",
            "RDATE",
            "SEQUENCE:",
        ]
        .iter()
        .any(|name| line.starts_with(name))
            || line.starts_with("DTSTART;TZID")
            || line.starts_with("DTSTART:2027")
    };
    let lines: Vec<&str> = text.lines().filter(is_shown).collect();
    lines.join(" ")
}

fn property(line: &str) -> Property<'_> {
    let mut is_quoted = false;
    let colon = line.find(|letter| {
        is_quoted ^= letter == '"';
        letter == ':' && !is_quoted
    });
    let (head, value) = line.split_at(colon.unwrap_or(line.len()));
    let (name, parameters) = head.split_once(';').unwrap_or((head, ""));
    Property {
        name,
        parameters,
        value: value.strip_prefix(':').unwrap_or_default(),
    }
}

fn zone_of(property: &Property<'_>) -> Result<Option<Zone>, String> {
    let Some(name) = property.parameters.strip_prefix("TZID=") else {
        return Ok(None);
    };
    Zone::named(name).map(Some).ok_or(format!("TZID {name}"))
}

fn local(text: &str) -> Result<NaiveDateTime, String> {
    NaiveDateTime::parse_from_str(text.trim_end_matches('Z'), "%Y%m%dT%H%M%S")
        .map_err(|_| text.to_owned())
}

fn at(local: NaiveDateTime, zone: Option<&Zone>) -> i64 {
    match zone {
        Some(zone) => zone.instants(local).first().0,
        None => Instant(local.and_utc().timestamp_millis()).0,
    }
}

fn instant(property: &Property<'_>) -> Result<i64, String> {
    Ok(at(local(property.value)?, zone_of(property)?.as_ref()))
}

/// Starts by DTSTART, RRULE and RDATE.
fn starts(event: &[&Property<'_>]) -> Result<BTreeSet<i64>, String> {
    let first = event
        .iter()
        .find(|it| it.name == "DTSTART")
        .ok_or("no DTSTART")?;
    let (local_first, zone) = (local(first.value)?, zone_of(first)?);
    let mut starts = BTreeSet::from([at(local_first, zone.as_ref())]);
    for property in event {
        match property.name {
            "RRULE" => {
                let part = |name: &str| {
                    let mut parts = property
                        .value
                        .split(';')
                        .filter_map(|part| part.split_once('='));
                    parts.find(|(key, _)| *key == name).map(|(_, value)| value)
                };
                let number = |name: &str| part(name).map_or(Ok(1), |text| text.parse::<u32>());
                let (interval, count) = (number("INTERVAL").unwrap(), number("COUNT").unwrap());
                for index in 0..count {
                    let steps = index * interval;
                    let next = match part("FREQ") {
                        Some("WEEKLY") => {
                            local_first.checked_add_days(Days::new(7 * u64::from(steps)))
                        }
                        Some("MONTHLY") => local_first.checked_add_months(Months::new(steps)),
                        other => return Err(format!("FREQ {other:?}")),
                    };
                    starts.insert(at(next.ok_or("end of time")?, zone.as_ref()));
                }
            }
            "RDATE" => {
                let zone = zone_of(property)?;
                for text in property.value.split(',') {
                    starts.insert(at(local(text)?, zone.as_ref()));
                }
            }
            "EXDATE" => return Err("EXDATE".into()),
            _ => {}
        }
    }
    Ok(starts)
}
