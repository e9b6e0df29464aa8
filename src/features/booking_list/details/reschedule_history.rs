//! Reschedule history of a booking: each move creates a new booking.

use booking_ui::prelude::*;
use booking_wire::{Booking, BookingUid};

use super::facts::{day_and_time, fact};
use crate::client::query::{Load, latest};
use crate::client::session::Session;
use crate::client::{Abort, ApiError};
use crate::components::button;
use crate::features::booking_list::query::query_state::ListQuery;
use crate::features::booking_list::state::list_state::ListContext;
use crate::features::booking_list::status_badge::status_badge;
use crate::i18n::Key;

/// Maximum number of moves followed each way: each costs a request.
const MAX_MOVES: usize = 10;

/// Moves of `booking`, oldest first; `None` if there are none.
pub(super) fn reschedule_history(
    booking: &Booking,
    context: ListContext,
    query: ListQuery,
) -> Option<Node> {
    let texts = context.texts;
    if booking.rescheduled_from_uid.is_none() && booking.rescheduled_to_uid.is_none() {
        return None;
    }
    let session = context.session();
    let own = booking.clone();
    let moves = latest(
        move || Some(own.clone()),
        move |own, abort| {
            let session = session.clone();
            async move { load_moves(session, own, abort).await }
        },
    );
    let response = moves.signal();
    let own = booking.clone();
    let view = move || {
        response.with(|response| match response {
            // The known uids suffice for links.
            Load::Pending | Load::Failed(_) => {
                let both = [&own.rescheduled_from_uid, &own.rescheduled_to_uid];
                let other = both.into_iter().flatten();
                let lines = other.map(|uid| el("li").child(show_button(uid, &uid.0, query)));
                let again = matches!(response, Load::Failed(_)).then(|| {
                    button("text-button", move || moves.reload()).child(texts.get(Key::TryAgain))
                });
                fragment()
                    .child(el("ol").class("meetings").child(fragment_of(lines)))
                    .child(again)
            }
            Load::Ready(moves) => {
                let lines = moves.iter().enumerate().map(|(index, booking)| {
                    let is_own = booking.uid == own.uid;
                    let reason = reason_of(booking, moves.get(index + 1));
                    untrack(|| meeting_line(booking, is_own, reason, context, query))
                });
                el("ol").class("meetings").child(fragment_of(lines))
            }
        })
    };
    Some(fact(texts.get(Key::Moves), fragment().child_with(view)))
}

/// Entry in a list of bookings: time, status and reason.
pub(super) fn meeting_line(
    booking: &Booking,
    is_own: bool,
    reason: Option<&str>,
    context: ListContext,
    query: ListQuery,
) -> Node {
    let texts = context.texts;
    let when = day_and_time(booking.start, context);
    let when = if is_own {
        let here = texts.fill(Key::ThisBooking, &[("time", &when)]);
        el("strong").child(here)
    } else {
        show_button(&booking.uid, &when, query)
    };
    let reason = reason
        .filter(|reason| !reason.is_empty())
        .map(|reason| el("span").class("person-note").child(reason));
    el("li")
        .attr_if("aria-current", is_own.then_some("true"))
        .child(when)
        .child(text(" "))
        .child(status_badge(booking, texts))
        .child(reason)
}

/// Reason of a cancellation or move. A move's reason is stored on the old booking and on the new
/// one, unless that was moved in turn; it is shown on the old one.
fn reason_of<'a>(booking: &'a Booking, next: Option<&'a Booking>) -> Option<&'a str> {
    if booking.rescheduled_to_uid.is_none() {
        return booking.cancellation_reason.as_deref();
    }
    let own = booking.rescheduling_reason.as_deref();
    let next = next.filter(|next| next.rescheduled_to_uid.is_none());
    own.or_else(|| next?.rescheduling_reason.as_deref())
}

/// Button that shows this booking alone.
fn show_button(uid: &BookingUid, label: &str, query: ListQuery) -> Node {
    let uid = uid.0.clone();
    let show = move || {
        query.change(|filters| {
            filters.clear();
            filters.show_only(None);
            filters.uid.clone_from(&uid);
        });
    };
    button("text-button", show).child(label)
}

/// Follows the moves of `own` both ways, as far as the service returns them.
async fn load_moves(
    session: Session,
    own: Booking,
    abort: Abort,
) -> Result<Vec<Booking>, ApiError> {
    let mut moves = vec![own];
    for direction in [Direction::Earlier, Direction::Later] {
        for _ in 0..MAX_MOVES {
            let Some(uid) = next(&moves, direction) else {
                break;
            };
            let moved = match session.whole_booking(&uid.0, &abort).await {
                Ok(moved) => moved.into_iter().find(|booking| booking.uid == uid),
                // A hidden booking ends this direction; the others can be shown.
                Err(ApiError::Declined(_)) => None,
                Err(error) => return Err(error),
            };
            match (moved, direction) {
                (Some(moved), Direction::Earlier) => moves.insert(0, moved),
                (Some(moved), Direction::Later) => moves.push(moved),
                (None, _) => break,
            }
        }
    }
    Ok(moves)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// To earlier bookings.
    Earlier,
    /// To later bookings.
    Later,
}

/// Uid beyond the end of `moves`; `None` if it is known already: a service may report a cycle.
fn next(moves: &[Booking], direction: Direction) -> Option<BookingUid> {
    let uid = match direction {
        Direction::Earlier => moves.first()?.rescheduled_from_uid.clone()?,
        Direction::Later => moves.last()?.rescheduled_to_uid.clone()?,
    };
    moves.iter().all(|other| other.uid != uid).then_some(uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_followed_without_cycles() {
        let of = |uid: &str, from: &str, to: &str| {
            let named = |uid: &str| (!uid.is_empty()).then(|| BookingUid(uid.into()));
            Booking {
                uid: BookingUid(uid.into()),
                rescheduled_from_uid: named(from),
                rescheduled_to_uid: named(to),
                ..Booking::default()
            }
        };
        for (moves, back, on) in [
            (vec![of("b", "a", "c")], "a", "c"),
            (vec![of("a", "", "b"), of("b", "a", "")], "", ""),
            (vec![of("a", "b", "b"), of("b", "a", "a")], "", ""),
            (vec![of("a", "a", "a")], "", ""),
        ] {
            let moved = |direction| next(&moves, direction).map_or(String::new(), |uid| uid.0);
            assert_eq!(
                (
                    moved(Direction::Earlier).as_str(),
                    moved(Direction::Later).as_str()
                ),
                (back, on)
            );
        }
    }

    #[test]
    fn reason_belongs_to_original_booking() {
        let of = |to: &str, moved: &str, cancelled: &str| {
            let expected = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            Booking {
                rescheduled_to_uid: expected(to).map(BookingUid),
                rescheduling_reason: expected(moved),
                cancellation_reason: expected(cancelled),
                ..Booking::default()
            }
        };
        for (moves, expected) in [
            (vec![of("b", "rain", ""), of("", "rain", "")], "rain, "),
            (vec![of("b", "", ""), of("", "rain", "")], "rain, "),
            (
                vec![of("b", "rain", ""), of("", "rain", "ill")],
                "rain, ill",
            ),
            (
                vec![of("b", "", ""), of("c", "snow", ""), of("", "snow", "")],
                ", snow, ",
            ),
        ] {
            let reasons = moves.iter().enumerate();
            let reasons = reasons.map(|(index, booking)| reason_of(booking, moves.get(index + 1)));
            let reasons: Vec<_> = reasons.map(Option::unwrap_or_default).collect();
            assert_eq!(reasons.join(", "), expected);
        }
    }
}
