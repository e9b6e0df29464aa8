//! Public pages and names in their paths, `/USERNAME/SLUG`, and those that other pages and files have.

use crate::EventTypeKey;

/// Names that other paths of the service and of the app begin with: no user can have one.
pub const RESERVED_NAMES: [&str; 17] = [
    "booking", "bookings", "connect", "demo", "embed", "event", "healthz", "lang", "mail",
    "metrics", "pictures", "readyz", "roles", "sign-in", "team", "v1", "v2",
];

/// Endings of files that browsers, and programs that look for weak services, request.
const FILE_EXTENSIONS: [&str; 29] = [
    "bak",
    "br",
    "css",
    "gif",
    "gz",
    "html",
    "ico",
    "jpeg",
    "jpg",
    "js",
    "json",
    "key",
    "map",
    "mjs",
    "pdf",
    "php",
    "png",
    "sql",
    "sqlite3",
    "svg",
    "ttf",
    "txt",
    "wasm",
    "webmanifest",
    "webp",
    "woff",
    "woff2",
    "xml",
    "zip",
];

/// Returns true if a path that ends with this name is one of a file, and not the page of a user or team whose name
/// has a dot.
pub fn is_file_name(name: &str) -> bool {
    match name.rsplit_once('.') {
        Some(("", _)) => true,
        Some((_, extension)) => {
            (FILE_EXTENSIONS.iter()).any(|known| known.eq_ignore_ascii_case(extension))
        }
        None => false,
    }
}

/// Returns true for the paths of the app's pages. All paths below `/team/` are pages of teams, whose names may look like
/// one of a file.
pub fn is_page_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !is_file_name(name) || path.starts_with("/team/")
}

/// Returns true if the page of a user with this name can be reached.
pub fn is_page_name(name: &str) -> bool {
    !RESERVED_NAMES.contains(&name) && !is_file_name(name)
}

/// A page of the app that anyone may find: no secret is in its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicPage {
    /// First page.
    Home,
    /// Event types of the user with this name.
    User(String),
    /// Event types of the team with this id or slug.
    Team(String),
    /// One event type.
    EventType(EventTypeKey),
}

impl PublicPage {
    /// Parses a path as the app does. Segments are percent-decoded by `decode`. `None` for all other pages.
    pub fn parse(path: &str, decode: impl Fn(&str) -> String) -> Option<Self> {
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        let segments: Vec<String> = segments.map(decode).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        Some(match *segments.as_slice() {
            [] => Self::Home,
            ["event", id] => Self::EventType(EventTypeKey::Id(id.parse().ok()?)),
            ["team", team] => Self::Team(team.to_owned()),
            ["team", team, slug] => Self::EventType(EventTypeKey::Team {
                team: team.to_owned(),
                slug: slug.to_owned(),
            }),
            [name, ..] if RESERVED_NAMES.contains(&name) => return None,
            [username] => Self::User(username.to_owned()),
            [username, slug] => Self::EventType(EventTypeKey::User {
                username: username.to_owned(),
                slug: slug.to_owned(),
            }),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_without_secret_is_one_of_a_public_page() {
        let user = |username: &str, slug: &str| {
            let (username, slug) = (username.to_owned(), slug.to_owned());
            PublicPage::EventType(EventTypeKey::User { username, slug })
        };
        let team = |team: &str, slug: &str| {
            let (team, slug) = (team.to_owned(), slug.to_owned());
            PublicPage::EventType(EventTypeKey::Team { team, slug })
        };
        for (path, page) in [
            ("/", Some(PublicPage::Home)),
            ("", Some(PublicPage::Home)),
            ("/ada", Some(PublicPage::User("ada".into()))),
            ("/ada/", Some(PublicPage::User("ada".into()))),
            ("/ada/intro", Some(user("ada", "intro"))),
            ("/team/7", Some(PublicPage::Team("7".into()))),
            ("/team/sales/intro", Some(team("sales", "intro"))),
            (
                "/event/41",
                Some(PublicPage::EventType(EventTypeKey::Id(41))),
            ),
            ("/event/x", None),
            ("/team", None),
            ("/booking/b1", None),
            ("/booking/b1/s2", None),
            ("/bookings", None),
            ("/sign-in", None),
            ("/mail/x", None),
            ("/pictures/ada", None),
            ("/a/b/c", None),
        ] {
            assert_eq!(PublicPage::parse(path, str::to_owned), page, "{path}");
        }
    }

    #[test]
    fn names_with_dots_are_files_only_with_their_extensions() {
        for (name, is_file) in [
            ("ada", false),
            ("ada.lovelace", false),
            ("acme.io", false),
            ("none.js", true),
            ("X.PHP", true),
            ("app_bg.wasm.br", true),
            (".env", true),
            (".", true),
            ("", false),
        ] {
            assert_eq!(is_file_name(name), is_file, "{name}");
        }
    }

    #[test]
    fn reserved_names_and_files_have_no_page_of_a_user() {
        for (name, is_page) in [
            ("ada", true),
            ("mail", false),
            ("mail2", true),
            ("ada.js", false),
        ] {
            assert_eq!(is_page_name(name), is_page, "{name}");
        }
    }
}
