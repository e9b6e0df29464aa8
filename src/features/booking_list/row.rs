//! One row of the table, with its details while expanded.

use leptos::prelude::{Owner, untrack};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, ShadowRoot};

use crate::features::shared::lazy_view::lazy_view;
use crate::ui::dom::{Node, Root, el};

use super::cells::Pattern;
use super::chunk::ChunkExports;
use super::list_state::List;
use super::row_changes::Row;

/// Selector of the button that expands a row.
pub(super) const OPEN: &str = ".booking-open";

/// Rendered row.
pub(super) struct Line {
    place: usize,
    shown: Row,
    tells_day: bool,
    is_selected: bool,
    /// Number of columns, as text.
    width: String,
    element: Element,
    more: Option<More>,
}

/// Details of an open row, in their own row.
struct More {
    element: Element,
    // Unmounts the view when dropped.
    _root: Root,
}

impl More {
    /// True if it contains a dialog, even one that opens in the next frame.
    fn has_dialog(&self) -> bool {
        matches!(self.element.query_selector("dialog"), Ok(Some(_)))
    }
}

impl Line {
    /// Renders a row.
    pub(super) fn new(
        place: usize,
        shown: Row,
        tells_day: bool,
        pattern: &Pattern,
        width: &str,
    ) -> (Self, Node) {
        let drawn = pattern.line(place, &shown, tells_day);
        let line = Self {
            place,
            shown,
            tells_day,
            is_selected: false,
            width: width.to_owned(),
            element: drawn.element().into(),
            more: None,
        };
        (line, drawn)
    }

    pub(super) fn place(&self) -> usize {
        self.place
    }

    pub(super) fn uid(&self) -> &str {
        &self.shown.booking.uid.0
    }

    pub(super) fn is_among(&self, uids: &[String]) -> bool {
        uids.iter().any(|uid| uid == self.uid())
    }

    /// Renders the changed booking; the row keeps the focus.
    pub(super) fn become_row(
        &mut self,
        row: Row,
        pattern: &Pattern,
        list: List,
        owner: Option<&Owner>,
    ) {
        if row == self.shown || row.booking.uid != self.shown.booking.uid {
            return;
        }
        let had_focus = self.has_focus();
        let is_open = self.more.is_some();
        // Details with a dialog are kept until it is closed.
        let stays = self.more.as_ref().is_some_and(More::has_dialog);
        if !stays {
            self.open(false, list, owner);
        }
        let drawn = pattern.line(self.place, &row, self.tells_day);
        let before = std::mem::replace(&mut self.element, drawn.element().into());
        // Cannot fail: a row replaces a row.
        let _ = before.replace_with_with_node_1(&self.element);
        self.shown = row;
        let is_selected = std::mem::take(&mut self.is_selected);
        self.select(is_selected);
        if stays {
            self.tell_open(true);
        } else {
            self.open(is_open, list, owner);
        }
        if had_focus && let Some(button) = self.button() {
            // Fails only for a removed element.
            let _ = button.unchecked_ref::<HtmlElement>().focus();
        }
    }

    /// Expands or collapses the details.
    pub(super) fn open(&mut self, is_open: bool, list: List, owner: Option<&Owner>) {
        if is_open == self.more.is_some() {
            return;
        }
        self.tell_open(is_open);
        if let Some(more) = self.more.take() {
            more.element.remove();
            return;
        }
        let cell = el("td").attr("role", "cell").attr("colspan", &self.width);
        let place: Element = cell.element().into();
        let more = el("tr")
            .class("details-row")
            .attr("role", "row")
            .child(cell);
        let booking = std::rc::Rc::clone(&self.shown.booking);
        let view = move |exports: &ChunkExports| untrack(|| (exports.details)(&booking, list));
        let mount = || Root::mount(&place, || lazy_view(list.after, |content| content, view));
        let root = match owner {
            Some(owner) => owner.with(mount),
            None => mount(),
        };
        let element: Element = more.element().into();
        more.insert_after(&self.element);
        self.more = Some(More {
            element,
            _root: root,
        });
    }

    /// Checks or unchecks the box.
    pub(super) fn select(&mut self, is_selected: bool) {
        // A page may have 250 rows, and most of them do not change.
        if is_selected == self.is_selected {
            return;
        }
        self.is_selected = is_selected;
        // Valid constant.
        let _ = self
            .element
            .toggle_attribute_with_force("data-selected", is_selected);
        if let Ok(Some(ticked)) = self.element.query_selector("input") {
            ticked
                .unchecked_ref::<HtmlInputElement>()
                .set_checked(is_selected);
        }
    }

    fn tell_open(&self, is_open: bool) {
        // Attribute for the style sheet: a selector on the content would be slow for many rows.
        let _ = self
            .element
            .toggle_attribute_with_force("data-open", is_open);
        if let Some(button) = self.button() {
            // Cannot fail: the name is a valid constant.
            let _ = button.set_attribute("aria-expanded", if is_open { "true" } else { "false" });
        }
    }

    fn button(&self) -> Option<Element> {
        // Cannot fail: the selector is a valid constant.
        self.element.query_selector(OPEN).ok().flatten()
    }

    /// True if the button that expands the row has the focus.
    fn has_focus(&self) -> bool {
        let root: ShadowRoot = self.element.get_root_node().unchecked_into();
        // A detached row has no root with an `activeElement`.
        let active = js_sys::Reflect::get(&root, &"activeElement".into()).ok();
        let active: Option<Element> = active.and_then(|active| active.dyn_into().ok());
        active.is_some() && active == self.button()
    }
}
