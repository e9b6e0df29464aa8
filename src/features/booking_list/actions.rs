//! Booking actions in the details: the actions that a booking allows, their forms and their results.

mod bulk;
mod execute;
mod forms;
pub mod model;
mod reschedule;
pub mod reschedule_picker;

use std::rc::Rc;

use booking_wire::{Booking, BookingPolicy, Instant};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, ShadowRoot};

use super::list_state::List;
use crate::client::booking_acts::BookingAction;
use crate::components::focus::focus_first_soon;
use crate::components::{StatusLine, button, use_status_line};
use crate::element::settings::use_clock;
use crate::element::team_events::TeamEvent;
use crate::i18n::{Key, Translations};
use crate::ui::context::use_context;
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::RwSignal;

use bulk::BulkState;
pub(super) use bulk::{Bulk, bulk_buttons, bulk_panel, provide};
use execute::{Outcome, carry_out, done_text};
use forms::{Draft, form};
use model::{Act, ActionFacts, allowed};
pub use reschedule::{RescheduleOf, Rescheduler};

/// State of the actions in the details. Owned by the list, so that it survives a redraw of the rows.
#[derive(Clone, Copy)]
pub(super) struct BookingActions {
    /// Booking and action of the open form.
    opened: RwSignal<Option<(String, Act)>>,
    /// Bookings with a request in progress.
    busy: RwSignal<Vec<String>>,
    /// Result of the last action, by booking.
    said: RwSignal<Vec<ActionResult>>,
    draft: Draft,
    /// Stage of the bulk action.
    many: RwSignal<BulkState>,
}

/// Result of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ActionResult {
    uid: String,
    title: String,
    text: String,
    is_good: bool,
}

impl BookingActions {
    pub(super) fn new() -> Self {
        Self {
            opened: RwSignal::new(None),
            busy: RwSignal::default(),
            said: RwSignal::default(),
            draft: Draft::new(),
            many: RwSignal::new(BulkState::Rest),
        }
    }

    /// True if a bulk action is running or shows its result, whatever the selection.
    pub(super) fn is_doing_many(self) -> bool {
        self.many
            .with(|stage| matches!(stage, BulkState::Running(_) | BulkState::Done(_)))
    }

    fn is_busy(self, uid: &str) -> bool {
        self.busy.with(|busy| busy.iter().any(|known| known == uid))
    }

    fn is_open(self, uid: &str, act: Act) -> bool {
        self.opened.with(|opened| {
            let opened = opened.as_ref();
            opened.is_some_and(|(known, open)| known == uid && *open == act)
        })
    }

    fn open(self, uid: &str, act: Act) {
        self.draft.clear();
        self.forget(uid);
        self.opened.set(Some((uid.to_owned(), act)));
    }

    fn close(self) {
        self.opened.set(None);
    }

    fn forget(self, uid: &str) {
        self.said.update(|said| said.retain(|said| said.uid != uid));
    }

    fn say(self, said: ActionResult) {
        self.forget(&said.uid);
        self.said.update(|all| all.push(said));
    }

    /// Marks as busy; false if it already is.
    fn begin(self, uid: &str) -> bool {
        let is_busy = self
            .busy
            .with_untracked(|busy| busy.iter().any(|known| known == uid));
        if !is_busy {
            self.forget(uid);
            self.busy.update(|busy| busy.push(uid.to_owned()));
        }
        !is_busy
    }

    fn end(self, uid: &str) {
        self.busy.update(|busy| busy.retain(|known| known != uid));
    }
}

/// Other facts that decide on the actions.
fn known(booking: &Booking, list: List, now: Instant) -> ActionFacts {
    let id = booking.event_type_id;
    let (is_round_robin, policy) = list.event_types.with_untracked(|known| {
        let mut known = known.ready().into_iter().flatten();
        let found = known.find(|event_type| Some(event_type.id) == id);
        // Not loaded yet: the service rejects what is forbidden.
        found.map_or((false, BookingPolicy::default()), |event_type| {
            (event_type.is_round_robin, event_type.policy)
        })
    });
    ActionFacts {
        is_round_robin,
        policy,
        now,
    }
}

/// Actions that `booking` allows, the form of the open one and the result of the last one.
pub(super) fn acts(booking: &Booking, list: List) -> Node {
    let List { texts, acts, .. } = list;
    let booking = Rc::new(booking.clone());
    let uid = booking.uid.0.clone();
    let rescheduler = use_context::<Rescheduler>();
    let mut offered = allowed(&booking, known(&booking, list, use_clock().now()));
    offered.retain(|act| *act != Act::Reschedule || rescheduler.is_some());

    let panel = el("div")
        .class("acts")
        .attr("part", "actions")
        .attr("role", "group")
        .attr("aria-label", texts.get(Key::Acts))
        .attr("tabindex", "-1")
        .attr("data-acts", &uid);
    let place = ActionContext {
        list,
        booking: booking.clone(),
        panel: panel.element(),
        line: use_status_line(),
    };
    let buttons = offered.iter().map(|act| opener(*act, &place));
    let buttons =
        (!offered.is_empty()).then(|| el("div").class("acts-row").child(fragment_of(buttons)));
    let said = {
        let uid = uid.clone();
        move || {
            let said = acts
                .said
                .with(|said| said.iter().find(|said| said.uid == uid).cloned())?;
            Some(told(&said))
        }
    };
    let asked = move || {
        let act = acts.opened.with(|opened| {
            let opened = opened.as_ref().filter(|(known, _)| *known == uid);
            opened.map(|(_, act)| *act)
        })?;
        // It may have become impossible since.
        offered.contains(&act).then(|| match act {
            Act::Reschedule if acts.draft.is_picking(&place.booking) => {
                reschedule::dialog_of(&place, rescheduler.clone())
            }
            _ => form(act, &place),
        })
    };
    panel
        .child(buttons)
        .child(fragment().child_with(said))
        .child(fragment().child_with(asked))
}

/// Context of an action.
#[derive(Clone)]
struct ActionContext {
    list: List,
    booking: Rc<Booking>,
    panel: HtmlElement,
    line: StatusLine,
}

impl ActionContext {
    fn uid(&self) -> &str {
        &self.booking.uid.0
    }

    /// Closes the form and returns the focus to the action's button.
    fn leave(&self, act: Act) {
        self.list.acts.close();
        focus_first_soon(self.panel.clone(), opener_of(act));
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
    fn focus_again(&self, selector: Option<String>) {
        let (root, uid) = (self.panel.get_root_node(), self.uid().to_owned());
        let find = move || {
            // Documents and shadow roots share `querySelectorAll`.
            let root: &web_sys::Element = root.unchecked_ref();
            let panels = root.query_selector_all("[data-acts]").ok()?;
            let panel = (0..panels.length())
                .filter_map(|place| panels.get(place)?.dyn_into::<HtmlElement>().ok())
                .find(|panel| panel.get_attribute("data-acts").as_deref() == Some(uid.as_str()))?;
            let inner = selector.as_deref().and_then(|selector| {
                let found = panel.query_selector(selector).ok().flatten()?;
                found.dyn_into::<HtmlElement>().ok()
            });
            inner.unwrap_or(panel).focus().ok()
        };
        // Rows are redrawn in the frame after the next at the latest.
        request_animation_frame(move || {
            request_animation_frame(move || {
                find();
            });
        });
    }

    /// Performs `deed` once and reports the result. `selector` finds the focus target afterwards, by
    /// default the panel.
    fn perform(&self, act: Act, deed: BookingAction, selector: Option<String>) {
        let Self {
            list,
            booking,
            line,
            ..
        } = self.clone();
        let acts = list.acts;
        if !acts.begin(self.uid()) {
            return;
        }
        let place = self.clone();
        let (session, page, task) = (list.session(), list.page(), list.in_task());
        spawn_local(async move {
            let outcome = carry_out(session, booking.clone(), deed.clone()).await;
            if matches!(outcome, Outcome::Done(_)) {
                page.emit(&news_of(place.uid(), act));
            }
            let Some(list) = task.get() else { return };
            let had_focus = place.has_focus();
            acts.end(place.uid());
            acts.draft.settle();
            let said = match outcome {
                Outcome::Done(bookings) => {
                    let text = done_text(&deed, &booking, &bookings, list.texts);
                    line.set_text(text.clone());
                    if act != Act::MarkAbsent && acts.is_opened(place.uid(), act) {
                        acts.close();
                    }
                    list.put(bookings);
                    if had_focus {
                        place.focus_again(selector);
                    }
                    ActionResult {
                        uid: place.uid().to_owned(),
                        title: text,
                        text: String::new(),
                        is_good: true,
                    }
                }
                outcome => {
                    let (title, text) = execute::trouble(&outcome, &booking, list.texts);
                    line.set_text(join(&title, &text));
                    let mut is_overtaken = false;
                    if let Outcome::Unchanged(found) | Outcome::Refused(_, Some(found)) = outcome {
                        is_overtaken = found.status != booking.status;
                        list.put(vec![*found]);
                    }
                    if is_overtaken && acts.is_opened(place.uid(), act) {
                        acts.close();
                    }
                    if had_focus && (is_overtaken || act == Act::MarkAbsent) {
                        place.focus_again(selector.filter(|_| !is_overtaken));
                    }
                    ActionResult {
                        uid: place.uid().to_owned(),
                        title,
                        text,
                        is_good: false,
                    }
                }
            };
            acts.say(said);
        });
    }
}

impl BookingActions {
    fn is_opened(self, uid: &str, act: Act) -> bool {
        untrack(|| self.is_open(uid, act))
    }
}

fn join(title: &str, text: &str) -> String {
    let mut all = title.to_owned();
    all.push(' ');
    all.push_str(text);
    all
}

/// Event that notifies the page.
fn news_of(uid: &str, act: Act) -> TeamEvent {
    let uid = uid.to_owned();
    let what = match act {
        Act::Confirm => return TeamEvent::BookingConfirmed { uid },
        Act::Decline => return TeamEvent::BookingDeclined { uid },
        Act::Cancel => return TeamEvent::BookingCancelled { uid },
        Act::MarkAbsent => "absence",
        Act::AddGuests => "guests",
        Act::Relocate => "location",
        Act::Reassign => "host",
        Act::Reschedule => "time",
    };
    TeamEvent::BookingChanged { uid, what }
}

/// Class of the submit button: actions that end a booking look dangerous.
fn weight_of(act: Act) -> &'static str {
    match act {
        Act::Cancel | Act::Decline => "button-primary button-danger",
        _ => "button-primary",
    }
}

/// Label of an action's button.
fn name_of(act: Act, texts: Translations) -> &'static str {
    texts.get(match act {
        Act::Confirm => Key::ActConfirm,
        Act::Decline => Key::ActDecline,
        Act::MarkAbsent => Key::ActMarkAbsent,
        Act::Reschedule => Key::Reschedule,
        Act::Reassign => Key::ActReassign,
        Act::Relocate => Key::ActRelocate,
        Act::AddGuests => Key::ActAddGuests,
        Act::Cancel => Key::CancelBooking,
    })
}

fn opener_of(act: Act) -> &'static str {
    match act {
        Act::Confirm => "[data-act='confirm']",
        Act::Decline => "[data-act='decline']",
        Act::MarkAbsent => "[data-act='absent']",
        Act::Reschedule => "[data-act='reschedule']",
        Act::Reassign => "[data-act='reassign']",
        Act::Relocate => "[data-act='relocate']",
        Act::AddGuests => "[data-act='guests']",
        Act::Cancel => "[data-act='cancel']",
    }
}

/// Button of an action. Confirming needs no form; all others open one.
fn opener(act: Act, place: &ActionContext) -> Node {
    let List { texts, acts, .. } = place.list;
    let class = match act {
        Act::Confirm => "button-primary act",
        _ => "button act",
    };
    let (held, watched) = (place.clone(), place.uid().to_owned());
    let press = move || {
        if act == Act::Confirm {
            acts.close();
            return held.perform(act, BookingAction::Confirm, None);
        }
        if acts.is_opened(held.uid(), act) {
            return held.leave(act);
        }
        acts.open(held.uid(), act);
        // A dialog takes the focus itself.
        let first = ".act-form :is(input, select, textarea)";
        focus_first_soon(held.panel.clone(), first);
    };
    let name = opener_of(act).split('\'').nth(1).unwrap_or_default();
    let made = button(class, press)
        .attr("data-act", name)
        .child(name_of(act, texts));
    if act == Act::Confirm {
        let busy = watched.clone();
        return made
            .flag_with("aria-disabled", move || acts.is_busy(&busy))
            .flag_with("aria-busy", move || acts.is_busy(&watched));
    }
    if act == Act::Reschedule && !place.booking.is_seated() {
        return made.attr("aria-haspopup", "dialog");
    }
    made.attr_with("aria-expanded", move || {
        Some(acts.is_open(&watched, act).to_string())
    })
}

fn told(said: &ActionResult) -> Node {
    let class = if said.is_good {
        "acts-said acts-done"
    } else {
        "acts-said"
    };
    let text = (!said.text.is_empty()).then(|| el("p").child(said.text.as_str()));
    el("div")
        .class(class)
        .attr("part", "result")
        .child(el("p").class("acts-title").child(said.title.as_str()))
        .child(text)
}
