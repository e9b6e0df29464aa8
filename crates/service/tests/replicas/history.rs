//! Checks what visitors were told against the bookings that are found at the end. It knows the contract, and nothing of
//! the service's code.
//!
//! 1. Between two accepted bookings of a host lie at least the after-buffer of the earlier one and the before-buffer of
//!    the later one (each side adds its own buffers; touching is fine).
//! 2. Each acknowledged booking is found with the values of its response, and accepted; unless an action on it was
//!    acknowledged, or has an unknown outcome.
//! 3. An acknowledged action has its effect, and no booking has two of them: what is cancelled or rescheduled cannot be
//!    cancelled or rescheduled again.
//! 4. Each attendee was booked by an attempt that was not rejected, and has one accepted booking at most.
//! 5. No booking has more attendees than seats; no day (UTC, the hosts' zone) more accepted bookings than its limit.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::SystemTime;

use chrono::DateTime;
use serde_json::Value;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// Rules of an event type. Buffers in minutes.
#[derive(Clone, Copy, Debug)]
pub struct EventType {
    pub id: i64,
    pub minutes: i64,
    pub before: i64,
    pub after: i64,
    pub seats: Option<usize>,
    pub per_day: Option<usize>,
}

/// Event types by id.
#[derive(Clone, Debug)]
pub struct Rules(BTreeMap<i64, EventType>);

impl Rules {
    pub fn new(all: impl Iterator<Item = EventType>) -> Self {
        Self(all.map(|event_type| (event_type.id, event_type)).collect())
    }

    pub fn of(&self, id: i64) -> EventType {
        self.0[&id]
    }
}

/// Request of a visitor. Starts are epoch milliseconds; each booking has an e-mail address of its own.
#[derive(Clone, Debug)]
pub enum Operation {
    Book {
        event_type: i64,
        start: i64,
        email: String,
    },
    Cancel {
        uid: String,
        seat: Option<String>,
    },
    Reschedule {
        uid: String,
        start: i64,
    },
    Reserve {
        event_type: i64,
        start: i64,
    },
}

/// Result of a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Status, and `data` of the body.
    Told(u16, Value),
    /// The connection ended before a complete response.
    Unknown,
}

/// Request with its result.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub operation: Operation,
    pub answer: Answer,
    pub began: SystemTime,
    pub ended: SystemTime,
}

impl Attempt {
    /// Returns the data of a successful response.
    pub fn acknowledged(&self) -> Option<&Value> {
        match &self.answer {
            Answer::Told(200 | 201, data) => Some(data),
            _ => None,
        }
    }

    /// Returns true if the request must have had no effect. After 502, 503 and 504, it may have had one.
    pub fn is_rejected(&self) -> bool {
        matches!(self.answer, Answer::Told(400..=499, _))
    }
}

/// Booking of a response or of the list at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Booking {
    pub uid: String,
    pub event_type: i64,
    pub start: i64,
    pub end: i64,
    pub is_accepted: bool,
    pub hosts: Vec<i64>,
    /// E-mail addresses, and uids of seats.
    pub attendees: Vec<(String, Option<String>)>,
    pub successor: Option<String>,
}

impl Booking {
    /// Reads a booking of the API.
    pub fn read(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let instant = |value: &Value| {
            let text = value
                .as_str()
                .unwrap_or_else(|| panic!("no instant: {value}"));
            DateTime::parse_from_rfc3339(text)
                .unwrap()
                .timestamp_millis()
        };
        let hosts = value["hosts"].as_array().into_iter().flatten();
        let mut hosts: Vec<i64> = hosts.map(|host| host["id"].as_i64().unwrap()).collect();
        hosts.sort_unstable();
        let attendees = value["attendees"].as_array().into_iter().flatten();
        Self {
            uid: text(&value["uid"]).unwrap_or_default(),
            event_type: value["eventTypeId"].as_i64().unwrap_or_default(),
            start: instant(&value["start"]),
            end: instant(&value["end"]),
            is_accepted: value["status"] == "accepted",
            hosts,
            attendees: attendees
                .map(|one| {
                    (
                        text(&one["email"]).unwrap_or_default(),
                        text(&one["seatUid"]),
                    )
                })
                .collect(),
            successor: text(&value["rescheduledToUid"]),
        }
    }

    /// Returns true if both have the same time, event type and hosts.
    fn has_values_of(&self, other: &Self) -> bool {
        (self.event_type, self.start, self.end) == (other.event_type, other.start, other.end)
            && self.hosts == other.hosts
    }
}

/// Returns descriptions of all contradictions.
pub fn violations(rules: &Rules, attempts: &[Attempt], found: &[Booking]) -> Vec<String> {
    let mut violations = Vec::new();
    let accepted: Vec<&Booking> = found.iter().filter(|booking| booking.is_accepted).collect();
    check_distances(rules, &accepted, &mut violations);
    check_limits(rules, &accepted, &mut violations);
    check_attendees(attempts, found, &mut violations);
    check_acknowledged(attempts, found, &mut violations);
    for attempt in attempts {
        let is_expected = match attempt.answer {
            Answer::Told(status, _) => {
                matches!(status, 200 | 201 | 400 | 409 | 422 | 502..=504)
            }
            Answer::Unknown => true,
        };
        if !is_expected {
            violations.push(format!("unexpected response: {attempt:?}"));
        }
    }
    violations
}

fn check_distances(rules: &Rules, accepted: &[&Booking], violations: &mut Vec<String>) {
    let mut by_host: BTreeMap<i64, Vec<&Booking>> = BTreeMap::new();
    for booking in accepted {
        for host in &booking.hosts {
            by_host.entry(*host).or_default().push(booking);
        }
    }
    for (host, mut bookings) in by_host {
        bookings.sort_by_key(|booking| booking.start);
        for (index, later) in bookings.iter().enumerate() {
            let before = rules.of(later.event_type).before * MINUTE_MS;
            let near = bookings[..index].iter().rev();
            for earlier in near.take_while(|earlier| later.start - earlier.start < DAY_MS) {
                let after = rules.of(earlier.event_type).after * MINUTE_MS;
                if earlier.end + after > later.start - before {
                    violations.push(format!("host {host} overlap: {earlier:?} and {later:?}"));
                }
            }
        }
    }
}

fn check_limits(rules: &Rules, accepted: &[&Booking], violations: &mut Vec<String>) {
    let mut per_day: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    for booking in accepted {
        let seats = rules.of(booking.event_type).seats.unwrap_or(1);
        if booking.attendees.len() > seats {
            violations.push(format!("seats exceeded: {booking:?}"));
        }
        let day = booking.start.div_euclid(DAY_MS);
        *per_day.entry((booking.event_type, day)).or_default() += 1;
    }
    for ((event_type, day), count) in per_day {
        if rules
            .of(event_type)
            .per_day
            .is_some_and(|limit| count > limit)
        {
            violations.push(format!(
                "limit exceeded: {count} of {event_type} on day {day}"
            ));
        }
    }
}

fn check_attendees(attempts: &[Attempt], found: &[Booking], violations: &mut Vec<String>) {
    let booked: HashMap<&str, &Attempt> = attempts
        .iter()
        .filter_map(|attempt| match &attempt.operation {
            Operation::Book { email, .. } => Some((email.as_str(), attempt)),
            _ => None,
        })
        .collect();
    let mut busy = HashSet::new();
    for booking in found {
        for (email, _) in &booking.attendees {
            match booked.get(email.as_str()) {
                None => violations.push(format!("not requested: {booking:?}")),
                Some(attempt) if attempt.is_rejected() => {
                    violations.push(format!("{attempt:?} was rejected, but made {booking:?}"));
                }
                Some(_) => {}
            }
            if booking.is_accepted && !busy.insert(email) {
                violations.push(format!("{email} has two bookings, one of them {booking:?}"));
            }
        }
    }
}

fn check_acknowledged(attempts: &[Attempt], found: &[Booking], violations: &mut Vec<String>) {
    let found: HashMap<&str, &Booking> = found
        .iter()
        .map(|booking| (booking.uid.as_str(), booking))
        .collect();
    // Actions by uid and seat that were carried out or may have been.
    let mut actions: HashMap<(&str, Option<&str>), Vec<&Attempt>> = HashMap::new();
    for attempt in attempts.iter().filter(|attempt| !attempt.is_rejected()) {
        let key = match &attempt.operation {
            Operation::Cancel { uid, seat } => (uid.as_str(), seat.as_deref()),
            Operation::Reschedule { uid, .. } => (uid.as_str(), None),
            _ => continue,
        };
        actions.entry(key).or_default().push(attempt);
    }
    for attempt in attempts {
        let Some(data) = attempt.acknowledged() else {
            continue;
        };
        if !matches!(
            attempt.operation,
            Operation::Book { .. } | Operation::Reschedule { .. }
        ) {
            continue;
        }
        let told = Booking::read(data);
        let seat = data["seatUid"].as_str();
        let Some(booking) = found.get(told.uid.as_str()) else {
            violations.push(format!("lost: {attempt:?}"));
            continue;
        };
        if !booking.has_values_of(&told) {
            violations.push(format!("changed: {attempt:?} is now {booking:?}"));
        }
        let is_kept = booking.is_accepted
            && booking.attendees.iter().any(|(email, kept_seat)| {
                kept_seat.as_deref() == seat && told.attendees.iter().any(|(told, _)| told == email)
            });
        if !is_kept && !actions.contains_key(&(told.uid.as_str(), seat)) {
            violations.push(format!(
                "ended without a request: {attempt:?} is now {booking:?}"
            ));
        }
    }
    for ((uid, seat), actions) in actions {
        let done: Vec<&&Attempt> = actions
            .iter()
            .filter(|action| action.acknowledged().is_some())
            .collect();
        if done.len() > 1 {
            violations.push(format!("ended twice: {done:?}"));
        }
        let (Some(action), Some(booking)) = (done.first(), found.get(uid)) else {
            continue;
        };
        let is_ended = match (&action.operation, seat) {
            (Operation::Reschedule { .. }, _) => {
                let successor = action.acknowledged().and_then(|data| data["uid"].as_str());
                !booking.is_accepted && booking.successor.as_deref() == successor
            }
            (_, None) => !booking.is_accepted,
            (_, seat) => {
                let mut seats = booking.attendees.iter().map(|(_, kept)| kept.as_deref());
                !booking.is_accepted || seats.all(|kept| kept != seat)
            }
        };
        if !is_ended {
            violations.push(format!("no effect: {action:?} on {booking:?}"));
        }
    }
}
