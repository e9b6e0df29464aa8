//! Reservation of a slot while the visitor fills in the form. Each visit of the form has its own: created when the
//! form is shown and released when it is left, for any reason.

use std::rc::Rc;
use std::time::Duration;

use booking_wire::{NewReservation, Reservation};
use js_sys::Object;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::model::{Phase, countdown, lasts_ms};
use super::page_hooks::{Question as Hook, given};
use super::{Flow, FlowContext, submit};
use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::components::{Shape, button, icon, live_region};
use crate::element::booking_events::BookingEvent;
use crate::element::events::HookResponse;
use crate::element::settings::use_clock;
use crate::features::shared::error_notice::notice;
use crate::i18n::Key;
use crate::time::{Clock, Instant};
use crate::ui::dom::{Node, el, fragment};
use crate::ui::signal::{RwSignal, Signal, StoredValue};

/// Timeout of a request: the form does not wait for it.
const HOLD_TIMEOUT_MS: u64 = 10_000;

/// Reservation of the form.
#[derive(Clone, Copy)]
pub(super) struct Hold {
    flow: Flow,
    clock: Clock,
    /// Start of the reserved slot.
    start: StoredValue<Option<Instant>>,
    held: RwSignal<HoldState>,
    /// Milliseconds until it ends.
    left_ms: RwSignal<i64>,
    /// Pending request.
    asking: StoredValue<Option<js_sys::Promise>>,
    /// True if the page was hidden with a live one.
    is_away: StoredValue<bool>,
}

/// Reservation state.
#[derive(Clone, Debug, PartialEq)]
enum HoldState {
    Nothing,
    /// `until` is by this computer's clock, which may be wrong: the duration counts.
    Live {
        uid: String,
        until: Instant,
        lasts_ms: i64,
    },
    Over,
}

impl Hold {
    /// Reserves the selected slot for the lifetime of the view that is being created.
    pub(super) fn take(flow: Flow) -> Self {
        let hold = Self {
            flow,
            clock: use_clock(),
            start: StoredValue::new(flow.choice.slot.get_untracked().map(|slot| slot.start)),
            held: RwSignal::new(HoldState::Nothing),
            left_ms: RwSignal::new(i64::MAX),
            asking: StoredValue::new(None),
            is_away: StoredValue::new(false),
        };
        hold.ask(None);
        let tick = set_interval_with_handle(move || hold.tick(), Duration::from_secs(1));
        let hidden = window_event_listener_untyped("pagehide", move |_| {
            let is_live = matches!(hold.held.get_untracked(), HoldState::Live { .. });
            hold.is_away.set_value(is_live);
            hold.give_back();
        });
        let shown = window_event_listener_untyped("pageshow", move |_| {
            if hold.is_away.get_value() {
                hold.is_away.set_value(false);
                hold.ask(None);
            }
        });
        on_cleanup(move || {
            if let Ok(tick) = tick {
                tick.clear();
            }
            hidden.remove();
            shown.remove();
            hold.give_back();
            hold.leave_asked();
        });
        hold
    }

    /// Prepares for the booking. Returns the uid of the reservation that the booking consumes.
    ///
    /// Services of the other dialect reject this uid (contract 3.4.2), and some of them count the visitor's own
    /// reservation as that of another visitor: there it is released before the booking is sent.
    pub(super) async fn hand_over(self, dialect: Dialect) -> Option<String> {
        if dialect == Dialect::Svc {
            return match self.held.try_get_untracked()? {
                HoldState::Live { uid, .. } => Some(uid),
                _ => None,
            };
        }
        let (ended, _) = self.release_silently()?;
        // Nothing else can be done if the release fails.
        let _ = JsFuture::from(ended?).await;
        None
    }

    /// Clears the consumed reservation.
    pub(super) fn is_used_up(self) {
        if let Some(HoldState::Live { .. }) = self.held.try_get_untracked() {
            self.held.set(HoldState::Nothing);
        }
    }

    /// Reserves the slot again, if necessary.
    pub(super) fn again(self) {
        if !matches!(self.held.try_get_untracked(), Some(HoldState::Live { .. })) {
            self.ask(None);
        }
    }

    /// Renews a reservation near its end on input.
    pub(super) fn typed(self) {
        let HoldState::Live { uid, lasts_ms, .. } = self.held.get_untracked() else {
            return;
        };
        if Phase::of(self.left_ms.get_untracked(), lasts_ms).is_worth_renewing() {
            self.ask(Some(uid));
        }
    }

    /// Countdown; announces start, last minute and end.
    pub(super) fn view(self) -> Node {
        if self.flow.never_holds.get_value() {
            return fragment();
        }
        let texts = self.flow.texts;
        let phase = Signal::memo(move || match self.held.get() {
            HoldState::Live { lasts_ms, .. } => Some(Phase::of(self.left_ms.get(), lasts_ms)),
            HoldState::Over => Some(Phase::Over),
            HoldState::Nothing => None,
        });
        // Occupies its space from the start, so that the response shifts nothing.
        let left = move || match phase.get() {
            None | Some(Phase::Over) => String::from("\u{a0}"),
            Some(_) => {
                let left = countdown(self.left_ms.get());
                texts.fill(Key::HeldFor, &[("time", &left)])
            }
        };
        let is_urgent = move || phase.get() == Some(Phase::LastMinute);
        let said = move || {
            let key = match phase.get() {
                None => return String::new(),
                Some(Phase::Calm | Phase::Waning) => Key::HeldSaid,
                Some(Phase::LastMinute) => Key::HeldLastMinute,
                Some(Phase::Over) => Key::HoldOverTitle,
            };
            texts.get(key).to_owned()
        };
        let sign = move || {
            phase
                .get()
                .is_some_and(|phase| phase != Phase::Over)
                .then(|| icon(Shape::Lock))
        };
        let line = el("p")
            .class("flow-hold")
            .attr("part", "hold")
            .attr("aria-hidden", "true")
            .flag_with("data-urgent", is_urgent)
            .child_with(sign)
            .child(el("span").text_with(left));
        fragment().child(line).child(live_region(said))
    }

    /// Notice after the reservation has expired. `on_other` leads back to the slots.
    pub(super) fn over(self, on_other: impl Fn() + Clone + 'static) -> Node {
        let texts = self.flow.texts;
        fragment().child_with(move || {
            let is_over = self.held.get() == HoldState::Over && !self.flow.is_busy.get();
            is_over.then(|| {
                let actions = el("div")
                    .class("notice-actions")
                    .child(
                        button("button-primary", move || self.again())
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
    fn ask(self, renewed: Option<String>) {
        // All state is disposed with the view.
        let is_asking = self.asking.try_with_value(Option::is_some);
        let (Some(Some(start)), Some(false)) = (self.start.try_get_value(), is_asking) else {
            return;
        };
        let flow = self.flow;
        if flow.never_holds.get_value() || flow.is_instant.get_untracked() {
            return;
        }
        let world = flow.world();
        let wanted = NewReservation {
            event_type_id: world.event_type.id,
            slot_start: start,
            slot_duration: flow.has_lengths.then(|| flow.length.get_untracked()),
            reservation_duration: None,
        };
        let end = start.plus_minutes(flow.length.get_untracked());
        let question = async move {
            let is_renewal = renewed.is_some();
            if let Some(ended) = flow.released.try_get_value().flatten() {
                // Nothing else can be done if the release fails.
                let _ = JsFuture::from(ended).await;
            }
            let answer = match is_renewal {
                true => HookResponse::Go,
                // A renewal has the page's consent.
                false => world.ask(Hook::Reserve { start, end }, String::new).await,
            };
            // The form may have been left in the meantime.
            let is_left = self.asking.try_with_value(|_| ()).is_none();
            let answer = match answer {
                HookResponse::Stop => {
                    self.asking.set_value(None);
                    return Ok(JsValue::UNDEFINED);
                }
                HookResponse::Failed(_) => {
                    Err(ApiError::Declined(DeclineReason::Invalid(String::new())))
                }
                HookResponse::With(more) if let Some(held) = taken(&more, start, end) => Ok(held),
                _ if is_left => return Ok(JsValue::UNDEFINED),
                _ => {
                    let abort = Abort::after(HOLD_TIMEOUT_MS);
                    world.session.reserve(wanted, renewed, abort).await
                }
            };
            let is_there = self.asking.try_update_value(Option::take).is_some();
            let reservation = match answer {
                Ok(reservation) => reservation,
                Err(error) => {
                    if is_there {
                        self.refused(&error, is_renewal);
                    }
                    return Ok(JsValue::UNDEFINED);
                }
            };
            if !is_there {
                // The form was left before the response.
                if let Some(ended) = world.session.release(&reservation.reservation_uid) {
                    // Nothing else can be done if the release fails.
                    let _ = JsFuture::from(ended).await;
                }
                return Ok(JsValue::UNDEFINED);
            }
            let now = self.clock.now();
            let lasts_ms = lasts_ms(&reservation, now);
            let until = Instant(now.0.saturating_add(lasts_ms));
            self.left_ms.set(lasts_ms);
            self.held.set(HoldState::Live {
                uid: reservation.reservation_uid,
                until,
                lasts_ms,
            });
            // Last: a page that ends the view also releases the slot.
            if !is_renewal {
                world
                    .page
                    .emit(&BookingEvent::SlotReserved { start, until });
            }
            Ok(JsValue::UNDEFINED)
        };
        self.asking.set_value(Some(future_to_promise(question)));
    }

    /// Waits for a pending request, if there is one: a reservation with unknown uid would block its own booking.
    pub(super) async fn settled(self) {
        if let Some(asking) = self.asking.try_get_value().flatten() {
            // It never rejects.
            let _ = JsFuture::from(asking).await;
        }
    }

    fn refused(self, error: &ApiError, is_renewal: bool) {
        let flow = self.flow;
        let is_moving = flow.moved.with_untracked(Option::is_some);
        match error {
            // It has expired.
            ApiError::Declined(DeclineReason::NotFound) if is_renewal => return self.ask(None),
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
                flow.never_holds.set_value(true);
                return;
            }
            // While rescheduling, the old booking may block the reservation only.
            ApiError::Declined(DeclineReason::TimeTaken) if !is_moving => {
                let start = self.start.get_value();
                let news = BookingEvent::SlotReserveFailed("time-taken");
                flow.world().page.emit(&news);
                // The page may have ended the view.
                if let (Some(flow), Some(start)) = (flow.in_task().get(), start)
                    && !flow.is_busy.get_untracked()
                {
                    submit::lost(flow, start);
                }
                return;
            }
            _ => {}
        }
        // The form continues without it: the service checks the booking itself.
        flow.world()
            .page
            .emit(&BookingEvent::SlotReserveFailed(error.code()));
    }

    fn tick(self) {
        let HoldState::Live { until, .. } = self.held.get_untracked() else {
            return;
        };
        let left = until.0 - self.clock.now().0;
        self.left_ms.set(left);
        if left <= 0 && !self.flow.is_busy.get_untracked() {
            self.held.set(HoldState::Over);
            self.flow.world().page.emit(&BookingEvent::SlotExpired);
        }
    }

    /// Releases the slot, and reloads the slots after the response.
    fn give_back(self) {
        let Some(ended) = self.release() else { return };
        let slots = self.flow.slots;
        spawn_local(async move {
            // Even after a failure, the new slots are newer than those shown.
            let _ = JsFuture::from(ended).await;
            slots.again();
        });
    }

    /// Stores the pending request, which releases its reservation itself. The next one waits for it: it would find
    /// the slot taken.
    fn leave_asked(self) {
        if let Some(asking) = self.asking.try_get_value().flatten() {
            self.flow.released.set_value(Some(asking));
        }
    }

    fn release(self) -> Option<js_sys::Promise> {
        let (ended, world) = self.release_silently()?;
        let page = world.page.clone();
        // Deferred: the page must not end the element during a cleanup.
        spawn_local(async move {
            page.emit(&BookingEvent::SlotReleased);
        });
        ended
    }

    /// Releases a live reservation without an event. Returns the pending request.
    fn release_silently(self) -> Option<(Option<js_sys::Promise>, Rc<FlowContext>)> {
        let HoldState::Live { uid, .. } = self.held.try_get_untracked()? else {
            return None;
        };
        self.held.set(HoldState::Nothing);
        let world = self.flow.world.try_get_value()?;
        let ended = world.session.release(&uid);
        self.flow.released.set_value(ended.clone());
        Some((ended, world))
    }
}

/// Reservation that the page made.
fn taken(answer: &Object, start: Instant, end: Instant) -> Option<Reservation> {
    let uid = given(answer, "reservationUid")?;
    let until = given(answer, "until")?;
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
