//! Summary of all form errors, with links to the fields.

use std::sync::Arc;

use booking_ui::prelude::*;
use web_sys::HtmlElement;

use super::draft::Draft;
use super::field_view::id_of;
use super::labels::{error_in_summary, label_of};
use super::model::{Form, SubmitError};
use super::validation::FieldError;
use crate::components::focus::{focus_first_soon, focus_id_soon};
use crate::components::{Shape, button, icon};
use crate::features::shared::error_notice::notice;
use crate::i18n::{Key, use_texts};

/// Most errors that the summary lists: more are counted.
const MAX_LISTED: usize = 3;

/// Number of fields with an error, in words.
pub(super) fn count_text(draft: Draft) -> String {
    let texts = use_texts();
    let is_missing = |(_, error): &(String, FieldError)| error.code() == "required";
    let (count, are_missing) = draft.errors.with(|errors| {
        let are_missing = errors.len() > MAX_LISTED && errors.iter().all(is_missing);
        (errors.len(), are_missing)
    });
    match count {
        0 => texts.get(Key::FormComplete).to_owned(),
        _ if are_missing => texts.count(Key::AnswersMissing, count),
        _ => texts.count(Key::FormErrors, count),
    }
}

/// Errors of the last submission: a list of up to [`MAX_LISTED`], else their number. Corrected ones stay in place with a
/// tick, so that nothing moves while the visitor clicks.
pub(super) fn error_summary(root: HtmlElement, form: Arc<Form>, draft: Draft) -> Node {
    let texts = use_texts();
    let first_root = root.clone();
    let entry = move |slug: String| {
        let values = draft.values.get_untracked();
        let field = form
            .applicable_fields(&values)
            .into_iter()
            .find(|field| field.slug == slug)?;
        let known = slug.clone();
        let error = Signal::memo(move || {
            draft.errors.with(|errors| {
                let found = errors.iter().find(|(slug, _)| *slug == known);
                found.map(|(_, error)| error.clone())
            })
        });
        let text = move || match error.get() {
            Some(error) => error_in_summary(&error, &field, texts),
            None => label_of(&field, texts),
        };
        let id = id_of(&slug);
        let part = form.part_of(&slug);
        let root = root.clone();
        let link = el("a")
            .attr("href", &format!("#{id}"))
            .on("click", move |event| {
                event.prevent_default();
                // Otherwise the page's router follows it.
                event.stop_propagation();
                draft.part.set(part);
                focus_id_soon(&root, &id);
            })
            .text_with(text);
        let item = el("li")
            .attr_with("data-done", move || error.get().is_none().then(String::new))
            .child(icon(Shape::Check))
            .child(link);
        Some(item)
    };
    fragment().child_with(move || {
        let failed = draft.failed.get();
        // A single error is shown beside its field; a list would only repeat it.
        (failed.len() > 1).then(|| {
            let list = if failed.len() > MAX_LISTED {
                let root = first_root.clone();
                let go = move || focus_first_soon(root.clone(), "[aria-invalid='true']");
                button("button-quiet form-errors-first", go).child(texts.get(Key::GoToFirst))
            } else {
                let items = failed.into_iter().filter_map(&entry);
                el("ul").attr("role", "list").child(fragment_of(items))
            };
            el("div")
                .class("form-errors")
                .attr("role", "group")
                .attr("part", "errors")
                .attr("aria-labelledby", "form-errors-title")
                .child(
                    el("p")
                        .class("form-errors-title")
                        .attr("id", "form-errors-title")
                        .text_with(move || count_text(draft)),
                )
                .child(list)
        })
    })
}

/// Notice of a failed submission. The service's own text, which is meant for developers, is folded.
pub fn submit_error_notice(error: &SubmitError) -> Node {
    let details = error.details.as_ref().map(|details| {
        el("details")
            .class("notice-details")
            .child(el("summary").child(use_texts().get(Key::ShowDetails)))
            .child(el("p").child(details.as_str()))
    });
    notice(Shape::Alert, &error.title, &error.text).child(details)
}
