//! Booking form of an event type: fields, errors and submission.

pub mod answers;
mod check;
mod draft;
mod errors;
mod labels;
mod location_field;
pub mod metadata;
pub mod model;
mod phone;
mod phone_field;
pub mod prefill;
mod question;
pub mod response_text;
mod stored_draft;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use booking_wire::NewBooking;
use leptos::prelude::*;

use crate::components::focus::focus_first_soon;
use crate::components::{Shape, live_region};
use crate::element::booking_events::BookingEvent;
use crate::element::events::use_page;
use crate::features::shared::error_notice::notice;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, use_texts};
use crate::ui::dom::{Node, el, fragment_of};
use crate::ui::signal::{Callback, RwSignal, Signal, StoredValue};

use errors::{count_text, error_list};
use model::{Form, Occasion, Question};
use question::{FieldCallbacks, question_field};

pub use draft::Draft;

/// Typical duration of a mouse press.
const PRESS: Duration = Duration::from_millis(150);

/// Message about a failed booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setback {
    /// One line.
    pub title: String,
    /// Consequence and next step.
    pub text: String,
}

/// Form that submits each complete request once.
#[component]
pub fn BookingForm(
    /// Questions.
    #[prop(into)]
    form: Arc<Form>,
    /// State shared with the flow.
    draft: Draft,
    /// Data sent with the answers.
    #[prop(into)]
    occasion: Signal<Option<Occasion>>,
    /// True if a request is pending: submitting again does nothing.
    #[prop(into)]
    is_busy: Signal<bool>,
    /// True if the page has disabled booking.
    #[prop(optional)]
    is_switched_off: bool,
    #[prop(into)] setback: Signal<Option<Setback>>,
    /// True if a host has to confirm.
    needs_confirmation: bool,
    #[prop(into)] on_submit: Callback<NewBooking>,
) -> Node {
    let texts = use_texts();
    let page = use_page();
    draft.write_when_left();

    let spoken = RwSignal::new(String::new());
    let say = Callback::new(move |text: String| {
        // Screen readers skip unchanged text.
        let is_repeated = spoken.with_untracked(|before| *before == text);
        spoken.set(if is_repeated {
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
    let news = page.clone();
    let show_errors = move || {
        say.run(count_text(draft));
        focus_first_soon(root.clone(), "[aria-invalid='true']");
        let (fields, codes) = draft.errors.with_untracked(|errors| {
            let codes = errors
                .iter()
                .map(|(_, complaint)| complaint.code().to_owned());
            let fields = errors.iter().map(|(slug, _)| slug.clone());
            (fields.collect(), codes.collect())
        });
        news.emit(&BookingEvent::FormInvalid { fields, codes });
    };
    // Errors of the form or, later, of the service.
    Effect::new({
        let show_errors = show_errors.clone();
        move |before: Option<()>| {
            let has_failed = draft.failed.with(|failed| !failed.is_empty());
            if before.is_some() && has_failed {
                untrack(&show_errors);
            }
        }
    });
    Effect::new(move |before: Option<Vec<String>>| {
        let fields = draft.answers.with(answers::Answers::given);
        if before.is_some_and(|before| before != fields) {
            page.emit(&BookingEvent::FormChanged {
                fields: fields.clone(),
            });
        }
        fields
    });

    let action = move || {
        let key = match (is_busy.get(), needs_confirmation) {
            (true, _) => Key::Booking,
            (false, true) => Key::Request,
            (false, false) => Key::Confirm,
        };
        texts.get(key).to_owned()
    };
    let press = el("button")
        .class("button-primary")
        .attr("part", "submit")
        .attr("type", "submit")
        .attr_if("aria-describedby", is_switched_off.then_some("form-off"))
        .flag_with("aria-disabled", move || is_busy.get() || is_switched_off)
        .flag_with("aria-busy", move || is_busy.get())
        // Else the blurred field could show an error and move the button away before the mouse is
        // released.
        .on("mousedown", |event| event.prevent_default())
        .text_with(action);
    let button = press.element();

    let asking = form.clone();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if is_busy.get_untracked() || is_switched_off {
            return;
        }
        let Some(occasion) = occasion.get_untracked() else {
            return;
        };
        // Blurs the focused field first, so that its input counts.
        let _ = button.focus();
        if let Some(booking) = draft.parse(&asking, &occasion) {
            on_submit.run(booking);
        }
    };

    let asking = form.clone();
    let look_at = move |slug: String| {
        // An empty field is no error on blur: it is reported on submit.
        let Some(answers) = draft.answers.try_get_untracked() else {
            return;
        };
        let asked = asking.asked(&answers);
        let found = asked
            .iter()
            .find(|question| question.slug == slug)
            .and_then(|question| model::complaint(question, &answers))
            .filter(|_| answers.given().contains(&slug));
        if let Some(complaint) = found {
            draft.errors.update(|errors| {
                errors.retain(|(known, _)| *known != slug);
                errors.push((slug, complaint));
            });
        }
    };
    let look_at = StoredValue::new(Rc::new(look_at));
    let on_leave = Callback::new(move |slug: String| {
        // An error shown during a mouse press would move the pressed element.
        let look_at = look_at.get_value();
        set_timeout(move || look_at(slug), PRESS);
    });
    let ears = FieldCallbacks {
        on_leave,
        on_say: say,
    };
    let fields = fragment_of(
        form.questions
            .iter()
            .map(|question| placed(question.clone(), &form, draft, ears)),
    );

    let setback = move || {
        setback
            .get()
            .map(|Setback { title, text }| notice(Shape::Alert, &title, &text))
    };
    let reason = is_switched_off.then(|| {
        el("p")
            .class("form-off")
            .attr("id", "form-off")
            .child(texts.get(Key::ConfirmOff))
    });

    node.on("submit", submit)
        .child_with(setback)
        .child(error_list(element, form, draft))
        .child(el("p").class("hint").child(texts.get(Key::RequiredMark)))
        .child(el("div").class("form-fields").child(fields))
        .child(live_region(move || spoken.get()))
        .child(
            el("div")
                .class("form-end")
                .child(press)
                .child(slow_line(move || is_busy.get()))
                .child(reason),
        )
}

/// Field of a question. A hidden one is shown as soon as its answer has an error.
fn placed(question: Question, form: &Arc<Form>, draft: Draft, ears: FieldCallbacks) -> Node {
    let class = match question.slug.as_str() {
        "name" | "email" => "form-half",
        _ => "form-whole",
    };
    if !question.is_hidden {
        let field = question_field(question, form, draft, ears);
        return el("div").class(class).child(field);
    }
    let slug = question.slug.clone();
    let is_wrong = Signal::memo_after(move |before| {
        let is_wrong = draft
            .errors
            .with(|errors| errors.iter().any(|(known, _)| *known == slug));
        is_wrong || before == Some(&true)
    });
    let form = form.clone();
    let field = move || {
        is_wrong.get().then(|| {
            el("div")
                .class(class)
                .child(question_field(question.clone(), &form, draft, ears))
        })
    };
    el("div").class("contents").child_with(field)
}
