//! Forms that send a request: busy state, errors and buttons.

use std::future::Future;
use std::rc::Rc;

use booking_ui::prelude::*;

use super::context::RecordsContext;
use super::fields::Draft;
use crate::client::operations::v1::{Records, is_unclear};
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::button;
use crate::features::shared::error_notice::error_text;
use crate::i18n::Key;

/// Timeout of requests that change something.
pub(super) const CHANGE_TIMEOUT_MS: u64 = 20_000;

/// Message about a failed or empty request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FormError {
    pub(super) title: String,
    pub(super) sentences: Vec<String>,
}

/// Form state apart from the fields.
#[derive(Clone, Copy)]
pub(super) struct FormState {
    is_busy: RwSignal<bool>,
    pub(super) error: RwSignal<Option<FormError>>,
}

impl FormState {
    pub(super) fn new() -> Self {
        Self {
            is_busy: RwSignal::new(false),
            error: RwSignal::new(None),
        }
    }

    /// Creates a form that sends the result of `prepare`, one request at a time, and calls `on_success` with
    /// the response while it is mounted.
    pub(super) fn form<P, T, F>(
        self,
        context: RecordsContext,
        draft: &Draft,
        prepare: impl Fn(&Draft) -> Option<P> + 'static,
        request: impl Fn(Rc<Records>, P, Abort) -> F + Clone + 'static,
        on_success: impl Fn(T) + Clone + 'static,
    ) -> Node
    where
        P: 'static,
        T: 'static,
        F: Future<Output = Result<T, ApiError>> + 'static,
    {
        let form = el("form").class("card record-form");
        let (form_node, draft) = (form.clone(), draft.clone());
        form.on("submit", move |event| {
            event.prevent_default();
            if self.is_busy.get_untracked() {
                return;
            }
            let Some(input) = prepare(&draft) else {
                draft.focus_first_error(&form_node);
                return;
            };
            self.is_busy.set(true);
            self.error.set(None);
            let (request, on_success) = (request.clone(), on_success.clone());
            let (draft, form_node) = (draft.clone(), form_node.clone());
            spawn_local(async move {
                let abort = Abort::after(CHANGE_TIMEOUT_MS);
                let result = context
                    .send(move |records| request(records, input, abort))
                    .await;
                if self.is_busy.try_get_untracked().is_none() {
                    return;
                }
                self.is_busy.set(false);
                match result {
                    Ok(response) => on_success(response),
                    Err(error) => {
                        self.show_error(context, &draft, &error);
                        draft.focus_first_error(&form_node);
                    }
                }
            });
        })
    }

    /// Shows why the request failed, or that its outcome is unknown.
    fn show_error(self, context: RecordsContext, draft: &Draft, error: &ApiError) {
        let texts = context.texts;
        let (title, text) = match is_unclear(error) {
            true => (
                texts.get(Key::RecordUnclearTitle).to_owned(),
                texts.get(Key::RecordUnclearText).to_owned(),
            ),
            false => error_text(error, texts),
        };
        let mut sentences = vec![text];
        if let ApiError::Declined(DeclineReason::InvalidProperties(_, errors)) = error {
            sentences = draft.show_errors(errors);
        }
        self.error.set(Some(FormError { title, sentences }));
    }

    /// Error message, announced when it appears.
    pub(super) fn error_view(self) -> Node {
        el("div")
            .class("record-trouble")
            .attr("role", "alert")
            .child_with(move || {
                self.error.get().map(|FormError { title, sentences }| {
                    let sentences = sentences.iter().map(|text| el("p").child(text.as_str()));
                    el("div")
                        .class("records-warning")
                        .child(el("p").class("records-warning-title").child(title))
                        .child(fragment_of(sentences))
                })
            })
    }

    /// Submit button, followed by `close`.
    pub(super) fn buttons(self, label: &str, close: Node) -> Node {
        let submit = self.submit_button("button-primary", label);
        el("div").class("record-acts").child(submit).child(close)
    }

    /// Submit button of a deletion, after `keep` and at the end of the row.
    pub(super) fn delete_buttons(self, label: &str, keep: Node) -> Node {
        let submit = self.submit_button("button button-danger", label);
        el("div")
            .class("record-acts record-acts-end")
            .child(keep)
            .child(submit)
    }

    fn submit_button(self, class: &str, label: &str) -> Node {
        el("button")
            .class(class)
            .attr("type", "submit")
            .flag_with("aria-disabled", move || self.is_busy.get())
            .child(label)
    }

    /// Button that closes a form, disabled during a request: its response would not be shown.
    pub(super) fn close_button(self, on_close: impl Fn() + 'static, label: &str) -> Node {
        let close = move || {
            if !self.is_busy.get_untracked() {
                on_close();
            }
        };
        button("button", close)
            .flag_with("aria-disabled", move || self.is_busy.get())
            .child(label)
    }
}
