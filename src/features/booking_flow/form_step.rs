//! The form step, and the form for a reschedule.

use booking_wire::language_code;
use leptos::prelude::*;

use super::lost_slot::own_page_link;
use super::reason::Reason;
use super::reservation::Hold;
use super::submit::{Order, look_again, submit};
use super::{Flow, Step, series_dates};
use crate::components::focus::focus_soon;
use crate::components::{Shape, TextField, TextKind, button, heading, icon};
use crate::element::booking_events::BookingEvent;
use crate::features::booking_form::BookingForm;
use crate::features::booking_form::model::Occasion;
use crate::features::booking_form::prefill::reschedule_reason;
use crate::features::shared::error_notice::notice;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment};
use crate::ui::signal::Signal;

/// Form before booking. Its heading takes the focus, and a button leads back to the slots. The slot is reserved as
/// long as the form is shown.
pub(super) fn step(flow: Flow) -> Node {
    let texts = flow.texts;
    let hold = Hold::take(flow);
    let is_moving = flow.moved.with_untracked(Option::is_some);
    let title = if is_moving {
        Key::MoveTitle
    } else {
        Key::YourDetails
    };
    let heading = heading(1)
        .class("form-title")
        .attr("tabindex", "-1")
        .child(texts.get(title));
    focus_soon(&heading);
    let go_back = move || {
        flow.world().page.emit(&BookingEvent::FormBack);
        flow.doubt.set(None);
        flow.is_instant.set(false);
        flow.step.set(Step::Pick);
    };
    let back = button("button-quiet", go_back)
        .attr("part", "back")
        .child(icon(Shape::Back))
        .child(texts.get(Key::ChangeTime));
    let form = if is_moving {
        move_form(flow, hold)
    } else {
        let world = flow.world();
        let form = view! {
            <BookingForm
                form=flow.draft.form(&world.event_type, &world.config, &world.drafts)
                draft=flow.draft
                occasion=Signal::derive(move || occasion(flow))
                is_busy=flow.is_busy
                is_switched_off=world.config.is_confirm_disabled
                setback=flow.setback
                needs_confirmation=world.event_type.always_needs_confirmation
                on_submit=move |booking| submit(flow, hold, Order::Make(Box::new(booking)))
            />
        };
        form.into_inner()
    };
    let content = el("div")
        .class("flow-form")
        .on("input", move |_| hold.typed())
        .child(el("div").class("form-head").child(back).child(heading))
        .child(hold.over(go_back))
        .child(doubt(flow, hold))
        .child(unknown_question(flow))
        .child(form);
    let beside = fragment()
        .child(hold.view())
        .child(series_dates::chooser(flow));
    fragment().child(flow.summary(false, beside)).child(content)
}

/// Notice of a request with unknown outcome, with a button to check it.
fn doubt(flow: Flow, hold: Hold) -> Node {
    let texts = flow.texts;
    fragment().child_with(move || {
        flow.doubt.get().map(|(title, text)| {
            let has_key = flow
                .unsettled
                .with_value(|unsettled| unsettled.key.is_some());
            let label = if has_key {
                Key::TryAgain
            } else {
                Key::LookAgain
            };
            let look = button("button", move || look_again(flow, hold))
                .flag_with("aria-busy", move || flow.is_busy.get())
                .child(icon(Shape::Reload))
                .child(texts.get(label));
            notice(Shape::Alert, texts.get(title), texts.get(text))
                .child(el("div").class("notice-actions").child(look))
        })
    })
}

/// Notice for a question of unknown type whose answer the service refuses: the service's own page supports it.
fn unknown_question(flow: Flow) -> Node {
    fragment().child_with(move || {
        let world = flow.world();
        let url = &world.event_type.booking_url;
        let link = own_page_link(url, "button", flow.texts)?;
        flow.draft.refused_unknown().then(|| {
            let [title, text] = [Key::RefusedTitle, Key::OwnPageTitle];
            notice(Shape::Alert, flow.texts.get(title), flow.texts.get(text))
                .child(el("div").class("notice-actions").child(link))
        })
    })
}

/// Reschedule form: the attendee is known, and only the reason is entered.
fn move_form(flow: Flow, hold: Hold) -> Node {
    let texts = flow.texts;
    let reason = flow.reason;
    let world = flow.world();
    let asked = reschedule_reason(&world.config.prefill);
    let moved = flow.moved.get_untracked();
    let kept = moved.map(|old| Reason::of(&world, "move", &old.booking.uid));
    let hint = match asked.is_read_only {
        true => texts.get(Key::CannotChange),
        false => "",
    };
    let field = (!asked.is_hidden).then(|| {
        view! {
            <TextField
                id="field-rescheduleReason"
                label=texts.get(Key::MoveReason)
                kind=TextKind::Lines
                value=reason
                on_input=move |text: String| {
                    if let Some(kept) = &kept {
                        kept.keep(&text);
                    }
                    reason.set(text);
                }
                is_read_only=asked.is_read_only
                hint
                name="rescheduleReason"
            />
        }
    });
    let action = move || {
        let key = if flow.is_busy.get() {
            Key::Moving
        } else {
            Key::MoveBooking
        };
        texts.get(key).to_owned()
    };
    let press = el("button")
        .class("button-primary")
        .attr("part", "submit")
        .attr("type", "submit")
        .flag_with("aria-disabled", move || flow.is_busy.get())
        .flag_with("aria-busy", move || flow.is_busy.get())
        .text_with(action);
    let setback = move || {
        flow.setback
            .get()
            .map(|setback| notice(Shape::Alert, &setback.title, &setback.text))
    };
    el("form")
        .class("form")
        .attr("part", "form")
        .attr("novalidate", "")
        .on("submit", move |event| {
            event.prevent_default();
            if !flow.is_busy.get_untracked() {
                let reason = reason.get_untracked();
                submit(flow, hold, Order::Move { reason });
            }
        })
        .child_with(setback)
        .child(field)
        .child(
            el("div")
                .class("form-end")
                .child(press)
                .child(slow_line(move || flow.is_busy.get())),
        )
}

fn occasion(flow: Flow) -> Option<Occasion> {
    Some(Occasion {
        event_type_id: flow.world().event_type.id,
        start: flow.choice.slot.get()?.start,
        length: flow.has_lengths.then(|| flow.length.get()),
        zone: flow.settings.zone.get(),
        language: language_code(&flow.formats.locale()),
    })
}
