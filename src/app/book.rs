//! Bookable event types of a person and of a team.

use booking_ui::prelude::*;
use booking_wire::EventTypeKey;

use super::connection::Connection;
use super::connection::account::Team;
use super::frames::public_frame::{HasNoHost, staff_link};
use super::navigation::{Navigation, encode, link};
use super::route::Route;
use crate::client::query::{Latest, Load};
use crate::client::session::Session;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, TextField};
use crate::features::event_type_list::{ListedEventType, event_type_list, load_event_types};
use crate::features::shared::error_notice::{card, error_notice, page_notice};
use crate::features::shared::event_type_summary::{avatar, people};
use crate::features::shared::host_name::show_host;
use crate::i18n::{Key, Translations, localized, use_texts};
use crate::page::attributes::EventTypeOwner;

/// Event types to choose from, or a form for one of them.
pub(super) fn event_types(connection: Connection, navigation: Navigation) -> Node {
    let texts = use_texts();
    let team = Signal::memo(move || connection.team.get());
    fragment().child_with(move || {
        let Team {
            username, team_id, ..
        } = team.get();
        if username.is_empty() && team_id.is_none() {
            return localized(move || head(texts).with_sibling(key_form(texts, navigation)));
        }
        let user = Some(username).filter(|username| !username.is_empty());
        let user = user.map(EventTypeOwner::User);
        let owners = user
            .into_iter()
            .chain(team_id.map(|id| EventTypeOwner::Team(id.to_string())));
        let session = connection.session();
        let found = load_event_types(session.clone(), owners.collect(), None);
        localized(move || head(texts).with_sibling(list(found, &session, navigation)))
    })
}

/// Event types of one user or team.
pub(super) fn event_types_of(
    owner: EventTypeOwner,
    session: Session,
    navigation: Navigation,
) -> Node {
    let texts = use_texts();
    let is_user = matches!(owner, EventTypeOwner::User(_));
    let found = load_of_owner(owner, session.clone(), texts);
    let response = found.signal();
    let is_unknown = Signal::memo(move || response.with(|found| is_unknown_owner(found, is_user)));
    localized(move || {
        let session = session.clone();
        fragment().child_with(move || match is_unknown.get() {
            true => card().child(unknown_owner(texts, is_user, navigation)),
            false => hero(found, texts).with_sibling(list(found, &session, navigation)),
        })
    })
}

/// Picture and name of the person or team whose event types are listed.
fn hero(event_types: Latest<Vec<ListedEventType>>, texts: Translations) -> Node {
    let host = Signal::memo(move || {
        event_types.signal().with(|response| {
            let (_, event_type) = response.ready()?.first()?;
            Some((people(event_type, texts), event_type.picture.clone()))
        })
    });
    let content = move || {
        let title = el("h1").class("app-title");
        let (picture, title) = match host.get() {
            Some((name, picture)) => (avatar(&name, &picture), title.child(name)),
            None => (
                el("span").class("avatar"),
                title.child(el("span").class("ghost-block hero-ghost")),
            ),
        };
        let text = el("p").class("app-lead").child(texts.get(Key::OffersText));
        fragment()
            .child(picture)
            .child(el("div").child(title).child(text))
    };
    el("div").class("hero").child_with(content)
}

/// Notice that the event type `key` does not exist, with the other event types of its owner.
pub(super) fn other_event_types(
    key: &EventTypeKey,
    session: Session,
    navigation: Navigation,
) -> Node {
    let texts = use_texts();
    let owner = match key {
        EventTypeKey::Id(_) => {
            if let Some(HasNoHost(no_host)) = use_context() {
                no_host.set(true);
            }
            return card().child(gone(texts).child(home(texts, navigation)));
        }
        EventTypeKey::User { username, .. } => EventTypeOwner::User(username.clone()),
        EventTypeKey::Team { team, .. } => EventTypeOwner::Team(team.clone()),
    };
    let is_user = matches!(owner, EventTypeOwner::User(_));
    let found = load_of_owner(owner, session.clone(), texts);
    let response = found.signal();
    fragment().child_with(move || match response.get() {
        response if is_unknown_owner(&response, is_user) => {
            card().child(unknown_owner(texts, is_user, navigation))
        }
        Load::Pending => card().child(gone(texts)),
        Load::Failed(error) => card().child(error_notice(&error, move || found.reload())),
        Load::Ready(event_types) => {
            let name = event_types
                .first()
                .map(|(_, event_type)| people(event_type, texts));
            let name = name.unwrap_or_default();
            let title = el("h2")
                .class("others-title")
                .child(texts.fill(Key::OffersInstead, &[("name", &name)]));
            el("div")
                .class("others")
                .child(card().child(gone(texts)))
                .child(title)
                .child(list(found, &session, navigation))
        }
    })
}

fn head(texts: Translations) -> Node {
    fragment()
        .child(
            el("h1")
                .class("app-title")
                .child(texts.get(Key::OffersTitle)),
        )
        .child(el("p").class("app-lead").child(texts.get(Key::OffersText)))
}

fn list(
    event_types: Latest<Vec<ListedEventType>>,
    session: &Session,
    navigation: Navigation,
) -> Node {
    event_type_list(event_types, session.clone(), move |key, _| {
        link(navigation, &Route::path_of(key, encode))
    })
}

/// Loads the event types of `owner`, which the frame shows then.
fn load_of_owner(
    owner: EventTypeOwner,
    session: Session,
    texts: Translations,
) -> Latest<Vec<ListedEventType>> {
    let is_user = matches!(owner, EventTypeOwner::User(_));
    let found = load_event_types(session, vec![owner], None);
    let response = found.signal();
    let no_host = use_context();
    effect(move || {
        response.with(|response| {
            if let Some((_, event_type)) = response.ready().and_then(|found| found.first()) {
                show_host(event_type, texts);
            }
            if let Some(HasNoHost(no_host)) = no_host {
                let is_failed = matches!(response, Load::Failed(_));
                no_host.set(is_failed || is_unknown_owner(response, is_user));
            }
        });
    });
    found
}

/// True if there is no such owner. The service lists no event types of an unknown user, and has no unknown team.
fn is_unknown_owner(response: &Load<Vec<ListedEventType>>, is_user: bool) -> bool {
    match response {
        Load::Ready(found) => is_user && found.is_empty(),
        Load::Failed(error) => *error == ApiError::Declined(DeclineReason::NotFound),
        Load::Pending => false,
    }
}

fn gone(texts: Translations) -> Node {
    let (title, text) = (Key::EventTypeNotFoundTitle, Key::EventTypeNotFoundText);
    page_notice(Shape::Search, texts.get(title), texts.get(text))
}

fn unknown_owner(texts: Translations, is_user: bool, navigation: Navigation) -> Node {
    let (title, text) = match is_user {
        true => (Key::OwnerNotFoundTitle, Key::OwnerNotFoundText),
        false => (Key::NotFoundTitle, Key::NotFoundText),
    };
    page_notice(Shape::Search, texts.get(title), texts.get(text)).child(home(texts, navigation))
}

/// Notice that a booking does not exist, with what its visitor or a host can do.
pub(super) fn unknown_booking(connection: Connection, navigation: Navigation) -> Node {
    let texts = use_texts();
    let (title, text) = (Key::BookingNotFoundTitle, Key::BookingNotFoundText);
    let line = |text: &str| el("p").class("notice-text").child(text);
    let host = line(texts.get(Key::HostQuestion))
        .child(" ")
        .child(staff_link(connection, navigation, "link"));
    let notice = page_notice(Shape::Search, texts.get(title), texts.get(text))
        .child(line(texts.get(Key::LinkAdvice)))
        .child(home(texts, navigation))
        .child(host);
    card().child(notice)
}

/// Link to the first page.
pub(super) fn home(texts: Translations, navigation: Navigation) -> Node {
    link(navigation, "/")
        .class("button-primary")
        .child(texts.get(Key::OffersTitle))
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
