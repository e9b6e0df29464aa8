//! Dependencies of the records screens: links, titles and requests.

use std::future::Future;
use std::rc::Rc;

use booking_ui::prelude::*;

use super::access::Access;
use crate::app::navigation::{Navigation, encode, link};
use crate::client::operations::v1::Records;
use crate::client::query::{Latest, Load, latest};
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::focus::focus_soon;
use crate::features::shared::error_notice::error_notice;
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::page::settings::{Settings, use_settings};
use crate::time::Formats;

/// Dependencies of the records screens.
#[derive(Clone, Copy)]
pub(super) struct RecordsContext {
    pub(super) navigation: Navigation,
    pub(super) access: Access,
    pub(super) settings: Settings,
    pub(super) formats: Formats,
    pub(super) texts: Translations,
}

impl RecordsContext {
    /// Reads the contexts of the app.
    pub(super) fn new(navigation: Navigation, access: Access) -> Self {
        Self {
            navigation,
            access,
            settings: use_settings(),
            formats: use_formats(),
            texts: use_texts(),
        }
    }

    /// Link to another records screen.
    pub(super) fn link(self, segments: &[&str]) -> Node {
        link(self.navigation, &path_of(segments))
    }

    /// Goes to another records screen.
    pub(super) fn go(self, segments: &[&str]) {
        self.navigation.go(&path_of(segments));
    }

    /// Title of a screen; takes the focus after an in-app link.
    pub(super) fn title(self, text: impl Child) -> Node {
        let title = el("h1")
            .class("app-title")
            .attr("tabindex", "-1")
            .child(text);
        if self.navigation.takes_focus() {
            focus_soon(&title);
        }
        title
    }

    /// Sends a request. If the key is rejected, the person is asked for another.
    pub(super) async fn send<T, F>(
        self,
        request: impl FnOnce(Rc<Records>) -> F,
    ) -> Result<T, ApiError>
    where
        F: Future<Output = Result<T, ApiError>>,
    {
        let Some(records) = self.access.records() else {
            return Err(ApiError::Declined(DeclineReason::SignInNeeded));
        };
        let result = request(Rc::clone(&records)).await;
        if let Err(ApiError::Declined(DeclineReason::SignInNeeded)) = result {
            self.access.reject(&records);
        }
        result
    }

    /// Sends a request whenever `query` changes.
    pub(super) fn query<Q, T, F>(
        self,
        query: impl Fn() -> Option<Q> + 'static,
        request: impl Fn(Rc<Records>, Q, Abort) -> F + Clone + 'static,
    ) -> Latest<T>
    where
        Q: Clone + PartialEq + 'static,
        T: 'static,
        F: Future<Output = Result<T, ApiError>> + 'static,
    {
        latest(query, move |query, abort| {
            let request = request.clone();
            self.send(move |records| request(records, query, abort))
        })
    }

    /// Shows the loaded data, the loading state or the error.
    pub(super) fn loaded<T: 'static>(
        self,
        response: Latest<T>,
        view: impl Fn(&T) -> Node + 'static,
    ) -> Node {
        let is_busy = move || response.is_busy().get();
        let loading_text = move || {
            let key = match response.is_slow().get() {
                true => Key::StillLoading,
                false => Key::Loading,
            };
            self.texts.get(key).to_owned()
        };
        el("div")
            .class("records-body")
            .flag_with("aria-busy", is_busy)
            .child_with(move || {
                response.signal().with(|state| match state {
                    Load::Pending => el("p")
                        .class("records-wait")
                        .attr("role", "status")
                        .text_with(loading_text),
                    Load::Failed(error) => error_notice(error, move || response.reload()),
                    Load::Ready(data) => view(data),
                })
            })
    }
}

fn path_of(segments: &[&str]) -> String {
    let mut path = "/records".to_owned();
    for segment in segments {
        path.push('/');
        // Servers take a segment with a dot for a file name.
        path.push_str(&encode(segment).replace('.', "%2E"));
    }
    path
}
