//! Colours of roles: read strictly, since services check them loosely (contract 3.2). No document.

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// What cards are made of in the light and in the dark, as the style sheet has them.
pub const SURFACES: [Rgb; 2] = [[255, 255, 255], [23, 25, 29]];

/// The least contrast of what is no text (WCAG 2, 1.4.11), in hundredths.
pub const LEAST_CONTRAST: u32 = 300;

/// Red, green and blue of `#RGB` or `#RRGGBB`; `None` for anything else, so that what a service
/// sends is drawn only if it is a colour.
pub fn rgb(color: &str) -> Option<Rgb> {
    let digits = color.trim().strip_prefix('#')?;
    // A sign would pass as a number.
    if !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    let nibble = |shift: u32| ((number >> shift) & 0xf) as u8 * 17;
    match digits.len() {
        3 => Some([nibble(8), nibble(4), nibble(0)]),
        6 => {
            let [_, red, green, blue] = number.to_be_bytes();
            Some([red, green, blue])
        }
        _ => None,
    }
}

fn luminance([red, green, blue]: Rgb) -> f64 {
    let linear = |channel: u8| {
        let channel = f64::from(channel) / 255.0;
        // The power curve without `powf`, which is kilobytes: within 2 % where it decides.
        channel * channel * (0.305_306_011 * channel + 0.682_171_111) + 0.012_522_878 * channel
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// How well two colours are told apart (WCAG 2), in hundredths: from 100 to 2100.
pub fn contrast(one: Rgb, other: Rgb) -> u32 {
    let (one, other) = (luminance(one), luminance(other));
    ((one.max(other) + 0.05) / (one.min(other) + 0.05) * 100.0) as u32
}

/// Black or white, whichever can be read on it.
pub fn ink(color: Rgb) -> &'static str {
    if contrast(color, [0, 0, 0]) > contrast(color, [255, 255, 255]) {
        "#000"
    } else {
        "#fff"
    }
}

/// The colour in its long form, safe to draw.
pub fn drawn(color: &str) -> Option<String> {
    let [red, green, blue] = rgb(color)?;
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hex_colours_are_drawn() {
        for (color, drawn_as) in [
            ("#2563EB", Some("#2563eb")),
            ("#2af", Some("#22aaff")),
            (" #2af ", Some("#22aaff")),
            ("2563EB", None),
            ("#2563E", None),
            ("#+12", None),
            ("#12345g", None),
            ("#é1", None),
            ("red;background:url(x)", None),
            ("", None),
        ] {
            assert_eq!(drawn(color).as_deref(), drawn_as, "{color}");
        }
    }

    #[test]
    fn ink_can_be_read_on_its_colour() {
        for (color, expected) in [
            ("#ffffff", "#000"),
            ("#000000", "#fff"),
            ("#2563eb", "#fff"),
            ("#facc15", "#000"),
            ("#6b7280", "#fff"),
            ("#00ff00", "#000"),
        ] {
            assert_eq!(ink(rgb(color).unwrap()), expected, "{color}");
        }
    }

    #[test]
    fn contrast_is_that_of_the_guidelines() {
        for (one, other, expected) in [
            ("#000000", "#ffffff", 2100.0),
            ("#ffffff", "#ffffff", 100.0),
            ("#777777", "#ffffff", 448.0),
            ("#2563eb", "#ffffff", 517.0),
            ("#facc15", "#18181b", 1156.0),
        ] {
            let found = f64::from(contrast(rgb(one).unwrap(), rgb(other).unwrap()));
            assert!(
                (found / expected - 1.0_f64).abs() < 0.04,
                "{one} on {other}: {found}"
            );
        }
    }
}
