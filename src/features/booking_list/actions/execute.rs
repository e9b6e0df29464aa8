//! Performs a booking action once and determines its result.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use booking_wire::{Absence, Booking, MarkAbsent};

use super::super::state::action_state::model::is_done;
use crate::client::operations::booking_actions::BookingAction;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::features::booking_list::status_badge::status_name;
use crate::features::shared::error_notice::{error_text, service_text};
use crate::i18n::{Key, Translations};

/// Timeout of an action, and of reading the booking after it.
const ACTION_TIMEOUT_MS: u64 = 30_000;

/// Result of a booking action.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// Done, with the current bookings.
    Done(Vec<Booking>),
    /// Declined by the service; with the current booking, if it could be read.
    Declined(ApiError, Option<Box<Booking>>),
    /// No response, and the booking is unchanged.
    Unchanged(Box<Booking>),
    /// No response, and the result is unknown.
    Unknown(ApiError),
}

pub(super) type OutcomeFuture = Pin<Box<dyn Future<Output = Outcome>>>;

/// Performs `action` once. Without a response, reads the booking again to determine the result; after
/// a rejection, to see if another user has already done it.
///
/// Boxed, so that its code is compiled once.
pub(super) fn perform(
    session: Session,
    booking: Rc<Booking>,
    action: BookingAction,
) -> OutcomeFuture {
    // The page may remove the element, and an answer that waited is sent while the view ends.
    let lease = session.keep();
    Box::pin(async move {
        let _lease = lease;
        let uid = &booking.uid.0;
        let abort = Abort::after(ACTION_TIMEOUT_MS);
        let error = match session.act(uid, &action, &abort).await {
            Ok(bookings) => return Outcome::Done(bookings),
            // Not caused by the booking.
            Err(
                error @ ApiError::Declined(
                    DeclineReason::SignInNeeded
                    | DeclineReason::Forbidden
                    | DeclineReason::TooMany { .. },
                ),
            ) => return Outcome::Declined(error, None),
            Err(error) => error,
        };
        check(session, booking, action, error).await
    })
}

/// Reads the booking to determine the result of `action`, which is not repeated: it ended in `error`.
pub(super) fn check(
    session: Session,
    booking: Rc<Booking>,
    action: BookingAction,
    error: ApiError,
) -> OutcomeFuture {
    let lease = session.keep();
    Box::pin(async move {
        let _lease = lease;
        let abort = Abort::after(ACTION_TIMEOUT_MS);
        let bookings = session.whole_booking(&booking.uid.0, &abort).await.ok();
        let current = bookings
            .and_then(|bookings| bookings.into_iter().find(|other| other.uid == booking.uid));
        let is_declined = matches!(error, ApiError::Declined(_));
        match current {
            // Perhaps done by another request: confirming one meeting of a series confirms all.
            Some(current)
                if (!is_declined || sets_state(&action))
                    && is_done(&action, &booking, &current) =>
            {
                Outcome::Done(vec![current])
            }
            current if is_declined => Outcome::Declined(error, current.map(Box::new)),
            Some(current) => Outcome::Unchanged(Box::new(current)),
            None => Outcome::Unknown(error),
        }
    })
}

/// True if `action` leads to a state that the booking may already have.
fn sets_state(action: &BookingAction) -> bool {
    match action {
        BookingAction::Confirm | BookingAction::Decline(_) => true,
        BookingAction::Cancel(request) => request.seat_uid.is_none(),
        _ => false,
    }
}

/// Title and explanation of an action on `before` that was not done or has an unknown result.
pub(super) fn failure_text(
    outcome: &Outcome,
    before: &Booking,
    texts: Translations,
) -> (String, String) {
    let (title, text) = match outcome {
        Outcome::Declined(ApiError::Declined(DeclineReason::Forbidden), _) => {
            (Key::ForbiddenTitle, Key::ActForbiddenText)
        }
        // Changed by another user.
        Outcome::Declined(_, Some(current)) if current.status != before.status => {
            let status = status_name(&current.status, texts);
            let text = texts.fill(Key::ActOvertakenText, &[("status", &status)]);
            return (texts.get(Key::ActRefusedTitle).to_owned(), text);
        }
        Outcome::Declined(
            ApiError::Declined(
                DeclineReason::Invalid(message) | DeclineReason::InvalidProperties(message, _),
            ),
            _,
        ) => {
            let title = texts.get(Key::ActRefusedTitle).to_owned();
            return (title, service_text(message, texts));
        }
        Outcome::Declined(error, _) => return error_text(error, texts),
        Outcome::Unchanged(_) => (Key::ActUnclearTitle, Key::ActNothingText),
        Outcome::Unknown(_) | Outcome::Done(_) => (Key::ActUnclearTitle, Key::ActUnknownText),
    };
    (texts.get(title).to_owned(), texts.get(text).to_owned())
}

/// Request that takes back `action` on `before`: marks of absence can be removed. `None` for all other actions, and
/// if nobody was marked by it.
pub(super) fn undo_of(action: &BookingAction, before: &Booking) -> Option<MarkAbsent> {
    let BookingAction::MarkAbsent(request) = action else {
        return None;
    };
    let was_present = |email: &str| {
        let mut attendees = before.attendees.iter();
        attendees.any(|attendee| attendee.email == email && !attendee.absent)
    };
    let marked = request.attendees.iter().flatten();
    let attendees: Vec<Absence> = marked
        .filter(|mark| mark.absent && was_present(&mark.email))
        .map(|mark| Absence {
            email: mark.email.clone(),
            absent: false,
        })
        .collect();
    let host = (request.host == Some(true) && !before.absent_host).then_some(false);
    let is_empty = attendees.is_empty();
    (host.is_some() || !is_empty).then(|| MarkAbsent {
        host,
        attendees: (!is_empty).then_some(attendees),
    })
}

/// Success message of `action`.
pub(super) fn done_text(
    action: &BookingAction,
    before: &Booking,
    after: &[Booking],
    texts: Translations,
) -> String {
    let key = match action {
        BookingAction::Confirm => Key::DoneConfirmed,
        BookingAction::Decline(_) => Key::DoneDeclined,
        BookingAction::Cancel(request) if request.seat_uid.is_some() => Key::DoneSeat,
        BookingAction::Cancel(_) if after.len() > 1 => {
            return texts.count(Key::DoneCancelledMany, after.len());
        }
        BookingAction::Cancel(_) => Key::DoneCancelled,
        BookingAction::MarkAbsent(_) => Key::DoneAbsent,
        BookingAction::AddGuests(request) => {
            return texts.count(Key::DoneGuests, request.guests.len());
        }
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

#[cfg(test)]
mod tests {
    use booking_wire::Attendee;

    use super::*;

    #[test]
    fn undo_removes_only_new_marks_of_absence() {
        let person = |email: &str, absent: bool| Attendee {
            email: email.into(),
            absent,
            ..Attendee::default()
        };
        let before = Booking {
            attendees: vec![person("a", false), person("b", true)],
            ..Booking::default()
        };
        let marks = |host: Option<bool>, people: &[(&str, bool)]| MarkAbsent {
            host,
            attendees: (!people.is_empty()).then(|| {
                let mark = |(email, absent): &(&str, bool)| Absence {
                    email: (*email).into(),
                    absent: *absent,
                };
                people.iter().map(mark).collect()
            }),
        };
        for (done, undo) in [
            (
                marks(Some(true), &[("a", true), ("b", true)]),
                Some(marks(Some(false), &[("a", false)])),
            ),
            (marks(Some(true), &[]), Some(marks(Some(false), &[]))),
            (
                marks(None, &[("a", true)]),
                Some(marks(None, &[("a", false)])),
            ),
            (marks(None, &[("b", true)]), None),
            // Its own undo offers none.
            (marks(Some(false), &[("a", false)]), None),
        ] {
            assert_eq!(undo_of(&BookingAction::MarkAbsent(done), &before), undo);
        }
        assert_eq!(undo_of(&BookingAction::Confirm, &before), None);
    }
}
