//! The zone and the hour cycle that times are shown in: a control that several screens share.

use leptos::prelude::*;

use crate::components::field::option;
use crate::components::{Segmented, Shape, icon};
use crate::dom::{Html, el, row, value_of};
use crate::features::{use_clock, use_settings};
use crate::i18n::{Key, use_formats, use_texts};
use crate::time::Zone;
use crate::time::format::known_zones;

/// Lets the reader choose how times are written.
pub fn zone_bar(
    // Whether the zone is given and cannot be chosen.
    is_locked: bool,
) -> Html {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let clock = use_clock();

    // Hundreds of options: made when the list is first reached, not before.
    let is_open = RwSignal::new(false);
    let options = move || {
        let current = settings.zone.get();
        let mut zones = if is_open.get() {
            known_zones()
        } else {
            Vec::new()
        };
        if !zones.contains(&current) {
            let place = zones.partition_point(|zone| *zone < current);
            zones.insert(place, current.clone());
        }
        row(zones
            .iter()
            .map(|zone| option(&zone.0, &zone.spoken(), *zone == current)))
    };
    let zone = if is_locked {
        el("span")
            .class("zone-name")
            .attr("title", texts.get(Key::ZoneLocked))
            .text_with(move || settings.zone.get().spoken())
    } else {
        let select = el("select")
            .attr("part", "zone")
            .on("focus", move |_| is_open.set(true))
            .on("pointerdown", move |_| is_open.set(true))
            .on("change", move |event| {
                settings.zone.set(Zone(value_of(&event)))
            })
            .show(options);
        el("label")
            .class("zone-select")
            .add(
                el("span")
                    .class("visually-hidden")
                    .add(texts.get(Key::TimeZone)),
            )
            .add(select)
    };
    let hours = view! {
        <Segmented
            name="hour-cycle"
            label=texts.get(Key::TimeFormat)
            options=vec![
                (true, texts.get(Key::Hours12).to_owned()),
                (false, texts.get(Key::Hours24).to_owned()),
            ]
            value=settings.uses_12_hours
            on_pick=move |uses_12_hours| settings.uses_12_hours.set(uses_12_hours)
        />
    };
    let offset = move || {
        settings
            .zone
            .with(|zone| formats.offset_text(clock.now(), zone))
    };
    el("div")
        .class("zone-bar")
        .attr("part", "zone-bar")
        .add(icon(Shape::Globe))
        .add(zone)
        .add(el("span").class("zone-offset").text_with(offset))
        .add(hours)
}
