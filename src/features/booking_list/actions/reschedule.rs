//! Moves a booking to another time with the visitors' slot picker. The application provides the
//! picker, so that the list's chunk does not contain it.

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;

use super::forms::named;
use super::{ActionContext, ActionResult};
use crate::client::{Abort, Dialect};
use crate::components::{Shape, button, dialog, heading, icon};
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment};
use crate::ui::signal::{RwSignal, effect};

/// Timeout of reading a moved booking.
const LOOK_TIMEOUT_MS: u64 = 20_000;

/// Booking to move, and its service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RescheduleOf {
    /// Booking uid.
    pub uid: String,
    /// Seat uid, if the booking has seats.
    pub seat_uid: Option<String>,
    /// Base URL.
    pub base_url: String,
    /// API dialect.
    pub dialect: Dialect,
    /// Time zone of the displayed times.
    pub zone: String,
    /// True for the 12-hour clock.
    pub uses_12_hours: bool,
}

/// Factory of pickers that move a booking. They dispatch `booking-rescheduled` once it is moved, or
/// `booking-kept` if it stays, as the element does.
#[derive(Clone)]
pub struct Rescheduler(SendWrapper<Rc<dyn Fn(RescheduleOf) -> Node>>);

impl Rescheduler {
    /// Wraps a picker.
    pub fn new(picker: impl Fn(RescheduleOf) -> Node + 'static) -> Self {
        Self(SendWrapper::new(Rc::new(picker)))
    }
}

/// Picker in a dialog over the list.
pub(super) fn dialog_of(place: &ActionContext, rescheduler: Option<Rescheduler>) -> Node {
    let Some(Rescheduler(picker)) = rescheduler else {
        return fragment();
    };
    let list = place.list;
    let texts = list.texts;
    let is_open = RwSignal::new(true);
    let held = place.clone();
    effect(move || {
        if !is_open.get() {
            held.leave(super::Act::Reschedule);
        }
    });
    let title = place.booking.title.clone();
    let seat = list.acts.draft.seat();
    let whose = place.booking.attendees.iter();
    let whose = whose
        .filter(|attendee| seat.is_some() && attendee.seat_uid == seat)
        .map(|attendee| named(&attendee.name, &attendee.display_email).to_owned())
        .next();
    let place = place.clone();
    let content = move || {
        let session = list.session();
        let settings = list.settings;
        let of = RescheduleOf {
            uid: place.uid().to_owned(),
            seat_uid: seat.clone(),
            base_url: session.base_url().to_owned(),
            dialect: session.dialect(),
            zone: settings.zone.with_untracked(|zone| zone.0.clone()),
            uses_12_hours: settings.uses_12_hours.get_untracked(),
        };
        let place = place.clone();
        let moved = move |event: web_sys::Event| {
            is_open.set(false);
            settle(&place, uid_in(&event));
        };
        let kept = move |event: web_sys::Event| {
            // The dialog closes, so the picker has nothing to show.
            event.prevent_default();
            is_open.set(false);
        };
        let close = button("button-quiet button-square", move || is_open.set(false))
            .attr("aria-label", texts.get(Key::Close))
            .child(icon(Shape::Close));
        let head = el("div")
            .class("dialog-head")
            .child(
                el("div")
                    .class("dialog-title")
                    .child(heading(1).child(title.as_str()))
                    .child(
                        whose
                            .as_deref()
                            .map(|name| el("p").class("person-note").child(name)),
                    ),
            )
            .child(close);
        el("div").class("move-form").child(head).child(
            el("div")
                .class("reschedule-picker")
                .on("booking-rescheduled", moved)
                .on("booking-kept", kept)
                .child(picker(of)),
        )
    };
    dialog(texts.get(Key::Reschedule), is_open, content)
}

/// Uid of the booking that is valid from now on, from the event.
fn uid_in(event: &web_sys::Event) -> Option<String> {
    let news: &web_sys::CustomEvent = event.unchecked_ref();
    let uid = js_sys::Reflect::get(&news.detail(), &"uid".into()).ok()?;
    uid.as_string()
}

/// Shows both bookings in their current state and announces the new time.
fn settle(place: &ActionContext, new_uid: Option<String>) {
    let place = place.clone();
    let (session, task) = (place.list.session(), place.list.in_task());
    spawn_local(async move {
        let mut found = Vec::new();
        for uid in [Some(place.uid().to_owned()), new_uid]
            .into_iter()
            .flatten()
        {
            let abort = Abort::after(LOOK_TIMEOUT_MS);
            found.extend(
                session
                    .whole_booking(&uid, &abort)
                    .await
                    .unwrap_or_default(),
            );
        }
        let Some(list) = task.get() else { return };
        let new = found.iter().find(|booking| booking.uid.0 != place.uid());
        let text = match new {
            Some(new) => {
                let zone = list.settings.zone.get_untracked();
                let day = list.formats.long_day(list.formats.day_of(new.start, &zone));
                let time = untrack(|| list.settings.time(list.formats, new.start));
                list.texts
                    .fill(Key::DoneMoved, &[("day", &day), ("time", &time)])
            }
            None => list.texts.get(Key::DoneChanged).to_owned(),
        };
        place.line.set_text(text.clone());
        list.put(found);
        list.acts.say(ActionResult {
            uid: place.uid().to_owned(),
            title: text,
            text: String::new(),
            is_good: true,
        });
        place.focus_again(None);
    });
}
