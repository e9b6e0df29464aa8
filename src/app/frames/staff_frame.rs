//! Frame of the team's screens: the navigation, at the side of a wide window and at the lower edge of a narrow one.

use std::rc::Rc;

use booking_ui::prelude::*;
use web_sys::Event;

use super::public_frame::brand;
use crate::app::connection::Connection;
use crate::app::connection::account::Team;
use crate::app::navigation::{Navigation, link};
use crate::app::route::Route;
use crate::client::Abort;
use crate::client::query::READ_TIMEOUT_MS;
use crate::components::command_palette::{AppCommands, Command, command_palette, is_palette_key};
use crate::components::{Shape, icon};
use crate::features::shared::event_type_summary::avatar;
use crate::i18n::{Key, Translations, use_texts};

/// Entry of the navigation.
struct Entry {
    path: &'static str,
    name: Key,
    shape: Shape,
}

/// All entries, in their order. The account follows.
const ENTRIES: [Entry; 3] = [
    entry("/bookings", Key::Bookings, Shape::Agenda),
    entry("/roles", Key::TeamAndRoles, Shape::People),
    entry("/", Key::BookingPage, Shape::Globe),
];

const fn entry(path: &'static str, name: Key, shape: Shape) -> Entry {
    Entry { path, name, shape }
}

/// Navigation of the team's screens, with the link that skips it.
pub(crate) fn staff_head(
    route: Signal<Route>,
    connection: Connection,
    navigation: Navigation,
    skip_link: Node,
) -> Node {
    let texts = use_texts();
    let items = ENTRIES.map(|entry| {
        let link = nav_link(route, navigation, entry.path)
            .child(icon(entry.shape))
            .child(el("span").class("nav-name").child(texts.get(entry.name)));
        el("li").class("nav-item").child(link)
    });
    let account =
        nav_link(route, navigation, "/sign-in").child_with(move || account_name(texts, connection));
    let shows_palette = RwSignal::new(false);
    // The list of bookings has its own palette.
    let own_key = move |event: Event| {
        let has_list =
            route.with_untracked(|route| *route == Route::Bookings) && connection.is_connected();
        if !has_list && is_palette_key(&event) {
            event.prevent_default();
            shows_palette.set(true);
        }
    };
    listen_to(&document(), "keydown", own_key);
    let typed = RwSignal::new(String::new());
    let palette = command_palette(shows_palette, typed, move || {
        let mut commands = screen_commands(texts, navigation);
        commands.retain(|command| typed.with(|typed| command.matches(typed)));
        commands
    });
    let items = el("ul")
        .class("app-nav")
        .child(fragment_of(items))
        .child(el("li").class("nav-item nav-item-account").child(account));
    let nav = el("nav")
        .attr("aria-label", texts.get(Key::Screens))
        .child(items);
    el("header")
        .class("app-head staff-head")
        .child(skip_link)
        .child(brand(texts))
        .child(nav)
        .child(palette)
}

/// Commands that go to the screens.
fn screen_commands(texts: Translations, navigation: Navigation) -> Vec<Command> {
    let account = entry("/sign-in", Key::Account, Shape::Person);
    let commands = ENTRIES.iter().chain([&account]).map(|entry| {
        let path = entry.path;
        Command {
            note: texts.get(Key::Screens).to_owned(),
            ..Command::new(texts.get(entry.name), entry.shape, move || {
                navigation.go(path)
            })
        }
    });
    commands.collect()
}

/// Provides the commands of the screens to the palette of a screen.
pub(crate) fn provide_commands(texts: Translations, navigation: Navigation) {
    let commands = move || screen_commands(texts, navigation);
    provide_context(AppCommands(Rc::new(commands)));
}

fn nav_link(route: Signal<Route>, navigation: Navigation, path: &'static str) -> Node {
    let current = move || {
        let is_current = route.with(|route| route.staff_path() == Some(path));
        is_current.then(|| "page".to_owned())
    };
    link(navigation, path).attr_with("aria-current", current)
}

/// Content of the link to the account: the person who is signed in, or the way to sign in.
fn account_name(texts: Translations, connection: Connection) -> Node {
    let name = el("span").class("nav-name");
    if !connection.is_connected() {
        return icon(Shape::Person).with_sibling(name.child(texts.get(Key::Connect)));
    }
    load_profile(connection);
    let profile = connection.profile;
    let picture = move || {
        profile.with(|profile| match profile.picture.is_empty() {
            false => avatar(&profile.name, &profile.picture),
            true => icon(Shape::Person),
        })
    };
    // The account's screen has all.
    let detail = move || {
        let name = profile.with(|profile| profile.name.clone());
        let name = Some(name).filter(|name| !name.is_empty());
        name.or_else(|| account_lines(texts, connection).into_iter().next())
            .map(|line| el("span").class("nav-detail").child(line))
    };
    let name = name
        .child(el("span").class("line").child(texts.get(Key::Account)))
        .child_with(detail);
    fragment().child_with(picture).with_sibling(name)
}

/// Loads the profile of the person who is signed in, unless it is known, as long as the current view lives.
fn load_profile(connection: Connection) {
    if connection.profile.with_untracked(|profile| profile.id != 0) {
        return;
    }
    let session = connection.session();
    let view = StoredValue::new(());
    spawn_local(async move {
        let found = session.profile(Abort::after(READ_TIMEOUT_MS)).await;
        // Without it, only what was typed is known.
        if let Ok(found) = found
            && !view.is_disposed()
        {
            connection.profile.set(found);
        }
    });
}

/// Returns the account in use as text: who is signed in, and for which organisation and team.
pub(crate) fn account_lines(texts: Translations, connection: Connection) -> Vec<String> {
    let Team {
        org_id,
        team_id,
        username,
    } = connection.team.get();
    let mut lines = Vec::new();
    if connection.is_demo.get() {
        lines.push(texts.get(Key::DemoTitle).to_owned());
    } else if !username.is_empty() {
        lines.push(username);
    }
    for (key, id) in [(Key::OrganisationId, org_id), (Key::TeamId, team_id)] {
        if let Some(id) = id {
            lines.push(format!("{}: {id}", texts.get(key)));
        }
    }
    lines
}
