//! Version 1 of the API: lists, records and forms of its fifteen resources, which [`resources`] describes. For
//! people with programs that still use it.

mod access;
mod context;
mod fields;
mod form;
mod input;
mod layout;
mod lists;
mod record;
pub mod resources;
mod value;

pub(super) use access::Access;
use booking_ui::prelude::*;
use context::RecordsContext;
use layout::{code, framed, not_found};
use resources::{RESOURCES, ResourceInfo};

use super::connection::Connection;
use super::navigation::Navigation;
use crate::client::query::Resumed;
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, icon};
use crate::features::shared::time_zone_bar::{chooser, zone_bar};
use crate::i18n::{Key, Translations};
use crate::time::Clock;

/// Screen of the path `segments` after `/records`, or the form for an API key.
pub(super) fn records(
    segments: Vec<String>,
    connection: Connection,
    navigation: Navigation,
    access: Access,
) -> Node {
    let context = RecordsContext::new(navigation, access);
    let base_url = connection.session().base_url().to_owned();
    let form_base_url = base_url.clone();
    let is_open = Signal::memo(move || access.is_open(&base_url));
    // After a rejected key, the screen keeps the typed text.
    let keeps_screen = Signal::memo_after(move |before| {
        is_open.get() || before == Some(&true) && access.is_rejected()
    });
    let resumed = Trigger::new();
    provide_context(Resumed(resumed));
    let root = el("div").class("records");
    let root_element = root.element();
    let mut was_open = None;
    effect(move || {
        let is_open = is_open.get();
        match was_open {
            Some(false) if is_open => {
                resumed.notify();
                focus_first_soon(root_element.clone(), "h1");
            }
            Some(true) if !is_open => focus_first_soon(root_element.clone(), "#api-key"),
            _ => {}
        }
        was_open = Some(is_open);
    });
    let key_form = move || {
        (!is_open.get()).then(|| {
            fragment()
                .child(context.title(context.texts.get(Key::Records)))
                .child(access.form(&form_base_url, context.texts))
        })
    };
    let content = el("div")
        .attr_with("hidden", move || (!is_open.get()).then(String::new))
        .child_with(move || keeps_screen.get().then(|| screen(context, &segments)));
    root.child_with(key_form).child(content)
}

fn screen(context: RecordsContext, segments: &[String]) -> Node {
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let Some((name, rest)) = segments.split_first() else {
        return index(context);
    };
    let Some(info) = resources::info_of(name) else {
        return not_found(context);
    };
    let screen = match rest {
        [] => lists::list(context, info),
        ["new"] if info.can_create() => record::new_record(context, info),
        [id] => record::record(context, info, id),
        [id, path @ ..] => lists::sublist(context, info, id, path),
    };
    fragment().child(top(context, info, rest)).child(screen)
}

/// Table of all resources with their successors.
fn index(context: RecordsContext) -> Node {
    let texts = context.texts;
    let rows = RESOURCES.iter().map(|info| {
        let name = info.resource.name;
        el("tr")
            .child(
                el("th")
                    .attr("scope", "row")
                    .child(context.link(&[name]).child(texts.get(info.title))),
            )
            .child(el("td").child(code(&format!("/v1/{name}"))))
            .child(el("td").child(successor(info, texts)))
    });
    let head = [Key::Resource, Key::VersionOne, Key::Successor]
        .map(|key| el("th").attr("scope", "col").child(texts.get(key)));
    let table = el("table")
        .class("records-table")
        .child(el("thead").child(el("tr").child(fragment_of(head))))
        .child(el("tbody").child(fragment_of(rows)));
    fragment()
        .child(context.title(texts.get(Key::Records)))
        .child(el("p").class("app-lead").child(texts.get(Key::RecordsText)))
        .child(deprecation(context))
        .child(framed(texts.get(Key::Records), table))
}

/// Deprecation notice, with a button that forgets the key.
fn deprecation(context: RecordsContext) -> Node {
    let texts = context.texts;
    let text = el("div")
        .child(
            el("p")
                .class("records-warning-title")
                .child(texts.get(Key::DeprecatedTitle)),
        )
        .child(el("p").child(texts.get(Key::DeprecatedText)));
    let clear_key = el("button")
        .class("button")
        .attr("type", "button")
        .on("click", move |_| context.access.clear())
        .child(texts.get(Key::ForgetKey));
    el("div")
        .class("records-warning")
        .attr("role", "note")
        .child(icon(Shape::Alert))
        .child(text)
        .child(clear_key)
}

/// Breadcrumbs and the time zone control.
fn top(context: RecordsContext, info: &ResourceInfo, rest: &[&str]) -> Node {
    let texts = context.texts;
    let name = info.resource.name;
    let parents = rest.split_last().map(|(_, parents)| parents);
    let mut items = vec![context.link(&[]).child(texts.get(Key::Records))];
    if let Some(parents) = parents {
        items.push(context.link(&[name]).child(texts.get(info.title)));
        if let Some(id) = parents.first() {
            items.push(context.link(&[name, id]).child(el("bdi").child(*id)));
        }
    }
    let items = items.into_iter().map(|item| el("li").child(item));
    let clock = use_context::<Clock>().unwrap_or_else(Clock::browser);
    let now = clock.now();
    el("div")
        .class("records-top")
        .child(
            el("nav")
                .attr("aria-label", texts.get(Key::Records))
                .child(el("ol").class("records-trail").child(fragment_of(items))),
        )
        .child(zone_bar(false, Signal::derive(move || now), chooser))
}

/// Path of the successor of a resource.
fn successor(info: &ResourceInfo, texts: Translations) -> Node {
    match info.successor {
        "" => el("span")
            .class("record-aside")
            .child(texts.get(Key::NoSuccessor)),
        path => code(path),
    }
}
