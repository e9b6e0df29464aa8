//! Actions of a booking in its details: buttons for those that it allows, the open form and the last result.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::Booking;

use super::super::state::action_state::ActionResult;
use super::super::state::action_state::model::{ActionKind, allowed};
use super::context::{ActionContext, action_facts};
use super::forms::{action_form, undo_button};
use super::labels::{action_label, button_name};
use super::reschedule::{Rescheduler, reschedule_dialog};
use crate::client::operations::booking_actions::BookingAction;
use crate::components::focus::focus_first_soon;
use crate::components::{button, use_status_line};
use crate::features::booking_list::state::list_state::List;
use crate::i18n::Key;
use crate::page::settings::use_clock;

/// Number of actions whose buttons may stand out.
const PROMINENT: usize = 2;

/// Actions that `booking` allows, the form of the open one and the result of the last one.
pub(crate) fn actions_panel(booking: &Booking, list: List) -> Node {
    let texts = list.context.texts;
    let actions = list.actions;
    let booking = Rc::new(booking.clone());
    let uid = booking.uid.0.clone();
    let rescheduler = use_context::<Rescheduler>();
    let facts = action_facts(&booking, list.context, use_clock().now());
    let mut kinds = allowed(&booking, facts);
    kinds.retain(|kind| *kind != ActionKind::Reschedule || rescheduler.is_some());

    let panel = el("div")
        .class("acts")
        .attr("part", "actions")
        .attr("role", "group")
        .attr("aria-label", texts.get(Key::Acts))
        .attr("tabindex", "-1")
        .attr("data-acts", &uid);
    let context = ActionContext {
        list,
        booking: booking.clone(),
        panel: panel.element(),
        status_line: use_status_line(),
    };
    let buttons = kinds.iter().enumerate().map(|(index, kind)| {
        let class = button_class(*kind, index < PROMINENT);
        action_button(*kind, class, &context)
    });
    let buttons =
        (!kinds.is_empty()).then(|| el("div").class("acts-row").child(fragment_of(buttons)));
    // Below the form, whose controls stay where they are. The form of absences has its own place for a success.
    let result = {
        let context = context.clone();
        move || {
            let result = actions.result(context.uid())?;
            let is_in_form = result.is_success
                && actions.open_action(context.uid()) == Some(ActionKind::MarkAbsent);
            (!is_in_form).then(|| result_view(&result, &context))
        }
    };
    let form = move || {
        let kind = actions.open_action(&uid)?;
        // It may have become impossible since.
        kinds.contains(&kind).then(|| match kind {
            ActionKind::Reschedule if actions.draft.can_pick_time(&context.booking) => {
                reschedule_dialog(&context, rescheduler.clone())
            }
            _ => action_form(kind, &context),
        })
    };
    panel
        .child(buttons)
        .child(fragment().child_with(form))
        .child(fragment().child_with(result))
}

/// Class of an action's button. Only answers, absences and a new time stand out; `is_first` if the action is
/// among the first of the booking.
fn button_class(kind: ActionKind, is_first: bool) -> &'static str {
    match kind {
        ActionKind::Confirm => "button-primary act",
        ActionKind::Decline | ActionKind::MarkAbsent | ActionKind::Reschedule if is_first => {
            "button act"
        }
        ActionKind::Cancel => "button-quiet act act-cancel",
        _ => "button-quiet act",
    }
}

/// Button of an action. Confirming needs no form; all others open one.
fn action_button(kind: ActionKind, class: &'static str, context: &ActionContext) -> Node {
    let texts = context.list.context.texts;
    let actions = context.list.actions;
    let uid = context.uid().to_owned();
    let action_context = context.clone();
    let press = move || {
        let context = &action_context;
        if kind == ActionKind::Confirm {
            actions.close();
            return context.perform(kind, BookingAction::Confirm, None);
        }
        if actions.is_open(context.uid(), kind) {
            return context.close_form(kind);
        }
        actions.open(context.uid(), kind);
        // A dialog takes the focus itself.
        let first = ".act-form :is(input, select, textarea)";
        focus_first_soon(context.panel.clone(), first);
    };
    let button = button(class, press)
        .attr("data-act", button_name(kind))
        .child(action_label(kind, texts));
    if kind == ActionKind::Confirm {
        let busy_uid = uid.clone();
        return button
            .flag_with("aria-disabled", move || actions.is_busy(&busy_uid))
            .flag_with("aria-busy", move || actions.is_busy(&uid));
    }
    if kind == ActionKind::Reschedule && !context.booking.is_seated() {
        return button.attr("aria-haspopup", "dialog");
    }
    button.attr_with("aria-expanded", move || {
        Some((actions.open_action(&uid) == Some(kind)).to_string())
    })
}

fn result_view(result: &ActionResult, context: &ActionContext) -> Node {
    let class = if result.is_success {
        "acts-said acts-done"
    } else {
        "acts-said"
    };
    let text = (!result.text.is_empty()).then(|| el("p").child(result.text.as_str()));
    el("div")
        .class(class)
        .attr("part", "result")
        .child(el("p").class("acts-title").child(result.title.as_str()))
        .child(text)
        .child(undo_button(result, context))
        .child(check_button(result, context))
}

/// Button that looks at the booking again if the result is unknown.
fn check_button(result: &ActionResult, context: &ActionContext) -> Option<Node> {
    let unknown = result.unknown.clone()?;
    let label = context.list.context.texts.get(Key::LookAgain);
    let context = context.clone();
    Some(button("text-button", move || context.check_again(unknown.clone())).child(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_first_actions_stand_out() {
        let classes = |kinds: &[ActionKind]| {
            let class = |(index, kind): (usize, &ActionKind)| {
                button_class(*kind, index < PROMINENT).starts_with("button-quiet")
            };
            kinds.iter().enumerate().map(class).collect::<Vec<_>>()
        };
        use ActionKind::{AddGuests, Cancel, Confirm, Decline, MarkAbsent, Relocate, Reschedule};
        let pending = [Confirm, Decline, Reschedule, Relocate, Cancel];
        assert_eq!(classes(&pending), [false, false, true, true, true]);
        let upcoming = [Reschedule, Relocate, AddGuests, Cancel];
        assert_eq!(classes(&upcoming), [false, true, true, true]);
        assert_eq!(classes(&[MarkAbsent]), [false]);
        assert_eq!(classes(&[Cancel]), [true]);
    }
}
