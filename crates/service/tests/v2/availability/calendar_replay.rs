//! Random changes of bookings: after each run, the calendars of all attendees, guests and hosts, which obey every
//! invitation by the letter, have exactly the meetings that the service has.
//!
//! `BOOKING_TEST_SEEDS` sets the number of runs, `BOOKING_TEST_SEED` repeats one.

mod strict_calendar;

use std::collections::{BTreeMap, BTreeSet};

use booking_service::domain::users::delete::delete_users;
use booking_service::domain::zone_review;
use booking_service::messages::mail::outbox::Outbox;
use booking_service::messages::mail::outbox::content::content;
use booking_service::settings::ZoneChange;
use booking_service::store::Subject;
use booking_service::store::messages::mail;
use booking_store_engine::sql;
use booking_wire::Instant;
use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};
use fastrand::Rng;
use serde_json::{Value, json};

use crate::common::Service;
use strict_calendar::StrictCalendar;

/// Runs by default.
const SEEDS: u64 = 6;

const ACTIONS: usize = 60;

/// Hosts who work at any time.
const HOSTS: [i64; 5] = [210, 211, 212, 213, 214];

const VISITORS: [&str; 5] = ["ana", "bo", "cy", "dee", "eve"];

const GUESTS: [&str; 4] = ["gil", "gus", "guy", "gia"];

/// True for the part of a host, and the address.
type PersonKey = (bool, String);

struct Run {
    service: Service,
    random: Rng,
    keys: BTreeMap<i64, (String, String)>,
    staff: (String, String),
    event_types: Vec<(i64, bool)>,
    calendars: BTreeMap<PersonKey, StrictCalendar>,
    last_message: i64,
    applied: usize,
    log: Vec<String>,
}

/// A booking that an action may change.
#[derive(Clone, Debug, sqlx::FromRow)]
struct Target {
    id: i64,
    uid: String,
    series_uid: Option<String>,
    status: String,
    seated: i64,
}

impl Run {
    async fn start(seed: u64) -> Self {
        let service = Service::start().await;
        let mut statements = String::new();
        for id in HOSTS {
            statements.push_str(&format!(
                "INSERT INTO users (id, username, email, name, time_zone, default_schedule_id)
                 VALUES ({id}, 'always{id}', 'host{id}@northwind.example', 'Host {id}', 'Europe/Berlin', {id});
                 INSERT INTO schedules (id, owner_id, name, time_zone) VALUES ({id}, {id}, 'Hours', 'Europe/Berlin');
                 INSERT INTO memberships (team_id, user_id, accepted, role) VALUES (1, {id}, 1, 'MEMBER');"
            ));
            for weekday in 0..7 {
                statements.push_str(&format!(
                    "INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
                     VALUES ({id}, {weekday}, 0, 1439);"
                ));
            }
        }
        service.sql(&statements).await;
        let series =
            |count: i64| json!({"interval": 1, "occurrences": count, "frequency": "weekly"});
        let confirmation = json!({"type": "always"});
        let types = [
            ("roundRobin", json!({})),
            ("roundRobin", json!({"recurrence": series(4)})),
            ("roundRobin", json!({"confirmationPolicy": confirmation})),
            (
                "roundRobin",
                json!({"recurrence": series(3), "confirmationPolicy": confirmation}),
            ),
            ("collective", json!({})),
            ("roundRobin", json!({"seats": {"seatsPerTimeSlot": 3}})),
            (
                "roundRobin",
                json!({"seats": {"seatsPerTimeSlot": 3}, "recurrence": series(3)}),
            ),
            (
                "roundRobin",
                json!({"hideOrganizerEmail": true, "recurrence": series(2)}),
            ),
        ];
        let mut event_types = Vec::new();
        for (index, (scheduling, settings)) in types.into_iter().enumerate() {
            let hosts = if scheduling == "collective" {
                &HOSTS[..2]
            } else {
                &HOSTS[..]
            };
            let is_seated = !settings["seats"].is_null();
            let slug = format!("replay-{index}");
            let id = service
                .event_type_of(&slug, Some(scheduling), hosts, settings)
                .await;
            event_types.push((id, is_seated));
        }
        let mut keys = BTreeMap::new();
        for id in HOSTS {
            let bearer = format!("Bearer {}", service.key_of(id).await);
            keys.insert(id, ("authorization".to_owned(), bearer));
        }
        Self {
            staff: service.owner(),
            service,
            random: Rng::with_seed(seed),
            keys,
            event_types,
            calendars: BTreeMap::new(),
            last_message: 0,
            applied: 0,
            log: Vec::new(),
        }
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.random.usize(..all.len())].clone()
    }

    /// A full hour in the weeks around the change of clocks.
    fn random_start(&mut self) -> Instant {
        let first = Instant::parse("2027-03-15").unwrap();
        let (day, hour) = (self.random.i64(0..24), self.random.i64(5..20));
        Instant(first.0 + day * DAY_MS + hour * 60 * MINUTE_MS)
    }

    /// Sends a request. What the rules forbid changes nothing.
    async fn send(
        &mut self,
        method: &str,
        target: &str,
        caller: Option<(String, String)>,
        body: Value,
    ) -> Value {
        let response = match &caller {
            Some(caller) => {
                self.service
                    .request(method, target, caller, body.clone())
                    .await
            }
            None => self.service.post(target, body.clone()).await,
        };
        assert!(response.status < 500, "{target} {body}: {}", response.text);
        let part = if caller.is_some() { "staff" } else { "visitor" };
        self.log.push(format!(
            "{} {part} {method} {target} {body}",
            response.status
        ));
        response.body["data"].clone()
    }

    async fn target(&mut self) -> Option<Target> {
        let mut db = self.service.app.store.read().await.unwrap();
        let all: Vec<Target> = sql::query_as(
            "SELECT id, uid, series_uid, status, seated FROM bookings
             WHERE start_ms > ? AND event_type_id >= ? AND rescheduled_to_uid IS NULL ORDER BY id",
        )
        .bind(self.service.app.clock.now().0)
        .bind(self.event_types[0].0)
        .fetch_all(&mut db)
        .await
        .unwrap();
        drop(db);
        let open: Vec<Target> = (all.iter())
            .filter(|it| matches!(it.status.as_str(), "accepted" | "pending"))
            .cloned()
            .collect();
        let all = if self.random.u8(..10) == 0 { all } else { open };
        (!all.is_empty()).then(|| self.pick(&all))
    }

    async fn strings(&self, statement: &'static str, id: i64) -> Vec<String> {
        let mut db = self.service.app.store.read().await.unwrap();
        sql::query_scalar(statement)
            .bind(id)
            .fetch_all(&mut db)
            .await
            .unwrap()
    }

    async fn seat_of(&mut self, booking: &Target) -> Option<String> {
        let statement = "SELECT seat_uid FROM attendees WHERE booking_id = ? AND seat_uid IS NOT NULL ORDER BY id";
        let seats = self.strings(statement, booking.id).await;
        (!seats.is_empty()).then(|| self.pick(&seats))
    }

    async fn book(&mut self) {
        let (id, is_seated) = self.pick(&self.event_types.clone());
        let visitor = self.pick(&VISITORS);
        let zone = self.pick(&["Europe/Rome", "America/New_York", "Asia/Kathmandu"]);
        let guests: Vec<String> = (0..self.random.usize(..3))
            .map(|_| format!("{}@guests.example", self.pick(&GUESTS)))
            .collect();
        let mut start = self.random_start();
        // Visitors join a meeting with seats.
        if is_seated && self.random.bool() {
            let statement = "SELECT CAST(start_ms AS TEXT) FROM bookings WHERE event_type_id = ? AND status = 'accepted' ORDER BY id";
            let starts = self.strings(statement, id).await;
            if !starts.is_empty() {
                start = Instant(self.pick(&starts).parse().unwrap());
            }
        }
        let mut body = json!({
            "start": start, "eventTypeId": id,
            "attendee": {"name": visitor, "email": format!("{visitor}@visitors.example"), "timeZone": zone},
        });
        if !is_seated {
            body["guests"] = json!(guests);
        }
        self.send("POST", "/v2/bookings", None, body).await;
    }

    async fn act(&mut self) {
        let kind = self.random.u8(..100);
        if kind < 22 {
            return self.book().await;
        }
        let Some(booking) = self.target().await else {
            return self.book().await;
        };
        let staff = Some(self.staff.clone());
        let path = |action: &str| format!("/v2/bookings/{}/{action}", booking.uid);
        let caller = if self.random.bool() {
            staff.clone()
        } else {
            None
        };
        match kind {
            22..32 => {
                let guest = format!("{}@guests.example", self.pick(&GUESTS));
                let body = json!({"guests": [{"email": guest}]});
                self.send("POST", &path("guests"), staff, body).await;
            }
            32..42 => {
                let host = self.pick(&HOSTS);
                self.send("POST", &path(&format!("reassign/{host}")), staff, json!({}))
                    .await;
            }
            42..46 => {
                self.send("POST", &path("reassign"), staff, json!({})).await;
            }
            46..60 => {
                let mut body = json!({"start": self.random_start(), "reschedulingReason": "Ill"});
                if booking.seated == 1 && caller.is_none() {
                    body["seatUid"] = json!(self.seat_of(&booking).await);
                }
                self.send("POST", &path("reschedule"), caller, body).await;
            }
            60..76 => {
                let mut body = json!({"cancellationReason": "Ill"});
                body["cancelSubsequentBookings"] = json!(self.random.bool());
                if booking.seated == 1 && (caller.is_none() || self.random.bool()) {
                    body["seatUid"] = json!(self.seat_of(&booking).await);
                }
                let named = match &booking.series_uid {
                    Some(series) if self.random.u8(..3) == 0 => series,
                    _ => &booking.uid,
                };
                self.send(
                    "POST",
                    &format!("/v2/bookings/{named}/cancel"),
                    caller,
                    body,
                )
                .await;
            }
            76..86 => {
                let named = match &booking.series_uid {
                    Some(series) if self.random.bool() => series,
                    _ => &booking.uid,
                };
                let action = if self.random.u8(..3) == 0 {
                    "decline"
                } else {
                    "confirm"
                };
                self.send(
                    "POST",
                    &format!("/v2/bookings/{named}/{action}"),
                    staff,
                    json!({}),
                )
                .await;
            }
            86..88 => self.change_law(&booking).await,
            88..90 => {
                let address = format!("Room {}", self.random.u8(..9));
                let body = json!({"location": {"type": "address", "address": address}});
                self.send("PATCH", &path("location"), staff, body).await;
            }
            90..95 => {
                let visitor = self.pick(&VISITORS);
                let body = json!({
                    "name": visitor, "email": format!("{visitor}@visitors.example"), "timeZone": "Europe/Rome",
                });
                self.send("POST", &path("attendees"), staff, body).await;
            }
            95..98 => {
                let is_hidden = self.random.bool();
                let (id, _) = self.pick(&self.event_types.clone());
                let target = format!("/v2/teams/1/event-types/{id}");
                let body = json!({"hideOrganizerEmail": is_hidden});
                self.send("PATCH", &target, staff, body).await;
            }
            _ => self.delete_host().await,
        }
    }

    /// People were told the times of a booking, or of a series, by another law.
    async fn change_law(&mut self, booking: &Target) {
        let zone = self.pick(&["Europe/Berlin", "Europe/Rome", "America/New_York"]);
        let offsets = json!({zone: self.random.i64(0..3) * 3600});
        let statement = format!(
            "UPDATE bookings SET utc_offsets = '{offsets}' WHERE uid = '{}' OR series_uid = '{}'",
            booking.uid,
            booking.series_uid.as_deref().unwrap_or_default()
        );
        self.service.sql(&statement).await;
        let is_kept = self.random.bool();
        self.service.restart_with(|settings| {
            settings.zone_change = if is_kept {
                ZoneChange::WallTime
            } else {
                ZoneChange::Instant
            };
        });
        zone_review::run(&self.service.app).await.unwrap();
        self.log.push(format!("law {statement} {is_kept}"));
    }

    async fn delete_host(&mut self) {
        let present: Vec<i64> = self.keys.keys().copied().collect();
        if present.len() <= 3 {
            return;
        }
        let host = *present.last().unwrap();
        self.keys.remove(&host);
        let now = self.service.app.clock.now();
        let mut transaction = self
            .service
            .app
            .store
            .begin(&[Subject::Rows])
            .await
            .unwrap();
        let released = delete_users(&mut transaction, &[host], now).await.unwrap();
        transaction.commit().await.unwrap();
        self.log.push(format!("deleted host {host}: {released:?}"));
    }

    /// Makes the messages and gives their invitations to the calendars of their recipients.
    async fn deliver(&mut self) {
        Outbox::new(self.service.app.clone()).round().await.unwrap();
        let mut db = self.service.app.store.read().await.unwrap();
        let mut messages = mail::latest(&mut db, 10_000).await.unwrap();
        drop(db);
        messages.retain(|message| message.id > self.last_message);
        messages.reverse();
        for message in messages {
            self.last_message = message.id;
            assert_eq!(message.status, "kept");
            let content = content(&self.service.app, &message).unwrap();
            let email = message.email.to_lowercase();
            let invitation = content.invitation;
            let text = invitation.as_ref().map_or("", |it| it.text.as_str());
            self.log.push(format!(
                "  {} {} {email}: {}",
                message.kind,
                message.role,
                strict_calendar::summary(text)
            ));
            let Some(invitation) = invitation else {
                continue;
            };
            let key = (content.recipient.role.is_host(), email.clone());
            let calendar = self
                .calendars
                .entry(key)
                .or_insert_with(|| StrictCalendar::of(&email));
            self.applied += 1;
            if let Err(problem) = calendar.apply(&invitation.text) {
                panic!("{problem}\n{}\n{}", self.log.join("\n"), invitation.text);
            }
        }
    }

    /// Starts of the meetings of each person.
    async fn expected(&self) -> BTreeMap<PersonKey, BTreeSet<i64>> {
        let mut db = self.service.app.store.read().await.unwrap();
        let rows: Vec<(i64, String, i64)> = sql::query_as(
            "SELECT CAST(0 AS BIGINT), lower(a.email), b.start_ms FROM bookings b JOIN attendees a ON a.booking_id = b.id
             WHERE b.status = 'accepted' AND b.event_type_id >= ?1
             UNION ALL SELECT CAST(1 AS BIGINT), lower(u.email), b.start_ms FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
             JOIN users u ON u.id = h.user_id WHERE b.status IN ('accepted', 'pending') AND b.event_type_id >= ?1",
        )
        .bind(self.event_types[0].0)
        .fetch_all(&mut db)
        .await
        .unwrap();
        let mut expected: BTreeMap<PersonKey, BTreeSet<i64>> = BTreeMap::new();
        for (is_host, email, start_ms) in rows {
            expected
                .entry((is_host == 1, email))
                .or_default()
                .insert(start_ms);
        }
        expected
    }

    /// Compares the calendars with the bookings. Returns the number of calendars.
    async fn check(&self) -> usize {
        let expected = self.expected().await;
        let mut keys: BTreeSet<PersonKey> = self.calendars.keys().cloned().collect();
        keys.extend(expected.keys().cloned());
        for key in &keys {
            let wanted = expected.get(key).cloned().unwrap_or_default();
            let found = self
                .calendars
                .get(key)
                .map(StrictCalendar::starts)
                .unwrap_or_default();
            let texts = |starts: &BTreeSet<i64>| -> Vec<String> {
                starts
                    .iter()
                    .map(|start| Instant(*start).to_string())
                    .collect()
            };
            assert_eq!(
                texts(&found),
                texts(&wanted),
                "calendar of {key:?}\n{}",
                self.log.join("\n")
            );
        }
        keys.len()
    }
}

async fn replay(seed: u64) -> (usize, usize) {
    let mut run = Run::start(seed).await;
    run.log.push(format!("BOOKING_TEST_SEED={seed}"));
    for _ in 0..ACTIONS {
        run.act().await;
        // No address reaches the limit of messages.
        run.service.app.clock.advance_minutes(10);
        if run.random.u8(..3) > 0 {
            run.deliver().await;
        }
    }
    run.deliver().await;
    (run.check().await, run.applied)
}

#[test]
fn calendars_of_all_people_have_their_bookings() {
    let number = |name: &str| {
        let text = std::env::var(name).ok();
        text.map(|text| text.parse::<u64>().unwrap())
    };
    let seeds = match number("BOOKING_TEST_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("BOOKING_TEST_SEEDS").unwrap_or(SEEDS),
    };
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
    };
    // Two at a time, as many as tests have processors.
    let threads: Vec<_> = (0..2)
        .map(|part| {
            let seeds = seeds.clone().filter(move |seed| seed % 2 == part);
            std::thread::spawn(move || -> Vec<(usize, usize)> {
                seeds
                    .map(|seed| runtime().unwrap().block_on(replay(seed)))
                    .collect()
            })
        })
        .collect();
    let mut totals = (0, 0);
    for thread in threads {
        for (calendars, applied) in thread.join().unwrap() {
            totals.0 += calendars;
            totals.1 += applied;
        }
    }
    println!(
        "{} runs, {} calendars, {} invitations",
        seeds.end - seeds.start,
        totals.0,
        totals.1
    );
}
