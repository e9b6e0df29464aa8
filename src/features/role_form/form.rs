//! The form that makes a role.

use booking_wire::{NewRole, TEAM_PERMISSIONS};
use leptos::prelude::*;

use crate::components::focus::focus_first_soon;
use crate::components::{Shape, TextField, button, group_box, heading};
use crate::dom::{Html, el, is_checked, row};
use crate::i18n::{Key, Texts, use_texts};
use crate::problem::notice;
use crate::signal::{RwSignal, Signal};

use super::list::swatch;
use super::model::{Complaint, Group, Typed, drawn, groups, ink, rgb, state_of, tick};
use super::words::{action_text, resource_text};

/// Colours to choose from, each dark enough for white text.
const COLORS: [(Key, &str); 8] = [
    (Key::ColorBlue, "#2563EB"),
    (Key::ColorTeal, "#0F766E"),
    (Key::ColorGreen, "#15803D"),
    (Key::ColorAmber, "#B45309"),
    (Key::ColorRed, "#B91C1C"),
    (Key::ColorPink, "#BE185D"),
    (Key::ColorViolet, "#7C3AED"),
    (Key::ColorGrey, "#4B5563"),
];

/// What is typed so far. Owned by the screen: closing the form, a failure or a reload of the list
/// take nothing away.
#[derive(Clone, Copy)]
pub(super) struct Draft {
    typed: RwSignal<Typed>,
    complaints: RwSignal<Vec<Complaint>>,
}

impl Draft {
    pub(super) fn new() -> Self {
        Self {
            typed: RwSignal::default(),
            complaints: RwSignal::default(),
        }
    }

    pub(super) fn clear(self) {
        self.typed.set(Typed::default());
        self.complaints.set(Vec::new());
    }

    /// Changes what is typed; complaints were about what was there before.
    fn change(self, change: impl FnOnce(&mut Typed)) {
        self.typed.update(change);
        if self.complaints.with_untracked(|found| !found.is_empty()) {
            let typed = self.typed.get_untracked();
            self.complaints.update(|found| {
                found.retain(|complaint| match complaint {
                    Complaint::NameMissing => typed.name.trim().is_empty(),
                    // Told as long as it is so, whoever asks.
                    Complaint::NameTaken => false,
                    Complaint::Color => typed.color_complaint().is_some(),
                });
            });
        }
    }

    /// The request, or `None` after complaining about every field that needs attention.
    fn parse(self, taken: &[String]) -> Option<NewRole> {
        match self.typed.with_untracked(|typed| typed.parse(taken)) {
            Ok(role) => {
                self.complaints.set(Vec::new());
                Some(role)
            }
            Err(complaints) => {
                self.complaints.set(complaints);
                None
            }
        }
    }
}

/// Why the last press made no role, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setback {
    pub(super) title: String,
    pub(super) text: String,
}

/// Asks for a role and reports it once.
#[component]
pub(super) fn RoleForm(
    draft: Draft,
    /// Names that cannot be given again.
    #[prop(into)]
    taken: Signal<Vec<String>>,
    /// Whether a request is on its way: a second press does nothing.
    #[prop(into)]
    is_busy: Signal<bool>,
    #[prop(into)] setback: Signal<Option<Setback>>,
    #[prop(into)] on_submit: Callback<NewRole>,
    #[prop(into)] on_close: Callback<()>,
) -> Html {
    let texts = use_texts();
    let Draft { typed, complaints } = draft;

    let complaint = move |about: Complaint| {
        complaints
            .with(|found| found.contains(&about))
            .then(|| texts.get(complaint_key(about)).to_owned())
    };
    let name_error = move || {
        // The list may tell of a new role while this one is typed. Not while it is being made: it
        // would meet itself.
        let is_taken = !is_busy.get()
            && taken.with(|taken| {
                typed.with(|typed| typed.name_complaint(taken)) == Some(Complaint::NameTaken)
            });
        is_taken
            .then(|| texts.get(Key::RoleNameTaken).to_owned())
            .or_else(|| complaint(Complaint::NameMissing))
    };
    let form = el("form")
        .class("role-fields")
        .attr("part", "form")
        .attr("novalidate", "")
        .attr("aria-labelledby", "role-form-title");
    let node = form.element();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if is_busy.get_untracked() {
            return;
        }
        match taken.with_untracked(|taken| draft.parse(taken)) {
            Some(role) => on_submit.run(role),
            None => focus_first_soon(node.clone(), "[aria-invalid='true']"),
        }
    };
    let setback = move || {
        setback
            .get()
            .map(|Setback { title, text }| notice(Shape::Alert, &title, &text))
    };
    let action = move || {
        let key = if is_busy.get() {
            Key::CreatingRole
        } else {
            Key::CreateRole
        };
        texts.get(key).to_owned()
    };

    let name = view! {
        <TextField
            id="role-name"
            label=texts.get(Key::RoleName)
            value=Signal::derive(move || typed.with(|typed| typed.name.clone()))
            on_input=move |text: String| draft.change(|typed| typed.name = text)
            is_required=true
            error=Signal::derive(name_error)
        />
    };
    let description = view! {
        <TextField
            id="role-description"
            label=texts.get(Key::RoleDescription)
            value=Signal::derive(move || typed.with(|typed| typed.description.clone()))
            on_input=move |text: String| draft.change(|typed| typed.description = text)
        />
    };
    let about = el("div")
        .class("role-about")
        .add(name)
        .add(description)
        .add(color_field(
            draft,
            move || complaint(Complaint::Color),
            texts,
        ));
    let create = el("button")
        .class("button-primary")
        .attr("part", "submit")
        .attr("type", "submit")
        .flag_with("aria-disabled", move || is_busy.get())
        .flag_with("aria-busy", move || is_busy.get())
        .text_with(action);
    let close = button("button", move || on_close.run(())).add(texts.get(Key::CloseForm));
    let title = heading(1)
        .class("role-form-title")
        .attr("id", "role-form-title")
        .add(texts.get(Key::NewRole));

    form.on("submit", submit)
        .add(title)
        .show(setback)
        .add(about)
        .add(permission_fields(draft, texts))
        .add(el("div").class("role-actions").add(create).add(close))
}

fn complaint_key(complaint: Complaint) -> Key {
    match complaint {
        Complaint::NameMissing => Key::Required,
        Complaint::NameTaken => Key::RoleNameTaken,
        Complaint::Color => Key::InvalidColor,
    }
}

/// Ready colours, any other by its digits, and the name as it will look.
fn color_field(
    draft: Draft,
    error: impl Fn() -> Option<String> + Send + Sync + 'static,
    texts: Texts,
) -> Html {
    let typed = draft.typed;
    let swatches = COLORS.into_iter().map(|(name, color)| {
        let holds = move || typed.with(|typed| typed.color.trim().eq_ignore_ascii_case(color));
        let input = el("input")
            .attr("type", "radio")
            .attr("name", "role-swatch")
            .attr("aria-label", texts.get(name))
            .checked_with(holds)
            .on("change", move |_| {
                draft.change(|typed| typed.color = color.to_owned())
            });
        el("label")
            .class("swatch-choice")
            .attr("title", texts.get(name))
            .add(input)
            .add(swatch(color))
    });
    let hex = view! {
        <TextField
            id="role-color"
            label=texts.get(Key::RoleColorHex)
            value=Signal::derive(move || typed.with(|typed| typed.color.clone()))
            on_input=move |text: String| draft.change(|typed| typed.color = text)
            placeholder="#2563EB"
            error=Signal::derive(error)
        />
    };
    let name = move || {
        let name = typed.with(|typed| typed.name.trim().to_owned());
        Some(name)
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| texts.get(Key::RolePreview).to_owned())
    };
    let preview = el("span").class("role-pill").text_with(name);
    let node = preview.element();
    // As properties: a page's policy may forbid the `style` attribute.
    Effect::new(move |_| {
        let color = typed.with(|typed| drawn(&typed.color)).unwrap_or_default();
        let style = node.style();
        // Both are colours or empty, which takes the property away.
        let _ = style.set_property("background-color", &color);
        let _ = style.set_property("color", rgb(&color).map(ink).unwrap_or_default());
    });
    let choices = el("fieldset")
        .class("field")
        .attr("part", "field")
        .add(
            el("legend")
                .attr("part", "label")
                .add(texts.get(Key::RoleColor)),
        )
        .add(el("div").class("swatches").add(row(swatches)));
    el("div")
        .class("role-color")
        .add(choices)
        .add(el("div").class("role-hex").add(hex))
        .add(
            el("p")
                .class("role-preview")
                .attr("aria-hidden", "true")
                .add(preview),
        )
}

/// All permissions by resource.
fn permission_fields(draft: Draft, texts: Texts) -> Html {
    let typed = draft.typed;
    let count = move || {
        let count = typed.with(|typed| typed.permissions.len());
        let total = TEAM_PERMISSIONS.len().to_string();
        texts.count_with(Key::ChosenPermissions, count, &[("total", &total)])
    };
    let tick_all = move |is_ticked: bool| {
        draft.change(|typed| tick(&TEAM_PERMISSIONS, is_ticked, &mut typed.permissions));
    };
    let state = move || typed.with(|typed| state_of(&TEAM_PERMISSIONS, &typed.permissions));
    let head = el("div")
        .class("permissions-head")
        .add(group_box(texts.get(Key::SelectAll), state, tick_all))
        .add(
            el("span")
                .class("permissions-count")
                .attr("role", "status")
                .text_with(count),
        )
        .add(button("button-quiet", move || tick_all(false)).add(texts.get(Key::SelectNone)));
    let groups = groups()
        .into_iter()
        .map(|group| permission_group(group, draft, texts));
    el("fieldset")
        .class("permissions")
        .attr("part", "permissions")
        .add(
            el("legend")
                .class("permissions-title")
                .attr("part", "label")
                .add(texts.get(Key::Permissions)),
        )
        .add(head)
        .add(el("div").class("permission-groups").add(row(groups)))
}

fn permission_group(group: Group<&'static str>, draft: Draft, texts: Texts) -> Html {
    let typed = draft.typed;
    let heading = resource_text(&group.resource, texts);
    let boxes = group.permissions.clone().into_iter().map(|name| {
        let input = el("input")
            .attr("type", "checkbox")
            .attr("value", name)
            .checked_with(move || typed.with(|typed| typed.permissions.contains(&name)))
            .on("change", move |event| {
                let is_ticked = is_checked(&event);
                draft.change(|typed| tick(&[name], is_ticked, &mut typed.permissions));
            });
        el("label")
            .class("choice")
            .attr("title", name)
            .add(input)
            .add(el("span").add(action_text(name, texts)))
    });
    let boxes = row(boxes);
    let names = StoredValue::new(group.permissions);
    let state =
        move || names.with_value(|names| typed.with(|typed| state_of(names, &typed.permissions)));
    let tick_group = move |is_ticked: bool| {
        names.with_value(|names| {
            draft.change(|typed| tick(names, is_ticked, &mut typed.permissions));
        });
    };
    el("div")
        .class("permission-group")
        .attr("role", "group")
        .attr("aria-label", &heading)
        .add(
            el("div")
                .class("permission-head")
                .add(group_box(&heading, state, tick_group)),
        )
        .add(boxes)
}
