//! Selection of the picker, kept between its visits, and its slots.

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use booking_wire::{BookableDates, Layout, Slot, SlotDays, SlotsQuery};
use leptos::prelude::*;

use super::model::{self, Question, Shown};
use crate::client::cache::CachedResource;
use crate::client::cache::cached;
use crate::client::query::{Latest, Load, latest};
use crate::client::{Abort, ApiError};
use crate::element::settings::{use_clock, use_settings};
use crate::i18n::use_formats;
use crate::time::{CivilDate, DateRange, Formats, Instant};
use crate::ui::dom::listen_to;
use crate::ui::signal::{RwSignal, Signal, StoredValue, Trigger, effect};

/// Seconds until slots are stale, unless the page sets another value.
const STALE_AFTER_S: i64 = 300;

/// Settings of the page and the event type for the picker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
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
pub struct Choice {
    /// Day that the visitor selected; until then the first one with slots is shown.
    pub day: RwSignal<Option<CivilDate>>,
    /// Slot that the visitor selected last.
    pub slot: RwSignal<Option<Slot>>,
    /// Slot that was lost to another booking. It stays in its position, struck through, until the visitor selects
    /// another or a response lists it again.
    pub taken: RwSignal<Option<Instant>>,
    /// Current day in the displayed zone.
    pub today: Signal<CivilDate>,
    /// Slots around the days in view.
    pub times: CachedResource<Question, SlotDays>,
    view: View,
    /// Next slots after the queried days, once searched for.
    pub(super) next: Latest<SlotDays>,
    /// True while the picker is mounted.
    pub(super) is_in_view: RwSignal<bool>,
    question: StoredValue<Rc<dyn Fn(DateRange) -> Question>>,
}

impl Choice {
    /// Starts without a selection. `question` builds the query for a date range; it runs again when a signal that it
    /// reads changes. `fetch` sends it.
    pub fn new<F>(
        options: &Options,
        question: impl Fn(DateRange) -> Question + 'static,
        fetch: impl Fn(SlotsQuery, Abort) -> F + 'static,
    ) -> Self
    where
        F: Future<Output = Result<SlotDays, ApiError>> + 'static,
    {
        let formats = use_formats();
        let settings = use_settings();
        let clock = use_clock();

        let beat = Trigger::new();
        let today = Signal::memo(move || {
            beat.track();
            settings.zone.with(|zone| formats.day_of(clock.now(), zone))
        });
        let first = today.get_untracked();
        let from = options.start_date.map_or(first, |start| start.max(first));
        let view = View {
            place: RwSignal::new((options.layout, from)),
            today,
            bookable_dates: options.bookable_dates,
            formats,
        };

        let question: Rc<dyn Fn(DateRange) -> Question> = Rc::new(question);
        let asked = {
            let question = Rc::clone(&question);
            move || question(view.shown().asked())
        };
        let fetch = Rc::new(move |question: &Question, abort: Abort| {
            let zone = question.zone.clone();
            let query = question.query(|day| formats.start_of_day(day, &zone));
            let answer = fetch(query, abort);
            async move {
                let days = answer.await?;
                // Services return no past slots: a clock that says otherwise is ahead.
                let soonest = days.0.first().and_then(|(_, slots)| slots.first());
                if soonest.is_some_and(|slot| slot.start < clock.now())
                    && soonest.is_some_and(|slot| clock.correct(slot.start))
                {
                    view.begin_at_today(beat);
                }
                Ok(model::by_day(days, |day| formats.start_of_day(day, &zone)))
            }
        });
        let stale_after_s = options.stale_after_s.unwrap_or(STALE_AFTER_S);
        let times = {
            let (asked, fetch) = (asked.clone(), Rc::clone(&fetch));
            cached(
                move || Some(asked()),
                move |question, abort| fetch(&question, abort),
                clock,
                stale_after_s.saturating_mul(1000),
            )
        };
        // Searched for only while no slot is in view.
        let is_empty = Signal::memo(move || {
            let shown = view.shown();
            times.signal().with(|answer| {
                let days = answer.ready();
                days.is_some_and(|days| shown.next_known(days).is_none() && shown.is_empty(days))
            })
        });
        let next = latest(
            move || is_empty.get().then(&asked),
            move |question: Question, abort| {
                let fetch = Rc::clone(&fetch);
                let latest = untrack(|| view.shown().latest);
                async move {
                    for days in model::ahead(question.days.last, latest) {
                        let question = Question {
                            days,
                            ..question.clone()
                        };
                        let found = fetch(&question, abort.clone()).await?;
                        if !found.0.is_empty() {
                            return Ok(found);
                        }
                    }
                    Ok(SlotDays::default())
                }
            },
        );
        let choice = Self {
            day: RwSignal::new(options.start_date),
            slot: RwSignal::new(None),
            taken: RwSignal::new(None),
            today,
            times,
            view,
            next,
            is_in_view: RwSignal::new(false),
            question: StoredValue::new(question),
        };
        choice.welcome_back();
        choice.stay_current(beat, stale_after_s);
        choice
    }

    /// Days in view.
    pub(super) fn shown(self) -> Shown {
        self.view.shown()
    }

    /// Brings `day` into view and selects it.
    pub fn show(self, day: CivilDate) {
        self.view.place.update(|place| place.1 = day);
        self.day.set(Some(day));
    }

    /// Changes the layout. `day` stays in view.
    pub(super) fn lay_out(self, layout: Layout, day: Option<CivilDate>) {
        self.view
            .place
            .update(|place| *place = (layout, day.unwrap_or(place.1)));
    }

    /// Brings other days into view, and clears the selected day.
    pub(super) fn go_to(self, shown: Shown) {
        self.day.set(None);
        self.view.place.set((shown.layout, shown.from));
    }

    /// Prefetches the days that are likely to be next.
    pub(super) fn expect(self, shown: Shown) {
        let question = self.question.get_value();
        self.times.prefetch(untrack(|| question(shown.asked())));
    }

    /// Clears `taken` when a new response lists it; the one it was selected from does not count.
    fn welcome_back(self) {
        effect(move || {
            let is_back = self.times.signal().with(|answer| {
                let taken = self.taken.get_untracked();
                let mut days = answer.ready().into_iter().flat_map(|days| &days.0);
                days.any(|(_, slots)| slots.iter().any(|slot| Some(slot.start) == taken))
            });
            if is_back {
                self.taken.set(None);
            }
        });
    }

    /// Keeps days and slots current while the page stays open.
    fn stay_current(self, beat: Trigger, stale_after_s: i64) {
        let stale_after_ms = stale_after_s.saturating_mul(1000);
        let refresh_if_older = move |age_ms: i64| {
            let is_seen = self.is_in_view.get_untracked() && !document().hidden();
            if is_seen && self.times.age_ms().is_some_and(|age| age >= age_ms) {
                self.times.refresh();
            }
        };
        let every_ms = (stale_after_ms / 2).clamp(500, 30_000).unsigned_abs();
        let timer = set_interval_with_handle(
            move || {
                beat.notify();
                refresh_if_older(stale_after_ms);
            },
            Duration::from_millis(every_ms),
        );
        if let Ok(timer) = timer {
            on_cleanup(move || timer.clear());
        }
        // The tab may have been hidden for long.
        listen_to(&document(), "visibilitychange", move |_| {
            beat.notify();
            refresh_if_older(BACK_AFTER_MS);
        });
        listen_to(&window(), "online", move |_| {
            let has_failed = self
                .times
                .signal()
                .with_untracked(|answer| matches!(answer, Load::Failed(ApiError::Unreachable)));
            if has_failed {
                self.times.reload();
            }
        });
    }
}

/// Determines the days in view.
#[derive(Clone, Copy)]
struct View {
    /// Layout, and the day around which the days in view are.
    place: RwSignal<(Layout, CivilDate)>,
    today: Signal<CivilDate>,
    bookable_dates: BookableDates,
    formats: Formats,
}

impl View {
    /// Moves a view that was not paged yet to the current day, after the clock was corrected.
    fn begin_at_today(self, beat: Trigger) {
        let before = self.today.get_untracked();
        beat.notify();
        let today = self.today.get_untracked();
        self.place.update(|(_, from)| {
            if *from == before {
                *from = today;
            }
        });
    }

    fn shown(self) -> Shown {
        let (earliest, latest) = self.bookable_dates.date_range(self.today.get());
        let (layout, from) = self.place.get();
        Shown {
            layout,
            from: latest.map_or(from, |latest| from.min(latest)).max(earliest),
            earliest,
            latest,
            week_begins: self.formats.week_start(),
        }
    }
}

/// Minimum age at which a returning tab reloads the slots.
const BACK_AFTER_MS: i64 = 2_000;
