//! Booking flow of a visitor: select a slot, fill in the form, read the confirmation; later reschedule or cancel
//! the booking.
//!
//! Connects the slot picker and the booking form, which do not know each other, and owns the state that
//! outlives both: selection, draft, zone.

mod booking_view;
mod chunk;
mod chunk_exports;
mod context;
mod existing;
mod flow_history;
mod form_step;
mod hooks;
mod kept_step;
mod outcome;
mod reservation;
mod slot_notices;
mod state;
mod steps;
mod submit;
mod urls;

use booking_ui::prelude::*;

use crate::client::query::{Load, latest, on_failure};
use crate::client::session::use_session;
use crate::client::{ApiError, DeclineReason};
use crate::components::Shape;
use crate::features::shared::error_notice::{booking_error_notice, card, fallback, notice_card};
use crate::features::shared::host_name::show_event_type;
use crate::features::shared::lazy_view::lazy_view;
use crate::i18n::{Key, localized, use_texts};
use crate::page::attributes::Config;
use crate::page::events::use_page;
use crate::page::picker_events::PickerEvent;
use crate::page::step_history::StepHistory;

pub use chunk::{exports, history_exports, linked_chunks, zone_exports};
use chunk_exports::lazy_chunk;
use state::FlowState;
use steps::skeleton::loading_card;
use steps::{flow_card, handle_commands, prepare_after_slots};

pub use chunk_exports::{ChunkExports, HistoryExports, RareChunks, ZoneExports};
pub use context::NotFoundView;

/// Names the booking of the history entry, as after a reload: moving it would otherwise become another booking.
fn at_place(config: Config) -> Config {
    let place = use_context::<StepHistory>().map(StepHistory::place);
    match place.and_then(|place| place.booking) {
        Some(booking) if config.booking_uid.is_none() && config.seat_uid.is_none() => Config {
            booking_uid: Some(booking.uid),
            seat_uid: booking.seat,
            ..config
        },
        _ => config,
    }
}

/// Flow of the event type or booking that the page names.
#[component]
pub fn BookingFlow(
    /// Configuration set by the page.
    config: Config,
    /// Source of the chunk with the later steps.
    chunk: ChunkSource<ChunkExports>,
) -> Node {
    let texts = use_texts();
    let config = at_place(config);
    if config.booking_uid.is_some() || config.seat_uid.is_some() {
        return lazy_view(
            lazy_chunk(chunk, use_page()),
            move |content| card().child(content),
            move |exports| (exports.existing_booking)(config.clone(), exports),
        );
    }
    let session = use_session();
    let Some(key) = config.event_type.clone() else {
        return localized(move || {
            let title = texts.get(Key::NothingNamedTitle);
            notice_card(Shape::Calendar, title, texts.get(Key::NothingNamedText))
        });
    };
    let organization = config.org_slug.clone();
    let event_type = latest(
        move || Some(key.clone()),
        move |key, abort| {
            let (session, organization) = (session.clone(), organization.clone());
            async move { session.event_type(key, organization, abort).await }
        },
    );
    let response = event_type.signal();
    let page = use_page();
    on_failure(response, move |code| {
        let what = "event-type";
        // The event has no default action that the page could prevent.
        let _ = page.emit(&PickerEvent::LoadFailed { code, what });
    });
    fragment().child_with(move || match response.get() {
        Load::Pending => localized(move || loading_card(texts, event_type.is_slow())),
        Load::Failed(error) => localized(move || {
            let not_found = error == ApiError::Declined(DeclineReason::NotFound);
            match use_context::<NotFoundView>().filter(|_| not_found) {
                Some(NotFoundView(view)) => view(),
                None => {
                    let notice = booking_error_notice(&error, move || event_type.reload());
                    card().child(notice.child(fallback()))
                }
            }
        }),
        Load::Ready(event_type) => {
            show_event_type(&event_type, texts);
            let flow = FlowState::new(event_type, &config);
            let chunk = lazy_chunk(chunk, flow.context().page.clone());
            prepare_after_slots(flow, chunk);
            handle_commands(flow);
            in_own_task(move || flow_card(flow, chunk))
        }
    })
}
