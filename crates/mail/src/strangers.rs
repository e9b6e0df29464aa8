//! Bookings by people whose address is not verified.
//!
//! Anybody could otherwise send texts to any address in the name of the company. Only hosts read what such a person typed;
//! attendees and guests get the meeting, and names without URLs, addresses and numbers.

use crate::clean;
use crate::data::{BookingData, MissingLocation, Person};
use crate::message::Role;

/// Characters of a name.
const MAX_NAME: usize = 60;

/// Words of a name.
const MAX_WORDS: usize = 6;

impl BookingData {
    /// Returns the booking without what people with this part in it may not read.
    #[must_use]
    pub fn as_seen_by(mut self, role: Role, email: &str) -> Self {
        if role.is_host() {
            return self;
        }
        self.reason.take_if(|_| self.is_reason_anonymous);
        let Some(texts) = self.public_texts.clone() else {
            return self;
        };
        let with_plain_names = |people: Vec<Person>| -> Vec<Person> {
            let plain = |person: Person| Person {
                name: plain_name(&person.name),
                ..person
            };
            people.into_iter().map(plain).collect()
        };
        let is_own = |person: &Person| person.email.eq_ignore_ascii_case(email);
        let mut guests = with_plain_names(self.guests);
        let mut attendees = with_plain_names(self.attendees);
        // Addresses are texts, too: guests do not read those of others.
        if role == Role::Guest {
            guests.retain(is_own);
            for attendee in &mut attendees {
                if !attendee.is_proven && !is_own(attendee) {
                    attendee.email.clear();
                }
            }
        }
        let is_withheld = texts.location.is_empty() && !self.location.is_empty();
        Self {
            missing_location: match is_withheld {
                true => Some(MissingLocation::Withheld),
                false => self.missing_location,
            },
            title: texts.title,
            event_type: texts.event_type,
            location: texts.location,
            previous_location: texts.previous_location,
            notes: String::new(),
            answers: Vec::new(),
            attendees,
            remaining_attendees: with_plain_names(self.remaining_attendees),
            guests,
            ..self
        }
    }
}

/// Returns a name without words that lead somewhere: URLs, addresses and telephone numbers. May be empty.
pub fn plain_name(name: &str) -> String {
    // Without letters that cannot be seen, which could stand in the middle of a domain.
    let name = clean::line(name, usize::MAX);
    let words: Vec<&str> = (name.split_whitespace())
        .filter(|word| !leads_somewhere(word))
        .take(MAX_WORDS)
        .collect();
    clean::line(&words.join(" "), MAX_NAME)
}

fn leads_somewhere(word: &str) -> bool {
    let is_domain = || {
        let mut labels = word.split(['.', '。', '．', '｡', '․']).skip(1);
        labels.any(|label| {
            label
                .chars()
                .filter(|letter| letter.is_alphabetic())
                .count()
                > 1
        })
    };
    word.contains([':', '/', '@', '\\', '<', '>', '+', '：', '／', '＠'])
        || word.chars().any(char::is_numeric)
        || is_domain()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PublicTexts;

    #[test]
    fn name_has_no_words_that_lead_somewhere() {
        for (name, plain) in [
            ("Zoë Łukasik", "Zoë Łukasik"),
            ("J.R.R. Tolkien", "J.R.R. Tolkien"),
            ("Dr. Ada Lovelace, Ph.", "Dr. Ada Lovelace, Ph."),
            ("O’Neill-Smith (Tim)", "O’Neill-Smith (Tim)"),
            ("山田 太郎", "山田 太郎"),
            ("Ada https://evil.example/x", "Ada"),
            ("visit evil.example now", "visit now"),
            ("www.evil.example.", ""),
            ("Call +1 900 555-1234", "Call"),
            ("mail me@evil.example", "mail"),
            ("evil。example", ""),
            ("evil｡example", ""),
            ("evil.com.; now", "now"),
            ("evil.com.] evil.com.' evil.com.-x", ""),
            ("evil.com.\u{200b}", ""),
            ("ev\u{200b}il.com", ""),
            ("٤٥٦ Ada", "Ada"),
            (
                "One two three four five six seven",
                "One two three four five six",
            ),
        ] {
            assert_eq!(plain_name(name), plain, "{name}");
        }
        assert!(plain_name(&"a".repeat(1_000)).chars().count() <= MAX_NAME);
    }

    #[test]
    fn only_hosts_read_what_a_stranger_typed() {
        let person = |name: &str| Person {
            name: name.to_owned(),
            email: format!("{}@example.org", name.len()),
            ..Person::default()
        };
        let booking = BookingData {
            title: "Talk between Grace and evil.example".into(),
            location: "https://evil.example".into(),
            notes: "Buy".into(),
            answers: vec![("Company".into(), "Evil".into())],
            reason: Some("Buy".into()),
            is_reason_anonymous: true,
            attendees: vec![person("Ada evil.example")],
            guests: vec![person("Bob"), person("Carol")],
            public_texts: Some(PublicTexts {
                title: "Talk".into(),
                ..PublicTexts::default()
            }),
            ..BookingData::default()
        };
        for role in [Role::Host, Role::FormerHost] {
            assert_eq!(booking.clone().as_seen_by(role, "h@example.org"), booking);
        }
        let known = BookingData {
            public_texts: None,
            ..booking.clone()
        };
        let without_reason = BookingData {
            reason: None,
            ..known.clone()
        };
        let seen = known.as_seen_by(Role::Guest, "3@example.org");
        assert_eq!(seen, without_reason);
        for (role, guests) in [(Role::Attendee, 2), (Role::Guest, 1)] {
            let seen = booking.clone().as_seen_by(role, "3@example.org");
            assert_eq!(seen.title, "Talk");
            assert_eq!(seen.attendees[0].name, "Ada");
            assert_eq!(seen.guests.len(), guests);
            assert_eq!((&*seen.location, &*seen.notes, seen.reason), ("", "", None));
            assert_eq!(seen.missing_location, Some(MissingLocation::Withheld));
            assert!(seen.answers.is_empty());
            // Of the booker, guests get the name.
            assert_eq!(seen.attendees[0].email.is_empty(), role == Role::Guest);
        }
    }
}
