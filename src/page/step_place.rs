//! Places in a booking flow, and their text in an address or a history entry. No DOM access.

use std::cmp::Ordering;

use booking_wire::{Layout, parse_date};

use crate::time::{CivilDate, Instant};

/// Maximum characters of a text that is read.
const MAX_TEXT: usize = 2_000;

/// Words of layouts in texts.
const LAYOUTS: [(&str, Layout); 3] = [
    ("month", Layout::Month),
    ("week", Layout::Week),
    ("days", Layout::Column),
];

/// Words of actions in texts.
const ACTIONS: [(&str, StepAction); 2] = [
    ("reschedule", StepAction::Reschedule),
    ("cancel", StepAction::Cancel),
];

/// Name of the event type in a text. In an address, a parameter of that name is not the flow's.
const EVENT_TYPE: &str = "event-type";

/// Names of the values in a text.
const NAMES: [&str; 8] = [
    EVENT_TYPE, "booking", "seat", "step", "date", "view", "length", "slot",
];

/// Place in a booking flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepPlace {
    /// Id of the event type that was chosen from a list.
    pub event_type: Option<i64>,
    /// Booking that is shown or changed.
    pub booking: Option<BookingReference>,
    /// Change of that booking.
    pub action: Option<StepAction>,
    /// Selected day.
    pub date: Option<CivilDate>,
    /// Layout of the slots, unless it is the default one.
    pub layout: Option<Layout>,
    /// Minutes, unless they are the default.
    pub length: Option<i64>,
    /// Start of the slot whose form is open.
    pub slot: Option<Instant>,
}

/// Uid of a booking or of a series, and of the visitor's seat in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookingReference {
    /// Uid.
    pub uid: String,
    /// Uid of the seat.
    pub seat: Option<String>,
}

/// Change of the history for another place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepChange {
    /// A new entry.
    Push,
    /// The entry before.
    Back,
    /// The current entry gets the place.
    Replace,
    /// The same, once the visitor has settled on a day.
    ReplaceSoon,
}

/// Change of a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepAction {
    /// Reschedule.
    Reschedule,
    /// Cancellation.
    Cancel,
}

impl StepPlace {
    /// Parses the values in a query string without `?`. Invalid and foreign ones are ignored.
    pub fn parse(query: &str) -> Self {
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            let (_, value) = pairs.find(|(known, _)| *known == name)?;
            let value = with_colons(value);
            (!value.is_empty() && query.len() <= MAX_TEXT).then_some(value)
        };
        let booking = value("booking").map(|uid| BookingReference {
            uid,
            seat: value("seat"),
        });
        Self {
            event_type: value(EVENT_TYPE).and_then(|text| text.parse().ok()),
            booking,
            action: value("step").and_then(|word| of_word(&ACTIONS, &word)),
            date: value("date").and_then(|text| parse_date(&text)),
            layout: value("view").and_then(|word| of_word(&LAYOUTS, &word)),
            length: value("length").and_then(|text| text.parse().ok()),
            slot: value("slot").and_then(|text| Instant::parse(&text)),
        }
    }

    /// First step of the flow of an event type, if one was chosen.
    pub fn first_of(event_type: Option<i64>) -> Self {
        Self {
            event_type,
            ..Self::default()
        }
    }

    /// Text of the values in a fixed order; empty for the first step.
    pub fn text(&self) -> String {
        let booking = self.booking.as_ref();
        let seat = booking.and_then(|booking| booking.seat.clone());
        let values = [
            self.event_type.map(|id| id.to_string()),
            booking.map(|booking| booking.uid.clone()),
            seat,
            self.action.and_then(|action| word_of(&ACTIONS, action)),
            self.date.map(|date| date.to_string()),
            self.layout.and_then(|layout| word_of(&LAYOUTS, layout)),
            self.length.map(|length| length.to_string()),
            self.slot
                .map(|start| start.to_string().replace(".000Z", "Z")),
        ];
        let mut text = String::new();
        for (name, value) in NAMES.iter().zip(values) {
            if let Some(value) = value {
                push_pair(&mut text, name, &value);
            }
        }
        text
    }

    /// `query` with the values of this place in exchange for its own ones. Event type and booking are part of the path.
    pub fn in_query(&self, query: &str) -> String {
        let mut text = String::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if name == EVENT_TYPE || !NAMES.contains(&name) {
                match pair.contains('=') {
                    true => push_pair(&mut text, name, value),
                    false => push_part(&mut text, name),
                }
            }
        }
        let place = Self {
            booking: None,
            ..self.clone()
        };
        push_part(&mut text, &place.text());
        text
    }

    /// Without a day or slot before `first` or after `last`: addresses may have any.
    pub fn within(self, first: CivilDate, last: CivilDate) -> Self {
        let is_near = |day: CivilDate, slack: i64| {
            (-slack..=(last - first).num_days() + slack).contains(&(day - first).num_days())
        };
        Self {
            date: self.date.filter(|day| is_near(*day, 0)),
            // The day of a slot may be another in the displayed zone.
            slot: self
                .slot
                .filter(|start| start.day().is_some_and(|day| is_near(day, 1))),
            ..self
        }
    }

    /// Change of the history when the flow goes on to `next`; `shows_slots` is true if that shows slots to choose from.
    pub fn change_to(&self, next: &Self, shows_slots: bool) -> StepChange {
        let (before, after) = (self.depth(), next.depth());
        if self.uid() != next.uid() {
            // Another booking begins, or one was made.
            return match next.booking.is_none() && shows_slots {
                true => StepChange::Push,
                false => StepChange::Replace,
            };
        }
        match before.cmp(&after) {
            Ordering::Less => StepChange::Push,
            Ordering::Equal => StepChange::ReplaceSoon,
            // A form that ends with something else than its slots or its booking is over.
            Ordering::Greater if shows_slots || next.booking.is_some() => StepChange::Back,
            Ordering::Greater => StepChange::Replace,
        }
    }

    /// Number of steps from the first one of the flow, or of its booking.
    pub fn depth(&self) -> usize {
        usize::from(self.action.is_some()) + usize::from(self.slot.is_some())
    }

    fn uid(&self) -> Option<&str> {
        Some(self.booking.as_ref()?.uid.as_str())
    }
}

/// Decodes colons, which programs that share links encode.
fn with_colons(value: &str) -> String {
    let mut parts = value.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.strip_prefix("3A").or(part.strip_prefix("3a"));
        text.push(if rest.is_some() { ':' } else { '%' });
        text.push_str(rest.unwrap_or(part));
    }
    text
}

fn of_word<T: Copy>(words: &[(&str, T)], word: &str) -> Option<T> {
    let known = words.iter().find(|(known, _)| *known == word);
    known.map(|(_, value)| *value)
}

fn word_of<T: PartialEq>(words: &[(&str, T)], value: T) -> Option<String> {
    let known = words.iter().find(|(_, known)| *known == value);
    known.map(|(word, _)| (*word).to_owned())
}

fn push_pair(text: &mut String, name: &str, value: &str) {
    push_part(text, name);
    text.push('=');
    text.push_str(value);
}

fn push_part(text: &mut String, part: &str) {
    if !text.is_empty() && !part.is_empty() {
        text.push('&');
    }
    text.push_str(part);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_place_is_parsed_as_written() {
        for text in [
            "",
            "date=2026-11-27",
            "date=2026-11-27&view=week",
            "view=days&slot=2026-11-27T08:00:00Z",
            "booking=b1&seat=s2",
            "slot=2026-11-27T08:00:00.500Z",
            "booking=b1&step=reschedule&date=2026-11-27",
            "booking=b1&step=cancel",
            "event-type=41",
            "event-type=41&date=2026-11-27",
            "event-type=41&booking=b1",
        ] {
            let place = StepPlace::parse(text);
            assert_eq!(place.text(), text);
            assert_eq!(place == StepPlace::default(), text.is_empty(), "{text}");
        }
        let place = StepPlace::parse("slot=2026-11-27T08%3A00%3a00Z&date=2026-11-27");
        assert_eq!(place.slot, Instant::parse("2026-11-27T08:00:00Z"));
        assert_eq!(place.date, parse_date("2026-11-27"));
    }

    #[test]
    fn parse_hostile_values_are_ignored() {
        let long = format!("date=2026-11-27&x={}", "x".repeat(MAX_TEXT));
        for text in [
            "date=2026-02-31",
            "date=",
            "date",
            "date=<script>",
            "view=year",
            "slot=tomorrow",
            "slot=99999999999999999999",
            "step=delete",
            "event-type=intro",
            "=&&==",
            long.as_str(),
        ] {
            assert_eq!(StepPlace::parse(text), StepPlace::default(), "{text}");
        }
    }

    #[test]
    fn in_query_foreign_values_are_kept() {
        let place = StepPlace {
            booking: Some(BookingReference::default()),
            ..StepPlace::parse("date=2026-11-27")
        };
        for (query, expected) in [
            ("", "date=2026-11-27"),
            ("slot=x&date=y", "date=2026-11-27"),
            (
                "event-type=webinar&date=y",
                "event-type=webinar&date=2026-11-27",
            ),
            (
                "lang=de&date=2026-01-01&utm_source=a%20b&flag",
                "lang=de&utm_source=a%20b&flag&date=2026-11-27",
            ),
        ] {
            assert_eq!(place.in_query(query), expected, "{query}");
        }
        assert_eq!(StepPlace::default().in_query("slot=x&a=1"), "a=1");
    }

    #[test]
    fn within_distant_days_are_dropped() {
        let day = |text: &str| parse_date(text).unwrap();
        let within = |text: &str| {
            let place = StepPlace::parse(text).within(day("2026-11-25"), day("2027-11-25"));
            (place.date.is_some(), place.slot.is_some())
        };
        for (text, expected) in [
            ("date=2026-11-25&slot=2026-11-24T23:00:00Z", (true, true)),
            ("date=2026-11-24&slot=2026-11-23T23:00:00Z", (false, false)),
            ("date=2027-11-25&slot=2027-11-26T01:00:00Z", (true, true)),
            ("date=9999-12-31&slot=9999-12-31T00:00:00Z", (false, false)),
            ("date=0000-01-01&slot=0000-01-01T00:00:00Z", (false, false)),
        ] {
            assert_eq!(within(text), expected, "{text}");
        }
    }

    #[test]
    fn change_of_the_history_follows_the_steps() {
        let slot = "slot=2026-11-27T08:00:00Z";
        let moving = "booking=b1&step=reschedule";
        let form = format!("{moving}&{slot}");
        for (before, after, shows_slots, expected) in [
            ("", "date=2026-11-27", true, StepChange::ReplaceSoon),
            ("date=2026-11-27", slot, false, StepChange::Push),
            (slot, "date=2026-11-27", true, StepChange::Back),
            (slot, "booking=b1", false, StepChange::Replace),
            // A dry run.
            (slot, "", false, StepChange::Replace),
            ("booking=b1", moving, true, StepChange::Push),
            (moving, form.as_str(), false, StepChange::Push),
            (form.as_str(), moving, true, StepChange::Back),
            (form.as_str(), "booking=b2", false, StepChange::Replace),
            (moving, "booking=b1", false, StepChange::Back),
            (
                "booking=b1",
                "booking=b1&step=cancel",
                false,
                StepChange::Push,
            ),
            (
                "booking=b1&step=cancel",
                "booking=b1",
                false,
                StepChange::Back,
            ),
            ("booking=b1", "date=2026-11-27", true, StepChange::Push),
        ] {
            let (place, next) = (StepPlace::parse(before), StepPlace::parse(after));
            let change = place.change_to(&next, shows_slots);
            assert_eq!(change, expected, "{before} {after}");
        }
    }
}
