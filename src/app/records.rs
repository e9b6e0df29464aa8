//! Version 1 of the API: lists, records and forms of its fifteen resources, which [`kinds`] describes. For
//! people with programs that still use it.

mod access;
mod controls;
pub mod kinds;
mod lists;
mod record;
mod said;
mod value;

use std::future::Future;
use std::rc::Rc;

pub(super) use self::access::Access;
use self::kinds::{KINDS, Kind};
use super::connection::Connection;
use super::shell::{Navigation, encode, link};
use crate::api::v1::Records;
use crate::api::{Abort, ApiError, DeclineReason};
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, icon};
use crate::context::{provide_context, use_context};
use crate::dom::{Child, Html, el, nothing, row};
use crate::features::{Settings, use_settings};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::load::{Latest, Load, Resumed, latest};
use crate::problem::{notice, problem};
use crate::signal::{Signal, Trigger, follow};
use crate::time::{Clock, Formats};
use crate::zone_bar::{chooser, zone_bar};

/// Shared dependencies of the records screens.
#[derive(Clone, Copy)]
struct RecordsContext {
    navigation: Navigation,
    access: Access,
    settings: Settings,
    formats: Formats,
    texts: Translations,
}

impl RecordsContext {
    /// Link to another records screen.
    fn way(self, segments: &[&str]) -> Html {
        link(self.navigation, &path_of(segments))
    }

    fn go(self, segments: &[&str]) {
        self.navigation.go(&path_of(segments));
    }

    /// Title of a screen; takes the focus after an in-app link.
    fn title(self, words: impl Child) -> Html {
        let title = el("h1")
            .class("app-title")
            .attr("tabindex", "-1")
            .add(words);
        if self.navigation.takes_focus() {
            focus_soon(&title);
        }
        title
    }

    /// Sends a request. If the key is rejected, the person is asked for another.
    async fn call<T, F>(self, act: impl FnOnce(Rc<Records>) -> F) -> Result<T, ApiError>
    where
        F: Future<Output = Result<T, ApiError>>,
    {
        let Some(records) = self.access.records() else {
            return Err(ApiError::Declined(DeclineReason::SignInNeeded));
        };
        let result = act(Rc::clone(&records)).await;
        if let Err(ApiError::Declined(DeclineReason::SignInNeeded)) = result {
            self.access.refuse(&records);
        }
        result
    }

    /// Sends a request whenever `question` changes.
    fn ask<Q, T, F>(
        self,
        question: impl Fn() -> Option<Q> + 'static,
        act: impl Fn(Rc<Records>, Q, Abort) -> F + Clone + 'static,
    ) -> Latest<T>
    where
        Q: Clone + PartialEq + 'static,
        T: 'static,
        F: Future<Output = Result<T, ApiError>> + 'static,
    {
        latest(question, move |question, abort| {
            let act = act.clone();
            self.call(move |records| act(records, question, abort))
        })
    }

    /// Shows the loaded data, the loading state or the error.
    fn answered<T: 'static>(self, answer: Latest<T>, view: impl Fn(&T) -> Html + 'static) -> Html {
        let busy = move || answer.is_busy().get();
        let words = move || {
            let key = match answer.is_slow().get() {
                true => Key::StillLoading,
                false => Key::Loading,
            };
            self.texts.get(key).to_owned()
        };
        el("div")
            .class("records-body")
            .flag_with("aria-busy", busy)
            .show(move || {
                answer.signal().with(|answer_now| match answer_now {
                    Load::Pending => el("p")
                        .class("records-wait")
                        .attr("role", "status")
                        .text_with(words),
                    Load::Failed(error) => problem(error, move || answer.again()),
                    Load::Ready(found) => view(found),
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

/// Screen of the path `segments` after `/records`.
pub(super) fn records(
    segments: Vec<String>,
    connection: Connection,
    navigation: Navigation,
    access: Access,
) -> Html {
    let desk = RecordsContext {
        navigation,
        access,
        settings: use_settings(),
        formats: use_formats(),
        texts: use_texts(),
    };
    let base_url = connection.session().base_url().to_owned();
    let address = base_url.clone();
    let is_open = Signal::memo(move || access.is_open(&base_url));
    // After a rejected key, the screen keeps the typed text.
    let is_kept = Signal::memo_after(move |before| {
        is_open.get() || before == Some(&true) && access.is_refused()
    });
    let resumed = Trigger::new();
    provide_context(Resumed(resumed));
    let place = el("div").class("records");
    let root = place.element();
    let mut was_open = None;
    follow(move || {
        let is_open = is_open.get();
        match was_open {
            Some(false) if is_open => {
                resumed.notify();
                focus_first_soon(root.clone(), "h1");
            }
            Some(true) if !is_open => focus_first_soon(root.clone(), "#api-key"),
            _ => {}
        }
        was_open = Some(is_open);
    });
    let key = move || {
        (!is_open.get()).then(|| {
            nothing()
                .add(desk.title(desk.texts.get(Key::Records)))
                .add(access.form(&address, desk.texts))
        })
    };
    let content = el("div")
        .attr_with("hidden", move || (!is_open.get()).then(String::new))
        .show(move || is_kept.get().then(|| screen(desk, &segments)));
    place.show(key).add(content)
}

fn screen(desk: RecordsContext, segments: &[String]) -> Html {
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let Some((name, rest)) = segments.split_first() else {
        return index(desk);
    };
    let Some(kind) = kinds::kind(name) else {
        return not_found(desk);
    };
    let screen = match rest {
        [] => lists::list(desk, kind),
        ["new"] if kind.is_made() => record::new(desk, kind),
        [id] => record::record(desk, kind, id),
        [id, path @ ..] => lists::belonging(desk, kind, id, path),
    };
    nothing().add(trail(desk, kind, rest)).add(screen)
}

/// Table of all resources with their successors.
fn index(desk: RecordsContext) -> Html {
    let texts = desk.texts;
    let rows = KINDS.iter().map(|kind| {
        let name = kind.resource.name;
        el("tr")
            .add(
                el("th")
                    .attr("scope", "row")
                    .add(desk.way(&[name]).add(texts.get(kind.title))),
            )
            .add(el("td").add(code(&format!("/v1/{name}"))))
            .add(el("td").add(successor(kind, texts)))
    });
    let head = [Key::Resource, Key::VersionOne, Key::Successor]
        .map(|key| el("th").attr("scope", "col").add(texts.get(key)));
    let table = el("table")
        .class("records-table")
        .add(el("thead").add(el("tr").add(row(head))))
        .add(el("tbody").add(row(rows)));
    nothing()
        .add(desk.title(texts.get(Key::Records)))
        .add(el("p").class("app-lead").add(texts.get(Key::RecordsText)))
        .add(deprecation(desk))
        .add(framed(texts.get(Key::Records), table))
}

/// Deprecation notice, with a button that forgets the key.
fn deprecation(desk: RecordsContext) -> Html {
    let texts = desk.texts;
    let words = el("div")
        .add(
            el("p")
                .class("records-warning-title")
                .add(texts.get(Key::DeprecatedTitle)),
        )
        .add(el("p").add(texts.get(Key::DeprecatedText)));
    let forget = el("button")
        .class("button")
        .attr("type", "button")
        .on("click", move |_| desk.access.forget())
        .add(texts.get(Key::ForgetKey));
    el("div")
        .class("records-warning")
        .attr("role", "note")
        .add(icon(Shape::Alert))
        .add(words)
        .add(forget)
}

/// Breadcrumbs and the time zone control.
fn trail(desk: RecordsContext, kind: &Kind, rest: &[&str]) -> Html {
    let texts = desk.texts;
    let name = kind.resource.name;
    let here = rest.split_last().map(|(_, before)| before);
    let mut items = vec![desk.way(&[]).add(texts.get(Key::Records))];
    if let Some(before) = here {
        items.push(desk.way(&[name]).add(texts.get(kind.title)));
        if let Some(id) = before.first() {
            items.push(desk.way(&[name, id]).add(el("bdi").add(*id)));
        }
    }
    let items = items.into_iter().map(|item| el("li").add(item));
    let clock = use_context::<Clock>().unwrap_or_else(Clock::browser);
    let now = clock.now();
    el("div")
        .class("records-top")
        .add(
            el("nav")
                .attr("aria-label", texts.get(Key::Records))
                .add(el("ol").class("records-trail").add(row(items))),
        )
        .add(zone_bar(false, Signal::derive(move || now), chooser))
}

/// Successor of a resource.
fn successor(kind: &Kind, texts: Translations) -> Html {
    match kind.successor {
        "" => el("span")
            .class("record-aside")
            .add(texts.get(Key::NoSuccessor)),
        path => code(path),
    }
}

/// Name from the API, as code.
fn code(words: &str) -> Html {
    el("code")
        .class("record-word")
        .attr("translate", "no")
        .attr("dir", "ltr")
        .add(words)
}

/// Table in a frame that scrolls if it is too wide.
fn framed(name: &str, table: Html) -> Html {
    el("div")
        .class("records-frame")
        .attr("role", "region")
        .attr("aria-label", name)
        .attr("tabindex", "0")
        .add(table)
}

fn not_found(desk: RecordsContext) -> Html {
    let title = desk.title(desk.texts.get(Key::NotFoundTitle));
    nothing()
        .add(title)
        .add(
            el("p")
                .class("app-lead")
                .add(desk.texts.get(Key::NotFoundText)),
        )
        .add(
            desk.way(&[])
                .class("button-primary")
                .add(desk.texts.get(Key::Records)),
        )
}

/// Empty state of a list.
fn none(texts: Translations) -> Html {
    notice(
        Shape::Search,
        texts.get(Key::NoRecordsTitle),
        texts.get(Key::NoRecordsText),
    )
}
