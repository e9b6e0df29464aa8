//! Summary of the booking, shown beside every step.

use booking_ui::prelude::*;
use booking_wire::{PublicEventType, Slot};

use super::super::state::FlowState;
use crate::components::{Segmented, Shape, heading, icon};
use crate::features::shared::event_type_summary::{
    avatar, avatars, details, length as length_text, people as people_of,
};
use crate::i18n::{Key, use_formats, use_texts};
use crate::page::settings::{Settings, VisitorZone, use_settings};
use crate::time::{Instant, Zone};

/// Summary beside a step, with the step's additions: `head` before the event type, `extra` after its facts. In the picker
/// step, no slot is shown and the length can be changed.
pub(crate) fn step_summary(flow: FlowState, is_picker: bool, head: Node, extra: Node) -> Node {
    let selection = flow.selection;
    let slot = selection.picker.slot;
    let on_length = Callback::new(move |minutes| {
        slot.set(None);
        selection.length.set(minutes);
    });
    let selected = Signal::derive(move || if is_picker { None } else { slot.get() });
    summary(
        &flow.context().event_type,
        selection.length,
        (is_picker && !flow.is_rescheduling()).then_some(on_length),
        selected,
        head,
        extra,
    )
}

/// Title, people, duration, location and, once `selected`, the time. The duration can be changed if `on_length` is
/// given. `head` and `extra` are added by the step.
fn summary(
    event_type: &PublicEventType,
    length: RwSignal<i64>,
    on_length: Option<Callback<i64>>,
    selected: Signal<Option<Slot>>,
    head: Node,
    extra: Node,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();

    let lengths = &event_type.lengths;
    let host_zone = event_type.host_zone.clone().map(Zone);
    let start_detail = move || {
        let start = selected.get()?.start;
        let times = settings.times(formats, start, start.plus_minutes(length.get()));
        Some(detail(
            Shape::Calendar,
            "fact fact-strong",
            time_lines(settings, start, &times, host_zone.as_ref()),
        ))
    };
    let length_detail = match on_length.filter(|_| lengths.len() > 1) {
        Some(on_length) => {
            let options: Vec<_> = lengths
                .iter()
                .map(|minutes| (*minutes, length_text(*minutes, texts)))
                .collect();
            let field = view! {
                <Segmented label=texts.get(Key::Length) options value=length on_pick=on_length />
            };
            detail(Shape::Clock, "fact fact-lengths", field.into_inner())
        }
        None => {
            let text = fragment().text_with(move || length_text(length.get(), texts));
            detail(Shape::Clock, "fact", el("span").child(text))
        }
    };
    let others = details(event_type, texts, formats)
        .into_iter()
        .map(|(shape, label)| detail(shape, "fact", text(&label)));
    let seats = move || {
        let left = selected.get()?.seats_remaining?;
        let left = texts.count(Key::Seats, usize::try_from(left).unwrap_or_default());
        Some(detail(Shape::People, "fact", text(&left)))
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
        .child(head)
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
                .child_with(start_detail)
                .child(length_detail)
                .child(fragment_of(others))
                .child_with(seats),
        )
        .child(extra)
        .child(description)
}

fn detail(shape: Shape, class: &str, content: Node) -> Node {
    el("li").class(class).child(icon(shape)).child(content)
}

/// Day, times and their zone; below them the start on the visitor's clock, if the zone is locked to another, or else on
/// the host's.
pub(crate) fn time_lines(
    settings: Settings,
    start: Instant,
    times: &str,
    host_zone: Option<&Zone>,
) -> Node {
    let formats = use_formats();
    let texts = use_texts();
    let zone = settings.zone.get();
    let day = formats.day_of(start, &zone);
    // Day and time in `other`, if its clock shows another time.
    let elsewhere = |other: &Zone, names_day: bool| {
        if formats.offset(start, other) == formats.offset(start, &zone) {
            return None;
        }
        let time = formats.time(start, other, settings.uses_12_hours.get());
        let other_day = formats.day_of(start, other);
        if !names_day && other_day == day {
            return Some(time);
        }
        let other_day = formats.brief_day(other_day);
        let values = [("day", &*other_day), ("time", &*time)];
        Some(texts.fill_plain(Key::DateAndTime, &values))
    };
    let yours = use_context::<VisitorZone>().and_then(|own| {
        let time = elsewhere(&own.0, true)?;
        Some(texts.fill(Key::YourTime, &[("time", &time)]))
    });
    let is_place = |zone: &&Zone| zone.0.contains('/') && !zone.0.starts_with("Etc/");
    let hosts = || {
        let host_zone = host_zone.filter(is_place)?;
        let time = elsewhere(host_zone, false)?;
        let values = [("time", &*time), ("city", &*host_zone.city())];
        Some(texts.fill(Key::TimeElsewhere, &values))
    };
    let other_time = yours
        .or_else(hosts)
        .map(|time| el("small").class("line").child(time));
    let zone_text = format!("{} · {}", zone.city(), formats.offset_text(start, &zone));
    el("span")
        .child(el("span").class("line").child(formats.day_title(day)))
        .child(el("span").class("line").child(times))
        .child(el("small").class("line").child(zone_text))
        .child(other_time)
}

fn people(event_type: &PublicEventType) -> Option<Node> {
    let line = Some(people_of(event_type, use_texts())).filter(|line| !line.is_empty())?;
    let avatars = avatars(event_type).unwrap_or_else(|| avatar(&line, &event_type.picture));
    Some(
        el("p")
            .class("summary-people")
            .child(avatars)
            .child(el("span").child(line)),
    )
}
