//! Locations of bookings, as text or as a safe link.

use booking_wire::Location;

use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, text};

/// Describes a location that an event type offers. Private addresses and numbers are not shown.
pub fn offered_place(place: &Location, texts: Translations) -> String {
    let key = match place {
        Location::Address { address, public } if *public && !address.is_empty() => {
            return address.clone();
        }
        Location::Phone { phone, public } if *public && !phone.is_empty() => return phone.clone(),
        Location::Address { .. } => Key::PlaceAddress,
        Location::Phone { .. } => Key::PlacePhone,
        Location::Link { .. } => Key::PlaceLink,
        Location::Integration { .. } | Location::OrganizersDefaultApp => Key::PlaceVideo,
        Location::AttendeeAddress => Key::PlaceYours,
        Location::AttendeePhone => Key::PlaceCallsYou,
        Location::AttendeeDefined => Key::PlaceYouSay,
        Location::Unknown => Key::PlaceAfterBooking,
    };
    texts.get(key).to_owned()
}

/// Describes locations to choose from, each with a different text.
pub fn offered_places(places: &[Location], texts: Translations) -> Vec<String> {
    let plain: Vec<String> = places
        .iter()
        .map(|place| offered_place(place, texts))
        .collect();
    let mut names = Vec::<String>::with_capacity(plain.len());
    for (place, name) in places.iter().zip(&plain) {
        let is_alone = plain.iter().filter(|other| *other == name).count() == 1;
        let detail = detail_of(place).filter(|_| !is_alone);
        let full = detail.map_or_else(|| name.clone(), |detail| with_detail(name, &detail));
        let mut unique = full.clone();
        let mut number = 1;
        while names.contains(&unique) {
            number += 1;
            unique = with_detail(&full, &texts.number(number));
        }
        names.push(unique);
    }
    names
}

fn with_detail(name: &str, detail: &str) -> String {
    [name, " (", detail, ")"].concat()
}

/// Detail that distinguishes a location from others of its type: an app, as `Google Meet`, or a link's host.
fn detail_of(place: &Location) -> Option<String> {
    match place {
        Location::Integration { integration } => {
            let words = integration
                .split(['-', '_'])
                .filter(|word| !word.is_empty());
            let words: Vec<String> = words.map(capitalised).collect();
            Some(words.join(" ")).filter(|name| !name.is_empty())
        }
        Location::Link { link, public } if *public => web_host(link).map(str::to_owned),
        _ => None,
    }
}

fn capitalised(word: &str) -> String {
    let mut rest = word.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(rest).collect()
}

/// Shows a booking's location, as a link if that is safe. `location` is as the service sent it.
pub fn booked_place(location: Option<&str>, texts: Translations) -> Node {
    match location.and_then(Place::of) {
        None => fragment(),
        Some(Place::Link { url, host }) => el("a")
            .class("place-link")
            .attr("href", &url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(host),
        Some(Place::Call) => text(texts.get(Key::PlaceVideo)),
        Some(Place::Words(words)) => text(&words),
    }
}

/// Formats a booking's location as text.
pub fn booked_words(location: Option<&str>, texts: Translations) -> String {
    match location.and_then(Place::of) {
        None => String::new(),
        Some(Place::Link { url, .. }) => url,
        Some(Place::Call) => texts.get(Key::PlaceVideo).to_owned(),
        Some(Place::Words(words)) => words,
    }
}

/// Returns the host of a URL that is safe to link to.
pub fn web_host(address: &str) -> Option<&str> {
    let rest = address
        .strip_prefix("https://")
        .or_else(|| address.strip_prefix("http://"))?;
    rest.split(['/', '?', '#'])
        .next()
        .filter(|host| !host.is_empty())
}

/// Location of a booking.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Safe link; its text is the host.
    Link {
        /// URL with `http` or `https`.
        url: String,
        /// Link text.
        host: String,
    },
    /// A video call, given as the service's own token (contract 4.1).
    Call,
    /// An address, phone number or other text.
    Words(String),
}

impl Place {
    /// Parses `location`; `None` if it is blank.
    fn of(location: &str) -> Option<Self> {
        let text = location.trim();
        if text.is_empty() {
            return None;
        }
        Some(match web_host(text) {
            Some(host) => Self::Link {
                url: text.to_owned(),
                host: host.to_owned(),
            },
            None if text.starts_with("integrations:") => Self::Call,
            None => Self::Words(text.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_choose_from_read_differently_and_keep_private_ones() {
        let app = |integration: &str| Location::Integration {
            integration: integration.to_owned(),
        };
        let address = |address: &str, public| Location::Address {
            address: address.to_owned(),
            public,
        };
        let places = [
            app("google-meet"),
            app("zoom"),
            app("zoom"),
            address("1 Main Street", true),
            address("2 Secret Street", false),
            address("3 Secret Street", false),
            Location::OrganizersDefaultApp,
            Location::AttendeePhone,
        ];
        assert_eq!(
            offered_places(&places, Translations::ENGLISH),
            [
                "Video call (Google Meet)",
                "Video call (Zoom)",
                "Video call (Zoom) (2)",
                "1 Main Street",
                "In person",
                "In person (2)",
                "Video call",
                "The host calls you",
            ]
        );
    }

    #[test]
    fn only_web_addresses_become_links() {
        let link = |url: &str, host: &str| {
            Some(Place::Link {
                url: url.into(),
                host: host.into(),
            })
        };
        let words = |text: &str| Some(Place::Words(text.into()));
        for (location, place) in [
            (
                "https://meet.example/x?y",
                link("https://meet.example/x?y", "meet.example"),
            ),
            (
                " http://meet.example ",
                link("http://meet.example", "meet.example"),
            ),
            ("javascript:alert(1)", words("javascript:alert(1)")),
            ("integrations:svc-video", Some(Place::Call)),
            ("Hauptstr. 1", words("Hauptstr. 1")),
            ("  ", None),
        ] {
            assert_eq!(Place::of(location), place, "{location}");
        }
    }
}
