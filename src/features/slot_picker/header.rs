//! Title of the days in view, and paging.

use booking_ui::prelude::*;
use booking_wire::Layout;

use crate::components::{Shape, button, heading, icon};
use crate::i18n::{Key, use_formats, use_texts};

use super::model::VisibleDays;

/// Names the days in view, pages to earlier and later ones, and changes their layout.
#[component]
pub(super) fn PickerHeader(
    /// Title's id.
    title_id: &'static str,
    #[prop(into)] visible: Signal<VisibleDays>,
    /// Layouts; a single one shows no switch.
    layouts: Vec<Layout>,
    #[prop(into)] on_layout: Callback<Layout>,
    /// Paging: true for later days.
    #[prop(into)]
    on_page: Callback<bool>,
    /// Likely paging: prefetch.
    #[prop(into)]
    on_intent: Callback<bool>,
    /// Title of layouts other than the month.
    #[prop(into)]
    range: Signal<String>,
    /// True if nothing later can be booked.
    #[prop(into)]
    is_last: Signal<bool>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();

    let title = move || {
        let visible = visible.get();
        if visible.layout != Layout::Month {
            return text(&range.get());
        }
        let months = visible.months();
        let title = if months.first == months.last {
            formats.month(months.first)
        } else {
            formats.months(months)
        };
        mute_years(
            &title,
            [months.first, months.last].map(|day| formats.year(day)),
        )
    };
    let page_button = move |is_forward: bool| {
        let name = move || {
            let key = match (visible.get().layout, is_forward) {
                (Layout::Month, true) => Key::NextMonth,
                (Layout::Month, false) => Key::PreviousMonth,
                (Layout::Week, true) => Key::NextWeek,
                (Layout::Week, false) => Key::PreviousWeek,
                (Layout::Column, true) => Key::LaterDays,
                (Layout::Column, false) => Key::EarlierDays,
            };
            Some(texts.get(key).to_owned())
        };
        let shape = if is_forward {
            Shape::Forward
        } else {
            Shape::Back
        };
        button("button-quiet button-square", move || {
            if !is_forward || !is_last.get_untracked() {
                on_page.run(is_forward);
            }
        })
        .attr("part", "month-button")
        .attr_with("aria-label", name)
        .on("pointerenter", move |_| on_intent.run(is_forward))
        .on("focus", move |_| on_intent.run(is_forward))
        .child(icon(shape))
    };
    let back = page_button(false).flag_with("disabled", move || visible.get().is_first());
    // Stays focused after the last page, and its title gives the reason.
    let forward = page_button(true)
        .flag_with("aria-disabled", move || is_last.get())
        .attr_with("title", move || {
            let reason = is_last.get().then(|| texts.get(Key::NothingLater));
            reason.map(str::to_owned)
        });
    let switch = (layouts.len() > 1).then(|| {
        let group = RadioGroup::unique();
        let options = layouts.into_iter().map(|layout| {
            let (name, shape, value) = match layout {
                Layout::Month => (Key::ViewMonth, Shape::Month, "month"),
                Layout::Week => (Key::ViewWeek, Shape::Week, "week"),
                Layout::Column => (Key::ViewColumn, Shape::Columns, "column"),
            };
            let input = group
                .button()
                .attr("value", value)
                .attr("aria-label", texts.get(name))
                .checked_with(move || visible.get().layout == layout)
                .on("change", move |_| on_layout.run(layout));
            // The input has the name.
            let shown = el("span")
                .child(icon(shape))
                .child(el("span").class("segment-name").child(texts.get(name)));
            el("label")
                .class("segment")
                .attr("title", texts.get(name))
                .child(input)
                .child(shown)
        });
        el("div")
            .class("segmented layout-switch")
            .attr("role", "radiogroup")
            .attr("part", "segmented")
            .attr("aria-label", texts.get(Key::View))
            .child(fragment_of(options))
    });
    el("div")
        .class("picker-head")
        .child(
            heading(1)
                .class("picker-title")
                .attr("id", title_id)
                .attr("part", "month-title")
                .attr("tabindex", "-1")
                .child_with(title),
        )
        .child(back)
        .child(forward)
        .child(switch)
}

/// Title whose years, in their order, are less prominent.
fn mute_years(title: &str, years: [String; 2]) -> Node {
    let mut rest = title;
    let mut parts = fragment();
    for year in &years {
        if let Some((before, after)) = split_at_word(rest, year) {
            let year = el("span").class("picker-year").child(year.as_str());
            parts = parts.child(before).child(year);
            rest = after;
        }
    }
    parts.child(rest)
}

/// `text` before and after `word`. The search of the standard library is large.
fn split_at_word<'text>(text: &'text str, word: &str) -> Option<(&'text str, &'text str)> {
    (0..text.len()).find_map(|start| {
        let (before, rest) = text.split_at_checked(start)?;
        Some((before, rest.strip_prefix(word)?))
    })
}
