//! Input in the rows, by delegated listeners: clicks, focus and keys; after a resize, one booking is open beside the rows.
//!
//! Only one row is a Tab stop; the arrow keys, or J and K, move between rows. With Shift they extend the selection, Ctrl
//! or Command with A selects the page, Escape clears the selection or closes the details. J and K work in the whole list.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, MouseEvent};

use crate::page::team_events::TeamEvent;

use super::row::{EXPAND_BUTTON, ROW_ACTS, TAB_STOP};
use crate::features::booking_list::filters::search_field::FIELDS;
use crate::features::booking_list::rows::Row;
use crate::features::booking_list::state::list_state::List;

/// Selector of a row's check box.
const SELECT_BOX: &str = ".booking-select input";
/// Selector of the target around it.
const SELECT_LABEL: &str = ".booking-select label";

/// Adds the listeners for clicks, focus and keys to `table`.
pub(super) fn listen_to_rows(table: Node, list: List) -> Node {
    let element = table.element();
    list.table.set_element(&element);
    let (clicked, focused, resized) = (element.clone(), element.clone(), element.clone());
    on_resize(&element, move || {
        let rows = list.rows.all();
        let open_form = list.actions.open_form();
        let in_use = open_form.or_else(|| focused_details(&resized, &rows));
        list.table.keep_one_beside_rows(&rows, in_use.as_deref());
    });
    table
        .on("click", move |event| on_click(&event, &clicked, list))
        .on("focusin", move |event| {
            if let Some((row, index)) = row_of(&event) {
                move_tab_stop(&focused, &row);
                list.table.tab_stop.set_value(index);
            }
        })
        .on("keydown", move |event| {
            let key: &KeyboardEvent = event.unchecked_ref();
            if on_key(key, &element, list) {
                key.prevent_default();
            }
        })
}

/// Lets J and K, pressed anywhere in the `card` of the list but in a field, move to the rows: from details to an adjacent
/// row, else to the row that is the Tab stop. Ctrl or Command with Z takes the last answer back.
pub(crate) fn move_to_rows_on_keys(card: Node, list: List) -> Node {
    let element = card.element();
    card.on("keydown", move |event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        let has_command = (key.ctrl_key() || key.meta_key()) && !key.shift_key() && !key.alt_key();
        if has_command && key.key() == "z" && !is_in(key, FIELDS) {
            if list.actions.undo_last_answer() {
                key.prevent_default();
            }
            return;
        }
        let step = match key.key().as_str() {
            "j" => 1,
            "k" => -1,
            _ => return,
        };
        let is_combined = key.ctrl_key() || key.meta_key() || key.alt_key() || key.is_composing();
        if is_combined || key.default_prevented() || is_in(key, FIELDS) {
            return;
        }
        let details = closest(key, ".details-row");
        let row = details.and_then(|details| details.previous_element_sibling());
        let target = match row {
            Some(row) => adjacent(&element, &row, step),
            None => {
                // Cannot fail: the selectors are valid constants.
                let stop = element.query_selector(TAB_STOP).ok().flatten();
                stop.and_then(|stop| stop.closest("[data-row]").ok().flatten())
            }
        };
        if let Some(target) = target {
            key.prevent_default();
            focus_in(&target, EXPAND_BUTTON);
        }
    })
}

/// Row of an event's target, with its index.
fn row_of(event: &Event) -> Option<(Element, usize)> {
    let target: Element = event.target()?.dyn_into().ok()?;
    // Cannot fail: the selector is a valid constant.
    let row = target.closest("[data-row]").ok()??;
    let index = index_of(&row)?;
    Some((row, index))
}

fn closest(event: &Event, selector: &str) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    // Cannot fail: the selectors are valid constants.
    target.closest(selector).ok()?
}

fn is_in(event: &Event, selector: &str) -> bool {
    closest(event, selector).is_some()
}

fn on_click(event: &Event, table: &HtmlElement, list: List) {
    let Some((_, index)) = row_of(event) else {
        return;
    };
    let click: &MouseEvent = event.unchecked_ref();
    let rows = list.rows.all();
    let Some(uid) = rows.get(index).map(|row| row.booking.uid.0.clone()) else {
        return;
    };
    // Around the check box: browsers differ in what its own click reports.
    if click.shift_key() && is_in(event, SELECT_LABEL) && !is_in(event, SELECT_BOX) {
        click.prevent_default();
        let is_selected = !list.selection.contains(&uid);
        list.selection
            .extend_to(&rows, &order_of(table), index, is_selected);
    } else if is_in(event, SELECT_BOX) {
        if click.shift_key() && click.detail() == 0 {
            // Handled by `keydown`.
            click.prevent_default();
            return;
        }
        let input: Option<HtmlInputElement> =
            event.target().and_then(|target| target.dyn_into().ok());
        let is_selected = input.is_some_and(|input| input.checked());
        if click.shift_key() {
            list.selection
                .extend_to(&rows, &order_of(table), index, is_selected);
        } else {
            list.selection.set(&rows, index, is_selected);
        }
    } else if is_in(event, EXPAND_BUTTON) {
        if click.shift_key() {
            list.selection
                .extend_to(&rows, &order_of(table), index, true);
        } else if click.ctrl_key() || click.meta_key() {
            let is_selected = !list.selection.contains(&uid);
            list.selection.set(&rows, index, is_selected);
        } else if list.table.toggle(&uid) {
            // No default action follows that the page could cancel.
            let _ = list.context.page().emit(&TeamEvent::BookingOpened { uid });
        }
    }
}

/// Handles a key; true if it was for the rows.
fn on_key(key: &KeyboardEvent, table: &HtmlElement, list: List) -> bool {
    let is_act = is_in(key, ROW_ACTS);
    let Some((row, index)) =
        row_of(key).filter(|_| is_act || is_in(key, SELECT_BOX) || is_in(key, EXPAND_BUTTON))
    else {
        return key.key() == "Escape" && close_details(key, table, list);
    };
    let rows = list.rows.all();
    let has_command = key.ctrl_key() || key.meta_key() || key.alt_key();
    // A button that answers a booking does not select.
    if is_act && (key.shift_key() || has_command) {
        return false;
    }
    let target = match key.key().as_str() {
        "ArrowDown" | "j" if !has_command => adjacent(table, &row, 1),
        "ArrowUp" | "k" if !has_command => adjacent(table, &row, -1),
        "Home" => end_row(table, false),
        "End" => end_row(table, true),
        "a" if has_command && !key.alt_key() => {
            list.selection.set_page(&rows, true);
            return true;
        }
        "Escape" if list.selection.count() != Some(0) => {
            list.selection.clear();
            return true;
        }
        "Escape" => {
            let uid = rows.get(index).map(|row| row.booking.uid.0.clone());
            return uid.is_some_and(|uid| list.table.collapse(&uid)) || list.table.collapse_panel();
        }
        // Browsers differ in whether the click that follows reports Shift.
        " " if key.shift_key() => {
            list.selection
                .extend_to(&rows, &order_of(table), index, true);
            return true;
        }
        _ => return false,
    };
    let Some(target) = target else { return true };
    if key.shift_key() {
        let next = index_of(&target).unwrap_or(index);
        let uid = rows.get(index).map(|row| row.booking.uid.0.clone());
        if !uid.is_some_and(|uid| list.selection.contains(&uid)) {
            list.selection.set(&rows, index, true);
        }
        list.selection
            .move_range_end(&rows, &order_of(table), index, next);
    }
    let control = if is_in(key, SELECT_BOX) {
        SELECT_BOX
    } else {
        EXPAND_BUTTON
    };
    focus_in(&target, control);
    true
}

fn focus_in(row: &Element, control: &str) {
    if let Ok(Some(control)) = row.query_selector(control) {
        // Fails only for a removed element.
        let _ = control.unchecked_ref::<HtmlElement>().focus();
    }
}

/// Uid of the booking whose details contain the focus.
fn focused_details(table: &HtmlElement, rows: &[Row]) -> Option<String> {
    let details = table.query_selector(".details-row:focus-within").ok()??;
    let index = index_of(&details.previous_element_sibling()?)?;
    Some(rows.get(index)?.booking.uid.0.clone())
}

/// Closes the details that contain the focus, which returns to their row. Forms, menus and dialogs in them handle
/// the key themselves. True if details were closed.
fn close_details(key: &KeyboardEvent, table: &HtmlElement, list: List) -> bool {
    let has_own_use = key.default_prevented() || is_in(key, "form, dialog, [role='dialog']");
    if has_own_use || !is_in(key, ".details-row") {
        return false;
    }
    let details = closest(key, ".details-row");
    let Some(row) = details.and_then(|details| details.previous_element_sibling()) else {
        return false;
    };
    let rows = list.rows.all();
    let Some(uid) = index_of(&row).and_then(|index| Some(rows.get(index)?.booking.uid.0.clone()))
    else {
        return false;
    };
    focus_in(&row, EXPAND_BUTTON);
    move_tab_stop(table, &row);
    list.table.collapse(&uid)
}

fn rows_in(table: &HtmlElement) -> Vec<Element> {
    let Ok(rows) = table.query_selector_all("[data-row]") else {
        return Vec::new();
    };
    let row = |index| Some(rows.item(index)?.unchecked_into());
    (0..rows.length()).filter_map(row).collect()
}

fn index_of(row: &Element) -> Option<usize> {
    row.get_attribute("data-row")?.parse().ok()
}

/// Row indices in display order, which differs while series are grouped.
fn order_of(table: &HtmlElement) -> Vec<usize> {
    rows_in(table).iter().filter_map(index_of).collect()
}

fn adjacent(table: &HtmlElement, row: &Element, step: isize) -> Option<Element> {
    let rows = rows_in(table);
    let index = rows.iter().position(|other| other == row)?;
    rows.get(index.checked_add_signed(step)?).cloned()
}

fn end_row(table: &HtmlElement, is_last: bool) -> Option<Element> {
    let rows = rows_in(table);
    let row = if is_last { rows.last() } else { rows.first() };
    row.cloned()
}

/// Makes `row` the Tab stop.
fn move_tab_stop(table: &HtmlElement, row: &Element) {
    let set = |element: &Element, selector: &str, tab_index: &str| {
        let Ok(controls) = element.query_selector_all(selector) else {
            return;
        };
        for index in 0..controls.length() {
            if let Some(control) = controls.item(index) {
                // Cannot fail: the name is a valid constant.
                let _ = control
                    .unchecked_ref::<Element>()
                    .set_attribute("tabindex", tab_index);
            }
        }
    };
    let selectors = [
        "[data-row] .booking-select input[tabindex='0']",
        "[data-row] .booking-open[tabindex='0']",
        "[data-row] .row-acts button[tabindex='0']",
    ];
    for selector in selectors {
        set(table, selector, "-1");
    }
    for control in [SELECT_BOX, EXPAND_BUTTON, ROW_ACTS] {
        set(row, control, "0");
    }
}
