//! Actions for the selected bookings.

use crate::ui::context::use_context;
use booking_wire::BookingsQuery;
use wasm_bindgen::JsCast;

use crate::components::focus::focus_first_soon;
use crate::components::{TriState, button};
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment};
use crate::ui::signal::Signal;

use super::actions::{Bulk, bulk_buttons, bulk_panel};
use super::filters::export_button;
use super::list_state::List;
use super::page_range::Span;
use super::table::STOP;

/// Bar shown while bookings are selected: their number, "select all matching", "select none". A bulk
/// action stays in it until its result is dismissed.
pub(super) fn selected_bar(
    list: List,
    query: Signal<BookingsQuery>,
    span: Signal<Option<Span>>,
) -> Node {
    let List {
        texts,
        rows,
        selection,
        ..
    } = list;
    let total = move || span.get().and_then(|span| span.total);
    let is_selected = Signal::memo(move || selection.count() != Some(0));
    let words = move || match (selection.count(), total()) {
        (Some(count), _) => texts.count(Key::SelectedCount, count),
        (None, Some(total)) => {
            let total = usize::try_from(total).unwrap_or_default();
            texts.count(Key::AllMatchingSelected, total)
        }
        (None, None) => texts.get(Key::AllSelected).to_owned(),
    };
    let place = el("div").class("selected");
    let bar = place.element();
    let nothing_more = {
        let bar = place.element();
        move || {
            selection.clear();
            // The bar disappears, so the focus moves to the rows.
            if let Some(card) = bar.parent_element() {
                focus_first_soon(card.unchecked_into(), STOP);
            }
        }
    };
    let widen = move || {
        let page = rows.listed();
        let count = selection.count()?;
        let total = total().and_then(|total| usize::try_from(total).ok());
        let is_more = total.is_none_or(|total| total > count);
        (is_more && selection.of_page(&page) == TriState::All).then(|| {
            let words = match total {
                Some(total) => texts.count(Key::SelectAllMatching, total),
                None => texts.get(Key::SelectEverything).to_owned(),
            };
            let bar = bar.clone();
            let widen = move || {
                selection.set_all();
                focus_first_soon(bar.clone(), ".act");
            };
            button("text-button", widen).child(words)
        })
    };
    let scope = Signal::derive(move || selection.scope(query.get(), total()));
    let Some(bulk) = use_context::<Bulk>() else {
        return fragment();
    };
    bulk.follow_selection(list, scope);
    let chosen = move || {
        is_selected.get().then(|| {
            fragment()
                .child(
                    el("p")
                        .class("selected-count")
                        .attr("role", "status")
                        .text_with(words),
                )
                .child_with(widen.clone())
                .child(bulk_buttons(bulk, list, scope))
                .child(export_button(list, move || scope.get()))
                .child(
                    button("button-quiet", nothing_more.clone())
                        .child(texts.get(Key::SelectNothing)),
                )
        })
    };
    let is_there = Signal::memo(move || is_selected.get() || list.acts.is_doing_many());
    let bar = move || {
        is_there.get().then(|| {
            el("div")
                .class("selected-bar")
                .attr("role", "group")
                .attr("part", "selection")
                .attr("aria-label", texts.get(Key::Selection))
                .child_with(chosen.clone())
                .child(bulk_panel(bulk, list))
        })
    };
    bulk.stands_in(&place);
    place.child_with(bar)
}
