//! Selection of the picker, kept between its visits, and its slots.

use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use booking_rules::BookableDates;
use booking_ui::prelude::*;
use booking_wire::{Layout, Slot, SlotDays, SlotsQuery};

use super::model::{self, SlotQuery, VisibleDays};
use crate::client::cache::{CachedResource, cached};
use crate::client::query::{Latest, Load, latest};
use crate::client::{Abort, ApiError};
use crate::i18n::use_formats;
use crate::page::settings::{use_clock, use_settings};
use crate::time::{CivilDate, Clock, DateRange, Formats, Instant};

/// Seconds until slots are stale, unless the page sets another value.
const STALE_AFTER_S: i64 = 300;

/// Minimum age of slots that are reloaded when the tab becomes visible.
const REFRESH_ON_RETURN_AFTER_MS: i64 = 2_000;

/// Settings of the page and the event type for the picker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PickerOptions {
    /// Available layouts; the initial layout is offered in any case.
    pub layouts: Vec<Layout>,
    /// Initial layout.
    pub layout: Layout,
    /// Initial day, unless it is past.
    pub start_date: Option<CivilDate>,
    /// Days that can be booked.
    pub bookable_dates: BookableDates,
    /// True if selecting a slot takes a second click.
    pub confirms_pick: bool,
    /// Seconds after which slots are reloaded.
    pub stale_after_s: Option<i64>,
    /// True if the zone cannot be changed.
    pub is_zone_locked: bool,
}

/// Selection and slots, owned by the flow: they outlive the picker, so that returning restores them.
#[derive(Clone, Copy)]
pub struct PickerState {
    /// Day that the visitor selected; until then the first one with slots is shown.
    pub day: RwSignal<Option<CivilDate>>,
    /// Slot that the visitor selected last.
    pub slot: RwSignal<Option<Slot>>,
    /// Slot that was lost to another booking. It stays in its position, struck through, until the visitor selects
    /// another or a response lists it again.
    pub taken: RwSignal<Option<Instant>>,
    /// Start of the booking that is rescheduled, marked among the days and slots.
    pub booked: Signal<Option<Instant>>,
    /// Current day in the displayed zone.
    pub today: Signal<CivilDate>,
    /// Slots around the days in view.
    pub slots: CachedResource<SlotQuery, SlotDays>,
    view: ViewState,
    /// First day in view that was chosen without the visitor.
    skipped_to: RwSignal<Option<CivilDate>>,
    /// Next slots after the queried days, once searched for.
    next: Latest<SlotDays>,
    /// True until the first slots are known, or the search for them is given up: its first range has none, it has
    /// failed, or a day or other days were chosen.
    pub(super) is_opening: RwSignal<bool>,
    /// True while the picker is mounted.
    pub(super) is_in_view: RwSignal<bool>,
    query: StoredValue<Rc<dyn Fn(DateRange) -> SlotQuery>>,
}

/// Corrections of the visitor's clock by slots. Services return no past slots: a clock that says otherwise is ahead, as
/// far as it may be. A service that returns them anyway would lead the picker back for ever.
#[derive(Clone, Default)]
struct ClockGuesses {
    count: Rc<Cell<u32>>,
    /// Milliseconds by which the clock was set back.
    moved_ms: Rc<Cell<i64>>,
}

impl ClockGuesses {
    /// Most corrections; each is by the days before today that are queried.
    const MAX: u32 = 5;

    /// Corrects the clock by slots that were returned, or undoes that. Returns true if it was changed.
    fn check(&self, clock: Clock, days: &SlotDays) -> bool {
        let starts = days
            .0
            .iter()
            .flat_map(|(_, slots)| slots.iter().map(|slot| slot.start));
        let Some(soonest) = starts.min().filter(|start| clock.is_past(*start)) else {
            return false;
        };
        let now = clock.now();
        if self.count.get() < Self::MAX {
            self.count.set(self.count.get() + 1);
            self.moved_ms.set(self.moved_ms.get() + now.0 - soonest.0);
            return clock.correct(soonest);
        }
        clock.correct(Instant(now.0 + self.moved_ms.take()))
    }
}

impl PickerState {
    /// Starts without a selection. `booked` is the start of the booking that is rescheduled. `query` builds the query
    /// for a date range; it runs again when a signal that it reads changes. `fetch` sends it.
    pub fn new<F>(
        options: &PickerOptions,
        booked: Signal<Option<Instant>>,
        query: impl Fn(DateRange) -> SlotQuery + 'static,
        fetch: impl Fn(SlotsQuery, Abort) -> F + 'static,
    ) -> Self
    where
        F: Future<Output = Result<SlotDays, ApiError>> + 'static,
    {
        let formats = use_formats();
        let settings = use_settings();
        let clock = use_clock();

        let tick = Trigger::new();
        let today = Signal::memo(move || {
            tick.track();
            settings.zone.with(|zone| formats.day_of(clock.now(), zone))
        });
        let first = today.get_untracked();
        let from = options.start_date.map_or(first, |start| start.max(first));
        let view = ViewState {
            position: RwSignal::new((options.layout, from)),
            today,
            bookable_dates: options.bookable_dates,
            formats,
        };

        let query: Rc<dyn Fn(DateRange) -> SlotQuery> = Rc::new(query);
        let current_query = {
            let query = Rc::clone(&query);
            move || query(view.visible().queried_days())
        };
        let clock_guesses = ClockGuesses::default();
        let fetch = Rc::new(move |query: &SlotQuery, abort: Abort| {
            let clock_guesses = clock_guesses.clone();
            let zone = query.zone.clone();
            let query = query.request(|day| formats.start_of_day(day, &zone));
            let response = fetch(query, abort);
            async move {
                let mut days = response.await?;
                if clock_guesses.check(clock, &days) {
                    view.reset_to_today(tick);
                }
                for (_, slots) in &mut days.0 {
                    slots.retain(|slot| !clock.is_past(slot.start));
                }
                formats.learn_offsets(&zone, &days);
                Ok(model::by_day(days, |instant| {
                    formats.day_of(instant, &zone)
                }))
            }
        });
        let stale_after_s = options.stale_after_s.unwrap_or(STALE_AFTER_S);
        let slots = {
            let (current_query, fetch) = (current_query.clone(), Rc::clone(&fetch));
            cached(
                move || Some(current_query()),
                move |query, abort| fetch(&query, abort),
                clock,
                stale_after_s.saturating_mul(1000),
            )
        };
        // Searched for only while no slot is in view.
        let is_empty = Signal::memo(move || {
            let visible = view.visible();
            slots.signal().with(|response| {
                let days = response.ready();
                days.is_some_and(|days| {
                    visible.next_known(days).is_none() && visible.is_empty(days)
                })
            })
        });
        let is_opening = RwSignal::new(options.start_date.is_none_or(|start| start < first));
        let next = latest(
            move || is_empty.get().then(&current_query),
            move |query: SlotQuery, abort| {
                let fetch = Rc::clone(&fetch);
                let latest = untrack(|| view.visible().latest);
                async move {
                    for days in model::search_ranges(query.days.last, latest) {
                        let query = SlotQuery {
                            days,
                            ..query.clone()
                        };
                        let found = fetch(&query, abort.clone()).await?;
                        if !found.0.is_empty() {
                            return Ok(found);
                        }
                        // Visitors wait for the first range only.
                        is_opening.set(false);
                    }
                    Ok(SlotDays::default())
                }
            },
        );
        let state = Self {
            day: RwSignal::new(options.start_date),
            slot: RwSignal::new(None),
            taken: RwSignal::new(None),
            booked,
            today,
            slots,
            view,
            skipped_to: RwSignal::new(None),
            next,
            is_opening,
            is_in_view: RwSignal::new(false),
            query: StoredValue::new(query),
        };
        state.clear_taken_when_free();
        state.keep_current(tick, stale_after_s);
        state
    }

    /// Days in view.
    pub(super) fn visible(self) -> VisibleDays {
        self.view.visible()
    }

    /// Layout, untracked.
    pub fn layout(self) -> Layout {
        self.view.position.with_untracked(|(layout, _)| *layout)
    }

    /// Selected day, else the first one in view if the visitor has changed that; and the layout.
    pub fn place(self) -> (Option<CivilDate>, Layout) {
        let (layout, from) = self.view.position.get();
        let is_paged = from > self.today.get() && self.skipped_to.get() != Some(from);
        let paged = Some(from).filter(|_| is_paged);
        (self.day.get().or(paged), layout)
    }

    /// True if the slots of `day` are those of the current query.
    pub fn covers(self, day: CivilDate) -> bool {
        self.visible().queried_days().contains(day)
    }

    /// Brings `day` into view and selects it, in this layout.
    pub fn show_place(self, day: CivilDate, layout: Layout) {
        self.is_opening.set(false);
        self.view.position.set((layout, day));
        self.day.set(Some(day));
    }

    /// Brings `day` into view and selects it.
    pub fn show_day(self, day: CivilDate) {
        self.is_opening.set(false);
        self.view.position.update(|position| position.1 = day);
        self.day.set(Some(day));
    }

    /// Changes the layout. `day` stays in view.
    pub(super) fn set_layout(self, layout: Layout, day: Option<CivilDate>) {
        self.view
            .position
            .update(|position| *position = (layout, day.unwrap_or(position.1)));
    }

    /// Brings other days into view, and clears the selected day.
    pub(super) fn show_days(self, visible: VisibleDays) {
        self.is_opening.set(false);
        self.day.set(None);
        self.view.position.set((visible.layout, visible.from));
    }

    /// Brings other days into view, which the visitor has not asked for.
    pub(super) fn skip_to(self, visible: VisibleDays) {
        self.skipped_to.set(Some(visible.from));
        self.show_days(visible);
    }

    /// Next day with slots, from the search after the queried days.
    pub(super) fn next_available_day(self) -> Load<Option<CivilDate>> {
        self.next.signal().with(|response| match response {
            Load::Pending => Load::Pending,
            Load::Failed(error) => Load::Failed(error.clone()),
            Load::Ready(days) => Load::Ready(days.0.first().map(|(day, _)| *day)),
        })
    }

    /// True if slots, or the first ones that the picker searches for, take long.
    pub(super) fn is_slow(self) -> bool {
        self.slots.is_slow().get() || self.is_opening.get() && self.next.is_slow().get()
    }

    /// True while slots are requested, also if the picker searches for the first ones.
    pub(super) fn is_busy(self) -> bool {
        self.slots.is_busy().get() || self.is_opening.get() && self.next.is_busy().get()
    }

    /// Prefetches the days that are likely to be next.
    pub(super) fn prefetch(self, visible: VisibleDays) {
        let query = self.query.get_value();
        self.slots
            .prefetch(untrack(|| query(visible.queried_days())));
    }

    /// Clears `taken` when a new response lists it; the one it was selected from does not count.
    fn clear_taken_when_free(self) {
        effect(move || {
            let is_back = self.slots.signal().with(|response| {
                let taken = self.taken.get_untracked();
                let mut days = response.ready().into_iter().flat_map(|days| &days.0);
                days.any(|(_, slots)| slots.iter().any(|slot| Some(slot.start) == taken))
            });
            if is_back {
                self.taken.set(None);
            }
        });
    }

    /// Keeps days and slots current while the page stays open.
    fn keep_current(self, tick: Trigger, stale_after_s: i64) {
        let stale_after_ms = stale_after_s.saturating_mul(1000);
        let refresh_if_older = move |age_ms: i64| {
            let is_seen = self.is_in_view.get_untracked() && !document().hidden();
            if is_seen && self.slots.age_ms().is_some_and(|age| age >= age_ms) {
                self.slots.refresh();
            }
        };
        let every_ms = (stale_after_ms / 2).clamp(500, 30_000).unsigned_abs();
        set_interval(
            move || {
                tick.notify();
                refresh_if_older(stale_after_ms);
            },
            Duration::from_millis(every_ms),
        );
        // The tab may have been hidden for long.
        listen_to(&document(), "visibilitychange", move |_| {
            tick.notify();
            refresh_if_older(REFRESH_ON_RETURN_AFTER_MS);
        });
        listen_to(&window(), "online", move |_| {
            let has_failed = self
                .slots
                .signal()
                .with_untracked(|response| matches!(response, Load::Failed(ApiError::Unreachable)));
            if has_failed {
                self.slots.reload();
            }
        });
    }
}

/// Determines the days in view.
#[derive(Clone, Copy)]
struct ViewState {
    /// Layout, and the day around which the days in view are.
    position: RwSignal<(Layout, CivilDate)>,
    today: Signal<CivilDate>,
    bookable_dates: BookableDates,
    formats: Formats,
}

impl ViewState {
    /// Moves a view that was not paged yet to the current day, after the clock was corrected.
    fn reset_to_today(self, tick: Trigger) {
        let before = self.today.get_untracked();
        tick.notify();
        let today = self.today.get_untracked();
        self.position.update(|(_, from)| {
            if *from == before {
                *from = today;
            }
        });
    }

    fn visible(self) -> VisibleDays {
        let (earliest, latest) = self.bookable_dates.date_range(self.today.get());
        let (layout, from) = self.position.get();
        VisibleDays {
            layout,
            from: latest.map_or(from, |latest| from.min(latest)).max(earliest),
            earliest,
            latest,
            week_begins: self.formats.week_start(),
        }
    }
}
