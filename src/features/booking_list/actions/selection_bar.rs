//! Actions for the selected bookings.

use booking_ui::prelude::*;
use booking_wire::BookingsQuery;
use wasm_bindgen::JsCast;

use crate::components::focus::focus_first_soon;
use crate::components::{TriState, button};
use crate::i18n::Key;

use super::super::filters::export_button;
use super::super::rows::PageRange;
use super::super::state::list_state::List;
use super::super::table::TAB_STOP;
use super::bulk::BulkAction;
use super::bulk_panel::{bulk_buttons, bulk_panel};

/// Bar shown while bookings are selected: their number, "select all matching", "select none". A bulk
/// action stays in it until its result is dismissed.
pub(crate) fn selection_bar(
    list: List,
    query: Signal<BookingsQuery>,
    range: Signal<Option<PageRange>>,
) -> Node {
    let List {
        context,
        rows,
        selection,
        ..
    } = list;
    let texts = context.texts;
    let total = move || range.get().and_then(|range| range.total);
    let is_selected = Signal::memo(move || selection.count() != Some(0));
    let count_text = move || match (selection.count(), total()) {
        (Some(count), _) => texts.count(Key::SelectedCount, count),
        (None, Some(total)) => {
            let total = usize::try_from(total).unwrap_or_default();
            texts.count(Key::AllMatchingSelected, total)
        }
        (None, None) => texts.get(Key::AllSelected).to_owned(),
    };
    let bar = el("div").class("selected");
    let bar_element = bar.element();
    let clear = {
        let bar_element = bar.element();
        move || {
            selection.clear();
            // The bar disappears, so the focus moves to the rows.
            if let Some(card) = bar_element.parent_element() {
                focus_first_soon(card.unchecked_into(), TAB_STOP);
            }
        }
    };
    let select_all_button = move || {
        let page = rows.snapshot();
        let count = selection.count()?;
        let total = total().and_then(|total| usize::try_from(total).ok());
        let is_more = total.is_none_or(|total| total > count);
        (is_more && selection.page_state(&page) == TriState::All).then(|| {
            let label = match total {
                Some(total) => texts.count(Key::SelectAllMatching, total),
                None => texts.get(Key::SelectEverything).to_owned(),
            };
            let bar_element = bar_element.clone();
            let select_all = move || {
                selection.set_all();
                focus_first_soon(bar_element.clone(), ".act");
            };
            button("text-button", select_all).child(label)
        })
    };
    let scope = Signal::derive(move || selection.scope(query.get(), total()));
    let Some(bulk) = use_context::<BulkAction>() else {
        return fragment();
    };
    bulk.follow_selection(list, scope);
    let controls = move || {
        is_selected.get().then(|| {
            fragment()
                .child(
                    el("p")
                        .class("selected-count")
                        .attr("role", "status")
                        .text_with(count_text),
                )
                .child_with(select_all_button.clone())
                .child(export_button(list.requested_export, texts, scope))
                .child(button("button-quiet", clear.clone()).child(texts.get(Key::SelectNothing)))
                // The action that cannot be undone is the last.
                .child(bulk_buttons(bulk, list, scope))
        })
    };
    let is_shown = Signal::memo(move || is_selected.get() || list.actions.is_bulk_active());
    let content = move || {
        is_shown.get().then(|| {
            el("div")
                .class("selected-bar")
                .attr("role", "group")
                .attr("part", "selection")
                .attr("aria-label", texts.get(Key::Selection))
                .child_with(controls.clone())
                .child(bulk_panel(bulk, list))
        })
    };
    bulk.set_bar(&bar);
    bar.child_with(content)
}
