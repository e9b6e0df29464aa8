//! Names in the paths of public pages, `/USERNAME/SLUG`, and those that other pages and files have.

/// Names that other paths of the service and of the app begin with: no user can have one.
pub const RESERVED_NAMES: [&str; 17] = [
    "booking", "bookings", "connect", "demo", "embed", "event", "healthz", "lang", "mail",
    "metrics", "readyz", "records", "roles", "sign-in", "team", "v1", "v2",
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

/// Returns true if the page of a user with this name can be reached.
pub fn is_page_name(name: &str) -> bool {
    !RESERVED_NAMES.contains(&name) && !is_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

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
