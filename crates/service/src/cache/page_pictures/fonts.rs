//! Fonts of the pictures: those of the program, then those of the machine.

use std::sync::Arc;

use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{GlyphId, Node, Options, Tree};

/// Family of the pictures; the others of the program take over for their scripts.
pub(super) const FAMILY: &str = "Noto Sans";

/// Subsets of Noto Sans: Latin, Greek and Cyrillic letters in two weights, other scripts in one.
const FILES: [&[u8]; 5] = [
    include_bytes!("../../../assets/fonts/NotoSans-Regular.ttf"),
    include_bytes!("../../../assets/fonts/NotoSans-Bold.ttf"),
    include_bytes!("../../../assets/fonts/NotoSansArabic-Bold.ttf"),
    include_bytes!("../../../assets/fonts/NotoSansHebrew-Bold.ttf"),
    include_bytes!("../../../assets/fonts/NotoSansDevanagari-Bold.ttf"),
];

/// Size at which texts are measured.
const MEASURED_SIZE: f32 = 100.0;

/// Fonts. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Fonts(Arc<Database>);

impl Fonts {
    /// Loads the fonts, which takes some milliseconds for each hundred of the machine's.
    pub(super) fn load() -> Self {
        let mut fonts = of_program();
        fonts.load_system_fonts();
        Self(Arc::new(fonts))
    }

    /// Returns the fonts of the program only.
    #[cfg(test)]
    pub(super) fn of_program() -> Self {
        Self(Arc::new(of_program()))
    }

    /// Returns options with these fonts, which load no files.
    pub(super) fn options(&self) -> Options<'static> {
        let mut options = Options {
            font_family: FAMILY.to_owned(),
            fontdb: Arc::clone(&self.0),
            ..Options::default()
        };
        options.image_href_resolver.resolve_string = Box::new(|_, _| None);
        options.image_href_resolver.resolve_data = Box::new(|_, _, _| None);
        options
    }

    /// Returns the widths of bold texts at a font size of 1; `None` for one with letters that no font has.
    pub(super) fn widths<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Vec<Option<f32>> {
        let texts: Vec<&str> = texts.into_iter().collect();
        let mut svg = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' font-family='{FAMILY}' font-size='{MEASURED_SIZE}' font-weight='700'>"
        );
        for (index, text) in texts.iter().enumerate() {
            let text = html_escape::encode_text(text);
            svg.push_str(&format!("<text id='t{index}'>{text}</text>"));
        }
        svg.push_str("</svg>");
        let Ok(tree) = Tree::from_str(&svg, &self.options()) else {
            return vec![None; texts.len()];
        };
        let has_letters = |text: &str| text.chars().any(char::is_alphabetic);
        let width = |(index, content): (usize, &&str)| match tree.node_by_id(&format!("t{index}")) {
            Some(Node::Text(text)) => {
                let mut glyphs = text
                    .layouted()
                    .iter()
                    .flat_map(|span| &span.positioned_glyphs);
                let is_readable =
                    glyphs.all(|glyph| glyph.id != GlyphId(0) || !has_letters(&glyph.text));
                is_readable.then(|| text.bounding_box().width() / MEASURED_SIZE)
            }
            // Without any glyph there is no text.
            _ => (!has_letters(content)).then_some(0.0),
        };
        texts.iter().enumerate().map(width).collect()
    }
}

fn of_program() -> Database {
    let mut fonts = Database::new();
    for file in FILES {
        fonts.load_font_source(Source::Binary(Arc::new(file)));
    }
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_measured_if_a_font_has_its_letters() {
        let fonts = Fonts::of_program();
        let texts = [
            "Ada Brandt",
            "Ελλάδα",
            "Київ",
            "Điện thoại",
            "مكالمة",
            "שיחה",
            "परिचय",
            "15 / 30 min",
            "",
            "\u{10ffff}",
        ];
        let widths = fonts.widths(texts);
        for (text, width) in texts.iter().zip(&widths) {
            assert!(width.is_some(), "{text}");
        }
        assert!(fonts.widths(["iii"]) < fonts.widths(["WWW"]));
        assert_eq!(fonts.widths(["初回のご相談"]), [None]);
        assert_eq!(fonts.widths(["🎉"]), [Some(0.0)]);
    }
}
