//! Pointer and keyboard input in the rows, handled by delegated listeners.
//!
//! Only one row is a Tab stop; the arrow keys move between rows. With Shift they extend the selection,
//! Ctrl or Command with A selects the page, Escape clears the selection.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, MouseEvent};

use crate::element::team_events::TeamEvent;
use crate::ui::dom::Node;

use super::list_state::List;
use super::row::OPEN;

/// Selector of a row's check box.
const SELECT: &str = ".booking-select input";

/// Adds the listeners for clicks, focus and keys to `table`.
pub(super) fn listen_to_rows(table: Node, list: List) -> Node {
    let element = table.element();
    let rows = element.clone();
    let places = element.clone();
    table
        .on("click", move |event| pressed(&event, &places, list))
        .on("focusin", move |event| {
            if let Some((row, place)) = row_of(&event) {
                move_stop(&element, &row);
                list.stop.set_value(place);
            }
        })
        .on("keydown", move |event| {
            let key: &KeyboardEvent = event.unchecked_ref();
            if typed(key, &rows, list) {
                key.prevent_default();
            }
        })
}

/// Row of an event's target, with its index.
fn row_of(event: &Event) -> Option<(Element, usize)> {
    let target: Element = event.target()?.dyn_into().ok()?;
    // Cannot fail: the selector is a valid constant.
    let row = target.closest("[data-row]").ok()??;
    let place = place_of(&row)?;
    Some((row, place))
}

fn is_in(event: &Event, selector: &str) -> bool {
    let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    target.is_some_and(|target| matches!(target.closest(selector), Ok(Some(_))))
}

fn pressed(event: &Event, table: &HtmlElement, list: List) {
    let Some((_, place)) = row_of(event) else {
        return;
    };
    let press: &MouseEvent = event.unchecked_ref();
    let rows = list.rows.all();
    let Some(uid) = rows.get(place).map(|row| row.booking.uid.0.clone()) else {
        return;
    };
    if is_in(event, SELECT) {
        if press.shift_key() && press.detail() == 0 {
            // Handled by `keydown`.
            press.prevent_default();
            return;
        }
        let ticked: Option<HtmlInputElement> = event.target().and_then(|it| it.dyn_into().ok());
        let is_wanted = ticked.is_some_and(|ticked| ticked.checked());
        if press.shift_key() {
            list.selection
                .reach(&rows, &order_of(table), place, is_wanted);
        } else {
            list.selection.set(&rows, place, is_wanted);
        }
    } else if is_in(event, OPEN) {
        if press.shift_key() {
            list.selection.reach(&rows, &order_of(table), place, true);
        } else if press.ctrl_key() || press.meta_key() {
            let is_wanted = !list.selection.holds(&uid);
            list.selection.set(&rows, place, is_wanted);
        } else {
            list.toggle(&uid);
            if untrack(|| list.is_open(&uid)) {
                // No default action follows that the page could cancel.
                let _ = list.page().emit(&TeamEvent::BookingOpened { uid });
            }
        }
    }
}

/// Handles a key; true if it was for the rows.
fn typed(key: &KeyboardEvent, table: &HtmlElement, list: List) -> bool {
    let Some((row, place)) = row_of(key).filter(|_| is_in(key, SELECT) || is_in(key, OPEN)) else {
        return false;
    };
    let rows = list.rows.all();
    let commands = key.ctrl_key() || key.meta_key();
    let target = match key.key().as_str() {
        "ArrowDown" if !commands => beside(table, &row, 1),
        "ArrowUp" if !commands => beside(table, &row, -1),
        "Home" => end_row(table, false),
        "End" => end_row(table, true),
        "a" if commands => {
            list.selection.set_page(&rows, true);
            return true;
        }
        "Escape" if list.selection.count() != Some(0) => {
            list.selection.clear();
            return true;
        }
        // Browsers differ in whether the click that follows reports Shift.
        " " if key.shift_key() => {
            list.selection.reach(&rows, &order_of(table), place, true);
            return true;
        }
        _ => return false,
    };
    let Some(target) = target else { return true };
    if key.shift_key() {
        let next = place_of(&target).unwrap_or(place);
        let uid = rows.get(place).map(|row| row.booking.uid.0.clone());
        if !uid.is_some_and(|uid| list.selection.holds(&uid)) {
            list.selection.set(&rows, place, true);
        }
        list.selection.walk(&rows, &order_of(table), place, next);
    }
    let control = if is_in(key, SELECT) { SELECT } else { OPEN };
    if let Ok(Some(control)) = target.query_selector(control) {
        // Fails only for a removed element.
        let _ = control.unchecked_ref::<HtmlElement>().focus();
    }
    true
}

fn rows_in(table: &HtmlElement) -> Vec<Element> {
    let Ok(found) = table.query_selector_all("[data-row]") else {
        return Vec::new();
    };
    let row = |place| Some(found.item(place)?.unchecked_into());
    (0..found.length()).filter_map(row).collect()
}

fn place_of(row: &Element) -> Option<usize> {
    row.get_attribute("data-row")?.parse().ok()
}

/// Row indices in display order, which differs while series are grouped.
fn order_of(table: &HtmlElement) -> Vec<usize> {
    rows_in(table).iter().filter_map(place_of).collect()
}

fn beside(table: &HtmlElement, row: &Element, step: isize) -> Option<Element> {
    let rows = rows_in(table);
    let place = rows.iter().position(|known| known == row)?;
    rows.get(place.checked_add_signed(step)?).cloned()
}

fn end_row(table: &HtmlElement, is_last: bool) -> Option<Element> {
    let rows = rows_in(table);
    let row = if is_last { rows.last() } else { rows.first() };
    row.cloned()
}

/// Makes `row` the Tab stop.
fn move_stop(table: &HtmlElement, row: &Element) {
    let set = |element: &Element, selector: &str, index: &str| {
        let Ok(found) = element.query_selector_all(selector) else {
            return;
        };
        for place in 0..found.length() {
            if let Some(control) = found.item(place) {
                // Cannot fail: the name is a valid constant.
                let _ = control
                    .unchecked_ref::<Element>()
                    .set_attribute("tabindex", index);
            }
        }
    };
    let stops = [
        "[data-row] .booking-select input[tabindex='0']",
        "[data-row] .booking-open[tabindex='0']",
    ];
    for stop in stops {
        set(table, stop, "-1");
    }
    for control in [SELECT, OPEN] {
        set(row, control, "0");
    }
}
