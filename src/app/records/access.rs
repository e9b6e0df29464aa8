//! API key: entered once and kept in memory until the page is closed.

use std::rc::Rc;

use booking_ui::prelude::*;

use crate::app::connection::account::is_safe_address;
use crate::client::operations::v1::Records;
use crate::components::focus::focus_first_soon;
use crate::components::{TextField, TextKind};
use crate::i18n::{Key, Translations};

/// API key in use, if there is one.
#[derive(Clone, Copy)]
pub(in crate::app) struct Access {
    records: RwSignal<Option<Rc<Records>>>,
    is_rejected: RwSignal<bool>,
}

impl Access {
    pub(in crate::app) fn new() -> Self {
        Self {
            records: RwSignal::new(None),
            is_rejected: RwSignal::new(false),
        }
    }

    /// Returns the API client; `None` without a key, and after the view is disposed.
    pub(super) fn records(self) -> Option<Rc<Records>> {
        self.records.try_get_untracked().flatten()
    }

    /// Returns true if there is a key for the service at `base_url`. It is sent to no other.
    pub(super) fn is_open(self, base_url: &str) -> bool {
        let records = self.records.get();
        records.is_some_and(|records| records.base_url() == base_url)
    }

    /// Returns true if the service rejected the last key.
    pub(super) fn is_rejected(self) -> bool {
        self.is_rejected.get()
    }

    /// Drops the key.
    pub(super) fn clear(self) {
        self.is_rejected.set(false);
        self.records.set(None);
    }

    /// Drops the key of `records`, which the service rejected.
    pub(super) fn reject(self, records: &Rc<Records>) {
        let is_current = self
            .records()
            .is_some_and(|current| Rc::ptr_eq(&current, records));
        if is_current {
            self.is_rejected.set(true);
            self.records.set(None);
        }
    }

    /// Form for the API key of the service at `base_url`.
    pub(super) fn form(self, base_url: &str, texts: Translations) -> Node {
        let key = RwSignal::new(String::new());
        let is_rejected = self.is_rejected.get_untracked();
        let error_key = RwSignal::new(is_rejected.then_some(Key::ApiKeyRefused));
        let address = match base_url {
            "" => window().location().origin().unwrap_or_default(),
            address => address.to_owned(),
        };
        let base_url = base_url.to_owned();
        let form = el("form").class("card").attr("autocomplete", "off");
        let form_element = form.element();
        let submit = move |event: web_sys::Event| {
            event.prevent_default();
            let entered = key.get_untracked().trim().to_owned();
            if entered.is_empty() {
                error_key.set(Some(Key::ApiKeyMissing));
                focus_first_soon(form_element.clone(), "#api-key");
            } else if !is_safe_address(&base_url) {
                error_key.set(Some(Key::AddressInsecure));
            } else {
                // Only the API client holds the key now.
                key.set(String::new());
                self.is_rejected.set(false);
                self.records
                    .set(Some(Rc::new(Records::new(&base_url, &entered))));
            }
        };
        let error = Signal::derive(move || error_key.get().map(|key| texts.get(key).to_owned()));
        let field = view! {
            <TextField
                id="api-key"
                label=texts.get(Key::ApiKey)
                kind=TextKind::Password
                value=key
                error
                on_input=move |text| {
                    error_key.set(None);
                    key.set(text);
                }
            />
        };
        let text = texts.fill(Key::ApiKeyText, &[("address", &address)]);
        let form = form
            .on("submit", submit)
            .child(
                el("p")
                    .class("connect-text")
                    .child(texts.get(Key::DeprecatedText)),
            )
            .child(el("p").class("connect-text").child(text))
            .child(field)
            .child(
                el("button")
                    .class("button-primary")
                    .attr("type", "submit")
                    .child(texts.get(Key::OpenRecords)),
            );
        el("div").class("connect").child(form)
    }
}
