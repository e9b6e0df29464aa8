//! Notices beside the slots: a reschedule, a lost slot with nearby ones, and the service's own page.

use booking_ui::prelude::*;
use booking_wire::Slot;

use super::existing::reread::follow_changes;
use super::state::nearest_slots::nearest_slots;
use super::state::{FlowState, Step};
use crate::components::{Shape, button, heading, icon, live_region};
use crate::features::shared::error_notice::notice;
use crate::features::shared::location::web_host;
use crate::i18n::{Key, Translations};
use crate::page::booking_events::BookingEvent;
use crate::page::settings::use_clock;

/// Task and current start while rescheduling, with a button to keep it; or a button to meet at once.
pub(super) fn picker_aside(flow: FlowState) -> Node {
    let texts = flow.locale.texts;
    if let Some(old) = flow.rescheduling.get_untracked() {
        follow_changes(flow);
        let start = old.booking.start;
        let old_start = el("span")
            .class("moving-time")
            .text_with(move || flow.locale.date_time(start));
        let keep = move || {
            let uid = old.booking.uid.0.clone();
            if !flow.context().page.emit(&BookingEvent::BookingKept { uid }) {
                return;
            }
            let outcome = old.outcome();
            flow.rescheduling.set(None);
            flow.show_booking(outcome, false);
        };
        return el("div")
            .class("moving")
            .attr("part", "old-time")
            .child(
                heading(1)
                    .class("moving-task")
                    .attr("tabindex", "-1")
                    .child(texts.get(Key::ChooseNewTime)),
            )
            .child(
                el("span")
                    .class("moving-title")
                    .child(texts.get(Key::OldTime)),
            )
            .child(old_start)
            .child(button("button", keep).child(texts.get(Key::KeepTime)));
    }
    if !flow.context().event_type.is_instant {
        return fragment();
    }
    let start_now = move || {
        flow.selection
            .picker
            .slot
            .set(Some(Slot::new(use_clock().now())));
        flow.selection.is_instant.set(true);
        flow.submit.error.set(None);
        flow.step.set(Step::Form);
    };
    button("button meet-now", start_now)
        .attr("part", "meet-now")
        .child(icon(Shape::Person))
        .child(texts.get(Key::MeetNow))
}

/// Notice of a lost slot, with the nearest free ones: one click leads back to the form.
pub(super) fn lost_slot_notice(flow: FlowState) -> Node {
    let Some(error) = flow.submit.error.get() else {
        return fragment();
    };
    let texts = flow.locale.texts;
    let alternatives = move || {
        let lost_slot = flow.submit.lost_slot.get()?;
        // The visible response is older than the loss until the slots have been reloaded.
        let is_old = flow.selection.picker.slots.is_busy().get();
        let days = flow.selection.picker.slots.signal().get();
        let found = nearest_slots(days.ready().filter(|_| !is_old)?, lost_slot);
        let buttons = found.into_iter().map(|slot| {
            let start = slot.start;
            button("button", move || flow.select_slot(slot.clone()))
                .attr("part", "alternative")
                .text_with(move || flow.locale.brief_date_time(start))
        });
        Some(
            el("div")
                .class("notice-actions")
                .attr("role", "group")
                .attr("aria-label", texts.get(Key::NearTimes))
                .child(fragment_of(buttons)),
        )
    };
    let announcement = move || {
        let lost_slot = flow.submit.lost_slot.get();
        let time = lost_slot.map(|start| flow.locale.settings.time(flow.locale.formats, start));
        time.map(|time| texts.fill(Key::TimeGone, &[("time", &time)]))
            .unwrap_or_default()
    };
    let lost_start = flow.submit.lost_slot.get().map(|start| {
        el("p").class("notice-text").child(
            el("s")
                .class("lost")
                .child(flow.locale.brief_date_time(start)),
        )
    });
    notice(Shape::Alert, &error.title, &error.text)
        .child(lost_start)
        .child_with(alternatives)
        .child(live_region(announcement))
}

/// Link to the service's own page, if there is one.
pub(super) fn booking_page_link(url: &str, class: &str, texts: Translations) -> Option<Node> {
    let host = web_host(url)?;
    let link = el("a")
        .class(class)
        .attr("href", url)
        .attr("target", "_blank")
        .attr("rel", "noopener noreferrer")
        .child(texts.fill(Key::GoOnAt, &[("host", host)]));
    Some(link)
}

/// Notice that booking needs the service's own page.
pub(super) fn booking_page_notice(flow: FlowState) -> Node {
    let texts = flow.locale.texts;
    let context = flow.context();
    let url = &context.event_type.booking_url;
    let link = booking_page_link(url, "button-primary", texts);
    let notice = notice(
        Shape::Lock,
        texts.get(Key::OwnPageTitle),
        texts.get(Key::OwnPageText),
    );
    el("div").class("own-page").child(notice.child(link))
}
