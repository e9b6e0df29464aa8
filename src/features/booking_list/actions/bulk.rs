//! Bulk actions: one confirmation, a few requests at a time, one result per booking.
//!
//! One run at a time. It continues in view through changes of selection, filters and language,
//! until it is done or stopped. Its result stays until it is closed.

mod panel;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use booking_wire::{Absence, Booking, CancelBooking, DeclineBooking, MarkAbsent};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::HtmlElement;

use super::execute::{Outcome, carry_out, trouble};
use super::model::{Act, allows};
use super::{known, news_of, opener_of};
use crate::client::ApiError;
use crate::client::booking_acts::BookingAction;
use crate::components::focus::{focus_first_soon, keep_focus};
use crate::components::{StatusLine, use_status_line};
use crate::element::settings::use_clock;
use crate::features::booking_list::list_state::List;
use crate::features::booking_list::pagination::{RetryPolicy, Step, Walk, pause_ms};
use crate::features::booking_list::scope::Scope;
use crate::i18n::{Key, Translations};
use crate::time::Clock;
use crate::ui::context::provide_context;
use crate::ui::signal::{RwSignal, Signal, StoredValue, follow};

pub(in crate::features::booking_list) use panel::{bulk_buttons, bulk_panel};

/// Maximum number of concurrent requests.
const MOST_AT_ONCE: usize = 4;

/// Selector of the bar's focus target.
const FIRST: &str = ".bulk :is(textarea, input, [tabindex], button)";

/// State of a bulk action.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BulkState {
    /// No action is open.
    Rest,
    /// Bookings are being loaded for the chosen action.
    Looking(Act),
    /// Loading has failed and can be resumed.
    Halted(Act, ApiError),
    /// Waits for the confirmation.
    Asking(Act),
    Running(Act),
    Done(Act),
}

impl BulkState {
    fn act(&self) -> Option<Act> {
        match self {
            Self::Rest => None,
            Self::Looking(act)
            | Self::Halted(act, _)
            | Self::Asking(act)
            | Self::Running(act)
            | Self::Done(act) => Some(*act),
        }
    }
}

/// Absent participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absent {
    Attendees,
    Hosts,
    Everybody,
}

/// Result for one booking.
struct Result {
    booking: Rc<Booking>,
    /// `None` if done; otherwise true if unclear, and the reason.
    trouble: Option<(bool, String)>,
}

type Results = Rc<RefCell<Vec<Result>>>;

/// Bulk action. Owned by the list, because its view may be rendered again or removed.
#[derive(Clone, Copy)]
pub(in crate::features::booking_list) struct Bulk {
    clock: Clock,
    line: StatusLine,
    stage: RwSignal<BulkState>,
    /// Bookings that allow the action, and number of the others.
    fit: StoredValue<Vec<Rc<Booking>>>,
    skipped: StoredValue<usize>,
    /// Number found, or processed.
    count: RwSignal<usize>,
    reason: RwSignal<String>,
    complains: RwSignal<bool>,
    absent: RwSignal<Absent>,
    results: StoredValue<Results>,
    /// Seconds until the run continues.
    waits_s: RwSignal<Option<i64>>,
    patience: StoredValue<RetryPolicy>,
    /// Walk to resume after a failure.
    walk: StoredValue<Option<Walk>>,
    /// Bar that contains the view.
    place: StoredValue<Option<HtmlElement>>,
}

/// Provides the bulk actions of `list` as context.
pub(in crate::features::booking_list) fn provide(list: List) {
    let waits_s = RwSignal::new(None);
    let bulk = Bulk {
        clock: use_clock(),
        line: use_status_line(),
        stage: list.acts.many,
        fit: StoredValue::new(Vec::new()),
        skipped: StoredValue::new(0),
        count: RwSignal::new(0),
        reason: RwSignal::default(),
        complains: RwSignal::new(false),
        absent: RwSignal::new(Absent::Attendees),
        results: StoredValue::new(Rc::default()),
        waits_s,
        patience: StoredValue::new(RetryPolicy::telling(waits_s)),
        walk: StoredValue::new(None),
        place: StoredValue::new(None),
    };
    on_cleanup(move || bulk.stop());
    provide_context(bulk);
}

impl Bulk {
    fn is_running(self) -> bool {
        self.stage
            .with(|stage| matches!(stage, BulkState::Running(_)))
    }

    /// Repeats the check of the bookings when the selection changes.
    pub(in crate::features::booking_list) fn follow_selection(
        self,
        list: List,
        scope: Signal<Option<Scope>>,
    ) {
        let mut is_first = true;
        follow(move || {
            list.selection.count();
            if std::mem::take(&mut is_first) {
                return;
            }
            let asked = self.stage.with_untracked(|stage| match stage {
                BulkState::Looking(act) | BulkState::Halted(act, _) | BulkState::Asking(act) => {
                    Some(*act)
                }
                BulkState::Rest | BulkState::Running(_) | BulkState::Done(_) => None,
            });
            if let Some(act) = asked {
                self.look(list, act, scope.get_untracked());
            }
        });
    }

    /// Opens `act`, or closes it.
    fn begin(self, list: List, act: Act, scope: Option<Scope>) {
        let stage = self.stage.get_untracked();
        match stage {
            BulkState::Running(_) => return,
            BulkState::Looking(open) | BulkState::Halted(open, _) | BulkState::Asking(open)
                if open == act =>
            {
                return self.leave();
            }
            _ => {}
        }
        self.reason.set(String::new());
        self.complains.set(false);
        self.absent.set(Absent::Attendees);
        self.look(list, act, scope);
        self.focus();
    }

    /// Closes the panel. The focus returns to the button that opened it, or else to the list's
    /// head.
    fn leave(self) {
        let act = self.stage.with_untracked(BulkState::act);
        self.stop();
        self.stage.set(BulkState::Rest);
        let place = self.place.try_get_value().flatten();
        if let (Some(place), Some(act)) = (place, act) {
            let opener = opener_of(act);
            let found = place.query_selector(opener).ok().flatten();
            let is_left = found.is_some_and(|found| !found.has_attribute("hidden"));
            let card = place.closest(".list").ok().flatten();
            let (root, selector) = match card {
                Some(card) if !is_left => (
                    wasm_bindgen::JsCast::unchecked_into(card),
                    ".list-head button",
                ),
                _ => (place, opener),
            };
            focus_first_soon(root, selector);
        }
    }

    /// Finds bookings that allow `act`, then asks.
    fn look(self, list: List, act: Act, scope: Option<Scope>) {
        self.stop();
        self.fit.set_value(Vec::new());
        self.skipped.set_value(0);
        self.count.set(0);
        match scope {
            None => self.stage.set(BulkState::Rest),
            Some(Scope::These(bookings)) => {
                self.sort_out(list, act, bookings);
                self.show(BulkState::Asking(act));
            }
            Some(Scope::Matching { query, total }) => {
                let patience = self.reset_retries();
                self.go_on(list, act, Walk::over(list, query, total, patience));
            }
        }
    }

    fn go_on(self, list: List, act: Act, mut walk: Walk) {
        self.show(BulkState::Looking(act));
        let task = list.in_task();
        spawn_local(async move {
            loop {
                let step = walk.next().await;
                let Some(list) = task.get() else { return };
                match step {
                    Step::Page(bookings) => self.sort_out(list, act, bookings),
                    Step::End => return self.show(BulkState::Asking(act)),
                    Step::Stopped => return,
                    Step::Failed(error) => {
                        self.walk.set_value(Some(walk));
                        return self.show(BulkState::Halted(act, error));
                    }
                }
            }
        });
    }

    fn sort_out(self, list: List, act: Act, bookings: Vec<Booking>) {
        let now = self.clock.now();
        let count = bookings.len();
        let fit: Vec<Rc<Booking>> = bookings
            .into_iter()
            .filter(|booking| allows(act, booking, known(booking, list, now)))
            .map(Rc::new)
            .collect();
        self.skipped
            .update_value(|skipped| *skipped += count - fit.len());
        self.fit.update_value(|all| all.extend(fit));
        self.count.update(|found| *found += count);
    }

    /// Stops requests and waits permanently.
    fn stop(self) {
        self.patience.try_with_value(RetryPolicy::stop);
        self.walk.try_update_value(Option::take);
    }

    fn reset_retries(self) -> RetryPolicy {
        let patience = RetryPolicy::telling(self.waits_s);
        self.patience.set_value(patience.clone());
        patience
    }

    /// Changes to `stage` and keeps the focus in the bar if it was there.
    fn show(self, stage: BulkState) {
        let place = self.place.try_get_value().flatten();
        keep_focus(place, FIRST, || self.stage.set(stage));
    }

    fn focus(self) {
        if let Some(place) = self.place.try_get_value().flatten() {
            focus_first_soon(place, FIRST);
        }
    }

    /// Starts the run: four requests at a time; a rate limit pauses all.
    fn run(self, list: List, act: Act) {
        let waiting: VecDeque<Rc<Booking>> =
            self.fit.with_value(|fit| fit.iter().cloned().collect());
        let waiting = Rc::new(RefCell::new(waiting));
        let results = Results::default();
        self.results.set_value(Rc::clone(&results));
        self.count.set(0);
        let patience = self.reset_retries();
        self.show(BulkState::Running(act));
        let reason = self.reason.get_untracked().trim().to_owned();
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        let absent = self.absent.get_untracked();
        let running = Rc::new(Cell::new(MOST_AT_ONCE));
        for _ in 0..MOST_AT_ONCE {
            let (waiting, results) = (Rc::clone(&waiting), Rc::clone(&results));
            let (running, reason) = (Rc::clone(&running), reason.clone());
            let patience = patience.clone();
            let (session, page, task) = (list.session(), list.page(), list.in_task());
            spawn_local(async move {
                while patience.rest().await {
                    let Some(booking) = waiting.borrow_mut().pop_front() else {
                        break;
                    };
                    let deed = deed_for(act, &booking, reason.clone(), absent);
                    let outcome = carry_out(session.clone(), booking.clone(), deed).await;
                    if matches!(outcome, Outcome::Done(_)) {
                        page.emit(&news_of(&booking.uid.0, act));
                    }
                    // Nothing more is sent once the list is unmounted.
                    let Some(list) = task.get() else { return };
                    let (_, why) = trouble(&outcome, &booking, list.texts);
                    let trouble = match outcome {
                        Outcome::Done(bookings) => {
                            list.rows.put(bookings);
                            None
                        }
                        Outcome::Refused(error, found) => {
                            // Not performed, so a retry is safe.
                            if let Some(pause) = pause_ms(&error, usize::MAX) {
                                patience.wait(pause);
                                waiting.borrow_mut().push_front(booking);
                                continue;
                            }
                            if error.is_of_session() {
                                // Session errors affect all; a permission may be missing for one.
                                patience.stop();
                            }
                            list.rows
                                .put(found.into_iter().map(|found| *found).collect());
                            Some((false, why))
                        }
                        Outcome::Unchanged(_) | Outcome::Unknown(_) => Some((true, why)),
                    };
                    results.borrow_mut().push(Result { booking, trouble });
                    self.count.update(|count| *count += 1);
                }
                running.set(running.get() - 1);
                if let Some(list) = task.get().filter(|_| running.get() == 0) {
                    self.line.set_text(self.summary(list.texts));
                    self.show(BulkState::Done(act));
                    // One reload for all bookings.
                    list.put(Vec::new());
                }
            });
        }
    }

    fn counts(self) -> [usize; 4] {
        let results = self.results.get_value();
        let results = results.borrow();
        let count = |wanted: Option<bool>| {
            let is_wanted = |result: &&Result| {
                result.trouble.as_ref().map(|(is_unclear, _)| *is_unclear) == wanted
            };
            results.iter().filter(is_wanted).count()
        };
        let left = self.fit.with_value(Vec::len).saturating_sub(results.len());
        [count(None), count(Some(false)), count(Some(true)), left]
    }

    /// Number of bookings per result, in words.
    fn summary(self, texts: Translations) -> String {
        let keys = [
            Key::BulkDone,
            Key::BulkRefused,
            Key::BulkUnclear,
            Key::BulkLeft,
        ];
        let told = keys.into_iter().zip(self.counts());
        let told: Vec<String> = told
            .filter(|(key, count)| *count > 0 || *key == Key::BulkDone)
            .map(|(key, count)| counted(key, count, texts))
            .collect();
        told.join(" ")
    }
}

/// Fills `count` into the text of `key`.
fn counted(key: Key, count: usize, texts: Translations) -> String {
    texts.fill(key, &[("count", &texts.number(count as i64))])
}

/// Request for one booking.
fn deed_for(act: Act, booking: &Booking, reason: Option<String>, absent: Absent) -> BookingAction {
    match act {
        Act::Decline => BookingAction::Decline(DeclineBooking { reason }),
        Act::Cancel => BookingAction::Cancel(CancelBooking {
            cancellation_reason: reason,
            ..CancelBooking::default()
        }),
        Act::MarkAbsent => {
            let marked = |attendee: &booking_wire::Attendee| Absence {
                email: attendee.email.clone(),
                absent: true,
            };
            let attendees = || booking.attendees.iter().map(marked).collect();
            BookingAction::MarkAbsent(MarkAbsent {
                host: (absent != Absent::Attendees).then_some(true),
                attendees: (absent != Absent::Hosts).then(attendees),
            })
        }
        _ => BookingAction::Confirm,
    }
}
