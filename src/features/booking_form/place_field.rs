//! The choice of a place, together with what has to be said about it.

use std::sync::Arc;

use booking_wire::Location;

use super::Draft;
use super::answers::Answer;
use super::model::{Form, PLACE};
use super::question::{Ears, question_field};
use super::words::complaint_text;
use crate::components::field::{Choices, choice_boxes, choice_row, complaint, group};
use crate::components::{Shape, icon};
use crate::dom::{Html, el, row};
use crate::i18n::{Key, use_texts};
use crate::place::offered_places;
use crate::signal::{Callback, Signal};

/// Asks for one of the form's places. What was said about each is kept when another is chosen.
pub(super) fn place_field(
    id: String,
    label: String,
    is_read_only: bool,
    form: Arc<Form>,
    draft: Draft,
    ears: Ears,
) -> Html {
    let texts = use_texts();

    let hint = if is_read_only {
        texts.get(Key::CannotChange)
    } else {
        ""
    };
    let names = offered_places(&form.places, texts).into_iter();
    let options: Vec<(String, String)> = names
        .enumerate()
        .map(|(index, name)| (index.to_string(), name))
        .collect();
    let spoken_label = label.clone();
    let error = Signal::derive(move || {
        draft.errors.with(|errors| {
            let found = errors.iter().find(|(slug, _)| slug == PLACE);
            found.map(|(_, complaint)| complaint_text(complaint, &spoken_label, texts))
        })
    });
    let value = Signal::derive(move || draft.answers.with(|answers| answers.many(PLACE)));
    let pick = Callback::new(move |values| draft.set(PLACE, Answer::Many(values)));
    let boxes = choice_boxes(&id, Choices::One, &options, value, pick, error);
    let rows = boxes
        .into_iter()
        .zip(options)
        .zip(form.places.iter())
        .enumerate()
        .map(|(index, ((input, (_, text)), place))| {
            let input = input.attr_if("id", (index == 0).then_some(&id));
            let words = el("span")
                .class("choice-words")
                .add(icon(shape_of(place)))
                .add(el("span").add(text));
            choice_row(input, words)
        });
    let rows = row(rows);

    // Only another place changes what is asked about it; typing does not.
    let asking = form.clone();
    let detail = Signal::memo(move || {
        draft.answers.with(|answers| {
            let mut detail = asking.follow_up(answers);
            if let Some(detail) = &mut detail {
                detail.is_read_only = is_read_only;
            }
            detail
        })
    });
    let follow_up = move || {
        let question = detail.get()?;
        let field = question_field(question, &form, draft, ears);
        Some(el("div").class("place-detail").add(field))
    };
    group(&id, &label, true, hint, error)
        .attr_if("disabled", is_read_only.then_some(""))
        .add(rows)
        .add(complaint(&id, error))
        .show(follow_up)
}

fn shape_of(place: &Location) -> Shape {
    match place {
        Location::Address { .. } | Location::AttendeeAddress => Shape::Place,
        Location::Phone { .. } | Location::AttendeePhone => Shape::Phone,
        Location::Integration { .. } | Location::OrganizersDefaultApp => Shape::Video,
        Location::Link { .. } => Shape::Globe,
        Location::AttendeeDefined => Shape::Person,
        Location::Unknown => Shape::Calendar,
    }
}
