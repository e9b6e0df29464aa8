//! Confirm and Decline in the row of a pending booking.

use std::rc::Rc;

use booking_wire::Booking;
use leptos::prelude::untrack;

use super::super::action_state::model::{ActionKind, allows};
use super::context::{ActionContext, action_facts};
use super::labels::{action_label, button_name};
use crate::client::booking_actions::BookingAction;
use crate::components::{button, use_status_line};
use crate::element::settings::use_clock;
use crate::features::booking_list::formatting::booking_title;
use crate::features::booking_list::list_state::List;
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment, fragment_of};

/// First field of a form in the details.
const FORM_FIELD: &str = ".act-form :is(input, select, textarea)";

/// Buttons of the answers that `booking` allows. Confirming needs no form; declining opens its form in the
/// details, where results are shown.
pub(crate) fn row_actions(booking: &Rc<Booking>, list: List, is_tab_stop: bool) -> Node {
    let facts = action_facts(booking, list.context, use_clock().now());
    let mut kinds = vec![ActionKind::Confirm, ActionKind::Decline];
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
    let tab_index = if is_tab_stop { "0" } else { "-1" };
    let buttons = kinds
        .into_iter()
        .map(|kind| row_button(kind, &context).attr("tabindex", tab_index));
    bar.child(fragment_of(buttons))
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
        if kind == ActionKind::Confirm {
            // The form of another booking stays open.
            if untrack(|| actions.open_action(context.uid())).is_some() {
                actions.close();
            }
            return context.perform(kind, BookingAction::Confirm, None);
        }
        if untrack(|| actions.is_busy(context.uid())) {
            return;
        }
        context.list.table.expand(context.uid());
        if !actions.is_open(context.uid(), kind) {
            actions.open(context.uid(), kind);
        }
        context.restore_focus(Some(FORM_FIELD.to_owned()));
    };
    let busy_uid = uid.clone();
    let button = button("button row-act", press)
        .attr("data-act", button_name(kind))
        .attr("aria-label", &name)
        .flag_with("aria-disabled", move || actions.is_busy(&busy_uid))
        .child(label);
    if kind == ActionKind::Confirm {
        return button.flag_with("aria-busy", move || actions.is_busy(&uid));
    }
    button
}
