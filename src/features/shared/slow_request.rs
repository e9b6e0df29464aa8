//! Status line below a button, for requests that take longer than usual.

use std::time::Duration;

use booking_ui::prelude::*;

use crate::client::query::SLOW_MS;
use crate::components::live_region;
use crate::i18n::{Key, use_texts};

/// Shows that a request takes longer than usual, once `is_busy` has been true for a while.
pub fn slow_line(is_busy: impl Fn() -> bool + 'static) -> Node {
    line_while(Box::new(is_busy))
}

/// [`slow_line`], compiled once for all requests.
fn line_while(is_busy: Box<dyn Fn() -> bool>) -> Node {
    let texts = use_texts();
    let is_slow = RwSignal::new(false);
    effect(move || {
        let is_busy = is_busy();
        is_slow.set(false);
        if is_busy {
            set_scoped_timeout(move || is_slow.set(true), Duration::from_millis(SLOW_MS));
        }
    });
    let text = move || texts.get(Key::StillLoading);
    let line = move || {
        is_slow
            .get()
            .then(|| el("p").class("slow-line").child(text()))
    };
    let announcement = move || match is_slow.get() {
        true => text().to_owned(),
        false => String::new(),
    };
    fragment().child_with(line).child(live_region(announcement))
}
