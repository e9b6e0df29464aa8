//! Question with the control for its kind.

use crate::features::shared::email_list::addresses;
use std::sync::Arc;

use booking_wire::formats::is_email;
use booking_wire::{FieldKind, FieldOption};
use leptos::prelude::*;

use crate::components::{
    CheckMenu, Chips, ChoiceField, Choices, SelectField, SwitchField, TextField, TextKind,
    chips_field,
};
use crate::features::booking_form::Draft;
use crate::features::booking_form::answers::{Answer, Answers};
use crate::features::booking_form::labels::{complaint_text, label_of};
use crate::features::booking_form::location_field::place_field;
use crate::features::booking_form::model::{Form, Question};
use crate::features::booking_form::phone_field::{PhoneField, phone_field};
use crate::i18n::{Key, use_texts};
use crate::ui::dom::Node;
use crate::ui::signal::{Callback, Signal, StoredValue};

/// Callbacks of a question.
#[derive(Clone, Copy)]
pub(super) struct FieldCallbacks {
    /// Callback for leaving a field, with its slug.
    pub(super) on_leave: Callback<String>,
    /// Callback with an announcement for screen readers.
    pub(super) on_say: Callback<String>,
}

/// Id of the control for `slug`. It contains no spaces, which separate ids in lists.
pub(super) fn id_of(slug: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    let mut id = String::from("field-");
    id.extend(
        slug.chars()
            .map(|sign| if is_plain(sign) { sign } else { '-' }),
    );
    id
}

/// Renders `question` and stores its answer in `draft`.
pub(super) fn question_field(
    question: Question,
    form: &Arc<Form>,
    draft: Draft,
    ears: FieldCallbacks,
) -> Node {
    let texts = use_texts();

    let label = label_of(&question, texts);
    let Question {
        slug,
        kind,
        label: own_label,
        placeholder,
        is_required,
        options,
        is_read_only,
        ..
    } = question;
    let id = id_of(&slug);
    let key = StoredValue::new(slug.clone());
    let spoken_label = label.clone();
    let error = Signal::derive(move || {
        draft.errors.with(|errors| {
            let found = errors
                .iter()
                .find(|(known, _)| key.with_value(|slug| known == slug));
            found.map(|(_, complaint)| complaint_text(complaint, &spoken_label, texts))
        })
    });
    let text = move || answer_of(draft, key, |answers, slug| answers.text(slug).to_owned());
    let many = move || answer_of(draft, key, Answers::many);
    let set = move |answer: Answer| key.with_value(|slug| draft.set(slug, answer));
    let set_text = move |text: String| set(Answer::Text(text));
    let set_many = move |values: Vec<String>| set(Answer::Many(values));
    let leave = Callback::new(move |()| key.with_value(|slug| ears.on_leave.run(slug.clone())));
    let name = browser_name(&slug, kind, own_label.is_none());
    let placeholder = placeholder.unwrap_or_default();
    let hint = match kind {
        _ if is_read_only => texts.get(Key::CannotChange),
        FieldKind::Multiemail => texts.get(Key::EmailsHint),
        _ => "",
    };

    let field = match kind {
        FieldKind::Boolean => {
            let value = answer_of(draft, key, Answers::flag);
            view! {
                <SwitchField
                    id label value is_required is_read_only hint error
                    on_change=move |flag| set(Answer::Flag(flag))
                />
            }
        }
        FieldKind::Select => {
            let mut choices = plain(options);
            choices.insert(0, (String::new(), texts.get(Key::PleaseChoose).to_owned()));
            let chosen = answer_of(draft, key, |answers, slug| {
                answers.many(slug).pop().unwrap_or_default()
            });
            view! {
                <SelectField
                    id label options=choices value=chosen is_required is_read_only hint error
                    on_pick=set_text
                />
            }
        }
        FieldKind::RadioInput => {
            return place_field(id, label, is_read_only, form.clone(), draft, ears);
        }
        FieldKind::Radio | FieldKind::Checkbox => {
            let choices = if kind == FieldKind::Radio {
                Choices::One
            } else {
                Choices::Many
            };
            view! {
                <ChoiceField
                    id label choices options=plain(options) value=many() is_required is_read_only hint error
                    on_pick=set_many
                />
            }
        }
        FieldKind::Multiselect => view! {
            <CheckMenu
                id label options=plain(options) value=many() is_required is_read_only hint error
                on_pick=set_many
            />
        },
        FieldKind::Multiemail => {
            let value = answer_of(draft, key, Answers::addresses);
            let about = Chips {
                id,
                name,
                label,
                hint: hint.to_owned(),
                placeholder,
                is_required,
                is_read_only,
                error,
                parse: addresses,
                is_valid: is_email,
            };
            return chips_field(about, value, Callback::new(set_many), leave, ears.on_say);
        }
        FieldKind::Phone => {
            let country = answer_of(draft, key, Answers::country);
            let about = PhoneField {
                id,
                name,
                label,
                hint: hint.to_owned(),
                placeholder,
                is_required,
                is_read_only,
                error,
            };
            let change = move |(country, number)| set(Answer::Phone { country, number });
            return phone_field(about, country, text(), Callback::new(change), leave);
        }
        _ => view! {
            <TextField
                id
                label
                kind=text_kind(kind)
                value=text()
                on_input=set_text
                on_leave=leave
                is_required
                is_read_only
                hint
                placeholder
                name
                autocomplete=autocomplete(&slug, kind)
                error
            />
        },
    };
    field.into_inner()
}

/// Signal of the answer in `draft` to the question `slug`.
fn answer_of<T>(
    draft: Draft,
    slug: StoredValue<String>,
    look: fn(&Answers, &str) -> T,
) -> Signal<T> {
    Signal::derive(move || {
        draft
            .answers
            .with(|answers| slug.with_value(|slug| look(answers, slug)))
    })
}

/// Options as values with labels.
fn plain(options: Vec<FieldOption>) -> Vec<(String, String)> {
    options
        .into_iter()
        .map(|option| (option.key(), option.label))
        .collect()
}

fn text_kind(kind: FieldKind) -> TextKind {
    match kind {
        FieldKind::Email => TextKind::Email,
        FieldKind::Url => TextKind::Url,
        FieldKind::Number => TextKind::Number,
        FieldKind::Textarea | FieldKind::Address => TextKind::Lines,
        _ => TextKind::Line,
    }
}

/// Name of the control for browsers and password managers.
fn browser_name(slug: &str, kind: FieldKind, is_default: bool) -> String {
    let name = match kind {
        FieldKind::Phone if is_default || slug == "attendeePhoneNumber" => "tel",
        FieldKind::Address if is_default => "street-address",
        _ => slug,
    };
    name.to_owned()
}

/// Token for `autocomplete`, from the kind or the slug of a question.
fn autocomplete(slug: &str, kind: FieldKind) -> &'static str {
    match (kind, slug) {
        (FieldKind::Name, _) => "name",
        (FieldKind::Email, _) => "email",
        (FieldKind::Address, _) => "street-address",
        (FieldKind::Url, _) => "url",
        (FieldKind::Text, "company" | "organization" | "organisation") => "organization",
        (FieldKind::Text, "job-title" | "jobTitle") => "organization-title",
        (FieldKind::Text, "city") => "address-level2",
        (FieldKind::Text, "zip" | "postcode" | "postal-code") => "postal-code",
        _ => "off",
    }
}
