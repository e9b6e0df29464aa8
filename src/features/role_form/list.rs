//! The roles that there are.

use booking_wire::{Permission, Role, RoleType};

use crate::components::{Shape, button, heading, icon};
use crate::dom::{Html, el, nothing, row, svg};
use crate::i18n::{Key, Texts};
use crate::signal::RwSignal;

use super::model::{drawn, groups_of};
use super::words::{action_text, resource_text};

/// Shows each role, and on demand what it allows. `newest` is the id of the role just made.
pub(super) fn role_list(roles: &[Role], newest: Option<&str>, texts: Texts) -> Html {
    let rows = roles
        .iter()
        .map(|role| role_row(role, newest == Some(role.id.as_str()), texts));
    el("ul")
        .class("role-list")
        .attr("part", "list")
        .add(row(rows))
}

fn role_row(role: &Role, is_new: bool, texts: Texts) -> Html {
    let is_open = RwSignal::new(false);
    let permissions = role.permissions.clone();
    let count = texts.count(Key::PermissionCount, permissions.len());
    let lock = (role.kind == RoleType::System).then(|| {
        el("span")
            .class("role-lock")
            .attr("title", texts.get(Key::SystemRole))
            .add(icon(Shape::Lock))
            .add(
                el("span")
                    .class("visually-hidden")
                    .add(texts.get(Key::SystemRole)),
            )
    });
    let description = role
        .description
        .as_deref()
        .filter(|words| !words.is_empty());
    let open = button("role-open", move || {
        is_open.update(|is_open| *is_open = !*is_open)
    })
    .attr("part", "role-name")
    .attr_if("data-new", is_new.then_some("true"))
    .attr_with("aria-expanded", move || Some(is_open.get().to_string()))
    .add(role.name.as_str());
    let what = el("div")
        .class("role-what")
        .add(heading(1).class("role-name").add(open).add(lock))
        .add(description.map(|words| el("p").class("role-text").add(words)));
    let line = el("div")
        .class("role-row")
        .add(swatch(role.color.as_deref().unwrap_or_default()))
        .add(what)
        .add(el("span").class("role-count").add(count));
    el("li")
        .class("role")
        .attr("part", "role")
        .add(line)
        .show(move || is_open.get().then(|| allowed(&permissions, texts)))
}

/// What a role allows, in words and as the service calls it.
fn allowed(permissions: &[Permission], texts: Texts) -> Html {
    if permissions.is_empty() {
        return el("p")
            .class("role-nothing")
            .add(texts.get(Key::NoPermissions));
    }
    let groups = groups_of(permissions).into_iter().map(|group| {
        let actions = group.permissions.iter().map(|permission| {
            el("li")
                .add(el("span").add(action_text(&permission.0, texts)))
                .add(el("code").add(permission.0.as_str()))
        });
        el("section")
            .class("role-group")
            .add(heading(2).add(resource_text(&group.resource, texts)))
            .add(el("ul").add(row(actions)))
    });
    el("div").class("role-groups").add(row(groups))
}

/// A role's colour. Drawn only if it is one: services check it loosely (contract 3.2).
pub(super) fn swatch(color: &str) -> Html {
    let fill = drawn(color).unwrap_or_else(|| "none".to_owned());
    let circle = svg("circle")
        .attr("cx", "10")
        .attr("cy", "10")
        .attr("r", "9")
        .attr("fill", &fill);
    svg("svg")
        .class("swatch")
        .attr("viewBox", "0 0 20 20")
        .attr("aria-hidden", "true")
        .add(circle)
}

/// Boxes of the size of roles, while they are awaited.
pub(super) fn waiting_roles(texts: Texts) -> Html {
    let ghost = || el("span").class("ghost-line ghost-block");
    let rows = (0..5).map(|_| {
        el("div")
            .class("role-row role-ghost")
            .add(ghost())
            .add(ghost())
            .add(ghost())
    });
    nothing()
        .add(
            el("p")
                .class("visually-hidden")
                .add(texts.get(Key::Loading)),
        )
        .add(
            el("div")
                .class("role-list")
                .attr("aria-hidden", "true")
                .add(row(rows)),
        )
}
