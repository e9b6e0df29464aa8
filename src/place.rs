//! Where a meeting takes place, in words or as a link that is safe.

use booking_wire::Location;

use crate::dom::{Html, el, nothing, text};
use crate::i18n::{Key, Texts};

/// A place that an event type offers, in the visitor's words.
pub fn offered_place(place: &Location, texts: Texts) -> String {
    let key = match place {
        Location::Address { address, .. } if !address.is_empty() => return address.clone(),
        Location::Phone { phone, .. } if !phone.is_empty() => return phone.clone(),
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

/// Where a booking takes place, as a link if that is safe. `location` is as the service sent it.
pub fn booked_place(location: Option<&str>, texts: Texts) -> Html {
    match location.and_then(Place::of) {
        None => nothing(),
        Some(Place::Link { url, host }) => el("a")
            .class("place-link")
            .attr("href", &url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .add(host),
        Some(Place::Call) => text(texts.get(Key::PlaceVideo)),
        Some(Place::Words(words)) => text(&words),
    }
}

/// The same in plain words.
pub fn booked_words(location: Option<&str>, texts: Texts) -> String {
    match location.and_then(Place::of) {
        None => String::new(),
        Some(Place::Link { url, .. }) => url,
        Some(Place::Call) => texts.get(Key::PlaceVideo).to_owned(),
        Some(Place::Words(words)) => words,
    }
}

/// The host of an address that is safe to link to.
pub fn web_host(address: &str) -> Option<&str> {
    let rest = address
        .strip_prefix("https://")
        .or_else(|| address.strip_prefix("http://"))?;
    rest.split(['/', '?', '#'])
        .next()
        .filter(|host| !host.is_empty())
}

/// Where a booking takes place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Safe to link to; the text is the address's host.
    Link {
        /// `http` or `https`.
        url: String,
        /// What to show.
        host: String,
    },
    /// A call through an app, by a token of the service's own (contract 4.1).
    Call,
    /// An address, a number or other words.
    Words(String),
}

impl Place {
    /// What `location` says, if anything.
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
