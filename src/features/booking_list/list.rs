//! What all parts of the list share.

use booking_wire::{Booking, PublicEventType};

use super::acts::Acts;
use super::after::Doors;
use super::rows::Rows;
use super::scope::Scope;
use super::selection::Selection;
use super::wish::Wish;
use crate::api::TeamPath;
use crate::embed::events::Page;
use crate::features::Settings;
use crate::i18n::Texts;
use crate::load::Load;
use crate::parts::Part;
use crate::session::Session;
use crate::signal::{InTask, ReadSignal, RwSignal, Signal, StoredValue};
use crate::time::{CivilDate, Formats};

/// What all parts of the list share.
#[derive(Clone, Copy)]
pub(super) struct List {
    pub(super) texts: Texts,
    pub(super) formats: Formats,
    pub(super) settings: Settings,
    pub(super) wish: Wish,
    pub(super) rows: Rows,
    pub(super) selection: Selection,
    /// In the chosen zone.
    pub(super) today: Signal<CivilDate>,
    /// Whether the first row takes the focus once other rows are there.
    pub(super) wants_focus: StoredValue<bool>,
    /// Uids of the rows that show their details. Kept here, so that a change of zone, which draws
    /// the rows anew, leaves them open.
    pub(super) opened: RwSignal<Vec<String>>,
    /// The place of the row that the Tab key stops at.
    pub(super) stop: StoredValue<usize>,
    pub(super) event_types: ReadSignal<Load<Vec<PublicEventType>>>,
    pub(super) acts: Acts,
    /// What shall be exported, until it is taken up.
    pub(super) exported: RwSignal<Option<Scope>>,
    pub(super) after: Part<Doors>,
    pub(super) team: TeamPath,
    pub(super) world: StoredValue<World>,
}

/// Whom the list talks to.
pub(super) struct World {
    pub(super) session: Session,
    pub(super) page: Page,
}

impl List {
    /// Who asks.
    pub(super) fn session(self) -> Session {
        self.world.with_value(|world| world.session.clone())
    }

    /// Who is told.
    pub(super) fn page(self) -> Page {
        self.world.with_value(|world| world.page.clone())
    }

    /// The team whose bookings these are.
    pub(super) fn team(self) -> TeamPath {
        self.team
    }

    /// The list for tasks: what was done for it may be answered once it is gone.
    pub(super) fn in_task(self) -> InTask<Self> {
        self.world.in_task(self)
    }

    /// Bookings as the service has them after something was done: their rows show them where they
    /// are, also if they match the filters no longer. What else has changed by it is asked for.
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
