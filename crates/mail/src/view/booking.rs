//! A booking as one recipient sees it: people, title and times, in words.

use booking_wire::Instant;

use crate::clean;
use crate::data::{BookingData, Person, SeriesData};
use crate::dates::Dates;
use crate::message::{Recipient, Role};
use crate::texts::{Catalogue, Texts, fill};

/// Returns true if the address of a person is among `emails`.
pub(super) fn is_among(person: &Person, emails: &[String]) -> bool {
    let mut emails = emails.iter();
    emails.any(|email| email.eq_ignore_ascii_case(&person.email))
}

/// A booking as one recipient sees it.
pub(crate) struct View<'a> {
    pub(super) language: &'static str,
    pub(super) texts: &'a Texts,
    pub(super) dates: Dates,
    pub(super) role: Role,
    pub(super) person: &'a Person,
    pub(super) booking: &'a BookingData,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        catalogue: &'a Catalogue,
        tag: &str,
        recipient: &'a Recipient,
        booking: &'a BookingData,
    ) -> Self {
        let person = &recipient.person;
        let (language, texts) = catalogue.get(tag);
        Self {
            language,
            texts,
            dates: Dates::new(language, tag, &person.time_zone, person.has_24_hours),
            role: recipient.role,
            person,
            booking,
        }
    }

    pub(super) fn is_host(&self) -> bool {
        self.role.is_host()
    }

    /// True if the recipient must not learn of other attendees.
    pub(super) fn sees_no_others(&self) -> bool {
        self.booking.hides_attendees && !self.is_host()
    }

    pub(super) fn is_recipient(&self, person: &Person) -> bool {
        person.email.eq_ignore_ascii_case(&self.person.email)
    }

    /// Returns true if a place was cancelled, and others keep theirs.
    pub(super) fn takes_place_with_others(&self) -> bool {
        !self.booking.remaining_attendees.is_empty()
    }

    pub(super) fn is_new_guest(&self) -> bool {
        is_among(self.person, &self.booking.new_guests)
    }

    pub(super) fn is_new_host(&self) -> bool {
        is_among(self.person, &self.booking.new_hosts)
    }

    /// Title of the booking; often it has the name of an attendee.
    pub(super) fn title(&self) -> String {
        let booking = self.booking;
        let title = if self.sees_no_others() || booking.title.is_empty() {
            &booking.event_type
        } else {
            &booking.title
        };
        let title = clean::line(title, clean::MAX_TITLE);
        if title.is_empty() {
            self.texts.meeting.clone()
        } else {
            title
        }
    }

    pub(super) fn day_and_time(&self, day: &str, time: &str) -> String {
        fill(&self.texts.date_and_time, &[("day", day), ("time", time)])
    }

    /// Name, or the address if there is none. A host whose address is hidden is “Host”.
    pub(super) fn name(&self, person: &Person) -> String {
        let name = clean::line(&person.name, clean::MAX_NAME);
        if !name.is_empty() {
            return name;
        }
        let is_host = self.booking.hosts.iter().any(|host| host == person);
        if is_host && !self.role.sees_host_addresses(self.booking) {
            return self.texts.host.clone();
        }
        email_of(person)
    }

    pub(super) fn names(&self, people: &[Person], max: usize) -> Vec<String> {
        let names = people.iter().take(max).map(|person| self.name(person));
        names.filter(|name| !name.is_empty()).collect()
    }

    pub(super) fn joined(&self, names: &[String]) -> String {
        let mut names = names.iter();
        let first = names.next().cloned().unwrap_or_default();
        names.fold(first, |joined, name| {
            fill(
                &self.texts.two_items,
                &[("first", &joined), ("second", name)],
            )
        })
    }
}

/// Starts of a series; none of a single booking.
pub(crate) fn dates_of(booking: &BookingData) -> &[Instant] {
    let starts = |series: &'_ SeriesData| series.starts.len() > 1;
    match &booking.series {
        Some(series) if starts(series) => &series.starts,
        _ => &[],
    }
}

pub(super) fn email_of(person: &Person) -> String {
    clean::line(&person.email, clean::MAX_EMAIL)
}
