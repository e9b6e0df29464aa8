//! Soonest slots above the month: one press selects a slot.

use booking_wire::Slot;

use super::model;
use super::picker_state::PickerState;
use crate::element::settings::use_settings;
use crate::i18n::{Key, use_formats, use_texts};
use crate::time::CivilDate;
use crate::ui::dom::{Node, el, fragment_of};
use crate::ui::signal::{Callback, Signal, StoredValue};

/// Number of buttons while the slots load.
const SKELETON_BUTTONS: usize = 3;

/// Lists the soonest slots of the first month, also while a later one is in view.
pub(super) fn soonest(
    state: PickerState,
    is_first_month: Signal<bool>,
    on_pick: Callback<(CivilDate, Slot)>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let known = StoredValue::new(None);
    let slots = Signal::memo(move || {
        let zone = settings.zone.get();
        let excluded = [state.taken.get(), state.booked.get()];
        let is_afternoon = |start| model::hour(start, formats.offset(start, &zone)) >= 12;
        if is_first_month.get() {
            state.slots.signal().with(|response| {
                if let Some(days) = response.ready() {
                    known.set_value(Some(model::soonest(days, excluded, is_afternoon)));
                }
            });
        }
        known.get_value()
    });
    let buttons = move || {
        let Some(slots) = slots.get() else {
            let boxes = (0..SKELETON_BUTTONS).map(|_| el("li").class("ghost"));
            return fragment_of(boxes);
        };
        fragment_of(slots.into_iter().map(|(day, slot)| {
            let time = settings.time(formats, slot.start);
            let button = el("button")
                .class("soon")
                .attr("type", "button")
                .attr("part", "soon")
                .child(el("span").class("soon-day").child(formats.brief_day(day)))
                .child(" ")
                .child(el("span").child(time))
                .on("click", move |_| on_pick.run((day, slot.clone())));
            el("li").child(button)
        }))
    };
    let has_none = move || slots.with(|slots| slots.as_ref().is_some_and(Vec::is_empty));
    el("div")
        .class("soonest")
        .attr("part", "soonest")
        .flag_with("data-empty", has_none)
        .child(
            el("p")
                .class("soonest-title")
                .attr("id", "soonest")
                .child(texts.get(Key::Soonest)),
        )
        .child(
            el("ul")
                .attr("aria-labelledby", "soonest")
                .child_with(buttons),
        )
}
