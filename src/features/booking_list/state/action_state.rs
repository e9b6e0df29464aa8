//! State of the booking actions. Views import it; it imports no view.

pub(crate) mod draft;
pub mod model;

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::MarkAbsent;

use draft::ActionDraft;
use model::ActionKind;

use crate::client::ApiError;
use crate::client::operations::booking_actions::BookingAction;

/// Most answers that wait to be sent.
const MAX_ANSWERS: usize = 3;

/// State of the actions in the details. Owned by the list, so that it survives a redraw of the rows.
#[derive(Clone, Copy)]
pub(crate) struct ActionsState {
    /// Booking and action of the open form.
    open: RwSignal<Option<(String, ActionKind)>>,
    /// Booking and action of the draft, which stays while its form is closed.
    drafted: RwSignal<Option<(String, ActionKind)>>,
    /// Answers that are not sent yet, or whose result is not known yet.
    answers: RwSignal<Vec<WaitingAnswer>>,
    /// Bookings with a request in progress.
    busy: RwSignal<Vec<String>>,
    /// Result of the last action, by booking.
    results: RwSignal<Vec<ActionResult>>,
    pub(crate) draft: ActionDraft,
    pub(crate) bulk: RwSignal<BulkState>,
}

/// Work after an action.
pub(crate) type Next = Box<dyn FnOnce()>;

/// Answer to a booking that is shown at once and sent some seconds later, so that it can be taken back.
#[derive(Clone)]
pub(crate) struct WaitingAnswer {
    pub(crate) uid: String,
    pub(crate) kind: ActionKind,
    /// Text of the notice.
    pub(crate) text: String,
    /// Sends it, then does the next work.
    pub(crate) send: Rc<dyn Fn(Option<Next>)>,
    pub(crate) is_sent: bool,
}

/// Result of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActionResult {
    pub(crate) uid: String,
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) is_success: bool,
    /// Request that takes it back.
    pub(crate) undo: Option<MarkAbsent>,
    /// Action whose result is unknown, if it is.
    pub(crate) unknown: Option<UnknownResult>,
    /// Action and booking for a notice: the booking has no row on the page.
    pub(crate) notice: Option<String>,
}

/// Action with an unknown result, and the error that it ended in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownResult {
    pub(crate) kind: ActionKind,
    pub(crate) action: BookingAction,
    pub(crate) error: ApiError,
}

impl ActionResult {
    /// Result without texts, as a base of others.
    pub(crate) fn of(uid: &str) -> Self {
        Self {
            uid: uid.to_owned(),
            title: String::new(),
            text: String::new(),
            is_success: true,
            undo: None,
            unknown: None,
            notice: None,
        }
    }
}

impl ActionsState {
    pub(crate) fn new() -> Self {
        Self {
            open: RwSignal::new(None),
            drafted: RwSignal::new(None),
            answers: RwSignal::new(Vec::new()),
            busy: RwSignal::default(),
            results: RwSignal::default(),
            draft: ActionDraft::new(),
            bulk: RwSignal::new(BulkState::Closed),
        }
    }

    /// True if a bulk action is running or shows its result, regardless of the selection.
    pub(crate) fn is_bulk_active(self) -> bool {
        self.bulk
            .with(|state| matches!(state, BulkState::Running(_) | BulkState::Done(_)))
    }

    pub(crate) fn is_busy(self, uid: &str) -> bool {
        self.busy.with(|busy| busy.iter().any(|other| other == uid))
    }

    /// Answers that are not sent yet.
    pub(crate) fn answers(self) -> Vec<WaitingAnswer> {
        let mut answers = self.answers.get();
        answers.retain(|answer| !answer.is_sent);
        answers
    }

    /// Answer to `uid` that is not sent yet, or whose result is not known yet.
    pub(crate) fn answer_of(self, uid: &str) -> Option<ActionKind> {
        self.answers.with(|answers| {
            let answer = answers.iter().find(|answer| answer.uid == uid)?;
            Some(answer.kind)
        })
    }

    /// Adds an answer. The oldest one is sent if there are too many.
    pub(crate) fn add_answer(self, answer: WaitingAnswer) {
        self.answers.update(|answers| answers.push(answer));
        let answers = untrack(|| self.answers());
        if let Some(oldest) = answers.first().filter(|_| answers.len() > MAX_ANSWERS) {
            self.send_answer(&oldest.uid, None);
        }
    }

    /// Takes an answer back.
    pub(crate) fn undo_answer(self, uid: &str) {
        self.answers
            .update(|answers| answers.retain(|answer| answer.uid != uid || answer.is_sent));
    }

    /// Takes the last answer back; false if there is none.
    pub(crate) fn undo_last_answer(self) -> bool {
        let last = untrack(|| self.answers()).pop();
        if let Some(answer) = &last {
            self.undo_answer(&answer.uid);
        }
        last.is_some()
    }

    /// Sends the answer to `uid` now, then does the next work. Returns that work if there is no answer.
    pub(crate) fn send_answer(self, uid: &str, next: Option<Next>) -> Option<Next> {
        let is_unsent = |answer: &&mut WaitingAnswer| answer.uid == uid && !answer.is_sent;
        // The list may be unmounted.
        let mut answers = self.answers.try_get_untracked().unwrap_or_default();
        let Some(answer) = answers.iter_mut().find(is_unsent) else {
            return next;
        };
        answer.is_sent = true;
        let send = Rc::clone(&answer.send);
        self.answers.set(answers);
        send(next);
        None
    }

    /// Sends all answers now.
    pub(crate) fn send_answers(self) {
        let answers = self.answers.try_get_untracked().unwrap_or_default();
        for answer in answers {
            self.send_answer(&answer.uid, None);
        }
    }

    /// Action of `uid` whose form is open.
    pub(crate) fn open_action(self, uid: &str) -> Option<ActionKind> {
        self.open.with(|open| {
            let (booking, action) = open.as_ref()?;
            (booking == uid).then_some(*action)
        })
    }

    /// [`ActionsState::open_action`], compared with `action` and untracked.
    pub(crate) fn is_open(self, uid: &str, action: ActionKind) -> bool {
        untrack(|| self.open_action(uid)) == Some(action)
    }

    /// True if the form of another booking than `uid` is open. Untracked.
    pub(crate) fn has_other_form(self, uid: &str) -> bool {
        let is_other = |(other, _): &(String, ActionKind)| other != uid;
        self.open
            .with_untracked(|open| open.as_ref().is_some_and(is_other))
    }

    /// Booking whose form is open. Untracked.
    pub(crate) fn open_form(self) -> Option<String> {
        self.open
            .with_untracked(|open| open.as_ref().map(|(uid, _)| uid.clone()))
    }

    /// Opens the form of an action. What was typed in it before is kept, unless another form was opened since.
    pub(crate) fn open(self, uid: &str, action: ActionKind) {
        self.send_answer(uid, None);
        let form = Some((uid.to_owned(), action));
        if self.drafted.get_untracked() == form {
            self.draft.resume();
        } else {
            self.draft.clear();
            self.drafted.set(form.clone());
        }
        self.clear_result(uid);
        self.open.set(form);
    }

    /// Closes the form; its draft is kept.
    pub(crate) fn close(self) {
        self.open.set(None);
    }

    /// Discards the draft of an action that is done or not wanted, and closes its form.
    pub(crate) fn discard(self, uid: &str, action: ActionKind) {
        let form = Some((uid.to_owned(), action));
        if self.drafted.get_untracked() == form {
            self.drafted.set(None);
        }
        if self.open.get_untracked() == form {
            self.close();
        }
    }

    pub(crate) fn result(self, uid: &str) -> Option<ActionResult> {
        self.results
            .with(|results| results.iter().find(|result| result.uid == uid).cloned())
    }

    pub(crate) fn show_result(self, result: ActionResult) {
        self.clear_result(&result.uid);
        self.results.update(|results| results.push(result));
    }

    /// Failures of bookings that have no row on the page.
    pub(crate) fn failures(self) -> Vec<ActionResult> {
        let mut results = self.results.get();
        results.retain(|result| result.notice.is_some());
        results
    }

    pub(crate) fn clear_result(self, uid: &str) {
        self.results
            .update(|results| results.retain(|result| result.uid != uid));
    }

    /// Marks as busy; false if it already is.
    pub(crate) fn begin(self, uid: &str) -> bool {
        let is_busy = untrack(|| self.is_busy(uid));
        if !is_busy {
            self.clear_result(uid);
            self.busy.update(|busy| busy.push(uid.to_owned()));
        }
        !is_busy
    }

    pub(crate) fn end(self, uid: &str) {
        self.answers
            .update(|answers| answers.retain(|answer| answer.uid != uid || !answer.is_sent));
        self.busy.update(|busy| busy.retain(|other| other != uid));
    }
}

/// State of a bulk action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BulkState {
    Closed,
    /// Bookings are being loaded for the chosen action.
    Loading(ActionKind),
    /// Loading has failed and can be resumed.
    LoadFailed(ActionKind, ApiError),
    /// Waits for the confirmation.
    Confirming(ActionKind),
    Running(ActionKind),
    Done(ActionKind),
}

impl BulkState {
    pub(crate) fn action(&self) -> Option<ActionKind> {
        match self {
            Self::Closed => None,
            Self::Loading(action)
            | Self::LoadFailed(action, _)
            | Self::Confirming(action)
            | Self::Running(action)
            | Self::Done(action) => Some(*action),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn answer_is_sent_once_before_the_next_work() {
        Owner::new().with(|| {
            let actions = ActionsState::new();
            let sent = Rc::new(RefCell::new(Vec::new()));
            let add = |uid: &str| {
                let (log, name) = (Rc::clone(&sent), uid.to_owned());
                let send = move |next: Option<Next>| {
                    log.borrow_mut().push(name.clone());
                    if let Some(next) = next {
                        next();
                    }
                };
                actions.add_answer(WaitingAnswer {
                    uid: uid.to_owned(),
                    kind: ActionKind::Confirm,
                    text: String::new(),
                    send: Rc::new(send),
                    is_sent: false,
                });
            };
            let sent_uids = || sent.borrow().join(" ");
            for uid in ["a", "b", "c", "d"] {
                add(uid);
            }
            assert_eq!(sent_uids(), "a", "only three wait");
            let log = Rc::clone(&sent);
            let next: Next = Box::new(move || log.borrow_mut().push("next".to_owned()));
            assert!(actions.send_answer("c", Some(next)).is_none());
            assert!(actions.send_answer("c", None).is_none());
            assert_eq!(sent_uids(), "a c next");
            // Shown until its result is known, but not taken back any more.
            actions.undo_answer("c");
            assert_eq!(actions.answer_of("c"), Some(ActionKind::Confirm));
            actions.end("c");
            assert_eq!(actions.answer_of("c"), None);
            assert!(actions.undo_last_answer());
            assert_eq!(actions.answer_of("d"), None);
            actions.send_answers();
            assert_eq!(sent_uids(), "a c next b");
            assert!(!actions.undo_last_answer());
            // Without an answer, the next work is the caller's.
            assert!(actions.send_answer("z", Some(Box::new(|| {}))).is_some());
        });
    }
}
