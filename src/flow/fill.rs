//! The form's step.

use leptos::prelude::*;

use super::submit::submit;
use super::{Flow, Step};
use crate::components::focus::focus_soon;
use crate::components::{Shape, button, icon};
use crate::dom::{Html, el, nothing};
use crate::features::News;
use crate::features::booking_form::BookingForm;
use crate::features::booking_form::model::Occasion;
use crate::i18n::Key;
use crate::signal::Signal;

/// What is asked before the time is booked. Its heading takes the focus, and a button leads back to
/// the times.
pub(super) fn step(flow: Flow) -> Html {
    let texts = flow.texts;
    let heading = el("h3")
        .class("form-title")
        .attr("tabindex", "-1")
        .add(texts.get(Key::YourDetails));
    focus_soon(&heading);
    let back = button("button-quiet", move || {
        flow.world().page.tell(&News::FormBack);
        flow.step.set(Step::Pick);
    })
    .attr("part", "back")
    .add(icon(Shape::Back))
    .add(texts.get(Key::ChangeTime));
    let world = flow.world();
    let form = view! {
        <BookingForm
            form=flow.draft.form(&world.event_type, &world.config)
            draft=flow.draft
            occasion=Signal::derive(move || occasion(flow))
            is_busy=flow.is_busy
            is_switched_off=world.config.is_confirm_disabled
            setback=flow.setback
            needs_confirmation=world.event_type.always_needs_confirmation
            on_submit=move |booking| submit(flow, booking)
        />
    };
    let content = el("div")
        .class("flow-form")
        .add(el("div").class("form-head").add(back).add(heading))
        .add(form);
    nothing().add(flow.summary(false)).add(content)
}

fn occasion(flow: Flow) -> Option<Occasion> {
    Some(Occasion {
        event_type_id: flow.world().event_type.id,
        start: flow.choice.slot.get()?.start,
        length: flow.has_lengths.then(|| flow.length.get()),
        zone: flow.settings.zone.get(),
        language: flow
            .formats
            .locale()
            .split('-')
            .next()
            .unwrap_or("en")
            .to_owned(),
    })
}
