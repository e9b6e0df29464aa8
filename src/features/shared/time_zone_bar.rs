//! Controls for time zone and hour cycle, shared by several screens.

mod chooser;

use booking_ui::prelude::*;

use crate::components::{Segmented, Shape, dialog, icon};
use crate::i18n::{Key, use_formats, use_texts};
use crate::page::settings::use_settings;
use crate::time::Instant;

pub use chooser::chooser;

/// Lets the reader choose time zone and hour cycle.
pub fn zone_bar(
    // True if the zone cannot be changed.
    is_locked: bool,
    // An instant on screen: offsets change with the season.
    instant: Signal<Instant>,
    // Content of the dialog: [`chooser`], which may be in a chunk.
    zone_chooser: impl Fn(RwSignal<bool>, Instant) -> Node + 'static,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();

    let offset = move || {
        let instant = instant.get();
        settings.zone.with(|zone| {
            formats.has_corrections(zone);
            formats.offset_text(instant, zone)
        })
    };
    let zone_name = move || settings.zone.with(|zone| zone.display_name());
    let city = move || settings.zone.with(|zone| zone.city());
    let label = fragment()
        .child(el("span").class("zone-name").text_with(city))
        // Separates two words, also for speech control.
        .child(" ")
        .child(el("span").class("zone-offset").text_with(offset));
    let zone = if is_locked {
        el("span")
            .class("zone-locked")
            .attr("title", texts.get(Key::ZoneLocked))
            .child(icon(Shape::Globe))
            .child(label)
    } else {
        let is_open = RwSignal::new(false);
        let name = move || {
            // Contains the words on screen, for speech control: some ids have an old name of the city.
            let (id, city) = (zone_name(), city());
            let zone = if id.ends_with(&city) { id } else { city };
            let values = [("zone", &*zone), ("offset", &*offset())];
            Some(texts.fill(Key::TimeZoneIs, &values))
        };
        let button = el("button")
            .class("zone-button")
            .attr("type", "button")
            .attr("part", "zone")
            .attr("aria-haspopup", "dialog")
            .attr_with("aria-label", name)
            .attr_with("title", move || Some(zone_name()))
            .on("click", move |_| is_open.set(true))
            .child(icon(Shape::Globe))
            .child(label)
            .child(icon(Shape::Expand));
        // The list is created only when the dialog opens.
        let content = move || zone_chooser(is_open, instant.get_untracked());
        fragment()
            .child(button)
            .child(dialog(texts.get(Key::TimeZone), is_open, content))
    };
    let hours = view! {
        <Segmented
            label=texts.get(Key::TimeFormat)
            options=vec![
                (true, texts.get(Key::Hours12).to_owned()),
                (false, texts.get(Key::Hours24).to_owned()),
            ]
            value=settings.uses_12_hours
            on_pick=move |uses_12_hours| settings.uses_12_hours.set(uses_12_hours)
        />
    };
    el("div")
        .class("zone-bar")
        .attr("part", "zone-bar")
        .child(zone)
        .child(hours)
}
