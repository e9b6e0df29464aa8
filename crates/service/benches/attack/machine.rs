//! Speed of this machine, against that on which the limits of processor time were set.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Duration of the computation on two idle cores of an AMD EPYC.
const REFERENCE: Duration = Duration::from_micros(3_000);

/// Returns how many times longer a fixed computation takes now than on the reference machine; at
/// least 1. A virtual machine shares its processors and caches, and can be twice as slow for a
/// minute.
pub(crate) fn slowdown() -> f64 {
    let rows: Vec<Value> = (0..4_000)
        .map(|row| json!({"id": row, "uid": format!("uid-{row}"), "title": "x".repeat(200), "ok": true}))
        .collect();
    let text = Value::from(rows).to_string();
    let fastest = (0..5)
        .map(|_| {
            let start = Instant::now();
            let read: Value = serde_json::from_str(&text).unwrap_or_default();
            std::hint::black_box(read.to_string());
            start.elapsed()
        })
        .min()
        .unwrap_or(REFERENCE);
    (fastest.as_secs_f64() / REFERENCE.as_secs_f64()).max(1.0)
}
