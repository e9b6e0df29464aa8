//! One record: its values, and the forms that create, change and remove it.

use std::future::Future;
use std::rc::Rc;

use booking_wire::JsonMap;
use leptos::task::spawn_local;
use serde_json::Value;

use super::controls::{CHANGED, Draft, query};
use super::input::{Place, typed};
use super::resources::{Asked, Field, Input, Kind, ParentRecord};
use super::{RecordsContext, code, value};
use crate::client::v1::{Records, is_unclear};
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{StatusLine, button, use_status_line};
use crate::features::shared::error_notice::error_text;
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::RwSignal;

/// Timeout of requests that change something.
const CHANGE_TIMEOUT_MS: u64 = 20_000;

/// State of a record's screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Looking,
    /// Viewing after a form was closed: takes the focus.
    Back,
    Changing,
    Removing,
}

/// Message about a failed or empty request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FormError {
    title: String,
    lines: Vec<String>,
}

/// Form state apart from the fields.
#[derive(Clone, Copy)]
struct Sending {
    is_busy: RwSignal<bool>,
    trouble: RwSignal<Option<FormError>>,
}

impl Sending {
    fn new() -> Self {
        Self {
            is_busy: RwSignal::new(false),
            trouble: RwSignal::new(None),
        }
    }

    /// Creates a form that sends the result of `prepare`, one request at a time, and calls `done` with the
    /// response while it is mounted.
    fn form<P, T, F>(
        self,
        desk: RecordsContext,
        draft: &Draft,
        prepare: impl Fn(&Draft) -> Option<P> + 'static,
        act: impl Fn(Rc<Records>, P, Abort) -> F + Clone + 'static,
        done: impl Fn(T) + Clone + 'static,
    ) -> Node
    where
        P: 'static,
        T: 'static,
        F: Future<Output = Result<T, ApiError>> + 'static,
    {
        let form = el("form").class("card record-form");
        let (place, draft) = (form.clone(), draft.clone());
        form.on("submit", move |event| {
            event.prevent_default();
            if self.is_busy.get_untracked() {
                return;
            }
            let Some(said) = prepare(&draft) else {
                draft.focus_first(&place);
                return;
            };
            self.is_busy.set(true);
            self.trouble.set(None);
            let (act, done) = (act.clone(), done.clone());
            let (draft, place) = (draft.clone(), place.clone());
            spawn_local(async move {
                let abort = Abort::after(CHANGE_TIMEOUT_MS);
                let result = desk.call(move |records| act(records, said, abort)).await;
                if self.is_busy.try_get_untracked().is_none() {
                    return;
                }
                self.is_busy.set(false);
                match result {
                    Ok(answer) => done(answer),
                    Err(error) => {
                        self.fail(desk, &draft, &error);
                        draft.focus_first(&place);
                    }
                }
            });
        })
    }

    /// Shows why the request failed, or that its outcome is unknown.
    fn fail(self, desk: RecordsContext, draft: &Draft, error: &ApiError) {
        let texts = desk.texts;
        let (title, line) = match is_unclear(error) {
            true => (
                texts.get(Key::RecordUnclearTitle).to_owned(),
                texts.get(Key::RecordUnclearText).to_owned(),
            ),
            false => error_text(error, texts),
        };
        let mut lines = vec![line];
        if let ApiError::Declined(DeclineReason::InvalidProperties(_, complaints)) = error {
            lines = draft.complain(complaints);
        }
        self.trouble.set(Some(FormError { title, lines }));
    }

    /// Error message, announced when it appears.
    fn view(self) -> Node {
        el("div")
            .class("record-trouble")
            .attr("role", "alert")
            .child_with(move || {
                self.trouble.get().map(|FormError { title, lines }| {
                    let lines = lines.iter().map(|line| el("p").child(line.as_str()));
                    el("div")
                        .class("records-warning")
                        .child(el("p").class("records-warning-title").child(title))
                        .child(fragment_of(lines))
                })
            })
    }

    /// Submit button, followed by `close`.
    fn buttons(self, class: &str, send: &str, close: Node) -> Node {
        let send = el("button")
            .class(class)
            .attr("type", "submit")
            .flag_with("aria-disabled", move || self.is_busy.get())
            .child(send);
        el("div").class("record-acts").child(send).child(close)
    }

    /// Button that closes a form, disabled during a request: its response would not be shown.
    fn closing(self, doing: RwSignal<Doing>, words: &str) -> Node {
        let close = move || {
            if !self.is_busy.get_untracked() {
                doing.set(Doing::Back);
            }
        };
        button("button", close)
            .flag_with("aria-disabled", move || self.is_busy.get())
            .child(words)
    }
}

/// Screen of the record with this id.
pub(super) fn record(desk: RecordsContext, kind: &'static Kind, id: &str) -> Node {
    let asked = id.to_owned();
    let found =
        desk.ask(
            move || Some(asked.clone()),
            move |records, id: String, abort| async move {
                records.find(kind.resource, &id, abort).await
            },
        );
    let title = named(desk, kind, id);
    let id = id.to_owned();
    let status = use_status_line();
    let shown = desk.answered(found, move |record: &JsonMap| {
        let doing = RwSignal::new(Doing::Looking);
        let open = Open {
            desk,
            kind,
            record: RwSignal::new(record.clone()),
            doing,
            status,
        };
        let id = id.clone();
        el("div").child_with(move || match doing.get() {
            Doing::Looking | Doing::Back => open.looked_at(&id),
            Doing::Changing => open.change(&id),
            Doing::Removing => fragment().child(open.removal(&id)).child(open.values()),
        })
    });
    fragment().child(desk.title(title)).child(shown)
}

/// Title of a record's screen.
pub(super) fn named(desk: RecordsContext, kind: &Kind, id: &str) -> Node {
    fragment()
        .child(desk.texts.get(kind.title))
        .child(" · ")
        .child(el("bdi").child(id))
}

/// Line about the resource's successor.
pub(super) fn replaced(desk: RecordsContext, kind: &Kind) -> Node {
    let words = match kind.successor {
        "" => desk.texts.get(Key::NoSuccessor).to_owned(),
        // Isolated as left-to-right text.
        path => {
            let path = format!("\u{2066}{path}\u{2069}");
            desk.texts.fill(Key::SuccessorIs, &[("path", &path)])
        }
    };
    el("p").class("records-replaced").child(words)
}

/// Loaded record with its screen state.
#[derive(Clone, Copy)]
struct Open {
    desk: RecordsContext,
    kind: &'static Kind,
    record: RwSignal<JsonMap>,
    doing: RwSignal<Doing>,
    status: StatusLine,
}

impl Open {
    fn values(self) -> Node {
        let within = ParentRecord::Resource(self.kind.resource.name);
        let record = self.record.get_untracked();
        value::list(self.desk, within, &record)
    }

    fn looked_at(self, id: &str) -> Node {
        let Self {
            desk, kind, doing, ..
        } = self;
        let texts = desk.texts;
        let act =
            |key: Key, next: Doing| button("button", move || doing.set(next)).child(texts.get(key));
        let lists = kind.lists.iter().map(|(path, _)| {
            desk.way(&[kind.resource.name, id, path])
                .class("button")
                .child(code(path))
        });
        let change = kind
            .is_changed()
            .then(|| act(Key::EditRole, Doing::Changing));
        let acts = el("div")
            .class("record-acts")
            .child(change)
            .child(
                kind.removal
                    .map(|removal| act(removal.name, Doing::Removing)),
            )
            .child(fragment_of(lists));
        if doing.get_untracked() == Doing::Back {
            focus_first_soon(acts.element(), "button");
        }
        fragment()
            .child(acts)
            .child(self.values())
            .child(replaced(desk, kind))
    }

    /// Form that confirms the removal.
    fn removal(self, id: &str) -> Node {
        let Self {
            desk,
            kind,
            record,
            doing,
            status,
        } = self;
        let texts = desk.texts;
        let Some(removal) = kind.removal else {
            return fragment();
        };
        let draft = Draft::new(desk, removal.fields.iter().copied(), |_, _| String::new());
        let sending = Sending::new();
        let id = id.to_owned();
        let form = sending.form(
            desk,
            &draft,
            move |draft| Some((id.clone(), query(removal.fields, &draft.made()?))),
            move |records, (id, query), abort| async move {
                records.remove(kind.resource, &id, &query, abort).await?;
                if !removal.leaves_record {
                    return Ok(None);
                }
                let abort = Abort::after(CHANGE_TIMEOUT_MS);
                // The removal is done even if the record cannot be read.
                Ok(records.find(kind.resource, &id, abort).await.ok())
            },
            move |left: Option<JsonMap>| match left {
                Some(left) => {
                    status.set_text(texts.get(Key::RecordSaved).to_owned());
                    record.set(left);
                    doing.set(Doing::Back);
                }
                None => {
                    status.set_text(texts.get(Key::RecordDeleted).to_owned());
                    desk.go(&[kind.resource.name]);
                }
            },
        );
        let title = el("h2")
            .class("record-question")
            .attr("tabindex", "-1")
            .child(texts.get(Key::DeleteRecordTitle));
        focus_soon(&title);
        let keep = sending.closing(doing, texts.get(Key::KeepRole));
        let fields = (!draft.is_empty()).then(|| draft.view("removal", |_| false));
        let name = texts.get(removal.name);
        let words = texts.get(Key::DeleteRecordText);
        form.child(title)
            .child(el("p").class("connect-text").child(words))
            .child(fields)
            .child(sending.view())
            .child(sending.buttons("button button-danger", name, keep))
    }

    fn change(self, id: &str) -> Node {
        let Self {
            desk,
            kind,
            record,
            doing,
            status,
        } = self;
        let texts = desk.texts;
        let fields = kind.fields.iter().copied().filter(|field| field.changes);
        let draft = Draft::new(desk, fields, |field, place| {
            record.with_untracked(|record| {
                let value = record.get(field.name).unwrap_or(&Value::Null);
                typed(field.input, value, place)
            })
        });
        let sending = Sending::new();
        let (before, named) = (id.to_owned(), id.to_owned());
        let form = sending.form(
            desk,
            &draft,
            move |draft| {
                let changes = draft.changed()?;
                if changes.is_empty() {
                    let title = texts.get(Key::NothingChanged).to_owned();
                    let lines = Vec::new();
                    sending.trouble.set(Some(FormError { title, lines }));
                    return None;
                }
                Some((named.clone(), changes))
            },
            move |records, (id, changes), abort| async move {
                records.change(kind.resource, &id, &changes, abort).await
            },
            move |changed: JsonMap| {
                status.set_text(texts.get(Key::RecordSaved).to_owned());
                let after = kind.resource.id_of(&changed);
                match after.filter(|after| *after != before) {
                    Some(after) => desk.go(&[kind.resource.name, &after]),
                    None => {
                        record.set(changed);
                        doing.set(Doing::Back);
                    }
                }
            },
        );
        let close = sending.closing(doing, texts.get(Key::CloseForm));
        focus_first_soon(form.element(), "input, select, textarea");
        form.child(draft.view(CHANGED, |_| false))
            .child(sending.view())
            .child(sending.buttons("button-primary", texts.get(Key::SaveRole), close))
    }
}

/// Form that creates a record.
pub(super) fn new(desk: RecordsContext, kind: &'static Kind) -> Node {
    let texts = desk.texts;
    let name = kind.resource.name;
    let is_needed = |field: &Field| field.made == Asked::Always;
    let fields = kind
        .fields
        .iter()
        .filter(|field| field.made != Asked::Never);
    let begin = |field: &Field, place: &Place| match field.input {
        Input::Zone if is_needed(field) => place.zone.to_string(),
        _ => field.begins.to_owned(),
    };
    let whole = kind.addressed().iter().chain(fields).copied();
    let draft = Draft::new(desk, whole, begin);
    let sending = Sending::new();
    let status = use_status_line();
    let form = sending.form(
        desk,
        &draft,
        move |draft| {
            let mut input = draft.made()?;
            let query = query(kind.addressed(), &input);
            for (name, _) in &query {
                input.remove(*name);
            }
            Some((query, input))
        },
        move |records, (query, input), abort| async move {
            records.create(kind.resource, &query, &input, abort).await
        },
        move |made: JsonMap| {
            status.set_text(texts.get(Key::RecordCreated).to_owned());
            match kind.resource.id_of(&made) {
                Some(id) => desk.go(&[name, &id]),
                None => desk.go(&[name]),
            }
        },
    );
    let close = desk
        .way(&[name])
        .class("button")
        .child(texts.get(Key::CloseForm));
    let title = named(desk, kind, texts.get(Key::NewRecord));
    let form = form
        .child(el("p").class("hint").child(texts.get(Key::RequiredMark)))
        .child(draft.view("record", is_needed))
        .child(sending.view())
        .child(sending.buttons("button-primary", texts.get(Key::CreateRecord), close));
    fragment()
        .child(desk.title(title))
        .child(form)
        .child(replaced(desk, kind))
}
