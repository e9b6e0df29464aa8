//! Selection of an event type of a user or team: a list, then the booking flow.

use booking_wire::EventTypeKey;
use leptos::prelude::*;

use crate::client::query::{Latest, Load, on_failure};
use crate::client::session::use_session;
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button, heading, icon};
use crate::element::attributes::{Config, EventTypeOwner};
use crate::element::events::use_page;
use crate::element::picker_events::PickerEvent;
use crate::element::step_history::StepHistory;
use crate::element::step_place::StepPlace;
use crate::features::booking_flow::{BookingFlow, ChunkExports};
use crate::features::event_type_list::{ListedEventType, event_type_list, load_event_types};
use crate::i18n::{Key, localized, use_texts};
use crate::ui::context::use_context;
use crate::ui::dom::{Node, el, fragment};
use crate::ui::lazy::ChunkSource;
use crate::ui::signal::{RwSignal, Signal};

/// Exports of the chunk with the list.
pub struct SelectionExports {
    /// List of the event types of an owner, and the flow of the selected one.
    pub(super) view: fn(Config, EventTypeOwner, ChunkSource<ChunkExports>) -> Node,
}

/// Exports of this chunk. A direct reference to them puts the code into the referring bundle.
pub fn selection_exports() -> &'static SelectionExports {
    &SelectionExports {
        view: event_type_selection,
    }
}

fn event_type_selection(
    config: Config,
    owner: EventTypeOwner,
    chunk: ChunkSource<ChunkExports>,
) -> Node {
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
            .attr("part", "card")
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
        if let Some(steps) = self.steps {
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
        let back = el("div").class("chooser-back").child(back);
        focus_first_soon(back.element(), "button");
        back
    }
}
