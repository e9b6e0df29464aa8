//! Swipes over the times of a day, which show the next or previous day that has times.

use std::cell::Cell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::Layout;
use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, MouseEvent};

use super::super::state::{FlowState, Step};
use crate::client::query::Load;
use crate::page::picker_events::PickerEvent;
use crate::time::CivilDate;

/// Shortest way of a swipe in CSS pixels.
const MIN_WAY: i32 = 56;

/// Follows swipes over the times in `card`. The style sheet leaves the browser only vertical movements there.
pub(crate) fn follow_swipes(flow: FlowState, card: &HtmlElement) {
    let start = Rc::new(Cell::new(None));
    let began = Rc::clone(&start);
    listen_to(card, "pointerdown", move |event| {
        began.set(touched_times(&event).map(|_| position(&event)));
    });
    let card_element = card.clone();
    listen_to(card, "pointerup", move |event| {
        let Some((x, y)) = start.take() else {
            return;
        };
        let (end_x, end_y) = position(&event);
        let (way_x, way_y) = (end_x - x, end_y - y);
        if way_x.abs() >= MIN_WAY && way_x.abs() > 2 * way_y.abs() {
            let is_forward = (way_x < 0) != is_right_to_left(&card_element);
            show_adjacent_day(flow, is_forward);
        }
    });
}

/// The times of a day, if a finger has touched them.
fn touched_times(event: &Event) -> Option<Element> {
    let kind = Reflect::get(event, &"pointerType".into()).ok()?;
    let target: Element = event.target()?.dyn_into().ok()?;
    let is_touch = kind.as_string().as_deref() == Some("touch");
    target.closest(".picker-times").ok()?.filter(|_| is_touch)
}

fn position(event: &Event) -> (i32, i32) {
    let event: &MouseEvent = event.unchecked_ref();
    (event.client_x(), event.client_y())
}

fn is_right_to_left(card: &HtmlElement) -> bool {
    let style = window().get_computed_style(card).ok().flatten();
    let direction = style.and_then(|style| style.get_property_value("direction").ok());
    direction.as_deref() == Some("rtl")
}

/// Shows the day with times after or before the one that is shown, as far as they are loaded.
fn show_adjacent_day(flow: FlowState, is_forward: bool) {
    let picker = flow.selection.picker;
    let is_month = picker.layout() == Layout::Month;
    if !is_month
        || !flow
            .step
            .with_untracked(|step| matches!(step, Step::Picker))
    {
        return;
    }
    let Some(day) = adjacent_day(flow, is_forward) else {
        return;
    };
    picker.show_day(day);
    let zone = flow.locale.settings.zone.get_untracked();
    let event = PickerEvent::DateSelected { date: day, zone };
    // The event has no default action that the page could prevent.
    let _ = flow.context().page.emit(&event);
}

fn adjacent_day(flow: FlowState, is_forward: bool) -> Option<CivilDate> {
    let picker = flow.selection.picker;
    let response = picker.slots.signal();
    response.with_untracked(|response| {
        let Load::Ready(days) = response else {
            return None;
        };
        let mut days = days.0.iter().filter(|(_, slots)| !slots.is_empty());
        let shown = picker.day.get_untracked();
        let shown = shown.or_else(|| days.clone().next().map(|(day, _)| *day))?;
        let found = match is_forward {
            true => days.find(|(day, _)| *day > shown),
            false => days.rfind(|(day, _)| *day < shown),
        };
        found.map(|(day, _)| *day)
    })
}
