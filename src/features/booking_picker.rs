//! The visitor's element: selection of an event type, if the page leaves it open, then the booking flow.

use booking_wire::EventTypeKey;
use leptos::prelude::*;

use crate::client::query::{Latest, Load, on_failure};
use crate::client::session::use_session;
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, button, heading, icon};
use crate::element::attributes::Config;
use crate::element::events::use_page;
use crate::element::picker_events::PickerEvent;
use crate::features::booking_flow::{BookingFlow, ChunkExports};
use crate::features::event_type_list::{Named, offer_list, offers_of};
use crate::i18n::{Key, localized, use_texts};
use crate::ui::dom::{Node, el, fragment};
use crate::ui::lazy::ChunkSource;
use crate::ui::signal::{RwSignal, Signal};

/// Booking flow of what the page names; if that is only a user or team, a list of its event types first.
#[component]
pub fn Picker(
    /// Configuration set by the page.
    config: Config,
    /// Source of the chunk with the later steps.
    after: ChunkSource<ChunkExports>,
) -> Node {
    let names_more =
        config.event_type.is_some() || config.booking_uid.is_some() || config.seat_uid.is_some();
    let Some(owner) = config.owner.clone().filter(|_| !names_more) else {
        return view! { <BookingFlow config after /> }.into_inner();
    };
    let offers = offers_of(use_session(), vec![owner], config.org_slug.clone());
    let answer = offers.signal();
    let page = use_page();
    on_failure(answer, move |code| {
        let what = "event-types";
        // The event has no default action that the page could prevent.
        let _ = page.emit(&PickerEvent::LoadFailed { code, what });
    });
    // A single event type is selected at once, and stays so while the list is loading again.
    let only = Signal::memo_after(move |before| {
        answer.with(|answer| match answer {
            Load::Ready(found) => match found.as_slice() {
                [(key, _)] => Some(key.clone()),
                _ => None,
            },
            _ => before.cloned().flatten(),
        })
    });
    let choice = Choice {
        chosen: RwSignal::new(None),
        last: RwSignal::new(None),
    };
    fragment().child_with(move || {
        let config = config.clone();
        let book = move |key: EventTypeKey| {
            let config = Config {
                event_type: Some(key),
                ..config
            };
            view! { <BookingFlow config after /> }.into_inner()
        };
        match (only.get(), choice.chosen.get()) {
            (Some(key), _) => book(key),
            (None, Some(key)) => localized(move || choice.way_back()).with_sibling(book(key)),
            (None, None) => localized(move || choice.list(offers)),
        }
    })
}

/// Selection of an event type.
#[derive(Clone, Copy)]
struct Choice {
    chosen: RwSignal<Option<EventTypeKey>>,
    /// Id of the last selected event type, focused on return to the list.
    last: RwSignal<Option<i64>>,
}

impl Choice {
    fn list(self, offers: Latest<Vec<Named>>) -> Node {
        let texts = use_texts();
        let page = use_page();
        let list = offer_list(offers, move |key, offer| {
            let (key, id, slug) = (key.clone(), offer.id, offer.slug.clone());
            let page = page.clone();
            let card = button("offer", move || {
                let slug = slug.clone();
                // The event has no default action that the page could prevent.
                let _ = page.emit(&PickerEvent::EventTypeSelected { id, slug });
                self.last.set(Some(id));
                self.chosen.set(Some(key.clone()));
            });
            let is_last = self.last.get_untracked() == Some(id);
            card.attr_if("data-last", is_last.then_some(""))
        });
        let root = el("section")
            .class("chooser")
            .attr("aria-labelledby", "chooser-title")
            .child(
                heading(0)
                    .class("chooser-title")
                    .attr("id", "chooser-title")
                    .attr("part", "title")
                    .child(texts.get(Key::OffersTitle)),
            )
            .child(
                el("p")
                    .class("chooser-text")
                    .child(texts.get(Key::OffersText)),
            )
            .child(list);
        if self.last.get_untracked().is_some() {
            focus_first_soon(root.element(), "[data-last]");
        }
        root
    }

    /// Back button to the list. Takes the focus, because the flow after it is still loading.
    fn way_back(self) -> Node {
        let texts = use_texts();
        let back = button("button-quiet", move || self.chosen.set(None))
            .attr("part", "back-to-offers")
            .child(icon(Shape::Back))
            .child(texts.get(Key::BackToOffers));
        focus_soon(&back);
        el("div").class("chooser-back").child(back)
    }
}
