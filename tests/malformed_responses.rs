//! Malformed responses: they are read as far as possible and never cause a panic. The responses are the fixtures
//! of the wire types; the mutations are the same in each run.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::panic::{self, AssertUnwindSafe};

use booking_widget::features::booking_form::model::Form;
use booking_widget::features::roles::permissions::permission_set::{PermissionSet, RoleScope};
use booking_wire::{
    Booking, EventType, Me, Membership, Page, Permission, PublicEventType, Read, Reservation, Role,
    Slot, SlotDays, Team, TeamEventType,
};
use serde_json::{Map, Value, json};

/// Returns names and contents of the fixtures.
fn fixtures() -> Vec<(String, Value)> {
    let folder = format!("{}/crates/wire/tests/cases", env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("the fixtures") {
        let path = entry.expect("a fixture").path();
        let text = fs::read_to_string(&path).expect("a text");
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        all.push((name, serde_json::from_str(&text).expect("JSON")));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(all.len() >= 8);
    all
}

/// Deterministic pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Returns an invalid value.
fn invalid_value(random: &mut Random) -> Value {
    match random.below(17) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(i64::MIN),
        4 => json!(u64::MAX),
        5 => json!(1e308),
        6 => json!(0.000_000_1),
        7 => json!(""),
        8 => json!("x".repeat(100_000)),
        9 => json!("\u{0}\u{202e}\u{feff}🏳️‍🌈"),
        10 => json!("2027-02-30T25:61:61.999Z"),
        11 => json!("-271821-04-20T00:00:00.000Z"),
        12 => json!("9999999-12-31T23:59:59+99:99"),
        13 => json!([]),
        14 => json!({}),
        15 => (0..200).fold(json!("deep"), |inner, _| json!([{ "name": inner }])),
        _ => json!(vec![
            json!({ "name": "again", "slug": "again", "type": "text" });
            1000
        ]),
    }
}

/// Mutates one value inside `value`.
fn mutate(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(map) if !map.is_empty() && random.below(5) > 0 => {
            let names: Vec<String> = map.keys().cloned().collect();
            let name = &names[random.below(names.len())];
            match random.below(5) {
                0 => drop(map.remove(name)),
                1 => {
                    let other = map[&names[random.below(names.len())]].clone();
                    map.insert(name.clone(), other);
                }
                _ => mutate(map.get_mut(name).expect("it is there"), random),
            }
        }
        Value::Array(list) if !list.is_empty() && random.below(5) > 0 => {
            let index = random.below(list.len());
            mutate(&mut list[index], random);
        }
        other => *other = invalid_value(random),
    }
}

/// Parses `value` as every wire type, and uses the result as views do.
fn parse_as_every_type(value: &Value) {
    if let Some(booking) = Booking::read(value) {
        let _ = (booking.is_recurring(), booking.is_seated());
        let _ = format!("{booking:?}");
    }
    if let Some(event_type) = EventType::read(value) {
        let _ = (event_type.lengths(), event_type.host_names());
    }
    if let Some(offer) = PublicEventType::read(value) {
        let form = Form::of(&offer);
        let _ = format!("{form:?} {:?}", offer.booking_settings());
    }
    let _ = TeamEventType::read(value).map(|event_type| event_type.booking_settings.get());
    if let Some(role) = Role::read(value) {
        let held: Vec<Permission> = role.permissions.clone();
        let _ = PermissionSet::new(RoleScope::Team, &held).count();
    }
    let _ = SlotDays::read(value).map(|days| days.0.len());
    let _ = (
        Slot::read(value).is_some(),
        Reservation::read(value).is_some(),
    );
    let _ = (
        Team::read(value).is_some(),
        Membership::read(value).is_some(),
    );
    let _ = (
        Me::read(value).is_some(),
        Page::<Booking>::read_envelope(value).is_some(),
    );
    let _ = Vec::<Booking>::read(value).map(|list| list.len());
}

#[test]
fn malformed_responses_cause_no_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, response) in fixtures() {
        for round in 0..150 {
            let mut mutated = response.clone();
            for _ in 0..=random.below(3) {
                mutate(&mut mutated, &mut random);
            }
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| parse_as_every_type(&mutated)));
            let text = mutated.to_string();
            let start: String = text.chars().take(2000).collect();
            assert!(outcome.is_ok(), "{name}, round {round}: {start}");
        }
    }
}

#[test]
fn valid_parts_of_malformed_responses_are_read() {
    let (_, booking) = fixtures()
        .into_iter()
        .find(|(name, _)| name == "booking-plain")
        .expect("a booking");
    let mut random = Random(42);
    let (mut rounds, mut complete) = (0, 0);
    for _ in 0..500 {
        let mut list = vec![booking.clone(); 5];
        let index = random.below(5);
        mutate(&mut list[index], &mut random);
        let read = Vec::<Booking>::read(&Value::Array(list)).expect("a list");
        assert!(read.len() >= 4, "one malformed booking hides others");
        rounds += 1;
        complete += usize::from(read.len() == 5);
    }
    // Most keys of a booking can be missing or invalid, and it is still shown.
    assert!(complete * 10 > rounds * 7, "{complete} of {rounds}");

    let Value::Object(keys) = &booking else {
        panic!("a booking is an object")
    };
    let required: Vec<&String> = keys
        .keys()
        .filter(|key| {
            let mut without: Map<String, Value> = keys.clone();
            without.remove(*key);
            Booking::read(&Value::Object(without)).is_none()
        })
        .collect();
    assert_eq!(required, ["start", "status", "uid"], "required keys");
}
