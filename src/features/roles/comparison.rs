//! Comparison of roles.

use booking_ui::prelude::*;
use booking_wire::Role;

use crate::components::{Shape, SwitchField, button, heading, icon};
use crate::i18n::{Key, Translations};

use super::model::group_by_resource;
use super::state::context::RolesContext;
use super::state::list_state::ListState;
use super::state::navigation::Navigation;
use super::state::role_store::RoleStore;
use super::swatch::swatch;
use super::texts::{action_text, resource_text, shown_role};

/// Permission table of the selected roles.
pub(super) fn comparison(
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
) -> Node {
    let texts = context.texts;
    let only_differences = list.only_differences;
    let roles = move || {
        let selected = list.selected.get();
        let mut roles = store.roles.get();
        roles.retain(|role| selected.contains(&role.id));
        roles
    };
    let switch = view! {
        <SwitchField
            id="only-differences"
            label=texts.get(Key::OnlyDifferences)
            value=Signal::derive(move || only_differences.get())
            on_change=move |is_on: bool| only_differences.set(is_on)
        />
    };
    el("div")
        .class("role-comparison")
        .child(
            heading(1)
                .class("role-form-title")
                .attr("id", "role-form-title")
                .attr("tabindex", "-1")
                .child(texts.get(Key::ComparisonTitle)),
        )
        .child(
            el("div")
                .class("role-comparison-tools")
                .child(switch)
                .child(
                    button("button", move || navigation.close_comparison())
                        .child(texts.get(Key::BackToRoles)),
                ),
        )
        .child_with(move || comparison_table(&roles(), only_differences.get(), context))
}

fn has_permission(role: &Role, name: &str) -> bool {
    role.permissions
        .iter()
        .any(|permission| permission.0 == name)
}

/// True if more than half of the roles have the permission.
fn is_granted_by_most(roles: &[Role], name: &str) -> bool {
    let granted = roles.iter().filter(|role| has_permission(role, name));
    granted.count() * 2 > roles.len()
}

fn comparison_table(roles: &[Role], only_differences: bool, context: RolesContext) -> Node {
    let texts = context.texts;
    let known = context
        .scope()
        .known()
        .iter()
        .map(|name| (*name).to_owned());
    let mut names: Vec<String> = known.collect();
    for permission in roles.iter().flat_map(|role| &role.permissions) {
        if !names.contains(&permission.0) {
            names.push(permission.0.clone());
        }
    }
    let differs = |name: &str| {
        let count = roles
            .iter()
            .filter(|role| has_permission(role, name))
            .count();
        count != 0 && count != roles.len()
    };
    names.retain(|name| !only_differences || differs(name));
    if names.is_empty() {
        return el("p")
            .class("role-same")
            .child(texts.get(Key::NoDifferences));
    }
    let heads = roles.iter().map(|role| {
        el("th")
            .attr("scope", "col")
            .child(swatch(role.color.as_deref().unwrap_or_default()))
            .child(el("span").child(shown_role(role, texts).name))
    });
    let corner = el("td");
    let head = el("thead").child(el("tr").child(corner).child(fragment_of(heads)));
    let width = (roles.len() + 1).to_string();
    let bodies = group_by_resource(names.iter().map(String::as_str))
        .into_iter()
        .map(|group| {
            let title = el("th")
                .attr("scope", "rowgroup")
                .attr("colspan", &width)
                .child(resource_text(&group.resource, texts));
            let rows = group.permissions.iter().map(|name| {
                let is_usual = is_granted_by_most(roles, name);
                let cells = roles.iter().map(|role| {
                    let is_granted = has_permission(role, name);
                    cell(is_granted, is_granted != is_usual, texts)
                });
                el("tr")
                    .child(
                        el("th")
                            .attr("scope", "row")
                            .attr("title", name)
                            .child(action_text(name, texts)),
                    )
                    .child(fragment_of(cells))
            });
            el("tbody")
                .child(el("tr").child(title))
                .child(fragment_of(rows))
        });
    let table = el("table")
        .attr("aria-labelledby", "role-form-title")
        .child(head)
        .child(fragment_of(bodies));
    el("div")
        .class("role-table")
        .attr("tabindex", "0")
        .attr("role", "region")
        .attr("aria-labelledby", "role-form-title")
        .child(table)
}

/// Cell of a role; it is marked if it differs from most of the others.
fn cell(is_granted: bool, differs: bool, texts: Translations) -> Node {
    let (sign, text) = if is_granted {
        (icon(Shape::Check), Key::Allowed)
    } else {
        let dash = el("span").attr("aria-hidden", "true").child("–");
        (dash, Key::NotAllowed)
    };
    let text = el("span").class("visually-hidden").child(texts.get(text));
    el("td")
        .attr_if("data-differs", differs.then_some(""))
        .child(sign)
        .child(text)
}
