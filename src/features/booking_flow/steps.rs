//! Card of the flow with its current step. The slot picker is part of it, later steps are in the chunk.

pub(super) mod skeleton;
pub(super) mod summary;
pub(super) mod swipe;

use std::cell::Cell;
use std::rc::Rc;

use booking_ui::prelude::*;

use super::chunk_exports::{ChunkExports, RareChunks};
use super::state::{FlowState, Step};
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button, icon, live_region};
use crate::features::shared::event_type_summary::with_colors;
use crate::features::shared::lazy_view::lazy_view;
use crate::features::slot_picker::SlotPicker;
use crate::i18n::{Key, localized};
use crate::page::commands::{PickerCommand, PickerCommands};
use crate::time::Instant;
use summary::step_summary;

/// Fetches the chunk once the first slots are known, and then prepares the form.
pub(super) fn prepare_after_slots(flow: FlowState, chunk: LazyChunk<ChunkExports>) {
    let response = flow.selection.picker.slots.signal();
    let is_ready = move || response.with(|response| response.ready().is_some());
    effect(move || {
        if is_ready() {
            chunk.fetch();
        }
    });
    let is_prepared = Cell::new(false);
    effect(move || {
        if is_ready()
            && let Some(exports) = chunk.exports()
            && !is_prepared.replace(true)
        {
            (exports.prepare_form)(flow);
        }
    });
}

/// Carries out the page's commands.
pub(super) fn handle_commands(flow: FlowState) {
    let Some(PickerCommands(commands)) = use_context() else {
        return;
    };
    let picker = flow.selection.picker;
    effect(move || match commands.get() {
        Some(PickerCommand::Refresh) => picker.slots.reload(),
        Some(PickerCommand::GoTo(day)) => picker.show_day(day),
        Some(PickerCommand::Select(start)) => {
            let day = flow.locale.day_of(start);
            let response = picker.slots.signal();
            let slot = response.with_untracked(|response| {
                let slots = response.ready()?.on(day);
                slots.iter().find(|slot| slot.start == start).cloned()
            });
            if let Some(slot) = slot {
                flow.select_slot(slot);
            }
        }
        None => {}
    });
}

/// Card with the current step.
pub(super) fn flow_card(flow: FlowState, chunk: LazyChunk<ChunkExports>) -> Node {
    let texts = flow.locale.texts;
    let class = move || {
        let class = flow.step.with(|step| match step {
            Step::Picker => "card flow flow-pick",
            Step::Form => "card flow flow-fill",
            Step::Done(_) => "card flow flow-done",
            Step::Hidden => "card flow flow-gone",
        });
        Some(class.to_owned())
    };
    let card = el("div");
    let element = card.element();
    let around = element.clone();
    effect(move || {
        if let Some(exports) = chunk.exports() {
            (exports.accompany)(flow, &around);
        }
    });
    let was_later_step = Cell::new(false);
    let body = move || match flow.step.get() {
        Step::Picker => {
            // Back from a later step: focus returns to the selection, since the focused element was removed.
            if was_later_step.replace(false) {
                focus_first_soon(element.clone(), focus_target(flow));
            }
            localized(move || picker_step(flow, chunk))
        }
        step => {
            was_later_step.set(true);
            later_step(flow, chunk, step)
        }
    };
    let status_text = move || {
        let is_form =
            flow.step.with(|step| matches!(step, Step::Form)) && !flow.series.is_open.get();
        let text = is_form.then(|| texts.get(Key::YourDetails));
        text.unwrap_or_default().to_owned()
    };
    with_colors(card, &flow.context().event_type)
        .attr("part", "card")
        .attr_with("class", class)
        .child_with(body)
        .child(localized(move || live_region(status_text)))
        .child(history_steps(flow, chunk))
}

/// Selector of the element that takes the focus when the slots are shown after a later step.
fn focus_target(flow: FlowState) -> &'static str {
    let picker = flow.selection.picker;
    if picker.slot.with_untracked(Option::is_some) {
        ".time-continue"
    } else if flow.is_rescheduling() {
        ".moving-task"
    } else if picker.slots.is_busy().get_untracked() {
        // New slots replace the title above the times.
        ".picker-title"
    } else {
        ".times-title"
    }
}

/// Connects the flow with the history of the page, once the chunk for that is there. It is fetched with `chunk`.
fn history_steps(flow: FlowState, chunk: LazyChunk<ChunkExports>) -> Option<Node> {
    flow.history.steps?;
    let history = LazyChunk::new(use_context::<RareChunks>()?.history);
    effect(move || {
        // A failed download is repeated at the next step.
        flow.step.with(|_| ());
        if !matches!(chunk.state().get(), ChunkState::Idle) {
            history.fetch();
        }
    });
    let follow = move || {
        if let Some(exports) = history.exports() {
            (exports.follow_history)(flow);
        }
        fragment()
    };
    Some(fragment().child_with(follow))
}

fn later_step(flow: FlowState, chunk: LazyChunk<ChunkExports>, step: Step) -> Node {
    match step {
        Step::Picker | Step::Hidden => fragment(),
        Step::Form => lazy_step(flow, chunk, move |exports| (exports.form_step)(flow)),
        Step::Done(outcome) => lazy_step(flow, chunk, move |exports| {
            (exports.booking_view)(flow, &outcome)
        }),
    }
}

/// A later step. While its chunk is loading or has failed, the summary and a button back are shown beside
/// the status.
fn lazy_step(
    flow: FlowState,
    chunk: LazyChunk<ChunkExports>,
    view: impl Fn(&'static ChunkExports) -> Node + 'static,
) -> Node {
    let around = move |content| {
        let back = button("button-quiet", move || flow.step.set(Step::Picker))
            .child(icon(Shape::Back))
            .child(flow.locale.texts.get(Key::ChangeTime));
        let form = el("div").class("flow-form").child(back).child(content);
        fragment()
            .child(step_summary(flow, false, fragment(), fragment()))
            .child(form)
    };
    lazy_view(chunk, around, view)
}

fn picker_step(flow: FlowState, chunk: LazyChunk<ChunkExports>) -> Node {
    let context = flow.context();
    // No skeleton: these notices are rare, or follow an attempt to book.
    let lazy_notice = move |view: fn(&'static ChunkExports) -> fn(FlowState) -> Node| {
        lazy_view(chunk, |_| fragment(), move |exports| view(exports)(flow))
    };
    if context.event_type.requires_booking_page {
        let notice = lazy_notice(|exports| exports.booking_page_notice);
        return fragment()
            .child(step_summary(flow, true, fragment(), fragment()))
            .child(notice);
    }
    let page = context.page.clone();
    let picker = view! {
        <SlotPicker
            state=flow.selection.picker
            options=context.options.clone()
            zone_chooser=Rc::new(move |is_open, instant| zone_chooser(chunk, is_open, instant))
            on_event=move |event| {
                page.emit(&event);
            }
            on_pick=move |slot| flow.select_slot(slot)
        />
    };
    let has_aside = context.event_type.is_instant || flow.is_rescheduling();
    let aside = has_aside.then(|| lazy_notice(|exports| exports.picker_aside));
    let error = flow.submit.error;
    let has_error = move || error.with(Option::is_some);
    let notice = move || has_error().then(|| lazy_notice(|exports| exports.lost_slot_notice));
    fragment()
        .child(step_summary(
            flow,
            true,
            fragment(),
            fragment().child(aside),
        ))
        .child_with(notice)
        .child(picker)
}

/// List of all time zones.
fn zone_chooser(chunk: LazyChunk<ChunkExports>, is_open: RwSignal<bool>, instant: Instant) -> Node {
    let around = |content| el("div").class("zone-chooser").child(content);
    let chunks = use_context::<RareChunks>();
    let zones = chunks.map(|chunks| LazyChunk::new(chunks.zones));
    // The styles are in the other chunk.
    lazy_view(chunk, around, move |_| match zones {
        Some(zones) => lazy_view(zones, around, move |exports| {
            (exports.zone_chooser)(is_open, instant)
        }),
        None => fragment(),
    })
}
