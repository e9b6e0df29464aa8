//! Context of the actions on one booking: its panel, and the request of an action.

use std::rc::Rc;

use booking_rules::Policy;
use booking_ui::prelude::*;
use booking_wire::{Booking, Instant, MarkAbsent};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, ShadowRoot};

use super::super::state::action_state::model::{ActionFacts, ActionKind};
use super::super::state::action_state::{ActionResult, Next, UnknownResult};
use super::execute::{self, Outcome, OutcomeFuture, done_text, failure_text, undo_of};
use super::labels::{action_label, button_selector, event_of};
use crate::client::operations::booking_actions::BookingAction;
use crate::components::StatusLine;
use crate::components::focus::focus_first_soon;
use crate::features::booking_list::formatting::attendee_or_title;
use crate::features::booking_list::state::list_state::{List, ListContext};
use crate::i18n::Key;

/// Context of the actions on one booking.
#[derive(Clone)]
pub(super) struct ActionContext {
    pub(super) list: List,
    pub(super) booking: Rc<Booking>,
    pub(super) panel: HtmlElement,
    pub(super) status_line: StatusLine,
}

impl ActionContext {
    pub(super) fn uid(&self) -> &str {
        &self.booking.uid.0
    }

    /// Action or status, person and start of a booking.
    pub(super) fn text_of(&self, act: &str) -> String {
        let ListContext {
            texts,
            formats,
            settings,
            ..
        } = self.list.context;
        let booking = &self.booking;
        let name = attendee_or_title(booking, texts);
        let zone = settings.zone.get_untracked();
        let day = formats.brief_day(formats.day_of(booking.start, &zone));
        let time = untrack(|| settings.time(formats, booking.start));
        let what = [name, texts.list_separator(), &day, " ", &time].concat();
        texts.fill(Key::ActOnBooking, &[("act", act), ("title", &what)])
    }

    /// Closes the form and returns the focus to the action's button.
    pub(super) fn close_form(&self, kind: ActionKind) {
        self.list.actions.close();
        focus_first_soon(self.panel.clone(), button_selector(kind));
    }

    /// Discards the draft of the form, closes it and returns the focus to the action's button.
    pub(super) fn discard_form(&self, kind: ActionKind) {
        self.list.actions.discard(self.uid(), kind);
        focus_first_soon(self.panel.clone(), button_selector(kind));
    }

    /// Takes back absences that have just been marked. The focus stays in the panel, whose button disappears.
    pub(super) fn undo(&self, absences: MarkAbsent) {
        // Fails only for a removed element, which needs no focus.
        let _ = self.panel.focus();
        let first = ".act-form input".to_owned();
        self.perform(
            ActionKind::MarkAbsent,
            BookingAction::MarkAbsent(absences),
            Some(first),
        );
    }

    /// True if the focus is in the panel, where a redraw would lose it.
    fn has_focus(&self) -> bool {
        let root = self.panel.get_root_node();
        let focused = root
            .dyn_ref::<ShadowRoot>()
            .map_or_else(|| document().active_element(), |root| root.active_element());
        self.panel.contains(focused.as_deref())
    }

    /// Moves the focus to the booking's current panel, redrawn or not.
    pub(super) fn restore_focus(&self, selector: Option<String>) {
        self.focus_panel_of(self.uid(), selector);
    }

    /// Moves the focus to the panel of the booking `uid`.
    pub(super) fn focus_panel_of(&self, uid: &str, selector: Option<String>) {
        let (root, uid) = (self.panel.get_root_node(), uid.to_owned());
        let focus = move || {
            // Documents and shadow roots share `querySelectorAll`.
            let root: &web_sys::Element = root.unchecked_ref();
            let panels = root.query_selector_all("[data-acts]").ok()?;
            let panel = (0..panels.length())
                .filter_map(|index| panels.get(index)?.dyn_into::<HtmlElement>().ok())
                .find(|panel| panel.get_attribute("data-acts").as_deref() == Some(uid.as_str()))?;
            let inner = selector.as_deref().and_then(|selector| {
                let target = panel.query_selector(selector).ok().flatten()?;
                target.dyn_into::<HtmlElement>().ok()
            });
            inner.unwrap_or(panel).focus().ok()
        };
        // Rows are redrawn in the frame after the next at the latest.
        request_animation_frame(move || {
            request_animation_frame(move || {
                focus();
            });
        });
    }

    /// Performs `action` once and reports the result. `selector` finds the focus target afterwards, by
    /// default the panel. An answer that waits to be sent comes first.
    pub(super) fn perform(
        &self,
        kind: ActionKind,
        action: BookingAction,
        selector: Option<String>,
    ) {
        let context = self.clone();
        let perform: Next = Box::new(move || context.perform_now(kind, action, selector, None));
        if let Some(perform) = self.list.actions.send_answer(self.uid(), Some(perform)) {
            perform();
        }
    }

    /// Performs `action`, then does the next work.
    pub(super) fn perform_now(
        &self,
        kind: ActionKind,
        action: BookingAction,
        selector: Option<String>,
        next: Option<Next>,
    ) {
        if !self.list.actions.begin(self.uid()) {
            return;
        }
        let session = self.list.context.session();
        let outcome = execute::perform(session, Rc::clone(&self.booking), action.clone());
        self.report(kind, action, selector, next, outcome);
    }

    /// Looks at the booking again after an action with an unknown result, which is not repeated.
    pub(super) fn check_again(&self, unknown: UnknownResult) {
        if !self.list.actions.begin(self.uid()) {
            return;
        }
        // Fails only for a removed element. The button disappears.
        let _ = self.panel.focus();
        let UnknownResult {
            kind,
            action,
            error,
        } = unknown;
        let session = self.list.context.session();
        let outcome = execute::check(session, Rc::clone(&self.booking), action.clone(), error);
        self.report(kind, action, None, None, outcome);
    }

    /// Waits for the outcome of `action` and shows it.
    fn report(
        &self,
        kind: ActionKind,
        action: BookingAction,
        selector: Option<String>,
        next: Option<Next>,
        outcome: OutcomeFuture,
    ) {
        let Self {
            list,
            booking,
            status_line,
            ..
        } = self.clone();
        let actions = list.actions;
        let context = self.clone();
        let page = list.context.page();
        spawn_local(async move {
            let outcome = outcome.await;
            if matches!(outcome, Outcome::Done(_)) {
                page.emit(&event_of(context.uid(), kind));
            }
            if list.is_disposed() {
                return;
            }
            let texts = list.context.texts;
            let had_focus = context.has_focus();
            actions.end(context.uid());
            actions.draft.clear_pending();
            let result = match outcome {
                Outcome::Done(bookings) => {
                    let text = done_text(&action, &booking, &bookings, texts);
                    status_line.set_text(text.clone());
                    if kind != ActionKind::MarkAbsent {
                        actions.discard(context.uid(), kind);
                    }
                    list.apply_changes(bookings);
                    if had_focus {
                        context.restore_focus(selector);
                    }
                    ActionResult {
                        title: text,
                        undo: undo_of(&action, &booking),
                        ..ActionResult::of(context.uid())
                    }
                }
                outcome => {
                    let (title, text) = failure_text(&outcome, &booking, texts);
                    let unknown = match &outcome {
                        Outcome::Unknown(error) => Some(UnknownResult {
                            kind,
                            action: action.clone(),
                            error: error.clone(),
                        }),
                        _ => None,
                    };
                    status_line.set_text([title.as_str(), &text].join(" "));
                    let mut is_outdated = false;
                    if let Outcome::Unchanged(current) | Outcome::Declined(_, Some(current)) =
                        outcome
                    {
                        is_outdated = current.status != booking.status;
                        list.apply_changes(vec![*current]);
                    }
                    if is_outdated && actions.is_open(context.uid(), kind) {
                        actions.close();
                    }
                    // The details show what went wrong, unless the form of another booking is open.
                    if !actions.has_other_form(context.uid()) && list.rows.has(context.uid()) {
                        list.table.expand(context.uid());
                    }
                    if had_focus && (is_outdated || kind == ActionKind::MarkAbsent) {
                        context.restore_focus(selector.filter(|_| !is_outdated));
                    } else if had_focus && !context.panel.has_attribute("data-acts") {
                        // The buttons of an open row are in its details alone.
                        context.restore_focus(Some(button_selector(kind).to_owned()));
                    }
                    ActionResult {
                        title,
                        text,
                        is_success: false,
                        unknown,
                        // Without a row, only a notice can say it.
                        notice: (!list.rows.has(context.uid()))
                            .then(|| context.text_of(action_label(kind, texts))),
                        ..ActionResult::of(context.uid())
                    }
                }
            };
            actions.show_result(result);
            if let Some(next) = next {
                next();
            }
        });
    }
}

/// Facts apart from `booking` that decide which actions are allowed.
pub(super) fn action_facts(booking: &Booking, context: ListContext, now: Instant) -> ActionFacts {
    let id = booking.event_type_id;
    let (is_round_robin, policy) = context.event_types.with_untracked(|event_types| {
        let mut event_types = event_types.ready().into_iter().flatten();
        let event_type = event_types.find(|event_type| Some(event_type.id) == id);
        // Not loaded yet: the service rejects what is forbidden.
        event_type.map_or((false, Policy::default()), |event_type| {
            let settings = &event_type.booking_settings;
            let is_round_robin = settings
                .get()
                .is_some_and(|settings| settings.is_round_robin);
            (is_round_robin, Policy::of_settings(settings.value()))
        })
    });
    ActionFacts {
        is_round_robin,
        policy,
        now,
    }
}
