//! The visitor's element: selection of an event type, if the page leaves it open, then the booking flow.

mod event_type_selection;

use booking_ui::prelude::*;
use booking_wire::EventTypeKey;

use crate::features::booking_flow::{BookingFlow, ChunkExports};
use crate::features::shared::lazy_view::lazy_view;
use crate::i18n::{Key, use_texts};
use crate::page::attributes::{Config, EventTypeOwner};
use crate::page::draft_store::DraftStore;
use crate::page::step_history::StepHistory;
use crate::page::step_place::StepPlace;

pub use event_type_selection::{SelectionExports, selection_exports};

/// Booking flow of what the page names; if that is only a user or team, a list of its event types first.
#[component]
pub fn Picker(
    /// Configuration set by the page.
    config: Config,
    /// Source of the chunk with the later steps.
    chunk: ChunkSource<ChunkExports>,
    /// Source of the chunk with the list of event types.
    selection: ChunkSource<SelectionExports>,
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
    let texts = use_texts();
    let around = move |content| {
        el("section")
            .class("chooser")
            .attr("part", "card")
            .attr("aria-label", texts.get(Key::OffersTitle))
            .child(content)
    };
    lazy_view(LazyChunk::new(selection), around, move |exports| {
        (exports.view)(config.clone(), owner.clone(), chunk)
    })
}

/// Name of what the page names, the same on each load.
fn target(config: &Config) -> String {
    let parts = match (&config.event_type, &config.owner) {
        (Some(EventTypeKey::Id(id)), _) => [String::new(), id.to_string()],
        (Some(EventTypeKey::User { username, slug }), _) => [username.clone(), slug.clone()],
        (Some(EventTypeKey::Team { team, slug }), _) => [team.clone(), slug.clone()],
        (None, Some(EventTypeOwner::User(username))) => [username.clone(), String::new()],
        (None, Some(EventTypeOwner::Team(team))) => [team.clone(), String::new()],
        (None, None) => {
            let uid = config.booking_uid.as_ref().or(config.seat_uid.as_ref());
            [String::new(), uid.cloned().unwrap_or_default()]
        }
    };
    parts.join("/")
}
