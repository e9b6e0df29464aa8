//! Invalid responses: they are read as far as possible and never cause a panic. The responses are the fixtures
//! of the wire types; the mutations are the same in each run.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::panic::{self, AssertUnwindSafe};

use booking_widget::features::booking_form::model::Form;
use booking_widget::features::role_form::permission_set::{Level, PermissionSet};
use booking_wire::{
    Booking, EventType, Me, Membership, Page, Permission, PublicEventType, Read, Reservation, Role,
    Slot, SlotDays, Team,
};
use serde_json::{Map, Value, json};

fn recorded() -> Vec<(String, Value)> {
    let folder = format!("{}/crates/wire/tests/cases", env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("the answers") {
        let path = entry.expect("an answer").path();
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
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// Returns an invalid value.
fn nonsense(dice: &mut Dice) -> Value {
    match dice.throw(17) {
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
fn mangle(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Object(map) if !map.is_empty() && dice.throw(5) > 0 => {
            let names: Vec<String> = map.keys().cloned().collect();
            let name = &names[dice.throw(names.len())];
            match dice.throw(5) {
                0 => drop(map.remove(name)),
                1 => {
                    let other = map[&names[dice.throw(names.len())]].clone();
                    map.insert(name.clone(), other);
                }
                _ => mangle(map.get_mut(name).expect("it is there"), dice),
            }
        }
        Value::Array(list) if !list.is_empty() && dice.throw(5) > 0 => {
            let place = dice.throw(list.len());
            mangle(&mut list[place], dice);
        }
        other => *other = nonsense(dice),
    }
}

/// Parses `value` as every wire type, and uses the result as views do.
fn use_all(value: &Value) {
    if let Some(booking) = Booking::read(value) {
        let _ = (booking.is_recurring(), booking.is_seated());
        let _ = format!("{booking:?}");
    }
    if let Some(event_type) = EventType::read(value) {
        let _ = (event_type.lengths(), event_type.host_names());
    }
    if let Some(offer) = PublicEventType::read(value) {
        let form = Form::of(&offer);
        let _ = format!("{form:?}");
    }
    if let Some(role) = Role::read(value) {
        let held: Vec<Permission> = role.permissions.clone();
        let _ = PermissionSet::new(Level::Team, &held).count();
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
fn nothing_that_a_service_may_answer_makes_the_widget_panic() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for (name, answer) in recorded() {
        for round in 0..150 {
            let mut mangled = answer.clone();
            for _ in 0..=dice.throw(3) {
                mangle(&mut mangled, &mut dice);
            }
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| use_all(&mangled)));
            let text = mangled.to_string();
            let start: String = text.chars().take(2000).collect();
            assert!(outcome.is_ok(), "{name}, round {round}: {start}");
        }
    }
}

#[test]
fn what_can_be_read_is_read() {
    let (_, booking) = recorded()
        .into_iter()
        .find(|(name, _)| name == "booking-plain")
        .expect("a booking");
    let mut dice = Dice(42);
    let (mut rounds, mut whole) = (0, 0);
    for _ in 0..500 {
        let mut list = vec![booking.clone(); 5];
        let place = dice.throw(5);
        mangle(&mut list[place], &mut dice);
        let read = Vec::<Booking>::read(&Value::Array(list)).expect("a list");
        assert!(read.len() >= 4, "one bad booking takes others along");
        rounds += 1;
        whole += usize::from(read.len() == 5);
    }
    // Most keys of a booking can be missing or invalid, and it is still shown.
    assert!(whole * 10 > rounds * 7, "{whole} of {rounds}");

    let Value::Object(keys) = &booking else {
        panic!("a booking is an object")
    };
    let needed: Vec<&String> = keys
        .keys()
        .filter(|key| {
            let mut without: Map<String, Value> = keys.clone();
            without.remove(*key);
            Booking::read(&Value::Object(without)).is_none()
        })
        .collect();
    assert_eq!(
        needed,
        ["start", "status", "uid"],
        "what a booking cannot be without"
    );
}
