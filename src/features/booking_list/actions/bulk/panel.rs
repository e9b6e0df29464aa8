//! View of a bulk action.

use std::rc::Rc;

use booking_wire::Booking;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::{Absent, Bulk, BulkState, counted};
use crate::client::ApiError;
use crate::components::focus::focus_first_soon;
use crate::components::{TextField, TextKind, button};
use crate::features::booking_list::actions::forms::radios;
use crate::features::booking_list::actions::model::{Act, allows};
use crate::features::booking_list::actions::{known, name_of, opener_of, weight_of};
use crate::features::booking_list::list_state::List;
use crate::features::booking_list::scope::Scope;
use crate::features::shared::error_notice::error_text;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::Signal;

/// Maximum number of results listed one by one.
const MOST_TOLD: usize = 200;

/// Bulk action buttons, with a count if not all selected bookings allow the action.
pub(in crate::features::booking_list) fn bulk_buttons(
    bulk: Bulk,
    list: List,
    scope: Signal<Option<Scope>>,
) -> Node {
    // `None` for all matching bookings: they are not loaded yet.
    let counts = Signal::memo(move || {
        // The event types decide what is allowed.
        list.event_types.with(|_| ());
        let now = bulk.clock.now();
        list.selection.these(|bookings| {
            let count = |act: Act| {
                let allow =
                    |booking: &&Rc<Booking>| allows(act, booking, known(booking, list, now));
                bookings.iter().filter(allow).count()
            };
            (Act::FOR_MANY.map(|act| (act, count(act))), bookings.len())
        })
    });
    let buttons = Act::FOR_MANY.map(|act| {
        let count = move || {
            let (counts, all) = counts.get()?;
            let (_, count) = counts.into_iter().find(|(known, _)| *known == act)?;
            Some((count, all))
        };
        let words = move || {
            let name = name_of(act, list.texts);
            match count() {
                Some((count, all)) if count < all => {
                    let count = list.texts.number(count as i64);
                    let values = [("act", name), ("count", &count)];
                    list.texts.fill(Key::ActForSome, &values)
                }
                _ => name.to_owned(),
            }
        };
        let press = move || bulk.begin(list, act, scope.get_untracked());
        let name = opener_of(act).split('\'').nth(1).unwrap_or_default();
        button("button act", press)
            .attr("data-act", name)
            .attr_with("aria-expanded", move || {
                let open = bulk.stage.with(BulkState::act);
                Some((open == Some(act)).to_string())
            })
            .flag_with("aria-disabled", move || bulk.is_running())
            .flag_with("hidden", move || {
                count().is_some_and(|(count, _)| count == 0)
            })
            .text_with(words)
    });
    el("div").class("acts-row").child(fragment_of(buttons))
}

/// Panel for the confirmation, the progress and the results.
pub(in crate::features::booking_list) fn bulk_panel(bulk: Bulk, list: List) -> Node {
    let texts = list.texts;
    let shown = move || {
        let content = match bulk.stage.get() {
            BulkState::Rest => return None,
            BulkState::Looking(_) => bulk.looking(texts),
            BulkState::Halted(act, error) => bulk.halted(list, act, &error),
            BulkState::Asking(act) => bulk.question(list, act),
            BulkState::Running(_) => bulk.progress(texts),
            BulkState::Done(_) => bulk.outcome(list),
        };
        Some(el("div").class("bulk").attr("part", "bulk").child(content))
    };
    fragment().child_with(shown)
}

impl Bulk {
    /// Stores the bar that contains the view.
    pub(in crate::features::booking_list) fn stands_in(self, bar: &Node) {
        self.place.set_value(Some(bar.element()));
    }

    fn close(self, texts: Translations) -> Node {
        button("button", move || self.leave()).child(texts.get(Key::Close))
    }

    fn looking(self, texts: Translations) -> Node {
        let found = move || counted(Key::BulkLooking, self.count.get(), texts);
        let stop = button("button", move || self.leave()).child(texts.get(Key::BulkStop));
        el("div")
            .class("act-form")
            .child(el("p").class("bulk-line").text_with(found))
            .child(self.pause(texts))
            .child(el("div").class("action-row").child(stop))
    }

    /// Error while loading the bookings.
    fn halted(self, list: List, act: Act, error: &ApiError) -> Node {
        let texts = list.texts;
        let (title, text) = error_text(error, texts);
        let again = move || {
            if let Some(walk) = self.walk.try_update_value(Option::take).flatten() {
                self.go_on(list, act, walk);
            }
        };
        let again = button("button-primary", again).child(texts.get(Key::TryAgain));
        el("div")
            .class("act-form acts-said")
            .child(el("p").class("acts-title").child(title))
            .child(el("p").child(text))
            .child(
                el("div")
                    .class("action-row")
                    .child(again)
                    .child(self.close(texts)),
            )
    }

    /// Confirmation form.
    fn question(self, list: List, act: Act) -> Node {
        let texts = list.texts;
        let count = self.fit.with_value(Vec::len);
        let skipped = self.skipped.get_value();
        let skipped = (skipped > 0).then(|| {
            el("p")
                .class("hint")
                .child(counted(Key::BulkSkipped, skipped, texts))
        });
        if count == 0 {
            return el("div")
                .class("act-form")
                .child(el("p").child(texts.get(Key::BulkNone)))
                .child(el("div").class("action-row").child(self.close(texts)));
        }
        let form = el("form")
            .class("act-form")
            .attr("novalidate", "")
            .attr("aria-label", name_of(act, texts));
        let node = form.element();
        let submit = move |event: web_sys::Event| {
            event.prevent_default();
            let is_missing = self
                .reason
                .with_untracked(|reason| reason.trim().is_empty());
            if is_missing && act == Act::Cancel {
                self.complains.set(true);
                focus_first_soon(node.clone(), "[aria-invalid='true']");
            } else {
                self.run(list, act);
            }
        };
        let send = el("button")
            .class(weight_of(act))
            .attr("type", "submit")
            .child(name_of(act, texts));
        form.on("submit", submit)
            .on("keydown", move |event| {
                let key: &KeyboardEvent = event.unchecked_ref();
                if key.key() == "Escape" {
                    event.stop_propagation();
                    self.leave();
                }
            })
            .child(
                el("p")
                    .class("acts-title")
                    .child(counted(Key::BulkWill, count, texts)),
            )
            .child(skipped)
            .child(self.fields(act, texts))
            .child(
                el("div")
                    .class("action-row")
                    .child(send)
                    .child(button("button", move || self.leave()).child(texts.get(Key::ActLeave))),
            )
    }

    /// Form fields of the action.
    fn fields(self, act: Act, texts: Translations) -> Option<Node> {
        let (label, is_required) = match act {
            Act::Decline => (Key::DeclineReason, false),
            Act::Cancel => (Key::HostCancelReason, true),
            Act::MarkAbsent => return Some(self.who(texts)),
            _ => return None,
        };
        let (reason, complains) = (self.reason, self.complains);
        let error = Signal::derive(move || {
            let text = texts.get(Key::Required);
            complains.get().then(|| text.to_owned())
        });
        let on_input = move |text: String| {
            reason.set(text);
            complains.set(false);
        };
        let field = view! {
            <TextField
                id="bulk-reason" label=texts.get(label) kind=TextKind::Lines value=reason on_input
                is_required error
            />
        };
        Some(field.into_inner())
    }

    /// Choice of absent participants.
    fn who(self, texts: Translations) -> Node {
        let absent = self.absent;
        let choices = [
            (Absent::Attendees, Key::Attendees),
            (Absent::Hosts, Key::Hosts),
            (Absent::Everybody, Key::AllSeats),
        ];
        let choices = choices.map(|(wanted, key)| {
            let holds: Box<dyn Fn() -> bool> = Box::new(move || absent.get() == wanted);
            let pick: Box<dyn Fn()> = Box::new(move || absent.set(wanted));
            (texts.get(key), holds, pick)
        });
        radios(texts.get(Key::WhoDidNotCome), "bulk-absent", choices)
    }

    fn progress(self, texts: Translations) -> Node {
        let total = self.fit.with_value(Vec::len);
        let told = texts.number(total as i64);
        let done = move || {
            let done = texts.number(self.count.get() as i64);
            texts.fill(Key::BulkProgress, &[("done", &done), ("total", &told)])
        };
        let stop = button("button", move || {
            self.patience.with_value(super::RetryPolicy::stop);
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
            .child(self.pause(texts))
            .child(el("div").class("action-row").child(stop))
    }

    /// Countdown while the service requires a pause.
    fn pause(self, texts: Translations) -> Node {
        fragment().child_with(move || {
            let seconds = usize::try_from(self.waits_s.get()?).unwrap_or_default();
            let words = counted(Key::BulkWaits, seconds, texts);
            Some(el("p").class("hint bulk-line").child(words))
        })
    }

    /// Summary and list of failures.
    fn outcome(self, list: List) -> Node {
        let texts = list.texts;
        let results = self.results.get_value();
        let failed: Vec<Booking> = results
            .borrow()
            .iter()
            .filter(|result| result.trouble.is_some())
            .map(|result| (*result.booking).clone())
            .collect();
        let lines: Vec<Node> = results
            .borrow()
            .iter()
            .filter_map(|result| {
                let (_, why) = result.trouble.as_ref()?;
                let title = result.booking.title.as_str();
                let name = if title.is_empty() {
                    result.booking.uid.0.as_str()
                } else {
                    title
                };
                let line = el("li")
                    .child(el("span").class("bulk-name").child(name))
                    .child(" ")
                    .child(el("span").class("person-note").child(why.as_str()));
                Some(line)
            })
            .take(MOST_TOLD)
            .collect();
        let is_good = failed.is_empty();
        let again = (!is_good).then(|| {
            let press = move || list.selection.set_only(failed.clone());
            button("button", press).child(texts.get(Key::SelectFailed))
        });
        let title = el("p")
            .class("acts-title")
            .attr("tabindex", "-1")
            .child(self.summary(texts));
        let told =
            (!lines.is_empty()).then(|| el("ul").class("bulk-results").child(fragment_of(lines)));
        el("div")
            .class(if is_good {
                "act-form acts-said acts-done"
            } else {
                "act-form acts-said"
            })
            .attr("part", "result")
            .child(title)
            .child(told)
            .child(
                el("div")
                    .class("action-row")
                    .child(again)
                    .child(self.close(texts)),
            )
    }
}
