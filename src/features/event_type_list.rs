//! Public event types of users and teams, as cards to choose from.

use booking_wire::{EventTypeKey, PublicEventType};

use crate::client::query::{Latest, Load, latest};
use crate::client::session::Session;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, icon};
use crate::element::attributes::EventTypeOwner;
use crate::features::shared::error_notice::{booking_problem, fallback, notice};
use crate::features::shared::event_type_summary::{facts, lengths, people};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::ui::dom::{Node, el, fragment, fragment_of};

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
    frame: impl Fn(&EventTypeKey, &PublicEventType) -> Node + 'static,
) -> Node {
    let texts = use_texts();
    fragment().child_with(move || match offers.signal().get() {
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
                el("li").child(filled(card, offer, texts))
            });
            el("ul")
                .class("offers")
                .attr("part", "offers")
                .child(fragment_of(cards))
        }
    })
}

fn waiting(offers: Latest<Vec<Named>>, texts: Translations) -> Node {
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
        .child(fragment_of(ghosts));
    let words = el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .text_with(words);
    fragment_of([words, ghosts])
}

fn failure(error: &ApiError, offers: Latest<Vec<Named>>, texts: Translations) -> Node {
    if *error == ApiError::Declined(DeclineReason::NotFound) {
        let (title, text) = (Key::OwnerNotFoundTitle, Key::OwnerNotFoundText);
        return notice(Shape::Search, texts.get(title), texts.get(text)).child(fallback());
    }
    booking_problem(error, move || offers.reload()).child(fallback())
}

fn filled(card: Node, offer: &PublicEventType, texts: Translations) -> Node {
    let fact = |shape: Shape, words: &str| {
        el("span")
            .class("offer-fact")
            .child(icon(shape))
            .child(el("span").child(words))
    };
    let people = Some(people(offer)).filter(|people| !people.is_empty());
    let others = facts(offer, texts, use_formats());
    let others = others.iter().map(|(shape, words)| fact(*shape, words));
    let facts = el("span")
        .class("offer-facts")
        .child(fact(Shape::Clock, &lengths(&offer.lengths, texts)))
        .child(people.map(|people| fact(Shape::Person, &people).class("offer-fact offer-people")))
        .child(fragment_of(others));
    let description = offer.description.as_str();
    let text = (!description.is_empty()).then(|| el("span").class("offer-text").child(description));
    card.child(el("span").class("offer-title").child(offer.title.as_str()))
        .child(facts)
        .child(text)
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
