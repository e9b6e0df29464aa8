//! The times of one day.

use booking_wire::Slot;
use leptos::prelude::*;

use crate::components::{Shape, button, icon, live_region};
use crate::dom::{Html, el, nothing, row};
use crate::features::{Settings, use_settings};
use crate::i18n::{Key, Texts, use_formats, use_texts};
use crate::problem::notice;
use crate::signal::Signal;
use crate::time::{CivilDate, Formats};

use super::model::is_ambiguous;

/// Lists the times of `day`. A time that was chosen before offers to go on with it.
#[component]
pub(super) fn Times(
    #[prop(into)] slots: Signal<Vec<Slot>>,
    #[prop(into)] day: Signal<Option<CivilDate>>,
    /// Whether the first answer is awaited.
    #[prop(into)]
    is_waiting: Signal<bool>,
    /// Whether it is awaited for long.
    #[prop(into)]
    is_slow: Signal<bool>,
    #[prop(into)] this_month: Signal<String>,
    #[prop(into)] next_month: Signal<String>,
    #[prop(into)] chosen: Signal<Option<Slot>>,
    #[prop(into)] on_pick: Callback<Slot>,
    #[prop(into)] on_next_month: Callback<()>,
) -> Html {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();

    let title = move |day: CivilDate| formats.medium_day(day);
    let waiting_text = move || {
        let key = if is_slow.get() {
            Key::StillLoading
        } else {
            Key::LoadingTimes
        };
        texts.get(key).to_owned()
    };
    let news = move || match day.get() {
        _ if is_waiting.get() => waiting_text(),
        Some(day) => {
            let count = slots.with(Vec::len);
            texts.count_with(Key::TimesLoaded, count, &[("day", &title(day))])
        }
        None => texts.fill(Key::NoTimesThisMonth, &[("month", &this_month.get())]),
    };
    let list = move |day: CivilDate| {
        let name = move || {
            let zone = settings.zone.get().spoken();
            Some(texts.fill(Key::TimesOn, &[("day", &title(day)), ("zone", &zone)]))
        };
        let items = move || {
            let item = Item {
                chosen,
                on_pick,
                texts,
                formats,
                settings,
            };
            slots.with(|slots| row(slots.iter().map(|slot| item.view(slot, slots))))
        };
        let times = el("ul")
            .class("times")
            .attr("part", "times")
            .attr_with("aria-label", name)
            .show(items);
        nothing()
            .add(
                el("h3")
                    .class("times-title")
                    .attr("part", "day-title")
                    .attr("tabindex", "-1")
                    .add(title(day)),
            )
            .add(el("div").class("times-scroll").add(times))
    };
    let body = move || match day.get() {
        _ if is_waiting.get() => waiting(waiting_text),
        Some(day) => list(day),
        None => no_times(texts, &this_month.get(), &next_month.get(), on_next_month),
    };
    nothing().show(body).add(live_region(news))
}

/// What all times share.
#[derive(Clone, Copy)]
struct Item {
    chosen: Signal<Option<Slot>>,
    on_pick: Callback<Slot>,
    texts: Texts,
    formats: Formats,
    settings: Settings,
}

impl Item {
    fn view(self, slot: &Slot, slots: &[Slot]) -> Html {
        let Self {
            chosen,
            on_pick,
            texts,
            formats,
            settings,
        } = self;
        let start = slot.start;
        let is_chosen = move || {
            chosen.with(|chosen| chosen.as_ref().is_some_and(|chosen| chosen.start == start))
        };
        let written = settings.time(formats, start);
        let offset = is_ambiguous(start, slots, |start| settings.time(formats, start))
            .then(|| settings.zone.with(|zone| formats.offset_text(start, zone)))
            .map(|offset| el("span").class("time-offset").add(offset));
        let seats = slot
            .seats_remaining
            .map(|count| texts.count(Key::Seats, usize::try_from(count).unwrap_or_default()))
            .map(|seats| el("span").class("time-seats").add(seats));
        let name = texts.fill(Key::ContinueWith, &[("time", &written)]);
        let pick = {
            let slot = slot.clone();
            move || on_pick.run(slot.clone())
        };
        let go_on = {
            let pick = pick.clone();
            move || {
                is_chosen().then(|| {
                    button("button-primary time-continue", pick.clone())
                        .attr("aria-label", &name)
                        .add(texts.get(Key::Continue))
                })
            }
        };
        let time = button("time", pick)
            .attr("part", "slot")
            .flag_with("aria-pressed", is_chosen)
            .add(el("span").add(written))
            .add(offset)
            .add(seats);
        el("li").class("time-row").add(time).show(go_on)
    }
}

/// Boxes of the size of times, while they are awaited.
fn waiting(title: impl Fn() -> String + 'static) -> Html {
    let boxes = (0..7).map(|_| el("li").class("ghost").attr("aria-hidden", "true"));
    nothing()
        .add(el("h3").class("times-title").text_with(title))
        .add(el("ul").class("times").add(row(boxes)))
}

fn no_times(texts: Texts, this_month: &str, next_month: &str, on_next_month: Callback<()>) -> Html {
    let title = texts.fill(Key::NoTimesThisMonth, &[("month", this_month)]);
    let next = texts.fill(Key::LookAtNextMonth, &[("month", next_month)]);
    let go = button("button", move || on_next_month.run(()))
        .add(next)
        .add(icon(Shape::Forward));
    notice(Shape::Calendar, &title, "").add(go)
}
