//! Keeps the step of a flow for the next view of the element.

use std::any::Any;
use std::rc::Rc;

use booking_ui::prelude::*;

use super::outcome::OutcomeKind;
use super::state::{FlowState, KeptStep, Step};

/// Stores each step, until the view ends. The next view shows it if the page has set what starts the view again, such
/// as another session.
pub(super) fn keep_steps(flow: FlowState) {
    effect(move || {
        let context = flow.context();
        let step = kept_step(flow).map(|step| Rc::new(step) as Rc<dyn Any>);
        let config = context.current_config();
        context.kept_flow.keep(&config, context.event_type.id, step);
    });
}

/// The step, tracked; `None` for the first one, and while a request is on its way, as its result comes to this view.
fn kept_step(flow: FlowState) -> Option<KeptStep> {
    let step = flow.step.get();
    let rescheduling = flow.rescheduling.get();
    let is_cancelling = flow.history.is_cancelling.get();
    let config = flow.context().current_config();
    let is_kept = match &step {
        Step::Picker => rescheduling.is_some(),
        Step::Form | Step::Hidden => true,
        // A booking that the page names is read again.
        Step::Done(outcome) => {
            let is_named = config.booking_uid.is_some() || config.seat_uid.is_some();
            outcome.kind != OutcomeKind::Opened || is_cancelling || !is_named
        }
    };
    if !is_kept || flow.submit.is_busy.get() {
        return None;
    }
    let selection = flow.selection;
    let (slot, length) = (selection.picker.slot.get(), selection.length.get());
    let is_instant = selection.is_instant.get();
    let unknown_outcome = flow.submit.unknown_outcome.get();
    let unresolved = flow.submit.unresolved.get_value();
    let series = flow.series;
    let (count, changes) = (series.count.get(), series.changes.get());
    let (number, starts) = (series.number.get(), series.starts.get());
    let restore = move |flow: FlowState| {
        let selection = flow.selection;
        selection.length.set(length);
        selection.is_instant.set(is_instant);
        if let Some(slot) = &slot {
            let day = flow.locale.day_of(slot.start);
            selection.picker.show_day(day);
            selection.picker.slot.set(Some(slot.clone()));
        }
        flow.series.count.set(count);
        flow.series.changes.set(changes.clone());
        flow.series.number.set(number);
        flow.series.starts.set(starts.clone());
        flow.submit.unknown_outcome.set(unknown_outcome);
        flow.submit.unresolved.set_value(unresolved.clone());
        flow.rescheduling.set(rescheduling.clone());
        flow.history.is_cancelling.set(is_cancelling);
        flow.step.set(step.clone());
    };
    Some(KeptStep(Box::new(restore)))
}
