//! Version 1 of the API: lists, records and forms of its fifteen resources, which [`kinds`] describes. For
//! people with programs that still use it.

mod access;
mod controls;
mod input;
mod lists;
mod record;
pub mod resources;
mod value;

use std::future::Future;
use std::rc::Rc;

pub(super) use self::access::Access;
use self::resources::{KINDS, Kind};
use super::connection::Connection;
use super::shell::{Navigation, encode, link};
use crate::client::query::{Latest, Load, Resumed, latest};
use crate::client::v1::Records;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, icon};
use crate::element::settings::{Settings, use_settings};
use crate::features::shared::error_notice::{notice, problem};
use crate::features::shared::time_zone_bar::{chooser, zone_bar};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::time::{Clock, Formats};
use crate::ui::context::{provide_context, use_context};
use crate::ui::dom::{Child, Node, el, fragment, fragment_of};
use crate::ui::signal::{Signal, Trigger, effect};

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
    fn way(self, segments: &[&str]) -> Node {
        link(self.navigation, &path_of(segments))
    }

    fn go(self, segments: &[&str]) {
        self.navigation.go(&path_of(segments));
    }

    /// Title of a screen; takes the focus after an in-app link.
    fn title(self, words: impl Child) -> Node {
        let title = el("h1")
            .class("app-title")
            .attr("tabindex", "-1")
            .child(words);
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
    fn answered<T: 'static>(self, answer: Latest<T>, view: impl Fn(&T) -> Node + 'static) -> Node {
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
            .child_with(move || {
                answer.signal().with(|answer_now| match answer_now {
                    Load::Pending => el("p")
                        .class("records-wait")
                        .attr("role", "status")
                        .text_with(words),
                    Load::Failed(error) => problem(error, move || answer.reload()),
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
) -> Node {
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
    effect(move || {
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
            fragment()
                .child(desk.title(desk.texts.get(Key::Records)))
                .child(access.form(&address, desk.texts))
        })
    };
    let content = el("div")
        .attr_with("hidden", move || (!is_open.get()).then(String::new))
        .child_with(move || is_kept.get().then(|| screen(desk, &segments)));
    place.child_with(key).child(content)
}

fn screen(desk: RecordsContext, segments: &[String]) -> Node {
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let Some((name, rest)) = segments.split_first() else {
        return index(desk);
    };
    let Some(kind) = resources::kind(name) else {
        return not_found(desk);
    };
    let screen = match rest {
        [] => lists::list(desk, kind),
        ["new"] if kind.is_made() => record::new(desk, kind),
        [id] => record::record(desk, kind, id),
        [id, path @ ..] => lists::belonging(desk, kind, id, path),
    };
    fragment().child(trail(desk, kind, rest)).child(screen)
}

/// Table of all resources with their successors.
fn index(desk: RecordsContext) -> Node {
    let texts = desk.texts;
    let rows = KINDS.iter().map(|kind| {
        let name = kind.resource.name;
        el("tr")
            .child(
                el("th")
                    .attr("scope", "row")
                    .child(desk.way(&[name]).child(texts.get(kind.title))),
            )
            .child(el("td").child(code(&format!("/v1/{name}"))))
            .child(el("td").child(successor(kind, texts)))
    });
    let head = [Key::Resource, Key::VersionOne, Key::Successor]
        .map(|key| el("th").attr("scope", "col").child(texts.get(key)));
    let table = el("table")
        .class("records-table")
        .child(el("thead").child(el("tr").child(fragment_of(head))))
        .child(el("tbody").child(fragment_of(rows)));
    fragment()
        .child(desk.title(texts.get(Key::Records)))
        .child(el("p").class("app-lead").child(texts.get(Key::RecordsText)))
        .child(deprecation(desk))
        .child(framed(texts.get(Key::Records), table))
}

/// Deprecation notice, with a button that forgets the key.
fn deprecation(desk: RecordsContext) -> Node {
    let texts = desk.texts;
    let words = el("div")
        .child(
            el("p")
                .class("records-warning-title")
                .child(texts.get(Key::DeprecatedTitle)),
        )
        .child(el("p").child(texts.get(Key::DeprecatedText)));
    let forget = el("button")
        .class("button")
        .attr("type", "button")
        .on("click", move |_| desk.access.forget())
        .child(texts.get(Key::ForgetKey));
    el("div")
        .class("records-warning")
        .attr("role", "note")
        .child(icon(Shape::Alert))
        .child(words)
        .child(forget)
}

/// Breadcrumbs and the time zone control.
fn trail(desk: RecordsContext, kind: &Kind, rest: &[&str]) -> Node {
    let texts = desk.texts;
    let name = kind.resource.name;
    let here = rest.split_last().map(|(_, before)| before);
    let mut items = vec![desk.way(&[]).child(texts.get(Key::Records))];
    if let Some(before) = here {
        items.push(desk.way(&[name]).child(texts.get(kind.title)));
        if let Some(id) = before.first() {
            items.push(desk.way(&[name, id]).child(el("bdi").child(*id)));
        }
    }
    let items = items.into_iter().map(|item| el("li").child(item));
    let clock = use_context::<Clock>().unwrap_or_else(Clock::browser);
    let now = clock.now();
    el("div")
        .class("records-top")
        .child(
            el("nav")
                .attr("aria-label", texts.get(Key::Records))
                .child(el("ol").class("records-trail").child(fragment_of(items))),
        )
        .child(zone_bar(false, Signal::derive(move || now), chooser))
}

/// Successor of a resource.
fn successor(kind: &Kind, texts: Translations) -> Node {
    match kind.successor {
        "" => el("span")
            .class("record-aside")
            .child(texts.get(Key::NoSuccessor)),
        path => code(path),
    }
}

/// Name from the API, as code.
fn code(words: &str) -> Node {
    el("code")
        .class("record-word")
        .attr("translate", "no")
        .attr("dir", "ltr")
        .child(words)
}

/// Table in a frame that scrolls if it is too wide.
fn framed(name: &str, table: Node) -> Node {
    el("div")
        .class("records-frame")
        .attr("role", "region")
        .attr("aria-label", name)
        .attr("tabindex", "0")
        .child(table)
}

fn not_found(desk: RecordsContext) -> Node {
    let title = desk.title(desk.texts.get(Key::NotFoundTitle));
    fragment()
        .child(title)
        .child(
            el("p")
                .class("app-lead")
                .child(desk.texts.get(Key::NotFoundText)),
        )
        .child(
            desk.way(&[])
                .class("button-primary")
                .child(desk.texts.get(Key::Records)),
        )
}

/// Empty state of a list.
fn none(texts: Translations) -> Node {
    notice(
        Shape::Search,
        texts.get(Key::NoRecordsTitle),
        texts.get(Key::NoRecordsText),
    )
}
