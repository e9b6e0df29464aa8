//! Soonest slots above the month: one press selects a slot.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::Slot;
use wasm_bindgen::JsCast;
use web_sys::Node as DomNode;

use super::model;
use super::picker_state::PickerState;
use crate::i18n::{Key, use_formats, use_texts};
use crate::page::settings::use_settings;

/// Number of boxes while the slots load.
const BOXES: usize = 3;

/// Lists the soonest slots of the first month, also while a later one is in view.
pub(super) fn soonest(
    state: PickerState,
    is_first_month: Signal<bool>,
    on_pick: Callback<Slot>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let slots = Rc::new(RefCell::new(Vec::new()));
    let boxes = (0..BOXES).map(|_| el("li").class("ghost"));
    let list = el("ul")
        .attr("aria-labelledby", "soonest")
        .child(fragment_of(boxes));
    let shown_slots = Rc::clone(&slots);
    let shown = list.clone();
    let mut labels = None;
    render_effect(Box::new(move || {
        let zone = settings.zone.get();
        let excluded = [state.taken.get(), state.booked.get()];
        let offset = |start| formats.offset(start, &zone);
        if !is_first_month.get() {
            return;
        }
        let found = state.slots.signal().with(|response| {
            let days = response.ready()?;
            Some(model::soonest(days, excluded, offset))
        });
        let Some(found) = found else { return };
        let label = |slot: &Slot| {
            let day = formats.brief_day(formats.day_of(slot.start, &zone));
            [day, settings.time(formats, slot.start)]
        };
        let found_labels: Vec<_> = found.iter().map(label).collect();
        shown_slots.replace(found);
        if labels.as_ref() != Some(&found_labels) {
            let buttons = found_labels.iter().map(|[day, time]| {
                let button = el("button")
                    .class("soon")
                    .attr("type", "button")
                    .attr("part", "soon")
                    .child(el("span").class("soon-day").child(day.as_str()))
                    .child(" ")
                    .child(el("span").child(time.as_str()));
                el("li").child(button)
            });
            shown.clone().set_text("").child(fragment_of(buttons));
            labels = Some(found_labels);
        }
    }));
    let items = list.element().children();
    let list = list.on("click", move |event| {
        let Some(target) = event.target() else { return };
        let target: &DomNode = target.unchecked_ref();
        let is_pressed = |index: &u32| {
            let item = items.item(*index);
            item.is_some_and(|item| item.contains(Some(target)))
        };
        let index = (0..items.length()).find(is_pressed);
        let slot = index.and_then(|index| slots.borrow().get(index as usize).cloned());
        if let Some(slot) = slot {
            on_pick.run(slot);
        }
    });
    el("div")
        .class("soonest")
        .attr("part", "soonest")
        .child(
            el("p")
                .class("soonest-title")
                .attr("id", "soonest")
                .child(texts.get(Key::Soonest)),
        )
        .child(list)
}
