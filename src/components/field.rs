//! Form controls with label, hint and error.

use booking_ui::prelude::*;

use super::icon::{Shape, icon};

/// Mark of optional fields, such as `(optional)`. A form in which most fields are required provides it, and marks
/// these instead of the required ones.
#[derive(Clone, Copy)]
pub struct OptionalMark(pub &'static str);

/// Kind of text input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// One line.
    Line,
    /// Several lines.
    Lines,
    /// E-mail address.
    Email,
    /// Telephone number.
    Phone,
    /// Web address.
    Url,
    /// Number.
    Number,
    /// Civil date.
    Date,
    /// Secret.
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
            // A number field would drop letters silently and change its value on scrolling.
            Self::Number => "decimal",
            _ => "text",
        }
    }

    /// Returns the capitalisation by on-screen keyboards, for text that is not prose.
    fn capitals(self) -> Option<&'static str> {
        matches!(self, Self::Email | Self::Url | Self::Password).then_some("none")
    }
}

/// Text input. The `id` must be unique within the root.
#[component]
pub fn TextField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(default = TextKind::Line)] kind: TextKind,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_input: Callback<String>,
    /// Called when the field loses the focus.
    #[prop(optional, into)]
    on_leave: Option<Callback<()>>,
    #[prop(optional)] is_required: bool,
    #[prop(optional, into)] hint: String,
    #[prop(optional, into)] placeholder: String,
    /// HTML `autocomplete` token.
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// Name for the browser's autofill.
    #[prop(optional, into)]
    name: String,
    #[prop(optional)] is_read_only: bool,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Node {
    let control = match kind {
        TextKind::Lines => el("textarea").attr("rows", "3"),
        kind => el("input")
            .attr("type", kind.input_type())
            .attr("inputmode", kind.input_mode()),
    };
    let control = described(control, &id, &hint, is_required, error)
        .attr("part", "input")
        .attr("dir", "auto")
        .attr_if("name", non_empty(&name))
        .attr_if("placeholder", non_empty(&placeholder))
        .attr_if("autocapitalize", kind.capitals())
        .attr_if("spellcheck", kind.capitals().map(|_| "false"))
        .attr_if("readonly", is_read_only.then_some(""))
        .attr("autocomplete", autocomplete)
        .value_with(move || value.get())
        .on("input", move |event| on_input.run(value_of(&event)))
        .on("blur", move |_| {
            if let Some(on_leave) = on_leave {
                on_leave.run(());
            }
        });
    whole_field(&id, &label, is_required, control, &hint, error)
}

/// Control with its label above and its hint and error below.
pub fn whole_field(
    id: &str,
    label: &str,
    is_required: bool,
    control: Node,
    hint: &str,
    error: Signal<Option<String>>,
) -> Node {
    field("div")
        .child(labelled(el("label").attr("for", id), label, is_required))
        .child(control)
        .child(hint_below(id, hint))
        .child(error_message(id, error))
}

/// Select control.
#[component]
pub fn SelectField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// Values with their labels.
    #[prop(into)]
    options: Signal<Vec<(String, String)>>,
    #[prop(into)] value: Signal<String>,
    #[prop(into)] on_pick: Callback<String>,
    #[prop(optional)] is_required: bool,
    #[prop(optional, into)] error: Signal<Option<String>>,
    /// True if the label is for screen readers only.
    #[prop(optional)]
    hides_label: bool,
    #[prop(optional)] is_read_only: bool,
    #[prop(optional, into)] hint: String,
) -> Node {
    let label_class = if hides_label { "visually-hidden" } else { "" };
    let control = described(el("select"), &id, &hint, is_required, error)
        .attr("part", "select")
        .attr_if("disabled", is_read_only.then_some(""))
        .child_with(move || {
            let selected = value.get();
            options.with(|options| {
                fragment_of(
                    options
                        .iter()
                        .map(|(value, text)| option(value, text, *value == selected)),
                )
            })
        })
        .on("change", move |event| on_pick.run(value_of(&event)));
    field("div")
        .child(labelled(
            el("label").attr("for", &id).class(label_class),
            &label,
            is_required,
        ))
        .child(select_box(control))
        .child(hint_below(&id, &hint))
        .child(error_message(&id, error))
}

/// Select control with the widget's own arrow.
pub fn select_box(select: Node) -> Node {
    el("span")
        .class("select")
        .child(select)
        .child(icon(Shape::Expand))
}

/// Option of a select control.
pub fn option(value: &str, text: &str, is_selected: bool) -> Node {
    el("option")
        .attr("value", value)
        .attr_if("selected", is_selected.then_some(""))
        .child(text)
}

/// Checkbox.
#[component]
pub fn SwitchField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<bool>,
    #[prop(into)] on_change: Callback<bool>,
    #[prop(optional)] is_required: bool,
    #[prop(optional)] is_read_only: bool,
    #[prop(optional, into)] hint: String,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Node {
    let control = described(
        el("input").attr("type", "checkbox"),
        &id,
        &hint,
        is_required,
        error,
    )
    .attr_if("disabled", is_read_only.then_some(""))
    .checked_with(move || value.get())
    .on("change", move |event| on_change.run(is_checked(&event)));
    let text = labelled(el("span"), &label, is_required);
    field("div")
        .child(
            el("label")
                .class("choice")
                .attr("part", "label")
                .child(control)
                .child(text),
        )
        .child(hint_below(&id, &hint))
        .child(error_message(&id, error))
}

/// Number of options that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// One.
    One,
    /// Any number.
    Many,
}

/// Radio buttons or checkboxes.
#[component]
pub fn ChoiceField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    choices: Choices,
    /// Values with their labels.
    options: Vec<(String, String)>,
    /// Selected values.
    #[prop(into)]
    value: Signal<Vec<String>>,
    #[prop(into)] on_pick: Callback<Vec<String>>,
    #[prop(optional)] is_required: bool,
    #[prop(optional)] is_read_only: bool,
    #[prop(optional, into)] hint: String,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Node {
    let inputs = choice_inputs(&id, choices, &options, value, on_pick, error);
    let rows = inputs
        .into_iter()
        .zip(options)
        .enumerate()
        .map(|(index, (input, (_, text)))| {
            let input = input.attr_if("id", (index == 0).then_some(&id));
            choice_row(input, el("span").child(text))
        });
    group(&id, &label, is_required, &hint, error)
        .attr_if("disabled", is_read_only.then_some(""))
        .child(fragment_of(rows))
        .child(error_message(&id, error))
}

/// Group of controls under one label, linked to its hint and error.
pub fn group(
    id: &str,
    label: &str,
    is_required: bool,
    hint: &str,
    error: Signal<Option<String>>,
) -> Node {
    with_description(field("fieldset"), id, hint, error)
        .child(labelled(
            el("legend").attr("id", &format!("{id}-label")),
            label,
            is_required,
        ))
        .child(hint_below(id, hint))
}

/// Inputs of the options: values with their labels, of which only the values are used.
pub fn choice_inputs(
    name: &str,
    choices: Choices,
    options: &[(String, String)],
    value: Signal<Vec<String>>,
    on_pick: Callback<Vec<String>>,
    error: Signal<Option<String>>,
) -> Vec<Node> {
    let group = (choices == Choices::One).then(RadioGroup::unique);
    let input = |(option, _): &(String, String)| {
        let option = option.clone();
        let own = option.clone();
        let input = match &group {
            Some(group) => group.button(),
            None => el("input").attr("type", "checkbox").attr("name", name),
        };
        input
            .flag_with("aria-invalid", move || error.with(Option::is_some))
            .checked_with(move || value.with(|values| values.contains(&own)))
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
            })
    };
    options.iter().map(input).collect()
}

/// Input beside its label; both can be clicked.
pub fn choice_row(input: Node, text: Node) -> Node {
    el("label").class("choice").child(input).child(text)
}

fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Container of a control with its label and error.
pub fn field(tag: &str) -> Node {
    el(tag).class("field").attr("part", "field")
}

fn error_id(id: &str) -> String {
    format!("{id}-error")
}

fn hint_id(id: &str) -> String {
    format!("{id}-help")
}

/// Adds id, required and invalid state to a control, and links it to its hint and error.
pub fn described(
    control: Node,
    id: &str,
    hint: &str,
    is_required: bool,
    error: Signal<Option<String>>,
) -> Node {
    let control = control
        .attr("id", id)
        .attr_if("aria-required", is_required.then_some("true"))
        .flag_with("aria-invalid", move || error.with(Option::is_some));
    with_description(control, id, hint, error)
}

fn with_description(element: Node, id: &str, hint: &str, error: Signal<Option<String>>) -> Node {
    let error_id = error_id(id);
    let help = non_empty(hint).map(|_| hint_id(id));
    element.attr_with("aria-describedby", move || {
        let error = error.with(Option::is_some).then(|| error_id.clone());
        match (help.clone(), error) {
            (Some(help), Some(error)) => Some(format!("{help} {error}")),
            (help, error) => help.or(error),
        }
    })
}

fn hint_below(id: &str, hint: &str) -> Option<Node> {
    let hint = non_empty(hint)?;
    Some(el("p").class("hint").attr("id", &hint_id(id)).child(hint))
}

/// Label, with a mark if the field is required; or, if the form has an [`OptionalMark`], if it is optional.
pub fn labelled(label: Node, text: &str, is_required: bool) -> Node {
    let mark = match (is_required, use_context()) {
        (true, None) => Some("*"),
        (false, Some(OptionalMark(mark))) => Some(mark),
        _ => None,
    };
    let mark = mark.map(|mark| {
        el("span")
            .class("required")
            .attr("aria-hidden", "true")
            .child(mark)
    });
    // Isolates direction marks in texts of the service.
    let text = el("bdi").child(text);
    label.attr("part", "label").child(text).child(mark)
}

/// Error message of a field, if there is one.
pub fn error_message(id: &str, error: Signal<Option<String>>) -> Node {
    let id = error_id(id);
    fragment().child_with(move || {
        error.get().map(|text| {
            el("p")
                .class("complaint")
                .attr("id", &id)
                .attr("part", "error")
                .child(text)
        })
    })
}
