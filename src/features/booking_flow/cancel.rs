//! Form and request that cancel a booking.

use std::sync::Arc;

use booking_wire::{BookingStatus, CancelBooking, PublicBooking, PublicBookings};
use leptos::task::spawn_local;

use super::outcome::{FlowOutcome, OutcomeKind};
use super::page_hooks::Question as Hook;
use super::reason::Reason;
use super::submit::{named, reason_of};
use super::{Flow, Step};
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::focus::focus_soon;
use crate::components::{Shape, button, heading};
use crate::element::booking_events::BookingEvent;
use crate::element::events::HookResponse;
use crate::features::shared::error_notice::{notice, service_text, words};
use crate::features::shared::slow_request::slow_line;
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment, value_of};
use crate::ui::signal::RwSignal;

/// Timeout of a request.
const CANCEL_TIMEOUT_MS: u64 = 30_000;

/// Form for the reason and, for an occurrence of a series, the extent. `on_keep` closes the form.
pub(super) fn cancel_form(
    flow: Flow,
    ending: Arc<FlowOutcome>,
    on_keep: impl Fn() + Clone + 'static,
) -> Node {
    let texts = flow.texts;
    let booking = ending.bookings.first();
    let kept = booking.map(|booking| Reason::of(&flow.world(), "cancel", &booking.uid));
    let typed = kept.as_ref().and_then(Reason::typed);
    let reason = RwSignal::new(typed.unwrap_or_default());
    let with_later = RwSignal::new(false);
    let problem = RwSignal::new(None::<(String, String)>);
    let is_whole_series = ending.bookings.len() > 1;
    let title = if is_whole_series {
        Key::CancelSeriesQuestion
    } else {
        Key::CancelQuestion
    };
    let heading = heading(1)
        .class("form-title")
        .attr("tabindex", "-1")
        .child(texts.get(title));
    focus_soon(&heading);

    let is_meeting = ending
        .bookings
        .first()
        .is_some_and(|one| one.series_uid.is_some());
    let extent = (is_meeting && !is_whole_series).then(|| {
        let choice = |later: bool, key: Key| {
            let input = el("input")
                .attr("type", "radio")
                .attr("name", "cancel-extent")
                .checked_with(move || with_later.get() == later)
                .on("change", move |_| with_later.set(later));
            el("label")
                .class("cancel-choice")
                .child(input)
                .child(el("span").child(texts.get(key)))
        };
        el("fieldset")
            .class("cancel-extent")
            .child(
                el("legend")
                    .class("visually-hidden")
                    .child(texts.get(Key::CancelExtent)),
            )
            .child(choice(false, Key::CancelThis))
            .child(choice(true, Key::CancelThisAndLater))
    });
    let field = el("label")
        .class("field")
        .child(
            el("span")
                .class("field-label")
                .child(texts.get(Key::CancelReason)),
        )
        .child(
            el("textarea")
                .attr("rows", "3")
                .attr("dir", "auto")
                .value_with(move || reason.get())
                .on("input", move |event| {
                    let text = value_of(&event);
                    if let Some(kept) = &kept {
                        kept.keep(&text);
                    }
                    reason.set(text);
                }),
        );
    let action = move || {
        let key = if flow.is_busy.get() {
            Key::Cancelling
        } else if is_whole_series {
            Key::CancelSeries
        } else {
            Key::CancelBooking
        };
        texts.get(key).to_owned()
    };
    let press = el("button")
        .class("button-primary button-danger")
        .attr("type", "submit")
        .flag_with("aria-disabled", move || flow.is_busy.get())
        .flag_with("aria-busy", move || flow.is_busy.get())
        .text_with(action);
    let keep = on_keep.clone();
    let leave = move |event: web_sys::Event| {
        let key = js_sys::Reflect::get(&event, &"key".into()).ok();
        if key.and_then(|key| key.as_string()).as_deref() == Some("Escape") {
            event.stop_propagation();
            // A dialog around it stays open.
            event.prevent_default();
            keep();
        }
    };
    let shown = move || {
        problem
            .get()
            .map(|(title, text)| notice(Shape::Alert, &title, &text))
    };
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if flow.is_busy.get_untracked() {
            return;
        }
        let given = reason.get_untracked().trim().to_owned();
        let change = CancelBooking {
            cancellation_reason: Some(given).filter(|text| !text.is_empty()),
            cancel_subsequent_bookings: with_later.get_untracked().then_some(true),
            seat_uid: ending.seat_uid.clone(),
        };
        cancel(flow, ending.clone(), change, problem);
    };
    el("form")
        .class("form cancel-form")
        .attr("part", "cancel-form")
        .attr("novalidate", "")
        .on("submit", submit)
        .on("keydown", leave)
        .child(heading)
        .child(fragment().child_with(shown))
        .child(extent)
        .child(field)
        .child(
            el("div")
                .class("action-row")
                .child(press)
                .child(button("button", on_keep).child(texts.get(Key::KeepBooking))),
        )
        .child(slow_line(move || flow.is_busy.get()))
}

/// Cancels once. If there is no response, the booking is read for the outcome.
fn cancel(
    flow: Flow,
    ending: Arc<FlowOutcome>,
    change: CancelBooking,
    problem: RwSignal<Option<(String, String)>>,
) {
    let Some(first) = ending.bookings.first() else {
        return;
    };
    let uid = match &first.series_uid {
        Some(series) if ending.bookings.len() > 1 => series.0.clone(),
        _ => first.uid.0.clone(),
    };
    let first_uid = first.uid.clone();
    flow.is_busy.set(true);
    problem.set(None);
    let (world, task) = (flow.world(), flow.in_task());
    let hook = Hook::Submit {
        action: "cancel",
        start: first.start,
        fields: named(
            "cancellationReason",
            change.cancellation_reason.as_deref().unwrap_or_default(),
        ),
    };
    spawn_local(async move {
        // The page may remove the element.
        let _kept = world.session.keep();
        let told = || {
            let reason = change.cancellation_reason.as_deref();
            reason_of("cancellationReason", reason.unwrap_or_default())
        };
        let answer = world.ask(hook, told).await;
        let Some(flow) = task.get() else { return };
        if let HookResponse::Stop | HookResponse::Failed(_) = &answer {
            flow.is_busy.set(false);
        }
        match answer {
            HookResponse::Stop => return,
            HookResponse::Failed(text) => {
                let title = flow.texts.get(Key::NotCancelledTitle).to_owned();
                let usual = || flow.texts.get(Key::UnexpectedText).to_owned();
                return problem.set(Some((title, text.unwrap_or_else(usual))));
            }
            _ => {}
        }
        let is_seat = change.seat_uid.is_some();
        let is_alone = change.cancel_subsequent_bookings.is_none();
        let outcome = world
            .session
            .cancel(&uid, change, Abort::after(CANCEL_TIMEOUT_MS))
            .await;
        let outcome = match outcome {
            // Also after a refusal: another person may have cancelled it first.
            Err(error) if !is_seat && (is_alone || !matches!(error, ApiError::Declined(_))) => {
                let abort = Abort::after(CANCEL_TIMEOUT_MS);
                match world.session.booking(&uid, abort).await {
                    Ok(found) if found.0.iter().all(is_cancelled) => Ok(found),
                    _ => Err(error),
                }
            }
            outcome => outcome,
        };
        flow.is_busy.set(false);
        if let Err(error) = &outcome {
            world.page.emit(&BookingEvent::BookingCancelFailed {
                uid: first_uid.0.clone(),
                code: error.code(),
            });
        }
        match outcome {
            Ok(PublicBookings(bookings)) => {
                Reason::of(&world, "cancel", &first_uid).forget();
                world
                    .page
                    .emit(&BookingEvent::BookingCancelled { uid: first_uid.0 });
                flow.step.set(Step::Done(Arc::new(FlowOutcome {
                    bookings,
                    how: OutcomeKind::Cancelled,
                    seat_uid: None,
                    was: None,
                })));
            }
            Err(ApiError::Declined(
                DeclineReason::Invalid(message) | DeclineReason::InvalidProperties(message, _),
            )) => {
                let title = flow.texts.get(Key::NotCancelledTitle).to_owned();
                problem.set(Some((title, service_text(&message, flow.texts))));
            }
            Err(error) => problem.set(Some(words(&error, flow.texts))),
        }
    });
}

fn is_cancelled(booking: &PublicBooking) -> bool {
    booking.status == BookingStatus::Cancelled
}
