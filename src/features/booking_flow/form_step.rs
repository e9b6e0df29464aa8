//! Form step: the booking form, or the form for a reschedule.

mod email_code_form;
mod series_dates;

use std::rc::Rc;
use std::time::Duration;

use booking_rules::Confirmation;
use booking_ui::prelude::*;
use booking_wire::{JsonMap, NewBooking, attendee_language, language_code, message_language_code};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent};

use super::context::FlowContext;
use super::existing::reread::follow_changes;
use super::reservation::SlotReservation;
use super::slot_notices::booking_page_link;
use super::state::reason_draft::ReasonDraft;
use super::state::{FlowState, Step};
use super::steps::summary::step_summary;
use super::submit::{SubmitRequest, resolve_outcome, submit};
use crate::client::Dialect;
use crate::components::focus::focus_soon;
use crate::components::{Shape, TextField, TextKind, button, heading, icon};
use crate::features::booking_form::model::BookingContext;
use crate::features::booking_form::prefill::reschedule_reason;
use crate::features::booking_form::{BookingForm, Draft, metadata, submit_error_notice};
use crate::features::shared::error_notice::notice;
use crate::features::shared::event_type_summary::length as length_text;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, Translations, localized};
use crate::page::attributes::{Config, LiveConfig};
use crate::page::booking_events::BookingEvent;
use crate::page::draft_store::DraftStore;
use crate::time::Instant;
use email_code_form::form_or_code;
use series_dates::{dates_line, dates_step, series_of};

/// Form before booking. Its heading takes the focus, and a button leads back to the slots. The slot is reserved as
/// long as the form is shown, in whatever language.
pub(super) fn form_step(flow: FlowState) -> Node {
    let reservation = SlotReservation::start(flow);
    // A booking that waited for a code was of another slot.
    flow.email_code.close();
    flow.series.is_open.set(series_of(flow).is_some());
    let is_open = RwSignal::new(false);
    if flow.is_rescheduling() {
        follow_changes(flow);
    }
    localized(move || form_view(flow, reservation, is_open))
}

/// Pause before each task of the preparation, in which the browser can paint and handle input.
const PREPARATION_PAUSE: Duration = Duration::from_millis(20);

/// Renders the form without showing it, so that the browser has compiled its functions when the visitor selects a slot:
/// in two tasks, as one would be long on a slow processor.
pub(super) fn prepare(flow: FlowState) {
    let owner = Owner::current();
    let prepare = move |view: fn(FlowState, SlotReservation) -> Node| {
        // The view may be gone, or may show the form already.
        let Some(owner) = owner.as_ref().filter(|_| !flow.is_disposed()) else {
            return;
        };
        let is_waiting = |step: &Step| matches!(step, Step::Picker);
        if !flow.step.with_untracked(is_waiting) {
            return;
        }
        let discarded = owner.child();
        discarded.with(|| {
            let flow = without_effects(flow);
            view(flow, SlotReservation::new(flow));
        });
        discarded.cleanup();
    };
    let prepare_whole = {
        let prepare = prepare.clone();
        move || prepare(|flow, reservation| form_view(flow, reservation, RwSignal::new(false)))
    };
    let prepare_fields = move || {
        prepare(form);
        set_timeout(prepare_whole, PREPARATION_PAUSE);
    };
    set_timeout(prepare_fields, PREPARATION_PAUSE);
}

/// Copy of the flow whose form restores and stores no draft, and gives no second warning about the page's settings.
fn without_effects(flow: FlowState) -> FlowState {
    let context = flow.context();
    let config = Config {
        prefill: JsonMap::default(),
        ..context.config.clone()
    };
    let context = FlowContext {
        live_config: LiveConfig::new(&config),
        config,
        drafts: DraftStore::default(),
        ..(*context).clone()
    };
    FlowState {
        draft: Draft::new(),
        context: StoredValue::new(Rc::new(context)),
        ..flow
    }
}

/// Form, with the summary beside it: on phones, `is_open` once the visitor has opened it.
fn form_view(flow: FlowState, reservation: SlotReservation, is_open: RwSignal<bool>) -> Node {
    let texts = flow.locale.texts;
    let context = flow.context();
    let is_rescheduling = flow.is_rescheduling();
    let heading = heading(1)
        .class("form-title")
        .attr("tabindex", "-1")
        .on("keydown", type_in_form)
        .text_with(move || {
            let is_waiting = flow.email_code.waiting.with(Option::is_some);
            if flow.series.is_open.get() {
                texts.get(Key::SeriesTitle).to_owned()
            } else if is_waiting {
                texts.get(Key::CodeTitle).to_owned()
            } else if is_rescheduling {
                new_time_question(flow)
            } else {
                texts.get(Key::YourDetails).to_owned()
            }
        });
    focus_soon(&heading);
    let change = flow.rescheduling.get_untracked();
    let change = change.map(|old| current_time(flow, old.booking.start));
    let go_back = move || {
        flow.context().page.emit(&BookingEvent::FormBack);
        flow.submit.unknown_outcome.set(None);
        flow.selection.is_instant.set(false);
        flow.step.set(Step::Picker);
    };
    let back = button("button-quiet", go_back)
        .attr("part", "back")
        .child(icon(Shape::Back))
        .child(texts.get(Key::ChangeTime));
    let head = brief(flow, reservation, is_open, back);
    let content = el("div").class("flow-form");
    let root = content.element();
    // Before the notices, which read the form's draft.
    let series_root = root.clone();
    let dates_or_form = move || match series_of(flow) {
        None => form(flow, reservation),
        Some(series) if flow.series.is_open.get() => dates_step(flow, &series, series_root.clone()),
        Some(_) => fragment()
            .child(dates_line(flow, series_root.clone()))
            .child(form(flow, reservation)),
    };
    let form = form_or_code(flow, reservation, root, dates_or_form);
    let content = content
        .on("input", move |_| reservation.note_input())
        .child(heading)
        .child(change)
        .child(reservation.announcement())
        .child(reservation.expiry_notice(go_back))
        .child(unknown_outcome_notice(flow, reservation))
        .child(unknown_field_notice(Rc::clone(&context), flow.draft, texts))
        .child(form);
    let countdown = reservation.countdown("flow-hold");
    fragment()
        .child(step_summary(flow, false, head, countdown))
        .child(content)
}

/// Fields and submit button.
fn form(flow: FlowState, reservation: SlotReservation) -> Node {
    if flow.is_rescheduling() {
        return reschedule_form(flow, reservation);
    }
    let context = flow.context();
    let config = context.current_config();
    let fields = flow
        .draft
        .form(&context.event_type, &config, &context.drafts);
    let live = context.live_config.clone();
    let page = live.clone();
    effect(move || {
        let config = page.get();
        untrack(|| flow.draft.fill_in(&config.prefill));
    });
    let is_disabled = Signal::derive(move || live.get().is_confirm_disabled);
    let book = move |mut booking: NewBooking| {
        booking.metadata = metadata::of_page(&flow.context().current_config());
        submit(flow, reservation, SubmitRequest::Book(Box::new(booking)));
    };
    let form = view! {
        <BookingForm
            form=fields
            draft=flow.draft
            asks_to_remember=config.asks_to_remember
            context=Signal::derive(move || booking_context(flow))
            is_busy=flow.submit.is_busy
            is_disabled=is_disabled
            submit_error=flow.submit.error
            needs_confirmation={Confirmation::of(&context.event_type) == Confirmation::Always}
            sessions=series_of(flow).map(|_| flow.series.number.get_untracked())
            on_submit=book
        />
    };
    form.into_inner()
}

/// Moves the focus from the heading, where it is not visible, to the first empty field when the visitor types: the letter
/// goes there.
fn type_in_form(event: Event) {
    const FIELDS: &str =
        ".form :is(input:not([type='checkbox'], [type='radio']), textarea):not([hidden] *)";
    let key: &KeyboardEvent = event.unchecked_ref();
    let is_command = key.ctrl_key() || key.alt_key() || key.meta_key();
    // Other keys have names. Space scrolls.
    let is_letter = key.key().chars().nth(1).is_none() && key.key() != " ";
    let heading = event.current_target();
    let heading = heading.and_then(|heading| heading.dyn_into::<Element>().ok());
    let form = heading.and_then(|heading| heading.parent_element());
    let Some(form) = form.filter(|_| is_letter && !is_command) else {
        return;
    };
    let Ok(fields) = form.query_selector_all(FIELDS) else {
        return;
    };
    let is_empty = |field: &HtmlInputElement| field.value().is_empty() && !field.read_only();
    let field = (0..fields.length())
        .filter_map(|index| fields.get(index))
        // A text area has the same properties.
        .map(|field| field.unchecked_into::<HtmlInputElement>())
        .find(is_empty);
    if let Some(field) = field {
        // Fails only for a removed element, which needs no focus.
        let _ = field.focus();
    }
}

/// Heading of a reschedule: its selected start.
fn new_time_question(flow: FlowState) -> String {
    let locale = flow.locale;
    let slot = flow.selection.picker.slot;
    let Some(start) = slot.with(|slot| slot.as_ref().map(|slot| slot.start)) else {
        return locale.texts.get(Key::ChooseNewTime).to_owned();
    };
    let time = locale.brief_date_time(start);
    locale.texts.fill(Key::MoveTitle, &[("time", &time)])
}

/// Booked start, below that heading.
fn current_time(flow: FlowState, booked: Instant) -> Node {
    let locale = flow.locale;
    el("p").class("form-change").text_with(move || {
        let time = locale.brief_date_time(booked);
        locale.texts.fill(Key::MoveFrom, &[("time", &time)])
    })
}

/// Button back and, on phones, time, event type and countdown in two lines. There, they replace the summary until the
/// visitor opens it.
fn brief(
    flow: FlowState,
    reservation: SlotReservation,
    is_open: RwSignal<bool>,
    back: Node,
) -> Node {
    let locale = flow.locale;
    let event_type = flow.context().event_type.clone();
    let length = flow.selection.length;
    let slot = flow.selection.picker.slot;
    let time = move || {
        let Some(slot) = slot.get() else {
            return String::new();
        };
        let zone = locale.settings.zone.get();
        let day = locale.formats.day_of(slot.start, &zone);
        let end = slot.start.plus_minutes(length.get());
        let day = locale.formats.brief_day(day);
        let times = [slot.start, end].map(|time| locale.settings.time(locale.formats, time));
        // Word joiners and spaces without a break: the line breaks between day and times.
        let times = times.join("\u{2060}–\u{2060}").replace(' ', "\u{a0}");
        let values = [("day", &*day), ("time", &*times)];
        locale.texts.fill_plain(Key::DateAndTime, &values)
    };
    let city = move || locale.settings.zone.with(|zone| zone.city());
    let more = button("brief-more", move || {
        is_open.update(|is_open| *is_open = !*is_open);
    })
    .attr_with("aria-expanded", move || Some(is_open.get().to_string()))
    .child(locale.texts.get(Key::ShowDetails))
    .child(icon(Shape::Expand));
    let when = el("p")
        .class("brief-when")
        .child(el("strong").text_with(time))
        .child(el("span").class("brief-zone").text_with(city));
    let title = event_type.title.as_str();
    let what = el("div")
        .class("brief-what")
        .child(heading(0).class("brief-title").child(title))
        .child(
            el("span")
                .class("brief-length")
                .text_with(move || length_text(length.get(), locale.texts)),
        )
        .child(reservation.countdown("brief-hold"));
    el("div")
        .class("flow-brief")
        .child(when)
        .child(back)
        .child(what)
        .child(more)
}

/// Notice of a request with unknown outcome, with a button to check it.
fn unknown_outcome_notice(flow: FlowState, reservation: SlotReservation) -> Node {
    let texts = flow.locale.texts;
    fragment().child_with(move || {
        flow.submit.unknown_outcome.get().map(|(title, text)| {
            let has_key = flow
                .submit
                .unresolved
                .with_value(|unresolved| unresolved.key.is_some());
            let label = if has_key {
                Key::TryAgain
            } else {
                Key::LookAgain
            };
            let button = button("button", move || resolve_outcome(flow, reservation))
                .flag_with("aria-busy", move || flow.submit.is_busy.get())
                .child(icon(Shape::Reload))
                .child(texts.get(label));
            notice(Shape::Alert, texts.get(title), texts.get(text))
                .child(el("div").class("notice-actions").child(button))
        })
    })
}

/// Notice for a field of unknown kind whose value the service rejects: the service's own page supports it.
fn unknown_field_notice(context: Rc<FlowContext>, draft: Draft, texts: Translations) -> Node {
    fragment().child_with(move || {
        let url = &context.event_type.booking_url;
        let link = booking_page_link(url, "button", texts)?;
        draft.has_rejected_unknown_field().then(|| {
            let [title, text] = [Key::RefusedTitle, Key::OwnPageTitle];
            notice(Shape::Alert, texts.get(title), texts.get(text))
                .child(el("div").class("notice-actions").child(link))
        })
    })
}

/// Reschedule form: the attendee is known, and only the reason is entered.
fn reschedule_form(flow: FlowState, reservation: SlotReservation) -> Node {
    let texts = flow.locale.texts;
    let reason = flow.reason;
    let context = flow.context();
    let prefilled = reschedule_reason(&context.current_config().prefill);
    let old = flow.rescheduling.get_untracked();
    let stored = old.map(|old| ReasonDraft::of(&context, "move", &old.booking.uid));
    let live = context.live_config.clone();
    effect(move || {
        live.get();
        untrack(|| flow.fill_in_reason());
    });
    let hint = match prefilled.is_read_only {
        true => texts.get(Key::CannotChange),
        false => "",
    };
    let field = (!prefilled.is_hidden).then(|| {
        view! {
            <TextField
                id="field-rescheduleReason"
                label=texts.get(Key::MoveReason)
                kind=TextKind::Lines
                value=reason
                on_input=move |text: String| {
                    if let Some(stored) = &stored {
                        stored.store(&text);
                    }
                    reason.set(text);
                }
                is_read_only=prefilled.is_read_only
                hint
                name="rescheduleReason"
            />
        }
    });
    let action = move || {
        let key = if flow.submit.is_busy.get() {
            Key::Moving
        } else {
            Key::MoveBooking
        };
        texts.get(key).to_owned()
    };
    let submit_button = el("button")
        .class("button-primary")
        .attr("part", "submit")
        .attr("type", "submit")
        .flag_with("aria-disabled", move || flow.submit.is_busy.get())
        .flag_with("aria-busy", move || flow.submit.is_busy.get())
        .text_with(action);
    let error = move || {
        flow.submit
            .error
            .get()
            .map(|error| submit_error_notice(&error))
    };
    el("form")
        .class("form")
        .attr("part", "form")
        .attr("novalidate", "")
        .on_submit(move || {
            if !flow.submit.is_busy.get_untracked() {
                let reason = reason.get_untracked();
                submit(flow, reservation, SubmitRequest::Reschedule { reason });
            }
        })
        .child_with(error)
        .child(field)
        .child(
            el("div")
                .class("form-end")
                .child(submit_button)
                .child(slow_line(move || flow.submit.is_busy.get())),
        )
}

fn booking_context(flow: FlowState) -> Option<BookingContext> {
    let context = flow.context();
    let locale = flow.locale.formats.locale();
    // A service that tells whether it sends email shows times in it as the visitor has seen them.
    let takes_tags = || context.event_type.booking_settings().sends_email.is_some();
    Some(BookingContext {
        event_type_id: context.event_type.id,
        start: flow.selection.picker.slot.get()?.start,
        length: flow
            .selection
            .has_lengths
            .then(|| flow.selection.length.get()),
        zone: flow.attendee_zone(),
        language: match context.session.dialect() {
            Dialect::Svc if takes_tags() => {
                attendee_language(&locale, flow.locale.settings.uses_12_hours.get())
            }
            Dialect::Svc => message_language_code(&locale).map(str::to_owned),
            Dialect::Cal => language_code(&locale).map(str::to_owned),
        },
    })
}
