//! What is being booked, beside every step.

use booking_wire::{Offer, Slot};
use leptos::prelude::*;

use crate::components::{Segmented, Shape, heading, icon};
use crate::dom::{Html, el, nothing, text};
use crate::features::{Settings, use_settings};
use crate::i18n::{Key, Texts, use_formats, use_texts};
use crate::place::offered_place;
use crate::signal::Signal;
use crate::time::Instant;

/// Title, people, length, place and, once `chosen`, the time. The length can be changed while there
/// is somebody to tell. `beside` is what the step adds.
pub(super) fn summary(
    event_type: &Offer,
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
    let place = match event_type.locations.as_slice() {
        [] => None,
        [only] => Some(offered_place(only, texts)),
        _ => Some(texts.get(Key::PlaceToChoose).to_owned()),
    };
    let place = place.map(|place| fact(Shape::Place, "fact", text(&place)));
    let confirmation = event_type.always_needs_confirmation.then(|| {
        fact(
            Shape::Check,
            "fact",
            text(texts.get(Key::NeedsConfirmation)),
        )
    });
    let price = (event_type.price > 0).then(|| {
        let price = formats.money(event_type.price, &event_type.currency);
        fact(Shape::Card, "fact", text(&price))
    });
    let series = event_type.recurrence.as_ref().map(|series| {
        let key = match series.frequency.as_str() {
            "monthly" => Key::RepeatsMonthly,
            "yearly" => Key::RepeatsYearly,
            _ => Key::RepeatsWeekly,
        };
        let count = usize::try_from(series.occurrences).unwrap_or_default();
        fact(Shape::Repeat, "fact", text(&texts.count(key, count)))
    });
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
                .add(place)
                .add(series)
                .show(seats)
                .add(price)
                .add(confirmation),
        )
        .add(beside)
        .add(description)
}

fn fact(shape: Shape, class: &str, content: Html) -> Html {
    el("li").class(class).add(icon(shape)).add(content)
}

/// A day, its times, and the zone in which they are told.
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

fn people(event_type: &Offer) -> Option<Html> {
    let team = event_type.team.clone().filter(|name| !name.is_empty());
    let names = &event_type.host_names;
    let line = team.or_else(|| (!names.is_empty()).then(|| names.join(", ")))?;
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

/// `45 min`, `1 h`, `1 h 30 min`.
fn length_text(minutes: i64, texts: Texts) -> String {
    let part = |key: Key, count: i64| texts.fill(key, &[("count", &texts.number(count))]);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => part(Key::Minutes, minutes),
        (hours, 0) => part(Key::Hours, hours),
        (hours, minutes) => format!(
            "{} {}",
            part(Key::Hours, hours),
            part(Key::Minutes, minutes)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_in_hours_and_minutes() {
        for (minutes, text) in [
            (15, "15 min"),
            (60, "1 h"),
            (90, "1 h 30 min"),
            (1440, "24 h"),
        ] {
            assert_eq!(length_text(minutes, Texts::ENGLISH), text);
        }
    }
}
