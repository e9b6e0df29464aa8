//! Bulk actions: one confirmation, a few requests at a time, one result per booking.
//!
//! One run at a time. It continues in view through changes of selection, filters and language,
//! until it is done or stopped. Its result stays until it is closed.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{Absence, Booking, BookingStatus, CancelBooking, DeclineBooking, MarkAbsent};
use web_sys::HtmlElement;

use super::super::state::action_state::model::{ActionKind, allows};
use super::super::state::action_state::{ActionsState, BulkState};
use super::context::action_facts;
use super::execute::{self, Outcome, failure_text, undo_of};
use super::labels::{button_selector, event_of};
use crate::client::operations::booking_actions::BookingAction;
use crate::components::focus::{focus_first_soon, keep_focus};
use crate::components::{StatusLine, use_status_line};
use crate::features::booking_list::all_pages::{
    BookingPages, NextPage, RetryPolicy, retry_delay_ms,
};
use crate::features::booking_list::state::list_state::List;
use crate::features::booking_list::state::selection::Scope;
use crate::i18n::{Key, Translations};
use crate::page::settings::use_clock;
use crate::time::Clock;

/// Maximum number of concurrent requests.
const MAX_CONCURRENT: usize = 4;

/// Selector of the bar's focus target.
const FIRST: &str = ".bulk :is(textarea, input, [tabindex], button)";

/// Absent participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    Attendees,
    Hosts,
    All,
}

/// Result for one booking.
pub(super) struct BulkResult {
    pub(super) booking: Rc<Booking>,
    /// `None` if done; otherwise true if unclear, and the reason.
    pub(super) failure: Option<(bool, String)>,
    /// Request that takes it back.
    undo: Option<MarkAbsent>,
}

type BulkResults = Rc<RefCell<Vec<BulkResult>>>;

/// Bulk action. Owned by the list, because its view may be rendered again or removed.
#[derive(Clone, Copy)]
pub(crate) struct BulkAction {
    pub(super) clock: Clock,
    status_line: StatusLine,
    pub(super) state: RwSignal<BulkState>,
    /// Bookings that allow the action, and number of the others.
    pub(super) eligible: StoredValue<Vec<Rc<Booking>>>,
    pub(super) skipped: StoredValue<usize>,
    /// True if all others are confirmed.
    pub(super) skips_confirmed: StoredValue<bool>,
    /// Number found, or processed.
    pub(super) count: RwSignal<usize>,
    pub(super) reason: RwSignal<String>,
    pub(super) is_reason_missing: RwSignal<bool>,
    pub(super) absent: RwSignal<Absent>,
    pub(super) results: StoredValue<BulkResults>,
    /// Seconds until the run continues.
    pub(super) wait_s: RwSignal<Option<i64>>,
    pub(super) retry: StoredValue<RetryPolicy>,
    /// Pages to resume after a failure.
    pub(super) pages: StoredValue<Option<BookingPages>>,
    /// Bar that contains the view.
    bar: StoredValue<Option<HtmlElement>>,
}

/// Provides the bulk actions as context.
pub(crate) fn provide(actions: ActionsState) {
    let wait_s = RwSignal::new(None);
    let bulk = BulkAction {
        clock: use_clock(),
        status_line: use_status_line(),
        state: actions.bulk,
        eligible: StoredValue::new(Vec::new()),
        skipped: StoredValue::new(0),
        skips_confirmed: StoredValue::new(true),
        count: RwSignal::new(0),
        reason: RwSignal::default(),
        is_reason_missing: RwSignal::new(false),
        absent: RwSignal::new(Absent::Attendees),
        results: StoredValue::new(Rc::default()),
        wait_s,
        retry: StoredValue::new(RetryPolicy::with_countdown(wait_s)),
        pages: StoredValue::new(None),
        bar: StoredValue::new(None),
    };
    on_cleanup(move || bulk.stop());
    provide_context(bulk);
}

impl BulkAction {
    /// Stores the bar that contains the view.
    pub(crate) fn set_bar(self, bar: &Node) {
        self.bar.set_value(Some(bar.element()));
    }

    pub(super) fn is_running(self) -> bool {
        self.state
            .with(|state| matches!(state, BulkState::Running(_)))
    }

    /// Repeats the check of the bookings when the selection changes.
    pub(crate) fn follow_selection(self, list: List, scope: Signal<Option<Scope>>) {
        let mut is_first = true;
        effect(move || {
            list.selection.count();
            if std::mem::take(&mut is_first) {
                return;
            }
            let pending = self.state.with_untracked(|state| match state {
                BulkState::Loading(kind)
                | BulkState::LoadFailed(kind, _)
                | BulkState::Confirming(kind) => Some(*kind),
                BulkState::Closed | BulkState::Running(_) | BulkState::Done(_) => None,
            });
            if let Some(kind) = pending {
                self.check(list, kind, scope.get_untracked());
            }
        });
    }

    /// Opens an action, or closes it.
    pub(super) fn toggle(self, list: List, kind: ActionKind, scope: Option<Scope>) {
        match self.state.get_untracked() {
            BulkState::Running(_) => return,
            BulkState::Loading(open)
            | BulkState::LoadFailed(open, _)
            | BulkState::Confirming(open)
                if open == kind =>
            {
                return self.close();
            }
            _ => {}
        }
        self.reason.set(String::new());
        self.is_reason_missing.set(false);
        self.absent.set(Absent::Attendees);
        self.check(list, kind, scope);
        self.focus();
    }

    /// Closes the panel. The focus returns to the button that opened it, or else to the list's
    /// head.
    pub(super) fn close(self) {
        let kind = self.state.with_untracked(BulkState::action);
        self.stop();
        self.state.set(BulkState::Closed);
        if let (Some(bar), Some(kind)) = (self.bar.get_value(), kind) {
            let opener = button_selector(kind);
            let button = bar.query_selector(opener).ok().flatten();
            let is_visible = button.is_some_and(|button| !button.has_attribute("hidden"));
            let card = bar.closest(".list").ok().flatten();
            let (root, selector) = match card {
                Some(card) if !is_visible => (
                    wasm_bindgen::JsCast::unchecked_into(card),
                    ".list-head button",
                ),
                _ => (bar, opener),
            };
            focus_first_soon(root, selector);
        }
    }

    /// Finds bookings that allow the action, then asks for confirmation.
    fn check(self, list: List, kind: ActionKind, scope: Option<Scope>) {
        self.stop();
        list.actions.send_answers();
        self.eligible.set_value(Vec::new());
        self.skipped.set_value(0);
        self.skips_confirmed.set_value(true);
        self.count.set(0);
        match scope {
            None => self.state.set(BulkState::Closed),
            Some(Scope::These(bookings)) => {
                self.add_eligible(list, kind, bookings);
                self.show(BulkState::Confirming(kind));
            }
            Some(Scope::Matching { query, total }) => {
                let retry = self.reset_retry();
                let pages = BookingPages::of_team(list.context, *query, total, retry);
                self.load(list, kind, pages);
            }
        }
    }

    /// Loads the remaining pages, then asks for confirmation.
    pub(super) fn load(self, list: List, kind: ActionKind, mut pages: BookingPages) {
        self.show(BulkState::Loading(kind));
        spawn_local(async move {
            loop {
                let next = pages.next().await;
                if list.is_disposed() {
                    return;
                }
                match next {
                    NextPage::Page(bookings) => self.add_eligible(list, kind, bookings),
                    NextPage::End => return self.show(BulkState::Confirming(kind)),
                    NextPage::Stopped => return,
                    NextPage::Failed(error) => {
                        self.pages.set_value(Some(pages));
                        return self.show(BulkState::LoadFailed(kind, error));
                    }
                }
            }
        });
    }

    fn add_eligible(self, list: List, kind: ActionKind, bookings: Vec<Booking>) {
        let now = self.clock.now();
        let count = bookings.len();
        let (eligible, skipped): (Vec<Booking>, Vec<Booking>) = bookings
            .into_iter()
            .partition(|booking| allows(kind, booking, action_facts(booking, list.context, now)));
        let is_confirmed = |booking: &Booking| booking.status == BookingStatus::Accepted;
        if !skipped.iter().all(is_confirmed) {
            self.skips_confirmed.set_value(false);
        }
        self.skipped.update_value(|count| *count += skipped.len());
        self.eligible
            .update_value(|all| all.extend(eligible.into_iter().map(Rc::new)));
        self.count.update(|sum| *sum += count);
    }

    /// Stops requests and waits permanently.
    fn stop(self) {
        self.retry.try_with_value(RetryPolicy::stop);
        self.pages.try_update_value(Option::take);
    }

    fn reset_retry(self) -> RetryPolicy {
        let retry = RetryPolicy::with_countdown(self.wait_s);
        self.retry.set_value(retry.clone());
        retry
    }

    /// Changes to `state` and keeps the focus in the bar if it was there.
    fn show(self, state: BulkState) {
        keep_focus(self.bar.get_value(), FIRST, || self.state.set(state));
    }

    fn focus(self) {
        if let Some(bar) = self.bar.get_value() {
            focus_first_soon(bar, FIRST);
        }
    }

    /// Performs the action on all that allow it.
    pub(super) fn run(self, list: List, kind: ActionKind) {
        let reason = self.reason.get_untracked().trim().to_owned();
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        let absent = self.absent.get_untracked();
        let request = |booking: &Rc<Booking>| {
            let action = request_for(kind, booking, reason.clone(), absent);
            (Rc::clone(booking), action)
        };
        let queue = self
            .eligible
            .with_value(|eligible| eligible.iter().map(request).collect());
        self.perform(list, kind, queue);
    }

    /// Bookings of the last run with the requests that take it back.
    pub(super) fn undo_requests(self) -> VecDeque<(Rc<Booking>, BookingAction)> {
        let results = self.results.get_value();
        let results = results.borrow();
        let request = |result: &BulkResult| {
            let undo = result.undo.clone()?;
            let action = BookingAction::MarkAbsent(undo);
            Some((Rc::clone(&result.booking), action))
        };
        results.iter().filter_map(request).collect()
    }

    /// Takes the last run back.
    pub(super) fn undo(self, list: List, kind: ActionKind) {
        let queue = self.undo_requests();
        let bookings = queue.iter().map(|(booking, _)| Rc::clone(booking));
        self.eligible.set_value(bookings.collect());
        self.perform(list, kind, queue);
    }

    /// Performs the actions, four requests at a time; a rate limit pauses all.
    fn perform(self, list: List, kind: ActionKind, queue: VecDeque<(Rc<Booking>, BookingAction)>) {
        let queue = Rc::new(RefCell::new(queue));
        let results = BulkResults::default();
        self.results.set_value(Rc::clone(&results));
        self.count.set(0);
        let retry = self.reset_retry();
        self.show(BulkState::Running(kind));
        let running = Rc::new(Cell::new(MAX_CONCURRENT));
        for _ in 0..MAX_CONCURRENT {
            let (queue, results) = (Rc::clone(&queue), Rc::clone(&results));
            let running = Rc::clone(&running);
            let retry = retry.clone();
            let (session, page) = (list.context.session(), list.context.page());
            spawn_local(async move {
                while retry.ready().await {
                    let Some((booking, action)) = queue.borrow_mut().pop_front() else {
                        break;
                    };
                    let attempt =
                        execute::perform(session.clone(), booking.clone(), action.clone());
                    let outcome = attempt.await;
                    if matches!(outcome, Outcome::Done(_)) {
                        page.emit(&event_of(&booking.uid.0, kind));
                    }
                    // Nothing more is sent once the list is unmounted.
                    if list.is_disposed() {
                        return;
                    }
                    let (_, reason) = failure_text(&outcome, &booking, list.context.texts);
                    let mut undo = None;
                    let failure = match outcome {
                        Outcome::Done(bookings) => {
                            undo = undo_of(&action, &booking);
                            list.rows.replace(bookings);
                            None
                        }
                        Outcome::Declined(error, current) => {
                            // Not performed, so a retry is safe.
                            if let Some(delay_ms) = retry_delay_ms(&error, usize::MAX) {
                                retry.wait(delay_ms);
                                queue.borrow_mut().push_front((booking, action));
                                continue;
                            }
                            if error.is_session_error() {
                                // Session errors affect all; a permission may be missing for one.
                                retry.stop();
                            }
                            list.rows
                                .replace(current.into_iter().map(|booking| *booking).collect());
                            Some((false, reason))
                        }
                        Outcome::Unchanged(_) | Outcome::Unknown(_) => Some((true, reason)),
                    };
                    results.borrow_mut().push(BulkResult {
                        booking,
                        failure,
                        undo,
                    });
                    self.count.update(|count| *count += 1);
                }
                running.set(running.get() - 1);
                if running.get() == 0 && !list.is_disposed() {
                    self.status_line.set_text(self.summary(list.context.texts));
                    self.show(BulkState::Done(kind));
                    // One reload for all bookings.
                    list.apply_changes(Vec::new());
                }
            });
        }
    }

    fn counts(self) -> [usize; 4] {
        let results = self.results.get_value();
        let results = results.borrow();
        let count = |failure: Option<bool>| {
            let matches = |result: &&BulkResult| {
                result.failure.as_ref().map(|(is_unclear, _)| *is_unclear) == failure
            };
            results.iter().filter(matches).count()
        };
        let left = self
            .eligible
            .with_value(Vec::len)
            .saturating_sub(results.len());
        [count(None), count(Some(false)), count(Some(true)), left]
    }

    /// Number of bookings per result, as text.
    pub(super) fn summary(self, texts: Translations) -> String {
        let keys = [
            Key::BulkDone,
            Key::BulkRefused,
            Key::BulkUnclear,
            Key::BulkLeft,
        ];
        let counts = keys.into_iter().zip(self.counts());
        let parts: Vec<String> = counts
            .filter(|(key, count)| *count > 0 || *key == Key::BulkDone)
            .map(|(key, count)| count_text(key, count, texts))
            .collect();
        parts.join(" ")
    }
}

/// Fills `count` into the text of `key`.
pub(super) fn count_text(key: Key, count: usize, texts: Translations) -> String {
    texts.fill(key, &[("count", &texts.number(count as i64))])
}

/// Request for one booking.
fn request_for(
    kind: ActionKind,
    booking: &Booking,
    reason: Option<String>,
    absent: Absent,
) -> BookingAction {
    match kind {
        ActionKind::Decline => BookingAction::Decline(DeclineBooking { reason }),
        ActionKind::Cancel => BookingAction::Cancel(CancelBooking {
            cancellation_reason: reason,
            ..CancelBooking::default()
        }),
        ActionKind::MarkAbsent => {
            let absence = |attendee: &booking_wire::Attendee| Absence {
                email: attendee.email.clone(),
                absent: true,
            };
            let attendees = || booking.attendees.iter().map(absence).collect();
            BookingAction::MarkAbsent(MarkAbsent {
                host: (absent != Absent::Attendees).then_some(true),
                attendees: (absent != Absent::Hosts).then(attendees),
            })
        }
        _ => BookingAction::Confirm,
    }
}
