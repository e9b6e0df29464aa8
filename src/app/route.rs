//! Routes of the app, parsed and formatted without a document.

use booking_wire::EventTypeKey;

use crate::page::attributes::EventTypeOwner;

/// Screen of the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// Bookable event types.
    EventTypes,
    /// Bookable event types of a user or team.
    Owner(EventTypeOwner),
    /// One event type.
    Book(EventTypeKey),
    /// Existing booking.
    Booking {
        /// Public identifier.
        uid: String,
        /// Uid of the visitor's seat, if the event type has seats.
        seat: Option<String>,
    },
    /// Bookings of the team.
    Bookings,
    /// Roles of the team.
    Roles,
    /// Roles of its organisation.
    OrganizationRoles,
    /// Sign-in screen, and the account after that.
    Connect,
    /// Unknown path.
    Unknown,
}

impl Route {
    /// Parses a path. Segments are percent-decoded by `decode`.
    pub fn parse(path: &str, decode: impl Fn(&str) -> String) -> Self {
        let segments: Vec<String> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .map(decode)
            .collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match segments.as_slice() {
            [] => Self::EventTypes,
            ["bookings"] => Self::Bookings,
            ["roles"] => Self::Roles,
            ["roles", "organization"] => Self::OrganizationRoles,
            // The second is its former path.
            ["sign-in"] | ["connect"] => Self::Connect,
            ["booking", uid] => Self::Booking {
                uid: (*uid).to_owned(),
                seat: None,
            },
            ["booking", uid, seat] => Self::Booking {
                uid: (*uid).to_owned(),
                seat: Some((*seat).to_owned()),
            },
            ["event", id] => id
                .parse()
                .map_or(Self::Unknown, |id| Self::Book(EventTypeKey::Id(id))),
            ["team", team, slug] if is_team_name(team) => Self::Book(EventTypeKey::Team {
                team: (*team).to_owned(),
                slug: (*slug).to_owned(),
            }),
            ["team", team] if is_team_name(team) => {
                Self::Owner(EventTypeOwner::Team((*team).to_owned()))
            }
            ["team", _] => Self::Unknown,
            [username] => Self::Owner(EventTypeOwner::User((*username).to_owned())),
            [username, slug] => Self::Book(EventTypeKey::User {
                username: (*username).to_owned(),
                slug: (*slug).to_owned(),
            }),
            _ => Self::Unknown,
        }
    }

    /// Returns the path that the staff navigation has for the screen; `None` for the pages of visitors.
    pub fn staff_path(&self) -> Option<&'static str> {
        match self {
            Self::Bookings => Some("/bookings"),
            Self::Roles | Self::OrganizationRoles => Some("/roles"),
            Self::Connect => Some("/sign-in"),
            Self::EventTypes
            | Self::Owner(_)
            | Self::Book(_)
            | Self::Booking { .. }
            | Self::Unknown => None,
        }
    }

    /// Returns the path of an owner's event types. User names are percent-encoded by `encode`.
    pub fn path_of_owner(owner: &EventTypeOwner, encode: impl Fn(&str) -> String) -> String {
        match owner {
            EventTypeOwner::User(username) => format!("/{}", encode(username)),
            EventTypeOwner::Team(team) => format!("/team/{team}"),
        }
    }

    /// Returns the path of an event type. Segments are percent-encoded by `encode`.
    pub fn path_of(key: &EventTypeKey, encode: impl Fn(&str) -> String) -> String {
        match key {
            EventTypeKey::Id(id) => format!("/event/{id}"),
            EventTypeKey::User { username, slug } => {
                format!("/{}/{}", encode(username), encode(slug))
            }
            EventTypeKey::Team { team, slug } => format!("/team/{team}/{}", encode(slug)),
        }
    }

    /// Returns the path of a booking, or of a seat in it. Segments are percent-encoded by `encode`.
    pub fn path_of_booking(
        uid: &str,
        seat: Option<&str>,
        encode: impl Fn(&str) -> String,
    ) -> String {
        let mut path = format!("/booking/{}", encode(uid));
        if let Some(seat) = seat {
            path.push('/');
            path.push_str(&encode(seat));
        }
        path
    }
}

/// Returns true for the id or the handle of a team, which is part of the path of a request. The service's own rule is
/// `is_handle` in its `validate/formats.rs`.
fn is_team_name(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes().all(is_allowed) && !text.starts_with('.')
}

#[cfg(test)]
mod tests {
    use booking_wire::page_paths::{PublicPage, RESERVED_NAMES};

    use super::*;

    #[test]
    fn event_type_path_is_parsed_as_written() {
        let same = |text: &str| text.to_owned();
        for key in [
            EventTypeKey::Id(41),
            EventTypeKey::User {
                username: "ada".into(),
                slug: "intro-call".into(),
            },
            EventTypeKey::Team {
                team: "7".into(),
                slug: "onboarding".into(),
            },
            EventTypeKey::Team {
                team: "customer-success".into(),
                slug: "onboarding".into(),
            },
        ] {
            let path = Route::path_of(&key, same);
            assert_eq!(Route::parse(&path, same), Route::Book(key), "{path}");
        }
    }

    #[test]
    fn booking_path_is_parsed_as_written() {
        for seat in [None, Some("s2")] {
            let path = Route::path_of_booking("b1", seat, str::to_owned);
            let expected = Route::Booking {
                uid: "b1".into(),
                seat: seat.map(str::to_owned),
            };
            assert_eq!(Route::parse(&path, str::to_owned), expected, "{path}");
        }
    }

    #[test]
    fn path_is_parsed_as_route_or_unknown() {
        let decode = |text: &str| text.to_owned();
        for (path, route) in [
            ("/", Route::EventTypes),
            ("", Route::EventTypes),
            ("/bookings/", Route::Bookings),
            ("/roles", Route::Roles),
            ("/roles/organization", Route::OrganizationRoles),
            ("/connect", Route::Connect),
            ("/sign-in", Route::Connect),
            ("/ada", Route::Owner(EventTypeOwner::User("ada".into()))),
            (
                "/booking/b1/",
                Route::Booking {
                    uid: "b1".into(),
                    seat: None,
                },
            ),
            (
                "/booking/b1/s2",
                Route::Booking {
                    uid: "b1".into(),
                    seat: Some("s2".into()),
                },
            ),
            ("/event/x", Route::Unknown),
            ("/team/7", Route::Owner(EventTypeOwner::Team("7".into()))),
            (
                "/team/seven",
                Route::Owner(EventTypeOwner::Team("seven".into())),
            ),
            ("/team/a?b", Route::Unknown),
            ("/team/..", Route::Unknown),
            ("/team/a%2Fb/intro", Route::Unknown),
            ("/a/b/c/d", Route::Unknown),
        ] {
            assert_eq!(Route::parse(path, decode), route, "{path}");
        }
    }

    #[test]
    fn owner_path_is_parsed_as_written() {
        let same = |text: &str| text.to_owned();
        for owner in [
            EventTypeOwner::User("ada".into()),
            EventTypeOwner::Team("7".into()),
            EventTypeOwner::Team("customer-success".into()),
        ] {
            let path = Route::path_of_owner(&owner, same);
            assert_eq!(Route::parse(&path, same), Route::Owner(owner), "{path}");
        }
    }

    #[test]
    fn public_page_has_same_path_for_app_and_service() {
        for path in [
            "/",
            "/ada",
            "/ada/intro-call/",
            "/event/41",
            "/event/x",
            "/team/sales",
            "/team/7/onboarding",
            "/team",
            "/booking/b1",
            "/booking/b1/s2",
            "/bookings",
            "/roles/organization",
            "/connect",
            "/a/b/c",
        ] {
            let page = match Route::parse(path, str::to_owned) {
                Route::EventTypes => Some(PublicPage::Home),
                Route::Owner(EventTypeOwner::User(name)) => Some(PublicPage::User(name)),
                Route::Owner(EventTypeOwner::Team(team)) => Some(PublicPage::Team(team)),
                Route::Book(key) => Some(PublicPage::EventType(key)),
                _ => None,
            };
            // The service has no page for a user with a reserved name.
            let page = page.filter(|_| path != "/team");
            assert_eq!(PublicPage::parse(path, str::to_owned), page, "{path}");
        }
    }

    #[test]
    fn no_user_has_a_name_that_other_paths_begin_with() {
        for path in [
            "/bookings",
            "/roles",
            "/sign-in",
            "/connect",
            "/booking/b1",
            "/event/1",
            "/team/7",
        ] {
            let name = path.split('/').nth(1).unwrap();
            assert!(RESERVED_NAMES.contains(&name), "{path}");
        }
    }

    #[test]
    fn staff_path_leads_to_the_same_entry_or_is_none_for_visitors() {
        let staff_path = |path: &str| Route::parse(path, |text: &str| text.to_owned()).staff_path();
        for path in ["/bookings", "/roles", "/sign-in"] {
            assert_eq!(staff_path(path), Some(path));
        }
        assert_eq!(staff_path("/roles/organization"), Some("/roles"));
        for path in [
            "/",
            "/ada",
            "/ada/intro-call",
            "/team/1",
            "/event/1",
            "/booking/b1",
            "/a/b/c",
        ] {
            assert_eq!(staff_path(path), None, "{path}");
        }
    }
}
