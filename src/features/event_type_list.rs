//! Public event types of users and teams, as rows to choose from.

use booking_ui::prelude::*;
use booking_wire::{EventTypeKey, PublicEventType, SlotsQuery};

use crate::client::query::{Latest, Load, latest};
use crate::client::session::Session;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, icon};
use crate::features::shared::error_notice::{booking_error_notice, fallback, notice};
use crate::features::shared::event_type_summary::{avatars, details, lengths, people, with_colors};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::page::attributes::EventTypeOwner;
use crate::page::settings::{use_clock, use_settings};
use crate::time::civil::add_days;

/// Event type and the key of its requests.
pub type ListedEventType = (EventTypeKey, PublicEventType);

/// Number of skeleton rows while loading.
const SKELETON_CARDS: usize = 3;

/// Lines of a skeleton row: title and facts.
const SKELETON_LINES: usize = 2;

/// Days in which the next slot of an event type is searched for.
const DAYS_AHEAD: i64 = 14;

/// Loads the public event types of `owners`, in their order; users belong to `organization`, if one is named.
pub fn load_event_types(
    session: Session,
    owners: Vec<EventTypeOwner>,
    organization: Option<String>,
) -> Latest<Vec<ListedEventType>> {
    latest(
        move || Some(owners.clone()),
        move |owners, abort| {
            let (session, organization) = (session.clone(), organization.clone());
            async move {
                let mut event_types = Vec::new();
                for owner in owners {
                    let found = match owner.clone() {
                        EventTypeOwner::User(username) => {
                            let organization = organization.clone();
                            session
                                .event_types_of_user(username, organization, abort.clone())
                                .await
                        }
                        EventTypeOwner::Team(team) => {
                            session.event_types_of_team(team, abort.clone()).await
                        }
                    };
                    let shown = found?.into_iter().filter(|event_type| !event_type.hidden);
                    event_types
                        .extend(shown.map(|event_type| (key_of(&owner, &event_type), event_type)));
                }
                Ok(event_types)
            }
        },
    )
}

fn key_of(owner: &EventTypeOwner, event_type: &PublicEventType) -> EventTypeKey {
    let slug = event_type.slug.clone();
    match owner {
        // Without a slug, the id is the key.
        _ if slug.is_empty() => EventTypeKey::Id(event_type.id),
        EventTypeOwner::User(username) => EventTypeKey::User {
            username: username.clone(),
            slug,
        },
        EventTypeOwner::Team(team) => EventTypeKey::Team {
            team: team.clone(),
            slug,
        },
    }
}

/// Renders event types as rows. `frame` creates the link or button of each.
pub fn event_type_list(
    event_types: Latest<Vec<ListedEventType>>,
    session: Session,
    frame: impl Fn(&EventTypeKey, &PublicEventType) -> Node + 'static,
) -> Node {
    let texts = use_texts();
    fragment().child_with(move || match event_types.signal().get() {
        Load::Pending => skeleton(event_types, texts),
        Load::Failed(error) => failure(&error, event_types, texts),
        Load::Ready(found) if found.is_empty() => {
            notice(Shape::Calendar, texts.get(Key::NoOffersTitle), "")
        }
        Load::Ready(found) => {
            let cards = found.iter().map(|(key, event_type)| {
                let card = frame(key, event_type).class("offer").attr("part", "offer");
                let next = next_slot(session.clone(), event_type.id);
                el("li").child(card_content(card, event_type, texts, next))
            });
            el("ul")
                .class("offers")
                .attr("part", "offers")
                .child(fragment_of(cards))
        }
    })
}

fn skeleton(event_types: Latest<Vec<ListedEventType>>, texts: Translations) -> Node {
    let text = move || {
        let is_slow = event_types.is_slow().get();
        let key = if is_slow {
            Key::StillLoading
        } else {
            Key::Loading
        };
        texts.get(key).to_owned()
    };
    let line = |_| el("span").class("ghost-block");
    let card = |_| {
        el("div")
            .class("offer offer-ghost")
            .child(fragment_of((0..SKELETON_LINES).map(line)))
    };
    let skeletons = (0..SKELETON_CARDS).map(card);
    let skeletons = el("div")
        .class("offers")
        .attr("aria-hidden", "true")
        .child(fragment_of(skeletons));
    let text = el("p")
        .class("visually-hidden")
        .attr("role", "status")
        .text_with(text);
    fragment().child(text).child(skeletons)
}

fn failure(
    error: &ApiError,
    event_types: Latest<Vec<ListedEventType>>,
    texts: Translations,
) -> Node {
    if *error == ApiError::Declined(DeclineReason::NotFound) {
        let (title, text) = (Key::OwnerNotFoundTitle, Key::OwnerNotFoundText);
        return notice(Shape::Search, texts.get(title), texts.get(text)).child(fallback());
    }
    booking_error_notice(error, move || event_types.reload()).child(fallback())
}

/// Start of the next slot within two weeks, once it is known.
fn next_slot(session: Session, event_type_id: i64) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let clock = use_clock();
    let found = latest(
        move || Some(settings.zone.get()),
        move |zone, abort| {
            let session = session.clone();
            async move {
                let now = clock.now();
                let query = SlotsQuery {
                    event_type: EventTypeKey::Id(event_type_id),
                    start: now,
                    end: now.plus_minutes(DAYS_AHEAD * 24 * 60),
                    time_zone: zone.0,
                    duration: None,
                    rescheduled_uid: None,
                    recurrence_count: None,
                };
                session.slots(query, abort).await
            }
        },
    );
    let text = move || {
        let zone = settings.zone.get();
        let first = found.signal().with(|found| {
            let mut slots = found.ready()?.0.iter().flat_map(|(_, slots)| slots);
            slots.next().map(|slot| slot.start)
        });
        let Some(start) = first else {
            return String::new();
        };
        let day = formats.day_of(start, &zone);
        let is_near = day < add_days(formats.day_of(clock.now(), &zone), 7);
        let day = if is_near {
            formats.weekday(day)
        } else {
            formats.brief_day(day)
        };
        let time = settings.time(formats, start);
        let start = texts.fill(Key::DateAndTime, &[("day", &day), ("time", &time)]);
        texts.fill(Key::NextAvailable, &[("day", &start)])
    };
    el("span").class("offer-next").text_with(text)
}

fn card_content(card: Node, event_type: &PublicEventType, texts: Translations, next: Node) -> Node {
    let detail = |shape: Shape, text: &str| {
        el("span")
            .class("offer-fact")
            .child(icon(shape))
            .child(el("span").child(text))
    };
    let people = Some(people(event_type, texts)).filter(|people| !people.is_empty());
    let others = details(event_type, texts, use_formats());
    let others = others.iter().map(|(shape, text)| detail(*shape, text));
    let details = el("span")
        .class("offer-facts")
        .child(detail(Shape::Clock, &lengths(&event_type.lengths, texts)))
        .child(people.map(|people| detail(Shape::Person, &people).class("offer-fact offer-people")))
        .child(fragment_of(others));
    let description = event_type.description.as_str();
    let text = (!description.is_empty()).then(|| el("span").class("offer-text").child(description));
    let hosts = avatars(event_type).map(|avatars| avatars.class("avatars offer-people"));
    let title = el("span")
        .class("offer-title")
        .child(event_type.title.as_str());
    let main = el("span")
        .class("offer-main")
        .child(title)
        .child(details)
        .child(text);
    with_colors(card, event_type)
        .child(el("span").class("offer-tile").child(icon(Shape::Calendar)))
        .child(main)
        .child(hosts)
        .child(next)
        .child(icon(Shape::Forward))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_of_event_type_uses_slug_or_else_id() {
        let event_type = |slug: &str| PublicEventType {
            id: 41,
            slug: slug.to_owned(),
            ..PublicEventType::default()
        };
        let user = EventTypeOwner::User("ada".to_owned());
        let key = EventTypeKey::User {
            username: "ada".to_owned(),
            slug: "intro".to_owned(),
        };
        assert_eq!(key_of(&user, &event_type("intro")), key);
        assert_eq!(key_of(&user, &event_type("")), EventTypeKey::Id(41));
        let key = EventTypeKey::Team {
            team: "7".to_owned(),
            slug: "intro".to_owned(),
        };
        assert_eq!(
            key_of(&EventTypeOwner::Team("7".to_owned()), &event_type("intro")),
            key
        );
    }
}
