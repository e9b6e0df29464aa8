//! Cells of a row.
//!
//! A page may have 250 rows: their common elements are created once and cloned.

use booking_wire::{Booking, BookingStatus};

use crate::components::{Shape, heading, icon};
use crate::features::shared::location::booked_location;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el};

use super::columns::Column;
use super::event_type_title;
use super::formatting::{host_names, spelled};
use super::list_state::List;
use super::row_changes::{Row, RowChange};

/// Number of attendees named in a row; the rest is counted.
const NAMED_ATTENDEES: usize = 2;

/// Templates of the rows.
pub(super) struct Pattern {
    list: List,
    columns: Vec<Column>,
    /// Row with its common elements.
    line: Node,
    day: Node,
    span: Node,
    /// Span that truncates long text to some lines.
    cut: Node,
    marks: [Node; 3],
    person: Node,
    note: Node,
}

impl Pattern {
    pub(super) fn new(list: List, columns: Vec<Column>) -> Self {
        let span = |class: &str| el("span").class(class);
        let cell = |class: &str| el("td").class(class).attr("role", "cell");
        let mark = |shape: Shape| span("booking-mark").child(icon(shape));
        let select = el("input")
            .attr("type", "checkbox")
            .attr("part", "select")
            .attr("tabindex", "-1");
        let time = el("p")
            .child(span("booking-start"))
            .child(span("booking-end"));
        let open = el("button")
            .class("booking-open")
            .attr("type", "button")
            .attr("part", "booking-title")
            .attr("tabindex", "-1")
            .attr("aria-expanded", "false")
            .child(span("cut"));
        let what = el("th")
            .class("booking-what")
            .attr("scope", "row")
            .attr("role", "rowheader")
            .child(heading(2).class("booking-heading").child(open))
            .child(el("p").class("booking-facts"));
        let mut line = el("tr")
            .class("booking")
            .attr("role", "row")
            .attr("part", "booking")
            .child(cell("booking-select").child(select))
            .child(cell("booking-time").child(time))
            .child(what);
        for column in &columns {
            line = line.child(match column {
                Column::Attendees => cell("booking-who"),
                Column::Place => cell("booking-place"),
                Column::Status => cell("booking-status").child(badge()),
                Column::Hosts | Column::EventType | Column::Made => cell("booking-more"),
            });
        }
        Self {
            list,
            columns,
            line,
            day: span("booking-day"),
            span: el("span"),
            cut: span("cut"),
            marks: [Shape::Repeat, Shape::People, Shape::Reload].map(mark),
            person: span("person cut"),
            note: span("person-note cut"),
        }
    }

    /// Renders a row. `tells_day` if the heading above shows another day than the booking's.
    pub(super) fn line(&self, place: usize, row: &Row, tells_day: bool) -> Node {
        let booking = &*row.booking;
        let texts = self.list.texts;
        let title = if booking.title.is_empty() {
            texts.get(Key::UntitledBooking)
        } else {
            &booking.title
        };
        let line = self.line.deep_clone().attr("data-row", &place.to_string());
        let select = line.first_child();
        let time = select.next_sibling();
        let what = time.next_sibling();
        let heading = what.first_child();
        let (input, open) = (select.first_child(), heading.first_child());

        let input = input.attr(
            "aria-label",
            &texts.fill(Key::SelectBooking, &[("title", title)]),
        );
        open.first_child().set_text(title);
        // Tab stop of the table.
        if self.list.stop.get_value() == place {
            for control in [input, open] {
                control.attr("tabindex", "0");
            }
        }
        self.tell_time(&time, booking, tells_day);
        self.tell_facts(heading.next_sibling(), booking);
        if let Some(mark) = mark(row.mark, texts) {
            what.clone().child(mark);
        }
        if matches!(
            booking.status,
            BookingStatus::Cancelled | BookingStatus::Rejected
        ) {
            for cell in [&time, &what] {
                cell.clone().attr("data-off", "");
            }
        }
        let mut cell = what;
        for column in &self.columns {
            cell = cell.next_sibling();
            self.tell_column(*column, cell.clone(), booking);
        }
        line
    }

    fn tell_column(&self, column: Column, cell: Node, booking: &Booking) {
        match column {
            Column::Attendees => self.tell_who(cell, booking),
            Column::Hosts => self.tell_more(cell, Key::Hosts, host_names(booking)),
            Column::EventType => self.tell_more(cell, Key::EventType, self.type_of(booking)),
            Column::Place => {
                let location = booking
                    .location
                    .as_deref()
                    .filter(|place| !place.trim().is_empty());
                if location.is_some() {
                    let place = booked_location(location, self.list.texts);
                    cell.child(self.cut.deep_clone().child(place));
                }
            }
            Column::Made => self.tell_more(cell, Key::MadeAt, self.made(booking)),
            Column::Status => {
                tell_status(cell.first_child(), &booking.status, self.list.texts);
            }
        }
    }

    /// Adds a value, with a label for the card layout.
    fn tell_more(&self, cell: Node, key: Key, words: String) {
        if !words.is_empty() {
            let label = self.span.deep_clone().class("booking-label");
            let label = label
                .attr("aria-hidden", "true")
                .child(self.list.texts.get(key));
            cell.child(self.cut.deep_clone().child(label).child(words));
        }
    }

    fn tell_time(&self, cell: &Node, booking: &Booking, tells_day: bool) {
        let time = |instant| self.list.settings.time(self.list.formats, instant);
        let mut end = String::from(" – ");
        end.push_str(&time(booking.end));
        let start = cell
            .first_child()
            .first_child()
            .set_text(&time(booking.start));
        start.next_sibling().set_text(&end);
        if let Some(day) = self.days_told(booking, tells_day) {
            cell.clone().child(self.day.deep_clone().set_text(&day));
        }
    }

    /// Day of the booking where the heading shows another one, or its last day if it ends later.
    fn days_told(&self, booking: &Booking, tells_day: bool) -> Option<String> {
        let List {
            formats, settings, ..
        } = self.list;
        let (first, last) = settings.zone.with(|zone| {
            let last = formats.day_of(booking.end, zone);
            (formats.day_of(booking.start, zone), last)
        });
        if tells_day {
            return Some(formats.short_day(first));
        }
        (first != last).then(|| {
            let last = formats.short_day(last);
            self.list.texts.fill(Key::EndsOn, &[("day", &last)])
        })
    }

    fn type_of(&self, booking: &Booking) -> String {
        let title = self.list.event_types.with_untracked(|known| {
            let known = known.ready().map(Vec::as_slice).unwrap_or_default();
            event_type_title(booking, known)
        });
        title.unwrap_or_default()
    }

    fn made(&self, booking: &Booking) -> String {
        let List {
            formats, settings, ..
        } = self.list;
        let Some(created) = booking.created_at else {
            return String::new();
        };
        let day = settings.zone.with(|zone| formats.day_of(created, zone));
        formats.short_day(day)
    }

    /// Adds event type and hosts unless a column shows them, then series, seats and moves.
    fn tell_facts(&self, mut facts: Node, booking: &Booking) {
        let texts = self.list.texts;
        let is_told = |column: Column| self.columns.contains(&column);
        if !is_told(Column::EventType) {
            let title = self.type_of(booking);
            // Most titles begin with the event type: not repeated.
            if !title.is_empty() && !booking.title.starts_with(&title) {
                facts = facts.child(self.cut.deep_clone().set_text(&title));
            }
        }
        if !is_told(Column::Hosts) {
            let hosts = host_names(booking);
            let told = if hosts.is_empty() {
                texts.get(Key::NoHost).to_owned()
            } else {
                texts.fill(Key::With, &[("names", &hosts)])
            };
            facts = facts.child(self.cut.deep_clone().set_text(&told));
        }
        let [series, seats, moved] = &self.marks;
        if booking.is_recurring() {
            facts = facts.child(series.deep_clone().child(texts.get(Key::Series)));
        }
        // The service may omit the attendees.
        let count = booking.attendees.len();
        if booking.is_seated() && count > 0 {
            facts = facts.child(
                seats
                    .deep_clone()
                    .child(texts.count(Key::AttendeeCount, count)),
            );
        }
        let key = match (&booking.rescheduled_to_uid, &booking.rescheduled_from_uid) {
            (Some(_), _) => Key::MovedAway,
            (None, Some(_)) => Key::MovedHere,
            (None, None) => return,
        };
        facts.child(moved.deep_clone().child(texts.get(key)));
    }

    fn tell_who(&self, mut cell: Node, booking: &Booking) {
        let texts = self.list.texts;
        let people = &booking.attendees;
        for person in people.iter().take(NAMED_ATTENDEES) {
            let name = if person.name.is_empty() {
                &person.display_email
            } else {
                &person.name
            };
            cell = cell.child(self.person.deep_clone().set_text(name));
        }
        let email = match people.as_slice() {
            [only] if !only.name.is_empty() => Some(only.display_email.clone()),
            _ => None,
        };
        let more = people.len().saturating_sub(NAMED_ATTENDEES);
        let more = (more > 0).then(|| texts.count(Key::AndMore, more));
        if let Some(note) = email.filter(|email| !email.is_empty()).or(more) {
            cell.child(self.note.deep_clone().set_text(&note));
        }
    }
}

/// Change since the row was displayed.
fn mark(mark: Option<RowChange>, texts: Translations) -> Option<Node> {
    let (class, key) = match mark? {
        RowChange::Changed => ("row-mark", Key::RowChanged),
        RowChange::Gone => ("row-mark row-mark-gone", Key::RowGone),
    };
    Some(el("p").class(class).child(texts.get(key)))
}

/// Badge of a status.
pub(super) fn status_badge(status: &BookingStatus, texts: Translations) -> Node {
    tell_status(badge(), status, texts)
}

fn badge() -> Node {
    el("span").class(ACCEPTED).attr("part", "status")
}

/// Name of a status.
pub(super) fn status_name(status: &BookingStatus, texts: Translations) -> String {
    let key = match status {
        BookingStatus::Accepted => Key::StatusAccepted,
        BookingStatus::Pending => Key::StatusPending,
        BookingStatus::AwaitingHost => Key::StatusAwaitingHost,
        BookingStatus::Cancelled => Key::StatusCancelled,
        BookingStatus::Rejected => Key::StatusRejected,
        // A newer service's own word says more than "unknown".
        BookingStatus::Unknown(word) if !word.is_empty() => return spelled(word),
        BookingStatus::Unknown(_) => Key::StatusUnknown,
    };
    texts.get(key).to_owned()
}

/// Class of most badges.
const ACCEPTED: &str = "badge badge-ok";

fn tell_status(badge: Node, status: &BookingStatus, texts: Translations) -> Node {
    let badge = badge.set_text(&status_name(status, texts));
    match status {
        BookingStatus::Accepted => badge,
        BookingStatus::Pending | BookingStatus::AwaitingHost => badge.class("badge badge-warn"),
        _ => badge.class("badge"),
    }
}
