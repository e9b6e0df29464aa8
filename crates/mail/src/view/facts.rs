//! Facts of a booking: time, location, people, notes and answers.

use booking_wire::Instant;
use serde::Serialize;

use super::booking::{View, dates_of, email_of, is_among};
use crate::clean;
use crate::data::{MAX_ANSWERS, MAX_PEOPLE, MissingLocation, Person};
use crate::dates::Range;
use crate::message::{Kind, Role, sees_answers};
use crate::texts::fill;

/// Dates of a series in a message.
const MAX_DATES: usize = 150;

/// A fact of the booking.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fact {
    id: &'static str,
    label: String,
    lines: Vec<Line>,
    /// True for texts of several lines that a visitor wrote.
    is_quoted: bool,
    /// True for what no longer applies.
    is_former: bool,
}

/// A line of a fact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Line {
    pub(super) text: String,
    /// Smaller, behind or below the text; may be empty.
    detail: String,
    /// Empty unless the text is a link.
    url: String,
}

impl Line {
    fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    fn with_detail(text: String, detail: String) -> Self {
        Self {
            text,
            detail,
            ..Self::default()
        }
    }
}

impl View<'_> {
    /// Facts above the buttons.
    pub(crate) fn facts(&self, kind: Kind) -> Vec<Fact> {
        let (booking, texts) = (self.booking, self.texts);
        let mut facts = vec![fact("what", &texts.what, vec![Line::new(self.title())])];
        let is_over = matches!(kind, Kind::Cancelled | Kind::Declined)
            && !(self.is_host() && self.takes_place_with_others());
        facts.push(Fact {
            is_former: is_over,
            ..self.when()
        });
        if let Some(lines) = self.former_time(kind) {
            facts.push(Fact {
                is_former: true,
                ..fact("former_time", &texts.former_time, lines)
            });
        }
        let location = self.place(is_over).into_iter().collect();
        facts.push(fact("where", &texts.place, location));
        if kind == Kind::LocationChanged
            && let Some(line) = booking.previous_location.as_deref().and_then(place)
        {
            // People must not go to it by mistake.
            let line = Line {
                url: String::new(),
                ..line
            };
            facts.push(Fact {
                is_former: true,
                ..fact("former_location", &texts.former_location, vec![line])
            });
        }
        facts.push(fact("who", &texts.who, self.participants()));
        facts.extend(self.guests(kind));
        let reason = booking.reason.as_deref().unwrap_or_default();
        facts.extend(quoted(
            "reason",
            &texts.reason,
            reason,
            clean::MAX_LONG_TEXT,
        ));
        facts.retain(|fact| !fact.lines.is_empty());
        facts
    }

    /// Location, or words for one that is missing. The link of a meeting that is over leads nowhere, and that of a
    /// request is for later.
    pub(super) fn place(&self, is_over: bool) -> Option<Line> {
        let Some(line) = place(&self.booking.location) else {
            return self.missing_place(is_over);
        };
        if line.url.is_empty() {
            return Some(line);
        }
        if is_over {
            return None;
        }
        let is_early = !self.booking.is_confirmed && self.role == Role::Attendee;
        let later = || self.video_call(&self.texts.video_link_on_page);
        Some(if is_early { later() } else { line })
    }

    fn video_call(&self, detail: &str) -> Line {
        Line::with_detail(self.texts.video_call.clone(), detail.to_owned())
    }

    /// Words for a location that is missing; none if the reason is not known.
    fn missing_place(&self, is_over: bool) -> Option<Line> {
        let texts = self.texts;
        let line = match self.booking.missing_location? {
            MissingLocation::Unset => Line::new(texts.location_unset.clone()),
            MissingLocation::Withheld => Line::new(texts.location_withheld.clone()),
            MissingLocation::VideoCall => {
                let detail = match self.role {
                    _ if is_over => "",
                    Role::Attendee => &*texts.video_link_on_page,
                    // They have no such page.
                    Role::Guest | Role::Host | Role::FormerHost => &*texts.video_link_missing,
                };
                self.video_call(detail)
            }
        };
        Some(line)
    }

    /// Returns true if notes, answers and guests may be those of people whom the recipient does not see.
    fn may_be_of_hidden_people(&self) -> bool {
        let booking = self.booking;
        let mut people = booking.attendees.iter().chain(&booking.remaining_attendees);
        self.sees_no_others() && people.any(|person| !self.is_recipient(person))
    }

    /// Notes and answers of the person who booked.
    pub(crate) fn details(&self) -> Vec<Fact> {
        let booking = self.booking;
        // They are those of another attendee, or one cannot know of whom.
        if self.may_be_of_hidden_people() {
            return Vec::new();
        }
        let max = if sees_answers(self.role, self.person, booking) {
            MAX_ANSWERS
        } else {
            0
        };
        let answers = booking.answers.iter().take(max);
        quoted(
            "notes",
            &self.texts.notes,
            &booking.notes,
            clean::MAX_LONG_TEXT,
        )
        .into_iter()
        .chain(answers.filter_map(|(label, value)| {
            quoted(
                "answer",
                &clean::line(label, clean::MAX_TITLE),
                value,
                clean::MAX_SHORT_TEXT,
            )
        }))
        .collect()
    }

    fn when(&self) -> Fact {
        let booking = self.booking;
        let starts = dates_of(booking);
        if starts.len() <= 1 {
            let mut lines = self.range(booking.start, booking.end);
            let (zone, offset) = self.dates.zone(booking.start);
            let zone = if offset.is_empty() {
                zone
            } else {
                self.joined(&[zone, offset])
            };
            lines.push(Line::with_detail(String::new(), zone));
            let elsewhere = self.time_elsewhere();
            lines.extend(elsewhere.map(|text| Line::with_detail(String::new(), text)));
            return fact("when", &self.texts.when, lines);
        }
        let length = booking.end.0.saturating_sub(booking.start.0);
        let mut lines: Vec<Line> = starts
            .iter()
            .take(MAX_DATES)
            .map(|start| {
                let end = Instant(start.0.saturating_add(length));
                match self.dates.range(*start, end) {
                    Range::OneDay { day: _, times } => {
                        Line::new(self.day_and_time(&self.dates.short_day(*start), &times))
                    }
                    Range::Days { start, end } => Line::new(self.over_midnight(&start, &end)),
                }
            })
            .collect();
        if starts.len() > MAX_DATES {
            lines.push(Line::new("…".to_owned()));
        }
        // The offset can differ from date to date.
        let first = starts.first().copied().unwrap_or(booking.start);
        lines.push(Line::with_detail(String::new(), self.dates.zone(first).0));
        fact("dates", &self.texts.series_dates, lines)
    }

    /// Time on the clock of the other side, if it is another one: of the first host, or for hosts of the attendee.
    pub(crate) fn time_elsewhere(&self) -> Option<String> {
        let booking = self.booking;
        let other = match self.is_host() {
            false => booking.hosts.first(),
            true if booking.attendees.len() == 1 => booking.attendees.first(),
            true => None,
        }?;
        let start = booking.start;
        let dates = self.dates.with_zone(&other.time_zone);
        if other.time_zone.is_empty() || dates.offset_s(start) == self.dates.offset_s(start) {
            return None;
        }
        let city = dates.city(start)?;
        let time = match dates.short_day(start) == self.dates.short_day(start) {
            true => dates.time(start),
            false => self.day_and_time(&dates.short_day(start), &dates.time(start)),
        };
        let values = [("time", &*time), ("city", &*city)];
        Some(fill(&self.texts.time_elsewhere, &values))
    }

    /// Time that the recipient was told before, if clocks showed another one than at the present time.
    fn former_time(&self, kind: Kind) -> Option<Vec<Line>> {
        let booking = self.booking;
        match kind {
            // Otherwise the first sentence names both.
            Kind::Rescheduled if !dates_of(booking).is_empty() => {
                let (start, end) = booking.previous_time?;
                Some(self.range(start, end))
            }
            Kind::ClocksChanged if dates_of(booking).is_empty() => {
                let (start, end) = booking
                    .previous_time
                    .unwrap_or((booking.start, booking.end));
                let told_s = booking.told_offsets.get(&self.person.time_zone);
                let shift_ms =
                    told_s.map_or(0, |told_s| (told_s - self.dates.offset_s(start)) * 1000);
                let told = |instant: Instant| Instant(instant.0.saturating_add(shift_ms));
                let lines = self.range(told(start), told(end));
                (lines != self.range(booking.start, booking.end)).then_some(lines)
            }
            _ => None,
        }
    }

    fn range(&self, start: Instant, end: Instant) -> Vec<Line> {
        match self.dates.range(start, end) {
            Range::OneDay { day, times } => vec![Line::new(day), Line::new(times)],
            Range::Days { start, end } => {
                let [start, end] = [start, end].map(|(day, time)| self.day_and_time(&day, &time));
                vec![Line::new(format!("{start} –")), Line::new(end)]
            }
        }
    }

    fn over_midnight(&self, start: &(String, String), end: &(String, String)) -> String {
        let [start, end] = [start, end].map(|(day, time)| self.day_and_time(day, time));
        format!("{start} – {end}")
    }

    /// Hosts, then attendees.
    fn participants(&self) -> Vec<Line> {
        let booking = self.booking;
        let hosts = booking.hosts.iter().take(MAX_PEOPLE).map(|host| {
            let name = self.name(host);
            let email = if self.role.sees_host_addresses(self.booking) {
                email_of(host)
            } else {
                String::new()
            };
            if name == self.texts.host {
                return Line::new(name);
            }
            let detail = if name == email { String::new() } else { email };
            Line::with_detail(fill(&self.texts.host_named, &[("name", &name)]), detail)
        });
        let attendees = if self.is_host() && self.takes_place_with_others() {
            &booking.remaining_attendees
        } else {
            &booking.attendees
        };
        let attendees = attendees
            .iter()
            .filter(|person| !self.sees_no_others() || self.is_recipient(person))
            .take(MAX_PEOPLE)
            .map(|person| {
                let name = self.name(person);
                let email = email_of(person);
                let is_shown = self.is_host() && name != email;
                Line::with_detail(name, if is_shown { email } else { String::new() })
            });
        let mut lines: Vec<Line> = hosts
            .chain(attendees)
            .filter(|line| !line.text.is_empty())
            .collect();
        if booking.attendees.len() > MAX_PEOPLE && !self.sees_no_others() {
            lines.push(Line::new("…".to_owned()));
        }
        lines
    }

    fn guests(&self, kind: Kind) -> Vec<Fact> {
        let booking = self.booking;
        if self.may_be_of_hidden_people() {
            return Vec::new();
        }
        let is_new =
            |person: &Person| kind == Kind::GuestsAdded && is_among(person, &booking.new_guests);
        let lines = |new: bool| {
            // All attendees are among the participants; new ones are named here, too.
            let attendees = (booking.attendees.iter())
                .filter(|_| new)
                .map(|person| (person, self.is_host()));
            let guests = booking.guests.iter().map(|person| (person, true));
            let mut lines: Vec<Line> = attendees
                .chain(guests)
                .filter(|(person, _)| is_new(person) == new)
                .take(MAX_PEOPLE + 1)
                .map(|(person, has_email)| {
                    let (name, email) = (self.name(person), email_of(person));
                    let is_shown = has_email && name != email;
                    Line::with_detail(name, if is_shown { email } else { String::new() })
                })
                .filter(|line| !line.text.is_empty())
                .collect();
            if lines.len() > MAX_PEOPLE {
                lines.truncate(MAX_PEOPLE);
                lines.push(Line::new("…".to_owned()));
            }
            lines
        };
        vec![
            fact("new_guests", &self.texts.new_guests, lines(true)),
            fact("guests", &self.texts.guests, lines(false)),
        ]
    }
}

fn place(location: &str) -> Option<Line> {
    let text = match clean::web_url(location) {
        Some(url) => {
            return Some(Line {
                text: url.to_owned(),
                url: url.to_owned(),
                ..Line::default()
            });
        }
        None => clean::line(location, clean::MAX_SHORT_TEXT),
    };
    (!text.is_empty()).then(|| Line::new(text))
}

fn fact(id: &'static str, label: &str, lines: Vec<Line>) -> Fact {
    Fact {
        id,
        label: label.to_owned(),
        lines,
        is_quoted: false,
        is_former: false,
    }
}

fn quoted(id: &'static str, label: &str, text: &str, max: usize) -> Option<Fact> {
    let lines: Vec<Line> = clean::lines(text, max).into_iter().map(Line::new).collect();
    (!lines.is_empty()).then(|| Fact {
        is_quoted: true,
        ..fact(id, label, lines)
    })
}
