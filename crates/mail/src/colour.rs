//! Colours of the company, with enough contrast (WCAG 2.2, AA).

/// Used if the company has no colour: that of the widget.
const DEFAULT: Colour = Colour([0x0b, 0x57, 0xd0]);
/// Background of messages and pages.
const LIGHT: Colour = Colour([0xff, 0xff, 0xff]);
/// Background in dark mode, as in the layout.
const DARK: Colour = Colour([0x17, 0x19, 0x1d]);
/// Contrast of text.
const AA: f64 = 4.5;

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Colour([u8; 3]);

/// Colours of buttons and links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Palette {
    /// Background of the first button.
    pub button: String,
    /// Its text: black or white.
    pub button_text: String,
    /// Links.
    pub link: String,
    /// Links in dark mode.
    pub link_dark: String,
}

impl Palette {
    /// Returns the colours for `#rrggbb` or `#rgb`, or for the default colour.
    pub fn new(text: &str) -> Self {
        let colour = Colour::parse(text).unwrap_or(DEFAULT);
        let white = Colour([0xff; 3]);
        let black = Colour([0; 3]);
        // White is usual; black only where white cannot be read.
        let button_text = if colour.contrast(white) >= AA {
            white
        } else {
            black
        };
        Self {
            button: colour.text(),
            button_text: button_text.text(),
            link: colour.towards(black, LIGHT).text(),
            link_dark: colour.towards(white, DARK).text(),
        }
    }
}

impl Colour {
    fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        let doubled: String = digits.chars().flat_map(|digit| [digit; 2]).collect();
        let digits = if digits.len() == 3 { &doubled } else { digits };
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let number = u32::from_str_radix(digits, 16).ok()?;
        let [_, red, green, blue] = number.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    fn text(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Returns this colour, mixed with as much of `target` as it needs to be read on `background`.
    fn towards(self, target: Self, background: Self) -> Self {
        (0..=20_u32)
            .map(|share| self.mixed(target, share, 20))
            .find(|colour| colour.contrast(background) >= AA)
            .unwrap_or(target)
    }

    fn mixed(self, other: Self, share: u32, of: u32) -> Self {
        let mut mixed = self.0;
        for (channel, target) in mixed.iter_mut().zip(other.0) {
            let sum = u32::from(*channel) * (of - share) + u32::from(target) * share;
            *channel = u8::try_from(sum / of).unwrap_or(u8::MAX);
        }
        Self(mixed)
    }

    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_on_any_colour_can_be_read() {
        let steps = [0_u8, 17, 51, 85, 119, 128, 153, 187, 221, 255];
        for red in steps {
            for green in steps {
                for blue in steps {
                    let colour = Colour([red, green, blue]);
                    let palette = Palette::new(&colour.text());
                    let contrast =
                        |one: &str, two: Colour| Colour::parse(one).unwrap().contrast(two);
                    assert!(contrast(&palette.button_text, colour) >= AA, "{palette:?}");
                    assert!(contrast(&palette.link, LIGHT) >= AA, "{palette:?}");
                    assert!(contrast(&palette.link_dark, DARK) >= AA, "{palette:?}");
                }
            }
        }
    }

    #[test]
    fn invalid_colour_is_default() {
        for text in [
            "",
            "red",
            "#12345",
            "#12345g",
            "#+12345",
            "#123456;background:url(x)",
        ] {
            assert_eq!(Palette::new(text).button, DEFAULT.text(), "{text}");
        }
        assert_eq!(Palette::new(" #ABCDEF").button, "#abcdef");
        assert_eq!(Palette::new("#1aB").button, "#11aabb");
    }

    #[test]
    fn dark_background_is_that_of_the_layout() {
        let layout = include_str!("../templates/layout.html.j2");
        assert!(layout.contains(&DARK.text()));
    }
}
