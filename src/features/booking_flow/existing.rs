//! Flow of an existing booking, opened by its uid or by a seat in it.

pub(super) mod booking_state;
pub(super) mod reread;

use booking_rules::Policy;
use booking_ui::prelude::*;
use booking_wire::{EventTypeKey, PublicBooking, PublicEventType};

use self::booking_state::{ActionAvailability, cancel_availability, reschedule_availability};
use super::chunk_exports::{ChunkExports, lazy_chunk};
use super::context::NotFoundView;
use super::outcome::{FlowOutcome, OutcomeKind};
use super::state::{FlowState, Rescheduling, near_place};
use super::steps::skeleton::{loading_booking, loading_card};
use super::steps::{flow_card, prepare_after_slots};
use crate::client::query::{Load, latest, on_failure};
use crate::client::session::{Session, use_session};
use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button};
use crate::features::booking_flow::existing::reread::read_present;
use crate::features::shared::error_notice::{
    booking_error_notice, card, error_notice, fallback, notice,
};
use crate::features::shared::host_name::show_event_type;
use crate::i18n::{Key, localized, use_texts};
use crate::page::attributes::{Config, Mode};
use crate::page::events::use_page;
use crate::page::picker_events::PickerEvent;
use crate::page::settings::use_clock;
use crate::page::step_place::StepAction;
use crate::time::Instant;

/// Booking and event type.
#[derive(Clone)]
struct OpenedBooking {
    event_type: PublicEventType,
    /// Empty for a new booking in place of one that was not found.
    bookings: Vec<PublicBooking>,
}

/// Flow of the booking that the page names; `mode` is its first step.
pub(super) fn existing_booking(config: Config, exports: &'static ChunkExports) -> Node {
    let texts = use_texts();
    let session = use_session();
    let request = config.clone();
    let is_new = RwSignal::new(false);
    let response = latest(
        move || Some(is_new.get()),
        move |is_new, abort| {
            let (session, config) = (session.clone(), request.clone());
            async move {
                match config.event_type.clone().filter(|_| is_new) {
                    Some(key) => read_event_type(session, config, key, abort).await,
                    None => read(session, config, abort).await,
                }
            }
        },
    );
    let clock = use_clock();
    let booking = response.signal();
    let page = use_page();
    on_failure(booking, move |code| {
        let what = "booking";
        // Result ignored: there is no default action to prevent.
        let _ = page.emit(&PickerEvent::LoadFailed { code, what });
    });
    fragment().child_with(move || match booking.get() {
        Load::Pending => {
            let shows_slots = is_new.get_untracked() || config.mode == Mode::Reschedule;
            localized(move || match shows_slots {
                true => loading_card(texts, response.is_slow()),
                false => loading_booking(texts, response.is_slow()),
            })
        }
        Load::Failed(ApiError::Declined(DeclineReason::NotFound | DeclineReason::NotPublic))
            if !is_new.get_untracked() =>
        {
            let is_bookable = config.event_type.is_some();
            localized(move || {
                if let Some(NotFoundView(view)) = use_context() {
                    return view();
                }
                let title = texts.get(Key::BookingNotFoundTitle);
                let notice = notice(Shape::Search, title, texts.get(Key::BookingNotFoundText));
                let book = is_bookable.then(|| {
                    button("button", move || is_new.set(true)).child(texts.get(Key::OffersTitle))
                });
                card().child(notice.child(book).child(fallback()))
            })
        }
        Load::Failed(error) => localized(move || {
            let retry = move || response.reload();
            let notice = match is_new.get_untracked() {
                true => booking_error_notice(&error, retry),
                false => error_notice(&error, retry),
            };
            card().child(notice.child(fallback()))
        }),
        Load::Ready(opened) => {
            let outcome = FlowOutcome {
                bookings: opened.bookings,
                seat_uid: config.seat_uid.clone(),
                kind: OutcomeKind::Opened,
                previous_start: None,
                address: None,
            };
            show_event_type(&opened.event_type, texts);
            let flow = FlowState::new(opened.event_type, &config);
            let chunk = lazy_chunk(ChunkSource::Linked(exports), flow.context().page.clone());
            prepare_after_slots(flow, chunk);
            let mode = mode_in_history(flow, &outcome);
            let is_restored = !flow.is_at_start();
            if !is_restored {
                show_first_step(flow, outcome, mode.unwrap_or(config.mode), clock.now());
            }
            if let Some(steps) = flow.history.steps
                && mode == Some(Mode::Reschedule)
                && flow.is_rescheduling()
                && !is_restored
            {
                let today = flow.selection.picker.today.get_untracked();
                flow.resume(&near_place(steps.place(), today));
            }
            let card = flow_card(flow, chunk);
            if is_new.get_untracked() {
                // The pressed button is gone.
                focus_first_soon(card.element(), ".picker-title");
            }
            card
        }
    })
}

/// Mode that the history entry names, unless it is about an earlier booking.
fn mode_in_history(flow: FlowState, outcome: &FlowOutcome) -> Option<Mode> {
    let place = flow.history.steps?.place();
    let is_same = outcome.reference().is_some_and(|shown| {
        let named = place.booking.as_ref();
        named.is_some_and(|named| named.uid == shown.uid)
    });
    place.action.filter(|_| is_same).map(mode_of)
}

/// Mode whose first step is the form of `action`.
pub(super) fn mode_of(action: StepAction) -> Mode {
    match action {
        StepAction::Reschedule => Mode::Reschedule,
        StepAction::Cancel => Mode::Cancel,
    }
}

/// Shows the step for `mode`, if possible; else the booking, with the reason.
pub(super) fn show_first_step(flow: FlowState, outcome: FlowOutcome, mode: Mode, now: Instant) {
    let context = flow.context();
    let policy = Policy::of(&context.event_type);
    let only = match outcome.bookings.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let Some(first) = outcome.bookings.first() else {
        return;
    };
    match (mode, only) {
        (Mode::Reschedule, Some(booking))
            if reschedule_availability(&booking, policy, now) == ActionAvailability::Available =>
        {
            let seat_uid = outcome.seat_uid.clone();
            flow.start_reschedule(Rescheduling { booking, seat_uid });
        }
        (Mode::Cancel, _)
            if cancel_availability(first, policy, now) == ActionAvailability::Available =>
        {
            flow.show_booking(outcome, true);
        }
        _ => flow.show_booking(outcome, false),
    }
}

/// Reads the event type of a new booking.
async fn read_event_type(
    session: Session,
    config: Config,
    key: EventTypeKey,
    abort: Abort,
) -> Result<OpenedBooking, ApiError> {
    let event_type = session.event_type(key, config.org_slug, abort).await?;
    Ok(OpenedBooking {
        event_type,
        bookings: Vec::new(),
    })
}

async fn read(session: Session, config: Config, abort: Abort) -> Result<OpenedBooking, ApiError> {
    let (uid, seat_uid) = (config.booking_uid.as_deref(), config.seat_uid.as_deref());
    let bookings = read_present(&session, uid, seat_uid, &abort).await?;
    let Some(booking) = bookings.first() else {
        return Err(ApiError::Declined(DeclineReason::NotFound));
    };
    let organization = config.org_slug;
    let event_type = match config
        .event_type
        .or_else(|| event_type_key(booking, session.dialect()))
    {
        Some(key) => session.event_type(key, organization, abort).await.ok(),
        None => None,
    };
    // Without its settings the booking can still be shown, and the service checks every action anyway.
    let event_type = event_type
        .filter(|found| found.id == booking.event_type_id)
        .unwrap_or_else(|| PublicEventType {
            id: booking.event_type_id,
            title: booking.title.clone(),
            length: booking.length(),
            lengths: vec![booking.length()],
            host_names: booking.host_names.clone(),
            ..PublicEventType::default()
        });
    Ok(OpenedBooking {
        event_type,
        bookings,
    })
}

/// Key to read the event type of a booking: services of the other dialect return it to visitors by name only.
fn event_type_key(booking: &PublicBooking, dialect: Dialect) -> Option<EventTypeKey> {
    match dialect {
        Dialect::Svc => Some(EventTypeKey::Id(booking.event_type_id)),
        Dialect::Cal => {
            let username = booking.host_username.clone();
            let slug = booking.event_type_slug.clone();
            let is_named = !username.is_empty() && !slug.is_empty();
            is_named.then_some(EventTypeKey::User { username, slug })
        }
    }
}
