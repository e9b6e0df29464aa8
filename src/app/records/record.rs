//! One record: its values, and the forms that create, change and remove it.

use booking_ui::prelude::*;
use booking_wire::JsonMap;
use serde_json::Value;

use super::context::RecordsContext;
use super::fields::{CHANGED, Draft, query_params};
use super::form::{CHANGE_TIMEOUT_MS, FormError, FormState};
use super::input::{ZonedFormats, to_text};
use super::layout::{code, record_title, successor_note};
use super::resources::{Field, Input, ParentRecord, Presence, ResourceInfo};
use super::value;
use crate::client::Abort;
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{StatusLine, button, use_status_line};
use crate::i18n::Key;

/// State of a record's screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordMode {
    Viewing,
    /// Viewing after a form was closed: takes the focus.
    Returned,
    Editing,
    Removing,
}

/// Screen of the record with this id.
pub(super) fn record(context: RecordsContext, info: &'static ResourceInfo, id: &str) -> Node {
    let record_id = id.to_owned();
    let response =
        context.query(
            move || Some(record_id.clone()),
            move |records, id: String, abort| async move {
                records.find(info.resource, &id, abort).await
            },
        );
    let title = record_title(info, id, context.texts);
    let id = id.to_owned();
    let status = use_status_line();
    let content = context.loaded(response, move |record: &JsonMap| {
        let mode = RwSignal::new(RecordMode::Viewing);
        let open = OpenRecord {
            context,
            info,
            record: RwSignal::new(record.clone()),
            mode,
            status,
        };
        let id = id.clone();
        el("div").child_with(move || match mode.get() {
            RecordMode::Viewing | RecordMode::Returned => open.details(&id),
            RecordMode::Editing => open.edit_form(&id),
            RecordMode::Removing => fragment()
                .child(open.removal_form(&id))
                .child(open.values()),
        })
    });
    fragment().child(context.title(title)).child(content)
}

/// Loaded record with its screen state.
#[derive(Clone, Copy)]
struct OpenRecord {
    context: RecordsContext,
    info: &'static ResourceInfo,
    record: RwSignal<JsonMap>,
    mode: RwSignal<RecordMode>,
    status: StatusLine,
}

impl OpenRecord {
    fn values(self) -> Node {
        let parent = ParentRecord::Resource(self.info.resource.name);
        let record = self.record.get_untracked();
        value::list(self.context, parent, &record)
    }

    fn details(self, id: &str) -> Node {
        let Self {
            context,
            info,
            mode,
            ..
        } = self;
        let texts = context.texts;
        let action = |key: Key, next: RecordMode| {
            button("button", move || mode.set(next)).child(texts.get(key))
        };
        let lists = info.lists.iter().map(|(path, _)| {
            context
                .link(&[info.resource.name, id, path])
                .class("button")
                .child(code(path))
        });
        let edit = info
            .can_update()
            .then(|| action(Key::EditRole, RecordMode::Editing));
        let actions = el("div")
            .class("record-acts")
            .child(edit)
            .child(
                info.removal
                    .map(|removal| action(removal.name, RecordMode::Removing)),
            )
            .child(fragment_of(lists));
        if mode.get_untracked() == RecordMode::Returned {
            focus_first_soon(actions.element(), "button");
        }
        fragment()
            .child(actions)
            .child(self.values())
            .child(successor_note(info, context.texts))
    }

    /// Form that confirms the removal.
    fn removal_form(self, id: &str) -> Node {
        let Self {
            context,
            info,
            record,
            mode,
            status,
        } = self;
        let texts = context.texts;
        let Some(removal) = info.removal else {
            return fragment();
        };
        let draft = Draft::new(context, removal.fields.iter().copied(), |_, _| {
            String::new()
        });
        let state = FormState::new();
        let id = id.to_owned();
        let form = state.form(
            context,
            &draft,
            move |draft| {
                Some((
                    id.clone(),
                    query_params(removal.fields, &draft.create_values()?),
                ))
            },
            move |records, (id, query), abort| async move {
                records.remove(info.resource, &id, &query, abort).await?;
                if !removal.leaves_record {
                    return Ok(None);
                }
                let abort = Abort::after(CHANGE_TIMEOUT_MS);
                // The removal is done even if the record cannot be read.
                Ok(records.find(info.resource, &id, abort).await.ok())
            },
            move |remaining: Option<JsonMap>| match remaining {
                Some(remaining) => {
                    status.set_text(texts.get(Key::RecordSaved).to_owned());
                    record.set(remaining);
                    mode.set(RecordMode::Returned);
                }
                None => {
                    status.set_text(texts.get(Key::RecordDeleted).to_owned());
                    context.go(&[info.resource.name]);
                }
            },
        );
        let title = el("h2")
            .class("record-question")
            .attr("tabindex", "-1")
            .child(texts.get(Key::DeleteRecordTitle));
        focus_soon(&title);
        let keep = state.close_button(
            move || mode.set(RecordMode::Returned),
            texts.get(Key::KeepRole),
        );
        let fields = (!draft.is_empty()).then(|| draft.view("removal", |_| false));
        let name = texts.get(removal.name);
        let text = texts.get(Key::DeleteRecordText);
        form.child(title)
            .child(el("p").class("connect-text").child(text))
            .child(fields)
            .child(state.error_view())
            .child(state.delete_buttons(name, keep))
    }

    /// Form that changes the record.
    fn edit_form(self, id: &str) -> Node {
        let Self {
            context,
            info,
            record,
            mode,
            status,
        } = self;
        let texts = context.texts;
        let fields = info
            .fields
            .iter()
            .copied()
            .filter(|field| field.is_editable);
        let draft = Draft::new(context, fields, |field, formats| {
            record.with_untracked(|record| {
                let value = record.get(field.name).unwrap_or(&Value::Null);
                to_text(field.input, value, formats)
            })
        });
        let state = FormState::new();
        let (old_id, request_id) = (id.to_owned(), id.to_owned());
        let form = state.form(
            context,
            &draft,
            move |draft| {
                let changes = draft.changed_values()?;
                if changes.is_empty() {
                    let title = texts.get(Key::NothingChanged).to_owned();
                    let sentences = Vec::new();
                    state.error.set(Some(FormError { title, sentences }));
                    return None;
                }
                Some((request_id.clone(), changes))
            },
            move |records, (id, changes), abort| async move {
                records.change(info.resource, &id, &changes, abort).await
            },
            move |changed: JsonMap| {
                status.set_text(texts.get(Key::RecordSaved).to_owned());
                let new_id = info.resource.id_of(&changed);
                match new_id.filter(|new_id| *new_id != old_id) {
                    Some(new_id) => context.go(&[info.resource.name, &new_id]),
                    None => {
                        record.set(changed);
                        mode.set(RecordMode::Returned);
                    }
                }
            },
        );
        let close = state.close_button(
            move || mode.set(RecordMode::Returned),
            texts.get(Key::CloseForm),
        );
        focus_first_soon(form.element(), "input, select, textarea");
        form.child(draft.view(CHANGED, |_| false))
            .child(state.error_view())
            .child(state.buttons(texts.get(Key::SaveRole), close))
    }
}

/// Form that creates a record.
pub(super) fn new_record(context: RecordsContext, info: &'static ResourceInfo) -> Node {
    let texts = context.texts;
    let name = info.resource.name;
    let is_required = |field: &Field| field.on_create == Presence::Required;
    let fields = info
        .fields
        .iter()
        .filter(|field| field.on_create != Presence::Never);
    let initial_text = |field: &Field, formats: &ZonedFormats| match field.input {
        Input::Zone if is_required(field) => formats.zone.to_string(),
        _ => field.initial.to_owned(),
    };
    let all_fields = info.create_query().iter().chain(fields).copied();
    let draft = Draft::new(context, all_fields, initial_text);
    let state = FormState::new();
    let status = use_status_line();
    let form = state.form(
        context,
        &draft,
        move |draft| {
            let mut input = draft.create_values()?;
            let query = query_params(info.create_query(), &input);
            for (name, _) in &query {
                input.remove(*name);
            }
            Some((query, input))
        },
        move |records, (query, input), abort| async move {
            records.create(info.resource, &query, &input, abort).await
        },
        move |created: JsonMap| {
            status.set_text(texts.get(Key::RecordCreated).to_owned());
            match info.resource.id_of(&created) {
                Some(id) => context.go(&[name, &id]),
                None => context.go(&[name]),
            }
        },
    );
    let close = context
        .link(&[name])
        .class("button")
        .child(texts.get(Key::CloseForm));
    let title = record_title(info, texts.get(Key::NewRecord), texts);
    let form = form
        .child(el("p").class("hint").child(texts.get(Key::RequiredMark)))
        .child(draft.view("record", is_required))
        .child(state.error_view())
        .child(state.buttons(texts.get(Key::CreateRecord), close));
    fragment()
        .child(context.title(title))
        .child(form)
        .child(successor_note(info, context.texts))
}
