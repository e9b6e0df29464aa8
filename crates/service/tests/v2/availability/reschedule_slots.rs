//! Slots for rescheduling: every start that is offered is accepted, and every other is refused.

use booking_service::domain::bookings::reschedule::move_booking;
use booking_service::domain::bookings::reschedule::request::RescheduleRequest;
use booking_service::store::Subject;
use booking_wire::Instant;
use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};
use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, NOW, OTHER_HOST, Service, booking};

/// Third host; working hours 9 to 17 in London.
const THIRD_HOST: i64 = 102;

const HOSTS: [i64; 3] = [HOST, OTHER_HOST, THIRD_HOST];

/// First and last day that starts are compared on, Tuesday and Wednesday.
const DAYS: [&str; 2] = ["2027-03-02", "2027-03-03"];

/// Zones that a move may come from, as it names none: of the attendee, UTC, of the hosts; and those whose full hours are at
/// other minutes.
const ZONES: [&str; 6] = [
    "UTC",
    "Europe/Rome",
    "Europe/London",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
];

/// Adds the third host.
async fn add_third_host(service: &Service) {
    let mut statements = format!(
        "INSERT INTO users (id, username, email, name, time_zone, default_schedule_id)
         VALUES ({THIRD_HOST}, 'host102', 'host102@northwind.example', 'Host 102', 'Europe/London', {THIRD_HOST});
         INSERT INTO schedules (id, owner_id, name, time_zone)
         VALUES ({THIRD_HOST}, {THIRD_HOST}, 'Hours', 'Europe/London');"
    );
    for weekday in 1..=5 {
        statements.push_str(&format!(
            "INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
             VALUES ({THIRD_HOST}, {weekday}, 540, 1020);"
        ));
    }
    service.sql(&statements).await;
}

/// Chooses one of these.
fn pick<T: Clone>(random: &mut Rng, all: &[T]) -> T {
    all[random.usize(..all.len())].clone()
}

/// Settings of an event type that decide on times.
fn settings(random: &mut Rng, is_seated: bool) -> Value {
    let mut settings = json!({"lengthInMinutes": pick(random, &[30, 60])});
    let mut set = |key: &str, value: Value| settings[key] = value;
    if random.bool() {
        set("rescheduleWithSameRoundRobinHost", json!(true));
    }
    if is_seated {
        set(
            "seats",
            json!({"seatsPerTimeSlot": 3, "showAvailabilityCount": true, "showAttendeeInfo": false}),
        );
    }
    for (key, value) in [
        ("bookingLimitsCount", json!({"day": 3})),
        ("bookingLimitsDuration", json!({"day": 120})),
        ("minimumBookingNotice", json!(24 * 60)),
        ("slotInterval", json!(45)),
        ("onlyShowFirstAvailableSlot", json!(true)),
        (
            "bookingWindow",
            json!({"type": "businessDays", "value": 2, "rolling": true}),
        ),
    ] {
        if random.u8(..5) == 0 {
            set(key, value);
        }
    }
    settings
}

struct World {
    service: Service,
    event_type: i64,
    /// Uid of the booking to move, and of the seat in it, if only this is moved.
    uid: String,
    seat_uid: Option<String>,
    /// Credentials of a host, who moves all seats.
    bearer: Option<(String, String)>,
    description: String,
}

/// Makes an event type with bookings of it and other appointments of its hosts.
async fn make_world(seed: u64) -> World {
    let mut random = Rng::with_seed(seed);
    let random = &mut random;
    let service = Service::start().await;
    add_third_host(&service).await;
    let scheduling = pick(
        random,
        &["roundRobin", "roundRobin", "roundRobin", "collective"],
    );
    let is_seated = random.u8(..3) == 0;
    let settings = settings(random, is_seated);
    let description = format!("{scheduling} {settings}");
    let event_type = service
        .event_type_of("moved", Some(scheduling), &HOSTS, settings)
        .await;
    let start_of = |random: &mut Rng| {
        let day = pick(random, &DAYS);
        format!("{day}T{:02}:00:00Z", random.u8(14..16))
    };
    let other = service.event_type("other", json!({})).await;
    let hosts = |random: &mut Rng| match scheduling {
        "collective" => HOSTS.to_vec(),
        _ => vec![pick(random, &HOSTS)],
    };
    // Appointments of other event types, at times of which nobody has two.
    for (host, hour) in HOSTS.into_iter().zip([9, 18, 11]) {
        for day in DAYS {
            if random.bool() {
                let start = format!("{day}T{hour:02}:30:00Z");
                BookingFixture::new(other)
                    .hosts(&[host])
                    .at(&start)
                    .store(&service)
                    .await;
            }
        }
    }
    let mut bookings: Vec<(String, Option<String>)> = Vec::new();
    for number in 0..random.u8(1..4) {
        let start = start_of(random);
        let mut body = booking(event_type, &start);
        // A person has one seat of a meeting.
        body["attendee"]["email"] = json!(format!("visitor{number}@example.org"));
        let created = service.post("/v2/bookings", body).await;
        if created.status != 201 {
            continue;
        }
        let data = created.data();
        let text = |key: &str| data[key].as_str().map(str::to_owned);
        bookings.push((text("uid").unwrap(), text("seatUid")));
    }
    if bookings.is_empty() {
        // The rules forbid these starts: one that was made before they were set.
        let start = start_of(random);
        let hosts = hosts(random);
        let fixture = BookingFixture::new(event_type).hosts(&hosts).at(&start);
        bookings.push((fixture.store(&service).await, None));
    }
    let (uid, seat_uid) = pick(random, &bookings);
    let moves_all = is_seated && random.bool();
    // The hosts may have changed since.
    match random.u8(..4) {
        0 => {
            let left = pick(random, &HOSTS);
            service
                .sql(&format!(
                    "DELETE FROM event_type_hosts WHERE event_type_id = {event_type} AND user_id = {left}"
                ))
                .await;
        }
        1 => {
            let disabled = pick(random, &HOSTS[1..]);
            service
                .sql(&format!(
                    "UPDATE users SET disabled_ms = 1 WHERE id = {disabled}"
                ))
                .await;
        }
        _ => {}
    }
    let is_seat = seat_uid.is_some() && !moves_all;
    let bearer = (is_seated && !is_seat).then_some(service.owner());
    World {
        seat_uid: seat_uid.filter(|_| is_seat),
        service,
        event_type,
        uid,
        bearer,
        description,
    }
}

impl World {
    /// Starts that visitors in these zones are offered.
    async fn offered_in(&self, zones: &[&str]) -> BTreeSet<Instant> {
        let mut offered = BTreeSet::new();
        for zone in zones {
            offered.extend(self.offered(zone).await);
        }
        offered
    }

    async fn offered(&self, zone: &str) -> Vec<Instant> {
        let uid = self.seat_uid.as_ref().unwrap_or(&self.uid);
        let target = format!(
            "/v2/slots?eventTypeId={}&start={}&end={}&timeZone={zone}&bookingUidToReschedule={uid}",
            self.event_type, DAYS[0], DAYS[1],
        );
        let response = match &self.bearer {
            Some(bearer) => self.service.get_as(&target, bearer.clone()).await,
            None => self.service.get(&target).await,
        };
        let days = response.data().as_object().unwrap().values();
        days.flat_map(|day| day.as_array().unwrap())
            .map(|slot| Instant::parse(slot["start"].as_str().unwrap()).unwrap())
            .collect()
    }

    fn body(&self, start: Instant) -> Value {
        match &self.seat_uid {
            Some(seat_uid) => json!({"start": start, "seatUid": seat_uid}),
            None => json!({"start": start}),
        }
    }

    /// Moves the booking as a visitor and takes the move back.
    async fn try_move(&self, start: Instant) -> Result<(), String> {
        let body = self.body(start);
        let request = RescheduleRequest::read(body.as_object().unwrap()).unwrap();
        let now = Instant::parse(NOW).unwrap();
        let mut transaction = self
            .service
            .app
            .store
            .begin(&[Subject::Rows])
            .await
            .unwrap();
        let moved = move_booking(&mut transaction, None, &self.uid, &request, now).await;
        transaction.rollback().await.unwrap();
        moved.map(|_| ()).map_err(|cause| format!("{cause:?}"))
    }

    /// Moves all seats as a host.
    async fn move_all(self, start: Instant, bearer: (String, String)) -> Result<(), String> {
        let target = format!("/v2/bookings/{}/reschedule", self.uid);
        let body = self.body(start);
        let response = self.service.post_as(&target, bearer, body).await;
        match response.status {
            201 => Ok(()),
            _ => Err(response.text),
        }
    }
}

#[tokio::test]
async fn offered_starts_are_exactly_those_that_a_booking_can_be_moved_to() {
    let seeds = match std::env::var("BOOKING_TEST_SEED") {
        Ok(seed) => {
            let seed: u64 = seed.parse().unwrap();
            seed..seed + 1
        }
        // A world takes longer there, and the rules are the same.
        Err(_) if std::env::var_os("BOOKING_TEST_POSTGRES").is_some() => 0..6,
        Err(_) => 0..30,
    };
    let (mut moved, mut refused) = (0, 0);
    for seed in seeds {
        let world = make_world(seed).await;
        let offered = world.offered_in(&["UTC"]).await;
        let offered_anywhere = world.offered_in(&ZONES).await;
        let target = format!("/v2/bookings/{}", world.uid);
        let current = world.service.get(&target).await.data()["start"].clone();
        let current = Instant::parse(current.as_str().unwrap()).unwrap();
        let first = Instant::parse(DAYS[0]).unwrap();
        let mut starts: Vec<Instant> = (0..2 * 96)
            .map(|quarter| Instant(first.0 + quarter * 15 * MINUTE_MS))
            // A move has another time. Until 18:00, the day is the same in all of the zones.
            .filter(|start| *start != current)
            .filter(|start| {
                start.0.rem_euclid(DAY_MS) <= 18 * 60 * MINUTE_MS || offered.contains(start)
            })
            .collect();
        if world.bearer.is_some() {
            // Each needs a world of its own.
            let mut random = Rng::with_seed(seed);
            random.shuffle(&mut starts);
            starts.sort_by_key(|start| !offered.contains(start));
            starts = [&starts[..4], &starts[starts.len() - 2..]].concat();
        }
        for start in starts {
            let accepted = match &world.bearer {
                Some(bearer) => make_world(seed).await.move_all(start, bearer.clone()).await,
                None => world.try_move(start).await,
            };
            assert!(
                match &accepted {
                    Ok(()) => offered_anywhere.contains(&start),
                    Err(_) => !offered.contains(&start),
                },
                "seed {seed}: {start} of {}: {accepted:?}; {} at {current}",
                world.description,
                world.uid,
            );
            if accepted.is_ok() {
                moved += 1;
            } else {
                refused += 1;
            }
        }
    }
    println!("{moved} starts accepted, {refused} refused");
    assert!(moved > 0 && refused > 0, "{moved} {refused}");
}
