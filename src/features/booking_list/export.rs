//! Exports the selected or all matching bookings as a file for spreadsheets or calendars.
//!
//! Only one export runs at a time. Its panel keeps its place while the list remains usable.

mod csv;
mod ics;
mod job;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{HtmlElement, Url};

use super::list_state::List;
use super::pagination::{RetryPolicy, Walk};
use super::scope::Scope;
use crate::client::ApiError;
use crate::client::query::Load;
use crate::components::{
    Shape, StatusLine, button,
    focus::{focus_first_soon, keep_focus},
    heading, icon, use_status_line,
};
use crate::element::settings::use_clock;
use crate::element::team_events::TeamEvent;
use crate::features::shared::error_notice::words;
use crate::i18n::{Key, Translations};
use crate::time::{Clock, sleep};
use crate::ui::context::{provide_context, use_context};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::{RwSignal, StoredValue, follow};
use job::{Format, Job, Manner, Source, Turn};

/// Polling interval for the event types and their booking questions.
const LOOK_MS: i64 = 100;

/// Selector of the panel's focus target.
const FIRST: &str = ".export-ways > *";

/// State of an export.
#[derive(Clone, Debug)]
enum ExportState {
    /// No export.
    Closed,
    /// Choice of the file format.
    Choosing,
    /// Running.
    Running,
    /// Error, until resumed.
    Stopped(ApiError),
    /// Finished.
    Done(File),
}

/// Exported file.
#[derive(Clone, Debug)]
struct File {
    count: usize,
    /// Number of unreadable bookings.
    odd: usize,
    name: String,
    address: String,
}

/// Export of a list.
#[derive(Clone, Copy)]
pub(super) struct Exporter {
    list: List,
    clock: Clock,
    line: StatusLine,
    stage: RwSignal<ExportState>,
    scope: RwSignal<Option<Scope>>,
    /// Bookings written, and the total if known.
    done: RwSignal<(usize, Option<usize>)>,
    /// Seconds until the next retry.
    waits_s: RwSignal<Option<i64>>,
    patience: StoredValue<Option<RetryPolicy>>,
    /// The stopped export.
    job: StoredValue<Option<Job>>,
    place: StoredValue<Option<HtmlElement>>,
}

/// Provides the export of `list` as a context.
pub(super) fn provide(list: List) {
    let exporter = Exporter {
        list,
        clock: use_clock(),
        line: use_status_line(),
        stage: RwSignal::new(ExportState::Closed),
        scope: RwSignal::new(None),
        done: RwSignal::new((0, None)),
        waits_s: RwSignal::new(None),
        patience: StoredValue::new(None),
        job: StoredValue::new(None),
        place: StoredValue::new(None),
    };
    on_cleanup(move || exporter.let_go());
    provide_context(exporter);
}

/// Panel with the export's state.
pub(super) fn export_panel(list: List) -> Node {
    let Some(exporter) = use_context::<Exporter>() else {
        return fragment();
    };
    let panel = el("div").class("export-place");
    exporter.place.set_value(Some(panel.element()));
    let panel = panel.child_with(move || exporter.view());
    follow(move || {
        if let Some(scope) = list.exported.get() {
            list.exported.set(None);
            exporter.open(scope);
        }
    });
    panel
}

impl Exporter {
    fn open(self, scope: Scope) {
        let is_busy = self.stage.with_untracked(|stage| {
            matches!(stage, ExportState::Running | ExportState::Stopped(_))
        });
        if !is_busy {
            self.let_go();
            self.scope.set(Some(scope));
            self.stage.set(ExportState::Choosing);
        }
        self.focus();
    }

    fn start(self, format: Format) {
        let Some(scope) = self.scope.get_untracked() else {
            return;
        };
        self.let_go();
        let patience = RetryPolicy::telling(self.waits_s);
        self.patience.set_value(Some(patience.clone()));
        self.done.set((0, None));
        self.show(ExportState::Running);
        spawn_local(async move {
            if let Some(job) = self.prepare(format, scope, patience.clone()).await {
                self.run(job, patience).await;
            }
        });
    }

    /// Prepares the job. Questions of event types decide its columns.
    async fn prepare(self, format: Format, scope: Scope, patience: RetryPolicy) -> Option<Job> {
        let task = self.place.in_task(self.list);
        let event_types = loop {
            let list = task.get().filter(|_| !patience.is_stopped())?;
            let known = list.event_types.with_untracked(|known| match known {
                Load::Pending => None,
                Load::Ready(known) => Some(known.clone()),
                Load::Failed(_) => Some(Vec::new()),
            });
            if let Some(known) = known {
                break known;
            }
            sleep(LOOK_MS).await;
        };
        let List {
            texts,
            formats,
            settings,
            ..
        } = task.get()?;
        let manner = Manner {
            texts,
            formats,
            zone: settings.zone.get_untracked(),
            now: self.clock.now(),
            event_types,
        };
        let source = match scope {
            Scope::These(bookings) => Source::These(bookings),
            Scope::Matching { query, total } => {
                Source::Walk(Box::new(Walk::over(self.list, query, total, patience)))
            }
        };
        Some(Job::new(format, source, manner))
    }

    async fn run(self, mut job: Job, patience: RetryPolicy) {
        let task = self.place.in_task(self);
        loop {
            let turn = job.turn().await;
            // The result is of no use once the list is unmounted.
            let Some(this) = task.get().filter(|_| !patience.is_stopped()) else {
                return;
            };
            match turn {
                Turn::Goes => self.done.set((job.count(), job.total())),
                Turn::Failed(error) => {
                    let (title, _) = words(&error, self.list.texts);
                    self.job.set_value(Some(job));
                    self.show(ExportState::Stopped(error));
                    self.line.set_text(title);
                    return;
                }
                Turn::Done => return this.finish(&job),
                Turn::Stopped => return,
            }
        }
    }

    fn go_on(self) {
        let job = self.job.try_update_value(Option::take).flatten();
        let patience = self.patience.get_value();
        if let (Some(job), Some(patience)) = (job, patience) {
            self.show(ExportState::Running);
            spawn_local(self.run(job, patience));
        }
    }

    fn finish(self, job: &Job) {
        let texts = self.list.texts;
        let count = job.count();
        let zone = self.list.settings.zone.get_untracked();
        let today = self.list.formats.day_of(self.clock.now(), &zone);
        let format = job.format.name();
        let file = File {
            count,
            odd: job.odd(),
            name: format!("bookings-{today}.{format}"),
            // No file without bookings.
            address: job.address().filter(|_| count > 0).unwrap_or_default(),
        };
        if !file.address.is_empty() {
            link(&file).element().click();
        }
        self.line.set_text(done_words(&file, texts));
        self.show(ExportState::Done(file));
        // Last: the page may unmount the list.
        self.list
            .page()
            .emit(&TeamEvent::Exported { format, count });
    }

    fn cancel(self) {
        self.let_go();
        self.show(ExportState::Closed);
        self.line
            .set_text(self.list.texts.get(Key::ExportCancelled).to_owned());
    }

    /// Stops a running export and discards its output.
    fn let_go(self) {
        let patience = self.patience.try_update_value(Option::take).flatten();
        if let Some(patience) = patience {
            patience.stop();
        }
        self.job.try_update_value(Option::take);
        if let Some(ExportState::Done(file)) = self.stage.try_get_untracked() {
            // Cannot fail for a URL that was created here.
            let _ = Url::revoke_object_url(&file.address);
        }
    }

    /// Changes the state; the focus stays in the panel if it was there.
    fn show(self, stage: ExportState) {
        let place = self.place.try_get_value().flatten();
        keep_focus(place, FIRST, || self.stage.set(stage));
    }

    fn focus(self) {
        if let Some(place) = self.place.try_get_value().flatten() {
            focus_first_soon(place, FIRST);
        }
    }

    fn view(self) -> Option<Node> {
        let texts = self.list.texts;
        let stage = self.stage.get();
        let (shown, ways) = match &stage {
            ExportState::Closed => return None,
            ExportState::Choosing => self.choice(),
            ExportState::Running => self.progress(),
            ExportState::Stopped(error) => self.stopped(error),
            ExportState::Done(file) => self.ending(file),
        };
        let title = match self.scope.get_untracked() {
            Some(Scope::These(bookings)) => texts.count(Key::ExportTitle, bookings.len()),
            Some(Scope::Matching { total, .. }) => {
                match total.and_then(|total| usize::try_from(total).ok()) {
                    Some(total) => texts.count(Key::ExportTitle, total),
                    None => texts.get(Key::ExportMatching).to_owned(),
                }
            }
            None => String::new(),
        };
        let panel = el("section")
            .class("export")
            .attr("part", "export")
            .attr("aria-labelledby", "export-title")
            .child(
                heading(1)
                    .class("export-title")
                    .attr("id", "export-title")
                    .child(title),
            )
            .child(shown)
            .child(el("div").class("export-ways").child(ways));
        Some(panel)
    }

    fn choice(self) -> (Node, Node) {
        let texts = self.list.texts;
        let hint = el("p")
            .class("export-note")
            .child(texts.get(Key::ExportHint));
        let way = |key: Key, format: Format| {
            button("button", move || self.start(format)).child(texts.get(key))
        };
        let close =
            button("button-quiet", move || self.cancel_choice()).child(texts.get(Key::Close));
        let ways = [
            way(Key::ExportTable, Format::Csv),
            way(Key::ExportCalendar, Format::Ics),
            close,
        ];
        (hint, fragment_of(ways))
    }

    fn cancel_choice(self) {
        self.let_go();
        self.stage.set(ExportState::Closed);
    }

    fn progress(self) -> (Node, Node) {
        let texts = self.list.texts;
        let Self { done, waits_s, .. } = self;
        let told = move || {
            let (done, total) = done.get();
            progress_words(done, total, texts)
        };
        let number = |number: Option<usize>| number.map(|number| number.to_string());
        let bar = el("progress")
            .class("export-bar")
            .attr("part", "progress")
            .attr("aria-label", texts.get(Key::Exporting))
            .attr_with("max", move || {
                number(done.get().1.map(|total| total.max(1)))
            })
            .attr_with("value", move || {
                let (done, total) = done.get();
                number(total.map(|_| done))
            });
        let pause = move || {
            let seconds = waits_s.get()?;
            let seconds = texts.number(seconds);
            Some(
                el("p")
                    .class("export-pause")
                    .child(icon(Shape::Clock))
                    .child(texts.fill(Key::GoesOn, &[("seconds", &seconds)])),
            )
        };
        let shown = fragment()
            .child(bar)
            .child(el("p").class("export-count").text_with(told))
            .child_with(pause);
        let cancel = button("button", move || self.cancel()).child(texts.get(Key::CancelExport));
        (shown, cancel)
    }

    fn stopped(self, error: &ApiError) -> (Node, Node) {
        let texts = self.list.texts;
        let (title, text) = words(error, texts);
        let (done, total) = self.done.get_untracked();
        let done = progress_words(done, total, texts);
        let shown = el("div")
            .class("export-trouble")
            .child(icon(Shape::Alert))
            .child(
                el("div")
                    .child(el("p").class("export-count").child(title))
                    .child(el("p").child(text))
                    .child(el("p").child(texts.fill(Key::ExportKept, &[("done", &done)]))),
            );
        let ways = [
            button("button-primary", move || self.go_on()).child(texts.get(Key::Continue)),
            button("button", move || self.cancel()).child(texts.get(Key::CancelExport)),
        ];
        (shown, fragment_of(ways))
    }

    fn ending(self, file: &File) -> (Node, Node) {
        let texts = self.list.texts;
        let odd = (file.odd > 0).then(|| {
            el("p")
                .class("export-note")
                .child(texts.count(Key::ExportOdd, file.odd))
        });
        let shown = fragment()
            .child(el("p").class("export-count").child(done_words(file, texts)))
            .child(odd);
        let again = (!file.address.is_empty())
            .then(|| link(file).class("button").child(texts.get(Key::SaveAgain)));
        let close = button("button", move || self.cancel_choice()).child(texts.get(Key::Close));
        (shown, fragment().child(again).child(close))
    }
}

/// Download link of the file.
fn link(file: &File) -> Node {
    el("a")
        .attr("href", &file.address)
        .attr("download", &file.name)
}

fn done_words(file: &File, texts: Translations) -> String {
    if file.count == 0 {
        return texts.get(Key::ExportEmpty).to_owned();
    }
    texts.count(Key::ExportDone, file.count)
}

/// Text such as `250 of 10,000`.
fn progress_words(done: usize, total: Option<usize>, texts: Translations) -> String {
    let number = |number: usize| texts.number(i64::try_from(number).unwrap_or(i64::MAX));
    let done = number(done);
    match total {
        Some(total) => {
            let values = [("range", done.as_str()), ("total", &number(total))];
            texts.fill(Key::RangeOf, &values)
        }
        None => done,
    }
}
