//! Reservation of a slot while the visitor fills in the form. Each visit of the form has its own: created when the
//! form is shown and released when it is left, for any reason.

pub(super) mod reservation_time;

use std::rc::Rc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::{NewReservation, Reservation};
use js_sys::Object;
use wasm_bindgen_futures::JsFuture;

use super::context::FlowContext;
use super::hooks::{HookEvent, property};
use super::state::FlowState;
use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::components::{Shape, button, icon, live_region};
use crate::features::shared::error_notice::notice;
use crate::i18n::Key;
use crate::page::booking_events::BookingEvent;
use crate::page::events::HookResponse;
use crate::page::settings::use_clock;
use crate::time::{Clock, Instant};
use reservation_time::{Renewal, ReservationPhase, duration_ms, minutes_and_seconds};

/// Timeout of a request: the form does not wait for it.
const RESERVE_TIMEOUT_MS: u64 = 10_000;

/// Reservation of the form.
#[derive(Clone, Copy)]
pub(super) struct SlotReservation {
    flow: FlowState,
    clock: Clock,
    /// Start of the reserved slot.
    start: StoredValue<Option<Instant>>,
    state: RwSignal<ReservationState>,
    /// Milliseconds until it ends.
    left_ms: RwSignal<i64>,
    /// Pending request.
    pending: StoredValue<Option<js_sys::Promise>>,
    /// True if the page was hidden with an active one.
    was_hidden: StoredValue<bool>,
    renewal: StoredValue<Renewal>,
}

/// Reservation state.
#[derive(Clone, Debug, PartialEq)]
enum ReservationState {
    /// Not reserved.
    None,
    /// `until` is by this computer's clock, which may be wrong: the duration counts.
    Active {
        uid: String,
        until: Instant,
        duration_ms: i64,
    },
    /// Its time is over.
    Expired,
}

impl SlotReservation {
    /// No reservation yet, for the selected slot.
    pub(super) fn new(flow: FlowState) -> Self {
        let clock = use_clock();
        Self {
            flow,
            clock,
            start: StoredValue::new(flow.selection.start()),
            state: RwSignal::new(ReservationState::None),
            left_ms: RwSignal::new(i64::MAX),
            pending: StoredValue::new(None),
            was_hidden: StoredValue::new(false),
            renewal: StoredValue::new(Renewal::since(clock.now())),
        }
    }

    /// Reserves the selected slot for the lifetime of the view that is being created.
    pub(super) fn start(flow: FlowState) -> Self {
        let reservation = Self::new(flow);
        // After the form is painted, which should not wait for it.
        request_animation_frame(move || {
            set_timeout(move || reservation.reserve(None), Duration::ZERO);
        });
        set_interval(move || reservation.tick(), Duration::from_secs(1));
        listen_to(&window(), "pagehide", move |_| {
            let is_active = matches!(
                reservation.state.get_untracked(),
                ReservationState::Active { .. }
            );
            reservation.was_hidden.set_value(is_active);
            reservation.release_and_reload();
        });
        listen_to(&window(), "pageshow", move |_| {
            if reservation.was_hidden.get_value() {
                reservation.was_hidden.set_value(false);
                reservation.reserve(None);
            }
        });
        on_cleanup(move || {
            reservation.release_and_reload();
            reservation.store_pending_request();
        });
        reservation
    }

    /// Prepares for the booking. Returns the uid of the reservation that the booking consumes.
    ///
    /// Services of the other dialect reject `reservedSlotUid`, and some of them count the visitor's own
    /// reservation as that of another visitor: there it is released before the booking is sent.
    pub(super) async fn take_uid(self, dialect: Dialect) -> Option<String> {
        if dialect == Dialect::Svc {
            return match self.state.try_get_untracked()? {
                ReservationState::Active { uid, .. } => Some(uid),
                _ => None,
            };
        }
        let (released, _) = self.release_without_event()?;
        // Nothing else can be done if the release fails.
        let _ = JsFuture::from(released?).await;
        None
    }

    /// Clears the consumed reservation.
    pub(super) fn clear(self) {
        if let Some(ReservationState::Active { .. }) = self.state.try_get_untracked() {
            self.state.set(ReservationState::None);
        }
    }

    /// Reserves the slot again, if necessary.
    pub(super) fn reserve_again(self) {
        if !matches!(
            self.state.try_get_untracked(),
            Some(ReservationState::Active { .. })
        ) {
            self.renewal.set_value(Renewal::since(self.clock.now()));
            self.reserve(None);
        }
    }

    /// Notes input of the visitor, after which the reservation is renewed before its end.
    pub(super) fn note_input(self) {
        self.renewal.update_value(Renewal::note_input);
        self.renew_if_due();
    }

    fn renew_if_due(self) {
        // The booking may have used the reservation.
        let submit = self.flow.submit;
        if submit.is_busy.get_untracked() || submit.unknown_outcome.with_untracked(Option::is_some)
        {
            return;
        }
        let ReservationState::Active {
            uid, duration_ms, ..
        } = self.state.get_untracked()
        else {
            return;
        };
        let phase = ReservationPhase::of(self.left_ms.get_untracked(), duration_ms);
        let now = self.clock.now();
        let is_due = self
            .renewal
            .try_update_value(|renewal| renewal.take_due(phase, now));
        if is_due == Some(true) {
            self.reserve(Some(uid));
        }
    }

    fn phase(self) -> Signal<Option<ReservationPhase>> {
        Signal::memo(move || match self.state.get() {
            ReservationState::Active { duration_ms, .. } => {
                Some(ReservationPhase::of(self.left_ms.get(), duration_ms))
            }
            ReservationState::Expired => Some(ReservationPhase::Expired),
            ReservationState::None => None,
        })
    }

    /// Line with the remaining time; `class` sets its look.
    pub(super) fn countdown(self, class: &str) -> Node {
        if self.flow.is_reservation_disabled.get_value() {
            return fragment();
        }
        let texts = self.flow.locale.texts;
        let phase = self.phase();
        // Occupies its space from the start, so that the response shifts nothing.
        let left = move || match phase.get() {
            None | Some(ReservationPhase::Expired) => String::from("\u{a0}"),
            Some(_) => {
                let left = minutes_and_seconds(self.left_ms.get());
                texts.fill(Key::HeldFor, &[("time", &left)])
            }
        };
        let is_urgent = move || phase.get() == Some(ReservationPhase::LastMinute);
        let sign = move || {
            phase
                .get()
                .is_some_and(|phase| phase != ReservationPhase::Expired)
                .then(|| icon(Shape::Lock))
        };
        el("p")
            .class(class)
            .attr("part", "hold")
            .attr("aria-hidden", "true")
            .flag_with("data-urgent", is_urgent)
            .child_with(sign)
            .child(el("span").text_with(left))
    }

    /// Announces start, last minute and end to screen readers.
    pub(super) fn announcement(self) -> Node {
        let texts = self.flow.locale.texts;
        let phase = self.phase();
        live_region(move || {
            let key = match phase.get() {
                None => return String::new(),
                Some(ReservationPhase::Active | ReservationPhase::Renewable) => Key::HeldSaid,
                Some(ReservationPhase::LastMinute) => Key::HeldLastMinute,
                Some(ReservationPhase::Expired) => Key::HoldOverTitle,
            };
            texts.get(key).to_owned()
        })
    }

    /// Notice after the reservation has expired. `on_other` leads back to the slots.
    pub(super) fn expiry_notice(self, on_other: impl Fn() + Clone + 'static) -> Node {
        let texts = self.flow.locale.texts;
        fragment().child_with(move || {
            let is_expired =
                self.state.get() == ReservationState::Expired && !self.flow.submit.is_busy.get();
            is_expired.then(|| {
                let actions = el("div")
                    .class("notice-actions")
                    .child(
                        button("button", move || self.reserve_again())
                            .child(texts.get(Key::HoldAgain)),
                    )
                    .child(button("button", on_other.clone()).child(texts.get(Key::ChooseAnother)));
                notice(
                    Shape::Clock,
                    texts.get(Key::HoldOverTitle),
                    texts.get(Key::HoldOverText),
                )
                .child(actions)
            })
        })
    }

    /// Reserves, or renews the reservation of that uid.
    fn reserve(self, renewed: Option<String>) {
        // All state is disposed with the view.
        let is_pending = self.pending.try_with_value(Option::is_some);
        let (Some(Some(start)), Some(false)) = (self.start.try_get_value(), is_pending) else {
            return;
        };
        let flow = self.flow;
        if flow.is_reservation_disabled.get_value() || flow.selection.is_instant.get_untracked() {
            return;
        }
        let context = flow.context();
        let new_reservation = NewReservation {
            event_type_id: context.event_type.id,
            slot_start: start,
            slot_duration: flow
                .selection
                .has_lengths
                .then(|| flow.selection.length.get_untracked()),
            reservation_duration: None,
        };
        let end = start.plus_minutes(flow.selection.length.get_untracked());
        let request = async move {
            let is_renewal = renewed.is_some();
            if let Some(released) = context.kept_flow.pending_release() {
                // Nothing else can be done if the release fails.
                let _ = JsFuture::from(released).await;
            }
            let response = match is_renewal {
                true => HookResponse::Go,
                // A renewal has the page's consent.
                false => {
                    context
                        .run_hook(HookEvent::Reserve { start, end }, String::new)
                        .await
                }
            };
            // The form may have been left in the meantime.
            let is_left = self.pending.try_with_value(|_| ()).is_none();
            let response = match response {
                HookResponse::Stop => {
                    self.pending.set_value(None);
                    return;
                }
                HookResponse::Failed(_) => {
                    Err(ApiError::Declined(DeclineReason::Invalid(String::new())))
                }
                HookResponse::With(object)
                    if let Some(reservation) = page_reservation(&object, start, end) =>
                {
                    Ok(reservation)
                }
                _ if is_left => return,
                _ => {
                    let abort = Abort::after(RESERVE_TIMEOUT_MS);
                    context
                        .session
                        .reserve(new_reservation, renewed, abort)
                        .await
                }
            };
            let is_shown = self.pending.try_update_value(Option::take).is_some();
            let reservation = match response {
                Ok(reservation) => reservation,
                Err(error) => {
                    if is_shown {
                        self.on_error(&error, is_renewal);
                    }
                    return;
                }
            };
            if !is_shown {
                // The form was left before the response.
                if let Some(released) = context.session.release(&reservation.reservation_uid) {
                    // Nothing else can be done if the release fails.
                    let _ = JsFuture::from(released).await;
                }
                return;
            }
            let now = self.clock.now();
            let duration_ms = duration_ms(&reservation, now);
            let until = Instant(now.0.saturating_add(duration_ms));
            self.left_ms.set(duration_ms);
            self.state.set(ReservationState::Active {
                uid: reservation.reservation_uid,
                until,
                duration_ms,
            });
            // Last: a page that ends the view also releases the slot.
            if !is_renewal {
                context
                    .page
                    .emit(&BookingEvent::SlotReserved { start, until });
            }
        };
        self.pending.set_value(Some(spawn_with_promise(request)));
    }

    /// Waits for a pending request, if there is one: a reservation with unknown uid would block its own booking.
    pub(super) async fn wait_for_request(self) {
        if let Some(pending) = self.pending.try_get_value().flatten() {
            // It never rejects.
            let _ = JsFuture::from(pending).await;
        }
    }

    fn on_error(self, error: &ApiError, is_renewal: bool) {
        let flow = self.flow;
        let is_rescheduling = flow.is_rescheduling();
        // The reservation holds until its end, with or without a renewal. Another one would find the slot taken by it.
        if is_renewal && *error != ApiError::Declined(DeclineReason::NotFound) {
            let is_temporary = matches!(
                error,
                ApiError::Unreachable | ApiError::Unexpected { status: 500.., .. }
            );
            if !is_temporary {
                self.renewal.update_value(Renewal::stop);
            }
            return;
        }
        match error {
            // It has expired.
            ApiError::Declined(DeclineReason::NotFound) if is_renewal => return self.reserve(None),
            // No reservation support.
            ApiError::Declined(
                DeclineReason::NotFound
                | DeclineReason::Forbidden
                | DeclineReason::SignInNeeded
                | DeclineReason::NotPublic,
            )
            | ApiError::Unexpected {
                status: 404 | 405 | 501,
                ..
            } => {
                flow.is_reservation_disabled.set_value(true);
                return;
            }
            // While rescheduling, the old booking may block the reservation only.
            ApiError::Declined(DeclineReason::TimeTaken) if !is_rescheduling => {
                let start = self.start.get_value();
                let event = BookingEvent::SlotReserveFailed("time-taken");
                flow.context().page.emit(&event);
                if let Some(start) = start
                    && !flow.submit.is_busy.get_untracked()
                {
                    flow.handle_lost_slot(start);
                }
                return;
            }
            _ => {}
        }
        // The form continues without it: the service checks the booking itself.
        flow.context()
            .page
            .emit(&BookingEvent::SlotReserveFailed(error.code()));
    }

    fn tick(self) {
        let ReservationState::Active { until, .. } = self.state.get_untracked() else {
            return;
        };
        let left = until.0 - self.clock.now().0;
        self.left_ms.set(left);
        self.renew_if_due();
        if left <= 0 && !self.flow.submit.is_busy.get_untracked() {
            self.state.set(ReservationState::Expired);
            self.flow.context().page.emit(&BookingEvent::SlotExpired);
        }
    }

    /// Releases the slot, and reloads the slots after the response.
    fn release_and_reload(self) {
        let Some(released) = self.release() else {
            return;
        };
        let slots = self.flow.selection.picker.slots;
        spawn_local(async move {
            // Even after a failure, the new slots are newer than those shown.
            let _ = JsFuture::from(released).await;
            slots.reload();
        });
    }

    /// Stores the pending request, which releases its reservation itself. The next one waits for it: it would find
    /// the slot taken.
    fn store_pending_request(self) {
        if let Some(pending) = self.pending.try_get_value().flatten() {
            let context = self.flow.context.try_get_value();
            if let Some(context) = context {
                context.kept_flow.set_pending_release(Some(pending));
            }
        }
    }

    fn release(self) -> Option<js_sys::Promise> {
        let (released, context) = self.release_without_event()?;
        let page = context.page.clone();
        // Deferred: the page must not end the element during a cleanup.
        spawn_local(async move {
            page.emit(&BookingEvent::SlotReleased);
        });
        released
    }

    /// Releases an active reservation without an event. Returns the pending request.
    fn release_without_event(self) -> Option<(Option<js_sys::Promise>, Rc<FlowContext>)> {
        let ReservationState::Active { uid, .. } = self.state.try_get_untracked()? else {
            return None;
        };
        self.state.set(ReservationState::None);
        let context = self.flow.context.try_get_value()?;
        let released = context.session.release(&uid);
        context.kept_flow.set_pending_release(released.clone());
        Some((released, context))
    }
}

/// Reservation that the page made.
fn page_reservation(response: &Object, start: Instant, end: Instant) -> Option<Reservation> {
    let uid = property(response, "reservationUid")?;
    let until = property(response, "until")?;
    let left = Instant::parse(until.as_str()?)?.minutes_since(Clock::browser().now());
    Some(Reservation {
        event_type_id: 0,
        slot_start: start,
        slot_end: end,
        slot_duration: end.minutes_since(start),
        reservation_uid: uid.as_str()?.to_owned(),
        reservation_duration: Some(left),
        reservation_until: Instant::parse(until.as_str()?)?,
    })
}
