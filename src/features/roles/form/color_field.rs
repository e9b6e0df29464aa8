//! Colour field of a role: swatches, a hex field and a preview.

use booking_ui::prelude::*;

use crate::components::TextField;
use crate::i18n::{Key, Translations};

use super::super::role_color::{
    MIN_CONTRAST, Rgb, SURFACES, contrast, css_color, parse_hex, text_color,
};
use super::super::state::draft::Draft;
use super::super::swatch::swatch;

/// Preset colours, each dark enough for white text.
const COLORS: [(Key, &str); 8] = [
    (Key::ColorBlue, "#2563EB"),
    (Key::ColorTeal, "#0F766E"),
    (Key::ColorGreen, "#15803D"),
    (Key::ColorAmber, "#B45309"),
    (Key::ColorRed, "#B91C1C"),
    (Key::ColorPink, "#BE185D"),
    (Key::ColorViolet, "#7C3AED"),
    (Key::ColorGrey, "#4B5563"),
];

/// Swatches, a hex field, and a preview of the name in both themes.
pub(crate) fn color_field(
    draft: Draft,
    error: impl Fn() -> Option<String> + Send + Sync + 'static,
    texts: Translations,
) -> Node {
    let values = draft.values;
    let group = RadioGroup::unique();
    let swatches = COLORS.into_iter().map(|(name, color)| {
        let is_chosen =
            move || values.with(|values| values.color.trim().eq_ignore_ascii_case(color));
        let input = group
            .button()
            .attr("aria-label", texts.get(name))
            .checked_with(is_chosen)
            .on("change", move |_| {
                draft.change(|values| values.color = color.to_owned())
            });
        el("label")
            .class("swatch-choice")
            .attr("title", texts.get(name))
            .child(input)
            .child(swatch(color))
    });
    let hex = view! {
        <TextField
            id="role-color"
            label=texts.get(Key::RoleColorHex)
            value=Signal::derive(move || values.with(|values| values.color.clone()))
            on_input=move |text: String| draft.change(|values| values.color = text)
            placeholder="#2563EB"
            error=Signal::derive(error)
        />
    };
    let choices = el("fieldset")
        .class("field")
        .attr("part", "field")
        .child(
            el("legend")
                .attr("part", "label")
                .child(texts.get(Key::RoleColor)),
        )
        .child(el("div").class("swatches").child(fragment_of(swatches)));
    // A memo: the contrast of an unchanged colour is not announced again.
    let color = Signal::memo(move || values.with(|values| parse_hex(&values.color)));
    el("div")
        .class("role-color")
        .child(choices)
        .child(el("div").class("role-hex").child(hex))
        .child(preview(draft, texts))
        .child(
            el("p")
                .class("role-contrast")
                .attr("role", "status")
                .child_with(move || color.get().map(|color| contrast_text(color, texts))),
        )
}

/// Preview of the name in the light and dark themes.
fn preview(draft: Draft, texts: Translations) -> Node {
    let values = draft.values;
    let themes = ["light", "dark"].map(|theme| {
        let name = move || {
            let name = values.with(|values| values.name.trim().to_owned());
            Some(name)
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| texts.get(Key::RolePreview).to_owned())
        };
        let pill = el("span").class("role-pill").text_with(name);
        let node = pill.element();
        // As properties: a page's CSP may forbid the `style` attribute.
        effect(move || {
            let color = values
                .with(|values| css_color(&values.color))
                .unwrap_or_default();
            let style = node.style();
            // Valid colours or empty, which removes the property.
            let _ = style.set_property("background-color", &color);
            let _ = style.set_property(
                "color",
                parse_hex(&color).map(text_color).unwrap_or_default(),
            );
        });
        el("span")
            .class("role-theme")
            .attr("data-theme", theme)
            .child(pill)
    });
    el("p")
        .class("role-preview")
        .attr("aria-hidden", "true")
        .child(fragment_of(themes))
}

/// Contrast in both themes. Rounded down, since three to one is the minimum.
fn contrast_text(color: Rgb, texts: Translations) -> Node {
    let [light, dark] = SURFACES.map(|surface| contrast(color, surface));
    let number = |hundredths: u32| texts.number(i64::from(hundredths / 100));
    let text = texts.fill(
        Key::ContrastTold,
        &[("light", &number(light)), ("dark", &number(dark))],
    );
    let low = match (light < MIN_CONTRAST, dark < MIN_CONTRAST) {
        (true, _) => Some(Key::LowOnLight),
        (_, true) => Some(Key::LowOnDark),
        _ => None,
    };
    let low = low.map(|key| el("strong").child(texts.get(key)));
    fragment()
        .child(el("span").child(text))
        .child(" ")
        .child(low)
}
