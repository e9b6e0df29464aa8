//! Notices beside the slots: a reschedule, a lost slot with nearby ones, and the service's own page.

use booking_wire::Slot;

use super::model::nearest;
use super::{Flow, Step, series_dates};
use crate::components::{Shape, button, icon, live_region};
use crate::element::booking_events::BookingEvent;
use crate::features::shared::error_notice::notice;
use crate::features::shared::location::web_host;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of};

/// Old start while rescheduling, with a button to keep it; or a button to meet at once.
pub(super) fn beside_times(flow: Flow) -> Node {
    let texts = flow.texts;
    if let Some(moving) = flow.moved.get_untracked() {
        let start = moving.booking.start;
        let old = el("s")
            .class("lost")
            .text_with(move || series_dates::written(flow, start));
        let keep = move || {
            let uid = moving.booking.uid.0.clone();
            if !flow.world().page.emit(&BookingEvent::BookingKept { uid }) {
                return;
            }
            let ending = super::FlowOutcome {
                bookings: vec![moving.booking.clone()],
                seat_uid: moving.seat_uid.clone(),
                how: super::outcome::OutcomeKind::Opened,
                was: None,
            };
            flow.moved.set(None);
            flow.step.set(Step::Done(std::sync::Arc::new(ending)));
        };
        return el("div")
            .class("moving")
            .attr("part", "old-time")
            .child(
                el("span")
                    .class("moving-title")
                    .child(texts.get(Key::OldTime)),
            )
            .child(old)
            .child(button("button", keep).child(texts.get(Key::KeepTime)));
    }
    if !flow.world().event_type.is_instant {
        return fragment();
    }
    let meet = move || {
        flow.choice.slot.set(Some(Slot {
            start: crate::element::settings::use_clock().now(),
            seats_remaining: None,
            seats_booked: None,
        }));
        flow.is_instant.set(true);
        flow.setback.set(None);
        flow.step.set(Step::Fill);
    };
    button("button meet-now", meet)
        .attr("part", "meet-now")
        .child(icon(Shape::Person))
        .child(texts.get(Key::MeetNow))
}

/// Notice of a lost slot, with the nearest free ones: one click leads back to the form.
pub(super) fn notice_of(flow: Flow) -> Node {
    let Some(setback) = flow.setback.get() else {
        return fragment();
    };
    let texts = flow.texts;
    let near = move || {
        let lost = flow.lost.get()?;
        // The visible response is older than the loss until the slots have been reloaded.
        let is_old = flow.slots.is_busy().get();
        let days = flow.slots.signal().get();
        let found = nearest(days.ready().filter(|_| !is_old)?, lost);
        let buttons = found.into_iter().map(|slot| {
            let start = slot.start;
            button("button", move || flow.picked(slot.clone()))
                .attr("part", "alternative")
                .text_with(move || series_dates::written(flow, start))
        });
        Some(
            el("div")
                .class("notice-actions")
                .attr("role", "group")
                .attr("aria-label", texts.get(Key::NearTimes))
                .child(fragment_of(buttons)),
        )
    };
    let said = move || {
        let lost = flow.lost.get();
        let time = lost.map(|start| flow.settings.time(flow.formats, start));
        time.map(|time| texts.fill(Key::TimeGone, &[("time", &time)]))
            .unwrap_or_default()
    };
    let gone = flow.lost.get().map(|start| {
        el("p").class("notice-text").child(
            el("s")
                .class("lost")
                .child(series_dates::written(flow, start)),
        )
    });
    notice(Shape::Alert, &setback.title, &setback.text)
        .child(gone)
        .child_with(near)
        .child(live_region(said))
}

/// Link to the service's own page, if there is one.
pub(super) fn own_page_link(url: &str, class: &str, texts: Translations) -> Option<Node> {
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
pub(super) fn own_page(flow: Flow) -> Node {
    let texts = flow.texts;
    let world = flow.world();
    let url = &world.event_type.booking_url;
    let link = own_page_link(url, "button-primary", texts);
    let notice = notice(
        Shape::Lock,
        texts.get(Key::OwnPageTitle),
        texts.get(Key::OwnPageText),
    );
    el("div").class("own-page").child(notice.child(link))
}
