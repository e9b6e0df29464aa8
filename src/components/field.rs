//! Form controls with their label, hint and complaint.

use leptos::prelude::*;

use crate::dom::{Html, el, is_checked, nothing, row, value_of};
use crate::signal::Signal;

/// How a text is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// One line.
    Line,
    /// Several lines.
    Lines,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// A number.
    Number,
    /// A calendar day.
    Date,
    /// A secret.
    Password,
}

impl TextKind {
    fn input_type(self) -> &'static str {
        match self {
            Self::Line | Self::Lines | Self::Number => "text",
            Self::Email => "email",
            Self::Phone => "tel",
            Self::Url => "url",
            Self::Date => "date",
            Self::Password => "password",
        }
    }

    fn input_mode(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "tel",
            Self::Url => "url",
            // A number field would swallow letters without a word and spin on scrolling.
            Self::Number => "decimal",
            _ => "text",
        }
    }
}

/// One answer in words. The `id` must be unique within the root.
#[component]
pub fn TextField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(default = TextKind::Line)] kind: TextKind,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_input: Callback<String>,
    /// Called when the visitor leaves the field.
    #[prop(optional, into)]
    on_leave: Option<Callback<()>>,
    #[prop(optional)] is_required: bool,
    #[prop(optional, into)] hint: String,
    #[prop(optional, into)] placeholder: String,
    /// The HTML `autocomplete` token.
    #[prop(default = "off")]
    autocomplete: &'static str,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Html {
    let control = match kind {
        TextKind::Lines => el("textarea").attr("rows", "3"),
        kind => el("input")
            .attr("type", kind.input_type())
            .attr("inputmode", kind.input_mode()),
    };
    let help = (!hint.is_empty()).then(|| format!("{id}-help"));
    let control = described(control, &id, help.clone(), is_required, error)
        .attr("part", "input")
        .attr("placeholder", &placeholder)
        .attr("autocomplete", autocomplete)
        .value_with(move || value.get())
        .on("input", move |event| on_input.run(value_of(&event)))
        .on("blur", move |_| {
            if let Some(on_leave) = on_leave {
                on_leave.run(());
            }
        });
    field("div")
        .add(labelled(el("label").attr("for", &id), &label, is_required))
        .add(control)
        .add(help.map(|help| el("p").class("hint").attr("id", &help).add(hint)))
        .add(complaint(&id, error))
}

/// One of several values, in a list that opens.
#[component]
pub fn SelectField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// Values with their texts.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_pick: Callback<String>,
    #[prop(optional)] is_required: bool,
    #[prop(optional, into)] error: Signal<Option<String>>,
    /// Whether the label is for screen readers only.
    #[prop(optional)]
    hides_label: bool,
) -> Html {
    let label_class = if hides_label { "visually-hidden" } else { "" };
    let control = described(el("select"), &id, None, is_required, error)
        .attr("part", "select")
        .show(move || {
            let chosen = value.get();
            options.with(|options| {
                row(options
                    .iter()
                    .map(|(value, text)| option(value, text, *value == chosen)))
            })
        })
        .on("change", move |event| on_pick.run(value_of(&event)));
    field("div")
        .add(labelled(
            el("label").attr("for", &id).class(label_class),
            &label,
            is_required,
        ))
        .add(control)
        .add(complaint(&id, error))
}

/// One line of a list that opens.
pub fn option(value: &str, text: &str, is_chosen: bool) -> Html {
    el("option")
        .attr("value", value)
        .attr_if("selected", is_chosen.then_some(""))
        .add(text)
}

/// Yes or no.
#[component]
pub fn SwitchField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<bool>,
    #[prop(into)] on_change: Callback<bool>,
    #[prop(optional)] is_required: bool,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Html {
    let control = described(
        el("input").attr("type", "checkbox"),
        &id,
        None,
        is_required,
        error,
    )
    .checked_with(move || value.get())
    .on("change", move |event| on_change.run(is_checked(&event)));
    let words = labelled(el("span"), &label, is_required);
    field("div")
        .add(
            el("label")
                .class("choice")
                .attr("part", "label")
                .add(control)
                .add(words),
        )
        .add(complaint(&id, error))
}

/// How many of the options may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// One.
    One,
    /// Any number.
    Many,
}

/// Options side by side.
#[component]
pub fn ChoiceField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    choices: Choices,
    /// Values with their texts.
    options: Vec<(String, String)>,
    /// The values that hold.
    #[prop(into)]
    value: Signal<Vec<String>>,
    #[prop(into)] on_pick: Callback<Vec<String>>,
    #[prop(optional)] is_required: bool,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Html {
    let kind = if choices == Choices::One {
        "radio"
    } else {
        "checkbox"
    };
    let error_id = error_id(&id);
    let mut group = field("fieldset")
        .attr_with("aria-describedby", move || {
            error.with(Option::is_some).then(|| error_id.clone())
        })
        .add(labelled(el("legend"), &label, is_required));
    for (index, (option, text)) in options.into_iter().enumerate() {
        let held = option.clone();
        let input = el("input")
            .attr_if("id", (index == 0).then_some(&id))
            .attr("type", kind)
            .attr("name", &id)
            .flag_with("aria-invalid", move || error.with(Option::is_some))
            .checked_with(move || value.with(|values| values.contains(&held)))
            .on("change", move |event| {
                let mut values = if choices == Choices::Many {
                    value.get_untracked()
                } else {
                    Vec::new()
                };
                values.retain(|value| *value != option);
                if is_checked(&event) {
                    values.push(option.clone());
                }
                on_pick.run(values);
            });
        group = group.add(
            el("label")
                .class("choice")
                .add(input)
                .add(el("span").add(text)),
        );
    }
    group.add(complaint(&id, error))
}

fn field(tag: &str) -> Html {
    el(tag).class("field").attr("part", "field")
}

fn error_id(id: &str) -> String {
    format!("{id}-error")
}

/// A control tied to its hint and its complaint.
fn described(
    control: Html,
    id: &str,
    help: Option<String>,
    is_required: bool,
    error: Signal<Option<String>>,
) -> Html {
    let error_id = error_id(id);
    control
        .attr("id", id)
        .attr_if("aria-required", is_required.then_some("true"))
        .flag_with("aria-invalid", move || error.with(Option::is_some))
        .attr_with("aria-describedby", move || {
            let complaint = error.with(Option::is_some).then(|| error_id.clone());
            match (help.clone(), complaint) {
                (Some(help), Some(complaint)) => Some(format!("{help} {complaint}")),
                (help, complaint) => help.or(complaint),
            }
        })
}

fn labelled(label: Html, words: &str, is_required: bool) -> Html {
    let mark = is_required.then(|| {
        el("span")
            .class("required")
            .attr("aria-hidden", "true")
            .add("*")
    });
    label.attr("part", "label").add(words).add(mark)
}

fn complaint(id: &str, error: Signal<Option<String>>) -> Html {
    let id = error_id(id);
    nothing().show(move || {
        error.get().map(|text| {
            el("p")
                .class("complaint")
                .attr("id", &id)
                .attr("part", "error")
                .add(text)
        })
    })
}
