//! Exports the selected or all matching bookings as a file for spreadsheets or calendars.
//!
//! Only one export runs at a time. Its panel stays open while the list remains usable.

mod csv;
mod ics;
mod job;

use booking_ui::prelude::*;
use web_sys::{HtmlElement, Url};

use super::all_pages::{BookingPages, RetryPolicy};
use super::state::list_state::ListContext;
use super::state::selection::{Scope, ScopeSignal};
use crate::client::ApiError;
use crate::client::query::Load;
use crate::components::{
    Shape, StatusLine, button,
    focus::{focus_first_soon, keep_focus},
    heading, icon, use_status_line,
};
use crate::features::shared::error_notice::error_text;
use crate::i18n::{Key, Translations};
use crate::page::settings::use_clock;
use crate::page::team_events::TeamEvent;
use crate::time::civil::Month;
use crate::time::{CivilDate, Clock, sleep};
use job::{ExportContext, ExportJob, Format, Progress, Source};

/// Polling interval for the event types and their booking questions.
const POLL_MS: i64 = 100;

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
    Failed(ApiError),
    /// Finished.
    Done(File),
}

/// Exported file.
#[derive(Clone, Debug)]
struct File {
    count: usize,
    /// Number of unreadable bookings.
    unreadable: usize,
    name: String,
    format: Format,
    /// Object URL; empty without bookings.
    url: String,
}

/// Export of a list.
#[derive(Clone, Copy)]
pub(super) struct Exporter {
    context: ListContext,
    clock: Clock,
    status_line: StatusLine,
    state: RwSignal<ExportState>,
    /// Current scope of the control that opened the panel.
    source: RwSignal<Option<ScopeSignal>>,
    /// Scope of the export: that of the source, until an export begins.
    scope: RwSignal<Option<Scope>>,
    /// Bookings written, and the total if known.
    done: RwSignal<(usize, Option<usize>)>,
    /// Seconds until the next retry.
    wait_s: RwSignal<Option<i64>>,
    retry: StoredValue<Option<RetryPolicy>>,
    /// The stopped export.
    job: StoredValue<Option<ExportJob>>,
    panel: StoredValue<Option<HtmlElement>>,
}

/// Provides the export as a context.
pub(super) fn provide(context: ListContext) {
    let exporter = Exporter {
        context,
        clock: use_clock(),
        status_line: use_status_line(),
        state: RwSignal::new(ExportState::Closed),
        source: RwSignal::new(None),
        scope: RwSignal::new(None),
        done: RwSignal::new((0, None)),
        wait_s: RwSignal::new(None),
        retry: StoredValue::new(None),
        job: StoredValue::new(None),
        panel: StoredValue::new(None),
    };
    on_cleanup(move || exporter.discard());
    provide_context(exporter);
}

/// Panel with the export's state. Takes each `requested` export.
pub(super) fn export_panel(requested: RwSignal<Option<ScopeSignal>>) -> Node {
    let Some(exporter) = use_context::<Exporter>() else {
        return fragment();
    };
    let panel = el("div").class("export-place");
    exporter.panel.set_value(Some(panel.element()));
    let panel = panel.child_with(move || exporter.view());
    effect(move || {
        if let Some(source) = requested.get() {
            requested.set(None);
            exporter.open(source);
        }
    });
    effect(move || {
        if let Some(source) = exporter.source.get() {
            exporter.follow(source.get());
        }
    });
    panel
}

impl Exporter {
    fn open(self, source: ScopeSignal) {
        let is_busy = self
            .state
            .with_untracked(|state| matches!(state, ExportState::Running | ExportState::Failed(_)));
        if !is_busy {
            self.discard();
            self.scope.set(source.get_untracked());
            self.state.set(ExportState::Choosing);
            self.source.set(Some(source));
        }
        self.focus();
    }

    /// Keeps the panel in agreement with the list: what is exported next is what the list shows.
    fn follow(self, scope: Option<Scope>) {
        let is_same = self.scope.with_untracked(|known| match (known, &scope) {
            (Some(known), Some(scope)) => known.is_same(scope),
            _ => false,
        });
        match self.state.get_untracked() {
            ExportState::Choosing if scope.is_some() => self.scope.set(scope),
            ExportState::Choosing => self.close(),
            ExportState::Done(_) if !is_same => self.close(),
            _ => {}
        }
    }

    fn start(self, format: Format) {
        let source = self.source.get_untracked();
        let Some(scope) = source.and_then(Signal::get_untracked) else {
            return self.close();
        };
        self.scope.set(Some(scope.clone()));
        self.discard();
        let retry = RetryPolicy::with_countdown(self.wait_s);
        self.retry.set_value(Some(retry.clone()));
        self.done.set((0, None));
        self.show(ExportState::Running);
        spawn_local(async move {
            if let Some(job) = self.prepare(format, scope, retry.clone()).await {
                self.run(job, retry).await;
            }
        });
    }

    /// Prepares the job. Questions of event types decide its columns.
    async fn prepare(self, format: Format, scope: Scope, retry: RetryPolicy) -> Option<ExportJob> {
        let event_types = loop {
            if self.panel.is_disposed() || retry.is_stopped() {
                return None;
            }
            let event_types = self.context.event_types.with_untracked(|load| match load {
                Load::Pending => None,
                Load::Ready(event_types) => Some(event_types.clone()),
                Load::Failed(_) => Some(Vec::new()),
            });
            if let Some(event_types) = event_types {
                break event_types;
            }
            sleep(POLL_MS).await;
        };
        let ListContext {
            texts,
            formats,
            settings,
            ..
        } = self.context;
        let export_context = ExportContext {
            texts,
            formats,
            zone: settings.zone.get_untracked(),
            now: self.clock.now(),
            event_types,
        };
        let source = match scope {
            Scope::These(bookings) => Source::These(bookings),
            Scope::Matching { query, total } => Source::Pages(Box::new(BookingPages::of_team(
                self.context,
                *query,
                total,
                retry,
            ))),
        };
        Some(ExportJob::new(format, source, export_context))
    }

    async fn run(self, mut job: ExportJob, retry: RetryPolicy) {
        loop {
            let progress = job.write_page().await;
            // The result is of no use once the list is unmounted.
            if self.panel.is_disposed() || retry.is_stopped() {
                return;
            }
            match progress {
                Progress::More => self.done.set((job.count(), job.total())),
                Progress::Failed(error) => {
                    let (title, _) = error_text(&error, self.context.texts);
                    self.job.set_value(Some(job));
                    self.show(ExportState::Failed(error));
                    self.status_line.set_text(title);
                    return;
                }
                Progress::Done => return self.finish(&job),
                Progress::Stopped => return,
            }
        }
    }

    fn resume(self) {
        let job = self.job.try_update_value(Option::take).flatten();
        let retry = self.retry.get_value();
        if let (Some(job), Some(retry)) = (job, retry) {
            self.show(ExportState::Running);
            spawn_local(self.run(job, retry));
        }
    }

    fn finish(self, job: &ExportJob) {
        let texts = self.context.texts;
        let count = job.count();
        let zone = self.context.settings.zone.get_untracked();
        let format = job.format.name();
        let day_of = |instant| self.context.formats.day_of(instant, &zone);
        // The days of the filter, or else those of the bookings.
        let starts = job.starts();
        let (first, last) = self.scope.with_untracked(|scope| match scope {
            Some(Scope::Matching { query, .. }) => (
                query.after_start,
                // The end of the last day is the start of the next.
                query.before_end.map(|end| end.plus_minutes(-1)),
            ),
            _ => (None, None),
        });
        let first = first.or(starts.map(|(first, _)| first));
        let last = last.or(starts.map(|(_, last)| last));
        let range = match (first.map(day_of), last.map(day_of)) {
            (Some(first), Some(last)) => range_name(first, last.max(first)),
            _ => day_of(self.clock.now()).to_string(),
        };
        let file = File {
            count,
            unreadable: job.unreadable(),
            name: format!("bookings-{range}.{format}"),
            format: job.format,
            url: job.object_url().filter(|_| count > 0).unwrap_or_default(),
        };
        if !file.url.is_empty() {
            link(&file).element().click();
        }
        self.status_line.set_text(done_text(&file, texts));
        self.show(ExportState::Done(file));
        // Last: the page may unmount the list.
        self.context
            .page()
            .emit(&TeamEvent::Exported { format, count });
    }

    fn cancel(self) {
        self.discard();
        self.show(ExportState::Closed);
        self.status_line
            .set_text(self.context.texts.get(Key::ExportCancelled).to_owned());
    }

    /// Stops a running export and discards its output.
    fn discard(self) {
        let retry = self.retry.try_update_value(Option::take).flatten();
        if let Some(retry) = retry {
            retry.stop();
        }
        self.job.try_update_value(Option::take);
        if let Some(ExportState::Done(file)) = self.state.try_get_untracked() {
            // Cannot fail for a URL that was created here.
            let _ = Url::revoke_object_url(&file.url);
        }
    }

    /// Changes the state; the focus stays in the panel if it was there.
    fn show(self, state: ExportState) {
        keep_focus(self.panel.get_value(), FIRST, || self.state.set(state));
    }

    fn focus(self) {
        if let Some(panel) = self.panel.get_value() {
            focus_first_soon(panel, FIRST);
        }
    }

    fn view(self) -> Option<Node> {
        let texts = self.context.texts;
        let (content, buttons) = match &self.state.get() {
            ExportState::Closed => return None,
            ExportState::Choosing => self.format_choice(),
            ExportState::Running => self.progress(),
            ExportState::Failed(error) => self.failure(error),
            ExportState::Done(file) => self.summary(file),
        };
        let count = move || {
            self.scope.with(|scope| match scope {
                Some(Scope::These(bookings)) => Some(bookings.len()),
                Some(Scope::Matching { total, .. }) => {
                    total.and_then(|total| total.try_into().ok())
                }
                None => None,
            })
        };
        let title = move || match count() {
            Some(count) => texts.count(Key::ExportTitle, count),
            None => texts.get(Key::ExportMatching).to_owned(),
        };
        let panel = el("section")
            .class("export")
            .attr("part", "export")
            .attr("aria-labelledby", "export-title")
            .child(
                heading(1)
                    .class("export-title")
                    .attr("id", "export-title")
                    .text_with(title),
            )
            .child(content)
            .child(el("div").class("export-ways").child(buttons));
        Some(panel)
    }

    fn format_choice(self) -> (Node, Node) {
        let texts = self.context.texts;
        let hint = el("p")
            .class("export-note")
            .child(texts.get(Key::ExportHint));
        let close = button("button-quiet", move || self.close()).child(texts.get(Key::Close));
        let buttons = [
            self.format_button(Format::Csv),
            self.format_button(Format::Ics),
            close,
        ];
        (hint, fragment_of(buttons))
    }

    /// Button that starts an export in a format.
    fn format_button(self, format: Format) -> Node {
        let key = match format {
            Format::Csv => Key::ExportTable,
            Format::Ics => Key::ExportCalendar,
        };
        button("button", move || self.start(format)).child(self.context.texts.get(key))
    }

    fn close(self) {
        self.discard();
        self.state.set(ExportState::Closed);
    }

    fn progress(self) -> (Node, Node) {
        let texts = self.context.texts;
        let Self { done, wait_s, .. } = self;
        let progress = move || {
            let (done, total) = done.get();
            progress_text(done, total, texts)
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
        let countdown = move || {
            let seconds = wait_s.get()?;
            let seconds = texts.number(seconds);
            Some(
                el("p")
                    .class("export-pause")
                    .child(icon(Shape::Clock))
                    .child(texts.fill(Key::GoesOn, &[("seconds", &seconds)])),
            )
        };
        let content = fragment()
            .child(bar)
            .child(el("p").class("export-count").text_with(progress))
            .child_with(countdown);
        let cancel = button("button", move || self.cancel()).child(texts.get(Key::CancelExport));
        (content, cancel)
    }

    fn failure(self, error: &ApiError) -> (Node, Node) {
        let texts = self.context.texts;
        let (title, text) = error_text(error, texts);
        let (done, total) = self.done.get_untracked();
        let done = progress_text(done, total, texts);
        let content = el("div")
            .class("export-trouble")
            .child(icon(Shape::Alert))
            .child(
                el("div")
                    .child(el("p").class("export-count").child(title))
                    .child(el("p").child(text))
                    .child(el("p").child(texts.fill(Key::ExportKept, &[("done", &done)]))),
            );
        let buttons = [
            button("button-primary", move || self.resume()).child(texts.get(Key::Continue)),
            button("button", move || self.cancel()).child(texts.get(Key::CancelExport)),
        ];
        (content, fragment_of(buttons))
    }

    fn summary(self, file: &File) -> (Node, Node) {
        let texts = self.context.texts;
        let unreadable = (file.unreadable > 0).then(|| {
            el("p")
                .class("export-note")
                .child(texts.count(Key::ExportOdd, file.unreadable))
        });
        let content = fragment()
            .child(el("p").class("export-count").child(done_text(file, texts)))
            .child(unreadable);
        let save_again = (!file.url.is_empty())
            .then(|| link(file).class("button").child(texts.get(Key::SaveAgain)));
        let other = match file.format {
            Format::Csv => Format::Ics,
            Format::Ics => Format::Csv,
        };
        let close = button("button-quiet", move || self.close()).child(texts.get(Key::Close));
        let buttons = [self.format_button(other), close];
        let buttons = fragment().child(save_again).child(fragment_of(buttons));
        (content, buttons)
    }
}

/// Days of a file's bookings in its name: a whole month, one day, or the first and the last one.
fn range_name(first: CivilDate, last: CivilDate) -> String {
    let month = Month::of(first);
    let first_text = first.to_string();
    if first == month.first() && last == month.last() {
        return first_text.chars().take("2027-03".len()).collect();
    }
    if first == last {
        return first_text;
    }
    format!("{first_text}--{last}")
}

/// Download link of the file.
fn link(file: &File) -> Node {
    el("a").attr("href", &file.url).attr("download", &file.name)
}

fn done_text(file: &File, texts: Translations) -> String {
    if file.count == 0 {
        return texts.get(Key::ExportEmpty).to_owned();
    }
    texts.count(Key::ExportDone, file.count)
}

/// Text such as `250 of 10,000`.
fn progress_text(done: usize, total: Option<usize>, texts: Translations) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_named_after_month_day_or_range() {
        let day = |text: &str| text.parse::<CivilDate>().unwrap();
        for (first, last, name) in [
            ("2026-10-01", "2026-10-31", "2026-10"),
            ("2027-02-01", "2027-02-28", "2027-02"),
            ("2026-10-01", "2026-11-30", "2026-10-01--2026-11-30"),
            ("2026-10-05", "2026-10-11", "2026-10-05--2026-10-11"),
            ("2026-10-05", "2026-10-05", "2026-10-05"),
        ] {
            assert_eq!(range_name(day(first), day(last)), name);
        }
    }
}
