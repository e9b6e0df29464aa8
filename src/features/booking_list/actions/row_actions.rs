//! Confirm and Decline in the row of a pending booking.

use std::cell::Cell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::Booking;
use wasm_bindgen::JsCast;

use super::super::state::action_state::model::{ActionKind, allows};
use super::answers::{answer, answered_status};
use super::context::{ActionContext, action_facts};
use super::labels::{action_label, button_name};
use crate::components::focus::focus_first_soon;
use crate::components::{button, use_status_line};
use crate::features::booking_list::formatting::booking_title;
use crate::features::booking_list::state::list_state::List;
use crate::i18n::Key;
use crate::page::settings::use_clock;

/// Buttons of the answers that `booking` allows, or the status of an answer that is not sent yet. To give a reason,
/// a host declines in the details.
pub(crate) fn row_actions(booking: &Rc<Booking>, list: List, is_tab_stop: bool) -> Node {
    let facts = action_facts(booking, list.context, use_clock().now());
    let mut kinds = vec![ActionKind::Decline, ActionKind::Confirm];
    kinds.retain(|kind| allows(*kind, booking, facts));
    if kinds.is_empty() {
        return fragment();
    }
    let bar = el("div").class("row-acts");
    let context = ActionContext {
        list,
        booking: Rc::clone(booking),
        panel: bar.element(),
        status_line: use_status_line(),
    };
    let (texts, actions) = (list.context.texts, list.actions);
    let uid = context.uid().to_owned();
    let answer = Signal::memo(move || actions.answer_of(&uid));
    // The tab stop may have moved until an answer is taken back.
    let row = bar.element();
    let is_first = Cell::new(true);
    let content = move || {
        if let Some(kind) = answer.get() {
            return el("span")
                .class("badge")
                .child(answered_status(kind, texts));
        }
        let is_stop = match is_first.replace(false) {
            true => is_tab_stop,
            false => matches!(row.closest("tr:has([tabindex='0'])"), Ok(Some(_))),
        };
        let tab_index = if is_stop { "0" } else { "-1" };
        let buttons = kinds
            .iter()
            .map(|kind| row_button(*kind, &context).attr("tabindex", tab_index));
        fragment_of(buttons)
    };
    bar.child_with(content)
}

fn row_button(kind: ActionKind, context: &ActionContext) -> Node {
    let texts = context.list.context.texts;
    let actions = context.list.actions;
    let label = action_label(kind, texts);
    let title = booking_title(&context.booking, texts);
    let name = texts.fill(Key::ActOnBooking, &[("act", label), ("title", title)]);
    let uid = context.uid().to_owned();
    let context = context.clone();
    let press = move || {
        // The form of another booking stays open.
        if untrack(|| actions.open_action(context.uid())).is_some() {
            actions.close();
        }
        let row = context.panel.closest("tr").ok().flatten();
        answer(&context, kind);
        // The button is gone.
        if let Some(row) = row {
            focus_first_soon(row.unchecked_into(), ".booking-open");
        }
    };
    let busy_uid = uid.clone();
    let class = match kind {
        ActionKind::Confirm => "button row-act row-act-main",
        _ => "button row-act",
    };
    let button = button(class, press)
        .attr("data-act", button_name(kind))
        .attr("aria-label", &name)
        .flag_with("aria-disabled", move || actions.is_busy(&busy_uid))
        .child(label);
    if kind == ActionKind::Confirm {
        return button.flag_with("aria-busy", move || actions.is_busy(&uid));
    }
    button
}
