//! Content of the picker: lists of slots, skeletons while they load, or the reason why there are none.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{Layout, Slot};
use chrono::Datelike;

use crate::client::ApiError;
use crate::client::query::Load;
use crate::components::{Shape, button, heading, icon};
use crate::features::shared::error_notice::{booking_error_notice, notice};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::time::{CivilDate, Month};

use super::model::{self, COLUMNS, VisibleDays};
use super::picker_state::PickerState;
use super::slot_list::{ROWS_PER_FRAME, ROWS_PER_FRAME_IN_COLUMNS, SlotLists};

/// Slots of one day in a skeleton.
const SKELETON_SLOTS: usize = 7;

/// Days of the week layout.
const DAYS_PER_WEEK: usize = 7;

/// State of the days in view.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SlotsState {
    /// First slots pending.
    Loading,
    /// Failed query.
    Failed(ApiError),
    /// No day has slots.
    Empty,
    /// Days to list, at least one of which has slots.
    Available(Vec<(CivilDate, Vec<Slot>)>),
}

impl SlotsState {
    /// The month layout lists one day; `day` is the selected one.
    pub(super) fn of(state: PickerState, visible: VisibleDays, day: Option<CivilDate>) -> Self {
        state.slots.signal().with(|response| {
            let days = match response {
                Load::Pending => return Self::Loading,
                Load::Failed(error) => return Self::Failed(error.clone()),
                // The first slots may be in a later month.
                Load::Ready(days) if visible.is_empty(days) && state.is_opening.get() => {
                    return Self::Loading;
                }
                Load::Ready(days) if visible.is_empty(days) => return Self::Empty,
                Load::Ready(days) => days,
            };
            let listed = match visible.layout {
                Layout::Month => model::default_day(days, visible.from, day)
                    .into_iter()
                    .collect(),
                Layout::Week => visible.week().days().collect(),
                Layout::Column => model::columns(days, visible.from),
            };
            let with_slots = |day: CivilDate| (day, days.on(day).to_vec());
            Self::Available(listed.into_iter().map(with_slots).collect())
        })
    }

    pub(super) fn days(&self) -> &[(CivilDate, Vec<Slot>)] {
        match self {
            Self::Available(days) => days,
            _ => &[],
        }
    }
}

/// Slots of the one day that a month shows.
pub(super) fn day_view(lists: SlotLists, day: CivilDate, slots: Vec<Slot>) -> Node {
    let title = heading(2)
        .class("times-title")
        .attr("part", "day-title")
        .attr("tabindex", "-1")
        .child(lists.title(day));
    let list = lists.list(day, slots, true, ROWS_PER_FRAME);
    fragment()
        .child(title)
        .child(el("div").class("times-scroll").child(list))
}

/// Days side by side, each above its slots.
pub(super) fn columns_view(
    lists: SlotLists,
    today: CivilDate,
    days: Vec<(CivilDate, Vec<Slot>)>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let count: usize = days.iter().map(|(_, slots)| slots.len()).sum();
    let is_long = count > days.len() * ROWS_PER_FRAME;
    let rows_per_frame = if is_long {
        ROWS_PER_FRAME_IN_COLUMNS
    } else {
        ROWS_PER_FRAME
    };
    let column = |(day, slots): (CivilDate, Vec<Slot>)| {
        let full = formats.long_day(day);
        let title = heading(2)
            .class("column-title")
            .attr("aria-label", &full)
            .attr_if("aria-current", (day == today).then_some("date"))
            .child(
                el("span")
                    .class("column-weekday")
                    .child(formats.weekday(day)),
            )
            .child(el("span").class("column-day").child(day.day().to_string()));
        let list = if slots.is_empty() {
            let name = texts.fill(Key::DayWithoutTimes, &[("day", &full)]);
            let sign = el("span").attr("aria-hidden", "true").child("–");
            el("p")
                .class("column-empty")
                .child(sign)
                .child(el("span").class("visually-hidden").child(name))
        } else {
            lists.list(day, slots, false, rows_per_frame)
        };
        el("div").class("column").child(title).child(list)
    };
    fragment_of(days.into_iter().map(column))
}

/// Skeletons of the size of slots, while they load.
pub(super) fn skeleton(layout: Layout, text: String) -> Node {
    let boxes = |count: usize| {
        let boxes = (0..count).map(|_| el("li").class("ghost").attr("aria-hidden", "true"));
        el("ul").class("times").child(fragment_of(boxes))
    };
    let columns = match layout {
        Layout::Month => {
            return fragment()
                .child(heading(2).class("times-title").child(text))
                .child(el("div").class("times-scroll").child(boxes(SKELETON_SLOTS)));
        }
        Layout::Week => DAYS_PER_WEEK,
        Layout::Column => COLUMNS,
    };
    fragment_of((0..columns).map(|_| {
        el("div")
            .class("column")
            .child(el("div").class("column-title ghost"))
            .child(boxes(SKELETON_SLOTS))
    }))
}

/// Query error, with a retry button.
pub(super) fn load_error(state: PickerState, error: &ApiError) -> Node {
    booking_error_notice(error, move || state.slots.reload())
}

/// Reason for no slots, with a button to the next.
pub(super) fn empty_notice(
    state: PickerState,
    visible: VisibleDays,
    on_day: impl Fn(CivilDate) + 'static,
    on_page: Callback<bool>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let (title, text) = empty_text(state, visible, texts);
    let on_day = Rc::new(on_day);
    let known = state
        .slots
        .signal()
        .with(|response| visible.next_known(response.ready()?));
    let next = match (known, state.next_available_day()) {
        (Some(day), _) | (None, Load::Ready(Some(day))) => {
            let text = texts.fill(Key::NextAvailable, &[("day", &formats.medium_day(day))]);
            Some(button("button-primary", move || on_day(day)).child(text))
        }
        (None, Load::Ready(None)) => None,
        (None, Load::Pending | Load::Failed(_))
            if visible.layout == Layout::Month && !visible.is_last(&[]) =>
        {
            let month = formats.month(Month::of(visible.from).next().first());
            let text = texts.fill(Key::LookAtNextMonth, &[("month", &month)]);
            let go = button("button", move || on_page.run(true));
            Some(go.child(text).child(icon(Shape::Forward)))
        }
        _ => None,
    };
    let notice = notice(Shape::Calendar, &title, &text).child(next);
    el("slot").attr("name", "empty").child(notice)
}

/// Title and explanation for no slots.
pub(super) fn empty_text(
    state: PickerState,
    visible: VisibleDays,
    texts: Translations,
) -> (String, String) {
    let formats = use_formats();
    let known = state
        .slots
        .signal()
        .with(|response| visible.next_known(response.ready()?));
    let next = state.next_available_day();
    let is_none_left = known.is_none() && next == Load::Ready(None);
    if is_none_left && visible.is_first() {
        let title = texts.get(Key::NoTimesAtAll).to_owned();
        return (title, texts.get(Key::NoTimesAtAllText).to_owned());
    }
    let title = match visible.layout {
        Layout::Week => texts.get(Key::NoTimesThisWeek).to_owned(),
        Layout::Month | Layout::Column => {
            let month = formats.month(visible.from);
            texts.fill(Key::NoTimesThisMonth, &[("month", &month)])
        }
    };
    let is_looking = known.is_none() && next == Load::Pending;
    let text = is_looking.then(|| texts.get(Key::LookingAhead));
    (title, text.unwrap_or_default().to_owned())
}
