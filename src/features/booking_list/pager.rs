//! Range of the displayed page and buttons to other pages.

use std::rc::Rc;

use booking_ui::prelude::*;

use crate::components::{SelectField, Shape, button, icon};
use crate::i18n::{Key, Translations, use_texts};

use super::query::query_state::ListQuery;
use super::rows::PageRange;

/// Range, page size and page buttons; hidden while there are no bookings. Beside a notice, the style sheet hides
/// it unless it has the focus. Disabled buttons stay focusable, so that the focus is not lost. `on_page` takes a
/// zero-based page.
pub(super) fn pager(
    query: ListQuery,
    range: Signal<Option<PageRange>>,
    on_page: impl Fn(i64) + 'static,
) -> Node {
    let texts = use_texts();
    let on_page = Rc::new(on_page);

    let text = move || {
        range
            .get()
            .map_or(String::new(), |range| range_text(range, texts))
    };
    let position = move || {
        let Some(range) = range.get() else {
            return String::new();
        };
        let page = texts.number(range.page + 1);
        match range.last_page {
            Some(last) => {
                let pages = texts.number(last + 1);
                texts.fill(Key::PageOf, &[("page", &page), ("pages", &pages)])
            }
            None => texts.fill(Key::PageAlone, &[("page", &page)]),
        }
    };
    let sizes = move || {
        let sizes = query.form.with(|filters| filters.page_sizes());
        sizes
            .iter()
            .map(|size| (size.to_string(), size.to_string()))
            .collect::<Vec<_>>()
    };
    let resize = move |size: String| {
        if let Ok(size) = size.parse() {
            query.change(|filters| filters.page_size = size);
        }
    };
    let page_button = move |name: Key, icons: &[Shape], target: fn(PageRange) -> Option<i64>| {
        let on_page = Rc::clone(&on_page);
        let target = move || range.get().and_then(target);
        let go_to_page = move || {
            if let Some(page) = untrack(target) {
                on_page(page);
            }
        };
        button("button-quiet button-square pager-button", go_to_page)
            .attr("part", "page-button")
            .attr("aria-label", texts.get(name))
            .flag_with("aria-disabled", move || target().is_none())
            .child(fragment_of(icons.iter().map(|shape| icon(*shape))))
    };
    let size = view! {
        <SelectField
            id="page-size"
            label=texts.get(Key::PerPage)
            options=Signal::derive(sizes)
            value=Signal::derive(move || query.form.with(|filters| filters.page_size.to_string()))
            on_pick=resize
        />
    };
    let buttons = el("nav")
        .class("pager-ways")
        .attr("aria-label", texts.get(Key::Pages))
        .child(page_button(
            Key::FirstPage,
            &[Shape::Back, Shape::Back],
            |range| (range.page > 0).then_some(0),
        ))
        .child(page_button(Key::PreviousPage, &[Shape::Back], |range| {
            (range.page > 0).then_some(range.page - 1)
        }))
        .child(el("span").class("pager-position").text_with(position))
        .child(page_button(Key::NextPage, &[Shape::Forward], |range| {
            range.has_next.then_some(range.page + 1)
        }))
        .child(page_button(
            Key::LastPage,
            &[Shape::Forward, Shape::Forward],
            |range| range.last_page.filter(|_| range.has_next),
        ));
    el("div")
        .class("pager")
        .attr("part", "pager")
        .flag_with("hidden", move || {
            range.get().is_some_and(PageRange::is_empty_list)
        })
        .child(el("p").class("pager-range").text_with(text))
        .child(el("div").class("pager-size").child(size))
        .child(buttons)
}

/// Text such as `41–60 of 302`.
pub(super) fn range_text(range: PageRange, texts: Translations) -> String {
    let total = range.total.map(|total| texts.number(total));
    if range.last == 0 {
        return texts.get(Key::NoneShown).to_owned();
    }
    let bounds = if range.first == range.last {
        texts.number(range.first)
    } else {
        format!("{}–{}", texts.number(range.first), texts.number(range.last))
    };
    match total {
        Some(total) => texts.fill(Key::RangeOf, &[("range", &bounds), ("total", &total)]),
        None => bounds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_text_contains_known_numbers() {
        for (first, last, total, text) in [
            (41, 60, Some(302), "41–60 of 302"),
            (301, 301, Some(301), "301 of 301"),
            (21, 25, None, "21–25"),
            (0, 0, Some(0), "No bookings"),
        ] {
            let range = PageRange {
                first,
                last,
                total,
                page: 0,
                last_page: None,
                has_next: false,
            };
            assert_eq!(range_text(range, Translations::ENGLISH), text);
        }
    }
}
