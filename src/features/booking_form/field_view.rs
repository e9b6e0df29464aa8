//! Control of a field, by its kind.

pub(super) mod location_field;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::formats::is_email;
use booking_wire::{FieldKind, FieldOption};
use wasm_bindgen::JsCast;

use super::draft::Draft;
use super::email_domain::suggested_domain;
use super::field::InputField;
use super::labels::{error_below_field, label_of};
use super::model::Form;
use super::phone::phone_field::PhoneField;
use super::values::{FieldValue, FieldValues};
use crate::components::focus::focus_id_soon;
use crate::components::{
    CheckMenu, ChipsField, ChoiceField, Choices, SelectField, SwitchField, TextField, TextKind,
    button,
};
use crate::features::shared::email_list::addresses;
use crate::i18n::{Key, use_texts};
use location_field::location_field;

/// Callbacks of the fields.
#[derive(Clone, Copy)]
pub(super) struct FieldCallbacks {
    /// Callback for leaving a field, with its slug.
    pub(super) on_leave: Callback<String>,
    /// Callback with an announcement for screen readers.
    pub(super) on_announce: Callback<String>,
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

/// Renders the control for `field`, which stores its value in `draft`.
pub(super) fn field_view(
    field: InputField,
    form: &Arc<Form>,
    draft: Draft,
    callbacks: FieldCallbacks,
) -> Node {
    let texts = use_texts();

    let label = label_of(&field, texts);
    let whole = StoredValue::new(field.clone());
    let InputField {
        slug,
        kind,
        label: own_label,
        placeholder,
        is_required,
        options,
        is_read_only,
        ..
    } = field;
    let id = id_of(&slug);
    let key = StoredValue::new(slug.clone());
    let error = Signal::derive(move || {
        draft.errors.with(|errors| {
            let found = errors
                .iter()
                .find(|(known, _)| key.with_value(|slug| known == slug));
            found.map(|(_, error)| whole.with_value(|field| error_below_field(error, field, texts)))
        })
    });
    let text = move || value_of_field(draft, key, |values, slug| values.text(slug).to_owned());
    let many = move || value_of_field(draft, key, FieldValues::many);
    let set = move |value: FieldValue| key.with_value(|slug| draft.set(slug, value));
    let set_text = move |text: String| set(FieldValue::Text(text));
    let set_many = move |values: Vec<String>| set(FieldValue::Many(values));
    let leave =
        Callback::new(move |()| key.with_value(|slug| callbacks.on_leave.run(slug.clone())));
    let name = browser_name(&slug, kind, own_label.is_none());
    let placeholder = placeholder.unwrap_or_default();
    let hint = match kind {
        _ if is_read_only => texts.get(Key::CannotChange),
        FieldKind::Multiemail => texts.get(Key::EmailsHint),
        _ => "",
    };

    let field = match kind {
        FieldKind::Boolean => {
            let value = value_of_field(draft, key, FieldValues::flag);
            view! {
                <SwitchField
                    id label value is_required is_read_only hint error
                    on_change=move |flag| set(FieldValue::Flag(flag))
                />
            }
        }
        FieldKind::Select => {
            let mut choices = option_labels(options);
            choices.insert(0, (String::new(), texts.get(Key::PleaseChoose).to_owned()));
            let selected = value_of_field(draft, key, |values, slug| {
                values.many(slug).pop().unwrap_or_default()
            });
            view! {
                <SelectField
                    id label options=choices value=selected is_required is_read_only hint error
                    on_pick=set_text
                />
            }
        }
        FieldKind::RadioInput => {
            let detail_form = form.clone();
            let detail_view = move |detail| field_view(detail, &detail_form, draft, callbacks);
            return location_field(
                id,
                label,
                is_read_only,
                form.clone(),
                draft,
                Rc::new(detail_view),
            );
        }
        FieldKind::Radio | FieldKind::Checkbox => {
            let choices = if kind == FieldKind::Radio {
                Choices::One
            } else {
                Choices::Many
            };
            view! {
                <ChoiceField
                    id label choices options=option_labels(options) value=many() is_required is_read_only hint error
                    on_pick=set_many
                />
            }
        }
        FieldKind::Multiselect => view! {
            <CheckMenu
                id label options=option_labels(options) value=many() is_required is_read_only hint error
                on_pick=set_many
            />
        },
        FieldKind::Multiemail => {
            let value = value_of_field(draft, key, FieldValues::addresses);
            view! {
                <ChipsField
                    id label value is_required is_read_only hint placeholder name error
                    on_change=set_many on_leave=leave on_announce=callbacks.on_announce
                    parse=addresses is_valid=is_email
                />
            }
        }
        FieldKind::Phone => {
            let selected = value_of_field(draft, key, FieldValues::country);
            let set_phone = move |(country, number)| set(FieldValue::Phone { country, number });
            view! {
                <PhoneField
                    id label selected number=text() is_required is_read_only hint placeholder name error
                    on_change=set_phone on_leave=leave
                />
            }
        }
        _ => {
            let value = text();
            let suggestion = (kind == FieldKind::Email && !is_read_only)
                .then(|| domain_suggestion(id.clone(), draft, key, callbacks.on_announce));
            let field = view! {
                <TextField
                    id
                    label
                    kind=text_kind(kind)
                    value
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
            };
            return fragment().child(field.into_inner()).child(suggestion);
        }
    };
    field.into_inner()
}

/// Pause in typing after which a misspelt domain is noticed.
const TYPING_PAUSE: Duration = Duration::from_millis(600);

/// Button below the e-mail field `id` that corrects a misspelt domain.
fn domain_suggestion(
    id: String,
    draft: Draft,
    slug: StoredValue<String>,
    on_announce: Callback<String>,
) -> Node {
    let texts = use_texts();
    let address = value_of_field(draft, slug, |values, slug| values.text(slug).to_owned());
    let suggested = RwSignal::new(None::<&'static str>);
    let text_of = move |domain: &str| texts.fill(Key::DidYouMean, &[("domain", domain)]);
    let mut questions = draft.questions.get_untracked();
    effect(move || {
        let typed = address.get();
        let is_asked = std::mem::replace(&mut questions, draft.questions.get()) != questions;
        // What was suggested for the last address.
        if suggested.with_untracked(Option::is_some) {
            suggested.set(None);
        }
        let look = move || {
            let is_same = |values: &FieldValues| values.text(&slug.get_value()) == typed;
            let is_shown = !slug.is_disposed() && draft.values.with_untracked(is_same);
            if let Some(domain) = suggested_domain(&typed).filter(|_| is_shown) {
                suggested.set(Some(domain));
                draft.asked_about.set_value(typed.clone());
                on_announce.run(text_of(domain));
            }
        };
        // Sent before the pause.
        if is_asked {
            look();
        } else {
            set_timeout(look, TYPING_PAUSE);
        }
    });
    let container = el("div");
    let root = container.element();
    let chip = move || {
        let domain = suggested.get()?;
        let (root, id) = (root.clone(), id.clone());
        let correct = move || {
            let address = untrack(|| address.get());
            if let Some((name, _)) = address.rsplit_once('@') {
                let corrected = FieldValue::Text([name, domain].join("@"));
                slug.with_value(|slug| draft.set(slug, corrected));
            }
            if let Some(form) = root.parent_element().and_then(|row| row.dyn_into().ok()) {
                focus_id_soon(&form, &id);
            }
        };
        Some(
            button("button suggestion", correct)
                .attr("part", "suggestion")
                .child(text_of(domain)),
        )
    };
    container.child_with(chip)
}

/// Signal of the value of `slug` in `draft`.
fn value_of_field<T>(
    draft: Draft,
    slug: StoredValue<String>,
    read: fn(&FieldValues, &str) -> T,
) -> Signal<T> {
    Signal::derive(move || {
        draft
            .values
            .with(|values| slug.with_value(|slug| read(values, slug)))
    })
}

/// Options as values with labels.
fn option_labels(options: Vec<FieldOption>) -> Vec<(String, String)> {
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

/// Token for `autocomplete`, from the kind or the slug of a field.
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
