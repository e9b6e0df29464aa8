//! Booking summary beside every step.

use booking_wire::{PublicEventType, Slot};
use leptos::prelude::*;

use crate::components::{Segmented, Shape, heading, icon};
use crate::element::settings::{Settings, use_settings};
use crate::features::shared::event_type_summary::{
    facts, length as length_text, people as people_of,
};
use crate::i18n::{Key, use_formats, use_texts};
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment, fragment_of, text};
use crate::ui::signal::{Callback, RwSignal, Signal};

/// Title, people, duration, location and, once `chosen`, the time. The duration can be changed if `on_length` is
/// given. `beside` is added by the step.
pub(super) fn summary(
    event_type: &PublicEventType,
    length: RwSignal<i64>,
    on_length: Option<Callback<i64>>,
    chosen: Signal<Option<Slot>>,
    beside: Node,
) -> Node {
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
            let words = fragment().text_with(move || length_text(length.get(), texts));
            fact(Shape::Clock, "fact", el("span").child(words))
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
                .child(description.as_str())
        });

    el("div")
        .class("flow-summary")
        .attr("part", "summary")
        .child(people(event_type))
        .child(
            heading(0)
                .class("summary-title")
                .attr("part", "title")
                .child(event_type.title.as_str()),
        )
        .child(
            el("ul")
                .class("facts")
                .child_with(when)
                .child(how_long)
                .child_with(seats)
                .child(fragment_of(others)),
        )
        .child(beside)
        .child(description)
}

fn fact(shape: Shape, class: &str, content: Node) -> Node {
    el("li").class(class).child(icon(shape)).child(content)
}

/// Day, times and their zone.
pub(super) fn moment(settings: Settings, start: Instant, times: &str) -> Node {
    let formats = use_formats();
    let zone = settings.zone.get();
    let day = formats.long_day(formats.day_of(start, &zone));
    let told_in = format!(
        "{} · {}",
        zone.display_name(),
        formats.offset_text(start, &zone)
    );
    el("span")
        .child(el("span").class("line").child(day))
        .child(el("span").class("line").child(times))
        .child(el("small").class("line").child(told_in))
}

fn people(event_type: &PublicEventType) -> Option<Node> {
    let line = Some(people_of(event_type)).filter(|line| !line.is_empty())?;
    let initials: String = line
        .split_whitespace()
        .filter_map(|word| word.chars().next())
        .take(2)
        .collect();
    let avatar = el("span")
        .class("avatar")
        .attr("aria-hidden", "true")
        .child(initials);
    Some(
        el("p")
            .class("summary-people")
            .child(avatar)
            .child(el("span").child(line)),
    )
}
