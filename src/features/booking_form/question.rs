//! One question with the control of its kind.

use booking_wire::{FieldKind, Location};
use leptos::prelude::*;

use crate::components::{ChoiceField, Choices, SelectField, SwitchField, TextField, TextKind};
use crate::dom::Html;
use crate::features::booking_form::model::{Answer, Complaint, PLACE, PLACE_DETAIL, Question};
use crate::features::booking_form::{Draft, autocomplete};
use crate::i18n::{Key, Texts, use_texts};
use crate::place::offered_place;
use crate::signal::Signal;

/// Asks `question` and keeps its answer in `draft`. `places` are those that the choice of a place
/// offers; `on_leave` gets the slug when the visitor leaves the field.
pub(super) fn question_field(
    question: Question,
    places: &[Location],
    draft: Draft,
    on_leave: Callback<String>,
) -> Html {
    let texts = use_texts();

    let Question {
        slug,
        kind,
        label,
        placeholder,
        is_required,
        options,
    } = question;
    let is_default = label.is_none();
    let label = label.unwrap_or_else(|| default_label(&slug, kind, texts).to_owned());
    let hint = match kind {
        FieldKind::Phone => texts.get(Key::PhoneHint),
        FieldKind::Multiemail => texts.get(Key::EmailsHint),
        _ => "",
    };
    let id = format!("field-{slug}");
    let key = StoredValue::new(slug.clone());
    let error = Signal::derive(move || {
        draft.errors.with(|errors| {
            let found = errors
                .iter()
                .find(|(known, _)| key.with_value(|slug| known == slug));
            found.map(|(_, complaint)| complaint_text(complaint, texts))
        })
    });
    let text = Signal::derive(move || {
        draft
            .answers
            .with(|answers| key.with_value(|slug| answers.text(slug).to_owned()))
    });
    let many = Signal::derive(move || {
        draft
            .answers
            .with(|answers| key.with_value(|slug| answers.many(slug)))
    });
    let set = move |answer: Answer| key.with_value(|slug| draft.set(slug, answer));
    let set_text = move |text: String| set(Answer::Text(text));
    let set_many = move |values: Vec<String>| set(Answer::Many(values));
    let plain = |options: Vec<String>| {
        options
            .into_iter()
            .map(|option| (option.clone(), option))
            .collect()
    };

    let field = match kind {
        FieldKind::Boolean => {
            let value = Signal::derive(move || {
                draft
                    .answers
                    .with(|answers| key.with_value(|slug| answers.flag(slug)))
            });
            view! {
                <SwitchField id label value is_required error on_change=move |flag| set(Answer::Flag(flag)) />
            }
        }
        FieldKind::Select => {
            let mut choices: Vec<(String, String)> = plain(options);
            choices.insert(0, (String::new(), texts.get(Key::PleaseChoose).to_owned()));
            view! {
                <SelectField id label options=choices value=text is_required error on_pick=set_text />
            }
        }
        FieldKind::RadioInput => {
            let options = places
                .iter()
                .enumerate()
                .map(|(index, place)| (index.to_string(), offered_place(place, texts)))
                .collect();
            view! {
                <ChoiceField id label choices=Choices::One options value=many is_required error on_pick=set_many />
            }
        }
        FieldKind::Radio | FieldKind::Multiselect | FieldKind::Checkbox => {
            let choices = if kind == FieldKind::Radio {
                Choices::One
            } else {
                Choices::Many
            };
            view! {
                <ChoiceField
                    id label choices options=plain(options) value=many is_required error on_pick=set_many
                />
            }
        }
        _ => {
            let leave = move |()| key.with_value(|slug| on_leave.run(slug.clone()));
            view! {
                <TextField
                    id
                    label
                    kind=text_kind(kind)
                    value=text
                    on_input=set_text
                    on_leave=leave
                    is_required
                    hint
                    placeholder=placeholder.unwrap_or_default()
                    autocomplete=autocomplete(kind, is_default)
                    error
                />
            }
        }
    };
    field.into_inner()
}

fn text_kind(kind: FieldKind) -> TextKind {
    match kind {
        FieldKind::Email => TextKind::Email,
        FieldKind::Phone => TextKind::Phone,
        FieldKind::Url => TextKind::Url,
        FieldKind::Number => TextKind::Number,
        FieldKind::Textarea => TextKind::Lines,
        _ => TextKind::Line,
    }
}

fn default_label(slug: &str, kind: FieldKind, texts: Texts) -> &'static str {
    texts.get(match (slug, kind) {
        (PLACE, _) => Key::Place,
        (PLACE_DETAIL, FieldKind::Phone) => Key::PlaceYourNumber,
        (PLACE_DETAIL, FieldKind::Address) => Key::PlaceYourAddress,
        (PLACE_DETAIL, _) => Key::PlaceYourWords,
        ("guests", _) => Key::Guests,
        ("notes", _) => Key::Notes,
        (_, FieldKind::Email) => Key::EmailAddress,
        (_, FieldKind::Phone) => Key::PhoneNumber,
        _ => Key::YourName,
    })
}

fn complaint_text(complaint: &Complaint, texts: Texts) -> String {
    let key = match complaint {
        Complaint::Required => Key::Required,
        Complaint::RequiredChoice => Key::RequiredChoice,
        Complaint::RequiredTick => Key::RequiredTick,
        Complaint::Email => Key::InvalidEmail,
        Complaint::Emails(text) => return texts.fill(Key::InvalidEmails, &[("text", text)]),
        Complaint::Phone => Key::InvalidPhone,
        Complaint::Url => Key::InvalidUrl,
        Complaint::Number => Key::InvalidNumber,
    };
    texts.get(key).to_owned()
}
