//! Visitors who book, reserve, reschedule and cancel at random.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use chrono::DateTime;
use fastrand::Rng;
use serde_json::{Value, json};

use crate::fixture::TEAM;
use crate::history::{Answer, Attempt, Booking, Operation, Rules, violations};
use crate::http::{self, Response};
use crate::proxy::wait_until;

/// Requests with an unknown outcome are repeated so often, with the same idempotency key.
const REPEATS: usize = 4;

/// First day of the bookings: Monday, 2027-03-08.
const FIRST_DAY: i64 = 1_804_464_000_000;
const MINUTE_MS: i64 = 60_000;

/// Event types of the random visitors, with their weights.
const EVENT_TYPES: [i64; 8] = [9101, 9101, 9102, 9102, 9103, 9103, 9104, 9105];

/// A booking or seat that visitors may reschedule or cancel.
#[derive(Clone)]
struct Known {
    uid: String,
    seat: Option<String>,
}

/// Visitors of the same replicas.
pub struct Visitors {
    /// Addresses of a proxy or of replicas.
    addresses: Vec<String>,
    seed: u64,
    days: i64,
    rules: Rules,
    limit: usize,
    next: AtomicUsize,
    is_over: AtomicBool,
    known: Mutex<Vec<Known>>,
    attempts: Mutex<Vec<Attempt>>,
    /// Responses that are wrong by themselves.
    wrong: Mutex<Vec<String>>,
}

impl Visitors {
    /// Visitors who stop after `limit` attempts. The environment can set the seed.
    pub fn new(addresses: Vec<String>, rules: Rules, days: i64, limit: usize) -> Self {
        let seed = std::env::var("BOOKING_TEST_SEED")
            .map_or_else(|_| fastrand::u64(..1 << 32), |seed| seed.parse().unwrap());
        println!("BOOKING_TEST_SEED={seed}");
        Self {
            addresses,
            seed,
            days,
            rules,
            limit,
            next: AtomicUsize::default(),
            is_over: AtomicBool::default(),
            known: Mutex::default(),
            attempts: Mutex::default(),
            wrong: Mutex::default(),
        }
    }

    /// Generator of the choices of one thread.
    pub fn random(&self, thread: u64) -> Rng {
        Rng::with_seed(self.seed.wrapping_mul(1_000_003) + thread)
    }

    /// Runs threads of visitors beside `faults`, and stops them when it ends.
    pub fn run(&self, threads: u64, faults: impl FnOnce(&Self)) {
        thread::scope(|scope| {
            for number in 0..threads {
                scope.spawn(move || self.visit(self.random(number)));
            }
            // Visitors must not go on for ever after a failure.
            let stop = StopOnDrop(self);
            faults(self);
            drop(stop);
        });
    }

    /// Returns true once all attempts have begun.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.begun() >= self.limit
    }

    pub fn begun(&self) -> usize {
        self.next.load(Ordering::Relaxed)
    }

    /// Returns all attempts so far.
    pub fn attempts(&self) -> Vec<Attempt> {
        self.attempts.lock().unwrap().clone()
    }

    /// Waits until some more bookings are made, for example through replicas that have recovered.
    pub fn wait_for_bookings(&self) {
        let count = || {
            let attempts = self.attempts.lock().unwrap();
            let made = attempts
                .iter()
                .filter(|attempt| matches!(attempt.answer, Answer::Told(201, _)));
            made.count()
        };
        let before = count();
        wait_until("bookings are made", || count() >= before + 15);
    }

    /// Returns trigger and uid of the messages that all acknowledged changes have.
    pub fn expected_messages(&self) -> Vec<(&'static str, String)> {
        let attempts = self.attempts();
        let message = |attempt: &Attempt| {
            let uid = attempt.acknowledged()?["uid"].as_str();
            match (&attempt.operation, uid) {
                (Operation::Book { .. }, Some(uid)) => Some(("BOOKING_CREATED", uid.to_owned())),
                (Operation::Reschedule { .. }, Some(uid)) => {
                    Some(("BOOKING_RESCHEDULED", uid.to_owned()))
                }
                (Operation::Cancel { uid, .. }, _) => Some(("BOOKING_CANCELLED", uid.clone())),
                _ => None,
            }
        };
        attempts.iter().filter_map(message).collect()
    }

    /// Returns numbers of responses by status; 0: unknown outcomes.
    pub fn statuses(&self) -> BTreeMap<u16, usize> {
        let mut counts = BTreeMap::new();
        for attempt in self.attempts.lock().unwrap().iter() {
            let status = match attempt.answer {
                Answer::Told(status, _) => status,
                Answer::Unknown => 0,
            };
            *counts.entry(status).or_default() += 1;
        }
        counts
    }

    /// Returns what contradicts the bookings that a replica lists now.
    pub fn violations(&self, owner: &str) -> Vec<String> {
        let found = bookings(&self.addresses[0], owner);
        let mut all = violations(&self.rules, &self.attempts(), &found);
        all.append(&mut self.wrong.lock().unwrap());
        all
    }

    fn visit(&self, mut random: Rng) {
        while !self.is_over() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            match random.u8(..100) {
                0..55 => self.book(&mut random, number, None),
                55..67 => self.reserve(&mut random, number),
                67..82 => self.change(&mut random, number, true),
                _ => self.change(&mut random, number, false),
            }
        }
    }

    fn reserve(&self, random: &mut Rng, number: usize) {
        let (event_type, start) = self.slot(random, number);
        let body = json!({"eventTypeId": event_type, "slotStart": text(start)});
        let operation = Operation::Reserve { event_type, start };
        let data = self.attempt(number, operation, "/v2/slots/reservations", &body, false);
        let uid = data
            .as_ref()
            .and_then(|data| data["reservationUid"].as_str());
        // Some visitors leave.
        if let (Some(uid), true) = (uid, random.u8(..5) > 0) {
            let slot = (event_type, start, uid.to_owned());
            self.book(random, number, Some(slot));
        }
    }

    fn book(&self, random: &mut Rng, number: usize, reserved: Option<(i64, i64, String)>) {
        let (event_type, start, reservation) = match reserved {
            Some((event_type, start, uid)) => (event_type, start, Some(uid)),
            None => {
                let (event_type, start) = self.slot(random, number);
                (event_type, start, None)
            }
        };
        let email = format!("visitor{number}@example.org");
        let mut body = json!({
            "start": text(start),
            "eventTypeId": event_type,
            "attendee": {"name": "Zoë", "email": email, "timeZone": "UTC"},
        });
        if let Some(uid) = reservation {
            body["reservedSlotUid"] = json!(uid);
        }
        let operation = Operation::Book {
            event_type,
            start,
            email,
        };
        let data = self.attempt(number, operation, "/v2/bookings", &body, true);
        self.remember(data.as_ref());
    }

    /// Cancels or reschedules a booking that anyone made. Sometimes others do so at the same time.
    fn change(&self, random: &mut Rng, number: usize, cancels: bool) {
        let known = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.is_empty() {
                return;
            }
            let index = random.usize(..known.len());
            if random.u8(..5) > 0 {
                known.swap_remove(index)
            } else {
                known[index].clone()
            }
        };
        let Known { uid, seat } = known;
        if cancels || seat.is_some() {
            let mut body = json!({"cancellationReason": "No time"});
            if let Some(seat) = &seat {
                body["seatUid"] = json!(seat);
            }
            let target = format!("/v2/bookings/{uid}/cancel");
            self.attempt(
                number,
                Operation::Cancel { uid, seat },
                &target,
                &body,
                false,
            );
        } else {
            let (_, start) = self.slot(random, number);
            let target = format!("/v2/bookings/{uid}/reschedule");
            let operation = Operation::Reschedule { uid, start };
            let body = json!({"start": text(start)});
            let data = self.attempt(number, operation, &target, &body, true);
            self.remember(data.as_ref());
        }
    }

    fn remember(&self, data: Option<&Value>) {
        if let Some(uid) = data.and_then(|data| data["uid"].as_str()) {
            self.known.lock().unwrap().push(Known {
                uid: uid.to_owned(),
                seat: data
                    .and_then(|data| data["seatUid"].as_str())
                    .map(str::to_owned),
            });
        }
    }

    /// Chooses an event type and a start: half of the visitors look at the slots of a day first.
    fn slot(&self, random: &mut Rng, number: usize) -> (i64, i64) {
        let event_type = EVENT_TYPES[random.usize(..EVENT_TYPES.len())];
        let day = FIRST_DAY + random.i64(0..self.days) * 24 * 60 * MINUTE_MS;
        if random.bool() {
            let date = &text(day)[..10];
            let target = format!("/v2/slots?eventTypeId={event_type}&start={date}&end={date}");
            let slots = http::get(self.address(number), &target, &visitor(number));
            let slots = slots.filter(|response| response.status == 200);
            if let Some(slots) = slots
                .as_ref()
                .and_then(|slots| slots.body["data"][date].as_array())
                && let Some(slot) = random.choice(slots)
            {
                let start = slot["start"].as_str().unwrap();
                let start = DateTime::parse_from_rfc3339(start).unwrap();
                return (event_type, start.timestamp_millis());
            }
        }
        let minutes = self.rules.of(event_type).minutes;
        (
            event_type,
            day + random.i64(0..24 * 60 / minutes) * minutes * MINUTE_MS,
        )
    }

    fn address(&self, number: usize) -> &str {
        &self.addresses[number % self.addresses.len()]
    }

    /// Sends a request and records it. Returns the data of a successful response.
    fn attempt(
        &self,
        number: usize,
        operation: Operation,
        target: &str,
        body: &Value,
        is_repeatable: bool,
    ) -> Option<Value> {
        let began = SystemTime::now();
        let headers = visitor(number)
            + &if is_repeatable {
                format!("idempotency-key: {target}-{number}\r\n")
            } else {
                String::new()
            };
        let mut answer = Answer::Unknown;
        let mut is_unclear = false;
        for repeat in 0..if is_repeatable { REPEATS } else { 1 } {
            let response = http::post(self.address(number + repeat), target, &headers, body);
            if let Some(response) = &response {
                self.examine(response, target);
            }
            answer = response.map_or(Answer::Unknown, |response| {
                Answer::Told(response.status, response.body["data"].clone())
            });
            let is_rejected = matches!(answer, Answer::Told(400..=499, _));
            if is_rejected && is_unclear {
                // The first request may still be carried out, or have been.
                answer = Answer::Unknown;
            }
            if is_rejected || matches!(answer, Answer::Told(..=499, _)) {
                break;
            }
            is_unclear = true;
            thread::sleep(Duration::from_millis(100));
        }
        let attempt = Attempt {
            operation,
            answer,
            began,
            ended: SystemTime::now(),
        };
        let data = attempt.acknowledged().cloned();
        self.attempts.lock().unwrap().push(attempt);
        data
    }

    /// Checks what holds for each response of a replica; the proxy's own have no JSON.
    fn examine(&self, response: &Response, target: &str) {
        let is_wrong = match response.status {
            200 | 201 => false,
            400 | 409 | 422 => response.message().is_empty(),
            503 => !response.body.is_null() && response.header("retry-after").is_none(),
            502 | 504 => false,
            _ => true,
        };
        if is_wrong {
            let text = format!("{target}: {}\n{}", response.head, response.text);
            self.wrong.lock().unwrap().push(text);
        }
    }
}

struct StopOnDrop<'a>(&'a Visitors);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// Headers of a visitor: an address of their own, as the proxy would write it.
fn visitor(number: usize) -> String {
    let [_, a, b, c] = (number as u32).to_be_bytes();
    format!("x-forwarded-for: 10.{a}.{b}.{c}\r\n")
}

fn text(instant: i64) -> String {
    let instant = DateTime::from_timestamp_millis(instant).unwrap();
    instant.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns all bookings of the tests' event types, in any status, as a replica lists them.
pub fn bookings(address: &str, owner: &str) -> Vec<Booking> {
    let mut all = Vec::new();
    loop {
        let target = format!(
            "/v2/teams/{TEAM}/bookings?take=250&skip={}&sortCreated=asc&eventTypeIds=9101,9102,9103,9104,9105,9106",
            all.len()
        );
        let page = http::get(address, &target, owner).expect("a list");
        assert_eq!(page.status, 200, "{}", page.text);
        let items = page.body["data"].as_array().unwrap();
        all.extend(items.iter().map(Booking::read));
        if items.is_empty() || page.body["pagination"]["hasNextPage"] == false {
            let total = page.body["pagination"]["totalItems"].as_u64().unwrap();
            assert_eq!(all.len() as u64, total);
            return all;
        }
    }
}
