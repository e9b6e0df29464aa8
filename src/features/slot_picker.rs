//! Slot picker: days and their free slots.

mod effects;
mod focus;
mod header;
pub mod model;
pub mod picker_state;
mod slot_list;
mod soonest;
mod views;

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{Layout, Slot};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::components::focus::focus_first_soon;
use crate::components::{CalendarGrid, live_region};
use crate::features::shared::time_zone_bar::zone_bar;
use crate::i18n::{Key, use_formats, use_texts};
use crate::page::picker_events::PickerEvent;
use crate::page::settings::{use_clock, use_settings};
use crate::time::format::browser_zone;
use crate::time::{CivilDate, DateRange, Instant, Month};

use effects::{drop_unavailable_selection, emit_events, open_at_first_slots};
use header::PickerHeader;
pub use picker_state::{PickerOptions, PickerState};
use slot_list::SlotLists;
use views::SlotsState;

/// Id of the title of the visible days.
const TITLE: &str = "picker-title";

/// Lists free slots and reports the selected one.
#[component]
pub fn SlotPicker(
    /// State shared with the form step.
    state: PickerState,
    options: PickerOptions,
    /// Time zone chooser. A prop, because its chunk may load after the picker.
    zone_chooser: Rc<dyn Fn(RwSignal<bool>, Instant) -> Node>,
    /// Receiver of page events.
    #[prop(into)]
    on_event: Callback<PickerEvent>,
    #[prop(into)] on_pick: Callback<Slot>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let clock = use_clock();
    let response = state.slots.signal();

    let visible = Signal::memo(move || state.visible());
    let layout = Signal::memo(move || visible.get().layout);
    let slots_state = Signal::memo(move || SlotsState::of(state, visible.get(), state.day.get()));
    let listed_days = move || {
        let days = slots_state.with(|slots| slots.days().iter().map(|(day, _)| *day).collect());
        Vec::<CivilDate>::clone(&days)
    };
    let selected = Signal::memo(move || listed_days().first().copied());
    let booked = Signal::memo(move || {
        let start = state.booked.get()?;
        Some(settings.zone.with(|zone| formats.day_of(start, zone)))
    });
    let slot_counts = Signal::memo(move || {
        response.with(|response| response.ready().map(model::slot_counts).unwrap_or_default())
    });
    let range = move || {
        let visible = visible.get();
        let days = match visible.layout {
            Layout::Week => visible.week(),
            _ => match (listed_days().first(), listed_days().last()) {
                (Some(&first), Some(&last)) => DateRange { first, last },
                _ => return formats.month(visible.from),
            },
        };
        if visible.is_this_year(days) {
            formats.days_of_year(days)
        } else {
            formats.days(days)
        }
    };
    let visitor_zone = options.is_zone_locked.then(browser_zone).filter(|own| {
        let now = clock.now();
        settings
            .zone
            .with_untracked(|zone| formats.offset(now, zone) != formats.offset(now, own))
    });
    let slot_lists = SlotLists::new(state, options.confirms_pick, visitor_zone, on_pick);

    let is_last = Signal::derive(move || visible.get().is_last(&listed_days()));
    let adjacent_page = move |is_forward| {
        visible
            .get_untracked()
            .adjacent_page(is_forward, &untrack(listed_days))
    };
    let on_page = Callback::new(move |is_forward| state.show_days(adjacent_page(is_forward)));
    let prefetch = Callback::new(move |is_forward| {
        let is_end = if is_forward {
            is_last.get_untracked()
        } else {
            visible.get_untracked().is_first()
        };
        if !is_end {
            state.prefetch(adjacent_page(is_forward));
        }
    });
    open_at_first_slots(state, visible);
    emit_events(state, visible, on_event);
    drop_unavailable_selection(state, visible);
    state.is_in_view.set(true);
    on_cleanup(move || state.is_in_view.set(false));

    let header = view! {
        <PickerHeader
            title_id=TITLE
            visible
            layouts=options.layouts
            on_layout=move |layout| state.set_layout(layout, selected.get_untracked())
            on_page
            on_intent=prefetch
            range=Signal::derive(range)
            is_last
        />
    };
    let header = header.into_inner();
    let title = SendWrapper::new(header.element());
    let show_days = move |day: CivilDate| {
        state.show_days(visible.get_untracked().from_day(day));
        state.day.set(Some(day));
        focus_first_soon((*title).clone(), ".picker-title");
    };

    let loading_text = move || {
        let key = if state.is_slow() {
            Key::StillLoading
        } else {
            Key::LoadingTimes
        };
        texts.get(key).to_owned()
    };
    let lists_root = el("div");
    let lists_element = lists_root.element();
    let arrows = {
        let lists = lists_element.clone();
        move |event: web_sys::Event| {
            let key = event.unchecked_ref::<KeyboardEvent>().key();
            if focus::arrow(&lists, &key) {
                event.prevent_default();
            }
        }
    };
    let lists = {
        let lists = lists_element.clone();
        move || {
            focus::preserve_position(&lists);
            let show_days = show_days.clone();
            match (slots_state.get(), layout.get()) {
                (SlotsState::Loading, layout) => views::skeleton(layout, loading_text()),
                (SlotsState::Failed(error), _) => views::load_error(state, &error),
                (SlotsState::Empty, _) => {
                    views::empty_notice(state, visible.get(), show_days, on_page)
                }
                (SlotsState::Available(days), Layout::Month) => match days.into_iter().next() {
                    Some((day, slots)) => views::day_view(slot_lists, day, slots),
                    None => fragment(),
                },
                (SlotsState::Available(days), _) => {
                    views::columns_view(slot_lists, state.today.get(), days)
                }
            }
        }
    };
    let lists = lists_root
        .class("picker-times")
        .attr_with("class", move || {
            let is_failure = slots_state
                .with(|slots| matches!(slots, SlotsState::Failed(_) | SlotsState::Empty));
            let class = match (layout.get(), is_failure) {
                (Layout::Month, _) => "picker-times",
                (_, true) => "picker-wide",
                (Layout::Week, _) => "picker-wide days days-of-week",
                (Layout::Column, _) => "picker-wide days",
            };
            Some(class.to_owned())
        })
        .flag_with("aria-busy", move || state.is_busy())
        .on("keydown", arrows)
        .child_with(lists);

    let pick_day = move |node: HtmlElement| {
        let (lists, node) = SendWrapper::new((lists_element.clone(), node)).take();
        move |day: CivilDate| {
            state.day.set(Some(day));
            let zone = settings.zone.get_untracked();
            on_event.run(PickerEvent::DateSelected { date: day, zone });
            let (month, lists) = (node.clone(), lists.clone());
            request_animation_frame(move || scroll_to_slots_below(&month, &lists));
        }
    };
    let is_first_month = Signal::derive(move || visible.get().is_first());
    let pick_soon = Callback::new(move |slot: Slot| {
        let zone = settings.zone.get_untracked();
        state.show_day(formats.day_of(slot.start, &zone));
        if options.confirms_pick {
            state.slot.set(Some(slot));
        } else {
            on_pick.run(slot);
        }
    });
    // A later month that was asked for, such as that of a booking, has its own slots alone.
    let begins_first = is_first_month.get_untracked();
    let soonest = move || {
        let is_month = layout.get() == Layout::Month;
        (is_month && begins_first).then(|| soonest::soonest(state, is_first_month, pick_soon))
    };
    let month = move || {
        (layout.get() == Layout::Month).then(|| {
            let root = el("div").class("picker-month");
            let pick_day = SendWrapper::new(pick_day(root.element()));
            let calendar = view! {
                <CalendarGrid
                    labelled_by=TITLE
                    grid=Signal::derive(move || visible.get().grid())
                    today=state.today
                    selected
                    booked
                    free=slot_counts
                    is_busy=Signal::derive(move || state.is_busy())
                    on_leave=move |day| {
                        let month = Month::of(day).first();
                        state.show_days(visible.get_untracked().from_day(month));
                    }
                    on_edge=prefetch
                    on_day=move |day| pick_day(day)
                />
            };
            root.child(calendar)
        })
    };
    // The offset changes with the season, so it is that of the visible days.
    let instant = Signal::derive(move || {
        let day = selected.get().unwrap_or(visible.get().from);
        Instant::start_of(day).plus_minutes(12 * 60)
    });
    let status_text = move || match slots_state.get() {
        SlotsState::Loading => loading_text(),
        SlotsState::Failed(_) => String::new(),
        SlotsState::Empty => views::empty_text(state, visible.get(), texts).0,
        SlotsState::Available(days) => {
            let count: usize = days.iter().map(|(_, slots)| slots.len()).sum();
            let day = match days.as_slice() {
                [(day, _)] => formats.medium_day(*day),
                _ => range(),
            };
            texts.count_with(Key::TimesLoaded, count, &[("day", &day)])
        }
    };
    let zone_bar = zone_bar(options.is_zone_locked, instant, move |is_open, instant| {
        zone_chooser(is_open, instant)
    });
    let changed_zone = move || {
        let zone = settings.zone.get();
        if !formats.has_corrections(&zone) {
            return String::new();
        }
        texts.fill(Key::ZoneChanged, &[("zone", &zone.city())])
    };
    let changed_zone = el("p").class("zone-changed").text_with(changed_zone);
    let zone = el("div")
        .class("picker-zone")
        .child(zone_bar)
        .child(changed_zone);
    fragment()
        .child(el("div").class("contents").child_with(soonest))
        .child(header)
        .child(in_own_task(move || {
            el("div").class("contents").child_with(month)
        }))
        .child(zone)
        .child(lists)
        .child(live_region(status_text))
}

/// Scrolls to the slots and focuses their heading if they are below the month, as in a narrow
/// layout.
fn scroll_to_slots_below(month: &HtmlElement, lists: &HtmlElement) {
    let is_below = lists.offset_top() >= month.offset_top() + month.offset_height();
    if is_below {
        lists.scroll_into_view();
        focus_first_soon(lists.clone(), ".times-title");
    }
}
