//! Export in progress: writes bookings page by page into parts of a file.

use booking_calendar::CalendarFile;
use booking_wire::{Booking, TeamEventType};
use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, Url};

use super::csv::{Sheet, wall_time};
use super::ics;
use crate::client::ApiError;
use crate::features::booking_list::all_pages::{BookingPages, NextPage};
use crate::i18n::Translations;
use crate::time::{Formats, Instant, Zone};

/// File format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Table.
    Csv,
    /// Calendar file.
    Ics,
}

impl Format {
    /// Name in events, and file extension.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ics => "ics",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv;charset=utf-8",
            Self::Ics => "text/calendar;charset=utf-8",
        }
    }
}

/// Source of the bookings.
pub(super) enum Source {
    /// Loaded bookings.
    These(Vec<Booking>),
    /// Bookings to load.
    Pages(Box<BookingPages>),
}

/// Language, time zone and instant of an export.
pub(super) struct ExportContext {
    pub(super) texts: Translations,
    pub(super) formats: Formats,
    pub(super) zone: Zone,
    pub(super) now: Instant,
    pub(super) event_types: Vec<TeamEventType>,
}

enum Writer {
    Csv(Box<Sheet>),
    Ics(CalendarFile),
}

/// Export. Each page is handed to the browser as a blob, so that thousands of bookings take no more
/// memory here than one page.
pub(super) struct ExportJob {
    pub(super) format: Format,
    source: Source,
    context: ExportContext,
    writer: Writer,
    /// Blobs.
    blobs: Array,
    count: usize,
    /// Earliest and latest start.
    starts: Option<(Instant, Instant)>,
}

/// Result of [`ExportJob::write_page`].
pub(super) enum Progress {
    /// More remains.
    More,
    /// A page could not be loaded. The next call retries it.
    Failed(ApiError),
    /// Everything is written.
    Done,
    /// Stopped by the retry policy.
    Stopped,
}

impl ExportJob {
    pub(super) fn new(format: Format, source: Source, mut context: ExportContext) -> Self {
        let event_types = std::mem::take(&mut context.event_types);
        let writer = match format {
            Format::Csv => Writer::Csv(Box::new(Sheet::new(
                context.texts,
                &context.zone.0,
                event_types,
            ))),
            Format::Ics => Writer::Ics(CalendarFile::default()),
        };
        let mut job = Self {
            format,
            source,
            context,
            writer,
            blobs: Array::new(),
            count: 0,
            starts: None,
        };
        match &mut job.writer {
            Writer::Csv(sheet) => sheet.head(),
            Writer::Ics(file) => file.begin(),
        }
        job
    }

    /// Number of bookings written.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Earliest and latest start of the bookings written.
    pub(super) fn starts(&self) -> Option<(Instant, Instant)> {
        self.starts
    }

    /// Total number of bookings, if known.
    pub(super) fn total(&self) -> Option<usize> {
        match &self.source {
            Source::These(bookings) => Some(self.count + bookings.len()),
            Source::Pages(pages) => pages.cursor().total(),
        }
    }

    /// Number of bookings that could not be parsed.
    pub(super) fn unreadable(&self) -> usize {
        match &self.source {
            Source::These(_) => 0,
            Source::Pages(pages) => pages.cursor().unreadable(),
        }
    }

    /// Writes the next page.
    pub(super) async fn write_page(&mut self) -> Progress {
        let bookings = match &mut self.source {
            Source::These(bookings) => std::mem::take(bookings),
            Source::Pages(pages) => match pages.next().await {
                NextPage::Page(bookings) => bookings,
                NextPage::Failed(error) => return Progress::Failed(error),
                NextPage::Stopped => return Progress::Stopped,
                NextPage::End => Vec::new(),
            },
        };
        if bookings.is_empty() {
            if let Writer::Ics(file) = &mut self.writer {
                file.end();
            }
            self.flush();
            return Progress::Done;
        }
        for booking in &bookings {
            self.write(booking);
        }
        self.count += bookings.len();
        self.flush();
        Progress::More
    }

    fn write(&mut self, booking: &Booking) {
        let start = booking.start;
        self.starts = Some(match self.starts {
            Some((first, last)) => (first.min(start), last.max(start)),
            None => (start, start),
        });
        let ExportContext {
            texts,
            formats,
            zone,
            now,
            ..
        } = &self.context;
        match &mut self.writer {
            Writer::Csv(sheet) => sheet.booking(booking, &|instant| {
                wall_time(instant, formats.offset(instant, zone))
            }),
            Writer::Ics(file) => ics::write(file, booking, *texts, *now),
        }
    }

    fn flush(&mut self) {
        let written = match &mut self.writer {
            Writer::Csv(sheet) => sheet.take(),
            Writer::Ics(file) => file.take(),
        };
        let parts = Array::of1(&JsValue::from_str(&written));
        // Never fails for text.
        if let Ok(blob) = Blob::new_with_str_sequence(&parts) {
            self.blobs.push(&blob);
        }
    }

    /// Object URL of the whole file, valid until it is revoked.
    pub(super) fn object_url(&self) -> Option<String> {
        let options = BlobPropertyBag::new();
        options.set_type(self.format.media_type());
        let file = Blob::new_with_blob_sequence_and_options(&self.blobs, &options).ok()?;
        Url::create_object_url_with_blob(&file).ok()
    }
}
