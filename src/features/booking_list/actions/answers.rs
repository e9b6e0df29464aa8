//! Answers to requests in their rows: shown at once, and sent some seconds later, in which they can be taken back. They
//! are sent at once when the page is left or hidden.

use std::rc::Rc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::DeclineBooking;

use super::super::state::action_state::model::ActionKind;
use super::super::state::action_state::{ActionResult, WaitingAnswer};
use super::context::ActionContext;
use super::labels::button_name;
use crate::client::operations::booking_actions::BookingAction;
use crate::components::{Shape, button, icon};
use crate::features::booking_list::state::list_state::List;
use crate::i18n::{Key, Translations};

/// Time in which an answer can be taken back.
const UNDO_TIME: Duration = Duration::from_secs(8);

/// Shows an answer and lets it wait. A second one for the same booking does nothing.
pub(super) fn answer(context: &ActionContext, kind: ActionKind) {
    let actions = context.list.actions;
    let is_answered =
        untrack(|| actions.is_busy(context.uid()) || actions.answer_of(context.uid()).is_some());
    if is_answered {
        return;
    }
    let text = context.text_of(answered_status(kind, context.list.context.texts));
    context.status_line.set_text(text.clone());
    let of = context.clone();
    let send = move |next| {
        let action = match kind {
            ActionKind::Confirm => BookingAction::Confirm,
            _ => BookingAction::Decline(DeclineBooking::default()),
        };
        of.perform_now(kind, action, None, next);
    };
    actions.add_answer(WaitingAnswer {
        uid: context.uid().to_owned(),
        kind,
        text,
        send: Rc::new(send),
        is_sent: false,
    });
}

/// Status that an answer leads to.
pub(super) fn answered_status(kind: ActionKind, texts: Translations) -> &'static str {
    texts.get(match kind {
        ActionKind::Confirm => Key::StatusAccepted,
        _ => Key::StatusRejected,
    })
}

/// Notices of the answers that wait. Sends them when the page is left or hidden, and when the list is removed.
pub(crate) fn answers(list: List) -> Node {
    let actions = list.actions;
    on_cleanup(move || actions.send_answers());
    listen_to(&window(), "pagehide", move |_| actions.send_answers());
    listen_to(&document(), "visibilitychange", move |_| {
        if document().hidden() {
            actions.send_answers();
        }
    });
    let notices = keyed(
        move || actions.answers(),
        |answer| [answer.uid.as_str(), button_name(answer.kind)].concat(),
        move |answer| notice(answer, list),
    );
    let failures = keyed(
        move || actions.failures(),
        |result| result.uid.clone(),
        move |result| failure_notice(result, list),
    );
    el("div").class("answers").child(failures).child(notices)
}

/// Notice of an answer that was not done, or may not have been done, and whose booking is not on the page.
fn failure_notice(result: ActionResult, list: List) -> Node {
    let texts = list.context.texts;
    let uid = result.uid;
    let close = button("button-quiet button-square", move || {
        list.actions.clear_result(&uid);
    });
    el("div")
        .class("answer answer-failed")
        .child(
            el("div")
                .child(el("p").child(result.notice))
                .child(el("p").child(result.title))
                .child(el("p").child(result.text)),
        )
        .child(
            close
                .attr("aria-label", texts.get(Key::Close))
                .child(icon(Shape::Close)),
        )
}

/// Notice of an answer. The time stands still while the pointer or the focus is on it.
fn notice(answer: WaitingAnswer, list: List) -> Node {
    let (actions, texts) = (list.actions, list.context.texts);
    let notice = el("div").class("answer").attr("part", "undo");
    let element = notice.element();
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        if let Some(timer) = timer.try_update_value(Option::take).flatten() {
            timer.clear();
        }
    };
    let uid = answer.uid.clone();
    let start = move || {
        stop();
        let uid = uid.clone();
        let send = move || {
            actions.send_answer(&uid, None);
        };
        timer.set_value(set_timeout_with_handle(send, UNDO_TIME).ok());
    };
    start();
    on_cleanup(stop);
    let restart = move || {
        // Cannot fail: the selector is a valid constant.
        if !element.matches(":hover, :focus-within").unwrap_or_default() {
            start();
        }
    };
    let (undone, sent) = (answer.uid.clone(), answer.uid);
    let undo = button("text-button", move || {
        actions.undo_answer(&undone);
    });
    let close = button("button-quiet button-square", move || {
        actions.send_answer(&sent, None);
    });
    notice
        .on("pointerenter", move |_| stop())
        .on("focusin", move |_| stop())
        .on("pointerleave", {
            let restart = restart.clone();
            move |_| restart()
        })
        .on("focusout", move |_| {
            let restart = restart.clone();
            // After the focus is on its next element.
            request_animation_frame(restart);
        })
        .child(el("p").child(answer.text))
        .child(undo.child(texts.get(Key::Undo)))
        .child(
            close
                .attr("aria-label", texts.get(Key::Close))
                .child(icon(Shape::Close)),
        )
}
