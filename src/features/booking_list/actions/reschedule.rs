//! Moves a booking to another time with the visitors' slot picker. The application provides the
//! picker, so that the list's chunk does not contain it.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::BookingStatus;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;

use super::super::state::action_state::ActionResult;
use super::super::state::action_state::model::ActionKind;
use super::context::ActionContext;
use crate::client::query::READ_TIMEOUT_MS;
use crate::client::{Abort, Dialect};
use crate::components::{Shape, button, dialog, heading, icon};
use crate::features::booking_list::formatting::display_name;
use crate::features::booking_list::state::list_state::ListContext;
use crate::i18n::Key;

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
/// `booking-kept` if it is not moved, as the element does.
#[derive(Clone)]
pub struct Rescheduler(SendWrapper<Rc<dyn Fn(RescheduleOf) -> Node>>);

impl Rescheduler {
    /// Wraps a picker.
    pub fn new(picker: impl Fn(RescheduleOf) -> Node + 'static) -> Self {
        Self(SendWrapper::new(Rc::new(picker)))
    }
}

/// Picker in a dialog over the list.
pub(super) fn reschedule_dialog(context: &ActionContext, rescheduler: Option<Rescheduler>) -> Node {
    let Some(Rescheduler(picker)) = rescheduler else {
        return fragment();
    };
    let list = context.list;
    let texts = list.context.texts;
    let is_open = RwSignal::new(true);
    let closed_context = context.clone();
    effect(move || {
        if !is_open.get() {
            closed_context.close_form(ActionKind::Reschedule);
        }
    });
    let seat = list.actions.draft.seat();
    let mut attendees = context.booking.attendees.iter();
    let attendee = attendees.find(|attendee| seat.is_none() || attendee.seat_uid == seat);
    let name =
        attendee.map(|attendee| display_name(&attendee.name, &attendee.display_email).to_owned());
    let context = context.clone();
    let content = move || {
        let session = list.context.session();
        let settings = list.context.settings;
        let of = RescheduleOf {
            uid: context.uid().to_owned(),
            seat_uid: seat.clone(),
            base_url: session.base_url().to_owned(),
            dialect: session.dialect(),
            zone: settings.zone.with_untracked(|zone| zone.0.clone()),
            uses_12_hours: settings.uses_12_hours.get_untracked(),
        };
        let context = context.clone();
        let rescheduled = move |event: web_sys::Event| {
            is_open.set(false);
            show_rescheduled(&context, uid_in(&event));
        };
        let dismissed = move |event: web_sys::Event| {
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
                    // The picker has the title of the event type.
                    .child(heading(1).child(texts.get(Key::Reschedule)))
                    .child(
                        name.as_deref()
                            .map(|name| el("p").class("person-note").child(name)),
                    ),
            )
            .child(close);
        el("div").class("move-form").child(head).child(
            el("div")
                .class("reschedule-picker")
                .on("booking-rescheduled", rescheduled)
                .on("booking-kept", dismissed)
                .child(picker(of)),
        )
    };
    dialog(texts.get(Key::Reschedule), is_open, content)
}

/// Uid of the booking that is valid from now on, from the event.
fn uid_in(event: &web_sys::Event) -> Option<String> {
    let event: &web_sys::CustomEvent = event.unchecked_ref();
    let uid = js_sys::Reflect::get(&event.detail(), &"uid".into()).ok()?;
    uid.as_string()
}

/// Opens the new booking in the place of the old one, and announces the new time. With seats, others may stay at the
/// old time: then both bookings are kept.
fn show_rescheduled(context: &ActionContext, new_uid: Option<String>) {
    let context = context.clone();
    let list = context.list;
    let session = list.context.session();
    spawn_local(async move {
        let mut bookings = Vec::new();
        for uid in [Some(context.uid().to_owned()), new_uid]
            .into_iter()
            .flatten()
        {
            let abort = Abort::after(READ_TIMEOUT_MS);
            bookings.extend(
                session
                    .whole_booking(&uid, &abort)
                    .await
                    .unwrap_or_default(),
            );
        }
        if list.is_disposed() {
            return;
        }
        let ListContext {
            texts,
            formats,
            settings,
            ..
        } = list.context;
        let new = bookings
            .iter()
            .find(|booking| booking.uid.0 != context.uid());
        let text = match new {
            Some(new) => {
                let zone = settings.zone.get_untracked();
                let day = formats.day_title(formats.day_of(new.start, &zone));
                let time = untrack(|| settings.time(formats, new.start));
                texts.fill(Key::DoneMoved, &[("day", &day), ("time", &time)])
            }
            None => texts.get(Key::DoneChanged).to_owned(),
        };
        context.status_line.set_text(text.clone());
        let is_over = bookings
            .iter()
            .find(|booking| booking.uid.0 == context.uid())
            .is_none_or(|old| old.status == BookingStatus::Cancelled);
        let shown = new.filter(|new| is_over && list.show_moved(context.uid(), new));
        let uid = shown.map_or(context.uid(), |new| &new.uid.0).to_owned();
        if shown.is_none() {
            list.apply_changes(bookings);
        }
        list.actions.show_result(ActionResult {
            title: text,
            ..ActionResult::of(&uid)
        });
        context.focus_panel_of(&uid, None);
    });
}
