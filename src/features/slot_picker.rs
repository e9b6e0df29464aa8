//! Days and times that are still free, and the one that the visitor picks.

pub mod model;
mod times;

use booking_wire::{Slot, SlotDays};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use web_sys::HtmlElement;

use crate::components::CalendarGrid;
use crate::components::focus::focus_first_soon;
use crate::dom::{Html, el, nothing};
use crate::i18n::use_formats;
use crate::load::{Latest, Load};
use crate::problem::problem;
use crate::signal::Signal;
use crate::time::{CivilDate, Month};
use crate::zone_bar::zone_bar;

use times::Times;

/// What the picker shows and remembers between its visits. Owned by the flow, because it outlives
/// the picker: coming back from the form finds everything as it was.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The month shown.
    pub month: RwSignal<Month>,
    /// The day that the visitor chose; the picker shows the first free one until then.
    pub day: RwSignal<Option<CivilDate>>,
    /// The time that the visitor chose last.
    pub slot: RwSignal<Option<Slot>>,
}

/// Lists what is free and reports the time chosen.
#[component]
pub fn SlotPicker(
    /// Shared with the form's step.
    choice: Choice,
    /// Free times of the month shown.
    slots: Latest<SlotDays>,
    /// Counted in the zone that times are shown in.
    #[prop(into)]
    today: Signal<CivilDate>,
    /// Whether the event type fixes the zone.
    is_zone_locked: bool,
    #[prop(into)] on_pick: Callback<Slot>,
) -> Html {
    let formats = use_formats();
    let Choice { month, day, slot } = choice;
    let answer = slots.signal();

    let free = move || answer.with(|answer| answer.ready().map(model::counts).unwrap_or_default());
    let shown_day = Memo::new(move |_| {
        answer.with(|answer| model::day_to_show(answer.ready()?, month.get(), day.get()))
    });
    let shown_slots = move || {
        let shown = shown_day.get();
        answer.with(|answer| match (answer.ready(), shown) {
            (Some(days), Some(day)) => days.on(day).to_vec(),
            _ => Vec::new(),
        })
    };
    let move_to = move |target: Month| {
        month.set(target);
        day.set(None);
    };
    let times = move || {
        if let Load::Failed(error) = answer.get() {
            return problem(&error, move || slots.again());
        }
        let times = view! {
            <Times
                slots=Signal::derive(shown_slots)
                day=shown_day
                is_waiting=Signal::derive(move || answer.with(|answer| *answer == Load::Pending))
                is_slow=slots.is_slow()
                this_month=Signal::derive(move || formats.month(month.get().first()))
                next_month=Signal::derive(move || formats.month(month.get().next().first()))
                chosen=slot
                on_pick
                on_next_month=move |()| move_to(month.get_untracked().next())
            />
        };
        nothing().add(times)
    };

    let month_place = el("div").class("picker-month");
    let times_place = el("div").class("picker-times");
    let places = SendWrapper::new((month_place.element(), times_place.element()));
    let pick_day = move |chosen| {
        day.set(Some(chosen));
        let (month, times) = (*places).clone();
        request_animation_frame(move || go_to_times_below(&month, &times));
    };
    let calendar = view! {
        <CalendarGrid
            month
            today
            selected=shown_day
            free=Signal::derive(free)
            is_busy=slots.is_busy()
            on_month=move_to
            on_day=pick_day
        />
    };
    nothing()
        .add(month_place.add(calendar).add(zone_bar(is_zone_locked)))
        .add(times_place.show(times))
}

/// In a narrow place the times stand below the month, out of sight: the focus goes to their
/// heading, and the page scrolls there.
fn go_to_times_below(month: &HtmlElement, times: &HtmlElement) {
    let is_below = times.offset_top() >= month.offset_top() + month.offset_height();
    if is_below {
        times.scroll_into_view();
        focus_first_soon(times.clone(), "h3");
    }
}
