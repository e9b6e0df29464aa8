//! Permission matrix: resources by actions, with the effects of each tick.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, KeyboardEvent};

use crate::components::{Segmented, SelectField, TextField, button, tri_state_checkbox};
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of, is_checked};
use crate::ui::signal::{RwSignal, Signal, StoredValue};

use super::draft::Draft;
use super::labels::{action_text, effect_lines, permission_text, resource_text};
use super::model::{COLUMNS, Group, grouped};
use super::permission_set::{Grade, ImpliedChanges, Level, PermissionSet};
use super::presets::Preset;
use super::roles_state::RolesState;

/// All permissions, ticked one by one or by resource.
pub(super) fn matrix(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    let level = desk.level();
    let is_compact = desk.is_compact;
    let search = desk.permission_search;
    let ways = vec![
        (false, texts.get(Key::EveryPermission).to_owned()),
        (true, texts.get(Key::ByResource).to_owned()),
    ];
    let way = view! {
        <Segmented
            name="role-way"
            label=texts.get(Key::Permissions)
            options=ways
            value=Signal::derive(move || is_compact.get())
            on_pick=move |compact: bool| is_compact.set(compact)
        />
    };
    let find = view! {
        <TextField
            id="permission-search"
            label=texts.get(Key::SearchPermissions)
            value=Signal::derive(move || search.get())
            on_input=move |text: String| search.set(text)
        />
    };
    // Unknown permissions of the saved role stay listed, even when unticked.
    let unknown = Signal::memo(move || {
        let base = draft.base.with(|base| {
            let base = base.as_ref()?;
            Some(PermissionSet::new(level, &base.permissions))
        });
        let base = base
            .iter()
            .flat_map(PermissionSet::unknown)
            .map(str::to_owned);
        let mut names: Vec<String> = base.collect();
        draft.typed.with(|typed| {
            for name in typed.held.unknown() {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        });
        names
    });
    let groups = move || {
        let looked_for = search.with(|search| search.trim().to_lowercase());
        let unknown = unknown.get();
        let known = level.known().iter().copied();
        let names = known.chain(unknown.iter().map(String::as_str));
        let names = names.filter(|name| is_found(name, &looked_for, texts));
        let groups = grouped(names);
        if groups.is_empty() {
            return el("p")
                .class("permissions-none")
                .child(texts.get(Key::NoPermissionFound));
        }
        let is_compact = is_compact.get();
        let drawn = groups.into_iter().map(|group| {
            if is_compact {
                grade_row(group, draft, level, texts)
            } else {
                permission_group(&group, draft, texts)
            }
        });
        el("div")
            .class("permission-groups")
            .child(fragment_of(drawn))
    };
    el("fieldset")
        .class("permissions")
        .attr("part", "permissions")
        .on("keydown", keep_unsent)
        .child(
            el("legend")
                .class("permissions-title")
                .attr("part", "label")
                .child(texts.get(Key::Permissions)),
        )
        .child(
            el("div")
                .class("permissions-tools")
                .child(start_from(desk))
                .child(find)
                .child(way),
        )
        .child(head(draft, level, texts))
        .child_with(groups)
        .child(effects(desk))
}

/// Prevents Enter in a search field or checkbox from saving.
fn keep_unsent(event: web_sys::Event) {
    let is_enter = event.unchecked_ref::<KeyboardEvent>().key() == "Enter";
    let target = event.target();
    if is_enter && target.is_some_and(|target| target.is_instance_of::<HtmlInputElement>()) {
        event.prevent_default();
    }
}

/// True if the text or name of a permission matches the search.
fn is_found(name: &str, looked_for: &str, texts: Translations) -> bool {
    looked_for.is_empty()
        || name.to_lowercase().contains(looked_for)
        || permission_text(name, texts)
            .to_lowercase()
            .contains(looked_for)
}

/// Select-all controls and the ticked count.
fn head(draft: Draft, level: Level, texts: Translations) -> Node {
    let typed = draft.typed;
    // Excludes `*.*`, which includes future permissions and is only ticked by itself.
    let every: fn(Level) -> Vec<&'static str> = |level| Preset::All.permissions(level);
    let count = move || chosen(draft, texts);
    let state = move || typed.with(|typed| typed.held.state_of(&every(level)));
    let tick_all = move |is_ticked: bool| {
        let names = if is_ticked {
            every(level)
        } else {
            level.known().to_vec()
        };
        draft.tick(|held| held.set(&names, is_ticked));
    };
    el("div")
        .class("permissions-head")
        .child(tri_state_checkbox(
            texts.get(Key::SelectAll),
            state,
            tick_all,
        ))
        .child(el("span").class("permissions-count").text_with(count))
        .child(button("button-quiet", move || tick_all(false)).child(texts.get(Key::SelectNone)))
}

/// Text of the ticked count.
fn chosen(draft: Draft, texts: Translations) -> String {
    draft.typed.with(|typed| {
        let total = typed.held.level().known().len() + typed.held.unknown().count();
        let total = texts.number(total as i64);
        texts.count_with(
            Key::ChosenPermissions,
            typed.held.count(),
            &[("total", &total)],
        )
    })
}

/// Side effects of the last tick, with an undo button.
fn effects(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    let undo = move || {
        draft.undo();
        // The focused button disappears.
        desk.focus(".permissions-head input");
    };
    let told = move || {
        if draft.before.with(Option::is_none) {
            return fragment();
        }
        let mut lines = draft.effects.with(|effects| effect_lines(effects, texts));
        if lines.is_empty() {
            lines.push(untrack(|| chosen(draft, texts)));
        }
        let lines = lines.into_iter().map(|line| el("li").child(line));
        fragment()
            .child(el("ul").child(fragment_of(lines)))
            .child(button("button-quiet", undo).child(texts.get(Key::Undo)))
    };
    el("div")
        .class("role-effects")
        .attr("role", "status")
        .child_with(told)
}

/// Applied starting set.
#[derive(Clone, PartialEq)]
struct Begun {
    value: String,
    /// Permissions before it.
    before: PermissionSet,
    /// Permissions after it.
    held: PermissionSet,
}

/// Starting sets: presets, and permissions of other roles.
fn start_from(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    let options = move || {
        let mut options = vec![(String::new(), texts.get(Key::PleaseChoose).to_owned())];
        for (place, preset) in Preset::ALL.into_iter().enumerate() {
            let mut value = String::from("preset-");
            value.push_str(&place.to_string());
            options.push((value, texts.get(preset.key()).to_owned()));
        }
        desk.roles.with(|roles| {
            for role in roles {
                let name = texts.fill(Key::LikeRole, &[("name", &role.name)]);
                options.push((role.id.clone(), name));
            }
        });
        options
    };
    // The applied set stays selected as long as nothing else is ticked.
    let begun = RwSignal::new(None::<Begun>);
    let standing = move || {
        let stands = |begun: &Begun| draft.typed.with(|typed| typed.held == begun.held);
        begun.get().filter(stands)
    };
    let chosen = Signal::memo(move || standing().map(|begun| begun.value).unwrap_or_default());
    let begin = move |value: String| {
        // Arrow keys in the list apply each option that they pass: undo restores the permissions from
        // before the first one.
        let before = untrack(standing).map(|begun| begun.before);
        if let (true, Some(before)) = (value.is_empty(), &before) {
            draft.typed.update(|typed| typed.held = before.clone());
            return draft.forget_press();
        }
        let preset = value
            .strip_prefix("preset-")
            .and_then(|place| place.parse::<usize>().ok())
            .and_then(|place| Preset::ALL.get(place).copied());
        let role = desk.roles.with_untracked(|roles| {
            let role = roles.iter().find(|role| role.id == value)?;
            Some(role.permissions.iter().map(|held| held.0.clone()).collect())
        });
        let names: Option<Vec<String>> = match preset {
            Some(preset) => {
                let names = preset.permissions(desk.level()).into_iter();
                Some(names.map(str::to_owned).collect())
            }
            None => role,
        };
        if let Some(names) = names {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let held = || draft.typed.with_untracked(|typed| typed.held.clone());
            let before = before.unwrap_or_else(held);
            draft.tick(|held| {
                held.replace(&names);
                ImpliedChanges::default()
            });
            draft.before.set(Some(before.clone()));
            let held = held();
            begun.set(Some(Begun {
                value,
                before,
                held,
            }));
        }
    };
    view! {
        <SelectField
            id="role-start"
            label=texts.get(Key::StartFrom)
            options=Signal::derive(options)
            value=chosen
            on_pick=begin
        />
    }
    .into_inner()
}

/// Permissions of a resource, each with a checkbox.
fn permission_group(group: &Group, draft: Draft, texts: Translations) -> Node {
    let typed = draft.typed;
    let heading = resource_text(&group.resource, texts);
    let boxes = group.permissions.iter().map(|name| {
        let action = name.rsplit_once('.').map_or("", |(_, action)| action);
        let column = COLUMNS.contains(&action).then_some(action);
        let (held, pressed) = (name.clone(), name.clone());
        let input = el("input")
            .attr("type", "checkbox")
            .attr("value", name)
            .checked_with(move || typed.with(|typed| typed.held.has(&held)))
            .on("change", move |event| {
                let is_ticked = is_checked(&event);
                draft.tick(|held| held.set(&[&pressed], is_ticked));
            });
        let words = el("span")
            .class("permission-words")
            .child(el("span").child(action_text(name, texts)))
            .child(raw_name(name).attr("aria-hidden", "true"));
        el("label")
            .class("choice")
            .attr("title", name)
            .attr_if("data-column", column)
            .child(input)
            .child(words)
    });
    let boxes = fragment_of(boxes);
    let names = StoredValue::new(group.permissions.clone());
    let state = move || {
        names.with_value(|names| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            typed.with(|typed| typed.held.state_of(&names))
        })
    };
    let tick_group = move |is_ticked: bool| {
        names.with_value(|names| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            draft.tick(|held| held.set(&names, is_ticked));
        });
    };
    el("div")
        .class("permission-group")
        .attr("role", "group")
        .attr("aria-label", &heading)
        .child(
            el("div")
                .class("permission-head")
                .child(tri_state_checkbox(&heading, state, tick_group)),
        )
        .child(el("div").class("permission-boxes").child(boxes))
}

/// API name of a permission, with line breaks allowed after dots.
pub(super) fn raw_name(name: &str) -> Node {
    let parts = name.split_inclusive('.');
    el("code").child(fragment_of(
        parts.map(|part| fragment().child(part).child(el("wbr"))),
    ))
}

/// Access to a resource as one choice.
fn grade_row(group: Group, draft: Draft, level: Level, texts: Translations) -> Node {
    let typed = draft.typed;
    let label = resource_text(&group.resource, texts);
    // Includes permissions hidden by the search, and those only the service knows.
    let known = level.known().iter().map(|name| (*name).to_owned());
    let is_inside = |name: &String| {
        let resource = name.rsplit_once('.').map(|(resource, _)| resource);
        resource == Some(group.resource.as_str())
    };
    let mut names: Vec<String> = known.filter(is_inside).collect();
    for name in group.permissions {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let has_more = names.iter().any(|name| name.ends_with(".read")) && names.len() > 1;
    let names = StoredValue::new(names);
    let grade = move || {
        names.with_value(|names| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            typed.with(|typed| typed.held.grade(&names))
        })
    };
    let pick = move |grade: Grade| {
        names.with_value(|names| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            draft.tick(|held| held.set_grade(&names, grade));
        });
    };
    let options = [
        Some((Grade::None, Key::GradeNone)),
        has_more.then_some((Grade::Read, Key::GradeRead)),
        Some((Grade::All, Key::GradeAll)),
    ];
    let options = options.into_iter().flatten();
    let options: Vec<(Grade, String)> = options
        .map(|(grade, key)| (grade, texts.get(key).to_owned()))
        .collect();
    let mut name = String::from("grade-");
    name.push_str(&group.resource);
    let mut mixed_id = name.clone();
    mixed_id.push_str("-mixed");
    let told_by = mixed_id.clone();
    let mut bar = el("div")
        .class("segmented")
        .attr("role", "radiogroup")
        .attr("part", "segmented")
        .attr("aria-label", &label)
        .attr_with("aria-describedby", move || {
            (grade() == Grade::Mixed).then(|| told_by.clone())
        });
    for (option, text) in options {
        let input = el("input")
            .attr("type", "radio")
            .attr("name", &name)
            .checked_with(move || grade() == option)
            .on("change", move |_| pick(option));
        bar = bar.child(
            el("label")
                .class("segment")
                .child(input)
                .child(el("span").child(text)),
        );
    }
    let mixed = move || {
        (grade() == Grade::Mixed).then(|| {
            el("span")
                .class("grade-mixed")
                .attr("id", &mixed_id)
                .child(texts.get(Key::GradeMixed))
        })
    };
    el("div")
        .class("grade-row")
        .child(
            el("span")
                .class("grade-name")
                .attr("aria-hidden", "true")
                .child(label),
        )
        .child(bar)
        .child_with(mixed)
}
