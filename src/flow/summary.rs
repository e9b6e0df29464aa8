//! Booking summary beside every step.

use booking_wire::{PublicEventType, Slot};
use leptos::prelude::*;

use crate::components::{Segmented, Shape, heading, icon};
use crate::dom::{Html, el, nothing, row, text};
use crate::features::{Settings, use_settings};
use crate::i18n::{Key, use_formats, use_texts};
use crate::offered::{facts, length as length_text, people as people_of};
use crate::signal::{Callback, RwSignal, Signal};
use crate::time::Instant;

/// Title, people, duration, location and, once `chosen`, the time. The duration can be changed if `on_length` is
/// given. `beside` is added by the step.
pub(super) fn summary(
    event_type: &PublicEventType,
    length: RwSignal<i64>,
    on_length: Option<Callback<i64>>,
    chosen: Signal<Option<Slot>>,
    beside: Html,
) -> Html {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();

    let lengths = &event_type.lengths;
    let when = move || {
        let start = chosen.get()?.start;
        let times = settings.times(formats, start, start.plus_minutes(length.get()));
        Some(fact(
            Shape::Calendar,
            "fact fact-strong",
            moment(settings, start, &times),
        ))
    };
    let how_long = match on_length.filter(|_| lengths.len() > 1) {
        Some(on_length) => {
            let options: Vec<_> = lengths
                .iter()
                .map(|minutes| (*minutes, length_text(*minutes, texts)))
                .collect();
            let choice = view! {
                <Segmented name="length" label=texts.get(Key::Length) options value=length on_pick=on_length />
            };
            fact(Shape::Clock, "fact fact-lengths", choice.into_inner())
        }
        None => {
            let words = nothing().text_with(move || length_text(length.get(), texts));
            fact(Shape::Clock, "fact", el("span").add(words))
        }
    };
    let others = facts(event_type, texts, formats)
        .into_iter()
        .map(|(shape, words)| fact(shape, "fact", text(&words)));
    let seats = move || {
        let left = chosen.get()?.seats_remaining?;
        let left = texts.count(Key::Seats, usize::try_from(left).unwrap_or_default());
        Some(fact(Shape::People, "fact", text(&left)))
    };
    let description = Some(&event_type.description)
        .filter(|description| !description.is_empty())
        .map(|description| {
            el("p")
                .class("summary-text")
                .attr("part", "description")
                .add(description.as_str())
        });

    el("div")
        .class("flow-summary")
        .attr("part", "summary")
        .add(people(event_type))
        .add(
            heading(0)
                .class("summary-title")
                .attr("part", "title")
                .add(event_type.title.as_str()),
        )
        .add(
            el("ul")
                .class("facts")
                .show(when)
                .add(how_long)
                .show(seats)
                .add(row(others)),
        )
        .add(beside)
        .add(description)
}

fn fact(shape: Shape, class: &str, content: Html) -> Html {
    el("li").class(class).add(icon(shape)).add(content)
}

/// Day, times and their zone.
pub(super) fn moment(settings: Settings, start: Instant, times: &str) -> Html {
    let formats = use_formats();
    let zone = settings.zone.get();
    let day = formats.long_day(formats.day_of(start, &zone));
    let told_in = format!("{} · {}", zone.spoken(), formats.offset_text(start, &zone));
    el("span")
        .add(el("span").class("line").add(day))
        .add(el("span").class("line").add(times))
        .add(el("small").class("line").add(told_in))
}

fn people(event_type: &PublicEventType) -> Option<Html> {
    let line = Some(people_of(event_type)).filter(|line| !line.is_empty())?;
    let initials: String = line
        .split_whitespace()
        .filter_map(|word| word.chars().next())
        .take(2)
        .collect();
    let avatar = el("span")
        .class("avatar")
        .attr("aria-hidden", "true")
        .add(initials);
    Some(
        el("p")
            .class("summary-people")
            .add(avatar)
            .add(el("span").add(line)),
    )
}
