//! One export on its way: from page to page into pieces of a file.

use booking_wire::{Booking, PublicEventType};
use js_sys::Array;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, Url};

use super::csv::{Sheet, wall_time};
use super::ics;
use crate::api::ApiError;
use crate::features::booking_list::walk::{Step, Walk};
use crate::i18n::Texts;
use crate::time::{Formats, Instant, Zone};
use booking_wire::calendar::CalendarFile;

/// What kind of file it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// A table.
    Csv,
    /// For calendars.
    Ics,
}

impl Format {
    /// How the page is told, and how the file's name ends.
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

/// Where the bookings come from.
pub(super) enum Source {
    /// They are there.
    These(Vec<Booking>),
    /// They are asked for.
    Walk(Box<Walk>),
}

/// In whose words a file is written, and when.
pub(super) struct Manner {
    pub(super) texts: Texts,
    pub(super) formats: Formats,
    pub(super) zone: Zone,
    pub(super) now: Instant,
    pub(super) event_types: Vec<PublicEventType>,
}

enum Writer {
    Csv(Box<Sheet>),
    Ics(CalendarFile),
}

/// One export. What is written is given to the browser page by page, so that thousands of bookings
/// take no more memory here than one page does.
pub(super) struct Job {
    pub(super) format: Format,
    source: Source,
    manner: Manner,
    writer: Writer,
    /// Blobs.
    pieces: Array,
    count: usize,
}

/// How a turn of the work ended.
pub(super) enum Turn {
    /// There is more to do.
    Goes,
    /// The service did not give a page. Another turn takes it up again.
    Failed(ApiError),
    /// All is written.
    Done,
    /// It was stopped.
    Stopped,
}

impl Job {
    pub(super) fn new(format: Format, source: Source, mut manner: Manner) -> Self {
        let event_types = std::mem::take(&mut manner.event_types);
        let writer = match format {
            Format::Csv => Writer::Csv(Box::new(Sheet::new(
                manner.texts,
                &manner.zone.0,
                event_types,
            ))),
            Format::Ics => Writer::Ics(CalendarFile::default()),
        };
        let mut job = Self {
            format,
            source,
            manner,
            writer,
            pieces: Array::new(),
            count: 0,
        };
        match &mut job.writer {
            Writer::Csv(sheet) => sheet.head(),
            Writer::Ics(file) => file.begin(),
        }
        job
    }

    /// How many bookings are written.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// How many there are, as far as that is known.
    pub(super) fn total(&self) -> Option<usize> {
        match &self.source {
            Source::These(rest) => Some(self.count + rest.len()),
            Source::Walk(walk) => walk.plan().total(),
        }
    }

    /// How many the service sent in a form that nobody understands.
    pub(super) fn odd(&self) -> usize {
        match &self.source {
            Source::These(_) => 0,
            Source::Walk(walk) => walk.plan().odd(),
        }
    }

    /// Writes the next page.
    pub(super) async fn turn(&mut self) -> Turn {
        let bookings = match &mut self.source {
            Source::These(rest) => std::mem::take(rest),
            Source::Walk(walk) => match walk.next().await {
                Step::Page(bookings) => bookings,
                Step::Failed(error) => return Turn::Failed(error),
                Step::Stopped => return Turn::Stopped,
                Step::End => Vec::new(),
            },
        };
        if bookings.is_empty() {
            if let Writer::Ics(file) = &mut self.writer {
                file.end();
            }
            self.give_away();
            return Turn::Done;
        }
        for booking in &bookings {
            self.write(booking);
        }
        self.count += bookings.len();
        self.give_away();
        Turn::Goes
    }

    fn write(&mut self, booking: &Booking) {
        let Manner {
            texts,
            formats,
            zone,
            now,
            ..
        } = &self.manner;
        match &mut self.writer {
            Writer::Csv(sheet) => sheet.booking(booking, &|instant| {
                wall_time(instant, formats.offset(instant, zone))
            }),
            Writer::Ics(file) => ics::write(file, booking, *texts, *now),
        }
    }

    fn give_away(&mut self) {
        let written = match &mut self.writer {
            Writer::Csv(sheet) => sheet.take(),
            Writer::Ics(file) => file.take(),
        };
        let parts = Array::of1(&JsValue::from_str(&written));
        // Refused for nothing that is text.
        if let Ok(piece) = Blob::new_with_str_sequence(&parts) {
            self.pieces.push(&piece);
        }
    }

    /// The address at which the browser finds the whole file, until it is revoked.
    pub(super) fn address(&self) -> Option<String> {
        let kind = BlobPropertyBag::new();
        kind.set_type(self.format.media_type());
        let file = Blob::new_with_blob_sequence_and_options(&self.pieces, &kind).ok()?;
        Url::create_object_url_with_blob(&file).ok()
    }
}
