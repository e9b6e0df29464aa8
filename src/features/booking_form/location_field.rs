//! Choice of a location, with its details.

use std::sync::Arc;

use booking_wire::Location;

use super::Draft;
use super::answers::Answer;
use super::labels::complaint_text;
use super::model::{Form, PLACE};
use super::question::{FieldCallbacks, question_field};
use crate::components::field::{Choices, choice_inputs, choice_row, error_message, group};
use crate::components::{Shape, icon};
use crate::features::shared::location::offered_places;
use crate::i18n::{Key, use_texts};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::{Callback, Signal};

/// Renders the form's locations. The details of each are kept when another is selected.
pub(super) fn place_field(
    id: String,
    label: String,
    is_read_only: bool,
    form: Arc<Form>,
    draft: Draft,
    ears: FieldCallbacks,
) -> Node {
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
    let boxes = choice_inputs(&id, Choices::One, &options, value, pick, error);

    // Only another location changes the follow-up question; typing does not.
    let asking = form.clone();
    let detail = Signal::memo(move || {
        draft.answers.with(|answers| {
            let mut question = asking.follow_up(answers)?;
            question.is_read_only = is_read_only;
            Some((answers.many(PLACE), question))
        })
    });
    let choices = boxes.into_iter().zip(options).zip(form.places.iter());
    let rows = choices
        .enumerate()
        .map(|(index, ((input, (value, text)), place))| {
            let input = input.attr_if("id", (index == 0).then_some(&id));
            let words = el("span")
                .class("choice-words")
                .child(icon(shape_of(place)))
                .child(el("span").child(text));
            let form = form.clone();
            // Directly below its location.
            let follow_up = move || {
                let (_, question) = detail.get().filter(|(chosen, _)| chosen.contains(&value))?;
                let field = question_field(question, &form, draft, ears);
                Some(el("div").class("place-detail").child(field))
            };
            fragment()
                .child(choice_row(input, words))
                .child_with(follow_up)
        });
    let rows = fragment_of(rows);
    group(&id, &label, true, hint, error)
        .attr_if("disabled", is_read_only.then_some(""))
        .child(rows)
        .child(error_message(&id, error))
}

fn shape_of(place: &Location) -> Shape {
    match place {
        Location::Address { .. } | Location::AttendeeAddress => Shape::Location,
        Location::Phone { .. } | Location::AttendeePhone => Shape::Phone,
        Location::Integration { .. } | Location::OrganizersDefaultApp => Shape::Video,
        Location::Link { .. } => Shape::Globe,
        Location::AttendeeDefined => Shape::Person,
        Location::Unknown => Shape::Calendar,
    }
}
