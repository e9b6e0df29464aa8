//! Opens a booking by its uid or by a seat in it.

use std::sync::Arc;

use booking_wire::{BookingUid, EventTypeKey, PublicBooking, PublicBookings, PublicEventType};

use super::model::{ActionAvailability, BookingState, may_cancel, may_move, successor};
use super::outcome::{FlowOutcome, OutcomeKind};
use super::{Flow, Moving, Step, exports, waiting};
use crate::client::query::{Load, latest, on_failure};
use crate::client::session::{Session, use_session};
use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::components::Shape;
use crate::element::attributes::Config;
use crate::element::attributes::Mode;
use crate::element::events::use_page;
use crate::element::picker_events::PickerEvent;
use crate::element::settings::use_clock;
use crate::features::shared::error_notice::{card, fallback, notice, problem};
use crate::i18n::{Key, localized, use_texts};
use crate::ui::dom::{Node, fragment};
use crate::ui::lazy::ChunkSource;

/// Booking and event type.
#[derive(Clone)]
struct Opened {
    event_type: PublicEventType,
    bookings: Vec<PublicBooking>,
}

/// Shows the booking that the page names, and starts the visitor's task.
pub(super) fn open(config: Config) -> Node {
    let texts = use_texts();
    let session = use_session();
    let wanted = config.clone();
    let answer = latest(
        move || Some(()),
        move |(), abort| {
            let (session, wanted) = (session.clone(), wanted.clone());
            async move { read(session, wanted, abort).await }
        },
    );
    let now = use_clock();
    let value = answer.signal();
    let page = use_page();
    on_failure(value, move |code| {
        let what = "booking";
        // Result ignored: there is no default action to prevent.
        let _ = page.emit(&PickerEvent::LoadFailed { code, what });
    });
    fragment().child_with(move || match value.get() {
        Load::Pending => localized(move || waiting(texts, answer.is_slow())),
        Load::Failed(ApiError::Declined(DeclineReason::NotFound | DeclineReason::NotPublic)) => {
            localized(move || {
                let title = texts.get(Key::BookingNotFoundTitle);
                let notice = notice(Shape::Search, title, texts.get(Key::BookingNotFoundText));
                card().child(notice.child(fallback()))
            })
        }
        Load::Failed(error) => localized(move || {
            let problem = problem(&error, move || answer.again());
            card().child(problem.child(fallback()))
        }),
        Load::Ready(opened) => {
            let ending = FlowOutcome {
                bookings: opened.bookings,
                seat_uid: config.seat_uid.clone(),
                how: OutcomeKind::Opened,
                was: None,
            };
            let flow = Flow::new(opened.event_type, &config, ChunkSource::Linked(exports()));
            begin(flow, ending, config.mode, now.now());
            localized(move || flow.view())
        }
    })
}

/// Starts the visitor's task, if possible; else shows the booking, with the reason.
fn begin(flow: Flow, ending: FlowOutcome, mode: Mode, now: crate::time::Instant) {
    let world = flow.world();
    let policy = world.event_type.policy;
    let only = match ending.bookings.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let standing = ending
        .bookings
        .first()
        .map(|first| BookingState::of(first, world.event_type.price, now));
    let Some(standing) = standing else { return };
    match (mode, only) {
        (Mode::Reschedule, Some(booking))
            if may_move(&booking, standing, policy, now) == ActionAvailability::Yes =>
        {
            let seat_uid = ending.seat_uid.clone();
            flow.begin_move(Moving { booking, seat_uid });
        }
        (Mode::Cancel, _) if may_cancel(standing, policy) == ActionAvailability::Yes => {
            flow.step.set(Step::Cancel(Arc::new(ending)));
        }
        _ => flow.step.set(Step::Done(Arc::new(ending))),
    }
}

async fn read(session: Session, wanted: Config, abort: Abort) -> Result<Opened, ApiError> {
    let PublicBookings(mut bookings) = match (&wanted.seat_uid, &wanted.booking_uid) {
        (Some(seat), _) => session.booking_by_seat(seat, abort.clone()).await?,
        (None, Some(uid)) => session.booking(uid, abort.clone()).await?,
        (None, None) => return Err(ApiError::Declined(DeclineReason::NotFound)),
    };
    let mut seen = Vec::<BookingUid>::new();
    while let [only] = bookings.as_slice() {
        seen.push(only.uid.clone());
        let Some(BookingUid(next)) = successor(&seen, only) else {
            break;
        };
        match session.booking(&next, abort.clone()).await {
            Ok(PublicBookings(newer)) => bookings = newer,
            // Shows the last booking found.
            Err(_) => break,
        }
    }
    let Some(booking) = bookings.first() else {
        return Err(ApiError::Declined(DeclineReason::NotFound));
    };
    let organization = wanted.org_slug;
    let event_type = match wanted
        .event_type
        .or_else(|| key(booking, session.dialect()))
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
    Ok(Opened {
        event_type,
        bookings,
    })
}

/// Key to read the event type of a booking: services of the other dialect return it to visitors by name only
/// (contract 2.4).
fn key(booking: &PublicBooking, dialect: Dialect) -> Option<EventTypeKey> {
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
