//! Form state of the visitor. Owned by the flow: it survives a lost slot, going back and a change
//! of time zone.

use std::rc::Rc;
use std::sync::Arc;

use booking_wire::{NewBooking, PublicEventType};
use leptos::prelude::{on_cleanup, window_event_listener_untyped};

use super::answers::{Answer, Answers};
use super::check::FieldError;
use super::model::{FieldErrors, Form, Occasion};
use super::{metadata, phone, prefill, stored_draft};
use crate::element::attributes::Config;
use crate::element::draft_store::DraftStore;
use crate::time::format::{browser_locales, browser_zone, is_zone_of};
use crate::ui::signal::{RwSignal, StoredValue};

/// Answers and their errors.
#[derive(Clone, Copy)]
pub struct Draft {
    pub(super) answers: RwSignal<Answers>,
    pub(super) errors: RwSignal<FieldErrors>,
    /// Slugs with an error when the form was last submitted.
    pub(super) failed: RwSignal<Vec<String>>,
    form: StoredValue<Option<Arc<Form>>>,
    kept: StoredValue<Option<Kept>>,
}

/// Storage of typed answers for the next view.
#[derive(Clone)]
struct Kept {
    store: DraftStore,
    config: Rc<Config>,
    key: String,
    /// Slugs that the visitor has answered. Prefilled answers are not stored.
    slugs: Vec<String>,
}

impl Draft {
    /// Creates an empty draft.
    pub fn new() -> Self {
        Self {
            answers: RwSignal::default(),
            errors: RwSignal::default(),
            failed: RwSignal::default(),
            form: StoredValue::default(),
            kept: StoredValue::default(),
        }
    }

    /// Form of `event_type`, with the page's prefill and, over that, the answers typed in an
    /// earlier view. Created once: later calls return the same form.
    pub fn form(
        self,
        event_type: &PublicEventType,
        config: &Config,
        store: &DraftStore,
    ) -> Arc<Form> {
        if let Some(form) = self.form.get_value() {
            return form;
        }
        let mut form = Form::of(event_type);
        let mut answers = self.answers.get_untracked();
        if form.may_ask_for_phone() {
            answers.country = usual_country(config.phone_country.as_deref());
        }
        let unknown = prefill::apply(&config.prefill, &mut form, &mut answers);
        if !unknown.is_empty() {
            leptos::logging::warn!(
                "<booking-picker>: prefill names what the form does not ask for: {}",
                unknown.join(", ")
            );
        }
        let key = Self::key(event_type, config);
        let typed = store.get(config, &key).unwrap_or_default();
        let kept = Kept {
            store: store.clone(),
            config: Rc::new(config.clone()),
            key,
            slugs: stored_draft::restore(&typed, &form, &mut answers),
        };
        self.kept.set_value(Some(kept));
        let search = if config.reads_utm {
            address_query()
        } else {
            String::new()
        };
        let (values, troubles) = metadata::collect(&config.metadata, &config.utm, &search);
        metadata::tell(&troubles);
        form.metadata = values;
        let form = Arc::new(form);
        self.answers.set(answers);
        self.form.set_value(Some(form.clone()));
        form
    }

    /// Key of the form's draft in a store.
    pub fn key(event_type: &PublicEventType, config: &Config) -> String {
        DraftStore::key(config, &event_type.id.to_string())
    }

    /// Writes the stored draft when the page is left, and when the view ends.
    pub(super) fn write_when_left(self) {
        let store = self
            .kept
            .with_value(|kept| Some(kept.as_ref()?.store.clone()));
        let Some(store) = store else { return };
        let leaving = store.clone();
        let hidden = window_event_listener_untyped("pagehide", move |_| leaving.flush());
        on_cleanup(move || {
            hidden.remove();
            store.flush();
        });
    }

    /// All answers.
    pub fn answers(self) -> Answers {
        self.answers.get()
    }

    /// Marks the questions that the service refused: pairs of request property and message. Returns
    /// true if any of them is asked here.
    pub fn refuse(self, complaints: &[(String, String)]) -> bool {
        let Some(form) = self.form.get_value() else {
            return false;
        };
        let answers = self.answers.get_untracked();
        let mut errors = FieldErrors::new();
        for (property, message) in complaints {
            if let Some(question) = form.question_of(property, &answers)
                && !errors.iter().any(|(slug, _)| *slug == question.slug)
            {
                errors.push((question.slug, FieldError::Refused(message.clone())));
            }
        }
        let is_known = !errors.is_empty();
        if is_known {
            self.complain(errors);
        }
        is_known
    }

    /// True if the service has refused the answer to a question of an unknown kind.
    pub fn refused_unknown(self) -> bool {
        let Some(form) = self.form.get_value() else {
            return false;
        };
        self.errors.with(|errors| {
            errors.iter().any(|(slug, complaint)| {
                matches!(complaint, FieldError::Refused(_))
                    && form
                        .questions
                        .iter()
                        .any(|question| question.is_unknown && question.slug == *slug)
            })
        })
    }

    /// Parses the answers into the request; `None` after showing every field error.
    pub(super) fn parse(self, form: &Form, occasion: &Occasion) -> Option<NewBooking> {
        let parsed = self
            .answers
            .with_untracked(|answers| form.parse(answers, occasion));
        match parsed {
            Ok(booking) => {
                self.complain(FieldErrors::new());
                Some(booking)
            }
            Err(errors) => {
                self.complain(errors);
                None
            }
        }
    }

    fn complain(self, errors: FieldErrors) {
        let slugs = errors.iter().map(|(slug, _)| slug.clone()).collect();
        self.errors.set(errors);
        self.failed.set(slugs);
    }

    pub(super) fn set(self, slug: &str, answer: Answer) {
        self.answers.update(|answers| answers.set(slug, answer));
        self.keep(slug);
        // The error concerns the previous answer.
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
    fn keep(self, slug: &str) {
        let kept = self.kept.try_update_value(|kept| {
            let kept = kept.as_mut()?;
            if !kept.slugs.iter().any(|known| known == slug) {
                kept.slugs.push(slug.to_owned());
            }
            Some(kept.clone())
        });
        if let Some(kept) = kept.flatten() {
            let draft = self
                .answers
                .with_untracked(|answers| stored_draft::written(answers, &kept.slugs));
            kept.store.keep(&kept.config, &kept.key, draft);
        }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self::new()
    }
}

/// Default country of phone numbers: the page's, else that of the visitor's time zone, else that of
/// their language.
fn usual_country(given: Option<&str>) -> &'static str {
    if let Some(country) = given.and_then(phone::country) {
        return country;
    }
    let zone = browser_zone();
    // Each check is slow in the browser, and zones such as `Etc/UTC` belong to no country.
    let is_somewhere = zone.0.contains('/') && !zone.0.starts_with("Etc/");
    let is_there = |country: &&'static str| is_somewhere && is_zone_of(&zone, country);
    let mut spoken = None;
    for language in browser_locales() {
        let region = language.rsplit_once('-').map_or("", |(_, region)| region);
        let Some(country) = phone::country(region) else {
            continue;
        };
        if is_there(&country) {
            return country;
        }
        spoken = spoken.or(Some(country));
    }
    let there = phone::countries().find(is_there);
    there.or(spoken).unwrap_or_default()
}

/// Query of the page's URL.
fn address_query() -> String {
    web_sys::window()
        .and_then(|window| window.location().search().ok())
        .unwrap_or_default()
}
