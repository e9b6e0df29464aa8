//! Bookings as a CSV table for spreadsheets (RFC 4180): UTF-8 with a byte order mark, CRLF line ends, columns for people
//! before those for programs. No DOM access.

use booking_wire::{Attendee, Booking, Instant, JsonMap, TeamEventType};

use crate::features::booking_list::formatting::{
    answer_text, event_type_title, has_own_line, humanized,
};
use crate::features::booking_list::status_badge::shown_status;
use crate::features::shared::location::booked_location_text;
use crate::i18n::{Key, Translations};

/// Separator of several values in one cell.
const SEPARATOR: &str = " | ";

/// Characters that start a formula, which a spreadsheet would run.
const FORMULA: [char; 9] = ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠'];

const LINE_BREAKS: [char; 2] = ['\r', '\n'];

/// Separators of some spreadsheets, even in quotes.
const CELL_SEPARATORS: [char; 2] = [';', '\t'];

/// Heading and value of a fixed column.
type SheetColumn = (Key, fn(&CellSource<'_>) -> String);

/// Booking with the context that its cells need.
struct CellSource<'a> {
    booking: &'a Booking,
    sheet: &'a Sheet,
    local: &'a dyn Fn(Instant) -> String,
}

/// Columns for people, before the answers.
const BEFORE_ANSWERS: [SheetColumn; 14] = [
    (Key::SheetStart, |of| (of.local)(of.booking.start)),
    (Key::SheetEnd, |of| (of.local)(of.booking.end)),
    (Key::TimeZone, |of| of.sheet.zone.clone()),
    (Key::SheetMinutes, |of| of.booking.duration.to_string()),
    (Key::EventType, |of| {
        event_type_title(of.booking, &of.sheet.event_types).unwrap_or_default()
    }),
    (Key::Attendees, |of| of.attendees(|person| &person.name)),
    (Key::SheetEmails, |of| of.attendees(|person| &person.email)),
    (Key::SheetPhones, |of| {
        of.attendees(|person| person.phone_number.as_deref().unwrap_or_default())
    }),
    (Key::Guests, |of| {
        joined(of.booking.guests.iter().flatten().map(String::as_str))
    }),
    (Key::Where, |of| {
        booked_location_text(of.booking.location.as_deref(), of.sheet.texts)
    }),
    (Key::Status, |of| shown_status(of.booking, of.sheet.texts)),
    (Key::SheetAbsent, |of| of.absent()),
    (Key::Hosts, |of| of.hosts(|host| &host.name)),
    (Key::SheetHostEmails, |of| of.hosts(|host| &host.email)),
];

/// Other columns for people, then those for programs: ids, instants in UTC and values as the service has them.
const AFTER_ANSWERS: [SheetColumn; 21] = [
    (Key::SheetOther, |of| of.other_answers()),
    (Key::SheetTitle, |of| of.booking.title.clone()),
    (Key::Description, |of| of.booking.description.clone()),
    (Key::CancellationReason, |of| {
        optional(&of.booking.cancellation_reason)
    }),
    (Key::CancelledBy, |of| {
        optional(&of.booking.cancelled_by_email)
    }),
    (Key::ReschedulingReason, |of| {
        optional(&of.booking.rescheduling_reason)
    }),
    (Key::RescheduledBy, |of| {
        optional(&of.booking.rescheduled_by_email)
    }),
    (Key::Rating, |of| number(of.booking.rating)),
    (Key::BookingReference, |of| of.booking.uid.0.clone()),
    (Key::SheetStatusCode, |of| {
        of.booking.status.as_str().to_owned()
    }),
    (Key::SheetPlaceCode, |of| optional(&of.booking.location)),
    (Key::SheetStartUtc, |of| of.booking.start.to_string()),
    (Key::SheetEndUtc, |of| of.booking.end.to_string()),
    (Key::SheetZones, |of| {
        of.attendees(|person| &person.time_zone)
    }),
    (Key::SheetTypeId, |of| number(of.booking.event_type_id)),
    (Key::SeriesReference, |of| {
        optional(&of.booking.recurring_booking_uid)
    }),
    (Key::SheetSeats, |of| of.seats()),
    (Key::Replaces, |of| {
        let from = of.booking.rescheduled_from_uid.as_ref();
        from.map_or(String::new(), |uid| uid.0.clone())
    }),
    (Key::ReplacedBy, |of| {
        let to = of.booking.rescheduled_to_uid.as_ref();
        to.map_or(String::new(), |uid| uid.0.clone())
    }),
    (Key::MadeAt, |of| instant_text(of.booking.created_at)),
    (Key::ChangedAt, |of| instant_text(of.booking.updated_at)),
];

/// Table that is written in parts.
pub(super) struct Sheet {
    texts: Translations,
    zone: String,
    event_types: Vec<TeamEventType>,
    /// Questions with a column of their own: slug and label.
    questions: Vec<(String, String)>,
    out: String,
}

impl Sheet {
    /// Creates a table for these event types, with times in `zone`.
    pub(super) fn new(texts: Translations, zone: &str, event_types: Vec<TeamEventType>) -> Self {
        let mut questions: Vec<(String, String)> = Vec::new();
        let fields = event_types
            .iter()
            .filter_map(|event_type| event_type.booking_fields.get())
            .flatten()
            .filter(|field| has_own_line(&field.slug));
        for field in fields {
            // Event types may share a slug but not its label: the first label is used.
            let label = field.label.as_deref().map_or("", str::trim);
            match questions.iter_mut().find(|(slug, _)| *slug == field.slug) {
                None => questions.push((field.slug.clone(), label.to_owned())),
                Some((_, other)) if other.is_empty() => label.clone_into(other),
                Some(_) => {}
            }
        }
        for (slug, label) in &mut questions {
            if label.is_empty() {
                *label = match slug.as_str() {
                    "notes" => texts.get(Key::Notes).to_owned(),
                    _ => humanized(slug),
                };
            }
        }
        Self {
            texts,
            zone: zone.to_owned(),
            event_types,
            questions,
            out: String::new(),
        }
    }

    /// Writes the column headings.
    pub(super) fn head(&mut self) {
        self.out.push('\u{feff}');
        let heading = |(key, _): &SheetColumn| self.texts.get(*key).to_owned();
        let cells: Vec<String> = BEFORE_ANSWERS
            .iter()
            .map(heading)
            .chain(self.questions.iter().map(|(_, label)| label.clone()))
            .chain(AFTER_ANSWERS.iter().map(heading))
            .collect();
        self.line(&cells);
    }

    /// Writes a booking. `local` formats an instant in the zone: see [`wall_time`].
    pub(super) fn booking(&mut self, booking: &Booking, local: &dyn Fn(Instant) -> String) {
        let source = CellSource {
            booking,
            sheet: self,
            local,
        };
        let cell = |(_, value_of): &SheetColumn| value_of(&source);
        let cells: Vec<String> = BEFORE_ANSWERS
            .iter()
            .map(cell)
            .chain(self.questions.iter().map(|(slug, _)| source.answer(slug)))
            .chain(AFTER_ANSWERS.iter().map(cell))
            .collect();
        self.line(&cells);
    }

    /// Returns and clears the written text.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    fn line(&mut self, cells: &[String]) {
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write_cell(&mut self.out, cell);
        }
        self.out.push_str("\r\n");
    }
}

/// Writes one cell, quoted if necessary. An apostrophe turns a possible formula into text, as in
/// spreadsheets: at the start, in each line, and after characters that some spreadsheets treat as separators.
fn write_cell(out: &mut String, cell: &str) {
    let is_quoted = cell.contains(['"', ',', '\r', '\n']);
    if is_quoted {
        out.push('"');
    }
    let (mut is_cell_start, mut is_start) = (true, true);
    for character in cell.chars() {
        let is_break = LINE_BREAKS.contains(&character);
        if is_start && FORMULA.contains(&character) || is_cell_start && is_break {
            out.push('\'');
        }
        // Some spreadsheets drop leading spaces.
        is_cell_start &= character == ' ';
        is_start =
            is_break || CELL_SEPARATORS.contains(&character) || (is_start && character == ' ');
        if character == '"' {
            out.push('"');
        }
        out.push(character);
    }
    if is_quoted {
        out.push('"');
    }
}

impl CellSource<'_> {
    fn hosts(&self, of: fn(&booking_wire::Host) -> &str) -> String {
        let hosts = self.booking.hosts.iter();
        joined(hosts.filter(|host| host.id != "unknown").map(of))
    }

    fn attendees(&self, of: fn(&Attendee) -> &str) -> String {
        joined(self.booking.attendees.iter().map(of))
    }

    fn absent(&self) -> String {
        let booking = self.booking;
        let hosts = booking.hosts.iter().filter(|_| booking.absent_host);
        let attendees = booking.attendees.iter().filter(|person| person.absent);
        joined(
            hosts
                .map(|host| host.name.as_str())
                .chain(attendees.map(|person| person.name.as_str())),
        )
    }

    fn seats(&self) -> String {
        let seats = self.booking.attendees.iter();
        joined(seats.filter_map(|person| person.seat_uid.as_deref()))
    }

    /// Answers by attendee name, if any. With seats, each attendee has answers.
    fn answers(&self) -> impl Iterator<Item = (&str, &JsonMap)> {
        let own = self.booking.booking_fields_responses.as_ref();
        let seated = self.booking.attendees.iter().filter_map(|person| {
            let answers = person.booking_fields_responses.as_ref()?;
            Some((person.name.as_str(), answers))
        });
        own.map(|answers| ("", answers)).into_iter().chain(seated)
    }

    fn answer(&self, slug: &str) -> String {
        self.joined_answers(&|answers| self.text_of(answers.get(slug)?))
    }

    /// Answers to questions that no event type has any more.
    fn other_answers(&self) -> String {
        self.joined_answers(&|answers| {
            let is_known = |slug: &str| {
                let mut questions = self.sheet.questions.iter();
                questions.any(|(other, _)| other == slug)
            };
            let others = answers
                .iter()
                .filter(|(slug, _)| has_own_line(slug) && !is_known(slug))
                .filter_map(|(slug, value)| Some(labelled(slug, &self.text_of(value)?)));
            let others: Vec<String> = others.collect();
            (!others.is_empty()).then(|| others.join(SEPARATOR))
        })
    }

    /// Joins the texts that `value_of` returns. With several attendees, each text is named.
    fn joined_answers(&self, value_of: &dyn Fn(&JsonMap) -> Option<String>) -> String {
        let is_shared = self.booking.attendees.len() > 1;
        let joined_answers: Vec<String> = self
            .answers()
            .filter_map(|(name, answers)| {
                let text = value_of(answers)?;
                let is_named = is_shared && !name.is_empty();
                Some(if is_named {
                    labelled(name, &text)
                } else {
                    text
                })
            })
            .collect();
        joined_answers.join(SEPARATOR)
    }

    fn text_of(&self, value: &serde_json::Value) -> Option<String> {
        answer_text(value, self.sheet.texts)
    }
}

fn labelled(name: &str, text: &str) -> String {
    let mut labelled = name.to_owned();
    labelled.push_str(": ");
    labelled.push_str(text);
    labelled
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.join(SEPARATOR)
}

fn optional(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

fn number(number: Option<i64>) -> String {
    number.map_or(String::new(), |number| number.to_string())
}

fn instant_text(instant: Option<Instant>) -> String {
    instant.map_or(String::new(), |instant| instant.to_string())
}

/// Local time such as `2027-03-04 10:00`, `offset` minutes ahead of UTC.
pub(super) fn wall_time(instant: Instant, offset: i64) -> String {
    let written = instant.plus_minutes(offset).to_string();
    let characters = written.chars().take(16);
    characters
        .map(|character| if character == 'T' { ' ' } else { character })
        .collect()
}

#[cfg(test)]
mod tests;
