//! Facts of an event type as text; pictures and colours of its hosts.

use booking_rules::Confirmation;
use booking_ui::prelude::*;
use booking_wire::PublicEventType;

use crate::components::Shape;
use crate::features::shared::location::location_label;
use crate::i18n::{Key, Translations};
use crate::time::Formats;

/// Returns the properties to know before booking, except the length, as icon and text.
pub fn details(
    event_type: &PublicEventType,
    texts: Translations,
    formats: Formats,
) -> Vec<(Shape, String)> {
    let location = match event_type.locations.as_slice() {
        [] => None,
        [only] => Some(location_label(only, texts)),
        _ => Some(texts.get(Key::PlaceToChoose).to_owned()),
    };
    let count = |key: Key, count: i64| texts.count(key, usize::try_from(count).unwrap_or_default());
    let series = event_type.recurrence.as_ref().map(|series| {
        let (each, every) = match series.frequency.as_str() {
            "monthly" => (Key::RepeatsMonthly, Key::RepeatsEveryMonths),
            "yearly" => (Key::RepeatsYearly, Key::RepeatsEveryYears),
            _ => (Key::RepeatsWeekly, Key::RepeatsEveryWeeks),
        };
        match series.interval {
            1 => count(each, series.occurrences),
            interval => count(every, interval),
        }
    });
    // A chain of iterators would compile to more code.
    let mut details = Vec::with_capacity(5);
    let mut add = |shape: Shape, text: Option<String>| {
        if let Some(text) = text {
            details.push((shape, text));
        }
    };
    add(Shape::Location, location);
    add(Shape::Repeat, series);
    let seats = event_type.seats.filter(|seats| *seats > 1);
    add(
        Shape::People,
        seats.map(|seats| count(Key::SeatsInAll, seats)),
    );
    if event_type.price > 0 {
        let price = formats.money(event_type.price, &event_type.currency);
        add(Shape::Card, Some(price).filter(|price| !price.is_empty()));
    }
    if Confirmation::of(event_type) == Confirmation::Always {
        let text = texts.get(Key::NeedsConfirmation).to_owned();
        add(Shape::Check, Some(text));
    }
    details
}

/// Returns the team's name, or else the hosts' names; empty if there are none.
pub fn people(event_type: &PublicEventType, texts: Translations) -> String {
    match &event_type.team {
        Some(team) if !team.is_empty() => team.clone(),
        _ => event_type.host_names.join(texts.list_separator()),
    }
}

/// Formats a length: `45 min`, `1 h`, `1 h 30 min`.
pub fn length(minutes: i64, texts: Translations) -> String {
    let part = |key: Key, count: i64| texts.fill(key, &[("count", &texts.number(count))]);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => part(Key::Minutes, minutes),
        (hours, 0) => part(Key::Hours, hours),
        (hours, minutes) => {
            let mut text = part(Key::Hours, hours);
            text.push(' ');
            text.push_str(&part(Key::Minutes, minutes));
            text
        }
    }
}

/// Gives `element` the colors of the event type, if it has any, for style sheets.
pub fn with_colors(element: Node, event_type: &PublicEventType) -> Node {
    let Some(colors) = &event_type.colors else {
        return element;
    };
    set_colors(&element, colors);
    element.attr("data-colors", "")
}

/// Sets the properties with the colors of an event type, in the light and the dark theme.
pub fn set_colors(element: &Node, (light, dark): &(String, String)) {
    let style = element.element().style();
    // As properties: a page's CSP may forbid the `style` attribute. Checked colors cannot fail.
    let _ = style.set_property("--_event-light", light);
    let _ = style.set_property("--_event-dark", dark);
}

/// Pictures of up to three hosts, overlapping; `None` if there is only one.
pub fn avatars(event_type: &PublicEventType) -> Option<Node> {
    let hosts = event_type.host_names.iter().zip(&event_type.host_pictures);
    let avatars = hosts.take(3).map(|(name, picture)| avatar(name, picture));
    (event_type.host_names.len() > 1).then(|| {
        el("span")
            .class("avatars")
            .attr("aria-hidden", "true")
            .child(fragment_of(avatars))
    })
}

/// Picture of a person or a team, for a place beside the name. It takes the place of the initials when it is loaded,
/// so they stay if there is none, if it cannot be loaded or if the page's policy forbids it.
pub fn avatar(name: &str, picture: &str) -> Node {
    let mark = el("span")
        .class("avatar")
        .attr("aria-hidden", "true")
        .child(initials(name));
    if is_picture(picture) {
        let image = el("img")
            .attr("alt", "")
            .attr("decoding", "async")
            .attr("referrerpolicy", "no-referrer");
        let (place, loaded) = (mark.element(), image.clone());
        // The source is last: the other attributes apply to its request.
        image
            .on("load", move |_| {
                // An image can always be the child of an element.
                place.replace_children_with_node_1(&loaded.element());
            })
            .attr("src", picture);
    }
    mark
}

/// Returns true for pictures that pages may load: addresses of the web, and data of formats without scripts or links.
fn is_picture(url: &str) -> bool {
    let starts = [
        "https://",
        "http://",
        "data:image/png",
        "data:image/jpeg",
        "data:image/gif",
        "data:image/webp",
        "data:image/avif",
    ];
    starts.iter().any(|start| url.starts_with(start))
}

/// Returns the initials of a name.
pub fn initials(name: &str) -> String {
    let words = name.split_whitespace();
    words
        .filter_map(|word| word.chars().next())
        .take(2)
        .collect()
}

/// Formats the available lengths: `30 min`, `15 / 30 min`, `30 min / 1 h 30 min`, and more than two as `From 15 min`.
pub fn lengths(minutes: &[i64], texts: Translations) -> String {
    if let [shortest, _, _, ..] = minutes {
        return texts.fill(Key::LengthFrom, &[("length", &length(*shortest, texts))]);
    }
    if minutes.iter().any(|length| *length >= 60) {
        let each: Vec<String> = minutes.iter().map(|each| length(*each, texts)).collect();
        return each.join(" / ");
    }
    let numbers: Vec<String> = minutes.iter().map(|count| texts.number(*count)).collect();
    texts.fill(Key::Minutes, &[("count", &numbers.join(" / "))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_formatted_in_hours_and_minutes() {
        for (minutes, text) in [
            (15, "15 min"),
            (60, "1 h"),
            (90, "1 h 30 min"),
            (1440, "24 h"),
        ] {
            assert_eq!(length(minutes, Translations::ENGLISH), text);
        }
    }

    #[test]
    fn initials_are_of_the_first_two_words() {
        for (name, text) in [
            ("Ada Brandt", "AB"),
            ("Grace Brewster Murray Hopper", "GB"),
            ("Plato", "P"),
            ("", ""),
        ] {
            assert_eq!(initials(name), text);
        }
    }

    #[test]
    fn picture_is_of_the_web_or_raster_data() {
        for (url, is_shown) in [
            ("https://pictures.example/ada.png", true),
            ("http://127.0.0.1:8080/demo/ada.svg", true),
            ("data:image/png;base64,iVBORw0KGgo=", true),
            ("data:image/jpeg,x", true),
            ("data:image/svg+xml;base64,PHN2Zz4=", false),
            ("data:image/svg+xml,png", false),
            ("data:text/html,<script>trap()</script>", false),
            ("javascript:trap()", false),
            (" https://pictures.example/ada.png", false),
            ("//pictures.example/ada.png", false),
            ("/ada.png", false),
            ("blob:https://pictures.example/1", false),
            ("", false),
        ] {
            assert_eq!(is_picture(url), is_shown, "{url}");
        }
    }

    #[test]
    fn lengths_are_joined_or_summarized() {
        for (minutes, text) in [
            (vec![30], "30 min"),
            (vec![15, 30], "15 / 30 min"),
            (vec![30, 90], "30 min / 1 h 30 min"),
            (vec![120], "2 h"),
            (vec![15, 30, 60], "From 15 min"),
        ] {
            assert_eq!(lengths(&minutes, Translations::ENGLISH), text);
        }
    }
}
