//! Swatch of a role's colour.

use booking_ui::prelude::*;

use super::role_color::css_color;

/// Colour of a role. Only drawn if valid: services check it loosely.
pub(super) fn swatch(color: &str) -> Node {
    let fill = css_color(color).unwrap_or_else(|| "none".to_owned());
    let circle = svg("circle")
        .attr("cx", "10")
        .attr("cy", "10")
        .attr("r", "9")
        .attr("fill", &fill);
    svg("svg")
        .class("swatch")
        .attr("viewBox", "0 0 20 20")
        .attr("aria-hidden", "true")
        .child(circle)
}
