//! Picture of a public page: face or initials, title, length and hosts on the colour of the event type.

use std::sync::LazyLock;

use booking_mail::colour::Palette;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageKind, Tree};
use serde::Serialize;

use super::fonts::{FAMILY, Fonts};
use crate::auth::secret::short_hash;
use crate::error::{Error, Result};

/// Width in pixels, as chat programs ask for.
pub const WIDTH: u32 = 1200;

/// Height in pixels.
pub const HEIGHT: u32 = 630;

/// Changes with the look of all pictures.
const LOOK: &str = "1";

/// Left and right edge of the texts.
const EDGES: [f32; 2] = [96.0, 1104.0];

/// Font sizes of the heading, each with its most lines.
const HEADING_SIZES: [(f32, usize); 3] = [(88.0, 1), (72.0, 2), (56.0, 3)];

/// Font size of the hosts' names, on one line.
const PEOPLE_SIZES: [(f32, usize); 1] = [(40.0, 1)];

/// Font size of the length and of the company's name, on one line.
const FOOT_SIZES: [(f32, usize); 1] = [(32.0, 1)];

/// Longest part of a word that is not broken, in characters.
const MAX_UNBROKEN: usize = 18;

/// Texts on white.
const TEXT: &str = "#1a1c20";

/// Quiet texts on white.
const QUIET_TEXT: &str = "#545a66";

/// Name of the template.
const TEMPLATE: &str = "picture.svg.j2";

static TEMPLATES: LazyLock<std::result::Result<Environment<'static>, minijinja::Error>> =
    LazyLock::new(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        let source = include_str!("../../../assets/previews/picture.svg.j2");
        environment.add_template(TEMPLATE, source)?;
        Ok(environment)
    });

/// Content of a picture. Equal ones look the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// Title of the event type, or an invitation.
    pub heading: String,
    /// Team or hosts; may be empty.
    pub people: String,
    /// Lengths; may be empty.
    pub length: String,
    /// Name of the company or the app.
    pub site_name: String,
    /// Colour as `#rrggbb`.
    pub colour: String,
    /// SVG of a face that is part of the program. Others are never loaded: their initials are shown.
    pub face: Option<&'static str>,
}

/// Values of the template.
#[derive(Serialize)]
struct View<'a> {
    width: u32,
    height: u32,
    family: &'static str,
    anchor: &'static str,
    colour: &'a str,
    text_colour: &'a str,
    has_face: bool,
    face_x: f32,
    initials: String,
    lines: Vec<Line>,
    pill: Option<Pill>,
}

/// A line of text.
#[derive(Serialize)]
struct Line {
    x: f32,
    y: f32,
    size: f32,
    weight: u16,
    colour: &'static str,
    anchor: Option<&'static str>,
    text: String,
}

/// Length, on the colour.
#[derive(Serialize)]
struct Pill {
    x: f32,
    y: f32,
    width: f32,
    text: String,
}

impl Picture {
    /// Returns a hash of the picture's content.
    pub fn version(&self) -> String {
        let content = serde_json::to_string(&(LOOK, self)).unwrap_or_default();
        short_hash(&content)
    }

    /// Renders the picture as PNG.
    pub(super) fn png(&self, fonts: &Fonts) -> Result<Vec<u8>> {
        let svg = self.svg(fonts)?;
        let mut options = fonts.options();
        if let Some(face) = self.face {
            options.image_href_resolver.resolve_string = Box::new(|_, options| {
                let face = Tree::from_str(face, options);
                face.ok().map(ImageKind::SVG)
            });
        }
        let tree = Tree::from_str(&svg, &options).map_err(Error::internal)?;
        let pixmap = Pixmap::new(WIDTH, HEIGHT);
        let mut pixmap = pixmap.ok_or_else(|| Error::internal("a picture has no size"))?;
        resvg::render(&tree, Transform::identity(), &mut pixmap.as_mut());
        pixmap.encode_png().map_err(Error::internal)
    }

    fn svg(&self, fonts: &Fonts) -> Result<String> {
        let palette = Palette::new(&self.colour);
        let is_mirrored = is_right_to_left(&self.heading);
        let [left, right] = EDGES;
        // Positions are counted from the side where the lines begin.
        let at = |x: f32| if is_mirrored { left + right - x } else { x };
        let (anchor, opposite) = match is_mirrored {
            true => ("end", "start"),
            false => ("start", "end"),
        };
        let face_x = left + 56.0;
        let mut lines = Vec::new();
        // Without a font for the title, the picture is about its hosts.
        let width = right - left;
        let headings = [&self.heading, &self.people, &self.site_name];
        let headings = headings.map(|text| fit(fonts, text, &HEADING_SIZES, width));
        let has_title = !headings[0].lines.is_empty();
        let heading = headings
            .into_iter()
            .find(|heading| !heading.lines.is_empty());
        let heading = heading.unwrap_or_else(Fitted::none);
        let people = fit(fonts, &self.people, &PEOPLE_SIZES, width - 140.0);
        for text in people.lines.into_iter().filter(|_| has_title) {
            lines.push(Line {
                x: at(left + 140.0),
                y: 166.0,
                size: people.size,
                weight: 400,
                colour: TEXT,
                anchor: None,
                text,
            });
        }
        let line_height = heading.size * 1.2;
        let height = line_height * count(heading.lines.len());
        for (index, text) in heading.lines.into_iter().enumerate() {
            let top = 345.0 - height / 2.0 + line_height * count(index);
            lines.push(Line {
                x: at(left),
                y: top + heading.size * 0.95,
                size: heading.size,
                weight: 700,
                colour: TEXT,
                anchor: None,
                text,
            });
        }
        let length = fit(fonts, &self.length, &FOOT_SIZES, 400.0);
        let pill = length.lines.into_iter().next().map(|text| {
            let width = length.width + 56.0;
            let x = if is_mirrored { right - width } else { left };
            Pill {
                x,
                y: 482.0,
                width,
                text,
            }
        });
        // Without a length, the name begins where the other lines do.
        let (site_x, site_anchor) = match pill {
            Some(_) => (at(right), Some(opposite)),
            None => (at(left), None),
        };
        for text in fit(fonts, &self.site_name, &FOOT_SIZES, 480.0).lines {
            lines.push(Line {
                x: site_x,
                y: 525.0,
                size: FOOT_SIZES[0].0,
                weight: 400,
                colour: QUIET_TEXT,
                anchor: site_anchor,
                text,
            });
        }
        let initials = initials(&self.people);
        let is_readable = matches!(fonts.widths([initials.as_str()])[..], [Some(_)]);
        let view = View {
            width: WIDTH,
            height: HEIGHT,
            family: FAMILY,
            anchor,
            colour: &palette.button,
            text_colour: &palette.button_text,
            has_face: self.face.is_some(),
            face_x: at(face_x),
            initials: if is_readable { initials } else { String::new() },
            lines,
            pill,
        };
        let templates = TEMPLATES.as_ref().map_err(Error::internal)?;
        let template = templates.get_template(TEMPLATE).map_err(Error::internal)?;
        template.render(Serde(view)).map_err(Error::internal)
    }
}

/// A text in lines.
struct Fitted {
    lines: Vec<String>,
    /// Font size.
    size: f32,
    /// Width of the widest line.
    width: f32,
}

/// Breaks a text into lines of at most `max_width`, in the first of `sizes` in which it has few enough of them, or else
/// in the last one, shortened. A text that no font can show has no lines.
fn fit(fonts: &Fonts, text: &str, sizes: &[(f32, usize)], max_width: f32) -> Fitted {
    let pieces = pieces(text);
    let measured = pieces.iter().map(|piece| piece.text.as_str());
    let mut widths = fonts.widths(measured.chain(["n n", "nn", "…"]));
    let last = widths.split_off(pieces.len());
    let [Some(apart), Some(together), Some(ellipsis)] = last[..] else {
        return Fitted::none();
    };
    let Some(widths) = widths.into_iter().collect::<Option<Vec<f32>>>() else {
        return Fitted::none();
    };
    // Signs that no font has are left out.
    let shown = pieces.into_iter().zip(widths);
    let (pieces, widths): (Vec<Piece>, Vec<f32>) = shown.filter(|(_, width)| *width > 0.0).unzip();
    let measure = Measure {
        widths: &widths,
        space: apart - together,
        ellipsis,
    };
    for (index, (size, max_lines)) in sizes.iter().enumerate() {
        let lines = measure.lines(&pieces, max_width / size);
        if lines.len() <= *max_lines || index + 1 == sizes.len() {
            return measure.fitted(&pieces, lines, *size, *max_lines, max_width / size);
        }
    }
    Fitted::none()
}

/// Part of a text that is not broken.
struct Piece {
    text: String,
    /// True after a space.
    is_separate: bool,
}

/// Returns words, single characters of scripts without spaces, and parts of very long words.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for word in text.split_whitespace() {
        let mut is_separate = true;
        let mut piece = String::new();
        for letter in word.chars() {
            let is_break =
                is_ideographic(letter) || piece.chars().last().is_some_and(is_ideographic);
            let may_begin = !"、。，！？：；）」』】ー々っゃゅょッャュョ…".contains(letter);
            let is_long = piece.chars().count() >= MAX_UNBROKEN;
            if !piece.is_empty() && (is_break && may_begin || is_long) {
                let text = std::mem::take(&mut piece);
                pieces.push(Piece { text, is_separate });
                is_separate = false;
            }
            piece.push(letter);
        }
        pieces.push(Piece {
            text: piece,
            is_separate,
        });
    }
    pieces
}

/// Returns true for characters of Chinese and Japanese, between which lines may break.
fn is_ideographic(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// Widths at a font size of 1.
struct Measure<'a> {
    widths: &'a [f32],
    space: f32,
    ellipsis: f32,
}

impl Measure<'_> {
    /// Width of pieces on one line.
    fn width(&self, pieces: &[Piece], range: std::ops::Range<usize>) -> f32 {
        let first = range.start;
        let width = |index: usize| {
            let piece = pieces.get(index);
            let is_separate = index > first && piece.is_some_and(|piece| piece.is_separate);
            let space = if is_separate { self.space } else { 0.0 };
            space + self.widths.get(index).copied().unwrap_or_default()
        };
        range.map(width).sum()
    }

    /// Breaks pieces into lines, each as long as possible.
    fn lines(&self, pieces: &[Piece], max_width: f32) -> Vec<std::ops::Range<usize>> {
        let mut lines = Vec::new();
        let mut start = 0;
        for end in 1..=pieces.len() {
            if end - start > 1 && self.width(pieces, start..end) > max_width {
                lines.push(start..end - 1);
                start = end - 1;
            }
        }
        if start < pieces.len() {
            lines.push(start..pieces.len());
        }
        lines
    }

    /// Returns at most `max_lines` lines; the last one ends with an ellipsis if there are more.
    fn fitted(
        &self,
        pieces: &[Piece],
        mut lines: Vec<std::ops::Range<usize>>,
        size: f32,
        max_lines: usize,
        max_width: f32,
    ) -> Fitted {
        let is_cut = lines.len() > max_lines;
        lines.truncate(max_lines);
        if let Some(last) = lines.last_mut().filter(|_| is_cut) {
            while last.len() > 1 && self.width(pieces, last.clone()) + self.ellipsis > max_width {
                last.end -= 1;
            }
        }
        let widths = lines.iter().map(|line| self.width(pieces, line.clone()));
        let width = widths.fold(0.0, f32::max) * size;
        let mut lines: Vec<String> = lines
            .into_iter()
            .map(|line| joined(pieces.get(line).unwrap_or_default()))
            .collect();
        if let Some(last) = lines.last_mut().filter(|_| is_cut) {
            last.push('…');
        }
        Fitted { lines, size, width }
    }
}

impl Fitted {
    fn none() -> Self {
        Self {
            lines: Vec::new(),
            size: 0.0,
            width: 0.0,
        }
    }
}

fn joined(pieces: &[Piece]) -> String {
    let mut line = String::new();
    for piece in pieces {
        if piece.is_separate && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&piece.text);
    }
    line
}

/// Returns the initials of the first two words, as the app does.
fn initials(name: &str) -> String {
    let words = name.split_whitespace();
    let letters = words.filter_map(|word| word.chars().next());
    letters.take(2).collect()
}

/// Returns true if the first letter is of a script that is written from right to left.
fn is_right_to_left(text: &str) -> bool {
    let first = text.chars().find(|letter| letter.is_alphabetic());
    first.is_some_and(|letter| {
        matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
    })
}

/// Number of lines, of which there are few.
fn count(lines: usize) -> f32 {
    u8::try_from(lines).map_or(0.0, f32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(heading: &str) -> Picture {
        Picture {
            heading: heading.to_owned(),
            people: "Ada Brandt".to_owned(),
            length: "30 min".to_owned(),
            site_name: "Northwind".to_owned(),
            colour: "#0f766e".to_owned(),
            face: None,
        }
    }

    #[test]
    fn text_is_broken_and_shortened() {
        let fonts = Fonts::load();
        let fitted = |text: &str| fit(&fonts, text, &HEADING_SIZES, 1008.0);
        assert_eq!(fitted("Intro call").lines, ["Intro call"]);
        assert!(fitted("").lines.is_empty());
        let medium = fitted("Onboarding for teams that come from elsewhere");
        assert_eq!((medium.lines.len(), medium.size), (2, 72.0));
        for text in ["A word ".repeat(60), "Donaudampfschiff".repeat(20)] {
            let long = fitted(&text);
            assert_eq!((long.lines.len(), long.size), (3, 56.0));
            assert!(long.lines.last().is_some_and(|line| line.ends_with('…')));
            assert!(long.width <= 1008.0, "{}", long.width);
        }
    }

    #[test]
    fn lines_break_between_ideographs_but_not_before_a_full_stop() {
        let pieces = pieces("Zoom で面談。");
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts, ["Zoom", "で", "面", "談。"]);
    }

    #[test]
    fn picture_without_font_for_the_title_is_about_the_hosts() {
        let fonts = Fonts::of_program();
        let svg = picture("初回のご相談").svg(&fonts).unwrap();
        assert_eq!(svg.matches(">Ada Brandt<").count(), 1, "{svg}");
        assert!(svg.contains("font-size=\"88.0\""), "{svg}");
        assert!(!svg.contains('初'), "{svg}");
        let party = fit(&fonts, "Party 🎉 today", &HEADING_SIZES, 1008.0);
        assert_eq!(party.lines, ["Party today"]);
    }

    #[test]
    fn hostile_text_stays_text() {
        let fonts = Fonts::load();
        let hostile = picture("</text><image href=\"file:///etc/passwd\"/>&x;\"'");
        let svg = hostile.svg(&fonts).unwrap();
        assert!(!svg.contains("<image"), "{svg}");
        let tree = Tree::from_str(&svg, &fonts.options());
        assert!(tree.is_ok(), "{svg}");
    }

    #[test]
    fn version_follows_content() {
        assert_eq!(picture("a").version(), picture("a").version());
        assert_ne!(picture("a").version(), picture("b").version());
    }
}
