//! Bookings under the headings of their days.

use booking_wire::{Booking, BookingStatus, Offer, Page};
use leptos::prelude::*;

use crate::components::{Shape, button, heading, icon};
use crate::dom::{Html, el, nothing, row};
use crate::features::{Settings, use_clock};
use crate::i18n::{Key, Texts};
use crate::load::Load;
use crate::place::booked_place;
use crate::signal::{ReadSignal, RwSignal, Signal};
use crate::time::civil::add_days;
use crate::time::{CivilDate, Formats};

use super::details::details;
use super::model::{SortBy, by_day};
use super::spelling::{host_names, spelled};
use super::{Wish, event_type_title};

/// Attendees named in a row before the rest is counted.
const NAMED_ATTENDEES: usize = 2;

/// What all rows share.
#[derive(Clone, Copy)]
pub(super) struct List {
    pub(super) texts: Texts,
    pub(super) formats: Formats,
    pub(super) settings: Settings,
    pub(super) wish: Wish,
    /// Uids of the rows that show their details. Kept here, so that a change of zone, which draws
    /// the rows anew, leaves them open.
    pub(super) opened: RwSignal<Vec<String>>,
    pub(super) answer: ReadSignal<Load<Page<Booking>>>,
    pub(super) event_types: ReadSignal<Load<Vec<Offer>>>,
}

impl List {
    fn is_open(self, uid: &str) -> bool {
        self.opened
            .with(|opened| opened.iter().any(|known| known == uid))
    }

    fn toggle(self, uid: &str) {
        self.opened.update(|opened| {
            let before = opened.len();
            opened.retain(|known| known != uid);
            if opened.len() == before {
                opened.push(uid.to_owned());
            }
        });
    }

    /// The booking as it is in the answer.
    pub(super) fn find(self, uid: &str) -> Option<Booking> {
        self.answer.with_untracked(|answer| {
            let page = answer.ready()?;
            page.items
                .iter()
                .find(|booking| booking.uid.0 == uid)
                .cloned()
        })
    }
}

/// The bookings of one page. Sorted by the day when they were made, they are grouped by that.
pub(super) fn days(page: &Page<Booking>, list: List) -> Html {
    let List { texts, formats, .. } = list;
    let zone = list.settings.zone.get();
    let by_creation = list
        .wish
        .asked
        .with_untracked(|filters| filters.sort.is_some_and(|sort| sort.by == SortBy::Created));
    let today = formats.day_of(use_clock().now(), &zone);

    let days = by_day(page.items.iter().collect(), |booking: &&Booking| {
        let moment = match booking.created_at {
            Some(created) if by_creation => created,
            _ => booking.start,
        };
        formats.day_of(moment, &zone)
    });
    row(days.into_iter().map(|(day, bookings)| {
        let date = formats.long_day(day);
        let told = if by_creation {
            texts.fill(Key::BookedOn, &[("day", &date)])
        } else {
            date
        };
        let near = near_key(day, today).map(|key| el("span").class("day-near").add(texts.get(key)));
        let heading = heading(1)
            .class("day-heading")
            .attr("part", "day-heading")
            .add(el("span").add(told))
            .add(near);
        let bookings = bookings
            .into_iter()
            .map(|booking| booking_row(booking, list, by_creation));
        el("section")
            .class("day-group")
            .add(heading)
            .add(el("ul").class("bookings").add(row(bookings)))
    }))
}

/// Days that have a name of their own.
fn near_key(day: CivilDate, today: CivilDate) -> Option<Key> {
    if day == today {
        Some(Key::Today)
    } else if day == add_days(today, 1) {
        Some(Key::Tomorrow)
    } else if day == add_days(today, -1) {
        Some(Key::Yesterday)
    } else {
        None
    }
}

fn booking_row(booking: &Booking, list: List, tells_day: bool) -> Html {
    let List {
        texts,
        formats,
        settings,
        ..
    } = list;
    let uid = StoredValue::new(booking.uid.0.clone());
    let is_open = Signal::memo(move || uid.with_value(|uid| list.is_open(uid)));
    let title = if booking.title.is_empty() {
        texts.get(Key::UntitledBooking)
    } else {
        &booking.title
    };
    let is_off = matches!(
        booking.status,
        BookingStatus::Cancelled | BookingStatus::Rejected
    );
    let more = move || {
        let booking = is_open
            .get()
            .then(|| uid.with_value(|uid| list.find(uid)))??;
        Some(details(&booking, list))
    };

    let end = format!(" – {}", settings.time(formats, booking.end));
    let time = el("div")
        .class("booking-time")
        .add(
            el("p")
                .add(
                    el("span")
                        .class("booking-start")
                        .add(settings.time(formats, booking.start)),
                )
                .add(el("span").class("booking-end").add(end)),
        )
        .add(days_told(booking, list, tells_day));
    let open = button("booking-open", move || {
        uid.with_value(|uid| list.toggle(uid))
    })
    .attr("part", "booking-title")
    .attr_with("aria-expanded", move || Some(is_open.get().to_string()))
    .add(title);
    let what = el("div")
        .class("booking-what")
        .add(heading(2).class("booking-title").add(open))
        .add(facts(booking, list));
    let line = el("div")
        .class(if is_off {
            "booking-row booking-off"
        } else {
            "booking-row"
        })
        .add(time)
        .add(what)
        .add(who(booking, texts))
        .add(
            el("div")
                .class("booking-place")
                .add(booked_place(booking.location.as_deref(), texts)),
        )
        .add(
            el("div")
                .class("booking-status")
                .add(status_badge(&booking.status, texts)),
        );
    el("li")
        .class("booking")
        .attr("part", "booking")
        .add(line)
        .show(more)
}

/// The day, where the heading tells another one, and the last day of what ends on a later one.
fn days_told(booking: &Booking, list: List, tells_day: bool) -> Option<Html> {
    let List {
        texts,
        formats,
        settings,
        ..
    } = list;
    let (first, last) = settings.zone.with(|zone| {
        let last = formats.day_of(booking.end, zone);
        (formats.day_of(booking.start, zone), last)
    });
    let text = match (tells_day, first == last) {
        (true, _) => formats.short_day(first),
        (false, false) => texts.fill(Key::EndsOn, &[("day", &formats.short_day(last))]),
        (false, true) => return None,
    };
    Some(el("span").class("booking-day").add(text))
}

/// Event type, hosts, and what sets the booking apart.
fn facts(booking: &Booking, list: List) -> Html {
    let texts = list.texts;
    let event_type = list.event_types.with(|known| {
        let known = known.ready().map(Vec::as_slice).unwrap_or_default();
        // Most titles begin with it, and twice would be too much.
        event_type_title(booking, known).filter(|title| !booking.title.starts_with(title))
    });
    let hosts = host_names(booking);
    let hosts = if hosts.is_empty() {
        texts.get(Key::NoHost).to_owned()
    } else {
        texts.fill(Key::With, &[("names", &hosts)])
    };
    let mark =
        |shape: Shape, text: &str| el("span").class("booking-mark").add(icon(shape)).add(text);
    let series = booking
        .is_recurring()
        .then(|| mark(Shape::Repeat, texts.get(Key::Series)));
    let seats = booking.is_seated().then(|| {
        let count = booking.attendees.len();
        mark(Shape::People, &texts.count(Key::AttendeeCount, count))
    });
    let moved = match (&booking.rescheduled_to_uid, &booking.rescheduled_from_uid) {
        (Some(_), _) => Some(Key::MovedAway),
        (None, Some(_)) => Some(Key::MovedHere),
        (None, None) => None,
    };
    el("p")
        .class("booking-facts")
        .add(event_type.map(|title| el("span").add(title)))
        .add(el("span").add(hosts))
        .add(series)
        .add(seats)
        .add(moved.map(|key| mark(Shape::Reload, texts.get(key))))
}

fn who(booking: &Booking, texts: Texts) -> Html {
    let people = &booking.attendees;
    let named = people.iter().take(NAMED_ATTENDEES).map(|person| {
        let name = if person.name.is_empty() {
            &person.display_email
        } else {
            &person.name
        };
        el("span").class("person").add(name.as_str())
    });
    let email = match people.as_slice() {
        [only] if !only.name.is_empty() => Some(only.display_email.clone()),
        _ => None,
    };
    let more = people.len().saturating_sub(NAMED_ATTENDEES);
    let more = (more > 0).then(|| texts.count(Key::AndMore, more));
    let note = email.filter(|email| !email.is_empty()).or(more);
    el("div")
        .class("booking-who")
        .add(row(named))
        .add(note.map(|note| el("span").class("person-note").add(note)))
}

/// Where a booking stands, in a word.
fn status_badge(status: &BookingStatus, texts: Texts) -> Html {
    let (class, key) = match status {
        BookingStatus::Accepted => ("badge badge-ok", Key::StatusAccepted),
        BookingStatus::Pending => ("badge badge-warn", Key::StatusPending),
        BookingStatus::AwaitingHost => ("badge badge-warn", Key::StatusAwaitingHost),
        BookingStatus::Cancelled => ("badge", Key::StatusCancelled),
        BookingStatus::Rejected => ("badge", Key::StatusRejected),
        BookingStatus::Unknown(_) => ("badge", Key::StatusUnknown),
    };
    let badge = el("span").class(class).attr("part", "status");
    match status {
        // A newer service's own word says more than "unknown".
        BookingStatus::Unknown(word) if !word.is_empty() => badge.add(spelled(word)),
        _ => badge.add(texts.get(key)),
    }
}

/// Boxes of the size of rows, while they are awaited.
pub(super) fn waiting_rows(count: usize, texts: Texts) -> Html {
    let ghost = || el("span").class("ghost-line ghost-block");
    let rows = (0..count).map(|_| {
        el("div")
            .class("booking-row booking-ghost")
            .add(ghost())
            .add(ghost())
            .add(ghost())
    });
    let rows = el("div")
        .attr("aria-hidden", "true")
        .add(el("div").class("day-heading").add(ghost()))
        .add(row(rows));
    nothing()
        .add(
            el("p")
                .class("visually-hidden")
                .add(texts.get(Key::Loading)),
        )
        .add(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_days_have_names_of_their_own() {
        let day = |text: &str| text.parse::<CivilDate>().unwrap();
        for (other, key) in [
            ("2027-03-01", Some(Key::Today)),
            ("2027-03-02", Some(Key::Tomorrow)),
            ("2027-02-28", Some(Key::Yesterday)),
            ("2027-03-03", None),
        ] {
            assert_eq!(near_key(day(other), day("2027-03-01")), key, "{other}");
        }
    }
}
