//! What can be booked: the event types of a person and of a team.

use booking_wire::{EventTypeKey, Offer};
use leptos::prelude::*;

use super::route::Route;
use super::shell::{Navigation, encode, link};
use crate::components::{Shape, TextField};
use crate::dom::{Html, el, nothing, row};
use crate::i18n::{Key, Texts, use_texts};
use crate::load::{Load, latest};
use crate::place::offered_place;
use crate::problem::{notice, problem};

use super::connection::{Connection, Team};

/// Offers to choose from, or asks whose.
pub(super) fn offers(connection: Connection, navigation: Navigation) -> Html {
    let texts = use_texts();
    let team = Memo::new(move |_| connection.team.get());
    let head = nothing()
        .add(el("h1").class("app-title").add(texts.get(Key::OffersTitle)))
        .add(el("p").class("app-lead").add(texts.get(Key::OffersText)));
    head.show(move || {
        let Team {
            username, team_id, ..
        } = team.get();
        if username.is_empty() && team_id.is_none() {
            return ask_whose(texts, navigation);
        }
        found(connection, navigation, username, team_id)
    })
}

fn found(
    connection: Connection,
    navigation: Navigation,
    username: String,
    team_id: Option<i64>,
) -> Html {
    let texts = use_texts();
    let session = connection.session();
    let offers = latest(
        move || Some((username.clone(), team_id)),
        move |(username, team_id), abort| {
            let session = session.clone();
            async move {
                let mut offers = Vec::new();
                if !username.is_empty() {
                    let found = session
                        .event_types_of_user(username.clone(), abort.clone())
                        .await?;
                    offers.extend(found.into_iter().map(|event_type| {
                        let slug = event_type.slug.clone();
                        (
                            EventTypeKey::User {
                                username: username.clone(),
                                slug,
                            },
                            event_type,
                        )
                    }));
                }
                if let Some(team_id) = team_id {
                    let found = session.event_types_of_team(team_id, abort).await?;
                    offers.extend(found.into_iter().map(|event_type| {
                        (
                            EventTypeKey::Team {
                                team_id,
                                slug: event_type.slug.clone(),
                            },
                            event_type,
                        )
                    }));
                }
                Ok(offers)
            }
        },
    );
    nothing().show(move || match offers.signal().get() {
        Load::Pending => row([el("p")
            .class("visually-hidden")
            .attr("role", "status")
            .add(texts.get(Key::Loading))]),
        Load::Failed(error) => problem(&error, move || offers.again()),
        Load::Ready(found) if found.iter().all(|(_, event_type)| event_type.hidden) => notice(
            Shape::Calendar,
            texts.get(Key::NoOffersTitle),
            texts.get(Key::NoOffersText),
        ),
        Load::Ready(found) => {
            let cards = found.iter().filter(|(_, event_type)| !event_type.hidden);
            let cards = cards
                .map(|(key, event_type)| el("li").add(offer(key, event_type, texts, navigation)));
            el("ul").class("offers").add(row(cards))
        }
    })
}

fn offer(key: &EventTypeKey, event_type: &Offer, texts: Texts, navigation: Navigation) -> Html {
    let lengths: Vec<String> = event_type.lengths.iter().map(i64::to_string).collect();
    let mut facts = vec![texts.fill(Key::Minutes, &[("count", &lengths.join(" / "))])];
    match event_type.locations.as_slice() {
        [] => {}
        [only] => facts.push(offered_place(only, texts)),
        _ => facts.push(texts.get(Key::PlaceToChoose).to_owned()),
    }
    if let Some(team) = &event_type.team {
        facts.push(team.clone());
    }
    link(navigation, &Route::path_of(key, encode))
        .class("offer")
        .add(
            el("span")
                .class("offer-title")
                .add(event_type.title.as_str()),
        )
        .add(el("span").class("offer-facts").add(facts.join(" · ")))
        .add(
            el("span")
                .class("offer-text")
                .add(event_type.description.as_str()),
        )
}

/// Without an account: somebody's page by name.
fn ask_whose(texts: Texts, navigation: Navigation) -> Html {
    let username = RwSignal::new(String::new());
    let slug = RwSignal::new(String::new());
    let go = move |event: web_sys::Event| {
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
        .add(view! {
            <TextField id="whose" label=texts.get(Key::Username) value=username on_input=move |text| username.set(text) />
        })
        .add(view! {
            <TextField id="what" label=texts.get(Key::EventTypeSlug) value=slug on_input=move |text| slug.set(text) />
        });
    let form = el("form")
        .class("card")
        .add(fields)
        .add(
            el("button")
                .class("button-primary")
                .attr("type", "submit")
                .add(texts.get(Key::ShowTimes)),
        )
        .on("submit", go);
    el("div").class("connect").add(form)
}
