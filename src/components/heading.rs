//! Headings, at levels that fit into the page around them.

use booking_ui::prelude::*;

/// Level of a root's top headings, from 1 to 6.
#[derive(Clone, Copy)]
pub struct TopHeading(pub usize);

const TAGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// Returns a heading `below` levels under the root's top headings.
pub fn heading(below: usize) -> Node {
    let TopHeading(top) = use_context().unwrap_or(TopHeading(2));
    el(tag(top + below))
}

/// Returns the tag of a level, at most the sixth.
fn tag(level: usize) -> &'static str {
    let index = level.saturating_sub(1);
    TAGS.get(index).copied().unwrap_or("h6")
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tag_below_sixth_level_is_h6() {
        assert_eq!([1, 2, 6, 7, 9].map(tag), ["h1", "h2", "h6", "h6", "h6"]);
    }
}
