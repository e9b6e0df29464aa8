//! The visitor's element: selection of an event type, if the page leaves it open, then the booking flow.

use booking_wire::EventTypeKey;
use leptos::prelude::*;

use crate::client::query::{Latest, Load, on_failure};
use crate::client::session::use_session;
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, button, heading, icon};
use crate::element::attributes::{Config, EventTypeOwner};
use crate::element::draft_store::DraftStore;
use crate::element::events::use_page;
use crate::element::picker_events::PickerEvent;
use crate::element::step_history::StepHistory;
use crate::element::step_place::StepPlace;
use crate::features::booking_flow::{BookingFlow, ChunkExports};
use crate::features::event_type_list::{ListedEventType, event_type_list, load_event_types};
use crate::i18n::{Key, localized, use_texts};
use crate::ui::context::{provide_context, use_context};
use crate::ui::dom::{Node, el, fragment};
use crate::ui::lazy::ChunkSource;
use crate::ui::signal::{RwSignal, Signal};

/// Booking flow of what the page names; if that is only a user or team, a list of its event types first.
#[component]
pub fn Picker(
    /// Configuration set by the page.
    config: Config,
    /// Source of the chunk with the later steps.
    chunk: ChunkSource<ChunkExports>,
) -> Node {
    if config.has_history_steps {
        let steps = StepHistory::of_element(&target(&config));
        if use_context().is_some_and(|drafts: DraftStore| drafts.is_reset()) {
            steps.replace(StepPlace::default());
        }
        provide_context(steps);
    }
    let names_target =
        config.event_type.is_some() || config.booking_uid.is_some() || config.seat_uid.is_some();
    let Some(owner) = config.owner.clone().filter(|_| !names_target) else {
        return view! { <BookingFlow config chunk /> }.into_inner();
    };
    let event_types = load_event_types(use_session(), vec![owner], config.org_slug.clone());
    let response = event_types.signal();
    let page = use_page();
    on_failure(response, move |code| {
        let what = "event-types";
        // The event has no default action that the page could prevent.
        let _ = page.emit(&PickerEvent::LoadFailed { code, what });
    });
    // A single event type is selected at once, and stays so while the list is loading again.
    let single = Signal::memo_after(move |before| {
        response.with(|response| match response {
            Load::Ready(found) => match found.as_slice() {
                [(key, _)] => Some(key.clone()),
                _ => None,
            },
            _ => before.cloned().flatten(),
        })
    });
    let selection = EventTypeSelection {
        selected: RwSignal::new(None),
        steps: use_context(),
        previous: RwSignal::new(None),
    };
    fragment().child_with(move || {
        let config = config.clone();
        let book = move |key: EventTypeKey| {
            let config = Config {
                event_type: Some(key),
                ..config
            };
            view! { <BookingFlow config chunk /> }.into_inner()
        };
        match (single.get(), selection.selected.get()) {
            (Some(key), _) => book(key),
            (None, Some(key)) => localized(move || selection.back_button()).with_sibling(book(key)),
            (None, None) => localized(move || selection.list(event_types)),
        }
    })
}

/// Name of what the page names, the same on each load.
fn target(config: &Config) -> String {
    let of_team = |id: i64| id.to_string();
    let parts = match (&config.event_type, &config.owner) {
        (Some(EventTypeKey::Id(id)), _) => [String::new(), id.to_string()],
        (Some(EventTypeKey::User { username, slug }), _) => [username.clone(), slug.clone()],
        (Some(EventTypeKey::Team { team_id, slug }), _) => [of_team(*team_id), slug.clone()],
        (None, Some(EventTypeOwner::User(username))) => [username.clone(), String::new()],
        (None, Some(EventTypeOwner::Team(id))) => [of_team(*id), String::new()],
        (None, None) => {
            let uid = config.booking_uid.as_ref().or(config.seat_uid.as_ref());
            [String::new(), uid.cloned().unwrap_or_default()]
        }
    };
    parts.join("/")
}

/// Selection of an event type.
#[derive(Clone, Copy)]
struct EventTypeSelection {
    selected: RwSignal<Option<EventTypeKey>>,
    /// Steps of the flow in the history.
    steps: Option<StepHistory>,
    /// Id of the last selected event type, focused on return to the list.
    previous: RwSignal<Option<i64>>,
}

impl EventTypeSelection {
    fn list(self, event_types: Latest<Vec<ListedEventType>>) -> Node {
        let texts = use_texts();
        let page = use_page();
        let list = event_type_list(event_types, move |key, event_type| {
            let (key, id, slug) = (key.clone(), event_type.id, event_type.slug.clone());
            let page = page.clone();
            let card = button("offer", move || {
                let slug = slug.clone();
                // The event has no default action that the page could prevent.
                let _ = page.emit(&PickerEvent::EventTypeSelected { id, slug });
                self.previous.set(Some(id));
                self.leave_steps();
                self.selected.set(Some(key.clone()));
            });
            let is_last = self.previous.get_untracked() == Some(id);
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
        if self.previous.get_untracked().is_some() {
            focus_first_soon(root.element(), "[data-last]");
        }
        root
    }

    /// Forgets the steps of the previous event type: its slots are not those of the next.
    fn leave_steps(self) {
        if let Some(steps) = self.steps
            && steps.place() != StepPlace::default()
        {
            steps.replace(StepPlace::default());
        }
    }

    /// Back button to the list. Takes the focus, because the flow after it is still loading.
    fn back_button(self) -> Node {
        let texts = use_texts();
        let show_list = move || {
            self.leave_steps();
            self.selected.set(None);
        };
        let back = button("button-quiet", show_list)
            .attr("part", "back-to-offers")
            .child(icon(Shape::Back))
            .child(texts.get(Key::BackToOffers));
        focus_soon(&back);
        el("div").class("chooser-back").child(back)
    }
}
