//! Forms of the booking actions, each below the buttons.

use std::rc::Rc;

use booking_rules::limits::MAX_GUESTS_PER_CALL;
use booking_ui::prelude::*;
use booking_wire::formats::is_email;
use booking_wire::{Absence, MarkAbsent};
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::super::state::action_state::ActionResult;
use super::super::state::action_state::draft::ActionDraft;
use super::super::state::action_state::model::{ActionKind, LocationKind};
use super::context::ActionContext;
use super::labels::{action_label, submit_class};
use crate::client::operations::booking_actions::BookingAction;
use crate::client::query::{Load, latest};
use crate::components::focus::focus_first_soon;
use crate::components::{ChipsField, SelectField, TextField, TextKind, button};
use crate::features::booking_list::formatting::display_name;
use crate::features::shared::email_list::addresses;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::Key;

/// Form of an action.
pub(super) fn action_form(kind: ActionKind, context: &ActionContext) -> Node {
    let list = context.list;
    let (texts, actions) = (list.context.texts, list.actions);
    let draft = actions.draft;
    let fields = match kind {
        ActionKind::MarkAbsent => return absence_form(context),
        ActionKind::Decline => reason_field(Key::DeclineReason, false, context),
        ActionKind::Cancel => fragment()
            .child(seat_field(context))
            .child(series_field(context))
            .child(reason_field(Key::HostCancelReason, true, context)),
        ActionKind::AddGuests => guests_field(context),
        ActionKind::Relocate => location_fields(context),
        ActionKind::Reassign => host_fields(context),
        ActionKind::Reschedule => fragment().child(seat_field(context)),
        ActionKind::Confirm => return fragment(),
    };
    let (submit_context, uid) = (context.clone(), context.uid().to_owned());
    let is_busy = Signal::derive(move || actions.is_busy(&uid));
    let form = form_frame(kind, context);
    let form_element = form.element();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if is_busy.get_untracked() {
            return;
        }
        if kind == ActionKind::Reschedule {
            return draft.has_seat.set(true);
        }
        match draft.parse(kind) {
            Ok(action) => {
                draft.error.set(None);
                submit_context.perform(kind, action, None);
            }
            Err(error) => {
                draft.error.set(Some(error));
                focus_first_soon(form_element.clone(), "[aria-invalid='true']");
            }
        }
    };
    let submit_button = el("button")
        .class(submit_class(kind))
        .attr("type", "submit")
        .flag_with("aria-disabled", move || is_busy.get())
        .flag_with("aria-busy", move || is_busy.get())
        .text_with(move || {
            let text = if is_busy.get() {
                texts.get(Key::ActBusy)
            } else {
                action_label(kind, texts)
            };
            text.to_owned()
        });
    let leave = match kind {
        ActionKind::Cancel => Key::KeepBooking,
        _ => Key::ActLeave,
    };
    let buttons = el("div")
        .class("action-row")
        .child(close_button(kind, leave, context))
        .child(submit_button);
    form.on("submit", submit)
        .child(fields)
        .child(buttons)
        .child(slow_line(move || is_busy.get()))
}

/// Form that closes on Escape.
fn form_frame(kind: ActionKind, context: &ActionContext) -> Node {
    let closed_context = context.clone();
    el("form")
        .class("act-form")
        .attr("part", "action-form")
        .attr("novalidate", "")
        .attr("aria-label", action_label(kind, context.list.context.texts))
        .on("keydown", move |event| {
            let key: &KeyboardEvent = event.unchecked_ref();
            if key.key() == "Escape" && !event.default_prevented() {
                event.stop_propagation();
                closed_context.close_form(kind);
            }
        })
}

fn close_button(kind: ActionKind, label: Key, context: &ActionContext) -> Node {
    let closed_context = context.clone();
    button("button", move || closed_context.discard_form(kind))
        .child(context.list.context.texts.get(label))
}

fn reason_field(label: Key, is_required: bool, context: &ActionContext) -> Node {
    let texts = context.list.context.texts;
    let draft = context.list.actions.draft;
    let reason = draft.reason;
    let error = if is_required {
        draft.error_text(texts)
    } else {
        Signal::default()
    };
    let on_input = move |text: String| {
        reason.set(text);
        draft.error.set(None);
    };
    let hint = match label {
        Key::ReassignReason => "",
        _ => texts.get(Key::ReasonIsShown),
    };
    let field = view! {
        <TextField
            id="act-reason" label=texts.get(label) kind=TextKind::Lines value=reason on_input is_required
            hint error
        />
    };
    field.into_inner()
}

/// Choice for a series: this meeting, or all later ones too.
fn series_field(context: &ActionContext) -> Option<Node> {
    let texts = context.list.context.texts;
    let with_later = context.list.actions.draft.with_later;
    if !context.booking.is_recurring() {
        return None;
    }
    let choices = [(false, Key::CancelThis), (true, Key::CancelThisAndLater)];
    let choices = choices.map(|(later, key)| {
        let is_chosen: Box<dyn Fn() -> bool> = Box::new(move || with_later.get() == later);
        let pick: Box<dyn Fn()> = Box::new(move || with_later.set(later));
        (texts.get(key), is_chosen, pick)
    });
    Some(radio_group(texts.get(Key::CancelExtent), choices))
}

/// Label, checked state and change handler of a radio button.
type Radio = (&'static str, Box<dyn Fn() -> bool>, Box<dyn Fn()>);

/// Group of radio buttons.
pub(super) fn radio_group(legend: &str, choices: impl IntoIterator<Item = Radio>) -> Node {
    let group = RadioGroup::unique();
    let choices = choices.into_iter().map(|(label, is_checked, pick)| {
        let input = group
            .button()
            .checked_with(is_checked)
            .on("change", move |_| pick());
        el("label")
            .class("choice")
            .child(input)
            .child(el("span").child(label))
    });
    el("fieldset")
        .class("field")
        .child(el("legend").child(legend))
        .child(fragment_of(choices))
}

/// Choice of one seat or all, for a seated booking.
fn seat_field(context: &ActionContext) -> Option<Node> {
    let texts = context.list.context.texts;
    let seat = context.list.actions.draft.seat;
    if !context.booking.is_seated() {
        return None;
    }
    let mut options = vec![(String::new(), texts.get(Key::AllSeats).to_owned())];
    options.extend(context.booking.attendees.iter().filter_map(|attendee| {
        let name = display_name(&attendee.name, &attendee.display_email);
        Some((attendee.seat_uid.clone()?, name.to_owned()))
    }));
    let field = view! {
        <SelectField
            id="act-seat" label=texts.get(Key::CancelWhom) options=Signal::from(options) value=seat
            on_pick=move |uid: String| seat.set(uid)
        />
    };
    Some(field.into_inner())
}

fn guests_field(context: &ActionContext) -> Node {
    let texts = context.list.context.texts;
    let draft = context.list.actions.draft;
    let guests = draft.guests;
    let status_line = context.status_line;
    let change = move |all: Vec<String>| {
        guests.set(all);
        draft.error.set(None);
    };
    let hint = texts.fill(
        Key::GuestsToAddHint,
        &[("count", &texts.number(MAX_GUESTS_PER_CALL as i64))],
    );
    let field = view! {
        <ChipsField
            id="act-guests" label=texts.get(Key::GuestsToAdd) value=guests is_required=true hint
            error=draft.error_text(texts) parse=addresses is_valid=is_email
            on_change=change on_announce=move |change: String| status_line.set_text(change)
        />
    };
    field.into_inner()
}

fn kind_key(kind: LocationKind) -> Key {
    match kind {
        LocationKind::Link => Key::KindLink,
        LocationKind::Address => Key::KindAddress,
        LocationKind::Phone => Key::KindPhone,
        LocationKind::AttendeeAddress => Key::KindTheirAddress,
        LocationKind::AttendeePhone => Key::KindTheirPhone,
        LocationKind::AttendeeDefined => Key::KindOther,
    }
}

fn location_fields(context: &ActionContext) -> Node {
    let texts = context.list.context.texts;
    let draft = context.list.actions.draft;
    let ActionDraft {
        location_kind: kind,
        location,
        error,
        ..
    } = draft;
    let options = LocationKind::ALL
        .map(|(name, kind)| (name.to_owned(), texts.get(kind_key(kind)).to_owned()));
    let kinds = view! {
        <SelectField
            id="act-kind" label=texts.get(Key::PlaceKind) options=Signal::from(options.to_vec())
            value=kind
            on_pick=move |name: String| {
                kind.set(name);
                error.set(None);
            }
        />
    };
    let value = view! {
        <TextField
            id="act-place" label=texts.get(Key::NewPlace) value=location is_required=true
            error=draft.error_text(texts)
            on_input=move |text: String| {
                location.set(text);
                error.set(None);
            }
        />
    };
    fragment().child(kinds).child(value)
}

/// Choice of a new host of the event type, without the current and the mandatory ones.
fn host_fields(context: &ActionContext) -> Node {
    let booking = Rc::clone(&context.booking);
    let list = context.list;
    let texts = list.context.texts;
    let draft = list.actions.draft;
    let session = list.context.session();
    let team_id = list.context.team.team_id;
    let slug = booking
        .event_type
        .as_ref()
        .map(|booked| booked.slug.clone());
    let hosts = latest(
        move || slug.clone(),
        move |slug, abort| {
            let session = session.clone();
            async move { session.hosts_of(team_id, slug, abort).await }
        },
    );
    let response = hosts.signal();
    let options = move || {
        let mut options = vec![(String::new(), texts.get(Key::AnyHost).to_owned())];
        response.with(|response| {
            let others = response.ready().into_iter().flatten().filter(|host| {
                let id = host.id.to_string();
                !host.mandatory && booking.hosts.iter().all(|current| current.id != id)
            });
            options.extend(others.map(|host| {
                let name = host.name.as_deref().or(host.username.as_deref());
                let id = host.id.to_string();
                let name = name.unwrap_or(&id).to_owned();
                (id, name)
            }));
        });
        options
    };
    let field = view! {
        <SelectField
            id="act-host" label=texts.get(Key::NewHost) options=Signal::derive(options)
            value=draft.host
            on_pick=move |id: String| draft.host.set(id)
        />
    };
    let error = move || {
        let is_failed = response.with(|response| matches!(response, Load::Failed(_)));
        is_failed.then(|| el("p").class("hint").child(texts.get(Key::HostsMissing)))
    };
    let reason_context = context.clone();
    // Automatic reassignment takes no reason.
    let reason = move || {
        let is_chosen = draft.host.with(|host| !host.is_empty());
        is_chosen.then(|| reason_field(Key::ReassignReason, false, &reason_context))
    };
    fragment()
        .child(field)
        .child(fragment().child_with(error))
        .child_with(reason)
}

/// Checkboxes for absent participants, which change before the service has responded.
fn absence_form(context: &ActionContext) -> Node {
    let booking = &context.booking;
    let texts = context.list.context.texts;
    let hosts: Vec<&str> = booking
        .hosts
        .iter()
        .filter(|host| host.id != "unknown")
        .map(|host| display_name(&host.name, &host.display_email))
        .collect();
    let host = (!hosts.is_empty()).then(|| {
        let name = texts.fill(
            Key::HostNamed,
            &[("name", &hosts.join(texts.list_separator()))],
        );
        absence_box(context, 0, String::new(), name, booking.absent_host)
    });
    let people = booking
        .attendees
        .iter()
        .enumerate()
        .map(|(index, attendee)| {
            let name = display_name(&attendee.name, &attendee.display_email).to_owned();
            let email = attendee.email.clone();
            absence_box(context, index + 1, email, name, attendee.absent)
        });
    let boxes = el("fieldset")
        .class("field")
        .child(el("legend").child(texts.get(Key::WhoDidNotCome)))
        .child(fragment_of(people))
        .child(host);
    let result_context = context.clone();
    let result = move || {
        let actions = result_context.list.actions;
        let result = actions.result(result_context.uid())?;
        result.is_success.then(|| {
            let text = el("p").class("form-result").attr("part", "result");
            fragment()
                .child(text.child(result.title.as_str()))
                .child(undo_button(&result, &result_context))
        })
    };
    // Beside the button, so that no box moves under the pointer.
    let buttons = el("div")
        .class("action-row")
        .child(close_button(ActionKind::MarkAbsent, Key::Close, context))
        .child_with(result);
    form_frame(ActionKind::MarkAbsent, context)
        .on("submit", |event| event.prevent_default())
        .child(boxes)
        .child(buttons)
}

/// Button that takes back what a result reports, if that is possible.
pub(super) fn undo_button(result: &ActionResult, context: &ActionContext) -> Option<Node> {
    let absences = result.undo.clone()?;
    let texts = context.list.context.texts;
    let context = context.clone();
    Some(
        button("text-button undo", move || context.undo(absences.clone()))
            .child(texts.get(Key::Undo)),
    )
}

/// Checkbox for an attendee, by address, or the host, without one. `index` distinguishes the
/// boxes.
fn absence_box(
    context: &ActionContext,
    index: usize,
    email: String,
    name: String,
    is_absent: bool,
) -> Node {
    let change_context = context.clone();
    let actions = context.list.actions;
    let pending = actions.draft.pending_absence;
    let (uid, key) = (Rc::new(context.uid().to_owned()), Rc::new(email));
    let is_shown_absent = {
        let key = Rc::clone(&key);
        move || {
            pending.with(|pending| match pending {
                Some((email, absent)) if email == key.as_ref() => *absent,
                _ => is_absent,
            })
        }
    };
    let busy_uid = Rc::clone(&uid);
    let change = move |event: web_sys::Event| {
        let absent = is_checked(&event);
        if untrack(|| actions.is_busy(&uid)) {
            // One request at a time: responses out of order would show old states.
            let input: Option<web_sys::HtmlInputElement> =
                event.current_target().map(JsCast::unchecked_into);
            if let Some(input) = input {
                input.set_checked(!absent);
            }
            return;
        }
        pending.set(Some((key.as_ref().clone(), absent)));
        let request = match key.as_str() {
            "" => MarkAbsent {
                host: Some(absent),
                attendees: None,
            },
            email => MarkAbsent {
                host: None,
                attendees: Some(vec![Absence {
                    email: email.to_owned(),
                    absent,
                }]),
            },
        };
        let selector = ["[data-who='", &index.to_string(), "']"].concat();
        change_context.perform(
            ActionKind::MarkAbsent,
            BookingAction::MarkAbsent(request),
            Some(selector),
        );
    };
    let input = el("input")
        .attr("type", "checkbox")
        .attr("data-who", &index.to_string())
        .flag_with("aria-disabled", move || actions.is_busy(&busy_uid))
        .checked_with(is_shown_absent)
        .on("change", change);
    el("label")
        .class("choice")
        .child(input)
        .child(el("span").child(name))
}
