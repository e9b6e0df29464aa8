//! Booking form of an event type: fields, errors and submission.

mod draft;
mod email_domain;
mod error_summary;
mod field;
mod field_view;
mod labels;
pub mod metadata;
pub mod model;
mod person_line;
mod phone;
pub mod prefill;
pub mod responses;
mod validation;
pub mod values;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::NewBooking;
use web_sys::HtmlElement;

use crate::components::field::OptionalMark;
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, SwitchField, button, icon, live_region};
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, use_texts};
use crate::page::booking_events::BookingEvent;
use crate::page::events::use_page;

pub use error_summary::submit_error_notice;
use error_summary::{count_text, error_summary};
use field::InputField;
use field_view::{FieldCallbacks, field_view};
use model::{BookingContext, Form};
use person_line::person_line;
use validation::validate;
use values::FieldValues;

pub use draft::Draft;
pub use model::SubmitError;

/// Typical duration of a mouse press.
const PRESS_DURATION: Duration = Duration::from_millis(150);

/// Form that submits each complete request once.
#[component]
pub fn BookingForm(
    /// Fields of the form.
    #[prop(into)]
    form: Arc<Form>,
    /// State shared with the flow.
    draft: Draft,
    /// True if the visitor may have this device remember their details.
    #[prop(optional)]
    asks_to_remember: bool,
    /// Data sent with the values.
    #[prop(into)]
    context: Signal<Option<BookingContext>>,
    /// True if a request is pending: submitting again does nothing.
    #[prop(into)]
    is_busy: Signal<bool>,
    /// True if the page has disabled booking.
    #[prop(into, optional)]
    is_disabled: Option<Signal<bool>>,
    #[prop(into)] submit_error: Signal<Option<SubmitError>>,
    /// True if a host has to confirm.
    needs_confirmation: bool,
    /// Number of bookings, for a series.
    #[prop(default = None)]
    sessions: Option<usize>,
    #[prop(into)] on_submit: Callback<NewBooking>,
) -> Node {
    let texts = use_texts();
    let page = use_page();
    let is_disabled = move || is_disabled.is_some_and(Signal::get);
    draft.flush_on_leave();

    let announcement = RwSignal::new(String::new());
    let announce = Callback::new(move |text: String| {
        // Screen readers skip unchanged text.
        let is_repeated = announcement.with_untracked(|before| *before == text);
        announcement.set(if is_repeated {
            format!("{text}\u{a0}")
        } else {
            text
        });
    });

    let node = el("form")
        .class("form")
        .attr("part", "form")
        .attr("novalidate", "");
    let element = node.element();

    // The first invalid field takes the focus, so that its error is read and the visitor continues
    // there. The number of errors is announced; the list above links to each.
    let root = element.clone();
    let page_events = page.clone();
    let show_errors = move || {
        announce.run(count_text(draft));
        focus_first_soon(root.clone(), "[aria-invalid='true']");
        let (fields, codes) = draft.errors.with_untracked(|errors| {
            let codes = errors.iter().map(|(_, error)| error.code().to_owned());
            let fields = errors.iter().map(|(slug, _)| slug.clone());
            (fields.collect(), codes.collect())
        });
        page_events.emit(&BookingEvent::FormInvalid { fields, codes });
    };
    // Errors of the form or, later, of the service.
    effect_after({
        let show_errors = show_errors.clone();
        move |before: Option<()>| {
            let has_failed = draft.failed.with(|failed| !failed.is_empty());
            if before.is_some() && has_failed {
                untrack(&show_errors);
            }
        }
    });
    effect_after(move |before: Option<Vec<String>>| {
        let fields = draft.values.with(FieldValues::filled_slugs);
        if before.is_some_and(|before| before != fields) {
            page.emit(&BookingEvent::FormChanged {
                fields: fields.clone(),
            });
        }
        fields
    });

    let parts = form.parts();
    let last = parts.len() - 1;
    let is_last = move || draft.part.get() >= last;
    let action = move || {
        let key = match (is_busy.get(), needs_confirmation, sessions) {
            (true, ..) => Key::Booking,
            _ if !is_last() => Key::Continue,
            (false, true, _) => Key::Request,
            (false, false, Some(number)) => return texts.count(Key::BookSessions, number),
            (false, false, None) => Key::Confirm,
        };
        texts.get(key).to_owned()
    };
    let submit_button = el("button")
        .class("button-primary")
        .attr("part", "submit")
        .attr("type", "submit")
        .attr_with("aria-describedby", move || {
            (is_disabled() && is_last()).then(|| "form-off".to_owned())
        })
        .flag_with("aria-disabled", move || {
            is_busy.get() || is_disabled() && is_last()
        })
        .flag_with("aria-busy", move || is_busy.get())
        // Else the blurred field could show an error and move the button away before the mouse is
        // released.
        .on("mousedown", |event| event.prevent_default())
        .text_with(action);
    let button = submit_button.element();

    let focus_part = {
        let root = element.clone();
        move || focus_first_soon(root.clone(), ".form-fields:not([hidden])")
    };
    let submitted_form = form.clone();
    let continued = focus_part.clone();
    let submit = move || {
        if is_busy.get_untracked() {
            return;
        }
        // Blurs the focused field first, so that its input counts.
        let _ = button.focus();
        if draft.asks_about_domain() {
            return;
        }
        if !untrack(is_last) {
            if draft.complete_part(&submitted_form) {
                continued();
            }
            return;
        }
        if untrack(is_disabled) {
            return;
        }
        let Some(context) = context.get_untracked() else {
            return;
        };
        if let Some(booking) = draft.parse(&submitted_form, &context) {
            on_submit.run(booking);
        }
    };

    let validated_form = form.clone();
    let validate_on_blur = move |slug: String| {
        // An empty field is no error on blur: it is reported on submit.
        let values = draft.values.get_untracked();
        let applicable_fields = validated_form.applicable_fields(&values);
        let found = applicable_fields
            .iter()
            .find(|field| field.slug == slug)
            .and_then(|field| validate(field, &values))
            .filter(|_| values.filled_slugs().contains(&slug));
        if let Some(error) = found {
            draft.errors.update(|errors| {
                errors.retain(|(known, _)| *known != slug);
                errors.push((slug, error));
            });
        }
    };
    let validate_on_blur = StoredValue::new(Rc::new(validate_on_blur));
    let on_leave = Callback::new(move |slug: String| {
        // An error shown during a mouse press would move the pressed element.
        let validate_on_blur = validate_on_blur.get_value();
        set_timeout(move || validate_on_blur(slug), PRESS_DURATION);
    });
    let callbacks = FieldCallbacks {
        on_leave,
        on_announce: announce,
    };
    // Before the mark of optional fields: it is no question of the form.
    let remember = asks_to_remember.then(|| {
        let field = view! {
            <SwitchField
                id="field-remember"
                label=texts.get(Key::RememberMe)
                value=draft.remembers
                on_change=move |flag| draft.remembers.set(flag)
            />
        };
        el("div")
            .flag_with("hidden", move || !is_last())
            .child(field)
    });
    let marks_optional = form.marks_optional();
    if marks_optional {
        provide_context(OptionalMark(texts.get(Key::OptionalMark)));
    }
    let required_mark =
        (!marks_optional).then(|| el("p").class("hint").child(texts.get(Key::RequiredMark)));
    let fields = fragment_of(parts.into_iter().enumerate().map(|(part, fields)| {
        let row = |field: &InputField| field_row(field.clone(), &form, draft, callbacks);
        let rows = fragment_of(fields.into_iter().map(row));
        let group = el("div").class("form-fields").child(rows);
        if last == 0 {
            return group;
        }
        group
            .attr("role", "group")
            .attr("tabindex", "-1")
            .attr("aria-label", &part_text(part, last))
            .flag_with("hidden", move || draft.part.get() != part)
    }));
    let person = person_line(draft, {
        let root = element.clone();
        move || focus_first_soon(root.clone(), "input")
    });
    let progress = (last > 0).then(|| part_progress(draft, last, focus_part));

    let submit_error = move || submit_error.get().map(|error| submit_error_notice(&error));
    let reason = move || {
        is_disabled().then(|| {
            el("p")
                .class("form-off")
                .attr("id", "form-off")
                .child(texts.get(Key::ConfirmOff))
        })
    };

    node.on_submit(submit)
        .child_with(submit_error)
        .child(error_summary(element, form, draft))
        .child(person)
        .child(required_mark)
        .child(fields)
        .child(remember)
        .child(live_region(move || announcement.get()))
        .child(
            el("div")
                .class("form-end")
                .child(progress)
                .child(submit_button)
                .child(slow_line(move || is_busy.get()))
                .child_with(reason),
        )
}

/// Position in a long form whose parts are numbered from 0 to `last`.
fn part_text(part: usize, last: usize) -> String {
    let [number, total] = [part, last].map(|index| (index + 1).to_string());
    let values = [("number", &*number), ("total", &*total)];
    use_texts().fill_plain(Key::FormPart, &values)
}

/// Progress in a long form, with a button to the part before.
fn part_progress(draft: Draft, last: usize, focus_part: impl Fn() + 'static) -> Node {
    let texts = use_texts();
    let total = (last + 1).to_string();
    let go_back = move || {
        draft.part.update(|part| *part = part.saturating_sub(1));
        focus_part();
    };
    let back = button("button-quiet", go_back)
        .flag_with("hidden", move || draft.part.get() == 0)
        .child(texts.get(Key::PreviousPart));
    let number = move || (draft.part.get() + 1).to_string();
    el("div")
        .class("form-part")
        .child(el("span").text_with(move || part_text(draft.part.get(), last)))
        .child(back)
        .child(
            el("progress")
                .attr("aria-hidden", "true")
                .attr("max", &total)
                .attr_with("value", move || Some(number())),
        )
}

/// Field in its row of the form. A hidden or folded field is shown as soon as its value has an error.
fn field_row(field: InputField, form: &Arc<Form>, draft: Draft, callbacks: FieldCallbacks) -> Node {
    let row = el("div");
    if !field.is_hidden && !field.is_foldable() {
        return row.child(field_view(field, form, draft, callbacks));
    }
    let slug = field.slug.clone();
    let filled = draft.values.with_untracked(FieldValues::filled_slugs);
    let is_filled = !field.is_hidden && filled.contains(&slug);
    let is_shown = Signal::memo_after(move |before| {
        let has_error = draft
            .errors
            .with(|errors| errors.iter().any(|(known, _)| *known == slug));
        let is_unfolded = draft.unfolded.with(|slugs| slugs.contains(&slug));
        has_error || is_filled || is_unfolded || before == Some(&true)
    });
    let form = form.clone();
    let (element, is_hidden) = (row.element(), field.is_hidden);
    let content = move || {
        if is_shown.get() {
            let field = field_view(field.clone(), &form, draft, callbacks);
            return el("div").child(field);
        }
        if is_hidden {
            return fragment();
        }
        unfold_button(&field, element.clone(), draft)
    };
    row.attr_if("class", is_hidden.then_some("contents"))
        .child_with(content)
}

/// Button that shows a folded field in `row` and focuses it.
fn unfold_button(field: &InputField, row: HtmlElement, draft: Draft) -> Node {
    let texts = use_texts();
    let label = match field.slug.as_str() {
        "guests" => Key::AddGuests,
        _ => Key::AddNote,
    };
    let slug = field.slug.clone();
    let unfold = move || {
        draft.unfolded.update(|slugs| slugs.push(slug.clone()));
        focus_first_soon(row.clone(), "input, textarea");
    };
    button("button-quiet form-add", unfold)
        .child(icon(Shape::Add))
        .child(field.title.as_deref().unwrap_or(texts.get(label)))
}
