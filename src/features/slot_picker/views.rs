//! Content of the picker: lists of slots, skeletons while they load, or the reason why there are none.

use std::rc::Rc;

use booking_wire::{Layout, Slot};
use chrono::Datelike;

use crate::client::ApiError;
use crate::client::query::Load;
use crate::components::{Shape, button, heading, icon};
use crate::features::shared::error_notice::{booking_problem, notice};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::time::{CivilDate, Month};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::Callback;

use super::model::{self, COLUMNS, Shown};
use super::picker_state::Choice;
use super::times::{AT_ONCE, AT_ONCE_OF_EACH, Times};

/// State of the days in view.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SlotsState {
    /// First response pending.
    Waiting,
    /// Failed query.
    Failed(ApiError),
    /// No day has slots.
    Nothing,
    /// Days to list, at least one of which has slots.
    Free(Vec<(CivilDate, Vec<Slot>)>),
}

impl SlotsState {
    /// The month layout lists one day; `day` is the selected one.
    pub(super) fn of(choice: Choice, shown: Shown, day: Option<CivilDate>) -> Self {
        choice.times.signal().with(|answer| {
            let days = match answer {
                Load::Pending => return Self::Waiting,
                Load::Failed(error) => return Self::Failed(error.clone()),
                Load::Ready(days) if shown.is_empty(days) => return Self::Nothing,
                Load::Ready(days) => days,
            };
            let listed = match shown.layout {
                Layout::Month => model::day_to_show(days, shown.from, day)
                    .into_iter()
                    .collect(),
                Layout::Week => shown.week().days().collect(),
                Layout::Column => model::columns(days, shown.from),
            };
            let with_times = |day: CivilDate| (day, days.on(day).to_vec());
            Self::Free(listed.into_iter().map(with_times).collect())
        })
    }

    pub(super) fn days(&self) -> &[(CivilDate, Vec<Slot>)] {
        match self {
            Self::Free(days) => days,
            _ => &[],
        }
    }
}

/// Slots of the one day that a month shows.
pub(super) fn one_day(times: Times, day: CivilDate, slots: Vec<Slot>) -> Node {
    let title = heading(2)
        .class("times-title")
        .attr("part", "day-title")
        .attr("tabindex", "-1")
        .child(times.title(day));
    let list = times.list(day, slots, AT_ONCE);
    fragment()
        .child(title)
        .child(el("div").class("times-scroll").child(list))
}

/// Days side by side, each above its slots.
pub(super) fn several_days(
    times: Times,
    today: CivilDate,
    days: Vec<(CivilDate, Vec<Slot>)>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let count: usize = days.iter().map(|(_, slots)| slots.len()).sum();
    let is_much = count > days.len() * AT_ONCE;
    let at_once = if is_much { AT_ONCE_OF_EACH } else { AT_ONCE };
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
            times.list(day, slots, at_once)
        };
        el("div").class("column").child(title).child(list)
    };
    fragment_of(days.into_iter().map(column))
}

/// Skeletons of the size of slots, while they load.
pub(super) fn waiting(layout: Layout, words: String) -> Node {
    let boxes = |count: usize| {
        let boxes = (0..count).map(|_| el("li").class("ghost").attr("aria-hidden", "true"));
        el("ul").class("times").child(fragment_of(boxes))
    };
    let columns = match layout {
        Layout::Month => {
            return fragment()
                .child(heading(2).class("times-title").child(words))
                .child(el("div").class("times-scroll").child(boxes(7)));
        }
        Layout::Week => 7,
        Layout::Column => COLUMNS,
    };
    fragment_of((0..columns).map(|_| {
        el("div")
            .class("column")
            .child(el("div").class("column-title ghost"))
            .child(boxes(7))
    }))
}

/// Query error, with a retry button.
pub(super) fn failed(choice: Choice, error: &ApiError) -> Node {
    booking_problem(error, move || choice.times.reload())
}

/// Reason for no slots, with a button to the next.
pub(super) fn no_times(
    choice: Choice,
    shown: Shown,
    on_day: impl Fn(CivilDate) + 'static,
    on_turn: Callback<bool>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let (title, text) = why_none(choice, shown, texts);
    let on_day = Rc::new(on_day);
    let known = choice
        .times
        .signal()
        .with(|answer| shown.next_known(answer.ready()?));
    let next = match (known, next_found(choice)) {
        (Some(day), _) | (None, Load::Ready(Some(day))) => {
            let words = texts.fill(Key::NextAvailable, &[("day", &formats.medium_day(day))]);
            Some(button("button-primary", move || on_day(day)).child(words))
        }
        (None, Load::Ready(None)) => None,
        (None, Load::Pending | Load::Failed(_))
            if shown.layout == Layout::Month && !shown.is_last(&[]) =>
        {
            let month = formats.month(Month::of(shown.from).next().first());
            let words = texts.fill(Key::LookAtNextMonth, &[("month", &month)]);
            let go = button("button", move || on_turn.run(true));
            Some(go.child(words).child(icon(Shape::Forward)))
        }
        _ => None,
    };
    let notice = notice(Shape::Calendar, &title, &text).child(next);
    el("slot").attr("name", "empty").child(notice)
}

/// Next day with slots, from the search ahead.
fn next_found(choice: Choice) -> Load<Option<CivilDate>> {
    choice.next.signal().with(|answer| match answer {
        Load::Pending => Load::Pending,
        Load::Failed(error) => Load::Failed(error.clone()),
        Load::Ready(days) => Load::Ready(days.0.first().map(|(day, _)| *day)),
    })
}

/// Title and explanation for no slots.
pub(super) fn why_none(choice: Choice, shown: Shown, texts: Translations) -> (String, String) {
    let formats = use_formats();
    let known = choice
        .times
        .signal()
        .with(|answer| shown.next_known(answer.ready()?));
    let next = next_found(choice);
    let is_none_left = known.is_none() && next == Load::Ready(None);
    if is_none_left && shown.is_first() {
        let title = texts.get(Key::NoTimesAtAll).to_owned();
        return (title, texts.get(Key::NoTimesAtAllText).to_owned());
    }
    let title = match shown.layout {
        Layout::Week => texts.get(Key::NoTimesThisWeek).to_owned(),
        Layout::Month | Layout::Column => {
            let month = formats.month(shown.from);
            texts.fill(Key::NoTimesThisMonth, &[("month", &month)])
        }
    };
    let is_looking = known.is_none() && next == Load::Pending;
    let text = match (is_looking, is_none_left) {
        (true, _) => texts.get(Key::LookingAhead),
        (_, true) => texts.get(Key::NoTimesAfterText),
        _ => "",
    };
    (title, text.to_owned())
}
