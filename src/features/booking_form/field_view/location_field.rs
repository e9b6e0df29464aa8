//! Choice of a location, with its details.

use std::rc::Rc;
use std::sync::Arc;

use booking_ui::prelude::*;
use booking_wire::{FieldKind, Location};

use super::super::draft::Draft;
use super::super::field::{InputField, LOCATION};
use super::super::labels::error_below_field;
use super::super::model::Form;
use super::super::values::FieldValue;
use crate::components::field::{Choices, choice_inputs, choice_row, error_message, group};
use crate::components::{Shape, icon};
use crate::features::shared::location::location_labels;
use crate::i18n::{Key, use_texts};

/// Renders the form's locations. The details of each are kept when another is selected. `detail_view` renders the
/// field of a detail.
pub(crate) fn location_field(
    id: String,
    label: String,
    is_read_only: bool,
    form: Arc<Form>,
    draft: Draft,
    detail_view: Rc<dyn Fn(InputField) -> Node>,
) -> Node {
    let texts = use_texts();

    let hint = if is_read_only {
        texts.get(Key::CannotChange)
    } else {
        ""
    };
    let names = location_labels(&form.locations, texts).into_iter();
    let options: Vec<(String, String)> = names
        .enumerate()
        .map(|(index, name)| (index.to_string(), name))
        .collect();
    let error = Signal::derive(move || {
        let field = InputField::named(LOCATION, FieldKind::RadioInput, true);
        draft.errors.with(|errors| {
            let found = errors.iter().find(|(slug, _)| slug == LOCATION);
            found.map(|(_, error)| error_below_field(error, &field, texts))
        })
    });
    let value = Signal::derive(move || draft.values.with(|values| values.many(LOCATION)));
    let pick = Callback::new(move |values| draft.set(LOCATION, FieldValue::Many(values)));
    let boxes = choice_inputs(&id, Choices::One, &options, value, pick, error);

    // Only another location changes the detail field; typing does not.
    let detail_form = form.clone();
    let detail = Signal::memo(move || {
        draft.values.with(|values| {
            let mut field = detail_form.location_detail(values)?;
            field.is_read_only = is_read_only;
            Some((values.many(LOCATION), field))
        })
    });
    let choices = boxes.into_iter().zip(options).zip(form.locations.iter());
    let rows = choices
        .enumerate()
        .map(|(index, ((input, (value, text)), location))| {
            let input = input.attr_if("id", (index == 0).then_some(&id));
            let label = el("span")
                .class("choice-words")
                .child(icon(shape_of(location)))
                .child(el("span").child(text));
            let detail_view = Rc::clone(&detail_view);
            // Directly below its location.
            let detail_field = move || {
                let (_, field) = detail
                    .get()
                    .filter(|(selected, _)| selected.contains(&value))?;
                Some(el("div").class("place-detail").child(detail_view(field)))
            };
            fragment()
                .child(choice_row(input, label))
                .child_with(detail_field)
        });
    let rows = fragment_of(rows);
    group(&id, &label, true, hint, error)
        .attr_if("disabled", is_read_only.then_some(""))
        .child(rows)
        .child(error_message(&id, error))
}

fn shape_of(location: &Location) -> Shape {
    match location {
        Location::Address { .. } | Location::AttendeeAddress => Shape::Location,
        Location::Phone { .. } | Location::AttendeePhone => Shape::Phone,
        Location::Integration { .. } | Location::OrganizersDefaultApp => Shape::Video,
        Location::Link { .. } => Shape::Globe,
        Location::AttendeeDefined => Shape::Person,
        Location::Unknown => Shape::Calendar,
    }
}
