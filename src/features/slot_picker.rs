//! Slot picker: days and their free slots.

mod focus;
mod header;
pub mod model;
pub mod picker_state;
mod times;
mod views;

use std::rc::Rc;

use booking_wire::{Layout, Slot};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::components::focus::focus_first_soon;
use crate::components::{CalendarGrid, live_region, use_status_line};
use crate::element::picker_events::PickerEvent;
use crate::element::settings::{use_clock, use_settings};
use crate::features::shared::time_zone_bar::zone_bar;
use crate::i18n::{Key, use_formats, use_texts};
use crate::time::format::browser_zone;
use crate::time::{CivilDate, DateRange, Instant, Month};
use crate::ui::dom::{Node, el, fragment};
use crate::ui::signal::{Callback, RwSignal, Signal, effect};

use header::Head;
pub use picker_state::{Choice, Options};
use times::Times;
use views::SlotsState;

/// Id of the title of the visible days.
const TITLE: &str = "picker-title";

/// Lists free slots and reports the chosen one.
#[component]
pub fn SlotPicker(
    /// State shared with the form step.
    choice: Choice,
    options: Options,
    /// Time zone chooser. A prop, because its chunk may load after the picker.
    zones: Rc<dyn Fn(RwSignal<bool>, Instant) -> Node>,
    /// Receiver of page events.
    #[prop(into)]
    on_news: Callback<PickerEvent>,
    #[prop(into)] on_pick: Callback<Slot>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let clock = use_clock();
    let answer = choice.times.signal();

    let shown = Signal::memo(move || choice.shown());
    let layout = Signal::memo(move || shown.get().layout);
    let inside = Signal::memo(move || SlotsState::of(choice, shown.get(), choice.day.get()));
    let listed = move || {
        let days = inside.with(|inside| inside.days().iter().map(|(day, _)| *day).collect());
        Vec::<CivilDate>::clone(&days)
    };
    let selected = Signal::memo(move || listed().first().copied());
    let free = Signal::memo(move || {
        answer.with(|answer| answer.ready().map(model::counts).unwrap_or_default())
    });
    let range = move || match shown.get().layout {
        Layout::Week => formats.days(shown.get().week()),
        _ => {
            let listed = listed();
            match (listed.first(), listed.last()) {
                (Some(&first), Some(&last)) => formats.days(DateRange { first, last }),
                _ => formats.month(shown.get().from),
            }
        }
    };
    let own_zone = options.is_zone_locked.then(browser_zone).filter(|own| {
        let now = clock.now();
        settings
            .zone
            .with_untracked(|zone| formats.offset(now, zone) != formats.offset(now, own))
    });
    let times = Times::new(choice, options.confirms_pick, own_zone, on_pick);

    let is_last = Signal::derive(move || shown.get().is_last(&listed()));
    let turned = move |is_forward| shown.get_untracked().turned(is_forward, &untrack(listed));
    let turn = Callback::new(move |is_forward| choice.go_to(turned(is_forward)));
    let expect = Callback::new(move |is_forward| {
        let is_end = if is_forward {
            is_last.get_untracked()
        } else {
            shown.get_untracked().is_first()
        };
        if !is_end {
            choice.expect(turned(is_forward));
        }
    });
    go_to_first_week(choice, shown);
    tell(choice, shown, on_news);
    tell_if_gone(choice, shown);
    choice.is_in_view.set(true);
    on_cleanup(move || choice.is_in_view.set(false));

    let head = view! {
        <Head
            title_id=TITLE
            shown
            layouts=options.layouts
            on_layout=move |layout| choice.lay_out(layout, selected.get_untracked())
            on_turn=turn
            on_intent=expect
            range=Signal::derive(range)
            is_last
        />
    };
    let head = head.into_inner();
    let title = SendWrapper::new(head.element());
    let go_to = move |day: CivilDate| {
        choice.go_to(shown.get_untracked().around(day));
        choice.day.set(Some(day));
        focus_first_soon((*title).clone(), ".picker-title");
    };

    let waiting_words = move || {
        let is_slow = choice.times.is_slow().get();
        let key = if is_slow {
            Key::StillLoading
        } else {
            Key::LoadingTimes
        };
        texts.get(key).to_owned()
    };
    let lists_place = el("div");
    let lists_node = lists_place.element();
    let arrows = {
        let lists = lists_node.clone();
        move |event: web_sys::Event| {
            let key = event.unchecked_ref::<KeyboardEvent>().key();
            if focus::arrow(&lists, &key) {
                event.prevent_default();
            }
        }
    };
    let lists = {
        let lists = lists_node.clone();
        move || {
            focus::keep_place(&lists);
            let go_to = go_to.clone();
            match (inside.get(), layout.get()) {
                (SlotsState::Waiting, layout) => views::waiting(layout, waiting_words()),
                (SlotsState::Failed(error), _) => views::failed(choice, &error),
                (SlotsState::Nothing, _) => views::no_times(choice, shown.get(), go_to, turn),
                (SlotsState::Free(days), Layout::Month) => match days.into_iter().next() {
                    Some((day, slots)) => views::one_day(times, day, slots),
                    None => fragment(),
                },
                (SlotsState::Free(days), _) => views::several_days(times, choice.today.get(), days),
            }
        }
    };
    let lists = lists_place
        .class("picker-times")
        .attr_with("class", move || {
            let is_failure =
                inside.with(|inside| matches!(inside, SlotsState::Failed(_) | SlotsState::Nothing));
            let class = match (layout.get(), is_failure) {
                (Layout::Month, _) => "picker-times",
                (_, true) => "picker-wide",
                (Layout::Week, _) => "picker-wide days days-of-week",
                (Layout::Column, _) => "picker-wide days",
            };
            Some(class.to_owned())
        })
        .flag_with("aria-busy", move || choice.times.is_busy().get())
        .on("keydown", arrows)
        .child_with(lists);

    let pick_day = move |node: HtmlElement| {
        let (lists, node) = SendWrapper::new((lists_node.clone(), node)).take();
        move |chosen: CivilDate| {
            choice.day.set(Some(chosen));
            let zone = settings.zone.get_untracked();
            on_news.run(PickerEvent::DateSelected { date: chosen, zone });
            let (month, times) = (node.clone(), lists.clone());
            request_animation_frame(move || go_to_times_below(&month, &times));
        }
    };
    let month = move || {
        (layout.get() == Layout::Month).then(|| {
            let place = el("div").class("picker-month");
            let pick_day = SendWrapper::new(pick_day(place.element()));
            let calendar = view! {
                <CalendarGrid
                    labelled_by=TITLE
                    grid=Signal::derive(move || shown.get().grid())
                    today=choice.today
                    selected
                    free
                    is_busy=choice.times.is_busy()
                    on_leave=move |day| {
                        let month = Month::of(day).first();
                        choice.go_to(shown.get_untracked().around(month));
                    }
                    on_edge=expect
                    on_day=move |day| pick_day(day)
                />
            };
            place.child(calendar)
        })
    };
    // The offset changes with the season, so it is that of the visible days.
    let moment = Signal::derive(move || {
        let day = selected.get().unwrap_or(shown.get().from);
        Instant::start_of(day).plus_minutes(12 * 60)
    });
    let news = move || match inside.get() {
        SlotsState::Waiting => waiting_words(),
        SlotsState::Failed(_) => String::new(),
        SlotsState::Nothing => views::why_none(choice, shown.get(), texts).0,
        SlotsState::Free(days) => {
            let count: usize = days.iter().map(|(_, slots)| slots.len()).sum();
            let day = match days.as_slice() {
                [(day, _)] => formats.medium_day(*day),
                _ => range(),
            };
            texts.count_with(Key::TimesLoaded, count, &[("day", &day)])
        }
    };
    fragment()
        .child(head)
        .child(el("div").class("contents").child_with(month))
        .child(lists)
        .child(el("div").class("picker-foot").child(zone_bar(
            options.is_zone_locked,
            moment,
            move |is_open, moment| zones(is_open, moment),
        )))
        .child(live_region(news))
}

/// Moves from an empty first week, as on its last day, to the first week with slots.
fn go_to_first_week(choice: Choice, shown: Signal<model::Shown>) {
    let mut is_settled = false;
    effect(move || {
        let shown = shown.get();
        let next = choice.times.signal().with(|answer| {
            let days = answer.ready()?;
            let is_first = !is_settled && shown.is_first() && shown.is_empty(days);
            is_settled = true;
            is_first.then(|| shown.next_known(days)).flatten()
        });
        if let Some(day) = next {
            choice.go_to(shown.around(day));
        }
    });
}

/// Notifies the page of changes.
fn tell(choice: Choice, shown: Signal<model::Shown>, on_news: Callback<PickerEvent>) {
    let settings = use_settings();
    let mut before = None;
    effect(move || {
        let span = shown.get().in_view();
        if before.replace(span).is_some_and(|before| before != span) {
            on_news.run(PickerEvent::RangeChanged {
                from: span.first,
                to: span.last,
            });
        }
    });
    effect(move || {
        let count = choice.times.signal().with(|answer| {
            let days = answer.ready()?;
            Some(days.0.iter().map(|(_, slots)| slots.len()).sum::<usize>())
        });
        let asked = shown.get_untracked().asked();
        match count {
            None => {}
            Some(0) => on_news.run(PickerEvent::NoSlots {
                from: asked.first,
                to: asked.last,
            }),
            Some(count) => on_news.run(PickerEvent::SlotsLoaded { count }),
        }
    });
    let mut before = None;
    effect(move || {
        let now = (settings.zone.get(), settings.uses_12_hours.get());
        let Some((zone, uses_12_hours)) = before.replace(now.clone()) else {
            return;
        };
        if zone != now.0 {
            on_news.run(PickerEvent::ZoneChanged(now.0));
        }
        if uses_12_hours != now.1 {
            on_news.run(PickerEvent::HourCycleChanged {
                uses_12_hours: now.1,
            });
        }
    });
}

/// Clears and announces a chosen slot that a newer response no longer contains.
fn tell_if_gone(choice: Choice, shown: Signal<model::Shown>) {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let line = use_status_line();
    effect(move || {
        let is_gone = choice.times.signal().with(|answer| {
            let (days, slot) = answer.ready().zip(choice.slot.get_untracked())?;
            let day = settings
                .zone
                .with_untracked(|zone| formats.day_of(slot.start, zone));
            let is_asked = shown.get_untracked().asked().contains(day);
            let is_there = days.on(day).iter().any(|free| free.start == slot.start);
            (is_asked && !is_there).then_some(slot)
        });
        if let Some(slot) = is_gone {
            let time = untrack(|| settings.time(formats, slot.start));
            choice.slot.set(None);
            line.set_text(texts.fill(Key::TimeGone, &[("time", &time)]));
        }
    });
}

/// Scrolls to the slots and focuses their heading if they are below the month, as in a narrow
/// layout.
fn go_to_times_below(month: &HtmlElement, times: &HtmlElement) {
    let is_below = times.offset_top() >= month.offset_top() + month.offset_height();
    if is_below {
        times.scroll_into_view();
        focus_first_soon(times.clone(), ".times-title");
    }
}
