//! View of a bulk action.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::Booking;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::super::state::action_state::BulkState;
use super::super::state::action_state::model::{ActionKind, allows};
use super::bulk::{Absent, BulkAction, count_text};
use super::context::action_facts;
use super::forms::radio_group;
use super::labels::{action_label, button_name, submit_class};
use crate::client::ApiError;
use crate::components::focus::focus_first_soon;
use crate::components::{TextField, TextKind, button};
use crate::features::booking_list::all_pages::RetryPolicy;
use crate::features::booking_list::state::list_state::List;
use crate::features::booking_list::state::selection::Scope;
use crate::features::shared::error_notice::error_text;
use crate::i18n::{Key, Translations};

/// Maximum number of results listed one by one.
const MAX_LISTED: usize = 200;

/// Bulk action buttons, with a count if not all selected bookings allow the action.
pub(crate) fn bulk_buttons(bulk: BulkAction, list: List, scope: Signal<Option<Scope>>) -> Node {
    // `None` for all matching bookings: they are not loaded yet.
    let counts = Signal::memo(move || {
        // The event types decide what is allowed.
        list.context.event_types.with(|_| ());
        let now = bulk.clock.now();
        list.selection.with_bookings(|bookings| {
            let count = |kind: ActionKind| {
                let is_allowed = |booking: &&Rc<Booking>| {
                    allows(kind, booking, action_facts(booking, list.context, now))
                };
                bookings.iter().filter(is_allowed).count()
            };
            (
                ActionKind::BULK.map(|kind| (kind, count(kind))),
                bookings.len(),
            )
        })
    });
    let texts = list.context.texts;
    let buttons = ActionKind::BULK.map(|kind| {
        let count = move || {
            let (counts, all) = counts.get()?;
            let (_, count) = counts.into_iter().find(|(other, _)| *other == kind)?;
            Some((count, all))
        };
        let label = move || {
            let name = action_label(kind, texts);
            match count() {
                Some((count, all)) if count < all => {
                    let count = texts.number(count as i64);
                    let values = [("act", name), ("count", &count)];
                    texts.fill(Key::ActForSome, &values)
                }
                _ => name.to_owned(),
            }
        };
        let press = move || bulk.toggle(list, kind, scope.get_untracked());
        let class = match kind {
            ActionKind::Cancel => "button act act-cancel",
            _ => "button act",
        };
        button(class, press)
            .attr("data-act", button_name(kind))
            .attr_with("aria-expanded", move || {
                let open = bulk.state.with(BulkState::action);
                Some((open == Some(kind)).to_string())
            })
            .flag_with("aria-disabled", move || bulk.is_running())
            .flag_with("hidden", move || {
                count().is_some_and(|(count, _)| count == 0)
            })
            .text_with(label)
    });
    el("div").class("acts-row").child(fragment_of(buttons))
}

/// Panel for the confirmation, the progress and the results.
pub(crate) fn bulk_panel(bulk: BulkAction, list: List) -> Node {
    let texts = list.context.texts;
    let panel = move || {
        let content = match bulk.state.get() {
            BulkState::Closed => return None,
            BulkState::Loading(_) => bulk.loading_view(texts),
            BulkState::LoadFailed(kind, error) => bulk.error_view(list, kind, &error),
            BulkState::Confirming(kind) => bulk.confirmation(list, kind),
            BulkState::Running(_) => bulk.progress(texts),
            BulkState::Done(kind) => bulk.results_view(list, kind),
        };
        Some(el("div").class("bulk").attr("part", "bulk").child(content))
    };
    fragment().child_with(panel)
}

impl BulkAction {
    fn close_button(self, texts: Translations) -> Node {
        button("button", move || self.close()).child(texts.get(Key::Close))
    }

    fn loading_view(self, texts: Translations) -> Node {
        let count = move || count_text(Key::BulkLooking, self.count.get(), texts);
        let stop = button("button", move || self.close()).child(texts.get(Key::BulkStop));
        el("div")
            .class("act-form")
            .child(el("p").class("bulk-line").text_with(count))
            .child(self.countdown(texts))
            .child(el("div").class("action-row").child(stop))
    }

    /// Error while loading the bookings.
    fn error_view(self, list: List, kind: ActionKind, error: &ApiError) -> Node {
        let texts = list.context.texts;
        let (title, text) = error_text(error, texts);
        let retry = move || {
            if let Some(pages) = self.pages.try_update_value(Option::take).flatten() {
                self.load(list, kind, pages);
            }
        };
        let retry = button("button-primary", retry).child(texts.get(Key::TryAgain));
        el("div")
            .class("act-form acts-said")
            .child(el("p").class("acts-title").child(title))
            .child(el("p").child(text))
            .child(
                el("div")
                    .class("action-row")
                    .child(retry)
                    .child(self.close_button(texts)),
            )
    }

    /// Confirmation form.
    fn confirmation(self, list: List, kind: ActionKind) -> Node {
        let texts = list.context.texts;
        let count = self.eligible.with_value(Vec::len);
        if count == 0 {
            return el("div")
                .class("act-form")
                .child(el("p").child(texts.get(Key::BulkNone)))
                .child(
                    el("div")
                        .class("action-row")
                        .child(self.close_button(texts)),
                );
        }
        let form = el("form")
            .class("act-form")
            .attr("novalidate", "")
            .attr("aria-label", action_label(kind, texts));
        let form_element = form.element();
        let submit = move |event: web_sys::Event| {
            event.prevent_default();
            let is_missing = self
                .reason
                .with_untracked(|reason| reason.trim().is_empty());
            if is_missing && kind == ActionKind::Cancel {
                self.is_reason_missing.set(true);
                focus_first_soon(form_element.clone(), "[aria-invalid='true']");
            } else {
                self.run(list, kind);
            }
        };
        let label = match kind {
            // The count is in the question, and what the label names is one booking.
            ActionKind::Cancel | ActionKind::MarkAbsent => action_label(kind, texts).to_owned(),
            _ => [action_label(kind, texts), " ", &texts.number(count as i64)].concat(),
        };
        let submit_button = el("button")
            .class(submit_class(kind))
            .attr("type", "submit")
            .child(label);
        form.on("submit", submit)
            .on("keydown", move |event| {
                let key: &KeyboardEvent = event.unchecked_ref();
                if key.key() == "Escape" {
                    event.stop_propagation();
                    self.close();
                }
            })
            .child(
                el("p")
                    .class("acts-title")
                    .child(self.question(kind, count, texts)),
            )
            .child(self.fields(kind, texts))
            .child(
                el("div")
                    .class("action-row")
                    .child(button("button", move || self.close()).child(texts.get(Key::ActLeave)))
                    .child(submit_button),
            )
    }

    /// Question of the confirmation: what is done with how many bookings, and how many stay.
    fn question(self, kind: ActionKind, count: usize, texts: Translations) -> String {
        let key = match kind {
            ActionKind::Decline => Key::BulkDeclineAsk,
            ActionKind::MarkAbsent => Key::BulkAbsentAsk,
            ActionKind::Cancel => Key::BulkCancelAsk,
            _ => Key::BulkConfirmAsk,
        };
        let mut question = texts.count(key, count);
        let skipped = self.skipped.get_value();
        if skipped > 0 {
            let is_confirmed = kind == ActionKind::Confirm && self.skips_confirmed.get_value();
            let key = match is_confirmed {
                true => Key::BulkConfirmed,
                false => Key::BulkSkipped,
            };
            question.push(' ');
            question.push_str(&texts.count(key, skipped));
        }
        question
    }

    /// Form fields of the action.
    fn fields(self, kind: ActionKind, texts: Translations) -> Option<Node> {
        let (label, is_required) = match kind {
            ActionKind::Decline => (Key::DeclineReason, false),
            ActionKind::Cancel => (Key::HostCancelReason, true),
            ActionKind::MarkAbsent => return Some(self.absent_field(texts)),
            _ => return None,
        };
        let (reason, is_missing) = (self.reason, self.is_reason_missing);
        let error = Signal::derive(move || {
            let text = texts.get(Key::Required);
            is_missing.get().then(|| text.to_owned())
        });
        let on_input = move |text: String| {
            reason.set(text);
            is_missing.set(false);
        };
        let hint = texts.get(Key::ReasonIsShown);
        let field = view! {
            <TextField
                id="bulk-reason" label=texts.get(label) kind=TextKind::Lines value=reason on_input
                is_required hint error
            />
        };
        Some(field.into_inner())
    }

    /// Choice of absent participants.
    fn absent_field(self, texts: Translations) -> Node {
        let absent = self.absent;
        let choices = [
            (Absent::Attendees, Key::Attendees),
            (Absent::Hosts, Key::Hosts),
            (Absent::All, Key::AllSeats),
        ];
        let choices = choices.map(|(option, key)| {
            let is_chosen: Box<dyn Fn() -> bool> = Box::new(move || absent.get() == option);
            let pick: Box<dyn Fn()> = Box::new(move || absent.set(option));
            (texts.get(key), is_chosen, pick)
        });
        radio_group(texts.get(Key::WhoDidNotCome), choices)
    }

    fn progress(self, texts: Translations) -> Node {
        let total = self.eligible.with_value(Vec::len);
        let total_text = texts.number(total as i64);
        let done = move || {
            let done = texts.number(self.count.get() as i64);
            texts.fill(
                Key::BulkProgress,
                &[("done", &done), ("total", &total_text)],
            )
        };
        let stop = button("button", move || {
            self.retry.with_value(RetryPolicy::stop);
        })
        .child(texts.get(Key::BulkStop));
        let bar = el("progress")
            .attr("max", &total.to_string())
            .attr_with("value", move || Some(self.count.get().to_string()))
            .attr("aria-label", texts.get(Key::Acts));
        el("div")
            .class("act-form")
            .child(el("p").class("bulk-line").text_with(done))
            .child(bar)
            .child(self.countdown(texts))
            .child(el("div").class("action-row").child(stop))
    }

    /// Countdown while the service requires a pause.
    fn countdown(self, texts: Translations) -> Node {
        fragment().child_with(move || {
            let seconds = usize::try_from(self.wait_s.get()?).unwrap_or_default();
            let text = count_text(Key::BulkWaits, seconds, texts);
            Some(el("p").class("hint bulk-line").child(text))
        })
    }

    /// Summary and list of failures.
    fn results_view(self, list: List, kind: ActionKind) -> Node {
        let texts = list.context.texts;
        let results = self.results.get_value();
        let failed: Vec<Booking> = results
            .borrow()
            .iter()
            .filter(|result| result.failure.is_some())
            .map(|result| (*result.booking).clone())
            .collect();
        let lines: Vec<Node> = results
            .borrow()
            .iter()
            .filter_map(|result| {
                let (_, reason) = result.failure.as_ref()?;
                let title = result.booking.title.as_str();
                let name = if title.is_empty() {
                    result.booking.uid.0.as_str()
                } else {
                    title
                };
                let line = el("li")
                    .child(el("span").class("bulk-name").child(name))
                    .child(" ")
                    .child(el("span").class("person-note").child(reason.as_str()));
                Some(line)
            })
            .take(MAX_LISTED)
            .collect();
        let is_success = failed.is_empty();
        let select_failed = (!is_success).then(|| {
            let press = move || list.selection.set_only(failed.clone());
            button("button", press).child(texts.get(Key::SelectFailed))
        });
        let undo = (!self.undo_requests().is_empty())
            .then(|| button("button", move || self.undo(list, kind)).child(texts.get(Key::Undo)));
        let title = el("p")
            .class("acts-title")
            .attr("tabindex", "-1")
            .child(self.summary(texts));
        let failures =
            (!lines.is_empty()).then(|| el("ul").class("bulk-results").child(fragment_of(lines)));
        el("div")
            .class(if is_success {
                "act-form acts-said acts-done"
            } else {
                "act-form acts-said"
            })
            .attr("part", "result")
            .child(title)
            .child(failures)
            .child(
                el("div")
                    .class("action-row")
                    .child(undo)
                    .child(select_failed)
                    .child(self.close_button(texts)),
            )
    }
}
