//! Effects of the slot picker: page events, and reactions to new slots.

use booking_ui::prelude::*;

use super::model::VisibleDays;
use super::picker_state::PickerState;
use crate::client::query::Load;
use crate::components::use_status_line;
use crate::i18n::{Key, use_formats, use_texts};
use crate::page::picker_events::PickerEvent;
use crate::page::settings::use_settings;

/// Brings the first slots into view. They may be in a later week, as on the last day of one, or in a later month, as with
/// a long minimum notice.
pub(super) fn open_at_first_slots(state: PickerState, visible: Signal<VisibleDays>) {
    effect(move || {
        if !state.is_opening.get() {
            return;
        }
        let visible = visible.get();
        let later = state.slots.signal().with(|response| {
            let days = response.ready()?;
            match visible.first_later(days) {
                None if visible.is_empty(days) => match state.next_available_day() {
                    Load::Pending => None,
                    Load::Ready(day) => Some(day),
                    Load::Failed(_) => Some(None),
                },
                later => Some(later),
            }
        });
        match later {
            None => {}
            Some(None) => state.is_opening.set(false),
            Some(Some(day)) => state.skip_to(visible.from_day(day)),
        }
    });
}

/// Notifies the page of changes.
pub(super) fn emit_events(
    state: PickerState,
    visible: Signal<VisibleDays>,
    on_event: Callback<PickerEvent>,
) {
    let settings = use_settings();
    let mut before = None;
    effect(move || {
        let span = visible.get().in_view();
        if before.replace(span).is_some_and(|before| before != span) {
            on_event.run(PickerEvent::RangeChanged {
                from: span.first,
                to: span.last,
            });
        }
    });
    effect(move || {
        let count = state.slots.signal().with(|response| {
            let days = response.ready()?;
            Some(days.0.iter().map(|(_, slots)| slots.len()).sum::<usize>())
        });
        let queried = visible.get_untracked().queried_days();
        match count {
            None => {}
            Some(0) => on_event.run(PickerEvent::NoSlots {
                from: queried.first,
                to: queried.last,
            }),
            Some(count) => on_event.run(PickerEvent::SlotsLoaded { count }),
        }
    });
    let mut before = None;
    effect(move || {
        let now = (settings.zone.get(), settings.uses_12_hours.get());
        let Some((zone, uses_12_hours)) = before.replace(now.clone()) else {
            return;
        };
        if zone != now.0 {
            on_event.run(PickerEvent::ZoneChanged(now.0));
        }
        if uses_12_hours != now.1 {
            on_event.run(PickerEvent::HourCycleChanged {
                uses_12_hours: now.1,
            });
        }
    });
}

/// Clears and announces a selected slot that a newer response no longer contains.
pub(super) fn drop_unavailable_selection(state: PickerState, visible: Signal<VisibleDays>) {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let line = use_status_line();
    effect(move || {
        let unavailable = state.slots.signal().with(|response| {
            let (days, slot) = response.ready().zip(state.slot.get_untracked())?;
            let day = settings
                .zone
                .with_untracked(|zone| formats.day_of(slot.start, zone));
            let is_queried = visible.get_untracked().queried_days().contains(day);
            let is_there = days.on(day).iter().any(|free| free.start == slot.start);
            (is_queried && !is_there).then_some(slot)
        });
        if let Some(slot) = unavailable {
            let time = untrack(|| settings.time(formats, slot.start));
            state.slot.set(None);
            line.set_text(texts.fill(Key::TimeGone, &[("time", &time)]));
        }
    });
}
