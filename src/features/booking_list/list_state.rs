//! State shared by all parts of the list.

use booking_wire::{Booking, PublicEventType};

use super::actions::BookingActions;
use super::chunk::ChunkExports;
use super::list_query::ListQuery;
use super::rows::Rows;
use super::scope::Scope;
use super::selection::Selection;
use crate::client::TeamPath;
use crate::client::query::Load;
use crate::client::session::Session;
use crate::element::events::Page;
use crate::element::settings::Settings;
use crate::i18n::Translations;
use crate::time::{CivilDate, Formats};
use crate::ui::lazy::LazyChunk;
use crate::ui::signal::{InTask, ReadSignal, RwSignal, Signal, StoredValue};

/// State shared by all parts of the list.
#[derive(Clone, Copy)]
pub(super) struct List {
    pub(super) texts: Translations,
    pub(super) formats: Formats,
    pub(super) settings: Settings,
    pub(super) wish: ListQuery,
    pub(super) rows: Rows,
    pub(super) selection: Selection,
    /// Today in the chosen zone.
    pub(super) today: Signal<CivilDate>,
    /// True if the first row takes the focus once new rows are shown.
    pub(super) wants_focus: StoredValue<bool>,
    /// Uids of the expanded rows. Kept here, so that they stay expanded when a change of zone
    /// redraws the rows.
    pub(super) opened: RwSignal<Vec<String>>,
    /// Index of the row that is the Tab stop.
    pub(super) stop: StoredValue<usize>,
    pub(super) event_types: ReadSignal<Load<Vec<PublicEventType>>>,
    pub(super) acts: BookingActions,
    /// Requested export, until the panel takes it.
    pub(super) exported: RwSignal<Option<Scope>>,
    pub(super) after: LazyChunk<ChunkExports>,
    pub(super) team: TeamPath,
    pub(super) world: StoredValue<ListContext>,
}

/// Session and page of the list.
pub(super) struct ListContext {
    pub(super) session: Session,
    pub(super) page: Page,
}

impl List {
    /// API session.
    pub(super) fn session(self) -> Session {
        self.world.with_value(|world| world.session.clone())
    }

    /// Event target.
    pub(super) fn page(self) -> Page {
        self.world.with_value(|world| world.page.clone())
    }

    /// Team of the listed bookings.
    pub(super) fn team(self) -> TeamPath {
        self.team
    }

    /// Handle for async tasks, which may finish after the list is unmounted.
    pub(super) fn in_task(self) -> InTask<Self> {
        self.world.in_task(self)
    }

    /// Shows bookings that an action has changed in their existing rows, even if they no longer
    /// match the filters. Then refreshes the list: other bookings may have changed with them.
    pub(super) fn put(self, changed: Vec<Booking>) {
        self.selection.renew_with(&changed);
        self.rows.put(changed);
        self.rows.look_again();
    }

    pub(super) fn is_open(self, uid: &str) -> bool {
        self.opened
            .with(|opened| opened.iter().any(|known| known == uid))
    }

    pub(super) fn toggle(self, uid: &str) {
        self.opened.update(|opened| {
            let before = opened.len();
            opened.retain(|known| known != uid);
            if opened.len() == before {
                opened.push(uid.to_owned());
            }
        });
    }
}
