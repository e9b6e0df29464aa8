//! Subject, headline and first sentences of a message.

use super::MAX_SUBJECT_PART;
use super::booking::{View, dates_of};
use crate::clean;
use crate::data::MAX_PEOPLE;
use crate::message::{Kind, Role};
use crate::texts::fill;

/// People in a subject.
const MAX_SUBJECT_NAMES: usize = 2;
/// People in a sentence.
const MAX_SENTENCE_NAMES: usize = 5;
/// Characters of a subject.
const MAX_SUBJECT: usize = 200;

impl<'a> View<'a> {
    /// Returns the subject and the first sentence of a kind of message.
    pub(super) fn headline(&self, kind: Kind) -> (String, String) {
        let texts = self.texts;
        let (headline, intro) = match (kind, self.role) {
            (Kind::Booked, Role::Attendee) => (&texts.booked, self.when_text(&texts.booked_text)),
            (Kind::Booked, Role::Guest) => (&texts.invited, texts.invited_text.clone()),
            (Kind::Booked, _) => (&texts.new_booking, self.new_booking_text()),
            (Kind::Requested, Role::Attendee) => (&texts.requested, self.requested_text()),
            (Kind::Requested, Role::Guest) => (&texts.invited, self.requested_text()),
            (Kind::Requested, _) => (&texts.new_request, self.new_request_text()),
            (Kind::Confirmed | Kind::Rescheduled | Kind::HostReassigned, Role::FormerHost) => (
                &texts.assigned_to_other,
                texts.assigned_to_other_text.clone(),
            ),
            (Kind::Confirmed, _) => (&texts.confirmed, self.when_text(&texts.confirmed_text)),
            (Kind::Declined, _) => (&texts.declined, texts.declined_text.clone()),
            (Kind::Rescheduled, Role::Host) if self.is_new_host() => self.new_host_headline(),
            (Kind::Rescheduled, _) => (self.rescheduled(), self.rescheduled_text()),
            (Kind::ClocksChanged, _) => (&texts.clocks_changed, self.clocks_changed_text()),
            (Kind::Cancelled, Role::Host) if self.takes_place_with_others() => {
                (&texts.place_cancelled, self.place_cancelled_text())
            }
            // The meeting may take place with the others.
            (Kind::Cancelled, _) if self.person.seat_uid.is_some() => {
                (&texts.cancelled, String::new())
            }
            (Kind::Cancelled, _) => (&texts.cancelled, texts.no_meeting_text.clone()),
            (Kind::LocationChanged, _) => {
                (&texts.location_changed, texts.location_changed_text.clone())
            }
            (Kind::GuestsAdded, Role::Guest | Role::Attendee) if self.is_new_guest() => {
                (&texts.invited, texts.invited_text.clone())
            }
            (Kind::GuestsAdded, _) => (&texts.guests_added, texts.guests_added_text.clone()),
            (Kind::HostReassigned, Role::Host) if self.is_new_host() => self.new_host_headline(),
            (Kind::HostReassigned, Role::Host) => {
                (&texts.hosts_changed, texts.hosts_changed_text.clone())
            }
            (Kind::HostReassigned, _) => {
                let names: Vec<String> = self
                    .names(&self.booking.hosts, MAX_SENTENCE_NAMES)
                    .iter()
                    .map(|name| clean::name_in_sentence(name))
                    .collect();
                let names = self.joined(&names);
                (
                    &texts.host_changed,
                    fill(&texts.host_changed_text, &[("names", &names)]),
                )
            }
            (Kind::Reminder, _) => (&texts.reminder, texts.reminder_text.clone()),
            (Kind::VerificationCode, _) => (&texts.verification_code, texts.code_text.clone()),
        };
        (headline.clone(), intro)
    }

    /// Subject and first sentence for a host who was none before.
    fn new_host_headline(&self) -> (&String, String) {
        let texts = self.texts;
        if self.booking.is_confirmed {
            (&texts.assigned_to_you, texts.assigned_to_you_text.clone())
        } else {
            (&texts.new_request, self.new_request_text())
        }
    }

    /// A host may have to confirm the new time.
    fn rescheduled(&self) -> &'a String {
        match (self.booking.is_confirmed, self.is_host()) {
            (true, _) => &self.texts.rescheduled,
            (false, true) => &self.texts.move_to_confirm,
            (false, false) => &self.texts.move_requested,
        }
    }

    /// Names the recipient's time zone if its rules have changed, or else the first one whose rules have.
    fn clocks_changed_text(&self) -> String {
        let booking = self.booking;
        let own = &self.person.time_zone;
        let zone = if booking.told_offsets.contains_key(own) {
            Some(own)
        } else {
            booking.told_offsets.keys().next()
        };
        let zone = zone.map(|name| self.dates.with_zone(name).zone(booking.start).0);
        let text = if booking.previous_time.is_some() {
            &self.texts.clocks_moved_text
        } else {
            &self.texts.clocks_changed_text
        };
        fill(text, &[("zone", &zone.unwrap_or_default())])
    }

    /// A host may have to confirm the new time.
    fn rescheduled_text(&self) -> String {
        let text = self.moved_text();
        if self.booking.is_confirmed {
            return text;
        }
        let next = if self.is_host() {
            self.texts.please_confirm.clone()
        } else {
            self.requested_text()
        };
        let has_spaces = !matches!(self.language, "ja" | "zh-CN");
        [text.as_str(), next.as_str()].join(if has_spaces { " " } else { "" })
    }

    /// Both times of a booking that was moved.
    fn moved_text(&self) -> String {
        let texts = self.texts;
        match self.booking.previous_time {
            Some((from, _)) if dates_of(self.booking).is_empty() => {
                let [from, to] = [from, self.booking.start].map(|start| {
                    self.day_and_time(&self.dates.short_day(start), &self.dates.time(start))
                });
                fill(&texts.rescheduled_text, &[("from", &from), ("to", &to)])
            }
            _ => texts.rescheduled_text_plain.clone(),
        }
    }

    /// Fills in the start; of a series, refers to the dates below.
    fn when_text(&self, text: &str) -> String {
        if dates_of(self.booking).is_empty() {
            fill(text, &[("when", &self.start())])
        } else {
            self.texts.all_dates_text.clone()
        }
    }

    /// Long date and time of the start.
    fn start(&self) -> String {
        let start = self.booking.start;
        self.day_and_time(&self.dates.long_day(start), &self.dates.time(start))
    }

    /// Name of the only person who booked. Sentences have their verb in the singular.
    fn booker(&self) -> Option<String> {
        let [attendee] = self.booking.attendees.as_slice() else {
            return None;
        };
        let name = clean::line(&attendee.name, clean::MAX_NAME);
        let name = clean::name_in_sentence(&name);
        (!name.is_empty()).then_some(name)
    }

    fn new_booking_text(&self) -> String {
        let texts = self.texts;
        let what = clean::line(&self.booking.event_type, MAX_SUBJECT_PART);
        let what = clean::name_in_sentence(&what);
        match self.booker() {
            Some(names) if !what.is_empty() => fill(
                &texts.new_booking_text,
                &[("names", &names), ("what", &what)],
            ),
            _ => texts.new_booking_text_plain.clone(),
        }
    }

    fn new_request_text(&self) -> String {
        let texts = self.texts;
        match self.booker() {
            Some(names) if dates_of(self.booking).is_empty() => fill(
                &texts.new_request_text,
                &[("names", &names), ("when", &self.start())],
            ),
            _ => texts.new_request_text_plain.clone(),
        }
    }

    fn requested_text(&self) -> String {
        match self.names(&self.booking.hosts, 2).as_slice() {
            // The sentence has its verb in the singular in several languages.
            [name] => fill(
                &self.texts.requested_text,
                &[("names", &clean::name_in_sentence(name))],
            ),
            _ => self.texts.requested_text_plain.clone(),
        }
    }

    fn place_cancelled_text(&self) -> String {
        let names = self.names(&self.booking.attendees, MAX_SENTENCE_NAMES);
        let names = clean::name_in_sentence(&self.joined(&names));
        fill(&self.texts.place_cancelled_text, &[("names", &names)])
    }

    /// Time and location, or else what has happened.
    pub(super) fn preheader(&self, kind: Kind) -> String {
        let booking = self.booking;
        let is_over = matches!(kind, Kind::Cancelled | Kind::Declined);
        if is_over || !dates_of(booking).is_empty() {
            let (headline, intro) = self.headline(kind);
            return if intro.is_empty() { headline } else { intro };
        }
        let start = booking.start;
        let when = self.day_and_time(&self.dates.short_day(start), &self.dates.time(start));
        let place = self.place(is_over).map(|line| line.text);
        let parts = [Some(when), place].into_iter().flatten();
        parts.collect::<Vec<_>>().join(" · ")
    }

    /// Status, meeting, person on the other side, and time.
    pub(super) fn subject(&self, status: &str) -> String {
        let booking = self.booking;
        let others = if self.is_host() {
            &booking.attendees
        } else {
            &booking.hosts
        };
        let mut names: Vec<String> = self.names(others, MAX_SUBJECT_NAMES);
        for name in &mut names {
            *name = clean::line(name, MAX_SUBJECT_PART);
        }
        let mut who = self.joined(&names);
        let more = others.len().saturating_sub(MAX_SUBJECT_NAMES);
        if others.len() > MAX_PEOPLE {
            who.push('…');
        } else if more > 0 {
            who = format!("{who} +{more}");
        }
        let title = if booking.event_type.is_empty() {
            self.title()
        } else {
            booking.event_type.clone()
        };
        let mut what = clean::line(&title, MAX_SUBJECT_PART);
        if what.is_empty() {
            what.clone_from(&self.texts.meeting);
        }
        let start = dates_of(booking).first().copied().unwrap_or(booking.start);
        let when = self.day_and_time(&self.dates.short_day(start), &self.dates.time(start));
        let pattern = if who.is_empty() {
            &self.texts.subject_without_who
        } else {
            &self.texts.subject
        };
        let values = [
            ("status", status),
            ("what", &what),
            ("who", &who),
            ("when", &when),
        ];
        clean::line(&fill(pattern, &values), MAX_SUBJECT)
    }
}
