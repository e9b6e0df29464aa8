//! What a row tells of its booking, cell by cell.

use booking_wire::{Booking, BookingStatus};

use crate::components::{Shape, heading, icon};
use crate::dom::{Html, el, nothing, row};
use crate::i18n::{Key, Texts};
use crate::place::booked_place;

use super::columns::Column;
use super::event_type_title;
use super::list::List;
use super::shown::{Mark, Row};
use super::spelling::{host_names, spelled};

/// Attendees named in a row before the rest is counted.
const NAMED_ATTENDEES: usize = 2;

/// The cells of a row after the one that selects it. `tells_day` if the heading above tells another
/// day than that of the booking; `open` is the button that gets its title.
pub(super) fn cells(
    shown: &Row,
    list: List,
    columns: &[Column],
    tells_day: bool,
    open: Html,
) -> Html {
    let booking = &*shown.booking;
    let texts = list.texts;
    let is_off = matches!(
        booking.status,
        BookingStatus::Cancelled | BookingStatus::Rejected
    );
    let time = cell("booking-time")
        .attr_if("data-off", is_off.then_some(""))
        .add(time(booking, list))
        .add(days_told(booking, list, tells_day));
    let title = if booking.title.is_empty() {
        texts.get(Key::UntitledBooking)
    } else {
        &booking.title
    };
    let what = el("th")
        .class("booking-what")
        .attr("scope", "row")
        .attr("role", "rowheader")
        .attr_if("data-off", is_off.then_some(""))
        .add(heading(2).class("booking-title").add(open.add(title)))
        .add(facts(booking, list, columns))
        .add(mark(shown.mark, texts));
    let others = columns.iter().map(|column| match column {
        Column::Attendees => cell("booking-who").add(who(booking, texts)),
        Column::Hosts => labelled(list, Key::Hosts, host_names(booking)),
        Column::EventType => labelled(list, Key::EventType, type_of(booking, list)),
        Column::Place => {
            cell("booking-place").add(booked_place(booking.location.as_deref(), texts))
        }
        Column::Made => labelled(list, Key::MadeAt, made(booking, list)),
        Column::Status => cell("booking-status").add(status_badge(&booking.status, texts)),
    });
    nothing().add(time).add(what).add(row(others))
}

fn cell(class: &str) -> Html {
    el("td").class(class).attr("role", "cell")
}

/// A cell that says what it tells where there is no head over it.
fn labelled(list: List, key: Key, words: String) -> Html {
    let cell = cell("booking-more");
    if words.is_empty() {
        return cell;
    }
    let label = el("span")
        .class("booking-label")
        .attr("aria-hidden", "true")
        .add(list.texts.get(key));
    cell.add(label).add(words)
}

fn time(booking: &Booking, list: List) -> Html {
    let time = |instant| list.settings.time(list.formats, instant);
    let mut end = String::from(" – ");
    end.push_str(&time(booking.end));
    el("p")
        .add(el("span").class("booking-start").add(time(booking.start)))
        .add(el("span").class("booking-end").add(end))
}

/// The day, where the heading tells another one, and the last day of what ends on a later one.
fn days_told(booking: &Booking, list: List, tells_day: bool) -> Option<Html> {
    let formats = list.formats;
    let (first, last) = list.settings.zone.with(|zone| {
        let last = formats.day_of(booking.end, zone);
        (formats.day_of(booking.start, zone), last)
    });
    let text = match (tells_day, first == last) {
        (true, _) => formats.short_day(first),
        (false, false) => {
            let last = formats.short_day(last);
            list.texts.fill(Key::EndsOn, &[("day", &last)])
        }
        (false, true) => return None,
    };
    Some(el("span").class("booking-day").add(text))
}

fn type_of(booking: &Booking, list: List) -> String {
    let title = list.event_types.with(|known| {
        let known = known.ready().map(Vec::as_slice).unwrap_or_default();
        event_type_title(booking, known)
    });
    title.unwrap_or_default()
}

fn made(booking: &Booking, list: List) -> String {
    let Some(created) = booking.created_at else {
        return String::new();
    };
    let day = list
        .settings
        .zone
        .with(|zone| list.formats.day_of(created, zone));
    list.formats.short_day(day)
}

/// Event type, hosts, and what sets the booking apart, as far as no column tells it.
fn facts(booking: &Booking, list: List, columns: &[Column]) -> Html {
    let texts = list.texts;
    let is_told = |column: Column| columns.contains(&column);
    let event_type = (!is_told(Column::EventType)).then(|| type_of(booking, list));
    // Most titles begin with it, and twice would be too much.
    let event_type =
        event_type.filter(|title| !title.is_empty() && !booking.title.starts_with(title.as_str()));
    let hosts = (!is_told(Column::Hosts)).then(|| {
        let hosts = host_names(booking);
        if hosts.is_empty() {
            texts.get(Key::NoHost).to_owned()
        } else {
            texts.fill(Key::With, &[("names", &hosts)])
        }
    });
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
        .add(hosts.map(|hosts| el("span").add(hosts)))
        .add(series)
        .add(seats)
        .add(moved.map(|key| mark(Shape::Reload, texts.get(key))))
}

/// What happened while the row was looked at.
fn mark(mark: Option<Mark>, texts: Texts) -> Option<Html> {
    let (class, key) = match mark? {
        Mark::Changed => ("row-mark", Key::RowChanged),
        Mark::Gone => ("row-mark row-mark-gone", Key::RowGone),
    };
    Some(el("p").class(class).add(texts.get(key)))
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
    nothing()
        .add(row(named))
        .add(note.map(|note| el("span").class("person-note").add(note)))
}

/// Where a booking stands, in a word.
pub(super) fn status_badge(status: &BookingStatus, texts: Texts) -> Html {
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
