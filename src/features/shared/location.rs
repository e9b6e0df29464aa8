//! Locations of bookings, as text or as a safe link.

use booking_ui::prelude::*;
use booking_wire::Location;

use crate::components::Shape;
use crate::i18n::{Key, Translations};

/// Describes a location that an event type offers. Private addresses and numbers are not shown.
pub fn location_label(location: &Location, texts: Translations) -> String {
    let key = match location {
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
pub fn location_labels(locations: &[Location], texts: Translations) -> Vec<String> {
    let plain: Vec<String> = locations
        .iter()
        .map(|location| location_label(location, texts))
        .collect();
    let mut names = Vec::<String>::with_capacity(plain.len());
    for (location, name) in locations.iter().zip(&plain) {
        let is_alone = plain.iter().filter(|other| *other == name).count() == 1;
        let detail = detail_of(location).filter(|_| !is_alone);
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
fn detail_of(location: &Location) -> Option<String> {
    match location {
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
pub fn booked_location(location: Option<&str>, texts: Translations) -> Node {
    match location.and_then(BookedLocation::of) {
        None => fragment(),
        Some(BookedLocation::Link { url, host }) => el("a")
            .class("place-link")
            .attr("href", &url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(host),
        Some(BookedLocation::Call) => text(texts.get(Key::PlaceVideo)),
        Some(BookedLocation::Text(other)) => text(&other),
    }
}

/// Shape of the icon beside a booking's location.
pub fn booked_location_shape(location: &str) -> Shape {
    match BookedLocation::of(location) {
        Some(BookedLocation::Link { .. } | BookedLocation::Call) => Shape::Video,
        Some(BookedLocation::Text(text)) if text.starts_with('+') => Shape::Phone,
        _ => Shape::Location,
    }
}

/// True for a video call whose link is not known yet.
pub fn is_call_without_link(location: &str) -> bool {
    BookedLocation::of(location) == Some(BookedLocation::Call)
}

/// Formats a booking's location as text.
pub fn booked_location_text(location: Option<&str>, texts: Translations) -> String {
    match location.and_then(BookedLocation::of) {
        None => String::new(),
        Some(BookedLocation::Link { url, .. }) => url,
        Some(BookedLocation::Call) => texts.get(Key::PlaceVideo).to_owned(),
        Some(BookedLocation::Text(text)) => text,
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
enum BookedLocation {
    /// Safe link; its text is the host.
    Link {
        /// URL with `http` or `https`.
        url: String,
        /// Link text.
        host: String,
    },
    /// A video call, given as the service's own token (`integrations:…`).
    Call,
    /// An address, phone number or other text.
    Text(String),
}

impl BookedLocation {
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
            None => Self::Text(text.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_labels_are_unique_and_hide_private_addresses() {
        let app = |integration: &str| Location::Integration {
            integration: integration.to_owned(),
        };
        let address = |address: &str, public| Location::Address {
            address: address.to_owned(),
            public,
        };
        let locations = [
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
            location_labels(&locations, Translations::ENGLISH),
            [
                "Video call (Google Meet)",
                "Video call (Zoom)",
                "Video call (Zoom) (2)",
                "1 Main Street",
                "In person",
                "In person (2)",
                "Video call",
                "We’ll call you",
            ]
        );
    }

    #[test]
    fn booked_location_has_the_icon_of_its_kind() {
        for (location, shape) in [
            ("https://meet.example/x", Shape::Video),
            ("integrations:daily", Shape::Video),
            ("+48221234567", Shape::Phone),
            ("Torstraße 140, 10119 Berlin", Shape::Location),
        ] {
            assert_eq!(booked_location_shape(location), shape, "{location}");
        }
    }

    #[test]
    fn booked_location_links_web_urls_only() {
        let link = |url: &str, host: &str| {
            Some(BookedLocation::Link {
                url: url.into(),
                host: host.into(),
            })
        };
        let text = |text: &str| Some(BookedLocation::Text(text.into()));
        for (location, expected) in [
            (
                "https://meet.example/x?y",
                link("https://meet.example/x?y", "meet.example"),
            ),
            (
                " http://meet.example ",
                link("http://meet.example", "meet.example"),
            ),
            ("javascript:alert(1)", text("javascript:alert(1)")),
            ("integrations:svc-video", Some(BookedLocation::Call)),
            ("Hauptstr. 1", text("Hauptstr. 1")),
            ("  ", None),
        ] {
            assert_eq!(BookedLocation::of(location), expected, "{location}");
        }
    }
}
