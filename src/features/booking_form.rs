//! The form that an event type asks for, and the one press that books.

pub mod model;
mod question;

use std::sync::Arc;

use booking_wire::{FieldKind, NewBooking};
use leptos::prelude::*;

use crate::components::focus::focus_first_soon;
use crate::components::{Shape, live_region};
use crate::dom::{Html, el, row};
use crate::i18n::{Key, use_texts};
use crate::problem::notice;
use crate::signal::Signal;

use model::{Answer, Answers, FieldErrors, Form, Occasion};
use question::question_field;

/// What the visitor has typed so far. Owned by the flow: it survives a lost time and going back.
#[derive(Clone, Copy)]
pub struct Draft {
    answers: RwSignal<Answers>,
    errors: RwSignal<FieldErrors>,
}

impl Draft {
    /// An empty form.
    pub fn new() -> Self {
        Self {
            answers: RwSignal::default(),
            errors: RwSignal::default(),
        }
    }

    /// Everything typed.
    pub fn answers(self) -> Answers {
        self.answers.get()
    }

    /// The request, or `None` after complaining about every field that needs attention.
    fn parse(self, form: &Form, occasion: &Occasion) -> Option<NewBooking> {
        let parsed = self
            .answers
            .with_untracked(|answers| form.parse(answers, occasion));
        match parsed {
            Ok(booking) => {
                self.errors.set(FieldErrors::new());
                Some(booking)
            }
            Err(errors) => {
                self.errors.set(errors);
                None
            }
        }
    }

    fn set(self, slug: &str, answer: Answer) {
        self.answers.update(|answers| answers.set(slug, answer));
        // A complaint is about what was there before.
        if self
            .errors
            .with_untracked(|errors| errors.iter().any(|(known, _)| known == slug))
        {
            self.errors
                .update(|errors| errors.retain(|(known, _)| known != slug));
        }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self::new()
    }
}

/// Why the last press did not book, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setback {
    /// One line.
    pub title: String,
    /// What still holds and what to do.
    pub text: String,
}

/// Asks and reports a complete request once.
#[component]
pub fn BookingForm(
    /// What is asked.
    #[prop(into)]
    form: Arc<Form>,
    /// Shared with the flow.
    draft: Draft,
    /// What the answers are sent with.
    #[prop(into)]
    occasion: Signal<Option<Occasion>>,
    /// Whether a request is on its way: a second press does nothing.
    #[prop(into)]
    is_busy: Signal<bool>,
    #[prop(into)] setback: Signal<Option<Setback>>,
    /// Whether a host has to confirm.
    needs_confirmation: bool,
    #[prop(into)] on_submit: Callback<NewBooking>,
) -> Html {
    let texts = use_texts();

    let places = form.places.clone();
    // Only the choice of a place changes what is asked.
    let asking = form.clone();
    let asked = Memo::new(move |_| {
        let place = draft.answers.with(|answers| answers.many(model::PLACE));
        let mut answers = Answers::default();
        answers.set(model::PLACE, Answer::Many(place));
        asking.asked(&answers)
    });
    let summary = move || match draft.errors.with(Vec::len) {
        0 => String::new(),
        count => texts.count(Key::FormErrors, count),
    };

    let node = el("form")
        .class("form")
        .attr("part", "form")
        .attr("novalidate", "");
    let element = node.element();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if is_busy.get_untracked() {
            return;
        }
        let Some(occasion) = occasion.get_untracked() else {
            return;
        };
        match draft.parse(&form, &occasion) {
            Some(booking) => on_submit.run(booking),
            None => focus_first_soon(element.clone(), "[aria-invalid='true']"),
        }
    };

    let leave = Callback::new(move |slug: String| {
        let question =
            asked.with_untracked(|asked| asked.iter().find(|asked| asked.slug == slug).cloned());
        let Some(question) = question else { return };
        // Leaving an empty field is not a mistake yet: that is told when sending.
        let is_empty = draft
            .answers
            .with_untracked(|answers| answers.text(&slug).trim().is_empty());
        let found = draft
            .answers
            .with_untracked(|answers| model::complaint(&question, answers));
        if let Some(complaint) = found.filter(|_| !is_empty) {
            draft.errors.update(|errors| {
                errors.retain(|(known, _)| *known != slug);
                errors.push((slug, complaint));
            });
        }
    });
    let fields = move || {
        row(asked
            .get()
            .into_iter()
            .map(|question| question_field(question, &places, draft, leave)))
    };
    let setback = move || {
        setback
            .get()
            .map(|Setback { title, text }| notice(Shape::Alert, &title, &text))
    };
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
        .flag_with("aria-disabled", move || is_busy.get())
        .flag_with("aria-busy", move || is_busy.get())
        .text_with(action);

    node.on("submit", submit)
        .show(setback)
        .show(fields)
        .add(el("p").class("form-summary").text_with(summary))
        .add(live_region(summary))
        .add(press)
}

/// The `autocomplete` token of a default question.
fn autocomplete(kind: FieldKind, is_default: bool) -> &'static str {
    match kind {
        FieldKind::Name => "name",
        FieldKind::Email => "email",
        FieldKind::Phone => "tel",
        FieldKind::Address if is_default => "street-address",
        FieldKind::Url => "url",
        _ => "off",
    }
}
