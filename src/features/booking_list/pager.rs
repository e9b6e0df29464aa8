//! Range of the displayed page and buttons to other pages.

use std::rc::Rc;

use leptos::prelude::*;

use crate::components::{SelectField, Shape, button, icon};
use crate::i18n::{Key, Translations, use_texts};
use crate::ui::dom::{Node, el, fragment_of};
use crate::ui::signal::Signal;

use super::list_query::ListQuery;
use super::page_range::Span;

/// Range, page size and page buttons; hidden while there are no bookings. Disabled buttons stay
/// focusable, so that the focus is not lost. `on_turn` takes a zero-based page.
pub(super) fn pager(
    wish: ListQuery,
    span: Signal<Option<Span>>,
    on_turn: impl Fn(i64) + 'static,
) -> Node {
    let texts = use_texts();
    let on_turn = Rc::new(on_turn);

    let range = move || {
        span.get()
            .map_or(String::new(), |span| range_text(span, texts))
    };
    let position = move || {
        let Some(span) = span.get() else {
            return String::new();
        };
        let page = texts.number(span.page + 1);
        match span.last_page {
            Some(last) => {
                let pages = texts.number(last + 1);
                texts.fill(Key::PageOf, &[("page", &page), ("pages", &pages)])
            }
            None => texts.fill(Key::PageAlone, &[("page", &page)]),
        }
    };
    let sizes = move || {
        let sizes = wish.typed.with(|filters| filters.page_sizes());
        sizes
            .iter()
            .map(|size| (size.to_string(), size.to_string()))
            .collect::<Vec<_>>()
    };
    let resize = move |size: String| {
        if let Ok(size) = size.parse() {
            wish.change(|filters| filters.page_size = size);
        }
    };
    let way = move |name: Key, shapes: &[Shape], target: fn(Span) -> Option<i64>| {
        let on_turn = Rc::clone(&on_turn);
        let target = move || span.get().and_then(target);
        let turn = move || {
            if let Some(page) = untrack(target) {
                on_turn(page);
            }
        };
        button("button-quiet button-square pager-button", turn)
            .attr("part", "page-button")
            .attr("aria-label", texts.get(name))
            .flag_with("aria-disabled", move || target().is_none())
            .child(fragment_of(shapes.iter().map(|shape| icon(*shape))))
    };
    let size = view! {
        <SelectField
            id="page-size"
            label=texts.get(Key::PerPage)
            options=Signal::derive(sizes)
            value=Signal::derive(move || wish.typed.with(|filters| filters.page_size.to_string()))
            on_pick=resize
        />
    };
    let ways = el("nav")
        .class("pager-ways")
        .attr("aria-label", texts.get(Key::Pages))
        .child(way(Key::FirstPage, &[Shape::Back, Shape::Back], |span| {
            (span.page > 0).then_some(0)
        }))
        .child(way(Key::PreviousPage, &[Shape::Back], |span| {
            (span.page > 0).then_some(span.page - 1)
        }))
        .child(el("span").class("pager-position").text_with(position))
        .child(way(Key::NextPage, &[Shape::Forward], |span| {
            span.has_next.then_some(span.page + 1)
        }))
        .child(way(
            Key::LastPage,
            &[Shape::Forward, Shape::Forward],
            |span| span.last_page.filter(|_| span.has_next),
        ));
    el("div")
        .class("pager")
        .attr("part", "pager")
        .flag_with("hidden", move || {
            span.get().is_some_and(Span::is_of_nothing)
        })
        .child(el("p").class("pager-range").text_with(range))
        .child(el("div").class("pager-size").child(size))
        .child(ways)
}

/// Text such as `41–60 of 302`.
pub(super) fn range_text(span: Span, texts: Translations) -> String {
    let total = span.total.map(|total| texts.number(total));
    if span.last == 0 {
        return texts.get(Key::NoneShown).to_owned();
    }
    let range = if span.first == span.last {
        texts.number(span.first)
    } else {
        format!("{}–{}", texts.number(span.first), texts.number(span.last))
    };
    match total {
        Some(total) => texts.fill(Key::RangeOf, &[("range", &range), ("total", &total)]),
        None => range,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_told_with_what_is_known() {
        for (first, last, total, text) in [
            (41, 60, Some(302), "41–60 of 302"),
            (301, 301, Some(301), "301 of 301"),
            (21, 25, None, "21–25"),
            (0, 0, Some(0), "No bookings"),
        ] {
            let span = Span {
                first,
                last,
                total,
                page: 0,
                last_page: None,
                has_next: false,
            };
            assert_eq!(range_text(span, Translations::ENGLISH), text);
        }
    }
}
