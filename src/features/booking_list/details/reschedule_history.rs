//! Reschedule history of a booking: each move creates a new booking.

use booking_wire::{Booking, BookingUid};
use leptos::prelude::*;

use super::super::cells::status_badge;
use super::super::list_state::List;
use super::{fact, moment};
use crate::client::query::{Load, latest};
use crate::client::session::Session;
use crate::client::{Abort, ApiError};
use crate::components::button;
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment, fragment_of, text};

/// Maximum number of moves followed each way: each costs a request.
const MOST_MOVES: usize = 10;

/// Moves of `booking`, oldest first; `None` if there are none.
pub(super) fn chain(booking: &Booking, list: List) -> Option<Node> {
    let texts = list.texts;
    if booking.rescheduled_from_uid.is_none() && booking.rescheduled_to_uid.is_none() {
        return None;
    }
    let session = list.session();
    let own = booking.clone();
    let moves = latest(
        move || Some(own.clone()),
        move |own, abort| {
            let session = session.clone();
            async move { walk(session, own, abort).await }
        },
    );
    let answer = moves.signal();
    let own = booking.clone();
    let shown = move || {
        answer.with(|answer| match answer {
            // The known uids suffice for links.
            Load::Pending | Load::Failed(_) => {
                let both = [&own.rescheduled_from_uid, &own.rescheduled_to_uid];
                let known = both.into_iter().flatten();
                let lines = known.map(|uid| el("li").child(open(uid, &uid.0, list)));
                let again = matches!(answer, Load::Failed(_)).then(|| {
                    button("text-button", move || moves.reload()).child(texts.get(Key::TryAgain))
                });
                fragment()
                    .child(el("ol").class("meetings").child(fragment_of(lines)))
                    .child(again)
            }
            Load::Ready(moves) => {
                let lines = moves.iter().enumerate().map(|(place, one)| {
                    let is_own = one.uid == own.uid;
                    let reason = reason_of(one, moves.get(place + 1));
                    untrack(|| meeting_line(one, is_own, reason, list))
                });
                el("ol").class("meetings").child(fragment_of(lines))
            }
        })
    };
    Some(fact(texts.get(Key::Moves), fragment().child_with(shown)))
}

/// Entry in a list of bookings: time, status and reason.
pub(super) fn meeting_line(
    booking: &Booking,
    is_own: bool,
    reason: Option<&str>,
    list: List,
) -> Node {
    let texts = list.texts;
    let when = moment(booking.start, list);
    let when = if is_own {
        let here = texts.fill(Key::ThisBooking, &[("time", &when)]);
        el("strong").child(here)
    } else {
        open(&booking.uid, &when, list)
    };
    let reason = reason
        .filter(|why| !why.is_empty())
        .map(|why| el("span").class("person-note").child(why));
    el("li")
        .attr_if("aria-current", is_own.then_some("true"))
        .child(when)
        .child(text(" "))
        .child(status_badge(&booking.status, texts))
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
fn open(uid: &BookingUid, words: &str, list: List) -> Node {
    let uid = uid.0.clone();
    let show = move || {
        list.wish.change(|filters| {
            filters.clear();
            filters.show_only(None);
            filters.uid.clone_from(&uid);
        });
    };
    button("text-button", show).child(words)
}

/// Follows the moves of `own` both ways, as far as the service returns them.
async fn walk(session: Session, own: Booking, abort: Abort) -> Result<Vec<Booking>, ApiError> {
    let mut moves = vec![own];
    for way in [Way::Back, Way::On] {
        for _ in 0..MOST_MOVES {
            let Some(uid) = next(&moves, way) else { break };
            let found = match session.whole_booking(&uid.0, &abort).await {
                Ok(found) => found.into_iter().find(|one| one.uid == uid),
                // A hidden booking ends this direction; the others can be shown.
                Err(ApiError::Declined(_)) => None,
                Err(error) => return Err(error),
            };
            match (found, way) {
                (Some(found), Way::Back) => moves.insert(0, found),
                (Some(found), Way::On) => moves.push(found),
                (None, _) => break,
            }
        }
    }
    Ok(moves)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To earlier bookings.
    Back,
    /// To later bookings.
    On,
}

/// Uid beyond the end of `moves`; `None` if it is known already: a service may report a cycle.
fn next(moves: &[Booking], way: Way) -> Option<BookingUid> {
    let uid = match way {
        Way::Back => moves.first()?.rescheduled_from_uid.clone()?,
        Way::On => moves.last()?.rescheduled_to_uid.clone()?,
    };
    moves.iter().all(|known| known.uid != uid).then_some(uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_followed_both_ways_and_not_in_a_circle() {
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
            let found = |way| next(&moves, way).map_or(String::new(), |uid| uid.0);
            assert_eq!(
                (found(Way::Back).as_str(), found(Way::On).as_str()),
                (back, on)
            );
        }
    }
    #[test]
    fn a_reason_is_told_of_the_booking_that_was_left() {
        let of = |to: &str, moved: &str, cancelled: &str| {
            let told = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            Booking {
                rescheduled_to_uid: told(to).map(BookingUid),
                rescheduling_reason: told(moved),
                cancellation_reason: told(cancelled),
                ..Booking::default()
            }
        };
        for (moves, told) in [
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
            let reasons = reasons.map(|(place, one)| reason_of(one, moves.get(place + 1)));
            let reasons: Vec<_> = reasons.map(Option::unwrap_or_default).collect();
            assert_eq!(reasons.join(", "), told);
        }
    }
}
