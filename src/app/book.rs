//! Bookable event types of a person and of a team.

use booking_wire::EventTypeKey;
use leptos::prelude::*;

use super::account::Team;
use super::connection::Connection;
use super::navigation::{Navigation, encode, link};
use super::route::Route;
use crate::components::TextField;
use crate::element::attributes::EventTypeOwner;
use crate::features::event_type_list::{event_type_list, load_event_types};
use crate::i18n::{Key, Translations, use_texts};
use crate::ui::dom::{Node, el, fragment};
use crate::ui::signal::{RwSignal, Signal};

/// Event types to choose from, or a form for one of them.
pub(super) fn event_types(connection: Connection, navigation: Navigation) -> Node {
    let texts = use_texts();
    let team = Signal::memo(move || connection.team.get());
    let head = fragment()
        .child(
            el("h1")
                .class("app-title")
                .child(texts.get(Key::OffersTitle)),
        )
        .child(el("p").class("app-lead").child(texts.get(Key::OffersText)));
    head.child_with(move || {
        let Team {
            username, team_id, ..
        } = team.get();
        if username.is_empty() && team_id.is_none() {
            return key_form(texts, navigation);
        }
        list(connection, navigation, username, team_id)
    })
}

fn list(
    connection: Connection,
    navigation: Navigation,
    username: String,
    team_id: Option<i64>,
) -> Node {
    let user = Some(username).filter(|username| !username.is_empty());
    let user = user.map(EventTypeOwner::User);
    let owners = user.into_iter().chain(team_id.map(EventTypeOwner::Team));
    let event_types = load_event_types(connection.session(), owners.collect(), None);
    event_type_list(event_types, move |key, _| {
        link(navigation, &Route::path_of(key, encode))
    })
}

/// Form for username and slug, shown without an account.
fn key_form(texts: Translations, navigation: Navigation) -> Node {
    let username = RwSignal::new(String::new());
    let slug = RwSignal::new(String::new());
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        let (username, slug) = (username.get_untracked(), slug.get_untracked());
        let (username, slug) = (username.trim().to_owned(), slug.trim().to_owned());
        if !username.is_empty() && !slug.is_empty() {
            navigation.go(&Route::path_of(
                &EventTypeKey::User { username, slug },
                encode,
            ));
        }
    };
    let fields = el("div")
        .class("connect-pair")
        .child(view! {
            <TextField id="whose" label=texts.get(Key::Username) value=username on_input=move |text| username.set(text) />
        })
        .child(view! {
            <TextField id="what" label=texts.get(Key::EventTypeSlug) value=slug on_input=move |text| slug.set(text) />
        });
    let form = el("form")
        .class("card")
        .child(fields)
        .child(
            el("button")
                .class("button-primary")
                .attr("type", "submit")
                .child(texts.get(Key::ShowTimes)),
        )
        .on("submit", submit);
    el("div").class("connect").child(form)
}
