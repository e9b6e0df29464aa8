//! State of the booking actions. Views import it; it imports no view.

pub(super) mod draft;
pub mod model;

use booking_wire::MarkAbsent;
use leptos::prelude::untrack;

use draft::ActionDraft;
use model::ActionKind;

use crate::client::ApiError;
use crate::ui::signal::RwSignal;

/// State of the actions in the details. Owned by the list, so that it survives a redraw of the rows.
#[derive(Clone, Copy)]
pub(crate) struct ActionsState {
    /// Booking and action of the open form.
    open: RwSignal<Option<(String, ActionKind)>>,
    /// Booking and action of the draft, which stays while its form is closed.
    drafted: RwSignal<Option<(String, ActionKind)>>,
    /// Bookings with a request in progress.
    busy: RwSignal<Vec<String>>,
    /// Result of the last action, by booking.
    results: RwSignal<Vec<ActionResult>>,
    pub(crate) draft: ActionDraft,
    pub(crate) bulk: RwSignal<BulkState>,
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
        }
    }
}

impl ActionsState {
    pub(crate) fn new() -> Self {
        Self {
            open: RwSignal::new(None),
            drafted: RwSignal::new(None),
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

    fn clear_result(self, uid: &str) {
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
