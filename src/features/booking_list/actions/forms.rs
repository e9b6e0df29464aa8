//! Forms of the booking actions, each below the buttons.

use std::rc::Rc;

use booking_wire::formats::is_email;
use booking_wire::{
    Absence, AddGuests, Booking, CancelBooking, DeclineBooking, MarkAbsent, NewGuest,
    ReassignBooking, UpdateLocation,
};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::model::{Act, GUESTS_PER_CALL, Kind, LocationError, place};
use super::{ActionContext, name_of, weight_of};
use crate::client::booking_actions::BookingAction;
use crate::client::query::{Load, latest};
use crate::components::focus::focus_first_soon;
use crate::components::{Chips, SelectField, TextField, TextKind, button, chips_field};
use crate::features::shared::email_list::addresses;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of, is_checked};
use crate::ui::signal::{Callback, RwSignal, Signal};

/// Form values of the open action. Opening another one clears them.
#[derive(Clone, Copy)]
pub(super) struct Draft {
    reason: RwSignal<String>,
    with_later: RwSignal<bool>,
    /// Selected seat; empty for all.
    seat: RwSignal<String>,
    /// True once the seat to reschedule is selected.
    has_seat: RwSignal<bool>,
    guests: RwSignal<Vec<String>>,
    kind: RwSignal<String>,
    place: RwSignal<String>,
    /// New host's id; empty for the next in turn.
    host: RwSignal<String>,
    complaint: RwSignal<Option<Key>>,
    /// Absence shown before the service has responded: by the attendee's address, empty for a host.
    marked: RwSignal<Option<(String, bool)>>,
}

impl Draft {
    pub(super) fn new() -> Self {
        Self {
            reason: RwSignal::default(),
            with_later: RwSignal::new(false),
            seat: RwSignal::default(),
            has_seat: RwSignal::new(false),
            guests: RwSignal::default(),
            kind: RwSignal::default(),
            place: RwSignal::default(),
            host: RwSignal::default(),
            complaint: RwSignal::new(None),
            marked: RwSignal::new(None),
        }
    }

    pub(super) fn clear(self) {
        for text in [self.reason, self.seat, self.kind, self.place, self.host] {
            text.set(String::new());
        }
        self.with_later.set(false);
        self.has_seat.set(false);
        self.guests.set(Vec::new());
        self.complaint.set(None);
        self.settle();
    }

    /// Clears the marked absence: the response has updated the booking.
    pub(super) fn settle(self) {
        self.marked.set(None);
    }

    /// True if a new time for `booking` can be picked: with seats, after the choice of a seat.
    pub(super) fn is_picking(self, booking: &Booking) -> bool {
        self.has_seat.get() || !booking.is_seated()
    }

    /// Selected seat; `None` for all.
    pub(super) fn seat(self) -> Option<String> {
        let seat = self.seat.get_untracked();
        Some(seat).filter(|seat| !seat.is_empty())
    }

    fn reason(self) -> Option<String> {
        let reason = self.reason.get_untracked().trim().to_owned();
        Some(reason).filter(|reason| !reason.is_empty())
    }

    fn complains(self, texts: Translations) -> Signal<Option<String>> {
        let complaint = self.complaint;
        Signal::derive(move || {
            let key = complaint.get()?;
            let most = texts.number(GUESTS_PER_CALL as i64);
            Some(texts.fill(key, &[("count", &most)]))
        })
    }

    /// Parses the form: the request of `act`, or the error text's key.
    fn parse(self, act: Act) -> Result<BookingAction, Key> {
        Ok(match act {
            Act::Decline => BookingAction::Decline(DeclineBooking {
                reason: self.reason(),
            }),
            Act::Cancel => {
                let reason = self.reason().ok_or(Key::Required)?;
                BookingAction::Cancel(CancelBooking {
                    cancellation_reason: Some(reason),
                    cancel_subsequent_bookings: self.with_later.get_untracked().then_some(true),
                    seat_uid: self.seat(),
                })
            }
            Act::AddGuests => {
                let guests = self.guests.get_untracked();
                match guests.len() {
                    0 => return Err(Key::Required),
                    count if count > GUESTS_PER_CALL => return Err(Key::TooManyGuests),
                    _ if !guests.iter().all(|guest| is_email(guest)) => {
                        return Err(Key::GuestsOdd);
                    }
                    _ => {}
                }
                let guest = |email| NewGuest {
                    email,
                    ..NewGuest::default()
                };
                BookingAction::AddGuests(AddGuests {
                    guests: guests.into_iter().map(guest).collect(),
                })
            }
            Act::Relocate => {
                let kind = Kind::named(&self.kind.get_untracked());
                let given = place(kind, &self.place.get_untracked());
                let location = given.map_err(|odd| match odd {
                    LocationError::Missing => Key::Required,
                    LocationError::Link => Key::LinkOdd,
                    LocationError::Phone => Key::CallOdd,
                })?;
                BookingAction::Relocate(UpdateLocation { location })
            }
            Act::Reassign => {
                let host = self.host.get_untracked().parse().ok();
                let reason = self.reason().filter(|_| host.is_some());
                BookingAction::Reassign(host, ReassignBooking { reason })
            }
            Act::Confirm | Act::MarkAbsent | Act::Reschedule => BookingAction::Confirm,
        })
    }
}

/// Form of `act`.
pub(super) fn form(act: Act, place: &ActionContext) -> Node {
    let list = place.list;
    let (texts, draft) = (list.texts, list.acts.draft);
    let fields = match act {
        Act::MarkAbsent => return absences(place),
        Act::Decline => reason_field(Key::DeclineReason, false, place),
        Act::Cancel => fragment()
            .child(seat_field(place))
            .child(extent(place))
            .child(reason_field(Key::HostCancelReason, true, place)),
        Act::AddGuests => guests_field(place),
        Act::Relocate => place_fields(place),
        Act::Reassign => host_fields(place),
        Act::Reschedule => fragment().child(seat_field(place)),
        Act::Confirm => return fragment(),
    };
    let (held, uid) = (place.clone(), place.uid().to_owned());
    let is_busy = Signal::derive(move || list.acts.is_busy(&uid));
    let frame = frame(act, place);
    let node = frame.element();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if is_busy.get_untracked() {
            return;
        }
        if act == Act::Reschedule {
            return draft.has_seat.set(true);
        }
        match draft.parse(act) {
            Ok(deed) => {
                draft.complaint.set(None);
                held.perform(act, deed, None);
            }
            Err(complaint) => {
                draft.complaint.set(Some(complaint));
                focus_first_soon(node.clone(), "[aria-invalid='true']");
            }
        }
    };
    let send = el("button")
        .class(weight_of(act))
        .attr("type", "submit")
        .flag_with("aria-disabled", move || is_busy.get())
        .flag_with("aria-busy", move || is_busy.get())
        .text_with(move || {
            let text = if is_busy.get() {
                texts.get(Key::ActBusy)
            } else {
                name_of(act, texts)
            };
            text.to_owned()
        });
    let ends = el("div")
        .class("action-row")
        .child(send)
        .child(leave_button(act, Key::ActLeave, place));
    frame
        .on("submit", submit)
        .child(fields)
        .child(ends)
        .child(slow_line(move || is_busy.get()))
}

/// Form that closes on Escape.
fn frame(act: Act, place: &ActionContext) -> Node {
    let held = place.clone();
    el("form")
        .class("act-form")
        .attr("part", "action-form")
        .attr("novalidate", "")
        .attr("aria-label", name_of(act, place.list.texts))
        .on("keydown", move |event| {
            let key: &KeyboardEvent = event.unchecked_ref();
            if key.key() == "Escape" && !event.default_prevented() {
                event.stop_propagation();
                held.leave(act);
            }
        })
}

fn leave_button(act: Act, name: Key, place: &ActionContext) -> Node {
    let held = place.clone();
    button("button", move || held.leave(act)).child(place.list.texts.get(name))
}

fn reason_field(label: Key, is_required: bool, place: &ActionContext) -> Node {
    let texts = place.list.texts;
    let Draft {
        reason, complaint, ..
    } = place.list.acts.draft;
    let error = if is_required {
        place.list.acts.draft.complains(texts)
    } else {
        Signal::default()
    };
    let on_input = move |text: String| {
        reason.set(text);
        complaint.set(None);
    };
    let field = view! {
        <TextField
            id="act-reason" label=texts.get(label) kind=TextKind::Lines value=reason on_input is_required
            error
        />
    };
    field.into_inner()
}

/// Choice for a series: this meeting, or all later ones too.
fn extent(place: &ActionContext) -> Option<Node> {
    let texts = place.list.texts;
    let with_later = place.list.acts.draft.with_later;
    if !place.booking.is_recurring() {
        return None;
    }
    let choices = [(false, Key::CancelThis), (true, Key::CancelThisAndLater)];
    let choices = choices.map(|(later, key)| {
        let holds: Box<dyn Fn() -> bool> = Box::new(move || with_later.get() == later);
        let pick: Box<dyn Fn()> = Box::new(move || with_later.set(later));
        (texts.get(key), holds, pick)
    });
    Some(radios(texts.get(Key::CancelExtent), "act-extent", choices))
}

/// Label, checked state and change handler of a radio button.
type Radio = (&'static str, Box<dyn Fn() -> bool>, Box<dyn Fn()>);

/// Group of radio buttons.
pub(super) fn radios(legend: &str, name: &str, choices: impl IntoIterator<Item = Radio>) -> Node {
    let choices = choices.into_iter().map(|(words, holds, pick)| {
        let input = el("input")
            .attr("type", "radio")
            .attr("name", name)
            .checked_with(holds)
            .on("change", move |_| pick());
        el("label")
            .class("choice")
            .child(input)
            .child(el("span").child(words))
    });
    el("fieldset")
        .class("field")
        .child(el("legend").child(legend))
        .child(fragment_of(choices))
}

/// Choice of one seat or all, for a seated booking.
fn seat_field(place: &ActionContext) -> Option<Node> {
    let texts = place.list.texts;
    let seat = place.list.acts.draft.seat;
    if !place.booking.is_seated() {
        return None;
    }
    let mut options = vec![(String::new(), texts.get(Key::AllSeats).to_owned())];
    options.extend(place.booking.attendees.iter().filter_map(|attendee| {
        let name = named(&attendee.name, &attendee.display_email);
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

fn guests_field(place: &ActionContext) -> Node {
    let texts = place.list.texts;
    let Draft {
        guests, complaint, ..
    } = place.list.acts.draft;
    let line = place.line;
    let about = Chips {
        id: "act-guests".to_owned(),
        name: String::new(),
        label: texts.get(Key::GuestsToAdd).to_owned(),
        hint: texts.fill(
            Key::GuestsToAddHint,
            &[("count", &texts.number(GUESTS_PER_CALL as i64))],
        ),
        placeholder: String::new(),
        is_required: true,
        is_read_only: false,
        error: place.list.acts.draft.complains(texts),
        parse: addresses,
        is_valid: is_email,
    };
    let change = move |all: Vec<String>| {
        guests.set(all);
        complaint.set(None);
    };
    chips_field(
        about,
        guests.into(),
        Callback::new(change),
        Callback::new(|()| {}),
        Callback::new(move |news| line.set_text(news)),
    )
}

fn kind_key(kind: Kind) -> Key {
    match kind {
        Kind::Link => Key::KindLink,
        Kind::Address => Key::KindAddress,
        Kind::Phone => Key::KindPhone,
        Kind::AttendeeAddress => Key::KindTheirAddress,
        Kind::AttendeePhone => Key::KindTheirPhone,
        Kind::AttendeeDefined => Key::KindOther,
    }
}

fn place_fields(place: &ActionContext) -> Node {
    let texts = place.list.texts;
    let draft = place.list.acts.draft;
    let Draft {
        kind,
        place: typed,
        complaint,
        ..
    } = draft;
    let options =
        Kind::ALL.map(|(name, kind)| (name.to_owned(), texts.get(kind_key(kind)).to_owned()));
    let kinds = view! {
        <SelectField
            id="act-kind" label=texts.get(Key::PlaceKind) options=Signal::from(options.to_vec())
            value=kind
            on_pick=move |name: String| {
                kind.set(name);
                complaint.set(None);
            }
        />
    };
    let value = view! {
        <TextField
            id="act-place" label=texts.get(Key::NewPlace) value=typed is_required=true
            error=draft.complains(texts)
            on_input=move |text: String| {
                typed.set(text);
                complaint.set(None);
            }
        />
    };
    fragment().child(kinds).child(value)
}

/// Choice of a new host of the event type, without the current and the mandatory ones.
fn host_fields(place: &ActionContext) -> Node {
    let ActionContext { list, booking, .. } = place.clone();
    let texts = list.texts;
    let draft = list.acts.draft;
    let session = list.session();
    let slug = booking
        .event_type
        .as_ref()
        .map(|booked| booked.slug.clone());
    let hosts = latest(
        move || slug.clone(),
        move |slug, abort| {
            let session = session.clone();
            async move { session.hosts_of(list.team().team_id, slug, abort).await }
        },
    );
    let answer = hosts.signal();
    let options = move || {
        let mut options = vec![(String::new(), texts.get(Key::AnyHost).to_owned())];
        answer.with(|answer| {
            let others = answer.ready().into_iter().flatten().filter(|host| {
                let id = host.id.to_string();
                !host.mandatory && booking.hosts.iter().all(|known| known.id != id)
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
    let missing = move || {
        let is_missing = answer.with(|answer| matches!(answer, Load::Failed(_)));
        is_missing.then(|| el("p").class("hint").child(texts.get(Key::HostsMissing)))
    };
    let held = place.clone();
    // Automatic reassignment takes no reason.
    let reason = move || {
        let is_chosen = draft.host.with(|host| !host.is_empty());
        is_chosen.then(|| reason_field(Key::ReassignReason, false, &held))
    };
    fragment()
        .child(field)
        .child(fragment().child_with(missing))
        .child_with(reason)
}

/// Checkboxes for absent participants, which change before the service has responded.
fn absences(place: &ActionContext) -> Node {
    let ActionContext { list, booking, .. } = place.clone();
    let texts = list.texts;
    let hosts: Vec<&str> = booking
        .hosts
        .iter()
        .filter(|host| host.id != "unknown")
        .map(|host| named(&host.name, &host.display_email))
        .collect();
    let host = (!hosts.is_empty()).then(|| {
        let name = texts.fill(Key::HostNamed, &[("name", &hosts.join(", "))]);
        absence(place, 0, String::new(), name, booking.absent_host)
    });
    let people = booking
        .attendees
        .iter()
        .enumerate()
        .map(|(number, attendee)| {
            let name = named(&attendee.name, &attendee.display_email).to_owned();
            let email = attendee.email.clone();
            absence(place, number + 1, email, name, attendee.absent)
        });
    let boxes = el("fieldset")
        .class("field")
        .child(el("legend").child(texts.get(Key::WhoDidNotCome)))
        .child(fragment_of(people))
        .child(host);
    frame(Act::MarkAbsent, place)
        .on("submit", |event| event.prevent_default())
        .child(boxes)
        .child(el("div").class("action-row").child(leave_button(
            Act::MarkAbsent,
            Key::Close,
            place,
        )))
}

/// Checkbox for an attendee, by address, or the host, without one. `number` distinguishes the
/// boxes.
fn absence(
    place: &ActionContext,
    number: usize,
    email: String,
    name: String,
    is_absent: bool,
) -> Node {
    let held = place.clone();
    let acts = place.list.acts;
    let marked = acts.draft.marked;
    let (uid, key) = (Rc::new(place.uid().to_owned()), Rc::new(email));
    let shown = {
        let key = Rc::clone(&key);
        move || {
            marked.with(|marked| match marked {
                Some((known, absent)) if known == key.as_ref() => *absent,
                _ => is_absent,
            })
        }
    };
    let watched = Rc::clone(&uid);
    let change = move |event: web_sys::Event| {
        let absent = is_checked(&event);
        if untrack(|| acts.is_busy(&uid)) {
            // One request at a time: responses out of order would show old states.
            let input: Option<web_sys::HtmlInputElement> =
                event.current_target().map(JsCast::unchecked_into);
            if let Some(input) = input {
                input.set_checked(!absent);
            }
            return;
        }
        marked.set(Some((key.as_ref().clone(), absent)));
        let asked = match key.as_str() {
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
        let selector = ["[data-who='", &number.to_string(), "']"].concat();
        held.perform(
            Act::MarkAbsent,
            BookingAction::MarkAbsent(asked),
            Some(selector),
        );
    };
    let input = el("input")
        .attr("type", "checkbox")
        .attr("data-who", &number.to_string())
        .flag_with("aria-disabled", move || acts.is_busy(&watched))
        .checked_with(shown)
        .on("change", change);
    el("label")
        .class("choice")
        .child(input)
        .child(el("span").child(name))
}

/// Display name: the name, or else the address.
pub(super) fn named<'a>(name: &'a str, email: &'a str) -> &'a str {
    if name.is_empty() { email } else { name }
}
