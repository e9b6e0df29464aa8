//! The same act for many bookings: asked once, a few at a time, with what became of each.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use booking_wire::{Absence, Booking, CancelBooking, DeclineBooking, MarkAbsent};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::carry::{Outcome, carry_out, trouble};
use super::model::{Act, allows};
use super::{known, name_of, news_of, weight_of};
use crate::api::booking_acts::Deed;
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{TextField, TextKind, button, use_status_line};
use crate::dom::{Html, el, nothing, row};
use crate::features::booking_list::list::List;
use crate::features::booking_list::scope::Scope;
use crate::features::booking_list::walk::{Patience, Step, Walk, pause_ms};
use crate::features::use_clock;
use crate::i18n::{Key, Texts};
use crate::signal::{RwSignal, Signal, follow};
use crate::time::Clock;

/// Requests on their way at the same time.
const MOST_AT_ONCE: usize = 4;
/// Results told one by one; the rest is counted.
const MOST_TOLD: usize = 200;

/// How far it is.
#[derive(Clone, Debug, PartialEq)]
enum Stage {
    /// Nothing is asked.
    Rest,
    /// What shall be done is known, and the bookings are being looked for: so many were met.
    Looking(Act, usize),
    /// Why, and whether at all.
    Asking(Act),
    Running(Act),
    Done(Act),
    /// The bookings could not be read.
    Failed(String, String),
}

/// What became of one of them.
struct Result {
    booking: Rc<Booking>,
    /// Nothing if it was done.
    trouble: Option<(bool, String)>,
}

/// What is shared while it runs.
#[derive(Clone, Copy)]
struct Bulk {
    list: List,
    clock: Clock,
    stage: RwSignal<Stage>,
    /// Those that allow the act, and how many do not.
    fit: StoredValue<Vec<Rc<Booking>>, LocalStorage>,
    skipped: RwSignal<usize>,
    reason: RwSignal<String>,
    complains: RwSignal<bool>,
    count: RwSignal<usize>,
    results: StoredValue<Rc<RefCell<Vec<Result>>>, LocalStorage>,
    patience: StoredValue<Patience, LocalStorage>,
}

/// What can be done with all that are selected.
pub(in crate::features::booking_list) fn bulk(list: List, scope: Signal<Option<Scope>>) -> Html {
    let texts = list.texts;
    let bulk = Bulk {
        list,
        clock: use_clock(),
        stage: RwSignal::new(Stage::Rest),
        fit: StoredValue::new_local(Vec::new()),
        skipped: RwSignal::new(0),
        reason: RwSignal::default(),
        complains: RwSignal::new(false),
        count: RwSignal::new(0),
        results: StoredValue::new_local(Rc::default()),
        patience: StoredValue::new_local(Patience::default()),
    };
    on_cleanup(move || {
        bulk.patience.try_with_value(Patience::stop);
    });
    let frame = el("div").class("bulk").attr("part", "bulk");
    let node = frame.element();
    let buttons = Act::FOR_MANY.map(|act| {
        let node = node.clone();
        let press = move || {
            bulk.begin(act, scope.get_untracked());
            focus_first_soon(node.clone(), ".act-form :is(textarea, button)");
        };
        button("button act", press)
            .attr_with("aria-expanded", move || {
                let is_open = match bulk.stage.get() {
                    Stage::Rest | Stage::Failed(..) => false,
                    Stage::Looking(open, _)
                    | Stage::Asking(open)
                    | Stage::Running(open)
                    | Stage::Done(open) => open == act,
                };
                Some(is_open.to_string())
            })
            .flag_with("aria-disabled", move || bulk.is_running())
            .add(name_of(act, texts))
    });
    let line = use_status_line();
    let shown = move || match bulk.stage.get() {
        Stage::Rest => nothing(),
        Stage::Looking(_, met) => {
            el("p")
                .class("bulk-line")
                .add(counted(Key::BulkLooking, met, texts))
        }
        Stage::Asking(act) => bulk.question(act),
        Stage::Running(act) => bulk.progress(act),
        Stage::Done(act) => bulk.outcome(act),
        Stage::Failed(title, text) => el("div")
            .class("acts-said")
            .add(el("p").class("acts-title").add(title))
            .add(el("p").add(text)),
    };
    let news = move || match bulk.stage.get() {
        Stage::Done(_) => bulk.summary(),
        _ => String::new(),
    };
    follow(move || {
        let news = news();
        if !news.is_empty() {
            line.say(news);
        }
    });
    frame
        .add(el("div").class("acts-row").add(row(buttons)))
        .add(nothing().show(shown))
}

impl Bulk {
    fn texts(self) -> Texts {
        self.list.texts
    }

    fn is_running(self) -> bool {
        self.stage
            .with(|stage| matches!(stage, Stage::Running(_) | Stage::Looking(..)))
    }

    /// Looks which of them allow `act`, and asks.
    fn begin(self, act: Act, scope: Option<Scope>) {
        if untrack(|| self.is_running()) {
            return;
        }
        let is_again = self
            .stage
            .with_untracked(|stage| *stage == Stage::Asking(act));
        if is_again {
            return self.stage.set(Stage::Rest);
        }
        self.reason.set(String::new());
        self.complains.set(false);
        self.patience.set_value(Patience::default());
        match scope {
            None => {}
            Some(Scope::These(bookings)) => {
                self.sort_out(act, bookings);
                self.stage.set(Stage::Asking(act));
            }
            Some(Scope::Matching { query, total }) => {
                self.stage.set(Stage::Looking(act, 0));
                let (list, patience) = (self.list, self.patience.get_value());
                let team = list.team();
                let session = list.session();
                let ask = Box::new(move |query, abort| {
                    let session = session.clone();
                    Box::pin(async move { session.team_bookings(team, query, abort).await }) as _
                });
                let mut walk = Walk::new(ask, query, total, patience);
                spawn_local(async move {
                    let mut all = Vec::new();
                    loop {
                        match walk.next().await {
                            Step::Page(bookings) => {
                                all.extend(bookings);
                                self.stage.set(Stage::Looking(act, all.len()));
                            }
                            Step::End => break,
                            Step::Stopped => return,
                            Step::Failed(error) => {
                                let (title, text) = crate::problem::words(&error, self.texts());
                                return self.stage.set(Stage::Failed(title, text));
                            }
                        }
                    }
                    self.sort_out(act, all);
                    self.stage.set(Stage::Asking(act));
                });
            }
        }
    }

    fn sort_out(self, act: Act, bookings: Vec<Booking>) {
        let count = bookings.len();
        let now = self.clock.now();
        let fit: Vec<Rc<Booking>> = bookings
            .into_iter()
            .filter(|booking| allows(act, booking, known(booking, self.list, now)))
            .map(Rc::new)
            .collect();
        self.skipped.set(count - fit.len());
        self.fit.set_value(fit);
    }

    /// How many it is about, and why.
    fn question(self, act: Act) -> Html {
        let texts = self.texts();
        let count = self.fit.with_value(Vec::len);
        let skipped = self.skipped.get_untracked();
        let skipped = (skipped > 0).then(|| {
            el("p")
                .class("hint")
                .add(counted(Key::BulkSkipped, skipped, texts))
        });
        let leave = move || self.stage.set(Stage::Rest);
        if count == 0 {
            return el("div")
                .class("act-form")
                .add(el("p").add(texts.get(Key::BulkNone)))
                .add(button("button", leave).add(texts.get(Key::Close)));
        }
        let label = match act {
            Act::Decline => Some((Key::DeclineReason, false)),
            Act::Cancel => Some((Key::HostCancelReason, true)),
            _ => None,
        };
        let (reason, complains) = (self.reason, self.complains);
        let error = Signal::derive(move || {
            let text = texts.get(Key::Required);
            complains.get().then(|| text.to_owned())
        });
        let field = label.map(|(label, is_required)| {
            let on_input = move |text: String| {
                reason.set(text);
                complains.set(false);
            };
            view! {
                <TextField
                    id="bulk-reason" label=texts.get(label) kind=TextKind::Lines value=reason
                    on_input is_required error
                />
            }
        });
        let form = el("form")
            .class("act-form")
            .attr("novalidate", "")
            .attr("aria-label", name_of(act, texts));
        let node = form.element();
        let submit = move |event: web_sys::Event| {
            event.prevent_default();
            let is_missing = reason.with_untracked(|reason| reason.trim().is_empty());
            if is_missing && act == Act::Cancel {
                complains.set(true);
                focus_first_soon(node.clone(), "[aria-invalid='true']");
            } else {
                self.run(act);
            }
        };
        let send = el("button")
            .class(weight_of(act))
            .attr("type", "submit")
            .add(name_of(act, texts));
        form.on("submit", submit)
            .on("keydown", move |event| {
                let key: &KeyboardEvent = event.unchecked_ref();
                if key.key() == "Escape" {
                    event.stop_propagation();
                    leave();
                }
            })
            .add(
                el("p")
                    .class("acts-title")
                    .add(counted(Key::BulkWill, count, texts)),
            )
            .add(skipped)
            .add(field)
            .add(
                el("div")
                    .class("action-row")
                    .add(send)
                    .add(button("button", leave).add(texts.get(Key::ActLeave))),
            )
    }

    fn progress(self, _act: Act) -> Html {
        let texts = self.texts();
        let total = self.fit.with_value(Vec::len);
        let told = texts.number(total as i64);
        let done = move || {
            let done = texts.number(self.count.get() as i64);
            texts.fill(Key::BulkProgress, &[("done", &done), ("total", &told)])
        };
        let waiting = self.patience.with_value(Patience::waiting);
        let wait = move || {
            let seconds = waiting.get()?;
            let seconds = usize::try_from(seconds).unwrap_or_default();
            Some(
                el("p")
                    .class("hint")
                    .add(counted(Key::BulkWaits, seconds, texts)),
            )
        };
        let stop = button("button", move || self.patience.with_value(Patience::stop))
            .add(texts.get(Key::BulkStop));
        focus_soon(&stop);
        let bar = el("progress")
            .attr("max", &total.to_string())
            .attr_with("value", move || Some(self.count.get().to_string()))
            .attr("aria-label", texts.get(Key::Acts));
        el("div")
            .class("act-form")
            .add(el("p").class("bulk-line").text_with(done))
            .add(bar)
            .add(nothing().show(wait))
            .add(el("div").class("action-row").add(stop))
    }

    /// Begins. Four go side by side; who has to wait lets all wait.
    fn run(self, act: Act) {
        let waiting: VecDeque<Rc<Booking>> =
            self.fit.with_value(|fit| fit.iter().cloned().collect());
        let waiting = Rc::new(RefCell::new(waiting));
        let results: Rc<RefCell<Vec<Result>>> = Rc::default();
        self.results.set_value(Rc::clone(&results));
        self.count.set(0);
        self.stage.set(Stage::Running(act));
        let reason = self.reason.get_untracked().trim().to_owned();
        let reason = Some(reason).filter(|reason| !reason.is_empty());
        let running = Rc::new(std::cell::Cell::new(MOST_AT_ONCE));
        for _ in 0..MOST_AT_ONCE {
            let (waiting, results) = (Rc::clone(&waiting), Rc::clone(&results));
            let (running, reason) = (Rc::clone(&running), reason.clone());
            let (list, patience) = (self.list, self.patience.get_value());
            let (session, page) = (list.session(), list.page());
            spawn_local(async move {
                while patience.rest().await {
                    let Some(booking) = waiting.borrow_mut().pop_front() else {
                        break;
                    };
                    let deed = deed_for(act, &booking, reason.clone());
                    let outcome = carry_out(session.clone(), booking.clone(), deed).await;
                    let trouble = match &outcome {
                        Outcome::Done(bookings) => {
                            page.tell(&news_of(&booking.uid.0, act));
                            list.rows.put(bookings.clone());
                            None
                        }
                        Outcome::Refused(error) => {
                            // It was not done, so that it can be asked again.
                            if let Some(pause) = pause_ms(error, usize::MAX) {
                                patience.wait(pause);
                                waiting.borrow_mut().push_front(booking);
                                continue;
                            }
                            Some((false, trouble(&outcome, list.texts).1))
                        }
                        other => Some((true, trouble(other, list.texts).1)),
                    };
                    results.borrow_mut().push(Result { booking, trouble });
                    self.count.update(|count| *count += 1);
                }
                running.set(running.get() - 1);
                if running.get() == 0 {
                    self.stage.set(Stage::Done(act));
                    // Once for all of them.
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

    fn summary(self) -> String {
        let texts = self.texts();
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

    /// What became of each.
    fn outcome(self, _act: Act) -> Html {
        let texts = self.texts();
        let results = self.results.get_value();
        let failed: Vec<Booking> = results
            .borrow()
            .iter()
            .filter(|result| result.trouble.is_some())
            .map(|result| (*result.booking).clone())
            .collect();
        let lines: Vec<Html> = results
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
                    .add(el("span").class("bulk-name").add(name))
                    .add(" ")
                    .add(el("span").class("person-note").add(why.as_str()));
                Some(line)
            })
            .take(MOST_TOLD)
            .collect();
        let is_good = failed.is_empty();
        let again = (!is_good).then(|| {
            let press = move || self.list.selection.set_only(failed.clone());
            button("button", press).add(texts.get(Key::SelectFailed))
        });
        let title = el("p")
            .class("acts-title")
            .attr("tabindex", "-1")
            .add(self.summary());
        focus_soon(&title);
        let close =
            button("button", move || self.stage.set(Stage::Rest)).add(texts.get(Key::Close));
        let list = (!lines.is_empty()).then(|| el("ul").class("bulk-results").add(row(lines)));
        el("div")
            .class(if is_good {
                "act-form acts-said acts-done"
            } else {
                "act-form acts-said"
            })
            .attr("part", "result")
            .add(title)
            .add(list)
            .add(el("div").class("action-row").add(again).add(close))
    }
}

/// A sentence that tells a number.
fn counted(key: Key, count: usize, texts: Texts) -> String {
    texts.fill(key, &[("count", &texts.number(count as i64))])
}

/// What is sent for each.
fn deed_for(act: Act, booking: &Booking, reason: Option<String>) -> Deed {
    match act {
        Act::Decline => Deed::Decline(DeclineBooking { reason }),
        Act::Cancel => Deed::Cancel(CancelBooking {
            cancellation_reason: reason,
            ..CancelBooking::default()
        }),
        Act::MarkAbsent => {
            let absent = |attendee: &booking_wire::Attendee| Absence {
                email: attendee.email.clone(),
                absent: true,
            };
            Deed::MarkAbsent(MarkAbsent {
                host: None,
                attendees: Some(booking.attendees.iter().map(absent).collect()),
            })
        }
        _ => Deed::Confirm,
    }
}
