//! URLs of booking pages, and trusted redirects. Without DOM.

/// URL of a page that shows a booking, from a pattern of the page's such as `/booking?id={uid}`. `uid` and `seat` are
/// encoded; `seat` may be empty.
pub(super) fn fill_url_pattern(pattern: &str, uid: &str, seat: &str) -> String {
    let mut url = String::with_capacity(pattern.len() + uid.len() + seat.len());
    for (index, part) in pattern.split('{').enumerate() {
        match part.split_once('}') {
            Some(("uid", rest)) if index > 0 => {
                url.push_str(uid);
                url.push_str(rest);
            }
            Some(("seat", rest)) if index > 0 => {
                url.push_str(seat);
                url.push_str(rest);
            }
            _ => {
                if index > 0 {
                    url.push('{');
                }
                url.push_str(part);
            }
        }
    }
    url
}

/// True if `here` shows the page at `url`: a slash at the end, a fragment and more parameters make no difference.
pub(super) fn is_same_page(url: &str, here: &str) -> bool {
    let [url, here] = [url, here].map(|page| page.split('#').next().unwrap_or_default());
    let rest = here.strip_prefix(url.trim_end_matches('/'));
    let rest = rest.map(|rest| rest.trim_start_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['?', '&']))
}

/// True if redirects may lead to this scheme (`https:`) and origin: HTTP or HTTPS, and an origin that the page
/// trusts.
pub(super) fn is_redirect_allowed(scheme: &str, origin: &str, trusted: &[&str]) -> bool {
    let is_web = matches!(scheme, "https:" | "http:");
    let is_trusted = |known: &&str| known.trim_end_matches('/').eq_ignore_ascii_case(origin);
    is_web && trusted.iter().any(is_trusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_pattern_unknown_placeholders_are_kept() {
        for (pattern, expected) in [
            ("/booking/{uid}/{seat}", "/booking/b1/s2"),
            ("/b?id={uid}&again={uid}", "/b?id=b1&again=b1"),
            ("/all", "/all"),
            ("/{name}/{uid", "/{name}/{uid"),
            ("uid}{uid}", "uid}b1"),
        ] {
            assert_eq!(fill_url_pattern(pattern, "b1", "s2"), expected, "{pattern}");
        }
        assert_eq!(fill_url_pattern("/{uid}/{seat}", "b1", ""), "/b1/");
    }

    #[test]
    fn same_page_ignores_slash_fragment_and_more_parameters() {
        let page = "https://book.example/booking/b1/";
        for (url, here, expected) in [
            (page, "https://book.example/booking/b1/", true),
            (page, "https://book.example/booking/b1", true),
            (page, "https://book.example/booking/b1?lang=de#top", true),
            (page, "https://book.example/booking/b12", false),
            (page, "https://book.example/booking/b1/s2", false),
            (page, "https://book.example/ada/intro-call", false),
            (
                "https://a.example/b?id=b1",
                "https://a.example/b?id=b1&x=1",
                true,
            ),
            (
                "https://a.example/b?id=b1",
                "https://a.example/b?id=b2",
                false,
            ),
        ] {
            assert_eq!(is_same_page(url, here), expected, "{url} {here}");
        }
    }

    #[test]
    fn redirect_untrusted_origin_is_rejected() {
        let trusted = ["https://shop.example", "https://book.example/"];
        for (scheme, origin, expected) in [
            ("https:", "https://shop.example", true),
            ("https:", "https://book.example", true),
            ("https:", "https://shop.example.evil.example", false),
            ("http:", "http://shop.example", false),
            ("javascript:", "null", false),
            ("javascript:", "https://shop.example", false),
            ("data:", "null", false),
        ] {
            assert_eq!(
                is_redirect_allowed(scheme, origin, &trusted),
                expected,
                "{scheme} {origin}"
            );
        }
    }
}
