//! Performs a booking action once and determines its result.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use booking_wire::Booking;

use super::model::is_done;
use crate::client::booking_actions::BookingAction;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::features::booking_list::cells::status_name;
use crate::features::shared::error_notice::{service_text, words};
use crate::i18n::{Key, Translations};

/// Timeout of an action, and of reading the booking after it.
const ACT_TIMEOUT_MS: u64 = 30_000;

/// Result of a booking action.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Done, with the current bookings.
    Done(Vec<Booking>),
    /// Refused by the service; with the current booking, if it could be read.
    Refused(ApiError, Option<Box<Booking>>),
    /// No response, and the booking is unchanged.
    Unchanged(Box<Booking>),
    /// No response, and the result is unknown.
    Unknown(ApiError),
}

/// Performs `deed` once. Without a response, reads the booking again to determine the result; after
/// a refusal, to see if another user has already done it.
///
/// Boxed, so that its code is compiled once.
pub(super) fn carry_out(
    session: Session,
    booking: Rc<Booking>,
    deed: BookingAction,
) -> Pin<Box<dyn Future<Output = Outcome>>> {
    Box::pin(async move {
        // The page may remove the element.
        let _kept = session.keep();
        let uid = &booking.uid.0;
        let abort = Abort::after(ACT_TIMEOUT_MS);
        let error = match session.act(uid, &deed, &abort).await {
            Ok(bookings) => return Outcome::Done(bookings),
            // Not caused by the booking.
            Err(
                error @ ApiError::Declined(
                    DeclineReason::SignInNeeded
                    | DeclineReason::Forbidden
                    | DeclineReason::TooMany { .. },
                ),
            ) => return Outcome::Refused(error, None),
            Err(error) => error,
        };
        let abort = Abort::after(ACT_TIMEOUT_MS);
        let found = session.whole_booking(uid, &abort).await.ok();
        let found = found.and_then(|found| found.into_iter().find(|one| one.uid == booking.uid));
        let is_refused = matches!(error, ApiError::Declined(_));
        match found {
            // Perhaps done by another request: confirming one meeting of a series confirms all.
            Some(found) if (!is_refused || decides(&deed)) && is_done(&deed, &booking, &found) => {
                Outcome::Done(vec![found])
            }
            found if is_refused => Outcome::Refused(error, found.map(Box::new)),
            Some(found) => Outcome::Unchanged(Box::new(found)),
            None => Outcome::Unknown(error),
        }
    })
}

/// True if `deed` leads to a state that the booking may already have.
fn decides(deed: &BookingAction) -> bool {
    match deed {
        BookingAction::Confirm | BookingAction::Decline(_) => true,
        BookingAction::Cancel(asked) => asked.seat_uid.is_none(),
        _ => false,
    }
}

/// Title and explanation of an action on `before` that was not done or has an unknown result.
pub(super) fn trouble(
    outcome: &Outcome,
    before: &Booking,
    texts: Translations,
) -> (String, String) {
    let (title, text) = match outcome {
        Outcome::Refused(ApiError::Declined(DeclineReason::Forbidden), _) => {
            (Key::ForbiddenTitle, Key::ActForbiddenText)
        }
        // Changed by another user.
        Outcome::Refused(_, Some(found)) if found.status != before.status => {
            let status = status_name(&found.status, texts);
            let text = texts.fill(Key::ActOvertakenText, &[("status", &status)]);
            return (texts.get(Key::ActRefusedTitle).to_owned(), text);
        }
        Outcome::Refused(
            ApiError::Declined(
                DeclineReason::Invalid(message) | DeclineReason::InvalidProperties(message, _),
            ),
            _,
        ) => {
            let title = texts.get(Key::ActRefusedTitle).to_owned();
            return (title, service_text(message, texts));
        }
        Outcome::Refused(error, _) => return words(error, texts),
        Outcome::Unchanged(_) => (Key::ActUnclearTitle, Key::ActNothingText),
        Outcome::Unknown(_) | Outcome::Done(_) => (Key::ActUnclearTitle, Key::ActUnknownText),
    };
    (texts.get(title).to_owned(), texts.get(text).to_owned())
}

/// Success message of `deed`.
pub(super) fn done_text(
    deed: &BookingAction,
    before: &Booking,
    after: &[Booking],
    texts: Translations,
) -> String {
    let key = match deed {
        BookingAction::Confirm => Key::DoneConfirmed,
        BookingAction::Decline(_) => Key::DoneDeclined,
        BookingAction::Cancel(asked) if asked.seat_uid.is_some() => Key::DoneSeat,
        BookingAction::Cancel(_) if after.len() > 1 => {
            let count = texts.number(after.len() as i64);
            return texts.fill(Key::DoneCancelledMany, &[("count", &count)]);
        }
        BookingAction::Cancel(_) => Key::DoneCancelled,
        BookingAction::MarkAbsent(_) => Key::DoneAbsent,
        BookingAction::AddGuests(_) => Key::DoneGuests,
        BookingAction::Relocate(_) => Key::DoneRelocated,
        BookingAction::Reassign(..) => {
            let had = |id: &String| before.hosts.iter().any(|host| host.id == *id);
            let mut hosts = after.iter().flat_map(|booking| &booking.hosts);
            let name = hosts.find(|host| !had(&host.id)).map(|host| &host.name);
            return match name.filter(|name| !name.is_empty()) {
                Some(name) => texts.fill(Key::DoneReassigned, &[("name", name)]),
                None => texts.get(Key::DoneChanged).to_owned(),
            };
        }
    };
    texts.get(key).to_owned()
}
