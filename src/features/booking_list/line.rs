//! One row of the table, and what it holds while it is open.

use leptos::prelude::{Owner, untrack};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, ShadowRoot};

use crate::dom::{Html, Root, el};

use super::after::Doors;
use super::cells::Pattern;
use super::list::List;
use super::shown::Row;

/// The button of a row that opens it.
pub(super) const OPEN: &str = ".booking-open";

/// A row as it is drawn.
pub(super) struct Line {
    place: usize,
    shown: Row,
    tells_day: bool,
    is_selected: bool,
    /// How many columns there are, as a text.
    width: String,
    element: Element,
    more: Option<More>,
}

/// What an open row holds, in a row of its own.
struct More {
    element: Element,
    // Ends the view when it is dropped.
    _root: Root,
}

impl More {
    /// True also for a dialog that is there and opens in the next frame.
    fn has_dialog(&self) -> bool {
        matches!(self.element.query_selector("dialog"), Ok(Some(_)))
    }
}

impl Line {
    /// Draws a row.
    pub(super) fn new(
        place: usize,
        shown: Row,
        tells_day: bool,
        pattern: &Pattern,
        width: &str,
    ) -> (Self, Html) {
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

    /// Tells the booking as it has become. The focus stays where it is.
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
        // A dialog over the list stays as it is until it is closed.
        let stays = self.more.as_ref().is_some_and(More::has_dialog);
        if !stays {
            self.open(false, list, owner);
        }
        let drawn = pattern.line(self.place, &row, self.tells_day);
        let before = std::mem::replace(&mut self.element, drawn.element().into());
        // It stands where the row stood.
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
            // Refused only for an element that is gone.
            let _ = button.unchecked_ref::<HtmlElement>().focus();
        }
    }

    /// Shows what the booking holds, or no longer.
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
        let more = el("tr").class("details-row").attr("role", "row").add(cell);
        let booking = std::rc::Rc::clone(&self.shown.booking);
        let view = move |doors: &Doors| untrack(|| (doors.details)(&booking, list));
        let mount = || Root::mount(&place, || list.after.show(|content| content, view));
        let root = match owner {
            Some(owner) => owner.with(mount),
            None => mount(),
        };
        let element: Element = more.element().into();
        more.stand_behind(&self.element);
        self.more = Some(More {
            element,
            _root: root,
        });
    }

    /// Ticks the box, or not.
    pub(super) fn select(&mut self, is_selected: bool) {
        // A page may have 250 rows, and most of them stay as they are.
        if is_selected == self.is_selected {
            return;
        }
        self.is_selected = is_selected;
        // A name of ours.
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
        // A style sheet reads it: asking for what is inside would cost time with each row.
        let _ = self
            .element
            .toggle_attribute_with_force("data-open", is_open);
        if let Some(button) = self.button() {
            // Names and values are constants of ours.
            let _ = button.set_attribute("aria-expanded", if is_open { "true" } else { "false" });
        }
    }

    fn button(&self) -> Option<Element> {
        // A constant selector that browsers know.
        self.element.query_selector(OPEN).ok().flatten()
    }

    /// Whether the focus is on the button that opens it.
    fn has_focus(&self) -> bool {
        let root: ShadowRoot = self.element.get_root_node().unchecked_into();
        // A row that is not shown yet has no root that could say so.
        let active = js_sys::Reflect::get(&root, &"activeElement".into()).ok();
        let active: Option<Element> = active.and_then(|active| active.dyn_into().ok());
        active.is_some() && active == self.button()
    }
}
