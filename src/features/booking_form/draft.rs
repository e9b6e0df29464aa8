//! Form state of the visitor. Owned by the flow: it survives a lost slot, going back and a change
//! of time zone.

pub(super) mod remembered;
pub(super) mod stored_draft;

use std::rc::Rc;
use std::sync::Arc;

use booking_ui::prelude::*;
use booking_wire::{JsonMap, NewBooking, PublicEventType};

use super::email_domain::suggested_domain;
use super::model::{BookingContext, FieldErrors, Form};
use super::validation::FieldError;
use super::values::{FieldValue, FieldValues};
use super::{phone, prefill};
use crate::page::attributes::Config;
use crate::page::draft_store::DraftStore;

/// Field values and their errors.
#[derive(Clone, Copy)]
pub struct Draft {
    pub(super) values: RwSignal<FieldValues>,
    pub(super) errors: RwSignal<FieldErrors>,
    /// Slugs with an error when the form was last submitted.
    pub(super) failed: RwSignal<Vec<String>>,
    /// Slugs of folded fields that were shown.
    pub(super) unfolded: RwSignal<Vec<String>>,
    /// Name of the visitor whose details this device has remembered, if the form shows them.
    pub(super) person: RwSignal<Option<String>>,
    /// True if this device is to remember the visitor.
    pub(super) remembers: RwSignal<bool>,
    /// Address that was last asked about, as its domain looks misspelt.
    pub(super) asked_about: StoredValue<String>,
    /// Number of submissions that asked so.
    pub(super) questions: RwSignal<u32>,
    /// Part of a long form that is shown.
    pub(super) part: RwSignal<usize>,
    form: StoredValue<Option<Arc<Form>>>,
    /// Values of the page that were last filled in.
    page_values: StoredValue<JsonMap>,
    stored: StoredValue<Option<StoredDraft>>,
}

/// Storage of typed values for the next view.
#[derive(Clone)]
struct StoredDraft {
    store: DraftStore,
    config: Rc<Config>,
    key: String,
    /// Slugs that the visitor has filled in. Prefilled values are not stored.
    slugs: Vec<String>,
}

impl Draft {
    /// Creates an empty draft.
    pub fn new() -> Self {
        Self {
            values: RwSignal::default(),
            errors: RwSignal::default(),
            failed: RwSignal::default(),
            unfolded: RwSignal::default(),
            person: RwSignal::default(),
            remembers: RwSignal::default(),
            asked_about: StoredValue::default(),
            questions: RwSignal::default(),
            part: RwSignal::default(),
            form: StoredValue::default(),
            page_values: StoredValue::default(),
            stored: StoredValue::default(),
        }
    }

    /// Form of `event_type`, with the page's prefill, over that the values typed in an earlier view, and what was
    /// suggested for the other fields. Created once: later calls return the same form, with the prefill as it is then.
    pub fn form(
        self,
        event_type: &PublicEventType,
        config: &Config,
        store: &DraftStore,
    ) -> Arc<Form> {
        if let Some(form) = self.form.get_value() {
            store.keep_in_entry(config, &Self::key(event_type, config));
            self.fill_in(&config.prefill);
            return form;
        }
        let mut form = Form::of(event_type);
        let suggested = self.values.get_untracked();
        let mut values = FieldValues::default();
        if form.has_phone_field() {
            values.country = phone::default_country(config.phone_country.as_deref());
        }
        let unknown = prefill::apply(&config.prefill, &mut form, &mut values);
        if !unknown.is_empty() {
            console_warn(&format!(
                "<booking-picker>: prefill names what the form does not ask for: {}",
                unknown.join(", ")
            ));
        }
        let key = Self::key(event_type, config);
        let typed = store.get(config, &key).unwrap_or_default();
        let stored = StoredDraft {
            store: store.clone(),
            config: Rc::new(config.clone()),
            key,
            slugs: stored_draft::restore(&typed, &form, &mut values),
        };
        stored_draft::suggest(&suggested, &form, &mut values);
        if config.asks_to_remember
            && let Some(person) = remembered::read()
        {
            stored_draft::suggest(&person, &form, &mut values);
            let is_shown = remembered::FIELDS.map(|slug| values.text(slug) == person.text(slug));
            let name = person.text("name").to_owned();
            self.person.set((is_shown == [true; 2]).then_some(name));
            self.remembers.set(true);
        }
        if !stored.slugs.is_empty() {
            let is_complete = |part: &usize| form.errors(&values, Some(*part)).is_empty();
            let last = form.parts().len() - 1;
            self.part.set((0..last).take_while(is_complete).count());
        }
        self.stored.set_value(Some(stored));
        let form = Arc::new(form);
        self.page_values.set_value(config.prefill.clone());
        self.values.set(values);
        self.form.set_value(Some(form.clone()));
        form
    }

    /// Fills in what the page says now, such as the name of a visitor who has signed in since. What the visitor has typed
    /// stays.
    pub fn fill_in(self, page_values: &JsonMap) {
        let Some(form) = self.form.get_value() else {
            return;
        };
        if self.page_values.with_value(|known| known == page_values) {
            return;
        }
        self.page_values.set_value(page_values.clone());
        let typed = self.stored.with_value(|stored| {
            let slugs = stored.as_ref().map(|stored| stored.slugs.clone());
            slugs.unwrap_or_default()
        });
        self.values.update(|values| {
            let mut filled = values.with_only(&typed);
            prefill::apply(page_values, &mut (*form).clone(), &mut filled);
            values.set_all(filled);
        });
    }

    /// Fills in texts that neither the page nor the visitor has given, such as the name in the booking that was on
    /// screen. They are not stored.
    pub fn suggest(self, texts: &[(&str, &str)]) {
        let mut suggested = FieldValues::default();
        for (slug, text) in texts {
            suggested.set(slug, FieldValue::Text((*text).to_owned()));
        }
        match self.form.get_value() {
            Some(form) => self
                .values
                .update(|values| stored_draft::suggest(&suggested, &form, values)),
            // The form is created with them.
            None => self.values.set(suggested),
        }
    }

    /// Remembers the visitor on this device, or forgets them, as the form's box says.
    pub fn remember(self, config: &Config) {
        if !config.asks_to_remember {
            return;
        }
        if self.remembers.get_untracked() {
            self.values.with_untracked(remembered::write);
        } else {
            remembered::forget();
        }
    }

    /// False if the page has set the e-mail address for good.
    pub fn may_change_email(self) -> bool {
        self.form.with_value(|form| {
            let mut fields = form.iter().flat_map(|form| &form.fields);
            !fields.any(|field| field.slug == "email" && (field.is_read_only || field.is_hidden))
        })
    }

    /// Replaces the e-mail address, for another booking. It is not stored: what was typed has been booked.
    pub fn replace_email(self, email: &str) {
        let email = FieldValue::Text(email.to_owned());
        self.values.update(|values| values.set("email", email));
    }

    /// Key of the form's draft in a store.
    pub fn key(event_type: &PublicEventType, config: &Config) -> String {
        DraftStore::key(config, &event_type.id.to_string())
    }

    /// Writes the stored draft when the page is left, and when the view ends.
    pub(super) fn flush_on_leave(self) {
        let store = self
            .stored
            .with_value(|stored| Some(stored.as_ref()?.store.clone()));
        let Some(store) = store else { return };
        let leaving = store.clone();
        listen_to(&window(), "pagehide", move |_| leaving.flush());
        on_cleanup(move || store.flush());
    }

    /// All values.
    pub fn values(self) -> FieldValues {
        self.values.get()
    }

    /// Marks the fields that the service rejected: pairs of request property and message. Returns
    /// true if any of them is in the form.
    pub fn show_service_errors(self, service_errors: &[(String, String)]) -> bool {
        let Some(form) = self.form.get_value() else {
            return false;
        };
        let values = self.values.get_untracked();
        let mut errors = FieldErrors::new();
        for (property, message) in service_errors {
            if let Some(field) = form.field_of_property(property, &values)
                && !errors.iter().any(|(slug, _)| *slug == field.slug)
            {
                errors.push((field.slug, FieldError::Rejected(message.clone())));
            }
        }
        let is_known = !errors.is_empty();
        if is_known {
            self.show_errors(errors);
        }
        is_known
    }

    /// True if the service has rejected the value of a field of an unknown kind.
    pub fn has_rejected_unknown_field(self) -> bool {
        let Some(form) = self.form.get_value() else {
            return false;
        };
        self.errors.with(|errors| {
            errors.iter().any(|(slug, error)| {
                matches!(error, FieldError::Rejected(_))
                    && form
                        .fields
                        .iter()
                        .any(|field| field.is_unknown && field.slug == *slug)
            })
        })
    }

    /// Parses the values into the request; `None` after showing every field error.
    pub(super) fn parse(self, form: &Form, context: &BookingContext) -> Option<NewBooking> {
        let parsed = self
            .values
            .with_untracked(|values| form.parse(values, context));
        match parsed {
            Ok(booking) => {
                self.show_errors(FieldErrors::new());
                Some(booking)
            }
            Err(errors) => {
                self.show_errors(errors);
                None
            }
        }
    }

    /// Asks about an address whose domain looks misspelt, once: a visitor who sends the form at once sees the suggestion
    /// first.
    pub(super) fn asks_about_domain(self) -> bool {
        let address = self
            .values
            .with_untracked(|values| values.text("email").to_owned());
        let was_asked = self.asked_about.with_value(|asked| *asked == address);
        if was_asked || suggested_domain(&address).is_none() {
            return false;
        }
        self.asked_about.set_value(address);
        self.questions.update(|number| *number += 1);
        true
    }

    /// Goes on to the next part of the form; false after showing the errors of this one.
    pub(super) fn complete_part(self, form: &Form) -> bool {
        let part = self.part.get_untracked();
        let errors = self
            .values
            .with_untracked(|values| form.errors(values, Some(part)));
        let is_complete = errors.is_empty();
        self.show_errors(errors);
        if is_complete {
            self.part.set(part + 1);
        }
        is_complete
    }

    fn show_errors(self, errors: FieldErrors) {
        let form = self.form.get_value();
        let part_of = |(slug, _): &(String, FieldError)| Some(form.as_ref()?.part_of(slug));
        if let Some(first) = errors.iter().filter_map(part_of).min() {
            self.part.set(first);
        }
        let slugs = errors.iter().map(|(slug, _)| slug.clone()).collect();
        self.errors.set(errors);
        self.failed.set(slugs);
    }

    pub(super) fn set(self, slug: &str, value: FieldValue) {
        self.values.update(|values| values.set(slug, value));
        self.store_value(slug);
        // The error concerns the previous value.
        if self
            .errors
            .with_untracked(|errors| errors.iter().any(|(known, _)| known == slug))
        {
            self.errors
                .update(|errors| errors.retain(|(known, _)| known != slug));
        }
    }
}

impl Draft {
    fn store_value(self, slug: &str) {
        let stored = self.stored.try_update_value(|stored| {
            let stored = stored.as_mut()?;
            if !stored.slugs.iter().any(|known| known == slug) {
                stored.slugs.push(slug.to_owned());
            }
            Some(stored.clone())
        });
        if let Some(stored) = stored.flatten() {
            let draft = self
                .values
                .with_untracked(|values| stored_draft::to_json(values, &stored.slugs));
            stored.store.keep(&stored.config, &stored.key, draft);
        }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use booking_wire::Read;
    use serde_json::json;

    use super::*;

    #[test]
    fn address_of_the_page_may_not_be_changed() {
        Owner::new().with(|| {
            for (email, expected) in [
                (json!("ada@example.org"), true),
                (json!({"value": "ada@example.org", "readOnly": true}), false),
                (json!({"value": "ada@example.org", "hidden": true}), false),
            ] {
                let event_type = PublicEventType::read(&json!({"id": 1})).unwrap();
                let (mut form, mut values) = (Form::of(&event_type), FieldValues::default());
                let page_values = json!({"email": email}).as_object().unwrap().clone();
                prefill::apply(&page_values, &mut form, &mut values);
                let draft = Draft::new();
                draft.form.set_value(Some(Arc::new(form)));
                assert_eq!(draft.may_change_email(), expected, "{page_values:?}");
            }
        });
    }
}
