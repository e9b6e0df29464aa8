//! Search field of the booking list, shown if the service can search.

use booking_rules::limits::MAX_SEARCH_CHARS;
use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

use crate::components::{Shape, icon};
use crate::features::booking_list::query::query_state::ListQuery;
use crate::i18n::{Key, Translations};

/// Elements where a character is typed or has a meaning of its own.
pub(crate) const FIELDS: &str = "input, textarea, select, dialog, [contenteditable]";

/// Search field. Escape clears it; `/` focuses it unless another field has the focus.
pub(crate) fn search_field(query: ListQuery, texts: Translations) -> Node {
    let keys = move |event: Event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        let is_empty = query
            .form
            .with_untracked(|filters| filters.search.is_empty());
        if key.key() == "Escape" && !is_empty && !key.is_composing() {
            event.prevent_default();
            event.stop_propagation();
            query.change(|filters| filters.search.clear());
        }
    };
    let field = el("input")
        .attr("type", "search")
        .attr("id", "booking-search")
        .attr("part", "input search")
        .attr("dir", "auto")
        .attr("autocomplete", "off")
        .attr("autocapitalize", "none")
        .attr("spellcheck", "false")
        .attr("enterkeyhint", "search")
        .attr("maxlength", &MAX_SEARCH_CHARS.to_string())
        .attr("aria-label", texts.get(Key::SearchBookings))
        .attr("aria-keyshortcuts", "/")
        .attr("placeholder", texts.get(Key::SearchBookingsHint))
        .value_with(move || query.form.with(|filters| filters.search.clone()))
        .on("input", move |event| {
            let text = value_of(&event);
            query.change_debounced(|filters| filters.search = text);
        })
        .on("keydown", keys);
    let input = field.element();
    on_page_key("/", move || {
        // A failed focus is harmless.
        let _ = input.focus();
    });
    el("div")
        .class("list-search")
        .child(icon(Shape::Search))
        .child(field)
}

/// Calls `press` when the character `shortcut` is typed anywhere on the page but in a field or a dialog.
pub(crate) fn on_page_key(shortcut: &'static str, press: impl Fn() + 'static) {
    listen_to(&document(), "keydown", move |event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        let is_combined = key.ctrl_key() || key.meta_key() || key.alt_key() || key.is_composing();
        if key.key() != shortcut || is_combined || event.default_prevented() || is_in_field(&event)
        {
            return;
        }
        event.prevent_default();
        press();
    });
}

/// True if the event's target, inside shadow trees too, is in a field or a dialog.
fn is_in_field(event: &Event) -> bool {
    let target: Option<Element> = event.composed_path().get(0).dyn_into().ok();
    // Cannot fail: the selector is a valid constant.
    target.is_some_and(|target| matches!(target.closest(FIELDS), Ok(Some(_))))
}
