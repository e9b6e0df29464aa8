//! Public event types of users and teams, as cards to choose from.

use booking_wire::{EventTypeKey, PublicEventType};

use crate::api::{ApiError, DeclineReason};
use crate::components::{Shape, icon};
use crate::dom::{Html, el, nothing, row};
use crate::embed::attributes::EventTypeOwner;
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::load::{Latest, Load, latest};
use crate::offered::{facts, lengths, people};
use crate::problem::{booking_problem, fallback, notice};
use crate::session::Session;

/// Event type and the key of its requests.
pub type Named = (EventTypeKey, PublicEventType);

/// Number of skeleton cards while loading.
const GHOST_CARDS: usize = 3;

/// Loads the public event types of `owners`, in their order; users belong to `organization`, if one is named.
pub fn offers_of(
    session: Session,
    owners: Vec<EventTypeOwner>,
    organization: Option<String>,
) -> Latest<Vec<Named>> {
    latest(
        move || Some(owners.clone()),
        move |owners, abort| {
            let (session, organization) = (session.clone(), organization.clone());
            async move {
                let mut offers = Vec::new();
                for owner in owners {
                    let found = match owner.clone() {
                        EventTypeOwner::User(username) => {
                            let organization = organization.clone();
                            session
                                .event_types_of_user(username, organization, abort.clone())
                                .await
                        }
                        EventTypeOwner::Team(team_id) => {
                            session.event_types_of_team(team_id, abort.clone()).await
                        }
                    };
                    let shown = found?.into_iter().filter(|offer| !offer.hidden);
                    offers.extend(shown.map(|offer| (key_of(&owner, &offer), offer)));
                }
                Ok(offers)
            }
        },
    )
}

fn key_of(owner: &EventTypeOwner, offer: &PublicEventType) -> EventTypeKey {
    let slug = offer.slug.clone();
    match owner {
        // Without a slug, the id is the key.
        _ if slug.is_empty() => EventTypeKey::Id(offer.id),
        EventTypeOwner::User(username) => EventTypeKey::User {
            username: username.clone(),
            slug,
        },
        EventTypeOwner::Team(team_id) => EventTypeKey::Team {
            team_id: *team_id,
            slug,
        },
    }
}

/// Renders event types as cards. `frame` creates the link or button of each.
pub fn offer_list(
    offers: Latest<Vec<Named>>,
    frame: impl Fn(&EventTypeKey, &PublicEventType) -> Html + 'static,
) -> Html {
    let texts = use_texts();
    nothing().show(move || match offers.signal().get() {
        Load::Pending => waiting(offers, texts),
        Load::Failed(error) => failure(&error, offers, texts),
        Load::Ready(found) if found.is_empty() => notice(
            Shape::Calendar,
            texts.get(Key::NoOffersTitle),
            texts.get(Key::NoOffersText),
        ),
        Load::Ready(found) => {
            let cards = found.iter().map(|(key, offer)| {
                let card = frame(key, offer).class("offer").attr("part", "offer");
                el("li").add(filled(card, offer, texts))
            });
            el("ul")
                .class("offers")
                .attr("part", "offers")
                .add(row(cards))
        }
    })
}

fn waiting(offers: Latest<Vec<Named>>, texts: Translations) -> Html {
    let words = move || {
        let is_slow = offers.is_slow().get();
        let key = if is_slow {
            Key::StillLoading
        } else {
            Key::Loading
        };
        texts.get(key).to_owned()
    };
    let ghosts = (0..GHOST_CARDS).map(|_| el("div").class("offer offer-ghost ghost-block"));
    let ghosts = el("div")
        .class("offers")
        .attr("aria-hidden", "true")
        .add(row(ghosts));
    let words = el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .text_with(words);
    row([words, ghosts])
}

fn failure(error: &ApiError, offers: Latest<Vec<Named>>, texts: Translations) -> Html {
    if *error == ApiError::Declined(DeclineReason::NotFound) {
        let (title, text) = (Key::OwnerNotFoundTitle, Key::OwnerNotFoundText);
        return notice(Shape::Search, texts.get(title), texts.get(text)).add(fallback());
    }
    booking_problem(error, move || offers.again()).add(fallback())
}

fn filled(card: Html, offer: &PublicEventType, texts: Translations) -> Html {
    let fact = |shape: Shape, words: &str| {
        el("span")
            .class("offer-fact")
            .add(icon(shape))
            .add(el("span").add(words))
    };
    let people = Some(people(offer)).filter(|people| !people.is_empty());
    let others = facts(offer, texts, use_formats());
    let others = others.iter().map(|(shape, words)| fact(*shape, words));
    let facts = el("span")
        .class("offer-facts")
        .add(fact(Shape::Clock, &lengths(&offer.lengths, texts)))
        .add(people.map(|people| fact(Shape::Person, &people).class("offer-fact offer-people")))
        .add(row(others));
    let description = offer.description.as_str();
    let text = (!description.is_empty()).then(|| el("span").class("offer-text").add(description));
    card.add(el("span").class("offer-title").add(offer.title.as_str()))
        .add(facts)
        .add(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_is_asked_for_by_its_owner_and_slug_or_else_by_number() {
        let offer = |slug: &str| PublicEventType {
            id: 41,
            slug: slug.to_owned(),
            ..PublicEventType::default()
        };
        let user = EventTypeOwner::User("ada".to_owned());
        let key = EventTypeKey::User {
            username: "ada".to_owned(),
            slug: "intro".to_owned(),
        };
        assert_eq!(key_of(&user, &offer("intro")), key);
        assert_eq!(key_of(&user, &offer("")), EventTypeKey::Id(41));
        let key = EventTypeKey::Team {
            team_id: 7,
            slug: "intro".to_owned(),
        };
        assert_eq!(key_of(&EventTypeOwner::Team(7), &offer("intro")), key);
    }
}
