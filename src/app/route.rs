//! The app's addresses, read and written without a document.

use booking_wire::EventTypeKey;

/// Where the app is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// What can be booked.
    Offers,
    /// One event type.
    Book(EventTypeKey),
    /// A booking to come back to.
    Booking {
        /// Its public identifier.
        uid: String,
        /// The visitor's seat in it, if several share the time.
        seat: Option<String>,
    },
    /// The team's bookings.
    Bookings,
    /// The team's roles.
    Roles,
    /// The roles of its organisation.
    OrganizationRoles,
    /// What version 1 knows: a resource, a record of it, and what belongs to that.
    Records(Vec<String>),
    /// Credentials.
    Connect,
    /// Nothing stands here.
    Unknown,
}

impl Route {
    /// Reads a path. Segments are percent-decoded by `decode`.
    pub fn parse(path: &str, decode: impl Fn(&str) -> String) -> Self {
        let segments: Vec<String> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .map(decode)
            .collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match segments.as_slice() {
            [] => Self::Offers,
            ["bookings"] => Self::Bookings,
            ["roles"] => Self::Roles,
            ["roles", "organization"] => Self::OrganizationRoles,
            ["records", rest @ ..] => {
                Self::Records(rest.iter().map(|&segment| segment.to_owned()).collect())
            }
            ["connect"] => Self::Connect,
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
            ["team", id, slug] => id.parse().map_or(Self::Unknown, |team_id| {
                Self::Book(EventTypeKey::Team {
                    team_id,
                    slug: (*slug).to_owned(),
                })
            }),
            [username, slug] => Self::Book(EventTypeKey::User {
                username: (*username).to_owned(),
                slug: (*slug).to_owned(),
            }),
            _ => Self::Unknown,
        }
    }

    /// The path of an event type. Segments are percent-encoded by `encode`.
    pub fn path_of(key: &EventTypeKey, encode: impl Fn(&str) -> String) -> String {
        match key {
            EventTypeKey::Id(id) => format!("/event/{id}"),
            EventTypeKey::User { username, slug } => {
                format!("/{}/{}", encode(username), encode(slug))
            }
            EventTypeKey::Team { team_id, slug } => format!("/team/{team_id}/{}", encode(slug)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_written() {
        let same = |text: &str| text.to_owned();
        for key in [
            EventTypeKey::Id(41),
            EventTypeKey::User {
                username: "ada".into(),
                slug: "intro-call".into(),
            },
            EventTypeKey::Team {
                team_id: 7,
                slug: "onboarding".into(),
            },
        ] {
            let path = Route::path_of(&key, same);
            assert_eq!(Route::parse(&path, same), Route::Book(key), "{path}");
        }
    }

    #[test]
    fn screens_have_fixed_paths_and_the_rest_is_unknown() {
        let decode = |text: &str| text.to_owned();
        for (path, route) in [
            ("/", Route::Offers),
            ("", Route::Offers),
            ("/bookings/", Route::Bookings),
            ("/roles", Route::Roles),
            ("/roles/organization", Route::OrganizationRoles),
            ("/records", Route::Records(Vec::new())),
            (
                "/records/bookings/4/recordings",
                Route::Records(["bookings", "4", "recordings"].map(str::to_owned).into()),
            ),
            ("/connect", Route::Connect),
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
            (
                "/team/7",
                Route::Book(EventTypeKey::User {
                    username: "team".into(),
                    slug: "7".into(),
                }),
            ),
            ("/a/b/c/d", Route::Unknown),
            ("/alone", Route::Unknown),
        ] {
            assert_eq!(Route::parse(path, decode), route, "{path}");
        }
    }
}
