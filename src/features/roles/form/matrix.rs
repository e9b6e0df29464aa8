//! Permission matrix: resources by actions, with the effects of each tick.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, KeyboardEvent};

use crate::components::{Segmented, SwitchField, TextField, button, tri_state_checkbox};
use crate::i18n::{Key, Translations};

use super::super::model::{COLUMNS, PermissionGroup, column, group_by_resource};
use super::super::permissions::permission_name::permission_name;
use super::super::permissions::permission_set::{AccessLevel, PermissionSet, RoleScope};
use super::super::permissions::presets::Preset;
use super::super::state::context::RolesContext;
use super::super::state::draft::Draft;
use super::super::state::role_store::RoleStore;
use super::starting_points::starting_points;
use crate::features::roles::texts::{
    action_text, implied_change_texts, permission_text, resource_text,
};

/// All permissions, ticked one by one or by resource.
pub(crate) fn matrix(draft: Draft, context: RolesContext, store: RoleStore) -> Node {
    let (texts, scope) = (context.texts, context.scope());
    let is_compact = draft.is_compact;
    let search = draft.permission_search;
    let layouts = vec![
        (true, texts.get(Key::ByResource).to_owned()),
        (false, texts.get(Key::EveryPermission).to_owned()),
    ];
    let layout = view! {
        <Segmented
            label=texts.get(Key::Permissions)
            options=layouts
            value=Signal::derive(move || is_compact.get())
            on_pick=move |compact: bool| is_compact.set(compact)
        />
    };
    let search_field = view! {
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
            Some(PermissionSet::new(scope, &base.permissions))
        });
        let base = base
            .iter()
            .flat_map(PermissionSet::unknown)
            .map(str::to_owned);
        let mut names: Vec<String> = base.collect();
        draft.values.with(|values| {
            for name in values.permissions.unknown() {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
        });
        names
    });
    let groups = move || {
        let search_text = search.with(|search| search.trim().to_lowercase());
        let unknown = unknown.get();
        let known = scope.known().iter().copied();
        let names = known.chain(unknown.iter().map(String::as_str));
        let names = names.filter(|name| is_found(name, &search_text, texts));
        let groups = group_by_resource(names);
        if groups.is_empty() {
            return el("p")
                .class("permissions-none")
                .child(texts.get(Key::NoPermissionFound));
        }
        let is_compact = is_compact.get();
        let groups = groups.into_iter().map(|group| {
            if is_compact {
                access_level_row(group, draft, scope, texts)
            } else {
                permission_group(&group, draft, texts)
            }
        });
        el("div")
            .class("permission-groups")
            .child(fragment_of(groups))
    };
    let shows_identifiers = draft.shows_identifiers;
    el("fieldset")
        .class("permissions")
        .attr("part", "permissions")
        .flag_with("data-identifiers", move || shows_identifiers.get())
        .on("keydown", prevent_submit)
        .child(
            el("legend")
                .class("permissions-title")
                .attr("part", "label")
                .child(texts.get(Key::Permissions)),
        )
        .child(skip_button(context))
        .child(starting_points(draft, context, store))
        .child(
            el("div")
                .class("permissions-tools")
                .child(search_field)
                .child(layout)
                .child(identifiers_switch(draft, texts)),
        )
        .child(head(draft, scope, texts))
        .child_with(groups)
        .child(implied_changes(draft, context))
}

/// Button that skips the permissions. Seen while it has the focus.
fn skip_button(context: RolesContext) -> Node {
    button("button role-skip", move || {
        context.focus(".role-actions [type='submit']");
    })
    .child(context.texts.get(Key::SkipToSaving))
}

/// Switch that shows the API names of the permissions.
fn identifiers_switch(draft: Draft, texts: Translations) -> Node {
    let is_on = draft.shows_identifiers;
    view! {
        <SwitchField
            id="permission-identifiers"
            label=texts.get(Key::ShowIdentifiers)
            value=Signal::derive(move || is_on.get())
            on_change=move |value: bool| is_on.set(value)
        />
    }
    .into_inner()
}

/// Prevents Enter in a search field or checkbox from saving.
fn prevent_submit(event: web_sys::Event) {
    let is_enter = event.unchecked_ref::<KeyboardEvent>().key() == "Enter";
    let target = event.target();
    if is_enter && target.is_some_and(|target| target.is_instance_of::<HtmlInputElement>()) {
        event.prevent_default();
    }
}

/// True if the text or name of a permission matches the search.
fn is_found(name: &str, search_text: &str, texts: Translations) -> bool {
    search_text.is_empty()
        || name.to_lowercase().contains(search_text)
        || permission_text(name, texts)
            .to_lowercase()
            .contains(search_text)
}

/// Select-all controls and the ticked count.
fn head(draft: Draft, scope: RoleScope, texts: Translations) -> Node {
    let values = draft.values;
    // Excludes `*.*`, which includes future permissions and is only ticked by itself.
    let every: fn(RoleScope) -> Vec<&'static str> = |scope| Preset::All.permissions(scope);
    let count = move || ticked_count(draft, texts);
    let state = move || values.with(|values| values.permissions.tri_state(&every(scope)));
    let tick_all = move |is_ticked: bool| {
        let names = if is_ticked {
            every(scope)
        } else {
            scope.known().to_vec()
        };
        draft.custom_resources.set(Vec::new());
        draft.tick(|permissions| permissions.set(&names, is_ticked));
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
fn ticked_count(draft: Draft, texts: Translations) -> String {
    draft.values.with(|values| {
        let total = values.permissions.scope().known().len() + values.permissions.unknown().count();
        let total = texts.number(total as i64);
        texts.count_with(
            Key::ChosenPermissions,
            values.permissions.count(),
            &[("total", &total)],
        )
    })
}

/// Side effects of the last tick, with an undo button.
fn implied_changes(draft: Draft, context: RolesContext) -> Node {
    let texts = context.texts;
    let undo = move || {
        draft.undo();
        // The focused button disappears.
        context.focus(".permissions-head input");
    };
    let content = move || {
        if draft.undo_set.with(Option::is_none) {
            return fragment();
        }
        let mut sentences = draft
            .implied
            .with(|implied| implied_change_texts(implied, texts));
        if sentences.is_empty() {
            sentences.push(untrack(|| ticked_count(draft, texts)));
        }
        let items = sentences.into_iter().map(|text| el("li").child(text));
        fragment()
            .child(el("ul").child(fragment_of(items)))
            .child(button("button-quiet", undo).child(texts.get(Key::Undo)))
    };
    el("div")
        .class("role-effects")
        .attr("role", "status")
        .child_with(content)
}

/// Permissions of a resource, each with a checkbox.
fn permission_group(group: &PermissionGroup, draft: Draft, texts: Translations) -> Node {
    let values = draft.values;
    let heading = resource_text(&group.resource, texts);
    let names = StoredValue::new(group.permissions.clone());
    let state = move || {
        with_names(names, |names| {
            values.with(|values| values.permissions.tri_state(names))
        })
    };
    let tick_group = move |is_ticked: bool| {
        with_names(names, |names| {
            draft.tick(|permissions| permissions.set(names, is_ticked));
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
        .child(permission_boxes(&group.permissions, draft, texts))
}

/// A checkbox for each permission of a resource.
fn permission_boxes(names: &[String], draft: Draft, texts: Translations) -> Node {
    let values = draft.values;
    let boxes = names.iter().map(|name| {
        let action = name.rsplit_once('.').map_or("", |(_, action)| action);
        let column = COLUMNS.contains(&action).then_some(action);
        let (checked, changed) = (name.clone(), name.clone());
        let input = el("input")
            .attr("type", "checkbox")
            .attr("value", name)
            .checked_with(move || values.with(|values| values.permissions.has(&checked)))
            .on("change", move |event| {
                let is_ticked = is_checked(&event);
                draft.tick(|permissions| permissions.set(&[&changed], is_ticked));
            });
        let label = el("span")
            .class("permission-words")
            .child(el("span").child(action_text(name, texts)))
            .child(permission_name(name).attr("aria-hidden", "true"));
        el("label")
            .class("choice")
            .attr("title", name)
            .attr_if("data-column", column)
            .child(input)
            .child(label)
    });
    el("div")
        .class("permission-boxes")
        .child(fragment_of(boxes))
}

/// Access to a resource as one choice. Its last option, "Custom", shows the permissions one by one.
fn access_level_row(
    group: PermissionGroup,
    draft: Draft,
    scope: RoleScope,
    texts: Translations,
) -> Node {
    let label = resource_text(&group.resource, texts);
    let names = StoredValue::new(names_of_resource(&group, scope));
    let resource = StoredValue::new(group.resource);
    let level = Signal::memo(move || {
        let is_custom = resource
            .with_value(|resource| draft.custom_resources.with(|all| all.contains(resource)));
        if is_custom {
            return AccessLevel::Mixed;
        }
        with_names(names, |names| {
            draft
                .values
                .with(|values| values.permissions.access_level(names))
        })
    });
    let pick = move |picked: AccessLevel| {
        let is_custom = picked == AccessLevel::Mixed;
        resource.with_value(|resource| draft.set_custom(resource, is_custom));
        // Nothing is ticked, so the last tick can still be undone.
        if is_custom {
            return;
        }
        with_names(names, |names| {
            draft.tick(|permissions| permissions.set_access_level(names, picked));
        });
    };
    let boxes_label = label.clone();
    let boxes = move || {
        (level.get() == AccessLevel::Mixed).then(|| {
            // `input` comes before `change`: a tick that results in another level must not close the row.
            let keep_open =
                move |_| resource.with_value(|resource| draft.set_custom(resource, true));
            el("div")
                .class("grade-custom")
                .attr("role", "group")
                .attr("aria-label", &boxes_label)
                .on("input", keep_open)
                .child(permission_boxes(&names.get_value(), draft, texts))
        })
    };
    let count = names.with_value(Vec::len);
    let has_read = names.with_value(|names| names.iter().any(|name| name.ends_with(".read")));
    // Bookings of others are another permission.
    let is_booking = resource.with_value(|resource| resource == "booking");
    let read_key = match is_booking {
        true => Key::GradeReadOwn,
        false => Key::GradeRead,
    };
    let whose = texts.get(match scope {
        RoleScope::Team => Key::ResourceTeam,
        RoleScope::Organization => Key::ResourceOrganization,
    });
    let option = |level, key| (level, texts.get(key).to_owned());
    let mut options = vec![option(AccessLevel::None, Key::GradeNone)];
    if count > 1 && has_read {
        options.push(option(AccessLevel::Read, read_key));
    }
    if is_booking {
        let confirm = texts.fill(Key::GradeConfirm, &[("whose", whose)]);
        options.push((AccessLevel::Others, whose.to_owned()));
        options.push((AccessLevel::OthersConfirm, confirm));
    }
    options.push(option(AccessLevel::Full, Key::GradeAll));
    if count > 1 {
        options.push(option(AccessLevel::Mixed, Key::GradeMixed));
    }
    let levels = view! {
        <Segmented label=label.as_str() options=options value=level on_pick=pick />
    };
    el("div")
        .class("grade-row")
        .child(
            el("span")
                .class("grade-name")
                .attr("aria-hidden", "true")
                .child(label.as_str()),
        )
        .child(levels)
        .child_with(boxes)
}

/// Calls `read` with the stored names of permissions.
fn with_names<R>(names: StoredValue<Vec<String>>, read: impl FnOnce(&[&str]) -> R) -> R {
    names.with_value(|names| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        read(&names)
    })
}

/// Permissions of the resource of `group`, with those that the search hides.
fn names_of_resource(group: &PermissionGroup, scope: RoleScope) -> Vec<String> {
    let known = scope.known().iter().map(|name| (*name).to_owned());
    let is_of_resource = |name: &String| {
        let resource = name.rsplit_once('.').map(|(resource, _)| resource);
        resource == Some(group.resource.as_str())
    };
    let mut names: Vec<String> = known.filter(is_of_resource).collect();
    // Those that only the service knows.
    for name in &group.permissions {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.sort_by_key(|name| column(name));
    names
}
