//! Selection of an event type of a user or team: a list, then the booking flow.

use std::cell::Cell;

use booking_ui::prelude::*;
use booking_wire::EventTypeKey;

use crate::client::query::{Latest, Load, on_failure};
use crate::client::session::use_session;
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button, heading, icon};
use crate::features::booking_flow::{BookingFlow, ChunkExports, RareChunks};
use crate::features::event_type_list::{ListedEventType, event_type_list, load_event_types};
use crate::i18n::{Key, localized, use_texts};
use crate::page::attributes::{Config, EventTypeOwner};
use crate::page::events::use_page;
use crate::page::kept_flow::KeptFlow;
use crate::page::picker_events::PickerEvent;
use crate::page::step_history::StepHistory;
use crate::page::step_place::StepPlace;
use crate::styles;

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
    page.add_style(styles::EVENT_TYPES);
    on_failure(response, move |code| {
        let what = "event-types";
        // The event has no default action that the page could prevent.
        let _ = page.emit(&PickerEvent::LoadFailed { code, what });
    });
    let steps = use_context::<StepHistory>();
    let kept_flow = use_context::<KeptFlow>().unwrap_or_default();
    let placed = steps.and_then(|steps| steps.place().event_type);
    let selected = placed.or_else(|| kept_flow.event_type(&config));
    if let Some(steps) = steps.filter(|_| placed.is_none() && selected.is_some()) {
        steps.replace(StepPlace::first_of(selected));
    }
    let selection = EventTypeSelection {
        selected: RwSignal::new(selected),
        steps,
        previous: RwSignal::new(None),
    };
    effect(move || {
        if selection.selected.get().is_none() {
            kept_flow.clear();
        }
    });
    // The selected event type stays so while the list is loading again.
    let last_selected = Cell::new(None);
    let shown = Signal::memo_after(move |before| {
        let selected = selection.selected.get();
        let before = before.cloned().flatten();
        response.with(|response| match response {
            Load::Ready(found) => {
                let is_same = last_selected.replace(selected) == selected;
                shown_of(found, selected, before.filter(|_| is_same))
            }
            _ => before,
        })
    });
    let view = fragment().child_with(move || {
        let config = config.clone();
        let book = move |key: EventTypeKey| {
            let config = Config {
                event_type: Some(key),
                ..config
            };
            view! { <BookingFlow config chunk /> }.into_inner()
        };
        match shown.get() {
            Some((key, true)) => book(key),
            Some((key, false)) => {
                localized(move || selection.back_button()).with_sibling(book(key))
            }
            None => localized(move || selection.list(event_types)),
        }
    });
    let changes = Signal::derive(move || shown.with(|_| ()));
    view.child(steps.and_then(|steps| selection.follow(steps, changes)))
}

/// Event type to show: the selected one, or a single one at once. `before` is shown for the same selection, and stays so
/// even if `found` no longer has it: its form may be open.
fn shown_of(
    found: &[ListedEventType],
    selected: Option<i64>,
    before: Option<(EventTypeKey, bool)>,
) -> Option<(EventTypeKey, bool)> {
    if before.is_some() && selected.is_some() {
        return before;
    }
    match found {
        [(key, _)] => Some((key.clone(), true)),
        _ => {
            let (key, _) = found.iter().find(|(_, each)| Some(each.id) == selected)?;
            Some((key.clone(), false))
        }
    }
}

/// Selection of an event type.
#[derive(Clone, Copy)]
struct EventTypeSelection {
    /// Its id.
    selected: RwSignal<Option<i64>>,
    /// Steps of the flow in the history.
    steps: Option<StepHistory>,
    /// Id of the last selected event type, focused on return to the list.
    previous: RwSignal<Option<i64>>,
}

impl EventTypeSelection {
    fn list(self, event_types: Latest<Vec<ListedEventType>>) -> Node {
        let texts = use_texts();
        let page = use_page();
        let list = event_type_list(event_types, use_session(), move |_, event_type| {
            let (id, slug) = (event_type.id, event_type.slug.clone());
            let page = page.clone();
            let card = button("offer", move || {
                let slug = slug.clone();
                // The event has no default action that the page could prevent.
                let _ = page.emit(&PickerEvent::EventTypeSelected { id, slug });
                self.previous.set(Some(id));
                if let Some(steps) = self.steps {
                    steps.push(StepPlace::first_of(Some(id)));
                }
                self.selected.set(Some(id));
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

    /// Follows the visitor in the history of the page, once the code for that is loaded. `changes` is notified when the
    /// list or another flow is shown.
    fn follow(self, steps: StepHistory, changes: Signal<()>) -> Option<Node> {
        let history = LazyChunk::new(use_context::<RareChunks>()?.history);
        effect(move || {
            // A failed download is repeated.
            changes.get();
            history.fetch();
        });
        let seen = Cell::new(steps.arrivals().get_untracked());
        effect(move || {
            let arrivals = steps.arrivals().get();
            if seen.replace(arrivals) != arrivals {
                self.arrive(steps);
            }
        });
        let follow = move || {
            // A flow that has followed first may have ended.
            changes.get();
            if let Some(exports) = history.exports() {
                (exports.follow)(steps);
                steps.replace(steps.place());
            }
            fragment()
        };
        Some(fragment().child_with(follow))
    }

    /// Shows what the entry names that the visitor went to.
    fn arrive(self, steps: StepHistory) {
        let before = self.selected.get_untracked();
        let event_type = steps.place().event_type;
        if before == event_type {
            return;
        }
        if before.is_none() && steps.has_returned() {
            // The step before is not the list, but that of an earlier booking.
            return steps.push(StepPlace::default());
        }
        if before.is_some() {
            self.previous.set(before);
        }
        self.selected.set(event_type);
    }

    /// Back button to the list. Takes the focus from the list's, because the flow after it is still loading.
    fn back_button(self) -> Node {
        let texts = use_texts();
        let show_list = move || {
            self.previous.set(self.selected.get_untracked());
            if let Some(steps) = self.steps {
                let place = steps.place();
                match place.booking.is_none() && place.depth() == 0 {
                    true => steps.go_back(StepPlace::default()),
                    false => steps.push(StepPlace::default()),
                }
            }
            self.selected.set(None);
        };
        let back = button("button-quiet", show_list)
            .attr("part", "back-to-offers")
            .child(icon(Shape::Back))
            .child(texts.get(Key::BackToOffers));
        let back = el("div").class("chooser-back").child(back);
        if self.previous.get_untracked().is_some() {
            focus_first_soon(back.element(), "button");
        }
        back
    }
}

#[cfg(test)]
mod tests {
    use booking_wire::PublicEventType;

    use super::*;

    #[test]
    fn shown_of_list_without_the_selected_one_keeps_it() {
        let listed = |ids: &[i64]| {
            let event_type = |id: &i64| {
                let event_type = PublicEventType {
                    id: *id,
                    ..PublicEventType::default()
                };
                (EventTypeKey::Id(*id), event_type)
            };
            ids.iter().map(event_type).collect::<Vec<_>>()
        };
        let shown = |id: i64, is_single: bool| Some((EventTypeKey::Id(id), is_single));
        for (found, selected, before, expected) in [
            (vec![1, 2], None, None, None),
            (vec![1], None, None, shown(1, true)),
            (vec![1, 2], Some(2), None, shown(2, false)),
            (vec![1, 3], Some(2), None, None),
            (vec![1, 3], Some(2), shown(2, false), shown(2, false)),
            (vec![1], Some(2), shown(2, false), shown(2, false)),
            (vec![2], Some(2), shown(2, false), shown(2, false)),
            (vec![], Some(2), shown(2, false), shown(2, false)),
            // A single one is not selected.
            (vec![1, 2], None, shown(1, true), None),
        ] {
            let result = shown_of(&listed(&found), selected, before);
            assert_eq!(result, expected, "{found:?} {selected:?}");
        }
    }
}
