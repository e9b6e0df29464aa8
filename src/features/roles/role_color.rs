//! Role colours: parsed strictly, since services check them loosely. No DOM.

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// Card background colours of the light and dark themes, as in the style sheet.
pub const SURFACES: [Rgb; 2] = [[255, 255, 255], [23, 25, 29]];

/// Minimum contrast of non-text content (WCAG 2, 1.4.11), in hundredths.
pub const MIN_CONTRAST: u32 = 300;

/// Parses `#RGB` or `#RRGGBB`; returns `None` for anything else, so that only valid colours of a
/// service are rendered.
pub fn parse_hex(color: &str) -> Option<Rgb> {
    let digits = color.trim().strip_prefix('#')?;
    // `from_str_radix` accepts signs.
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
        // Approximate power curve, as `powf` costs kilobytes: within 2 % where it matters.
        channel * channel * (0.305_306_011 * channel + 0.682_171_111) + 0.012_522_878 * channel
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Contrast ratio of two colours (WCAG 2), in hundredths: 100 to 2100.
pub fn contrast(first: Rgb, second: Rgb) -> u32 {
    let (first, second) = (luminance(first), luminance(second));
    ((first.max(second) + 0.05) / (first.min(second) + 0.05) * 100.0) as u32
}

/// Black or white, by the better contrast.
pub fn text_color(color: Rgb) -> &'static str {
    if contrast(color, [0, 0, 0]) > contrast(color, [255, 255, 255]) {
        "#000"
    } else {
        "#fff"
    }
}

/// The colour as `#rrggbb`, safe to render.
pub fn css_color(color: &str) -> Option<String> {
    let [red, green, blue] = parse_hex(color)?;
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn css_color_accepts_hex_only() {
        for (color, expected) in [
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
            assert_eq!(css_color(color).as_deref(), expected, "{color}");
        }
    }

    #[test]
    fn text_color_has_better_contrast() {
        for (color, expected) in [
            ("#ffffff", "#000"),
            ("#000000", "#fff"),
            ("#2563eb", "#fff"),
            ("#facc15", "#000"),
            ("#6b7280", "#fff"),
            ("#00ff00", "#000"),
        ] {
            assert_eq!(text_color(parse_hex(color).unwrap()), expected, "{color}");
        }
    }

    #[test]
    fn contrast_matches_wcag() {
        for (first, second, expected) in [
            ("#000000", "#ffffff", 2100.0),
            ("#ffffff", "#ffffff", 100.0),
            ("#777777", "#ffffff", 448.0),
            ("#2563eb", "#ffffff", 517.0),
            ("#facc15", "#18181b", 1156.0),
        ] {
            let found = f64::from(contrast(
                parse_hex(first).unwrap(),
                parse_hex(second).unwrap(),
            ));
            assert!(
                (found / expected - 1.0_f64).abs() < 0.04,
                "{first} on {second}: {found}"
            );
        }
    }
}
